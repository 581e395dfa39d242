/** The local cloud's function runtime, whose answers also tell the most memory that the process has ever held. */
const { send } = process;
process.send = (message, ...rest) => send.call(process, message.requestId ? { ...message, peakBytes: process.resourceUsage().maxRSS * 1024 } : message, ...rest);
require('../support/cloud/lambda-runtime.cjs');
