# SPDX-License-Identifier: Apache-2.0
"""Models of other kinds, with ops that transformers lack: sorts, the largest k,
cumulative sums, error and gamma functions."""

import jax
import jax.numpy as jnp
from jax import lax

from parts import ZooModel, conv, cross_entropy, dense, floats, integers, model


@model
def mixture(draw):
    """Every expert computes, and each sample takes the two that it prefers."""
    experts, width = 4, 12
    params = {
        "in": draw.dense(8, width),
        "router": draw.dense(width, experts),
        "up": draw.normal(experts, width, 24),
        "down": draw.normal(experts, 24, width),
        "out": draw.dense(width, 5),
    }

    def loss(p, batch):
        x = jnp.tanh(dense(p["in"], batch["x"]))
        best, chosen = lax.top_k(dense(p["router"], x), 2)
        gates = jax.nn.softmax(best)
        inner = jax.nn.relu(jnp.einsum("bd,edf->bef", x, p["up"]))
        made = jnp.einsum("bef,efd->bed", inner, p["down"])
        taken = jnp.take_along_axis(made, chosen[..., None], 1)
        x = x + (gates[..., None] * taken).sum(1)
        return cross_entropy(dense(p["out"], x), batch["label"])

    batch = {"x": floats(16, 8), "label": integers(16)}
    return ZooModel(loss, params, batch, {"label": 5})


@model
def recommender(draw):
    """Tables of embeddings and their products, as in DLRM."""
    params = {
        "tables": [draw.normal(n, 8, scale=0.3) for n in (50, 31, 20)],
        "dense": draw.dense(6, 8),
        "top": [draw.dense(8 + 6, 16), draw.dense(16, 1)],
    }

    def loss(p, batch):
        parts = [jax.nn.relu(dense(p["dense"], batch["numbers"]))]
        for i, table in enumerate(p["tables"]):
            parts.append(table[batch["words"][:, i]])
        stacked = jnp.stack(parts, 1)
        products = jnp.einsum("bnd,bmd->bnm", stacked, stacked)
        rows, columns = jnp.triu_indices(4, 1)
        x = jnp.concatenate([parts[0], products[:, rows, columns]], -1)
        logit = dense(p["top"][1], jax.nn.relu(dense(p["top"][0], x)))[:, 0]
        return (jax.nn.softplus(logit) - logit * batch["clicked"]).mean()

    batch = {"numbers": floats(16, 6), "words": integers(16, 3), "clicked": floats(16)}
    return ZooModel(loss, params, batch, {"words": 20})


@model
def text_classifier(draw):
    """Convolutions over words of three widths, the maximum over time, exact
    GELU."""
    params = {
        "words": draw.normal(40, 8, scale=0.5),
        "widths": [draw.conv(n, 8, 6) for n in (2, 3, 4)],
        "out": draw.dense(18, 5),
    }

    def loss(p, batch):
        x = p["words"][batch["word"]]
        features = [conv(layer, x, padding="VALID").max(1) for layer in p["widths"]]
        x = jax.nn.gelu(jnp.concatenate(features, -1), approximate=False)
        return cross_entropy(dense(p["out"], x), batch["label"])

    batch = {"word": integers(8, 12), "label": integers(8)}
    return ZooModel(loss, params, batch, {"word": 40, "label": 5})


@model
def linear_attention(draw):
    """States that are summed up over time, and a decay that is multiplied up."""
    width = 6
    params = {name: draw.dense(width, width) for name in ("q", "k", "v", "decay", "out")}

    def loss(p, batch):
        x = batch["x"]
        q, k = (jax.nn.softplus(dense(p[name], x)) for name in "qk")
        v = dense(p["v"], x)
        decay = jax.nn.sigmoid(dense(p["decay"], x) + 2)
        kept = jnp.cumprod(decay, 1)
        states = jnp.cumsum(k[..., None] * v[:, :, None] / kept[..., None], 1)
        mixed = jnp.einsum("btd,btde->bte", q * kept, states)
        y = dense(p["out"], mixed / (1 + jnp.cumsum(k, 1).sum(-1, keepdims=True)))
        return ((y[:, :-1] - x[:, 1:]) ** 2).mean()

    return ZooModel(loss, params, {"x": floats(8, 9, width)})


@model
def sliced_distance(draw):
    """A generator whose samples are sorted along random directions and compared
    with sorted data."""
    params = {"layers": [draw.dense(4, 16), draw.dense(16, 3)]}

    def loss(p, batch):
        x = jnp.tanh(dense(p["layers"][0], batch["noise"]))
        x = dense(p["layers"][1], x)
        along = lambda points: jnp.sort(points @ batch["directions"], axis=1)
        return ((along(x) - along(batch["points"])) ** 2).mean()

    batch = {
        "noise": floats(8, 11, 4),
        "points": floats(8, 11, 3),
        "directions": floats(8, 3, 5),
    }
    return ZooModel(loss, params, batch)


@model
def gaussian_autoencoder(draw):
    """Noise from uniform numbers through the inverse error function, and a
    likelihood of counts with log gamma."""
    params = {
        "encoder": draw.dense(10, 16),
        "mean": draw.dense(16, 4),
        "spread": draw.dense(16, 4),
        "decoder": [draw.dense(4, 16), draw.dense(16, 10)],
    }

    def loss(p, batch):
        counts = jnp.floor(3 * batch["x"] ** 2)
        x = jax.nn.elu(dense(p["encoder"], jnp.arcsinh(counts)))
        mean, spread = dense(p["mean"], x), dense(p["spread"], x)
        uniform = jnp.tanh(batch["noise"]) * 0.99
        z = mean + jnp.exp(spread / 2) * jnp.sqrt(2.0) * lax.erf_inv(uniform)
        z = jax.nn.elu(dense(p["decoder"][0], z))
        rate = 2 * jnp.tanh(dense(p["decoder"][1], z))
        likelihood = counts * rate - jnp.exp(rate) - lax.lgamma(counts + 1)
        prior = (jnp.exp(spread) + mean**2 - 1 - spread) / 2
        return prior.sum(-1).mean() - likelihood.sum(-1).mean()

    return ZooModel(loss, params, {"x": floats(8, 10), "noise": floats(8, 4)})
