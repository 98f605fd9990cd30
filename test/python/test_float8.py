# SPDX-License-Identifier: Apache-2.0
"""Floats of eight bits: conversions against ml_dtypes, and a step against JAX."""

import random

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from cpu_program import run_program, with_roles
from emulators import emulate_kernels as emulate, emulate_program as emulate_steps
from safetensors.numpy import load_file, save_file
from seeds import random_seed
from shardsmith._leaves import initial_value
from shardsmith.jax import export_loss
from test_device_kernels import function
from training import shardsmith, train

TYPES = {"f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2}


def numbers_around(element):
    """All values of the type, what lies halfway between neighbours, and the f32 next
    to all of these; beyond the largest, infinities and NaN too."""
    values = np.arange(256, dtype=np.uint8).view(element).astype(np.float32)
    values = np.unique(values[np.isfinite(values)])
    step = values[-1] - values[-2]
    values = np.append(values, [values[-1] + step, -values[-1] - step])
    values.sort()
    halves = (values[:-1] + values[1:]) / 2
    exact = np.concatenate([values, halves]).astype(np.float32)
    rng = np.random.default_rng(random_seed())
    return np.concatenate([
        exact, np.nextafter(exact, np.float32(np.inf)), np.nextafter(exact, np.float32(-np.inf)),
        np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 3e38, -3e38], np.float32),
        rng.integers(0, 2**32, 4096, dtype=np.uint32).view(np.float32),
    ])


@pytest.mark.parametrize("name", TYPES)
def test_conversions_are_those_of_ml_dtypes(name, tmp_path):
    element = TYPES[name]
    wide = numbers_around(element)
    codes = np.arange(256, dtype=np.uint8)
    text = f"""func.func public @main(%arg0: tensor<{wide.size}xf32>, %arg1: tensor<256xui8>) -> (tensor<{wide.size}xui8>, tensor<256xf32>, tensor<256xbf16>) {{
  %0 = stablehlo.convert %arg0 : (tensor<{wide.size}xf32>) -> tensor<{wide.size}x{name}>
  %1 = stablehlo.bitcast_convert %0 : (tensor<{wide.size}x{name}>) -> tensor<{wide.size}xui8>
  %2 = stablehlo.bitcast_convert %arg1 : (tensor<256xui8>) -> tensor<256x{name}>
  %3 = stablehlo.convert %2 : (tensor<256x{name}>) -> tensor<256xf32>
  %4 = stablehlo.convert %2 : (tensor<256x{name}>) -> tensor<256xbf16>
  return %1, %3, %4 : tensor<{wide.size}xui8>, tensor<256xf32>, tensor<256xbf16>
}}
"""
    got, decoded, halves = run_program(with_roles(text, 2, 3), [wide, codes], tmp_path)
    with np.errstate(over="ignore", invalid="ignore"):
        expected = wide.astype(element)
    isnan = np.isnan(expected.astype(np.float32))
    # Of NaN any bits do that are NaN.
    assert np.isnan(got.view(element).astype(np.float32)[isnan]).all()
    np.testing.assert_array_equal(got[~isnan], expected.view(np.uint8)[~isnan])
    np.testing.assert_array_equal(decoded, codes.view(element).astype(np.float32))
    np.testing.assert_array_equal(np.signbit(decoded[decoded == 0]), [False, True])
    np.testing.assert_array_equal(halves.astype(np.float32), decoded)


def nearest(x, element):
    """Of values in f64 that are no overflow, rounded once."""
    values = np.arange(0x7F, dtype=np.uint8).view(element).astype(np.float64)
    values = values[np.isfinite(values)]
    above = np.searchsorted(values, np.abs(x))
    below = np.maximum(above - 1, 0)
    gaps = np.abs(x) - values[below], values[above] - np.abs(x)
    isup = (gaps[1] < gaps[0]) | ((gaps[1] == gaps[0]) & (above % 2 == 0))
    return np.copysign(values[np.where(isup, above, below)], x)


