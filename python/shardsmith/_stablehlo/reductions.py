# SPDX-License-Identifier: Apache-2.0
"""Reductions, windows, sorts: ops with a body of scalars."""

from shardsmith._stablehlo.elements import (
    SIGNED,
    TensorType,
    bits_of,
    is_float,
    largest,
    smallest,
)
from shardsmith._stablehlo.shapes import numbers

# What each combines with, so that nothing changes.
_NEUTRAL = {
    "add": lambda element: 0,
    "multiply": lambda element: 1,
    "maximum": smallest,
    "minimum": largest,
    "and": lambda element: 1,
    "or": lambda element: 0,
}


def _array(values):
    return f"array<i64: {', '.join(str(int(value)) for value in values)}>"


class Reductions:
    """Part of `Builder`."""

    def reduce(self, op, x, dims, keep=False):
        """`op` is add, multiply, maximum, minimum, and, or."""
        dims = sorted(dims)
        shape = tuple(size for i, size in enumerate(x.shape) if i not in dims)
        if dims:
            start = self.number(_NEUTRAL[op](x.element), x.element)
            kind = TensorType(shape, x.element)
            result = self.emit(
                f"stablehlo.reduce({x.name} init: {start.name}) applies stablehlo.{op} "
                f"across dimensions = {numbers(dims)} : "
                f"({x.type}, {start.type}) -> {kind}",
                kind,
            )
        else:
            result = x
        if not keep:
            return result
        return self.reshape(
            result, [1 if i in dims else size for i, size in enumerate(x.shape)]
        )

    def sum(self, x, dims, keep=False):
        """Narrow floats are added up in f32 and rounded once."""
        if is_float(x.element) and bits_of(x.element) < 32:
            return self.convert(
                self.reduce("add", self.convert(x, "f32"), dims, keep), x.element
            )
        return self.reduce("add", x, dims, keep)

    def mean(self, x, dims, keep=False):
        count = 1
        for dim in dims:
            count *= x.shape[dim]
        total = self.sum(x, dims, keep)
        return self.divide(total, count) if count != 1 else total

    def spread(self, x, dims, shape):
        """Undoes a reduction over `dims`: repeats `x` along them."""
        left = [i for i in range(len(shape)) if i not in dims]
        return self.broadcast_in_dim(x, shape, left)

    def softmax(self, x, dim, logarithm=False):
        top = self.reduce("maximum", x, [dim])
        shifted = self.subtract(x, self.spread(top, [dim], x.shape))
        powers = self.unary("exponential", shifted)
        total = self.sum(powers, [dim])
        if not logarithm:
            return self.divide(powers, self.spread(total, [dim], x.shape))
        total = self.unary("log", total)
        return self.subtract(shifted, self.spread(total, [dim], x.shape))

    def first_where(self, chosen, dim, element):
        """The first position along `dim` at which `chosen` is true."""
        size = chosen.shape[dim]
        places = self.iota(chosen.shape, dim, element)
        places = self.select(chosen, places, self.like(places, size))
        return self.reduce("minimum", places, [dim])

    def reduce_window(self, op, x, window, strides, dilations, padding):
        """Lists have an entry for each dimension of `x`; `padding` holds pairs."""
        start = self.number(_NEUTRAL[op](x.element), x.element)
        shape = []
        for size, width, stride, dilation, (low, high) in zip(
            x.shape, window, strides, dilations, padding
        ):
            covered = (width - 1) * dilation + 1
            shape.append((size + low + high - covered) // stride + 1)
        kind = TensorType(tuple(shape), x.element)
        scalar = TensorType((), x.element)
        pairs = ", ".join(f"[{low}, {high}]" for low, high in padding)
        return self.emit(
            f'"stablehlo.reduce_window"({x.name}, {start.name}) '
            f"<{{padding = dense<[{pairs}]> : tensor<{x.rank}x2xi64>, "
            f"window_dilations = {_array(dilations)}, "
            f"window_dimensions = {_array(window)}, "
            f"window_strides = {_array(strides)}}}> ({{\n"
            f"^bb0(%a: {scalar}, %b: {scalar}):\n"
            f"  %r = stablehlo.{op} %a, %b : {scalar}\n"
            f"  stablehlo.return %r : {scalar}\n"
            f"}}) : ({x.type}, {start.type}) -> {kind}",
            kind,
        )

    def cumulate(self, op, x, dim):
        """Element i is what `op` makes of elements 0 … i."""
        window, padding = [1] * x.rank, [(0, 0)] * x.rank
        window[dim], padding[dim] = x.shape[dim], (x.shape[dim] - 1, 0)
        ones = [1] * x.rank
        return self.reduce_window(op, x, window, ones, ones, padding)

    def top_k(self, x, count):
        """The largest of the last dimension, in falling order: (values,
        positions as i32)."""
        shape = (*x.shape[:-1], count)
        types = TensorType(shape, x.element), TensorType(shape, "i32")
        return self.emit(
            f"chlo.top_k({x.name}, k = {count}) : {x.type} -> ({types[0]}, {types[1]})",
            *types,
        )

    def sort_with_positions(self, x, dim, descending, element):
        """(sorted values, where they were as `element`); equals keep their order."""
        places = self.iota(x.shape, dim, element)
        value, place = TensorType((), x.element), TensorType((), element)
        kind = "FLOAT" if is_float(x.element) else "UNSIGNED"
        kind = "SIGNED" if x.element in SIGNED else kind
        return self.emit(
            f'"stablehlo.sort"({x.name}, {places.name}) '
            f"<{{dimension = {dim} : i64, is_stable = true}}> ({{\n"
            f"^bb0(%a: {value}, %b: {value}, %c: {place}, %d: {place}):\n"
            f"  %r = stablehlo.compare {'GT' if descending else 'LT'}, %a, %b, {kind} : "
            f"({value}, {value}) -> tensor<i1>\n"
            f"  stablehlo.return %r : tensor<i1>\n"
            f"}}) : ({x.type}, {places.type}) -> ({x.type}, {places.type})",
            x.type,
            places.type,
        )
