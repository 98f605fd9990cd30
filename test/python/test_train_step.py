# SPDX-License-Identifier: Apache-2.0
"""Whole models: gradients against jax.grad, train steps against optax.

XLA runs the module that the compiler prints, so parameters and losses must
agree to rounding over several steps.
"""

import re

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import optax  # noqa: E402

from compiler_tools import ROOT, run_opt, run_xla  # noqa: E402
from seeds import random_seed  # noqa: E402
from models import MODELS  # noqa: E402
from shardsmith._leaves import named_leaves  # noqa: E402
from shardsmith.jax import export_loss  # noqa: E402

STEPS = 3


def model_text(name):
    return (ROOT / f"test/models/{name}.mlir").read_text()


def random_batch(model, random):
    return {
        name: random.integers(0, model.config.vocabulary, leaf.shape).astype(np.int32)
        for name, leaf in model.batch_shape().items()
    }


def signature(text):
    """Names of the arguments and of the results of @main, in order."""
    header = re.search(r"func\.func public @main\((.*)$", text, re.M).group(1)
    arguments, results = header.split(" -> ", 1)
    names = [re.findall(r'smith\.name = "([^"]*)"', part) for part in (arguments, results)]
    return names


def by_name(tree, prefix=""):
    return dict(named_leaves(tree, prefix, single="params"))


def assert_close(actual, expected, names, rtol, atol):
    for name in names:
        np.testing.assert_allclose(
            np.asarray(actual[name], np.float64),
            np.asarray(expected[name], np.float64),
            rtol,
            atol,
            err_msg=name,
        )


@pytest.mark.parametrize("name", ["gpt2-tiny", "llama-tiny", "llama-tiny-scan"])
def test_gradients(name):
    random = np.random.default_rng(random_seed())
    model = MODELS[name]
    params = model.init(int(random.integers(2**31)))
    batch = random_batch(model, random)
    text = run_opt(model_text(name), "--import", "--differentiate")
    arguments, results = signature(text)
    values = by_name(params) | by_name(batch, "batch")
    outputs = run_xla(text, [values[argument] for argument in arguments])
    actual = dict(zip(results, outputs))

    loss, gradients = jax.value_and_grad(model.loss)(params, batch)
    np.testing.assert_allclose(actual.pop("loss"), loss, rtol=1e-5)
    expected = {f"gradient.{key}": g for key, g in by_name(gradients).items()}
    assert set(actual) == set(expected)
    assert_close(actual, expected, actual, rtol=2e-4, atol=2e-6)


def train_with_optax(model, optimizer, params, batches):
    @jax.jit
    def step(params, state, batch):
        loss, gradients = jax.value_and_grad(model.loss)(params, batch)
        updates, state = optimizer.update(gradients, state, params)
        return optax.apply_updates(params, updates), state, loss

    state = optimizer.init(params)
    losses = []
    for batch in batches:
        params, state, loss = step(params, state, batch)
        losses.append(float(loss))
    return by_name(params), losses


def train_with_program(text, params, batches):
    arguments, results = signature(text)
    values = {**by_name(params)}
    losses = []
    for batch in batches:
        inputs = {**values, **by_name(batch, "batch")}
        for name in arguments:
            if name not in inputs:
                inputs[name] = zero_state(text, name)
        outputs = dict(zip(results, run_xla(text, [inputs[n] for n in arguments])))
        losses.append(float(outputs.pop("loss")))
        values = outputs
    return values, losses


def zero_state(text, name):
    """The initial value of a state argument."""
    pattern = r"tensor<([0-9x]*)(f32|i32)> \{[^}]*smith\.name = \"" + re.escape(name) + '"'
    shape, dtype = re.search(pattern, text).groups()
    sizes = [int(size) for size in shape.split("x") if size]
    return np.zeros(sizes, {"f32": np.float32, "i32": np.int32}[dtype])


OPTIMIZERS = {
    "sgd": ("optimizer=sgd learning-rate=0.1", lambda: optax.sgd(0.1)),
    "momentum": (
        "optimizer=sgd learning-rate=0.1 momentum=0.9",
        lambda: optax.sgd(0.1, momentum=0.9),
    ),
    "nesterov": (
        "optimizer=sgd learning-rate=0.1 momentum=0.9 nesterov=true",
        lambda: optax.sgd(0.1, momentum=0.9, nesterov=True),
    ),
    "adam": (
        "optimizer=adam learning-rate=1e-2 b1=0.8 b2=0.99 eps=1e-3",
        lambda: optax.adam(1e-2, b1=0.8, b2=0.99, eps=1e-3),
    ),
    # Adam divides a gradient by its own size: where it is mere rounding its sign
    # is random. A large epsilon keeps such elements small.
    "adamw": (
        "optimizer=adamw learning-rate=1e-2 weight-decay=0.1 eps=1e-3",
        lambda: optax.adamw(1e-2, weight_decay=0.1, eps=1e-3),
    ),
    "adamw_clipped": (
        "optimizer=adamw learning-rate=1e-2 clip-norm=0.3 eps=1e-3",
        lambda: optax.chain(
            optax.clip_by_global_norm(0.3), optax.adamw(1e-2, eps=1e-3)
        ),
    ),
    "sgd_clipped": (
        "optimizer=sgd learning-rate=1.0 clip-norm=0.3",
        lambda: optax.chain(optax.clip_by_global_norm(0.3), optax.sgd(1.0)),
    ),
}


