# SPDX-License-Identifier: Apache-2.0
"""From a plan to its program there is one way.

What `plan` prints, what lies in the folder of `compile`, the program itself and
what its ranks count agree: degrees, layouts of parameters, bytes by kind and
axes. And the program computes what the model says (`verify`).
"""

import json
import math
import re
from collections import Counter

import pytest
from tools import ROOT, run_tool

MODELS = ["gpt2-tiny", "gpt2-tiny-bf16", "llama-tiny", "llama-tiny-scan"]
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
    """Bytes that a rank sends, by kind and axes, from the text of the program.
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
        r".* : .*?tensor<([^>]*)>"
    )
    for kind, axes, operand in re.findall(pattern, local):
        axes = tuple(re.findall(r'"(\w+)"', axes))
        group = math.prod(sizes[axis] for axis in axes)
        *shape, element = operand.split("x")
        held = math.prod(map(int, shape)) * BYTES[element]
        if kind == "all_gather":
            sent = held * (group - 1)
        elif kind == "collective_permute":
            kind, sent = "permute", held
        else:
            sent = SHARES[kind] * held * (group - 1) // group
        traffic[kind, axes] += sent
    return traffic


def layouts_of(local):
    """Of the program's parameters: per dimension the axes that split it."""
    layouts = {}
    header = next(line for line in local.splitlines() if "func.func" in line)
    for attributes in re.findall(r"%arg\d+: tensor<[^>]*> \{(.*?smith\.role = \"\w+\")", header):
        name = re.search(r'smith\.name = "([^"]*)"', attributes)
        if 'smith.role = "param"' not in attributes or not name:
            continue
        dims = re.search(r"@mesh, \[(.*?)\]>", attributes)
        split = re.findall(r"\{(.*?)\}", dims.group(1)) if dims else []
        layouts[name.group(1)] = [re.findall(r'"(\w+)"', each) for each in split]
    return layouts


@pytest.mark.parametrize("ranks, fix", IN_MICRO_BATCHES)
@pytest.mark.parametrize("model", ["gpt2-tiny-bf16", "llama-tiny"])
def test_steps_in_micro_batches_agree(model, ranks, fix, tmp_path):
    check_one_way(model, ranks, fix, tmp_path)


@pytest.mark.parametrize("ranks, fix", CONFIGURATIONS)
@pytest.mark.parametrize("model", MODELS)
def test_plan_folder_program_and_ranks_agree(model, ranks, fix, tmp_path):
    check_one_way(model, ranks, fix, tmp_path)


def check_one_way(model, ranks, fix, tmp_path):
    source = ROOT / f"test/models/{model}.mlir"
    request = [source, "--cluster", f"cpu:{ranks}", *(["--fix", fix] if fix else [])]
    printed = json.loads(run_tool("shardsmith", "plan", *request, "--json"))
    folder, dump = tmp_path / "out", tmp_path / "dump"
    run_tool("shardsmith", "compile", *request, "-o", folder, "--dump-dir", dump)
    kept = json.loads((folder / "plan.json").read_text())
    for part in ("strategy", "estimate"):
        assert printed[part] == kept[part]
    program = kept["program"]
    for part in ("mesh", "tensors", "predicted", "decisions"):
        assert printed["program"][part] == program[part]

    # The strategy's degrees are the mesh's.
    sizes = {axis["name"]: axis["size"] for axis in program["mesh"]}
    degrees = kept["strategy"]["degrees"]
    assert sizes.get("tensor", 1) == degrees["tensor"]
    assert sizes.get("context", 1) == degrees["context"]
    data = [sizes.get(axis, 1) for axis in ("data", "fsdp", "zero_shard")]
    assert math.prod(data) == degrees["data"]
    # A group of ZeRO's counts the context ranks of its data ranks.
    zero = kept["strategy"]["zero"]
    if zero["stage"] > 0:
        shards = math.prod(sizes.get(axis, 1) for axis in ("fsdp", "zero_shard"))
        group = zero.get("group", 0) or degrees["data"] * degrees["context"]
        assert shards * degrees["context"] == group
    assert math.prod(sizes.values()) == ranks
    micro_batches = program.get("micro_batches", 1)
    assert micro_batches * kept["strategy"]["micro_batch"] * degrees["data"] == SEQUENCES

    local = (dump / "05-local.mlir").read_text()
    assert ("smith.repeat" in local) == (micro_batches > 1)
    parameters = {t["name"]: t["axes"] for t in program["tensors"] if t["role"] == "param"}
    shown = layouts_of(local)
    assert shown.keys() == parameters.keys()
    for name, axes in parameters.items():
        assert shown[name] == axes, name

    claimed = Counter()
    for entry in program["predicted"]["collectives"]:
        if entry["axes"]:
            claimed[entry["collective"], tuple(entry["axes"])] += entry["bytes_per_rank"]
    assert claimed == traffic_of(local, sizes)

    steps = 2
    summary = json.loads(
        run_tool("shardsmith", "run", folder, "--steps", steps, "--json", "--quiet")
    )
    counted = Counter()
    for entry in summary["communication"]:
        # A permute among all ranks has no axes.
        if entry["kind"] != "permute" or entry.get("axes", ["world"]) not in ([], ["world"]):
            counted[entry["kind"], tuple(entry["axes"])] += entry["bytes"]
    assert counted == Counter({key: steps * value for key, value in claimed.items()})
    assert "0 mismatches" in run_tool("shardsmith", "verify", folder)


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
        program = json.loads((folder / "plan.json").read_text())["program"]
        shapes = [each["shape"] for each in program["tensors"] if each["role"] == "param"]
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
        program = json.loads((folder / "plan.json").read_text())["program"]
        bytes_of[choice] = program["predicted"]["memory_bytes_per_rank"]["activations"]
    assert bytes_of["full"] < 0.6 * bytes_of["none"]
