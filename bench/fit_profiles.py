# SPDX-License-Identifier: Apache-2.0
"""Fits the built-in stack profiles to published runs, and tests the method.

    python bench/fit_profiles.py profiles   writes profiles/*.json
    python bench/fit_profiles.py test -o D  predictions of rows that the
                                            constants were not fitted to

Constants are fitted in three steps, each near the one before: to all runs, to
those of one line of software, to those of one stack. Only rows of the split
`calib` are used. `test` repeats this without each source in turn
(D/left-out.csv), and then gives the result 5, 10 or 20 rows of that source
(D/calibrated-K-DRAW.csv; the rows given are marked and never scored).
Predictions with the built-in profiles come from predict_measured.py.
"""

import argparse
import collections
import csv
import hashlib
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from measured_rows import Unusable, number, to_batch_row

ROOT = Path(__file__).resolve().parent.parent
MEASURED = os.environ.get("SHARDSMITH_MEASURED",
                          ROOT / "../shared/data/measured.csv")
TOOL = ROOT / "build/dev/bin/shardsmith"
GENERIC = "generic"

# Profiles of stacks that descend from one another.
LINES = {
    "megatron": ["megatron-2021-a100", "megatron-deepspeed-2022-a100",
                 "megatron-deepspeed-2022-a100-bf16",
                 "megatron-deepspeed-2023-a100"],
    "fsdp": ["pytorch-fsdp-2024-a100", "torchtitan-2025-h100",
             "internevo-2023-a100", "deepspeed-zero3-2021-a100",
             "deepspeed-zero3-2022-a100"],
    "megatron-core": ["nemo-2023-h100", "nemo-2024-h100",
                      "megatron-bridge-2026"],
    "experts": ["megatron-bridge-moe-2026", "megatron-bridge-moe-2026-06"],
    "jax": ["jax-2024-h100", "maxtext-2024-tpu"],
}
LINE_OF = {name: line for line, names in LINES.items() for name in names}

# Where a profile has no rows, those of the stack that is most like it.
SIBLINGS = {
    "megatron-deepspeed-2022-a100": "megatron-deepspeed-2022-a100-bf16",
    "megatron-deepspeed-2022-a100-bf16": "megatron-deepspeed-2022-a100",
}

DESCRIPTIONS = {
    GENERIC: "Any stack: the middle of published training runs.",
    "megatron-2021-a100": "Megatron-LM of 2020-2022 on V100 and A100.",
    "megatron-deepspeed-2022-a100":
        "Megatron-DeepSpeed of 2021-2022 on A100, fp16.",
    "megatron-deepspeed-2022-a100-bf16":
        "Megatron-DeepSpeed of 2022 on A100, bf16 with fp32 gradients.",
    "megatron-deepspeed-2023-a100": "Megatron-DeepSpeed of 2023 on A100.",
    "pytorch-fsdp-2024-a100": "PyTorch FSDP of 2023-2024 on A100.",
    "torchtitan-2025-h100": "PyTorch FSDP and torchtitan of 2024-2025 on H100.",
    "internevo-2023-a100":
        "InternEvo of 2023 on A100: ZeRO-1 with one broadcast per rank.",
    "deepspeed-zero3-2021-a100": "DeepSpeed ZeRO-3 of 2021 on A100.",
    "deepspeed-zero3-2022-a100": "DeepSpeed ZeRO-3 of 2022 on A100.",
    "nemo-2023-h100": "NeMo of 2023 on H100.",
    "nemo-2024-h100": "NeMo and Megatron-Core of 2024-2025 on H100.",
    "megatron-bridge-2026": "Megatron-Bridge of 2025-2026 on H100 to GB300.",
    "megatron-bridge-moe-2026":
        "Megatron-Bridge and Megatron-Core of 2025-2026, models with experts.",
    "megatron-bridge-moe-2026-06":
        "Megatron-Bridge from June 2026 on, models with experts.",
    "jax-2024-h100": "MaxText and Pax of 2024 on A100 and H100.",
    "maxtext-2024-tpu": "MaxText of 2023-2025 on TPU.",
}

# Habits of one stack: not fitted to all of them together.
STACK_ONLY = {"communication.zero_us_per_rank",
              "communication.gradient_message_bytes",
              "memory.gradient_bytes_per_parameter",
              "memory.state_bytes_per_parameter",
              "memory.activation_factor",
              "memory.constant_gib"}
# What a stack is known to do, and rows say themselves (measured_rows.py).
FLAGS = {
    name: {("kernels", "recompute_stops_early"): True}
    for name in ("pytorch-fsdp-2024-a100", "torchtitan-2025-h100",
                 "jax-2024-h100", "maxtext-2024-tpu")
}
FLAGS["torchtitan-2025-h100"].update({
    ("kernels", "selective_keeps_products"): True,
    ("memory", "loss_bytes_per_logit"): 10.0,
    ("memory", "split_loss_bytes_per_logit"): 14.0,
})
RIDGE = {"all": 0.003, "line": 0.002, "stack": 0.002, "calibrated": 0.0002,
         "few": 0.003}
