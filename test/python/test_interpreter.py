# SPDX-License-Identifier: Apache-2.0
"""The interpreter against JAX, op family by op family, on fresh random data."""

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from seeds import random_seed  # noqa: E402
from jax import lax  # noqa: E402
from safetensors.numpy import load_file, save_file  # noqa: E402
from tools import run_tool  # noqa: E402

SEED = random_seed()

F32, I32 = np.float32, np.int32


def normal(*shape):
    return ("normal", shape)


def integers(low, high, *shape):
    return (low, high, shape)


def draw(random, kind):
    if kind[0] == "normal":
        return random.normal(size=kind[1]).astype(F32)
    low, high, shape = kind
    return random.integers(low, high, shape).astype(I32)


def softmax_cross_entropy(x, labels):
    return -jnp.take_along_axis(jax.nn.log_softmax(x), labels[:, None], axis=1).mean()


def bits(x):
    """As integers, so that XLA cannot keep more digits than the type has."""
    return lax.bitcast_convert_type(x, jnp.uint16)


def scanned(x, w):
    return lax.scan(lambda carry, row: (jnp.tanh(carry @ w) + row, carry.sum()), x[0], x)


def conv(x, w, **options):
    return lax.conv_general_dilated(
        x, w, dimension_numbers=("NHWC", "HWIO", "NHWC"), **options
    )


def pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 3, 1), (1, 2, 1, 1), "SAME")


