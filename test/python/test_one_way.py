# SPDX-License-Identifier: Apache-2.0
"""From a plan to its program there is one way.

What `plan` prints, what lies in the folder of `compile`, the program itself and
what its ranks count agree: degrees, layouts of parameters, bytes by kind and
axes. And the program computes what the model says (`verify`).

Every model of test/models is built in ten configurations that are drawn, and
some in configurations that were once wrong or are rarely drawn. `make test`
draws of both; SHARDSMITH_LONG_TESTS=1 takes all. SHARDSMITH_TEST_SEED says which.
"""

import json
import math
import os
import random
import re
import subprocess
from collections import Counter

import pytest
from drawn_strategies import (
    MODELS,
    SEQUENCES,
    assert_is_as_given,
    assert_is_outside,
    draw,
)
from ranks_of_plans import assert_ranks_are_as_planned
from seeds import random_seed
from table_of_plans import noted_table
from tools import ROOT, run_tool, tool

LONG = os.environ.get("SHARDSMITH_LONG_TESTS") == "1"
SEED = random_seed() % 2**31
EVERY_MODEL = sorted(path.stem for path in (ROOT / "test/models").glob("*.mlir"))
# Not verified, which would take minutes; and how many sequences their steps have.
LARGE = {"gpt2-124m": 8, "llama-bench": 8}
# Configurations per model without SHARDSMITH_LONG_TESTS.
DRAWN = {"gpt2-124m": 0, "llama-bench": 1}
# Of a file that is a train step: its mesh is all that can be given.
STEP_MODEL = "gpt2-tiny-train-step"
MESHES = [
    (1, ""),
    (2, ""),
    (2, "data=2"),
    (2, "tensor=2"),
    (2, "fsdp=2"),
    (3, "data=3"),
    (4, ""),
    (4, "data=2,tensor=2"),
    (4, "fsdp=2,tensor=2"),
    (6, "fsdp=6"),
]
# Ranks and what is given; the fourth is what the search finds by itself.
CONFIGURATIONS = [
    (2, "dp=2,zero=0"),
    (2, "tp=2"),
    (2, "cp=2,context-method=ring"),
    (4, ""),
    (4, "tp=2,dp=2,zero=3"),
    (4, "cp=2,tp=2"),
    (4, "tp=4"),
    (4, "data=2,tensor=2"),
    (4, "dp=4,zero=1"),
    (4, "dp=2,tp=2,zero=2,recompute=full"),
    (2, "tp=2,recompute=selective"),
    (1, "recompute=full"),
    (8, "cp=2,tp=2,dp=2,zero=0"),
    (8, "cp=2,tp=2,dp=2,zero=3"),
    (8, "cp=2,dp=4,fsdp=2"),
    (4, "cp=2,dp=2,fsdp=1"),
    (6, "cp=2,dp=3,zero=1"),
]
# In micro-batches of so many of the models' 24 sequences.
SEQUENCES = 24
IN_MICRO_BATCHES = [
    (1, "micro-batch=8"),
    (2, "dp=2,zero=0,micro-batch=4"),
    (2, "tp=2,micro-batch=6"),
    (4, "dp=2,tp=2,zero=1,micro-batch=1"),
    (4, "dp=4,zero=3,micro-batch=2"),
    (4, "dp=2,tp=2,zero=3,micro-batch=3,recompute=full"),
    (4, "cp=2,dp=2,zero=1,micro-batch=6,recompute=selective"),
    (4, "cp=2,tp=2,micro-batch=12"),
    (6, "dp=3,tp=2,zero=1,micro-batch=2,recompute=full"),
    (4, "dp=2,tp=2,zero=2,micro-batch=4"),
    (8, "cp=2,tp=2,dp=2,zero=3,micro-batch=4"),
]
BYTES = {"f32": 4, "bf16": 2, "i32": 4, "ui32": 4, "i64": 8, "i1": 1}
# What a rank sends of what it has, in parts of one less than the group.
SHARES = {"all_reduce": 2, "all_gather": None, "reduce_scatter": 1, "all_to_all": 1}


def traffic_of(local, sizes):
    """Bytes that rank 0 sends, by kind and axes, from the text of the program.
    What it calls once per micro-batch counts as often."""
    main, *called = local.split("func.func private @micro_batch(")
    traffic = traffic_of_function(main, sizes)
    if called:
        count = int(re.search(r"smith.repeat @micro_batch count = (\d+)", main).group(1))
        for key, value in traffic_of_function(called[0], sizes).items():
            traffic[key] += count * value
    return traffic


