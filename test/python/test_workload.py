# SPDX-License-Identifier: Apache-2.0
"""Workloads of random transformers, written in whatever way JAX allows: layers,
heads, masks, parameters and the operations of all products are found again."""

import json
import random
from math import prod, sqrt

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
from jax import lax  # noqa: E402
from seeds import random_seed  # noqa: E402
from tools import run_tool  # noqa: E402


def random_config(rng):
    config = {
        "layers": rng.randint(2, 5),
        "batch": rng.randint(2, 6),
        "length": rng.choice([12, 16, 24]),
        "hidden": rng.choice([24, 32, 40]),
        "kv": rng.choice([1, 2, 3, 4]),
        "group": rng.choice([1, 1, 2, 3]),
        "size": rng.choice([4, 6, 8]),
        "inner": rng.choice([56, 64, 88]),
        "vocabulary": rng.choice([61, 97, 128]),
        "gated": rng.random() < 0.5,
        "causal": rng.random() < 0.6,
        "scan": rng.random() < 0.4,
        "tied": rng.random() < 0.5,
        "norm": rng.choice(["rms", "layer", "after"]),
        "softmax": rng.choice(["jax", "exp", "log", "fused"]),
        "repeat": rng.random() < 0.5,
        "rotary": rng.random() < 0.4,
        "labels": rng.choice(["one hot", "pick", "shifted"]),
        "narrow": rng.random() < 0.3,
    }
    config["joint"] = config["group"] == 1 and rng.random() < 0.5
    # Sizes say nothing of what a dimension is.
    if rng.random() < 0.5:
        sizes = ["layers", "length", "hidden", "kv", "size", "inner", "vocabulary"]
        config["batch"] = max(config[rng.choice(sizes)], 2)
    return config


def layer_shapes(c):
    heads = c["kv"] * c["group"]
    shapes = {
        "o": (heads, c["size"], c["hidden"]),
        "down": (c["inner"], c["hidden"]),
        "n1": (c["hidden"],),
        "n2": (c["hidden"],),
    }
    if c["joint"]:
        shapes["qkv"] = (c["hidden"], 3 * heads * c["size"])
    else:
        shapes["q"] = (c["hidden"], heads * c["size"])
        shapes["k"] = (c["hidden"], c["kv"] * c["size"])
        shapes["v"] = (c["hidden"], c["kv"] * c["size"])
    shapes["up"] = (c["hidden"], (2 if c["gated"] else 1) * c["inner"])
    return shapes


def parameter_shapes(c):
    shapes = {"table": (c["vocabulary"], c["hidden"])}
    if not c["tied"]:
        shapes["head"] = (c["hidden"], c["vocabulary"])
    layer = layer_shapes(c)
    if c["scan"]:
        shapes["layers"] = {k: (c["layers"], *s) for k, s in layer.items()}
    else:
        shapes["layers"] = [layer] * c["layers"]
    return shapes


def normalize(c, x, weight):
    wide = x.astype(jnp.float32)
    if c["norm"] == "rms":
        wide = wide * lax.rsqrt(jnp.mean(wide * wide, -1, keepdims=True) + 1e-6)
    else:
        wide = (wide - wide.mean(-1, keepdims=True)) / jnp.sqrt(
            wide.var(-1, keepdims=True) + 1e-5
        )
    return (wide * weight).astype(x.dtype)


def rotate(x):
    half = x.shape[-1] // 2
    angle = jnp.arange(x.shape[1])[:, None] * jnp.arange(half)[None, :] / 7.0
    sin, cos = jnp.sin(angle)[:, None, :], jnp.cos(angle)[:, None, :]
    first, second = x[..., :half], x[..., half:]
    rotated = [first * cos - second * sin, second * cos + first * sin]
    return jnp.concatenate(rotated, -1).astype(x.dtype)


def softmax(c, scores):
    if c["softmax"] == "jax":
        return jax.nn.softmax(scores, -1)
    if c["softmax"] == "exp":
        e = jnp.exp(scores)
        return e / e.sum(-1, keepdims=True)
    return jnp.exp(scores - jax.nn.logsumexp(scores, -1, keepdims=True))


def attend(c, q, k, v):
    """q is [b, s, kv · group, d], k and v are [b, s, kv, d]."""
    if c["softmax"] == "fused":
        return jax.nn.dot_product_attention(q, k, v, is_causal=c["causal"])
    length = q.shape[1]
    seen = jnp.tril(jnp.ones((length, length), bool))
    if c["repeat"]:
        k, v = (jnp.repeat(x, c["group"], axis=2) for x in (k, v))
        scores = jnp.einsum("bshd,bthd->bhst", q, k) / sqrt(c["size"])
        if c["causal"]:
            scores = jnp.where(seen, scores, -1e30)
        return jnp.einsum("bhst,bthd->bshd", softmax(c, scores), v)
    grouped = q.reshape(*q.shape[:2], c["kv"], c["group"], c["size"])
    scores = jnp.einsum("bskgd,btkd->bkgst", grouped * c["size"] ** -0.5, k)
    if c["causal"]:
        scores = scores + jnp.where(seen, 0.0, -1e9)
    return jnp.einsum("bkgst,btkd->bskgd", softmax(c, scores), v).reshape(q.shape)


