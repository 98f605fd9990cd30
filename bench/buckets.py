# SPDX-License-Identifier: Apache-2.0
"""What a step costs with small collectives in common messages, over the same
program with each in its own (SMITH_ONE_BY_ONE=1).

Both ways take turns, so that they see the same machine; the ratio is that of the
fastest steps, which other work has not held up.

    python bench/buckets.py [--model test/models/gpt2-tiny.mlir] [--ranks 2]
"""

import argparse
import json
import re
import tempfile
from pathlib import Path

from built_tool import ROOT, add_tool_option, newest_tool, run

PLANS = ["dp={},zero=0", "dp={},zero=1", "dp={},zero=3"]


def messages(folder):
    """Collectives of the program, and messages that they are."""
    text = next((folder / "ir").glob("06-*")).read_text()
    ops = re.findall(r"smith\.(?:all_reduce|all_gather|reduce_scatter) ([^\n]*)", text)
    buckets = [re.search(r"smith\.bucket = (\d+)", op) for op in ops]
    alone = sum(bucket is None for bucket in buckets)
    return len(ops), alone + len({bucket[1] for bucket in buckets if bucket})


def measure(shardsmith, plan, arguments):
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "program"
        run(shardsmith, "compile", arguments.model, "--cluster", f"cpu:{arguments.ranks}",
            "--fix", plan, "-o", folder, "--dump-dir", folder / "ir")  # fmt: skip
        ops, sent = messages(folder)
        seconds = {"1": [], "0": []}
        for _ in range(arguments.rounds):
            for alone, times in seconds.items():
                command = [shardsmith, "run", folder, "--steps", arguments.steps, "--json"]
                times += json.loads(run(*command, SMITH_ONE_BY_ONE=alone))["step_seconds"][1:]
    before, after = (min(times) for times in seconds.values())
    print(
        f"{plan:14} {ops} collectives in {sent} messages  {before * 1e3:6.2f} ms → "
        f"{after * 1e3:6.2f} ms  {after / before:5.2f} ×",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default=ROOT / "test/models/gpt2-tiny.mlir")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=5)
    add_tool_option(parser)
    arguments = parser.parse_args()
    for plan in PLANS:
        measure(
            arguments.tool or newest_tool(), plan.format(arguments.ranks), arguments
        )


if __name__ == "__main__":
    main()
