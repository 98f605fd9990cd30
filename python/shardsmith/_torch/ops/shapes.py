# SPDX-License-Identifier: Apache-2.0
"""Ops that move, repeat or make elements."""

from shardsmith._torch.ops._table import axis, op, refuse


@op(
    "view.default",
    "_unsafe_view.default",
    "reshape.default",
    "flatten.using_ints",
    "unflatten.int",
    "squeeze.default",
    "squeeze.dim",
    "squeeze.dims",
    "unsqueeze.default",
    "view_as.default",
)
def view(call, self, *_, **__):
    """The shape is the result's."""
    return call.build.reshape(self, call.shape)


@op("permute.default")
def permute(call, self, dims):
    return call.build.transpose(self, [axis(dim, self.rank) for dim in dims])


@op("transpose.int")
def transpose(call, self, dim0, dim1):
    order = list(range(self.rank))
    a, b = axis(dim0, self.rank), axis(dim1, self.rank)
    if self.rank:
        order[a], order[b] = order[b], order[a]
    return call.build.transpose(self, order)


@op("t.default", "numpy_T.default")
def t(call, self):
    return call.build.transpose(self, range(self.rank - 1, -1, -1))


@op("expand.default", "broadcast_to.default", "expand_as.default")
def expand(call, self, *_, **__):
    return call.build.broadcast(self, call.shape)


@op("repeat.default")
def repeat(call, self, repeats):
    """A dimension n repeated r times is r × n."""
    build = call.build
    shape = [1] * (len(repeats) - self.rank) + list(self.shape)
    x = build.reshape(self, shape)
    wide = [size for pair in zip(repeats, shape) for size in pair]
    x = build.broadcast_in_dim(x, wide, range(1, 2 * len(shape), 2))
    return build.reshape(x, call.shape)


@op("repeat_interleave.self_int")
def repeat_interleave(call, self, repeats, dim=None, output_size=None):
    build = call.build
    x = self if dim is not None else build.reshape(self, [self.type.size])
    dim = axis(dim or 0, x.rank)
    wide = [*x.shape[: dim + 1], repeats, *x.shape[dim + 1 :]]
    kept = [i for i in range(len(wide)) if i != dim + 1]
    return build.reshape(build.broadcast_in_dim(x, wide, kept), call.shape)


@op("cat.default", "concat.default")
def cat(call, tensors, dim=0):
    # An empty vector stands for nothing at all.
    tensors = [each for each in tensors if each.shape != (0,) or len(call.shape) == 1]
    converted = [call.build.convert(each, call.element) for each in tensors]
    return call.build.concatenate(converted, axis(dim, len(call.shape)))


@op("stack.default")
def stack(call, tensors, dim=0):
    dim = axis(dim, len(call.shape))
    build = call.build
    parts = [
        build.reshape(
            build.convert(each, call.element), [*each.shape[:dim], 1, *each.shape[dim:]]
        )
        for each in tensors
    ]
    return build.concatenate(parts, dim)


def _bound(position, size):
    """Python's rule for a bound of a slice."""
    return min(max(position + size if position < 0 else position, 0), size)


@op("slice.Tensor")
def slice_(call, self, dim=0, start=None, end=None, step=1):
    dim = axis(dim, self.rank)
    size = self.shape[dim]
    first = _bound(0 if start is None else start, size)
    last = max(first, _bound(size if end is None else end, size))
    return call.build.slice(self, dim, first, last, step)


@op("select.int")
def select(call, self, dim, index):
    dim = axis(dim, self.rank)
    index = index % self.shape[dim]
    return call.build.reshape(call.build.slice(self, dim, index, index + 1), call.shape)


@op("narrow.default")
def narrow(call, self, dim, start, length):
    dim = axis(dim, self.rank)
    start = _bound(start, self.shape[dim])
    return call.build.slice(self, dim, start, start + length)


def _split(call, x, sizes, dim):
    dim, start, parts = axis(dim, x.rank), 0, []
    for size in sizes:
        parts.append(call.build.slice(x, dim, start, start + size))
        start += size
    return parts


@op("split_with_sizes.default")
def split_with_sizes(call, self, split_sizes, dim=0):
    return _split(call, self, split_sizes, dim)


@op("split.Tensor")
def split(call, self, split_size, dim=0):
    return _split(call, self, [kind.shape[axis(dim, self.rank)] for kind in call.types], dim)


@op("chunk.default")
def chunk(call, self, chunks, dim=0):
    return split(call, self, None, dim)


@op("unbind.int")
def unbind(call, self, dim=0):
    dim = axis(dim, self.rank)
    return [
        call.build.reshape(call.build.slice(self, dim, i, i + 1), kind.shape)
        for i, kind in enumerate(call.types)
    ]


