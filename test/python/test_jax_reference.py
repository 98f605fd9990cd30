# SPDX-License-Identifier: Apache-2.0
"""The JAX reference runs, learns and reads back what it wrote."""

import numpy as np
import pytest

pytest.importorskip("jax")

from jax_reference import MODELS, load_params, reference_losses  # noqa: E402
from jax_reference import save_batches, save_params  # noqa: E402


@pytest.mark.parametrize("name", ["gpt2-tiny", "gpt2-tiny-bf16", "llama-tiny"])
@pytest.mark.parametrize("optimizer", ["adamw", "sgd"])
def test_first_loss_is_that_of_the_initial_weights(name, optimizer, tmp_path):
    model = MODELS[name]
    save_params(name, tmp_path / "init.safetensors", seed=3)
    save_batches(name, tmp_path / "batches.safetensors", steps=4, seed=4)
    losses = reference_losses(
        name,
        tmp_path / "init.safetensors",
        tmp_path / "batches.safetensors",
        optimizer,
        4,
        learning_rate=1e-2,
        clip=1.0,
    )
    chance = np.log(model.config.vocabulary)
    assert losses[0] == pytest.approx(chance, rel=0.3)
    assert len(set(losses)) == 4


def test_scanned_and_unrolled_layers_are_the_same_model(tmp_path):
    import jax
    import jax.numpy as jnp

    scanned, unrolled = MODELS["llama-tiny-scan"], MODELS["llama-tiny"]
    save_params("llama-tiny-scan", tmp_path / "init.safetensors")
    params = load_params(scanned, tmp_path / "init.safetensors")
    stacked = params.pop("layers")
    flat = dict(params)
    for layer in range(unrolled.config.layers):
        flat[f"layers_{layer}"] = jax.tree.map(lambda w: w[layer], stacked)
    rng = np.random.default_rng(5)
    batch = {
        name: jnp.asarray(rng.integers(97, size=leaf.shape), leaf.dtype)
        for name, leaf in scanned.batch_shape().items()
    }
    expected = unrolled.loss(flat, batch)
    assert scanned.loss({**params, "layers": stacked}, batch) == pytest.approx(expected)
