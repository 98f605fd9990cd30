# SPDX-License-Identifier: Apache-2.0
"""Models in flax.nnx."""

import jax
import jax.numpy as jnp
from flax import nnx

from parts import ZooModel, arrays, cross_entropy, floats, images, integers, model


def nnx_loss(module, apply):
    """The parameters of a module, and the loss as a function of them."""
    graph, params, others = nnx.split(module, nnx.Param, ...)

    def loss(p, batch):
        return apply(nnx.merge(graph, p, others, copy=True), batch)

    return loss, arrays(params)


class Block(nnx.Module):
    def __init__(self, width, heads, rngs):
        self.norm1 = nnx.LayerNorm(width, rngs=rngs)
        self.attention = nnx.MultiHeadAttention(heads, width, decode=False, rngs=rngs)
        self.norm2 = nnx.LayerNorm(width, rngs=rngs)
        self.up = nnx.Linear(width, 2 * width, rngs=rngs)
        self.down = nnx.Linear(2 * width, width, rngs=rngs)

    def __call__(self, x, mask=None):
        x = x + self.attention(self.norm1(x), mask=mask)
        return x + self.down(nnx.gelu(self.up(self.norm2(x))))


@model
def nnx_gpt(draw):
    """`nnx.MultiHeadAttention` under a causal mask."""

    class Gpt(nnx.Module):
        def __init__(self, rngs):
            self.tokens = nnx.Embed(29, 16, rngs=rngs)
            self.positions = nnx.Embed(9, 16, rngs=rngs)
            self.blocks = nnx.List([Block(16, 2, rngs) for _ in range(2)])
            self.norm = nnx.LayerNorm(16, rngs=rngs)

        def __call__(self, tokens):
            x = self.tokens(tokens) + self.positions(jnp.arange(tokens.shape[1]))
            for block in self.blocks:
                x = block(x, nnx.make_causal_mask(tokens))
            return self.tokens.attend(self.norm(x))

    loss, params = nnx_loss(
        Gpt(nnx.Rngs(draw.key())),
        lambda net, batch: cross_entropy(net(batch["tokens"]), batch["targets"]),
    )
    batch = {"tokens": integers(8, 9), "targets": integers(8, 9)}
    return ZooModel(loss, params, batch, {"tokens": 29, "targets": 29})


@model
def nnx_convolutions(draw):
    """`nnx.Conv`, `max_pool`, `avg_pool`, `GroupNorm`."""

    class Net(nnx.Module):
        def __init__(self, rngs):
            self.conv1 = nnx.Conv(1, 8, (3, 3), rngs=rngs)
            self.norm = nnx.GroupNorm(8, num_groups=4, rngs=rngs)
            self.conv2 = nnx.Conv(8, 8, (3, 3), feature_group_count=2, rngs=rngs)
            self.head = nnx.Linear(8 * 9, 10, rngs=rngs)

        def __call__(self, x):
            x = nnx.max_pool(nnx.relu(self.norm(self.conv1(x))), (2, 2), (2, 2))
            x = nnx.avg_pool(nnx.elu(self.conv2(x)), (2, 2), (2, 2))
            return self.head(x.reshape(x.shape[0], -1))

    loss, params = nnx_loss(
        Net(nnx.Rngs(draw.key())),
        lambda net, batch: cross_entropy(net(batch["image"]), batch["label"]),
    )
    return ZooModel(loss, params, *images(8, 12, 1, 10))


@model
def nnx_low_rank(draw):
    """`nnx.LoRA` beside layers that do not train: only its factors are
    parameters."""

    class Net(nnx.Module):
        def __init__(self, rngs):
            self.base = nnx.Linear(12, 16, rngs=rngs)
            self.update = nnx.LoRA(12, 3, 16, rngs=rngs)
            self.head = nnx.Linear(16, 4, rngs=rngs)

        def __call__(self, x):
            return self.head(nnx.tanh(self.base(x) + self.update(x)))

    net = Net(nnx.Rngs(draw.key()))
    net.update.lora_b[...] = draw.normal(3, 16)
    graph, factors, others = nnx.split(net, nnx.LoRAParam, ...)

    def loss(p, batch):
        net = nnx.merge(graph, p["factors"], jax.lax.stop_gradient(p["frozen"]))
        return cross_entropy(net(batch["x"]), batch["label"])

    params = {"factors": arrays(factors), "frozen": arrays(others)}
    return ZooModel(loss, params, {"x": floats(8, 12), "label": integers(8)}, {"label": 4})


@model
def nnx_sequence_to_sequence(draw):
    """An encoder of `nnx.RNN` and a decoder that begins with its last state."""

    class Translator(nnx.Module):
        def __init__(self, rngs):
            self.source = nnx.Embed(19, 8, rngs=rngs)
            self.target = nnx.Embed(17, 8, rngs=rngs)
            self.encoder = nnx.RNN(nnx.LSTMCell(8, 10, rngs=rngs), return_carry=True)
            self.decoder = nnx.RNN(nnx.LSTMCell(8, 10, rngs=rngs))
            self.head = nnx.Linear(10, 17, rngs=rngs)

        def __call__(self, source, target):
            x = self.source(source)
            start = jnp.zeros((*x.shape[:1], 10), self.head.kernel.dtype)
            carry, _ = self.encoder(x, initial_carry=(start, start))
            return self.head(self.decoder(self.target(target), initial_carry=carry))

    loss, params = nnx_loss(
        Translator(nnx.Rngs(draw.key())),
        lambda net, batch: cross_entropy(net(batch["source"], batch["target"]), batch["next"]),
    )
    batch = {"source": integers(8, 5), "target": integers(8, 6), "next": integers(8, 6)}
    return ZooModel(loss, params, batch, {"source": 19, "target": 17, "next": 17})


@model
def nnx_bilinear(draw):
    """`nnx.Einsum`, `LinearGeneral` and `RMSNorm`."""

    class Net(nnx.Module):
        def __init__(self, rngs):
            self.pairs = nnx.Einsum("bi,ijk->bjk", (10, 4, 6), (4, 6), rngs=rngs)
            self.norm = nnx.RMSNorm(6, rngs=rngs)
            self.join = nnx.LinearGeneral((4, 6), 3, axis=(-2, -1), rngs=rngs)

        def __call__(self, x):
            return self.join(nnx.softplus(self.norm(self.pairs(x))))

    loss, params = nnx_loss(
        Net(nnx.Rngs(draw.key())),
        lambda net, batch: ((net(batch["x"]) - batch["y"]) ** 2).mean(),
    )
    return ZooModel(loss, params, {"x": floats(8, 10), "y": floats(8, 3)})
