# SPDX-License-Identifier: Apache-2.0
"""Models of sequences in plain JAX: state spaces, recurrences, alignments."""

import jax
import jax.numpy as jnp
import optax
from jax import lax

from parts import ZooModel, cross_entropy, dense, floats, integers, layer_norm, model


@model
def selective_state_space(draw):
    """Mamba: steps and directions that depend on the input, along an
    associative scan; a short causal convolution and a gate."""
    width, inner, states = 6, 8, 3
    params = {
        "norm": draw.norm(width),
        "in": draw.dense(width, 2 * inner),
        "short": draw.normal(3, inner),
        "step": draw.dense(inner, inner),
        "b": draw.normal(inner, states),
        "c": draw.normal(inner, states),
        "decay": draw.normal(inner, states, scale=0.3),
        "skip": draw.ones(inner),
        "out": draw.dense(inner, width),
    }

    def loss(p, batch):
        x = batch["x"]
        u, gate = jnp.split(dense(p["in"], layer_norm(p["norm"], x)), 2, -1)
        padded = jnp.pad(u, ((0, 0), (2, 0), (0, 0)))
        u = sum(padded[:, i : i + x.shape[1]] * p["short"][i] for i in range(3))
        u = jax.nn.silu(u)
        step = jax.nn.softplus(dense(p["step"], u))[..., None]
        a = jnp.exp(-step * jnp.exp(p["decay"]))
        b = step * (u @ p["b"])[:, :, None] * u[..., None]

        def combine(first, second):
            return first[0] * second[0], second[0] * first[1] + second[1]

        _, h = lax.associative_scan(combine, (a, b), axis=1)
        y = jnp.einsum("btis,bts->bti", h, u @ p["c"]) + u * p["skip"]
        y = x + dense(p["out"], y * jax.nn.silu(gate))
        return ((y[:, :-1] - x[:, 1:]) ** 2).mean()

    return ZooModel(loss, params, {"x": floats(8, 7, width)})


@model
def weighted_key_values(draw):
    """RWKV: shifted tokens, and averages whose weights decay with time, in a
    `lax.scan` that keeps their maximum apart."""
    width = 8
    names = ("r", "k", "v", "out")
    params = {name: draw.dense(width, width) for name in names}
    params["mix"] = draw.normal(3, width)
    params["decay"] = draw.normal(width)
    params["first"] = draw.normal(width)

    def loss(p, batch):
        x = batch["x"]
        before = jnp.pad(x, ((0, 0), (1, 0), (0, 0)))[:, :-1]
        mix = jax.nn.sigmoid(p["mix"])
        r, k, v = (
            dense(p[name], x * m + before * (1 - m)) for name, m in zip("rkv", mix)
        )
        decay = -jnp.exp(p["decay"])

        def step(carry, kv):
            top, bottom, largest = carry
            k, v = kv
            now = jnp.maximum(largest, p["first"] + k)
            old, new = jnp.exp(largest - now), jnp.exp(p["first"] + k - now)
            out = (old * top + new * v) / (old * bottom + new)
            then = jnp.maximum(largest + decay, k)
            old, new = jnp.exp(largest + decay - then), jnp.exp(k - then)
            return (old * top + new * v, old * bottom + new, then), out

        zeros = jnp.zeros_like(k[:, 0])
        start = (zeros, zeros, zeros - 1e4)
        _, mixed = lax.scan(step, start, (jnp.swapaxes(k, 0, 1), jnp.swapaxes(v, 0, 1)))
        y = x + dense(p["out"], jax.nn.sigmoid(r) * jnp.swapaxes(mixed, 0, 1))
        return ((y[:, :-1] - x[:, 1:]) ** 2).mean()

    return ZooModel(loss, params, {"x": floats(8, 6, width)})


@model
def alignment(draw):
    """Connectionist temporal classification (`optax.ctc_loss`)."""
    params = {"layers": [draw.dense(5, 16), draw.dense(16, 6)]}

    def loss(p, batch):
        x = jax.nn.relu(dense(p["layers"][0], batch["sound"]))
        logits = dense(p["layers"][1], x)
        none = jnp.zeros(logits.shape[:2])
        labels = batch["text"] + 1
        return optax.ctc_loss(logits, none, labels, jnp.zeros(labels.shape)).mean()

    batch = {"sound": floats(8, 7, 5), "text": integers(8, 3)}
    return ZooModel(loss, params, batch, {"text": 5})


@model
def conditional_random_field(draw):
    """The forward algorithm over a chain of tags."""
    tags = 5
    params = {
        "embed": draw.normal(17, 8, scale=1),
        "emit": draw.dense(8, tags),
        "move": draw.normal(tags, tags, scale=1),
    }

    def loss(p, batch):
        scores = dense(p["emit"], jnp.tanh(p["embed"][batch["tokens"]]))
        move, gold = p["move"], batch["tags"]

        def step(alpha, emit):
            alpha = jax.nn.logsumexp(alpha[:, :, None] + move, axis=1) + emit
            return alpha, None

        alpha, _ = lax.scan(step, scores[:, 0], jnp.swapaxes(scores[:, 1:], 0, 1))
        reached = jnp.take_along_axis(scores, gold[..., None], -1)[..., 0].sum(-1)
        reached = reached + move[gold[:, :-1], gold[:, 1:]].sum(-1)
        return (jax.nn.logsumexp(alpha, axis=-1) - reached).mean()

    batch = {"tokens": integers(8, 6), "tags": integers(8, 6)}
    return ZooModel(loss, params, batch, {"tokens": 17, "tags": tags})


