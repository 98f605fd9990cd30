# SPDX-License-Identifier: Apache-2.0
"""Which folder includes which, held against the table of docs/architecture.md.

A row of the table is a folder of lib/, include/shardsmith/ or tools/, and a
file belongs to the longest row that its path begins with: a row `Plan` speaks
for all of lib/Plan until a row `Plan/Search` takes that subfolder out.

    python3 test/python/include_arrows.py      prints what is wrong
"""

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

HEADING = "## Folders and arrows"
SOURCES = {".h", ".c", ".cpp", ".td", ".in"}
INCLUDE = re.compile(r'\s*#?\s*include\s+(?P<open>["<])(?P<path>[^">]+)[">]')
OUTSIDE = ("mlir/", "llvm/")


@dataclass
class Row:
    """One folder of the table."""

    folder: str
    uses: set[str]
    has_no_mlir: bool


@dataclass
class Arrow:
    """A folder includes another; `places` are the lines that do."""

    source: str
    target: str
    places: list[str] = field(default_factory=list)


def read_table(text):
    """The rows in their order, and what is wrong with the table itself. A row
    may name rows above it only, so that the table has no circle."""
    rows, problems = {}, []
    section = text.split(HEADING, 1)
    if len(section) < 2:
        return rows, [f"no heading '{HEADING}'"]
    for line in section[1].split("\n## ", 1)[0].splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("| `") or len(cells) != 3:
            continue
        uses = set()
        for name in re.findall(r"`([^`]+)`", cells[2]):
            above = {row for row in rows if row == name or row.startswith(name + "/")}
            if not above:
                problems.append(f"row {cells[0]} names `{name}`, which is no row above it")
            uses |= above
        for folder in re.findall(r"`([^`]+)`", cells[0]):
            if folder in rows:
                problems.append(f"two rows for `{folder}`")
            rows[folder] = Row(folder, uses, "no MLIR" in cells[1])
    return rows, problems


def folder_of(path, rows):
    """The row of a path such as `Plan/Search/Space.h`; None if there is none.
    Files that lie in no folder, such as `InitAll.h`, have rows of their own."""
    *parts, file = path.split("/")
    parts = parts or [file.split(".")[0]]
    for length in range(len(parts), 0, -1):
        name = "/".join(parts[:length])
        if name in rows:
            return name
    return None


def resolve(root, file, included):
    """The path of an included file below lib/, include/shardsmith/ or tools/;
    None if it lies outside of the tree or cannot be found. Headers of other
    folders are found as the compiler does: beside the file, or from one of the
    folders around it."""
    if included.startswith("shardsmith/"):
        return included.removeprefix("shardsmith/")
    for folder in file.parents:
        if folder == root:
            break
        candidate = (folder / included).resolve()
        if candidate.is_relative_to(root) and candidate.exists():
            return place_of(root, candidate)
    return None


def place_of(root, file):
    """`lib/Plan/X.cpp`, `include/shardsmith/Plan/X.h` ─▶ `Plan/X.…`; files of
    tools/ keep that name."""
    parts = file.relative_to(root).parts
    if parts[0] == "include":
        return "/".join(parts[2:])
    return "/".join(parts[1:] if parts[0] == "lib" else parts)


def read_arrows(root, rows):
    """All arrows between rows, by source and target, and what is wrong with
    single lines."""
    arrows, problems = {}, []
    for top in ("lib", "include", "tools"):
        for file in sorted((root / top).rglob("*")):
            if file.suffix not in SOURCES or not file.is_file():
                continue
            source = folder_of(place_of(root, file), rows)
            name = file.relative_to(root)
            if source is None:
                problems.append(f"{name}: its folder has no row in the table")
                continue
            for number, line in enumerate(file.read_text().splitlines(), 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                place, included = f"{name}:{number}", match["path"]
                if included.startswith(OUTSIDE):
                    if rows[source].has_no_mlir:
                        problems.append(
                            f"{place}: {source} is to use no MLIR but includes {included}"
                        )
                    continue
                path = resolve(root, file, included)
                if path is None:
                    if match["open"] == '"' and not included.endswith(".inc"):
                        problems.append(f"{place}: {included} is not found in the tree")
                    continue
                target = folder_of(path, rows)
                if target is None:
                    problems.append(f"{place}: the folder of {included} has no row in the table")
                elif target != source:
                    arrow = arrows.setdefault((source, target), Arrow(source, target))
                    arrow.places.append(f"{place} includes {included}")
    return arrows, problems


def find_circle(arrows):
    """The folders of a circle in order, the first again at the end; empty if
    there is none."""
    targets = {}
    for source, target in sorted(arrows):
        targets.setdefault(source, []).append(target)
    finished, path = set(), []

    def visit(folder):
        if folder in path:
            return path[path.index(folder):] + [folder]
        if folder in finished:
            return []
        path.append(folder)
        for target in targets.get(folder, []):
            if circle := visit(target):
                return circle
        finished.add(path.pop())
        return []

    for folder in sorted(targets):
        if circle := visit(folder):
            return circle
    return []


def find_problems(root, text):
    """One sentence for each thing that is wrong; an empty list for none."""
    root = root.resolve()
    rows, problems = read_table(text)
    arrows, wrong_lines = read_arrows(root, rows)
    problems += wrong_lines
    for (source, target), arrow in sorted(arrows.items()):
        if target not in rows[source].uses:
            problems += [
                f"{place}: the table allows no arrow from {source} to {target}"
                for place in arrow.places
            ]
    if circle := find_circle(arrows):
        steps = [
            f"{source} → {target} ({arrows[source, target].places[0]})"
            for source, target in zip(circle, circle[1:])
        ]
        problems.append("circle of folders: " + ", ".join(steps))
    return problems


if __name__ == "__main__":
    tree = Path(__file__).parents[2]
    found = find_problems(tree, (tree / "docs/architecture.md").read_text())
    print("\n".join(found))
    sys.exit(1 if found else 0)
