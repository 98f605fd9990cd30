# SPDX-License-Identifier: Apache-2.0
"""Convolutional networks whose images are split by rows over ranks, by shardings in
the file, have the losses and gradients of JAX. SHARDSMITH_LONG_TESTS=1 takes each on 2
and on 4 ranks."""

import os
import re

import pytest

jax = pytest.importorskip("jax")

from compiler_tools import as_double  # noqa: E402
import numpy as np  # noqa: E402
from shardsmith._leaves import named_leaves  # noqa: E402
from test_zoo import (  # noqa: E402
    CANCELLED, GRADIENT_RATE, TOLERANCE, assert_near, batch_of, build, export,
    largest, run,
)  # fmt: skip

CASES = [("unet", 2), ("resnet_with_batch_norm", 4)]
if os.environ.get("SHARDSMITH_LONG_TESTS") == "1":
    CASES += [("unet", 4), ("resnet_with_batch_norm", 2)]
ROWS = '[{}, {"rows"}, {}, {}]'


def split_by_rows(path, ranks):
    """Pins images and the results of all convolutions to ranks by rows."""
    text = path.read_text()
    value = f"sdy.sharding = #sdy.sharding_per_value<[<@mesh, {ROWS}>]>"
    lines = []
    for line in text.splitlines():
        if " = stablehlo.convolution(" in line:
            line = line.replace("{batch_group_count", "{" + value + ", batch_group_count")
        lines.append(line)
    text = re.sub(
        r'(%arg\d+: tensor<\d+x\d+x\d+x\d+xf32> \{)(?=[^}]*smith.role = "batch")',
        rf"\1sdy.sharding = #sdy.sharding<@mesh, {ROWS}>, ",
        "\n".join(lines),
    )
    head, rest = text.split("\n", 1)
    path.write_text(f'{head}\n  sdy.mesh @mesh = <["rows"={ranks}]>\n{rest}\n')


@pytest.mark.parametrize("name,ranks", CASES)
def test_rows_of_images_are_split(name, ranks, tmp_path):
    exported = export(name, tmp_path)
    model, path, seed = exported.model, exported.path, exported.seed
    print("seed", seed)
    split_by_rows(path, ranks)
    folder, dumped = tmp_path / "out", tmp_path / "dumped"
    build(path, folder, ranks, GRADIENT_RATE, "--dump-dir", dumped)
    local = "".join(file.read_text() for file in sorted(dumped.glob("*local*.mlir")))
    assert "smith.collective_permute" in local and 'over ["rows"]' in local
    losses, end, batches = run(folder, exported.initial, seed, 1)
    with jax.enable_x64(True):
        loss, gradients = exported.step(
            as_double(model.params), as_double(batch_of(model, batches, 0))
        )
    assert_near(losses[0], loss, TOLERANCE, "loss")
    starts = dict(named_leaves(model.params))
    least = CANCELLED * largest(gradients)
    for leaf, gradient in named_leaves(gradients):
        actual = (starts[leaf] - end[leaf].astype(np.float64)) / GRADIENT_RATE
        assert_near(actual, gradient, TOLERANCE, leaf, least)
