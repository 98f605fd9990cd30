# SPDX-License-Identifier: Apache-2.0
"""Runs the tools of the build that is under test."""

import os
import subprocess
import time
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


def wait_until_handled(process, ending):
    """Returns when the process has a handler for the signal, or has ended."""
    while True:
        try:
            status = open(f"/proc/{process}/status").read()
        except FileNotFoundError:
            return
        fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
        handled = int(fields.get("SigCgt", "0"), 16) >> (ending - 1) & 1
        if handled or fields["State"].startswith("Z"):
            return
        time.sleep(0.001)
