# SPDX-License-Identifier: Apache-2.0
"""How well the built-in devices' constants give measured kernels.

    python bench/kernel_fit.py [--tables DIR] [--fit]

DIR holds kernels_gemm.csv.gz, kernels_attention_fwd.csv.gz and
kernels_moe.csv.gz: one timed kernel per row, after the tables of
ai-dynamo/aiconfigurator (Apache-2.0). They are not part of this project; the
default is ../shared/data, or the environment variable SHARDSMITH_KERNEL_TABLES.

Prints |predicted / measured - 1| with the constants of
lib/Cluster/BuiltinFits.cpp; with --fit, constants fitted anew, as rows for that
file. A quarter of the shapes, chosen by the hash of (n, k) or (heads,
key-value heads), is kept out of the fit, and errors are those on that quarter.
Products of experts have no constants of their own: they are single products
at half the rate for 256 tokens per expert, the default of stack profiles.

Models: docs/cost-model.md.
"""

import argparse
import collections
import csv
import gzip
import os
import pathlib
import sys
import zlib

import numpy as np
from scipy.optimize import least_squares

from fitted_constants import read_table

# system of the tables: name here, memory TB/s, peaks TFLOP/s (dense)
DEVICES = {
    "a100_sxm": ("a100", 2.04, {"bf16": 312}),
    "h100_sxm": ("h100", 3.35, {"bf16": 989, "fp8": 1979}),
    "h200_sxm": ("h200", 4.8, {"bf16": 989, "fp8": 1979}),
    "b200_sxm": ("b200", 8.0, {"bf16": 2250, "fp8": 4500, "nvfp4": 9000}),
    "b300_sxm": ("b300", 8.0, {"bf16": 2250, "fp8": 4500, "nvfp4": 12600}),
    "gb200": ("gb200", 8.0, {"bf16": 2500, "fp8": 5000, "nvfp4": 10000}),
    "gb300": ("gb300", 8.0, {"bf16": 2500, "fp8": 5000, "nvfp4": 15000}),
    "l40s": ("l40s", 0.86, {"bf16": 362, "fp8": 733}),
    "rtx_pro_6000_server": (
        "rtxpro6000", 1.6, {"bf16": 504, "fp8": 1008, "nvfp4": 2015}),
}
# Stacks run the same kernels on the devices of a generation, so these are
# compared by one library. Others are a generation of their own.
GENERATIONS = {
    "h100_sxm": "hopper", "h200_sxm": "hopper",
    "b200_sxm": "blackwell", "b300_sxm": "blackwell",
    "gb200": "blackwell", "gb300": "blackwell",
}
ELEMENT_BYTES = {"bf16": 2.0, "fp8": 1.0, "nvfp4": 0.5}
ELEMENT_NAMES = {"bf16": "bf16", "fp8": "f8E4M3FN", "nvfp4": "f4E2M1FN"}


def read_rows(path):
    with gzip.open(path, "rt", newline="") as file:
        yield from csv.DictReader(file)


def is_held_out(*key):
    return zlib.crc32(repr(key).encode()) % 4 == 0


def same_libraries(speeds):
    """The library for each of `speeds`, which maps (system, what, library) to a
    speed: of those that all devices of the generation were timed with, or most
    of them, the one that is fastest on the geometric mean."""
    known = collections.defaultdict(lambda: collections.defaultdict(list))
    for (system, what, library), speed in speeds.items():
        generation = GENERATIONS.get(system, system)
        known[generation, what][library].append(np.log(speed))
    chosen = {}
    for system, what, library in speeds:
        libraries = known[GENERATIONS.get(system, system), what]

        def rank(name):
            return len(libraries[name]), np.mean(libraries[name])
        best = chosen.get((system, what), library)
        chosen[system, what] = max(best, library, key=rank)
    return chosen


def fit_logarithm(model, start, low, high, samples, measured):
    """Least squares of the logarithm, robust beyond 10 %; constants are
    searched on the scale given."""
    def residual(constants):
        return np.log(model(constants, *samples) / measured)
    return least_squares(residual, start, bounds=(low, high), loss="soft_l1",
                         f_scale=0.1, x_scale=np.maximum(np.abs(start), 0.1)).x