# Errors of mixed stacks are larger than what `calibrate` expects of one.
ROBUST_BEYOND = 0.15
# Of the largest source every so many rows are enough.
LARGEST, EVERY = "vTrain-single", 6
CALIBRATED_ROWS, DRAWS = (5, 10, 20), 5


class Row:
    """A csv row that can be priced, and its line of the batch."""

    def __init__(self, fields):
        self.id, self.family = fields["row_id"], fields["family"]
        self.fields = fields
        self.line = to_batch_row(fields)
        self.profile = self.line["profile"]
        self.line_name = LINE_OF.get(self.profile, "")
        notes, confidence = fields["notes"], fields["confidence"]
        self.is_sound = (confidence.startswith("published")
                         and "unverified" not in confidence
                         and "SUSPECT" not in notes
                         and "INCONSISTENT" not in notes
                         and fields["task"] == "pretrain"
                         and (number(fields, "step_time_rounding_pct") or 0)
                         <= 3)
        self.is_calib = fields["split"] == "calib"

    def measures(self, what):
        return what in self.line.get("measured", {})


def read_rows(path):
    rows = []
    with open(path, newline="") as file:
        for fields in csv.DictReader(file):
            # Plans of this source are stated as FSDP without other axes.
            if fields["family"] == "tpu-recipes":
                fields.update(tp=fields["tp"] or "1", pp=fields["pp"] or "1")
            try:
                rows.append(Row(fields))
            except Unusable:
                pass
    return rows


def usable_for_fit(rows):
    """Sound calib rows, every sixth of the largest source."""
    chosen, seen = [], 0
    for row in rows:
        if not (row.is_sound and row.is_calib and row.line.get("measured")):
            continue
        if row.family == LARGEST:
            seen += 1
            if seen % EVERY:
                continue
        chosen.append(row)
    return chosen


def weigh(rows):
    """Every source counts by the root of its number of rows."""
    counts = collections.Counter(row.family for row in rows)
    for row in rows:
        row.line["weight"] = counts[row.family] ** -0.5


class Fits:
    """Requests for `shardsmith calibrate --fits`, in order."""

    def __init__(self):
        self.requests = []

    def add(self, name, start, rows, ridge, fixed=()):
        """Returns the name of the profile to go on with."""
        times = sum(row.measures("step_s") for row in rows)
        memories = sum(row.measures("memory_gib") for row in rows)
        if times < 3 and (fixed or memories < 3):
            return start
        request = {"name": name, "start": start, "ridge": ridge,
                   "robust_beyond": ROBUST_BEYOND,
                   "description": DESCRIPTIONS.get(name, ""),
                   "rows": [row.id for row in rows]}
        if fixed:
            request["fixed"] = sorted(fixed)
        self.requests.append(request)
        return name

    def add_stacks(self, rows, profiles, suffix=""):
        """Three steps for each of `profiles`; maps them to fitted names."""
        every = self.add(GENERIC + suffix, "defaults", rows, RIDGE["all"],
                         STACK_ONLY)
        names = {}
        for line in sorted({LINE_OF.get(each, "") for each in profiles}):
            of_line = [row for row in rows if line and row.line_name == line]
            start = self.add(f"line-{line}{suffix}", every, of_line,
                             RIDGE["line"], STACK_ONLY)
            for each in sorted(profiles):
                if LINE_OF.get(each, "") != line:
                    continue
                of_stack = [row for row in rows if row.profile == each]
                if not of_stack and each in SIBLINGS:
                    sibling = SIBLINGS[each]
                    of_stack = [row for row in rows if row.profile == sibling]
                names[each] = self.add(each + suffix, start, of_stack,
                                       RIDGE["stack"])
        return names


def run(command, **options):
    done = subprocess.run([str(each) for each in command], text=True,
                          capture_output=True, **options)
    if done.returncode != 0:
        sys.exit(f"{command[0]} {command[1]} failed:\n{done.stderr}")
    return done


def write_lines(path, rows):
    with open(path, "w") as file:
        for row in rows:
            file.write(json.dumps(row.line) + "\n")


def calibrate(tool, rows, requests, folder):
    folder.mkdir(parents=True, exist_ok=True)
    write_lines(folder / "rows.jsonl", rows)
    (folder / "fits.json").write_text(json.dumps({"fits": requests}))
    done = run([tool, "calibrate", folder / "rows.jsonl", "--fits",
                folder / "fits.json", "-o", folder])
    (folder / "report.txt").write_text(done.stderr)


def estimate(tool, rows, folder):
    """Results by row id."""
    write_lines(folder / "batch.jsonl", rows)
    text = run([tool, "estimate", "--batch", folder / "batch.jsonl"]).stdout
    return {each.get("id"): each for each in map(json.loads,
                                                 text.splitlines())}


