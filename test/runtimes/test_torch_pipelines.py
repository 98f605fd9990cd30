# SPDX-License-Identifier: Apache-2.0
"""Pipelines of plans, put on PyTorch modules: gloo processes run our schedules
with torch.distributed.pipelining, alone and beside the other axes, with the
losses and the gradients of one process."""

import json
import re

import numpy as np
import pytest
import torch
from seeds import random_seed
from planned_models import MODELS
from processes import start
from safetensors.torch import load_file
from tools import run_tool, tool

from shardsmith.torch import Plan, PlanError, apply, plan

STEPS = 3


def train_alone(name, seed):
    """(losses, gradients of the first step)."""
    module, batch, loss_of = MODELS[name](seed)
    rule = torch.optim.AdamW(module.parameters(), 1e-3, eps=1e-3)
    losses, gradients = [], None
    for _ in range(STEPS):
        loss = loss_of(module, batch)
        loss.backward()
        gradients = gradients or {n: p.grad.clone() for n, p in module.named_parameters()}
        rule.step()
        rule.zero_grad()
        losses.append(loss.item())
    return losses, gradients


def processors(count):
    """Ranks of this machine, with memory that no plan here lacks."""
    text = run_tool("shardsmith", "inspect", f"cpu:{count}", "--json")
    return json.loads(re.sub(r'("memory_gib": )\d*\.?\d+', r"\g<1>64.0", text))


# Processes, model, plan, stages, and what rank 0 holds of a matrix.
CASES = [
    (4, "llama", "pp=4,schedule=1f1b,mbs=1", 4, [256, 256]),
    (4, "llama", "pp=4,schedule=gpipe,mbs=2", 4, [256, 256]),
    (4, "llama", "pp=2,vpp=2,schedule=interleaved,tp=2,mbs=2", 4, [128, 256]),
    (4, "llama", "pp=2,schedule=zb-v,dp=2,zero=0,mbs=1", 4, [256, 256]),
    (4, "llama", "pp=4,schedule=zb-h1,mbs=1", 4, [256, 256]),
    (4, "llama", "pp=2,schedule=1f1b,dp=2,zero=3,mbs=1", 2, [128, 256]),
    (4, "gpt", "pp=2,schedule=1f1b,dp=2,zero=2,mbs=1", 2, None),
    (8, "llama", "pp=2,schedule=1f1b,tp=2,dp=2,zero=3,mbs=1,recompute=full", 2, [64, 256]),
    (8, "llama", "pp=2,schedule=dualpipe-v,tp=2,dp=2,zero=2,mbs=1", 4, [64, 256]),
    (8, "llama", "tp=2,dp=4,zero=3,mbs=2", 0, [32, 256]),
]


@pytest.mark.parametrize("processes, name, fix, stages, held", CASES)
def test_training_in_stages_is_training(processes, name, fix, stages, held, tmp_path):
    seed = random_seed() % 2**31
    module, batch, loss_of = MODELS[f"deep {name}"](seed)
    found = plan(
        module, batch, cluster=processors(processes), loss=loss_of, fix=fix,
        tool=str(tool("shardsmith")),
    )  # fmt: skip
    described = found.layouts["pipeline"]
    assert len(described["stages"] if described else ()) == stages
    (tmp_path / "pytorch-plan.json").write_text(json.dumps(found.layouts))
    if stages:
        (tmp_path / "schedule.csv").write_text(found.schedule)
    got = start(processes, "torch_training.py", tmp_path, f"deep {name}", seed, STEPS)
    losses, gradients = train_alone(f"deep {name}", seed)
    np.testing.assert_allclose(got["losses"], losses, rtol=1e-5)
    if held:
        assert got["held"]["layers.0.wq.weight"] == held
    summed = {}
    for rank in range(processes):
        for key, value in load_file(tmp_path / f"gradients{rank}.safetensors").items():
            if key in summed:
                # Copies of a parameter, also those of tied ones, agree.
                torch.testing.assert_close(value, summed[key])
            summed[key] = value
    tied = {"head.weight"} if name == "gpt" else set()
    assert set(summed) - tied == set(gradients)
    for key, value in gradients.items():
        difference = (summed[key] - value).abs().max() / value.abs().max()
        assert difference < 1e-5, key


# --- What cannot be put into stages -------------------------------------------


def stages_of(*modules):
    return {
        "mesh_dim": "pipeline",
        "schedule_csv": "schedule.csv",
        "stages": [{"rank": 0, "modules": list(each)} for each in modules],
    }


class Straight(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.Linear(4, 4, bias=False), torch.nn.Linear(4, 4, bias=False)

    def forward(self, x):
        return self.a(self.b(self.a(x)))


@pytest.fixture
def one_process(tmp_path):
    store = torch.distributed.FileStore(str(tmp_path / "store"), 1)
    torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    yield
    torch.distributed.destroy_process_group()


def a_plan(pipeline, schedule="0F0,0B0\n", **changes):
    layouts = {
        "format": "shardsmith-pytorch/1",
        "shardsmith": {"plan": "made by hand"},
        "device_mesh": {"mesh_shape": [1], "mesh_dim_names": ["pipeline"]},
        "batch": {"global": 4, "micro_batch": 4, "micro_batches": 1, "mesh_dims": []},
        "parameters": {"a.weight": {}, "b.weight": {}},
        "activations": {},
        "fsdp": None,
        "recompute": {},
        "pipeline": pipeline,
    }
    return Plan("", layouts | changes, schedule)


BATCH = {"x": torch.ones(4, 4)}
BATCHES = {"micro_batch": 1, "micro_batches": 3, "mesh_dims": []}


@pytest.mark.parametrize(
    "given, message",
    [
        (a_plan(stages_of(["a"], ["b"]), None), "'schedule.csv', which was not read: use Plan.read"),
        (a_plan(stages_of(["b"], ["a"])), "runs 'b' of the plan's stage 0 after stage 1 has begun"),
        (a_plan(stages_of(["a"], ["b"])), "runs 'a' of the plan's stage 0 after stage 1 has begun"),
        (a_plan(stages_of(["a", "b"], ["c"])), "stage 1 has no module that the loss runs"),
        (a_plan(stages_of(["a", "b"]), batch=BATCHES), "3 micro-batches do not divide the 4 samples"),
    ],
    ids=["table", "order", "again", "absent", "samples"],
)
def test_what_has_no_stages_is_named(given, message, one_process):
    with pytest.raises(PlanError, match=message):
        apply(Straight(), given, batch=BATCH, loss=lambda m, b: m(b["x"]).sum())


def test_stages_need_a_batch(one_process):
    with pytest.raises(PlanError, match="batch=…, loss=…"):
        apply(Straight(), a_plan(stages_of(["a", "b"])))


def test_stages_are_not_called(one_process):
    stages = apply(
        Straight(), a_plan(stages_of(["a", "b"])), batch=BATCH, loss=lambda m, b: m(b["x"]).sum()
    )
    with pytest.raises(PlanError, match="by their 'step'"):
        stages(BATCH["x"])
    # One stage is a pipeline as well.
    wanted = Straight()
    wanted.load_state_dict(dict(stages.named_parameters()))
    loss = wanted(BATCH["x"]).sum()
    loss.backward()
    torch.testing.assert_close(stages.step(BATCH), loss.detach())
    for name, parameter in stages.named_parameters():
        torch.testing.assert_close(parameter.grad, wanted.get_parameter(name).grad)
