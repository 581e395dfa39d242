import type { Context } from 'aws-lambda';
import type { Telemetry } from '../../../lambda-src/aws/telemetry';
import { telemetry } from '../../../lambda-src/aws/telemetry';
import { DISCOVERY_METRICS, METRIC_NAMESPACE, OUTCOME_METRICS } from '../../../src/contract/janitor-metrics';

let written: string;
let janitor: Telemetry;

beforeEach(() => {
  written = '';
  const write = (text: string | Uint8Array) => {
    written += String(text);
    return true;
  };
  jest.spyOn(process.stdout, 'write').mockImplementation(write);
  jest.spyOn(process.stderr, 'write').mockImplementation(write);
  process.env.POWERTOOLS_SERVICE_NAME = 'Fleet/Janitor';
  process.env.POWERTOOLS_METRICS_NAMESPACE = METRIC_NAMESPACE;
  janitor = telemetry();
});

afterEach(() => {
  jest.restoreAllMocks();
});

const lines = () => written.split('\n').filter(Boolean).map((line) => JSON.parse(line) as Record<string, unknown>);

describe('log', () => {
  test.each(['info', 'warn', 'error'] as const)('%s writes one line of JSON with its fields', (level) => {
    janitor.log[level]('registration kept', { reason: 'machinePresent', runner: { id: 7 } });

    expect(lines()).toEqual([expect.objectContaining({
      level: level.toUpperCase(), message: 'registration kept', service: 'Fleet/Janitor', reason: 'machinePresent', runner: { id: 7 },
    })]);
  });

  test('a message without fields is written too', () => {
    janitor.log.info('nothing to do');

    expect(lines()).toEqual([expect.objectContaining({ message: 'nothing to do' })]);
  });

  test('no secret reaches a line, neither in the message nor in a field', () => {
    janitor.log.error('GitHub said: bad credentials ghs_16C7e42F292c6912E7710c838347Ae178B4a', {
      request: { headers: { authorization: 'plain-old-secret' } },
      error: new Error('token ghp_16C7e42F292c6912E7710c838347Ae178B4a was refused'),
    });

    expect(written).toContain('bad credentials [removed]');
    expect(written).not.toMatch(/gh[sp]_|plain-old-secret/);
  });

  test('lines carry the ids of the invocation that has begun', () => {
    janitor.begin({ awsRequestId: 'c6af9ac6', functionName: 'discovery', memoryLimitInMB: '512' } as Context);
    janitor.log.info('page read');

    expect(lines()).toEqual([expect.objectContaining({ function_request_id: 'c6af9ac6' })]);
  });
});

describe('metrics', () => {
  test('counts that are not zero are emitted in one record, with the construct as the only dimension', () => {
    janitor.count({ [OUTCOME_METRICS.deleted]: 3, [OUTCOME_METRICS.unknown]: 0, [DISCOVERY_METRICS.candidates]: 12 });

    const [record, ...others] = lines() as [{ _aws: { CloudWatchMetrics: unknown } }, ...unknown[]];
    expect(others).toEqual([]);
    expect(record).toMatchObject({ service: 'Fleet/Janitor', Deleted: 3, Candidates: 12 });
    expect(record).not.toHaveProperty('Unknown');
    expect(record._aws.CloudWatchMetrics).toEqual([{
      Namespace: 'GithubRunnerJanitor',
      Dimensions: [['service']],
      Metrics: [{ Name: 'Deleted', Unit: 'Count' }, { Name: 'Candidates', Unit: 'Count' }],
    }]);
  });

  test('nothing to count writes nothing', () => {
    janitor.count({});
    janitor.count({ [OUTCOME_METRICS.deleted]: 0 });

    expect(written).toBe('');
  });

  test('a record does not repeat what an earlier one said', () => {
    janitor.count({ [OUTCOME_METRICS.deleted]: 3 });
    janitor.count({ [OUTCOME_METRICS.refused]: 1 });

    expect(lines()[1]).not.toHaveProperty('Deleted');
  });
});
