# SPDX-License-Identifier: Apache-2.0
"""Graphs, points, fields, tables and diffusion in plain JAX."""

import jax
import jax.numpy as jnp
from jax import lax

from parts import (
    ZooModel,
    conv,
    cross_entropy,
    dense,
    floats,
    group_norm,
    integers,
    layer_norm,
    mlp,
    model,
    upsample,
)


@model
def message_passing(draw):
    """Edges of all graphs of a batch in one list: gathers and segment sums
    across samples, features of edges."""
    nodes, edges, width = 12, 30, 8
    params = {
        "embed": draw.normal(5, width, scale=1),
        "edge": [draw.dense(2 * width + 1, 16), draw.dense(16, width)],
        "node": [draw.dense(2 * width, 16), draw.dense(16, width)],
        "head": draw.dense(width, 1),
    }

    def loss(p, batch):
        def one(kinds, where, ends):
            x = p["embed"][kinds]
            for _ in range(2):
                pair = jnp.concatenate([x[ends[0]], x[ends[1]]], -1)
                gap = ((where[ends[0]] - where[ends[1]]) ** 2).sum(-1, keepdims=True)
                message = mlp(p["edge"], jnp.concatenate([pair, gap], -1), jax.nn.silu)
                got = jnp.zeros_like(x).at[ends[1]].add(message) / 4
                x = x + mlp(p["node"], jnp.concatenate([x, got], -1), jax.nn.silu)
            return dense(p["head"], x).sum()

        found = jax.vmap(one)(batch["kinds"], batch["where"], batch["ends"])
        return jnp.abs(found / nodes - batch["energy"]).mean()

    batch = {
        "kinds": integers(8, nodes),
        "where": floats(8, nodes, 3),
        "ends": integers(8, 2, edges),
        "energy": floats(8),
    }
    return ZooModel(loss, params, batch, {"kinds": 5, "ends": nodes})


@model
def point_cloud(draw):
    """PointNet with a learned frame, features of the nearest neighbours
    (`top_k` of distances, gathers), maximum over points."""
    points, near = 10, 3
    params = {
        "frame": [draw.dense(3, 12), draw.dense(12, 9)],
        "pairs": [draw.dense(6, 12), draw.dense(12, 16)],
        "head": [draw.dense(16, 12), draw.dense(12, 4)],
    }

    def loss(p, batch):
        x = batch["points"]
        frame = mlp(p["frame"], x).max(1).reshape(-1, 3, 3)
        x = x @ (frame + jnp.eye(3))
        gaps = ((x[:, :, None] - x[:, None]) ** 2).sum(-1)
        _, places = lax.top_k(-lax.stop_gradient(gaps), near)
        others = jax.vmap(lambda x, i: x[i])(x, places)
        here = jnp.broadcast_to(x[:, :, None], others.shape)
        pairs = jnp.concatenate([here, others - here], -1)
        features = mlp(p["pairs"], pairs, jax.nn.leaky_relu).max((1, 2))
        return cross_entropy(mlp(p["head"], features), batch["label"])

    batch = {"points": floats(8, points, 3), "label": integers(8)}
    return ZooModel(loss, params, batch, {"label": 4})


@model
def radiance_field(draw):
    """NeRF: sines of positions, densities along rays, light that is left."""
    params = {
        "layers": [draw.dense(24, 16), draw.dense(16, 16)],
        "density": draw.dense(16, 1),
        "color": [draw.dense(19, 12), draw.dense(12, 3)],
    }

    def loss(p, batch):
        depth = jnp.linspace(0.1, 1.0, 6)
        way = batch["way"] / jnp.linalg.norm(batch["way"], axis=-1, keepdims=True)
        where = batch["eye"][:, None] + depth[:, None] * way[:, None]
        waves = where[..., None] * 2.0 ** jnp.arange(4)
        waves = jnp.concatenate([jnp.sin(waves), jnp.cos(waves)], -1)
        x = jax.nn.relu(mlp(p["layers"], waves.reshape(*where.shape[:2], -1)))
        density = jax.nn.softplus(dense(p["density"], x)[..., 0])
        toward = jnp.broadcast_to(way[:, None], where.shape)
        color = jax.nn.sigmoid(mlp(p["color"], jnp.concatenate([x, toward], -1)))
        stopped = 1 - jnp.exp(-density * 0.18)
        left = jnp.cumprod(1 - stopped + 1e-6, axis=1)
        left = jnp.concatenate([jnp.ones_like(left[:, :1]), left[:, :-1]], 1)
        seen = ((stopped * left)[..., None] * color).sum(1)
        return ((seen - jax.nn.sigmoid(batch["color"])) ** 2).mean()

    batch = {"eye": floats(8, 3), "way": floats(8, 3), "color": floats(8, 3)}
    return ZooModel(loss, params, batch)


