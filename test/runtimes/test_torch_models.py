# SPDX-License-Identifier: Apache-2.0
"""Models in plain PyTorch are exported, planned, compiled and trained: losses,
all gradients and all averages are those of PyTorch in float64."""

import copy

import numpy as np
import pytest
import torch
from seeds import random_seed
from torch_zoo import ZOO
from trained_models import in_double, one_step

from shardsmith.torch import export_loss

TOLERANCE = 1e-5

# Of these also a program of two ranks is run.
ON_TWO_RANKS = {"gpt", "llama", "mixture", "resnet-batch-norm", "dlrm"}

CASES = [(name, 1) for name in ZOO] + [(name, 2) for name in sorted(ON_TWO_RANKS)]


@pytest.mark.parametrize("name, ranks", CASES)
def test_trains_as_pytorch_does(name, ranks, tmp_path):
    seed = random_seed() % 2**31
    torch.manual_seed(seed)
    case = ZOO[name]()
    # Biases and scales that begin as zeros and ones would hide mistakes.
    with torch.no_grad():
        for parameter in case.module.parameters():
            if parameter.ndim == 1:
                parameter.add_(torch.randn_like(parameter) * 0.1)
    model = tmp_path / f"{name}.mlir"
    export_loss(case.module, case.batch, model, loss=case.loss, limits=case.limits)

    loss, gradients, states, drawn = one_step(
        model, case.module, tmp_path / "run", ranks, seed
    )
    judge = copy.deepcopy(case.module).double()
    expected = case.loss(judge, in_double(drawn, case.batch))
    expected.backward()

    assert abs(loss - expected.item()) <= TOLERANCE * abs(expected.item())
    wanted_gradients = {
        # What nobody reads has none.
        parameter: np.zeros(each.shape) if each.grad is None else each.grad.numpy()
        for parameter, each in judge.named_parameters()
    }
    assert set(gradients) == set(wanted_gradients)
    largest = max(np.abs(each).max() for each in wanted_gradients.values())
    for parameter, gradient in gradients.items():
        wanted = wanted_gradients[parameter]
        scale = np.abs(wanted).max(initial=1e-30)
        # A bias before a normalisation has no gradient, only what rounding
        # leaves of terms that cancel.
        scale = largest if scale < 1e-12 else scale
        assert np.abs(gradient - wanted).max() <= TOLERANCE * scale, parameter
    for buffer, value in judge.named_buffers():
        if buffer in states:
            np.testing.assert_allclose(states[buffer], value.numpy(), rtol=1e-5, atol=1e-6)
