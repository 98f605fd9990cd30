# SPDX-License-Identifier: Apache-2.0
"""How long planning takes: from a model's name to the written plan, on one
core, start of the program included. Beside the time by the clock stands that of
the processor, which other work on the machine does not lengthen.

    python bench/planner_speed.py [--repeat N] [--baseline TOOL] [--check] [CASE …]
    python bench/planner_speed.py --threads N     as many cores against one
    python bench/planner_speed.py --fronts        all of time against money

Prints a Markdown table: medians of the runs, the memory that the tool needed,
how far the plan may be above the proven bound, and the aim for the time by the
clock. With --check the exit code says whether all aims were reached.
"""

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path

from built_tool import add_tool_option, measured, newest_tool, processor_seconds

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


# Whose time is all launches and latencies, so that thousands of layouts of a
# block are worth having.
TINY_T5 = {
    "model_type": "t5",
    "d_model": 24,
    "d_kv": 6,
    "d_ff": 40,
    "num_heads": 3,
    "num_layers": 2,
    "vocab_size": 53,
}
TINY_EXPERTS = {
    "model_type": "qwen3_moe",
    "hidden_size": 24,
    "intermediate_size": 40,
    "moe_intermediate_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "num_experts": 6,
    "num_experts_per_tok": 3,
    "vocab_size": 53,
}
SHORT = ["--seq", 128, "--global-batch", 64]

# For a search that would take minutes: it ends with the best plan so far.
LIMIT = ["--time-limit", 60]
STOPPED = 124

# name: model, cluster, options, seconds aimed at
CASES = {
    "llama3-8b on 64 H100": ("llama3-8b", "64xh100", [], 0.5),
    "gpt3-175b on 1,024 A100": ("gpt3-175b", "1024xa100-80", ["--global-batch", 1536], 2.0),
    "llama3-405b on 16,384 H100": ("llama3-405b", "16384xh100", ["--global-batch", 2048], 5.0),
    "deepseek-v3 on 2,048 H100": ("deepseek-v3", "2048xh100", ["--global-batch", 15360, *LIMIT], 5.0),
    "T5 of width 24 on 8 H100": (TINY_T5, "8xh100", SHORT, None),
    "experts of width 24 on 8 H100": (TINY_EXPERTS, "8xh100", SHORT, None),
    "GPT of 32 layers on 8 H100": (gpt(32), "8xh100", [], None),
    "GPT of 1,024 layers on 8 H100": (gpt(1024), "8xh100", [], None),
}
SHALLOW, DEEP = list(CASES)[-2:]


def run_once(command, cores=1):
    """Seconds by the clock and of the processor, and peak memory in bytes."""
    code, message, seconds, usage = measured(command, cores)
    if code not in (0, STOPPED):
        sys.exit(f"{' '.join(command)} failed:\n{message}")
    return seconds, processor_seconds(usage), usage.ru_maxrss * 1024


def command_of(tool, name, folder, *more, threads=1):
    model, cluster, options, _ = CASES[name]
    if isinstance(model, dict):
        path = folder / f"{name}.json"
        path.write_text(json.dumps(model))
        model = path
    command = [tool, "plan", model, "--cluster", cluster, "--threads", threads, *options, *more]
    return [str(part) for part in [*command, "-o", folder / "plan"]]


def measure_in_turns(commands, repeat, cores=1):
    """Of each: medians of seconds by the clock and of the processor, and the
    most memory. In turns, as a machine's speed changes from minute to minute."""
    runs = [[] for _ in commands]
    for _ in range(repeat):
        for command, of_command in zip(commands, runs):
            of_command.append(run_once(command, cores))
    medians = []
    for of_command in runs:
        clock, processor, memory = zip(*of_command)
        medians.append((statistics.median(clock), statistics.median(processor), max(memory)))
    return medians


def table(*heads):
    print(f"| {' | '.join(heads)} |")
    print("|---" * len(heads) + "|", flush=True)


def row(*cells):
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


def search_of(folder):
    """What the last plan's search says of itself, and how many plans there are."""
    plan = json.loads((folder / "plan" / "plan.json").read_text())
    return plan["search"], 1 + len(plan["alternatives"])


def compare_threads(tool, cases, folder, arguments):
    """By the clock; on the processor two threads never take less than one."""
    cores = arguments.threads
    table("case", "1 thread: s", f"{cores} threads: s", "ratio", "processor time: ratio")
    for name in cases:
        commands = [command_of(tool, name, folder, threads=threads) for threads in (1, cores)]
        one, many = measure_in_turns(commands, arguments.repeat, cores)
        row(name, f"{one[0]:.2f}", f"{many[0]:.2f}", f"{many[0] / one[0]:.2f}", f"{many[1] / one[1]:.2f}")


def compare_fronts(tool, cases, folder, arguments):
    table("case", "fastest plan: s", "front: s", "ratio", "plans", "memory MiB", "proof")
    for name in cases:
        commands = [command_of(tool, name, folder), command_of(tool, name, folder, "--objective", "front")]
        one, front = measure_in_turns(commands, arguments.repeat)
        search, plans = search_of(folder)
        proof = search["proof"] + (", stopped" if search["stopped"] else "")
        cells = [f"{one[0]:.2f}", f"{front[0]:.2f}", f"{front[0] / one[0]:.1f}", plans, f"{front[2] / 2**20:.0f}"]
        row(name, *cells, proof)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"of {list(CASES)}")
    add_tool_option(parser)
    parser.add_argument("--baseline", type=Path, help="an earlier one to compare with, in turns")
    parser.add_argument("--threads", type=int, help="compare so many threads with one")
    parser.add_argument("--fronts", action="store_true", help="compare whole fronts with the fastest plan")
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

    for comparison, wanted in [(compare_threads, arguments.threads), (compare_fronts, arguments.fronts)]:
        if wanted:
            with tempfile.TemporaryDirectory() as name_of_folder:
                comparison(tools[0], cases, Path(name_of_folder), arguments)
            return 0

    missed = False
    more = ["baseline: processor s", "ratio"] if arguments.baseline else []
    table("case", "s", "processor s", "memory MiB", "gap", "aim s", *more)
    with tempfile.TemporaryDirectory() as name_of_folder:
        folder = Path(name_of_folder)
        for name in cases:
            # That of the tool last, so that its plan stays.
            commands = [command_of(tool, name, folder) for tool in reversed(tools)]
            *baseline, (clock, processor, memory) = measure_in_turns(commands, arguments.repeat)
            gap = search_of(folder)[0]["gap"]
            aim = CASES[name][3]
            missed |= memory > MEMORY_AIM_BYTES or (aim is not None and clock > aim)
            cells = [f"{clock:.2f}", f"{processor:.2f}", f"{memory / 2**20:.0f}", f"{gap:.1%}", str(aim or "")]
            for _, before, _ in baseline:
                cells += [f"{before:.2f}", f"{processor / before:.2f}"]
            row(name, *cells)
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
