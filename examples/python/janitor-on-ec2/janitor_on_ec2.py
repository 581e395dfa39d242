from aws_cdk import Stack
from aws_cdk.aws_secretsmanager import Secret
from cdk_github_runner_janitor import ComputeProvider, GitHubCredentials, RegistrationJanitor, RunnerScope
from constructs import Construct


class JanitorOnEc2(Stack):
    """Cleans up after runners named `gh-<instance id>` that ran on EC2 in two regions."""

    def __init__(self, scope: Construct, construct_id: str, *, dry_run: bool = True, **kwargs) -> None:
        """:param dry_run: report only, delete nothing."""
        super().__init__(scope, construct_id, **kwargs)

        RegistrationJanitor(
            self,
            "Janitor",
            runner_scope=RunnerScope.organization("acme"),
            compute_provider=ComputeProvider.ec2(
                runner_name_prefixes=["gh-"],
                regions=["eu-central-1", "us-east-1"],
            ),
            # JSON: { "appId": 1234, "privateKey": "-----BEGIN ..." }
            credentials=GitHubCredentials.app(Secret.from_secret_name_v2(self, "App", "github-runners/app")),
            dry_run=dry_run,
        )
