# SPDX-License-Identifier: Apache-2.0
"""Trains a model of test/models in JAX, in one process: the reference whose
losses a partitioned program must reproduce."""

import os
import sys
from pathlib import Path

os.environ.setdefault("JAX_PLATFORMS", "cpu")
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "test/models")]

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import optax  # noqa: E402
from models import MODELS, train_step_of  # noqa: E402
from safetensors.numpy import load_file, save_file  # noqa: E402

from shardsmith._leaves import named_leaves  # noqa: E402


def reference_losses(
    model_name,
    init_path,
    batches_path,
    optimizer,
    steps,
    *,
    learning_rate=1e-3,
    momentum=None,
    b1=0.9,
    b2=0.999,
    eps=1e-8,
    weight_decay=1e-4,
    clip=None,
):
    """Losses of the first `steps` steps, each taken before its update.

    Args:
      model_name: a key of `models.MODELS`; must be a forward model.
      init_path: safetensors file with one tensor per parameter name.
      batches_path: safetensors or `.npz` file with one array per batch
        argument name (`batch.tokens`), whose first dimension is the step.
      optimizer: "adamw", "adam" or "sgd"; the other keywords are optax's.
      clip: largest global gradient norm, or None.
    """
    model = MODELS[model_name]
    params = load_params(model, init_path)
    batches = load_batches(batches_path)
    match optimizer:
        case "adamw":
            rule = optax.adamw(learning_rate, b1, b2, eps, weight_decay=weight_decay)
        case "adam":
            rule = optax.adam(learning_rate, b1, b2, eps)
        case "sgd":
            rule = optax.sgd(learning_rate, momentum)
        case _:
            raise ValueError(f"no optimizer '{optimizer}': adamw, adam, sgd")
    if clip is not None:
        rule = optax.chain(optax.clip_by_global_norm(clip), rule)

    step = jax.jit(train_step_of(model, rule))
    state = rule.init(params)
    losses = []
    for index in range(steps):
        batch = {name: jnp.asarray(array[index]) for name, array in batches.items()}
        params, state, loss = step(params, state, batch)
        losses.append(float(loss))
    return losses


def load_params(model, path):
    """The model's parameter tree, filled from a file by name."""
    stored = load_file(path)
    shapes = jax.eval_shape(model.init)
    leaves = []
    for name, leaf in named_leaves(shapes):
        tensor = stored.pop(name)
        assert tensor.shape == leaf.shape, (name, tensor.shape, leaf.shape)
        leaves.append(jnp.asarray(tensor, leaf.dtype))
    assert not stored, f"not parameters of the model: {sorted(stored)}"
    return jax.tree.unflatten(jax.tree.structure(shapes), leaves)


def load_batches(path):
    """Batch argument -> array of all steps; the prefix `batch.` is dropped."""
    path = Path(path)
    arrays = np.load(path) if path.suffix == ".npz" else load_file(path)
    return {name.removeprefix("batch."): arrays[name] for name in arrays}


def save_params(model_name, path, seed=0):
    """Writes initial weights made by JAX, for the compiled program to read."""
    params = MODELS[model_name].init(seed)
    save_file({name: np.asarray(leaf) for name, leaf in named_leaves(params)}, path)


def save_batches(model_name, path, steps, seed=0):
    """Writes `steps` random batches."""
    model = MODELS[model_name]
    rng = np.random.default_rng(seed)
    save_file(
        {
            f"batch.{name}": rng.integers(
                model.limits()[name], size=(steps, *leaf.shape), dtype=leaf.dtype
            )
            for name, leaf in model.batch_shape().items()
        },
        path,
    )
