# SPDX-License-Identifier: Apache-2.0
"""DeepSpeed on its accelerator for processors trains by emitted configurations,
ZeRO 0 to 3, with the losses of one process."""

import json

import numpy as np
import pytest
import torch
from seeds import random_seed
from planned_models import MODELS, train_alone
from processes import start
from training import shardsmith

from shardsmith.torch import export_loss

STEPS = 3


@pytest.mark.parametrize("stage, micro_batch", [(0, 1), (1, 2), (2, 1), (3, 1)])
def test_zero_trains_as_one_process(stage, micro_batch, tmp_path):
    seed = random_seed() % 2**31
    module, batch, loss_of = MODELS["llama"](seed)
    export_loss(module, batch, tmp_path / "model.mlir", loss=loss_of)
    fix = f"dp=4,zero={stage},mbs={micro_batch},recompute=none"
    shardsmith(
        "plan", tmp_path / "model.mlir", "--cluster", "cpu:4", "--for", "deepspeed",
        "--fix", fix, "-o", tmp_path / "plan",
    )  # fmt: skip
    plan = json.loads((tmp_path / "plan/plan.json").read_text())
    shardsmith("emit", tmp_path / "plan", "--to", "deepspeed", "-o", tmp_path / "out")
    got = start(4, "deepspeed_training.py", tmp_path / "out/ds_config.json", "llama", seed, STEPS)
    np.testing.assert_allclose(got["losses"], train_alone("llama", seed, STEPS), rtol=1e-5)
    assert got["zero"] == plan["strategy"]["zero"]["stage"] == stage
    assert got["ranks"] == plan["strategy"]["degrees"]["data"] == 4
    assert got["batch"] == plan["model"]["global_batch"] == 8
    assert got["micro_batch"] == plan["strategy"]["micro_batch"] == micro_batch
    assert got["micro_batches"] == 8 // 4 // micro_batch
