import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { declaredEventSources, declaredFunctions, declaredQueues, declaredRules } from './declared';
import { synthesiseFixture } from './fixture/fixture-assembly';
import { statementsOf } from './policies';
import { Template } from './template';

const PLACE = { account: '000000000000', region: 'eu-west-1', endpoint: 'http://127.0.0.1:1' };

describe('intrinsic functions', () => {
  let template: Template;

  beforeAll(() => {
    const directory = mkdtempSync(join(tmpdir(), 'template-'));
    writeFileSync(join(directory, 'S.template.json'), JSON.stringify({ Resources: { Queue: { Type: 'AWS::SQS::Queue', Properties: { FifoQueue: true } } } }));
    writeFileSync(join(directory, 'S.assets.json'), JSON.stringify({ files: {} }));
    template = Template.read(directory, PLACE);
  });

  test.each([
    [{ Ref: 'Queue' }, 'http://127.0.0.1:1/000000000000/S-Queue.fifo'],
    [{ 'Fn::GetAtt': ['Queue', 'Arn'] }, 'arn:aws:sqs:eu-west-1:000000000000:S-Queue.fifo'],
    [{ Ref: 'AWS::Region' }, 'eu-west-1'],
    [{ 'Fn::Join': ['-', ['a', { Ref: 'AWS::Partition' }, 1]] }, 'a-aws-1'],
    [{ 'Fn::Sub': '${AWS::AccountId}/${Queue.QueueName}' }, '000000000000/S-Queue.fifo'],
    [{ 'Fn::Select': [1, { 'Fn::Split': [':', 'a:b:c'] }] }, 'b'],
    [{ a: [{ Ref: 'AWS::URLSuffix' }], b: { Ref: 'AWS::NoValue' } }, { a: ['amazonaws.com'] }],
    [{ Ref: 'x', other: 1 }, { Ref: 'x', other: 1 }],
  ])('%j gives %j', (value, expected) => {
    expect(template.resolve(value)).toEqual(expected);
  });

  test.each([
    [{ Ref: 'Elsewhere' }, "'Elsewhere' is not in the template of 'S'"],
    [{ 'Fn::GetAtt': ['Queue', 'Colour'] }, "does not know attribute 'Colour' of 'Queue', a AWS::SQS::Queue"],
    [{ 'Fn::If': ['A', 'b', 'c'] }, "cannot resolve 'Fn::If'"],
  ])('%j is an error', (value, message) => {
    expect(() => template.resolve(value)).toThrow(message);
  });
});

describe('a synthesised stack', () => {
  let template: Template;

  beforeAll(() => { template = Template.read(synthesiseFixture(), PLACE); });

  test('declares its functions with code, environment and limits', () => {
    const producer = declaredFunctions(template).find(({ logicalId }) => logicalId.startsWith('Producer'))!;
    expect(producer).toMatchObject({ handler: 'index.handler', timeoutSeconds: 3, memoryMiB: 128, environment: { QUEUE_URL: expect.stringMatching(/\.fifo$/) } });
    expect(producer.environment.SECRET_ARN).toMatch(/^arn:aws:secretsmanager:eu-west-1:000000000000:secret:Fixture-Secret\w+-Ab1Cd2$/);
  });

  test('declares the dead-letter queue before the queue that names it', () => {
    const [deadLetters, queue] = declaredQueues(template);
    expect(queue!.attributes).toEqual({
      DelaySeconds: '900',
      FifoQueue: 'true',
      VisibilityTimeout: '720',
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: deadLetters!.arn, maxReceiveCount: 3 }),
    });
  });

  test('declares event source and schedule with what they connect', () => {
    const [producer, consumer] = ['Producer', 'Consumer'].map((id) => declaredFunctions(template).find(({ logicalId }) => logicalId.startsWith(id))!);
    expect(declaredEventSources(template)).toEqual([{
      functionName: consumer!.name, queueArn: declaredQueues(template)[1]!.arn, batchSize: 10, maxConcurrency: 2, reportsBatchItemFailures: true,
    }]);
    expect(declaredRules(template)).toMatchObject([{ schedule: 'rate(30 minutes)', pattern: undefined, targetArns: [producer!.arn] }]);
  });

  test('gives a role the statements of its own and of AWS managed policies', () => {
    const { roleArn } = declaredFunctions(template).find(({ logicalId }) => logicalId.startsWith('Producer'))!;
    const statements = statementsOf(template, roleArn);
    expect(statements.flatMap(({ actions }) => actions)).toEqual(expect.arrayContaining(['ec2:DescribeInstances', 'sqs:SendMessage', 'logs:PutLogEvents']));
    expect(statements.flatMap(({ actions }) => actions)).not.toContain('sqs:ReceiveMessage');
  });
});
