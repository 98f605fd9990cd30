# SPDX-License-Identifier: Apache-2.0
"""`--compute-dtype f8`: products of layers of floats of eight bits, with a scale
for each tensor.

What they compute is compared with JAX that rounds in the same places, written
with another formula for the scale; programs for GPUs, whose library multiplies
eight bits, with programs for processors, which multiply what these stand for.
"""

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from emulators import emulate_program as emulate
from safetensors.numpy import load_file, save_file
from seeds import random_seed
from training import shardsmith, train

from shardsmith.jax import export_loss

VALUES, GRADIENTS = jnp.float8_e4m3fn, jnp.float8_e5m2
# What a scale may not leave a tensor above.
LARGEST = {VALUES: 448.0, GRADIENTS: 57344.0}


def rounded(x, element):
    """To the type, where the least power of two keeps all elements inside."""
    wide = np.asarray(x, np.float32)
    mantissa, exponent = np.frexp(np.abs(wide).max() / np.float64(LARGEST[element]))
    scale = np.float32(2.0) ** (exponent - (mantissa == 0.5)) if mantissa else np.float32(1)
    narrow = jnp.asarray(wide / scale).astype(element)
    return (narrow.astype(jnp.float32) * scale).astype(x.dtype)


@jax.custom_vjp
def values(x):
    return rounded(x, VALUES)


values.defvjp(lambda x: (rounded(x, VALUES), None), lambda _, g: (g,))


@jax.custom_vjp
def gradients(x):
    return x


gradients.defvjp(lambda x: (x, None), lambda _, g: (rounded(g, GRADIENTS),))


def eight_bits(x, w):
    x, w = (values(one.astype(jnp.bfloat16)).astype(jnp.float32) for one in (x, w))
    return gradients((x @ w).astype(jnp.bfloat16)).astype(jnp.float32)


def sixteen_bits(x, w):
    x, w = (one.astype(jnp.bfloat16).astype(jnp.float32) for one in (x, w))
    return (x @ w).astype(jnp.bfloat16).astype(jnp.float32)


def loss(parameters, batch, layer=jnp.matmul, other=jnp.matmul):
    """Two layers that share their input, one behind, and one of odd sizes."""
    hidden = jnp.tanh(layer(batch["x"], parameters["w"])) * batch["x"] @ parameters["mix"]
    hidden = hidden + layer(batch["x"], parameters["v"])
    made = layer(hidden, parameters["u"])
    return jnp.mean((other(made, parameters["odd"]) - batch["y"]) ** 2)


SHAPES = {"w": (32, 32), "v": (32, 48), "u": (48, 16), "odd": (16, 7), "mix": (32, 48)}


def model(tmp_path, zeros=()):
    rng = np.random.default_rng(random_seed())
    parameters = {name: rng.normal(size=shape).astype(np.float32) / 4 * (name not in zeros)
                  for name, shape in SHAPES.items()}
    batch = {"x": jax.ShapeDtypeStruct((32, 32), jnp.float32),
             "y": jax.ShapeDtypeStruct((32, 7), jnp.float32)}
    export_loss(loss, parameters, batch, tmp_path / "model.mlir")
    save_file(parameters, tmp_path / "initial.safetensors")
    return parameters


def in_parts(parameters, batch):
    """All products in the precision that they get, `mix` like the layers."""
    def whole(parameters):
        hidden = jnp.tanh(eight_bits(batch["x"], parameters["w"])) * batch["x"]
        hidden = eight_bits(hidden, parameters["mix"])
        hidden = hidden + eight_bits(batch["x"], parameters["v"])
        made = eight_bits(hidden, parameters["u"])
        return jnp.mean((sixteen_bits(made, parameters["odd"]) - batch["y"]) ** 2)

    return jax.value_and_grad(whole)(parameters)


def distance(actual, expected):
    """Root mean square of the differences, of that of what is expected."""
    squares = sum(np.sum((actual[name] - expected[name]) ** 2.0) for name in expected)
    return float(np.sqrt(squares / sum(np.sum(one**2.0) for one in expected.values())))