@pytest.mark.parametrize("name", TYPES)
def test_conversions_of_other_types_round_once(name, tmp_path):
    """Beside a tie, by less than an f32 can say; f64 to f16 and bf16 likewise."""
    element = TYPES[name]
    largest = float(ml_dtypes.finfo(element).max)
    ties = numbers_around(element)
    ties = ties[np.abs(ties) <= largest].astype(np.float64)
    doubles = np.concatenate([ties, ties * (1 + 1e-12), ties * (1 - 1e-12), ties + 5e-324])
    doubles = doubles[np.abs(doubles) <= largest]
    doubles[1::2] *= -1
    integers = np.arange(-300, 301, dtype=np.int32)
    count, of_integers, other = doubles.size, integers.size, (set(TYPES) - {name}).pop()
    text = f"""func.func public @main(%arg0: tensor<{count}xf64>, %arg1: tensor<{of_integers}xi32>, %arg2: tensor<256xui8>) -> (tensor<{count}xf32>, tensor<{of_integers}xf32>, tensor<256xf32>, tensor<{count}xf32>) {{
  %0 = stablehlo.convert %arg0 : (tensor<{count}xf64>) -> tensor<{count}x{name}>
  %1 = stablehlo.convert %0 : (tensor<{count}x{name}>) -> tensor<{count}xf32>
  %2 = stablehlo.convert %arg1 : (tensor<{of_integers}xi32>) -> tensor<{of_integers}x{name}>
  %3 = stablehlo.convert %2 : (tensor<{of_integers}x{name}>) -> tensor<{of_integers}xf32>
  %4 = stablehlo.bitcast_convert %arg2 : (tensor<256xui8>) -> tensor<256x{other}>
  %5 = stablehlo.convert %4 : (tensor<256x{other}>) -> tensor<256x{name}>
  %6 = stablehlo.convert %5 : (tensor<256x{name}>) -> tensor<256xf32>
  %7 = stablehlo.convert %arg0 : (tensor<{count}xf64>) -> tensor<{count}xf16>
  %8 = stablehlo.convert %7 : (tensor<{count}xf16>) -> tensor<{count}xf32>
  return %1, %3, %6, %8 : tensor<{count}xf32>, tensor<{of_integers}xf32>, tensor<256xf32>, tensor<{count}xf32>
}}
"""
    codes = np.arange(256, dtype=np.uint8)
    found = run_program(with_roles(text, 3, 4), [doubles, integers, codes], tmp_path)
    of_codes = codes.view(TYPES[other]).astype(element)
    with np.errstate(over="ignore"):
        expected = (nearest(doubles, element), integers.astype(np.float32).astype(element),
                    of_codes, doubles.astype(np.float16))
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs.astype(np.float32))
        np.testing.assert_array_equal(np.signbit(ours), np.signbit(theirs.astype(np.float32)))


@pytest.mark.parametrize("name", TYPES)
def test_device_functions_are_the_interpreter(name):
    """Stored between functions: a transpose reads what a product reads as well."""
    text = function(
        {"x": "tensor<33x48xf32>", "w": f"tensor<48x16x{name}>", "d": "tensor<48x16xf64>"},
        {"y": "tensor<33x16xbf16>", "z": f"tensor<48x33x{name}>", "c": f"tensor<48x16x{name}>",
         "n": f"tensor<48x16x{name}>"},
        f"""  %q = stablehlo.convert %x : (tensor<33x48xf32>) -> tensor<33x48x{name}>
  %y = stablehlo.dot_general %q, %w, contracting_dims = [1] x [0] : (tensor<33x48x{name}>, tensor<48x16x{name}>) -> tensor<33x16xbf16>
  %z = stablehlo.transpose %q, dims = [1, 0] : (tensor<33x48x{name}>) -> tensor<48x33x{name}>
  %c = stablehlo.add %w, %w : tensor<48x16x{name}>
  %n = stablehlo.convert %d : (tensor<48x16xf64>) -> tensor<48x16x{name}>
""")
    for options in [], ["--special"]:
        out = emulate(text, "--orders", "3", *options)
        assert "function" in out or "kernel" in out


def quantised(values, element, largest):
    """With a scale of its own, as products of eight bits are made."""
    scale = largest / jnp.maximum(jnp.max(jnp.abs(values)), 1e-12)
    return (values * jax.lax.stop_gradient(scale)).astype(element), 1 / scale


def loss(parameters, batch):
    hidden, scale = quantised(batch["x"], jnp.float8_e4m3fn, 448.0)
    matrix, of_matrix = quantised(parameters["w"], jnp.float8_e5m2, 384.0)
    made = jax.lax.dot_general(hidden, matrix.astype(jnp.float8_e4m3fn), (((1,), (0,)), ((), ())),
                               preferred_element_type=jnp.float32)
    made = jnp.tanh(made * (scale * of_matrix)) @ parameters["v"]
    return jnp.mean((made - batch["y"]) ** 2)


