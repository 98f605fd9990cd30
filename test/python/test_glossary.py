# SPDX-License-Identifier: Apache-2.0
"""docs/glossary.md names what there is, and each term once."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GLOSSARY = ROOT / "docs/glossary.md"


def rows():
    """The rows of all tables: terms, meaning, code."""
    for line in GLOSSARY.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and cells[0] != "term":
            yield cells


def test_every_row_has_a_meaning():
    assert all(len(cells) == 3 and cells[1].endswith(".") for cells in rows())


def test_each_term_once():
    terms = [term.strip() for cells in rows() for term in cells[0].split(",")]
    assert len(terms) > 50
    assert sorted(terms) == sorted(set(terms))


def test_code_exists():
    sources = "\n".join(
        path.read_text()
        for folder in ("lib", "include")
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in {".h", ".cpp", ".td"}
    )
    words = set(re.findall(r"\w+", sources))
    missing = []
    for _, _, code in rows():
        for name in re.findall(r"`([^`…*]+)`", code):
            found = (ROOT / name).exists() if "/" in name else name.split("::")[-1] in words
            if not found:
                missing.append(name)
    assert missing == []
