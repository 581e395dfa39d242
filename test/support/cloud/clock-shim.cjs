/**
 * Loaded with `node --require` before the program: moves the program's `Date` by an offset that the parent process may change at any
 * time, and shortens its short waits. Program and template know nothing of it.
 *
 * The last argument of the process is JSON: `{ "offset": <milliseconds>, "compression": <factor> }`.
 */
const { offset: initialOffset, compression } = JSON.parse(process.argv.at(-1));
const RealDate = Date;
let offset = initialOffset;
const now = () => RealDate.now() + offset;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, parameters, newTarget) => Reflect.construct(target, parameters.length === 0 ? [now()] : parameters, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : target[name]),
});

/** Longer timers are the time-outs of requests and connections: those guard real work and stay as they are. */
const LONGEST_WAIT_MILLISECONDS = 5000;
const shortened = (delay) => (delay > 0 && delay <= LONGEST_WAIT_MILLISECONDS ? delay / compression : delay);

const realSetTimeout = globalThis.setTimeout;
globalThis.setTimeout = Object.assign((callback, delay, ...rest) => realSetTimeout(callback, shortened(delay), ...rest), realSetTimeout);
const promises = require('node:timers/promises');
const realSleep = promises.setTimeout;
promises.setTimeout = (delay, ...rest) => realSleep(shortened(delay), ...rest);

process.on('message', (message) => {
  if (message?.clockOffset === undefined) return;
  offset = message.clockOffset;
  process.send({ clockMoved: offset });
});
// without this the listener alone would keep an orphan alive
process.on('disconnect', () => process.exit());
