# SPDX-License-Identifier: Apache-2.0
"""Models in haiku."""

import haiku as hk
import jax
import jax.numpy as jnp

from parts import ZooModel, arrays, cross_entropy, floats, images, integers, model


def haiku_loss(draw, apply, batch, limits={}):
    """The parameters of a function of the batch, and it as a function of both."""
    function = hk.without_apply_rng(hk.transform(apply))
    example = jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), batch)
    params = arrays(function.init(draw.key(), example))
    return ZooModel(function.apply, params, batch, limits)


@model
def haiku_convolutions(draw):
    """`hk.Conv2D`, `hk.LayerNorm` over channels, `hk.MaxPool`, `hk.nets.MLP`."""

    def apply(batch):
        x = hk.Conv2D(8, 3)(batch["image"])
        x = jax.nn.relu(hk.LayerNorm(-1, True, True)(x))
        x = hk.MaxPool((2, 2, 1), (2, 2, 1), "VALID")(x)
        x = hk.DepthwiseConv2D(1, 3)(x)
        logits = hk.nets.MLP([16, 6])(hk.Flatten()(x))
        return cross_entropy(logits, batch["label"])

    batch, limits = images(8, 12, 2, 6)
    return haiku_loss(draw, apply, batch, limits)


@model
def haiku_lstm(draw):
    """`hk.dynamic_unroll` of a deep recurrent core."""

    def apply(batch):
        core = hk.DeepRNN([hk.LSTM(8), jax.nn.tanh, hk.GRU(6)])
        x = jnp.swapaxes(batch["x"], 0, 1)
        states, _ = hk.dynamic_unroll(core, x, core.initial_state(x.shape[1]))
        predicted = hk.BatchApply(hk.Linear(3))(states)
        return ((jnp.swapaxes(predicted, 0, 1) - batch["y"]) ** 2).mean()

    return haiku_loss(draw, apply, {"x": floats(8, 5, 3), "y": floats(8, 5, 3)})


@model
def haiku_transformer(draw):
    """`hk.MultiHeadAttention` between a decoder and an encoder."""

    def norm(x):
        return hk.LayerNorm(-1, True, True)(x)

    def apply(batch):
        width = 16
        source = hk.Embed(19, width)(batch["source"])
        attend = lambda: hk.MultiHeadAttention(2, 8, w_init_scale=1.0, model_size=width)
        y = norm(source)
        source = source + attend()(y, y, y)
        x = hk.Embed(23, width)(batch["tokens"])
        causal = jnp.tril(jnp.ones((1, 1, x.shape[1], x.shape[1])))
        y = norm(x)
        x = x + attend()(y, y, y, mask=causal)
        y, memory = norm(x), norm(source)
        x = x + attend()(y, memory, memory)
        x = x + hk.nets.MLP([32, width], activation=jax.nn.gelu)(norm(x))
        return cross_entropy(hk.Linear(23)(norm(x)), batch["targets"])

    batch = {"source": integers(8, 7), "tokens": integers(8, 6), "targets": integers(8, 6)}
    limits = {"source": 19, "tokens": 23, "targets": 23}
    return haiku_loss(draw, apply, batch, limits)


@model
def haiku_graph_attention(draw):
    """Attention along edges: gathers, and sums and maxima by segment."""
    nodes, edges = 10, 24

    def one_graph(x, senders, receivers):
        for name, width in (("first", 8), ("second", 6)):
            x = hk.Linear(width, name=name)(x)
            score = hk.Linear(1, name=f"{name}_score")(jnp.concatenate([x[senders], x[receivers]], -1))[:, 0]
            score = jax.nn.leaky_relu(score, 0.2)
            most = jax.ops.segment_max(score, receivers, nodes)
            weight = jnp.exp(score - jax.lax.stop_gradient(most)[receivers])
            total = jax.ops.segment_sum(weight, receivers, nodes)
            message = weight[:, None] * x[senders]
            x = jax.nn.elu(
                jax.ops.segment_sum(message, receivers, nodes) / (total[:, None] + 1e-6)
            )
        return x.mean(0)

    def apply(batch):
        graphs = hk.vmap(one_graph, split_rng=False)
        x = graphs(batch["nodes"], batch["senders"], batch["receivers"])
        return cross_entropy(hk.Linear(3, name="head")(x), batch["label"])

    batch = {
        "nodes": floats(8, nodes, 5),
        "senders": integers(8, edges),
        "receivers": integers(8, edges),
        "label": integers(8),
    }
    limits = {"senders": nodes, "receivers": nodes, "label": 3}
    return haiku_loss(draw, apply, batch, limits)
