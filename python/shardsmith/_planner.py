# SPDX-License-Identifier: Apache-2.0
"""Runs the `shardsmith` program, which plans."""

import html
import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from shardsmith._errors import PlanError
from shardsmith._tools import PROGRAM


def find_tool(given=None):
    """The `shardsmith` program: the one given, `$SHARDSMITH`, that of the wheel
    this package is from, or of `$PATH`."""
    installed = str(PROGRAM) if PROGRAM.exists() else None
    for place in (given, os.environ.get("SHARDSMITH"), installed, "shardsmith"):
        if not place:
            continue
        found = shutil.which(place)
        if found:
            return found
        if place != "shardsmith":
            raise PlanError(f"there is no program '{place}'")
    raise PlanError(
        "there is no program 'shardsmith' on the PATH; add the folder that "
        "holds it, set SHARDSMITH to it, or pass tool='…'"
    )


def run_planner(
    tool,
    model_text,
    cluster,
    *,
    runtime,
    emitted,
    beside=None,
    optimizer,
    fix,
    forbid,
    profile,
    time_limit,
):
    """The plan's report, the file `emitted` that `--for runtime` writes, and the
    text of the file `beside`, None where the plan has none. Options that are
    None are left to the planner."""
    options = {
        "--optimizer": optimizer,
        "--fix": fix,
        "--forbid": forbid,
        "--profile": profile,
        "--time-limit": time_limit,
    }
    with tempfile.TemporaryDirectory(prefix="shardsmith-") as folder:
        folder = Path(folder)
        (folder / "model.mlir").write_text(model_text, encoding="utf-8")
        if not isinstance(cluster, (str, os.PathLike)):
            (folder / "cluster.json").write_text(json.dumps(cluster))
            cluster = folder / "cluster.json"
        command = [tool, "plan", folder / "model.mlir", "--cluster", cluster]
        command += ["--for", runtime, "-o", folder / "plan"]
        for name, value in options.items():
            if value is not None:
                command += [name, value]
        done = subprocess.run(
            [str(each) for each in command], capture_output=True, text=True
        )
        written = folder / "plan" / emitted
        # A search that reached the user's time limit has a plan all the same.
        if not written.exists():
            said = done.stderr.strip() or f"it ended with {done.returncode}"
            raise PlanError(said.removeprefix("error: "))
        further = folder / "plan" / beside if beside else None
        text = further.read_text() if further and further.exists() else None
        return done.stdout, json.loads(written.read_text()), text


def layer_patterns(name):
    """The names that may stand for that of all layers, in which one number is a
    star: `blocks[3].w1` is `blocks[*].w1` or `blocks[3].w*`."""
    return [
        name[: number.start()] + "*" + name[number.end() :]
        for number in re.finditer(r"\d+", name)
    ]


def entry_for(name, entries):
    """The key of `entries` that is, or stands for, a name; None if there is none."""
    names = (name, *layer_patterns(name))
    return next((each for each in names if each in entries), None)


class Report:
    """What prints as the planner's report, also in a notebook."""

    def __init__(self, report, plan_name):
        self.report = report
        self._plan_name = plan_name

    def __str__(self):
        return self.report

    def __repr__(self):
        return f"<shardsmith plan {self._plan_name}>"

    def _repr_html_(self):
        return f"<pre>{html.escape(self.report)}</pre>"
