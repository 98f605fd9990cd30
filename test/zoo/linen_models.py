# SPDX-License-Identifier: Apache-2.0
"""Models in flax.linen."""

import flax.linen as nn
import jax
import jax.numpy as jnp

from parts import ZooModel, arrays, cross_entropy, floats, images, integers, model


def linen_model(draw, module, inputs):
    """The parameters of a module, drawn for `inputs`: shapes."""
    zeros = [jnp.zeros(x.shape, x.dtype) for x in inputs]
    return arrays(module.init(draw.key(), *zeros)["params"])


def linen_classifier(draw, module, batch, limits):
    """A module of one input of the batch, and the cross entropy with its labels."""
    given, wanted = batch
    params = linen_model(draw, module, [batch[given]])

    def loss(p, batch):
        return cross_entropy(module.apply({"params": p}, batch[given]), batch[wanted])

    return ZooModel(loss, params, batch, limits)


class EncoderBlock(nn.Module):
    heads: int
    mlp: int

    @nn.compact
    def __call__(self, x, mask):
        y = nn.LayerNorm()(x)
        y = nn.MultiHeadDotProductAttention(self.heads)(y, y, mask=mask)
        x = x + y
        y = nn.Dense(self.mlp)(nn.LayerNorm()(x))
        return x + nn.Dense(x.shape[-1])(nn.gelu(y))


@model
def linen_encoder(draw):
    """Tagger: `MultiHeadDotProductAttention` behind a mask of padding,
    learned positions."""

    class Tagger(nn.Module):
        @nn.compact
        def __call__(self, tokens):
            mask = nn.make_attention_mask(tokens > 0, tokens > 0)
            x = nn.Embed(31, 16)(tokens)
            x = x + self.param("positions", nn.initializers.normal(0.1), (12, 16))
            for _ in range(2):
                x = EncoderBlock(4, 32)(x, mask)
            return nn.Dense(7)(nn.LayerNorm()(x))

    batch = {"tokens": integers(8, 12), "tags": integers(8, 12)}
    return linen_classifier(draw, Tagger(), batch, {"tokens": 31, "tags": 7})


@model
def linen_decoder(draw):
    """Causal decoder whose embedding is also its head (`Embed.attend`), layers
    under `nn.remat`."""

    class Decoder(nn.Module):
        @nn.compact
        def __call__(self, tokens):
            embed = nn.Embed(37, 16)
            x = embed(tokens)
            mask = nn.make_causal_mask(tokens)
            for _ in range(2):
                x = nn.remat(EncoderBlock)(2, 24)(x, mask)
            return embed.attend(nn.LayerNorm()(x))

    batch = {"tokens": integers(8, 10), "targets": integers(8, 10)}
    return linen_classifier(draw, Decoder(), batch, {"tokens": 37, "targets": 37})


@model
def linen_scanned_layers(draw):
    """Layers whose parameters are stacked, run by `nn.scan`."""

    class Layer(nn.Module):
        @nn.compact
        def __call__(self, x, _):
            y = nn.Dense(24)(nn.RMSNorm()(x))
            return x + nn.Dense(12)(nn.silu(y)), None

    class Stack(nn.Module):
        @nn.compact
        def __call__(self, x):
            layers = nn.scan(
                Layer, variable_axes={"params": 0}, split_rngs={"params": True}, length=4
            )
            x, _ = layers()(nn.Dense(12)(x), None)
            return nn.Dense(5)(x)

    batch = {"x": floats(8, 6), "label": integers(8)}
    return linen_classifier(draw, Stack(), batch, {"label": 5})


def recurrent(draw, cell, **options):
    class Reader(nn.Module):
        @nn.compact
        def __call__(self, tokens):
            x = nn.Embed(23, 8)(tokens)
            start = jnp.zeros((*x.shape[:1], 12), x.dtype)
            carry = (start, start) if cell is nn.OptimizedLSTMCell else start
            states = nn.RNN(cell(12), **options)(x, initial_carry=carry)
            return nn.Dense(4)(states.mean(1))

    batch = {"tokens": integers(8, 7), "label": integers(8)}
    return linen_classifier(draw, Reader(), batch, {"tokens": 23, "label": 4})


@model
def linen_lstm(draw):
    """`nn.RNN` over an `OptimizedLSTMCell`."""
    return recurrent(draw, nn.OptimizedLSTMCell)


@model
def linen_reversed_gru(draw):
    """`nn.RNN` over a `GRUCell`, from the last position to the first."""
    return recurrent(draw, nn.GRUCell, reverse=True, keep_order=True)


@model
def linen_mixer(draw):
    """MLP-Mixer: products along patches and along channels in turn."""

    class Mlp(nn.Module):
        width: int

        @nn.compact
        def __call__(self, x):
            return nn.Dense(x.shape[-1])(nn.gelu(nn.Dense(self.width)(x)))

    class Mixer(nn.Module):
        @nn.compact
        def __call__(self, x):
            x = nn.Conv(16, (4, 4), (4, 4))(x)
            x = x.reshape(x.shape[0], -1, 16)
            for _ in range(2):
                y = jnp.swapaxes(nn.LayerNorm()(x), 1, 2)
                x = x + jnp.swapaxes(Mlp(12)(y), 1, 2)
                x = x + Mlp(32)(nn.LayerNorm()(x))
            return nn.Dense(6)(nn.LayerNorm()(x).mean(1))

    return linen_classifier(draw, Mixer(), *images(8, 16, 3, 6))


@model
def linen_normed_weights(draw):
    """`WeightNorm`, `GroupNorm`, `PReLU` and average pools."""

    class Net(nn.Module):
        @nn.compact
        def __call__(self, x):
            x = nn.PReLU()(nn.GroupNorm(num_groups=2)(nn.Conv(8, (3, 3))(x)))
            x = nn.avg_pool(x, (2, 2), (2, 2))
            x = nn.WeightNorm(nn.Dense(16))(x.reshape(x.shape[0], -1))
            return nn.Dense(5)(nn.hard_swish(x))

    return linen_classifier(draw, Net(), *images(8, 10, 2, 5))


@model
def linen_transposed_autoencoder(draw):
    """`ConvTranspose` behind `Conv` with strides, a binary cross entropy."""

    class Autoencoder(nn.Module):
        @nn.compact
        def __call__(self, x):
            x = nn.leaky_relu(nn.Conv(8, (3, 3), (2, 2))(x))
            x = nn.leaky_relu(nn.Conv(12, (3, 3), (2, 2))(x))
            x = nn.leaky_relu(nn.ConvTranspose(8, (3, 3), (2, 2))(x))
            return nn.ConvTranspose(1, (3, 3), (2, 2))(x)

    autoencoder = Autoencoder()
    batch = {"image": floats(8, 12, 12, 1)}
    params = linen_model(draw, autoencoder, [batch["image"]])

    def loss(p, batch):
        logits = autoencoder.apply({"params": p}, batch["image"])
        target = jax.nn.sigmoid(batch["image"])
        return -(target * nn.log_sigmoid(logits) + (1 - target) * nn.log_sigmoid(-logits)).mean()

    return ZooModel(loss, params, batch)
