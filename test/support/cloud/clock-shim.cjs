/**
 * Loaded with `node --require` before the program: moves the program's `Date` by an offset that the parent process may change at any
 * time, shortens its short waits, and ends longer ones and time limits when the offset is moved past their end. Program and template
 * know nothing of it.
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

/** Longer timers are the time-outs of requests and connections: those guard real work and are not shortened. */
const LONGEST_WAIT_MILLISECONDS = 5000;
const shortened = (delay) => (delay > 0 && delay <= LONGEST_WAIT_MILLISECONDS ? delay / compression : delay);

const realSetTimeout = globalThis.setTimeout;
function setTimeoutShortened(callback, delay, ...rest) {
  return realSetTimeout(callback, isNodesOwn(setTimeoutShortened) ? delay : shortened(delay), ...rest);
}
globalThis.setTimeout = Object.assign(setTimeoutShortened, realSetTimeout);

/** The timers of Node's own fetch guard its connections: shortened, they would cut off whatever is a moment late. */
function isNodesOwn(callee) {
  const place = {};
  Error.captureStackTrace(place, callee);
  return place.stack.split('\n', 2)[1]?.includes('node:internal/deps/');
}

const promises = require('node:timers/promises');
const realSleep = promises.setTimeout;
promises.setTimeout = (delay, value, options) => (delay > LONGEST_WAIT_MILLISECONDS && !options ? longSleep(delay, value) : realSleep(shortened(delay), value, options));

/** What ends when the clock is moved, and not only when real time has passed. */
const pending = new Set();
function endingAt(at, delay, end) {
  const entry = { at, end: () => { pending.delete(entry); clearTimeout(timer); end(); } };
  const timer = realSetTimeout(entry.end, delay);
  pending.add(entry);
  return timer;
}

/** Told to the parent, who alone can move the clock: everybody else's has to move with it. */
function longSleep(delay, value) {
  // one time for both: a sleeper whose own end is a millisecond later would sleep through the move
  const until = now() + delay;
  process.send({ asleepUntil: until });
  return new Promise((resolve) => endingAt(until, delay, () => resolve(value)));
}

AbortSignal.timeout = (delay) => {
  const controller = new AbortController();
  endingAt(now() + delay, delay, () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))).unref();
  return controller.signal;
};

process.on('message', (message) => {
  if (message?.clockOffset === undefined) return;
  offset = message.clockOffset;
  for (const entry of [...pending]) if (entry.at <= now()) entry.end();
  process.send({ clockMoved: offset });
});
// without this the listener alone would keep an orphan alive
process.on('disconnect', () => process.exit());
