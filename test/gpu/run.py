#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the programs that build.py has made on this machine's GPU:

    gpu-programs/run.py [--json results.json] [--minutes 9] [--sanitizer memcheck]

Needs Python alone, and with --sanitizer NVIDIA's compute-sanitizer, under which
cases of one rank run that are not for speed. Prints one table: whether losses and all results are those
of processors, and what a step takes where that is asked for. Ranks that are
more than there are GPUs share them (--share-gpus); a row says so where NCCL
refuses them and their hosts exchange. What does not end in time fails. Exit code 0: all holds; 7: something does not; 6: there is no GPU, or no
library; nothing was tested then.
"""

import argparse
import array
import json
import math
import os
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ENVIRONMENT, MISMATCH = 6, 7
# AdamW makes a step of one size of any gradient, of rounding errors too.
TOLERANCES = {True: (1e-2, 1e-2), False: (1e-4, 1e-4)}  # is bf16: relative, absolute


def read_tensors(path):
    """Numbers of every f32 tensor of a safetensors file, bits of the others."""
    raw = Path(path).read_bytes()
    (size,) = struct.unpack_from("<Q", raw)
    header = json.loads(raw[8:8 + size])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        data = raw[begin:end]
        if entry["dtype"] == "F32":
            tensors[name] = array.array("f", data)
        elif entry["dtype"] == "BF16":
            halves = array.array("H", data)
            tensors[name] = array.array("f", b"".join(struct.pack("<I", half << 16)
                                                       for half in halves))
        else:
            tensors[name] = data
    return tensors


def largest_excess(got, expected, relative, absolute):
    """By how many times the tolerance the worst element is off, and its tensor."""
    worst, where = 0.0, ""
    if got.keys() != expected.keys():
        return math.inf, "the names of results"
    for name, values in expected.items():
        if not isinstance(values, array.array):
            excess = 0 if got[name] == values else math.inf
        elif len(got[name]) != len(values):
            excess = math.inf
        else:
            excess = max((abs(a - b) / (absolute + relative * abs(b)) if math.isfinite(a)
                          else math.inf for a, b in zip(got[name], values)), default=0)
        if excess > worst:
            worst, where = excess, name
    return worst, where


def gpu_count():
    """Of those that nvidia-smi shows, 0 where it does not run."""
    try:
        done = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return 0
    return len([line for line in done.stdout.splitlines() if line.startswith("GPU ")])


def first_line(problem):
    """What a rank says, before notes of the program."""
    lines = problem.splitlines() or [""]
    return next((line for line in lines if line.startswith("shardsmith: rank ")), lines[0])


# What an error that the sanitizer finds ends with.
SANITIZER_CODE = 86


def start(case, seconds, *options, sanitizer=None):
    checked = sanitizer and ["compute-sanitizer", "--tool", sanitizer, "--target-processes", "all",
                             "--error-exitcode", str(SANITIZER_CODE)]
    shares = ["--share-gpus"] if case["ranks"] > max(gpu_count(), 1) else []
    begin = time.monotonic()
    try:
        done = subprocess.run(
            [*(checked or []), HERE / case["name"] / "program", "--ranks", str(case["ranks"]), "--steps",
             str(case["steps"]), "--seed", str(case["seed"]), "--json", "--quiet", *shares,
             *options], capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return None, {"problem": f"not done after {seconds:.0f} s"}
    except FileNotFoundError:
        return None, {"problem": "compute-sanitizer is not on PATH; it is part of the CUDA toolkit"}
    row = {"seconds": round(time.monotonic() - begin, 2), "code": done.returncode}
    if checked and done.returncode == SANITIZER_CODE:
        found = [line for line in done.stdout.splitlines() if line.startswith("=========")]
        row["problem"] = f"{sanitizer}: " + " ".join(line.strip("= ") for line in found)[:2000]
        return None, row
    if done.returncode != 0:
        row["problem"] = done.stderr.strip()[-2000:]
        return None, row
    # The sanitizer's lines are before and behind those of the program.
    summary = json.loads("".join(line for line in done.stdout.splitlines()
                                 if not line.startswith("=========")))
    if "as with --exchange-on-host" in done.stderr:
        row["exchanges"] = "the host"
    return summary, {**row, "device": summary.get("device", ""), "losses": summary["losses"]}


def check_results(case, seconds, folder, sanitizer=None):
    results = Path(folder) / f"{case['name']}.safetensors"
    summary, row = start(case, seconds, "--dump-outputs", str(results), sanitizer=sanitizer)
    if summary is None:
        return row
    off = max(abs(a - b) / abs(b) for a, b in zip(summary["losses"], case["losses"]))
    relative, absolute = TOLERANCES[case["tolerance"] > 1e-3]
    worst, where = largest_excess(read_tensors(results),
                                  read_tensors(HERE / case["name"] / "expected.safetensors"),
                                  relative, absolute)
    row.update(loss_difference=off, worst_result=where, worst_of_allowed=worst)
    if not off <= case["tolerance"]:
        row["problem"] = f"losses differ by {off:.2g}, {case['tolerance']:.2g} is allowed"
    elif worst > 1:
        row["problem"] = f"{where} differs by {worst:.3g} times what is allowed"
    return row


def read_profile(path):
    """What actions of the last steps took on the first rank, and how long its kernels rested."""
    events = [event for event in json.loads(Path(path).read_text())["traceEvents"]
              if event["pid"] == 0]
    steps = sum(event.get("cat") == "step" for event in events)
    compute = next(event["tid"] for event in events if event["name"] == "thread_name"
                   and event["args"]["name"] == "compute")
    totals, rest, last = {}, [], None
    for event in events:
        if event.get("cat") != "device":
            continue
        # Exchanges have their number in the name.
        name = event["name"].split(", exchange ")[0]
        totals[name] = totals.get(name, 0) + event["dur"]
        if event["tid"] == compute:
            if last and last["args"]["step"] == event["args"]["step"]:
                rest.append(event["ts"] - last["ts"] - last["dur"])
            last = event
    longest = sorted(totals.items(), key=lambda item: -item[1])[:12]
    return {"ms_of_step": {name: round(total / steps / 1e3, 4) for name, total in longest},
            "longest_rest_us": round(max(rest, default=0), 1),
            "rest_ms_of_step": round(sum(rest) / steps / 1e3, 3)}


def measure(case, seconds):
    begin = time.monotonic()
    summary, row = start(case, seconds)
    if summary is None:
        return row
    # The first steps load kernels and choose algorithms.
    times = summary["step_seconds"][min(5, case["steps"] // 2):]
    row.update(step_ms=statistics.median(times) * 1e3, least_ms=min(times) * 1e3,
               tokens_per_second=summary["tokens_per_step"] / statistics.median(times),
               predicted=summary["predicted"])
    if not all(math.isfinite(loss) for loss in summary["losses"]):
        row["problem"] = "a loss is no number"
        return row
    # Events around every action cost time, so the profile is of another run.
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / "profile.json"
        again, failed = start({**case, "steps": min(8, case["steps"])}, seconds - (time.monotonic() - begin),
                              "--profile", str(profile))
        if again is None:
            row["problem"] = "with --profile: " + failed["problem"]
        else:
            row["profile"] = read_profile(profile)
    return row


def describe(case, row):
    if "problem" in row:
        what = "FAILS  " + first_line(row["problem"])
    elif case["kind"] == "speed":
        what = (f"median step {row['step_ms']:.2f} ms, least {row['least_ms']:.2f} ms, "
                f"{row['tokens_per_second']:.0f} tokens/s (measured)")
    else:
        what = (f"losses within {row['loss_difference']:.1e}, results within "
                f"{row['worst_of_allowed']:.2f} of what is allowed")
        if "exchanges" in row:
            what += f"; exchanged by {row['exchanges']}, as NCCL refuses to"
    return f"{case['name']:<16} {case['ranks']:>5}  {row.get('seconds', 0):>7.1f}  {what}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", type=Path, help="write all rows here")
    parser.add_argument("--minutes", type=float, default=9, help="for all cases together")
    parser.add_argument("--sanitizer", choices=["memcheck", "racecheck", "initcheck", "synccheck"],
                        help="run under this tool of compute-sanitizer")
    arguments = parser.parse_args()
    cases = json.loads((HERE / "cases.json").read_text())["cases"]
    if arguments.sanitizer:
        cases = [case for case in cases if case["ranks"] == 1 and case["kind"] != "speed"]
    end = time.monotonic() + 60 * arguments.minutes
    rows = []
    print(f"{'case':<16} {'ranks':>5}  {'seconds':>7}  result")
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            left = end - time.monotonic()
            if left < 1:
                row = {"problem": "no time is left"}
            elif case["kind"] == "speed":
                row = measure(case, left)
            else:
                row = check_results(case, left, folder, arguments.sanitizer)
            rows.append({**{key: case[key] for key in ("name", "kind", "ranks", "steps")}, **row})
            print(describe(case, row), flush=True)
            for name, took in row.get("profile", {}).get("ms_of_step", {}).items():
                print(f"{'':<31}  {took:9.3f} ms  {name}")
    if arguments.json:
        arguments.json.write_text(json.dumps(
            {"format": "shardsmith-gpu-results/1", "host": os.uname().nodename, "rows": rows},
            indent=1) + "\n")
    failed = [row for row in rows if "problem" in row]
    if rows and all(row.get("code") == ENVIRONMENT for row in rows):
        print("skipped: " + first_line(failed[0]["problem"]))
        sys.exit(ENVIRONMENT)
    print(f"{len(rows) - len(failed)} of {len(rows)} cases hold")
    sys.exit(MISMATCH if failed else 0)


if __name__ == "__main__":
    main()
