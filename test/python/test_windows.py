# SPDX-License-Identifier: Apache-2.0
"""Compiled convolutions, pools and cumulative reductions against JAX in float64,
on fresh random geometry: strides, dilations, padding, groups, and the gradients
that JAX makes of them."""

import jax
import jax.numpy as jnp
import numpy
import pytest
from jax import lax

from seeds import random_seed
from test_cpu_lowering import compare_with_float64


class Draw:
    """Random sizes and values."""

    def __init__(self, seed):
        self.random = numpy.random.default_rng(seed)

    def size(self, low, high):
        return int(self.random.integers(low, high + 1))

    def sizes(self, count, low, high):
        return [self.size(low, high) for _ in range(count)]

    def normal(self, *shape):
        return self.random.normal(size=shape).astype(numpy.float32)

    def order(self, shape, letters):
        """A shape with its dimensions in random order, and their letters."""
        order = self.random.permutation(len(shape))
        return [shape[i] for i in order], "".join(letters[i] for i in order)


def draw_convolution(draw, rank, groups):
    """A convolution of random geometry as a function, and its operands."""
    count = 1 if groups == "none" else draw.size(2, 3)
    features = count if groups == "features" else 1
    batches = count if groups == "batch" else 1
    per_group, out_per_group = draw.size(1, 5), draw.size(1, 5)
    space, letters = draw.sizes(rank, 6, 11), "HWDT"[:rank]
    lhs = [batches * draw.size(1, 3), features * per_group, *space]
    rhs = [count * out_per_group, per_group, *draw.sizes(rank, 1, 3)]
    lhs, lhs_letters = draw.order(lhs, "NC" + letters)
    rhs, rhs_letters = draw.order(rhs, "OI" + letters)
    out_letters = draw.order([0] * (rank + 2), "NC" + letters)[1]
    options = dict(
        window_strides=draw.sizes(rank, 1, 2),
        padding=[(draw.size(0, 2), draw.size(0, 2)) for _ in range(rank)],
        lhs_dilation=draw.sizes(rank, 1, 2),
        rhs_dilation=draw.sizes(rank, 1, 2),
        dimension_numbers=(lhs_letters, rhs_letters, out_letters),
        feature_group_count=features,
        batch_group_count=batches,
    )
    function = lambda x, w: lax.conv_general_dilated(x, w, **options)
    return function, [draw.normal(*lhs), draw.normal(*rhs)]


@pytest.mark.parametrize("groups", ["none", "features", "batch"])
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_convolution_and_its_gradients(rank, groups, tmp_path):
    seed = random_seed()
    print("seed", seed)
    function, operands = draw_convolution(Draw(seed), rank, groups)

    def all_three(x, w):
        result, gradients = jax.vjp(function, x, w)
        return result, *gradients(jnp.sin(result))

    compare_with_float64(all_three, operands, tmp_path)


def test_convolution_over_four_dimensions(tmp_path):
    draw = Draw(random_seed())
    x, w = draw.normal(1, 2, 3, 3, 3, 3), draw.normal(2, 2, 2, 2, 2, 2)
    function = lambda x, w: lax.conv_general_dilated(
        x, w, [1] * 4, "SAME", dimension_numbers=("NCHWDT", "OIHWDT", "NCHWDT")
    )
    compare_with_float64(function, [x, w], tmp_path)


def test_transposed_convolution(tmp_path):
    draw = Draw(random_seed())
    x, w = draw.normal(2, 5, 6, 3), draw.normal(3, 3, 4, 3)

    def function(x, w):
        result, gradients = jax.vjp(
            lambda x, w: lax.conv_transpose(
                x, w, (2, 2), "SAME", transpose_kernel=True
            ),
            x,
            w,
        )
        return result, *gradients(jnp.cos(result))

    compare_with_float64(function, [x, w], tmp_path)


def draw_windows(draw, rank):
    shape = draw.sizes(rank, 5, 12)
    return shape, dict(
        window_dimensions=draw.sizes(rank, 1, 4),
        window_strides=draw.sizes(rank, 1, 3),
        padding=[(draw.size(0, 2), draw.size(0, 2)) for _ in range(rank)],
        base_dilation=draw.sizes(rank, 1, 2),
        window_dilation=draw.sizes(rank, 1, 2),
    )


