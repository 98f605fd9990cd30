# SPDX-License-Identifier: Apache-2.0
"""Train steps of the small models on virtual devices: planned, partitioned and
interpreted, they give what the whole train step gives.

Padding of uneven pieces is NaN in the interpreter, so a mask that is missing
anywhere spoils the loss.
"""

import numpy as np
import pytest
from compiler_tools import ROOT, run_opt
from seeds import random_seed
from safetensors.numpy import load_file
from tools import run_tool

SEED = random_seed()

# Adam divides by the size of a gradient; where that is nothing but rounding
# errors its sign is random. A larger epsilon keeps such elements small.
OPTIMIZERS = {
    "sgd": "optimizer=sgd learning-rate=0.1 momentum=0.9",
    "adamw": "optimizer=adamw eps=1e-3",
}
MODELS = {"gpt2-tiny": "adamw", "llama-tiny": "adamw", "llama-tiny-scan": "sgd"}
PLANS = [
    "cluster=cpu:2",
    "cluster=cpu:3",
    "cluster=cpu:4",
    "cluster=cpu:6",
    "cluster=cpu:8",
    "cluster=cpu:4 fix=data=4",
    "cluster=cpu:4 fix=tensor=4",
    "cluster=cpu:4 fix=fsdp=4",
    "cluster=cpu:4 fix=data=2,tensor=2",
    "cluster=cpu:6 fix=data=2,tensor=3",
    "cluster=cpu:3 fix=tensor=3",
]


def interpret(text, folder, name):
    program, results = folder / f"{name}.mlir", folder / f"{name}.safetensors"
    program.write_text(text)
    run_tool(
        "shardsmith-interpret", program,
        "--quiet", "--seed", SEED, "--steps", 2, "--outputs", results,
    )  # fmt: skip
    return load_file(results)


@pytest.fixture(scope="module", params=MODELS)
def train_step(request, tmp_path_factory):
    """Text of a whole train step and what two steps of it give."""
    model = (ROOT / "test/models" / f"{request.param}.mlir").read_text()
    optimizer = OPTIMIZERS[MODELS[request.param]]
    text = run_opt(model, "--import", f"--train={optimizer}")
    return text, interpret(text, tmp_path_factory.mktemp("whole"), "whole")


@pytest.mark.parametrize("plan", PLANS)
def test_partitioned_equals_whole(train_step, plan, tmp_path):
    text, whole = train_step
    parts = interpret(run_opt(text, f"--plan={plan}", "--partition"), tmp_path, "local")
    assert parts.keys() == whole.keys()
    np.testing.assert_allclose(parts["loss"], whole["loss"], rtol=1e-5)
    for name, expected in whole.items():
        scale = np.abs(expected).max(initial=1e-30)
        np.testing.assert_allclose(
            parts[name] / scale, expected / scale, atol=1e-5, err_msg=name
        )
