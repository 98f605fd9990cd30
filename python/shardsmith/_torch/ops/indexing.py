# SPDX-License-Identifier: Apache-2.0
"""Reading and writing at positions that are data."""

from shardsmith._torch.ops._table import axis, op, refuse


@op("embedding.default")
def embedding(
    call, weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False
):
    """The row of `padding_idx` is read but not trained."""
    build = call.build
    if scale_grad_by_freq:
        refuse("scale_grad_by_freq changes the gradient by counts of the batch")
    rows = take_rows(build, weight, 0, indices)
    if padding_idx < 0:
        return rows
    is_padding = build.compare("EQ", indices, padding_idx)
    is_padding = build.broadcast_in_dim(is_padding, rows.shape, range(indices.rank))
    return build.select(is_padding, build.stop_gradient(rows), rows)


def take_rows(build, x, dim, positions):
    """`x` with dimension `dim` replaced by those of `positions`."""
    before, behind = dim, x.rank - dim - 1
    indices = build.reshape(positions, [*positions.shape, 1])
    offset = [*range(before), *range(before + positions.rank, before + positions.rank + behind)]
    sizes = [1 if i == dim else size for i, size in enumerate(x.shape)]
    return build.gather(x, indices, [dim], offset, sizes, [dim])


@op("index_select.default")
def index_select(call, self, dim, index):
    return call.build.reshape(
        take_rows(call.build, self, axis(dim, self.rank), index), call.shape
    )


@op("gather.default")
def gather(call, self, dim, index, sparse_grad=False):
    build, dim = call.build, axis(dim, self.rank)
    if not self.rank:
        return build.reshape(self, call.shape)
    x = self
    for i, size in enumerate(index.shape):
        if i != dim:
            x = build.slice(x, i, 0, size)
    return build.take_along(x, dim, index)


@op("take_along_dim.default")
def take_along_dim(call, self, indices, dim=None):
    build = call.build
    if dim is None:
        flat = build.reshape(self, [self.type.size])
        return build.take_along(flat, 0, build.reshape(indices, [indices.type.size]))
    dim = axis(dim, self.rank)
    sizes = [max(a, b) for a, b in zip(self.shape, indices.shape)]
    x = build.broadcast(self, [self.shape[dim] if i == dim else n for i, n in enumerate(sizes)])
    places = [indices.shape[dim] if i == dim else n for i, n in enumerate(sizes)]
    return build.take_along(x, dim, build.broadcast(indices, places))


class _Places:
    """Advanced indices of `x`: tensors for some dimensions, None for others.

    Tensors are repeated to one shape. Where they stand side by side, that shape
    takes their place in the result; else it comes first.
    """

    def __init__(self, call, x, indices):
        build = call.build
        indices = list(indices) + [None] * (x.rank - len(indices))
        self.dims = [i for i, each in enumerate(indices) if each is not None]
        given = [indices[i] for i in self.dims]
        if any(each.element in ("i1", "ui8") for each in given):
            refuse("it picks by a mask, so that sizes depend on data; use torch.where")
        rank = max(each.rank for each in given)
        padded = [[1] * (rank - each.rank) + list(each.shape) for each in given]
        self.shape = [max(sizes) for sizes in zip(*padded)]
        element = "i64" if any(each.element == "i64" for each in given) else "i32"
        columns = []
        for dim, each in zip(self.dims, given):
            may_wrap = not call.is_nonnegative(each)
            each = build.convert(each, element)
            if may_wrap:
                wrapped = build.add(each, x.shape[dim])
                each = build.select(build.compare("LT", each, 0), wrapped, each)
            columns.append(build.reshape(build.broadcast(each, self.shape), [*self.shape, 1]))
        self.indices = build.concatenate(columns, len(self.shape))
        neighbours = self.dims == list(range(self.dims[0], self.dims[-1] + 1))
        start = self.dims[0] if neighbours else 0
        self.kept = [i for i in range(x.rank) if i not in self.dims]
        self.window = [
            place if place < start else place + len(self.shape) for place in range(len(self.kept))
        ]
        self.sizes = [1 if i in self.dims else size for i, size in enumerate(x.shape)]

    def result_shape(self, x):
        shape = list(self.shape)
        for place, dim in zip(self.window, self.kept):
            shape.insert(place, x.shape[dim])
        return shape


