# SPDX-License-Identifier: Apache-2.0
"""Mixtures of experts as people write them in JAX train: loss and new weights
after a step of the program are those of JAX."""

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from seeds import random_seed  # noqa: E402
from safetensors.numpy import load_file, save_file  # noqa: E402
from training import shardsmith, train  # noqa: E402

from shardsmith.jax import export_loss, export_train_step  # noqa: E402

SAMPLES, LENGTH, WIDTH, INNER, EXPERTS, CHOSEN = 8, 4, 12, 10, 4, 2
RATE = 0.1


def draw_parameters(random):
    def normal(*shape):
        return (0.5 * random.normal(size=shape)).astype(np.float32)

    return {
        "router": normal(WIDTH, EXPERTS),
        "gate": normal(EXPERTS, WIDTH, INNER),
        "up": normal(EXPERTS, WIDTH, INNER),
        "down": normal(EXPERTS, INNER, WIDTH),
    }


def choose(parameters, tokens):
    scores = jax.nn.softmax(tokens @ parameters["router"])
    weights, experts = jax.lax.top_k(scores, CHOSEN)
    return weights / weights.sum(-1, keepdims=True), experts


def one_hot(parameters, tokens):
    """Every expert works on every token; weights of those not chosen are 0."""
    weights, experts = choose(parameters, tokens)
    spread = (jax.nn.one_hot(experts, EXPERTS) * weights[..., None]).sum(-2)
    gate = jnp.einsum("th,ehf->tef", tokens, parameters["gate"])
    up = jnp.einsum("th,ehf->tef", tokens, parameters["up"])
    made = jnp.einsum("tef,efh->teh", jax.nn.silu(gate) * up, parameters["down"])
    return jnp.einsum("teh,te->th", made, spread)


def gathered(parameters, tokens):
    """Each row gathers the matrices of its expert."""
    weights, experts = choose(parameters, tokens)
    gate = jnp.einsum("th,tkhf->tkf", tokens, parameters["gate"][experts])
    up = jnp.einsum("th,tkhf->tkf", tokens, parameters["up"][experts])
    made = jnp.einsum("tkf,tkfh->tkh", jax.nn.silu(gate) * up, parameters["down"][experts])
    return (made * weights[..., None]).sum(1)


def capacity(parameters, tokens):
    """Tokens go to places of their expert, in an einsum with a mask (GShard)."""
    weights, experts = choose(parameters, tokens)
    places = 2 * tokens.shape[0] * CHOSEN // EXPERTS
    chosen = jax.nn.one_hot(experts, EXPERTS, dtype=jnp.int32).reshape(-1, EXPERTS)
    position = (jnp.cumsum(chosen, axis=0) - 1) * chosen
    kept = chosen * (position < places)
    mask = jax.nn.one_hot(position, places) * kept[..., None]
    mask = mask.reshape(tokens.shape[0], CHOSEN, EXPERTS, places)
    rows = jnp.einsum("tkec,th->ech", mask, tokens)
    gate = jnp.einsum("ech,ehf->ecf", rows, parameters["gate"])
    up = jnp.einsum("ech,ehf->ecf", rows, parameters["up"])
    made = jnp.einsum("ecf,efh->ech", jax.nn.silu(gate) * up, parameters["down"])
    return jnp.einsum("tkec,tk,ech->th", mask, weights, made)


