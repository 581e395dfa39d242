package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/jsii-runtime-go"
)

func main() {
	defer jsii.Close()

	// a first deployment reports for a few days what it would delete; then take `-c armed=true`
	app := awscdk.NewApp(nil)
	dryRun := app.Node().TryGetContext(jsii.String("armed")) != "true"
	NewJanitorOnEc2(app, "JanitorOnEc2", &JanitorOnEc2Props{DryRun: dryRun})
	app.Synth(nil)
}
