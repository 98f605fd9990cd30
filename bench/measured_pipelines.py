# SPDX-License-Identifier: Apache-2.0
"""Pipelines as they run, over the same schedules played on the times of passes.

Each plan is built for as many ranks as the machine has cores, so that each rank
has one, and run with --profile; `simulate --measured` then plays its schedule
on what passes took. Another run plays the schedule on predicted times alone.

    python bench/measured_pipelines.py [--models gpt2-tiny,llama-bench]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from built_tool import add_tool_option, newest_tool

ROOT = Path(__file__).resolve().parent.parent
# Model, samples per micro-batch, and steps, of which the last ten are measured.
MODELS = {
    "gpt2-tiny": (4, 400),
    "llama-tiny": (4, 400),
    "llama-bench": (1, 12),
    "gpt2-124m": (1, 12),
}
SCHEDULES = ["gpipe", "1f1b", "zb-h1", "interleaved", "zb-v"]


def run(command):
    environment = dict(os.environ, SMITH_THREADS="1", OMP_NUM_THREADS="1")
    done = subprocess.run(
        list(map(str, command)), env=environment, capture_output=True, text=True
    )
    return done if done.returncode == 0 else None


def measure(shardsmith, model, ranks, schedule, folder):
    size, steps = MODELS[model]
    chunks = 2 if schedule in ("interleaved", "zb-v") else 1
    fix = f"pp={ranks},micro-batch={size},schedule={schedule},vpp={chunks}"
    source = ROOT / "test/models" / f"{model}.mlir"
    cluster = ["--cluster", f"cpu:{ranks}"]
    if not run([shardsmith, "compile", source, *cluster, "--fix", fix, "-o", folder]):
        print(f"{model:12} {schedule:12} has no plan")
        return
    profile = folder / "profile.json"
    options = ["--steps", steps, "--quiet", "--profile", profile]
    if not run([shardsmith, "run", folder, *options]):
        sys.exit(f"{folder} does not run")
    played = json.loads(run([shardsmith, "simulate", folder, "--measured", profile, "--json"]).stdout)
    measured = played["schedule"]["measured"]["step_ns"]
    predicted = played["estimated_step_ns"]
    print(
        f"{model:12} {schedule:12} {measured / 1e6:9.3f} ms measured  "
        f"{played['step_ns'] / measured:5.3f} played on its passes  "
        f"{predicted / measured:5.3f} predicted"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--ranks", type=int, default=os.cpu_count())
    add_tool_option(parser)
    options = parser.parse_args()
    shardsmith = options.tool or newest_tool()
    print(f"{options.ranks} ranks on {os.cpu_count()} cores")
    for model in options.models.split(","):
        for schedule in SCHEDULES:
            with tempfile.TemporaryDirectory() as folder:
                measure(shardsmith, model, options.ranks, schedule, Path(folder))


if __name__ == "__main__":
    main()
