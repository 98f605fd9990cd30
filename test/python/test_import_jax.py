# SPDX-License-Identifier: Apache-2.0
"""Import keeps the meaning of what JAX exports: the exported and the imported
text, both executed by XLA on the same random arguments, give the same."""

import re
import resource
import subprocess
import sys
from functools import partial

import numpy as np
import pytest

jax = pytest.importorskip("jax")

import equinox as eqx  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import optax  # noqa: E402
from flax import nnx  # noqa: E402
from jax import lax  # noqa: E402
from jaxlib import _jax  # noqa: E402
from seeds import random_seed  # noqa: E402
from tools import ROOT, run_tool, tool  # noqa: E402

sys.path[:0] = [str(ROOT / "python"), str(ROOT / "test/models")]

from make_models import export  # noqa: E402
from models import MODELS  # noqa: E402
from shardsmith.jax import export_loss, export_train_step  # noqa: E402


def execute(text, arguments):
    """Results of a StableHLO module, computed by XLA."""
    device = jax.devices("cpu")[0]
    program = device.client.compile_and_load(
        text, _jax.DeviceList((device,)), _jax.CompileOptions()
    )
    placed = [jax.device_put(argument, device) for argument in arguments]
    return [np.asarray(result) for result in program.execute(placed)]


def random_arguments(text, rng):
    """Values for every argument of @main, within the limits of integers."""
    signature = next(line for line in text.splitlines() if "@main(" in line)
    arguments = []
    for shape, dtype, attributes in re.findall(
        r"%arg\d+: tensor<((?:\d+x)*)(\w+)>\s*(\{[^}]*\})", signature
    ):
        dims = [int(size) for size in shape.split("x")[:-1]]
        if "f" in dtype:
            values = rng.normal(0, 0.3, dims)
            kind = jnp.bfloat16 if dtype == "bf16" else np.float32
            arguments.append(np.asarray(values, kind))
            continue
        limit = re.search(r"smith.limit = (\d+)", attributes)
        values = rng.integers(int(limit[1]) if limit else 1, size=dims)
        arguments.append(values.astype(np.uint32 if dtype == "ui32" else np.int32))
    return arguments


def check_same_meaning(text, seed):
    print("seed", seed)
    imported = run_tool("shardsmith-opt", "--import", text=text)
    for leftover in (" call @", "stablehlo.while", "dynamic_slice", "stablehlo.case"):
        assert leftover not in imported
    arguments = random_arguments(text, np.random.default_rng(seed))
    expected = execute(text, arguments)
    actual = execute(imported, arguments)
    assert len(actual) == len(expected)
    for got, wanted in zip(actual, expected):
        np.testing.assert_allclose(got, wanted, rtol=2e-5, atol=1e-6)


@pytest.fixture
def seed():
    return random_seed() % 2**31


@pytest.mark.parametrize("name", sorted(set(MODELS) - {"gpt2-124m", "gpt3-175b"}))
def test_models(name, seed):
    check_same_meaning(export(name), seed)


def test_gpt3_size_is_imported_within_a_gibibyte(tmp_path):
    """Its parameters are 650 GiB, 96 of them 2.25 GiB each."""
    path = tmp_path / "gpt3.mlir"
    path.write_text(export("gpt3-175b"))
    limits = (1 << 30, 1 << 30)
    done = subprocess.run(
        [tool("shardsmith"), "import", path],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limits),
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count('smith.role = "param"') == 4 + 96 * 12


# Programs around loops. Each is loss(w, x) for w and x of shape [5, 4].


def scan_with_outputs(w, x):
    def body(carry, row):
        carry = jnp.sin(carry + row)
        return carry, (carry * 2, jnp.sum(carry))

    last, (rows, sums) = lax.scan(body, x[0], w)
    return jnp.sum(last) + jnp.sum(rows * w) + jnp.sum(sums)


def reverse_scan(w, x):
    _, rows = lax.scan(lambda c, r: (c * r + 1, c), x[0], w, reverse=True)
    return jnp.sum(rows * x)


def scan_over_numbers(w, x):
    def body(carry, layer):
        return jnp.tanh(carry @ w.T[:, :4].T * w[layer][:, None]), None

    carry, _ = lax.scan(body, x.T[:, :4], jnp.arange(5))
    return jnp.sum(carry)


def nested_loops(w, x):
    def outer(carry, row):
        inner, _ = lax.scan(lambda c, e: (c * e + 1, c), carry, row)
        return inner, inner

    _, results = lax.scan(outer, x[0, 0], w)
    return jnp.sum(results)


def fori(w, x):
    return jnp.sum(lax.fori_loop(1, 4, lambda i, c: jnp.sin(c + w[i]), x[0]))


