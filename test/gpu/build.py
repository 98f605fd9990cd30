#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the programs that run.py runs on a machine with a GPU:

    test/gpu/build.py -o gpu-programs [--chips sm_90a] [--large]

Programs, what processors compute with the same plans, seeds and steps, and
run.py itself: a folder to be copied there, which needs neither MLIR nor the
compiler. With --large also GPT-2 of 124 million parameters and a Llama of a
billion, for their speed, which bench/gpu compares with PyTorch's.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MOST_BYTES = 60 << 20
SEED = 7
STEPS = 5
# From how many scores on attention is one op: of these models it is written out
# unless that is said.
ONE_OP = ["--attention-scores", "0"]
# Name, model, ranks, what is fixed of the plan, relative tolerance of losses,
# other options.
CASES = [
    ("gpt2-f32", "gpt2-tiny", 1, None, 1e-4, []),
    ("llama-f32", "llama-tiny", 1, None, 1e-4, []),
    ("gpt2-bf16", "gpt2-tiny-bf16", 1, None, 2e-3, []),
    ("attention-f32", "llama-tiny", 1, None, 1e-4, ONE_OP),
    ("attention-bf16", "gpt2-tiny-bf16", 1, None, 2e-3, ONE_OP),
    ("gpt2-data", "gpt2-tiny", 2, "dp=2", 1e-4, []),
    ("llama-tensor", "llama-tiny", 2, "tp=2", 1e-4, []),
    ("llama-pipeline", "llama-tiny", 2, "pp=2", 1e-4, []),
    ("llama-ring", "llama-tiny", 2, "cp=2,context-method=ring", 1e-4, ONE_OP),
    ("experts-f32", "mixtral-tiny", 1, None, 1e-4, ["--dtype", "f32"]),
    ("experts-bf16", "mixtral-tiny", 1, None, 2e-3, ["--dtype", "bf16"]),
    ("eight-bits", "llama-tiny", 1, None, 2e-3, ["--compute-dtype", "f8"]),
    ("experts-on-two", "mixtral-tiny", 2, "dp=2,ep=2", 1e-4, ["--dtype", "f32"]),
]
# Name, model, and the type of products.
LARGE = [
    ("gpt2-124m", "gpt2-124m", "bf16"),
    ("llama-1b", Path(__file__).with_name("llama-1b.json"), "bf16"),
    ("llama-1b-f8", Path(__file__).with_name("llama-1b.json"), "f8"),
]
OPTIONS_OF_LARGE = ["--cluster", "1xh200", "--global-batch", "8", "--seq", "1024", "--dtype",
                    "f32"]


def compiler():
    given = os.environ.get("SHARDSMITH_BUILD")
    builds = [Path(given)] if given else sorted(ROOT.glob("build/*"))
    for build in builds:
        if (build / "bin/shardsmith").exists():
            return build / "bin/shardsmith"
    sys.exit("there is no build/*/bin/shardsmith; build the project, or set SHARDSMITH_BUILD")


def call(*words):
    done = subprocess.run([*map(str, words)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: code {done.returncode}\n{done.stderr}")
    return done.stdout


def source_of(model):
    """A file of test/models, or a configuration beside this script."""
    configuration = Path(__file__).with_name(f"{model}.json")
    if configuration.exists():
        return [configuration, "--global-batch", "8", "--seq", "32"]
    return [ROOT / f"test/models/{model}.mlir"]


def build_case(shardsmith, folder, chips, name, model, ranks, fix, tolerance, options, extra):
    work = folder / "work" / name
    fixed = ["--fix", fix] if fix else []
    call(shardsmith, "compile", *source_of(model), "--cluster", f"cpu:{ranks}", *fixed, *options,
         "-o", work / "cpu")
    call(shardsmith, "compile", work / "cpu", "--target", f"cuda:{chips}", "--dump-dir",
         work / "ir", "-o", work / "gpu", *extra)
    (folder / name).mkdir(parents=True)
    shutil.copy(work / "gpu/program", folder / name / "program")
    results = folder / name / "expected.safetensors"
    summary = json.loads(call(work / "cpu/program", "--ranks", ranks, "--steps", STEPS, "--seed",
                              SEED, "--json", "--quiet", "--dump-outputs", results))
    return {"name": name, "kind": "correctness", "ranks": ranks, "steps": STEPS, "seed": SEED,
            "tolerance": tolerance, "losses": summary["losses"]}


def build_large(shardsmith, folder, chips, extra, name, model, element):
    work = folder / "work" / name
    options = [*OPTIONS_OF_LARGE, "--compute-dtype", element]
    call(shardsmith, "compile", model, *options, "--target", f"cuda:{chips}", "-o", work, *extra)
    (folder / name).mkdir()
    shutil.copy(work / "program", folder / name / "program")
    return {"name": name, "kind": "speed", "ranks": 1, "steps": 30, "seed": SEED,
            "options": options}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--chips", default="sm_90a")
    parser.add_argument("--large", action="store_true",
                        help="also GPT-2 124M and a Llama of a billion parameters, for their speed")
    parser.add_argument("--case", action="append", choices=[case[0] for case in CASES],
                        help="only this one; may be repeated")
    parser.add_argument("--no-cubin", action="store_true")
    parser.add_argument("--keep-work", action="store_true", help="keep folder 'work'")
    arguments = parser.parse_args()
    folder = arguments.output
    if folder.exists():
        sys.exit(f"{folder} exists; remove it, or name another folder")
    folder.mkdir(parents=True)
    shardsmith = compiler()
    extra = ["--no-cubin"] if arguments.no_cubin else []
    cases = [build_case(shardsmith, folder, arguments.chips, *case, extra) for case in CASES
             if not arguments.case or case[0] in arguments.case]
    if arguments.large:
        cases += [build_large(shardsmith, folder, arguments.chips, extra, *large)
                  for large in LARGE]
    if not arguments.keep_work:
        shutil.rmtree(folder / "work")
    shutil.copy(Path(__file__).with_name("run.py"), folder / "run.py")
    (folder / "cases.json").write_text(
        json.dumps({"format": "shardsmith-gpu-cases/1", "cases": cases}, indent=1))
    size = sum(path.stat().st_size for path in folder.rglob("*")
               if path.is_file() and "work" not in path.relative_to(folder).parts)
    print(f"{folder}: {len(cases)} cases, {size / (1 << 20):.1f} MiB; copy it to a machine with a "
          f"GPU and start {folder.name}/run.py there")
    if size > MOST_BYTES:
        sys.exit(f"that is more than {MOST_BYTES >> 20} MiB")


if __name__ == "__main__":
    main()
