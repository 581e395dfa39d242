package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssecretsmanager"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsstepfunctions"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"
	janitor "github.com/cdk-github-runner-janitor/cdk-github-runner-janitor-go/cdkgithubrunnerjanitor"
)

// StolenRunnersProps are the properties of NewStolenRunners.
type StolenRunnersProps struct {
	awscdk.StackProps
	// ObserveOnly judges and reports, and starts nothing.
	ObserveOnly bool
}

// NewStolenRunners replaces stolen runners of a state machine that starts one runner for each job. It is deployed already, and is not changed.
func NewStolenRunners(scope constructs.Construct, id string, props *StolenRunnersProps) awscdk.Stack {
	stack := awscdk.NewStack(scope, &id, &props.StackProps)

	// its executions are named like their runners, and have the jobId in their input
	startRunner := awsstepfunctions.StateMachine_FromStateMachineName(stack, jsii.String("StartRunner"), jsii.String("start-runner"))
	app := awssecretsmanager.Secret_FromSecretNameV2(stack, jsii.String("App"), jsii.String("github-runners/app"))
	detector := janitor.NewStolenRunnerDetector(stack, jsii.String("Detector"), &janitor.StolenRunnerDetectorProps{
		Replacement: janitor.RunnerReplacement_StateMachine(startRunner, nil),
		// JSON: { "appId": 1234, "privateKey": "-----BEGIN ..." }
		Credentials: janitor.GitHubCredentials_App(app),
		RunnerLogGroups: &[]awslogs.ILogGroup{
			awslogs.LogGroup_FromLogGroupName(stack, jsii.String("RunnerLogs"), jsii.String("/github-runners")),
		},
		ObserveOnly: &props.ObserveOnly,
	})
	detector.RecordExecutions()
	detector.CreateAlarms(nil)
	return stack
}
