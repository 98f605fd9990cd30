# SPDX-License-Identifier: Apache-2.0
"""The demo's model at its real size trains as in JAX, by the plan that is searched and
by others."""

import json
import os
import random

import pytest
from jax_reference import reference_losses
from notes import note
from ranks_of_plans import assert_ranks_are_as_planned
from seeds import random_seed
from training import compile_model, largest_gap, train, train_and_save

pytestmark = pytest.mark.takes_minutes
LONG = os.environ.get("SHARDSMITH_LONG_TESTS")
# The second loss is that of updated parameters.
STEPS = 3 if LONG else 2
TOLERANCE = 1e-4
ADAMW = ["--optimizer", "adamw", "--lr", "1e-3", "--weight-decay", "0.01"]


@pytest.fixture(scope="module")
def gpt2_124m(tmp_path_factory):
    """Losses on four ranks by the searched plan; and of JAX's own single
    process, from the same parameters and text."""
    folder = tmp_path_factory.mktemp("gpt2-124m")
    plan = compile_model("gpt2-124m", folder, 4, *ADAMW)
    losses, initial, batches = train_and_save(folder, plan, 4, STEPS)
    return losses, reference_losses(
        "gpt2-124m", initial, batches, "adamw", STEPS, learning_rate=1e-3, weight_decay=0.01
    )


def test_it_trains_by_the_searched_plan_as_in_jax(gpt2_124m):
    """The demo's model at its real size."""
    losses, expected = gpt2_124m
    assert largest_gap(losses, expected) < TOLERANCE


# Ranks by plan. Axes alone, and stages, and states, gradients and parameters that data
# ranks share out.
PLANS = {
    "data=4": 4,
    "tensor=4": 4,
    "fsdp=4": 4,
    "data=2,tensor=2": 4,
    "fsdp=2,tensor=2": 4,
    "pp=2,micro-batch=2,schedule=1f1b": 2,
    "pp=4,micro-batch=1,schedule=zb-h1": 4,
    "pp=2,dp=2,micro-batch=2,zero=1": 4,
    "dp=4,zero=1": 4,
    "dp=4,zero=2,micro-batch=1": 4,
    "dp=4,zero=3": 4,
}


def test_it_trains_by_given_plans_as_in_jax(gpt2_124m, tmp_path):
    """By a plan that is drawn: each takes the whole machine for half a minute.
    By all of them with SHARDSMITH_LONG_TESTS=1."""
    drawn = [random.Random(random_seed()).choice(list(PLANS))]
    for fix in PLANS if LONG else drawn:
        folder, ranks = tmp_path / fix, PLANS[fix]
        compile_model("gpt2-124m", folder, ranks, *ADAMW, fix=fix)
        report = train(folder, ranks, STEPS)
        _, expected = gpt2_124m
        gap = largest_gap(report["losses"], expected)
        note(f"gpt2-124m by {fix}: losses of {STEPS} steps within {gap:.1e} of JAX's")
        assert gap < TOLERANCE, fix
        plan = json.loads((folder / "plan.json").read_text())
        assert_ranks_are_as_planned(plan, report, STEPS, fix)
