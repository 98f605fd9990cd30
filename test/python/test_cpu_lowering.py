# SPDX-License-Identifier: Apache-2.0
"""Compiled programs against the same function in float64.

Each case is a JAX function; it is lowered, compiled for one rank, run on
random inputs and compared with its own evaluation in double precision.
"""

import zlib

import jax
import jax.numpy as jnp
import numpy
import pytest

from cpu_program import run_program, with_roles
from seeds import random_seed

SEED = random_seed() % 2**31


def layer_norm(x, g, b):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) / jnp.sqrt(variance + 1e-5) * g + b


def gelu(x):
    return 0.5 * x * (1 + jnp.tanh(0.79788456 * (x + 0.044715 * x**3)))


def attention(x, w):
    batch, length, width = x.shape
    q, k, v = jnp.split(x @ w, 3, axis=-1)
    heads = lambda t: t.reshape(batch, length, 4, -1).transpose(0, 2, 1, 3)
    q, k, v = heads(q), heads(k), heads(v)
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / 3.0
    mask = jnp.tril(jnp.ones((length, length), bool))
    scores = jnp.where(mask, scores, -1e9)
    out = jax.nn.softmax(scores) @ v
    return out.transpose(0, 2, 1, 3).reshape(batch, length, width)


def rope(x):
    half = x.shape[-1] // 2
    angle = jnp.arange(x.shape[-2], dtype=x.dtype)[:, None] * (
        10.0 ** (-jnp.arange(half, dtype=x.dtype) / half)
    )
    cos, sin = jnp.cos(angle), jnp.sin(angle)
    a, b = x[..., :half], x[..., half:]
    return jnp.concatenate([a * cos - b * sin, b * cos + a * sin], -1)


def adamw(p, m, v, g, t):
    m = 0.9 * m + 0.1 * g
    v = 0.999 * v + 0.001 * g * g
    scale = jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
    return p - 0.01 * (m * scale / (jnp.sqrt(v) + 1e-8) + 0.1 * p), m, v


def cross_entropy(x, labels):
    logs = jax.nn.log_softmax(x)
    return -jnp.take_along_axis(logs, labels[..., None], -1).mean()


def random(rng, *shape, low=-2.0, high=2.0):
    return rng.uniform(low, high, shape).astype(numpy.float32)


def integers(rng, high, *shape):
    return rng.integers(0, high, shape).astype(numpy.int32)