@op("unfold.default")
def unfold(call, self, dimension, size, step):
    """Windows of `size` along a dimension, their elements as a last one."""
    build, dim = call.build, axis(dimension, self.rank)
    count = (self.shape[dim] - size) // step + 1
    parts = []
    for start in range(size):
        part = build.slice(self, dim, start, start + (count - 1) * step + 1, step)
        parts.append(build.reshape(part, [*part.shape, 1]))
    return build.concatenate(parts, self.rank)


@op("flip.default")
def flip(call, self, dims):
    return call.build.reverse(self, [axis(dim, self.rank) for dim in dims])


@op("roll.default")
def roll(call, self, shifts, dims=()):
    build, x = call.build, self
    shifts = [shifts] if isinstance(shifts, int) else shifts
    dims = [dims] if isinstance(dims, int) else list(dims)
    if not dims:
        x, dims = build.reshape(x, [x.type.size]), [0]
    for shift, dim in zip(shifts, dims):
        dim = axis(dim, x.rank)
        size = x.shape[dim]
        cut = -shift % size
        if cut:
            parts = [build.slice(x, dim, cut, size), build.slice(x, dim, 0, cut)]
            x = build.concatenate(parts, dim)
    return build.reshape(x, call.shape)


@op("constant_pad_nd.default")
def constant_pad_nd(call, self, pad, value=0):
    """`pad` goes from the last dimension to the first."""
    low, high = [0] * self.rank, [0] * self.rank
    for i in range(0, len(pad), 2):
        low[self.rank - 1 - i // 2], high[self.rank - 1 - i // 2] = pad[i : i + 2]
    return call.build.pad(self, value, low, high)


@op("slice_scatter.default")
def slice_scatter(call, self, src, dim=0, start=None, end=None, step=1):
    build, dim = call.build, axis(dim, self.rank)
    size = self.shape[dim]
    first = _bound(0 if start is None else start, size)
    last = max(first, _bound(size if end is None else end, size))
    src = build.convert(src, self.element)
    parts = [build.slice(self, dim, 0, first)]
    if step == 1:
        parts.append(src)
    else:
        # Each element that is written with those up to the next one; behind the
        # last there may be fewer.
        count = src.shape[dim]
        runs = min(count, (size - first) // step)
        last = first + runs * step
        parts.append(_run_begins(build, build.slice(self, dim, first, last), src, dim, step))
        parts.append(build.slice(src, dim, runs, count))
        last += count - runs
    parts.append(build.slice(self, dim, last, size))
    return build.concatenate([each for each in parts if each.shape[dim]], dim)


def _run_begins(build, x, src, dim, step):
    """`x`, in runs of `step` elements, with the first of each from `src`."""
    runs = x.shape[dim] // step
    before, behind = x.shape[:dim], x.shape[dim + 1 :]
    rest = build.slice(build.reshape(x, [*before, runs, step, *behind]), dim + 1, 1, step)
    begins = build.reshape(build.slice(src, dim, 0, runs), [*before, runs, 1, *behind])
    return build.reshape(build.concatenate([begins, rest], dim + 1), x.shape)


@op("select_scatter.default")
def select_scatter(call, self, src, dim, index):
    dim = axis(dim, self.rank)
    index = index % self.shape[dim]
    src = call.build.reshape(src, [*self.shape[:dim], 1, *self.shape[dim + 1 :]])
    return slice_scatter(call, self, src, dim, index, index + 1)


@op("diagonal.default", "diagonal_copy.default")
def diagonal(call, self, offset=0, dim1=0, dim2=1):
    """Picks by a mask and adds up: one element of each row is not zero."""
    build, rank = call.build, self.rank
    first, second = axis(dim1, rank), axis(dim2, rank)
    rows = build.iota(self.shape, first, "i32")
    columns = build.iota(self.shape, second, "i32")
    chosen = build.compare("EQ", build.subtract(columns, rows), offset)
    kept = build.reduce("add", build.select(chosen, self, build.like(self, 0)), [second])
    # The row's number is the position, or further by a negative offset.
    place = first - (second < first)
    start = max(0, -offset)
    kept = build.slice(kept, place, start, start + call.shape[-1])
    order = [i for i in range(kept.rank) if i != place] + [place]
    return build.transpose(kept, order)


# --- Made from nothing -------------------------------------------------------


@op(
    "full.default",
    "full_like.default",
    "new_full.default",
    "scalar_tensor.default",
    "fill.Scalar",
    "fill.Tensor",
)
def full(call, *args, fill_value=None, **_):
    """The number is the last positional argument."""
    number = fill_value if fill_value is not None else args[-1]
    return call.fit(number)


@op("zeros.default", "zeros_like.default", "new_zeros.default", "empty.memory_format",
    "empty_like.default", "new_empty.default", "zero.default", "empty_permuted.default",
    "new_empty_strided.default", "empty_strided.default")  # fmt: skip
def zeros(call, *_, **__):
    """Memory that nobody has written is zero here."""
    return call.build.full(call.shape, 0, call.element)


@op("ones.default", "ones_like.default", "new_ones.default")
def ones(call, *_, **__):
    return call.build.full(call.shape, 1, call.element)


@op("arange.start_step", "arange.start", "arange.default")
def arange(call, start, end=None, step=1, **_):
    build = call.build
    if end is None:
        start, end = 0, start
    places = build.iota(call.shape, 0, call.element)
    scaled = places if step == 1 else build.multiply(places, step)
    return scaled if start == 0 else build.add(scaled, start)


@op("linspace.default")
def linspace(call, start, end, steps, **_):
    build = call.build
    places = build.iota(call.shape, 0, call.element)
    step = (end - start) / max(steps - 1, 1)
    return build.add(build.multiply(places, step), start)


@op("eye.default", "eye.m")
def eye(call, *_, **__):
    build = call.build
    rows = build.iota(call.shape, 0, "i32")
    columns = build.iota(call.shape, 1, "i32")
    return build.convert(build.compare("EQ", rows, columns), call.element)


def _triangle(call, x, direction, diagonal):
    build = call.build
    rows = build.iota(x.shape, x.rank - 2, "i32")
    columns = build.iota(x.shape, x.rank - 1, "i32")
    chosen = build.compare(direction, build.subtract(columns, rows), diagonal)
    return build.select(chosen, x, build.like(x, 0))


@op("tril.default")
def tril(call, self, diagonal=0):
    return _triangle(call, self, "LE", diagonal)


@op("triu.default")
def triu(call, self, diagonal=0):
    return _triangle(call, self, "GE", diagonal)


@op("pixel_shuffle.default")
def pixel_shuffle(call, self, upscale_factor):
    build, r = call.build, upscale_factor
    *lead, features, high, wide = self.shape
    n = len(lead)
    x = build.reshape(self, [*lead, features // r**2, r, r, high, wide])
    order = [*range(n), n, n + 3, n + 1, n + 4, n + 2]
    return build.reshape(build.transpose(x, order), call.shape)


def _grow(call, x):
    """Repeats each element along spatial dimensions a whole number of times."""
    build = call.build
    sizes = x.shape[2:]
    factors = [new // old for new, old in zip(call.shape[2:], sizes)]
    if [old * factor for old, factor in zip(sizes, factors)] != list(call.shape[2:]):
        refuse("it grows by a factor that is no whole number")
    wide = [*x.shape[:2], *(each for pair in zip(sizes, factors) for each in pair)]
    kept = [0, 1, *range(2, len(wide), 2)]
    return build.reshape(build.broadcast_in_dim(x, wide, kept), call.shape)


@op(
    "upsample_nearest1d.vec",
    "upsample_nearest2d.vec",
    "upsample_nearest3d.vec",
    "upsample_nearest1d.default",
    "upsample_nearest2d.default",
    "upsample_nearest3d.default",
)
def upsample_nearest(call, input, *_, **__):
    return _grow(call, input)



def _interpolated(build, x, dim, size, align_corners, scale):
    """Between neighbours along `dim`: a product with a matrix that has at most
    two weights in each row."""
    old = x.shape[dim]
    places = build.iota((size,), 0, x.element)
    if align_corners:
        source = build.multiply(places, (old - 1) / max(size - 1, 1))
    else:
        step = 1 / scale if scale else old / size
        source = build.subtract(build.multiply(build.add(places, 0.5), step), 0.5)
        source = build.maximum(source, 0)
    source = build.minimum(source, old - 1)
    away = build.subtract(
        build.broadcast_in_dim(source, (size, old), [0]), build.iota((size, old), 1, x.element)
    )
    one = build.full((size, old), 1, x.element)
    weights = build.maximum(build.subtract(one, build.unary("abs", away)), 0)
    product = build.dot(x, weights, ([dim], [1]))
    order = list(range(x.rank - 1))
    order.insert(dim, x.rank - 1)
    return build.transpose(product, order)


@op("upsample_linear1d.vec", "upsample_bilinear2d.vec")
def upsample_linear(call, input, output_size, align_corners, scale_factors=None):
    x = input
    for i, size in enumerate(call.shape[2:]):
        scale = scale_factors[i] if scale_factors else None
        x = _interpolated(call.build, x, 2 + i, size, align_corners, scale)
    return x


def _indices(call, row, col, offset, is_lower):
    pairs = [
        (i, j)
        for i in range(row)
        for j in range(col)
        if (j - i <= offset if is_lower else j - i >= offset)
    ]
    numbers = [pair[k] for k in (0, 1) for pair in pairs]
    return call.build.dense(numbers, call.shape, call.element)


@op("tril_indices.default")
def tril_indices(call, row, col, offset=0, **_):
    return _indices(call, row, col, offset, True)


@op("triu_indices.default")
def triu_indices(call, row, col, offset=0, **_):
    return _indices(call, row, col, offset, False)
