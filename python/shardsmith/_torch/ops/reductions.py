# SPDX-License-Identifier: Apache-2.0
"""Sums, means, extrema and what is made of them."""

import math

from shardsmith._torch.ops._table import axes, axis, op, refuse


@op("sum.default", "sum.dim_IntList")
def sum_(call, self, dim=None, keepdim=False, dtype=None):
    build, x = call.build, call.build.convert(self, call.element)
    return build.reshape(build.sum(x, axes(dim, x.rank)), call.shape)


@op("mean.default", "mean.dim")
def mean(call, self, dim=None, keepdim=False, dtype=None):
    build, x = call.build, call.build.convert(self, call.element)
    return build.reshape(build.mean(x, axes(dim, x.rank)), call.shape)


@op("prod.default", "prod.dim_int")
def prod(call, self, dim=None, keepdim=False, dtype=None):
    build, x = call.build, call.build.convert(self, call.element)
    return build.reshape(build.reduce("multiply", x, axes(dim, x.rank)), call.shape)


@op("amax.default", "max.default")
def amax(call, self, dim=None, keepdim=False):
    """The gradient goes evenly to all that are the largest."""
    build = call.build
    return build.reshape(build.reduce("maximum", self, axes(dim, self.rank)), call.shape)


@op("amin.default", "min.default")
def amin(call, self, dim=None, keepdim=False):
    build = call.build
    return build.reshape(build.reduce("minimum", self, axes(dim, self.rank)), call.shape)


def extreme_place(build, x, dim, reduction):
    """The first position along `dim` of the largest or smallest element, as
    i64, without the dimension."""
    top = build.reduce(reduction, build.stop_gradient(x), [dim])
    chosen = build.compare("EQ", x, build.spread(top, [dim], x.shape))
    return build.first_where(chosen, dim, "i64")


def _extreme(call, x, dim, reduction):
    """(values, positions); the gradient goes to that position only."""
    build = call.build
    dim = axis(dim, x.rank)
    if not x.rank:
        return x, build.full((), 0, "i64")
    place = extreme_place(build, x, dim, reduction)
    column = build.reshape(place, [1 if i == dim else n for i, n in enumerate(x.shape)])
    value = build.take_along(x, dim, column)
    return [build.reshape(each, call.shape) for each in (value, place)]


@op("max.dim")
def max_dim(call, self, dim, keepdim=False):
    return _extreme(call, self, dim, "maximum")


@op("min.dim")
def min_dim(call, self, dim, keepdim=False):
    return _extreme(call, self, dim, "minimum")


def _place(call, x, dim, reduction):
    build = call.build
    if dim is None or not x.rank:
        x, dim = build.reshape(x, [x.type.size]), 0
    return build.reshape(extreme_place(build, x, axis(dim, x.rank), reduction), call.shape)


@op("argmax.default")
def argmax(call, self, dim=None, keepdim=False):
    return _place(call, self, dim, "maximum")


@op("argmin.default")
def argmin(call, self, dim=None, keepdim=False):
    return _place(call, self, dim, "minimum")


@op("any.default", "any.dim", "any.dims")
def any_(call, self, dim=None, keepdim=False):
    build, x = call.build, call.build.convert(self, "i1")
    return build.reshape(build.reduce("or", x, axes(dim, x.rank)), call.shape)


@op("all.default", "all.dim", "all.dims")
def all_(call, self, dim=None, keepdim=False):
    build, x = call.build, call.build.convert(self, "i1")
    return build.reshape(build.reduce("and", x, axes(dim, x.rank)), call.shape)


def moments(build, x, dims, correction=0):
    """(mean, variance) over dimensions that stay with size 1. The variance is
    divided by the number of elements less the correction."""
    mean = build.mean(x, dims, keep=True)
    centred = build.subtract(x, build.broadcast(mean, x.shape))
    squares = build.sum(build.multiply(centred, centred), dims, keep=True)
    count = math.prod(x.shape[dim] for dim in dims) - correction
    return mean, build.divide(squares, max(count, 0))


def _correction(unbiased, correction):
    if isinstance(unbiased, bool):
        return int(unbiased)
    return 1 if correction is None else correction


