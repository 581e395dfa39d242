from aws_cdk import Stack
from aws_cdk.aws_logs import LogGroup
from aws_cdk.aws_secretsmanager import Secret
from aws_cdk.aws_stepfunctions import StateMachine
from cdk_github_runner_janitor import GitHubCredentials, RunnerReplacement, StolenRunnerDetector
from constructs import Construct


class StolenRunners(Stack):
    """Replaces stolen runners of a state machine that starts one runner for each job. It is deployed already, and is not changed."""

    def __init__(self, scope: Construct, construct_id: str, *, observe_only: bool = False, **kwargs) -> None:
        """:param observe_only: judge and report only, start nothing."""
        super().__init__(scope, construct_id, **kwargs)

        detector = StolenRunnerDetector(
            self,
            "Detector",
            # its executions are named like their runners, and have the `jobId` in their input
            replacement=RunnerReplacement.state_machine(
                StateMachine.from_state_machine_name(self, "StartRunner", "start-runner"),
            ),
            # JSON: { "appId": 1234, "privateKey": "-----BEGIN ..." }
            credentials=GitHubCredentials.app(Secret.from_secret_name_v2(self, "App", "github-runners/app")),
            runner_log_groups=[LogGroup.from_log_group_name(self, "RunnerLogs", "/github-runners")],
            observe_only=observe_only,
        )
        detector.record_executions()
        detector.create_alarms()