@pytest.mark.parametrize(("ranks", "fix"), [(1, "dp=1"), (2, "dp=2"), (2, "tp=2")])
def test_a_loss_is_that_of_jax(ranks, fix, tmp_path):
    rng = np.random.default_rng(random_seed())
    draw = lambda *shape: rng.uniform(-1, 1, shape).astype(np.float32)  # noqa: E731
    parameters = {"w": draw(16, 24), "v": draw(24, 8)}
    batch = {"x": jax.ShapeDtypeStruct((8, 16), jnp.float32),
             "y": jax.ShapeDtypeStruct((8, 8), jnp.float32)}
    model = tmp_path / "model.mlir"
    export_loss(loss, parameters, batch, model)
    assert "f8E4M3FN" in model.read_text() and "f8E5M2" in model.read_text()
    initial, batches = tmp_path / "initial.safetensors", tmp_path / "batches"
    save_file(parameters, initial)
    shardsmith("compile", model, "--cluster", f"cpu:{ranks}", "--fix", fix, "-o", tmp_path / "cpu")
    report = train(tmp_path / "cpu", ranks, 1, "--init", initial, "--save-batches", batches)
    given = {key.split("batch.")[1]: value for key, value in load_file(batches).items()}
    np.testing.assert_allclose(report["losses"][0], loss(parameters, given), rtol=1e-5)
    if fix == "dp=2":
        return
    shardsmith("compile", tmp_path / "cpu", "--target", "cuda:sm_80", "--no-cubin",
               "--dump-dir", tmp_path / "ir", "-o", tmp_path / "gpu")
    run = emulate_steps(tmp_path / "ir/07-device-functions.mlir", "--steps", 2)
    reference = train(tmp_path / "cpu", ranks, 2)
    np.testing.assert_allclose(run["losses"], reference["losses"], rtol=1e-4)


@pytest.mark.parametrize("name", TYPES)
def test_parameters_begin_as_those_of_other_floats(name):
    shape = (8, 4)
    wide, narrow = (initial_value("w", jax.ShapeDtypeStruct(shape, element))
                    for element in (np.float32, TYPES[name]))
    assert wide == narrow and wide != initial_value("w", jax.ShapeDtypeStruct(shape, np.int32))


def rounded_loss(parameters, batch):
    """With activations, and so their gradients, that go through eight bits."""
    hidden = jnp.tanh(batch["x"] @ parameters["w"]) * 4
    hidden = hidden.astype(jnp.float8_e4m3fn).astype(jnp.bfloat16)
    wide = jnp.concatenate([hidden.T[:12], hidden.T[12:] * 2]).astype(jnp.float8_e5m2)
    made = jax.lax.dot_general(wide, parameters["v"].astype(jnp.float8_e5m2),
                               (((0,), (0,)), ((), ())), preferred_element_type=jnp.float32)
    return jnp.sum((made / 8 - batch["y"]) ** 2)


def test_training_is_that_of_jax(tmp_path):
    """Where sums in another order round to a neighbour, by an element's share."""
    rng, steps, rate = np.random.default_rng(random_seed()), 4, 1e-3
    draw = lambda *shape: rng.uniform(-1, 1, shape).astype(np.float32)  # noqa: E731
    parameters = {"w": draw(16, 24), "v": draw(24, 8)}
    batch = {"x": jax.ShapeDtypeStruct((8, 16), jnp.float32),
             "y": jax.ShapeDtypeStruct((8, 8), jnp.float32)}
    export_loss(rounded_loss, parameters, batch, tmp_path / "model.mlir")
    save_file(parameters, tmp_path / "initial.safetensors")
    shardsmith("compile", tmp_path / "model.mlir", "--cluster", "cpu:1", "--optimizer", "sgd",
               "--lr", rate, "-o", tmp_path / "cpu")
    batches = tmp_path / "batches.safetensors"
    losses = train(tmp_path / "cpu", 1, steps, "--init", tmp_path / "initial.safetensors",
                   "--save-batches", batches)["losses"]
    saved, expected, still = load_file(batches), [], []
    trained = {key: jnp.asarray(value) for key, value in parameters.items()}
    for step in range(steps):
        given = {key: saved[f"step{step}/batch.{key}"] for key in batch}
        # Not compiled: XLA would leave out roundings.
        value, gradients = jax.value_and_grad(rounded_loss)(trained, given)
        expected.append(float(value))
        still.append(float(rounded_loss(parameters, given)))
        trained = jax.tree.map(lambda p, g: p - rate * g, trained, gradients)
    np.testing.assert_allclose(losses, expected, rtol=1e-3)
    assert abs(still[-1] / expected[-1] - 1) > 0.02, "nothing is learned"