def traffic_of_function(local, sizes):
    traffic = Counter()
    pattern = (
        r"smith\.(all_\w+|reduce_scatter|collective_permute) .*? over \[(.*?)\]"
        r"(.*) : .*?tensor<([^>]*)>"
    )
    for kind, axes, attributes, operand in re.findall(pattern, local):
        axes = tuple(re.findall(r'"(\w+)"', axes))
        group = math.prod(sizes[axis] for axis in axes)
        *shape, element = operand.split("x")
        held = math.prod(map(int, shape)) * BYTES[element]
        if kind == "all_gather":
            sent = held * (group - 1)
        elif kind == "collective_permute":
            # Of an exchange between neighbours the first rank has but one.
            sends = re.search(r"\[0, [1-9]\d*\]", attributes)
            kind, sent = "permute", held if sends else 0
        else:
            sent = SHARES[kind] * held * (group - 1) // group
        traffic[kind, axes] += sent
    return traffic


def layouts_of(local):
    """Of the program's parameters: per dimension the axes that split it."""
    layouts = {}
    header = next(line for line in local.splitlines() if "func.func" in line)
    arguments = header.split(") -> (")[0]
    for attributes in re.findall(r"tensor<[^>]*> \{(.*?smith\.role = \"\w+\")", arguments):
        name = re.search(r'smith\.name = "([^"]*)"', attributes)
        if 'smith.role = "param"' not in attributes or not name:
            continue
        dims = re.search(r"@mesh, \[(.*?)\]>", attributes)
        split = re.findall(r"\{(.*?)\}", dims.group(1)) if dims else []
        layouts[name.group(1)] = [re.findall(r'"(\w+)"', each) for each in split]
    return layouts


def some_models(models, fix):
    """All, or without SHARDSMITH_LONG_TESTS one that is drawn for what is given."""
    return models if LONG else [random.Random(f"{SEED} {fix}").choice(models)]


@pytest.mark.parametrize("ranks, fix", IN_MICRO_BATCHES)
def test_steps_in_micro_batches_agree(ranks, fix, tmp_path):
    for model in some_models(["gpt2-tiny-bf16", "llama-tiny"], fix):
        check_one_way(model, ranks, fix, tmp_path / model)


@pytest.mark.parametrize("ranks, fix", CONFIGURATIONS)
def test_plan_folder_program_and_ranks_agree(ranks, fix, tmp_path):
    for model in some_models(MODELS, fix):
        check_one_way(model, ranks, fix, tmp_path / model)


@pytest.fixture(scope="module")
def table():
    """Of the plans that are drawn."""
    yield from noted_table("drawn plans whose folder, program and ranks agree")


@pytest.mark.parametrize("model", [each for each in EVERY_MODEL if LONG or DRAWN.get(each, 3)])
def test_drawn_configurations_agree(model, tmp_path, table):
    count = 10 if LONG else DRAWN.get(model, 3)
    rng = random.Random(f"{SEED} {model}")
    if model == STEP_MODEL:
        for number, (ranks, fix) in enumerate(rng.sample(MESHES, count)):
            check_one_way(model, ranks, fix, tmp_path / str(number))
        return
    agreed = outside = 0
    while agreed < count:
        _, ranks, fix = draw(rng, [model], LARGE.get(model, SEQUENCES))
        folder = tmp_path / str(agreed)
        if check_one_way(model, ranks, fix, folder, outside_is_fine=True):
            agreed += 1
            table.add(json.loads((folder / "out/plan.json").read_text()))
        else:
            outside += 1
            assert outside < 60, "nearly all that is drawn is outside the space"


