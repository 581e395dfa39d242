import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { physicalIds, type PhysicalIds, type Place } from './physical-ids';

export interface Resource {
  readonly logicalId: string;
  readonly type: string;
  /** with every intrinsic function resolved */
  readonly properties: Readonly<Record<string, unknown>>;
}

interface RawResource {
  readonly Type: string;
  readonly Properties?: Record<string, unknown>;
}

interface AssetManifest {
  readonly files: Readonly<Record<string, { readonly source: { readonly path: string } }>>;
}

/** One synthesised stack, read from a cloud assembly as CloudFormation would read it. Everything that runs locally is declared here. */
export class Template {
  /** @param directory a `cdk.out` with exactly one stack */
  static read(directory: string, place: Omit<Place, 'stack'>): Template {
    const files = readdirSync(directory).filter((name) => name.endsWith('.template.json'));
    const file = files[0];
    if (!file || files.length > 1) throw new Error(`'${directory}' must hold exactly one template, got ${files.join(', ') || 'none'}`);
    const stack = file.replace('.template.json', '');
    const read = <T>(name: string) => JSON.parse(readFileSync(join(directory, name), 'utf8')) as T;
    const template = read<{ Resources: Record<string, RawResource> }>(file);
    return new Template(directory, template.Resources, read<AssetManifest>(`${stack}.assets.json`), { ...place, stack });
  }

  private readonly ids = new Map<string, PhysicalIds>();

  private constructor(
    private readonly directory: string,
    private readonly raw: Readonly<Record<string, RawResource>>,
    private readonly assets: AssetManifest,
    readonly place: Place,
  ) {
    for (const [logicalId, { Type, Properties = {} }] of Object.entries(raw)) {
      this.ids.set(logicalId, physicalIds(Type, logicalId, Properties, place));
    }
  }

  get resources(): readonly Resource[] {
    return Object.entries(this.raw).map(([logicalId, { Type, Properties }]) => ({
      logicalId, type: Type, properties: this.resolve(Properties ?? {}) as Record<string, unknown>,
    }));
  }

  ofType(...types: string[]): readonly Resource[] {
    return this.resources.filter(({ type }) => types.includes(type));
  }

  /** The resource of that type whose logical id contains the text. */
  only(type: string, part: string): Resource {
    const found = this.ofType(type).filter(({ logicalId }) => logicalId.includes(part));
    if (found.length !== 1) throw new Error(`'${part}' must name one ${type}, got ${found.map(({ logicalId }) => logicalId).join(', ') || 'none'}`);
    return found[0]!;
  }

  /** The value of `Ref`. */
  ref(logicalId: string): string {
    const pseudo: Record<string, string> = {
      'AWS::AccountId': this.place.account,
      'AWS::Region': this.place.region,
      'AWS::Partition': 'aws',
      'AWS::URLSuffix': 'amazonaws.com',
      'AWS::StackName': this.place.stack,
      'AWS::StackId': `arn:aws:cloudformation:${this.place.region}:${this.place.account}:stack/${this.place.stack}/1`,
    };
    return pseudo[logicalId] ?? this.known(logicalId).ref;
  }

  attribute(logicalId: string, name: string): string {
    const value = this.known(logicalId).attributes[name];
    if (value === undefined) throw new Error(`the local cloud does not know attribute '${name}' of '${logicalId}', a ${this.raw[logicalId]?.Type}`);
    return value;
  }

  /** The folder of a function's code. */
  assetFolder(code: { readonly S3Key?: unknown }): string {
    const hash = String(code.S3Key).replace(/\.zip$/, '');
    const asset = this.assets.files[hash];
    if (!asset) throw new Error(`no asset '${hash}' in the manifest of '${this.place.stack}'`);
    return join(this.directory, asset.source.path);
  }

  /** Replaces intrinsic functions by what they give; an unknown one is an error, never passed on. */
  resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.filter((item) => !isNoValue(item)).map((item) => this.resolve(item));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).filter(([, item]) => !isNoValue(item));
    const [name, argument] = entries[0] ?? [];
    if (entries.length === 1 && name && (name === 'Ref' || name.startsWith('Fn::'))) return this.intrinsic(name, argument);
    return Object.fromEntries(entries.map(([key, item]) => [key, this.resolve(item)]));
  }

  private intrinsic(name: string, argument: unknown): unknown {
    const list = argument as unknown[];
    switch (name) {
      case 'Ref': return this.ref(String(argument));
      case 'Fn::GetAtt': return this.attribute(String(list[0]), String(list[1]));
      case 'Fn::Join': return (this.resolve(list[1]) as unknown[]).map(String).join(String(list[0]));
      case 'Fn::Select': return (this.resolve(list[1]) as unknown[])[Number(list[0])];
      case 'Fn::Split': return String(this.resolve(list[1])).split(String(list[0]));
      case 'Fn::Sub': return String(argument).replace(/\$\{([\w:.]+)\}/g, (_, id: string) => {
        const [logicalId, attribute] = id.split('.');
        return attribute ? this.attribute(logicalId!, attribute) : this.ref(id);
      });
      default: throw new Error(`the local cloud cannot resolve '${name}'`);
    }
  }

  private known(logicalId: string): PhysicalIds {
    const ids = this.ids.get(logicalId);
    if (!ids) throw new Error(`'${logicalId}' is not in the template of '${this.place.stack}'`);
    return ids;
  }
}

function isNoValue(value: unknown): boolean {
  return typeof value === 'object' && value !== null && (value as { Ref?: unknown }).Ref === 'AWS::NoValue';
}