@op("var.correction", "var.dim", "var.default")
def var(call, self, dim=None, unbiased=None, keepdim=False, correction=None):
    build = call.build
    chosen = _correction(unbiased, correction)
    _, variance = moments(build, self, axes(dim, self.rank), chosen)
    return build.reshape(variance, call.shape)


@op("std.correction")
def std(call, self, dim=None, correction=None, keepdim=False):
    return call.build.unary("sqrt", var(call, self, dim, correction=correction))


@op("var_mean.correction")
def var_mean(call, self, dim=None, correction=None, keepdim=False):
    build = call.build
    chosen = _correction(None, correction)
    mean, variance = moments(build, self, axes(dim, self.rank), chosen)
    return [build.reshape(each, call.shape) for each in (variance, mean)]


@op("logsumexp.default")
def logsumexp(call, self, dim, keepdim=False):
    build, dims = call.build, axes(dim, self.rank)
    top = build.reduce("maximum", build.stop_gradient(self), dims)
    shifted = build.subtract(self, build.spread(top, dims, self.shape))
    total = build.sum(build.unary("exponential", shifted), dims)
    return build.reshape(build.add(build.unary("log", total), top), call.shape)


@op("linalg_vector_norm.default", "norm.ScalarOpt_dim", "norm.Scalar")
def vector_norm(call, self, ord=2, dim=None, keepdim=False, dtype=None):
    build, x = call.build, call.build.convert(self, call.element)
    dims, ord = axes(dim, x.rank), 2 if ord is None else ord
    if ord in (math.inf, -math.inf):
        which = "maximum" if ord > 0 else "minimum"
        norm = build.reduce(which, build.unary("abs", x), dims)
    elif ord == 2:
        squares = build.sum(build.multiply(x, x), dims)
        # The root's derivative at 0 is no number; the norm's is 0.
        is_zero = build.compare("EQ", squares, 0)
        root = build.unary("sqrt", build.select(is_zero, 1, squares))
        norm = build.select(is_zero, 0, root)
    else:
        size = build.multiply(x, build.unary("sign", x))
        powers = size if ord == 1 else build.binary("power", size, build.like(x, ord))
        norm = build.sum(powers, dims)
        if ord != 1:
            norm = build.binary("power", norm, build.like(norm, 1 / ord))
    return build.reshape(norm, call.shape)


@op("_softmax.default", "softmax.int")
def softmax(call, self, dim, *_, **__):
    return _of_rows(call, self, dim, False)


@op("_log_softmax.default", "log_softmax.int")
def log_softmax(call, self, dim, *_, **__):
    return _of_rows(call, self, dim, True)


def _of_rows(call, x, dim, logarithm):
    """Computed in f32 where the type is narrower, and rounded once."""
    build = call.build
    inner = x.element if x.element in ("f32", "f64") else "f32"
    x = build.convert(x, inner)
    if not x.rank:
        return build.convert(build.like(x, 0 if logarithm else 1), call.element)
    return build.convert(build.softmax(x, axis(dim, x.rank), logarithm), call.element)


@op("cumsum.default")
def cumsum(call, self, dim, dtype=None):
    build, x = call.build, call.build.convert(self, call.element)
    return build.cumulate("add", x, axis(dim, x.rank)) if x.rank else x


@op("cumprod.default")
def cumprod(call, self, dim, dtype=None):
    build, x = call.build, call.build.convert(self, call.element)
    return build.cumulate("multiply", x, axis(dim, x.rank)) if x.rank else x


@op("histc.default")
def histc(call, self, bins=100, min=0, max=0):
    """How many elements each of equal intervals has; the last one has its end."""
    build = call.build
    if min == max:
        refuse("it takes its bounds from the data; give min and max")
    x = build.convert(self, "f32")
    place = build.unary("floor", build.multiply(build.subtract(x, min), bins / (max - min)))
    place = build.select(build.compare("EQ", x, max), build.like(x, bins - 1), place)
    flat = build.reshape(place, [x.type.size])
    shape = (bins, x.type.size)
    hits = build.compare("EQ", build.broadcast(flat, shape), build.iota(shape, 0, "f32"))
    return build.sum(build.convert(hits, call.element), [1])
