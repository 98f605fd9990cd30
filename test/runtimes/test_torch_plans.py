# SPDX-License-Identifier: Apache-2.0
"""Plans put on PyTorch modules: four gloo processes train with the losses of
one, and hold what the plan gives them."""

import copy
import json

import numpy as np
import pytest
import torch
from seeds import random_seed
from planned_models import MODELS, train_alone
from processes import start
from tools import tool

from shardsmith.torch import Plan, PlanError, apply, plan

STEPS = 3


def train_on_four(folder, layouts, name, seed):
    (folder / "pytorch-plan.json").write_text(json.dumps(layouts))
    return start(4, "torch_training.py", folder, name, seed, STEPS)


# What rank 0 holds of layers.0.wq.weight, [256, 256].
CASES = [
    ("llama", "dp=4,zero=0", [256, 256]),
    ("llama", "dp=4,zero=2", [64, 256]),
    ("llama", "dp=4,zero=3", [64, 256]),
    ("llama", "tp=4", [64, 256]),
    ("llama", "dp=2,tp=2,zero=0", [128, 256]),
    ("llama", "dp=2,tp=2,zero=3", [64, 256]),
    ("llama", "dp=2,tp=2,zero=2,recompute=full", [64, 256]),
    ("gpt", "dp=4,zero=3", None),
]


@pytest.mark.parametrize("name, fix, held", CASES)
def test_training_under_a_plan_is_training(name, fix, held, tmp_path):
    seed = random_seed() % 2**31
    module, batch, loss_of = MODELS[name](seed)
    found = plan(
        module, batch, cluster="cpu:4", loss=loss_of, fix=fix, tool=str(tool("shardsmith"))
    )
    assert found.device_count == 4 and "4" in repr(found) and "cpu:4" in str(found)
    got = train_on_four(tmp_path, found.layouts, name, seed)
    np.testing.assert_allclose(got["losses"], train_alone(name, seed, STEPS), rtol=1e-5)
    if held:
        assert got["held"]["layers.0.wq.weight"] == held


def test_zero_within_a_part_of_the_data_ranks(tmp_path):
    """Two groups of two: parameters in halves, and copies of them."""
    seed = random_seed() % 2**31
    module, batch, loss_of = MODELS["llama"](seed)
    found = plan(
        module, batch, cluster="cpu:4", loss=loss_of, fix="dp=4,zero=3", tool=str(tool("shardsmith"))
    )
    layouts = found.layouts | {
        "device_mesh": {"mesh_shape": [2, 2], "mesh_dim_names": ["data0", "data1"]},
        "batch": found.layouts["batch"] | {"mesh_dims": ["data0", "data1"]},
        "fsdp": found.layouts["fsdp"] | {"mesh_dims": ["data1"]},
    }
    got = train_on_four(tmp_path, layouts, "llama", seed)
    np.testing.assert_allclose(got["losses"], train_alone("llama", seed, STEPS), rtol=1e-5)
    assert got["held"]["layers.0.wq.weight"] == [128, 256]


def a_plan(changes=()):
    """A plan for one process, changed as if the search had decided otherwise."""
    layouts = {
        "format": "shardsmith-pytorch/1",
        "shardsmith": {"plan": "made by hand"},
        "device_mesh": {"mesh_shape": [], "mesh_dim_names": []},
        "batch": {"global": 8, "micro_batch": 8, "micro_batches": 1, "mesh_dims": []},
        "parameters": {"up.weight": {}, "up.bias": {}, "layers.*.weight": {}},
        "activations": {},
        "fsdp": None,
        "recompute": {},
        "pipeline": None,
    }
    return Plan("", layouts | dict(changes))


class Small(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.up = torch.nn.Linear(4, 4)
        self.layers = torch.nn.ModuleList(torch.nn.Linear(4, 4, bias=False) for _ in range(2))


REFUSED = {
    "context": (
        {"device_mesh": {"mesh_shape": [2], "mesh_dim_names": ["context"]}},
        "an axis 'context', .* forbid='cp'",
    ),
    "groups": (
        {
            "batch": {"micro_batches": 1, "mesh_dims": ["data0", "data1"]},
            "fsdp": {"mesh_dims": ["data0", "data1"], "units": [], "reshard_after_forward": True},
        },
        "several axes, .* forbid='zero-groups'",
    ),
    "selective": ({"recompute": {"selective": ["up"]}}, "forbid='recompute=selective'"),
    "experts": (
        {"parameters": {"up.weight": {"data": "Shard(0)"}}},
        "parameters split over 'data', .* forbid='ep'",
    ),
    "names": (
        {"parameters": {"upp.weight": {}, "upp.bias": {}}},
        r"says nothing of the parameters 'up.weight' \(nearest: 'upp.weight'\)",
    ),
    "surplus": (
        {"parameters": {"up.weight": {}, "up.bias": {}, "layers.*.weight": {}, "down.weight": {}}},
        r"does not have the parameters 'down.weight' \(nearest: 'up.weight'\)",
    ),
    "devices": (
        {"device_mesh": {"mesh_shape": [2, 4], "mesh_dim_names": ["data", "tensor"]}},
        "for 8 devices, and there are 1 processes",
    ),
    "format": ({"format": "jax-shardings/1"}, "--to pytorch"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_put_on_a_module_is_named(what):
    changes, message = REFUSED[what]
    module = Small()
    before = copy.deepcopy(module.state_dict())
    with pytest.raises(PlanError, match=message):
        apply(module, a_plan(changes))
    after = module.state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)


def test_planner_and_bad_constraints_are_named(monkeypatch):
    module, batch, loss_of = MODELS["gpt"](0)
    options = {"cluster": "cpu:4", "loss": loss_of}
    with pytest.raises(PlanError, match="leaves no plan|no plan"):
        plan(module, batch, **options, fix="dp=3", tool=str(tool("shardsmith")))
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("SHARDSMITH", raising=False)
    with pytest.raises(PlanError, match="no program 'shardsmith' on the PATH"):
        plan(module, batch, **options)