def unequal_inner_bounds(w, x):
    def outer(i, c):
        return lax.fori_loop(0, i, lambda j, d: d + w[j] * x[i], c)

    return jnp.sum(lax.fori_loop(0, 5, outer, x[0]))


def accumulating_in_place(w, x):
    def body(i, table):
        return table.at[i].set(table[i] + w[4 - i])

    return jnp.sum(lax.fori_loop(0, 5, body, x) ** 2)


def windows_of_two(w, x):
    def body(carry, i):
        return carry + jnp.sum(lax.dynamic_slice_in_dim(w, i, 2)), i * 2

    total, doubled = lax.scan(body, 0.0, jnp.arange(4))
    return total + jnp.sum(x[0] * doubled)


def known_branch(w, x):
    pick = lambda i: lax.switch(i, [jnp.sin, jnp.cos, jnp.tanh], w)
    return jnp.sum(pick(0) + pick(7)) + jnp.sum(x)


def checkpointed(w, x):
    layer = jax.checkpoint(lambda c, r: (jnp.sin(c * r), None))
    return jnp.sum(lax.scan(layer, x[0], w)[0])


PROGRAMS = [
    accumulating_in_place,
    checkpointed,
    fori,
    known_branch,
    nested_loops,
    reverse_scan,
    scan_over_numbers,
    scan_with_outputs,
    unequal_inner_bounds,
    windows_of_two,
]
MATRIX = jax.ShapeDtypeStruct((5, 4), jnp.float32)


@pytest.mark.parametrize("loss", PROGRAMS)
def test_loops(loss, seed):
    check_same_meaning(export_loss(loss, MATRIX, MATRIX), seed)


# JAX differentiates no loop whose bounds it does not know.
@pytest.mark.parametrize("loss", [p for p in PROGRAMS if p != unequal_inner_bounds])
def test_differentiated_loops(loss, seed):
    optimizer = optax.sgd(0.1, momentum=0.9)

    def step(w, state, x):
        value, gradient = jax.value_and_grad(loss)(w, x)
        updates, state = optimizer.update(gradient, state)
        return optax.apply_updates(w, updates), state, value

    state = jax.eval_shape(optimizer.init, MATRIX)
    check_same_meaning(export_train_step(step, MATRIX, state, MATRIX), seed)


# Ways to write a model.


def test_equinox_module(seed):
    model = eqx.nn.MLP(4, 1, 8, 2, key=jax.random.key(0))
    params, static = eqx.partition(model, eqx.is_array)

    def loss(params, batch):
        model = eqx.combine(params, static)
        return jnp.mean((jax.vmap(model)(batch["x"]) - batch["y"]) ** 2)

    batch = {"x": jnp.ones((6, 4)), "y": jnp.ones((6, 1))}
    check_same_meaning(export_loss(loss, params, batch), seed)


def test_nnx_module(seed):
    class Model(nnx.Module):
        def __init__(self, rngs):
            self.layers = nnx.List([nnx.Linear(4, 4, rngs=rngs) for _ in range(2)])
            self.norm = nnx.LayerNorm(4, rngs=rngs)

        def __call__(self, x):
            for layer in self.layers:
                x = nnx.gelu(layer(x))
            return self.norm(x)

    graph, params = nnx.split(Model(nnx.Rngs(0)), nnx.Param)
    text = export_loss(
        lambda p, x: jnp.mean(nnx.merge(graph, p)(x) ** 2), params, jnp.ones((6, 4))
    )
    assert 'smith.name = "layers[0].kernel"' in text
    check_same_meaning(text, seed)


def test_dropout_from_a_key_in_the_batch(seed):
    def loss(w, batch):
        key = jax.random.wrap_key_data(batch["key"])
        kept = jax.random.bernoulli(key, 0.7, batch["x"].shape)
        return jnp.mean(jnp.where(kept, batch["x"] @ w, 0) ** 2)

    batch = {
        "key": jax.ShapeDtypeStruct((2,), jnp.uint32),
        "x": jax.ShapeDtypeStruct((6, 4), jnp.float32),
    }
    text = export_loss(
        loss,
        jax.ShapeDtypeStruct((4, 4), jnp.float32),
        batch,
        batch_dims={"key": -1},
        limits={"key": 1 << 31},
    )
    check_same_meaning(text, seed)


def test_text_with_locations_needs_options_only(seed):
    def loss(params, batch):
        return jnp.sum(params["w"] * batch)

    lowered = jax.jit(partial(loss)).lower({"w": MATRIX}, MATRIX)
    imported = run_tool(
        "shardsmith-opt",
        "--pass-pipeline=builtin.module(import{params=0})",
        text=lowered.as_text(debug_info=True),
    )
    assert 'smith.name = "params.w", smith.role = "param"' in imported
