module example.com/stolen-runners

go 1.26.0

require (
	github.com/aws/aws-cdk-go/awscdk/v2 v2.276.0
	github.com/aws/constructs-go/constructs/v10 v10.8.1
	github.com/aws/jsii-runtime-go v1.142.0
	github.com/cdk-github-runner-janitor/cdk-github-runner-janitor-go/cdkgithubrunnerjanitor v0.0.0
)
