import { matchesPattern } from './permissions';
import type { Template } from './template';

export interface Invocation {
  /** who wants to invoke: the name of a service, or `*` for anybody */
  readonly principal: string;
  readonly functionArn: string;
  /** what it does so for; anybody has none */
  readonly sourceArn?: string;
  /** @default lambda:InvokeFunction */
  readonly action?: 'lambda:InvokeFunction' | 'lambda:InvokeFunctionUrl';
}

/** Whether the function's own policy, made of the `AWS::Lambda::Permission`s of the template, lets somebody outside of its role invoke it. */
export function mayInvoke(template: Template, { principal, functionArn, sourceArn, action = 'lambda:InvokeFunction' }: Invocation): boolean {
  const functionName = functionArn.split(':').at(-1)!;
  return template.ofType('AWS::Lambda::Permission').some(({ properties }) => properties.Action === action && properties.Principal === principal
    && [functionArn, functionName].includes(String(properties.FunctionName))
    && (properties.SourceAccount ?? template.place.account) === template.place.account
    && (sourceArn === undefined || matchesPattern(String(properties.SourceArn ?? '*'), sourceArn)));
}
