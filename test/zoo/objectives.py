# SPDX-License-Identifier: Apache-2.0
"""Losses of all kinds in plain JAX: contrastive, reinforcement, ranking,
distillation, meta-learning."""

import jax
import jax.numpy as jnp
import optax
from jax import lax

from parts import ZooModel, cross_entropy, dense, floats, integers, mlp, model


@model
def contrastive(draw):
    """CLIP: two encoders, a learned temperature, every sample against all
    others of the batch."""
    params = {
        "image": [draw.dense(12, 16), draw.dense(16, 8)],
        "text": [draw.dense(10, 16), draw.dense(16, 8)],
        "temperature": draw.ones(),
    }

    def loss(p, batch):
        unit = lambda x: x / jnp.linalg.norm(x, axis=-1, keepdims=True)
        image = unit(mlp(p["image"], batch["image"]))
        text = unit(mlp(p["text"], batch["text"]))
        logits = image @ text.T * jnp.exp(p["temperature"])
        right = jnp.arange(logits.shape[0])
        return (cross_entropy(logits, right) + cross_entropy(logits.T, right)) / 2

    return ZooModel(loss, params, {"image": floats(8, 12), "text": floats(8, 10)})


@model
def policy_gradient(draw):
    """PPO: clipped ratios, a value function, entropy, and advantages that are
    summed backwards in time."""
    params = {
        "body": [draw.dense(6, 16), draw.dense(16, 16)],
        "policy": draw.dense(16, 4),
        "value": draw.dense(16, 1),
    }

    def loss(p, batch):
        x = jnp.tanh(mlp(p["body"], batch["seen"], jnp.tanh))
        logs = jax.nn.log_softmax(dense(p["policy"], x))
        value = dense(p["value"], x)[..., 0]
        fixed = lax.stop_gradient(value)
        error = batch["reward"][:, :-1] + 0.9 * fixed[:, 1:] - fixed[:, :-1]

        def back(sum, error):
            sum = error + 0.9 * 0.95 * sum
            return sum, sum

        _, advantage = lax.scan(back, jnp.zeros(error.shape[0]), error.T, reverse=True)
        advantage = advantage.T
        chosen = jnp.take_along_axis(logs, batch["action"][..., None], -1)[..., 0]
        ratio = jnp.exp(chosen - batch["old"] / 8)[:, :-1]
        gain = jnp.minimum(ratio * advantage, jnp.clip(ratio, 0.8, 1.2) * advantage)
        miss = (value[:, :-1] - lax.stop_gradient(advantage + fixed[:, :-1])) ** 2
        entropy = -(jnp.exp(logs) * logs).sum(-1)
        return -gain.mean() + miss.mean() / 2 - 0.01 * entropy.mean()

    batch = {
        "seen": floats(8, 5, 6),
        "reward": floats(8, 5),
        "old": floats(8, 5),
        "action": integers(8, 5),
    }
    return ZooModel(loss, params, batch, {"action": 4})


@model
def actor_and_critics(draw):
    """Soft actor-critic: squashed Gaussian actions, the smaller of two
    critics, targets that are not trained."""
    critic = lambda: [draw.dense(8, 16), draw.dense(16, 1)]
    params = {
        "actor": [draw.dense(5, 16), draw.dense(16, 6)],
        "critics": [critic(), critic()],
        "targets": [critic(), critic()],
        "temperature": draw.zeros(),
    }

    def act(p, seen, noise):
        mean, spread = jnp.split(mlp(p, seen), 2, -1)
        spread = jnp.clip(spread, -5, 2)
        raw = mean + jnp.exp(spread) * noise
        log = -(noise**2 / 2 + spread + 0.5 * jnp.log(2 * jnp.pi)).sum(-1)
        log = log - (2 * (jnp.log(2.0) - raw - jax.nn.softplus(-2 * raw))).sum(-1)
        return jnp.tanh(raw), log

    def values(critics, seen, action):
        x = jnp.concatenate([seen, action], -1)
        return jnp.stack([mlp(p, x)[..., 0] for p in critics])

    def loss(p, batch):
        heat = lax.stop_gradient(jnp.exp(p["temperature"]))
        action, log = act(p["actor"], batch["next"], batch["noise"])
        future = values(p["targets"], batch["next"], action).min(0) - heat * log
        target = lax.stop_gradient(batch["reward"] + 0.9 * future)
        found = values(p["critics"], batch["seen"], jnp.tanh(batch["action"]))
        critic = ((found - target) ** 2).mean(1).sum()
        action, log = act(p["actor"], batch["seen"], batch["noise"])
        fixed = lax.stop_gradient(p["critics"])
        actor = (heat * log - values(fixed, batch["seen"], action).min(0)).mean()
        warm = -(p["temperature"] * lax.stop_gradient(log - 3)).mean()
        return critic + actor + warm

    batch = {
        "seen": floats(8, 5),
        "next": floats(8, 5),
        "action": floats(8, 3),
        "noise": floats(8, 3),
        "reward": floats(8),
    }
    return ZooModel(loss, params, batch)