@model
def random_features(draw):
    """Performer: softmax attention through positive random features."""
    width, features = 8, 12
    params = {name: draw.dense(width, width) for name in ("q", "k", "v", "out")}
    directions = draw.random.normal(size=(features, width)).astype("float32")

    def loss(p, batch):
        x = batch["x"]
        q, k, v = (dense(p[name], x) / width**0.25 for name in "qkv")

        def positive(y, axes):
            along = y @ directions.T - (y**2).sum(-1, keepdims=True) / 2
            return jnp.exp(along - lax.stop_gradient(along.max(axes, keepdims=True)))

        q, k = positive(q, -1), positive(k, (-2, -1))
        memory = jnp.einsum("btf,btd->bfd", k, v)
        y = jnp.einsum("btf,bfd->btd", q, memory)
        y = y / jnp.einsum("btf,bf->bt", q, k.sum(1))[..., None]
        return ((x + dense(p["out"], y) - batch["y"]) ** 2).mean()

    return ZooModel(loss, params, {"x": floats(8, 7, width), "y": floats(8, 7, width)})


@model
def shifted_windows(draw):
    """Swin: attention within windows that every other layer shifts, with
    biases by distance, and patches that are merged."""
    width, side, window, heads = 8, 8, 4, 2
    layer = lambda: {
        "norm": draw.norm(width),
        "qkv": draw.dense(width, 3 * width),
        "bias": draw.normal((2 * window - 1) ** 2, heads, scale=0.5),
        "out": draw.dense(width, width),
    }
    params = {
        "layers": [layer(), layer()],
        "merge": draw.dense(4 * width, 2 * width),
        "head": draw.dense(2 * width, 5),
    }
    place = jnp.arange(window)
    rows, columns = (grid.reshape(-1) for grid in jnp.meshgrid(place, place, indexing="ij"))
    distance = (rows[:, None] - rows + window - 1) * (2 * window - 1)
    distance = distance + columns[:, None] - columns + window - 1

    def attend(p, x, shift):
        n = side // window
        y = jnp.roll(layer_norm(p["norm"], x), (-shift, -shift), (1, 2))
        y = y.reshape(-1, n, window, n, window, width).transpose(0, 1, 3, 2, 4, 5)
        y = dense(p["qkv"], y.reshape(-1, n * n, window**2, width))
        q, k, v = jnp.moveaxis(y.reshape(*y.shape[:-1], 3, heads, width // heads), -3, 0)
        scores = jnp.einsum("bwqhd,bwkhd->bwhqk", q, k) / (width // heads) ** 0.5
        scores = scores + p["bias"][distance].transpose(2, 0, 1)
        y = jnp.einsum("bwhqk,bwkhd->bwqhd", jax.nn.softmax(scores), v)
        y = dense(p["out"], y.reshape(-1, n, n, window, window, width))
        y = y.transpose(0, 1, 3, 2, 4, 5).reshape(x.shape)
        return x + jnp.roll(y, (shift, shift), (1, 2))

    def loss(p, batch):
        x = batch["x"]
        for layer, shift in zip(p["layers"], (0, window // 2)):
            x = attend(layer, x, shift)
        corners = [x[:, i::2, j::2] for i in range(2) for j in range(2)]
        x = jax.nn.gelu(dense(p["merge"], jnp.concatenate(corners, -1)))
        return cross_entropy(dense(p["head"], x.mean((1, 2))), batch["label"])

    batch = {"x": floats(8, side, side, width), "label": integers(8)}
    return ZooModel(loss, params, batch, {"label": 5})


@model
def complex_rotary(draw):
    """Rotary positions as products of complex numbers, as Llama was
    published."""
    width, heads, length = 16, 2, 6
    params = {name: draw.dense(width, width) for name in ("q", "k", "v", "out")}

    def rotate(x):
        half = x.shape[-1] // 2
        angle = jnp.arange(length)[:, None] * 100.0 ** (-jnp.arange(half) / half)
        turn = lax.complex(jnp.cos(angle), jnp.sin(angle))[:, None]
        pairs = x.reshape(*x.shape[:-1], half, 2)
        turned = lax.complex(pairs[..., 0], pairs[..., 1]) * turn
        return jnp.stack([turned.real, turned.imag], -1).reshape(x.shape)

    def loss(p, batch):
        x = batch["x"]
        split = lambda y: y.reshape(*y.shape[:-1], heads, width // heads)
        q, k, v = (split(dense(p[name], x)) for name in "qkv")
        scores = jnp.einsum("bqhd,bkhd->bhqk", rotate(q), rotate(k)) / 8**0.5
        seen = jnp.tril(jnp.ones((length, length), bool))
        scores = jnp.where(seen, scores, -1e9)
        y = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v)
        y = x + dense(p["out"], y.reshape(x.shape))
        return ((y - batch["y"]) ** 2).mean()

    return ZooModel(loss, params, {"x": floats(8, length, width), "y": floats(8, length, width)})
