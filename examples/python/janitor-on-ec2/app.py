from aws_cdk import App

from janitor_on_ec2 import JanitorOnEc2

# a first deployment reports for a few days what it would delete; then take `-c armed=true`
app = App()
JanitorOnEc2(app, "JanitorOnEc2", dry_run=app.node.try_get_context("armed") != "true")
app.synth()
