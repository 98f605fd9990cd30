# SPDX-License-Identifier: Apache-2.0
"""Predicted and measured steps of programs on this machine.

Measures the machine first (`doctor --measure`), then compiles each model for
1, 2 and 4 ranks with the rates it found, and runs it. The machine is measured
again between the runs, and each run is compared with the prediction by the
measurement before it; printed are seconds, predicted ÷ measured, and the load
of the machine, beside which no figure means anything.

    python bench/cpu_predictions.py [MODEL …] [--ranks 1,2,4] [--steps 6]
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from built_tool import add_tool_option, newest_tool

ROOT = Path(__file__).resolve().parent.parent
MODELS = ["gpt2-124m", "llama-bench"]


def run(command, folder):
    done = subprocess.run(
        [str(each) for each in command], capture_output=True, text=True,
        env=dict(os.environ, SHARDSMITH_MACHINE=str(folder / "machine")))
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stderr}")
    return done.stdout


def compare(given, model, ranks, folder):
    """Predicted seconds, and those of the steps after the first."""
    run([given.tool, "doctor", "--measure", "--ranks", ranks], folder)
    build = folder / f"{model}-{ranks}"
    source = ROOT / "test" / "models" / f"{model}.mlir"
    fix = ["--fix", f"data={ranks}"] if ranks > 1 else []
    run([given.tool, "compile", source, "--cluster", f"cpu:{ranks}",
         "--optimizer", "adamw", *fix, "-o", build], folder)
    summary = json.loads(run(
        [given.tool, "run", build, "--ranks", ranks, "--steps",
         given.steps, "--json", "--quiet"], folder))
    predicted = summary["predicted"]["step_nanoseconds"] * 1e-9
    return predicted, summary["step_seconds"][1:]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", default=MODELS)
    parser.add_argument("--ranks", default="1,2,4")
    parser.add_argument("--steps", type=int, default=6)
    add_tool_option(parser)
    given = parser.parse_args()
    given.tool = given.tool or newest_tool()
    print("| model | ranks | predicted s | measured s (fastest) | predicted ÷ "
          "median | ÷ fastest | load |\n|---|---|---|---|---|---|---|")
    for model in given.models:
        for ranks in map(int, given.ranks.split(",")):
            with tempfile.TemporaryDirectory() as folder:
                predicted, steps = compare(given, model, ranks, Path(folder))
            median = statistics.median(steps)
            print(f"| {model} | {ranks} | {predicted:.3f} | {median:.3f} "
                  f"({min(steps):.3f}) | {predicted / median:.2f} | "
                  f"{predicted / min(steps):.2f} | {os.getloadavg()[0]:.1f} |",
                  flush=True)


if __name__ == "__main__":
    main()
