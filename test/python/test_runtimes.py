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


def test_rules_see_a_vocabulary_that_ranks_do_not_divide(tmp_path, monkeypatch):
    made = {
        runtime: plan(tmp_path / runtime, "llama3-8b", 8, "--for", runtime, "--fix", fix)
        for runtime, fix in (
            ("transformers", "tp=8"),
            ("accelerate", "tp=2"),
            ("tensorflow", "dp=8,zero=3"),
            ("megatron", "tp=8"),
        )
    }
    odd = MODELS["llama3-8b"]._replace(vocabulary=128255)
    for runtime, document in made.items():
        assert violations(runtime, "llama3-8b", document, tmp_path / runtime) == []
    monkeypatch.setitem(MODELS, "llama3-8b", odd)
    broken = {
        runtime: violations(runtime, "llama3-8b", document, tmp_path / runtime)
        for runtime, document in made.items()
    }
    for runtime in ("transformers", "accelerate", "tensorflow"):
        assert set(broken[runtime]) == {"ranks divide the vocabulary"}, runtime
    assert broken["megatron"] == []


# What PyTorch's files cannot say.
UNSAID = {"even": "off", "zero": "1"}
CLOSED = {
    "fix": ["pp=1", "tp=1", "cp=1", "schedule=1f1b", "recompute=none", "dp=..4", "sp=off"],
    "forbid": ["zero=3", "zero=2", "recompute=full", "interleaved", "zb-v"],
}


def compare(folder, model, devices, *files):
    done = subprocess.run(
        [
            tool("shardsmith"), "plan", model, "--cluster", f"{devices}xh100",
            "--threads", "1", "--for", ",".join(str(file) for file in files), "--json",
        ],
        capture_output=True,
        text=True,
        cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def runtime_file(path, parts):
    space = {name: ",".join(texts) for name, texts in parts.items() if texts}
    document = {
        "version": 1, "name": path.stem, "target": "pytorch",
        "checked_against": "nothing", "space": space,
    }  # fmt: skip
    path.write_text(json.dumps(document))
    return path


def without(parts, missing):
    """The space with the parts taken out that are in the feature's way."""
    return {
        name: [text for text in texts if text not in missing[name].split(",")]
        for name, texts in parts.items()
    }


@pytest.mark.parametrize("drawn", range(6))
def test_a_missing_feature_gives_the_step_that_is_said_of_it(tmp_path, drawn):
    draw = random.Random(random_seed())
    model, devices = draw.choice(["gpt2-124m", "llama3-8b", "mixtral-8x7b"]), draw.choice([16, 32])
    parts = {name: draw.sample(texts, 2) for name, texts in CLOSED.items()}
    parts["fix"].append("even=on")
    parts["forbid"].append("zero=1")
    file = runtime_file(tmp_path / "mine.json", parts)
    compared = compare(tmp_path, model, devices, file, "pytorch")
    best, row = compared["any"]["step_ns"], compared["runtimes"][0]
    case = f"{model} on {devices} with {parts}"
    missing = row.get("missing")
    if missing is None:
        # No part that is taken out alone makes it faster.
        steps = [
            each["plan"]["step_ns"]
            for name, texts in parts.items()
            for text in texts
            if text not in ("even=on", "zero=1")
            for each in compare(
                tmp_path, model, devices,
                runtime_file(tmp_path / "more.json", without(parts, {"fix": "", "forbid": "", name: text})),
                file,
            )["runtimes"][:1]
            if "plan" in each
        ]  # fmt: skip
        own = row["plan"]["step_ns"] if "plan" in row else None
        assert own is None or all(step >= own for step in steps), case
        assert own is not None or not steps, case
        return
    assert best <= missing["plan"]["step_ns"], case
    assert "plan" not in row or missing["plan"]["step_ns"] < row["plan"]["step_ns"], case
    if missing["feature"] == "layouts" or UNSAID.get(missing["feature"]) == missing["value"]:
        return
    more = runtime_file(tmp_path / "more.json", without(parts, missing))
    again = compare(tmp_path, model, devices, more, file)["runtimes"][0]
    assert again["plan"]["step_ns"] == missing["plan"]["step_ns"], case
