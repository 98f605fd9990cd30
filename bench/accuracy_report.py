# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/accuracy.md from predictions and measured runs.

    python bench/accuracy_report.py FOLDER --built-in PRED.csv

FOLDER is what `fit_profiles.py test` wrote, PRED.csv comes from
predict_measured.py. Scores are those of the scorer that the table of measured
runs comes with (--scorer).
"""

import argparse
import csv
import importlib.util
import os
import statistics
import sys
from pathlib import Path

from fit_profiles import CALIBRATED_ROWS, MEASURED, ROOT, read_rows
from fit_profiles import usable_for_fit

SCORER = os.environ.get("SHARDSMITH_SCORER",
                        ROOT / "../shared/tools/score_predictions.py")


class Scores:
    """Scores of one prediction file."""

    def __init__(self, scorer, measured, path, given=()):
        predictions = scorer.load_pred(path)
        for row_id in given:
            if row_id in predictions:
                predictions[row_id]["calib"] = "1"
        options = argparse.Namespace(
            tasks={"pretrain"}, source_key="family", missing=None, min_group=3,
            tie=0.01, capacity=1.0, same_batch=False,
            group_by="source model gpu num_gpus seq_len dtype".split())
        scored = scorer.evaluate(measured, predictions, options)
        self.time, self.ranking, self.memory, self.fits = scored


def load_scorer(path):
    if not Path(path).exists():
        sys.exit(f"{path} does not exist; give --scorer")
    spec = importlib.util.spec_from_file_location("scorer", path)
    scorer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(scorer)
    return scorer


def percent(value, sign=""):
    return f"{value:{sign}.1f}"


def mean_of(scores, source, key, table="time"):
    """Mean over draws of those that score the source in full."""
    values = [getattr(score, table)[source][key] for score in scores
              if source in getattr(score, table)
              and getattr(score, table)[source].get("cov", 1) > 0.99]
    return statistics.mean(values) if values else None


def median_source(scores_of_sources):
    return statistics.median(each for each in scores_of_sources
                             if each is not None)


def time_table(left_out, calibrated, builtin):
    lines = ["| source | rows | left out: mean | median | bias | p90 | "
             + " | ".join(f"{k} rows" for k in CALIBRATED_ROWS)
             + " | built-in |",
             "|---|---|---|---|---|---|" + "---|" * len(CALIBRATED_ROWS)
             + "---|"]
    columns = {k: [] for k in CALIBRATED_ROWS}
    for source, score in left_out.time.items():
        cells = [source, str(score["n"]), percent(score["mape"]),
                 percent(score["med"]), percent(score["bias"], "+"),
                 percent(score["p90"])]
        for k in CALIBRATED_ROWS:
            value = mean_of(calibrated[k], source, "mape")
            columns[k].append(value)
            cells.append("" if value is None else percent(value))
        own = builtin.time.get(source)
        cells.append(f"{percent(own['mape'])} ({own['n']})"
                     if own and own["cov"] > 0 else "")
        lines.append("| " + " | ".join(cells) + " |")
    every = left_out.time.values()
    middle = [f"**{percent(median_source(s[key] for s in every))}**"
              for key in ("mape", "med")]
    cells = ["**median of sources**", "", *middle, "",
             percent(median_source(s["p90"] for s in every))]
    for k in CALIBRATED_ROWS:
        cells.append(percent(median_source(columns[k])))
    own = [s["mape"] for s in builtin.time.values() if s["cov"] > 0]
    cells.append(percent(median_source(own)))
    lines.append("| " + " | ".join(cells) + " |")
    return lines


def ranking_table(left_out, calibrated, builtin):
    largest = CALIBRATED_ROWS[-1]
    lines = [f"| source | groups | plans | τ | regret | median | random | "
             f"regret, {largest} rows | regret, built-in (groups) |",
             "|---|---|---|---|---|---|---|---|---|"]
    for source, score in left_out.ranking.items():
        after = mean_of(calibrated[largest], source, "reg", "ranking")
        own = builtin.ranking.get(source)
        lines.append("| " + " | ".join([
            source, str(score["groups"]), str(score["n"]),
            f"{score['tau']:.2f}", percent(score["reg"]),
            percent(score["regmed"]), percent(score["rnd"]),
            "" if after is None else percent(after),
            f"{percent(own['reg'])} ({own['groups']})" if own else "",
        ]) + " |")
    return lines


def memory_table(left_out, builtin):
    lines = ["| source | rows | left out: mean | bias | p90 | built-in: rows | "
             "mean | bias |", "|---|---|---|---|---|---|---|---|"]
    for source, score in left_out.memory.items():
        own = builtin.memory.get(source)
        lines.append("| " + " | ".join([
            source, str(score["n"]), percent(score["mape"]),
            percent(score["bias"], "+"), percent(score["p90"]),
            *((str(own["n"]), percent(own["mape"]), percent(own["bias"], "+"))
              if own else ("", "", "")),
        ]) + " |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--built-in", type=Path, required=True)
    parser.add_argument("--measured", type=Path, default=MEASURED)
    parser.add_argument("--scorer", default=SCORER)
    arguments = parser.parse_args()
    scorer = load_scorer(arguments.scorer)
    with open(arguments.measured, newline="") as file:
        measured = list(csv.DictReader(file))
    left_out = Scores(scorer, measured, arguments.folder / "left-out.csv")
    calibrated = {
        k: [Scores(scorer, measured, path) for path
            in sorted(arguments.folder.glob(f"calibrated-{k}-*.csv"))]
        for k in CALIBRATED_ROWS}
    given = {row.id for row in usable_for_fit(read_rows(arguments.measured))}
    builtin = Scores(scorer, measured, arguments.built_in, given)
    for title, lines in (
            ("Step time", time_table(left_out, calibrated, builtin)),
            ("Choice of the plan",
             ranking_table(left_out, calibrated, builtin)),
            ("Memory", memory_table(left_out, builtin))):
        print(f"### {title}\n\n" + "\n".join(lines) + "\n")
    # Whether a plan fits is no time that anything was fitted to.
    fits = Scores(scorer, measured, arguments.built_in).fits
    print(f"did not fit and predicted so: {fits['tp']}; did not fit, predicted "
          f"to fit: {fits['fn']} ({', '.join(fits['false_fit'])}); ran, "
          f"predicted not to fit: {fits['fp']} "
          f"({', '.join(fits['false_oom'])}); ran and predicted to fit: "
          f"{fits['tn']}; no statement: {fits['unknown']}")


if __name__ == "__main__":
    main()