def check_one_way(model, ranks, fix, folder, outside_is_fine=False):
    """False if the plan is outside of the planner's space, and that is fine."""
    said = f"seed {SEED}: {model} on {ranks} ranks, {fix}"
    source = ROOT / f"test/models/{model}.mlir"
    request = [source, "--cluster", f"cpu:{ranks}", *(["--fix", fix] if fix else [])]
    command = [tool("shardsmith"), "plan", *map(str, request), "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if outside_is_fine and done.returncode == 2:
        assert_is_outside(done, said)
        return False
    assert done.returncode == 0, f"{said}: {done.stderr}"
    printed = json.loads(done.stdout)
    built, dump = folder / "out", folder / "dump"
    run_tool("shardsmith", "compile", *request, "-o", built, "--dump-dir", dump)
    kept = json.loads((built / "plan.json").read_text())
    assert printed == kept, said
    check_program(kept, built, dump, said)
    if "strategy" in kept:
        check_degrees(kept, ranks, said)
        if fix:
            assert_is_as_given(kept, fix, said)
    if model not in LARGE:
        assert "0 mismatches" in run_tool("shardsmith", "verify", built), said
    return True


def check_degrees(plan, ranks, said):
    """The strategy's degrees are the mesh's."""
    step = plan["layouts"]["train_step"]
    sizes = {axis["name"]: axis["size"] for axis in step["mesh"]}
    degrees = plan["strategy"]["degrees"]
    for axis in ("tensor", "context", "pipeline"):
        assert sizes.get(axis, 1) == degrees[axis], said
    data = [sizes.get(axis, 1) for axis in ("data", "fsdp", "zero_shard")]
    assert math.prod(data) == degrees["data"], said
    # A group of ZeRO's counts the context ranks of its data ranks.
    zero = plan["strategy"]["zero"]
    if zero["stage"] > 0:
        shards = math.prod(sizes.get(axis, 1) for axis in ("fsdp", "zero_shard"))
        group = zero.get("group", 0) or degrees["data"] * degrees["context"]
        assert shards * degrees["context"] == group, said
    assert math.prod(sizes.values()) == ranks, said
    micro_batches = step.get("micro_batches", 1)
    of_a_rank = micro_batches * plan["strategy"]["micro_batch"]
    assert of_a_rank * degrees["data"] == plan["model"]["global_batch"], said


def check_program(plan, built, dump, said):
    """Layouts of parameters and bytes by kind and axes: of the plan, in the text
    of the program, and as its ranks count."""
    step = plan["layouts"]["train_step"]
    sizes = {axis["name"]: axis["size"] for axis in step["mesh"]}
    local = (dump / "05-local.mlir").read_text()
    has_pipeline = sizes.get("pipeline", 1) > 1
    assert has_pipeline or ("smith.repeat" in local) == ("micro_batches" in step), said
    parameters = {t["name"]: t["axes"] for t in step["arguments"] if t["role"] == "param"}
    shown = layouts_of(local)
    assert shown.keys() == parameters.keys(), said
    for name, axes in parameters.items():
        assert shown[name] == axes, f"{said}: {name}"

    claimed = Counter()
    for entry in plan["prediction"]["train_step"]["collectives"]:
        if entry["axes"]:
            claimed[entry["collective"], tuple(entry["axes"])] += entry["bytes_per_rank"]
    # A pipeline's ranks have a program each.
    if not has_pipeline:
        assert claimed == traffic_of(local, sizes), said

    steps = 2
    summary = json.loads(
        run_tool("shardsmith", "run", built, "--steps", steps, "--json", "--quiet")
    )
    assert_ranks_are_as_planned(plan, summary, steps, said)


def test_zero_2_keeps_sums_of_gradients_in_shards(tmp_path):
    """What is carried from micro-batch to micro-batch, in elements per rank. With
    ZeRO-1 terms are scattered only where that is faster than to add all of them."""
    carried, calls = {}, {}
    for stage in (1, 2):
        source = ROOT / "test/models/gpt2-tiny.mlir"
        fix = f"dp=2,zero={stage},micro-batch=3"
        request = [source, "--cluster", "cpu:2", "--fix", fix]
        folder, dump = tmp_path / f"zero{stage}", tmp_path / f"dump{stage}"
        run_tool("shardsmith", "compile", *request, "-o", folder, "--dump-dir", dump)
        local = (dump / "05-local.mlir").read_text()
        called = local.split("func.func private @micro_batch(")[1]
        header = called.split(") -> (")[0]
        sums = re.findall(r'tensor<([^>]*)xf32> \{smith.name = "sum', header)
        carried[stage] = sum(math.prod(map(int, shape.split("x"))) for shape in sums)
        calls[stage] = called.count("smith.reduce_scatter")
        step = json.loads((folder / "plan.json").read_text())["layouts"]["train_step"]
        shapes = [each["shape"] for each in step["arguments"] if each["role"] == "param"]
        gradients = sum(map(math.prod, shapes))
    assert carried[2] < 0.51 * gradients < carried[1]
    assert calls[2] > calls[1]


def test_recomputation_lowers_the_memory_of_activations(tmp_path):
    bytes_of = {}
    for choice in ("none", "full"):
        folder = tmp_path / choice
        run_tool(
            "shardsmith",
            "compile",
            ROOT / "test/models/gpt2-tiny.mlir",
            "--cluster",
            "cpu:4",
            "--fix",
            f"dp=2,tp=2,recompute={choice}",
            "-o",
            folder,
        )
        step = json.loads((folder / "plan.json").read_text())["prediction"]["train_step"]
        bytes_of[choice] = step["memory_bytes_per_rank"]["activations"]
    assert bytes_of["full"] < 0.6 * bytes_of["none"]
