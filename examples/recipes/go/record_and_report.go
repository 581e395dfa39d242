// Package recipes holds the calls that functions of a runner stack make for the detector and the janitor.
package recipes

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// For the function that GitHub's workflow_job webhooks reach, after it has checked the signature.
// detector.AttachRecorder(fn) and detector.AttachReporter(fn) give it the permissions and the variables.

// RecordRunner is for queued jobs: before the runner is started, which may be faster than the next line. Twice is once.
func RecordRunner(ctx context.Context, client *dynamodb.Client, jobID int64, runnerName string, labels []string) error {
	ttl, err := strconv.ParseInt(os.Getenv("RUNNER_TRACKER_TTL_SECONDS"), 10, 64)
	if err != nil {
		return err
	}
	added := "runners :name"
	values := map[string]types.AttributeValue{
		":name": &types.AttributeValueMemberSS{Value: []string{runnerName}},
		":ttl":  &types.AttributeValueMemberN{Value: strconv.FormatInt(time.Now().Unix()+ttl, 10)},
	}
	if len(labels) > 0 { // DynamoDB has no empty sets, and none with a member twice
		added += ", labels :labels"
		values[":labels"] = &types.AttributeValueMemberSS{Value: slices.Compact(slices.Sorted(slices.Values(labels)))}
	}
	_, err = client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 aws.String(os.Getenv("RUNNER_TRACKER_TABLE")),
		Key:                       map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: fmt.Sprintf("job#%d", jobID)}},
		UpdateExpression:          aws.String("ADD " + added + " SET #ttl = :ttl"),
		ExpressionAttributeNames:  map[string]string{"#ttl": "ttl"},
		ExpressionAttributeValues: values,
	})
	return err
}

// WorkflowJobEvent is what counts in a workflow_job webhook.
type WorkflowJobEvent struct {
	Action      string `json:"action"`
	WorkflowJob struct {
		ID         int64    `json:"id"`
		RunID      int64    `json:"run_id"`
		RunnerName string   `json:"runner_name"`
		StartedAt  string   `json:"started_at"`
		Labels     []string `json:"labels"`
	} `json:"workflow_job"`
	Repository struct {
		FullName string `json:"full_name"`
	} `json:"repository"`
}

type report struct {
	Version    int      `json:"version"`
	Source     string   `json:"source"`
	RunnerName string   `json:"runnerName"`
	Repository string   `json:"repository"`
	JobID      int64    `json:"jobId"`
	RunID      int64    `json:"runId"`
	StartedAt  string   `json:"startedAt,omitempty"`
	Labels     []string `json:"labels,omitempty"`
}

var runnerNamePattern = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// ReportAssignment is for every webhook: it tells the detector which runner picked the job up.
func ReportAssignment(ctx context.Context, client *sqs.Client, event WorkflowJobEvent) error {
	job := event.WorkflowJob
	// the name may be missing, and those of GitHub's own runners have blanks
	if event.Action != "in_progress" || !runnerNamePattern.MatchString(job.RunnerName) {
		return nil
	}
	body, err := json.Marshal(report{1, "signed", job.RunnerName, event.Repository.FullName, job.ID, job.RunID, job.StartedAt, job.Labels})
	if err != nil {
		return err
	}
	_, err = client.SendMessage(ctx, &sqs.SendMessageInput{
		QueueUrl:               aws.String(os.Getenv("JOB_ASSIGNMENT_QUEUE_URL")),
		MessageGroupId:         aws.String(job.RunnerName),
		MessageDeduplicationId: aws.String(job.RunnerName + "#signed"),
		MessageBody:            aws.String(string(body)),
	})
	return err
}
