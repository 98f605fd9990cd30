# SPDX-License-Identifier: Apache-2.0
"""Rows go to the ranks of their experts in exchanges of exactly the rows, and
experts may have a capacity: steps are those of plain JAX with the same weights,
whatever the routing and the number of ranks."""

import json
import os
import re
import shutil
import subprocess
from collections import Counter

import pytest

jax = pytest.importorskip("jax")

import numpy as np  # noqa: E402
import reference_models  # noqa: E402
from seeds import random_seed  # noqa: E402
from safetensors.numpy import load_file, save_file  # noqa: E402
from test_experts import (  # noqa: E402
    DEEPSEEK,
    MIXTRAL,
    QWEN3,
    SGD,
    SIZES,
    UNEVEN,
    as_published,
    claimed,
    counted,
    draw_weights,
    is_decided,
)
from tools import run_tool  # noqa: E402
from training import shardsmith, train  # noqa: E402

ROWS = ["--expert-exchange", "rows"]
OVERSUBSCRIBED = ["--oversubscribe", "--allow-run-as-root"]
# Odd sizes of everything that rows do not share out.
ODD = MIXTRAL | {
    "hidden_size": 22,
    "intermediate_size": 7,
    "num_local_experts": 7,
    "num_attention_heads": 1,
    "num_key_value_heads": 1,
}


def spread(routing, weights):
    """Weights whose routers send all tokens to the first experts, so that others
    have none, or leave them as they are."""
    if routing == "drawn":
        return weights
    return {
        key: np.zeros_like(w) if ".gate.weight" in key or "score_correction" in key else w
        for key, w in weights.items()
    }


class Run:
    """A step of a program, and the step that JAX makes of the same weights."""

    def __init__(self, config, ranks, fix, tmp_path, options, routing="drawn", flags=()):
        source, build = tmp_path / "model", tmp_path / "build"
        tuned, batches = tmp_path / "tuned", tmp_path / "batches"
        source.mkdir()
        model = {key: value for key, value in config.items() if key != "capacity"}
        (source / "config.json").write_text(json.dumps(model))
        cluster = ["--cluster", f"cpu:{ranks}", "--fix", fix]
        shardsmith("compile", source, *cluster, *SIZES, *SGD, *options, "-o", build)
        saving = ["--save-weights", tuned, "--save-batches", batches]
        seed = random_seed()
        with jax.enable_x64(True):
            for attempt in range(seed, seed + 5):
                weights = spread(routing, draw_weights(model, source, attempt))
                save_file(as_published(weights), source / "model.safetensors", {"format": "pt"})
                self.report = train(build, ranks, 1, "--init", source, *saving, *flags)
                batch = {k.split("batch.")[1]: v for k, v in load_file(batches).items()}
                weights = {key: w.astype(np.float64) for key, w in weights.items()}
                if is_decided(weights, batch, config, np.random.default_rng(attempt)):
                    break
            self.dropped = count_dropped(weights, batch, config)
            loss, gradients = jax.value_and_grad(reference_models.llama)(weights, batch, config)
        np.testing.assert_allclose(self.report["losses"][0], loss, rtol=1e-5)
        stepped = as_published({key: w - 0.1 * gradients[key] for key, w in weights.items()})
        written = load_file(tuned / "model.safetensors")
        assert written.keys() == stepped.keys()
        for key, expected in stepped.items():
            np.testing.assert_allclose(written[key], expected, rtol=2e-4, atol=4e-6, err_msg=key)
        self.plan = json.loads((build / "plan.json").read_text())
        self.build = build

    def bytes(self, of):
        kinds = of(self.report) if of is counted else of(self.plan["prediction"]["train_step"])
        rows = sum(value for (kind, _), value in kinds.items() if kind == "all_to_all_rows")
        others = Counter(
            {key: value for key, value in kinds.items() if key[0] != "all_to_all_rows"}
        )
        return rows, others


# Short forms of what SHARDSMITH_LONG_TESTS=1 runs.
LONG = os.environ.get("SHARDSMITH_LONG_TESTS") == "1"
CASES = {
    "mixtral": (MIXTRAL, 4, "dp=4,ep=4", "one way"),
    "odd": (ODD, 4, "dp=4,ep=2", "drawn"),
    "deepseek": (DEEPSEEK, 4, "dp=2,ep=2,tp=2", "one way"),
}
LONG_CASES = {
    "mixtral-ep2": (MIXTRAL, 2, "dp=2,ep=2", "drawn"),
    "mixtral-ep4": (MIXTRAL, 4, "dp=4,ep=4,micro-batch=1", "drawn"),
    "uneven": (UNEVEN, 2, "dp=2,ep=2", "drawn"),
    "qwen3-tp2": (QWEN3, 4, "dp=2,ep=2,tp=2", "drawn"),
    "qwen3-pp2": (QWEN3, 4, "dp=2,ep=2,pp=2,micro-batch=2", "one way"),
    "deepseek-ep4": (DEEPSEEK, 4, "dp=4,ep=4", "drawn"),
    "deepseek-zero": (DEEPSEEK, 4, "dp=4,ep=2,zero=3", "one way"),
}
if LONG:
    CASES |= LONG_CASES


