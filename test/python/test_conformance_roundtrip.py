# SPDX-License-Identifier: Apache-2.0
"""Every module that JAX exported parses, prints, and parses again to the same.

The corpus is not part of this repository. SHARDSMITH_CONFORMANCE names its
folder, by default ../shared/data/stablehlo-testdata.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tools import tool

ROOT = Path(__file__).resolve().parents[2]
CORPUS = Path(
    os.environ.get(
        "SHARDSMITH_CONFORMANCE", ROOT.parent / "shared/data/stablehlo-testdata"
    )
)
FILES = sorted(CORPUS.rglob("*.mlir"))
SEPARATOR = "// -----"

# Edited by hand: its floats are not in the printer's form.
NOT_AS_PRINTED = {"fft_complex128_14_15_0_17.mlir"}

pytestmark = pytest.mark.skipif(not FILES, reason=f"no conformance corpus at {CORPUS}")


def print_all(modules):
    """What shardsmith-opt prints for each module; one process for all."""
    done = subprocess.run(
        [tool("shardsmith-opt"), "-", "--split-input-file"],
        input=f"\n{SEPARATOR}\n".join(modules),
        text=True,
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr[:4000]
    printed = done.stdout.split(SEPARATOR)
    assert len(printed) == len(modules)
    return printed


def without_layout(text):
    """The text without comments and with single blanks."""
    code = "\n".join(
        line for line in text.splitlines() if not line.lstrip().startswith("//")
    )
    return re.sub(r"\s+", " ", code).replace("( ", "(").strip()


@pytest.fixture(scope="module")
def sources():
    return [file.read_text() for file in FILES]


@pytest.fixture(scope="module")
def printed(sources):
    return print_all(sources)


def test_printing_is_a_fixed_point(printed):
    again = print_all(printed)
    changed = [
        file.name
        for file, first, second in zip(FILES, printed, again)
        if first.strip() != second.strip()
    ]
    assert not changed
    print(f"{len(FILES)} modules print the same after parsing what was printed")


def test_prints_what_jax_printed(sources, printed):
    """Of modules written by a current JAX, which name private functions
    @inputs and @expected, every token is kept."""
    current = [
        (file.name, source, text)
        for file, source, text in zip(FILES, sources, printed)
        if "@expected" in source and file.name not in NOT_AS_PRINTED
    ]
    changed = [
        name
        for name, source, text in current
        if without_layout(source) != without_layout(text)
    ]
    assert current and not changed
    print(f"{len(current)} modules print as they were written")
