# SPDX-License-Identifier: Apache-2.0
"""Dealing positions out to the ranks of a causal ring changes their order, and
nothing that is computed. Random models have, around their attention, what does
the same in any order of positions and what does not; each is computed with its
positions dealt and as it was."""

import functools
import re
from unittest import mock

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from compiler_tools import run_opt  # noqa: E402
from seeds import random_seed  # noqa: E402
from cpu_program import with_roles  # noqa: E402
from shardsmith.jax import export_loss  # noqa: E402
from test_attention import RECOGNIZE, dealt, future, interpret, plain  # noqa: E402

WIDTH = 4
TOLERANCE = 2e-5

# Each changes [samples, positions, width], and may look at the batch.


def squash(x, batch, table):
    return jnp.tanh(x) * 1.5


def standardize(x, batch, table):
    return (x - x.mean(-1, keepdims=True)) / (x.std(-1, keepdims=True) + 0.1)


def add_table(x, batch, table):
    return x + table[: x.shape[1]]


def weigh_by_place(x, batch, table):
    return x * jnp.cos(jnp.arange(x.shape[1], dtype=jnp.float32))[None, :, None]


def add_mean(x, batch, table):
    return x + x.mean(1, keepdims=True)


def add_largest(x, batch, table):
    return x + x.max(1, keepdims=True)


def pool(x, batch, table):
    return x * jax.nn.softmax(x.sum(-1), axis=1)[..., None] * x.shape[1]


def mask_by_tokens(x, batch, table):
    return jnp.where((batch["tokens"] % 3 == 0)[..., None], 0.5 * x, x)


def where_chosen(x, batch, table):
    return x * (1 + (x.sum(-1, keepdims=True) > 0).astype(jnp.int32)).astype(jnp.float32)


EXPERTS, CHOSEN = 4, 2


def routed(x, table):
    """Tokens, and the experts of each with their weights. Scores are far apart."""
    tokens = x.reshape(-1, WIDTH)
    scores = jax.nn.softmax(tokens @ table[:EXPERTS].T)
    weights, experts = jax.lax.top_k(scores, CHOSEN)
    return tokens, weights, experts.reshape(-1)


def products_of_experts(rows, experts, table):
    matrices = table[:EXPERTS, :, None] * table[1 : EXPERTS + 1, None, :]
    sizes = (experts[:, None] == jnp.arange(EXPERTS)).sum(0).astype(jnp.int32)
    return jnp.tanh(jax.lax.ragged_dot(rows, matrices, sizes))