@model
def diffusion(draw):
    """A denoiser: embedding of time, a U-Net with attention, noise levels from
    a table, gradients through group norms."""
    width = 8
    block = lambda a, b: {
        "norm": draw.norm(a),
        "conv": draw.conv(3, 3, a, b),
        "time": draw.dense(16, b),
    }
    params = {
        "time": [draw.dense(16, 16), draw.dense(16, 16)],
        "in": draw.conv(3, 3, 2, width),
        "down": block(width, 2 * width),
        "attention": draw.dense(2 * width, 6 * width),
        "up": draw.conv(3, 3, 2 * width, width),
        "out": block(2 * width, width),
        "last": draw.conv(3, 3, width, 2),
    }

    def apply(p, x, time, stride=1):
        x = conv(p["conv"], jax.nn.silu(group_norm(p["norm"], x, 4)), stride)
        return x + dense(p["time"], time)[:, None, None]

    def loss(p, batch):
        levels = jnp.cumprod(1 - jnp.linspace(1e-4, 0.02, 50))
        level = levels[batch["time"]][:, None, None, None]
        x = jnp.sqrt(level) * batch["image"] + jnp.sqrt(1 - level) * batch["noise"]
        angle = batch["time"][:, None] * jnp.exp(-jnp.arange(8) * 0.5)
        time = jnp.concatenate([jnp.sin(angle), jnp.cos(angle)], -1)
        time = mlp(p["time"], time, jax.nn.silu)
        first = conv(p["in"], x)
        y = apply(p["down"], first, time, 2)
        flat = y.reshape(y.shape[0], -1, y.shape[-1])
        q, k, v = jnp.split(dense(p["attention"], flat), 3, -1)
        weights = jax.nn.softmax(q @ jnp.swapaxes(k, 1, 2) / y.shape[-1] ** 0.5)
        y = y + (weights @ v).reshape(y.shape)
        y = jnp.concatenate([upsample(p["up"], y), first], -1)
        y = conv(p["last"], jax.nn.silu(apply(p["out"], y, time)))
        return ((y - batch["noise"]) ** 2).mean()

    picture = floats(8, 8, 8, 2)
    batch = {"image": picture, "noise": picture, "time": integers(8)}
    return ZooModel(loss, params, batch, {"time": 50})


@model
def deep_recommender(draw):
    """DLRM and cross layers: tables with several words per sample that are
    summed, products of all pairs, a log loss."""
    tables, width = 4, 8
    params = {
        "tables": [draw.normal(20 + i, width, scale=1) for i in range(tables)],
        "bottom": [draw.dense(5, 16), draw.dense(16, width)],
        "cross": [draw.dense((tables + 1) * width, (tables + 1) * width) for _ in range(2)],
        "top": [draw.dense((tables + 1) * width + 10, 16), draw.dense(16, 1)],
    }

    def loss(p, batch):
        words = batch["words"]
        parts = [table[words[:, i]].sum(1) for i, table in enumerate(p["tables"])]
        parts.append(jax.nn.relu(mlp(p["bottom"], batch["numbers"])))
        x = jnp.stack(parts, 1)
        pairs = jnp.einsum("bid,bjd->bij", x, x)
        pairs = pairs[:, *jnp.triu_indices(tables + 1, 1)]
        flat = first = x.reshape(x.shape[0], -1)
        for layer in p["cross"]:
            flat = first * dense(layer, flat) / 8 + flat
        logit = mlp(p["top"], jnp.concatenate([flat, pairs], -1) / 8)[:, 0]
        label = batch["label"].astype(logit.dtype)
        return (jax.nn.softplus(logit) - label * logit).mean()

    batch = {"words": integers(8, tables, 3), "numbers": floats(8, 5), "label": integers(8)}
    return ZooModel(loss, params, batch, {"words": 20, "label": 2})


@model
def word_vectors(draw):
    """Skip-grams with negative samples: two tables, gathers and their
    scatters alone."""
    params = {"in": draw.normal(40, 8, scale=1), "out": draw.normal(40, 8, scale=1)}

    def loss(p, batch):
        word = p["in"][batch["word"]]
        right = (word * p["out"][batch["context"]]).sum(-1)
        wrong = jnp.einsum("bd,bnd->bn", word, p["out"][batch["others"]])
        return -(jax.nn.log_sigmoid(right) + jax.nn.log_sigmoid(-wrong).sum(-1)).mean()

    batch = {"word": integers(8), "context": integers(8), "others": integers(8, 5)}
    return ZooModel(loss, params, batch, {"word": 40, "context": 40, "others": 40})


@model
def quantized(draw):
    """VQ-VAE: nearest rows of a table, straight-through gradients, an
    exponential moving commitment."""
    params = {
        "encoder": [draw.dense(8, 16), draw.dense(16, 6)],
        "codes": draw.normal(12, 6, scale=1),
        "decoder": [draw.dense(6, 16), draw.dense(16, 8)],
    }

    def loss(p, batch):
        z = mlp(p["encoder"], batch["x"])
        gaps = ((z[:, None] - p["codes"]) ** 2).sum(-1)
        code = p["codes"][jnp.argmin(gaps, -1)]
        passed = z + lax.stop_gradient(code - z)
        found = mlp(p["decoder"], passed)
        keep = ((lax.stop_gradient(code) - z) ** 2).mean()
        move = ((code - lax.stop_gradient(z)) ** 2).mean()
        return ((found - batch["x"]) ** 2).mean() + move + 0.25 * keep

    return ZooModel(loss, params, {"x": floats(8, 8)})


