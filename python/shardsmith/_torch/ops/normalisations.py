# SPDX-License-Identifier: Apache-2.0
"""(x - mean) / √(variance + ε) · weight + bias, over what each of them counts
together. Statistics of narrow floats are computed in f32."""

import math

from shardsmith._torch.ops._table import op
from shardsmith._torch.ops.reductions import moments


def _widened(build, x):
    return x if x.element in ("f32", "f64") else build.convert(x, "f32")


def _normalised(build, x, mean, variance, eps):
    inverse = build.unary("rsqrt", build.add(variance, eps))
    centred = build.subtract(x, build.broadcast(mean, x.shape))
    return build.multiply(centred, build.broadcast(inverse, x.shape)), inverse


def _of_feature(build, vector, x):
    """A vector along dimension 1 of tensors like `x`."""
    return build.broadcast_in_dim(build.convert(vector, x.element), x.shape, [1])


def _affine(build, y, weight, bias):
    """Times `weight` plus `bias`, one element for each feature."""
    if weight is not None:
        y = build.multiply(y, _of_feature(build, weight, y))
    return y if bias is None else build.add(y, _of_feature(build, bias, y))


@op("native_layer_norm.default")
def native_layer_norm(call, input, normalized_shape, weight, bias, eps):
    build, x = call.build, _widened(call.build, input)
    dims = list(range(x.rank - len(normalized_shape), x.rank))
    mean, variance = moments(build, x, dims)
    y, inverse = _normalised(build, x, mean, variance, eps)
    if weight is not None:
        y = build.multiply(y, build.broadcast(build.convert(weight, y.element), y.shape))
    if bias is not None:
        y = build.add(y, build.broadcast(build.convert(bias, y.element), y.shape))
    return build.convert(y, input.element), mean, inverse


@op("layer_norm.default")
def layer_norm(call, input, normalized_shape, weight=None, bias=None, eps=1e-5, *_, **__):
    return native_layer_norm(call, input, normalized_shape, weight, bias, eps)[0]


@op("rms_norm.default", "_fused_rms_norm.default")
def rms_norm(call, input, normalized_shape, weight=None, eps=None):
    build, x = call.build, _widened(call.build, input)
    if eps is None:
        eps = {"f64": 2.0**-52, "bf16": 2.0**-7, "f16": 2.0**-10}.get(input.element, 2.0**-23)
    dims = list(range(x.rank - len(normalized_shape), x.rank))
    squares = build.mean(build.multiply(x, x), dims, keep=True)
    inverse = build.unary("rsqrt", build.add(squares, eps))
    y = build.multiply(x, build.broadcast(inverse, x.shape))
    if weight is not None:
        y = build.multiply(y, build.broadcast(build.convert(weight, y.element), y.shape))
    y = build.convert(y, input.element)
    return (y, inverse) if call.wants(1) else y


def _groups(build, x, groups, eps):
    samples, features, *places = x.shape
    rows = build.reshape(x, [samples, groups, features // groups, *places])
    mean, variance = moments(build, rows, list(range(2, rows.rank)))
    y, inverse = _normalised(build, rows, mean, variance, eps)
    return build.reshape(y, x.shape), mean, inverse


@op("native_group_norm.default")
def native_group_norm(call, input, weight, bias, N, C, HxW, group, eps):
    build = call.build
    y, mean, inverse = _groups(build, _widened(build, input), group, eps)
    y = build.convert(_affine(build, y, weight, bias), input.element)
    sizes = (N, group)
    return y, build.reshape(mean, sizes), build.reshape(inverse, sizes)


@op("group_norm.default")
def group_norm(call, input, num_groups, weight=None, bias=None, eps=1e-5, *_, **__):
    build = call.build
    y = _groups(build, _widened(build, input), num_groups, eps)[0]
    return build.convert(_affine(build, y, weight, bias), input.element)


def _batch_norm(call, input, weight, bias, running, training, momentum, eps):
    """(result, mean, inverse deviation, new running mean, new running variance)
    of one program: statistics are those of the whole batch."""
    build, x = call.build, _widened(call.build, input)
    dims = [0, *range(2, x.rank)]
    features = (x.shape[1],)
    if training or running[0] is None:
        mean, variance = (build.reshape(each, features) for each in moments(build, x, dims))
    else:
        mean, variance = (build.convert(each, x.element) for each in running)
    inverse = build.unary("rsqrt", build.add(variance, eps))
    y = build.subtract(x, _of_feature(build, mean, x))
    y = build.multiply(y, _of_feature(build, inverse, x))
    y = build.convert(_affine(build, y, weight, bias), input.element)
    if not training or running[0] is None:
        return y, mean, inverse, *running
    count = math.prod(x.shape[dim] for dim in dims)
    unbiased = build.multiply(variance, count / max(count - 1, 1))
    followed = [
        _follow(build, old, new, momentum) for old, new in zip(running, (mean, unbiased))
    ]
    # PyTorch keeps averages of narrow floats in f32 here.
    wanted = [kind.element if kind else old.element for kind, old in zip(call.types[3:], running)]
    return y, mean, inverse, *map(build.convert, followed, wanted)


def _follow(build, old, new, momentum):
    """(1 - momentum) · old + momentum · new, without a gradient."""
    new = build.convert(build.stop_gradient(new), old.element)
    return build.add(build.multiply(old, 1 - momentum), build.multiply(new, momentum))


@op("_native_batch_norm_legit_functional.default")
def batch_norm_functional(
    call, input, weight, bias, running_mean, running_var, training, momentum, eps
):
    running = (running_mean, running_var)
    return _batch_norm(call, input, weight, bias, running, training, momentum, eps)


@op("_native_batch_norm_legit.no_stats")
def batch_norm_without_averages(call, input, weight, bias, training, momentum, eps):
    return _batch_norm(call, input, weight, bias, (None, None), True, momentum, eps)[:3]


@op("_native_batch_norm_legit_no_training.default")
def batch_norm_no_training(
    call, input, weight, bias, running_mean, running_var, momentum, eps
):
    running = (running_mean, running_var)
    y = _batch_norm(call, input, weight, bias, running, False, momentum, eps)[0]
    # Nobody can ask for statistics that were not computed.
    empty = [kind and call.build.full(kind.shape, 0, kind.element) for kind in call.types[1:]]
    return y, *empty
