import { CallRecorder } from './call-recorder';
import type { Statement } from './policies';

const allow = (resources: readonly string[], conditions: Statement['conditions'] = {}): Statement => ({ effect: 'Allow', actions: ['kms:Decrypt'], resources, conditions });
const through = (service: string) => ({ StringEquals: { 'kms:ViaService': service } });

/** What is left unused by one use of key/1 through `sqs`. */
function unused(...statements: Statement[]): readonly string[] {
  const recorder = new CallRecorder();
  recorder.calls.push({
    principal: 'judge', action: 'kms:Decrypt', resources: ['key/1'], region: 'eu-west-1', context: { 'kms:ViaService': 'sqs' }, allowed: true,
  });
  return recorder.unused([{ name: 'judge', account: '1', statements }]);
}

test.each([
  ['nothing when the only statement was needed', [allow(['key/1'], through('sqs'))], []],
  ['a resource that was not needed', [allow(['key/1', 'key/2'])], ['judge: kms:Decrypt on key/2']],
  ['a statement whose condition never held', [allow(['key/1']), allow(['key/1'], through('ssm'))], ['judge: kms:Decrypt on key/1']],
  ['an action that nobody needed', [{ ...allow(['key/1']), actions: ['kms:Decrypt', 'kms:GenerateDataKey'] }], ['judge: kms:GenerateDataKey']],
  ['no exception', [{ ...allow(['*']), actions: ['logs:PutLogEvents'] }], []],
  ['no denial', [allow(['key/1']), { ...allow(['key/2']), effect: 'Deny' }], []],
] satisfies [string, Statement[], string[]][])('names %s', (_, statements, expected) => {
  expect(unused(...statements)).toEqual(expected);
});
