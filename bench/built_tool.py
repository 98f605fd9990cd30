# SPDX-License-Identifier: Apache-2.0
"""Finds the program to measure in whatever build folder there is, and runs it."""

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def newest_tool():
    """The newest `shardsmith` below build/; ends the script if there is none."""
    built = list(ROOT.glob("build/*/bin/shardsmith"))
    if not built:
        sys.exit("shardsmith is not built; give it with --tool")
    return max(built, key=lambda path: path.stat().st_mtime)


def measured(command, cores=None):
    """(exit code, what it said on its standard error, seconds by the clock,
    `resource.struct_rusage`) of a command, on the first `cores` of those there
    are, or on all."""
    read, write = os.pipe()
    begin = time.perf_counter()
    child = os.fork()
    if child == 0:
        if cores is not None:
            os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
        os.close(read)
        os.dup2(write, 2)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.execv(command[0], command)
    os.close(write)
    with os.fdopen(read, errors="replace") as stream:
        message = stream.read()
    _, status, usage = os.wait4(child, 0)
    return os.waitstatus_to_exitcode(status), message, time.perf_counter() - begin, usage


def processor_seconds(usage):
    """Of what `measured` says."""
    return usage.ru_utime + usage.ru_stime


def add_tool_option(parser):
    """`--tool PATH`. Scripts run `given.tool or newest_tool()`."""
    parser.add_argument("--tool", type=Path, help="the shardsmith program; default: the newest one built")


def run(*command, threads=1, **environment):
    """What it prints, with so many threads per rank; ends the script if it
    fails."""
    count = str(threads)
    done = subprocess.run(
        list(map(str, command)),
        env=dict(os.environ, SMITH_THREADS=count, OMP_NUM_THREADS=count, **environment),
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stderr}")
    return done.stdout
