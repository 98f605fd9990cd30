# SPDX-License-Identifier: Apache-2.0
"""What `join-launches` saves on a GPU: the table of docs/lowering-cuda.md.

    python bench/joint_launches.py

Lowers train steps of one device with and without the pass, and counts launches
of kernels, and what memory the step needs beside parameters and optimizer
state. Counts, the same in every run.
"""

import re
import tempfile

from built_tool import ROOT
from stored_activations import BEFORE, MODELS, local_program, temporaries, text_behind

CASES = {" ".join([model, *options[1:]]): (ROOT / f"test/models/{model}.mlir", options)
         for model, options in MODELS.items()}
CASES["gpt2-124m bf16, 8 × 1,024 tokens"] = (
    "gpt2-124m", ["--seq", "1024", "--global-batch", "8", "--compute-dtype", "bf16"])
LOWER = [*BEFORE, "recompute-in-kernels", "collapse-kernels", "find-epilogues"]


def lowered(local, passes):
    """Launches of kernels, the most members of one, and bytes of temporaries."""
    text = text_behind(local, [*LOWER, *passes, "plan-buffers"])
    members = re.findall(r"smith\.joint_launch = (\d+)", text)
    alone = len(re.findall(r"= smith\.kernel\(", text)) - len(members)
    largest = max(map(members.count, set(members)), default=1)
    return alone + len(set(members)), largest, temporaries(text)


def main():
    print("| model | launches of kernels: without, with | most kernels of one "
          "| temporaries: with ÷ without |")
    print("|---|---|---|---|")
    for label, (model, options) in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            local = local_program(model, options, folder)
            without, _, before = lowered(local, [])
            joined, largest, memory = lowered(local, ["join-launches"])
        print(f"| {label} | {without}, {joined} | {largest} | {memory / before:.2f} |", flush=True)


if __name__ == "__main__":
    main()
