# SPDX-License-Identifier: Apache-2.0
"""Every model of test/zoo is imported, planned for GPUs and for processors,
compiled, trained, verified, and compared with jax.grad. On a number of ranks
that is drawn a model shows either its gradients or three steps, which is drawn
as well; with SHARDSMITH_LONG_TESTS=1 all models show both, on 1, 2 and 4."""

import json
import os
import random
import sys
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import pytest

jax = pytest.importorskip("jax")

import numpy as np  # noqa: E402
from compiler_tools import as_double  # noqa: E402
from seeds import random_seed  # noqa: E402
from safetensors.numpy import load_file, save_file  # noqa: E402
from shardsmith._leaves import named_leaves  # noqa: E402
from shardsmith.jax import export_loss  # noqa: E402
from tools import ROOT  # noqa: E402
from training import shardsmith, stack_batches  # noqa: E402

sys.path.insert(0, str(ROOT / "test" / "zoo"))
import zoo  # noqa: E402

LONG = os.environ.get("SHARDSMITH_LONG_TESTS") == "1"
STEPS, RATE = 3, 0.05
# A step of this size is nothing but gradient.
GRADIENT_RATE = 4096
# Gradients in f32 against JAX's, relative to the largest element of each, or
# where that is small, to this part of the largest element of all.
TOLERANCE, CANCELLED = 1e-5, 1e-2
# A gradient that is zero in exact arithmetic, as of a bias that every sample
# adds to both sides of a comparison, is in f32 what rounding leaves of its
# terms: of a hundred terms as large as the largest element, or fewer.
NOTHING, ROUNDING_OF_NOTHING = 1e-12, 100 * 2**-24
# How much farther than JAX in float32 steps may end from those in float64, and how
# much farther than the tolerance: a decision that went the other way is no rounding.
MORE_THAN_JAX, MOST_LOST = 4, 10


# How many ranks a test takes: all of these, or one that it draws.
COUNTS = [1, 2, 4]
RANKS = COUNTS if LONG else ["some"]


def draw_ranks(ranks, seed):
    return random.Random(seed).choice(COUNTS) if ranks == "some" else ranks


@pytest.fixture(params=zoo.MODELS, scope="module")
def exported(request, tmp_path_factory):
    name = request.param
    return export(name, tmp_path_factory.mktemp(name), f"parameters of {name}")


@dataclass
class Exported:
    """A model, its file and its initial parameters, drawn anew, and the seed."""

    model: zoo.ZooModel
    path: Path
    initial: Path
    seed: int

    @cached_property
    def step(self):
        """Loss and gradients in JAX, compiled once for all tests of a model."""
        return jax.jit(jax.value_and_grad(self.model.loss))


def export(name, folder, drawn_as=None):
    seed = random_seed(drawn_as)
    model = zoo.MODELS[name](zoo.Parameters(seed))
    path = folder / f"{name}.mlir"
    export_loss(model.loss, model.params, model.batch, path, limits=model.limits)
    initial = folder / "initial.safetensors"
    save_file({name: leaf for name, leaf in named_leaves(model.params)}, initial)
    return Exported(model, path, initial, seed)


def build(path, folder, ranks, rate, *options):
    shardsmith(
        "compile", path, "--cluster", f"cpu:{ranks}", "--optimizer", "sgd",
        "--lr", rate, "-o", folder, *options,
    )  # fmt: skip


def run(folder, initial, seed, steps):
    """Losses, parameters at the end, and the batches that were drawn."""
    end, batches, stacked = (folder / name for name in ("end", "batches", "stacked"))
    out, _ = shardsmith(
        "run", folder, "--steps", steps, "--seed", seed % 2**31, "--init", initial,
        "--dump-outputs", end, "--save-batches", batches, "--json", "--quiet",
    )  # fmt: skip
    stack_batches(batches, stacked)
    return json.loads(out)["losses"], load_file(end), load_file(stacked)


def batch_of(model, batches, step):
    leaves = [batches[name][step] for name, _ in named_leaves(model.batch, "batch")]
    return jax.tree.unflatten(jax.tree.structure(model.batch), leaves)


def largest(tree):
    return max(np.abs(leaf).max(initial=1e-30) for leaf in jax.tree.leaves(tree))


def error_of(actual, expected, least=0):
    """The largest difference, relative to the largest element, or to `least`."""
    expected = np.asarray(expected, np.float64)
    difference = np.abs(np.asarray(actual, np.float64) - expected).max(initial=0)
    return difference / max(largest(expected), least)


def assert_near(actual, expected, tolerance, what, least=0):
    error = error_of(actual, expected, least)
    assert error <= tolerance, f"{what}: {error:.2e}"


def test_is_planned_for_gpus(exported, tmp_path):
    shardsmith("plan", exported.path, "--cluster", "8xh100", "-o", tmp_path)
    shardsmith("check", tmp_path)


# How features are split, not only samples.
SPLITS = [("tensor=2", 2), ("tensor=4", 4), ("data=2,tensor=2", 4), ("fsdp=4", 4)]