def report(kind, name, dtype, count, error):
    print(f"{kind:10} {name:11} {dtype:6} {count:6} rows  "
          f"median {100 * np.median(error):5.1f} %  "
          f"mean {100 * np.mean(error):5.1f} %  "
          f"p90 {100 * np.percentile(error, 90):5.1f} %")


def smooth_maximum(a, b, power):
    larger = np.maximum(a, b)
    smaller = np.minimum(a, b)
    return larger * (1 + (smaller / larger) ** power) ** (1 / power)


def matmul_model(peak, bandwidth, element):
    def seconds(c, m, n, k):
        share, rows, columns, depth, memory, base, power = c
        work = 2 * m * n * k * (1 + rows / m + columns / n + depth / k)
        arithmetic = work / (peak * share)
        traffic = (m * k + k * n + m * n) * element / (bandwidth * memory)
        return base * 1e-6 + smooth_maximum(arithmetic, traffic, power)
    return seconds


def check_matmuls(path, known):
    """`known`: constants by device and type; fitted where it is None."""
    rows = collections.defaultdict(list)
    for row in read_rows(path):
        if row["system"] in DEVICES and row["dtype"] in ELEMENT_BYTES:
            rows[row["system"], row["dtype"], row["framework"]].append(
                [int(row["m"]), int(row["n"]), int(row["k"]),
                 float(row["latency_us"]) * 1e-6])
    speeds = {}
    for key, timed in rows.items():
        rows[key] = timed = np.array(timed)
        large = timed[(timed[:, :3] >= 4096).all(axis=1)]
        speeds[key] = np.median(
            large[:, 0] * large[:, 1] * large[:, 2] / large[:, 3])
    constants = {}
    for (system, dtype), library in sorted(same_libraries(speeds).items()):
        name, bandwidth, peaks = DEVICES[system]
        if dtype not in peaks:
            continue
        timed = rows[system, dtype, library]
        timed = timed[(timed[:, :3] >= 128).all(axis=1)]
        held = np.array([is_held_out(n, k) for n, k in timed[:, 1:3]])
        seconds = matmul_model(peaks[dtype] * 1e12, bandwidth * 1e12,
                               ELEMENT_BYTES[dtype])
        fitted = known[name, dtype] if known else fit_logarithm(
            seconds, [0.7, 50, 20, 50, 0.7, 3, 4],
            [0.05, 0, 0, 0, 0.1, 0, 1], [1, 1000, 4000, 1000, 1.3, 30, 8],
            timed[~held, :3].T, timed[~held, 3])
        wide = held & (timed[:, :3] >= 256).all(axis=1)
        error = np.abs(seconds(fitted, *timed[wide, :3].T) / timed[wide, 3] - 1)
        report("matmul", name, dtype, len(error), error)
        constants[name, dtype] = fitted
    return constants


def attention_model(bandwidth, element, head):
    def seconds(c, batch, length, heads, kv_heads):
        rate, half, few, base, memory = c
        work = 2 * batch * heads * length**2 * head
        arithmetic = work * (1 + half / length + few / (batch * heads * length))
        traffic = (2 * batch * length * head * element * (heads + kv_heads)
                   / (bandwidth * memory))
        return base * 1e-6 + smooth_maximum(arithmetic / (rate * 1e12), traffic,
                                            4)
    return seconds


def check_attention(path, known):
    """Likewise, by device and head size."""
    rows = collections.defaultdict(list)
    for row in read_rows(path):
        if row["system"] not in DEVICES or row["dtype"] != "bf16":
            continue
        library = row["framework"], row["kernel_source"]
        kv_heads = int(row["kv_heads"]) or int(row["heads"])
        rows[row["system"], int(row["head_dim"]), library].append(
            [int(row["batch"]), int(row["seq"]), int(row["heads"]), kv_heads,
             float(row["latency_us"]) * 1e-6])
    speeds = {}
    for key, timed in rows.items():
        rows[key] = timed = np.array(timed)
        long = timed[timed[:, 1] >= 2048]
        if len(long) > 50:
            speeds[key] = np.median(
                long[:, 0] * long[:, 1] ** 2 * long[:, 2] / long[:, 4])
    constants = {}
    for (system, head), library in sorted(same_libraries(speeds).items()):
        name, bandwidth, peaks = DEVICES[system]
        timed = rows[system, head, library]
        timed = timed[timed[:, 1] >= 256]
        held = np.array([is_held_out(*row[2:4]) for row in timed])
        if held.sum() < 20:
            continue
        seconds = attention_model(bandwidth * 1e12, 2.0, head)
        peak = peaks["bf16"]
        if known and (name, head) not in known:
            continue
        fitted = known[name, head] if known else fit_logarithm(
            seconds, [0.5 * peak, 500, 1e4, 5, 0.7],
            [0.01 * peak, 0, 0, 0, 0.1], [1.1 * peak, 2e4, 1e6, 100, 1.3],
            timed[~held, :4].T, timed[~held, 4])
        wide = held & (timed[:, 1] >= 1024)
        error = np.abs(seconds(fitted, *timed[wide, :4].T) / timed[wide, 4] - 1)
        report("attention", name, f"d{head}", len(error), error)
        constants[name, head] = fitted
    return constants


