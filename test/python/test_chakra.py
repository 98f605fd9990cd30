# SPDX-License-Identifier: Apache-2.0
"""Execution traces that `emit --to chakra` writes.

A reader of its own (chakra_traces.py) reads them back; they must fit together,
hold what the plan exchanges, and take as long as the plan says when they are
played. SHARDSMITH_TEST_SEED draws other plans, SHARDSMITH_TRACES more of them.
"""

import json
import math
import os
import random
import subprocess
from collections import defaultdict

import pytest
import yaml
from chakra_traces import (
    ALL_GATHER,
    ALL_REDUCE,
    ALL_TO_ALL,
    COLLECTIVE,
    COMPUTE,
    RECEIVE,
    REDUCE_SCATTER,
    SEND,
    Player,
    check_traces,
    read_traces,
)
from tools import tool
from training import shardsmith

SEED = int(os.environ.get("SHARDSMITH_TEST_SEED", "1"))
DRAWS = int(os.environ.get("SHARDSMITH_TRACES", "10"))


def band(strategy):
    """How far the traces may be from the plan's own play of its schedule
    (`simulate`). They are in whole microseconds, and an exchange beside kernels
    does not slow these down. Where the backward pass is in halves, ZeRO's
    scatter stands behind the gradients that it scatters; `simulate` has it with
    the other half. Two passes at once take turns, and do not run together."""
    family = strategy.get("schedule")
    if family == "dualpipe-v":
        return 0.06
    return 0.1 if family.startswith("zb") and strategy["zero"]["stage"] >= 2 else 0.01


