# SPDX-License-Identifier: Apache-2.0
"""What kernels of train steps move and need: the table of docs/lowering-cuda.md.

    python bench/device_kernels.py

Compiles each model for one device and reads `inspect --kernels`. Needs ptxas of
CUDA 13, on the path or in /usr/local/cuda/bin, and no GPU. The figures are
counts and the same in every run.
"""

import json
import statistics
import subprocess
import tempfile
from pathlib import Path

from built_tool import ROOT, newest_tool

MODELS = ["gpt2-tiny", "gpt2-tiny-bf16", "llama-tiny", "gpt2-124m", "llama-bench"]
CHIPS = ["sm_80", "sm_90a", "sm_100a", "sm_120"]
HEADER = ["model", "chip", "functions", "registers: median, most", "shared memory: most",
          "spilled", "occupancy: median, least", "moved ÷ buffers", "coalescing: least"]


def kernels_of(model, folder):
    """Per chip what `inspect` says of every function."""
    tool = newest_tool()
    subprocess.run([tool, "compile", ROOT / f"test/models/{model}.mlir", "--cluster", "cpu:1",
                    "--target", "cuda:sm_80", "--no-cubin", "-o", folder],
                   check=True, capture_output=True)
    for chip in CHIPS:
        text = subprocess.run([tool, "inspect", folder, "--kernels", "--json", "--target",
                               f"cuda:{chip}"], check=True, capture_output=True).stdout
        yield chip, json.loads(text)["kernels"]


def row(model, chip, kernels):
    registers = [each["registers_per_thread"] for each in kernels]
    occupancy = [each["occupancy"] for each in kernels]
    moved, buffers = (sum(each["launches"] * each[key] for each in kernels)
                      for key in ("moved_bytes", "buffer_bytes"))
    # Where data says what is read, as for the rows of a table, is drawn.
    coalescing = min(each["coalescing"] for each in kernels if not each["depends_on_data"])
    return [model, chip, len(kernels), f"{statistics.median(registers):g}, {max(registers)}",
            f"{max(each['shared_bytes'] for each in kernels)} B",
            f"{sum(each['spilled_bytes'] for each in kernels)} B",
            f"{statistics.median(occupancy):.2f}, {min(occupancy):.2f}",
            f"{moved / buffers:.2f}", f"{coalescing:.2f}"]


def main():
    print("| " + " | ".join(HEADER) + " |")
    print("|" + "---|" * len(HEADER))
    for model in MODELS:
        with tempfile.TemporaryDirectory() as folder:
            for chip, kernels in kernels_of(model, Path(folder)):
                print("| " + " | ".join(map(str, row(model, chip, kernels))) + " |", flush=True)


if __name__ == "__main__":
    main()