@pytest.mark.parametrize("split,ranks", SPLITS)
@pytest.mark.parametrize("name", ["lenet", "resnet_with_batch_norm", "unet", "mixture"])
def test_gradients_of_any_split_are_those_of_jax(name, split, ranks, tmp_path):
    check_gradients(export(name, tmp_path), ranks, tmp_path / "out", "--fix", split)


def check_gradients(exported, ranks, folder, *options):
    model, seed = exported.model, exported.seed
    print("seed", seed, "ranks", ranks)
    build(exported.path, folder, ranks, GRADIENT_RATE, *options)
    check_gradients_of_run(exported, *run(folder, exported.initial, seed, 1))


def check_gradients_of_run(exported, losses, end, batches):
    """What one step of GRADIENT_RATE says of loss and gradients is what JAX says."""
    starts = dict(named_leaves(exported.model.params))
    actual = {
        name: (starts[name] - after.astype(np.float64)) / GRADIENT_RATE
        for name, after in end.items()
        if name in starts
    }
    batch = batch_of(exported.model, batches, 0)

    @cache
    def in_single():
        return dict(named_leaves(exported.step(exported.model.params, batch)[1]))

    def check_against(reference):
        loss, gradients = reference
        assert_near(losses[0], loss, TOLERANCE, "loss")
        most = largest(gradients)
        for name, gradient in named_leaves(gradients):
            if largest(gradient) <= NOTHING * most:
                assert_near(actual[name], gradient, ROUNDING_OF_NOTHING, name, most)
                continue
            # A bias of one element is a sum whose terms may all but cancel.
            least = CANCELLED * most
            assert_near_as_jax(actual, name, gradient, TOLERANCE, least, in_single)

    check_any(steps_within_rounding(exported, batch), check_against)


def assert_near_as_jax(values, name, expected, tolerance, least, in_single):
    """Of what loses digits, as near as JAX's own in float32: `in_single()` by names."""
    if error_of(values[name], expected, least) > tolerance:
        rounding = MORE_THAN_JAX * error_of(in_single()[name], expected, least)
        tolerance = min(rounding, MOST_LOST * tolerance)
    assert_near(values[name], expected, tolerance, name, least)


def check_any(references, check):
    """One of the references must pass; of the first is told why it does not."""
    errors = []
    for reference in references:
        try:
            return check(reference)
        except AssertionError as error:
            errors.append(error)
    raise errors[0]


def steps_within_rounding(exported, batch):
    """JAX's loss and gradients in float64, in float32, and in float64 of parameters that
    float32 can hardly tell from the model's. Where a value before a relu is zero
    but for rounding, or two that a pool takes the larger of are equal, rounding
    decides where the gradient goes, and either is right."""
    params, wide_batch = as_double(exported.model.params), as_double(batch)
    with jax.enable_x64(True):
        yield exported.step(params, wide_batch)
    yield exported.step(exported.model.params, batch)
    draw = np.random.default_rng(exported.seed)
    move = lambda leaf: leaf * (1 + 3e-7 * draw.standard_normal(leaf.shape))
    for _ in range(16):
        moved = jax.tree.map(
            lambda leaf: move(leaf) if leaf.dtype.kind == "f" else leaf, params
        )
        with jax.enable_x64(True):
            yield exported.step(moved, wide_batch)


def check_training(exported, ranks, folder):
    seed = exported.seed
    print("seed", seed, "ranks", ranks)
    build(exported.path, folder, ranks, RATE)
    losses, end, batches = run(folder, exported.initial, seed, STEPS)

    stepped = [batch_of(exported.model, batches, i) for i in range(STEPS)]
    usual = STEPS * TOLERANCE

    @cache
    def trained(wide):
        return trained_by_jax(exported, stepped, wide)

    def in_single():
        return dict(named_leaves(trained(False)[1]))

    def check_against(reference):
        expected_losses, params, gradients = reference
        for i, (loss, expected) in enumerate(zip(losses, expected_losses, strict=True)):
            assert_near(loss, expected, TOLERANCE, f"loss of step {i}")
        # A bias that began at zero is the sum of three gradients.
        least = CANCELLED * RATE * largest(gradients)
        for name, value in named_leaves(params):
            # Some models lose digits in three steps, whoever computes them.
            assert_near_as_jax(end, name, value, usual, least, in_single)

    # In float32 rounding may decide as ours does; see above.
    check_any((trained(wide) for wide in (True, False)), check_against)
    shardsmith("verify", folder)


def trained_by_jax(exported, batches, wide):
    """Losses, parameters at the end and the last gradients in float64 or float32."""
    widen = as_double if wide else lambda tree: tree
    with jax.enable_x64(wide):
        losses, params = [], widen(exported.model.params)
        for batch in batches:
            loss, gradients = exported.step(params, widen(batch))
            losses.append(loss)
            params = jax.tree.map(lambda p, g: p - RATE * g, params, gradients)
    return losses, params, gradients


CHECKS = {"gradients": check_gradients, "training": check_training}


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("what", CHECKS if LONG else ["either"])
def test_is_what_it_is_in_jax(exported, what, ranks, tmp_path):
    if what == "either":
        what = random.Random(exported.seed + 1).choice(list(CHECKS))
    print(what)
    CHECKS[what](exported, draw_ranks(ranks, exported.seed), tmp_path)
