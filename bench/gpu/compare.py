#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Steps of our programs beside those of PyTorch on the same GPU:

    gpu-programs/run.py --json rows.json
    for model in gpt2 llama; do python bench/gpu/$model.py; done > torch.jsonl
    python bench/gpu/compare.py rows.json torch.jsonl

Of the rate of products there are 6 operations for each parameter and token;
those of attention itself are left out, so the share of the ceiling is at least
what is printed. Ceilings are those that the scripts in PyTorch measured.
"""

import argparse
import json
from pathlib import Path

HEADER = ["model", "step", "PyTorch", "step ÷ PyTorch", "of the matmul ceiling",
          "predicted ÷ measured", "longest rest of kernels"]


def row(ours, theirs):
    seconds = ours["step_ms"] / 1e3
    tokens = theirs["batch"] * theirs["sequence"]
    share = 6e-12 * theirs["parameters"] * tokens / seconds / theirs["matmul_tflops"]
    predicted = ours["predicted"]["step_nanoseconds"] / 1e9 / seconds
    rest = ours.get("profile", {}).get("longest_rest_us")
    return [ours["name"], f"{ours['step_ms']:.2f} ms", f"{theirs['median_step_ms']:.2f} ms",
            f"{ours['step_ms'] / theirs['median_step_ms']:.2f}", f"{share:.0%}",
            f"{predicted:.2f}", "?" if rest is None else f"{rest} µs"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("ours", type=Path, help="what run.py wrote with --json")
    parser.add_argument("theirs", type=Path, help="lines of gpt2.py and llama.py")
    arguments = parser.parse_args()
    theirs = {each["name"]: each
              for each in map(json.loads, arguments.theirs.read_text().splitlines())}
    print("| " + " | ".join(HEADER) + " |\n" + "|---" * len(HEADER) + "|")
    for ours in json.loads(arguments.ours.read_text())["rows"]:
        # Eight bits are compared with the same model of PyTorch, which has 16.
        of = theirs.get(ours["name"].removesuffix("-f8"))
        if ours["kind"] == "speed" and of and "step_ms" in ours:
            print("| " + " | ".join(row(ours, of)) + " |")


if __name__ == "__main__":
    main()
