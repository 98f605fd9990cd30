# SPDX-License-Identifier: Apache-2.0
"""What `compile --optimize none` saves, and what its programs lose.

Processor seconds of `compile`, and the median step of the program, as shares of
those with optimised code. Both take turns, so that they see the same machine.

    python bench/code.py [--rounds N] [--steps N]
"""

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path

from built_tool import ROOT, add_tool_option, measured, newest_tool, processor_seconds, run

CASES = [
    ("gpt2-tiny", 1, ""),
    ("gpt2-tiny", 8, "pp=2,dp=2,tp=2,micro-batch=2,schedule=zb-h1"),
    ("llama-tiny-scan", 4, "tp=2,dp=2"),
    ("llama-bench", 2, "dp=2,zero=3"),
]
HOW = ["full", "none"]


def seconds_of(command):
    code, message, _, usage = measured([str(part) for part in command])
    if code:
        sys.exit(f"{command} failed with {code}:\n{message}")
    return processor_seconds(usage)


def measure(tool, model, ranks, fix, rounds, steps, folder):
    """The least seconds of the processor, and the median step, by how."""
    source = ROOT / f"test/models/{model}.mlir"
    given = ["--cluster", f"cpu:{ranks}", *(["--fix", fix] if fix else [])]
    compiling, running = ({how: [] for how in HOW} for _ in range(2))
    for _ in range(rounds):
        for how in HOW:
            command = [tool, "compile", source, *given, "--optimize", how, "-o", folder / how]
            compiling[how].append(seconds_of(command))
            report = run(tool, "run", folder / how, "--steps", steps, "--json", "--quiet")
            running[how] += json.loads(report)["step_seconds"][2:]
    return (
        {how: min(compiling[how]) for how in HOW},
        {how: statistics.median(running[how]) for how in HOW},
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=12)
    add_tool_option(parser)
    given = parser.parse_args()
    tool = given.tool or newest_tool()
    print("| model | ranks | plan | compile, full s | none | step, full ms | none |")
    print("|---|---|---|---|---|---|---|")
    for model, ranks, fix in CASES:
        with tempfile.TemporaryDirectory() as folder:
            compiling, running = measure(
                tool, model, ranks, fix, given.rounds, given.steps, Path(folder)
            )
        print(
            f"| {model} | {ranks} | {fix} | {compiling['full']:.2f} |"
            f" {compiling['none'] / compiling['full']:.2f} |"
            f" {running['full'] * 1e3:.1f} | {running['none'] / running['full']:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
