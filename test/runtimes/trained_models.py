# SPDX-License-Identifier: Apache-2.0
"""Loss and gradients of a model file, from one step of a compiled program."""

import json

import numpy as np
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
