# SPDX-License-Identifier: Apache-2.0
"""Plans made for a runtime are such that it can run them.

The rules of each runtime stand a second time in runtime_rules.py, and plans of
built-in models that are drawn anew in every run are held against them; all of
them are in `bench/for_runtimes.py`. None is faster than the plan without a
runtime, under the same stack profile.
"""

import copy
import json
import random
import subprocess
import sys

import pytest
from runtime_rules import MODELS, RULES, is_better, violations
from seeds import random_seed
from tools import ROOT, tool

sys.path.insert(0, str(ROOT / "bench"))
from expert_plans import CASES, CORE  # noqa: E402

DEVICES = [8, 64, 512]


def plan(folder, model, devices, *options):
    """The plan; nothing if none fits, or files cannot say the model."""
    command = ["plan", model, "--cluster", f"{devices}xh100", "--profile", "generic"]
    done = subprocess.run(
        [tool("shardsmith"), *command, "--threads", "1", *options, "-o", folder],
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, 4, 5), (model, devices, options, done.stderr)
    if done.returncode:
        return None
    return json.loads((folder / "plan.json").read_text())


@pytest.mark.parametrize("drawn", range(3))
def test_plans_keep_the_rules_of_their_runtime(tmp_path, drawn):
    draw = random.Random(random_seed())
    model, devices = draw.choice(list(MODELS)), draw.choice(DEVICES)
    best = plan(tmp_path / "any", model, devices)
    for runtime in draw.sample(list(RULES), 5):
        folder = tmp_path / runtime
        made = plan(folder, model, devices, "--for", runtime)
        if made is None:
            continue
        case = f"{model} on {devices} for {runtime}"
        assert best is not None, case
        assert not violations(runtime, model, made, folder), case
        assert not is_better(made, best), case
        # The runtime's files lie beside the plan.
        assert len(list(folder.iterdir())) >= 6


def runtime_of(case):
    """What an expert's plan ran on, where plans can be made for that."""
    if case.profile.startswith("torchtitan"):
        return "torchtitan"
    return "megatron" if case.profile.startswith("megatron") or case.source == CORE else None


@pytest.mark.parametrize("case", [*filter(runtime_of, CASES)], ids=lambda case: case.name)
def test_expert_plans_are_in_the_space_of_their_runtime(case):
    done = subprocess.run(
        [
            tool("shardsmith"), "plan", case.model, "--cluster", case.cluster,
            "--profile", case.profile, "--global-batch", str(case.batch), "--dtype", case.dtype,
            "--margin", "0", "--fix", case.expert, "--for", runtime_of(case), "--json",
        ],
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    degrees = json.loads(done.stdout)["strategy"]["degrees"]
    fixed = dict(each.split("=") for each in case.expert.split(","))
    for name, degree in (("tp", "tensor"), ("pp", "pipeline"), ("cp", "context")):
        if name in fixed:
            assert degrees[degree] == int(fixed[name])


@pytest.fixture(scope="module")
def for_torchtitan(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plan")
    return plan(folder, "llama3-8b", 8, "--for", "torchtitan", "--fix", "tp=2"), folder


def with_change(document, change):
    changed = copy.deepcopy(document)
    change(changed["strategy"])
    return changed


@pytest.mark.parametrize(
    "change, rule",
    [
        (lambda plan: plan["zero"].update(stage=1), "FSDP shards gradients with the states"),
        (lambda plan: plan["degrees"].update(tensor=3), "tensor ranks divide the heads"),
        (lambda plan: plan.update(micro_batch=3), "data ranks have equally many full micro-batches"),
        (
            lambda plan: plan["stages"][0].update(recompute=[["none", 10], ["full", 24]]),
            "all layers recompute, and nothing else does",
        ),
        (lambda plan: plan["device_order"].reverse(), "the order of ranks"),
        (lambda plan: plan["degrees"].update(expert=2), "expert ranks lie on tensor ranks"),
    ],
)
def test_rules_see_what_is_wrong(for_torchtitan, change, rule):
    document, folder = for_torchtitan
    assert violations("torchtitan", "llama3-8b", document, folder) == []
    broken = violations("torchtitan", "llama3-8b", with_change(document, change), folder)
    assert rule in broken
