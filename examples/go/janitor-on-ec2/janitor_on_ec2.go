package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssecretsmanager"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"
	janitor "github.com/cdk-github-runner-janitor/cdk-github-runner-janitor-go/cdkgithubrunnerjanitor"
)

// JanitorOnEc2Props are the properties of NewJanitorOnEc2.
type JanitorOnEc2Props struct {
	awscdk.StackProps
	// DryRun reports only, and deletes nothing.
	DryRun bool
}

// NewJanitorOnEc2 cleans up after runners named gh-<instance id> that ran on EC2 in two regions.
func NewJanitorOnEc2(scope constructs.Construct, id string, props *JanitorOnEc2Props) awscdk.Stack {
	stack := awscdk.NewStack(scope, &id, &props.StackProps)

	app := awssecretsmanager.Secret_FromSecretNameV2(stack, jsii.String("App"), jsii.String("github-runners/app"))
	janitor.NewRegistrationJanitor(stack, jsii.String("Janitor"), &janitor.RegistrationJanitorProps{
		RunnerScope: janitor.RunnerScope_Organization(jsii.String("acme"), nil),
		ComputeProvider: janitor.ComputeProvider_Ec2(&janitor.Ec2ComputeOptions{
			RunnerNamePrefixes: jsii.Strings("gh-"),
			Regions:            jsii.Strings("eu-central-1", "us-east-1"),
		}),
		// JSON: { "appId": 1234, "privateKey": "-----BEGIN ..." }
		Credentials: janitor.GitHubCredentials_App(app),
		DryRun:      &props.DryRun,
	})
	return stack
}
