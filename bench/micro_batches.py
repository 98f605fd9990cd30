# SPDX-License-Identifier: Apache-2.0
"""What a step costs in micro-batches, over the same step in one piece.

Both have the same samples, so the ratio is that of a sample. The programs take
turns, so that both see the same machine; the ratio is that of the medians.

    python bench/micro_batches.py [MODEL …] [--counts 2,8]
"""

import argparse
import json
import re
import statistics
import tempfile
from pathlib import Path

from built_tool import add_tool_option, newest_tool, run

ROOT = Path(__file__).resolve().parent.parent
MODELS = ["gpt2-tiny", "llama-bench"]


def batch_of(source):
    """Samples of a model, from the type of its batch."""
    text = source.read_text()
    return int(re.search(r'tensor<(\d+)x[^>]*> \{[^}]*smith.role = "batch"', text).group(1))


def compile_program(shardsmith, source, size, folder):
    run(shardsmith, "compile", source, "--cluster", "cpu:1",
        "--fix", f"micro-batch={size}", "-o", folder)  # fmt: skip
    predicted = json.loads((folder / "plan.json").read_text())["prediction"]["train_step"]
    return folder / "program", sum(predicted["memory_bytes_per_rank"].values())


def step_seconds(program, steps):
    command = [program, "--ranks", 1, "--steps", steps, "--json"]
    return json.loads(run(*command))["step_seconds"][2:]


def measure(shardsmith, model, counts, steps, rounds):
    source = ROOT / "test" / "models" / f"{model}.mlir"
    batch = batch_of(source)
    with tempfile.TemporaryDirectory() as folder:
        programs = {
            count: compile_program(shardsmith, source, batch // count, Path(folder) / str(count))
            for count in [1, *counts]
        }
        seconds = {count: [] for count in programs}
        for _ in range(rounds):
            for count, (program, _) in programs.items():
                seconds[count] += step_seconds(program, steps)
    medians = {count: statistics.median(values) for count, values in seconds.items()}
    for count, (_, memory) in programs.items():
        print(
            f"{model:12} {count:3} × {batch // count:2} samples  {medians[count] * 1e3:9.2f} ms"
            f"  {medians[count] / medians[1]:5.2f} × one piece  {memory / 2**20:8.1f} MiB"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", default=MODELS)
    parser.add_argument("--counts", default="2,8", help="micro-batches per step")
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    add_tool_option(parser)
    given = parser.parse_args()
    counts = [int(count) for count in given.counts.split(",")]
    for model in given.models:
        measure(given.tool or newest_tool(), model, counts, given.steps, given.rounds)


if __name__ == "__main__":
    main()
