# SPDX-License-Identifier: Apache-2.0
"""Fits the built-in stack profiles to published runs, and tests the method.

    python bench/fit_profiles.py test -o D  predictions of rows that the
                                            constants were not fitted to
    python bench/fit_profiles.py profiles --tested D
                                            writes profiles/*.json

Constants are fitted in three steps, each near the one before: to all runs, to
those of one line of software, to those of one stack. Only rows of the split
`calib` are used. `test` repeats this without each source in turn
(D/left-out.csv), and then gives the result 5, 10 or 20 rows of that source
(D/calibrated-K-DRAW.csv; the rows given are marked and never scored).
Predictions with the built-in profiles come from predict_measured.py.

What is predicted for a source that nothing is known of leans to one side, since
the sources that are known were fitted. `test` therefore centres: all times of
a profile are multiplied by what makes the median over the *other* sources of
their left-out bias (calib rows, mean of log(predicted / measured)) zero, so a
source never centres itself. D/generic-left-out.csv has the same for the generic
profile alone, which is all that a stack without a name gets, and D/generic.json
what follows from that: the scale that centres it, and the half width of a range
that then holds 80 % of the left-out rows. The built-in one has both; profiles of
lines and stacks start from it as it is fitted.
"""

import argparse
import collections
import concurrent.futures
import csv
import hashlib
import json
import math
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from built_tool import add_tool_option, newest_tool
from measured_rows import Unusable, number, to_batch_row

ROOT = Path(__file__).resolve().parent.parent
MEASURED = os.environ.get("SHARDSMITH_MEASURED",
                          ROOT / "../shared/data/measured.csv")
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
# Share of left-out rows that the generic profile's range holds.
COVERED = 0.8
# What a profile's times are in proportion to, and what they are in inverse
# proportion to. Latencies and launches of devices are the cluster's.
TIMES = {"kernels": ["elementwise_traffic", "unfused_attention_passes",
                     "layer_forward_us", "expert_layer_us"],
         "communication": ["zero_us_per_rank"],
         "step": ["fixed_ms", "optimizer_bytes_per_parameter"]}
RATES = {"kernels": ["matmul_rate", "low_precision_matmul_rate",
                     "four_bit_matmul_rate", "attention_forward_rate",
                     "attention_backward_rate", "unfused_attention_rate"],
         "communication": ["collective_rate"]}
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


def independent_parts(requests, count):
    """Requests in up to `count` lists of about the same work; those that start
    from one another stay together, in order."""
    chains, chain_of = [], {}
    for request in requests:
        chain = chain_of.get(request["start"])
        if chain is None:
            chain = []
            chains.append(chain)
        chain.append(request)
        chain_of[request["name"]] = chain
    parts = [[] for _ in range(min(count, len(chains)))]
    work = [0] * len(parts)
    size = {id(chain): sum(len(each["rows"]) for each in chain)
            for chain in chains}
    for chain in sorted(chains, key=lambda each: -size[id(each)]):
        least = work.index(min(work))
        parts[least] += chain
        work[least] += size[id(chain)]
    return parts


def calibrate(tool, rows, requests, folder, jobs=1):
    folder.mkdir(parents=True, exist_ok=True)
    write_lines(folder / "rows.jsonl", rows)

    def fit(number, part):
        file = folder / f"fits-{number}.json"
        file.write_text(json.dumps({"fits": part}))
        return run([tool, "calibrate", folder / "rows.jsonl", "--fits", file,
                    "-o", folder]).stderr

    parts = independent_parts(requests, jobs)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        reports = pool.map(fit, range(len(parts)), parts)
    (folder / "report.txt").write_text("".join(reports))


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


def scaled(profile, factor):
    """A profile by which everything takes `factor` times as long."""
    profile = json.loads(json.dumps(profile))
    for table, power in ((TIMES, 1), (RATES, -1)):
        for section, keys in table.items():
            for key in keys:
                profile[section][key] *= factor**power
    return profile


def error_of(row, result):
    """log(predicted / measured), if there are both."""
    if not row.measures("step_s") or not result.get("step_s"):
        return None
    return math.log(result["step_s"] / row.line["measured"]["step_s"])


def biases(rows, results):
    """By source the mean error of its sound calib rows."""
    errors = collections.defaultdict(list)
    for row in rows:
        error = error_of(row, results.get(row.id, {}))
        if error is not None and row.is_sound and row.is_calib:
            errors[row.family].append(error)
    return {family: statistics.mean(each) for family, each in errors.items()}


def centre(bias_of, without=None):
    """What to multiply times by so that the sources' median bias is zero."""
    others = [bias for family, bias in bias_of.items() if family != without]
    return math.exp(-statistics.median(others)) if others else 1.0


