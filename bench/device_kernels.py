# SPDX-License-Identifier: Apache-2.0
"""What ptxas makes of the device functions of train steps: the table of
docs/lowering-cuda.md.

    python bench/device_kernels.py

Needs ptxas of CUDA 13, on the path or in /usr/local/cuda/bin, and no GPU. The
figures are counts and the same in every run.
"""

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from built_tool import ROOT, newest_tool

MODELS = ["gpt2-tiny", "gpt2-tiny-bf16", "llama-tiny", "gpt2-124m", "llama-bench"]
CHIPS = ["sm_80", "sm_90a", "sm_100a", "sm_120"]


def find_ptxas():
    path = os.pathsep.join([os.environ["PATH"], "/usr/local/cuda/bin"])
    return shutil.which("ptxas", path=path) or sys.exit("ptxas is not installed")


def assembled(ptxas, model, chip, folder):
    """ptxas' report on every function: registers, shared bytes, spilled bytes."""
    path = Path(folder) / f"{model}.{chip}.ptx"
    subprocess.run(
        [newest_tool().with_name("shardsmith-opt"), ROOT / f"test/models/{model}.mlir", "--import",
         "--train=optimizer=adamw", "--lower-program=target=cuda", "--emit-cuda-kernels",
         f"--emit-ptx=chip={chip} path={path}", "-o", os.devnull],
        check=True,
    )
    report = subprocess.run([ptxas, "-v", f"-arch={chip}", path, "-o", os.devnull],
                            check=True, capture_output=True, text=True).stderr
    for text in report.split("Compiling entry function")[1:]:
        shared = re.search(r"(\d+) bytes smem", text)
        yield (int(re.search(r"Used (\d+) registers", text)[1]),
               int(shared[1]) if shared else 0,
               sum(map(int, re.findall(r"(\d+) bytes spill", text))))


def main():
    ptxas = find_ptxas()
    print("| model | chip | functions | registers: median, most | shared memory: most | spilled |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for model in MODELS:
            for chip in CHIPS:
                registers, shared, spilled = zip(*assembled(ptxas, model, chip, folder))
                print(f"| {model} | {chip} | {len(registers)} | "
                      f"{statistics.median(registers):g}, {max(registers)} | "
                      f"{max(shared)} B | {sum(spilled)} B |", flush=True)


if __name__ == "__main__":
    main()
