import { escapeXml, xmlAnswer, type AwsAction, type AwsAnswer, type AwsRequest, type AwsService } from './aws-service';

export type InstanceState = 'pending' | 'running' | 'shutting-down' | 'stopping' | 'stopped' | 'terminated';

export interface Instance {
  readonly id: string;
  readonly region: string;
  readonly account: string;
  readonly tags: Readonly<Record<string, string>>;
  state: InstanceState;
}

const CODES: Readonly<Record<InstanceState, number>> = { 'pending': 0, 'running': 16, 'shutting-down': 32, 'terminated': 48, 'stopping': 64, 'stopped': 80 };

/** A well-formed answer that does not say what was asked: a fault for `AwsGateway.fault`. */
export const WITHOUT_RESERVATION_SET = { status: 200, body: '<DescribeInstancesResponse><requestId>1</requestId></DescribeInstancesResponse>' };

/** `DescribeInstances` of several regions and accounts, with the limits of the `instance-id` filter and of a page. */
export class Ec2Service implements AwsService {
  readonly name = 'ec2';
  private readonly instances = new Map<string, Instance>();

  /** @param homeAccount where instances live that are added without an account */
  constructor(private readonly homeAccount: string) {}

  add(instance: { id: string; region: string; state?: InstanceState; account?: string; tags?: Readonly<Record<string, string>> }): Instance {
    const { id, region, state = 'running', account = this.homeAccount, tags = {} } = instance;
    const added: Instance = { id, region, state, account, tags };
    this.instances.set(id, added);
    return added;
  }

  setState(id: string, state: InstanceState): void {
    const instance = this.instances.get(id);
    if (!instance) throw new Error(`no instance '${id}'`);
    instance.state = state;
  }

  /** Terminated instances stay visible for up to an hour; then they are gone like this. */
  forget(id: string): void {
    this.instances.delete(id);
  }

  action({ body }: AwsRequest): AwsAction {
    return { name: new URLSearchParams(body).get('Action') ?? '', resources: ['*'] };
  }

  error(code: string, message: string, status: number): AwsAnswer {
    // EC2 says it in its own words
    const own = code === 'AccessDenied' ? 'UnauthorizedOperation' : code;
    return xmlAnswer(`<Response><Errors><Error><Code>${own}</Code><Message>${escapeXml(message)}</Message></Error></Errors><RequestID>1</RequestID></Response>`, status);
  }

  answer(request: AwsRequest, { name }: AwsAction): AwsAnswer {
    if (name !== 'DescribeInstances') return this.error('InvalidAction', `The action ${name} is not valid for this web service.`, 400);
    const parameters = new URLSearchParams(request.body);
    const visible = [...this.instances.values()].filter(({ region, account }) => region === request.region && account === request.principal.account);
    const named = [...parameters].filter(([key]) => key.startsWith('InstanceId.')).map(([, id]) => id);
    const missing = named.find((id) => !visible.some((instance) => instance.id === id));
    if (missing) return this.error('InvalidInstanceID.NotFound', `The instance ID '${missing}' does not exist`, 400);
    const filters = readFilters(parameters);
    if (filters.some(({ values }) => values.length > 200)) return this.error('FilterLimitExceeded', 'The maximum number of filter values is 200', 400);
    const unknown = filters.find((filter) => filter.name !== 'instance-id' && !filter.name.startsWith('tag:'));
    if (unknown) return this.error('InvalidParameterValue', `The filter '${unknown.name}' is not known to the local cloud`, 400);
    const found = visible.filter((instance) => filters.every((filter) => selects(filter, instance)))
      .filter(({ id }) => named.length === 0 || named.includes(id));
    return page(found, Number(parameters.get('MaxResults') ?? 1000), Number(parameters.get('NextToken') ?? 0));
  }
}

interface Filter {
  readonly name: string;
  readonly values: readonly string[];
}

function selects({ name, values }: Filter, { id, tags }: Instance): boolean {
  return values.includes(name === 'instance-id' ? id : tags[name.replace('tag:', '')] ?? '');
}

function readFilters(parameters: URLSearchParams): readonly Filter[] {
  return [...parameters].filter(([key]) => /^Filter\.\d+\.Name$/.test(key)).map(([key, name]) => {
    const prefix = key.replace(/Name$/, 'Value.');
    return { name, values: [...parameters].filter(([other]) => other.startsWith(prefix)).map(([, value]) => value) };
  });
}

function page(found: readonly Instance[], size: number, start: number): AwsAnswer {
  const items = found.slice(start, start + size).map(({ id, state }) => [
    `<item><reservationId>r-${id.slice(2)}</reservationId><instancesSet><item><instanceId>${id}</instanceId>`,
    `<instanceState><code>${CODES[state]}</code><name>${state}</name></instanceState></item></instancesSet></item>`,
  ].join(''));
  const next = start + size < found.length ? `<nextToken>${start + size}</nextToken>` : '';
  return xmlAnswer('<DescribeInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>1</requestId>'
    + `<reservationSet>${items.join('')}</reservationSet>${next}</DescribeInstancesResponse>`);
}
