# SPDX-License-Identifier: Apache-2.0
"""Models in equinox."""

import equinox as eqx
import jax
import jax.numpy as jnp

from parts import ZooModel, arrays, cross_entropy, floats, images, integers, model


def equinox_loss(module, apply):
    """The arrays of a module, and the loss as a function of them."""
    params, static = eqx.partition(module, eqx.is_inexact_array)

    def loss(p, batch):
        return apply(eqx.combine(p, static), batch)

    return loss, arrays(params)


@model
def equinox_mlp(draw):
    """`eqx.nn.MLP` under `jax.vmap`, a mean squared error."""
    net = eqx.nn.MLP(6, 2, 16, 3, activation=jax.nn.tanh, key=draw.key())
    loss, params = equinox_loss(
        net, lambda net, batch: ((jax.vmap(net)(batch["x"]) - batch["y"]) ** 2).mean()
    )
    return ZooModel(loss, params, {"x": floats(8, 6), "y": floats(8, 2)})


@model
def equinox_convolutions(draw):
    """Images with channels first: `Conv2d`, `MaxPool2d`, `AvgPool2d`, `Lambda`."""
    keys = jax.random.split(draw.key(), 3)
    net = eqx.nn.Sequential(
        [
            eqx.nn.Conv2d(3, 8, 3, padding=1, key=keys[0]),
            eqx.nn.Lambda(jax.nn.relu),
            eqx.nn.MaxPool2d(2, 2),
            eqx.nn.Conv2d(8, 8, 3, key=keys[1]),
            eqx.nn.Lambda(jax.nn.leaky_relu),
            eqx.nn.AvgPool2d(2, 2),
            eqx.nn.Lambda(jnp.ravel),
            eqx.nn.Linear(8 * 2 * 2, 5, key=keys[2]),
        ]
    )
    loss, params = equinox_loss(
        net, lambda net, batch: cross_entropy(jax.vmap(net)(batch["image"]), batch["label"])
    )
    batch = {"image": floats(8, 3, 12, 12), "label": integers(8)}
    return ZooModel(loss, params, batch, {"label": 5})


class Transformer(eqx.Module):
    embed: eqx.nn.Embedding
    rotary: eqx.nn.RotaryPositionalEmbedding
    attention: eqx.nn.MultiheadAttention
    norms: list
    mlp: eqx.nn.MLP
    head: eqx.nn.Linear

    def __init__(self, key):
        keys = jax.random.split(key, 4)
        self.embed = eqx.nn.Embedding(31, 16, key=keys[0])
        self.rotary = eqx.nn.RotaryPositionalEmbedding(8)
        self.attention = eqx.nn.MultiheadAttention(2, 16, key=keys[1])
        self.norms = [eqx.nn.RMSNorm(16) for _ in range(3)]
        self.mlp = eqx.nn.MLP(16, 16, 32, 1, activation=jax.nn.silu, key=keys[2])
        self.head = eqx.nn.Linear(16, 31, use_bias=False, key=keys[3])

    def __call__(self, tokens):
        x = jax.vmap(self.embed)(tokens)
        y = jax.vmap(self.norms[0])(x)
        mask = jnp.tril(jnp.ones((len(tokens), len(tokens)), bool))

        def rotate(q, k, v):
            turn = jax.vmap(self.rotary, in_axes=1, out_axes=1)
            return turn(q), turn(k), v

        x = x + self.attention(y, y, y, mask=mask, process_heads=rotate)
        x = x + jax.vmap(self.mlp)(jax.vmap(self.norms[1])(x))
        return jax.vmap(self.head)(jax.vmap(self.norms[2])(x))


@model
def equinox_transformer(draw):
    """`MultiheadAttention` with rotary positions, under `jax.vmap`."""
    loss, params = equinox_loss(
        Transformer(draw.key()),
        lambda net, batch: cross_entropy(jax.vmap(net)(batch["tokens"]), batch["targets"]),
    )
    batch = {"tokens": integers(8, 9), "targets": integers(8, 9)}
    return ZooModel(loss, params, batch, {"tokens": 31, "targets": 31})


