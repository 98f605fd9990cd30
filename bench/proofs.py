# SPDX-License-Identifier: Apache-2.0
"""Which built-in models are planned with proof, on how many devices, and how
long that takes.

    python bench/proofs.py [--devices N …] [--cluster KIND] [--sequences N] [--time-limit S] [MODEL …]

Prints a Markdown table with seconds of the processor (one thread). A gap stands
behind them where the search ended at its limit; without one the plan is proved
to be the best on the cost model. "too large" is a proof, too: that no plan fits.
The exit code is 1 if some plan was not proved.
"""

import argparse
import json
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from planner_speed import newest_tool

STOPPED, TOO_LARGE = 124, 4
SEQUENCES_PER_DEVICE = 2
FEWEST_SEQUENCES = 256


def built_in_models(tool):
    run = subprocess.run([tool, "inspect", "no such model"], capture_output=True, text=True)
    found = re.search(r"built-in models are (.*)", run.stderr)
    return found.group(1).strip().split(", ")


def batch_of(devices, per_device):
    """Sequences of a step."""
    if per_device is None:
        return max(FEWEST_SEQUENCES, SEQUENCES_PER_DEVICE * devices)
    return max(1, round(per_device * devices))


def prove(tool, model, cluster, devices, batch, limit, folder):
    """Seconds, and what became of the proof: a gap, "too large", or "no plan"
    before the search ended at its limit."""
    plan = folder / "plan.json"
    plan.unlink(missing_ok=True)
    command = [tool, "plan", model, "--cluster", f"{devices}x{cluster}", "--threads", 1]
    command += ["--global-batch", batch, "--time-limit", limit, "-o", folder]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if run.returncode == TOO_LARGE:
        return seconds, "too large"
    if run.returncode not in (0, STOPPED):
        sys.exit(f"{' '.join(map(str, command))} failed:\n{run.stderr}")
    if not plan.exists():
        return seconds, "no plan"
    return seconds, json.loads(plan.read_text())["search"]["gap"]


def text_of(seconds, proof):
    if isinstance(proof, str):
        return f"{seconds:.1f}, {proof}"
    return f"{seconds:.1f}, gap {proof:.2%}" if proof > 0 else f"{seconds:.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", nargs="*", metavar="MODEL", help="built-in names; default: all")
    parser.add_argument("--devices", type=int, nargs="+", default=[8, 64, 512, 4096])
    parser.add_argument("--cluster", default="h100", help="kind of device")
    parser.add_argument(
        "--sequences",
        type=float,
        metavar="N",
        help=f"per device; default: {SEQUENCES_PER_DEVICE}, and at least {FEWEST_SEQUENCES} in all",
    )
    parser.add_argument("--time-limit", type=float, default=600, help="seconds for each plan")
    parser.add_argument("--tool", type=Path, help="the shardsmith program")
    arguments = parser.parse_args()
    tool = arguments.tool or newest_tool()

    missed = False
    heads = [f"{devices:,} {arguments.cluster.upper()}" for devices in arguments.devices]
    print(f"| model | {' | '.join(heads)} |")
    print(f"|---{'|---' * len(heads)}|")
    with tempfile.TemporaryDirectory() as folder:
        for model in arguments.models or built_in_models(tool):
            cells = []
            for devices in arguments.devices:
                batch = batch_of(devices, arguments.sequences)
                seconds, proof = prove(tool, model, arguments.cluster, devices, batch, arguments.time_limit, Path(folder))
                missed |= proof not in ("too large", 0)
                cells.append(text_of(seconds, proof))
            print(f"| {model} | {' | '.join(cells)} |", flush=True)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
