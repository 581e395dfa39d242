# For the function that GitHub's `workflow_job` webhooks reach, after it has checked the signature. `detector.attach_recorder(fn)` and
# `detector.attach_reporter(fn)` give it the permissions and the variables.
import json
import os
import re
import time

import boto3

dynamodb = boto3.client("dynamodb")
sqs = boto3.client("sqs")


def record_runner(job_id, runner_name, labels=()):
    """On `queued`: before the runner is started, which may be faster than the next line. Twice is once."""
    expires = int(time.time()) + int(os.environ["RUNNER_TRACKER_TTL_SECONDS"])
    added = "runners :name"
    values = {":name": {"SS": [runner_name]}, ":ttl": {"N": str(expires)}}
    if labels:  # DynamoDB has no empty sets, and none with a member twice
        added += ", labels :labels"
        values[":labels"] = {"SS": sorted(set(labels))}
    dynamodb.update_item(
        TableName=os.environ["RUNNER_TRACKER_TABLE"],
        Key={"pk": {"S": f"job#{job_id}"}},
        UpdateExpression=f"ADD {added} SET #ttl = :ttl",
        ExpressionAttributeNames={"#ttl": "ttl"},
        ExpressionAttributeValues=values,
    )


def report_assignment(payload):
    """On every webhook: tells the detector which runner picked the job up."""
    job = payload["workflow_job"]
    runner_name = job.get("runner_name") or ""
    # the name may be missing, and those of GitHub's own runners have blanks
    if payload["action"] != "in_progress" or not re.fullmatch(r"[A-Za-z0-9._-]{1,64}", runner_name):
        return
    report = {
        "version": 1,
        "source": "signed",
        "runnerName": runner_name,
        "repository": payload["repository"]["full_name"],
        "jobId": job["id"],
        "runId": job["run_id"],
        "startedAt": job["started_at"],
        "labels": job["labels"],
    }
    sqs.send_message(
        QueueUrl=os.environ["JOB_ASSIGNMENT_QUEUE_URL"],
        MessageGroupId=runner_name,
        MessageDeduplicationId=f"{runner_name}#signed",
        MessageBody=json.dumps(report),
    )
