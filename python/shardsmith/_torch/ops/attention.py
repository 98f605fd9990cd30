# SPDX-License-Identifier: Apache-2.0
"""Attention in the form that the compiler recognises as one op."""

import math

from shardsmith._torch.ops._table import op, refuse


@op("scaled_dot_product_attention.default")
def scaled_dot_product_attention(
    call,
    query,
    key,
    value,
    attn_mask=None,
    dropout_p=0.0,
    is_causal=False,
    scale=None,
    enable_gqa=False,
):
    """Operands are [samples…, heads, positions, channels]. Heads of queries that
    share one of keys stay a dimension of their own: nothing is repeated."""
    build = call.build
    if query.rank < 3:
        refuse("its operands have no dimension of heads; unsqueeze one")
    *lead, heads, length, channels = query.shape
    shared = key.shape[-3]
    if heads % shared or tuple(key.shape[:-3]) != tuple(lead):
        refuse(f"{heads} heads of queries do not share {shared} of keys")
    if shared not in (1, heads) and not enable_gqa:
        refuse(f"{heads} heads of queries and {shared} of keys need enable_gqa=True")
    rows = build.reshape(query, [*lead, shared, heads // shared, length, channels])
    batch = list(range(len(lead) + 1))
    last = rows.rank - 1
    scores = build.dot(rows, key, ([last], [key.rank - 1]), (batch, batch))
    scores = build.multiply(scores, 1 / math.sqrt(channels) if scale is None else scale)
    scores = _masked(build, scores, (*lead, heads, length, key.shape[-2]), attn_mask, is_causal)
    weights = _probabilities(build, scores)
    if dropout_p > 0:
        kept = build.compare(
            "GE", call.random.uniform(weights.shape, "f32"), dropout_p
        )
        weights = build.select(kept, build.divide(weights, 1 - dropout_p), build.like(weights, 0))
    mixed = build.dot(weights, value, ([last], [value.rank - 2]), (batch, batch))
    return build.reshape(mixed, call.shape)


def _masked(build, scores, whole, mask, is_causal):
    """`whole` is the shape that masks are given for; `scores` has two dimensions
    for its heads."""
    if is_causal:
        rows = build.iota(scores.shape, scores.rank - 2, "i32")
        columns = build.iota(scores.shape, scores.rank - 1, "i32")
        visible = build.compare("GE", rows, columns)
        scores = build.select(visible, scores, build.like(scores, -math.inf))
    if mask is None:
        return scores
    shared, each = scores.shape[-4], scores.shape[-3]
    shape = [1] * (len(whole) - mask.rank) + list(mask.shape)
    heads = [shared, each] if shape[-3] > 1 else [1, 1]
    mask = build.reshape(mask, [*shape[:-3], *heads, *shape[-2:]])
    mask = build.broadcast(mask, scores.shape)
    if mask.element == "i1":
        return build.select(mask, scores, build.like(scores, -math.inf))
    return build.add(scores, build.convert(mask, scores.element))


def _probabilities(build, scores):
    inner = scores.element if scores.element in ("f32", "f64") else "f32"
    weights = build.softmax(build.convert(scores, inner), scores.rank - 1)
    return build.convert(weights, scores.element)
