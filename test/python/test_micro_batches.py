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

import numpy as np
import pytest
from compiler_tools import random_seed
from micro_batch_graphs import random_batch_program, values_of_batch
from random_graphs import magnitude_program
from safetensors.numpy import load_file
from test_partition import assert_equal, assert_near, interpret
from tools import tool

SEED = random_seed()
PROGRAMS = 32 * (10 if os.environ.get("SHARDSMITH_LONG_TESTS") else 1)

# Ops that treat every element by itself: they are refused for what they are
# given, never for what they are.
ELEMENTWISE = "abs add compare logistic maximum multiply negate select subtract tanh".split()
COMBINING = "stablehlo.reduce stablehlo.dot_general stablehlo.scatter".split()


def in_micro_batches(text, count):
    """The outlined program, or None and what was said."""
    flags = [f"--split-micro-batches=count={count}", "--outline-micro-batches"]
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
@pytest.mark.parametrize("count", [2, 3, 4, 5, 6])
def test_random_programs(count, element, tmp_path):
    seen, trial = Counter(), 0
    while seen["same"] < PROGRAMS:
        seed = (SEED + 1000 * trial + 10 * count + (element == "i32")) % 2**32
        trial += 1
        text = random_batch_program(seed, element, samples=count * (1 + trial % 2))
        print(f"// seed {seed}, {count} micro-batches\n{text}")
        parts, message = in_micro_batches(text, count)
        if parts is None:
            seen[check_refusal(text, message)] += 1
            continue
        assert ("smith.repeat" in parts) == bool(values_returned(text)), parts
        whole = interpret(text, tmp_path, seed)
        sums = interpret(parts, tmp_path, seed)
        if element == "i32":
            assert_equal(whole, sums)
        else:
            assert_near(whole, sums, interpret(magnitude_program(text), tmp_path, seed))
        seen["same"] += 1
    print(dict(seen))
    # Most of what is drawn has a meaning per sample.
    assert seen["same"] > 0.3 * trial


def values_returned(text):
    """Results that the batch goes into."""
    known, _ = values_of_batch(text)
    returned = re.search(r"\n    return (.*?) :", text).group(1).split(", ")
    return known & set(returned)
