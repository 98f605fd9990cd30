# SPDX-License-Identifier: Apache-2.0
"""Runtimes that do not run on processors read what was emitted for them: their
own parsers accept the files, and derive the plan's degrees from them."""

import json
import sys

import pytest
from processes import start
from training import shardsmith

PLANS = {
    "flat": ("llama3-8b", "64xh100", "tp=1,pp=1,zero=3,recompute=full"),
    "interleaved": ("llama3-8b", "64xh100", "tp=8,pp=4,schedule=interleaved,vpp=4"),
    "uneven": ("llama3-70b", "64xh100", "tp=4,pp=4,vpp=1,schedule=1f1b,zero=1,recompute=full"),
    "v": ("llama3-8b", "64xh100", "tp=2,pp=4,zero=2,schedule=zb-v"),
    "context": ("llama3-8b", "8xh100", "tp=2,cp=2,pp=1,zero=2,sp=off,recompute=full,mbs=1"),
    "tensor": ("gpt2-124m", "8xh100", "tp=4,pp=1,zero=1,recompute=none,sp=off,mbs=4"),
}

FILES = {
    "torchtitan": "torchtitan.sh",
    "megatron": "megatron.sh",
    "megatron_bridge": "megatron-bridge.yaml",
    "nanotron": "nanotron.yaml",
    "accelerate": "accelerate.yaml",
}

CASES = [
    ("torchtitan", "flat"),
    ("torchtitan", "v"),
    ("torchtitan", "context"),
    ("megatron", "interleaved"),
    ("megatron", "uneven"),
    ("megatron_bridge", "interleaved"),
    ("megatron_bridge", "uneven"),
    ("nanotron", "tensor"),
    ("accelerate", "flat"),
    ("accelerate", "context"),
]


def planned(folder, name, runtime):
    """(plan.json, the emitted file)."""
    model, cluster, fix = PLANS[name]
    shardsmith("plan", model, "--cluster", cluster, "--fix", fix, "-o", folder / "plan")
    shardsmith(
        "emit", folder / "plan", "--to", runtime.replace("_", "-"), "--adapt", "-o", folder / "out"
    )
    return json.loads((folder / "plan/plan.json").read_text()), folder / "out" / FILES[runtime]


def read(runtime, file, ranks, layers):
    return start(1, "read_by_runtime.py", runtime, file, ranks, layers, launcher=[sys.executable])


@pytest.mark.parametrize("runtime, name", CASES)
def test_its_parser_derives_the_plan(runtime, name, tmp_path):
    plan, file = planned(tmp_path, name, runtime)
    strategy, degrees = plan["strategy"], plan["strategy"]["degrees"]
    ranks = 1
    for axis in ("tensor", "context", "data", "pipeline"):
        ranks *= degrees[axis]
    layers = strategy["stages"][-1]["units"][1] - 2
    got = read(runtime, file, ranks, layers)
    for axis in ("tensor", "context", "data", "pipeline", "expert"):
        assert got[axis] == degrees[axis], axis
    if "batch" in got:
        assert got["batch"] == plan["model"]["global_batch"]
        assert got["sequence"] == plan["model"]["sequence_length"]
    if "micro_batch" in got:
        assert got["micro_batch"] == strategy["micro_batch"]
    if degrees["pipeline"] > 1:
        assert got["layers"] == [
            end - begin - (begin == 0) - (end == layers + 2)
            for begin, end in (stage["units"] for stage in strategy["stages"])
        ]
    if "zero" in got:
        assert got["zero"] == strategy["zero"]["stage"]
    kinds = {kind for stage in strategy["stages"] for kind, _ in stage["recompute"]}
    if runtime == "accelerate":
        assert got["recompute"] in kinds
    if runtime == "torchtitan":
        assert got["recompute"] == ("FullAC" if "full" in kinds else None)
        assert got["keeps"] == ("always" if strategy["zero"]["stage"] == 3 else "never")
        if degrees["pipeline"] > 1:
            # Three passes of each micro-batch and stage, and messages.
            passes = plan["model"]["global_batch"] // degrees["data"] // strategy["micro_batch"]
            assert len(got["order"]) == degrees["pipeline"]
            assert min(got["order"]) > 2 * 3 * passes
    if runtime == "megatron":
        assert got["neighbours"] == list(range(degrees["tensor"]))
        assert got["stage of rank 0"] == list(range(0, ranks, ranks // degrees["pipeline"]))
    if runtime == "megatron_bridge":
        assert got["distributed optimizer"] == (strategy["zero"]["stage"] > 0)
    if runtime == "nanotron":
        assert got["mode"] == "ALL_REDUCE"


def test_a_parser_that_is_asked_wrongly_refuses(tmp_path):
    """Parsers are run, not taken for granted."""
    _, file = planned(tmp_path, "v", "torchtitan")
    file.write_text(file.read_text().replace("--training.disable-cuda-graphs", ""))
    with pytest.raises(AssertionError, match="CUDA graphs"):
        read("torchtitan", file, 64, 32)
