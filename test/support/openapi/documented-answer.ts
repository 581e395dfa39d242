import type { ValidateFunction } from 'ajv';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import description from './github-runner-openapi.json';

type Json = Record<string, unknown>;

const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false });
addFormats(ajv);
ajv.addSchema(toJsonSchema(description) as Json, 'github');

/** What is wrong with an answer, by GitHub's own description; empty: nothing. */
export function faultsOfAnswer(method: string, template: string, status: number, body: unknown): readonly string[] {
  const response = documentedResponse(method, template, status);
  if (response === undefined) return [`${method} ${template} never answers ${status}`];
  if (!response.content) return body === undefined ? [] : [`${method} ${template} answers ${status} without a body`];
  return faults(validatorOf(`${response.pointer}/content/application~1json/schema`), body);
}

/** The same for a part of an answer that has a name in the description: `installation`, `job`. */
export function faultsOfSchema(name: string, value: unknown): readonly string[] {
  return faults(validatorOf(`#/components/schemas/${name}`), value);
}

export function isDocumented(method: string, template: string): boolean {
  return operation(method, template) !== undefined;
}

function operation(method: string, template: string): Json | undefined {
  return (description.paths as Record<string, Record<string, Json>>)[template]?.[method.toLowerCase()];
}

function documentedResponse(method: string, template: string, status: number): { pointer: string; content: boolean } | undefined {
  const response = (operation(method, template)?.responses as Record<string, Json> | undefined)?.[status];
  if (!response) return undefined;
  const shared = typeof response.$ref === 'string' ? response.$ref : undefined;
  const pointer = shared ?? `#/paths/${escaped(template)}/${method.toLowerCase()}/responses/${status}`;
  const content = shared ? true : response.content !== undefined;
  return { pointer, content };
}

function validatorOf(pointer: string): ValidateFunction {
  const key = `github${pointer}`;
  const known = ajv.getSchema(key);
  if (!known) throw new Error(`GitHub's description has nothing at ${pointer}`);
  return known as ValidateFunction;
}

function faults(validate: ValidateFunction, value: unknown): readonly string[] {
  return validate(value) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`);
}

function escaped(template: string): string {
  return template.replaceAll('~', '~0').replaceAll('/', '~1');
}

/**
 * OpenAPI 3.0 says `nullable` where JSON Schema says `type: null`. And an object may have no property that is not described: the fake
 * must not offer what GitHub does not.
 */
function toJsonSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toJsonSchema);
  if (typeof value !== 'object' || value === null) return value;
  const schema = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toJsonSchema(inner)])) as Json;
  if (schema.type === 'object' && typeof schema.properties === 'object' && schema.additionalProperties === undefined) schema.additionalProperties = false;
  if (schema.nullable !== true) return schema;
  const { nullable, ...rest } = schema;
  return { anyOf: [rest, { type: 'null' }] };
}