# name: (function, inputs from a random generator)
CASES = {
    "add_odd": (lambda x, y: x + 2 * y, lambda r: [random(r, 7, 13, 3)] * 2),
    "flat": (lambda x, y: x * y - x, lambda r: [random(r, 100003)] * 2),
    "scalar": (lambda x: x * x + 1, lambda r: [random(r)]),
    "exp": (jnp.exp, lambda r: [random(r, 9, 77, low=-110, high=88)]),
    "log": (jnp.log, lambda r: [random(r, 1001, low=1e-30, high=100)]),
    "tanh": (jnp.tanh, lambda r: [random(r, 515, low=-9, high=9)]),
    "erf": (jax.scipy.special.erf, lambda r: [random(r, 515, low=-4, high=4)]),
    "erfc": (jax.scipy.special.erfc, lambda r: [random(r, 515, low=-4, high=4)]),
    "erf_inv": (
        lambda x, y: (jax.lax.erf_inv(x), jax.lax.erf_inv(y)),
        lambda r: [
            random(r, 515, low=-1, high=1),
            # Every distance from one that numbers below it have.
            (1 - 2.0 ** -r.integers(1, 25, 99)).astype(numpy.float32),
        ],
    ),
    "gamma_functions": (
        lambda x, y: (
            jax.lax.lgamma(x), jax.lax.digamma(x), jax.lax.lgamma(y), jax.lax.digamma(y)
        ),
        # Below zero far from the poles and zeros.
        lambda r: [random(r, 333, low=0.01, high=60), random(r, 7, low=-1.8, high=-1.7)],
    ),
    "zeta_functions": (
        lambda n, x, s, y: (
            jax.lax.polygamma(n, x), jax.lax.zeta(s, x), jax.lax.zeta(n + 2, y)
        ),
        lambda r: [
            r.integers(0, 5, 333).astype(numpy.float32), random(r, 333, low=0.3, high=60),
            random(r, 333, low=1.1, high=8), random(r, 333, low=-1.8, high=-1.2),
        ],
    ),
    "hyperbolic": (
        lambda x, y: (
            jnp.sinh(x), jnp.cosh(x), jnp.arcsinh(x), jnp.arccosh(1 + y), jnp.arctanh(x / 9)
        ),
        lambda r: [random(r, 77, low=-8, high=8), random(r, 77, low=0.01, high=9)],
    ),
    "trigonometric": (
        lambda x, y: (jnp.arcsin(x), jnp.arccos(x), jnp.arctan(y), jnp.tan(x)),
        lambda r: [random(r, 77, low=-0.99, high=0.99), random(r, 77, low=-9, high=9)],
    ),
    "sin_cos": (
        lambda x: (jnp.sin(x), jnp.cos(x)),
        lambda r: [random(r, 333, low=-5000, high=5000)],
    ),
    "logistic": (jax.nn.sigmoid, lambda r: [random(r, 333, low=-90, high=90)]),
    "rsqrt": (jax.lax.rsqrt, lambda r: [random(r, 99, low=1e-6, high=9)]),
    "power": (
        lambda x, y: (x**y, x**2.5, x**-1.0),
        lambda r: [random(r, 77, low=0.1), random(r, 77)],
    ),
    "softmax": (jax.nn.softmax, lambda r: [random(r, 6, 5, 131)]),
    "softmax_long": (jax.nn.softmax, lambda r: [random(r, 3, 100003)]),
    "softmax_short": (jax.nn.softmax, lambda r: [random(r, 33, 3)]),
    "softmax_axis0": (
        lambda x: jax.nn.softmax(x, axis=0),
        lambda r: [random(r, 37, 51)],
    ),
    "layer_norm": (
        layer_norm,
        lambda r: [random(r, 5, 7, 100), random(r, 100), random(r, 100)],
    ),
    "layer_norm_gradient": (
        jax.grad(lambda x, g, b: jnp.sum(layer_norm(x, g, b) ** 3), (0, 1, 2)),
        lambda r: [random(r, 5, 7, 100), random(r, 100), random(r, 100)],
    ),
    "gelu": (gelu, lambda r: [random(r, 31, 65)]),
    "gelu_gradient": (
        jax.grad(lambda x: jnp.sum(gelu(x) ** 2)),
        lambda r: [random(r, 31, 65)],
    ),
    "sums": (
        lambda x: (x.sum(), x.sum(0), x.sum(1), x.sum(2), x.sum((0, 2))),
        lambda r: [random(r, 6, 35, 70)],
    ),
    "sum_large": (lambda x: (x * x).sum(), lambda r: [random(r, 999, 133)]),
    "max_min": (
        lambda x: (x.max(-1), x.min(0), jnp.argmax(x, -1), jnp.argmin(x, 0)),
        lambda r: [random(r, 23, 70)],
    ),
    "any_all": (
        lambda x: ((x > 1.9).any(-1), (x > -1.9).all(0)),
        lambda r: [random(r, 23, 70)],
    ),
    "transposes": (
        lambda x: (x.T + 1, jnp.transpose(x * 2).reshape(5, -1)),
        lambda r: [random(r, 20, 35)],
    ),
    "slices": (
        lambda x: (x[1:-1, ::3], x[::-1], x[:, 2:18].reshape(-1)),
        lambda r: [random(r, 20, 35)],
    ),
    "pads": (
        lambda x: (
            jnp.pad(x, ((1, 2), (3, 4)), constant_values=7.0),
            jax.lax.pad(x, 0.0, ((2, -3, 0), (-1, 2, 2))),
        ),
        lambda r: [random(r, 20, 35)],
    ),
    "concatenate": (
        lambda x, y: (
            jnp.concatenate([x, y * 2], 0),
            jnp.concatenate([x[:, :16], y[:, :32], x[:, :16]], 1),
            jnp.concatenate([x, y, x * y], 1),
        ),
        lambda r: [random(r, 5, 33), random(r, 5, 33)],
    ),
    "sorts": (
        lambda x, i: (
            jnp.sort(x), jnp.sort(x, axis=0), jnp.argsort(x), jnp.sort(i, axis=1),
            jax.lax.sort((x, i), num_keys=1), -jnp.sort(-x, axis=1),
        ),
        lambda r: [random(r, 21, 67, 3), integers(r, 9, 21, 67, 3)],
    ),
    "sort_gradient": (
        jax.grad(lambda x: jnp.sum(jnp.sort(x, axis=0) * jnp.arange(9.0)[:, None])),
        lambda r: [random(r, 9, 5)],
    ),
    "top_k": (
        lambda x, i: (jax.lax.top_k(x, 5), jax.lax.top_k(i, 67)),
        # Many equal integers: the first ones come first.
        lambda r: [random(r, 3, 7, 501), integers(r, 9, 4, 67)],
    ),
    "top_k_gradient": (
        jax.grad(lambda x: jnp.sum(jax.lax.top_k(x, 3)[0] ** 3)),
        lambda r: [random(r, 4, 11)],
    ),
    "rope": (rope, lambda r: [random(r, 2, 3, 17, 32)]),
    "rope_gradient": (
        jax.grad(lambda x: jnp.sum(rope(x) ** 3)),
        lambda r: [random(r, 2, 3, 17, 20)],
    ),
    "embedding": (
        lambda w, i: w[i] * 2,
        lambda r: [random(r, 50, 33), integers(r, 50, 4, 9)],
    ),
    "embedding_gradient": (
        jax.grad(lambda w, i: jnp.sum(w[i] ** 3)),
        lambda r: [random(r, 50, 133), integers(r, 50, 4, 9)],
    ),
    "take_gradient": (
        jax.grad(cross_entropy),
        lambda r: [random(r, 5, 7, 101), integers(r, 101, 5, 7)],
    ),
    "cross_entropy": (
        cross_entropy,
        lambda r: [random(r, 5, 7, 101), integers(r, 101, 5, 7)],
    ),
    "scatter_drop": (
        lambda x, i, u: x.at[i].add(u, mode="drop"),
        lambda r: [random(r, 9, 70), integers(r, 14, 20), random(r, 20, 70)],
    ),
    "dynamic": (
        lambda x, u, i: (
            jax.lax.dynamic_slice(x, (i, jnp.int32(2)), (3, 20)),
            jax.lax.dynamic_update_slice(x, u, (jnp.int32(2), i)),
        ),
        lambda r: [random(r, 9, 41), random(r, 3, 20), numpy.int32(30)],
    ),
    "matmul": (
        lambda x, y: x @ y,
        lambda r: [random(r, 17, 33), random(r, 33, 29)],
    ),
    "einsums": (
        lambda x, y: (
            jnp.einsum("abc,dbc->ad", x, y),
            jnp.einsum("abc,dbe->bcea", x, y[:, :, :3]),
            jnp.einsum("abc,dbc->bcad", x, y),
            jnp.einsum("abc,dec->aebd", x, y[:4]),
        ),
        lambda r: [random(r, 4, 5, 6), random(r, 7, 5, 6)],
    ),
    "integer_matmul": (
        lambda x, y: x @ y,
        lambda r: [integers(r, 100, 7, 9), integers(r, 100, 9, 5)],
    ),
    "attention": (
        attention,
        lambda r: [random(r, 2, 9, 48), random(r, 48, 144, low=-0.3, high=0.3)],
    ),
    "attention_gradient": (
        jax.grad(lambda x, w: jnp.sum(attention(x, w) ** 2), (0, 1)),
        lambda r: [random(r, 2, 16, 48), random(r, 48, 144, low=-0.3, high=0.3)],
    ),
    "adamw": (
        adamw,
        lambda r: [random(r, 50, 37)] * 2
        + [random(r, 50, 37, low=0.01), random(r, 50, 37), numpy.float32(3)],
    ),
    "integers": (
        lambda i, j: (i // (j + 1), i % (j + 1), -i, i << 2, (i - 50) >> 1,
                      jnp.minimum(i, j), i ^ j, jnp.sign(i - j)),
        lambda r: [integers(r, 100, 77), integers(r, 100, 77)],
    ),
    "conversions": (
        lambda x, i: (x.astype(jnp.int32), i.astype(jnp.float32) / 3,
                      (x > 0).astype(jnp.float32), i.astype(jnp.uint8)),
        lambda r: [random(r, 77, low=-50, high=50), integers(r, 200, 77)],
    ),
    "cumulative_mask": (
        lambda x: jnp.where(
            jnp.arange(70)[:, None] >= jnp.arange(70)[None], x, 0.0
        ).sum(-1),
        lambda r: [random(r, 3, 70, 70)],
    ),
    "variance": (lambda x: jnp.var(x, axis=(1, 2)),
                 lambda r: [random(r, 5, 9, 20)]),
}


