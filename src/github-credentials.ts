import { ArnFormat } from 'aws-cdk-lib';
import type * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import type * as ssm from 'aws-cdk-lib/aws-ssm';
import type { CredentialsConfig } from './contract/janitor-config';
import type { ReadableSource } from './private/readable-source';
import { grantReadSource, secretSource } from './private/readable-source';
import { checkList, checkText } from './private/validate';

/** Where the App keys that an SSM manifest names are stored. */
export interface SsmManifestOptions {
  /**
   * The path below which all parameters named by the manifest lie, without a slash at its end: `/github-runners/app`. The functions
   * may read every parameter below it.
   */
  readonly parameterPath: string;

  /**
   * The customer managed key that the parameters are encrypted with.
   *
   * @default - the AWS managed key of SSM, which needs no permission of its own
   */
  readonly encryptionKey?: kms.IKey;
}

/**
 * How the functions log in at GitHub. Values are read when a function runs, at most five minutes old, and never stand in the template.
 * Secrets and parameters have to be in the region of the functions; one that is known to be in another is an error.
 *
 * The Apps need the organization permission *self-hosted runners: read and write*, or for repositories *administration: read and write*.
 */
export class GitHubCredentials {
  /**
   * One GitHub App.
   *
   * @param secret JSON `{ "appId": 1234, "privateKey": "-----BEGIN ...", "installationId": 5678 }`. Without `installationId` it is looked up.
   */
  public static app(secret: secretsmanager.ISecret): GitHubCredentials {
    return GitHubCredentials.apps(secret);
  }

  /**
   * Several GitHub Apps. Each request goes to the App with the most quota left; one that is broken or exhausted is replaced by the others.
   *
   * @param secrets one for each App, in the form that `app()` takes. Throws when there are none, or one is given twice.
   */
  public static apps(...secrets: secretsmanager.ISecret[]): GitHubCredentials {
    checkList('secrets', secrets, { key: (secret) => secret.secretArn });
    const sources = secrets.length === 1
      ? [secretSource('GITHUB_APP', secrets[0]!)]
      : secrets.map((secret, index) => secretSource(`GITHUB_APP_${index + 1}`, secret, `secrets[${index}]`));
    return new GitHubCredentials({ kind: 'apps', secrets: sources.map(({ variable }) => variable) }, sources);
  }

  /**
   * A personal access token, classic or fine-grained. An enterprise takes nothing else, and it has to be a classic one there.
   *
   * @param secret the token itself, or JSON `{ "token": "..." }`
   */
  public static token(secret: secretsmanager.ISecret): GitHubCredentials {
    const source = secretSource('GITHUB_TOKEN', secret);
    return new GitHubCredentials({ kind: 'token', secret: source.variable }, [source]);
  }

  /**
   * The two secrets of cdk-github-runners: `runners.secrets.github` and `runners.secrets.githubPrivateKey`. They also name GitHub's host.
   *
   * @param githubSecret JSON `{ "domain", "appId", "personalAuthToken" }`
   * @param privateKeySecret the App's private key in PEM form
   */
  public static cdkGithubRunners(githubSecret: secretsmanager.ISecret, privateKeySecret: secretsmanager.ISecret): GitHubCredentials {
    const github = secretSource('GITHUB_SECRET', githubSecret, 'githubSecret');
    const privateKey = secretSource('GITHUB_PRIVATE_KEY', privateKeySecret, 'privateKeySecret');
    return new GitHubCredentials({ kind: 'cdkGithubRunners', secret: github.variable, privateKey: privateKey.variable }, [github, privateKey]);
  }

  /**
   * The manifest of terraform-aws-github-runner: a parameter that names the parameters of several Apps.
   *
   * @param manifest JSON array of `{ "idParamName", "keyParamName", "installationIdParamName" }`, the last of which may be null
   * @param options where those parameters are
   */
  public static ssmManifest(manifest: ssm.IParameter, options: SsmManifestOptions): GitHubCredentials {
    checkText('parameterPath', options.parameterPath, { pattern: /^(\/[\w.-]+)+$/, allowed: 'a parameter path like /github-runners/app' });
    const source: ReadableSource = {
      property: 'manifest',
      resource: manifest,
      variable: 'GITHUB_APPS_MANIFEST',
      value: manifest.parameterName,
      service: 'ssm',
      action: 'ssm:GetParameter',
      resources: (stack) => [
        manifest.parameterArn,
        stack.formatArn({ service: 'ssm', resource: `parameter${options.parameterPath}/*`, arnFormat: ArnFormat.NO_RESOURCE_NAME }),
      ],
      key: options.encryptionKey,
    };
    return new GitHubCredentials({ kind: 'ssmManifest', parameter: source.variable }, [source]);
  }

  private constructor(
    /** @internal */
    public readonly _config: CredentialsConfig,
    private readonly sources: readonly ReadableSource[],
  ) {}

  /**
   * The variables that `_config` names.
   *
   * @internal
   */
  public _variables(): Record<string, string> {
    return Object.fromEntries(this.sources.map(({ variable, value }) => [variable, value]));
  }

  /**
   * Lets a function of ours read them.
   *
   * @internal
   */
  public _grantRead(role: iam.IRole): void {
    this.sources.forEach((source) => grantReadSource(source, role));
  }
}