REDUCTIONS = {
    "max": (lax.max, -jnp.inf),
    "min": (lax.min, jnp.inf),
    "add": (lax.add, 0.0),
    "mul": (lax.mul, 1.0),
}


@pytest.mark.parametrize("kind", REDUCTIONS)
@pytest.mark.parametrize("rank", [1, 2, 3, 4])
def test_windows_of_any_geometry(kind, rank, tmp_path):
    seed = random_seed()
    print("seed", seed)
    draw = Draw(seed)
    shape, options = draw_windows(draw, rank)
    combine, start = REDUCTIONS[kind]
    function = lambda x: lax.reduce_window(
        x, jnp.asarray(start, x.dtype), combine, **options
    )
    compare_with_float64(function, [draw.normal(*shape)], tmp_path)


def test_windows_that_start_from_another_value(tmp_path):
    draw = Draw(random_seed())

    def function(x, start):
        # A body of more than one op, and one value more per window.
        combine = lambda a, b: lax.add(a, lax.mul(b, jnp.asarray(1, b.dtype)))
        windows = lambda f: lax.reduce_window(x, start, f, (2, 3), (1, 2), "VALID")
        return windows(combine), windows(lax.max)

    compare_with_float64(
        function, [draw.normal(7, 9), numpy.float32(0.25)], tmp_path
    )


def test_windows_over_values_with_their_positions(tmp_path):
    """The two results of a body that compares and selects."""
    draw = Draw(random_seed())

    def function(x):
        def larger(a, b):
            keeps = a[0] >= b[0]
            return jnp.where(keeps, a[0], b[0]), jnp.where(keeps, a[1], b[1])

        positions = lax.broadcasted_iota(jnp.int32, x.shape, 1)
        start = jnp.asarray(-jnp.inf, x.dtype), jnp.int32(-1)
        return lax.reduce_window(
            (x, positions), start, larger, (1, 3), (1, 2), "VALID"
        )

    compare_with_float64(function, [draw.normal(6, 11)], tmp_path)


@pytest.mark.parametrize("length", [5, 16, 100, 1000])
def test_cumulative_windows(length, tmp_path):
    """Windows as long as the dimension, as cumulative sums have on TPUs."""
    draw = Draw(random_seed())

    def function(x):
        window = dict(
            window_dimensions=(1, length),
            window_strides=(1, 1),
            padding=((0, 0), (length - 1, 0)),
        )
        zero, lowest = jnp.asarray(0, x.dtype), jnp.asarray(-jnp.inf, x.dtype)
        return (
            lax.reduce_window(x, zero, lax.add, **window),
            lax.reduce_window(x, lowest, lax.max, **window),
        )

    compare_with_float64(function, [draw.normal(3, length)], tmp_path)


@pytest.mark.parametrize("padding", ["VALID", "SAME"])
@pytest.mark.parametrize("attempt", range(2))
def test_gradients_of_pools(padding, attempt, tmp_path):
    seed = random_seed()
    print("seed", seed)
    draw = Draw(seed)
    window = (1, *draw.sizes(2, 1, 3), 1)
    strides = (1, *draw.sizes(2, 1, 3), 1)

    def function(x):
        pools = lambda x: (
            lax.reduce_window(x, -jnp.inf, lax.max, window, strides, padding),
            lax.reduce_window(x, 0.0, lax.add, window, strides, padding),
        )
        result, gradient = jax.vjp(pools, x)
        return *result, gradient(jax.tree.map(jnp.sin, result))[0]

    compare_with_float64(function, [draw.normal(2, 9, 8, 5)], tmp_path)


def test_selection_that_multiplies(tmp_path):
    """A scatter body other than a sum, and a window larger than its stride."""
    draw = Draw(random_seed())
    x = draw.normal(8)

    def select(x, g, start):
        return lax.select_and_scatter_p.bind(
            x,
            g,
            start,
            select_jaxpr=jax.make_jaxpr(lax.ge)(x[0], x[0]).jaxpr,
            select_consts=(),
            scatter_jaxpr=jax.make_jaxpr(lax.mul)(x[0], x[0]).jaxpr,
            scatter_consts=(),
            window_dimensions=(3,),
            window_strides=(1,),
            padding=((1, 1),),
        )

    compare_with_float64(
        select, [x, draw.normal(8), numpy.float32(0.5)], tmp_path
    )
