# SPDX-License-Identifier: Apache-2.0
"""Plans with stages run: every schedule family, with every other axis.

Strategies are drawn from the planner's space, and of pipelines some get a table
in place of the family's schedule: one that is searched, or any that is legal.
Each is built, its folder is checked, one step of its program is compared with
the model's (`verify`), and what ranks send is what the plan says.
SHARDSMITH_STRATEGIES gives their number, SHARDSMITH_TEST_SEED the first one.
"""

import functools
import json
import math
import os
import random
import re
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
from drawn_strategies import (
    CONFIGURATIONS,
    MIXTURES,
    MODELS,
    MOST_MICRO_BATCHES,
    SEQUENCES,
    assert_is_as_given,
    assert_is_outside,
    draw,
    draw_cluster,
    draw_table,
    draw_widely,
    two_kinds,
)
from quick_programs import draw_code
from ranks_of_plans import assert_ranks_are_as_planned
from safetensors.numpy import load_file
from seeds import random_seed
from table_of_plans import noted_table
from tools import ROOT, run_tool, tool

COUNT = int(os.environ.get("SHARDSMITH_STRATEGIES", "102"))
SEED = random_seed() % 2**31
DRAWN_PER_TEST = 6
# Of what a test draws, in turn.
KINDS = [MODELS] * 12 + [[model] for model in CONFIGURATIONS]
USUAL_ORDER = ["tensor", "context", "data", "pipeline"]
# How often what is unusual is drawn with the rest: shares of data ranks that
# differ, idle devices, axes in any order over devices.
WIDELY = float(os.environ.get("SHARDSMITH_WIDELY", "0.5"))
# How often attention is one op, which for these lengths it is not otherwise.
ONE_OP = float(os.environ.get("SHARDSMITH_ONE_OP", "0.5"))
# How often experts have a capacity, of models that have experts.
LIMITED = float(os.environ.get("SHARDSMITH_LIMITED", "0.25"))
# Of the largest element of a result. Roundings are sampled instead where they
# are large, in bf16, or all there is, in the gradients of biases of keys.
TOLERANCE = ["--tolerance", 1e-4]
SAMPLED = ["gpt2-tiny-bf16", "bert", "vit"]


def source_of(model, folder, sequences=SEQUENCES):
    """What `compile` is given for a model of test/models or a configuration."""
    if model in MODELS:
        return [ROOT / f"test/models/{model}.mlir"]
    path = folder.parent / f"{model}.json"
    path.write_text(json.dumps(CONFIGURATIONS[model][0]))
    length = [] if model == "vit" else ["--seq", "8"]
    return [path, "--global-batch", str(sequences), "--dtype", "f32", *length]


def compile_model(
    model, ranks, fix, folder, *options, cluster=None, sequences=SEQUENCES, command="compile"
):
    return subprocess.run(
        [
            tool("shardsmith"), command, *source_of(model, folder, sequences),
            "--cluster", cluster or f"cpu:{ranks}", "--fix", fix, "--optimizer", "sgd",
            "--momentum", "0.9", "--lr", "0.1", "-o", folder, *options,
        ],
        capture_output=True,
        text=True,
    )  # fmt: skip


def give_schedule(rng, folder):
    """Builds the folder's plan with another schedule; says with which."""
    plan = json.loads((folder / "plan.json").read_text())
    how = ["--search-schedule"]
    if rng.random() < 0.7:
        table = folder.parent / "table.csv"
        table.write_text(
            draw_table(
                rng,
                plan["strategy"]["degrees"]["pipeline"],
                len(plan["strategy"]["stages"]),
                plan["layouts"]["train_step"].get("micro_batches", 1),
            )
        )
        how = ["--schedule-csv", table]
    run_tool("shardsmith", "compile", folder, *how, "--dump-dir", folder / "ir")
    return "a table" if len(how) > 1 else "searched"


