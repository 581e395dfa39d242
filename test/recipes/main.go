// Reads one call from standard input and makes it, so that the recipes can be tried against local services.
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	recipes "recipes"
)

type call struct {
	Recipe     string
	JobID      int64
	RunnerName string
	Labels     []string
	Payload    recipes.WorkflowJobEvent
}

func main() {
	var calls []call
	if err := json.NewDecoder(os.Stdin).Decode(&calls); err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	aws, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, it := range calls {
		switch it.Recipe {
		case "recordRunner":
			err = recipes.RecordRunner(ctx, dynamodb.NewFromConfig(aws), it.JobID, it.RunnerName, it.Labels)
		case "reportAssignment":
			err = recipes.ReportAssignment(ctx, sqs.NewFromConfig(aws), it.Payload)
		case "nominate":
			err = recipes.Nominate(ctx, sqs.NewFromConfig(aws), it.RunnerName)
		default:
			log.Fatalf("no recipe %s", it.Recipe)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
}
