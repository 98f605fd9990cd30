# SPDX-License-Identifier: Apache-2.0
"""What `recompute-in-kernels` saves on a GPU: the table of docs/lowering-cuda.md.

    python bench/stored_activations.py

Lowers train steps of one device with and without the pass, and adds up what
kernels read and write, and what memory the step needs beside parameters and
optimizer state. Counts, the same in every run.
"""

import re
import subprocess
import tempfile
from pathlib import Path

from built_tool import ROOT, newest_tool

MODELS = {
    "gpt2-tiny": [],
    "llama-tiny": [],
    "gpt2-124m": ["--compute-dtype", "bf16"],
    "llama-bench": ["--compute-dtype", "bf16"],
}
BEFORE = ["lower-windows", "simplify-local", "cse", "drop-barriers", "lower-dots", "form-kernels"]
BEHIND = ["collapse-kernels", "plan-buffers"]
WITHOUT_TARGET = {"cse", "drop-barriers", "collapse-kernels"}


def bytes_of(types):
    total = 0
    for shape, bits in re.findall(r"tensor<((?:\d+x)*)[a-z]+(\d+)>", types):
        elements = 1
        for size in shape.split("x")[:-1]:
            elements *= int(size)
        total += elements * max(int(bits) // 8, 1)
    return total


def local_program(model, options, folder):
    """The program of the train step on one device, in a file of the folder."""
    subprocess.run([newest_tool(), "compile", model, "--cluster", "1xh100", *options,
                    "--target", "cuda:sm_90a", "--no-cubin", "--dump-dir", folder,
                    "-o", Path(folder) / "out"],
                   check=True, capture_output=True)
    return Path(folder) / "05-local.mlir"


def text_behind(local, passes):
    options = [f"--{name}" + ("" if name in WITHOUT_TARGET else "=target=cuda") for name in passes]
    return subprocess.run([newest_tool().with_name("shardsmith-opt"), local, *options], check=True,
                          capture_output=True, text=True).stdout


def temporaries(text):
    """Bytes of the arena beside those of the arguments."""
    arena = int(re.search(r"smith\.arena_bytes = (\d+)", text)[1])
    return arena - bytes_of(re.search(r"func\.func public @main\((.*)\) ->", text)[1])


def lowered(local, passes):
    """Bytes that kernels read and write, and those of temporaries at most."""
    text = text_behind(local, passes)
    kernels = re.findall(r"smith\.kernel\(.* : (\(.*\) -> .*) \{$", text, re.MULTILINE)
    return sum(map(bytes_of, kernels)), temporaries(text)


def main():
    print("| model | kernels move: with ÷ without | temporaries: with ÷ without |")
    print("|---|---|---|")
    for model, options in MODELS.items():
        with tempfile.TemporaryDirectory() as folder:
            local = local_program(ROOT / f"test/models/{model}.mlir", options, folder)
            without = lowered(local, [*BEFORE, *BEHIND])
            kept = lowered(local, [*BEFORE, "recompute-in-kernels", *BEHIND])
        moved, memory = (a / b for a, b in zip(kept, without))
        label = " ".join([model, *options[1:]])
        print(f"| {label} | {moved:.2f} | {memory:.2f} |", flush=True)


if __name__ == "__main__":
    main()
