import * as fc from 'fast-check';
import type { Place } from '../../../lambda-src/janitor/group-verdict';
import { isGroupGone, judgePlaces, unlessGroupGone } from '../../../lambda-src/janitor/group-verdict';
import type { Verdict } from '../../../lambda-src/janitor/verdict';

describe('the place of a nominated registration', () => {
  const places = (...members: Place['member'][]) => members.map((member, index) => ({ group: { key: String(index), name: `group ${index}` }, member }));

  test.each<[string, Place['member'][], object]>([
    ['is the group that holds it', [false, true], { key: '1' }],
    ['is the group that holds it, also behind one that could not be read', ['unknown', false, true], { key: '2' }],
    ['is the group that holds it, also before one that could not be read', [true, 'unknown'], { key: '0' }],
    ['is open when the group that may hold it could not be read', [false, 'unknown', false], { action: 'return', outcome: 'unknown', reason: expect.stringContaining('group 1') }],
    ['is out of scope when every group was read and none holds it', [false, false], { action: 'acknowledge', outcome: 'outOfScope' }],
    ['is out of scope when there is no group', [], { action: 'acknowledge', outcome: 'outOfScope' }],
  ])('%s', (_, members, expected) => {
    expect(judgePlaces(places(...members))).toMatchObject(expected);
  });

  test('is never found by knowing less of a group', () => {
    const members = fc.array(fc.constantFrom<Place['member']>(true, false, 'unknown'), { minLength: 1 });
    fc.assert(fc.property(members, fc.nat(), (known, which) => {
      const doubted = known.map((member, index) => (index === which % known.length ? 'unknown' : member));
      return 'key' in judgePlaces(places(...known)) || 'action' in judgePlaces(places(...doubted));
    }));
  });
});

test.each<[string, boolean, readonly string[] | undefined, boolean]>([
  ['is gone when it answers 404 and GitHub lists others', true, ['2'], true],
  ['is gone when it answers 404 and GitHub lists none', true, [], true],
  ['is there when GitHub lists it, whatever it answers', true, ['2', '1'], false],
  ['is not gone for a 404 alone, when the groups cannot be listed', true, undefined, false],
  ['is not gone for not being listed alone: it may have been renamed', false, ['2'], false],
])('a group %s', (_, answered404, listed, expected) => {
  expect(isGroupGone('1', answered404, listed)).toBe(expected);
});

describe('that a group is gone', () => {
  const verdicts: readonly Verdict[] = [
    { action: 'delete', reason: 'r' },
    { action: 'acknowledge', outcome: 'machinePresent', reason: 'r' },
    { action: 'postpone', outcome: 'tooEarly', seconds: 5, reason: 'r' },
  ];

  test('ends a doubt, with both reasons', () => {
    const reason = expect.stringMatching(/group was removed.*no proof/);
    expect(unlessGroupGone({ action: 'return', outcome: 'unknown', reason: 'no proof' }, true)).toEqual({ action: 'acknowledge', outcome: 'moved', reason });
  });

  test.each(verdicts)('changes nothing in what was decided: $action', (verdict) => {
    expect(unlessGroupGone(verdict, true)).toBe(verdict);
  });

  test.each([...verdicts, { action: 'return', outcome: 'unknown', reason: 'r' } as const])('is needed for it: $action', (verdict) => {
    expect(unlessGroupGone(verdict, false)).toBe(verdict);
  });
});
