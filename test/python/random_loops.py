# SPDX-License-Identifier: Apache-2.0
"""Random loops over samples, as losses of JAX. Scans: values of several shapes
go around, in some order, next to an integer that counts; elements are taken from
the front or from the back; some scans have scans inside. Loops that end as data
says, after any number of iterations, in scans or with others inside."""

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


def random_decided_loop(seed):
    """A model with a loop that data ends, and what is drawn in it. No gradient
    goes through the loop, or one that its function has."""
    rng = np.random.default_rng(seed)
    width = int(rng.choice([4, 8]))
    draw = dict(
        ends=str(rng.choice(["near", "count", "either"])),
        never=bool(rng.random() < 0.15),
        nested=bool(rng.random() < 0.35),
        in_scan=bool(rng.random() < 0.3),
        swap=bool(rng.random() < 0.4),
        own_derivative=bool(rng.random() < 0.5),
    )

    def normal(*shape):
        return rng.normal(0, 0.5, shape).astype(np.float32)

    params = {
        "mix": 0.3 * normal(width, width),
        "bias": normal(width),
        "layers": normal(3, width, width),
    }
    batch = {"x": normal(BATCH, width), "y": normal(BATCH, width)}

    def halve(values, times):
        """As often as data says."""
        goes_on = lambda state: state[0] < times
        halved = lambda state: (state[0] + 1, state[1] / 2)
        return lax.while_loop(goes_on, halved, (jnp.int32(0), values))[1]

    def settle(p, x):
        most = 1 + (10 * jnp.abs(p["bias"]).sum()).astype(jnp.int32) % 6

        def goes_on(state):
            count, before, now = state
            is_far = jnp.abs(before - now).max() > 1e-5
            if draw["swap"]:
                is_far = jnp.any(jnp.abs(before - now) > 1e-5)
            ends = {"near": is_far, "count": count < most, "either": is_far & (count < most)}
            return ends[draw["ends"]] & jnp.asarray(not draw["never"])

        def body(state):
            count, _, now = state
            moved = jnp.tanh(now @ p["mix"] + x)
            if draw["nested"]:
                moved = moved - halve(moved, most % 3) / 4
            return count + 1, now, moved

        return lax.while_loop(goes_on, body, (jnp.int32(0), x, jnp.tanh(x)))[2]

    @jax.custom_vjp
    def settled(p, x):
        return settle(p, x)

    def forward(p, x):
        return settle(p, x), (p, x)

    def backward(saved, cotangent):
        p, x = saved
        times = (10 * jnp.abs(x).sum()).astype(jnp.int32) % 4
        mixed = halve(cotangent, times)
        return (jax.tree.map(lambda leaf: leaf * mixed.sum(), p), mixed * 3)

    settled.defvjp(forward, backward)

    def loss(p, b):
        inner = {"mix": p["mix"], "bias": p["bias"]}

        def solve(x):
            if draw["own_derivative"]:
                return settled(inner, x)
            return lax.stop_gradient(settle(inner, x))

        def layer(h, weights):
            found = solve(h) if draw["in_scan"] else h
            return jnp.tanh((h + found) @ weights + p["bias"]), None

        h, _ = lax.scan(layer, b["x"], p["layers"])
        return jnp.mean((h + solve(h) - b["y"]) ** 2)

    return Model(loss, params, batch), draw


def random_branches(seed):
    """A model that takes one of several branches, and what is drawn in it."""
    rng = np.random.default_rng(seed)
    width = int(rng.choice([4, 8]))
    draw = dict(
        branches=int(rng.integers(2, 5)),
        by=str(rng.choice(["parameter", "samples", "counter"])),
        nested=bool(rng.random() < 0.4),
        in_scan=bool(rng.random() < 0.4),
        checkpoint=bool(rng.random() < 0.3),
        integer=bool(rng.random() < 0.4),
    )
    # Elsewhere it is known how far the counter counts.
    draw["in_scan"] |= draw["by"] == "counter"

    def normal(*shape):
        return rng.normal(0, 0.5, shape).astype(np.float32)

    params = {
        "mix": normal(width, width),
        "bias": normal(width),
        "few": normal(draw["branches"], width),
        "layers": normal(4, width, width),
    }
    batch = {"x": normal(BATCH, width), "y": normal(BATCH, width)}

    def branch(number):
        def run(h, p):
            scale = p["few"][number]
            if number == 0:
                return h, jnp.int32(7)
            if number == 1:
                return h * jnp.sqrt(0.1 + scale**2), jnp.int32(number)
            if draw["nested"]:
                h = lax.cond(p["bias"][0] > 0, jnp.sin, lambda h: h @ p["mix"], h)
            return jnp.tanh(h * scale), jnp.int32(number)

        return run

    def loss(p, b):
        def choice(h, counter):
            chooses = {
                "parameter": lambda: (10 * p["bias"]).astype(jnp.int32).sum() % 6 - 1,
                "samples": lambda: (h > 0).sum(dtype=jnp.int32) % 6 - 1,
                "counter": lambda: counter,
            }
            return chooses[draw["by"]]()

        branches = [branch(number) for number in range(draw["branches"])]

        def layer(carry, weights):
            h, counter = carry
            h, number = lax.switch(choice(h, counter), branches, h, p)
            if draw["integer"]:
                h = h * number.astype(h.dtype)
            h = jnp.tanh(h @ weights + p["bias"])
            return (h, (counter + number) % 5), h.sum()

        if draw["checkpoint"]:
            layer = jax.checkpoint(layer)
        carry, sums = (b["x"], jnp.int32(1)), 0.0
        if draw["in_scan"]:
            carry, sums = lax.scan(layer, carry, p["layers"])
        else:
            carry, sums = layer(carry, p["layers"][0])
        return jnp.mean((carry[0] - b["y"]) ** 2) + 0.01 * jnp.sum(sums) / BATCH

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


def random_complex_loop(seed):
    """A model that carries complex numbers through a scan, some of its iterations by
    a branch, and what is drawn in it."""
    rng = np.random.default_rng(seed)
    width, count = int(rng.choice([4, 8])), int(rng.integers(2, 7))
    draw = dict(width=width, count=count, branch=bool(rng.random() < 0.5))

    def normal(*shape):
        return rng.normal(0, 0.5, shape).astype(np.float32)

    params = {"decay": normal(width), "turn": normal(width), "w": normal(width, 2 * width)}
    batch = {"x": normal(BATCH, width), "y": normal(BATCH, count, width)}

    def loss(p, b):
        factor = jnp.exp(lax.complex(-jnp.abs(p["decay"]), p["turn"]))
        first = b["x"] @ p["w"]
        first = lax.complex(first[:, :width], first[:, width:])

        def step(h, number):
            grown = h * factor + first
            if draw["branch"]:
                even = lambda h: jnp.tanh(0.4 * h)
                grown = lax.cond(number % 2 == 0, even, lambda h: h.conj() * 0.5, grown)
            return grown, jnp.abs(grown)

        # Begins with real numbers.
        begin = b["x"].astype(jnp.complex64 if b["x"].dtype == jnp.float32 else jnp.complex128)
        last, sizes = lax.scan(step, begin, jnp.arange(count))
        return jnp.mean((sizes.transpose(1, 0, 2) - b["y"]) ** 2) + jnp.mean(last.real)

    return Model(loss, params, batch), draw
