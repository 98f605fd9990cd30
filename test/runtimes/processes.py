# SPDX-License-Identifier: Apache-2.0
"""Starts a training script of this folder on several gloo processes."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tools import ROOT

HERE = Path(__file__).parent


def start(count, script, *arguments, launcher=None, **environment):
    """The object that the script prints in its last line."""
    launch = launcher or [
        sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", str(count),
        "--rdzv-backend", "c10d", "--rdzv-endpoint", "localhost:0",
    ]  # fmt: skip
    path = f"{ROOT / 'python'}:{HERE}:{ROOT / 'test/python'}"
    done = subprocess.run(
        [str(each) for each in (*launch, HERE / script, *arguments)],
        capture_output=True,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": path} | environment,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-6000:]
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    return json.loads(lines[-1])