@pytest.mark.parametrize("name", CASES)
def test_exactly_the_rows_travel(name, tmp_path):
    config, ranks, fix, routing = CASES[name]
    run = Run(config, ranks, fix, tmp_path, ROWS, routing)
    expected, planned = run.bytes(claimed)
    sent, others = run.bytes(counted)
    # Everything but rows is known before, to the byte.
    assert others == planned
    assert expected > 0
    assert run.report["predicted"]["row_bytes_per_rank"] == expected
    assert max(run.report["arena_bytes_of_ranks"]) == (
        run.plan["prediction"]["train_step"]["memory_bytes_per_rank"]["peak"]
    )
    experts = int(dict(part.split("=") for part in fix.split(","))["ep"])
    # The first rank may have all rows, and has those of others to send back.
    assert sent <= expected * experts
    if LONG or name == "deepseek":
        assert "accepted" in run_tool("shardsmith", "check", run.build)
        assert "0 mismatches" in run_tool("shardsmith", "verify", run.build)


def test_a_rank_with_all_rows_sends_only_those_of_others(tmp_path):
    """By hand: 24 tokens of a rank with three rows each of 24 floats, forwards and
    backwards, to a rank that has the first three experts."""
    run = Run(QWEN3, 2, "dp=2,ep=2", tmp_path, ROWS, "one way")
    layers, passes, rows, row_bytes = 2, 2, 24 * 3, 24 * 4
    # Rank 0 sends nothing there and all of the other rank's back.
    assert run.bytes(counted)[0] == layers * passes * rows * row_bytes
    # If half of each rank's rows went each way: half as much, twice.
    assert run.bytes(claimed)[0] == layers * passes * 2 * rows // 2 * row_bytes


def test_messages_carry_the_rows_as_well(tmp_path):
    """Ranks that share no memory: the same rows, and the same bits."""
    if not shutil.which("mpirun"):
        pytest.skip("mpirun is not installed")
    (tmp_path / "config.json").write_text(json.dumps(MIXTRAL))
    build = tmp_path / "build"
    request = [tmp_path / "config.json", "--cluster", "cpu:2", "--fix", "dp=2,ep=2", *SIZES, *ROWS]
    shardsmith("compile", *request, *SGD, "-o", build)
    steps = ["--steps", "2", "--seed", "3", "--json", "--quiet"]
    shared = json.loads(shardsmith("run", build, *steps)[0])
    command = ["mpirun", "-np", "2", *OVERSUBSCRIBED, build / "program", "--transport", "mpi"]
    done = subprocess.run([*map(str, command), *steps], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    messages = json.loads(done.stdout)
    assert messages["transport"] == "MPI" and shared["transport"] == "shared memory"
    for key in ("losses", "communication"):
        assert messages[key] == shared[key]


def count_dropped(weights, batch, config):
    """Rows that experts have no room for in the forward pass of JAX."""
    dropped, limit = [], reference_models.within_capacity

    def counting(weights, c):
        kept = limit(weights, c)
        dropped.append(int((weights != 0).sum() - (kept != 0).sum()))
        return kept

    reference_models.within_capacity = counting
    try:
        reference_models.llama(weights, batch, config)
    finally:
        reference_models.within_capacity = limit
    return sum(dropped)


LIMITED = {
    "exact": (MIXTRAL, 4, "dp=4,ep=4,micro-batch=1", 0.5, ROWS),
    "stages": (DEEPSEEK, 4, "dp=2,ep=2,pp=2,micro-batch=2", 0.8, ROWS),
    "context": (MIXTRAL, 4, "cp=2,dp=2,ep=4", 0.5, []),
}
LONG_LIMITED = {
    "one rank": (MIXTRAL, 1, "dp=1", 1.0, []),
    "recomputed": (MIXTRAL, 2, "dp=2,ep=2,recompute=full", 0.75, ROWS),
    "fixed": (QWEN3, 4, "dp=2,ep=2,tp=2", 0.8, ["--expert-exchange", "fixed"]),
    "roomy": (DEEPSEEK, 2, "dp=2,ep=2", 8.0, ROWS),
}
if LONG:
    LIMITED |= LONG_LIMITED


@pytest.mark.parametrize("name", LIMITED)
def test_experts_take_what_they_have_room_for(name, tmp_path):
    """The definition does not mention ranks: JAX drops the same rows."""
    config, ranks, fix, factor, options = LIMITED[name]
    options = [*options, "--expert-capacity", factor]
    run = Run(config | {"capacity": factor}, ranks, fix, tmp_path, options)
    assert run.report["dropped_rows"] == [run.dropped]
    assert (run.dropped == 0) == (factor == 8.0)
    text = shardsmith("run", run.build, "--steps", "1")[0]
    assert re.search(r"loss \S+  dropped \d+  ", text)


def test_places_are_counted_in_the_order_of_the_sequence(tmp_path):
    """Also where ranks of a ring have positions from both ends."""
    options = ["--expert-capacity", 0.5, "--dump-dir", tmp_path / "dump"]
    fix = "cp=3,ep=1,context-method=ring"
    run = Run(MIXTRAL | {"capacity": 0.5}, 3, fix, tmp_path, options)
    limits = re.findall(r"smith\.limit_rows .*", (tmp_path / "dump/01-train-step.mlir").read_text())
    assert limits and all(" zigzag = 3 positions = 6 " in each for each in limits)
    assert run.report["dropped_rows"] == [run.dropped]
    assert run.dropped > 0


def test_capacities_are_positive_numbers(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(MIXTRAL))
    request = [tmp_path / "config.json", "--cluster", "cpu:2", *SIZES, "-o", tmp_path / "build"]
    for factor in ("0", "-1", "nan", "much"):
        err = shardsmith("compile", *request, "--expert-capacity", factor, code=2)[1]
        assert "--expert-capacity" in err
