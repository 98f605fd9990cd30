# SPDX-License-Identifier: Apache-2.0
"""Compiles a local StableHLO function for one rank and runs it on arrays."""

import os
import shutil
import subprocess

import numpy
from safetensors.numpy import load_file, save_file
from tools import tool

PIPELINE = [
    "--lower-windows",
    "--simplify-local",
    "--cse",
    "--lower-dots",
    "--form-kernels",
    "--collapse-kernels",
    "--plan-buffers",
]


def build_folder():
    """Where the tools were built."""
    return tool("shardsmith-opt").parent.parent


def with_roles(text, arguments, results):
    """Names the tensors of `jax.jit(...).lower(...).as_text()`."""
    lines = []
    for line in text.splitlines():
        if "func.func public @main" in line:
            for i in range(arguments):
                line = _annotate(line, f"%arg{i}: ", f"a{i}", "batch")
            head, tail = line.split(" -> ", 1)
            tail = _annotate_results(tail, results)
            line = head + " -> " + tail
        lines.append(line)
    return "\n".join(lines)


def _annotate(line, marker, name, role):
    start = line.index(marker) + len(marker)
    end = _type_end(line, start)
    attributes = f' {{smith.name = "{name}", smith.role = "{role}"}}'
    rest = line[end:]
    if rest.startswith(" {"):
        rest = rest[rest.index("}") + 1 :]
    return line[:end] + attributes + rest


def _annotate_results(tail, count):
    types, position = [], 0
    for _ in range(count):
        start = tail.index("tensor<", position)
        position = _type_end(tail, start)
        types.append(tail[start:position])
    return (
        "("
        + ", ".join(
            f'{kind} {{smith.name = "r{i}", smith.role = "output"}}'
            for i, kind in enumerate(types)
        )
        + ") {"
    )


def _type_end(line, start):
    depth = 0
    for i in range(start, len(line)):
        depth += {"<": 1, ">": -1}.get(line[i], 0)
        if line[i] == ">" and depth == 0:
            return i + 1
    raise ValueError(line)


def build_program(text, folder, plan_hash="0" * 16):
    """Compiles a local program in `folder`, and returns the executable."""
    tools = build_folder() / "bin"
    source = folder / "main.mlir"
    source.write_text(text)
    lowered, program_object = folder / "lowered.mlir", folder / "main.o"
    opt = tools / "shardsmith-opt"
    subprocess.run(
        [opt, *PIPELINE, source, "-o", lowered], check=True, timeout=120
    )
    subprocess.run(
        [opt, f"--emit-cpu-object=path={program_object} plan-hash={plan_hash}", lowered,
         "-o", os.devnull],
        check=True,
        timeout=120,
    )
    program = folder / "program"
    archive = build_folder() / "lib" / "libshardsmith_runtime.a"
    compiler = shutil.which("c++") or shutil.which("g++")
    subprocess.run(
        [compiler, program_object, archive, "-o", program, "-ldnnl", "-lm",
         "-pthread", "-ldl", "-lrt"],
        check=True,
        timeout=120,
    )
    return program


def run_program(text, arrays, folder, ranks=1):
    """The results of @main, in order."""
    program = build_program(text, folder)
    inputs, outputs = folder / "in.safetensors", folder / "out.safetensors"
    save_file(
        {f"a{i}": numpy.array(a, order="C") for i, a in enumerate(arrays)},
        inputs,
    )
    subprocess.run(
        [program, "--ranks", str(ranks), "--steps", "1", "--quiet", "--inputs",
         inputs, "--dump-outputs", outputs],
        check=True,
        timeout=120,
    )
    found = load_file(outputs)
    return [found[f"r{i}"] for i in range(len(found))]
