# SPDX-License-Identifier: Apache-2.0
"""Speed of data parallelism with ZeRO-1, 2 and 3 over that without, two ranks of
one thread each.

Programs take turns, so that all see the same machine. The ratio is that of the
fastest steps, which other work has not held up; that of the medians is beside
it.

    python bench/zero_stages.py [MODEL …] [--micro-batches 1]
"""

import argparse
import json
import statistics
import tempfile
from pathlib import Path

from built_tool import ROOT, add_tool_option, newest_tool, run
from micro_batches import batch_of

MODELS = ["gpt2-tiny", "llama-bench"]


def measure(shardsmith, model, arguments):
    source = ROOT / "test" / "models" / f"{model}.mlir"
    size = batch_of(source) // arguments.ranks // arguments.micro_batches
    with tempfile.TemporaryDirectory() as parent:
        seconds = {}
        for zero in map(int, arguments.stages.split(",")):
            folder = Path(parent) / str(zero)
            fix = f"dp={arguments.ranks},zero={zero},micro-batch={size}"
            run(shardsmith, "compile", source, "--cluster", f"cpu:{arguments.ranks}",
                "--fix", fix, "-o", folder)  # fmt: skip
            seconds[zero] = []
        for _ in range(arguments.rounds):
            for zero, times in seconds.items():
                folder = Path(parent) / str(zero)
                text = run(shardsmith, "run", folder, "--steps", arguments.steps, "--json")
                times += json.loads(text)["step_seconds"][2:]
    plain = seconds[0]
    for zero, times in seconds.items():
        fastest = min(plain) / min(times)
        usual = statistics.median(plain) / statistics.median(times)
        print(
            f"{model:12} zero={zero}  {min(times) * 1e3:9.2f} ms  {fastest:5.2f} of "
            f"the speed without, {usual:5.2f} by medians",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", default=MODELS)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--stages", default="0,1,3", help="of ZeRO")
    parser.add_argument("--micro-batches", type=int, default=1)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=4)
    add_tool_option(parser)
    arguments = parser.parse_args()
    for model in arguments.models:
        measure(arguments.tool or newest_tool(), model, arguments)


if __name__ == "__main__":
    main()
