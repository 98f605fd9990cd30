# SPDX-License-Identifier: Apache-2.0
"""Ops that move elements without computing."""

from shardsmith._stablehlo.elements import TensorType


def numbers(values):
    return f"[{', '.join(str(int(value)) for value in values)}]"


class Shapes:
    """Part of `Builder`."""

    def reshape(self, x, shape):
        shape = tuple(int(size) for size in shape)
        if x.shape == shape:
            return x
        kind = TensorType(shape, x.element)
        assert kind.size == x.type.size, (x, shape)
        return self.emit(f"stablehlo.reshape {x.name} : ({x.type}) -> {kind}", kind)

    def broadcast_in_dim(self, x, shape, dims):
        """Dimension i of `x` is dimension `dims[i]` of the result."""
        shape, dims = tuple(shape), tuple(dims)
        if x.shape == shape and dims == tuple(range(x.rank)):
            return x
        kind = TensorType(shape, x.element)
        return self.emit(
            f"stablehlo.broadcast_in_dim {x.name}, dims = {numbers(dims)} : "
            f"({x.type}) -> {kind}",
            kind,
        )

    def broadcast(self, x, shape):
        """As NumPy does: dimensions are counted from the last one."""
        first = len(shape) - x.rank
        return self.broadcast_in_dim(x, shape, range(first, len(shape)))

    def transpose(self, x, order):
        """Dimension i of the result is dimension `order[i]` of `x`."""
        order = tuple(order)
        if order == tuple(range(x.rank)):
            return x
        kind = TensorType(tuple(x.shape[dim] for dim in order), x.element)
        return self.emit(
            f"stablehlo.transpose {x.name}, dims = {numbers(order)} : "
            f"({x.type}) -> {kind}",
            kind,
        )

    def reverse(self, x, dims):
        return self.emit(
            f"stablehlo.reverse {x.name}, dims = {numbers(dims)} : {x.type}", x.type
        )

    def slice(self, x, dim, start, limit, step=1):
        """Elements start, start + step, … below `limit` of one dimension."""
        if (start, limit, step) == (0, x.shape[dim], 1):
            return x
        size = max(0, -(-(limit - start) // step))
        ranges = [f"0:{each}" for each in x.shape]
        ranges[dim] = f"{start}:{limit}" + (f":{step}" if step != 1 else "")
        shape = (*x.shape[:dim], size, *x.shape[dim + 1 :])
        kind = TensorType(shape, x.element)
        return self.emit(
            f"stablehlo.slice {x.name} [{', '.join(ranges)}] : ({x.type}) -> {kind}",
            kind,
        )

    def pad(self, x, number, low, high, interior=None):
        """Negative `low` and `high` take elements away."""
        interior = list(interior or [0] * x.rank)
        if not any(low) and not any(high) and not any(interior):
            return x
        shape = tuple(
            before + size + max(size - 1, 0) * gap + behind
            for size, before, behind, gap in zip(x.shape, low, high, interior)
        )
        kind = TensorType(shape, x.element)
        filler = self.number(number, x.element)
        return self.emit(
            f"stablehlo.pad {x.name}, {filler.name}, low = {numbers(low)}, "
            f"high = {numbers(high)}, interior = {numbers(interior)} : "
            f"({x.type}, {filler.type}) -> {kind}",
            kind,
        )

    def concatenate(self, values, dim):
        values = list(values)
        if len(values) == 1:
            return values[0]
        shape = list(values[0].shape)
        shape[dim] = sum(value.shape[dim] for value in values)
        kind = TensorType(tuple(shape), values[0].element)
        names = ", ".join(value.name for value in values)
        types = ", ".join(str(value.type) for value in values)
        return self.emit(
            f"stablehlo.concatenate {names}, dim = {dim} : ({types}) -> {kind}", kind
        )

    def iota(self, shape, dim, element):
        kind = TensorType(tuple(shape), element)
        return self.emit(f"stablehlo.iota dim = {dim} : {kind}", kind)
