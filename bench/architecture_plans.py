# SPDX-License-Identifier: Apache-2.0
"""How long plans of models take that are no chain of equal layers, how far they
may be above the proven bound, and what data parallelism alone would take.

    python bench/architecture_plans.py [--devices N …] [--cluster KIND] [--check] [MODEL …]

Plans the architectures of test/models and the tables of a DLRM, without a limit
of time, with one thread per core, and prints a Markdown table: seconds by the
clock and of the processor, step, gap, and the step of the best plan of
data ranks alone as a multiple. With --check the exit code is 1 if a plan took
longer than the aim, or is slower than data parallelism.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "test/models")]

from planner_speed import newest_tool  # noqa: E402

AIM_SECONDS = 10
NOTHING_FITS = 4
DATA_ALONE = ["--fix", "tensor=1,context=1,expert=1,pipeline=1"]
TABLES = "dlrm_big"


def plan(tool, model, cluster, *options):
    """Seconds by the clock and of the processor, and the plan's search; nothing
    if no plan fits."""
    command = [tool, "plan", model, "--cluster", cluster, "--time-limit", 0, "--json", *options]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    run = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    seconds, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if run.returncode == NOTHING_FITS:
        return seconds, busy, None
    if run.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{run.stderr}")
    return seconds, busy, json.loads(run.stdout)["search"]


def main():
    import architectures

    names = [*architectures.ARCHITECTURES, TABLES]
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"of {names}")
    parser.add_argument("--tool", type=Path, help="the shardsmith program")
    parser.add_argument("--devices", type=int, nargs="+", default=[8, 64])
    parser.add_argument("--cluster", default="h100")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    if unknown := set(arguments.models) - set(names):
        parser.error(f"unknown model {unknown.pop()!r}")
    tool = arguments.tool or newest_tool()

    missed = False
    print(f"{os.cpu_count()} cores\n")
    print("| model | devices | s | processor s | step ms | gap | data parallelism |")
    print("|---" * 7 + "|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.models or names:
            path = Path(folder) / f"{name}.mlir"
            if name == TABLES:
                path = ROOT / f"test/models/reproducers/{name}.mlir"
            else:
                architectures.export(name, path)
            for devices in arguments.devices:
                cluster = f"{devices}x{arguments.cluster}"
                seconds, busy, search = plan(tool, path, cluster)
                missed |= seconds > AIM_SECONDS
                cells = [name, devices, f"{seconds:.2f}", f"{busy:.2f}"]
                if search is None:
                    print(f"| {' | '.join(map(str, cells))} | too large | | |", flush=True)
                    continue
                cost, bound = search["cost"], search["bound"]
                _, _, alone = plan(tool, path, cluster, *DATA_ALONE)
                missed |= alone is not None and alone["cost"] < cost
                ratio = f"{alone['cost'] / cost:.2f}" if alone else "does not fit"
                cells += [f"{cost / 1e6:.3f}", f"{cost / bound - 1:.1%}", ratio]
                print(f"| {' | '.join(map(str, cells))} |", flush=True)
    return int(missed and arguments.check)


if __name__ == "__main__":
    sys.exit(main())
