# SPDX-License-Identifier: Apache-2.0
"""Loss and gradients of a model file, from one step of a compiled program, and
whether they are PyTorch's."""

import json

import numpy as np
import torch
from safetensors.numpy import load_file
from safetensors.torch import save_file
from training import shardsmith, stack_batches

from shardsmith.torch import initial_tensors

# A step of this size is nothing but gradient.
RATE = 4096


def one_step(model, module, folder, ranks, seed, *options):
    """(loss, gradients, states and outputs, the batch that was drawn)."""
    folder.mkdir()
    init, end, batches, stacked = (
        folder / f"{name}.safetensors" for name in ("init", "end", "batches", "stacked")
    )
    save_file(initial_tensors(module, model.read_text()), init)
    out = folder / "out"
    shardsmith(
        "compile", model, "--cluster", f"cpu:{ranks}", "--optimizer", "sgd", "--lr", RATE,
        *options, "-o", out,
    )  # fmt: skip
    text, _ = shardsmith(
        "run", out, "--steps", 1, "--seed", seed, "--init", init, "--dump-outputs", end,
        "--save-batches", batches, "--json", "--quiet",
    )  # fmt: skip
    stack_batches(batches, stacked)
    batch = {name: value[0] for name, value in load_file(stacked).items()}
    ends = load_file(end)
    gradients = {
        name: (parameter.detach().double().numpy() - ends[name].astype(np.float64)) / RATE
        for name, parameter in module.named_parameters()
        if name in ends and parameter.requires_grad
    }
    rest = {name: value for name, value in ends.items() if name not in gradients}
    return json.loads(text)["losses"][0], gradients, rest, batch


def wrong_gradients(gradients, judge, tolerance):
    """What differs from the gradients of `judge`, the module in float64 after its
    backward pass, line by line."""
    wanted = {
        name: np.zeros(each.shape) if each.grad is None else each.grad.numpy()
        for name, each in judge.named_parameters()
    }
    assert set(gradients) == set(wanted)
    largest = max(np.abs(each).max() for each in wanted.values())
    wrong = []
    for name, gradient in gradients.items():
        # What cancels but for roundings is measured by the largest of all.
        scale = max(np.abs(wanted[name]).max(), 1e-3 * largest)
        gap = np.abs(gradient - wanted[name]).max() / scale
        if not gap <= tolerance:
            wrong.append(f"{name}: {gap:.1e}")
    return wrong


def in_double(drawn, names):
    """The batch that was drawn, as PyTorch takes it, floats in float64."""

    def tensor(name):
        value = torch.from_numpy(np.array(drawn[f"batch.{name}"]))
        return value.double() if value.is_floating_point() else value

    return {name: tensor(name) for name in names}
