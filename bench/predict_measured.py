# SPDX-License-Identifier: Apache-2.0
"""Predicted step time and memory of published training runs.

    python bench/predict_measured.py MEASURED.csv -o PRED.csv [--profile NAME]

MEASURED.csv has the columns of a table of published runs (docs/accuracy.md);
each row becomes a model, a cluster and a plan with given degrees, and the tool
prices all of them in one call. PRED.csv has row_id, pred_step_time_s,
pred_memory_GB (GiB) and oom; rows that cannot be predicted have empty fields,
and the reason is on standard error. Rows that leave out a degree, the ZeRO stage
or the micro-batch size have a time but no memory: they are priced with 1 for
what is missing, which says little about what a device keeps. The stack profile is chosen by framework,
device, type and date (measured_rows.py), unless --profile names one.
"""

import argparse
import collections
import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from built_tool import add_tool_option, newest_tool
from measured_rows import REQUIRED, Unusable, to_batch_row

COLUMNS = ["row_id", "pred_step_time_s", "pred_memory_GB", "oom"]

# Profiles whose memory constants were fitted to measured memory. Their figures
# decide about "does not fit"; those of other stacks must be far above the
# device's memory, because what they keep is not known.
MEMORY_FITTED = {
    "megatron-2021-a100", "megatron-deepspeed-2022-a100",
    "megatron-deepspeed-2022-a100-bf16", "internevo-2023-a100",
}
FITTED_MARGIN, OTHER_MARGIN = 1.05, 3.0
# Without these a plan is not known well enough to say what it keeps.
PLAN_COLUMNS = ["tp", "pp", "dp", "zero_stage", "micro_batch"]


def parse(arguments):
    parser = argparse.ArgumentParser(
        description="Predicts step time and memory of measured runs.")
    parser.add_argument("measured", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--profile",
                        help="stack profile of all rows: a name or a file")
    add_tool_option(parser)
    parser.add_argument("--batch", type=Path,
                        help="keep the batch file that the tool reads")
    return parser.parse_args(arguments)


def read_table(path):
    """Rows as dictionaries; ends the program if this is no such table."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            missing = [name for name in REQUIRED
                       if name not in (reader.fieldnames or [])]
            if missing:
                sys.exit(f"error: {path}: no column {', '.join(missing)}; "
                         f"found {', '.join(reader.fieldnames or ['none'])}")
            # Short lines leave None, long ones a list under None.
            return [{key: value or "" for key, value in row.items()
                     if key is not None} for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        sys.exit(f"error: {path}: {error}")


def lines_of(rows, profile):
    """Lines of the batch, and reasons by row id for rows without one."""
    lines, reasons = [], {}
    for number, row in enumerate(rows, start=2):
        name = row["row_id"] or f"line {number}"
        try:
            line = to_batch_row(row)
        except Unusable as reason:
            reasons[name] = str(reason)
            continue
        if profile:
            line["profile"] = profile
        line.pop("measured", None)
        lines.append(line)
    return lines, reasons


def run_tool(tool, lines, batch):
    """Results by row id; ends the program if the tool fails as a whole."""
    batch.write_text("".join(json.dumps(line) + "\n" for line in lines))
    try:
        done = subprocess.run([str(tool), "estimate", "--batch", str(batch)],
                              capture_output=True, text=True)
    except OSError as error:
        sys.exit(f"error: {tool}: {error}")
    if done.returncode != 0:
        sys.exit(f"error: {tool} ended with {done.returncode}:\n{done.stderr}")
    results = [json.loads(text) for text in done.stdout.splitlines()]
    return {result["id"]: result for result in results if "id" in result}


def memory_fields(row, result):
    """Predicted memory, and whether it is beyond the device's by more than it
    may be wrong; both empty where the row does not state its plan."""
    if any(not (row.get(name) or "").strip() for name in PLAN_COLUMNS):
        return ["", ""]
    fitted = result["profile"] in MEMORY_FITTED
    margin = FITTED_MARGIN if fitted else OTHER_MARGIN
    memory = result["memory_gib"]
    return [f"{memory:.4g}", int(memory > result["device_gib"] * margin)]


def main(arguments=None):
    options = parse(arguments)
    rows = read_table(options.measured)
    lines, reasons = lines_of(rows, options.profile)
    with tempfile.TemporaryDirectory() as folder:
        batch = options.batch or Path(folder) / "batch.jsonl"
        results = run_tool(options.tool or newest_tool(), lines, batch) if lines else {}
    with open(options.output, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in rows:
            result = results.get(row["row_id"], {})
            if "step_s" in result:
                writer.writerow([row["row_id"], f"{result['step_s']:.6g}",
                                 *memory_fields(row, result)])
                continue
            writer.writerow([row["row_id"], "", "", ""])
            if "error" in result:
                reasons[row["row_id"]] = result["error"]
    for reason, count in collections.Counter(reasons.values()).most_common():
        names = [name for name, why in reasons.items() if why == reason]
        shown = ", ".join(names[:3]) + (", …" if count > 3 else "")
        print(f"no prediction for {count} rows ({shown}): {reason}",
              file=sys.stderr)
    print(f"{len(rows)} rows, {len(rows) - len(reasons)} predicted",
          file=sys.stderr)


if __name__ == "__main__":
    main()
