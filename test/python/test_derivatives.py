# SPDX-License-Identifier: Apache-2.0
"""Derivatives of every op against jax.grad, on fresh random shapes and values.

Each case returns a function and its arguments. Float arguments are parameters;
the loss is the function's result weighted with random numbers. XLA runs the
differentiated program, so only the derivatives themselves are on trial.
"""

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402

from compiler_tools import in_double, run_opt, run_xla  # noqa: E402
from seeds import random_seed  # noqa: E402
from shardsmith.jax import export_loss  # noqa: E402

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


class Source:
    """Random shapes and values."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def size(self, low=1, high=6):
        return int(self.random.integers(low, high + 1))

    def shape(self, low=0, high=4):
        return tuple(self.size() for _ in range(self.size(low, high)))

    def normal(self, *shape):
        return self.random.normal(size=shape).astype(np.float32)

    def uniform(self, low, high, *shape):
        return self.random.uniform(low, high, shape).astype(np.float32)

    def integers(self, low, high, *shape):
        return self.random.integers(low, high, shape).astype(np.int32)

    def permutation(self, count):
        return tuple(int(i) for i in self.random.permutation(count))

    def flip(self):
        return bool(self.random.integers(2))


def check(
    function, arguments, random, rtol=2e-5, atol=2e-5, terms=None, reference=None
):
    """Compares with jax.grad, within `rtol` and `atol`; of `reference`, which computes
    the same, where JAX has no derivative for `function`. For narrow floats, `terms`
    says from the result's weights and the arguments what magnitudes each derivative
    adds up: its elements may cancel, so the bound is four roundings of these sums
    on either side."""
    is_float = [jnp.issubdtype(jnp.asarray(a).dtype, jnp.inexact) for a in arguments]
    params = [a for a, f in zip(arguments, is_float) if f]
    rest = [a for a, f in zip(arguments, is_float) if not f]
    result = jax.eval_shape(function, *arguments)
    weights = jax.tree.map(
        lambda leaf: random.normal(size=leaf.shape).astype(leaf.dtype), result
    )

    def loss(params, batch, function=reference or function):
        params, rest = iter(params), iter(batch["rest"])
        outputs = function(*(next(params if f else rest) for f in is_float))
        products = jax.tree.map(lambda x, w: jnp.sum(x * w), outputs, batch["weights"])
        return sum(jax.tree.leaves(products)).astype(jnp.float32)

    batch = {"rest": rest, "weights": weights}
    dims = {name: -1 for name in _names(batch)}
    exported = lambda params, batch: loss(params, batch, function)
    text = export_loss(exported, params, batch, batch_dims=dims)
    differentiated = run_opt(text, "--import", "--differentiate")
    leaves = jax.tree.leaves((params, batch))
    actual = run_xla(differentiated, leaves)
    expected = jax.tree.leaves(jax.grad(loss)(params, batch))
    sums = terms(weights, *arguments) if terms else [1] * len(params)
    for number, (ours, theirs, scale) in enumerate(zip(actual, expected, sums)):
        assert ours.dtype == theirs.dtype
        if terms:
            rtol, atol = 0, 8 * float(jnp.finfo(ours.dtype).eps) / 2
        elif not np.allclose(ours, theirs, rtol, atol, equal_nan=True):
            theirs, rounding = in_double(jax.grad(loss), params, batch, number)
            atol = max(atol, rounding)
        np.testing.assert_allclose(
            ours.astype(np.float64) / scale,
            np.asarray(theirs, np.float64) / scale,
            rtol,
            atol,
        )


def terms_of_dot(weights, x, w):
    """Sums of magnitudes in the derivatives of `x · w`, before what follows it."""
    weights, x, w = (np.abs(np.asarray(a, np.float64)) for a in (weights, x, w))
    return weights @ w.T, x.T @ weights


def _names(batch):
    from shardsmith._leaves import named_leaves

    return [
        name.removeprefix("batch.") for name, _ in named_leaves(batch, "batch")
    ]


# --- element by element ------------------------------------------------------

UNARY = {
    "exp": (lax.exp, -3, 3),
    "expm1": (lax.expm1, -3, 3),
    "log": (lax.log, 0.1, 5),
    "log1p": (lax.log1p, -0.8, 5),
    "logistic": (lax.logistic, -6, 6),
    "tanh": (lax.tanh, -4, 4),
    "sqrt": (lax.sqrt, 0.1, 9),
    "rsqrt": (lax.rsqrt, 0.1, 9),
    "cbrt": (lax.cbrt, 0.2, 9),
    "sin": (lax.sin, -6, 6),
    "cos": (lax.cos, -6, 6),
    "tan": (lax.tan, -1.2, 1.2),
    "neg": (lax.neg, -5, 5),
    "abs": (lax.abs, -5, 5),
    "sign": (lax.sign, -5, 5),
    "floor": (lax.floor, -5, 5),
    "ceil": (lax.ceil, -5, 5),
    "round": (lax.round, -5, 5),
    "square": (lax.square, -5, 5),
    "cube": (lambda x: lax.integer_pow(x, 3), -3, 3),
    "inverse_square": (lambda x: lax.integer_pow(x, -2), 0.3, 3),
    "reduce_precision": (lambda x: lax.reduce_precision(x, 8, 10), -5, 5),
    "erf": (lax.erf, -3, 3),
    "erfc": (lax.erfc, -3, 3),
    "erf_inv": (lax.erf_inv, -0.9, 0.9),
    "lgamma": (lax.lgamma, 0.2, 6),
    "digamma": (lax.digamma, 0.2, 6),
    "polygamma": (lambda x: lax.polygamma(jnp.full_like(x, 2), x), 0.3, 6),
    "sinh": (lax.sinh, -3, 3),
    "cosh": (lax.cosh, -3, 3),
    "asin": (lax.asin, -0.9, 0.9),
    "acos": (lax.acos, -0.9, 0.9),
    "atan": (lax.atan, -5, 5),
    "asinh": (lax.asinh, -5, 5),
    "acosh": (lax.acosh, 1.1, 5),
    "atanh": (lax.atanh, -0.9, 0.9),
}


@pytest.mark.parametrize("name", UNARY)
def test_unary(name):
    function, low, high = UNARY[name]
    source = Source(random_seed())
    x = source.uniform(low, high, *source.shape())
    check(function, [x], source.random, rtol=2e-4)


BINARY = {
    "add": (lax.add, -3, 3),
    "sub": (lax.sub, -3, 3),
    "mul": (lax.mul, -3, 3),
    "div": (lax.div, 0.3, 3),
    "max": (lax.max, -3, 3),
    "min": (lax.min, -3, 3),
    "pow": (lax.pow, 0.3, 3),
    "rem": (lax.rem, 0.5, 9),
    "atan2": (lax.atan2, -3, 3),
}


@pytest.mark.parametrize("name", BINARY)
def test_binary(name):
    function, low, high = BINARY[name]
    source = Source(random_seed())
    shape = source.shape()
    arguments = [source.uniform(low, high, *shape) for _ in range(2)]
    check(function, arguments, source.random, rtol=2e-4)


@pytest.mark.parametrize("function", [lax.max, lax.min])
def test_ties_are_split(function):
    source = Source(random_seed())
    shape = source.shape(1)
    arguments = [source.integers(-1, 2, *shape).astype(np.float32) for _ in range(2)]
    check(function, arguments, source.random)


def test_power_of_zero():
    x = np.array([0.0, 0.0, 2.0], np.float32)
    y = np.array([2.0, 1.0, 3.0], np.float32)
    check(lax.pow, [x, y], np.random.default_rng(random_seed()))


@pytest.mark.parametrize("dtype", [jnp.bfloat16, jnp.float16])
def test_narrow_floats(dtype):
    source = Source(random_seed())
    x = source.normal(4, 8).astype(dtype)
    w = source.normal(8, 5).astype(dtype)

    def function(x, w):
        hidden = lax.tanh(lax.dot(x, w).astype(dtype))
        return (hidden * jnp.asarray(0.5, dtype)).astype(jnp.float32)

    # The slope of half a hyperbolic tangent is at most a half.
    check(function, [x, w], source.random, terms=terms_of_dot)


@pytest.mark.parametrize("dtype", [jnp.bfloat16, jnp.float8_e4m3fn, jnp.float8_e5m2])
def test_contraction_of_narrow_floats_to_wide(dtype):
    source = Source(random_seed())
    x = source.normal(4, 8).astype(dtype)
    w = source.normal(8, 5).astype(dtype)
    check(
        lambda x, w: lax.dot(x, w, preferred_element_type=jnp.float32),
        [x, w],
        source.random,
        terms=terms_of_dot,
    )


# --- selection ---------------------------------------------------------------


@case
def select(source):
    shape = source.shape()
    predicate = source.integers(0, 2, *shape) != 0
    return lambda p, x, y: lax.select(p, x, y), [
        predicate,
        source.normal(*shape),
        source.normal(*shape),
    ]


@case
def select_scalar_predicate(source):
    shape = source.shape(1)
    return lambda p, x, y: lax.select(p, x, y), [
        np.bool_(source.flip()),
        source.normal(*shape),
        source.normal(*shape),
    ]


@case
def clamp(source):
    shape = source.shape(1)
    return lax.clamp, [
        source.uniform(-1, 0, *shape),
        source.uniform(-2, 2, *shape),
        source.uniform(0.1, 1, *shape),
    ]


@case
def clamp_scalar_bounds(source):
    return lambda x: lax.clamp(-0.5, x, 0.5), [source.normal(*source.shape(1))]


# --- shapes ------------------------------------------------------------------


@case
def broadcast_in_dim(source):
    shape = source.shape(1)
    rank = len(shape)
    kept = sorted(source.permutation(rank)[: source.size(0, rank)])
    operand = tuple(1 if source.flip() else shape[d] for d in kept)
    return lambda x: lax.broadcast_in_dim(x, shape, kept), [source.normal(*operand)]


@case
def reshape(source):
    a, b, c = source.size(), source.size(), source.size()
    return lambda x: lax.reshape(x, (c, a * b)), [source.normal(a, b, c)]


@case
def transpose(source):
    shape = source.shape(1)
    permutation = source.permutation(len(shape))
    return lambda x: lax.transpose(x, permutation), [source.normal(*shape)]


@case
def reverse(source):
    shape = source.shape(1)
    dims = source.permutation(len(shape))[: source.size(0, len(shape))]
    return lambda x: lax.rev(x, dims), [source.normal(*shape)]


@case
def slice_with_strides(source):
    shape = source.shape(1)
    start = [source.size(0, n - 1) for n in shape]
    limit = [source.size(s + 1, n) for s, n in zip(start, shape)]
    stride = [source.size(1, 3) for _ in shape]
    return lambda x: lax.slice(x, start, limit, stride), [source.normal(*shape)]


@case
def pad(source):
    shape = source.shape(1, 3)
    config = [
        (source.size(-1, 2), source.size(0, 2), source.size(0, 2)) for _ in shape
    ]
    config = [(max(low, 1 - n), high, inner) for (low, high, inner), n in zip(config, shape)]
    return lambda x, v: lax.pad(x, v, config), [
        source.normal(*shape),
        source.normal(),
    ]


@case
def crop_with_negative_padding(source):
    n = source.size(4, 7)
    return lambda x, v: lax.pad(x, v, [(-1, -2, 1)]), [
        source.normal(n),
        source.normal(),
    ]


@case
def concatenate(source):
    shape = list(source.shape(1))
    dim = source.size(0, len(shape) - 1)
    parts = []
    for _ in range(source.size(1, 4)):
        shape[dim] = source.size()
        parts.append(source.normal(*shape))
    return lambda *xs: lax.concatenate(xs, dim), parts


@case
def dynamic_slice(source):
    shape = source.shape(1)
    sizes = [source.size(1, n) for n in shape]
    starts = [source.integers(-2, n + 2) for n in shape]
    return lambda x, *i: lax.dynamic_slice(x, i, sizes), [
        source.normal(*shape),
        *starts,
    ]


@case
def dynamic_update_slice(source):
    shape = source.shape(1)
    sizes = [source.size(1, n) for n in shape]
    starts = [source.integers(-2, n + 2) for n in shape]
    return lambda x, u, *i: lax.dynamic_update_slice(x, u, i), [
        source.normal(*shape),
        source.normal(*sizes),
        *starts,
    ]


@case
def optimization_barrier(source):
    shape = source.shape()
    return lambda x, y: lax.mul(*lax.optimization_barrier((x, y))), [
        source.normal(*shape),
        source.normal(*shape),
    ]


# --- contractions ------------------------------------------------------------


@pytest.mark.parametrize("attempt", range(4))
def test_dot_general(attempt):
    source = Source(random_seed())
    batch = [source.size() for _ in range(source.size(0, 2))]
    contracted = [source.size() for _ in range(source.size(0, 2))]

    def operand():
        free = [source.size() for _ in range(source.size(0, 2))]
        sizes = batch + contracted + free
        order = source.permutation(len(sizes))
        where = [order.index(i) for i in range(len(sizes))]
        b, c = len(batch), len(contracted)
        value = source.normal(*(sizes[i] for i in order))
        return value, tuple(where[:b]), tuple(where[b : b + c])

    x, x_batch, x_contracted = operand()
    y, y_batch, y_contracted = operand()
    dimensions = ((x_contracted, y_contracted), (x_batch, y_batch))
    check(lambda x, y: lax.dot_general(x, y, dimensions), [x, y], source.random)


# --- reductions --------------------------------------------------------------


def reduction(operation, make):
    def build(source):
        shape = source.shape(1)
        axes = source.permutation(len(shape))[: source.size(0, len(shape))]
        return lambda x: operation(x, axes), [make(source, shape)]

    return build


def with_ties(source, shape):
    return source.integers(-2, 3, *shape).astype(np.float32)


CASES["reduce_sum"] = reduction(
    lambda x, axes: jnp.sum(x, axes), lambda s, shape: s.normal(*shape)
)
CASES["reduce_max"] = reduction(lambda x, axes: jnp.max(x, axes), with_ties)
CASES["reduce_min"] = reduction(lambda x, axes: jnp.min(x, axes), with_ties)
CASES["reduce_prod"] = reduction(
    lambda x, axes: jnp.prod(x, axes), lambda s, shape: s.uniform(0.5, 2, *shape)
)
CASES["reduce_prod_of_zeros"] = reduction(
    lambda x, axes: jnp.prod(x, axes), with_ties
)
CASES["argmax_beside_max"] = lambda source: (
    lambda x: jnp.max(x, -1) * (1 + jnp.argmax(x, -1).astype(jnp.float32)),
    [source.normal(*source.shape(1))],
)


def window(source):
    rank = source.size(1, 3)
    shape = [source.size(3, 8) for _ in range(rank)]
    sizes = [source.size(1, 3) for _ in range(rank)]
    strides = [source.size(1, 3) for _ in range(rank)]
    padding = [(source.size(0, n - 1), source.size(0, n - 1)) for n in sizes]
    return shape, sizes, strides, padding


@case
def reduce_window_sum(source):
    shape, sizes, strides, padding = window(source)
    base = [source.size(1, 2) for _ in shape]
    dilation = [source.size(1, 2) for _ in shape]
    shape = [n + 3 for n in shape]

    def function(x):
        return lax.reduce_window(
            x, 0.0, lax.add, sizes, strides, padding, base, dilation
        )

    return function, [source.normal(*shape)]


@pytest.mark.parametrize("start", [-np.inf, np.inf])
def test_reduce_window_extremum(start):
    source = Source(random_seed())
    shape, sizes, strides, padding = window(source)
    operation = lax.max if start < 0 else lax.min
    check(
        lambda x: lax.reduce_window(x, start, operation, sizes, strides, padding),
        [with_ties(source, shape)],
        source.random,
    )


@case
def cumsum(source):
    shape = source.shape(1)
    return lambda x: lax.cumsum(x, 0), [source.normal(*shape)]


@case
def cummax(source):
    return lambda x: lax.cummax(x, 0), [source.normal(source.size(2, 9), 3)]


@case
def cumprod(source):
    return lambda x: lax.cumprod(x, 0), [source.uniform(0.5, 2, source.size(2, 9))]


@case
def cumprod_of_zeros(source):
    return lambda x: lax.cumprod(x, 0), [with_ties(source, [source.size(2, 9)])]


# --- convolutions ------------------------------------------------------------


@pytest.mark.parametrize("groups", ["none", "features", "batch"])
@pytest.mark.parametrize("attempt", range(2))
def test_convolution(groups, attempt):
    source = Source(random_seed())
    rank = source.size(1, 2)
    count = 1 if groups == "none" else source.size(2, 3)
    features = count if groups == "features" else 1
    batches = count if groups == "batch" else 1
    window = [source.size(1, 3) for _ in range(rank)]
    window_dilation = [source.size(1, 2) for _ in range(rank)]
    spatial = [source.size(5, 9) for _ in range(rank)]
    per_group, out_per_group = source.size(1, 3), source.size(1, 3)
    lhs = [batches * source.size(1, 3), features * per_group, *spatial]
    rhs = [count * out_per_group, per_group, *window]

    def shuffled(shape, letters):
        order = source.permutation(len(shape))
        return [shape[i] for i in order], "".join(letters[i] for i in order)

    lhs, lhs_spec = shuffled(lhs, "NC" + "HW"[:rank])
    rhs, rhs_spec = shuffled(rhs, "OI" + "HW"[:rank])
    out_spec = shuffled([0] * (rank + 2), "NC" + "HW"[:rank])[1]
    # Where one side is cut by as much as the other is padded, derivatives by the
    # window read what nobody wrote, in plain JAX, too, as XLA (jaxlib 0.10.2) runs
    # convolutions on CPUs: jax.grad's own results differ from call to call.
    padding = [
        (low, high + (low == -high and low < 0))
        for low, high in [(source.size(-1, 3), source.size(0, 3)) for _ in range(rank)]
    ]

    def function(x, w):
        return lax.conv_general_dilated(
            x,
            w,
            window_strides=[2] * rank if attempt else [1] * rank,
            padding=padding,
            lhs_dilation=[1 + attempt] * rank,
            rhs_dilation=window_dilation,
            dimension_numbers=(lhs_spec, rhs_spec, out_spec),
            feature_group_count=features,
            batch_group_count=batches,
        )

    check(
        function, [source.normal(*lhs), source.normal(*rhs)], source.random, atol=1e-4
    )


# --- indexing ----------------------------------------------------------------


@case
def embedding(source):
    n, width = source.size(2), source.size()
    tokens = source.integers(-n, 2 * n, *source.shape(0, 2))
    return lambda w, t: jnp.take(w, t, axis=0, mode="clip"), [
        source.normal(n, width),
        tokens,
    ]


@case
def embedding_that_fills(source):
    n = source.size(2)
    tokens = source.integers(0, n, 5)
    return lambda w, t: jnp.take(w, t, axis=0), [source.normal(n, 3), tokens]


@case
def take_along_axis(source):
    shape = source.shape(1, 3)
    axis = source.size(0, len(shape) - 1)
    picked = [source.size() if d == axis else n for d, n in enumerate(shape)]
    index = source.integers(0, shape[axis], *picked)
    return lambda x, i: jnp.take_along_axis(x, i, axis), [source.normal(*shape), index]


@case
def take_one_along_axis(source):
    shape = source.shape(1, 3)
    axis = source.size(0, len(shape) - 1)
    picked = [1 if d == axis else n for d, n in enumerate(shape)]
    index = source.integers(0, shape[axis], *picked)
    return lambda x, i: jnp.take_along_axis(x, i, axis), [source.normal(*shape), index]


@case
def gather_windows(source):
    numbers = lax.GatherDimensionNumbers((1, 2), (1,), (0, 1))
    index = source.integers(-3, 9, source.size(), 2)

    def function(x, i):
        return lax.gather(x, i, numbers, (2, 1, 3), mode="clip")

    return function, [source.normal(5, 6, 4), index]


@case
def scatter_add(source):
    numbers = lax.ScatterDimensionNumbers((1,), (0,), (0,))
    index = source.integers(-2, 9, 7, 1)

    def function(x, i, u):
        return lax.scatter_add(x, i, u, numbers, mode="drop")

    return function, [source.normal(6, 3), index, source.normal(7, 3)]


@case
def scatter_add_windows(source):
    numbers = lax.ScatterDimensionNumbers((1, 2), (1,), (0, 1))
    index = source.integers(-2, 9, 5, 2)

    def function(x, i, u):
        return lax.scatter_add(x, i, u, numbers, mode="drop")

    return function, [source.normal(5, 6, 4), index, source.normal(5, 2, 3)]


@case
def scatter_replace_unique(source):
    index = np.asarray(source.permutation(6)[:4], np.int32)
    return lambda x, i, u: x.at[i].set(u, unique_indices=True), [
        source.normal(6, 3),
        index,
        source.normal(4, 3),
    ]


@case
def scatter_replace(source):
    index = np.asarray(source.permutation(6)[:4], np.int32)
    return lambda x, i, u: x.at[i].set(u, mode="drop"), [
        source.normal(6, 3),
        index,
        source.normal(4, 3),
    ]


def small_numbers(source, *shape):
    """Many of them equal, some of them zero."""
    return source.integers(-2, 3, *shape).astype(np.float32)


@case
def scatter_maximum(source):
    """Repeated places, ties, and updates outside."""
    numbers = lax.ScatterDimensionNumbers((1,), (0,), (0,))

    def function(x, i, u):
        return lax.scatter_max(x, i, u, numbers, mode="drop")

    index = source.integers(-2, 9, 9, 1)
    return function, [small_numbers(source, 6, 3), index, small_numbers(source, 9, 3)]


@case
def scatter_minimum_of_windows(source):
    numbers = lax.ScatterDimensionNumbers((1, 2), (1,), (0, 1))

    def function(x, i, u):
        return lax.scatter_min(x, i, u, numbers, mode="drop")

    index = source.integers(-2, 9, 5, 2)
    updates = small_numbers(source, 5, 2, 3)
    return function, [small_numbers(source, 5, 6, 4), index, updates]


@case
def scatter_maximum_unique(source):
    index = np.asarray(source.permutation(6)[:4], np.int32)
    return lambda x, i, u: x.at[i].max(u, unique_indices=True), [
        small_numbers(source, 6, 3),
        index,
        small_numbers(source, 4, 3),
    ]


@case
def scatter_multiply_unique(source):
    index = np.asarray(source.permutation(8)[:4], np.int32)
    return lambda x, i, u: x.at[i].multiply(u, mode="drop", unique_indices=True), [
        small_numbers(source, 6, 3),
        index,
        small_numbers(source, 4, 3),
    ]


def test_scatter_multiply_of_repeated_indices():
    """JAX has no derivative for several factors of one element at once, but one for
    each at a time."""
    source = Source(random_seed())
    count = source.size(2, 9)

    def at_once(x, i, u):
        return x.at[i].multiply(u, mode="drop")

    def one_by_one(x, i, u):
        for n in range(count):
            x = x.at[i[n]].multiply(u[n], mode="drop", unique_indices=True)
        return x

    index = source.integers(0, 6, count)
    for draw in small_numbers, lambda source, *shape: source.normal(*shape):
        arguments = [draw(source, 5, 3), index, draw(source, count, 3)]
        check(at_once, arguments, source.random, reference=one_by_one)


@pytest.mark.parametrize("dtype", [jnp.bfloat16, jnp.float16])
def test_ties_of_many_narrow_floats(dtype):
    """More than these types can count by ones."""
    x = np.zeros(2, dtype)
    updates = np.zeros(4095, dtype)
    function = lambda x, u: x.at[np.zeros(4095, np.int32)].max(u).astype(jnp.float32)
    text = export_loss(
        lambda p, b: (function(*p) * b["w"]).sum(),
        (x, updates),
        {"w": np.ones(2, np.float32)},
        batch_dims={"w": -1},
    )
    differentiated = run_opt(text, "--import", "--differentiate")
    shares = run_xla(differentiated, [x, updates, np.full(2, 4096, np.float32)])
    np.testing.assert_array_equal(shares[0].astype(np.float32), [1, 4096])
    np.testing.assert_array_equal(shares[1].astype(np.float32), np.ones(4095))


# --- sorting -----------------------------------------------------------------


@case
def sort(source):
    shape = source.shape(1)
    axis = source.size(0, len(shape) - 1)
    return lambda x: lax.sort(x, axis), [source.normal(*shape)]


@case
def sort_by_key(source):
    n = source.size(2, 9)
    return lambda k, v: lax.sort((k, v), num_keys=1), [
        source.normal(3, n),
        source.normal(3, n),
    ]


@case
def top_k(source):
    n = source.size(3, 9)
    k = source.size(1, n)
    return lambda x: lax.top_k(x, k)[0], [source.normal(2, 3, n)]


# --- normalisation -----------------------------------------------------------


@case
def softmax(source):
    return lambda x: jax.nn.softmax(x, -1), [source.normal(*source.shape(1))]


@case
def log_softmax(source):
    return lambda x: jax.nn.log_softmax(x, -1), [source.normal(*source.shape(1))]


@case
def logsumexp(source):
    return lambda x: jax.nn.logsumexp(x, 0), [source.normal(*source.shape(1))]


@case
def layer_norm(source):
    def function(x, scale, bias):
        mean = jnp.mean(x, -1, keepdims=True)
        variance = jnp.var(x, -1, keepdims=True)
        return (x - mean) / jnp.sqrt(variance + 1e-5) * scale + bias

    n = source.size(3, 6)
    return function, [source.normal(4, n), source.normal(n), source.normal(n)]


@case
def maximum_that_is_not_a_shift(source):
    """Looks like a softmax, but the loss does depend on the maximum."""

    def function(x):
        largest = jnp.max(x, -1, keepdims=True)
        shifted = jnp.exp(x - largest)
        return shifted / (1.0 + jnp.sum(shifted, -1, keepdims=True))

    return function, [source.normal(*source.shape(1))]


@pytest.mark.parametrize("name", CASES)
def test_case(name):
    source = Source(random_seed())
    function, arguments = CASES[name](source)
    check(function, arguments, source.random)
