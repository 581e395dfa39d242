import { janitorConfig } from '../../../lambda-src/shared/config';
import { ConfigurationError } from '../../../lambda-src/shared/errors';

const GOOD = {
  GITHUB_SCOPE: '{"kind":"organization","owner":"acme"}',
  GITHUB_CREDENTIALS: '{"kind":"apps","secrets":["GITHUB_APP"]}',
  COMPUTE_PROVIDER: '{"kind":"ec2","runnerNamePrefixes":["p_"],"regions":["eu-west-1"]}',
  EVIDENCE: 'absent',
  DRY_RUN: 'true',
  CANDIDATES_PER_RUN: '100',
  QUOTA_RESERVE: '0.2',
  SCHEDULE: 'rate(30 minutes)',
  CONFIRMATION_QUEUE_URL: 'https://sqs/queue.fifo',
};

test('a good environment is read whole', () => {
  expect(janitorConfig(GOOD)).toMatchObject({ scope: { owner: 'acme' }, dryRun: true, candidatesPerRun: 100, interval: 1_800_000, protectedLabels: [] });
});

test.each([['false', false], ['true', true], ['False', true], ['false ', true], ['0', true], ['no', true]])('DRY_RUN %j: dry run is %s, because only the exact word arms', (text, dryRun) => {
  expect(janitorConfig({ ...GOOD, DRY_RUN: text }).dryRun).toBe(dryRun);
});

test.each(Object.keys(GOOD))('without %s the error names it', (name) => {
  expect(() => janitorConfig({ ...GOOD, [name]: undefined })).toThrow(new ConfigurationError(`environment variable ${name} is missing`));
});

// what the synth side has checked can be a token there, and something else once it is deployed
test.each([
  ['GITHUB_SCOPE', '{"kind":'], ['GITHUB_SCOPE', 'null'], ['GITHUB_SCOPE', '[]'], ['GITHUB_SCOPE', '{}'], ['GITHUB_SCOPE', '{"kind":"constructor","owner":"acme"}'],
  ['GITHUB_SCOPE', '{"kind":"organization","owner":" "}'], ['GITHUB_SCOPE', '{"kind":"repositories","owner":"acme","repositories":[]}'],
  ['GITHUB_CREDENTIALS', '{"kind":"apps","secrets":[""]}'], ['GITHUB_CREDENTIALS', '{"kind":"cdkGithubRunners","secret":"A"}'], ['GITHUB_CREDENTIALS', '7'],
  ['COMPUTE_PROVIDER', 'null'], ['COMPUTE_PROVIDER', '{'],
  ['EVIDENCE', 'Absent'], ['CANDIDATES_PER_RUN', '0'], ['CANDIDATES_PER_RUN', '-5'], ['CANDIDATES_PER_RUN', ' '], ['CANDIDATES_PER_RUN', '1.5'], ['CANDIDATES_PER_RUN', '1e9'],
  ['QUOTA_RESERVE', '1'], ['QUOTA_RESERVE', '-0.1'], ['QUOTA_RESERVE', 'NaN'],
  ['SCHEDULE', 'rate(0 minutes)'], ['SCHEDULE', 'rate(30 seconds)'], ['SCHEDULE', 'cron(0 * * * ? *)'],
  ['PROTECTED_LABELS', '["a",1]'], ['ACKNOWLEDGED_FOREIGN_RUNNERS', '"p_x"'], ['NOMINATION_TAGS', '{'],
])('%s %s is an error that names the variable', (name, text) => {
  expect(() => janitorConfig({ ...GOOD, [name]: text })).toThrow(ConfigurationError);
  expect(() => janitorConfig({ ...GOOD, [name]: text })).toThrow(new RegExp(`environment variable ${name} `));
});