# name: function, arguments
CASES = {
    "arithmetic": (lambda a, b: (a + b, a - b, a * b, a / b, a**2, -a), normal(3, 5), normal(3, 5)),
    "broadcast": (lambda a, b: a[:, None] * b, normal(4), normal(3)),
    "extrema": (lambda a, b: (jnp.maximum(a, b), jnp.minimum(a, b), jnp.clip(a, -0.5, b)), normal(7), normal(7)),
    "exponentials": (lambda a: (jnp.exp(a), jnp.expm1(a), jnp.log1p(abs(a)), jnp.tanh(a), jax.nn.sigmoid(a)), normal(50)),
    "trigonometry": (lambda a, b: (jnp.sin(a), jnp.cos(a), jnp.tan(a), jnp.arctan2(a, b), jnp.arcsin(a / 9)), normal(50), normal(50)),
    "gamma": (lambda a: (lax.lgamma(a), lax.digamma(abs(a) + 0.1), lax.erf(a), lax.erf_inv(jnp.tanh(a))), normal(50)),
    "zeta": (lambda a, b: (lax.zeta(abs(a) + 1.2, abs(b) + 0.3), lax.polygamma(jnp.round(abs(a)), abs(b) + 0.3)), normal(50), normal(50)),
    "rounding": (lambda a: (jnp.round(9 * a), jnp.floor(9 * a), jnp.ceil(9 * a), jnp.trunc(9 * a), (9 * a).astype(I32)), normal(50)),
    "powers": (lambda a, b: (jnp.power(abs(a), b), lax.rsqrt(abs(a)), jnp.cbrt(a), jnp.sqrt(abs(a))), normal(50), normal(50)),
    "integers": (lambda a, b: (a // b, a % b, lax.div(a, b), lax.rem(a, b), a << 3, a >> 2, a & b, a | b, a ^ b, ~a), integers(-99, 99, 40), integers(1, 9, 40)),
    "bits": (lambda a: (lax.population_count(a), lax.clz(a), lax.bitcast_convert_type(a, F32)), integers(1, 1 << 30, 40)),
    "short floats": (lambda a, b: (bits(a.astype(jnp.bfloat16) * b.astype(jnp.bfloat16)), bits(a.astype(jnp.float16) / b.astype(jnp.float16))), normal(99), normal(99)),
    "dot": (lambda a, b: jnp.einsum("bik,kjb->bij", a, b), normal(2, 5, 7), normal(7, 3, 2)),
    "attention": (lambda q, k, v: jax.nn.softmax(jnp.where(jnp.tri(6, dtype=bool), jnp.einsum("bhqd,bhkd->bhqk", q, k), -1e30)) @ v, normal(2, 3, 6, 4), normal(2, 3, 6, 4), normal(2, 3, 6, 4)),
    "layer norm": (lambda x: jax.nn.standardize(x, axis=-1), normal(5, 33)),
    "reductions": (lambda a: (a.sum((0, 2)), a.max(1), a.min(0), a.prod(2), jnp.abs(a).mean(), (a > 0).any(1), (a > -2).all(0)), normal(3, 4, 5)),
    "argmax": (lambda a: (a.argmax(1), a.argmin(0)), normal(4, 9)),
    "cumulative": (lambda a: (a.cumsum(1), lax.cummax(a, 0), lax.cumlogsumexp(a, 1)), normal(4, 9)),
    "shapes": (lambda a: (a.T, a.reshape(2, -1), a[::-1, 1:], jnp.pad(a, ((1, 2), (0, 3))), jnp.concatenate([a, a * 2], 1)), normal(4, 6)),
    "interior padding": (lambda a: lax.pad(a, 7.0, ((-1, 2, 1), (3, -2, 0))), normal(4, 6)),
    "take": (lambda a, i: (a[i], jnp.take(a, i, axis=1, mode="clip")), normal(7, 5), integers(-9, 9, 4)),
    "embedding gradient": (lambda a, i, g: a.at[i].add(g), normal(7, 5), integers(0, 9, 6), normal(6, 5)),
    "scatter": (lambda a, i, g: (a.at[i, 1].set(g), a.at[:, i].max(g), a.at[i].mul(2.0)), normal(7, 5), integers(-3, 4, 3), normal(3)),
    "dynamic slices": (lambda a, i: (lax.dynamic_slice(a, (i, 1), (2, 3)), lax.dynamic_update_slice(a, a[:2, :2] * 0, (i, i))), normal(6, 5), integers(-3, 9)),
    "sort": (lambda a, b: (jnp.sort(a, axis=0), jnp.argsort(a, axis=1), *lax.sort((a, b), num_keys=1)), normal(4, 9), normal(4, 9)),
    "top k": (lambda a: lax.top_k(a, 3), normal(4, 9)),
    "control": (lambda a, i: (lax.switch(i, [jnp.sin, jnp.cos, jnp.tan], a), lax.cond(i > 1, lambda: a * 2, lambda: a * 3)), normal(9), integers(-2, 5)),
    "scan": (scanned, normal(5, 4), normal(4, 4)),
    "convolution": (conv, normal(2, 9, 8, 3), normal(3, 2, 3, 4), dict(window_strides=(2, 1), padding=((1, 2), (0, 1)))),
    "dilated convolution": (conv, normal(2, 9, 8, 3), normal(3, 2, 3, 4), dict(window_strides=(1, 1), padding=((2, 1), (0, 3)), lhs_dilation=(2, 1), rhs_dilation=(1, 3))),
    "grouped convolution": (conv, normal(2, 9, 8, 4), normal(3, 2, 2, 6), dict(window_strides=(1, 1), padding="VALID", feature_group_count=2)),
    "convolution gradient": (lambda x, w: jax.grad(lambda x, w: (conv(x, w, window_strides=(2, 2), padding="SAME") ** 2).sum(), (0, 1))(x, w), normal(2, 7, 6, 3), normal(3, 3, 3, 4)),
    "pooling": (lambda x: (pool(x), jax.grad(lambda x: (pool(x) ** 2).sum())(x)), normal(2, 7, 6, 3)),
    "loss gradient": (lambda x, i: jax.grad(softmax_cross_entropy)(x, i), normal(6, 9), integers(0, 9, 6)),
    "random bits": (lambda a: jax.random.normal(jax.random.key(7), (33,)) + a, normal(33)),
    "reduced precision": (lambda a: lax.reduce_precision(a, 5, 10), normal(99)),
}


@pytest.mark.parametrize("name", CASES)
def test_agrees_with_jax(name, tmp_path):
    function, *kinds = CASES[name]
    options = kinds.pop() if isinstance(kinds[-1], dict) else {}
    random = np.random.default_rng(SEED)
    arguments = [draw(random, kind) for kind in kinds]

    def flat(*given):
        return jax.tree.leaves(function(*given, **options))

    jitted = jax.jit(flat, keep_unused=True)
    program = tmp_path / "program.mlir"
    program.write_text(jitted.lower(*arguments).as_text())
    inputs, outputs = tmp_path / "inputs.safetensors", tmp_path / "outputs.safetensors"
    save_file({f"argument{i}": value for i, value in enumerate(arguments)}, inputs)
    run_tool("shardsmith-interpret", program, "--quiet", "--inputs", inputs, "--outputs", outputs)

    results = load_file(outputs)
    expected = [np.asarray(value) for value in jitted(*arguments)]
    assert len(results) == len(expected)
    for index, value in enumerate(expected):
        actual = results[f"result{index}"]
        assert actual.dtype == value.dtype and actual.shape == value.shape
        if value.dtype != F32:
            np.testing.assert_array_equal(actual, value, err_msg=f"result {index}")
            continue
        # XLA's float32 functions are good to a few units in the last place of
        # their largest intermediate value.
        scale = np.abs(value[np.isfinite(value)]).max(initial=1e-30)
        np.testing.assert_allclose(
            actual, value, rtol=3e-5, atol=1e-6 * scale, err_msg=f"result {index}"
        )