def check_experts(path, matmuls):
    """Mixture layers of balanced tokens: two products, and the routing and
    gathering around them, which the model does not count."""
    rows = collections.defaultdict(list)
    for row in read_rows(path):
        is_meant = (row["system"] in DEVICES
                    and row["dtype"] in ("bf16", "fp8")
                    and row["distribution"] == "balanced"
                    and row["kernel_source"] == "moe_torch_flow_cutlass")
        if not is_meant:
            continue
        # Of one rank.
        tokens = int(row["num_tokens"]) * int(row["topk"]) / int(row["moe_ep"])
        experts = int(row["experts"]) / int(row["moe_ep"])
        inner = int(row["inter"]) / int(row["moe_tp"])
        if tokens >= 16384 and tokens >= 16 * experts and inner >= 256:
            rows[row["system"], row["dtype"]].append(
                [tokens, experts, int(row["hidden"]), inner,
                 float(row["latency_us"]) * 1e-6])
    half_rate_tokens = 256
    for (system, dtype), timed in sorted(rows.items()):
        name, bandwidth, peaks = DEVICES[system]
        share, _, _, _, memory, base, power = matmuls[name, dtype]
        tokens, experts, hidden, inner, measured = np.array(timed).T
        predicted = 0
        for columns, depth in ((2 * inner, hidden), (hidden, inner)):
            work = 2 * (tokens + half_rate_tokens * experts) * columns * depth
            elements = experts * columns * depth + tokens * (columns + depth)
            predicted = predicted + base * 1e-6 + smooth_maximum(
                work / (peaks[dtype] * 1e12 * share),
                elements * ELEMENT_BYTES[dtype] / (bandwidth * 1e12 * memory),
                power)
        error = np.abs(predicted / measured - 1)
        report("experts", name, dtype, len(error), error)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tables", type=pathlib.Path, default=os.environ.get(
        "SHARDSMITH_KERNEL_TABLES", "../shared/data"))
    parser.add_argument("--fit", action="store_true",
                        help="fit anew and print the constants")
    arguments = parser.parse_args()
    tables = pathlib.Path(arguments.tables)
    needed = [tables / "kernels_gemm.csv.gz",
              tables / "kernels_attention_fwd.csv.gz",
              tables / "kernels_moe.csv.gz"]
    absent = [str(path) for path in needed if not path.exists()]
    if absent:
        sys.exit(f"not found: {', '.join(absent)}; give --tables or set "
                 "SHARDSMITH_KERNEL_TABLES")
    matmuls = attention = None
    if not arguments.fit:
        types = {name: dtype for dtype, name in ELEMENT_NAMES.items()}
        matmuls = {(device, types[name]): constants for device, name, *constants
                   in read_table("matmulFits")}
        attention = {(device, int(head)): constants for device, head, *constants
                     in read_table("attentionFits")}
    matmuls = check_matmuls(needed[0], matmuls)
    attention = check_attention(needed[1], attention)
    check_experts(needed[2], matmuls)
    if not arguments.fit:
        return
    for (name, dtype), constants in matmuls.items():
        print(f'    {{"{name}", "{ELEMENT_NAMES[dtype]}", ' +
              ", ".join(f"{value:.3g}" for value in constants) + "},")
    for (name, head), constants in attention.items():
        print(f'    {{"{name}", {head}, ' +
              ", ".join(f"{value:.4g}" for value in constants) + "},")


if __name__ == "__main__":
    main()
