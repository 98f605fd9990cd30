# SPDX-License-Identifier: Apache-2.0
"""Plans for other runtimes: what `plan --for RUNTIME` costs beside a plan that is
free in everything, and whether it keeps the rules of the runtime.

    python bench/for_runtimes.py [--devices N …] [--runtime NAME …] [--repeat N] [--baseline TOOL]
        [--check] [MODEL …]

For every built-in model on 8, 64 and 512 H100 and every runtime: the seconds of
the processor (one thread, start of the program and the written folder included)
over those of the plan without a runtime, under the same stack profile and in the
same run. `--baseline TOOL` is an earlier one, whose plans must not be faster. Every
plan is held against the second implementation of the runtime's
rules in test/python/runtime_rules.py, and against the free plan, which none may
beat. Prints a Markdown table of the ratios, and every violation. With --check
the exit code says whether there was none, and whether all ratios are within the
aim.
"""

import argparse
import json
import statistics
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from built_tool import ROOT, add_tool_option, measured, newest_tool, processor_seconds

sys.path.insert(0, str(ROOT / "test/python"))

from runtime_rules import MODELS, RULES, is_better, violations  # noqa: E402

AIM = 1.2
DEVICES = [8, 64, 512]
# No plan: constraints that leave none, too little memory, what files cannot say.
NO_PLAN = (2, 4, 5)


def run_once(command):
    """Seconds of the processor, and the exit code; ends the script if it is none
    that says why there is no plan."""
    code, message, _, usage = measured(command)
    if code and code not in NO_PLAN:
        sys.exit(f"{' '.join(command)} failed with {code}:\n{message}")
    return processor_seconds(usage), code


def profile_of(runtime):
    """That which `--for` takes by itself."""
    return json.loads((ROOT / f"profiles/runtimes/{runtime}.json").read_text())["profile"]


def measure(tool, model, devices, options, repeat, folder):
    """The least seconds of several runs, and the plan or None."""
    command = [tool, "plan", model, "--cluster", f"{devices}xh100", "--threads", 1, *options, "-o", folder]
    times = []
    for _ in range(repeat):
        seconds, code = run_once([str(part) for part in command])
        times.append(seconds)
    plan = None if code else json.loads((folder / "plan.json").read_text())
    return min(times), plan


class Totals:
    """What all cases of a runtime took together."""

    def __init__(self):
        self.ratios, self.free, self.own = [], 0, 0
        self.without, self.better = 0, 0

    def add(self, free, own):
        self.ratios.append((own / free, free, own))
        self.free += free
        self.own += own


def step_of(plan):
    return plan["prediction"]["step_ns"] if plan else float("inf")


def compare(tool, baseline, model, devices, runtimes, repeat, folder, totals, found):
    free = {}
    for profile in sorted({profile_of(runtime) for runtime in runtimes}):
        free[profile] = measure(
            tool, model, devices, ["--profile", profile], repeat, folder / f"free-{profile}"
        )
    for runtime in runtimes:
        seconds, best = free[profile_of(runtime)]
        own_folder = folder / runtime
        own, plan = measure(tool, model, devices, ["--for", runtime], repeat, own_folder)
        case = f"{model} on {devices} for {runtime}"
        if baseline:
            _, before = measure(baseline, model, devices, ["--for", runtime], 1, folder / f"{runtime}-before")
            totals[runtime].better += step_of(plan) < step_of(before)
            if step_of(plan) > step_of(before):
                found.append(f"{case}: {step_of(plan)} ns, before {step_of(before)} ns")
        if plan is None:
            totals[runtime].without += 1
            totals["no plan"].add(seconds, own)
            continue
        totals[runtime].add(seconds, own)
        for rule in violations(runtime, model, plan, own_folder):
            found.append(f"{case}: not '{rule}'")
        if best is None or is_better(plan, best):
            found.append(f"{case}: faster than the free plan")
        if own > AIM * seconds:
            print(f"{case}: {own:.2f} s for {seconds:.2f} s", file=sys.stderr)


def print_table(totals):
    print("| runtime | plans | none | all: free s | all: own s | ratio | median | largest | above 1.2 |")
    print("|---|---|---|---|---|---|---|---|---|")
    for runtime, each in totals.items():
        if not each.ratios:
            print(f"| {runtime} | 0 | {each.without} | | | | | | |")
            continue
        ratios = [ratio for ratio, _, _ in each.ratios]
        above = sum(ratio > AIM for ratio in ratios)
        print(
            f"| {runtime} | {len(ratios)} | {each.without} | {each.free:.1f} | {each.own:.1f} "
            f"| {each.own / each.free:.2f} | {statistics.median(ratios):.2f} | {max(ratios):.2f} | {above} |"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", nargs="*", metavar="MODEL", help="all built-in ones by default")
    parser.add_argument("--devices", type=int, nargs="+", default=DEVICES)
    parser.add_argument("--runtime", nargs="+", choices=sorted(RULES), default=sorted(RULES))
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--baseline", type=Path, help="an earlier tool to compare plans with")
    add_tool_option(parser)
    arguments = parser.parse_args()
    if unknown := set(arguments.models) - set(MODELS):
        parser.error(f"no built-in model {unknown.pop()!r}")
    tool = (arguments.tool or newest_tool()).resolve()
    totals, found = defaultdict(Totals), []
    for devices in arguments.devices:
        for model in arguments.models or MODELS:
            with tempfile.TemporaryDirectory() as name:
                compare(
                    tool,
                    arguments.baseline and arguments.baseline.resolve(),
                    model,
                    devices,
                    arguments.runtime,
                    arguments.repeat,
                    Path(name),
                    totals,
                    found,
                )
    print_table(totals)
    if arguments.baseline:
        better = {name: each.better for name, each in totals.items() if each.better}
        print(f"\nfaster plans than those of the baseline: {better or 'none'}")
    print(f"\n{len(found)} violations")
    for each in found:
        print(f"* {each}")
    runtimes = [each for name, each in totals.items() if name != "no plan"]
    is_slow = any(each.own > AIM * each.free for each in runtimes)
    return int(arguments.check and (bool(found) or is_slow))


if __name__ == "__main__":
    sys.exit(main())