# Rows of tokens are sorted by expert, and nothing looks at their order.
def mixture(x, batch, table):
    tokens, weights, experts = routed(x, table)
    order = jnp.argsort(experts)
    made = products_of_experts(tokens[order // CHOSEN], experts, table)
    made = made * weights.reshape(-1)[order][:, None]
    return x + jnp.zeros_like(tokens).at[order // CHOSEN].add(made).reshape(x.shape)


# The second sort is the inverse of the first one.
def mixture_put_back(x, batch, table):
    tokens, weights, experts = routed(x, table)
    order = jnp.argsort(experts)
    made = products_of_experts(jnp.repeat(tokens, CHOSEN, axis=0)[order], experts, table)
    back = made[jnp.argsort(order)].reshape(-1, CHOSEN, WIDTH)
    return x + (back * weights[..., None]).sum(1).reshape(x.shape)


ANY_ORDER = [
    squash, standardize, add_table, weigh_by_place, add_mean, add_largest, pool, mask_by_tokens,
    where_chosen, mixture, mixture_put_back,
]  # fmt: skip


def shift(x, batch, table):
    return x + jnp.pad(x, ((0, 0), (1, 0), (0, 0)))[:, :-1]


def running_sum(x, batch, table):
    return jnp.cumsum(x, axis=1) / x.shape[1]


def count_of_chosen(x, batch, table):
    chosen = (x.sum(-1) > 0).astype(jnp.int32)
    return x * jnp.cos(jnp.cumsum(chosen, axis=1).astype(jnp.float32))[..., None]


def rank_of_sums(x, batch, table):
    order = jnp.argsort(jnp.argsort(x.sum(-1), axis=1), axis=1)
    return x * jnp.cos(order.astype(jnp.float32))[..., None]


def sorted_along(x, batch, table):
    return x + 0.1 * jnp.sort(x, axis=1)


def turned(x, batch, table):
    return x + 0.5 * x[:, ::-1]


def windows(x, batch, table):
    return x + jax.lax.reduce_window(x, 0.0, jax.lax.add, (1, 3, 1), (1, 1, 1), "SAME")


def first_position(x, batch, table):
    return x + x[:, :1]


def halves(x, batch, table):
    first, second = jnp.split(x, 2, axis=1)
    return jnp.concatenate([first + second, first - second], axis=1)


def row_of_integers(x, batch, table):
    rows = (jnp.abs(x.sum(-1)) * 7).astype(jnp.int32) % x.shape[1]
    return x + jnp.take_along_axis(x, rows[..., None], axis=1)


def tokens_before(x, batch, table):
    before = jnp.pad(batch["tokens"], ((0, 0), (1, 0)))[:, :-1]
    return x * jnp.cos(before.astype(jnp.float32))[..., None]


def segments(x, batch, table):
    number = jnp.cumsum((batch["tokens"] == 1).astype(jnp.int32), axis=1)
    return x * jnp.cos(number.astype(jnp.float32))[..., None]


# Of equally large sums the first counts, so the order is not free.
def weigh_by_place_of_largest(x, batch, table):
    place = jnp.argmax(x.sum(-1), axis=1)
    return x * (1 + place.astype(jnp.float32) / x.shape[1])[:, None, None]


def before_the_largest(x, batch, table):
    place = jnp.argmax(x.sum(-1), axis=1)
    earlier = jnp.arange(x.shape[1])[None, :] < place[:, None]
    return jnp.where(earlier[..., None], x, 0.5 * x)


# The first rows of each expert are kept.
def mixture_with_places(x, batch, table):
    tokens, weights, experts = routed(x, table)
    chosen = jax.nn.one_hot(experts, EXPERTS, dtype=jnp.int32)
    place = ((jnp.cumsum(chosen, axis=0) - 1) * chosen).sum(1)
    kept = (place < tokens.shape[0] // EXPERTS).reshape(-1, CHOSEN) * weights
    return x * kept.sum(1).reshape(x.shape[:2])[..., None]


SOME_ORDER = [
    shift, running_sum, count_of_chosen, rank_of_sums, sorted_along, turned, windows, first_position,
    halves, row_of_integers, tokens_before, segments, weigh_by_place_of_largest, before_the_largest,
    mixture_with_places,
]  # fmt: skip


def attend(x, matrices):
    q, k, v = (jnp.einsum("bsd,dhe->bshe", x, m) for m in matrices)
    mixed = plain(q, k, v, lambda scores: future(scores, -jnp.inf))
    return x + mixed.reshape(x.shape)


def drawn_model(rng, ranks, some_order):
    """Loss, parameters and batch of a model with two attentions and, of what
    depends on the order of positions, `some_order`."""
    samples, positions = int(rng.integers(1, 4)), 2 * ranks * int(rng.integers(2, 5))
    parts = [ANY_ORDER[i] for i in rng.integers(len(ANY_ORDER), size=4)]
    for part in some_order:
        parts.insert(int(rng.integers(len(parts) + 1)), part)
    middle = int(rng.integers(len(parts) + 1))
    params = {
        "embedding": rng.normal(size=(16, WIDTH)),
        "table": rng.normal(size=(positions + 3, WIDTH)),
        "first": rng.normal(size=(3, WIDTH, 2, WIDTH // 2)),
        "second": rng.normal(size=(3, WIDTH, 2, WIDTH // 2)),
    }
    params = jax.tree.map(lambda each: each.astype(np.float32), params)
    batch = {
        "tokens": rng.integers(0, 16, size=(samples, positions)).astype(np.int32),
        "weights": rng.normal(size=(samples, positions, WIDTH)).astype(np.float32),
    }

    def loss(params, batch):
        x = params["embedding"][batch["tokens"]]
        for number, part in enumerate([*parts, None]):
            if number == middle:
                x = attend(x, params["first"])
            if part:
                x = part(x, batch, params["table"])
        x = attend(x, params["second"])
        return jnp.sum(x * batch["weights"])

    return [part.__name__ for part in parts], loss, params, batch


def results_of(graph, arrays, count, folder):
    """Of the gradients and the loss."""
    text = run_opt(graph, "--differentiate")
    folder.mkdir()
    return interpret(with_roles(text, len(arrays), count), arrays, folder)


def exported(loss, params, batch):
    """As for TPUs: elsewhere JAX makes other ops of products of consecutive rows."""
    lower = functools.partialmethod(jax.stages.Traced.lower, lowering_platforms=("tpu",))
    with mock.patch.object(jax.stages.Traced, "lower", lower):
        return export_loss(loss, params, batch)


def workload_of(graph):
    """What the planner has of a graph, as JSON."""
    return run_opt(graph, "--print-workload", "-o", "/dev/null")


def is_dealt(rng, ranks, some_order, folder):
    """Whether the positions of a drawn model could be dealt out, which changes
    nothing that it computes."""
    names, loss, params, batch = drawn_model(rng, ranks, some_order)
    print(names)
    imported = run_opt(exported(loss, params, batch), "--import")
    graph = run_opt(imported, "--unsort-expert-rows", RECOGNIZE)
    assert len(re.findall(r"smith\.attention ", graph)) == 2, graph
    other = dealt(graph, ranks)
    is_balanced = " zigzag = " in other
    # The planner, which reads the model as it is imported, says the same of what it
    # sees as attention.
    workload = workload_of(imported)
    if workload.count('"kind":"attention"') == 2:
        assert is_balanced != ("position_obstacle" in workload), names
    if not is_balanced:
        return False
    arrays = jax.tree.leaves((params, batch))
    count = len(jax.tree.leaves(params)) + 1
    folder.mkdir()
    expected = results_of(graph, arrays, count, folder / "plain")
    actual = results_of(other, arrays, count, folder / "dealt")
    for ours, theirs in zip(actual, expected, strict=True):
        theirs = np.asarray(theirs, np.float64)
        gap = np.abs(ours - theirs).max() / (1 + np.abs(theirs).max())
        assert gap < TOLERANCE, (names, gap)
    return True


def test_models_that_do_the_same_in_any_order_are_dealt(tmp_path):
    rng = np.random.default_rng(random_seed())
    for number in range(4):
        assert is_dealt(rng, int(rng.integers(2, 5)), [], tmp_path / str(number))


def test_mixtures_are_dealt(tmp_path):
    rng = np.random.default_rng(random_seed())
    assert is_dealt(rng, int(rng.integers(2, 5)), [mixture], tmp_path / "model")


@pytest.mark.parametrize("part", SOME_ORDER, ids=lambda part: part.__name__)
def test_what_depends_on_the_order_is_seen(part, tmp_path):
    rng = np.random.default_rng(random_seed())
    # Of the batch alone it is computed in the order of the sequence.
    is_of_batch = part in (tokens_before, segments)
    assert is_dealt(rng, 2, [part], tmp_path / "model") == is_of_batch
