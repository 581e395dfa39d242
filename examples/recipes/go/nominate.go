package recipes

import (
	"context"
	"encoding/json"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// Nominate is for a function that sees machines end; janitor.AttachNominator(fn) gives it the permission and the variable.
// The registration goes in about 15 minutes, if the janitor then sees the machine terminated itself.
func Nominate(ctx context.Context, client *sqs.Client, runnerName string) error {
	body, err := json.Marshal(map[string]any{"version": 1, "kind": "nomination", "runnerName": runnerName})
	if err != nil {
		return err
	}
	_, err = client.SendMessage(ctx, &sqs.SendMessageInput{
		QueueUrl:               aws.String(os.Getenv("RUNNER_NOMINATION_QUEUE_URL")),
		MessageGroupId:         aws.String(runnerName),
		MessageDeduplicationId: aws.String("nomination#" + runnerName),
		MessageBody:            aws.String(string(body)),
	})
	return err
}
