# SPDX-License-Identifier: Apache-2.0
"""What a step of a causal ring costs with positions in zigzag, over the same ring
with positions in order, by ranks; and what the plans say.

Positions are dealt out if twice the ranks divide them. So the two programs differ
by two positions: 2048 and 2046 of them, say. They take turns, so that both see the
same machine; the ratio is that of the fastest steps, which other work has not held
up. Every rank has one thread, so with fewer cores than ranks the ratio is nearer to
1, for then nobody waits idly.

    python bench/rings.py [--length 2048] [--ranks 2,4]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from built_tool import add_tool_option, newest_tool

MODEL = {
    "model_type": "gpt2",
    "vocab_size": 128,
    "n_embd": 64,
    "n_layer": 2,
    "n_head": 2,
    "n_positions": 8192,
}


def run(*command):
    environment = dict(os.environ, SMITH_THREADS="1", OMP_NUM_THREADS="1")
    done = subprocess.run(
        list(map(str, command)), env=environment, capture_output=True, text=True
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stderr}")
    return done.stdout


def compile_program(shardsmith, length, ranks, folder):
    """The program's folder, and what the plan and the program's own prediction say
    of a step, in seconds."""
    config = folder.parent / "config.json"
    config.write_text(json.dumps(MODEL))
    run(shardsmith, "compile", config, "--seq", length, "--dtype", "f32", "--global-batch", 1,
        "--cluster", f"cpu:{ranks}", "--fix", f"cp={ranks},context-method=ring,recompute=none",
        "-o", folder)  # fmt: skip
    plan = json.loads((folder / "plan.json").read_text())
    return plan["estimate"]["step_ns"] / 1e9, plan["program"]["predicted"]["step_ns"] / 1e9


def measure(shardsmith, ranks, arguments):
    lengths = {"in order": arguments.length - 2, "zigzag": arguments.length}
    with tempfile.TemporaryDirectory() as parent:
        predicted, seconds = {}, {form: [] for form in lengths}
        for form, length in lengths.items():
            folder = Path(parent) / form.replace(" ", "-")
            predicted[form] = compile_program(shardsmith, length, ranks, folder)
        for _ in range(arguments.rounds):
            for form in lengths:
                folder = Path(parent) / form.replace(" ", "-")
                report = run(shardsmith, "run", folder, "--steps", arguments.steps, "--json")
                seconds[form] += json.loads(report)["step_seconds"][1:]
    before, after = (min(values) for values in seconds.values())
    plan, program = (
        new / old for old, new in zip(predicted["in order"], predicted["zigzag"])
    )
    print(
        f"{ranks} ranks, {arguments.length} positions  {before * 1e3:7.1f} ms → "
        f"{after * 1e3:7.1f} ms  {after / before:5.2f} ×; predicted {plan:5.2f} × by the "
        f"strategy's price, {program:5.2f} × by the program's",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--length", type=int, default=2048, help="positions of a sequence")
    parser.add_argument("--ranks", default="2,4")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    add_tool_option(parser)
    arguments = parser.parse_args()
    for ranks in map(int, arguments.ranks.split(",")):
        measure(arguments.tool or newest_tool(), ranks, arguments)


if __name__ == "__main__":
    main()
