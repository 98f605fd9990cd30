# SPDX-License-Identifier: Apache-2.0
"""ONNX models as folders that `run-onnx-models` reads, and what it answers."""

import json
import subprocess

import numpy as np
import onnx
from onnx import helper, numpy_helper
from safetensors.numpy import load_file, save_file


def write_case(folder, model, inputs):
    """`model` and arrays by the names of its inputs."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(
        model if isinstance(model, bytes) else model.SerializeToString()
    )
    save_file(
        {name: np.array(value, order="C") for name, value in inputs.items()},
        folder / "inputs.safetensors",
    )


def run_cases(binary, folders):
    """The answers by folder name, in one process."""
    done = subprocess.run(
        [binary, *map(str, folders)], capture_output=True, text=True, timeout=600
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, (answers[-1:], done.stderr[-2000:])
    return {answer["folder"].rsplit("/", 1)[-1]: answer for answer in answers}


def outputs_of(folder):
    return load_file(folder / "outputs.safetensors")
