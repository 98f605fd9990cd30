# SPDX-License-Identifier: Apache-2.0
"""Convolutional networks whose images are split by rows over ranks, by shardings in
the file, have the losses and gradients of JAX. SHARDSMITH_LONG_TESTS=1 takes each on 2
and on 4 ranks."""

import os
import re

import pytest

pytest.importorskip("jax")

from test_zoo import (  # noqa: E402
    GRADIENT_RATE, build, check_gradients_of_run, export, run,
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
    print("seed", exported.seed)
    split_by_rows(exported.path, ranks)
    folder, dumped = tmp_path / "out", tmp_path / "dumped"
    build(exported.path, folder, ranks, GRADIENT_RATE, "--dump-dir", dumped)
    local = "".join(file.read_text() for file in sorted(dumped.glob("*local*.mlir")))
    assert "smith.collective_permute" in local and 'over ["rows"]' in local
    check_gradients_of_run(exported, *run(folder, exported.initial, exported.seed, 1))