def write_predictions(path, rows, results, given=()):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["row_id", "pred_step_time_s", "pred_memory_GB",
                         "calib"])
        for row in rows:
            result = results.get(row.id, {})
            writer.writerow([row.id, result.get("step_s", ""),
                             result.get("memory_gib", ""),
                             int(row.id in given)])


def rounded(value):
    """Four digits of every number."""
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    return float(f"{value:.4g}") if isinstance(value, float) else value


def fit_builtin(arguments, rows):
    chosen = usable_for_fit(rows)
    weigh(chosen)
    fits = Fits()
    fits.add_stacks(chosen, list(LINE_OF))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        calibrate(arguments.tool, chosen, fits.requests, folder)
        for request in fits.requests:
            if not request["name"].startswith("line-"):
                file = request["name"] + ".json"
                profile = rounded(json.loads((folder / file).read_text()))
                for (section, key), value in FLAGS.get(request["name"],
                                                       {}).items():
                    profile[section][key] = value
                (arguments.output / file).write_text(
                    json.dumps(profile, indent=2) + "\n")
        print((folder / "report.txt").read_text())


def test_without_sources(arguments, rows, folder):
    """Profiles without each source; predictions of its rows."""
    chosen = usable_for_fit(rows)
    weigh(chosen)
    fits = Fits()
    families = sorted({row.family for row in rows if row.is_sound})
    for family in families:
        rest = [row for row in chosen if row.family != family]
        own = [row for row in rows if row.family == family]
        names = fits.add_stacks(rest, sorted({row.profile for row in own}),
                                "--" + family)
        for row in own:
            row.left_out = folder / (names.get(row.profile, GENERIC) + ".json")
    calibrate(arguments.tool, chosen, fits.requests, folder)
    predicted = [row for row in rows if hasattr(row, "left_out")]
    for row in predicted:
        row.line["profile"] = str(row.left_out)
    write_predictions(folder / "left-out.csv", predicted,
                      estimate(arguments.tool, predicted, folder))
    return predicted


def test_calibrated(arguments, rows, folder):
    """From the profile without the source to one with `k` of its rows."""
    families = collections.defaultdict(list)
    for row in rows:
        if row.is_sound and row.measures("step_s"):
            families[row.family].append(row)
    requests, draws = [], collections.defaultdict(list)
    for family, members in sorted(families.items()):
        candidates = sorted((row for row in members if row.is_calib),
                            key=lambda row: row.id)
        for k in CALIBRATED_ROWS:
            if len(candidates) < k or len(members) < k + 5:
                continue
            for draw in range(DRAWS):
                seed = hashlib.sha256(f"{family} {k} {draw}".encode()).digest()
                given = random.Random(seed).sample(candidates, k)
                for profile in sorted({row.left_out for row in members}):
                    mine = [row for row in given if row.left_out == profile]
                    theirs = [row for row in members
                              if row.left_out == profile]
                    file = profile
                    if len(mine) >= 3:
                        name = f"{profile.stem}--{k}-{draw}"
                        file = folder / f"{name}.json"
                        requests.append({
                            "name": name, "start": str(profile),
                            "ridge": RIDGE["few" if k < 10 else "calibrated"],
                            "rows": [row.id for row in mine]})
                    draws[k, draw].append((file, mine, theirs))
    for row in rows:
        row.line["weight"] = 1.0
    calibrate(arguments.tool, rows, requests, folder)
    for (k, draw), parts in sorted(draws.items()):
        predicted, given = [], set()
        for file, mine, theirs in parts:
            given.update(row.id for row in mine)
            for row in theirs:
                row.line["profile"] = str(file)
                predicted.append(row)
        write_predictions(folder / f"calibrated-{k}-{draw}.csv", predicted,
                          estimate(arguments.tool, predicted, folder), given)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["profiles", "test"])
    parser.add_argument("--measured", type=Path, default=MEASURED,
                        help="csv of measured runs (default: %(default)s)")
    parser.add_argument("--tool", default=TOOL)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--sources", default="",
                        help="only sources that match this pattern")
    arguments = parser.parse_args()
    if not Path(arguments.measured).exists():
        sys.exit(f"{arguments.measured} does not exist; give --measured")
    rows = [row for row in read_rows(arguments.measured)
            if re.search(arguments.sources, row.family)]
    if arguments.what == "profiles":
        arguments.output = arguments.output or ROOT / "profiles"
        fit_builtin(arguments, rows)
        return
    if not arguments.output:
        sys.exit("test needs -o FOLDER")
    arguments.output.mkdir(parents=True, exist_ok=True)
    folder = arguments.output.resolve()
    predicted = test_without_sources(arguments, rows, folder)
    test_calibrated(arguments, predicted, folder)


if __name__ == "__main__":
    main()
