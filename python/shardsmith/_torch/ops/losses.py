# SPDX-License-Identifier: Apache-2.0
"""Losses: of classes, which look up one logarithm for each sample, and of
numbers. Reductions are 0 for each sample, 1 for the mean, 2 for the sum."""

import math

from shardsmith._stablehlo import is_float
from shardsmith._torch.ops._table import op
from shardsmith._torch.ops.indexing import take_rows


def _class_losses(call, logarithms, target, weight, ignore_index, smoothing=0.0):
    """(losses with 0 for ignored samples, weight of each sample, or None if all
    weigh 1)."""
    build = call.build
    if ignore_index < 0 and call.is_nonnegative(target):
        ignore_index = None
    classes = logarithms.shape[1] if logarithms.rank > 1 else logarithms.shape[0]
    dim = 1 if logarithms.rank > 1 else 0
    counted, safe = None, target
    if ignore_index is not None:
        counted = build.compare("NE", target, ignore_index)
        safe = build.select(counted, target, build.like(target, 0))
    column = build.reshape(safe, [*safe.shape[:dim], 1, *safe.shape[dim:]])
    picked = build.take_along(logarithms, dim, column)
    losses = build.unary("negate", build.reshape(picked, target.shape))
    each = None if counted is None else build.convert(counted, logarithms.element)
    if weight is not None:
        rows = take_rows(build, weight, 0, safe)
        each = rows if each is None else build.multiply(each, rows)
        losses = build.multiply(losses, each)

    def where_counted(values):
        if counted is None:
            return values
        return build.select(counted, values, build.like(values, 0))

    losses = where_counted(losses)
    if not smoothing:
        return losses, each
    spread = logarithms
    if weight is not None:
        spread = build.multiply(
            spread, build.broadcast_in_dim(weight, spread.shape, [dim])
        )
    rest = build.unary("negate", build.sum(spread, [dim]))
    rest = where_counted(rest)
    kept = build.multiply(losses, 1 - smoothing)
    return build.add(kept, build.multiply(rest, smoothing / classes)), each


def _reduced(build, losses, weights, reduction):
    if reduction == 0:
        return losses
    every = range(losses.rank)
    if weights is None and reduction == 1:
        return build.mean(losses, every)
    total = build.sum(losses, every)
    return total if reduction == 2 else build.divide(total, build.sum(weights, every))


@op("nll_loss_forward.default", "nll_loss2d_forward.default")
def nll_loss_forward(call, self, target, weight, reduction, ignore_index):
    build = call.build
    losses, weights = _class_losses(call, self, target, weight, ignore_index)
    total = build.number(losses.type.size, losses.element)
    if weights is not None:
        total = build.sum(weights, range(weights.rank))
    return _reduced(build, losses, weights, reduction), total


@op("nll_loss.default", "nll_loss2d.default", "nll_loss_nd.default")
def nll_loss(call, self, target, weight=None, reduction=1, ignore_index=-100):
    losses, weights = _class_losses(call, self, target, weight, ignore_index)
    return _reduced(call.build, losses, weights, reduction)


@op("cross_entropy_loss.default")
def cross_entropy_loss(
    call, self, target, weight=None, reduction=1, ignore_index=-100, label_smoothing=0.0
):
    build = call.build
    inner = self.element if self.element in ("f32", "f64") else "f32"
    x = build.convert(self, inner)
    dim = 1 if x.rank > 1 else 0
    logarithms = build.softmax(x, dim, logarithm=True)
    if is_float(target.element):
        loss = _of_probabilities(build, logarithms, target, weight, dim, label_smoothing)
        total = build.sum(loss, range(loss.rank)) if reduction else loss
        count = math.prod(loss.shape)
        total = build.divide(total, count) if reduction == 1 else total
        return build.convert(total, call.element)
    weight = None if weight is None else build.convert(weight, inner)
    losses, weights = _class_losses(
        call, logarithms, target, weight, ignore_index, label_smoothing
    )
    return build.convert(_reduced(build, losses, weights, reduction), call.element)


def _of_probabilities(build, logarithms, target, weight, dim, smoothing):
    target = build.convert(target, logarithms.element)
    if smoothing:
        target = build.multiply(target, 1 - smoothing)
        target = build.add(target, smoothing / logarithms.shape[dim])
    if weight is not None:
        target = build.multiply(target, build.broadcast_in_dim(weight, target.shape, [dim]))
    return build.unary("negate", build.sum(build.multiply(logarithms, target), [dim]))


@op("mse_loss.default")
def mse_loss(call, self, target, reduction=1):
    build = call.build
    gap = build.subtract(self, build.convert(target, self.element))
    return _reduced(build, build.multiply(gap, gap), None, reduction)
