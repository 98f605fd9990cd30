# SPDX-License-Identifier: Apache-2.0
"""The JAX exporter: attributes, names, initial values, errors, model files."""

import re
import sys
from pathlib import Path

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import optax  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "test/models")]

from make_models import COMMITTED, JAX_VERSION, export  # noqa: E402
from shardsmith.jax import ExportError, export_loss, export_train_step  # noqa: E402


def linear_loss(params, batch):
    prediction = batch["x"] @ params["layers"][0]["w"] + params["layers"][0]["b"]
    return jnp.mean((prediction - batch["y"]) ** 2)


def linear_arguments():
    rng = np.random.default_rng(0)
    weights = rng.normal(0, 0.5, (64, 32)).astype(np.float32)
    params = {"layers": [{"w": weights, "b": np.zeros(32, np.float32)}]}
    batch = {
        "x": jax.ShapeDtypeStruct((6, 64), jnp.float32),
        "y": jax.ShapeDtypeStruct((6, 32), jnp.float32),
    }
    return params, batch


def signature(text):
    """(attributes of arguments, attributes of results), each in order."""
    line = next(line for line in text.splitlines() if "@main(" in line)

    def attributes(part):
        entries = re.findall(r"tensor<[^>]*>\s*\{([^}]*)\}", part)
        pair = re.compile(r'([\w.]+) = (?:"([^"]*)"|(-?\d+) : i64)')
        return [{k: s or n for k, s, n in pair.findall(entry)} for entry in entries]

    arguments, results = line.split(") -> (", 1)
    return attributes(arguments), attributes(results)


def test_loss_has_roles_names_and_initial_values():
    params, batch = linear_arguments()
    arguments, results = signature(export_loss(linear_loss, params, batch))
    assert [entry["smith.name"] for entry in arguments] == [
        "layers[0].b",
        "layers[0].w",
        "batch.x",
        "batch.y",
    ]
    assert [entry["smith.role"] for entry in arguments] == ["param"] * 2 + ["batch"] * 2
    assert arguments[0]["smith.init"] == "zeros"
    stddev = float(arguments[1]["smith.init"].removeprefix("normal:"))
    assert stddev == pytest.approx(0.5, rel=0.1)
    assert arguments[2]["smith.batch_dim"] == "0"
    assert results == [{"smith.role": "loss", "smith.name": "loss"}]


def test_shapes_alone_are_enough_and_give_guessed_initial_values():
    def shape(*dims):
        return jax.ShapeDtypeStruct(dims, jnp.float32)

    def loss(p, batch):
        return jnp.sum((batch * p["ln_1"]["scale"] + p["ln_1"]["bias"]) @ p["w"])

    params = {"ln_1": {"scale": shape(8), "bias": shape(8)}, "w": shape(8, 8)}
    arguments, _ = signature(export_loss(loss, params, shape(4, 8)))
    assert {entry["smith.name"]: entry.get("smith.init") for entry in arguments} == {
        "ln_1.bias": "zeros",
        "ln_1.scale": "ones",
        "w": "normal:0.02",
        "batch": None,
    }


def test_explicit_initial_value_wins():
    params, batch = linear_arguments()
    text = export_loss(linear_loss, params, batch, init={"*.w": "constant:3"})
    assert signature(text)[0][1]["smith.init"] == "constant:3"


def test_unused_parameters_keep_their_place():
    params, batch = linear_arguments()
    params["unused"] = np.ones(3, np.float32)
    arguments, _ = signature(export_loss(linear_loss, params, batch))
    assert [entry["smith.name"] for entry in arguments].count("unused") == 1


def test_limits_and_batch_dims():
    def loss(params, batch):
        return jnp.sum(params[batch["tokens"]]) * batch["weight"]

    batch = {
        "tokens": jax.ShapeDtypeStruct((5, 4), jnp.int32),
        "weight": jax.ShapeDtypeStruct((), jnp.float32),
    }
    text = export_loss(
        loss, jnp.ones((7, 2)), batch, limits={"tokens": 7}, batch_dims={"tokens": 1}
    )
    params, tokens, weight = signature(text)[0]
    assert params["smith.name"] == "params"
    assert (tokens["smith.limit"], tokens["smith.batch_dim"]) == ("7", "1")
    assert weight["smith.batch_dim"] == "-1"


