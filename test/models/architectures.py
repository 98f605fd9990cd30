# SPDX-License-Identifier: Apache-2.0
"""Kinds of model that are no chain of equal layers, each in a few lines of JAX.

They have what makes layouts many: widths that double, skip connections, states
that go from step to step, dozens of tables beside each other, neighbours and
windows. Sizes are those of the papers where that is cheap to trace; weights are
never made.

    python architectures.py resnet50-group resnet50-group.mlir
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
from jax import lax

# ruff: noqa: E741


class Weights:
    """Names weights where they are used: once to list them, then to find them."""

    def __init__(self, values=None):
        self.values = {} if values is None else values
        self.lists = values is None

    def __call__(self, name, *shape):
        if self.lists:
            assert self.values.get(name, jnp.empty(0)).shape in ((0,), shape), name
            self.values[name] = jax.ShapeDtypeStruct(shape, jnp.float32)
            return jnp.zeros(shape)
        return self.values[name]


def dense(w, name, x, width):
    return x @ w(f"{name}.w", x.shape[-1], width) + w(f"{name}.b", width)


def conv(w, name, x, width, size=3, stride=1, groups=1):
    kernel = w(name, size, size, x.shape[-1] // groups, width)
    return lax.conv_general_dilated(
        x, kernel, (stride, stride), "SAME",
        dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=groups,
    )  # fmt: skip


def normalised(w, name, x, axes, epsilon=1e-5):
    mean = x.mean(axes, keepdims=True)
    variance = ((x - mean) ** 2).mean(axes, keepdims=True)
    x = (x - mean) * lax.rsqrt(variance + epsilon)
    return x * w(f"{name}.scale", x.shape[-1]) + w(f"{name}.bias", x.shape[-1])


def batch_norm(w, name, x):
    return normalised(w, name, x, (0, 1, 2))


def group_norm(w, name, x, groups=8):
    n, h, k, c = x.shape
    x = x.reshape(n, h, k, groups, c // groups)
    mean = x.mean((1, 2, 4), keepdims=True)
    variance = ((x - mean) ** 2).mean((1, 2, 4), keepdims=True)
    x = ((x - mean) * lax.rsqrt(variance + 1e-5)).reshape(n, h, k, c)
    return x * w(f"{name}.scale", c) + w(f"{name}.bias", c)


def layer_norm(w, name, x):
    return normalised(w, name, x, -1)


def cross_entropy(logits, labels):
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], -1).mean()


def relu(x):
    return jnp.maximum(x, 0)


def resnet(w, batch, stages, bottleneck, norm):
    x = relu(norm(w, "stem.norm", conv(w, "stem", batch["image"], 64, 7, 2)))
    x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
    for stage, blocks in enumerate(stages):
        for block in range(blocks):
            name, width = f"s{stage}.b{block}", 64 * 2**stage
            stride = 2 if stage and not block else 1
            sizes = [(1, 1), (3, stride), (1, 1)] if bottleneck else [(3, stride), (3, 1)]
            out = width * (4 if bottleneck else 1)
            y = x
            for i, (size, step) in enumerate(sizes):
                last = i + 1 == len(sizes)
                y = conv(w, f"{name}.c{i}", y, out if last else width, size, step)
                y = norm(w, f"{name}.n{i}", y)
                y = y if last else relu(y)
            if x.shape != y.shape:
                x = norm(w, f"{name}.np", conv(w, f"{name}.cp", x, out, 1, stride))
            x = relu(x + y)
    return cross_entropy(dense(w, "head", x.mean((1, 2)), 1000), batch["label"])


def unet(w, batch, width=32, depth=4):
    def twice(name, x, c):
        for i in range(2):
            x = relu(group_norm(w, f"{name}.n{i}", conv(w, f"{name}.c{i}", x, c)))
        return x

    x, skips = batch["image"], []
    for level in range(depth):
        x = twice(f"down{level}", x, width * 2**level)
        skips.append(x)
        x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "SAME")
    x = twice("bottom", x, width * 2**depth)
    for level in reversed(range(depth)):
        x = x.repeat(2, 1).repeat(2, 2)
        x = jnp.concatenate([conv(w, f"up{level}", x, width * 2**level, 2), skips[level]], -1)
        x = twice(f"up{level}", x, width * 2**level)
    return cross_entropy(conv(w, "out", x, 4, 1), batch["label"])


def convnext(w, batch, depths=(3, 3, 9, 3), widths=(96, 192, 384, 768)):
    x = layer_norm(w, "stem.norm", conv(w, "stem", batch["image"], widths[0], 4, 4))
    for stage, (depth, width) in enumerate(zip(depths, widths, strict=True)):
        if stage:
            x = layer_norm(w, f"s{stage}.norm", x)
            x = conv(w, f"s{stage}.down", x, width, 2, 2)
        for block in range(depth):
            name = f"s{stage}.b{block}"
            y = conv(w, f"{name}.depthwise", x, width, 7, groups=width)
            y = layer_norm(w, f"{name}.norm", y)
            y = dense(w, f"{name}.out", jax.nn.gelu(dense(w, f"{name}.in", y, 4 * width)), width)
            x = x + y * w(f"{name}.scale", width)
    return cross_entropy(dense(w, "head", x.mean((1, 2)), 1000), batch["label"])


def swin(w, batch, depths=(2, 2, 6, 2), width=96, window=7):
    x = layer_norm(w, "stem.norm", conv(w, "stem", batch["image"], width, 4, 4))
    for stage, depth in enumerate(depths):
        if stage:
            n, h, k, c = x.shape
            x = x.reshape(n, h // 2, 2, k // 2, 2, c).transpose(0, 1, 3, 2, 4, 5)
            x = layer_norm(w, f"s{stage}.norm", x.reshape(n, h // 2, k // 2, 4 * c))
            x = x @ w(f"s{stage}.merge", 4 * c, 2 * c)
        for block in range(depth):
            name = f"s{stage}.b{block}"
            n, h, k, c = x.shape
            heads = c // 32
            y = layer_norm(w, f"{name}.n1", x)
            if block % 2:
                y = jnp.roll(y, (-(window // 2),) * 2, (1, 2))
            y = y.reshape(n, h // window, window, k // window, window, c)
            y = y.transpose(0, 1, 3, 2, 4, 5).reshape(-1, window**2, c)
            qkv = dense(w, f"{name}.qkv", y, 3 * c).reshape(-1, window**2, 3, heads, 32)
            q, key, v = (qkv[:, :, i] for i in range(3))
            a = jnp.einsum("bqhd,bkhd->bhqk", q, key) / 32**0.5
            a = a + w(f"{name}.position", heads, window**2, window**2)
            y = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(a), v)
            y = dense(w, f"{name}.out", y.reshape(-1, window**2, c), c)
            y = y.reshape(n, h // window, k // window, window, window, c)
            y = y.transpose(0, 1, 3, 2, 4, 5).reshape(n, h, k, c)
            if block % 2:
                y = jnp.roll(y, (window // 2,) * 2, (1, 2))
            x = x + y
            y = jax.nn.gelu(dense(w, f"{name}.in", layer_norm(w, f"{name}.n2", x), 4 * c))
            x = x + dense(w, f"{name}.mlp", y, c)
    x = layer_norm(w, "norm", x).mean((1, 2))
    return cross_entropy(dense(w, "head", x, 1000), batch["label"])


def vit(w, batch, depth=12, width=192, heads=3, patch=16):
    x = conv(w, "patches", batch["image"], width, patch, patch)
    x = x.reshape(x.shape[0], -1, width)
    token = jnp.broadcast_to(w("token", width), (x.shape[0], 1, width))
    x = jnp.concatenate([token, x], 1)
    x = x + w("positions", x.shape[1], width)
    for block in range(depth):
        name = f"b{block}"
        qkv = dense(w, f"{name}.qkv", layer_norm(w, f"{name}.n1", x), 3 * width)
        q, k, v = jnp.moveaxis(qkv.reshape(*x.shape[:2], 3, heads, width // heads), 2, 0)
        a = jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k) / (width // heads) ** 0.5)
        y = jnp.einsum("bhqk,bkhd->bqhd", a, v).reshape(x.shape)
        x = x + dense(w, f"{name}.out", y, width)
        y = jax.nn.gelu(dense(w, f"{name}.in", layer_norm(w, f"{name}.n2", x), 4 * width))
        x = x + dense(w, f"{name}.mlp", y, width)
    return cross_entropy(dense(w, "head", layer_norm(w, "norm", x[:, 0]), 1000), batch["label"])


def mixture(w, batch, depth=4, width=256, inner=512, experts=8, chosen=2, vocabulary=8000):
    """Each layer a mixture of experts: rows sorted by expert, in ragged products."""
    x = w("embedding", vocabulary, width)[batch["tokens"]].reshape(-1, width)
    for block in range(depth):
        name = f"b{block}"
        y = layer_norm(w, f"{name}.norm", x)
        scores = jax.nn.softmax(y @ w(f"{name}.router", width, experts))
        weights, picks = lax.top_k(scores, chosen)
        flat = picks.reshape(-1)
        order = jnp.argsort(flat)
        rows = y[order // chosen]
        sizes = jnp.bincount(flat, length=experts)
        gate = lax.ragged_dot(rows, w(f"{name}.gate", experts, width, inner), sizes)
        up = lax.ragged_dot(rows, w(f"{name}.up", experts, width, inner), sizes)
        down = w(f"{name}.down", experts, inner, width)
        made = lax.ragged_dot(jax.nn.silu(gate) * up, down, sizes)
        made = made * weights.reshape(-1)[order][:, None]
        x = x + jnp.zeros_like(x).at[order // chosen].add(made)
    return cross_entropy(dense(w, "head", x, vocabulary), batch["targets"].reshape(-1))


def lstm(w, batch, steps=32, width=512, vocabulary=8000):
    words = w("embedding", vocabulary, width)[batch["tokens"]]
    h = c = jnp.zeros((words.shape[0], width))
    outputs = []
    for step in range(steps):
        gates = words[:, step] @ w("wx", width, 4 * width) + h @ w("wh", width, 4 * width)
        i, f, g, o = jnp.split(gates + w("b", 4 * width), 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        outputs.append(h)
    return cross_entropy(dense(w, "head", jnp.stack(outputs, 1), vocabulary), batch["targets"])


def dlrm(w, batch, tables=26, rows=100_000, width=64):
    x = batch["dense"]
    for i, out in enumerate((512, 256, width)):
        x = relu(dense(w, f"bottom{i}", x, out))
    vectors = [x] + [
        w(f"table{i}", rows, width)[batch["sparse"][:, i]] for i in range(tables)
    ]
    stacked = jnp.stack(vectors, 1)
    pairs = jnp.einsum("bid,bjd->bij", stacked, stacked)
    x = jnp.concatenate([x, pairs.reshape(x.shape[0], -1)], -1)
    for i, out in enumerate((1024, 512, 256)):
        x = relu(dense(w, f"top{i}", x, out))
    logit = dense(w, "out", x, 1)[:, 0]
    return jnp.mean(jnp.logaddexp(0, logit) - batch["click"] * logit)


def gat(w, batch, layers=3, heads=4, width=64):
    x = batch["nodes"]
    for layer in range(layers):
        h = jnp.einsum("bnf,fhd->bnhd", x, w(f"l{layer}.w", x.shape[-1], heads, width))
        source = jnp.einsum("bnhd,hd->bnh", h, w(f"l{layer}.source", heads, width))
        target = jnp.einsum("bnhd,hd->bnh", h, w(f"l{layer}.target", heads, width))
        score = source[:, :, None] + target[:, None]
        score = jnp.where(score > 0, score, 0.2 * score)
        score = jnp.where(batch["edges"][..., None] > 0, score, -1e9)
        h = jnp.einsum("bnmh,bmhd->bnhd", jax.nn.softmax(score, 2), h)
        x = jnp.where(h > 0, h, jnp.expm1(h)).reshape(*x.shape[:2], heads * width)
    return cross_entropy(dense(w, "head", x.mean(1), 10), batch["label"])


def mamba(w, batch, layers=2, width=256, state=16, vocabulary=8000):
    x = w("embedding", vocabulary, width)[batch["tokens"]]
    for layer in range(layers):
        name, inner = f"l{layer}", 2 * width
        y = dense(w, f"{name}.in", layer_norm(w, f"{name}.norm", x), 2 * inner)
        u, gate = jnp.split(y, 2, -1)
        taps = w(f"{name}.conv", 4, inner)
        padded = jnp.pad(u, ((0, 0), (3, 0), (0, 0)))
        u = jax.nn.silu(sum(padded[:, i : i + u.shape[1]] * taps[i] for i in range(4)))
        step = jax.nn.softplus(dense(w, f"{name}.step", u, inner))
        b, c = (u @ w(f"{name}.{n}", inner, state) for n in "bc")
        decay = jnp.exp(-step[..., None] * jnp.exp(w(f"{name}.a", inner, state)))
        value = (step * u)[..., None] * b[:, :, None]
        # Each position takes what those 1, 2, 4, … before it have gathered.
        shift = 1
        while shift < u.shape[1]:
            pad = ((0, 0), (shift, 0), (0, 0), (0, 0))
            value = value + decay * jnp.pad(value[:, :-shift], pad)
            decay = decay * jnp.pad(decay[:, :-shift], pad, constant_values=1)
            shift *= 2
        y = (value * c[:, :, None]).sum(-1) + u * w(f"{name}.d", inner)
        x = x + dense(w, f"{name}.out", y * jax.nn.silu(gate), width)
    return cross_entropy(dense(w, "head", x, vocabulary), batch["targets"])


def pyramid(w, batch, levels=6, width=32):
    x = batch["features"]
    for level in range(levels):
        out = width * 2**level
        y = layer_norm(w, f"l{level}.norm", dense(w, f"l{level}.in", x, out))
        x = dense(w, f"l{level}.skip", x, out) + dense(w, f"l{level}.out", relu(y), out)
    return cross_entropy(dense(w, "head", x, 1000), batch["label"])


def images(samples, size):
    return lambda: {
        "image": jax.ShapeDtypeStruct((samples, size, size, 3), jnp.float32),
        "label": jax.ShapeDtypeStruct((samples,), jnp.int32),
    }


def masks(samples, size):
    return lambda: {
        "image": jax.ShapeDtypeStruct((samples, size, size, 3), jnp.float32),
        "label": jax.ShapeDtypeStruct((samples, size, size), jnp.int32),
    }


def texts(samples, length):
    return lambda: dict.fromkeys(
        ("tokens", "targets"), jax.ShapeDtypeStruct((samples, length), jnp.int32)
    )


def clicks(samples):
    return lambda: {
        "dense": jax.ShapeDtypeStruct((samples, 13), jnp.float32),
        "sparse": jax.ShapeDtypeStruct((samples, 26), jnp.int32),
        "click": jax.ShapeDtypeStruct((samples,), jnp.float32),
    }


def graphs(samples, nodes, features):
    return lambda: {
        "nodes": jax.ShapeDtypeStruct((samples, nodes, features), jnp.float32),
        "edges": jax.ShapeDtypeStruct((samples, nodes, nodes), jnp.float32),
        "label": jax.ShapeDtypeStruct((samples,), jnp.int32),
    }


def vectors(samples, width):
    return lambda: {
        "features": jax.ShapeDtypeStruct((samples, width), jnp.float32),
        "label": jax.ShapeDtypeStruct((samples,), jnp.int32),
    }


@dataclass(frozen=True)
class Architecture:
    forward: Callable
    batch: Callable

    def params(self):
        weights = Weights()
        jax.eval_shape(lambda batch: self.forward(weights, batch), self.batch())
        return weights.values

    def loss(self, params, batch):
        return self.forward(Weights(params), batch)


R18, R50, R152 = (2, 2, 2, 2), (3, 4, 6, 3), (3, 8, 36, 3)
ARCHITECTURES = {
    f"resnet{depth}-{name}": Architecture(
        partial(resnet, stages=stages, bottleneck=depth > 18, norm=norm), images(64, 224)
    )
    for depth, stages in ((18, R18), (50, R50), (152, R152))
    for name, norm in (("batch", batch_norm), ("group", group_norm))
} | {
    "unet": Architecture(unet, masks(64, 128)),
    "convnext": Architecture(convnext, images(64, 224)),
    "swin": Architecture(swin, images(64, 224)),
    "lstm": Architecture(lstm, texts(64, 32)),
    "dlrm": Architecture(dlrm, clicks(4096)),
    "gat": Architecture(gat, graphs(64, 128, 64)),
    "mamba": Architecture(mamba, texts(64, 64)),
    "pyramid": Architecture(pyramid, vectors(512, 64)),
}


# In sizes that a processor trains.
ON_PROCESSORS = {
    "resnet50": Architecture(
        partial(resnet, stages=R50, bottleneck=True, norm=batch_norm), images(16, 224)
    ),
    "vit-ti": Architecture(vit, images(16, 224)),
    "mixture": Architecture(mixture, texts(8, 128)),
}


# As large as they are trained: too large for weights to be made here.
REAL_SIZES = {
    "resnet152": ARCHITECTURES["resnet152-batch"],
    "vit-h": Architecture(
        partial(vit, depth=32, width=1280, heads=16, patch=14), images(256, 224)
    ),
    "dlrm-ten-million": Architecture(partial(dlrm, rows=10_000_000), clicks(65536)),
}


def export(name, path):
    from shardsmith.jax import export_loss

    model = (ARCHITECTURES | ON_PROCESSORS | REAL_SIZES)[name]
    export_loss(model.loss, model.params(), model.batch(), path, name=name)


def main():
    name, path = sys.argv[1:]
    export(name, Path(path))


if __name__ == "__main__":
    main()