def ragged(parameters, tokens):
    """Rows sorted by expert, in products of consecutive rows."""
    weights, experts = choose(parameters, tokens)
    flat = experts.reshape(-1)
    order = jnp.argsort(flat)
    rows = tokens[order // CHOSEN]
    sizes = (flat[:, None] == jnp.arange(EXPERTS)).sum(0).astype(jnp.int32)
    gate = jax.lax.ragged_dot(rows, parameters["gate"], sizes)
    up = jax.lax.ragged_dot(rows, parameters["up"], sizes)
    made = jax.lax.ragged_dot(jax.nn.silu(gate) * up, parameters["down"], sizes)
    made = made * weights.reshape(-1)[order][:, None]
    return jnp.zeros_like(tokens).at[order // CHOSEN].add(made)


def ragged_counted(parameters, tokens):
    """The same with bincount, and with rows put back by the inverse order."""
    weights, experts = choose(parameters, tokens)
    flat = experts.reshape(-1)
    order = jnp.argsort(flat)
    rows = jnp.repeat(tokens, CHOSEN, axis=0)[order]
    sizes = jnp.bincount(flat, length=EXPERTS)
    gate = jax.lax.ragged_dot(rows, parameters["gate"], sizes)
    up = jax.lax.ragged_dot(rows, parameters["up"], sizes)
    made = jax.lax.ragged_dot(jax.nn.silu(gate) * up, parameters["down"], sizes)
    back = made[jnp.argsort(order)].reshape(-1, CHOSEN, WIDTH)
    return (back * weights[..., None]).sum(1)


def ragged_added(parameters, tokens):
    """With bincount, and rows added to their tokens."""
    weights, experts = choose(parameters, tokens)
    flat = experts.reshape(-1)
    order = jnp.argsort(flat)
    rows = tokens[order // CHOSEN]
    sizes = jnp.bincount(flat, length=EXPERTS)
    gate = jax.lax.ragged_dot(rows, parameters["gate"], sizes)
    up = jax.lax.ragged_dot(rows, parameters["up"], sizes)
    made = jax.lax.ragged_dot(jax.nn.silu(gate) * up, parameters["down"], sizes)
    made = made * weights.reshape(-1)[order][:, None]
    return jnp.zeros_like(tokens).at[order // CHOSEN].add(made)


def ragged_turned(parameters, tokens):
    """Rows in the opposite order, which is not followed."""
    weights, experts = choose(parameters, tokens)
    flat = experts.reshape(-1)
    order = jnp.argsort(flat)
    rows = jnp.repeat(tokens, CHOSEN, axis=0)[order]
    sizes = jnp.bincount(flat, length=EXPERTS)
    made = jax.lax.ragged_dot(rows, parameters["gate"], sizes)
    made = jax.lax.ragged_dot(jax.nn.silu(made), parameters["down"], sizes)
    back = made[::-1][jnp.argsort(order[::-1])].reshape(-1, CHOSEN, WIDTH)
    return (back * weights[..., None]).sum(1)


FORMS = [one_hot, gathered, capacity, ragged, ragged_counted, ragged_added]


def loss_of(form):
    def loss(parameters, batch):
        tokens = batch["x"].reshape(-1, WIDTH)
        made = tokens + form(parameters, tokens)
        return jnp.mean((made - batch["y"].reshape(-1, WIDTH)) ** 2)

    return loss


BATCH = {name: jax.ShapeDtypeStruct((SAMPLES, LENGTH, WIDTH), jnp.float32) for name in "xy"}


def export(form, path):
    parameters = draw_parameters(np.random.default_rng(random_seed()))
    export_loss(loss_of(form), parameters, BATCH, path)
    return parameters


def assert_steps_as_jax(loss, parameters, build, ranks, tmp_path):
    """Trains a step from these parameters, and compares it."""
    initial, tuned, batches = (tmp_path / n for n in ("initial.safetensors", "tuned", "batches"))
    save_file(parameters, initial)
    saving = ["--save-weights", tuned, "--save-batches", batches]
    report = train(build, ranks, 1, "--init", initial, *saving)
    batch = {key.split("batch.")[1]: value for key, value in load_file(batches).items()}
    value, gradients = jax.value_and_grad(loss)(parameters, batch)
    np.testing.assert_allclose(report["losses"][0], value, rtol=1e-5)
    written = load_file(tuned / "model.safetensors")
    for key, value in parameters.items():
        expected = value - RATE * gradients[key]
        np.testing.assert_allclose(written[key], expected, rtol=1e-4, atol=2e-6, err_msg=key)


WAYS = [(1, None), (2, "data=2"), (2, "tensor=2"), (2, "dp=2")]
# Where rows can be followed back to tokens.
SPREAD = [
    (ragged, 2, "dp=2,ep=2"),
    (ragged, 4, "dp=4,ep=4"),
    (ragged_counted, 2, "dp=2,ep=2"),
    (ragged_counted, 4, "dp=4,ep=4"),
    (ragged_added, 2, "dp=2,ep=2"),
]


@pytest.mark.parametrize(
    "form, ranks, fix", [(form, *way) for form in FORMS for way in WAYS] + SPREAD
)
def test_a_step_is_that_of_jax(form, ranks, fix, tmp_path):
    model, build = tmp_path / "model.mlir", tmp_path / "build"
    parameters = export(form, model)
    fixed = ["--fix", fix] if fix else []
    sgd = ["--optimizer", "sgd", "--lr", RATE, "--momentum", "0"]
    shardsmith("compile", model, "--cluster", f"cpu:{ranks}", *fixed, *sgd, "-o", build)
    assert_steps_as_jax(loss_of(form), parameters, build, ranks, tmp_path)


@pytest.mark.parametrize("form", [ragged, ragged_counted, ragged_added])
def test_ragged_products_stay_what_they_are(form, tmp_path):
    export(form, tmp_path / "model.mlir")
    assert (tmp_path / "model.mlir").read_text().count('"chlo.ragged_dot"') == 3


def test_experts_whose_rows_are_not_followed_stay_together(tmp_path):
    export(ragged_turned, tmp_path / "model.mlir")
    request = [tmp_path / "model.mlir", "--cluster", "cpu:2", "-o", tmp_path / "build"]
    error = shardsmith("compile", *request, "--fix", "dp=2")[1]
    assert "note: all experts stay on each rank" in error
    error = shardsmith("compile", *request, "--fix", "dp=2,ep=2", code=5)[1]
    assert "experts cannot be spread over 2 ranks" in error
    assert "'stablehlo.reverse' may depend on the order of rows" in error


@pytest.mark.parametrize("ranks, fix", [(1, "dp=1"), (2, "dp=2,ep=2")])
def test_rows_beyond_a_capacity_are_those_of_other_forms(ranks, fix, tmp_path):
    """Whether rows are added to their tokens or put back in the tokens' order."""
    reports = []
    parameters = draw_parameters(np.random.default_rng(random_seed()))
    save_file(parameters, tmp_path / "initial.safetensors")
    for form in (ragged, ragged_counted):
        model, build = tmp_path / f"{form.__name__}.mlir", tmp_path / form.__name__
        export_loss(loss_of(form), parameters, BATCH, model)
        shardsmith("compile", model, "--cluster", f"cpu:{ranks}", "--fix", fix,
                   "--expert-capacity", "0.75", "-o", build)
        reports.append(train(build, ranks, 2, "--init", tmp_path / "initial.safetensors"))
    first, second = reports
    assert first["dropped_rows"] == second["dropped_rows"] and sum(first["dropped_rows"]) > 0
    np.testing.assert_allclose(first["losses"], second["losses"], rtol=1e-5)


def test_what_vmap_makes_of_ragged_products_is_dense(tmp_path):
    """Groups of each sample have sizes of their own."""
    sizes = jnp.array([[1, 0, 2, 1]] * SAMPLES)

    def loss(parameters, batch):
        matrices = jnp.broadcast_to(parameters["gate"], (SAMPLES, EXPERTS, WIDTH, INNER))
        products = jax.vmap(jax.lax.ragged_dot)(batch["x"], matrices, sizes)
        return jnp.mean(products**2) + jnp.mean(batch["y"])

    parameters = draw_parameters(np.random.default_rng(random_seed()))
    path = tmp_path / "model.mlir"
    export_loss(loss, parameters, BATCH, path)
    assert "ragged_dot" not in path.read_text()
    shardsmith("compile", path, "--cluster", "cpu:1", "-o", tmp_path / "build")


def test_steps_that_jax_has_differentiated_keep_them(tmp_path):
    """Gradients of rows and of matrices are ragged products, too."""
    parameters = draw_parameters(np.random.default_rng(random_seed()))
    loss = loss_of(ragged)

    def step(parameters, state, batch):
        value, gradients = jax.value_and_grad(loss)(parameters, batch)
        return jax.tree.map(lambda p, g: p - RATE * g, parameters, gradients), state, value

    model, build = tmp_path / "model.mlir", tmp_path / "build"
    export_train_step(step, parameters, (), BATCH, model)
    # JAX writes equal ones once, as a function.
    assert model.read_text().count('"chlo.ragged_dot"') > 3
    shardsmith("compile", model, "--cluster", "cpu:1", "-o", build)
    assert_steps_as_jax(loss, parameters, build, 1, tmp_path)
