# SPDX-License-Identifier: Apache-2.0
"""Finds the program to measure in whatever build folder there is."""

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
