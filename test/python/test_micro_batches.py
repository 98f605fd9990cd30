# SPDX-License-Identifier: Apache-2.0
"""Programs in micro-batches compute what programs in one piece do.

Random programs run in the interpreter: the whole one, and the one that calls a
function once per micro-batch. Models run as executables.

SHARDSMITH_LONG_TESTS=1 runs ten times as many random programs.
"""

import os
import re
import subprocess
from collections import Counter
from functools import cache

import numpy as np
import pytest
from compiler_tools import run_opt
from seeds import random_seed
from micro_batch_graphs import random_batch_program, values_of_batch
from safetensors.numpy import load_file
from test_partition import assert_computes, assert_near, interpret
from tools import ROOT, tool
from training import compile_model, train

SEED = random_seed()
PROGRAMS = 20 * (10 if os.environ.get("SHARDSMITH_LONG_TESTS") else 1)

# Ops that treat every element by itself: they are refused for what they are
# given, never for what they are.
ELEMENTWISE = "abs add compare logistic maximum multiply negate select subtract tanh".split()
COMBINING = "stablehlo.reduce stablehlo.dot_general stablehlo.scatter".split()


def in_micro_batches(text, count):
    """The outlined program, or None and what was said. Data ranks may have different
    shares: 3, 1."""
    how = f"count={count}" if isinstance(count, int) else f"shares={','.join(map(str, count))}"
    flags = [f"--split-micro-batches={how}", "--outline-micro-batches"]
    command = [tool("shardsmith-opt"), "-", *flags, "--mlir-print-op-on-diagnostic=false"]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    return (done.stdout if done.returncode == 0 else None), done.stderr


def check_refusal(text, message):
    """What is refused reads the batch, and for the reason that is given."""
    found = re.match(
        r"<stdin>:(\d+):\d+: error: no micro-batches: '([\w.]+)' (.*); use one micro-batch", message
    )
    assert found, message
    line, op, why = int(found.group(1)), found.group(2), found.group(3)
    known, lines = values_of_batch(text)
    name, read = lines[line]
    assert name in known and op in text.splitlines()[line - 1], message
    assert re.search(r"note: argument \d+ is a batch", message), message
    if why.startswith("combines samples in a way"):
        return why
    if why.startswith("uses values of single samples together"):
        note = re.search(r"<stdin>:(\d+):\d+: note: '([\w.]+)' combines the samples", message)
        assert note and note.group(2) in COMBINING, message
        assert lines[int(note.group(1))][0] in known
        assert len(known & set(read)) > 1 or len(read) == 1, message
    else:
        assert why == "does not treat samples one by one", message
        assert op.removeprefix("stablehlo.") not in ELEMENTWISE or len(read) > 1, message
    return why


@pytest.mark.parametrize("element", ["f32", "i32"])
@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, (3, 1), (1, 2, 2), (1, 4)])
def test_random_programs(count, element, tmp_path):
    seen, trial = Counter(), 0
    total = count if isinstance(count, int) else sum(count)
    while seen["same"] < PROGRAMS:
        seed = (SEED + 1000 * trial + 10 * total + (element == "i32")) % 2**32
        trial += 1
        text = random_batch_program(seed, element, samples=total * (1 + trial % 2))
        print(f"// seed {seed}, {count} micro-batches\n{text}")
        parts, message = in_micro_batches(text, count)
        if parts is None:
            seen[check_refusal(text, message)] += 1
            continue
        # What is known ahead takes no micro-batches.
        assert "smith.repeat" not in parts or values_returned(text), parts
        seen["in micro-batches"] += "smith.repeat" in parts
        assert_computes(text, parts, element, tmp_path, seed)
        seen["same"] += 1
    print(dict(seen))
    # Most of what is drawn has a meaning per sample, and depends on samples.
    assert seen["same"] > 0.3 * trial
    assert seen["in micro-batches"] > 0.25 * seen["same"]


LOOPS = (ROOT / "test/Partition/MicroBatches/loops.mlir").read_text().split("// -----")


@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize("number", range(len(LOOPS)))
def test_loops_compute_what_the_whole_batch_does(number, count, tmp_path):
    """Sums that go around, values that begin whole: of programs whose text is known."""
    whole = run_opt(LOOPS[number], "--outline-loops")
    flags = [f"--split-micro-batches=count={count}", "--outline-micro-batches", "--outline-loops"]
    parts = run_opt(LOOPS[number], *flags)
    assert "smith.repeat" in whole and f"count = {count}" in parts
    assert_near(interpret(whole, tmp_path, SEED), interpret(parts, tmp_path, SEED))


def values_returned(text):
    """Results that the batch goes into."""
    known, _ = values_of_batch(text)
    returned = re.search(r"\n    return (.*?) :", text).group(1).split(", ")
    return known & set(returned)


# Adam divides by roots of squared gradients, which makes much of rounding
# errors where a gradient is next to none; plain descent does not.
OPTIMIZER = ["--optimizer", "sgd", "--lr", "0.1", "--momentum", "0.9"]
# Ranks, what is given, and micro-batches of how many of the 24 sequences.
RUNS = [(1, "", size) for size in (12, 8, 6, 4, 1)]
RUNS += [(2, "dp=2,zero=0,", size) for size in (6, 4, 2)]
RUNS += [(4, "dp=2,tp=2,zero=3,recompute=full,", size) for size in (3, 1)]


@pytest.fixture(scope="module")
def in_one_piece(tmp_path_factory):
    """What one rank trains whose step is one micro-batch."""

    @cache
    def run(model):
        return trained(model, tmp_path_factory.mktemp(model), 1, "micro-batch=24")

    return run


def trained(model, folder, ranks, fix):
    """Losses of three steps, and all parameters and optimizer states behind."""
    plan = compile_model(model, folder, ranks, *OPTIMIZER, fix=fix)
    outputs = folder / "outputs.safetensors"
    losses = train(folder, ranks, 3, "--dump-outputs", outputs)["losses"]
    return plan.get("micro_batches", 1), losses, load_file(outputs)


@pytest.mark.parametrize("ranks, fix, size", RUNS)
@pytest.mark.parametrize("model", ["gpt2-tiny", "llama-tiny"])
def test_models_train_alike_in_any_number_of_micro_batches(
    in_one_piece, model, ranks, fix, size, tmp_path
):
    _, losses, expected = in_one_piece(model)
    count, found_losses, found = trained(model, tmp_path, ranks, f"{fix}micro-batch={size}")
    assert count == 24 // (1 if ranks == 1 else 2) // size
    np.testing.assert_allclose(found_losses, losses, rtol=1e-5)
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        scale = np.abs(value).max(initial=1e-30)
        np.testing.assert_allclose(found[name], value, rtol=0, atol=1e-5 * scale, err_msg=name)