@model
def distillation(draw):
    """A student of a frozen teacher: softened logits, focal loss, label
    smoothing."""
    params = {
        "teacher": [draw.dense(10, 24), draw.dense(24, 5)],
        "student": [draw.dense(10, 8), draw.dense(8, 5)],
    }

    def loss(p, batch):
        teacher = mlp(lax.stop_gradient(p["teacher"]), batch["x"], jax.nn.gelu)
        student = mlp(p["student"], batch["x"], jax.nn.gelu)
        soft = optax.kl_divergence(jax.nn.log_softmax(student / 2), jax.nn.softmax(teacher / 2))
        hard = optax.smooth_labels(jax.nn.one_hot(batch["label"], 5), 0.1)
        focal = (1 - jax.nn.softmax(student)) ** 2 * jax.nn.log_softmax(student)
        return 4 * soft.mean() - (hard * focal).sum(-1).mean()

    batch = {"x": floats(8, 10), "label": integers(8)}
    return ZooModel(loss, params, batch, {"label": 5})


@model
def survival(draw):
    """Cox's partial likelihood: risks in the order of times."""
    params = {"layers": [draw.dense(6, 12), draw.dense(12, 1)]}

    def one_study(p, x, time, seen):
        risk = mlp(p["layers"], x, jax.nn.selu)[:, 0]
        order = jnp.argsort(-time)
        risk, seen = risk[order], (seen[order] > 0).astype(risk.dtype)
        at_risk = jnp.log(jnp.cumsum(jnp.exp(risk)))
        return -((risk - at_risk) * seen).sum() / (seen.sum() + 1)

    def loss(p, batch):
        study = jax.vmap(one_study, in_axes=(None, 0, 0, 0))
        return study(p, batch["x"], batch["time"], batch["seen"]).mean()

    batch = {"x": floats(8, 9, 6), "time": floats(8, 9), "seen": floats(8, 9)}
    return ZooModel(loss, params, batch)


@model
def meta_learning(draw):
    """MAML: a gradient step inside the loss, differentiated again."""
    params = {"layers": [draw.dense(1, 12), draw.dense(12, 12), draw.dense(12, 1)]}

    def error(layers, x, y):
        return ((mlp(layers, x, jnp.tanh) - y) ** 2).mean()

    def one_task(p, task):
        slopes = jax.grad(error)(p["layers"], task["x"], task["y"])
        adapted = jax.tree.map(lambda w, g: w - 0.1 * g, p["layers"], slopes)
        return error(adapted, task["x2"], task["y2"])

    def loss(p, batch):
        return jax.vmap(one_task, in_axes=(None, 0))(p, batch).mean()

    points = lambda: floats(8, 5, 1)
    return ZooModel(loss, params, {name: points() for name in ("x", "y", "x2", "y2")})


@model
def physics(draw):
    """A network that solves Burgers' equation: first and second derivatives by
    its inputs are in the loss."""
    params = {"layers": [draw.dense(2, 12), draw.dense(12, 12), draw.dense(12, 1)]}

    def loss(p, batch):
        u = lambda t, x: mlp(p["layers"], jnp.stack([t, x]), jnp.tanh)[0]

        def residual(t, x):
            by_t, by_x = jax.grad(u, 0)(t, x), jax.grad(u, 1)(t, x)
            return by_t + u(t, x) * by_x - 0.01 * jax.grad(jax.grad(u, 1), 1)(t, x)

        inside = jax.vmap(residual)(batch["t"], batch["x"])
        start = jax.vmap(u, (None, 0))(0.0, batch["x"]) + jnp.sin(jnp.pi * batch["x"])
        return (inside**2).mean() + (start**2).mean()

    return ZooModel(loss, params, {"t": floats(8), "x": floats(8)})


@model
def operator_network(draw):
    """DeepONet: a branch of samples of a function, a trunk of places."""
    params = {
        "branch": [draw.dense(10, 16), draw.dense(16, 8)],
        "trunk": [draw.dense(2, 16), draw.dense(16, 8)],
        "bias": draw.zeros(),
    }

    def loss(p, batch):
        branch = mlp(p["branch"], batch["samples"], jax.nn.mish)
        places = batch["places"]
        trunk = jnp.sin(mlp(p["trunk"], places, jnp.sin))
        found = jnp.einsum("bf,bnf->bn", branch, trunk) + p["bias"]
        return optax.huber_loss(found, batch["values"]).mean()

    batch = {"samples": floats(8, 10), "places": floats(8, 6, 2), "values": floats(8, 6)}
    return ZooModel(loss, params, batch)


@model
def ranking(draw):
    """LambdaRank's kin: soft ranks from all pairs, discounted gains, a
    Dirichlet's log gamma as prior."""
    params = {"layers": [draw.dense(6, 12), draw.dense(12, 1)], "prior": draw.zeros(3)}

    def loss(p, batch):
        score = mlp(p["layers"], batch["x"])[..., 0]
        pairs = score[:, None, :] - score[:, :, None]
        rank = 0.5 + jax.nn.sigmoid(pairs).sum(-1)
        gain = (2.0 ** batch["grade"] - 1) / jnp.log2(1 + rank)
        best = -jnp.sort(-batch["grade"].astype(jnp.float32), axis=1)
        ideal = ((2.0**best - 1) / jnp.log2(jnp.arange(best.shape[1]) + 2.0)).sum(1)
        counts = jax.nn.one_hot(batch["grade"], 3).sum(1)
        alpha = jax.nn.softplus(p["prior"]) + 0.5
        total = lax.lgamma(alpha.sum()) - lax.lgamma(alpha.sum() + counts.sum(-1))
        total = total + (lax.lgamma(alpha + counts) - lax.lgamma(alpha)).sum(-1)
        return -(gain.sum(1) / (ideal + 1e-6)).mean() - 0.1 * total.mean()

    batch = {"x": floats(8, 7, 6), "grade": integers(8, 7)}
    return ZooModel(loss, params, batch, {"grade": 3})
