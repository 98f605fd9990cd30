# SPDX-License-Identifier: Apache-2.0
"""The code of docs/tutorial-pytorch.md trains."""

import os
import re
import subprocess
import sys

from tools import ROOT, tool


def test_the_tutorial_trains(tmp_path):
    text = (ROOT / "docs/tutorial-pytorch.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", text, re.S)
    (start,) = re.findall(r"```sh\n(.*?)\n```", text, re.S)
    planning = [line for line in code.splitlines() if re.search(r"\b(shardsmith|found)\b", line)]
    assert len(planning) == 5 and "Five lines of this script" in text
    assert start == "torchrun --nproc-per-node 4 train.py"
    # The processes end without destructors, as in torch_training.py.
    (tmp_path / "train.py").write_text(code + "\nimport os\nos._exit(0)\n")
    done = subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", *start.split()[1:]],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=os.environ
        | {
            "OMP_NUM_THREADS": "1",
            "PYTHONPATH": str(ROOT / "python"),
            "SHARDSMITH": str(tool("shardsmith")),
        },
    )
    assert done.returncode == 0, done.stderr[-4000:]
    losses = [float(line.split()[1]) for line in done.stdout.splitlines()]
    assert len(losses) == 3 and losses[2] < losses[0]
