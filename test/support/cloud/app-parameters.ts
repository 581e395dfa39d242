import type { LocalCloud } from './local-cloud';
import type { FakeGitHub } from '../fake-github/fake-github';

/** Where terraform-aws-github-runner keeps its Apps, in parameters that CloudFormation cannot make: encrypted ones. */
export const APP_PARAMETERS = { manifest: '/github-runners/manifest', path: '/github-runners/app' } as const;

export interface AppParametersOptions {
  readonly organization: string;
  readonly appIds: readonly number[];
  /** of the customer managed key that they are encrypted with */
  readonly keyArn?: string;
}

/** Installs Apps in the organization and puts them into Parameter Store; only every other one knows its installation. @returns every parameter */
export function putAppParameters(github: FakeGitHub, { ssm }: LocalCloud, { organization, appIds, keyArn }: AppParametersOptions): readonly string[] {
  const names: string[] = [];
  const put = (name: string, value: string) => {
    ssm.put(name, value, keyArn);
    names.push(name);
    return name;
  };
  const entries = appIds.map((appId, index) => {
    const { privateKey } = github.addApp({ appId });
    const installationId = github.install(appId, { owner: organization });
    const name = (part: string) => `${APP_PARAMETERS.path}/${appId}/${part}`;
    return {
      idParamName: put(name('id'), String(appId)),
      keyParamName: put(name('key'), Buffer.from(privateKey).toString('base64')),
      installationIdParamName: index % 2 === 0 ? put(name('installation'), String(installationId)) : null,
    };
  });
  put(APP_PARAMETERS.manifest, JSON.stringify(entries));
  return names;
}
