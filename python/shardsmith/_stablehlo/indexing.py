# SPDX-License-Identifier: Apache-2.0
"""Reading and writing at positions that are data."""

from shardsmith._stablehlo.elements import TensorType
from shardsmith._stablehlo.shapes import numbers


def _dimension_numbers(kind, lists, index_vector_dim):
    """Empty lists are not written."""
    parts = [f"{name} = {numbers(dims)}" for name, dims in lists if dims]
    parts.append(f"index_vector_dim = {index_vector_dim}")
    return f"#stablehlo.{kind}<{', '.join(parts)}>"


class Indexing:
    """Part of `Builder`."""

    def gather(self, x, indices, index_map, offset_dims, sizes, collapsed, batch=((), ())):
        """The last dimension of `indices` holds a position along each of
        `index_map`. `batch` pairs dimensions of `x` with those of `indices`."""
        sizes = [int(size) for size in sizes]
        inside = [
            size
            for i, size in enumerate(sizes)
            if i not in collapsed and i not in batch[0]
        ]
        outside = list(indices.shape[:-1])
        shape = []
        for i in range(len(inside) + len(outside)):
            shape.append(inside.pop(0) if i in offset_dims else outside.pop(0))
        kind = TensorType(tuple(shape), x.element)
        described = _dimension_numbers(
            "gather",
            [
                ("offset_dims", offset_dims),
                ("collapsed_slice_dims", collapsed),
                ("operand_batching_dims", batch[0]),
                ("start_indices_batching_dims", batch[1]),
                ("start_index_map", index_map),
            ],
            indices.rank - 1,
        )
        return self.emit(
            f'"stablehlo.gather"({x.name}, {indices.name}) '
            f"<{{dimension_numbers = {described}, indices_are_sorted = false, "
            f"slice_sizes = array<i64: {', '.join(map(str, sizes))}>}}> : "
            f"({x.type}, {indices.type}) -> {kind}",
            kind,
        )

    def scatter(self, x, indices, updates, index_map, window_dims, inserted, op=None, batch=((), ())):
        """`x` with `updates` at positions; `op` combines old and new (add,
        multiply, maximum, minimum), or the new one replaces the old."""
        described = _dimension_numbers(
            "scatter",
            [
                ("update_window_dims", window_dims),
                ("inserted_window_dims", inserted),
                ("input_batching_dims", batch[0]),
                ("scatter_indices_batching_dims", batch[1]),
                ("scatter_dims_to_operand_dims", index_map),
            ],
            indices.rank - 1,
        )
        scalar = TensorType((), x.element)
        combine = f"  %r = stablehlo.{op} %a, %b : {scalar}\n" if op else ""
        return self.emit(
            f'"stablehlo.scatter"({x.name}, {indices.name}, {updates.name}) '
            f"<{{indices_are_sorted = false, scatter_dimension_numbers = {described}, "
            f"unique_indices = false}}> ({{\n"
            f"^bb0(%a: {scalar}, %b: {scalar}):\n"
            f"{combine}"
            f"  stablehlo.return {'%r' if op else '%b'} : {scalar}\n"
            f"}}) : ({x.type}, {indices.type}, {updates.type}) -> {x.type}",
            x.type,
        )

    def take_along(self, x, dim, positions):
        """`x[…, positions[…, j, …], …]`: one element along `dim` for each
        position. The other dimensions are of equal sizes."""
        others = [i for i in range(x.rank) if i != dim]
        return self.gather(
            x,
            self.reshape(positions, [*positions.shape, 1]),
            [dim],
            [],
            [1] * x.rank,
            [dim],
            (others, others),
        )