@model
def equinox_gru(draw):
    """`GRUCell` under `lax.scan` under `jax.vmap`."""
    keys = jax.random.split(draw.key())
    net = (eqx.nn.GRUCell(5, 10, key=keys[0]), eqx.nn.Linear(10, 3, key=keys[1]))

    def apply(net, batch):
        cell, head = net

        def read(sequence):
            state, _ = jax.lax.scan(
                lambda state, x: (cell(x, state), None), jnp.zeros(10), sequence
            )
            return head(state)

        return cross_entropy(jax.vmap(read)(batch["x"]), batch["label"])

    loss, params = equinox_loss(net, apply)
    return ZooModel(loss, params, {"x": floats(8, 6, 5), "label": integers(8)}, {"label": 3})


@model
def equinox_differential_equation(draw):
    """A neural differential equation: four steps of Runge and Kutta."""
    field = eqx.nn.MLP(4, 3, 12, 1, activation=jax.nn.softplus, key=draw.key())

    def apply(field, batch):
        step = 0.25

        def slope(t, y):
            return field(jnp.append(y, t))

        def advance(y, t):
            k1 = slope(t, y)
            k2 = slope(t + step / 2, y + step / 2 * k1)
            k3 = slope(t + step / 2, y + step / 2 * k2)
            k4 = slope(t + step, y + step * k3)
            y = y + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            return y, y

        solve = lambda y: jax.lax.scan(advance, y, step * jnp.arange(4))[1]
        return ((jax.vmap(solve)(batch["start"]) - batch["path"]) ** 2).mean()

    loss, params = equinox_loss(field, apply)
    return ZooModel(loss, params, {"start": floats(8, 3), "path": floats(8, 4, 3)})


@model
def equinox_normalizing_flow(draw):
    """Coupling layers and the log likelihood of what they map to noise."""
    keys = jax.random.split(draw.key(), 4)
    layers = [eqx.nn.MLP(3, 6, 16, 1, key=key) for key in keys]

    def apply(layers, batch):
        x = batch["x"]
        total = jnp.zeros(x.shape[0])
        for layer in layers:
            kept, changed = jnp.split(x, 2, axis=-1)
            scale, shift = jnp.split(jax.vmap(layer)(kept), 2, axis=-1)
            scale = jnp.tanh(scale)
            changed = changed * jnp.exp(scale) + shift
            total = total + scale.sum(-1)
            x = jnp.concatenate([changed, kept], -1)
        log_likelihood = jax.scipy.stats.norm.logpdf(x).sum(-1) + total
        return -log_likelihood.mean()

    loss, params = equinox_loss(layers, apply)
    return ZooModel(loss, params, {"x": floats(8, 6)})


@model
def equinox_one_dimension(draw):
    """`Conv1d` with dilation, `ConvTranspose1d`, `GroupNorm`, `AdaptiveAvgPool1d`."""
    keys = jax.random.split(draw.key(), 3)
    net = eqx.nn.Sequential(
        [
            eqx.nn.Conv1d(2, 8, 3, dilation=2, padding=2, key=keys[0]),
            eqx.nn.GroupNorm(2, 8),
            eqx.nn.Lambda(jax.nn.gelu),
            eqx.nn.ConvTranspose1d(8, 6, 4, stride=2, padding=1, key=keys[1]),
            eqx.nn.AdaptiveAvgPool1d(4),
            eqx.nn.Lambda(jnp.ravel),
            eqx.nn.Linear(24, 3, key=keys[2]),
        ]
    )
    loss, params = equinox_loss(
        net, lambda net, batch: cross_entropy(jax.vmap(net)(batch["x"]), batch["label"])
    )
    return ZooModel(loss, params, {"x": floats(8, 2, 12), "label": integers(8)}, {"label": 3})
