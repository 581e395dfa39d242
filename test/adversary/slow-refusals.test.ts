import { secondLook } from './second-look';
import { group, Harness } from '../lambda-src/github/harness';
import type { Sent, World } from '../support/janitor/world';
import { MINUTE, runnerName } from '../support/janitor/world';

let harness: Harness;
beforeEach(async () => { harness = await Harness.start(); });
afterEach(() => harness.github.stop());

async function confirm(github: ReturnType<Harness['connect']>, make: (world: World) => readonly Sent[]) {
  return secondLook(harness.time, await github.session(harness.deadline(120), { sticky: true }), make);
}

/** answers to DELETEs take so long */
function slowDeletes(milliseconds: number, when: () => boolean = () => true): void {
  const { fetch } = harness;
  harness.fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (init?.method === 'DELETE' && response.status === 403 && when()) harness.time += milliseconds;
    return response;
  };
}

test.each([[0, true], [1500, true], [0, false], [1500, false]])('two Apps that may only read, and take %i ms to say so, do not keep the third from deleting (each receive in a cold process: %s)', async (milliseconds, cold) => {
  harness.addApp(1);
  harness.addApp(2);
  const three = harness.addApp(3);
  for (const app of [1, 2]) harness.github.fault({ app, method: 'DELETE' }, 'permission403');
  slowDeletes(milliseconds);
  const runner = harness.github.addRunner('acme', 1, { name: runnerName(1) });
  let github = harness.connect();
  const outcomes: unknown[] = [];
  // a warm process knows what each of them has left
  harness.github.setRemaining(three, 3000);
  const outage = [1, 2].map((app) => harness.github.fault({ app, path: /runner-groups/ }, { retryAfter: 1 }));
  if (!cold) await (await github.session(harness.deadline(120), { sticky: true })).readPage(group(1), 1);
  outage.forEach((one) => one.clear());
  harness.time += 20_000;
  for (let receive = 1; receive <= 5; receive++) {
    // the fleet that it registers runners for takes its share
    harness.github.setRemaining(three, 3000);
    if (cold) github = harness.connect();
    outcomes.push((await confirm(github, (world) => [world.message(runner)])).outcomes);
    harness.time += 12 * MINUTE;
  }
  expect([outcomes.some((one) => (one as { deleted?: number }).deleted === 1), harness.github.deletions]).toEqual([true, [runner.id]]);
});

test.each([0, 9000])('an App that may only read, and takes %i ms to say so, does not make the lag of another one a refusal', async (milliseconds) => {
  harness.addApp(1);
  harness.addApp(2);
  harness.github.fault({ app: 1, method: 'DELETE' }, 'permission403');
  const { fetch } = harness;
  let lagged = false;
  const appTwo = (token: string) => [...minted.keys()].indexOf(token) === 1;
  const minted = new Map<string, number>();
  harness.fetch = async (input, init) => {
    if (/access_tokens$/.test(String(input))) {
      const response = await fetch(input, init);
      const { token } = await response.clone().json() as { token: string };
      minted.set(token, harness.time);
      return response;
    }
    const token = (new Headers(init?.headers).get('authorization') ?? '').split(' ')[1] ?? '';
    lagged = appTwo(token) && harness.time - minted.get(token)! < 1000;
    // replication lag: known everywhere only a second after it was minted
    if (lagged && appTwo(token) && init?.method === 'DELETE') {
      return new Response(JSON.stringify({ message: 'Resource not accessible by integration' }), { status: 403, headers: { 'content-type': 'application/json' } });
    }
    return fetch(input, init);
  };
  // App 1 alone is slow
  slowDeletes(milliseconds, () => !lagged);
  const runner = harness.github.addRunner('acme', 1, { name: runnerName(1) });
  const { outcomes } = await confirm(harness.connect(), (world) => [world.message(runner)]);
  expect(outcomes.refused).toBeUndefined();
});

describe('a refusal that takes its time makes the read before it old', () => {
  test.each([
    ['a limit', 429, { 'retry-after': '60' }, 9000],
    ['a 403', 403, {}, 9000],
    ['a 403, while the clock is set back by ten,', 403, {}, 9000 - 10_000],
  ] as const)('%s that took nine seconds does not hand the DELETE over without another read', async (_, status, headers, elapsed) => {
    harness.addApp(1);
    harness.addApp(2);
    const github = harness.connect();
    // both have a token at hand, as in every warm process that has failed over before
    const outage = harness.github.fault({ app: 1 }, { retryAfter: 1 });
    const warm = await github.session(harness.deadline(120), { sticky: true });
    await warm.readPage(group(1), 1);
    outage.clear();
    harness.time += 20_000;
    const runner = harness.github.addRunner('acme', 1, { name: runnerName(1) });
    const { fetch } = harness;
    let refusals = 0;
    harness.fetch = async (input, init) => {
      if (init?.method !== 'DELETE' || refusals++ > 0) return fetch(input, init);
      harness.time += elapsed;
      harness.github.updateRunner('acme', runner.id, { status: 'online' });
      return new Response(JSON.stringify({ message: status === 429 ? 'slow down' : 'Resource not accessible by integration' }), {
        status, headers: { 'content-type': 'application/json', ...headers },
      });
    };
    const { outcomes } = await confirm(github, (world) => [world.message(runner)]);
    expect([harness.github.deletions, refusals]).toEqual([[], 1]);
    expect(outcomes.deleted).toBeUndefined();
  });
});