def assert_sent_as_planned(folder, steps):
    """The counters of all ranks, against what plan.json says per step."""
    plan = json.loads((folder / "plan.json").read_text())
    report = json.loads(run_tool("shardsmith", "run", folder, "--steps", steps, "--json"))
    assert_ranks_are_as_planned(plan, report, steps, folder)
    return report


# How far the losses of three steps may be from those of one rank.
LOSSES_WITHIN = {"gpt2-tiny-bf16": 3e-2} | {model: 1e-3 for model in MIXTURES}
STEPS = 3


@functools.cache
def losses_alone(model, sequences, *limits):
    """Of three steps on one rank, with options that change what is computed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "alone"
        done = compile_model(model, 1, "devices=1", folder, *limits, sequences=sequences)
        assert done.returncode == 0, done.stderr
        return json.loads(run_tool("shardsmith", "run", folder, "--steps", STEPS, "--json"))["losses"]


def assert_trains(report, model, sequences, case, *limits):
    within = LOSSES_WITHIN.get(model, 1e-4)
    alone = losses_alone(model, sequences, *limits)
    assert report["losses"] == pytest.approx(alone, rel=within), case


def leaves_slots_out(folder):
    """Whether data ranks do no more than their own micro-batches."""
    lines = (folder / "ir/05-local.mlir").read_text().splitlines()
    # @main says how many these are in any case.
    return any("smith.counts" in line and "@main(" not in line for line in lines)


def assert_waits_as_planned(folder):
    """Of different shares: data ranks go through as many slots as the plan is priced
    with (`Strategy::waitsPerMicroBatch`)."""
    plan = json.loads((folder / "plan.json").read_text())
    step = plan["layouts"]["train_step"]
    if "shares" in step:
        waits = plan["strategy"]["zero"]["stage"] > 1
        waits |= "expert" in [axis["name"] for axis in step["mesh"]]
        assert leaves_slots_out(folder) != waits


def unusual(plan, devices):
    """What else there is about a plan, for the table of what ran."""
    step, strategy = plan["layouts"]["train_step"], plan["strategy"]
    used = math.prod(axis["size"] for axis in step["mesh"])
    order = strategy.get("device_order", USUAL_ORDER)
    exchanges = "shares" in step and strategy["zero"]["stage"] > 1
    return {
        "different shares": "shares" in step,
        "different shares of ZeRO-2 and ZeRO-3": exchanges,
        "two kinds of device": "data_shares" in strategy,
        "idle devices": used < devices,
        "another order of devices": order != USUAL_ORDER,
    }


@pytest.fixture(scope="module")
def table():
    """Of the plans that are drawn."""
    yield from noted_table("drawn plans that train as the model does")


def run_drawn(rng, count, models, what, tmp_path, table, monkeypatch):
    """Compiles, checks, verifies and runs that many of what is drawn."""
    ran = outside = 0
    while ran < count:
        how_drawn = draw_widely if rng.random() < WIDELY else draw
        # Files of test/models have a batch of their own.
        sequences = SEQUENCES if models == MODELS else rng.choice([SEQUENCES, MOST_MICRO_BATCHES])
        model, ranks, fix = how_drawn(rng, models, sequences)
        case = f"{what}: {model} on {ranks} ranks, {sequences} sequences, {fix}"
        folder = tmp_path / "out"
        limits = []
        if model in MIXTURES and rng.random() < LIMITED:
            limits = ["--expert-capacity", "0.75"]
        options = ["--attention-scores", "0"] if rng.random() < ONE_OP else []
        options += limits
        cluster = f"cpu:{ranks}"
        if how_drawn is draw_widely:
            cluster = draw_cluster(rng, ranks, fix, tmp_path)
        code = draw_code(rng, monkeypatch)
        case += " ".join(["", *options, f"on {cluster} with {code}"])
        options += ["--dump-dir", folder / "ir"]
        # A schedule of one's own is for one kind of device.
        is_own = "schedule" in fix and isinstance(cluster, str) and rng.random() < 0.35
        done = compile_model(
            model, ranks, fix, folder, *options, cluster=cluster, sequences=sequences,
            command="plan" if is_own else "compile",
        )  # fmt: skip
        if done.returncode == 2:
            assert_is_outside(done, case)
            outside += 1
            assert outside < 30 * count, "nearly all that is drawn is outside"
            continue
        assert done.returncode == 0, f"{case}: {done.stderr}"
        # Causal rings are as balanced as the planner has priced them: twice their ranks
        # divide the positions of all models.
        assert "positions stay in the order" not in done.stderr, f"{case}: {done.stderr}"
        schedule = None
        if is_own:
            schedule = give_schedule(rng, folder)
            case += f", {schedule}"
        assert_is_as_given(json.loads((folder / "plan.json").read_text()), fix, case)
        # Matrices of experts may be split over data ranks that wait then
        # (docs/micro-batches.md).
        if model not in CONFIGURATIONS or CONFIGURATIONS[model][1] == [1]:
            assert_waits_as_planned(folder)
        how = ["--samples", 16] if model in SAMPLED else TOLERANCE
        assert "0 mismatches" in run_tool("shardsmith", "verify", folder, *how), case
        assert "accepted" in run_tool("shardsmith", "check", folder), case
        assert_trains(assert_sent_as_planned(folder, STEPS), model, sequences, case, *limits)
        ran += 1
        plan = json.loads((folder / "plan.json").read_text())
        beside = [what_else for what_else, is_so in unusual(plan, ranks).items() if is_so]
        table.add(plan, schedule, beside)


@pytest.mark.parametrize("number", range(-(-COUNT // DRAWN_PER_TEST)))
def test_drawn_strategies_train_as_the_model_does(number, tmp_path, table, monkeypatch):
    models = KINDS[number % len(KINDS)]
    what = f"seed {SEED}, test {number}"
    rng = random.Random(SEED + number)
    run_drawn(rng, DRAWN_PER_TEST, models, what, tmp_path, table, monkeypatch)


# Strategies that were built wrongly, or not at all, when they were drawn.
@pytest.mark.parametrize(
    "model, ranks, fix",
    [
        # LLVM gave the row of an exchange's elements another number.
        ("bert", 6, "dp=3,tp=1,cp=2,pp=1,micro-batch=8,recompute=none,context-method=all-to-all"),
        # 17 positions were kept on 8 ranks, two of them without any.
        ("vit", 8, "dp=1,tp=4,cp=2,pp=1,micro-batch=24,recompute=full,context-method=ring"),
    ],
)
def test_what_draws_have_found(model, ranks, fix, tmp_path):
    folder = tmp_path / "out"
    done = compile_model(model, ranks, fix, folder)
    assert done.returncode == 0, done.stderr
    assert "0 mismatches" in run_tool("shardsmith", "verify", folder, "--samples", 16)


def test_a_batch_too_small_for_the_schedule(tmp_path):
    """Six micro-batches on four data ranks: none gets the four that DualPipeV needs. On
    two kinds of device each was given four all the same."""
    fix = "dp=4,pp=2,micro-batch=4,zero=1,schedule=dualpipe-v,order=cp-pp-dp-tp"
    cluster = two_kinds(tmp_path, 6, 2)
    done = compile_model("gpt2-tiny", 8, fix, tmp_path / "out", cluster=cluster)
    assert done.returncode == 2 and "leaves no plan" in done.stderr


def final_state(model, ranks, fix, folder):
    done = compile_model(model, ranks, fix, folder)
    assert done.returncode == 0, done.stderr
    return train_three_steps(folder)


def train_three_steps(folder):
    """Losses, and parameters and states at the end."""
    results = folder / "results.safetensors"
    report = json.loads(
        run_tool(
            "shardsmith", "run", folder, "--steps", 3, "--seed", 5, "--json",
            "--dump-outputs", results,
        )
    )  # fmt: skip
    return np.array(report["losses"]), load_file(results)


# Tied parameters at both ends, uneven stages, several stages per rank.
@pytest.mark.parametrize("model", ["gpt2-tiny", "llama-tiny"])
def test_stages_train_as_one_rank_does(model, tmp_path):
    losses, state = final_state(model, 1, "recompute=none", tmp_path / "one")
    for number, (ranks, fix) in enumerate(
        [
            (2, "pp=2,micro-batch=24,schedule=gpipe"),
            (3, "pp=3,micro-batch=4,schedule=1f1b"),
            (4, "pp=2,dp=2,micro-batch=3,schedule=zb-v,zero=1"),
            (4, "pp=2,tp=2,micro-batch=2,schedule=interleaved,vpp=2"),
            (8, "pp=2,tp=2,dp=2,micro-batch=1,schedule=zb-h1,zero=3,recompute=full"),
        ]
    ):
        others, other = final_state(model, ranks, fix, tmp_path / str(number))
        assert np.allclose(others, losses, rtol=1e-5), fix
        assert state.keys() == other.keys()
        for name, value in state.items():
            scale = max(np.abs(value).max(), 1e-3)
            assert np.abs(other[name] - value).max() <= 2e-5 * scale, f"{fix}: {name}"


RINGS = [
    (2, "cp=2,micro-batch=24"),
    (4, "cp=4,micro-batch=12,recompute=full"),
    (4, "cp=2,tp=2,micro-batch=24"),
    (4, "cp=2,dp=2,micro-batch=6,zero=1"),
    (4, "cp=2,pp=2,micro-batch=6,schedule=1f1b"),
]
# Positions, features of keys and values together, layers.
KEYS_OF = {"gpt2-tiny": (16, 80, 2), "llama-tiny": (16, 32, 2), "bert": (8, 64, 4)}


def ring_bytes(model, fix):
    """Once around per layer forward and again in what is recomputed, twice
    backward, as docs/step-time.md prices a ring: per sample, in f32."""
    positions, features, layers = KEYS_OF[model]
    degrees = dict(part.split("=") for part in fix.split(","))
    ranks = int(degrees["cp"])
    turns = 4 if degrees.get("recompute") == "full" else 3
    local = positions // ranks * features * 4 * SEQUENCES // int(degrees.get("dp", 1))
    local //= int(degrees.get("tp", 1))
    # A rank of a pipeline has a part of the layers.
    return turns * (ranks - 1) * local * layers // int(degrees.get("pp", 1))


@pytest.mark.parametrize("model", KEYS_OF)
def test_rings_train_as_one_rank_does(model, tmp_path):
    losses, state = final_state(model, 1, "recompute=none", tmp_path / "one")
    for number, (ranks, fix) in enumerate(RINGS):
        if model != "gpt2-tiny" and number > 1:
            continue
        folder = tmp_path / str(number)
        others, other = final_state(model, ranks, fix + ",context-method=ring", folder)
        assert np.allclose(others, losses, rtol=1e-5), fix
        for name, value in state.items():
            scale = max(np.abs(value).max(), 1e-3)
            assert np.abs(other[name] - value).max() <= 5e-5 * scale, f"{fix}: {name}"
        report = assert_sent_as_planned(folder, 1)
        sent = [each["bytes"] for each in report["communication"] if each["kind"] == "permute"]
        assert sent == [ring_bytes(model, fix)], fix


RINGS_OF_MIXTURES = [
    (2, "cp=2,ep=1,micro-batch=24"),
    (4, "cp=4,ep=2,micro-batch=12,recompute=full"),
    (4, "cp=2,dp=2,ep=2,micro-batch=6"),
    (4, "cp=2,ep=2,pp=2,micro-batch=6,schedule=1f1b"),
]


@pytest.mark.parametrize("model", MIXTURES)
def test_rings_of_mixtures_are_balanced(model, tmp_path):
    losses, state = final_state(model, 1, "recompute=none", tmp_path / "one")
    for number, (ranks, fix) in enumerate(RINGS_OF_MIXTURES):
        folder = tmp_path / str(number)
        dump = ["--dump-dir", folder / "ir"]
        done = compile_model(model, ranks, fix + ",context-method=ring", folder, *dump)
        assert done.returncode == 0, done.stderr
        step = (folder / "ir/01-train-step.mlir").read_text()
        attentions = re.findall(r"smith\.attention .*", step)
        assert attentions and all(" ring zigzag = " in each for each in attentions), fix
        assert "accepted" in run_tool("shardsmith", "check", folder), fix
        assert "0 mismatches" in run_tool("shardsmith", "verify", folder, *TOLERANCE), fix
        others, other = train_three_steps(folder)
        assert np.allclose(others, losses, rtol=1e-5), fix
        for name, value in state.items():
            scale = max(np.abs(value).max(), 1e-3)
            assert np.abs(other[name] - value).max() <= 1e-4 * scale, f"{fix}: {name}"
        assert_sent_as_planned(folder, 1)


def test_ranks_of_a_ring_hold_their_own_keys_only(tmp_path):
    """Of GPT-2 with 1024 positions and one layer: two ranks never have all keys."""
    model = {
        "model_type": "gpt2", "n_embd": 64, "n_layer": 1, "n_head": 2, "vocab_size": 64,
        "n_positions": 1024,
    }  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps(model))
    peaks = {}
    for method in ("ring", "all-to-all"):
        folder = tmp_path / method
        run_tool(
            "shardsmith", "compile", tmp_path / "config.json", "--seq", 1024, "--global-batch", 2,
            "--dtype", "f32", "--cluster", "cpu:2", "--fix",
            f"cp=2,context-method={method},micro-batch=2", "-o", folder, "--dump-dir", folder / "ir",
        )  # fmt: skip
        local = (folder / "ir/05-local.mlir").read_text()
        assert (": tensor<2x2x512x32xf32>" in local) == (method == "ring")
        assert not re.search(r"tensor<\d+x\d+x(\d+x)?1024x32xf32>", local) or method != "ring"
        assert "x1024x1024x" not in local and "x512x1024x" not in local
        predicted = json.loads((folder / "plan.json").read_text())["prediction"]["train_step"]
        peaks[method] = predicted["memory_bytes_per_rank"]["peak"]
        report = json.loads(run_tool("shardsmith", "run", folder, "--steps", 1, "--json"))
        assert max(report["arena_bytes_of_ranks"]) == peaks[method]
    assert peaks["ring"] < 1.05 * peaks["all-to-all"], peaks


def test_checkpoints_do_not_know_stages(tmp_path):
    """Two steps of a pipeline, resumed by one rank, are four steps of one."""
    fix = "pp=2,micro-batch=6,schedule=1f1b"
    assert compile_model("gpt2-tiny", 2, fix, tmp_path / "two").returncode == 0
    assert compile_model("gpt2-tiny", 1, "recompute=none", tmp_path / "one").returncode == 0
    checkpoints = tmp_path / "checkpoints"
    options = ["--seed", 3, "--json"]
    first = run_tool(
        "shardsmith", "run", tmp_path / "two", "--steps", 2, "--checkpoint-dir", checkpoints,
        *options,
    )  # fmt: skip
    rest = run_tool(
        "shardsmith", "run", tmp_path / "one", "--steps", 4, "--checkpoint-dir", checkpoints,
        "--resume", *options,
    )  # fmt: skip
    whole = run_tool("shardsmith", "run", tmp_path / "one", "--steps", 4, *options)
    losses = json.loads(first)["losses"] + json.loads(rest)["losses"]
    assert np.allclose(losses, json.loads(whole)["losses"], rtol=1e-5)


def test_checkpoints_of_other_models_are_refused(tmp_path):
    """With the first tensor that differs."""
    for model in ("gpt2-tiny", "llama-tiny"):
        fix = "pp=2,micro-batch=12,schedule=gpipe"
        assert compile_model(model, 2, fix, tmp_path / model).returncode == 0
    checkpoints = ["--checkpoint-dir", tmp_path / "checkpoints", "--quiet"]
    run_tool("shardsmith", "run", tmp_path / "gpt2-tiny", "--steps", 1, *checkpoints)
    done = subprocess.run(
        [tool("shardsmith"), "run", tmp_path / "llama-tiny", *checkpoints, "--resume"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 3
    assert re.search(r'tensor "[\w.\[\]]+" is missing; expected f32 \[\d', done.stderr)


def children_of(process):
    """Process numbers, in the order in which they were started."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            # The name in parentheses may have spaces; its state and its parent follow.
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
        if parent == process:
            found.append(int(folder.name))
    return sorted(found)