@pytest.mark.parametrize(("ranks", "fix", "zeros"), [
    (1, "tp=1", ()), (2, "tp=2", ()), (2, "dp=2", ()),
    # Behind the last layer gradients are zeros, too.
    (1, "tp=1", ("odd",)), (1, "tp=1", ("u",)),
])
def test_gradients_are_those_of_jax(ranks, fix, zeros, tmp_path):
    parameters, rate = model(tmp_path, zeros), 1.0
    shardsmith("compile", tmp_path / "model.mlir", "--cluster", f"cpu:{ranks}", "--fix", fix,
               "--optimizer", "sgd", "--lr", rate, "--compute-dtype", "f8",
               "-o", tmp_path / "cpu")
    assert "0 mismatches" in shardsmith("verify", tmp_path / "cpu")[0]
    files = {name: tmp_path / f"{name}.safetensors" for name in ("batches", "outputs")}
    losses = train(tmp_path / "cpu", ranks, 1, "--init", tmp_path / "initial.safetensors",
                   "--save-batches", files["batches"], "--dump-outputs", files["outputs"])["losses"]
    saved, after = load_file(files["batches"]), load_file(files["outputs"])
    batch = {name: jnp.asarray(saved[f"step0/batch.{name}"]) for name in ("x", "y")}
    actual = {name: (parameters[name] - after[name]) / rate for name in parameters}
    value, expected = in_parts({name: jnp.asarray(one) for name, one in parameters.items()}, batch)
    exact = jax.grad(loss)(parameters, batch)
    expected, exact = ({name: np.asarray(one) for name, one in all_.items()}
                       for all_ in (expected, exact))
    casts = distance(expected, exact)
    assert zeros or casts > 2.0**-6, "the model does not notice that it has eight bits"
    # Sums in another order make few elements round otherwise.
    assert distance(actual, expected) < max(casts / 4, 2.0**-9)
    assert abs(losses[0] - float(value)) < 2e-3 * float(value)


@pytest.mark.parametrize(("chip", "is_narrow"), [("sm_80,sm_90a", False), ("sm_90a,sm_120", True)])
def test_a_gpu_that_multiplies_eight_bits_computes_the_same(chip, is_narrow, tmp_path):
    """Eight bits only where all chips that the program is for multiply them."""
    model(tmp_path)
    shardsmith("compile", tmp_path / "model.mlir", "--cluster", "cpu:2", "--fix", "dp=2",
               "--optimizer", "sgd", "--lr", "0.1", "--compute-dtype", "f8", "-o", tmp_path / "cpu")
    shardsmith("compile", tmp_path / "cpu", "--target", f"cuda:{chip}", "--no-cubin",
               "--dump-dir", tmp_path / "ir", "-o", tmp_path / "cuda")
    program = json.loads((tmp_path / "cuda/device-program.json").read_text())
    products = [step for function in program["functions"].values() for step in function["steps"]
                if step["kind"] == "gemm"]
    narrow = [step for step in products if step["lhs"]["element"].startswith("f8")]
    # Four layers, their gradients, and those of what two of them read.
    assert len(narrow) == (10 if is_narrow else 0)
    assert all("scale" in step for step in narrow)
    # Along neighbours of both operands.
    assert all(step["lhs"]["strides"][-1] == step["rhs"]["strides"][-2] == 1 for step in narrow)
    shardsmith("check", tmp_path / "cuda")
    expected, got = tmp_path / "expected.safetensors", tmp_path / "got.safetensors"
    losses = train(tmp_path / "cpu", 2, 3, "--dump-outputs", expected)["losses"]
    run = emulate(tmp_path / "ir/07-device-functions.mlir", "--steps", 3, "--orders", 3,
                  "--dump-outputs", got)
    np.testing.assert_allclose(run["losses"], losses, rtol=2e-3)
    before, after = load_file(expected), load_file(got)
    assert before.keys() == after.keys()
    assert distance(after, before) < 1e-2
