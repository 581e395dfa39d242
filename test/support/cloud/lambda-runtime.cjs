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

/** As Lambda does; whoever has read it has read all lines of the invocation before. */
const endLog = (requestId) => { for (const stream of [process.stdout, process.stderr]) stream.write(`END RequestId: ${requestId}\n`); };

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
    const result = await handler(event, context);
    endLog(requestId);
    send({ requestId, result });
  } catch (error) {
    endLog(requestId);
    send({ requestId, error: describe(error) });
  }
});
