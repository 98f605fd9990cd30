# SPDX-License-Identifier: Apache-2.0
"""Shardings that are in the file: the plan keeps them, and the local programs
compute what the whole one does."""

import itertools
import random
import re

import numpy as np
import pytest
from compiler_tools import run_on_four_devices, run_opt
from seeds import random_seed
from test_partition import assert_near, interpret

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
    assert_near(whole, interpret(local, tmp_path, seed))


# A model as a user of JAX splits it by hand: arguments by in_shardings, an
# activation by with_sharding_constraint.
EXPORT = """
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import NamedSharding, PartitionSpec as P

mesh = jax.sharding.Mesh(np.array(jax.devices()).reshape(2, 2), ("data", "model"))
shard = lambda *axes: NamedSharding(mesh, P(*axes))

def loss(params, batch):
    hidden = jnp.tanh(batch["x"] @ params["up"])
    hidden = jax.lax.with_sharding_constraint(hidden, shard("data", "model"))
    out = hidden @ params["down"]
    if CONSTRAIN_OUTPUT:
        out = jax.lax.with_sharding_constraint(out, shard(("data", "model"), None))
    return jnp.mean((out - batch["y"]) ** 2)

params = {"down": (shard("model", None), (12, 8)), "up": (shard(None, "model"), (8, 12))}
batch = {"x": (shard("data", None), (8, 8)), "y": (shard("data", None), (8, 8))}
is_leaf = lambda leaf: isinstance(leaf, tuple)
shardings, shapes = (
    [jax.tree.map(pick, tree, is_leaf=is_leaf) for tree in (params, batch)]
    for pick in (lambda leaf: leaf[0], lambda leaf: jnp.zeros(leaf[1]))
)
lowered = jax.jit(loss, in_shardings=shardings).lower(*shapes)
print(lowered.as_text(debug_info=True))
"""


def exported(constrain_output):
    return run_on_four_devices(f"CONSTRAIN_OUTPUT = {constrain_output}\n{EXPORT}")


@pytest.mark.parametrize("constrain_output", [False, True])
@pytest.mark.parametrize("optimizer", ["optimizer=sgd momentum=0.9", "optimizer=adamw eps=1e-3"])
def test_models_split_by_hand_are_trained(constrain_output, optimizer, tmp_path):
    text = run_opt(exported(constrain_output), "--import=params=0-1", f"--train={optimizer}")
    planned = run_opt(text, "--plan=cluster=cpu:4")
    down, up = re.findall(r"%arg[01]: \S+ \{sdy.sharding = #sdy.sharding<@mesh, (\[.*?\])>", planned)
    assert (down, up) == ('[{"model"}, {}]', '[{}, {"model"}]')
    # The derivative splits what it computes as the model does.
    constraints = re.findall(r"sdy.sharding_constraint %\S+ <@mesh, (\[.*?\])>", planned)
    assert len(constraints) == 2 * (1 + constrain_output)
    # The plain program, without a word of any sharding.
    plain = re.sub(r"sdy\.sharding = #sdy\.sharding<.*?>(, )?", "", text)
    plain = re.sub(r" sdy.mesh.*\n", "", plain)
    plain, count = re.subn(r"sdy\.sharding_constraint (%\S+) <.*?> :", r"stablehlo.optimization_barrier \1 :", plain)
    assert count == len(constraints) and "sdy" not in plain
    whole = interpret(plain, tmp_path, SEED % 2**32)
    local = run_opt(planned, "--partition")
    assert_near(whole, interpret(local, tmp_path, SEED % 2**32))
