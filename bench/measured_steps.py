# SPDX-License-Identifier: Apache-2.0
"""Steps as they run, over the same plans played on the times of passes.

Each plan is built for as many ranks as the machine has cores, so that each rank
has one, and run with --profile; `simulate --measured` then plays what its ranks
do on the times that passes took. Another run plays it on predicted times alone.
The last line is the largest difference of all plans.

    python bench/measured_steps.py [--models gpt2-tiny,llama-bench]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from built_tool import ROOT, add_tool_option, newest_tool

# Samples per step, and steps, of which the last ten are measured.
MODELS = {
    "gpt2-tiny": (24, 400),
    "llama-tiny": (24, 400),
    "llama-bench": (8, 12),
    "gpt2-124m": (8, 12),
}
SCHEDULES = ["gpipe", "1f1b", "eager-1f1b", "zb-h1", "zb-h2", "interleaved", "zb-v", "dualpipe-v"]
CHUNKS = {"interleaved": 2, "zb-v": 2, "dualpipe-v": 2}


def plans_of(batch, ranks):
    """What --fix gives; a plan that the model does not allow is left out."""
    for schedule in SCHEDULES:
        chunks = CHUNKS.get(schedule, 1)
        for count in (4, 8):
            if batch % count == 0:
                yield (f"pp={ranks},micro-batch={batch // count},schedule={schedule},vpp={chunks}")
    for count in (1, 2, 4, 8, 16):
        if batch % (count * ranks) == 0:
            size = batch // count // ranks
            yield from (f"dp={ranks},zero={zero},micro-batch={size}" for zero in range(4))
        if batch % count == 0:
            yield f"tp={ranks},micro-batch={batch // count}"
            yield f"cp={ranks},micro-batch={batch // count}"
            yield f"ep={ranks},micro-batch={batch // count}"


def run(command):
    environment = dict(os.environ, SMITH_THREADS="1", OMP_NUM_THREADS="1")
    done = subprocess.run(
        list(map(str, command)), env=environment, capture_output=True, text=True
    )
    return done if done.returncode == 0 else None


def measure(shardsmith, source, steps, ranks, fix, folder):
    """Measured time of a step in ns, and what it is when played and predicted;
    none where there is no such plan."""
    cluster = ["--cluster", f"cpu:{ranks}"]
    if not run([shardsmith, "compile", source, *cluster, "--fix", fix, "-o", folder]):
        return None
    profile = folder / "profile.json"
    options = ["--steps", steps, "--quiet", "--profile", profile]
    if not run([shardsmith, "run", folder, *options]):
        sys.exit(f"the program of --fix {fix} does not run")
    played = run([shardsmith, "simulate", folder, "--measured", profile, "--json"])
    if not played:
        sys.exit(f"the profile of --fix {fix} is not played")
    played = json.loads(played.stdout)
    measured = played["schedule"]["measured"]["step_ns"]
    return measured, played["step_ns"], played["estimated_step_ns"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--ranks", type=int, default=os.cpu_count())
    parser.add_argument("--fix", help="one plan in place of all")
    add_tool_option(parser)
    options = parser.parse_args()
    shardsmith = options.tool or newest_tool()
    print(f"{options.ranks} ranks on {os.cpu_count()} cores")
    worst = (1.0, "")
    for model in options.models.split(","):
        name = Path(model).stem
        batch, steps = MODELS.get(name, (8, 40))
        source = model if Path(model).exists() else ROOT / f"test/models/{model}.mlir"
        plans = [options.fix] if options.fix else plans_of(batch, options.ranks)
        for fix in plans:
            with tempfile.TemporaryDirectory() as folder:
                found = measure(shardsmith, source, steps, options.ranks, fix, Path(folder))
            if not found:
                print(f"{name:12} {fix:50} has no plan", flush=True)
                continue
            measured, played, predicted = found
            ratio = played / measured
            worst = max(worst, (max(ratio, 1 / ratio), f"{name} {fix}"))
            print(
                f"{name:12} {fix:50} {measured / 1e6:9.3f} ms measured  "
                f"{ratio:5.3f} played on its passes  {predicted / measured:5.3f} predicted",
                flush=True,
            )
    print(f"played on its passes: at most {worst[0]:.3f} times apart ({worst[1]})")


if __name__ == "__main__":
    main()
