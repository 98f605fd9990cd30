# SPDX-License-Identifier: Apache-2.0
"""Runs the tools of the build that is under test."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def tool(name):
    """Path of a built program: of the build folder SHARDSMITH_BUILD, else of
    the newest one. The test is skipped if there is none."""
    given = os.environ.get("SHARDSMITH_BUILD")
    builds = [Path(given)] if given else ROOT.glob("build/*")
    found = [path for build in builds if (path := build / "bin" / name).exists()]
    if not found:
        pytest.skip(f"{name} is not built")
    return max(found, key=lambda path: path.stat().st_mtime)


def run_tool(name, *arguments, text=None):
    """What the program wrote to stdout; its stderr is in the exception."""
    done = subprocess.run(
        [tool(name), *map(str, arguments)], input=text, text=True, capture_output=True
    )
    assert done.returncode == 0, f"{name}: {done.stderr[:4000]}"
    return done.stdout
