# SPDX-License-Identifier: Apache-2.0
"""Random programs that are cut into stages compute what they do in one piece.

The whole program runs in the interpreter on one device; the programs of ranks
run there on all devices of the mesh, with messages between them. Values have
random shardings, ops random stages, the batch random micro-batches and shares,
the stages a random schedule.

SHARDSMITH_LONG_TESTS=1 runs 2,000 programs, SHARDSMITH_PROGRAMS another number.
"""

import os
import subprocess
from collections import Counter

import pytest
from seeds import random_seed
from stage_graphs import random_stage_program
from test_partition import assert_computes
from tools import tool

SEED = random_seed()
LONG = os.environ.get("SHARDSMITH_LONG_TESTS")
PROGRAMS = int(os.environ.get("SHARDSMITH_PROGRAMS", 2000 if LONG else 16))
BATCHES = 4
# What has no meaning in micro-batches; its own test is test_micro_batches.py.
REFUSED = ["no micro-batches: ", "'stablehlo."]


def in_stages(text, options):
    """The module with programs of ranks, or None and what was said."""
    done = subprocess.run(
        [
            tool("shardsmith-opt"), "-", f"--split-micro-batches={options}",
            "--partition-into-stages", "--mlir-print-op-on-diagnostic=false",
        ],
        input=text, capture_output=True, text=True,
    )  # fmt: skip
    return (done.stdout if done.returncode == 0 else None), done.stderr


@pytest.mark.parametrize("element", ["f32", "i32"])
@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_programs_in_stages(batch, element, tmp_path):
    seen, trial = Counter(), 0
    while seen["same"] < PROGRAMS // (2 * BATCHES):
        seed = (SEED + 100_000 * batch + 2 * trial + (element == "i32")) % 2**32
        trial += 1
        text, options = random_stage_program(seed, element)
        print(f"// seed {seed}, {options}\n{text}")
        parts, message = in_stages(text, options)
        if parts is None:
            # All that is returned may be known before the first micro-batch.
            is_known = "@main is not in micro-batches" in message
            assert is_known or all(part in message for part in REFUSED), message
            seen["known ahead" if is_known else "refused"] += 1
            continue
        assert_computes(text, parts, element, tmp_path, seed)
        seen["same"] += 1
        seen["with messages"] += "smith.send" in parts
        seen["with shares"] += "shares" in options
    print(dict(seen))
    assert seen["with messages"] > 0.3 * seen["same"]
