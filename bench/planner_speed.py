# SPDX-License-Identifier: Apache-2.0
"""How long planning takes: from a model's name to the written plan, on one
core, start of the program included. Beside the time by the clock stands that of
the processor, which other work on the machine does not lengthen.

    python bench/planner_speed.py [--repeat N] [--baseline TOOL] [--check] [CASE …]

Prints a Markdown table: medians of the runs, the memory that the tool needed,
how far the plan may be above the proven bound, and the aim for the time by the
clock. With --check the exit code says whether all aims were reached.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MEMORY_AIM_BYTES = 1 << 30
DEPTH_AIM = 1.3
# Short ones, so that their ratio needs many.
DEPTH_RUNS = 25


def gpt(layers):
    """A narrow GPT, as deep as one likes."""
    return {
        "model_type": "shardsmith-transformer",
        "layers": layers,
        "hidden": 512,
        "heads": 8,
        "vocab": 51200,
        "max_positions": 1024,
    }


# For a search that would take minutes: it ends with the best plan so far.
LIMIT = ["--time-limit", 60]
STOPPED = 124

# name: model, cluster, options, seconds aimed at
CASES = {
    "llama3-8b on 64 H100": ("llama3-8b", "64xh100", [], 0.5),
    "gpt3-175b on 1,024 A100": ("gpt3-175b", "1024xa100-80", ["--global-batch", 1536], 2.0),
    "llama3-405b on 16,384 H100": ("llama3-405b", "16384xh100", ["--global-batch", 2048], 5.0),
    "deepseek-v3 on 2,048 H100": ("deepseek-v3", "2048xh100", ["--global-batch", 15360, *LIMIT], 5.0),
    "GPT of 32 layers on 8 H100": (gpt(32), "8xh100", [], None),
    "GPT of 1,024 layers on 8 H100": (gpt(1024), "8xh100", [], None),
}
SHALLOW, DEEP = list(CASES)[-2:]


def newest_tool():
    built = list(ROOT.glob("build/*/bin/shardsmith"))
    if not built:
        sys.exit("shardsmith is not built; give it with --tool")
    return max(built, key=lambda path: path.stat().st_mtime)


def run_once(command):
    """Seconds by the clock and of the processor, and peak memory in bytes."""
    read, write = os.pipe()
    begin = time.perf_counter()
    child = os.fork()
    if child == 0:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        os.close(read)
        os.dup2(write, 2)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.execv(command[0], command)
    os.close(write)
    with os.fdopen(read, errors="replace") as stream:
        message = stream.read()
    _, status, usage = os.wait4(child, 0)
    seconds = time.perf_counter() - begin
    if os.waitstatus_to_exitcode(status) not in (0, STOPPED):
        sys.exit(f"{' '.join(command)} failed:\n{message}")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def command_of(tool, name, folder):
    model, cluster, options, _ = CASES[name]
    if isinstance(model, dict):
        path = folder / f"{model['layers']}-layers.json"
        path.write_text(json.dumps(model))
        model = path
    command = [tool, "plan", model, "--cluster", cluster, "--threads", 1, *options]
    return [str(part) for part in [*command, "-o", folder / "plan"]]


def measure_in_turns(commands, repeat):
    """Of each: medians of seconds by the clock and of the processor, and the
    most memory. In turns, as a machine's speed changes from minute to minute."""
    runs = [[] for _ in commands]
    for _ in range(repeat):
        for command, of_command in zip(commands, runs):
            of_command.append(run_once(command))
    medians = []
    for of_command in runs:
        clock, processor, memory = zip(*of_command)
        medians.append((statistics.median(clock), statistics.median(processor), max(memory)))
    return medians


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"of {list(CASES)}")
    parser.add_argument("--tool", type=Path, help="the shardsmith program")
    parser.add_argument("--baseline", type=Path, help="an earlier one to compare with, in turns")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    unknown = set(arguments.cases) - set(CASES)
    if unknown:
        parser.error(f"unknown case {unknown.pop()!r}")
    tools = [arguments.tool or newest_tool()]
    if arguments.baseline:
        tools.append(arguments.baseline)
    cases = arguments.cases or list(CASES)

    missed = False
    more = ["baseline: processor s", "ratio"] if arguments.baseline else []
    heads = ["case", "s", "processor s", "memory MiB", "gap", "aim s", *more]
    print(f"| {' | '.join(heads)} |")
    print("|---" * len(heads) + "|")
    with tempfile.TemporaryDirectory() as name_of_folder:
        folder = Path(name_of_folder)
        for name in cases:
            # That of the tool last, so that its plan stays.
            commands = [command_of(tool, name, folder) for tool in reversed(tools)]
            *baseline, (clock, processor, memory) = measure_in_turns(commands, arguments.repeat)
            gap = json.loads((folder / "plan" / "plan.json").read_text())["search"]["gap"]
            aim = CASES[name][3]
            missed |= memory > MEMORY_AIM_BYTES or (aim is not None and clock > aim)
            cells = [name, f"{clock:.2f}", f"{processor:.2f}", f"{memory / 2**20:.0f}", f"{gap:.1%}", str(aim or "")]
            for _, before, _ in baseline:
                cells += [f"{before:.2f}", f"{processor / before:.2f}"]
            print(f"| {' | '.join(cells)} |", flush=True)
        if SHALLOW in cases and DEEP in cases:
            commands = [command_of(tools[0], name, folder) for name in (SHALLOW, DEEP)]
            (_, shallow, _), (_, deep, _) = measure_in_turns(commands, max(arguments.repeat, DEPTH_RUNS))
            missed |= deep > DEPTH_AIM * shallow
            print(
                f"\nIn turns a GPT of 1,024 layers takes {deep / shallow:.2f} times the processor time "
                f"of one of 32 ({deep:.3f} and {shallow:.3f} s); aim: {DEPTH_AIM}."
            )
    return int(missed and arguments.check)


if __name__ == "__main__":
    sys.exit(main())
