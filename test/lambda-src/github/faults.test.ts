import { group, Harness, remove } from './harness';
import type { GitHubSession } from '../../../lambda-src/github/runners';
import { JanitorError } from '../../../lambda-src/shared/errors';
import type { FaultEffect } from '../../support/fake-github/faults';

type Effect = FaultEffect<Harness['github']>;

const FAULTS: Readonly<Record<string, Effect>> = {
  '401': { status: 401 },
  '403': { status: 403 },
  '403 with quota headers': 'permission403',
  '403 with nothing remaining': 'limit403',
  '403 of a secondary limit': 'secondary403',
  '404': { status: 404 },
  '409': { status: 409 },
  '422': { status: 422 },
  '429': { retryAfter: 3600, status: 429 },
  '500': { status: 500 },
  '502': { status: 502 },
  'no answer': 'hang',
  'a broken connection': 'reset',
  'a cut body': 'cutBody',
  'an empty body': 'emptyBody',
  'HTML': 'html',
  'the wrong shape': 'wrongShape',
};

const GROUP = 1;

async function removeAfterPage(session: GitHubSession, id: number): Promise<unknown> {
  await session.readPage(group(GROUP), 1);
  return remove(session, group(GROUP), id);
}

const CALLS: Readonly<Record<string, { path: RegExp; method?: string; call: (session: GitHubSession, id: number) => Promise<unknown> }>> = {
  'the look-up of the installation': { path: /\/installation$/, call: (session) => session.listGroups() },
  'the token exchange': { path: /access_tokens$/, call: (session) => session.listGroups() },
  'the list of groups': { path: /runner-groups$/, call: (session) => session.listGroups() },
  'a page': { path: /runner-groups\/1\/runners$/, call: (session) => session.readPage(group(GROUP), 1) },
  'one registration': { path: /actions\/runners\/\d+$/, method: 'GET', call: (session, id) => session.find(group(GROUP), id) },
  'a look-up by name': { path: /actions\/runners$/, call: (session) => session.findByName('p_i-1') },
  'DELETE': { path: /actions\/runners\/\d+$/, method: 'DELETE', call: removeAfterPage },
};

/** The only answers that are no error; a DELETE whose answer is damaged may have taken effect, and says so only later. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  'one registration, 404': 'unproven',
  'DELETE, 403': 'refused',
  'DELETE, 403 with quota headers': 'refused',
  'DELETE, 404': 'alreadyGone',
  'DELETE, 422': 'becameBusy',
};

let harness: Harness;
beforeEach(async () => {
  harness = await Harness.start();
});
afterEach(() => harness.github.stop());

describe.each(Object.entries(CALLS))('%s', (callName, { path, method, call }) => {
  test.each(Object.entries(FAULTS))('case 14: %s is never taken for a statement about a registration, and is over when it ends', async (faultName, effect) => {
    harness.addApp(1);
    const { id } = harness.github.addRunner('acme', GROUP, { name: 'p_i-1' });
    const github = harness.connect();
    const fault = harness.github.fault({ path, ...(method !== undefined && { method }) }, effect);

    // too short a time to wait for a limit to end
    const result = await call(await github.session(harness.impatient(40)), id).catch((error: unknown) => error);
    const expected = ANSWERS[`${callName}, ${faultName}`];
    if (expected === undefined) expect(result).toBeInstanceOf(JanitorError);
    else expect(result).toBe(expected);
    expect(fault.hits).toBeGreaterThan(0);

    fault.clear();
    harness.time += 2 * 3_600_000;
    const session = await github.session(harness.deadline());
    expect(await session.listGroups()).toHaveLength(1);
    await session.readPage(group(GROUP), 1);
    if (harness.github.runner('acme', id)) expect(await session.find(group(GROUP), id)).toMatchObject({ id, busy: false });
    else expect(await session.find(group(GROUP), id)).toBe('gone');
    // only a DELETE that was asked for can have taken effect
    expect(harness.github.deletions.length === 0 || callName === 'DELETE').toBe(true);
  });
});
