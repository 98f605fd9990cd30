# SPDX-License-Identifier: Apache-2.0
"""How soon commands that plan end once they are told to, wherever they are.

    python bench/reaction.py [--samples N] [--seed N] [--check] [CASE …]

Starts plan, fit, compile and inspect on the architectures of test/models, on
configurations of as many layers as there may be, and on tables of a DLRM for
64 devices, and stops each at random moments: by SIGINT, or by --time-limit;
plans once more as often, by SIGINT about where the search ends and they write:
each stop that comes too early or too late says where the next one is to be.
Besides, by SIGINT while `plan` prints to a reader that takes no more, and while
`emit` writes the traces of 64 ranks.
Prints, per command and what it was doing, how long it took from the signal (or
the limit) to the end of the process. What it was doing is what it says at its
end. With --check the exit code is 1 if one took longer than the aim.
"""

import argparse
import fcntl
import json
import os
import random
import select
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "test/models"), str(ROOT / "test/python")]

from planner_speed import gpt, newest_tool  # noqa: E402
from tools import wait_until_handled  # noqa: E402

AIM_SECONDS = 0.2
# Runs that take longer are stopped somewhere in this time.
LONGEST_SECONDS = 20
# The search ends at no exact moment: a run is shorter than the last by this.
SHORTER = 0.95
DEEPEST = 4096
FAR_TOO_DEEP = 100_000
STOPPED = 124


def questions(folder):
    """Name: what to run, without the folder to write to."""
    import architectures

    cases = {}
    for name in architectures.ARCHITECTURES:
        path = folder / f"{name}.mlir"
        architectures.export(name, path)
        for command in ("plan", "fit"):
            for devices in (8, 64):
                cases[f"{command} {name} on {devices}"] = [
                    command, path, "--cluster", f"{devices}xh100", "--time-limit", 0,
                ]  # fmt: skip
        cases[f"compile {name} on cpu:2"] = ["compile", path, "--cluster", "cpu:2"]
        cases[f"inspect {name}"] = ["inspect", path]
    tables = ROOT / "test/models/reproducers/dlrm_big.mlir"
    cases["plan dlrm_big on 64"] = ["plan", tables, "--cluster", "64xh100", "--time-limit", 0]
    sizes = {"deepest": (DEEPEST, 512), "too deep": (FAR_TOO_DEEP, 4096), "wide": (12, 1 << 20)}
    for name, (layers, width) in sizes.items():
        path = folder / f"{name}.json"
        path.write_text(json.dumps(gpt(layers) | {"hidden": width}))
        for command in ("plan", "fit"):
            cases[f"{command} {name} on 64"] = [
                command, path, "--cluster", "64xh100", "--time-limit", 0,
            ]  # fmt: skip
        cases[f"inspect {name}"] = ["inspect", "--workload", path]
    return cases


def phase_of(error, code):
    """What the command was doing when it was stopped, by what it said."""
    if "no annotated.mlir: " in error:
        return "writing"
    if "note: the search" in error:
        return "search, with a plan"
    if "stopped before it found a plan" in error:
        return "search, without a plan"
    if code == STOPPED or code == -signal.SIGINT:
        return "reading and building"
    return "ended by itself"


