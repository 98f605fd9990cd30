# SPDX-License-Identifier: Apache-2.0
"""Partitioned programs compute what whole ones do.

Both run in the interpreter: the whole program on one device, the local program
on all devices of its mesh, with NaN in every element of padding.
"""

import numpy as np
import pytest
from compiler_tools import run_opt
from seeds import random_seed
from random_graphs import magnitude_program, random_program
from safetensors.numpy import load_file
from tools import run_tool

SEED = random_seed()


def interpret(text, path, seed):
    program, results = path / "program.mlir", path / "results.safetensors"
    program.write_text(text)
    run_tool("shardsmith-interpret", program, "--quiet", "--seed", seed, "--outputs", results)
    return load_file(results)


def assert_equal(whole, parts):
    assert whole.keys() == parts.keys()
    for name, expected in whole.items():
        np.testing.assert_array_equal(parts[name], expected, err_msg=name)


def assert_near(whole, parts, scales=None):
    """Equal up to sums in another order, whose errors are relative to `scales`:
    without it, all values are finite and errors relative to the largest of a result."""
    assert whole.keys() == parts.keys()
    if scales is None:
        assert all(np.isfinite(value).all() for value in whole.values())
        scales = {name: np.abs(value).max(initial=1e-30) for name, value in whole.items()}
    for name, expected in whole.items():
        scale = np.broadcast_to(scales[name], expected.shape)
        # Where the scale overflows, so may the value, in one order and not in another.
        known = np.isfinite(scale)
        error = np.abs(parts[name] - expected)[known]
        assert np.all(error <= 2e-5 * scale[known]), f"{name}: {parts[name]}, expected {expected}"


def assert_computes(text, local, element, folder, seed):
    """A program that was taken apart gives what the whole one does: integers to the
    last bit, floats up to the order of sums."""
    whole, parts = interpret(text, folder, seed), interpret(local, folder, seed)
    if element == "i32":
        assert_equal(whole, parts)
    else:
        assert_near(whole, parts, interpret(magnitude_program(text), folder, seed))


@pytest.mark.parametrize("trial", range(60))
@pytest.mark.parametrize("element", ["f32", "i32"])
def test_random_program(trial, element, tmp_path):
    seed = (SEED + trial) % 2**32
    text = random_program(seed, element)
    print(text)
    assert_computes(text, run_opt(text, "--partition"), element, tmp_path, seed)


def test_values_that_cancel(tmp_path):
    """The difference of two equal products is zero on one rank, and a rounding error on two."""
    argument = '{smith.role = "batch", smith.name = "a", sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}'
    text = f"""sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%a0: tensor<5x8xf32> {argument}) -> (tensor<5x5xf32> {{smith.name = "r0"}}) {{
    %v0 = stablehlo.dot_general %a0, %a0, contracting_dims = [1] x [1] : (tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<5x5xf32>
    %v1 = stablehlo.dot_general %a0, %a0, contracting_dims = [1] x [1] {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{"x"}}, {{}}]>]>}} : (tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<5x5xf32>
    %v2 = stablehlo.subtract %v0, %v1 : tensor<5x5xf32>
    return %v2 : tensor<5x5xf32>
  }}
"""
    whole = interpret(text, tmp_path, SEED)
    scales = interpret(magnitude_program(text), tmp_path, SEED)
    assert not whole["r0"].any() and np.all(scales["r0"] > 0)
    assert_near(whole, interpret(run_opt(text, "--partition"), tmp_path, SEED), scales)
