# SPDX-License-Identifier: Apache-2.0
"""Sorts and the largest of each row."""

from shardsmith._torch.ops._table import axis, op


def _ends(call, x, dim):
    """Brings `dim` to the end: (value, order that brings it back)."""
    order = [i for i in range(x.rank) if i != dim] + [dim]
    back = [order.index(i) for i in range(x.rank)]
    return call.build.transpose(x, order), back


@op("topk.default")
def topk(call, self, k, dim=-1, largest=True, sorted=True):
    """Gradients go to the values that are chosen."""
    build = call.build
    if not self.rank:
        return self, build.full((), 0, "i64")
    x, back = _ends(call, self, axis(dim, self.rank))
    values, places = build.top_k(x if largest else build.unary("negate", x), k)
    values = values if largest else build.unary("negate", values)
    return build.transpose(values, back), build.transpose(build.convert(places, "i64"), back)


@op("sort.default", "sort.stable")
def sort(call, self, dim=-1, descending=False, stable=None):
    build = call.build
    if not self.rank:
        return self, build.full((), 0, "i64")
    return build.sort_with_positions(self, axis(dim, self.rank), descending, "i64")


@op("argsort.default", "argsort.stable")
def argsort(call, self, dim=-1, descending=False, stable=None):
    return sort(call, self, dim, descending)[1]
