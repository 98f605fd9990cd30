# SPDX-License-Identifier: Apache-2.0
"""What a loss function returns beside its loss, through compile and run.

Averages of a batch norm go on from step to step, metrics are reported with
every step, and all of them are those of the whole batch on any number of
ranks. JAX runs the same steps from the same initial values and batches.
"""

import json
import re

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import optax  # noqa: E402
from safetensors.numpy import load_file  # noqa: E402

from seeds import random_seed  # noqa: E402
from shardsmith.jax import ExportError, export_loss  # noqa: E402
from training import shardsmith  # noqa: E402

STEPS = 4
LEARNING_RATE = 0.05
SAMPLES, INPUTS, WIDTH, CLASSES = 16, 12, 8, 4
LAYOUTS = [(1, None), (2, "data=2"), (4, "data=4"), (4, "data=2,tensor=2"), (3, "data=3")]


def loss_fn(params, state, batch):
    """A batch norm over the whole batch, and a classifier."""
    x = batch["x"] @ params["w"]
    mean, variance = x.mean(0), x.var(0)
    new_state = {
        "mean": 0.9 * state["mean"] + 0.1 * mean,
        "variance": 0.9 * state["variance"] + 0.1 * variance,
        "steps": state["steps"] + 1,
    }
    x = (x - mean) / jnp.sqrt(variance + 1e-3) * params["scale"]
    logits = jax.nn.relu(x) @ params["out"]
    losses = optax.softmax_cross_entropy_with_integer_labels(logits, batch["y"])
    hits = logits.argmax(1) == batch["y"]
    aux = {
        "accuracy": hits.mean(),
        "correct": hits.sum(),
        "finite": jnp.isfinite(logits).all(),
        "largest": logits.max(),
        "logits": logits,
        "norm": jnp.linalg.norm(params["w"]),
    }
    return losses.mean(), (new_state, aux)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    rng = np.random.default_rng(random_seed("parameters of further results"))
    params = {
        "w": rng.normal(0, 0.3, (INPUTS, WIDTH)).astype(np.float32),
        "scale": np.ones(WIDTH, np.float32),
        "out": rng.normal(0, 0.3, (WIDTH, CLASSES)).astype(np.float32),
    }
    state = {
        "mean": np.zeros(WIDTH, np.float32),
        "variance": np.ones(WIDTH, np.float32),
        "steps": np.int32(0),
    }
    batch = {
        "x": jax.ShapeDtypeStruct((SAMPLES, INPUTS), jnp.float32),
        "y": jax.ShapeDtypeStruct((SAMPLES,), jnp.int32),
    }
    path = tmp_path_factory.mktemp("model") / "model.mlir"
    export_loss(
        loss_fn, params, batch, path, state=state, has_aux=True, limits={"y": CLASSES}
    )
    return path


def unflatten(tensors, prefix):
    return {
        name.removeprefix(prefix): value
        for name, value in tensors.items()
        if name.startswith(prefix)
    }


def run_in_jax(initial, batches):
    """Losses and metrics of each step, the last state and outputs."""
    state = unflatten(initial, "state.")
    params = {n: v for n, v in initial.items() if not n.startswith(("state.", "sgd."))}
    step = jax.jit(jax.value_and_grad(loss_fn, has_aux=True))
    records = []
    for number in range(STEPS):
        batch = unflatten(batches, f"step{number}/batch.")
        (loss, (state, aux)), gradients = step(params, state, batch)
        params = jax.tree.map(lambda p, g: p - LEARNING_RATE * g, params, gradients)
        records.append({"loss": loss, **aux})
    return records, state, aux