@op("index.Tensor", "_unsafe_index.Tensor")
def index(call, self, indices):
    build = call.build
    places = _Places(call, self, indices)
    return build.gather(
        self, places.indices, places.dims, places.window, places.sizes, places.dims
    )


@op("index_put.default", "_unsafe_index_put.default")
def index_put(call, self, indices, values, accumulate=False, *_):
    build = call.build
    if len(indices) == 1 and indices[0] is not None and indices[0].element == "i1":
        return _put_where(call, self, indices[0], values, accumulate)
    places = _Places(call, self, indices)
    updates = build.broadcast(
        build.convert(values, self.element), places.result_shape(self)
    )
    return build.scatter(
        self,
        places.indices,
        updates,
        places.dims,
        places.window,
        places.dims,
        "add" if accumulate else None,
    )


def _put_where(call, x, mask, values, accumulate):
    """One number where a mask is true."""
    build = call.build
    if values.type.size != 1 or accumulate:
        refuse("it writes several numbers where a mask is true; use torch.where")
    mask = build.broadcast_in_dim(mask, x.shape, range(mask.rank))
    number = build.broadcast(build.reshape(build.convert(values, x.element), []), x.shape)
    return build.select(mask, number, x)


def _scatter_along(build, x, dim, places, updates, combine):
    """Writes `updates` at `x[…, places, …]`, whose other dimensions may be
    shorter than those of `x`."""
    if not x.rank:
        refuse("it writes into a scalar")
    element = places.element
    columns = [
        build.reshape(
            places if i == dim else build.iota(places.shape, i, element), [*places.shape, 1]
        )
        for i in range(x.rank)
    ]
    every = list(range(x.rank))
    indices = build.concatenate(columns, len(places.shape))
    for i, size in enumerate(places.shape):
        updates = build.slice(updates, i, 0, size)
    return build.scatter(x, indices, updates, every, [], every, combine)


@op("scatter.src")
def scatter_src(call, self, dim, index, src):
    src = call.build.convert(src, self.element)
    return _scatter_along(call.build, self, axis(dim, self.rank), index, src, None)


@op("scatter.value")
def scatter_value(call, self, dim, index, value):
    """Of one number: chosen by a comparison where that is small."""
    build, dim = call.build, axis(dim, self.rank)
    src = build.full(index.shape, value, self.element)
    return _scatter_along(build, self, dim, index, src, None)


@op("scatter_add.default")
def scatter_add(call, self, dim, index, src):
    return _scatter_along(call.build, self, axis(dim, self.rank), index, src, "add")


_REDUCTIONS = {"sum": "add", "prod": "multiply", "amax": "maximum", "amin": "minimum"}


@op("scatter_reduce.two")
def scatter_reduce(call, self, dim, index, src, reduce, include_self=True):
    if reduce not in _REDUCTIONS or not include_self:
        refuse(f"it reduces by '{reduce}' with include_self={include_self}")
    return _scatter_along(
        call.build, self, axis(dim, self.rank), index, src, _REDUCTIONS[reduce]
    )


def _write_rows(build, x, dim, index, rows, combine):
    """Rows along `dim` at the positions of a vector."""
    window = [i for i in range(x.rank) if i != dim]
    places = build.reshape(index, [index.type.size, 1])
    return build.scatter(x, places, rows, [dim], window, [dim], combine)


@op("index_add.default")
def index_add(call, self, dim, index, source, alpha=1):
    build = call.build
    source = source if alpha == 1 else build.multiply(source, alpha)
    return _write_rows(build, self, axis(dim, self.rank), index, source, "add")


@op("index_copy.default")
def index_copy(call, self, dim, index, source):
    return _write_rows(call.build, self, axis(dim, self.rank), index, source, None)


@op("one_hot.default")
def one_hot(call, self, num_classes=-1):
    build = call.build
    places = build.iota(call.shape, len(call.shape) - 1, self.element)
    wanted = build.broadcast_in_dim(self, call.shape, range(self.rank))
    return build.convert(build.compare("EQ", places, wanted), call.element)
