/**
 * One execution environment: loads the bundled handler once, as Lambda does, and runs it once for each message of the parent.
 * Its arguments are the handler (`file.export` in the working directory) and the clock shim's JSON.
 */
const path = require('node:path');

const [file, name] = process.argv[2].split('.');
const send = process.send.bind(process);

let handler;
let initialisation;
try {
  handler = require(path.resolve(`${file}.js`))[name];
} catch (error) {
  initialisation = error;
}

const describe = (error) => ({ errorType: error?.name ?? 'Error', errorMessage: String(error?.message ?? error), trace: error?.stack });

process.on('message', async (message) => {
  if (!message?.invoke) return;
  const { requestId, event, functionName, functionArn, memoryMiB, milliseconds } = message.invoke;
  const end = process.hrtime.bigint() + BigInt(Math.round(milliseconds * 1e6));
  const context = {
    awsRequestId: requestId,
    callbackWaitsForEmptyEventLoop: true,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: functionArn,
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: 'local',
    memoryLimitInMB: String(memoryMiB),
    getRemainingTimeInMillis: () => Math.max(0, Math.round(Number(end - process.hrtime.bigint()) / 1e6)),
  };
  try {
    if (initialisation) throw initialisation;
    send({ requestId, result: await handler(event, context) });
  } catch (error) {
    send({ requestId, error: describe(error) });
  }
});
