import { Tokenization } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { DETECTOR_ENV } from '../contract/detector-config';
import { REPLACEMENTS, REPLACEMENTS_PER_HOUR } from '../contract/detector-limits';
import type { StolenRunnerDetectorProps } from '../stolen-runner-detector-props';
import { githubHost } from './github-url';
import { jsonVariable } from './handler-environment';
import { checkInteger } from './validate';

/**
 * The detector's props, checked and with their defaults, as the judge is told them; less what is made here.
 *
 * @throws naming the property, what is allowed and what it got
 */
export function detectorSettings(scope: Construct, props: StolenRunnerDetectorProps): Record<string, string> {
  const maxReplacements = props.maxReplacements ?? REPLACEMENTS.default;
  checkInteger('maxReplacements', maxReplacements, REPLACEMENTS);
  const maxReplacementsPerHour = props.maxReplacementsPerHour ?? REPLACEMENTS_PER_HOUR.default;
  checkInteger('maxReplacementsPerHour', maxReplacementsPerHour, REPLACEMENTS_PER_HOUR);
  const host = githubHost(props.githubUrl, props.credentials._config);

  return {
    ...(host === undefined ? {} : { [DETECTOR_ENV.githubUrl]: host }),
    ...props.credentials._variables(),
    [DETECTOR_ENV.credentials]: jsonVariable(scope, props.credentials._config),
    [DETECTOR_ENV.maxReplacements]: Tokenization.stringifyNumber(maxReplacements),
    [DETECTOR_ENV.maxReplacementsPerHour]: Tokenization.stringifyNumber(maxReplacementsPerHour),
    [DETECTOR_ENV.observeOnly]: String(props.observeOnly ?? false),
  };
}
