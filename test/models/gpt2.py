# SPDX-License-Identifier: Apache-2.0
"""GPT-2 in plain JAX: parameters in dictionaries, one function per layer."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp


@dataclass(frozen=True)
class Config:
    layers: int = 12
    width: int = 768
    heads: int = 12
    vocabulary: int = 50257
    positions: int = 1024
    dtype: str = "float32"


def init(key, config):
    """Initial weights, scaled as in the GPT-2 paper."""
    keys = iter(jax.random.split(key, 2 + 4 * config.layers))
    width = config.width

    def normal(*shape, stddev=0.02):
        return stddev * jax.random.normal(next(keys), shape)

    def norm():
        return {"scale": jnp.ones(width), "bias": jnp.zeros(width)}

    residual = 0.02 / (2 * config.layers) ** 0.5
    blocks = [
        {
            "ln_1": norm(),
            "attn": {
                "w_qkv": normal(width, 3 * width),
                "b_qkv": jnp.zeros(3 * width),
                "w_out": normal(width, width, stddev=residual),
                "b_out": jnp.zeros(width),
            },
            "ln_2": norm(),
            "mlp": {
                "w_up": normal(width, 4 * width),
                "b_up": jnp.zeros(4 * width),
                "w_down": normal(4 * width, width, stddev=residual),
                "b_down": jnp.zeros(width),
            },
        }
        for _ in range(config.layers)
    ]
    return {
        "wte": normal(config.vocabulary, width),
        "wpe": normal(config.positions, width),
        "blocks": blocks,
        "ln_f": norm(),
    }


def layer_norm(x, p, eps=1e-5):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    variance = jnp.var(x, axis=-1, keepdims=True)
    return (x - mean) / jnp.sqrt(variance + eps) * p["scale"] + p["bias"]


def attention(x, p, heads):
    batch, length, width = x.shape
    q, k, v = jnp.split(x @ p["w_qkv"] + p["b_qkv"], 3, axis=-1)
    q, k, v = (t.reshape(batch, length, heads, -1) for t in (q, k, v))
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / (width // heads) ** 0.5
    causal = jnp.tril(jnp.ones((length, length), dtype=bool))
    scores = jnp.where(causal, scores, jnp.finfo(scores.dtype).min)
    weights = jax.nn.softmax(scores, axis=-1)
    mixed = jnp.einsum("bhqk,bkhd->bqhd", weights, v)
    return mixed.reshape(batch, length, width) @ p["w_out"] + p["b_out"]


def mlp(x, p):
    return jax.nn.gelu(x @ p["w_up"] + p["b_up"]) @ p["w_down"] + p["b_down"]


def logits(params, tokens, config):
    # Weights stay in float32; the forward pass computes in config.dtype.
    params = jax.tree.map(lambda w: w.astype(config.dtype), params)
    x = params["wte"][tokens] + params["wpe"][: tokens.shape[1]]
    for p in params["blocks"]:
        x = x + attention(layer_norm(x, p["ln_1"]), p["attn"], config.heads)
        x = x + mlp(layer_norm(x, p["ln_2"]), p["mlp"])
    return layer_norm(x, params["ln_f"]) @ params["wte"].T


def loss(params, batch, config):
    """Mean cross-entropy of the next tokens."""
    scores = logits(params, batch["tokens"], config).astype(jnp.float32)
    log_probabilities = jax.nn.log_softmax(scores)
    targets = batch["targets"][..., None]
    return -jnp.mean(jnp.take_along_axis(log_probabilities, targets, axis=-1))
