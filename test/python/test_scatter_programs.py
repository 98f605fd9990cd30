# SPDX-License-Identifier: Apache-2.0
"""A model whose scatters take maxima, minima and products is planned, trained by a
program on two ranks, and computes what the interpreter does."""

import json
import sys

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

from seeds import random_seed  # noqa: E402
from tools import ROOT  # noqa: E402
from training import shardsmith  # noqa: E402

sys.path.insert(0, str(ROOT / "python"))

from shardsmith.jax import export_loss  # noqa: E402

SAMPLES, LENGTH, HIDDEN, ROWS, SLOTS = 8, 6, 12, 10, 5


def loss(params, batch):
    """Tokens fall into slots of their sample, samples into rows of two tables."""
    hidden = jnp.tanh(params["tokens"][batch["tokens"]] @ params["w"])
    places = jnp.arange(SAMPLES)[:, None], batch["slots"]
    slots = jnp.zeros((SAMPLES, SLOTS, HIDDEN))
    highest, lowest = (slots - 2).at[places].max(hidden), (slots + 2).at[places].min(hidden)
    out = (highest + lowest).sum(1) @ params["out"]
    scales = params["scales"].at[batch["rows"]].multiply(1 + 0.1 * hidden.mean(1))
    peaks = params["peaks"].at[batch["rows"]].max(hidden[:, 0])
    return jnp.mean((out - batch["y"]) ** 2) + jnp.mean(scales**2) + jnp.mean(peaks**2)


def model():
    shapes = {
        "tokens": (20, HIDDEN),
        "w": (HIDDEN, HIDDEN),
        "out": (HIDDEN, 3),
        "scales": (ROWS, HIDDEN),
        "peaks": (ROWS, HIDDEN),
    }
    params = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    places = {"tokens": (SAMPLES, LENGTH), "slots": (SAMPLES, LENGTH), "rows": (SAMPLES,)}
    batch = {name: np.zeros(shape, np.int32) for name, shape in places.items()}
    batch["y"] = np.zeros((SAMPLES, 3), np.float32)
    return export_loss(loss, params, batch, limits={"tokens": 20, "slots": SLOTS, "rows": ROWS})


@pytest.mark.parametrize("split", ["data", "tensor"])
def test_programs_compute_what_the_interpreter_does(split, tmp_path):
    path, folder = tmp_path / "model.mlir", tmp_path / "build"
    path.write_text(model())
    shardsmith("compile", path, "--cluster", "cpu:2", "--fix", f"{split}=2", "-o", folder)
    report = shardsmith("verify", folder, "--json", "--seed", random_seed() % 2**32)[0]
    rows = json.loads(report)["comparisons"]
    assert {row["execution"] for row in rows} == {"executable", "partitioned"}
    assert all(row["holds"] for row in rows)
