# Reads calls from standard input and makes them, so that the recipes can be tried against local services.
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "examples", "recipes"))
sys.dont_write_bytecode = True

from nominate import nominate  # noqa: E402
from record_and_report import record_runner, report_assignment  # noqa: E402

for call in json.load(sys.stdin):
    if call["recipe"] == "recordRunner":
        record_runner(call["jobId"], call["runnerName"], call.get("labels", ()))
    elif call["recipe"] == "reportAssignment":
        report_assignment(call["payload"])
    else:
        nominate(call["runnerName"])
