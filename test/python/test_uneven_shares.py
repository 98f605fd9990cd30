# SPDX-License-Identifier: Apache-2.0
"""Data ranks with different numbers of micro-batches, and devices that stay idle.

A step is that of one rank: losses and parameters after three steps. What ranks
send is what the plan says, and so is the memory of the largest one; the folder
is accepted by `check`, the program by `verify`. Drawn plans are in
test_stages.py, drawn shares of ZeRO-2 and ZeRO-3 at the end of this file:
SHARDSMITH_LONG_TESTS=1 draws a hundred, SHARDSMITH_TEST_SEED gives the first.
"""

import json
import math
import os
import random
import subprocess

import numpy as np
import pytest
from drawn_strategies import SEQUENCES, divisors, two_kinds
from test_stages import (
    assert_sent_as_planned,
    assert_waits_as_planned,
    final_state,
    leaves_slots_out,
    train_three_steps,
)
from seeds import random_seed
from tools import ROOT, run_tool, tool

SEED = random_seed() % 2**31
DRAWN = 100 if os.environ.get("SHARDSMITH_LONG_TESTS") == "1" else 2

def build(model, cluster, fix, folder, code=0):
    done = subprocess.run(
        [
            tool("shardsmith"), "compile", ROOT / f"test/models/{model}.mlir", "--cluster", cluster,
            *(["--fix", fix] if fix else []), "--optimizer", "sgd", "--momentum", "0.9",
            "--lr", "0.1", "-o", folder, "--dump-dir", folder / "ir",
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
    report = assert_sent_as_planned(folder, 2)
    plan = json.loads((folder / "plan.json").read_text())
    predicted = plan["prediction"]["train_step"]["memory_bytes_per_rank"]
    assert max(report["arena_bytes_of_ranks"]) == predicted["peak"]


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
    assert leaves_slots_out(tmp_path) == ("zero=3" not in fix)
    assert_trains_as(one_rank, tmp_path)


@pytest.mark.parametrize(
    "fast, slow, fix",
    [
        (1, 1, "dp=2,micro-batch=2"),
        (1, 1, "dp=2,micro-batch=2,zero=1"),
        (2, 1, "dp=3,micro-batch=1"),
    ],
)
def test_faster_devices_take_more(fast, slow, fix, one_rank, tmp_path):
    plan = build("gpt2-tiny", two_kinds(tmp_path, fast, slow), fix, tmp_path / "out")
    shares = plan["layouts"]["train_step"]["shares"]
    assert sum(shares) * plan["strategy"]["micro_batch"] == 24
    assert min(shares[:fast]) > max(shares[fast:])
    assert leaves_slots_out(tmp_path / "out")
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


def build_shares(shares, on_fast, fix, folder, model="gpt2-tiny"):
    """Data ranks with these shares, the first `on_fast` of them on fast devices. The
    shares of the search take the place of those in its plan, and it is priced anew."""
    degrees = dict(part.split("=") for part in fix.split(","))
    each = math.prod(int(degrees.get(axis, 1)) for axis in ("pp", "cp", "tp"))
    cluster = two_kinds(folder, each * on_fast, each * (len(shares) - on_fast))
    out = folder / "out"
    micro_batch = SEQUENCES // sum(shares)
    run_tool(
        "shardsmith", "plan", ROOT / f"test/models/{model}.mlir", "--cluster", cluster,
        "--fix", f"dp={len(shares)},micro-batch={micro_batch},{fix}", "--optimizer", "sgd",
        "--momentum", 0.9, "--lr", 0.1, "-o", out,
    )  # fmt: skip
    plan = json.loads((out / "plan.json").read_text())
    strategy = plan["strategy"]
    strategy["data_shares"] = [
        {"pool": int(rank >= on_fast), "ranks": 1, "micro_batches": share}
        for rank, share in enumerate(shares)
    ]
    strategy["device_order"] = ["tensor", "context", "pipeline", "data"]
    for stage in strategy["stages"]:
        stage["pool"] = 0
    # `compile` makes the program anew.
    for part, key in [("layouts", "train_step"), ("prediction", "train_step"), ("search", "layouts")]:
        del plan[part][key]
    (out / "plan.json").write_text(json.dumps(plan))
    priced = json.loads(run_tool("shardsmith", "explain", out, "--json"))
    priced["search"] |= {"cost": priced["prediction"]["step_ns"], "proof": "bounded"}
    (out / "plan.json").write_text(json.dumps(priced))
    run_tool("shardsmith", "compile", out, "--dump-dir", out / "ir")
    assert_waits_as_planned(out)
    return json.loads((out / "plan.json").read_text())


# All ranks go through as many slots as the busiest one has micro-batches.
@pytest.mark.parametrize(
    "shares, on_fast, fix",
    [
        ([5, 1], 1, "zero=3"),
        ([1, 5, 2], 2, "zero=2,recompute=full"),
        ([3, 5], 1, "pp=2,schedule=zb-h1,zero=2"),
        ([1, 3], 1, "tp=2,zero=3"),
    ],
)
def test_shares_of_ranks_that_split_gradients(shares, on_fast, fix, one_rank, tmp_path):
    plan = build_shares(shares, on_fast, fix, tmp_path)
    assert plan["layouts"]["train_step"]["shares"] == shares
    assert plan["layouts"]["train_step"]["micro_batches"] == max(shares)
    assert_trains_as(one_rank, tmp_path / "out")


def test_tensor_and_context_ranks_swap_without_other_data_ranks(tmp_path):
    alone = final_state("llama-tiny", 1, "recompute=none", tmp_path / "one")
    fix = "cp=2,tp=2,context-method=all-to-all,zero=0"
    plan = build_shares([3, 1], 1, fix, tmp_path, "llama-tiny")
    assert plan["layouts"]["train_step"]["shares"] == [3, 1]
    assert leaves_slots_out(tmp_path / "out")
    local = (tmp_path / "out/ir/05-local.mlir").read_text()
    micro_batch = local[local.index("@micro_batch(") :]
    swap = "pairs = [[0, 0], [1, 2], [2, 1], [3, 3], [4, 4], [5, 6], [6, 5], [7, 7]]"
    assert f'over ["context", "tensor"] {swap}' in micro_batch
    # The data rank with three micro-batches sends three times as much.
    collectives = plan["prediction"]["train_step"]["collectives"]
    sent = [
        each["bytes_of_ranks"] for each in collectives
        if each["collective"] == "permute" and set(each["axes"]) == {"context", "tensor"}
    ]  # fmt: skip
    assert sent and all(of_ranks[:4] == [3 * size for size in of_ranks[4:]] for of_ranks in sent)
    assert_trains_as(alone, tmp_path / "out")


def draw_shares(rng):
    """From one to five micro-batches on each data rank, two to six ranks."""
    inner = rng.choice(["", "pp=2", "tp=2"])
    ranks = rng.randint(2, 3 if inner else 6)
    while True:
        shares = [rng.randint(1, 5) for _ in range(ranks)]
        if sum(shares) in divisors(SEQUENCES) and len(set(shares)) > 1:
            break
    fix = [f"zero={rng.choice([2, 3])}", f"recompute={rng.choice(['none', 'selective', 'full'])}"]
    if inner == "pp=2":
        inner += f",schedule={rng.choice(['gpipe', '1f1b', 'eager-1f1b', 'zb-h1'])}"
    return shares, rng.randint(1, ranks - 1), ",".join([*fix, *([inner] if inner else [])])


@pytest.mark.parametrize("number", range(DRAWN))
def test_drawn_shares_of_ranks_that_split_gradients(number, one_rank, tmp_path):
    shares, on_fast, fix = draw_shares(random.Random(SEED + number))
    print(f"seed {SEED + number}: shares {shares}, {on_fast} of them on fast devices, {fix}")
    plan = build_shares(shares, on_fast, fix, tmp_path)
    assert plan["layouts"]["train_step"]["shares"] == shares
    assert_trains_as(one_rank, tmp_path / "out")


@pytest.mark.parametrize("zero", [2, 3])
def test_faster_devices_take_no_more_where_all_wait(zero, one_rank, tmp_path):
    """A share that is larger than that of others would make them wait."""
    plan = build("gpt2-tiny", two_kinds(tmp_path, 1, 1), f"dp=2,micro-batch=2,zero={zero}", tmp_path / "out")
    assert "shares" not in plan["layouts"]["train_step"]
    assert {each["micro_batches"] for each in plan["strategy"]["data_shares"]} == {6}
    assert_trains_as(one_rank, tmp_path / "out")
