# SPDX-License-Identifier: Apache-2.0
"""Finds the program to measure in whatever build folder there is, and runs it."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def newest_tool():
    """The newest `shardsmith` below build/; ends the script if there is none."""
    built = list(ROOT.glob("build/*/bin/shardsmith"))
    if not built:
        sys.exit("shardsmith is not built; give it with --tool")
    return max(built, key=lambda path: path.stat().st_mtime)


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
