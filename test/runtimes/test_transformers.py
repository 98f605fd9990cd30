# SPDX-License-Identifier: Apache-2.0
"""Model classes of `transformers` are exported from their configurations, and
trained: loss and all gradients are those of PyTorch in float64."""

import copy
import json

import pytest
import torch
import transformers
from seeds import random_seed
from tools import run_tool
from trained_models import in_double, one_step, wrong_gradients
from training import shardsmith
from transformers_zoo import ALL, example

from shardsmith.torch import export_loss

TOLERANCE = 1e-5


@pytest.mark.parametrize("name", ALL)
def test_is_exported_without_weights(name):
    kind, config = ALL[name]
    with torch.device("meta"):
        module = kind(config)
    batch, limits = example(name)
    text = export_loss(module.train(), batch, limits=limits)
    run_tool("shardsmith-opt", "--import", text=text)


def test_llama_3_8b_plans_as_the_built_in_model(tmp_path):
    """The graph that Shardsmith builds of a configuration was written apart from
    the exporter: the same strategy, and the same time to a thousandth."""
    config = transformers.LlamaConfig(
        vocab_size=128256, hidden_size=4096, intermediate_size=14336, num_hidden_layers=32,
        num_attention_heads=32, num_key_value_heads=8, rope_theta=500000.0,
    )  # fmt: skip
    with torch.device("meta"):
        module = transformers.LlamaForCausalLM(config).to(torch.bfloat16)
    batch = {n: torch.zeros(512, 8192, dtype=torch.long) for n in ("input_ids", "labels")}
    export_loss(module, batch, tmp_path / "llama.mlir", limits=dict.fromkeys(batch, 128256))
    plans = []
    for model in ("llama3-8b", tmp_path / "llama.mlir"):
        folder = tmp_path / f"plan{len(plans)}"
        shardsmith("plan", model, "--cluster", "64xh100", "-o", folder)
        plans.append(json.loads((folder / "plan.json").read_text()))
    built_in, exported = plans
    for decision in ("degrees", "zero", "micro_batch", "schedule"):
        assert exported["strategy"][decision] == built_in["strategy"][decision]
    assert exported["prediction"]["step_ns"] == pytest.approx(built_in["prediction"]["step_ns"], rel=1e-3)


@pytest.mark.parametrize("name", ALL)
def test_trains_as_pytorch_does(name, tmp_path):
    seed = random_seed() % 2**31
    torch.manual_seed(seed)
    kind, config = ALL[name]
    module = kind(config).train()
    batch, limits = example(name)
    model = tmp_path / "model.mlir"
    export_loss(module, batch, model, limits=limits)
    loss, gradients, _, drawn = one_step(model, module, tmp_path / "run", 1, seed)

    judge = copy.deepcopy(module).double()
    # Grouped products of PyTorch take no doubles.
    judge.config._experts_implementation = "eager"
    expected = judge(**in_double(drawn, batch)).loss
    expected.backward()
    assert abs(loss - expected.item()) <= TOLERANCE * abs(expected.item())
    assert not wrong_gradients(gradients, judge, 3 * TOLERANCE)
