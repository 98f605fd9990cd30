# SPDX-License-Identifier: Apache-2.0
"""Ops whose shards need elements of each other compute what whole ones do.

Both programs run in the interpreter, as in test_partition.py. SHARDSMITH_LONG_TESTS=1
runs 6,000 random chains of such ops.
"""

import os

import pytest
from compiler_tools import run_opt
from seeds import random_seed
from random_neighbours import random_cases
from test_partition import assert_computes, assert_equal, interpret

SEED = random_seed()
CASES = 10
PROGRAMS = 300 if os.environ.get("SHARDSMITH_LONG_TESTS") == "1" else 20


@pytest.mark.parametrize("trial", range(PROGRAMS))
@pytest.mark.parametrize("element", ["f32", "i32"])
def test_random_cases(trial, element, tmp_path):
    seed = (SEED + trial) % 2**32
    text = random_cases(seed, element, CASES)
    print(text)
    assert_computes(text, run_opt(text, "--partition"), element, tmp_path, seed)


def test_reversed_kernel(tmp_path):
    """Shards of a reversed kernel count from the end: what one needs of itself does not
    exist for others."""
    shardings = ['[{}, {"y"}, {"x"}]', '[{}, {}, {"y"}]']
    arguments = ", ".join(
        f'%a{i}: tensor<{shape}xi32> {{smith.role = "batch", smith.name = "a{i}",'
        f" sdy.sharding = #sdy.sharding<@mesh, {sharding}>}}"
        for i, (shape, sharding) in enumerate(zip(["4x9x3", "7x3x3"], shardings))
    )
    text = f"""sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func public @main({arguments}) -> (tensor<4x5x3xi32> {{smith.name = "r0"}}) {{
    %v0 = stablehlo.convolution(%a0, %a1) dim_numbers = [b, 0, f]x[0, o, i]->[b, 0, f],
        window = {{stride = [1], pad = [[2, 0]], reverse = [true]}}
        {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}}
        : (tensor<4x9x3xi32>, tensor<7x3x3xi32>) -> tensor<4x5x3xi32>
    return %v0 : tensor<4x5x3xi32>
  }}
"""
    local = run_opt(text, "--partition")
    assert "tensor<3x3x3xi32>" in local
    assert_equal(interpret(text, tmp_path, SEED), interpret(local, tmp_path, SEED))
