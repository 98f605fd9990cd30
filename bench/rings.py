# SPDX-License-Identifier: Apache-2.0
"""How busy the ranks of a causal ring are with positions in zigzag, over the same
ring with positions in order, by ranks; and what the plans say of its step.

Positions are dealt out if twice the ranks divide them. So the two programs differ
by two positions: 4096 and 4094 of them, say. What counts is the processor time of
the busiest rank, for which the others wait; other work does not change it.

    python bench/rings.py [--model gpt2] [--length 4096] [--ranks 2,4]
"""

import argparse
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

from built_tool import add_tool_option, newest_tool, run

MODELS = {
    "gpt2": {
        "vocab_size": 128,
        "n_embd": 64,
        "n_layer": 2,
        "n_head": 2,
        "n_positions": 8192,
    },
    # Two of four experts per token, on every rank.
    "mixtral": {
        "vocab_size": 128,
        "hidden_size": 64,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 2,
        "num_local_experts": 4,
        "num_experts_per_tok": 2,
        "max_position_embeddings": 8192,
    },
}


def compile_program(shardsmith, model, length, ranks, folder):
    """What the plan says of a step, and the sum over the program's own ops and
    exchanges, in seconds."""
    config = folder.parent / "config.json"
    config.write_text(json.dumps({"model_type": model} | MODELS[model]))
    fix = f"cp={ranks},ep=1,context-method=ring,recompute=none"
    run(shardsmith, "compile", config, "--seq", length, "--dtype", "f32", "--global-batch", 1,
        "--cluster", f"cpu:{ranks}", "--fix", fix, "-o", folder)  # fmt: skip
    plan = json.loads((folder / "plan.json").read_text())
    return plan["prediction"]["step_ns"] / 1e9, plan["search"]["layouts"]["cost_ns"] / 1e9


def busy_seconds(folder, ranks, steps):
    """Processor time of every rank, as last seen before it ends."""
    environment = dict(os.environ, SMITH_THREADS="1", OMP_NUM_THREADS="1")
    command = [folder / "program", "--ranks", str(ranks), "--steps", str(steps)]
    program = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    seconds = {}
    while program.poll() is None:
        children = Path(f"/proc/{program.pid}/task/{program.pid}/children")
        try:
            for rank in children.read_text().split():
                fields = Path(f"/proc/{rank}/stat").read_text().rsplit(")", 1)[1].split()
                ticks = int(fields[11]) + int(fields[12])
                seconds[rank] = ticks / os.sysconf("SC_CLK_TCK")
        except OSError:
            pass  # a process that has just ended
        time.sleep(0.02)
    return sorted(seconds.values())


def measure(shardsmith, ranks, arguments):
    with tempfile.TemporaryDirectory() as parent:
        predicted, busy = [], []
        for length in (arguments.length - 2, arguments.length):
            folder = Path(parent) / str(length)
            predicted.append(compile_program(shardsmith, arguments.model, length, ranks, folder))
            busy.append(busy_seconds(folder, ranks, arguments.steps))
    plan, program = (new / old for old, new in zip(*predicted))
    texts = [", ".join(f"{each:.2f}" for each in seconds) for seconds in busy]
    print(
        f"{arguments.model} on {ranks} ranks, {arguments.length} positions: "
        f"processor seconds {texts[0]} → {texts[1]}; "
        f"the busiest {busy[1][-1] / busy[0][-1]:.2f} ×; predicted "
        f"{plan:.2f} × by the strategy's price, {program:.2f} × by the program's",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", choices=MODELS, default="gpt2")
    parser.add_argument("--length", type=int, default=4096, help="positions of a sequence")
    parser.add_argument("--ranks", default="2,4")
    parser.add_argument("--steps", type=int, default=20)
    add_tool_option(parser)
    arguments = parser.parse_args()
    for ranks in map(int, arguments.ranks.split(",")):
        measure(arguments.tool or newest_tool(), ranks, arguments)


if __name__ == "__main__":
    main()
