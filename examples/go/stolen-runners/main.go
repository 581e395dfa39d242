package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/jsii-runtime-go"
)

func main() {
	defer jsii.Close()

	// a first deployment only says whom it would replace; then take `-c armed=true`
	app := awscdk.NewApp(nil)
	observeOnly := app.Node().TryGetContext(jsii.String("armed")) != "true"
	NewStolenRunners(app, "StolenRunners", &StolenRunnersProps{ObserveOnly: observeOnly})
	app.Synth(nil)
}
