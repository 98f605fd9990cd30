# SPDX-License-Identifier: Apache-2.0
"""Micro-batches with a meaning of their own: batch normalisation in training.

With --per-micro-batch-semantics a program computes the mean over micro-batches
of what the model computes of each alone. JAX is asked for just that.
SHARDSMITH_TEST_SEED gives the seed.
"""

import subprocess

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from seeds import random_seed
from safetensors.numpy import load_file
from shardsmith.jax import export_loss
from tools import tool
from training import shardsmith

SEED = random_seed()
SAMPLES = 24
RATE = 0.25
LAYERS = ("one", "two", "three")
OPTIONS = ["--optimizer", "sgd", "--lr", RATE, "--per-micro-batch-semantics"]


def normalise(x, scale, shift):
    mean = x.mean(0)
    variance = jnp.square(x - mean).mean(0)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-2) * scale + shift


def loss(params, batch):
    x = batch["x"] @ params["stem"]
    for layer in LAYERS:
        x = x @ params[layer]["w"]
        x = jax.nn.softplus(normalise(x, params[layer]["scale"], params[layer]["shift"]))
    # The largest of the batch, which samples are measured by.
    x = x / (1.0 + x.max(0))
    return jnp.square(x @ params["head"] - batch["y"]).mean()


def inputs(rng):
    def layer(rows, columns):
        return {
            "w": rng.normal(size=(rows, columns)),
            "scale": 1 + 0.2 * rng.normal(size=columns),
            "shift": 0.2 * rng.normal(size=columns),
        }

    params = {name: layer(8, 8) for name in LAYERS}
    params |= {"stem": rng.normal(size=(6, 8)), "head": rng.normal(size=(8, 3))}
    batch = {"x": rng.normal(size=(SAMPLES, 6)), "y": rng.normal(size=(SAMPLES, 3))}
    return jax.tree.map(lambda each: np.asarray(each, np.float32), (params, batch))


def micro_batches(batch, ranks, count):
    """Sample k of each rank's part belongs to micro-batch k mod count."""
    for number in range(count):
        part = SAMPLES // ranks
        rows = [i for i in range(SAMPLES) if i % part % count == number]
        yield {name: value[rows] for name, value in batch.items()}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "model.mlir"
    export_loss(loss, *inputs(np.random.default_rng(0)), path)
    return path


# Ranks over which samples are split, what is given, and micro-batches.
@pytest.mark.parametrize(
    "cluster, ranks, fix, count",
    [
        (1, 1, "micro-batch=12", 2),
        (1, 1, "micro-batch=4", 6),
        (2, 2, "dp=2,micro-batch=4,zero=0", 3),
        (2, 1, "tp=2,micro-batch=12", 2),
        (4, 2, "dp=2,tp=2,micro-batch=6,zero=1", 2),
        (2, 1, "pp=2,micro-batch=6,schedule=1f1b", 4),
        (1, 1, "micro-batch=24", 1),
    ],
)
def test_every_micro_batch_is_normalised_by_itself(
    model, cluster, ranks, fix, count, tmp_path
):
    folder = tmp_path / "out"
    shardsmith("compile", model, "--cluster", f"cpu:{cluster}", "--fix", fix, *OPTIONS, "-o", folder)
    out, _ = shardsmith("verify", folder)
    assert "0 mismatches" in out
    out, _ = shardsmith("check", folder)
    assert "accepted" in out

    initial, batches, results = (tmp_path / name for name in ("initial", "batches", "results"))
    shardsmith(
        "run", folder, "--steps", 1, "--seed", SEED % 1000, "--quiet",
        "--save-initial", initial, "--save-batches", batches, "--dump-outputs", results,
    )  # fmt: skip
    params = load_file(initial)
    batch = {key.rsplit(".", 1)[-1]: value for key, value in load_file(batches).items()}
    found = load_file(results)

    def tree(values):
        nested = {layer: {} for layer in LAYERS}
        for name, value in values.items():
            parts = name.split(".")[-2:]
            if parts[-1] in ("head", "stem"):
                nested[parts[-1]] = value
            else:
                nested[parts[0]][parts[1]] = value
        return jax.tree.map(lambda each: np.asarray(each, np.float64), nested)

    jax.config.update("jax_enable_x64", True)
    try:
        parts = list(micro_batches(batch, ranks, count))
        assert len(parts) == count
        values, gradients = zip(
            *(jax.value_and_grad(loss)(tree(params), part) for part in parts), strict=True
        )
    finally:
        jax.config.update("jax_enable_x64", False)
    expected_loss = np.mean([float(value) for value in values])
    gradient = jax.tree.map(lambda *each: np.mean(each, axis=0), *gradients)
    (loss_name,) = [name for name in found if found[name].shape == ()]
    np.testing.assert_allclose(found[loss_name], expected_loss, rtol=1e-5)
    after = tree({name: found[name] for name in params})
    before = tree(params)
    for path, mean in jax.tree_util.tree_leaves_with_path(gradient):
        pick = lambda values, path=path: np.asarray(
            dict(jax.tree_util.tree_leaves_with_path(values))[path]
        )
        step = (pick(before) - pick(after)) / RATE
        scale = max(np.abs(mean).max(), 1e-3)
        assert np.abs(step - mean).max() < 2e-5 * scale + 1e-5, jax.tree_util.keystr(path)


def test_without_the_option_micro_batches_are_refused(model, tmp_path):
    question = ["compile", model, "--cluster", "cpu:1", "--fix", "micro-batch=12"]
    done = subprocess.run(
        [tool("shardsmith"), *map(str, question), "-o", tmp_path / "out"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "the batch cannot be cut: 'stablehlo.subtract'" in done.stderr


def test_pairs_of_samples_stay_refused(tmp_path):
    def contrastive(params, batch):
        rows = batch["x"] @ params
        return jax.nn.logsumexp(rows @ rows.T, axis=-1).mean()

    path = tmp_path / "pairs.mlir"
    export_loss(contrastive, np.ones((6, 4), np.float32), {"x": np.ones((8, 6), np.float32)}, path)
    question = ["compile", path, "--cluster", "cpu:1", "--fix", "micro-batch=4"]
    done = subprocess.run(
        [tool("shardsmith"), *map(str, [*question, *OPTIONS]), "-o", tmp_path / "out"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "the batch cannot be cut: 'stablehlo.reduce'" in done.stderr
