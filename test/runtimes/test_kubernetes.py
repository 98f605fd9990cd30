# SPDX-License-Identifier: Apache-2.0
"""Manifests of `emit --launch kubernetes` follow Kubernetes' own schemas, in the
strict form that knows no further fields, and that of JobSet."""

import copy
import json
from pathlib import Path

import jsonschema
import kubernetes_validate
import pytest
import yaml
from training import shardsmith

SCHEMA = json.loads((Path(__file__).parent / "jobset.schema.json").read_text())
VERSION = kubernetes_validate.latest_version()


def validate(manifest):
    jsonschema.Draft202012Validator(SCHEMA).validate(manifest)
    for job in manifest["spec"]["replicatedJobs"]:
        whole = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": job["name"]}}
        kubernetes_validate.validate(whole | job["template"], VERSION, strict=True)


@pytest.fixture(scope="module")
def manifests(tmp_path_factory):
    """For a plan on GPUs, and for one on processors."""
    found = []
    for cluster in ("16xh100", "cpu:4"):
        folder = tmp_path_factory.mktemp("kubernetes")
        shardsmith(
            "plan", "gpt2-124m", "--cluster", cluster, "--seq", 64, "--global-batch", 16,
            "--fix", "pp=1,tp=1,zero=0", "-o", folder / "plan",
        )  # fmt: skip
        shardsmith(
            "emit", folder / "plan", "--to", "pytorch", "--adapt", "--launch", "kubernetes",
            "-o", folder / "out",
        )  # fmt: skip
        found.append(yaml.safe_load((folder / "out/launch.yaml").read_text()))
    return found


def test_manifests_follow_the_schemas(manifests):
    for manifest in manifests:
        validate(manifest)


def pod_of(manifest):
    return manifest["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]


DAMAGES = {
    "set": lambda manifest: manifest["spec"].update(replicas=1),
    "name": lambda manifest: manifest["metadata"].update(name="Train_1"),
    "policy": lambda manifest: manifest["spec"]["failurePolicy"].update(maxRestarts="3"),
    "pod": lambda manifest: pod_of(manifest).update(restart="Never"),
    "container": lambda manifest: pod_of(manifest)["containers"][0].update(command="sh"),
    "variable": lambda manifest: pod_of(manifest)["containers"][0]["env"].append({"value": "1"}),
}


@pytest.mark.parametrize("what", DAMAGES)
def test_wrong_manifests_do_not(manifests, what):
    manifest = copy.deepcopy(manifests[0])
    DAMAGES[what](manifest)
    with pytest.raises(jsonschema.ValidationError):
        validate(manifest)
