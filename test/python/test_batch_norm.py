# SPDX-License-Identifier: Apache-2.0
"""Models with batch normalisation as an op train like JAX's arithmetic for it,
on any number of ranks. JAX writes that arithmetic itself, so the models are
written as text."""

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import test_zoo  # noqa: E402
from compiler_tools import run_opt, run_xla  # noqa: E402
from seeds import random_seed  # noqa: E402
from random_loops import Model  # noqa: E402
from safetensors.numpy import save_file  # noqa: E402
from training import shardsmith  # noqa: E402

SHAPE, FEATURE = (8, 5, 3), 1
EPSILON = 1e-3
WHOLE, VECTOR = "tensor<8x5x3xf32>", "tensor<5xf32>"
FIELDS = f"<{{epsilon = {EPSILON} : f32, feature_index = {FEATURE} : i64}}>"

TEXT = f"""
func.func public @main(
    %offset: {VECTOR} {{smith.name = "offset", smith.role = "param"}},
    %scale: {VECTOR} {{smith.name = "scale", smith.role = "param"}},
    %w: tensor<3x3xf32> {{smith.name = "w", smith.role = "param"}},
    %x: {WHOLE} {{smith.name = "batch.x", smith.role = "batch"}},
    %y: {WHOLE} {{smith.name = "batch.y", smith.role = "batch"}})
    -> (tensor<f32> {{smith.name = "loss", smith.role = "loss"}}) {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %many = stablehlo.constant dense<{np.prod(SHAPE)}.0> : tensor<f32>
  %h = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : ({WHOLE}, tensor<3x3xf32>) -> {WHOLE}
  %n, %mean, %variance = "stablehlo.batch_norm_training"(%h, %scale, %offset) {FIELDS}
      : ({WHOLE}, {VECTOR}, {VECTOR}) -> ({WHOLE}, {VECTOR}, {VECTOR})
  %t = stablehlo.tanh %n : {WHOLE}
  %i = "stablehlo.batch_norm_inference"(%t, %scale, %offset, %mean, %variance) {FIELDS}
      : ({WHOLE}, {VECTOR}, {VECTOR}, {VECTOR}, {VECTOR}) -> {WHOLE}
  %d = stablehlo.subtract %i, %y : {WHOLE}
  %s = stablehlo.multiply %d, %d : {WHOLE}
  %sum = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : ({WHOLE}, tensor<f32>) -> tensor<f32>
  %loss = stablehlo.divide %sum, %many : tensor<f32>
  return %loss : tensor<f32>
}}
"""


def normalize(x, mean, variance, scale, offset):
    spread = lambda v: v[None, :, None]
    return spread(scale) * (x - spread(mean)) / jnp.sqrt(spread(variance) + EPSILON) + spread(offset)


def loss(p, b):
    h = b["x"] @ p["w"]
    mean, variance = h.mean((0, 2)), h.var((0, 2))
    n = normalize(h, mean, variance, p["scale"], p["offset"])
    i = normalize(jnp.tanh(n), mean, variance, p["scale"], p["offset"])
    return jnp.mean((i - b["y"]) ** 2)


@pytest.mark.parametrize("ranks", test_zoo.RANKS)
def test_gradients_are_those_of_jax(ranks, tmp_path):
    """Means over the batch of all ranks, and derivatives through them."""
    seed = random_seed()
    rng = np.random.default_rng(seed)
    draw = lambda *shape: rng.normal(0, 0.7, shape).astype(np.float32)
    params = {"offset": draw(5), "scale": 1 + draw(5), "w": draw(3, 3)}
    batch = {"x": draw(*SHAPE), "y": draw(*SHAPE)}
    path, initial = tmp_path / "model.mlir", tmp_path / "initial.safetensors"
    path.write_text(TEXT)
    save_file(params, initial)
    case = test_zoo.Exported(Model(loss, params, batch), path, initial, seed)
    test_zoo.check_gradients(case, test_zoo.draw_ranks(ranks, seed), tmp_path / "out")
    shardsmith("verify", tmp_path / "out")


def test_values_are_those_of_xla():
    """The op of the gradient, too, which no derivative of ours makes."""
    rng = np.random.default_rng(random_seed())
    x, g = (rng.normal(0, 2, SHAPE).astype(np.float32) for _ in range(2))
    vectors = [rng.uniform(0.2, 2, 5).astype(np.float32) for _ in range(3)]
    text = f"""
func.func public @main(%x: {WHOLE}, %scale: {VECTOR}, %mean: {VECTOR}, %variance: {VECTOR}, %g: {WHOLE})
    -> ({WHOLE}, {VECTOR}, {VECTOR}) {{
  %r:3 = "stablehlo.batch_norm_grad"(%x, %scale, %mean, %variance, %g) {FIELDS}
      : ({WHOLE}, {VECTOR}, {VECTOR}, {VECTOR}, {WHOLE}) -> ({WHOLE}, {VECTOR}, {VECTOR})
  return %r#0, %r#1, %r#2 : {WHOLE}, {VECTOR}, {VECTOR}
}}"""
    arguments = [x, *vectors, g]
    expanded = run_opt(text, "--expand-batch-norm")
    assert "batch_norm" not in expanded
    for ours, theirs in zip(run_xla(expanded, arguments), run_xla(text, arguments), strict=True):
        np.testing.assert_allclose(ours, np.asarray(theirs), 1e-5, 1e-5 * np.abs(theirs).max())
