# SPDX-License-Identifier: Apache-2.0
"""Small ONNX models are planned, compiled, trained and verified; losses and the
gradients of all parameters are compared with jax.grad in float64."""

import json

import pytest

jax = pytest.importorskip("jax")

import numpy as np  # noqa: E402
import onnx_models  # noqa: E402
from seeds import random_seed  # noqa: E402
from safetensors.numpy import load_file  # noqa: E402
from training import shardsmith, stack_batches  # noqa: E402

# A step of this size is nothing but gradient.
RATE = 4096
TOLERANCE = 1e-5


@pytest.fixture(params=onnx_models.MODELS, scope="module")
def written(request, tmp_path_factory):
    seed = random_seed(f"parameters of {request.param}")
    model, loss, options = onnx_models.MODELS[request.param](seed)
    path = tmp_path_factory.mktemp(request.param) / f"{request.param}.onnx"
    path.write_bytes(model.SerializeToString())
    return path, onnx_models.parameters(model), loss, options, seed


def double(tree):
    return {k: v.astype(np.float64) if v.dtype.kind == "f" else v for k, v in tree.items()}


@pytest.mark.parametrize("ranks", [1, 2])
def test_trains_as_jax_does(written, ranks, tmp_path):
    path, start, loss, options, seed = written
    print("seed", seed)
    out = tmp_path / "out"
    shardsmith(
        "compile", path, *options, "--global-batch", 8, "--cluster", f"cpu:{ranks}",
        "--optimizer", "sgd", "--lr", RATE, "-o", out,
    )  # fmt: skip
    end, batches, stacked = (out / name for name in ("end", "batches", "stacked"))
    text, _ = shardsmith(
        "run", out, "--steps", 1, "--seed", seed % 2**31, "--init", path,
        "--dump-outputs", end, "--save-batches", batches, "--json", "--quiet",
    )  # fmt: skip
    stack_batches(batches, stacked)
    batch = {name: value[0] for name, value in load_file(stacked).items()}
    ends = load_file(end)
    # Statistics that batch normalisation only tracks are no parameters.
    trained = {name: value for name, value in start.items() if name in ends}
    assert set(start) - set(trained) <= {"bn.running_mean", "bn.running_var"}
    with jax.enable_x64(True):
        expected, gradients = jax.jit(jax.value_and_grad(loss))(double(trained), double(batch))
    assert abs(json.loads(text)["losses"][0] - expected) <= TOLERANCE * abs(expected)
    largest = max(np.abs(gradient).max() for gradient in gradients.values())
    for name, gradient in gradients.items():
        actual = (start[name] - ends[name].astype(np.float64)) / RATE
        scale = np.abs(gradient).max(initial=1e-30)
        # A bias before a normalisation has no gradient, only what rounding
        # leaves of terms that cancel.
        scale = largest if scale < 1e-12 else scale
        assert np.abs(actual - gradient).max() <= TOLERANCE * scale, name
    shardsmith("verify", out)


def test_is_planned_for_gpus(written, tmp_path):
    path, _, _, options, _ = written
    shardsmith(
        "plan", path, *options, "--global-batch", 64, "--cluster", "8xh100",
        "-o", tmp_path,
    )  # fmt: skip
    shardsmith("check", tmp_path)
    text, _ = shardsmith("inspect", path, *options, "--global-batch", 64)
    assert text