@pytest.mark.parametrize(
    "name, optimizer",
    [("gpt2-tiny", optimizer) for optimizer in OPTIMIZERS]
    + [("llama-tiny", "adamw_clipped")],
)
def test_train_step(name, optimizer):
    random = np.random.default_rng(random_seed())
    model = MODELS[name]
    params = model.init(int(random.integers(2**31)))
    batches = [random_batch(model, random) for _ in range(STEPS)]
    flags, make_optimizer = OPTIMIZERS[optimizer]
    text = run_opt(model_text(name), "--import", f"--train={flags}")

    actual, losses = train_with_program(text, params, batches)
    expected, expected_losses = train_with_optax(
        model, make_optimizer(), params, batches
    )
    np.testing.assert_allclose(losses, expected_losses, rtol=2e-5)
    assert_close(actual, expected, expected, rtol=1e-3, atol=2e-5)


class Linear:
    """The gradient of each parameter is its batch argument, exactly."""

    @staticmethod
    def loss(params, batch):
        return sum(jnp.sum(params[name] * batch[name]) for name in params)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_optimizer_alone(optimizer):
    """Ten steps with given gradients agree to a few roundings."""
    random = np.random.default_rng(random_seed())

    def values():
        shapes = {"matrix": (5, 3), "vector": (4,), "scalar": ()}
        return {k: random.normal(size=s).astype(np.float32) for k, s in shapes.items()}

    params, batches = values(), [values() for _ in range(10)]
    flags, make_optimizer = OPTIMIZERS[optimizer]
    dims = dict.fromkeys(params, -1)
    text = export_loss(Linear.loss, params, params, batch_dims=dims)
    text = run_opt(text, "--import", f"--train={flags}")
    actual, _ = train_with_program(text, params, batches)
    expected, _ = train_with_optax(Linear, make_optimizer(), params, batches)
    assert_close(actual, expected, expected, rtol=2e-6, atol=2e-7)


def test_bfloat16_parameters_have_float32_masters():
    """Losses follow a float32 reference of the same initial weights closely;
    every parameter argument is f32 and moves by less than bf16 can express."""
    random = np.random.default_rng(random_seed())
    name = "gpt2-tiny-bf16"
    model = MODELS[name]
    params = model.init(int(random.integers(2**31)))
    batches = [random_batch(model, random) for _ in range(STEPS)]
    text = run_opt(model_text(name), "--import", "--train=learning-rate=1e-5")
    header = re.search(r"@main\((.*) -> ", text).group(1)
    assert "xbf16>" not in header

    masters = jax.tree.map(lambda leaf: leaf.astype(jnp.float32), params)
    actual, losses = train_with_program(text, masters, batches)

    def loss_of_masters(masters, batch):
        rounded = jax.tree.map(lambda m, p: m.astype(p.dtype), masters, params)
        return model.loss(rounded, batch)

    @jax.jit
    def step(masters, state, batch):
        loss, gradients = jax.value_and_grad(loss_of_masters)(masters, batch)
        updates, state = optimizer.update(gradients, state, masters)
        return optax.apply_updates(masters, updates), state, loss

    optimizer = optax.adamw(1e-5)
    state, expected_losses = optimizer.init(masters), []
    for batch in batches:
        masters, state, loss = step(masters, state, batch)
        expected_losses.append(float(loss))
    np.testing.assert_allclose(losses, expected_losses, rtol=1e-2)
    expected = by_name(masters)
    assert_close(actual, expected, expected, rtol=0, atol=8e-5)


def test_compute_in_bfloat16():
    random = np.random.default_rng(random_seed())
    model = MODELS["gpt2-tiny"]
    params = model.init(int(random.integers(2**31)))
    batches = [random_batch(model, random) for _ in range(STEPS)]
    flags = "optimizer=sgd learning-rate=0.1"
    text = run_opt(
        model_text("gpt2-tiny"), "--import", f"--train={flags} compute-dtype=bf16"
    )
    contractions = re.findall(r"dot_general.*-> tensor<[0-9x]*(\w+)>", text)
    assert contractions and set(contractions) == {"bf16"}
    actual, losses = train_with_program(text, params, batches)
    expected, expected_losses = train_with_optax(model, optax.sgd(0.1), params, batches)
    np.testing.assert_allclose(losses, expected_losses, rtol=1e-2)
    assert_close(actual, expected, expected, rtol=0, atol=2e-2)


def test_a_train_step_passes_through():
    text = model_text("gpt2-tiny-train-step")
    imported = run_opt(text, "--import")
    assert run_opt(text, "--import", "--train") == imported


def test_the_same_text_every_time():
    texts = {run_opt(model_text("gpt2-tiny"), "--import", "--train") for _ in range(3)}
    assert len(texts) == 1
