import { matchesEventPattern } from './event-pattern';

const event = { 'source': 'aws.ec2', 'detail-type': 'EC2 Instance State-change Notification', 'detail': { 'instance-id': 'i-1', 'state': 'terminated' } };

test.each([
  [{ source: ['aws.ec2'] }, true],
  [{ source: ['aws.ecs'] }, false],
  [{ source: ['aws.ecs', 'aws.ec2'], detail: { state: ['terminated', 'shutting-down'] } }, true],
  [{ source: ['aws.ec2'], detail: { state: ['running'] } }, false],
  [{ detail: { 'instance-id': [{ prefix: 'i-' }] } }, true],
  [{ detail: { 'instance-id': [{ prefix: 'x-' }] } }, false],
  [{ detail: { reason: [{ exists: false }], state: [{ exists: true }] } }, true],
  [{ account: { id: ['1'] } }, false],
])('%j selects the event: %s', (pattern, expected) => {
  expect(matchesEventPattern(pattern, event)).toBe(expected);
});

test('an operator that is not known is an error', () => {
  expect(() => matchesEventPattern({ source: [{ 'anything-but': 'x' }] }, event)).toThrow("does not know the pattern operator 'anything-but'");
});
