# SPDX-License-Identifier: Apache-2.0
"""Models with a solver inside, which goes on until it is near enough."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental.ode import odeint
from jax.scipy.sparse.linalg import cg
from parts import ZooModel, dense, floats, mlp, model


def fixed_point(function, start, tolerance=1e-6, most=200):
    """What `function` leaves as it is, from `start`."""

    def goes_on(state):
        step, before, now = state
        return (step < most) & (jnp.abs(now - before).max() > tolerance)

    def move(state):
        step, _, now = state
        return step + 1, now, function(now)

    return lax.while_loop(goes_on, move, (1, start, function(start)))[2]


@model
def equilibrium(draw):
    """A layer without end, by the derivative of implicit functions."""
    inputs, hidden = 6, 12
    params = {
        "around": 0.3 * draw.normal(hidden, hidden),
        "in": draw.dense(inputs, hidden),
        "out": draw.dense(hidden, 1),
    }

    def layer(p, x, z):
        return jnp.tanh(z @ p["around"] + dense(p["in"], x))

    @jax.custom_vjp
    def solve(p, x):
        start = jnp.zeros((x.shape[0], hidden), x.dtype)
        return fixed_point(lambda z: layer(p, x, z), start)

    def forward(p, x):
        z = solve(p, x)
        return z, (p, x, z)

    def backward(saved, cotangent):
        p, x, z = saved
        _, through = jax.vjp(lambda z: layer(p, x, z), z)
        total = fixed_point(lambda u: cotangent + through(u)[0], cotangent)
        return jax.vjp(lambda p, x: layer(p, x, z), p, x)[1](total)

    solve.defvjp(forward, backward)

    def loss(p, batch):
        z = solve({key: p[key] for key in ("around", "in")}, batch["x"])
        return ((dense(p["out"], z)[:, 0] - batch["y"]) ** 2).mean()

    return ZooModel(loss, params, {"x": floats(16, inputs), "y": floats(16)})


@model
def smoothing(draw):
    """Features that a linear system smooths, solved by conjugate gradients."""
    nodes, width = 10, 4
    params = {"up": draw.dense(3, width), "strength": draw.zeros(), "out": draw.dense(width, 1)}

    def loss(p, batch):
        h = jnp.tanh(dense(p["up"], batch["x"]))
        strength = jnp.exp(p["strength"])

        def rough(v):
            gaps = jnp.diff(v, axis=1)
            ends = jnp.zeros_like(v[:, :1])
            return v + strength * (
                jnp.concatenate([ends, gaps], 1) - jnp.concatenate([gaps, ends], 1)
            )

        smooth, _ = cg(rough, h, tol=1e-6, maxiter=50)
        return ((dense(p["out"], smooth)[..., 0] - batch["y"]) ** 2).mean()

    return ZooModel(loss, params, {"x": floats(8, nodes, 3), "y": floats(8, nodes)})


@model
def neural_differential_equation(draw):
    """Steps as long as their error allows, by the adjoint equation."""
    width = 4
    params = {"field": [draw.dense(width, 16), draw.dense(16, width)], "out": draw.dense(width, 1)}

    def loss(p, batch):
        def field(x, time, layers):
            return mlp(layers, jnp.sin(time) * x, jnp.tanh)

        times = jnp.linspace(0.0, 1.0, 3, dtype=batch["x"].dtype)
        # Much finer, and the rounding of errors in f32 would decide steps.
        path = odeint(field, batch["x"], times, p["field"], rtol=1e-3, atol=1e-3)
        return ((dense(p["out"], path[-1])[:, 0] - batch["y"]) ** 2).mean()

    return ZooModel(loss, params, {"x": floats(8, width), "y": floats(8)})
