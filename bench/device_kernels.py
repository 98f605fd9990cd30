# SPDX-License-Identifier: Apache-2.0
"""What kernels of train steps move and need: the table of docs/lowering-cuda.md.

    python bench/device_kernels.py

Compiles each model for one device and reads `inspect --kernels`. Needs ptxas of
CUDA 13, on the path or in /usr/local/cuda/bin, and no GPU; of the project's
Python packages JAX, which exports the mixture and the ResNet. The figures are
counts and the same in every run.
"""

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from built_tool import ROOT, newest_tool

sys.path[:0] = [str(ROOT / "python"), str(ROOT / "test/models")]

import architectures  # noqa: E402

MODELS = ["gpt2-tiny", "gpt2-tiny-bf16", "llama-tiny", "gpt2-124m", "llama-bench"]
# The functions of attention alone, where it is one op however small.
ATTENTION = {
    "f32": ["--attention-scores", "0"],
    "bf16": ["--attention-scores", "0", "--compute-dtype", "bf16"],
}
# Of test/models/architectures.py, and the options of each. A capacity makes the
# function that drops rows one of those that are measured.
EXPORTED = {"mixture": ["--expert-capacity", "1"], "resnet50": []}
CHIPS = ["sm_80", "sm_90a", "sm_100a", "sm_120"]
HEADER = ["model", "chip", "functions", "registers: median, most", "shared memory: most",
          "spilled", "occupancy: median, least", "moved ÷ buffers", "coalescing: least"]


def kernels_of(path, folder, options=()):
    """Per chip what `inspect` says of every function."""
    tool = newest_tool()
    subprocess.run([tool, "compile", path, "--cluster", "cpu:1",
                    *options, "--target", "cuda:sm_80", "--no-cubin", "-o", folder],
                   check=True, capture_output=True)
    for chip in CHIPS:
        text = subprocess.run([tool, "inspect", folder, "--kernels", "--json", "--target",
                               f"cuda:{chip}"], check=True, capture_output=True).stdout
        yield chip, json.loads(text)["kernels"]


def row(model, chip, kernels):
    registers = [each["registers_per_thread"] for each in kernels]
    occupancy = [each["occupancy"] for each in kernels]
    # Where data says how long a loop is, nothing is known.
    known = [each for each in kernels if "moved_bytes" in each]
    moved, buffers = (sum(each["launches"] * each[key] for each in known)
                      for key in ("moved_bytes", "buffer_bytes"))
    # Where data says what is read, as for the rows of a table, is drawn.
    coalescing = min(each["coalescing"] for each in kernels if not each["depends_on_data"])
    return [model, chip, len(kernels), f"{statistics.median(registers):g}, {max(registers)}",
            f"{max(each['shared_bytes'] for each in kernels)} B",
            f"{sum(each['spilled_bytes'] for each in kernels)} B",
            f"{statistics.median(occupancy):.2f}, {min(occupancy):.2f}",
            f"{moved / buffers:.2f}", f"{coalescing:.2f}"]


def print_rows(label, model, options=(), prefix=""):
    with tempfile.TemporaryDirectory() as folder:
        path = ROOT / f"test/models/{model}.mlir"
        if model in EXPORTED:
            path = Path(folder) / f"{model}.mlir"
            architectures.export(model, path)
        for chip, kernels in kernels_of(path, Path(folder) / "out", options):
            kernels = [each for each in kernels if each["name"].startswith(prefix)]
            print("| " + " | ".join(map(str, row(label, chip, kernels))) + " |", flush=True)


def main():
    print("| " + " | ".join(HEADER) + " |")
    print("|" + "---|" * len(HEADER))
    for model in MODELS:
        print_rows(model, model)
    for model, options in EXPORTED.items():
        print_rows(model, model, options)
    for model in ["gpt2-124m", "llama-bench"]:
        for element, options in ATTENTION.items():
            print_rows(f"{model}: attention, {element}", model, options, "attention")


if __name__ == "__main__":
    main()