def predict_centred(arguments, rows, folder, profile_of):
    """Predictions of all rows with profiles that other sources centre. Sets
    row.left_out to the profile's file; returns results, and the biases before
    that."""
    for row in rows:
        row.line["profile"] = str(profile_of(row))
    bias_of = biases(rows, estimate(arguments.tool, rows, folder))
    centred = {}
    for row in rows:
        source = Path(profile_of(row))
        row.left_out = source.with_name(
            f"{source.stem}--{row.family}--centred.json")
        if row.left_out not in centred:
            profile = json.loads(source.read_text())
            centred[row.left_out] = scaled(profile,
                                           centre(bias_of, row.family))
        row.line["profile"] = str(row.left_out)
    for file, profile in centred.items():
        file.write_text(json.dumps(profile))
    return estimate(arguments.tool, rows, folder), bias_of


def fit_builtin(arguments, rows):
    chosen = usable_for_fit(rows)
    weigh(chosen)
    fits = Fits()
    fits.add_stacks(chosen, list(LINE_OF))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        calibrate(arguments.tool, chosen, fits.requests, folder, arguments.jobs)
        for request in fits.requests:
            if not request["name"].startswith("line-"):
                file = request["name"] + ".json"
                profile = json.loads((folder / file).read_text())
                if request["name"] == GENERIC:
                    tested = json.loads(
                        (arguments.tested / "generic.json").read_text())
                    profile = scaled(profile, tested["scale"])
                    profile["uncertainty"] = tested["uncertainty"]
                profile = rounded(profile)
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
            row.fitted = folder / (names.get(row.profile, GENERIC) + ".json")
            row.generic = folder / f"{GENERIC}--{family}.json"
    calibrate(arguments.tool, chosen, fits.requests, folder, arguments.jobs)
    predicted = [row for row in rows if hasattr(row, "fitted")]
    test_generic(arguments, predicted, folder)
    results, bias_of = predict_centred(arguments, predicted, folder,
                                       lambda row: row.fitted)
    write_predictions(folder / "left-out.csv", predicted, results)
    print(f"left out: times are multiplied by {centre(bias_of):.4f}")
    return predicted


def range_for(errors):
    """The half width of a range that holds COVERED of the errors, which are
    measured / predicted - 1."""
    ordered = sorted(map(abs, errors))
    return ordered[min(len(ordered) - 1,
                       math.ceil(COVERED * len(ordered)) - 1)]


def test_generic(arguments, rows, folder):
    """What a stack without a name gets: the generic profile, fitted, centred
    and given its range without the source."""
    results, bias_of = predict_centred(arguments, rows, folder,
                                       lambda row: row.generic)
    write_predictions(folder / "generic-left-out.csv", rows, results)
    errors = collections.defaultdict(list)
    for row in rows:
        error = error_of(row, results.get(row.id, {}))
        if error is not None and row.is_sound:
            errors[row.family].append(math.exp(-error) - 1)
    everything = [each for family in errors.values() for each in family]
    inside = 0
    for family, own in errors.items():
        others = [each for name, theirs in errors.items() if name != family
                  for each in theirs]
        if others:
            width = range_for(others)
            inside += sum(abs(each) <= width for each in own)
    summary = {"scale": centre(bias_of), "uncertainty": range_for(everything),
               "rows": len(everything), "sources": len(errors),
               "inside_range_of_other_sources": inside / len(everything),
               "bias": {family: math.exp(-statistics.mean(
                   math.log1p(each) for each in own)) - 1
                        for family, own in sorted(errors.items())}}
    summary["median_bias"] = statistics.median(summary["bias"].values())
    (folder / "generic.json").write_text(json.dumps(summary, indent=2) + "\n")
    print(f"generic: times are multiplied by {summary['scale']:.4f}, median "
          f"bias over {len(errors)} sources then {summary['median_bias']:+.1%}; "
          f"+-{summary['uncertainty']:.1%} holds {COVERED:.0%} of "
          f"{len(everything)} rows, the range from other sources "
          f"{summary['inside_range_of_other_sources']:.1%}")


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
    calibrate(arguments.tool, rows, requests, folder, arguments.jobs)
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
    add_tool_option(parser)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--tested", type=Path,
                        help="folder of a test, for `profiles`: what the "
                        "generic profile's range follows from")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(),
                        help="fits at once (default: %(default)s)")
    parser.add_argument("--sources", default="",
                        help="only sources that match this pattern")
    arguments = parser.parse_args()
    arguments.tool = arguments.tool or newest_tool()
    if not Path(arguments.measured).exists():
        sys.exit(f"{arguments.measured} does not exist; give --measured")
    rows = [row for row in read_rows(arguments.measured)
            if re.search(arguments.sources, row.family)]
    if arguments.what == "profiles":
        arguments.output = arguments.output or ROOT / "profiles"
        if not arguments.tested:
            sys.exit("profiles needs --tested FOLDER, which test has written")
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
