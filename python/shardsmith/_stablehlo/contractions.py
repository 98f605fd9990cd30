# SPDX-License-Identifier: Apache-2.0
"""Products of matrices and convolutions."""

from shardsmith._stablehlo.elements import TensorType
from shardsmith._stablehlo.shapes import numbers


class Contractions:
    """Part of `Builder`."""

    def dot(self, x, y, contract, batch=((), ())):
        """Dimensions of the result: batch, what is left of x, what is left of y.
        `contract` and `batch` are pairs of lists, of x and of y."""
        left = [
            size
            for i, size in enumerate(x.shape)
            if i not in contract[0] and i not in batch[0]
        ]
        right = [
            size
            for i, size in enumerate(y.shape)
            if i not in contract[1] and i not in batch[1]
        ]
        shape = [x.shape[i] for i in batch[0]] + left + right
        kind = TensorType(tuple(shape), x.element)
        batching = (
            f"batching_dims = {numbers(batch[0])} x {numbers(batch[1])}, "
            if batch[0]
            else ""
        )
        return self.emit(
            f"stablehlo.dot_general {x.name}, {y.name}, {batching}"
            f"contracting_dims = {numbers(contract[0])} x {numbers(contract[1])} : "
            f"({x.type}, {y.type}) -> {kind}",
            kind,
        )

    def ragged_dot(self, x, y, sizes):
        """Rows of `x` [m, k] in consecutive groups of `sizes` [g], each times its
        own matrix of `y` [g, k, n]."""
        kind = TensorType((x.shape[0], y.shape[2]), x.element)
        default = "#chlo<precision DEFAULT>"
        return self.emit(
            f'"chlo.ragged_dot"({x.name}, {y.name}, {sizes.name}) '
            f"<{{precision_config = [{default}, {default}], "
            "ragged_dot_dimension_numbers = #chlo.ragged_dot<"
            "lhs_batching_dimensions = [], rhs_batching_dimensions = [], "
            "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], "
            "lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : "
            f"({x.type}, {y.type}, {sizes.type}) -> {kind}",
            kind,
        )

    def convolution(
        self, x, kernel, strides, padding, spread, dilations, groups, transposed=False
    ):
        """`x` is [samples, features, …]. The kernel is [out, in / groups, …], or
        [in / groups, out, …] read backwards if `transposed`. `spread` is the
        distance of neighbours of `x`, `dilations` of the kernel."""
        count = x.rank - 2
        places = ", ".join(str(i) for i in range(count))
        features = kernel.shape[1 if transposed else 0]
        sizes = []
        for i in range(count):
            size = (x.shape[2 + i] - 1) * spread[i] + 1 + sum(padding[i])
            covered = (kernel.shape[2 + i] - 1) * dilations[i] + 1
            sizes.append((size - covered) // strides[i] + 1)
        kind = TensorType((x.shape[0], features, *sizes), x.element)
        pairs = ", ".join(f"[{low}, {high}]" for low, high in padding)
        reverse = ", ".join(["true" if transposed else "false"] * count)
        roles = "i, o" if transposed else "o, i"
        return self.emit(
            f"stablehlo.convolution({x.name}, {kernel.name}) "
            f"dim_numbers = [b, f, {places}]x[{roles}, {places}]->[b, f, {places}], "
            f"window = {{stride = {numbers(strides)}, pad = [{pairs}], "
            f"lhs_dilate = {numbers(spread)}, rhs_dilate = {numbers(dilations)}, "
            f"reverse = [{reverse}]}} "
            f"{{batch_group_count = 1 : i64, feature_group_count = {groups} : i64}} : "
            f"({x.type}, {kernel.type}) -> {kind}",
            kind,
        )
