# SPDX-License-Identifier: Apache-2.0
"""The main job: every plan trains as one rank does, and as JAX does."""

import os
import random
from functools import cache

import pytest
from seeds import random_seed
from jax_reference import reference_losses
from training import (
    compile_model,
    largest_gap,
    train,
    train_and_save,
)

STEPS = 6
TOLERANCE = 1e-4
OPTIMIZERS = {
    "adamw": (
        ["--optimizer", "adamw", "--lr", "1e-3", "--weight-decay", "0.01"],
        dict(learning_rate=1e-3, weight_decay=0.01),
    ),
    "sgd": (
        ["--optimizer", "sgd", "--lr", "0.05", "--momentum", "0.9"],
        dict(learning_rate=0.05, momentum=0.9),
    ),
}
PLANS = [
    ("data=4", 4),
    ("tensor=4", 4),
    ("data=2,tensor=2", 4),
    ("fsdp=4", 4),
    ("fsdp=2,tensor=2", 4),
    (None, 4),
    ("data=2", 2),
    ("tensor=2", 2),
    ("data=3", 3),
    ("tensor=3", 3),
    ("fsdp=3", 3),
    ("data=3,tensor=2", 6),
    ("fsdp=2,tensor=3", 6),
    ("data=2,tensor=4", 8),
    ("fsdp=8", 8),
    (None, 3),
    (None, 8),
]


@pytest.fixture(scope="module")
def single(tmp_path_factory):
    """Losses of one rank, and the files that make JAX train the same."""

    @cache
    def run(model, optimizer):
        folder = tmp_path_factory.mktemp(f"{model}-{optimizer}")
        plan = compile_model(model, folder, 1, *flags_of(optimizer))
        return train_and_save(folder, plan, 1, STEPS)

    return run


def flags_of(optimizer):
    """None: the model brings its own."""
    return OPTIMIZERS[optimizer][0] if optimizer else []


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("model", ["gpt2-tiny", "llama-tiny", "llama-tiny-scan"])
def test_one_rank_trains_as_jax_does(single, model, optimizer):
    losses, initial, batches = single(model, optimizer)
    _, settings = OPTIMIZERS[optimizer]
    expected = reference_losses(model, initial, batches, optimizer, STEPS, **settings)
    assert largest_gap(losses, expected) < TOLERANCE


@pytest.mark.parametrize("plan,ranks", PLANS)
@pytest.mark.parametrize("model", ["gpt2-tiny", "llama-tiny"])
def test_every_plan_trains_as_one_rank_does(single, tmp_path, model, plan, ranks):
    """With an optimizer that is drawn, or with SHARDSMITH_LONG_TESTS=1 with each."""
    drawn = [random.Random(random_seed()).choice(list(OPTIMIZERS))]
    for optimizer in OPTIMIZERS if os.environ.get("SHARDSMITH_LONG_TESTS") else drawn:
        print(optimizer)
        check_plan(single, tmp_path / optimizer, model, optimizer, plan, ranks)


@pytest.mark.parametrize("plan,ranks", PLANS[:6])
def test_a_finished_train_step_trains_as_on_one_rank(single, tmp_path, plan, ranks):
    """One that JAX differentiated, with optax's AdamW in it."""
    check_plan(single, tmp_path, "gpt2-tiny-train-step", None, plan, ranks)


@pytest.mark.parametrize("plan,ranks", [("data=4", 4), ("data=2,tensor=2", 4)])
def test_bfloat16_trains_within_its_precision(tmp_path, plan, ranks):
    """bf16 keeps 8 bits, so sums in another order differ by some 2^-8."""
    options = [*OPTIMIZERS["adamw"][0], "--compute-dtype", "bf16"]
    compile_model("gpt2-tiny", tmp_path / "single", 1, *options)
    compile_model("gpt2-tiny", tmp_path / "plan", ranks, *options, fix=plan)
    expected = train(tmp_path / "single", 1, STEPS)["losses"]
    losses = train(tmp_path / "plan", ranks, STEPS)["losses"]
    assert largest_gap(losses, expected) < 2**-8


def check_plan(single, tmp_path, model, optimizer, plan, ranks):
    expected, _, _ = single(model, optimizer)
    made = compile_model(model, tmp_path, ranks, *flags_of(optimizer), fix=plan)
    summary = train(tmp_path, ranks, STEPS)
    assert largest_gap(summary["losses"], expected) < TOLERANCE

    predicted = summary["predicted"]
    counted = set(summary["communication_bytes_per_step"])
    assert counted == {predicted["communication_bytes_per_rank"]}
    assert predicted["peak_bytes"] == pytest.approx(summary["arena_bytes"], rel=0.02)
    if plan:
        axes = dict(entry.split("=") for entry in plan.split(","))
        mesh = {axis["name"]: str(axis["size"]) for axis in made["mesh"]}
        assert mesh == axes