def test_train_step_ties_results_to_arguments():
    params, batch = linear_arguments()
    optimizer = optax.adamw(1e-3)

    def step(params, state, batch):
        loss, gradients = jax.value_and_grad(linear_loss)(params, batch)
        updates, state = optimizer.update(gradients, state, params)
        return loss, optax.apply_updates(params, updates), state

    text = export_train_step(
        step,
        params,
        optimizer.init(params),
        batch,
        results=("loss", "params", "opt_state"),
    )
    arguments, results = signature(text)
    replaced = [a["smith.name"] for a in arguments if a["smith.role"] != "batch"]
    assert results[0] == {"smith.role": "loss", "smith.name": "loss"}
    assert [entry["smith.name"] for entry in results[1:]] == replaced
    assert "opt_state[0].mu.layers[0].w" in replaced


def test_file_is_the_returned_text(tmp_path):
    params, batch = linear_arguments()
    path = tmp_path / "model.mlir"
    text = export_loss(linear_loss, params, batch, path, name="tiny")
    assert path.read_text() == text
    assert text.startswith("module @tiny ")
    assert "loc(" not in text
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "change, message",
    [
        (dict(loss=lambda p, b: b["x"]), "scalar floating-point loss"),
        (dict(loss=lambda p, b: (linear_loss(p, b), 1.0)), "pass has_aux=True"),
        (dict(limits={"z": 3}), "names 'z', which the batch does not have"),
        (dict(limits={"x": 3}), "holds float32, not integers"),
        (dict(batch_dims={"x": 2}), "dimension 2 for 'batch.x'"),
        (dict(batch_dims={"x": 1}), "different numbers of samples"),
    ],
)
def test_wrong_arguments_are_named(change, message):
    params, batch = linear_arguments()
    change = dict(change)
    loss = change.pop("loss", linear_loss)
    with pytest.raises(ExportError, match=re.escape(message)):
        export_loss(loss, params, batch, **change)


def test_leaves_that_are_no_arrays_are_named():
    params, batch = linear_arguments()
    params["activation"] = jnp.tanh
    with pytest.raises(ExportError, match="'activation' is a"):
        export_loss(linear_loss, params, batch)


def test_captured_weights_are_refused():
    weights = np.ones((300, 300), np.float32)
    with pytest.raises(ExportError, match=r"captures an array of shape \(300, 300\)"):
        export_loss(lambda p, b: jnp.sum(p @ weights * b), weights, weights)


def test_two_arguments_of_one_name_are_refused():
    params = {"batch": {"x": jnp.ones(3)}}
    with pytest.raises(ExportError, match="two arguments are called 'batch.x'"):
        export_loss(
            lambda p, b: jnp.sum(p["batch"]["x"] * b["x"]), params, {"x": jnp.ones(3)}
        )


def test_train_step_that_changes_a_shape_is_refused():
    params, batch = linear_arguments()

    def step(params, state, batch):
        return jax.tree.map(lambda w: w[:1], params), state, linear_loss(params, batch)

    with pytest.raises(ExportError, match=r"takes 'layers\[0\].b' as"):
        export_train_step(step, params, (), batch)


@pytest.mark.parametrize("name", COMMITTED)
def test_committed_model_files_are_what_the_script_writes(name):
    if jax.__version__ != JAX_VERSION:
        pytest.skip(f"files are of JAX {JAX_VERSION}, this is {jax.__version__}")
    assert (ROOT / f"test/models/{name}.mlir").read_text() == export(name)


def test_model_of_gpt3_size_is_exported_without_weights():
    text = export("gpt3-175b")
    arguments, _ = signature(text)
    assert sum(entry["smith.role"] == "param" for entry in arguments) == 4 + 96 * 12
    assert len(text) < 2_000_000