def run_to_its_end(command):
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        process.wait(LONGEST_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    return time.monotonic() - start


def ended_after(process, moment):
    """Seconds from a moment to the end, and what the process said. `compile`
    goes on to build the plan that it has: there what counts is when it says
    so."""
    error, said = "", None
    for line in process.stderr:
        if "note: the search" in line and "compile" in process.args:
            said = time.monotonic()
        error += line
    process.wait()
    return (said or time.monotonic()) - moment, error


def interrupt(command, seconds):
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    wait_until_handled(process.pid, signal.SIGINT)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        pass
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    took, error = ended_after(process, sent)
    return took, phase_of(error, process.returncode)


def limit(command, seconds):
    start = time.monotonic()
    process = subprocess.Popen(
        [*command, "--time-limit", f"{seconds:.3f}"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    took, error = ended_after(process, start + seconds)
    return took, phase_of(error, process.returncode)


def interrupt_printing(tool, chance):
    """`plan` whose reader takes no more."""
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
    process = subprocess.Popen(
        [tool, "plan", "gpt3-175b", "--cluster", "64xh100", "--json"],
        stdout=writing, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    os.close(writing)
    select.select([reading], [], [])
    time.sleep(chance.uniform(0, 0.1))
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    took, _ = ended_after(process, sent)
    os.close(reading)
    assert process.returncode == STOPPED
    return took


class Traces:
    """`emit` that writes the traces of 64 ranks."""

    def __init__(self, tool, folder):
        self.tool, self.folder, self.plan = tool, folder, folder / "traced"
        subprocess.run(
            [tool, "plan", "gpt3-175b", "--cluster", "64xh100", "--fix",
             "tp=8,pp=8,dp=1,mbs=4,schedule=1f1b", "-o", self.plan],
            check=True, capture_output=True,
        )  # fmt: skip

    def interrupt(self, chance):
        """Once some of it is there; nothing if all of it was."""
        out = self.folder / "traces"
        process = subprocess.Popen(
            [self.tool, "emit", self.plan, "--to", "chakra", "-o", out],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        while process.poll() is None and not any(out.glob("**/*")):
            time.sleep(0.001)
        time.sleep(chance.uniform(0, 0.5))
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        took, _ = ended_after(process, sent)
        is_left = any(out.glob("**/*"))
        assert process.returncode == 0 or (process.returncode == STOPPED and not is_left)
        shutil.rmtree(out, ignore_errors=True)
        return took if process.returncode else None


def when_it_writes(command):
    """From about the search's end to the command's, in seconds from its start;
    nothing if it takes too long to know. A plan that goes nowhere is as long
    searched for."""
    searched = run_to_its_end(command[: command.index("-o")])
    ended = run_to_its_end(command)
    return None if ended >= LONGEST_SECONDS else (SHORTER * min(searched, ended), ended)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cases", nargs="*", metavar="CASE", help="parts of names of cases")
    parser.add_argument("--tool", type=Path, help="the shardsmith program")
    parser.add_argument("--samples", type=int, default=6, help="per case")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    tool = str(arguments.tool or newest_tool())
    chance = random.Random(arguments.seed)
    seen = defaultdict(list)
    with tempfile.TemporaryDirectory() as name_of_folder:
        folder = Path(name_of_folder)
        for name, question in questions(folder).items():
            if arguments.cases and not any(part in name for part in arguments.cases):
                continue
            command = [tool, *map(str, question)]
            if question[0] in ("plan", "compile"):
                command += ["-o", str(folder / "out")]
            longest = run_to_its_end(command)
            for sample in range(arguments.samples):
                seconds = chance.uniform(0.01, longest)
                can_be_limited = question[0] != "inspect"
                stop = limit if can_be_limited and sample % 3 == 2 else interrupt
                if stop is limit and "--time-limit" in command:
                    at = command.index("--time-limit")
                    took, phase = limit(command[:at] + command[at + 2 :], seconds)
                else:
                    took, phase = stop(command, seconds)
                if phase != "ended by itself":
                    seen[question[0], phase].append((took, name))
            if question[0] != "plan" or not (writing := when_it_writes(command)):
                continue
            begin, end = writing
            for _ in range(arguments.samples):
                seconds = chance.uniform(begin, end)
                took, phase = interrupt(command, seconds)
                if phase == "ended by itself":
                    end = max(begin, min(end, seconds))
                    continue
                if phase.startswith("search"):
                    begin = min(end, seconds)
                seen[question[0], phase].append((took, name))
        if not arguments.cases or "printing" in arguments.cases:
            for _ in range(arguments.samples):
                seen["plan", "printing"].append((interrupt_printing(tool, chance), "gpt3-175b"))
        if not arguments.cases or "traces" in arguments.cases:
            traces = Traces(tool, folder)
            for _ in range(arguments.samples):
                if took := traces.interrupt(chance):
                    seen["emit", "writing"].append((took, "gpt3-175b"))

    print("| command | what it was doing | stops | median s | 90 % | worst | where |")
    print("|---" * 7 + "|")
    worst = 0
    for (command, phase), times in sorted(seen.items()):
        seconds = sorted(took for took, _ in times)
        most, where = max(times)
        worst = max(worst, most)
        ninth = seconds[int(0.9 * (len(seconds) - 1))]
        print(
            f"| {command} | {phase} | {len(times)} | {statistics.median(seconds):.3f} "
            f"| {ninth:.3f} | {most:.3f} | {where} |"
        )
    return int(arguments.check and worst > AIM_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
