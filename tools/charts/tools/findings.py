"""Runs checkov over files of Kubernetes manifests, one at a time.

Takes the files as arguments and prints {file: [{check, title, resource}, ...]}.
"""

import json
import sys

from checkov.kubernetes.runner import Runner
from checkov.runner_filter import RunnerFilter


def findings(file):
    report = Runner().run(root_folder=None, files=[file], runner_filter=RunnerFilter(framework=["kubernetes"]))
    if report.parsing_errors or not report.passed_checks:
        return [{"check": "none", "title": "checkov could not read it", "resource": file}]
    return [
        {"check": check.check_id, "title": check.check_name, "resource": check.resource}
        for check in report.failed_checks
    ]


json.dump({file: findings(file) for file in sys.argv[1:]}, sys.stdout)
