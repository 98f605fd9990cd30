# SPDX-License-Identifier: Apache-2.0
"""Partitioned programs compute what whole ones do.

Both run in the interpreter: the whole program on one device, the local program
on all devices of its mesh, with NaN in every element of padding.
"""

import numpy as np
import pytest
from compiler_tools import random_seed, run_opt
from random_graphs import random_program
from safetensors.numpy import load_file
from tools import run_tool

SEED = random_seed()


def interpret(text, path, seed):
    program, results = path / "program.mlir", path / "results.safetensors"
    program.write_text(text)
    run_tool("shardsmith-interpret", program, "--quiet", "--seed", seed, "--outputs", results)
    return load_file(results)


def assert_same(whole, parts, exact):
    assert whole.keys() == parts.keys()
    for name, expected in whole.items():
        if exact:
            np.testing.assert_array_equal(parts[name], expected, err_msg=name)
            continue
        # Sums in another order: errors are relative to the largest element.
        scale = np.abs(expected[np.isfinite(expected)]).max(initial=1e-30)
        np.testing.assert_allclose(
            parts[name] / scale, expected / scale, atol=2e-5, err_msg=name
        )


@pytest.mark.parametrize("trial", range(60))
@pytest.mark.parametrize("element", ["f32", "i32"])
def test_random_program(trial, element, tmp_path):
    seed = (SEED + trial) % 2**32
    text = random_program(seed, element)
    print(text)
    local = run_opt(text, "--partition")
    whole = interpret(text, tmp_path, seed)
    assert_same(whole, interpret(local, tmp_path, seed), exact=element == "i32")
