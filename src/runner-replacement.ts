import { ArnFormat, Fn, Stack, Token, aws_iam as iam, aws_stepfunctions as sfn } from 'aws-cdk-lib';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { checkPlace } from './private/place';
import { invalid } from './private/validate';

/** Options of `RunnerReplacement.stateMachine`. */
export interface StateMachineReplacementOptions {
  /**
   * The customer managed key that the state machine is encrypted with, if it is: a state machine cannot be asked for it.
   *
   * @default - a key that Step Functions owns, which needs no permission
   */
  readonly encryptionKey?: kms.IKey;
}

/** How a robbed runner is replaced. */
export class RunnerReplacement {
  /**
   * Starts another execution of the state machine that starts the runners, with the input of the robbed runner's execution, byte for byte.
   * The name of an execution must be the name of its runner, and its input JSON with the `jobId` it was started for.
   *
   * @param stateMachine a standard one, or one of its versions or aliases (`StateMachine.fromStateMachineArn`). It must be in the account and
   * region of the detector, because Step Functions starts executions only there.
   * @param options how it is encrypted
   */
  public static stateMachine(stateMachine: sfn.IStateMachine, options: StateMachineReplacementOptions = {}): RunnerReplacement {
    if (stateMachine instanceof sfn.StateMachine && stateMachine.stateMachineType === sfn.StateMachineType.EXPRESS) {
      throw invalid('stateMachine', 'of type STANDARD, because executions of others cannot be looked up', `${stateMachine.node.path} of type EXPRESS`);
    }
    return new RunnerReplacement(stateMachine, options);
  }

  private constructor(private readonly stateMachine: sfn.IStateMachine, private readonly options: StateMachineReplacementOptions) {}

  /**
   * @internal
   */
  public _bind(scope: Construct): RunnerReplacementBinding {
    checkPlace(scope, 'replacement', 'a state machine', this.stateMachine);
    const machine = machineOf(this.stateMachine);
    return {
      stateMachineArn: this.stateMachine.stateMachineArn,
      unqualifiedArn: machine.arn,
      statements: ({ mayStart }) => [
        ...(mayStart ? [startStatement(machine)] : []),
        new iam.PolicyStatement({ actions: ['states:DescribeExecution'], resources: [machine.executionsArn] }),
        ...(this.options.encryptionKey ? [keyStatement(scope, machine, this.options.encryptionKey, mayStart)] : []),
      ],
    };
  }
}

/** What the detector needs to know about the state machine. */
export interface RunnerReplacementBinding {
  /** what executions are started with: the state machine, a version or an alias */
  readonly stateMachineArn: string;
  /** status events name the state machine itself */
  readonly unqualifiedArn: string;
  readonly statements: (options: { readonly mayStart: boolean }) => iam.PolicyStatement[];
}

interface Machine {
  /** without version or alias */
  readonly arn: string;
  readonly executionsArn: string;
  /** of a version or alias, if the ARN shows one */
  readonly qualifier?: string;
}

/**
 * Executions and permissions belong to the state machine itself, whichever version or alias is started:
 * https://docs.aws.amazon.com/step-functions/latest/dg/auth-version-alias.html
 */
function machineOf(stateMachine: sfn.IStateMachine): Machine {
  const { stateMachineArn: arn, env } = stateMachine;
  // parts of the ARN may be tokens
  const [, stem, name, qualifier] = /^(arn:[^:]+:states:[^:]+:[^:]+):stateMachine:([^:]+)(?::([^:]+))?$/.exec(arn) ?? [];
  if (stem !== undefined) {
    return { arn: `${stem}:stateMachine:${name}`, executionsArn: `${stem}:execution:${name}:*`, qualifier };
  }
  if (!Token.isUnresolved(arn)) throw invalid('stateMachine', 'the ARN of a state machine, one of its versions or one of its aliases', arn);
  const format = (resource: string, resourceName: string) => Stack.of(stateMachine).formatArn({
    ...env, service: 'states', resource, resourceName, arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  if (stateMachine instanceof sfn.StateMachine) return { arn, executionsArn: format('execution', `${stateMachine.stateMachineName}:*`) };
  // the name is the seventh part, with or without a qualifier behind it
  const importedName = Fn.select(6, Fn.split(':', arn));
  return { arn: format('stateMachine', importedName), executionsArn: format('execution', `${importedName}:*`) };
}

function startStatement({ arn, qualifier }: Machine): iam.PolicyStatement {
  return new iam.PolicyStatement({
    actions: ['states:StartExecution'],
    resources: [arn],
    // the key may have several values, which a plain comparison never matches
    conditions: qualifier === undefined ? undefined : { 'ForAnyValue:StringEquals': { 'states:StateMachineQualifier': qualifier } },
  });
}

/** https://docs.aws.amazon.com/step-functions/latest/dg/encryption-at-rest.html: whoever calls uses the key with permissions of his own. */
function keyStatement(scope: Construct, { arn }: Machine, key: kms.IKey, mayStart: boolean): iam.PolicyStatement {
  return new iam.PolicyStatement({
    actions: ['kms:Decrypt', ...(mayStart ? ['kms:GenerateDataKey'] : [])],
    resources: [key.keyArn],
    conditions: {
      StringEquals: {
        'kms:EncryptionContext:aws:states:stateMachineArn': arn,
        'kms:ViaService': `states.${Stack.of(scope).region}.amazonaws.com`,
      },
    },
  });
}
