# SPDX-License-Identifier: Apache-2.0
"""Models of the sizes that people train are imported and planned from shapes."""

import json
import sys

import pytest
from tools import ROOT, run_tool

pytest.importorskip("jax")
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "test/models")]

import architectures  # noqa: E402
from models import Model, llama  # noqa: E402

from shardsmith.jax import export_loss  # noqa: E402

LLAMA_7B = Model(
    llama,
    llama.Config(
        layers=32, width=4096, heads=32, kv_heads=32, hidden=11008, vocabulary=32000
    ),
    samples=512,
    length=2048,
    shapes_only=True,
)
# A table's row has 64 numbers. The towers: 13 to 512, 256, 64, and what they and
# the products of 27 vectors give to 1024, 512, 256, 1, all with biases.
TOWERS = [13, 512, 256, 64], [64 + 27 * 27, 1024, 512, 256, 1]
DLRM = 26 * 10_000_000 * 64 + sum(
    (inputs + 1) * outputs for tower in TOWERS for inputs, outputs in zip(tower, tower[1:])
)


# Parameters as published, of the vision models by torchvision; its patches have a
# bias, ours have none.
@pytest.mark.parametrize(
    "name, parameters",
    [
        ("resnet152", 60_192_808),
        ("vit-h", 632_045_800 - 1280),
        ("llama-7b", 6_738_415_616),
        ("dlrm-ten-million", DLRM),
    ],
)
def test_is_planned_from_shapes(name, parameters, tmp_path):
    path = tmp_path / "model.mlir"
    if name == "llama-7b":
        export_loss(LLAMA_7B.loss, LLAMA_7B.init(), LLAMA_7B.batch_shape(), path)
    else:
        architectures.export(name, path)
    assert path.stat().st_size < 1 << 22, "weights are not written"
    plan = json.loads(
        run_tool("shardsmith", "plan", path, "--cluster", "64xh100", "--json", "--time-limit", 0)
    )
    assert plan["model"]["parameters"] == parameters
    assert 0 < plan["search"]["bound"] <= plan["search"]["cost"]
