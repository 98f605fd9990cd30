# SPDX-License-Identifier: Apache-2.0
"""Ops whose shards need elements of each other compute what whole ones do.

Both programs run in the interpreter, as in test_partition.py. SHARDSMITH_LONG_TESTS=1
runs 6,000 random chains of such ops.
"""

import os

import pytest
from compiler_tools import random_seed, run_opt
from random_graphs import magnitude_program
from random_neighbours import random_cases
from test_partition import assert_equal, assert_near, interpret

SEED = random_seed()
CASES = 10
PROGRAMS = 300 if os.environ.get("SHARDSMITH_LONG_TESTS") == "1" else 20


@pytest.mark.parametrize("trial", range(PROGRAMS))
@pytest.mark.parametrize("element", ["f32", "i32"])
def test_random_cases(trial, element, tmp_path):
    seed = (SEED + trial) % 2**32
    text = random_cases(seed, element, CASES)
    print(text)
    local = run_opt(text, "--partition")
    whole = interpret(text, tmp_path, seed)
    parts = interpret(local, tmp_path, seed)
    if element == "i32":
        assert_equal(whole, parts)
    else:
        assert_near(whole, parts, interpret(magnitude_program(text), tmp_path, seed))
