# SPDX-License-Identifier: Apache-2.0
"""Annotations of a planned graph mean what they say.

The annotated loss graph is partitioned as it stands and runs in the
interpreter on all devices of its mesh: the loss is that of the whole graph,
and on the tensor axis it sends the bytes that the plan has counted. Devices
are slow and links fast, so that splitting ops pays even for tiny models.
"""

import json
import re

import numpy as np
import pytest
from compiler_tools import ROOT, run_opt
from seeds import random_seed
from test_partition import interpret
from tools import run_tool

SEED = random_seed()
CLUSTER = ROOT / "test/ValueLayouts/Inputs/slow-devices.json"
ELEMENT_BYTES = {"f32": 4, "i32": 4, "i1": 1}


def plan(model, fix, folder):
    run_tool(
        "shardsmith", "plan", ROOT / f"test/models/{model}.mlir",
        "--cluster", CLUSTER, "--fix", fix, "-o", folder,
    )  # fmt: skip
    return (folder / "annotated.mlir").read_text()


@pytest.mark.parametrize(
    "model,fix,collectives",
    [
        ("gpt2-tiny", "devices=2,dp=2", "all_reduce"),
        ("gpt2-tiny", "devices=2,tp=2", "reduce_scatter"),
        ("gpt2-tiny", "devices=3,tp=3", "reduce_scatter"),
        ("gpt2-tiny", "devices=4,tp=2,dp=2", "reduce_scatter"),
        ("gpt2-tiny", "devices=4,tp=2,dp=1,pp=2", "reduce_scatter"),
        ("gpt2-tiny", "devices=4,cp=2,tp=2", "all_gather"),
        ("gpt2-tiny", "devices=4,cp=2,tp=2,context-method=ring", "all_gather"),
        ("gpt2-tiny", "devices=8,cp=2,tp=2,dp=2", "all_gather"),
        ("llama-tiny", "devices=4,tp=2,dp=2", "reduce_scatter"),
        ("llama-tiny", "devices=4,tp=4,dp=1,cp=1", "reduce_scatter"),
        ("llama-tiny", "devices=4,cp=2,tp=2,context-method=ring", "all_gather"),
        ("llama-tiny", "devices=2,cp=2,context-method=all-to-all", "all_to_all"),
        ("llama-tiny-scan", "devices=4,tp=2,dp=2", "reduce_scatter"),
    ],
)
def test_annotated_graph_gives_the_loss(model, fix, collectives, tmp_path):
    local = run_opt(plan(model, fix, tmp_path / "plan"), "--partition")
    assert "agree with the plan" in run_tool("shardsmith", "check", tmp_path / "plan")
    assert f"smith.{collectives}" in local
    source = (ROOT / f"test/models/{model}.mlir").read_text()
    whole = interpret(run_opt(source, "--import"), tmp_path, SEED)
    parts = interpret(local, tmp_path, SEED)
    (expected,), (loss,) = whole.values(), parts.values()
    np.testing.assert_allclose(loss, expected, rtol=2e-6)


def bytes_of(type_text):
    *sizes, element = type_text.split("x")
    return int(np.prod([int(size) for size in sizes])) * ELEMENT_BYTES[element]


@pytest.mark.parametrize(
    "model,fix",
    [
        ("gpt2-tiny", "devices=2,tp=2"),
        ("gpt2-tiny", "devices=4,tp=4"),
        ("gpt2-tiny", "devices=4,tp=2,dp=2,cp=1"),
        ("llama-tiny", "devices=2,tp=2"),
    ],
)
def test_annotated_graph_sends_what_the_plan_counts(model, fix, tmp_path):
    local = run_opt(plan(model, fix + ",recompute=none,pp=1", tmp_path), "--partition")
    report = json.loads(run_tool("shardsmith", "check", tmp_path, "--json"))
    (rank,) = report["collectives_of_rank"]
    counted = {use["operation"]: use["bytes"] for use in rank if use["axis"] == "tensor"}

    sent = dict.fromkeys(["all_reduce", "all_gather", "reduce_scatter", "all_to_all"], 0)
    for kind, types in re.findall(r'smith\.(\w+) %\w+ over \["tensor"\][^:]* : (.*)', local):
        sizes = [bytes_of(text) for text in re.findall(r"tensor<([^>]*)>", types)]
        # Of the whole tensor: what a gather gives, what a scatter takes.
        sent[kind] += sizes[-1] if kind == "all_gather" else sizes[0]
    # What the forward pass gathers the backward pass scatters.
    exchanged = sent["all_gather"] + sent["reduce_scatter"]
    assert exchanged > 0
    assert counted["all_gather"] == counted["reduce_scatter"] == exchanged
    assert counted.get("all_to_all", 0) == 2 * sent["all_to_all"]
