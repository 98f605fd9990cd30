# SPDX-License-Identifier: Apache-2.0
"""Collectives that go on while kernels run: the trace shows both at one time,
and results are the bits of a run in which they do not."""

import json
import os
import subprocess

import numpy as np
import pytest
from seeds import random_seed
from safetensors.numpy import load_file
from training import shardsmith

STEPS = 6
LAYERS, WIDTH, SAMPLES = 4, 256, 512


def write_model(path):
    """Layers whose weights are messages of their own."""
    weights = [f"tensor<{WIDTH}x{WIDTH}xf32>"] * LAYERS
    rows = f"tensor<{SAMPLES}x{WIDTH}xf32>"
    arguments = [
        f'%w{i}: {type} {{smith.name = "w{i}", smith.role = "param"}}'
        for i, type in enumerate(weights)
    ]
    arguments.append(f'%x: {rows} {{smith.name = "x", smith.role = "batch"}}')
    lines, value = [], "%x"
    for i, type in enumerate(weights):
        lines += [
            f"%p{i} = stablehlo.dot_general {value}, %w{i}, contracting_dims = [1] x [0]"
            f" : ({rows}, {type}) -> {rows}",
            f"%h{i} = stablehlo.tanh %p{i} : {rows}",
        ]
        value = f"%h{i}"
    lines += [
        f"%squares = stablehlo.multiply {value}, {value} : {rows}",
        "%zero = stablehlo.constant dense<0.0> : tensor<f32>",
        "%sum = stablehlo.reduce(%squares init: %zero) applies stablehlo.add"
        f" across dimensions = [0, 1] : ({rows}, tensor<f32>) -> tensor<f32>",
        f"%share = stablehlo.constant dense<{1 / SAMPLES / WIDTH}> : tensor<f32>",
        "%loss = stablehlo.multiply %sum, %share : tensor<f32>",
        "return %loss : tensor<f32>",
    ]
    signature = ", ".join(arguments)
    result = 'tensor<f32> {smith.name = "loss", smith.role = "loss"}'
    body = "\n  ".join(lines)
    path.write_text(f"func.func @main({signature}) -> ({result}) {{\n  {body}\n}}\n")


def compile_layers(folder, ranks, plan):
    write_model(folder / "layers.mlir")
    cluster = ["--cluster", f"cpu:{ranks}"]
    shardsmith("compile", folder / "layers.mlir", *cluster, "--fix", plan, "-o", folder / "built")
    return folder / "built"


def run(folder, ranks, seed, overlap, outputs, profile):
    environment = dict(
        os.environ,
        SMITH_THREADS="1",
        OMP_NUM_THREADS="1",
        SMITH_OVERLAP=str(int(overlap)),
    )
    done = subprocess.run(
        [folder / "program", "--ranks", str(ranks), "--steps", str(STEPS), "--seed", str(seed),
         "--json", "--dump-outputs", outputs, "--profile", profile],
        env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def intersection(begin, end, others):
    return sum(max(0.0, min(end, b) - max(begin, a)) for a, b in others)


def overlapped_microseconds(profile):
    """Per rank, how long collectives beside kernels were under way while the rank
    did not wait for them."""
    spans = {}
    for event in json.loads(profile.read_text())["traceEvents"]:
        kind = event.get("cat")
        if kind == "exchange" and not event["name"].endswith(", beside kernels"):
            kind = "alone"
        if event["ph"] == "X":
            span = (event["ts"], event["ts"] + event["dur"])
            spans.setdefault((event["pid"], kind), []).append(span)
    return {
        rank: sum(
            end - begin - intersection(begin, end, spans.get((rank, "wait"), []))
            for begin, end in spans.get((rank, "exchange"), [])
        )
        for rank in {rank for rank, _ in spans}
    }


@pytest.mark.parametrize(
    "plan,ranks",
    [
        ("dp=2,zero=3", 2),
        ("dp=2,zero=3,micro-batch=64", 2),
        ("dp=2,zero=1", 2),
        ("dp=2,zero=0", 2),
    ],
)
def test_kernels_and_collectives_at_one_time(tmp_path, plan, ranks):
    built = compile_layers(tmp_path, ranks, plan)
    seed = random_seed()
    summaries, results, overlapped = {}, {}, {}
    for overlap in (False, True):
        outputs = tmp_path / f"outputs-{overlap}.safetensors"
        profile = tmp_path / f"profile-{overlap}.json"
        summaries[overlap] = run(built, ranks, seed, overlap, outputs, profile)
        results[overlap] = load_file(outputs)
        overlapped[overlap] = overlapped_microseconds(profile)
    for field in ("losses", "communication"):
        assert summaries[True][field] == summaries[False][field]
    assert results[True].keys() == results[False].keys()
    for name, tensor in results[True].items():
        np.testing.assert_array_equal(tensor, results[False][name], err_msg=name)
    assert list(overlapped[False].values()) == [0] * ranks
    assert len(overlapped[True]) == ranks
    assert all(time > 0 for time in overlapped[True].values())


def test_a_wrong_setting_is_refused(tmp_path):
    built = compile_layers(tmp_path, 2, "dp=2")
    done = subprocess.run(
        [built / "program", "--steps", "1"],
        env=dict(os.environ, SMITH_OVERLAP="yes"),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 2
    assert "SMITH_OVERLAP is 'yes'; expected 1" in done.stderr