@pytest.mark.parametrize("ranks, layout", LAYOUTS)
def test_results_are_those_of_jax_on_any_number_of_ranks(
    model, tmp_path, ranks, layout
):
    if SAMPLES % ranks and layout == f"data={ranks}":
        layout = f"tensor={ranks}"
    fixed = ["--fix", layout] if layout else []
    optimizer = ["--optimizer", "sgd", "--lr", LEARNING_RATE]
    build = tmp_path / "build"
    shardsmith(
        "compile", model, "--cluster", f"cpu:{ranks}", *fixed, *optimizer, "-o", build
    )
    files = {name: tmp_path / f"{name}.safetensors" for name in ("init", "data", "out")}
    lines, _ = shardsmith(
        *("run", build, "--ranks", ranks, "--steps", STEPS, "--seed", 5),
        *("--save-initial", files["init"], "--save-batches", files["data"]),
        *("--dump-outputs", files["out"], "--metrics", tmp_path / "metrics.jsonl"),
        *("--checkpoint-dir", tmp_path / "checkpoints"),
    )
    initial, batches, outputs = (load_file(files[n]) for n in ("init", "data", "out"))
    expected, state, last = run_in_jax(initial, batches)

    scalars = ["accuracy", "correct", "finite", "largest", "norm"]
    records = (tmp_path / "metrics.jsonl").read_text().splitlines()
    assert len(records) == STEPS
    for line, text, wanted in zip(lines.splitlines(), records, expected):
        record = json.loads(text)
        assert record["loss"] == pytest.approx(float(wanted["loss"]), rel=1e-5)
        assert list(record["metrics"]) == [f"aux.{name}" for name in scalars]
        printed = dict(re.findall(r"(aux\.\w+) (\S+)", line))
        for name in scalars:
            value = pytest.approx(float(wanted[name]), rel=1e-5)
            assert record["metrics"][f"aux.{name}"] == value
            assert float(printed[f"aux.{name}"]) == value

    (checkpoint,) = (tmp_path / "checkpoints").glob("*.safetensors")
    saved = load_file(checkpoint)
    for name, value in state.items():
        np.testing.assert_allclose(saved[f"state.{name}"], value, rtol=1e-5, atol=1e-6)
    assert saved["state.steps"] == STEPS
    np.testing.assert_allclose(outputs["aux.logits"], last["logits"], rtol=0, atol=1e-5)


def test_summary_and_verify_know_them(model, tmp_path):
    shardsmith("compile", model, "--cluster", "cpu:2", "--fix", "data=2", "-o", tmp_path)
    out, _ = shardsmith(
        *("run", tmp_path, "--ranks", 2, "--steps", 3, "--json", "--quiet")
    )
    metrics = json.loads(out)["metrics"]
    assert {name: len(values) for name, values in metrics.items()} == {
        "aux.accuracy": 3,
        "aux.correct": 3,
        "aux.finite": 3,
        "aux.largest": 3,
        "aux.norm": 3,
    }
    verdicts = json.loads(shardsmith("verify", tmp_path, "--json")[0])["comparisons"]
    assert {"aux.logits", "aux.accuracy", "state.mean"} <= {v["result"] for v in verdicts}
    assert all(verdict["holds"] for verdict in verdicts)


def test_an_output_may_be_a_parameter_as_it_was(tmp_path):
    """Its new value is written into the same storage."""

    def loss(params, batch):
        return jnp.mean(batch @ params["w"]), {"before": params["w"], "same": params["w"]}

    path = tmp_path / "model.mlir"
    params = {"w": np.linspace(1, 2, 4, dtype=np.float32)}
    export_loss(loss, params, jax.ShapeDtypeStruct((8, 4), jnp.float32), path, has_aux=True)
    shardsmith("compile", path, "--cluster", "cpu:1", "--lr", "0.5", "-o", tmp_path)
    shardsmith(
        *("run", tmp_path, "--steps", 1, "--ranks", 1),
        *("--save-initial", tmp_path / "init", "--dump-outputs", tmp_path / "out"),
    )
    outputs, initial = load_file(tmp_path / "out"), load_file(tmp_path / "init")["w"]
    np.testing.assert_array_equal(outputs["aux.before"], initial)
    np.testing.assert_array_equal(outputs["aux.same"], initial)
    assert not np.array_equal(outputs["w"], initial)


@pytest.mark.parametrize(
    "returned, has_aux, message",
    [
        (lambda s: (1.0, s), True, "must return (loss, (new_state, aux))"),
        (lambda s: 1.0, False, "must return (loss, new_state)"),
        (lambda s: (1.0, (s, 1.0)), False, "of another structure than it takes"),
        (lambda s: (1.0, s[:2]), False, "takes 'state' as float32(3,) and returns"),
    ],
)
def test_wrong_states_are_named(returned, has_aux, message):
    def loss(params, state, batch):
        return jax.tree.map(jnp.float32, returned(state))

    x = np.ones(3, np.float32)
    with pytest.raises(ExportError, match=re.escape(message)):
        export_loss(loss, x, x, state=x, has_aux=has_aux)


def test_models_with_states_plan_for_gpus(model):
    out, _ = shardsmith("plan", model, "--cluster", "8xh100", "--json")
    assert json.loads(out)
