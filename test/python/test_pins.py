# SPDX-License-Identifier: Apache-2.0
"""Pins over parts of axes and over reordered devices: the plan keeps them, and
the local programs compute what the whole one does."""

import itertools
import random
import re

import numpy as np
import pytest
from compiler_tools import random_seed, run_opt
from test_partition import assert_same, interpret

SEED = random_seed()

# A mesh of four or six devices, its parts that may be used together, and what
# the pins name them after import.
MESHES = [
    ('<["x"=4]>', {'"x":(1)2': ["x_0"], '"x":(2)2': ["x_1"]}),
    ('<["x"=6]>', {'"x":(1)3': ["x_0"], '"x":(3)2': ["x_1"]}),
    ('<["a"=2, "b"=2], device_ids=[0, 2, 1, 3]>', {'"a"': ["a"], '"b"': ["b"]}),
    ('<["a"=3, "b"=2], device_ids=[0, 3, 1, 4, 2, 5]>', {'"a"': ["a"], '"b"': ["b"]}),
]


def pin(generator, parts):
    """A random sharding of a matrix and the axes that it must have."""
    used = generator.sample(list(parts), generator.randint(0, len(parts)))
    dims = [[], []]
    for part in used:
        dims[generator.randint(0, 1)].append(part)
    # Neighbouring parts of one axis must be written as one.
    if any(len(dim) > 1 for dim in dims):
        dims = [dim[:1] for dim in dims]
    text = ", ".join("{" + ", ".join(dim) + "}" for dim in dims)
    names = [list(itertools.chain(*(parts[part] for part in dim))) for dim in dims]
    return f"<@m, [{text}]>", names


@pytest.mark.parametrize("trial", range(24))
def test_parts_of_axes_and_device_orders(trial, tmp_path):
    seed = (SEED + trial) % 2**32
    generator = random.Random(seed)
    mesh, parts = MESHES[trial % len(MESHES)]
    rows, inner, columns = (12 * generator.randint(1, 2) for _ in range(3))
    (w, w_names), (x, x_names), (y, y_names) = (pin(generator, parts) for _ in range(3))
    types = {
        "w": f"tensor<{inner}x{columns}xf32>",
        "x": f"tensor<{rows}x{inner}xf32>",
        "y": f"tensor<{rows}x{columns}xf32>",
    }
    text = f"""
sdy.mesh @m = {mesh}
func.func public @main(
    %w: {types["w"]} {{smith.role = "param", smith.name = "w", sdy.sharding = #sdy.sharding{w}}},
    %x: {types["x"]} {{smith.role = "batch", smith.name = "x", sdy.sharding = #sdy.sharding{x}}})
    -> ({types["w"]} {{smith.role = "param", smith.name = "w"}}, {types["y"]}) {{
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : ({types["x"]}, {types["w"]}) -> {types["y"]}
  %1 = sdy.sharding_constraint %0 {y} : {types["y"]}
  %2 = stablehlo.tanh %1 : {types["y"]}
  %3 = stablehlo.tanh %w : {types["w"]}
  return %3, %2 : {types["w"]}, {types["y"]}
}}
"""
    print(f"seed {seed}", text)
    devices = np.prod([int(size) for size in re.findall(r'"=(\d)', mesh)])
    planned = run_opt(text, "--simplify-meshes", f"--plan=cluster=cpu:{devices}")
    found = re.findall(r"%arg\d: \S+ \{sdy.sharding = #sdy.sharding<@mesh, (\[.*?\])>", planned)
    for sharding, names in zip(found, [w_names, x_names], strict=True):
        dims = re.findall(r"\{(.*?)\}", sharding)
        assert [re.findall(r'"(\w+)"', dim) for dim in dims] == names
    whole = interpret(text, tmp_path, seed)
    local = run_opt(planned, "--partition")
    assert_same(whole, interpret(local, tmp_path, seed), exact=False)
