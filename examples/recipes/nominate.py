# For a function that sees machines end. `janitor.attach_nominator(fn)` gives it the permission and the variable.
import json
import os

import boto3

sqs = boto3.client("sqs")


def nominate(runner_name):
    """The registration goes in about 15 minutes, if the janitor then sees the machine terminated itself."""
    sqs.send_message(
        QueueUrl=os.environ["RUNNER_NOMINATION_QUEUE_URL"],
        MessageGroupId=runner_name,
        MessageDeduplicationId=f"nomination#{runner_name}",
        MessageBody=json.dumps({"version": 1, "kind": "nomination", "runnerName": runner_name}),
    )
