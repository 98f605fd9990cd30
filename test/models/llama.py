# SPDX-License-Identifier: Apache-2.0
"""A Llama-style decoder in flax: rotary positions, grouped-query attention,
RMSNorm and SwiGLU, with its layers unrolled or scanned."""

from dataclasses import dataclass

import flax.linen as nn
import jax.numpy as jnp
import optax


@dataclass(frozen=True)
class Config:
    layers: int
    width: int
    heads: int
    kv_heads: int
    hidden: int
    vocabulary: int
    scan: bool = False


def rotate(x, base=10000.0):
    """Rotary position embedding of [batch, length, heads, head width]."""
    length, half = x.shape[1], x.shape[-1] // 2
    frequencies = base ** (-jnp.arange(half) / half)
    angles = jnp.arange(length)[:, None] * frequencies
    cos, sin = jnp.cos(angles)[:, None, :], jnp.sin(angles)[:, None, :]
    first, second = jnp.split(x, 2, axis=-1)
    return jnp.concatenate(
        [first * cos - second * sin, second * cos + first * sin], axis=-1
    )


class Attention(nn.Module):
    config: Config

    @nn.compact
    def __call__(self, x):
        c = self.config
        batch, length, width = x.shape
        size, groups = width // c.heads, c.heads // c.kv_heads
        dense = lambda heads, name: nn.DenseGeneral(
            (heads, size), use_bias=False, name=name
        )
        q = rotate(dense(c.heads, "wq")(x))
        k = rotate(dense(c.kv_heads, "wk")(x))
        v = dense(c.kv_heads, "wv")(x)
        q = q.reshape(batch, length, c.kv_heads, groups, size)
        scores = jnp.einsum("blkgd,bmkd->bkglm", q, k) / jnp.sqrt(size)
        positions = jnp.arange(length)
        causal = positions[:, None] >= positions[None, :]
        weights = nn.softmax(jnp.where(causal, scores, -jnp.inf), axis=-1)
        mixed = jnp.einsum("bkglm,bmkd->blkgd", weights, v)
        mixed = mixed.reshape(batch, length, c.heads, size)
        return nn.DenseGeneral(width, axis=(-2, -1), use_bias=False, name="wo")(mixed)


class SwiGLU(nn.Module):
    hidden: int

    @nn.compact
    def __call__(self, x):
        gate = nn.Dense(self.hidden, use_bias=False, name="gate")(x)
        up = nn.Dense(self.hidden, use_bias=False, name="up")(x)
        return nn.Dense(x.shape[-1], use_bias=False, name="down")(nn.silu(gate) * up)


class Block(nn.Module):
    config: Config

    @nn.compact
    def __call__(self, x, _=None):
        x = x + Attention(self.config, name="attention")(
            nn.RMSNorm(name="attention_norm")(x)
        )
        x = x + SwiGLU(self.config.hidden, name="mlp")(nn.RMSNorm(name="mlp_norm")(x))
        return x, None


class Llama(nn.Module):
    config: Config

    @nn.compact
    def __call__(self, tokens):
        c = self.config
        x = nn.Embed(c.vocabulary, c.width, name="embedding")(tokens)
        if c.scan:
            layers = nn.scan(
                Block,
                variable_axes={"params": 0},
                split_rngs={"params": True},
                length=c.layers,
            )
            x, _ = layers(c, name="layers")(x, None)
        else:
            for layer in range(c.layers):
                x, _ = Block(c, name=f"layers_{layer}")(x)
        x = nn.RMSNorm(name="norm")(x)
        return nn.Dense(c.vocabulary, use_bias=False, name="head")(x)


def init(key, config):
    return Llama(config).init(key, jnp.zeros((1, 8), jnp.int32))["params"]


def loss(params, batch, config):
    """Mean cross-entropy of the next tokens."""
    scores = Llama(config).apply({"params": params}, batch["tokens"])
    losses = optax.softmax_cross_entropy_with_integer_labels(scores, batch["targets"])
    return losses.mean()