def doubled(array):
    array = numpy.asarray(array)
    return array.astype(numpy.float64) if array.dtype.kind == "f" else array


def reference(function, arrays):
    with jax.enable_x64(True):
        results = function(*[jnp.asarray(doubled(a)) for a in arrays])
    return [numpy.asarray(r) for r in jax.tree.leaves(results)]


# Sums of terms that nearly cancel are measured against the terms.
CANCELLING = {"sums"}


@pytest.mark.parametrize("name", CASES)
def test_matches_float64(name, tmp_path):
    print("seed", SEED)
    function, make = CASES[name]
    arrays = make(numpy.random.default_rng([SEED, zlib.crc32(name.encode())]))
    compare_with_float64(function, arrays, tmp_path, name in CANCELLING)


def compare_with_float64(function, arrays, tmp_path, cancels=False):
    """Compiles the function, runs it and compares with its own evaluation in
    double precision; `cancels`: relative to the sizes of what is summed."""
    text = jax.jit(function, keep_unused=True).lower(*arrays).as_text()
    inlined = inline(text, tmp_path)
    expected = reference(function, arrays)
    sizes = expected
    if cancels:
        sizes = reference(function, [numpy.abs(array) for array in arrays])
    found = run_program(
        with_roles(inlined, len(arrays), len(expected)), arrays, tmp_path
    )
    assert len(found) == len(expected)
    for result, truth, size in zip(found, expected, sizes):
        assert result.shape == truth.shape
        if truth.dtype.kind != "f":
            numpy.testing.assert_array_equal(result, truth.astype(result.dtype))
            continue
        finite = numpy.abs(size)[numpy.isfinite(size)]
        scale = float(finite.max(initial=1e-30))
        numpy.testing.assert_allclose(
            result, truth, rtol=2e-5, atol=2e-6 * scale
        )


def inline(text, folder):
    """JAX leaves private functions; the lowering expects one function."""
    import subprocess

    from cpu_program import build_folder

    source = folder / "source.mlir"
    source.write_text(text)
    tool = build_folder() / "bin" / "shardsmith-opt"
    return subprocess.run(
        [tool, "--inline-calls", "--import-library-calls", "--symbol-dce", source],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    ).stdout