def test_others_stop_when_a_rank_of_a_pipeline_dies(tmp_path):
    """Within ten seconds, naming rank, step and pass."""
    fix = "pp=4,micro-batch=2,schedule=1f1b"
    assert compile_model("gpt2-tiny", 4, fix, tmp_path / "out").returncode == 0
    metrics = tmp_path / "metrics.jsonl"
    run = subprocess.Popen(
        [
            tool("shardsmith"), "run", tmp_path / "out", "--steps", "1000000", "--quiet",
            "--metrics", metrics,
        ],
        stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 60
        while not (metrics.exists() and metrics.stat().st_size):
            assert time.monotonic() < deadline and run.poll() is None
            time.sleep(0.05)
        ranks = children_of(run.pid)
        assert len(ranks) == 4
        victim = random.Random(SEED).randrange(4)
        os.kill(ranks[victim], signal.SIGKILL)
        _, errors = run.communicate(timeout=10)
    finally:
        run.kill()
    assert run.returncode not in (0, None)
    place = r"step \d+, (?:in|after) \d[FIW]\d+(?: of the step before)?"
    said = re.findall(rf"^shardsmith: rank (\d), {place}: ", errors, re.M)
    assert said, errors
    assert str(victim) not in said
    assert f"rank {victim} (process {ranks[victim]}) died" in errors


def test_memory_of_every_rank_is_what_the_plan_says(tmp_path):
    fix = "pp=4,micro-batch=6,schedule=1f1b"
    assert compile_model("gpt2-tiny", 4, fix, tmp_path / "out").returncode == 0
    arenas = assert_sent_as_planned(tmp_path / "out", 1)["arena_bytes_of_ranks"]
    # Later stages keep fewer micro-batches.
    assert arenas[1] > arenas[2]


# The token table of gpt2-tiny is read by the first and the last stage.
@pytest.mark.parametrize("ranks, fix", [
    (2, "pp=2,schedule=1f1b,micro-batch=6"),
    (3, "pp=3,schedule=gpipe,micro-batch=4"),
    (2, "pp=2,schedule=zb-v,micro-batch=4"),
])  # fmt: skip
def test_ranks_exchange_what_they_share_as_it_is_priced(ranks, fix, tmp_path):
    run_tool("shardsmith", "plan", ROOT / "test/models/gpt2-tiny.mlir", "--cluster",
             f"cpu:{ranks}", "--fix", fix, "-o", tmp_path)  # fmt: skip
    # A message each way per micro-batch and border between ranks.
    sequences, positions, hidden, vocabulary = 24, 16, 40, 101
    passed_on = sequences * positions * hidden * 4
    stages = len(json.loads((tmp_path / "plan.json").read_text())["strategy"]["stages"])
    is_folded = "zb-v" in fix
    borders = stages - 1 - is_folded
    # Of the table its gradient and its new value.
    shared = 0 if is_folded else 2 * vocabulary * hidden * 4

    report = run_tool("shardsmith", "inspect", tmp_path, "--collectives")
    sent = 0
    for count, size, more in re.findall(r"send to \d+ .* (\d+) x f32 +(\d+) bytes(?:  (\d+) in a row)?", report):
        # Losses go to all ranks.
        sent += int(size) * int(more or 1) * (int(count) > 1)
    assert sent == 2 * borders * passed_on + shared

    checked = json.loads(run_tool("shardsmith", "check", tmp_path, "--json"))
    priced = sum(each["bytes"] for rank in checked["collectives_of_rank"] for each in rank)
    # Both holders of the table send one of the two and wait for the other.
    assert priced == (stages - 1) * passed_on + 2 * shared
