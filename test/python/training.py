# SPDX-License-Identifier: Apache-2.0
"""Compiles models and trains them with the programs, for tests."""

import json
import re
import subprocess

import numpy as np
from safetensors.numpy import load_file, save_file
from tools import ROOT, tool

MODELS = ROOT / "test" / "models"
SEED = 7


def shardsmith(*arguments, code=0):
    """Runs the command and returns what it printed on (stdout, stderr)."""
    done = subprocess.run(
        [tool("shardsmith"), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == code, (arguments, done.returncode, done.stderr)
    return done.stdout, done.stderr


def compile_model(model, folder, ranks, *options, fix=None):
    """Compiles test/models/MODEL.mlir and returns the layouts of its train step."""
    fixed = ["--fix", fix] if fix else []
    source = MODELS / f"{model}.mlir"
    cluster = ["--cluster", f"cpu:{ranks}"]
    shardsmith("compile", source, *cluster, *fixed, *options, "-o", folder)
    plan = json.loads((folder / "plan.json").read_text())
    return plan["layouts"]["train_step"]


def train(folder, ranks, steps, *options):
    """Runs a compiled program and returns its summary."""
    options = ["--ranks", ranks, "--steps", steps, "--seed", SEED, *options]
    out, _ = shardsmith("run", folder, *options, "--json", "--quiet")
    return json.loads(out)


def stack_batches(saved, stacked):
    """Turns `stepN/name` tensors into one tensor per name, steps in front."""
    steps = {}
    for key, value in load_file(saved).items():
        number, name = re.fullmatch(r"step(\d+)/(.+)", key).groups()
        steps.setdefault(name, {})[int(number)] = value
    save_file(
        {
            name: np.stack([values[step] for step in range(len(values))])
            for name, values in steps.items()
        },
        stacked,
    )


def keep_parameters(saved, plan, kept):
    """Copies the parameters of a file that holds optimizer state as well."""
    tensors = load_file(saved)
    names = [tensor["name"] for tensor in plan["arguments"] if tensor["role"] == "param"]
    save_file({name: tensors[name] for name in names}, kept)


def largest_gap(losses, expected):
    """Largest relative difference of two runs' losses."""
    losses, expected = np.array(losses), np.array(expected)
    assert losses.shape == expected.shape and np.isfinite(losses).all()
    return float(np.max(np.abs(losses - expected) / np.abs(expected)))


def train_and_save(folder, plan, ranks, steps):
    """Losses, and the files from which JAX trains the same."""
    saved = folder / "saved-initial", folder / "saved-batches"
    saving = ["--save-initial", saved[0], "--save-batches", saved[1]]
    losses = train(folder, ranks, steps, *saving)["losses"]
    initial, batches = folder / "initial.safetensors", folder / "batches.safetensors"
    keep_parameters(saved[0], plan, initial)
    stack_batches(saved[1], batches)
    return losses, initial, batches
