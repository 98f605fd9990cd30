# SPDX-License-Identifier: Apache-2.0
"""Data ranks with different numbers of micro-batches, and devices that stay idle.

A step is that of one rank: losses and parameters after three steps. What ranks
send is what the plan says, the folder is accepted by `check`, the program by
`verify`. Drawn plans are in test_stages.py.
"""

import json
import subprocess

import numpy as np
import pytest
from test_stages import assert_sent_as_planned, final_state, train_three_steps
from tools import ROOT, run_tool, tool

KINDS = {
    "fast": {"memory_bandwidth_gb_per_s": 12, "peak_tflops": {"f32": 0.06, "bf16": 0.06}},
    "slow": {"memory_bandwidth_gb_per_s": 4, "peak_tflops": {"f32": 0.02, "bf16": 0.02}},
}


def two_kinds(folder, fast, slow):
    """A cluster of processors of which some are three times as fast as the others."""
    devices = [{"type": "fast", "count": fast}, {"type": "slow", "count": slow}]
    fabric = {"topology": "full", "link": "memory"}
    cluster = {
        "version": 1,
        "name": "two kinds of processors",
        "device_types": {
            name: {"kind": "cpu", "memory_gib": 2, **kind} for name, kind in KINDS.items()
        },
        "link_types": {
            "memory": {"kind": "shared-memory", "bandwidth_gb_per_s": 4, "latency_us": 3}
        },
        "groups": [{"name": "here", "node": {"devices": devices, "fabric": fabric}}],
    }
    path = folder / "cluster.json"
    path.write_text(json.dumps(cluster))
    return path


def build(model, cluster, fix, folder, code=0):
    done = subprocess.run(
        [
            tool("shardsmith"), "compile", ROOT / f"test/models/{model}.mlir", "--cluster", cluster,
            *(["--fix", fix] if fix else []), "--optimizer", "sgd", "--momentum", "0.9",
            "--lr", "0.1", "-o", folder,
        ],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    return json.loads((folder / "plan.json").read_text()) if code == 0 else done.stderr


@pytest.fixture(scope="module")
def one_rank(tmp_path_factory):
    return final_state("gpt2-tiny", 1, "recompute=none", tmp_path_factory.mktemp("one"))


def assert_trains_as(one_rank, folder):
    losses, state = one_rank
    own_losses, own_state = train_three_steps(folder)
    assert np.allclose(own_losses, losses, rtol=1e-5)
    for name, value in own_state.items():
        scale = max(np.abs(state[name]).max(), 1e-3)
        assert np.abs(value - state[name]).max() <= 2e-5 * scale, name
    assert "0 mismatches" in run_tool("shardsmith", "verify", folder, "--tolerance", 1e-4)
    assert "accepted" in run_tool("shardsmith", "check", folder)
    assert_sent_as_planned(folder, 2)


# 24 sequences in micro-batches of two are twelve.
@pytest.mark.parametrize(
    "devices, fix, shares",
    [
        (5, "dp=5,micro-batch=2", [3, 3, 2, 2, 2]),
        (5, "dp=5,micro-batch=2,zero=1", [3, 3, 2, 2, 2]),
        (5, "dp=5,micro-batch=2,zero=3,recompute=full", [3, 3, 2, 2, 2]),
        (4, "dp=2,tp=2,micro-batch=8", [2, 1]),
        (6, "pp=2,dp=3,micro-batch=3,schedule=1f1b", [3, 3, 2]),
    ],
)
def test_a_batch_that_ranks_do_not_divide(devices, fix, shares, one_rank, tmp_path):
    plan = build("gpt2-tiny", f"cpu:{devices}", fix, tmp_path)
    assert plan["layouts"]["train_step"]["shares"] == shares
    assert_trains_as(one_rank, tmp_path)


@pytest.mark.parametrize("fast, slow, fix", [(1, 1, "dp=2,micro-batch=2"), (2, 1, "dp=3,micro-batch=1")])
def test_faster_devices_take_more(fast, slow, fix, one_rank, tmp_path):
    plan = build("gpt2-tiny", two_kinds(tmp_path, fast, slow), fix, tmp_path / "out")
    shares = plan["layouts"]["train_step"]["shares"]
    assert sum(shares) * plan["strategy"]["micro_batch"] == 24
    assert min(shares[:fast]) > max(shares[fast:])
    assert_trains_as(one_rank, tmp_path / "out")


@pytest.mark.parametrize(
    "devices, fix, used",
    [
        (4, "devices=3,dp=3", 3),
        (4, "devices=1", 1),
        # No four ranks divide the heads and layers of the model in this way.
        (5, "tp=2,pp=2", 4),
    ],
)
def test_devices_may_stay_idle(devices, fix, used, one_rank, tmp_path):
    plan = build("gpt2-tiny", f"cpu:{devices}", fix, tmp_path)
    sizes = [axis["size"] for axis in plan["layouts"]["train_step"]["mesh"]]
    assert np.prod(sizes) == used
    assert_trains_as(one_rank, tmp_path)


@pytest.mark.parametrize("order", ["pp-dp-cp-tp", "dp-tp-cp-pp", "cp-pp-tp-dp"])
def test_axes_lie_over_devices_in_any_order(order, one_rank, tmp_path):
    fix = f"pp=2,tp=2,dp=2,micro-batch=3,schedule=1f1b,order={order}"
    plan = build("gpt2-tiny", "cpu:8", fix, tmp_path)
    names = {"tp": "tensor", "cp": "context", "dp": "data", "pp": "pipeline"}
    expected = [names[each] for each in reversed(order.split("-"))]
    mesh = ["data" if each["name"] == "zero_shard" else each["name"]
            for each in plan["layouts"]["train_step"]["mesh"]]
    assert mesh == [each for each in expected if each in mesh]
    assert_trains_as(one_rank, tmp_path)


def test_batches_without_whole_micro_batches_are_refused(tmp_path):
    said = build("gpt2-tiny", "cpu:2", "dp=2,micro-batch=7", tmp_path, code=3)
    assert "no plan takes 24 sequences in micro-batches of one size" in said
