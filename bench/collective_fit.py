# SPDX-License-Identifier: Apache-2.0
"""How well the built-in nodes' constants give measured collectives.

    python bench/collective_fit.py [--table FILE] [--fit]

FILE has the columns hardware, collective, num_gpus, num_nodes, size_bytes,
time_us, algorithm, kind, after the public tables that BuiltinFits.cpp names. It
is not part of this project; the default is ../shared/data/collectives.csv, or
the environment variable SHARDSMITH_COLLECTIVE_TABLE.

Prints |predicted / measured - 1| per device with the constants of
lib/Cluster/BuiltinFits.cpp; with --fit, constants fitted anew, as rows for that
file. Model, docs/cost-model.md:

    t = (latency^power + (phi S / bandwidth)^power)^(1/power)
"""

import argparse
import collections
import csv
import os
import pathlib
import sys

import numpy as np
from scipy.optimize import least_squares

from fitted_constants import read_table

# Device here: how the names of its nodes begin in the table.
HARDWARE = {
    "a100": ["A100 node (Galvatron", "A100-SXM (8", "A100-SXM node",
             "A100-SXM4-80GB node (aic)"],
    "h100": ["H100-SXM node (aic) nccl"],
    "h200": ["H200-SXM node"],
    "b200": ["B200 p6", "B200-SXM node (aic) nccl"],
    "b300": ["B300-SXM"],
    "gb200": ["GB200 node (aic) nccl"],
    "gb300": ["GB300 node"],
    "l40s": ["L40S"],
    "rtxpro6000": ["RTX PRO 6000"],
    "v100": ["V100-SXM2"],
}
COLLECTIVES = ["all_reduce", "all_gather", "reduce_scatter", "all_to_all"]
LARGE = 2**20


def device_of(row):
    for device, prefixes in HARDWARE.items():
        if any(row["hardware"].startswith(prefix) for prefix in prefixes):
            return device
    return None


def read_measurements(path):
    """Bytes and seconds by device, collective and members, in one node."""
    measured = collections.defaultdict(list)
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            usable = (row["kind"] == "measured" and row["num_nodes"] == "1"
                      and row["collective"] in COLLECTIVES
                      and row["size_bytes"] and row["time_us"]
                      and float(row["size_bytes"]) > 0
                      and "off" not in row["algorithm"])
            device = device_of(row)
            if usable and device:
                key = device, row["collective"], int(row["num_gpus"])
                measured[key].append((float(row["size_bytes"]),
                                      float(row["time_us"]) * 1e-6))
    return {key: np.array(rows) for key, rows in measured.items()}


def volume(collective, members):
    return (2 if collective == "all_reduce" else 1) * (members - 1) / members


def predict(constants, transfer):
    """`constants`: microseconds, GB/s, power; `transfer`: bytes times phi."""
    latency, bandwidth, power = constants
    return ((latency * 1e-6) ** power
            + (transfer / (bandwidth * 1e9)) ** power) ** (1 / power)


def fit(collective, members, rows):
    transfer = rows[:, 0] * volume(collective, members)
    # Training sends large messages.
    weight = np.where(rows[:, 0] >= LARGE, 2.0, 1.0)

    def residual(logarithms):
        predicted = predict(np.exp(logarithms), transfer)
        return weight * np.log(predicted / rows[:, 1])
    latency = np.log(rows[:, 1].min() * 1e6)
    bandwidth = np.log(max(transfer / rows[:, 1]) / 1e9)
    tries = [least_squares(residual, [latency, bandwidth, power],
                           bounds=([-1, -1, -1.2], [8, 9, 2]),
                           loss="soft_l1", f_scale=0.1)
             for power in (-0.5, 0.0, 1.0)]
    return np.exp(min(tries, key=lambda found: found.cost).x)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--table", default=os.environ.get(
        "SHARDSMITH_COLLECTIVE_TABLE", "../shared/data/collectives.csv"))
    parser.add_argument("--fit", action="store_true",
                        help="fit anew and print the constants")
    arguments = parser.parse_args()
    if not pathlib.Path(arguments.table).exists():
        sys.exit(f"not found: {arguments.table}; give --table or set "
                 "SHARDSMITH_COLLECTIVE_TABLE")
    measured = read_measurements(arguments.table)
    if arguments.fit:
        constants = {key: fit(*key[1:], rows)
                     for key, rows in sorted(measured.items())
                     if len(rows) >= 8}
        for (device, collective, members), found in constants.items():
            print(f'    {{"{device}", "{collective}", {members}, ' +
                  ", ".join(f"{value:.4g}" for value in found) + "},")
    else:
        constants = {(device, collective, int(members)): found
                     for device, collective, members, *found
                     in read_table("collectiveFits")}
    errors = collections.defaultdict(lambda: ([], []))
    for (device, collective, members), found in constants.items():
        rows = measured.get((device, collective, members))
        if rows is None:
            continue
        transfer = rows[:, 0] * volume(collective, members)
        error = np.abs(predict(found, transfer) / rows[:, 1] - 1)
        errors[device][0].extend(error)
        errors[device][1].extend(error[rows[:, 0] >= LARGE])
    for device, (all_sizes, large) in errors.items():
        print(f"{device:11} {len(all_sizes):4} rows  median "
              f"{100 * np.median(all_sizes):5.1f} %  mean "
              f"{100 * np.mean(all_sizes):5.1f} %   from 1 MiB: median "
              f"{100 * np.median(large):5.1f} %  mean "
              f"{100 * np.mean(large):5.1f} %")


if __name__ == "__main__":
    main()
