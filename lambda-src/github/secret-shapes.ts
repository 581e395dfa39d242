import { MalformedInputError } from '../shared/errors';

export interface AppSecret {
  readonly appId: string;
  readonly privateKey: string;
  readonly installationId: number | undefined;
}

export type CdkGithubRunnersSecret = { readonly domain: string } & (
  | { readonly personalAuthToken: string; readonly appId?: undefined }
  | { readonly personalAuthToken?: undefined; readonly appId: string }
);

export interface SsmManifestEntry {
  readonly idParamName: string;
  readonly keyParamName: string;
  readonly installationIdParamName: string | undefined;
}

/** `{ appId, privateKey, installationId? }`; numbers may be written as strings. Errors name properties, never values. */
export function parseAppSecret(text: string): AppSecret {
  return parseApp(jsonObject(text, '{ appId, privateKey, installationId? }'));
}

/** The same from values that are kept one by one. */
export function parseApp(fields: { readonly [name in keyof AppSecret]?: unknown }): AppSecret {
  const installationId = fields.installationId ?? undefined;
  return {
    appId: appId(fields.appId),
    privateKey: nonBlank('privateKey', fields.privateKey),
    installationId: installationId === undefined || installationId === '' ? undefined : Number(positiveInteger('installationId', installationId)),
  };
}

/** The token itself, or `{ token }`. */
export function parseTokenSecret(text: string): string {
  const trimmed = text.trim();
  const token = trimmed.startsWith('{') ? nonBlank('token', jsonObject(trimmed, '{ token }').token).trim() : trimmed;
  if (token === '') throw new MalformedInputError('the secret must hold a token, it is empty');
  // a blank or line end inside would break the header, or smuggle in another
  if (!/^[\x21-\x7e]+$/.test(token)) throw new MalformedInputError('the token must consist of printable ASCII characters without blanks');
  return token;
}

/** What cdk-github-runners keeps: https://github.com/CloudSnorkel/cdk-github-runners/blob/v0.14.13/SETUP_GITHUB.md */
export function parseCdkGithubRunnersSecret(text: string): CdkGithubRunnersSecret {
  const secret = jsonObject(text, '{ domain, appId, personalAuthToken }');
  const domain = secret.domain === undefined ? 'github.com' : nonBlank('domain', secret.domain);
  if (!isUnset(secret.personalAuthToken)) return { domain, personalAuthToken: parseTokenSecret(nonBlank('personalAuthToken', secret.personalAuthToken)) };
  if (isUnset(secret.appId)) {
    throw new MalformedInputError('the secret is not set up yet: both appId and personalAuthToken are empty; follow the setup of cdk-github-runners first');
  }
  return { domain, appId: appId(secret.appId) };
}

/** What terraform-aws-github-runner keeps: a JSON array with the names of the parameters of each App. */
export function parseSsmManifest(text: string): readonly SsmManifestEntry[] {
  const form = 'a JSON array of { idParamName, keyParamName, installationIdParamName }';
  const manifest = json(text, form);
  if (!Array.isArray(manifest) || manifest.length === 0) throw new MalformedInputError(`the manifest must be ${form}, with at least one entry`);
  return manifest.map((item: unknown, index) => {
    if (!isObject(item)) throw new MalformedInputError(`entry ${index} of the manifest must be an object`);
    const installationId = item.installationIdParamName ?? undefined;
    return {
      idParamName: nonBlank(`[${index}].idParamName`, item.idParamName),
      keyParamName: nonBlank(`[${index}].keyParamName`, item.keyParamName),
      installationIdParamName: installationId === undefined ? undefined : nonBlank(`[${index}].installationIdParamName`, installationId),
    };
  });
}

/** The number that GitHub shows, or a client id, which it accepts as well. */
function appId(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : '';
  if (!/^([1-9]\d{0,15}|Iv[\w.]{1,40})$/.test(text)) throw new MalformedInputError('appId must be a positive integer or a client id');
  return text;
}

function positiveInteger(name: string, value: unknown): string {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : '';
  if (!/^[1-9]\d{0,15}$/.test(text) || !Number.isSafeInteger(Number(text))) throw new MalformedInputError(`${name} must be a positive integer`);
  return text;
}

function nonBlank(name: string, value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '') throw new MalformedInputError(`${name} must be a string that is not blank`);
  return value;
}

/** Their template creates the secret with empty strings. */
function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function jsonObject(text: string, form: string): Record<string, unknown> {
  const value = json(text, form);
  if (!isObject(value)) throw new MalformedInputError(`the secret must be a JSON object ${form}`);
  return value;
}

function json(text: string, form: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // no cause: JSON.parse quotes what it was given
    throw new MalformedInputError(`the content must be JSON: ${form}`);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
