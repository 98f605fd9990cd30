# SPDX-License-Identifier: Apache-2.0
"""Every fuzz target on its seeds, on changed copies of them, and on all inputs
that once did harm (test/fuzz/regressions). `make fuzz` looks for new ones."""

import subprocess
import sys
from pathlib import Path

import pytest

from tools import ROOT, tool

sys.path.insert(0, str(ROOT / "test" / "fuzz"))
import fuzz

TARGETS = sorted(path.stem for path in (ROOT / "test" / "fuzz").glob("*Fuzz.cpp"))
MUTATIONS = 20
GIBIBYTES = 4


@pytest.fixture(scope="module")
def seeds(tmp_path_factory):
    folder = tmp_path_factory.mktemp("seeds") / "all"
    fuzz.write_seeds(Path(tool("shardsmith")).parents[1], folder)
    return folder


def test_every_target_has_seeds(seeds):
    assert sorted(path.name for path in seeds.iterdir()) == TARGETS
    assert all(any(folder.iterdir()) for folder in seeds.iterdir())


@pytest.mark.parametrize("target", TARGETS)
def test_replay(target, seeds, tmp_path):
    program = Path(tool("shardsmith")).parents[1] / "fuzz" / target
    done = subprocess.run(
        ["prlimit", f"--as={GIBIBYTES << 30}", program, "--mutations", str(MUTATIONS), seeds / target],
        capture_output=True, cwd=tmp_path, timeout=300,
    )  # fmt: skip
    kept = tmp_path / "crash-input"
    assert done.returncode == 0, f"{done.stderr[-2000:]!r}; input: {kept}"
