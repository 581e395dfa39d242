from aws_cdk import App

from stolen_runners import StolenRunners

# a first deployment only says whom it would replace; then take `-c armed=true`
app = App()
StolenRunners(app, "StolenRunners", observe_only=app.node.try_get_context("armed") != "true")
app.synth()
