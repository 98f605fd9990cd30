# SPDX-License-Identifier: Apache-2.0
"""Plans put on PyTorch modules: four gloo processes train with the losses of
one, and hold what the plan gives them."""

import copy
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from compiler_tools import random_seed
from planned_models import MODELS
from tools import ROOT, tool

from shardsmith.torch import Plan, PlanError, apply, plan

HERE = Path(__file__).parent
STEPS = 3


def train_alone(name, seed):
    module, batch, loss_of = MODELS[name](seed)
    rule = torch.optim.AdamW(module.parameters(), 1e-3, eps=1e-3)
    losses = []
    for _ in range(STEPS):
        loss = loss_of(module, batch)
        loss.backward()
        rule.step()
        rule.zero_grad()
        losses.append(loss.item())
    return losses


def train_on_four(path, name, seed):
    done = subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "4",
         "--rdzv-backend", "c10d", "--rdzv-endpoint", "localhost:0",
         HERE / "torch_training.py", path, name, str(seed), str(STEPS)],
        capture_output=True,
        text=True,
        env=os.environ
        | {"OMP_NUM_THREADS": "1", "PYTHONPATH": f"{ROOT / 'python'}:{HERE}"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-6000:]
    return json.loads(done.stdout.strip().splitlines()[-1])


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
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(found.layouts))
    got = train_on_four(path, name, seed)
    np.testing.assert_allclose(got["losses"], train_alone(name, seed), rtol=1e-5)
    if held:
        assert got["held"]["layers.0.wq.weight"] == held
