# SPDX-License-Identifier: Apache-2.0
"""Values and gradients of single functions. A family is one model, whose loss
adds up what its functions give, each on parameters of its own."""

import copy

import numpy as np
import pytest
import torch
from seeds import random_seed
from torch_op_cases import FAMILIES
from trained_models import one_step

from shardsmith.torch import export_loss

TOLERANCE = 2e-5


class Family(torch.nn.Module):
    def __init__(self, cases):
        super().__init__()
        self.functions = [function for _, function in cases.values()]
        self.tensors = torch.nn.ParameterList(
            torch.randn(shape) for shapes, _ in cases.values() for shape in shapes
        )
        self.counts = [len(shapes) for shapes, _ in cases.values()]

    def tensors_of(self):
        rest = iter(self.tensors)
        return [[next(rest) for _ in range(count)] for count in self.counts]

    def results(self, scale):
        """One number for each function, of which each element counts otherwise."""
        for function, tensors in zip(self.functions, self.tensors_of()):
            result = function(*tensors)
            flat = result.reshape(-1)
            weights = torch.cos(torch.arange(flat.shape[0], dtype=flat.dtype))
            yield (flat * weights).sum() * scale


def loss_of(module, batch):
    # One, but not known to be.
    scale = (batch["x"] * 0).mean() + 1
    each = list(module.results(scale))
    return torch.stack(each).sum(), torch.stack(each)


@pytest.mark.parametrize("family", FAMILIES)
def test_values_and_gradients(family, tmp_path):
    seed = random_seed() % 2**31
    torch.manual_seed(seed)
    cases = FAMILIES[family]
    module = Family(cases)
    model = tmp_path / "family.mlir"
    batch = {"x": torch.zeros(4)}
    export_loss(module, batch, model, loss=loss_of, has_aux=True)
    _, gradients, rest, _ = one_step(model, module, tmp_path / "run", 1, seed)

    judge = copy.deepcopy(module).double()
    total, each = loss_of(judge, {"x": torch.zeros(4, dtype=torch.float64)})
    total.backward()
    wrong = []
    values, wanted = rest["aux"], each.detach().numpy()
    parameters = iter(judge.named_parameters())
    for i, (name, (shapes, _)) in enumerate(cases.items()):
        if abs(values[i] - wanted[i]) > TOLERANCE * max(abs(wanted[i]), 1):
            wrong.append(f"{name}: value {values[i]} instead of {wanted[i]}")
        for place in range(len(shapes)):
            parameter, tensor = next(parameters)
            gradient = tensor.grad.numpy() if tensor.grad is not None else np.zeros(tensor.shape)
            gap = np.abs(gradients[parameter] - gradient).max()
            if not gap <= TOLERANCE * max(np.abs(gradient).max(), 1e-2):
                wrong.append(f"{name}: gradient of operand {place} is off by {gap}")
    assert not wrong, "\n".join(wrong)