def test_parameters_are_of_eight_bits(tmp_path):
    """Which are trained in f32, like those of sixteen."""
    def loss(parameters, batch):
        made = jax.lax.dot_general(batch["x"].astype(jnp.float8_e4m3fn), parameters["w"],
                                   (((1,), (0,)), ((), ())), preferred_element_type=jnp.float32)
        rows = jnp.take(parameters["e"], batch["i"], axis=0).astype(jnp.float32)
        return jnp.mean((made + rows) ** 2)

    rng = np.random.default_rng(random_seed())
    parameters = {"w": rng.normal(size=(16, 8)).astype(jnp.float8_e4m3fn),
                  "e": jax.ShapeDtypeStruct((10, 8), jnp.float8_e5m2)}
    batch = {"x": jax.ShapeDtypeStruct((8, 16), jnp.float32),
             "i": jax.ShapeDtypeStruct((8,), jnp.int32)}
    export_loss(loss, parameters, batch, tmp_path / "model.mlir")
    assert (tmp_path / "model.mlir").read_text().count('smith.init = "normal:') == 2
    losses = []
    for ranks in 1, 2:
        program = tmp_path / f"cpu{ranks}"
        shardsmith("compile", tmp_path / "model.mlir", "--cluster", f"cpu:{ranks}",
                   "--fix", f"tp={ranks}", "-o", program)
        assert "0 mismatches" in shardsmith("verify", program)[0]
        losses.append(train(program, ranks, 3)["losses"])
    np.testing.assert_allclose(*losses, rtol=1e-3)

# What becomes of the rows `%a` and the matrix `%b`, as `%r`.
USES = {
    "sort": """
  %s = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<T>, %q: tensor<T>):
    %less = stablehlo.compare LT, %p, %q : (tensor<T>, tensor<T>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<4x16xT>) -> tensor<4x16xT>
  %r = stablehlo.dot_general %s, %b, contracting_dims = [1] x [0] : (tensor<4x16xT>, tensor<16x8xT>) -> tensor<4x8xf32>""",
    "constant": """
  %c = stablehlo.constant dense<[1.0, 2.0, -3.0, 0.5, 1.0, 2.0, -3.0, 0.5]> : tensor<8xT>
  %cb = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<8xT>) -> tensor<4x8xT>
  %e = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x16xT>, tensor<16x8xT>) -> tensor<4x8xT>
  %f = stablehlo.multiply %e, %cb : tensor<4x8xT>
  %r = stablehlo.convert %f : (tensor<4x8xT>) -> tensor<4x8xf32>""",
    "ragged": """
  %sizes = stablehlo.constant dense<[2, 2]> : tensor<2xi32>
  %m = stablehlo.reshape %b : (tensor<16x8xT>) -> tensor<2x8x8xT>
  %h = stablehlo.slice %a [0:4, 0:8] : (tensor<4x16xT>) -> tensor<4x8xT>
  %r = "chlo.ragged_dot"(%h, %m, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<4x8xT>, tensor<2x8x8xT>, tensor<2xi32>) -> tensor<4x8xf32>""",
    "convolution": """
  %i = stablehlo.reshape %a : (tensor<4x16xT>) -> tensor<1x4x4x4xT>
  %k = stablehlo.reshape %b : (tensor<16x8xT>) -> tensor<2x2x4x8xT>
  %c = stablehlo.convolution(%i, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x4xT>, tensor<2x2x4x8xT>) -> tensor<1x2x2x8xf32>
  %r = stablehlo.reshape %c : (tensor<1x2x2x8xf32>) -> tensor<4x8xf32>""",
}
# Devices compute these by tiles of elements of 16 and 32 bits.
REFUSED = {"ragged": "smith.grouped_dot", "convolution": "stablehlo.convolution"}


@pytest.mark.parametrize("use", USES)
def test_steps_are_those_of_the_interpreter(use, tmp_path):
    name = random.Random(random_seed()).choice(sorted(TYPES))
    text = f"""func.func public @main(
    %w: tensor<16x8xf32> {{smith.role = "param", smith.name = "w"}},
    %x: tensor<4x16xf32> {{smith.role = "batch", smith.name = "x"}}) -> (tensor<f32> {{smith.role = "loss"}}) {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.convert %x : (tensor<4x16xf32>) -> tensor<4x16xT>
  %b = stablehlo.convert %w : (tensor<16x8xf32>) -> tensor<16x8xT>{USES[use]}
  %l = stablehlo.reduce(%r init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  return %l : tensor<f32>
}}
"""
    model = tmp_path / "model.mlir"
    model.write_text(text.replace("xT>", f"x{name}>").replace("<T>", f"<{name}>"))
    shardsmith("compile", model, "--cluster", "cpu:1", "-o", tmp_path / "cpu")
    assert "0 mismatches" in shardsmith("verify", tmp_path / "cpu")[0]
    on_device = ["compile", tmp_path / "cpu", "--target", "cuda:sm_80", "--no-cubin",
                 "--dump-dir", tmp_path / "ir", "-o", tmp_path / "gpu"]
    if use in REFUSED:
        error = shardsmith(*on_device, code=5)[1]
        assert f"unsupported on CUDA: '{REFUSED[use]}' of {name}" in error
        return
    shardsmith(*on_device)
    run = emulate_steps(tmp_path / "ir/07-device-functions.mlir", "--steps", 2)
    reference = train(tmp_path / "cpu", 1, 2)
    np.testing.assert_allclose(run["losses"], reference["losses"], rtol=1e-5)