def layer(c, x, p):
    after = c["norm"] == "after"
    heads = c["kv"] * c["group"]
    h = x if after else normalize(c, x, p["n1"])
    if c["joint"]:
        q, k, v = jnp.split(h @ p["qkv"], 3, axis=-1)
    else:
        q, k, v = h @ p["q"], h @ p["k"], h @ p["v"]
    q = q.reshape(*x.shape[:2], heads, c["size"])
    k, v = (z.reshape(*x.shape[:2], c["kv"], c["size"]) for z in (k, v))
    if c["rotary"]:
        q, k = rotate(q), rotate(k)
    x = x + jnp.einsum("bshd,hdn->bsn", attend(c, q, k, v), p["o"])
    if after:
        x = normalize(c, x, p["n1"])
    h = x if after else normalize(c, x, p["n2"])
    h = h @ p["up"]
    if c["gated"]:
        gate, h = jnp.split(h, 2, axis=-1)
        h = jax.nn.silu(gate) * h
    else:
        h = jax.nn.gelu(h)
    x = x + h @ p["down"]
    return normalize(c, x, p["n2"]) if after else x


def loss(c, p, tokens):
    if c["narrow"]:
        p = jax.tree_util.tree_map(lambda w: w.astype(jnp.bfloat16), p)
    x = p["table"][tokens]
    if c["scan"]:
        x, _ = lax.scan(lambda x, q: (layer(c, x, q), None), x, p["layers"])
    else:
        for q in p["layers"]:
            x = layer(c, x, q)
    logits = x @ (p["table"].T if c["tied"] else p["head"])
    scores = jax.nn.log_softmax(logits.astype(jnp.float32))
    labels = tokens
    if c["labels"] == "one hot":
        picked = (scores * jax.nn.one_hot(labels, c["vocabulary"])).sum(-1)
        return -picked.mean()
    if c["labels"] == "shifted":
        scores, labels = scores[:, :-1], tokens[:, 1:]
    return -jnp.take_along_axis(scores, labels[..., None], -1).mean()


def product_flops(c):
    """Of one sequence, two per multiplication and addition."""
    heads = c["kv"] * c["group"]
    weights = heads * c["size"] * c["hidden"] * 2  # q and o
    weights += 2 * c["kv"] * c["size"] * c["hidden"]
    weights += c["hidden"] * c["inner"] * (3 if c["gated"] else 2)
    attention = 2 * c["length"] * heads * c["size"]
    everywhere = c["layers"] * (weights + attention)
    return 2 * c["length"] * (everywhere + c["hidden"] * c["vocabulary"])


def extract(c):
    shapes = parameter_shapes(c)
    is_shape = lambda s: isinstance(s, tuple)  # noqa: E731
    parameters = jax.tree_util.tree_map(
        lambda s: jax.ShapeDtypeStruct(s, jnp.float32), shapes, is_leaf=is_shape
    )
    tokens = jax.ShapeDtypeStruct((c["batch"], c["length"]), jnp.int32)
    text = jax.jit(lambda p, t: loss(c, p, t)).lower(parameters, tokens).as_text()
    leaves = jax.tree_util.tree_leaves(parameters)
    printed = run_tool(
        "shardsmith-opt",
        "-",
        f"--import=params=0-{len(leaves) - 1}",
        "--print-workload",
        "-o",
        "/dev/null",
        text=text,
    )
    return json.loads(printed), sum(prod(leaf.shape) for leaf in leaves)


def units(workload):
    for segment in workload["segments"]:
        for names in segment["parameter_names"]:
            yield workload["blocks"][segment["block"]], names


@pytest.mark.parametrize("case", range(12))
def test_random_transformer(case):
    seed = random_seed()
    c = random_config(random.Random(seed))
    print("seed", seed, c)
    workload, elements = extract(c)

    assert workload["global_batch"] == c["batch"]
    assert workload["sequence_length"] == c["length"]
    assert "micro_batch_obstacle" not in workload
    assert sorted(s["count"] for s in workload["segments"])[-1] == c["layers"]
    assert len(workload["segments"]) <= 3

    flops, attentions, seen = 0, [], {}
    for block, names in units(workload):
        for tensor, name in zip(block["parameters"], names):
            seen[name] = prod(block["tensors"][tensor]["shape"])
        for op in block["ops"]:
            if op["kind"] in ("matmul", "attention"):
                flops += op["flops"]
            if op["kind"] == "attention":
                attentions.append(op)
    assert sum(seen.values()) == elements
    assert flops == product_flops(c)
    assert len(attentions) == c["layers"]
    for op in attentions:
        sizes = {factor["name"]: factor["size"] for factor in op["factors"]}
        assert sizes["kv"] == c["kv"] or (c["kv"] == 1 and c["group"] == 1)
        assert sizes["kv"] * sizes.get("g", 1) == c["kv"] * c["group"]
        assert sizes["d"] == sizes["v"] == c["size"]
        assert op["attention"]["causal"] == c["causal"]