@model
def splines(draw):
    """A Kolmogorov–Arnold network: sums of learned B-splines."""
    grid, order = 5, 2

    def basis(x):
        knots = jnp.linspace(-2.0, 2.0, grid + 2 * order + 1)
        x = x[..., None]
        values = ((x >= knots[:-1]) & (x < knots[1:])).astype(x.dtype)
        for k in range(1, order + 1):
            left = (x - knots[: -k - 1]) / (knots[k:-1] - knots[: -k - 1])
            right = (knots[k + 1 :] - x) / (knots[k + 1 :] - knots[1:-k])
            values = left * values[..., :-1] + right * values[..., 1:]
        return values

    layer = lambda a, b: {
        "base": draw.normal(a, b),
        "spline": draw.normal(a, grid + order, b, scale=0.5),
    }
    params = [layer(4, 6), layer(6, 1)]

    def loss(p, batch):
        x = batch["x"]
        for each in p:
            x = jax.nn.silu(x) @ each["base"] + jnp.einsum(
                "big,igo->bo", basis(x), each["spline"]
            )
        return ((x[:, 0] - batch["y"]) ** 2).mean()

    return ZooModel(loss, params, {"x": floats(8, 4), "y": floats(8)})


@model
def sets(draw):
    """Set transformer: attention from learned seeds, padding that is masked."""
    width, items = 8, 7
    part = lambda: {name: draw.dense(width, width) for name in ("q", "k", "v", "out")}
    params = {
        "embed": draw.dense(3, width),
        "self": part(),
        "pool": part(),
        "seeds": draw.normal(2, width, scale=1),
        "norm": draw.norm(width),
        "head": draw.dense(2 * width, 4),
    }

    def attend(p, to, of, mask):
        q, k, v = dense(p["q"], to), dense(p["k"], of), dense(p["v"], of)
        scores = jnp.einsum("bqd,bkd->bqk", q, k) / width**0.5
        scores = jnp.where(mask[:, None], scores, jnp.finfo(scores.dtype).min)
        return dense(p["out"], jax.nn.softmax(scores) @ v)

    def loss(p, batch):
        mask = jnp.arange(items) <= batch["last"][:, None]
        x = dense(p["embed"], batch["items"])
        x = layer_norm(p["norm"], x + attend(p["self"], x, x, mask))
        seeds = jnp.broadcast_to(p["seeds"], (x.shape[0], 2, width))
        pooled = seeds + attend(p["pool"], seeds, x, mask)
        return cross_entropy(dense(p["head"], pooled.reshape(-1, 2 * width)), batch["label"])

    batch = {"items": floats(8, items, 3), "last": integers(8), "label": integers(8)}
    return ZooModel(loss, params, batch, {"last": items, "label": 4})


@model
def spectral(draw):
    """A Fourier neural operator: products of complex weights with the lowest
    frequencies of `rfft`."""
    width, points, modes = 4, 12, 3
    params = {
        "lift": draw.dense(1, width),
        "real": draw.normal(modes, width, width),
        "imaginary": draw.normal(modes, width, width),
        "local": draw.dense(width, width),
        "out": draw.dense(width, 1),
    }

    def loss(p, batch):
        x = dense(p["lift"], batch["x"][..., None])
        waves = jnp.fft.rfft(x, axis=1)[:, :modes]
        weights = lax.complex(p["real"], p["imaginary"])
        waves = jnp.einsum("bki,kio->bko", waves, weights)
        waves = jnp.pad(waves, ((0, 0), (0, points // 2 + 1 - modes), (0, 0)))
        x = jax.nn.gelu(jnp.fft.irfft(waves, n=points, axis=1) + dense(p["local"], x))
        return ((dense(p["out"], x)[..., 0] - batch["y"]) ** 2).mean()

    return ZooModel(loss, params, {"x": floats(8, points), "y": floats(8, points)})


@model
def gaussian_process(draw):
    """A deep kernel: the marginal likelihood by Cholesky's factor."""
    points = 6
    params = {"layers": [draw.dense(3, 8), draw.dense(8, 2)], "noise": draw.zeros()}

    def one(p, x, y):
        z = mlp(p["layers"], x, jnp.tanh)
        gaps = ((z[:, None] - z) ** 2).sum(-1)
        kernel = jnp.exp(-gaps / 2) + (0.1 + jnp.exp(p["noise"])) * jnp.eye(points)
        factor = jnp.linalg.cholesky(kernel)
        white = jax.scipy.linalg.solve_triangular(factor, y, lower=True)
        return (white**2).sum() / 2 + jnp.log(jnp.diagonal(factor)).sum()

    def loss(p, batch):
        return jax.vmap(one, (None, 0, 0))(p, batch["x"], batch["y"]).mean()

    return ZooModel(loss, params, {"x": floats(8, points, 3), "y": floats(8, points)})
