# SPDX-License-Identifier: Apache-2.0
"""StableHLO's own modules, exported from JAX: each holds inputs, expected
results and a check of them.

The corpus is not part of this repository. SHARDSMITH_CONFORMANCE names its
folder, by default ../shared/data/stablehlo-testdata.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest
from notes import note

ROOT = Path(__file__).resolve().parents[2]
CORPUS = Path(
    os.environ.get(
        "SHARDSMITH_CONFORMANCE", ROOT.parent / "shared/data/stablehlo-testdata"
    )
)
FILES = sorted(CORPUS.rglob("*.mlir"))
BUILD = Path(os.environ.get("SHARDSMITH_BUILD", ROOT / "build/release"))
INTERPRET = BUILD / "bin/shardsmith-interpret"

# Of the largest differences, relative to what is expected: results of other
# orders of sums. None that runs fails otherwise, and all with static shapes run.
ROUNDING = 1e-5

pytestmark = [
    pytest.mark.skipif(not FILES, reason=f"no conformance corpus at {CORPUS}"),
    pytest.mark.skipif(
        not INTERPRET.exists(), reason=f"{INTERPRET} has not been built"
    ),
]


def interpret(files):
    return subprocess.run(
        [INTERPRET, *map(str, files)], capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def outcomes():
    """What the interpreter says about each module, and why it refused."""
    run = interpret(FILES)
    said = {}
    for line in run.stdout.splitlines():
        file, outcome = re.fullmatch(r"(.*\.mlir): (.*)", line).groups()
        said[file] = outcome
    reasons = {}
    for line in run.stderr.splitlines():
        found = re.match(r'loc\("(.*\.mlir)":\d+:\d+\): error: (.*)', line)
        if found:
            reasons.setdefault(found[1], found[2])
    return said, reasons


def is_static(file):
    return not re.search(r"tensor<[\dx]*\?", file.read_text())


def test_every_module_is_reported_once(outcomes):
    said, _ = outcomes
    assert sorted(said) == [str(file) for file in FILES]


def test_static_modules_hold_their_own_checks(outcomes):
    said, reasons = outcomes
    wanted = [str(file) for file in FILES if is_static(file)]
    held = [file for file in wanted if said[file].startswith("checks hold")]
    note(
        f"conformance: ran {len(wanted)} of {len(FILES)} modules, those with static "
        f"shapes; checks hold in {len(held)}"
    )
    for file in sorted(set(wanted) - set(held)):
        note(f"  {Path(file).name}: {said[file]}: {reasons.get(file)}")
        found = re.search(r"([\d.e+-]+) relative", reasons.get(file, ""))
        assert found, f"{file}: no check has failed: {said[file]}"
        assert float(found[1]) <= ROUNDING, file
    assert len(held) >= 0.98 * len(wanted)


def test_other_modules_are_refused_by_name(outcomes):
    said, reasons = outcomes
    others = [file for file in FILES if not is_static(file)]
    for file in map(str, others):
        assert said[file] == "unsupported", file
        assert "dynamic shapes" in reasons[file], file


def test_a_refusal_has_its_exit_code(outcomes):
    others = [file for file in FILES if not is_static(file)]
    assert interpret(others[:1]).returncode == 5
