# SPDX-License-Identifier: Apache-2.0
"""How training goes with products of eight bits, beside bf16 and f32.

    python bench/eight_bits.py [--steps 200]

Trains `llama-bench` (8 × 128 bytes of this project's documentation a step) in
f32, with products of bf16, and with those of eight bits, from the same values
and on the same text, one after the other on one rank. Prints the mean loss of
the last twenty steps of each, and its distance from that of f32.
"""

import argparse
import json
import statistics
import subprocess
import tempfile
from pathlib import Path

from built_tool import ROOT, newest_tool

LAST = 20


def losses_of(element, steps, text, folder):
    tool, program = newest_tool(), Path(folder) / element
    subprocess.run([tool, "compile", ROOT / "test/models/llama-bench.mlir", "--cluster", "cpu:1",
                    "--optimizer", "adamw", "--lr", "3e-4", "--compute-dtype", element,
                    "-o", program], check=True, capture_output=True)
    done = subprocess.run([tool, "run", program, "--ranks", "1", "--steps", str(steps), "--seed",
                           "1", "--tokens", text, "--tokens-type", "uint8", "--json", "--quiet"],
                          check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["losses"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=200)
    steps = parser.parse_args().steps
    print(f"| products | first loss | mean of the last {LAST} of {steps} | from f32 |")
    print("|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "text"
        text.write_bytes(b"".join(path.read_bytes()
                                  for path in sorted((ROOT / "docs").glob("*.md"))))
        reference = None
        for element in ("f32", "bf16", "f8"):
            losses = losses_of(element, steps, text, folder)
            mean = statistics.mean(losses[-LAST:])
            reference = reference or mean
            print(f"| {element} | {losses[0]:.4f} | {mean:.4f} | {mean / reference - 1:+.2%} |",
                  flush=True)


if __name__ == "__main__":
    main()