class Traces:
    """The traces of a plan."""

    def __init__(self, folder, model, cluster, fix, *options):
        plan = folder / "plan"
        shardsmith("plan", model, "--cluster", cluster, "--fix", fix, *options, "-o", plan)
        self.folder = folder / "out"
        _, self.notes = shardsmith("emit", plan, "--to", "chakra", "-o", self.folder)
        self.plan = json.loads((plan / "plan.json").read_text())
        self.strategy = self.plan["strategy"]
        self.degrees = self.strategy["degrees"]
        self.traces, self.groups = read_traces(self.folder)
        self.simulated = json.loads(shardsmith("simulate", plan, "--json")[0])

    def micro_batches(self):
        share = self.degrees["data"] * self.strategy["micro_batch"]
        return -(-self.plan["model"]["global_batch"] // share)

    def ranks(self):
        return len(self.traces)

    def collectives(self, rank, size):
        """Those over groups of so many members."""
        return [
            node
            for node in self.traces[rank]
            if node.type == COLLECTIVE and len(self.groups[node.pg_name]) == size
        ]

    def step_micros(self):
        return self.plan["prediction"]["step_ns"] / 1000


def test_the_format_is_that_of_chakra(tmp_path):
    """Byte by byte: the begin of the trace of a plan without exchanges."""
    fix = "dp=1,tp=1,pp=1,cp=1,mbs=64,devices=1,recompute=none"
    it = Traces(tmp_path, "gpt2-124m", "8xh100", fix)
    data = (it.folder / "chakra.0.et").read_bytes()
    assert data[:8] == b"\x07\x0a\x050.0.4"
    assert it.ranks() == 1 and it.groups == {}
    micro_batches = it.micro_batches()
    names = [node.name for node in it.traces[0]]
    passes = [f"0{kind}{m}" for m in range(micro_batches) for kind in "FB"]
    assert names == [*passes, "0UPDATE", "rest of the step"][: len(names)]
    assert len(names) >= len(passes) + 1
    forward, backward = it.traces[0][:2]
    assert forward.type == backward.type == COMPUTE
    assert backward.num_ops == pytest.approx(2 * forward.num_ops, abs=2)
    expected = it.plan["model"]["forward_flops_per_sequence"] * it.strategy["micro_batch"]
    assert forward.num_ops == pytest.approx(expected, rel=1e-6)


def fixes(draw):
    """What a drawn plan fixes; not everything is possible."""
    pipeline = draw.choice([1, 2, 2, 4])
    fix = {
        "tp": draw.choice([1, 2, 4]),
        "pp": pipeline,
        "cp": draw.choice([1, 1, 2]),
        "zero": draw.choice([0, 1, 2, 3]),
        "mbs": draw.choice([1, 2, 4]),
        "recompute": draw.choice(["none", "selective", "full"]),
    }
    if pipeline > 1:
        fix["schedule"] = draw.choice(
            [
                "gpipe",
                "1f1b",
                "eager-1f1b",
                "interleaved",
                "zb-h1",
                "zb-h2",
                "zb-v",
                "dualpipe-v",
            ]
        )
    if fix["cp"] > 1:
        fix["context-method"] = draw.choice(["ring", "all-to-all"])
    return ",".join(f"{name}={value}" for name, value in fix.items())


MODELS = ["gpt2-124m", "llama2-7b", "gpt2-350m"]


def plan_exists(*arguments):
    done = subprocess.run(
        [tool("shardsmith"), "plan", *arguments], capture_output=True, text=True, timeout=600
    )
    assert done.returncode in (0, 2, 4), done.stderr
    return done.returncode == 0


def drawn_plans():
    """Seeds; each draws until there is a plan."""
    return range(SEED, SEED + DRAWS)


@pytest.mark.parametrize("seed", drawn_plans())
def test_drawn_plans(tmp_path, seed):
    draw = random.Random(seed)
    while True:
        model, fix = draw.choice(MODELS), fixes(draw)
        batch = draw.choice([16, 32, 64])
        arguments = [model, "--cluster", "8xh100", "--fix", fix]
        options = ["--seq", "512", "--global-batch", str(batch)]
        if plan_exists(*arguments, *options):
            break
    print(model, fix, batch)
    it = Traces(tmp_path, model, "8xh100", fix, *options)
    check(it)


def check(it):
    axes = "tensor", "context", "data", "pipeline"
    assert it.ranks() == math.prod(it.degrees[axis] for axis in axes)
    check_traces(it.traces, it.groups)
    check_schedule(it)
    played = Player(it.traces, it.groups).play()
    promised, simulated = it.step_micros(), it.simulated["step_ns"] / 1000
    print(f"played {played}, simulated {simulated}, promised {promised}")
    assert played == pytest.approx(simulated, rel=band(it.strategy))
    if it.degrees["pipeline"] == 1:
        assert played == pytest.approx(promised, rel=0.005)
    # The closed form may promise more than its schedule takes.
    assert played <= promised * 1.03


def check_schedule(it):
    """Every stage runs every micro-batch once each way, on all its ranks; and
    sends what it makes to its neighbours."""
    stages = it.degrees["pipeline"] * it.degrees["virtual_stages"]
    per_stage = it.ranks() // it.degrees["pipeline"]
    passes = defaultdict(int)
    for nodes in it.traces:
        heads = {node.name for node in nodes if node.type == COMPUTE}
        for name in heads:
            passes[name] += 1
    for stage in range(stages):
        for m in range(it.micro_batches()):
            assert passes[f"{stage}F{m}"] == per_stage
            whole = passes[f"{stage}B{m}"]
            halves = passes[f"{stage}I{m}"]
            assert whole + halves == per_stage
            assert passes[f"{stage}W{m}"] == halves
    sends = sum(node.type == SEND for nodes in it.traces for node in nodes)
    if it.strategy.get("schedule", "") in ("gpipe", "1f1b", "eager-1f1b", "zb-h1", "zb-h2") and sends:
        shared = sum(
            node.name == "shared send" for nodes in it.traces for node in nodes
        )
        assert sends - shared == 2 * (stages - 1) * it.micro_batches() * per_stage


def test_experts(tmp_path):
    it = Traces(tmp_path, "mixtral-8x7b", "64xh100", "tp=2,ep=4,pp=4,cp=1,zero=1")
    check(it)
    exchanges = [n for n in it.traces[0] if n.type == COLLECTIVE and n.comm_type == ALL_TO_ALL]
    assert len(exchanges) % (2 * it.micro_batches()) == 0 and exchanges
    assert {n.name for n in exchanges} == {"expert all_to_all"}
    # Neighbours along the data axis, which lies beyond the tensor ranks.
    assert it.groups[exchanges[0].pg_name] == [0, 2, 4, 6]


def test_tensor_ranks_exchange_activations(tmp_path):
    """Megatron's sequence parallelism: a gather and a scatter in each half of
    each layer and pass, of sequences x positions x width numbers in bf16
    (arXiv:2205.05198, figure 5). An all-gather has the part of one rank."""
    fix = "tp=8,dp=1,pp=1,cp=1,zero=0,mbs=1,recompute=none"
    it = Traces(tmp_path, "llama3-8b", "8xh100", fix, "--global-batch", "8")
    check_traces(it.traces, it.groups)
    assert list(it.groups.values()) == [list(range(8))]
    nodes = it.collectives(0, 8)
    length, width, layers = it.plan["model"]["sequence_length"], 4096, 32
    whole = length * width * 2
    gathers = [n for n in nodes if n.comm_type == ALL_GATHER and n.comm_size == whole // 8]
    scatters = [n for n in nodes if n.comm_type == REDUCE_SCATTER and n.comm_size == whole]
    for found in gathers, scatters:
        assert len(found) / it.micro_batches() == pytest.approx(4 * layers, abs=2 * layers)
    assert not [n for n in it.traces[0] if n.type in (SEND, RECEIVE)]


@pytest.mark.parametrize("zero", [0, 1, 2, 3])
def test_data_ranks_exchange_parameters(tmp_path, zero):
    fix = f"tp=1,dp=8,pp=1,cp=1,zero={zero},zero-groups=off,mbs=4,recompute=none"
    it = Traces(tmp_path, "gpt2-124m", "8xh100", fix, "--global-batch", "64")
    check(it)
    m, parameters = it.micro_batches(), it.plan["model"]["parameters"]
    count = defaultdict(int)
    size = {}
    for node in it.collectives(0, 8):
        count[node.comm_type] += 1
        size[node.comm_type] = node.comm_size
    assert dict(count) == [
        {ALL_REDUCE: 1},
        {REDUCE_SCATTER: 1, ALL_GATHER: 1},
        {REDUCE_SCATTER: m, ALL_GATHER: 1},
        {REDUCE_SCATTER: m, ALL_GATHER: 2 * m},
    ][zero]
    # New values in bf16, gradients as the profile sends them.
    if zero:
        assert size[ALL_GATHER] == pytest.approx(2 * parameters / 8, rel=0.001)
        assert size[REDUCE_SCATTER] % parameters == 0
    else:
        assert size[ALL_REDUCE] in (2 * parameters, 4 * parameters)


def test_tied_embeddings_are_summed_over_the_pipeline(tmp_path):
    fix = "tp=1,dp=2,pp=4,cp=1,zero=0,schedule=1f1b,mbs=4,recompute=none"
    it = Traces(tmp_path, "gpt2-124m", "8xh100", fix, "--global-batch", "64")
    check(it)
    shared = [[n for n in nodes if n.name.startswith("shared")] for nodes in it.traces]
    data = it.degrees["data"]
    # Places of the first and last stage along the pipeline, which is outermost.
    ends = [rank for rank, nodes in enumerate(shared) if nodes]
    assert ends == [0, 1, 6, 7] and data == 2
    # The token table, in f32 or bf16.
    assert {n.comm_size for nodes in shared for n in nodes} <= {50257 * 768 * 2, 50257 * 768 * 4}


def test_the_simulators_files(tmp_path):
    fix = "tp=4,pp=2,dp=8,cp=1,mbs=1"
    it = Traces(tmp_path, "llama3-8b", "64xh100", fix, "--global-batch", "64")
    network = yaml.safe_load((it.folder / "chakra-network.yml").read_text())
    assert network["npus_count"] == [8, 8]
    assert network["topology"] == ["Switch", "Switch"]
    # NVLink is faster and nearer than the network.
    assert network["bandwidth"][0] > network["bandwidth"][1] > 10
    assert 0 < network["latency"][0] < network["latency"][1]
    system = json.loads((it.folder / "chakra-system.json").read_text())
    for name in "all-reduce", "all-gather", "reduce-scatter", "all-to-all":
        assert system[f"{name}-implementation"] == ["ring", "ring"]
    assert system["roofline-enabled"] == 0
    assert 900 < system["peak-perf"] < 1000 and 3000 < system["local-mem-bw"] < 3600
    memory = json.loads((it.folder / "chakra-memory.json").read_text())
    assert memory == {"memory-type": "NO_MEMORY_EXPANSION"}
    # A script that starts the simulator with them.
    fake = tmp_path / "simulator"
    fake.write_text('#!/bin/sh\nfor each; do echo "$each"; done\n')
    fake.chmod(0o755)
    done = subprocess.run(
        [it.folder / "chakra.sh", "--num-passes=2"],
        env={**os.environ, "ASTRA_SIM": str(fake)},
        capture_output=True,
        text=True,
        check=True,
    )
    options = dict(line.split("=", 1) for line in done.stdout.split())
    assert options.pop("--num-passes") == "2"
    assert sorted(options) == [
        "--comm-group-configuration",
        "--network-configuration",
        "--remote-memory-configuration",
        "--system-configuration",
        "--workload-configuration",
    ]
    for name, path in options.items():
        assert os.path.exists(path + (".63.et" if "workload" in name else ""))
    # The backend that follows congestion takes one level of network alone.
    assert "AstraSim_Analytical_Congestion_Unaware" in (it.folder / "chakra.sh").read_text()
    assert "and 63 like it" in it.notes
