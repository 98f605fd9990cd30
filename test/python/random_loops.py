# SPDX-License-Identifier: Apache-2.0
"""Random scans over samples, as losses of JAX: values of several shapes go
around, in some order, next to an integer that counts; elements are taken from
the front or from the back; some scans have scans inside."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


@dataclass
class Model:
    loss: object
    params: dict
    batch: dict
    limits: None = None


BATCH = 8


def random_loop(seed):
    """A model whose loss goes through a scan, and what is drawn in it."""
    rng = np.random.default_rng(seed)
    width = int(rng.choice([4, 8]))
    count = int(rng.integers(2, 7))
    carries = int(rng.integers(1, 4))
    draw = dict(
        nested=bool(rng.random() < 0.35),
        reverse=bool(rng.random() < 0.3),
        layers=bool(rng.random() < 0.5),
        integer=bool(rng.random() < 0.4),
        swap=bool(rng.random() < 0.4),
        checkpoint=bool(rng.random() < 0.3),
        finals=bool(rng.random() < 0.7),
        outputs=bool(rng.random() < 0.7),
        parameter_start=bool(rng.random() < 0.3),
    )
    draw["finals"] |= not draw["outputs"]

    def normal(*shape):
        return rng.normal(0, 0.5, shape).astype(np.float32)

    params = {
        "mix": normal(width, width),
        "bias": normal(width),
        "start": normal(width),
        "layers": normal(count, width, width),
        "inner": normal(3, width),
    }
    batch = {"x": normal(BATCH, count, width), "y": normal(BATCH, width)}

    def inner(value, p):
        def step(state, row):
            state = jnp.tanh(state * row + p["bias"])
            return state, state.sum(-1)

        state, sums = lax.scan(step, value, p["inner"])
        return state + sums.mean(0)[:, None]

    def loss(p, b):
        def body(state, element):
            values, number = state
            x, layer = element
            first = values[0] @ p["mix"] + x
            if draw["layers"]:
                first = first @ layer
            if draw["integer"]:
                first = first * (1.0 + 0.1 * number.astype(first.dtype))
            if draw["nested"]:
                first = inner(first, p)
            first = jnp.tanh(first + p["bias"])
            rest = [value * 0.5 + first * (i + 1) for i, value in enumerate(values[1:])]
            new = [first, *rest]
            if draw["swap"]:
                new = new[::-1]
            return (tuple(new), number + 2), (first * x, jnp.max(first, -1))

        if draw["checkpoint"]:
            body = jax.checkpoint(body)
        begin = jnp.zeros_like(b["y"])
        if draw["parameter_start"]:
            begin = begin + p["start"]
        start = tuple(begin + i * b["y"] for i in range(carries))
        xs = (jnp.swapaxes(b["x"], 0, 1), p["layers"])
        (values, _), (products, highest) = lax.scan(
            body, (start, jnp.int32(1)), xs, reverse=draw["reverse"]
        )
        total = jnp.zeros(b["y"].shape[0], b["y"].dtype)
        if draw["finals"]:
            total += sum(((v - b["y"]) ** 2).sum(-1) for v in values)
        if draw["outputs"]:
            total += (products**2).sum((0, 2)) + highest.sum(0)
        return total.mean()

    return Model(loss, params, batch), draw

def random_stages(seed):
    """A model for pipelines, and what is drawn in it: recurrent layers, each a
    scan over time, and layers whose parameters are stacked under a scan."""
    rng = np.random.default_rng(seed)
    width, steps = 4, int(rng.integers(2, 5))
    draw = dict(
        recurrent=int(rng.integers(1, 4)),
        stacked=int(rng.integers(3, 7)),
        reverse=bool(rng.random() < 0.3),
        recurrent_inside=bool(rng.random() < 0.3),
        checkpoint=bool(rng.random() < 0.3),
        mask=bool(rng.random() < 0.5),
    )

    def normal(*shape):
        return rng.normal(0, 0.5, shape).astype(np.float32)

    def recurrent(p, x, reverse=False):
        def cell(h, element):
            h = jnp.tanh(element + h @ p["hidden"])
            return h, h

        zero = jnp.zeros((x.shape[0], width), x.dtype)
        inputs = jnp.swapaxes(x @ p["input"], 0, 1)
        _, hs = lax.scan(cell, zero, inputs, reverse=reverse)
        return x + jnp.swapaxes(hs, 0, 1)

    def weights(*outer):
        return {name: normal(*outer, width, width) for name in ("input", "hidden")}

    params = {
        "recurrent": [weights() for _ in range(draw["recurrent"])],
        "stacked": weights(draw["stacked"]),
        "out": normal(width, width),
    }
    batch = {"x": normal(BATCH, steps, width), "y": normal(BATCH, steps, width)}

    def loss(p, b):
        x = b["x"]
        for layer in p["recurrent"]:
            x = recurrent(layer, x, draw["reverse"])

        def layer(x, w):
            if draw["recurrent_inside"]:
                return recurrent(w, x), None
            y = jnp.tanh(x @ w["input"]) @ w["hidden"]
            # Of the batch alone: stages compute it for themselves.
            return x + jnp.where(b["x"] > 0, y, -y) if draw["mask"] else x + y, None

        wrap = jax.checkpoint if draw["checkpoint"] else lambda f: f
        x, _ = lax.scan(wrap(layer), x, p["stacked"], reverse=draw["reverse"])
        return jnp.mean((x @ p["out"] - b["y"]) ** 2)

    return Model(loss, params, batch), draw
