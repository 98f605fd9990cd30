# SPDX-License-Identifier: Apache-2.0
"""Model classes of `diffusers` are exported and planned from their configurations,
and trained: loss and all gradients are those of PyTorch in float64."""

import copy
import json

import diffusers
import pytest
import torch
import torch.nn.functional as F
from diffusers_zoo import ZOO
from seeds import random_seed
from tools import run_tool
from torch.utils.flop_counter import FlopCounterMode
from trained_models import in_double, one_step, wrong_gradients
from training import shardsmith

from shardsmith.torch import export_loss

TOLERANCE = 1e-5


@pytest.mark.parametrize("name", ZOO)
def test_is_exported_without_weights(name):
    case = ZOO[name]
    with torch.device("meta"):
        module = case.make()
    text = export_loss(module.train(), case.batch, loss=case.loss, limits=case.limits)
    run_tool("shardsmith-opt", "--import", text=text)


def noise_of(**names):
    def loss(model, batch):
        given = {argument: batch[name] for argument, name in names.items()}
        return F.mse_loss(model(**given).sample, batch["noise"])

    return loss


def unet():
    """That of "Denoising Diffusion Probabilistic Models" for images of 32 × 32."""
    with torch.device("meta"):
        return diffusers.UNet2DModel(
            sample_size=32, in_channels=3, out_channels=3, block_out_channels=(128, 256, 256, 256),
            layers_per_block=2, attention_head_dim=None, dropout=0.1,
            down_block_types=("DownBlock2D", "AttnDownBlock2D", "DownBlock2D", "DownBlock2D"),
            up_block_types=("UpBlock2D", "UpBlock2D", "AttnUpBlock2D", "UpBlock2D"),
        )  # fmt: skip


def dit():
    """DiT-XL/2 for images of 256 × 256."""
    with torch.device("meta"):
        return diffusers.DiTTransformer2DModel(
            num_attention_heads=16, attention_head_dim=72, in_channels=4, out_channels=8,
            num_layers=28, sample_size=32, patch_size=2, num_embeds_ada_norm=1000,
        )  # fmt: skip


def loss_of_dit(model, batch):
    given = {name: batch[name] for name in ("timestep", "class_labels")}
    return F.mse_loss(model(batch["sample"], **given).sample[:, :4], batch["noise"])


@pytest.mark.parametrize(
    "make, loss, inputs, image",
    [
        (unet, noise_of(sample="sample", timestep="timestep"), {"timestep": 1000}, (3, 32, 32)),
        (dit, loss_of_dit, {"timestep": 1000, "class_labels": 1000}, (4, 32, 32)),
    ],
    ids=["unet", "dit"],
)
def test_published_sizes_plan_without_weights(make, loss, inputs, image, tmp_path):
    """Parameters and operations are those that PyTorch counts, which leaves out what
    is no product."""

    def batch_of(samples, **options):
        batch = {name: torch.zeros(samples, *image, **options) for name in ("sample", "noise")}
        return batch | {name: torch.zeros(samples, dtype=torch.long, **options) for name in inputs}

    module, model, folder = make().train(), tmp_path / "model.mlir", tmp_path / "plan"
    export_loss(module, batch_of(256), model, loss=loss, limits=inputs)
    shardsmith("plan", model, "--cluster", "8xh100", "-o", folder)
    shardsmith("check", folder)
    planned = json.loads((folder / "plan.json").read_text())["model"]
    assert planned["parameters"] == sum(each.numel() for each in module.parameters())
    with FlopCounterMode(display=False) as counter:
        loss(module, batch_of(1, device="meta"))
    counted = counter.get_total_flops()
    assert counted <= planned["forward_flops_per_sequence"] <= 1.02 * counted


@pytest.mark.parametrize("name", ZOO)
def test_trains_as_pytorch_does(name, tmp_path):
    seed = random_seed() % 2**31
    torch.manual_seed(seed)
    case = ZOO[name]
    # In training classes are left out at random, with other bits than PyTorch's.
    module = case.make().eval()
    # What begins as zeros and ones would hide mistakes.
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.ndim == 1 or not parameter.any():
                parameter.add_(torch.randn_like(parameter) * 0.1)
    model = tmp_path / "model.mlir"
    export_loss(module, case.batch, model, loss=case.loss, limits=case.limits)
    loss, gradients, _, drawn = one_step(model, module, tmp_path / "run", 1, seed)

    judge = copy.deepcopy(module).double()
    expected = case.loss(judge, in_double(drawn, case.batch))
    expected.backward()
    assert abs(loss - expected.item()) <= TOLERANCE * abs(expected.item())
    assert not wrong_gradients(gradients, judge, 3 * TOLERANCE)
