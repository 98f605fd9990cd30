# SPDX-License-Identifier: Apache-2.0
"""The references that `make docs` makes are complete, and say what the built
tools say: every pass with its options, every op, every dialect."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from tools import ROOT, run_tool

LLVM = Path("/usr/lib/llvm-22")
INCLUDES = [f"-I{ROOT}/include", f"-I{LLVM}/include"]
DIALECTS = ROOT / "include/shardsmith/Dialect"
# Of MLIR itself, which has references of its own.
MLIR_DIALECTS = {
    "arith", "builtin", "func", "gpu", "llvm", "math", "memref", "nvvm", "scf", "vector",
}
# They end a region and say no more.
TERMINATORS = {"sdy.return", "smith.kernel_yield"}


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The text of every page by its name."""
    folder = tmp_path_factory.mktemp("references") / "docs"
    subprocess.run([ROOT / "scripts/make-docs", folder], check=True, capture_output=True)
    return {file.stem: file.read_text() for file in folder.iterdir()}


@pytest.fixture(scope="module")
def passes():
    """What `shardsmith-opt --help` says of the project's own passes: summary
    and options by name."""
    text = run_tool("shardsmith-opt", "--help")
    listed = text.split("    Passes:\n", 1)[1].split("    Pass Pipelines:\n", 1)[0]
    found = {}
    for line in listed.splitlines():
        match = re.match(r"( +)--([\w-]+)(?:=<\w+>)? +- +(.*)", line)
        if match and len(match[1]) == 6:
            options = {}
            found[match[2]] = match[3], options
        elif match and len(match[1]) == 8:
            options[match[2]] = match[3]
    generated = subprocess.run(
        [LLVM / "bin/mlir-tblgen", "-gen-pass-doc", *INCLUDES,
         LLVM / "include/mlir/Transforms/Passes.td"],
        text=True, capture_output=True, check=True,
    )
    for name in re.findall(r"^### `-([\w-]+)`", generated.stdout, re.M):
        found.pop(name, None)
    return found


def section(pages, heading):
    """The text below the heading of a pass or op, and None where it is on no
    page or on several."""
    found = [
        text.split(heading, 1)[1].split("\n", 1)[1].split("\n### ", 1)[0]
        for text in pages.values()
        if heading in text
    ]
    return found[0] if len(found) == 1 else None


def test_every_pass_is_described(pages, passes):
    assert len(passes) > 25
    for name, (summary, _) in passes.items():
        text = section(pages, f"### `-{name}`")
        assert text is not None, name
        assert f"_{summary}_" in text, name
        description = text.split(f"_{summary}_", 1)[1].split("#### Options", 1)[0]
        assert len(description.split()) > 15, f"{name}: says no more than its summary"


def test_every_option_is_described(pages, passes):
    count = 0
    for name, (_, options) in passes.items():
        text = section(pages, f"### `-{name}`")
        for option, meaning in options.items():
            assert len(meaning.split()) >= 2, f"{name}: {option}"
            assert re.search(rf"^-{option} +: {re.escape(meaning)}$", text, re.M), (name, option)
            count += 1
    assert count > 30


def records(name):
    """Summary and description of the ops that a dialect's definitions hold."""
    file = f"{DIALECTS / name / name}Ops.td"
    files = [file, f"{DIALECTS}/Smith/SmithDerivativeOps.td"] if name == "Smith" else [file]
    ops = {}
    for file in files:
        done = subprocess.run(
            [LLVM / "bin/llvm-tblgen", "--dump-json", *INCLUDES, file],
            text=True, capture_output=True, check=True,
        )
        dump = json.loads(done.stdout)
        for record in (dump[each] for each in dump["!instanceof"]["Op"]):
            dialect = dump[record["opDialect"]["def"]]["name"]
            if dialect == name.lower():
                ops[f"{dialect}.{record['opName']}"] = record["summary"], record["description"]
    return ops


@pytest.mark.parametrize(
    "name, least", [("Chlo", 25), ("Sdy", 16), ("Smith", 12), ("StableHLO", 110)]
)
def test_every_op_is_described(pages, name, least):
    ops = records(name)
    assert len(ops) >= least
    page = {name: pages[f"dialect-{name.lower()}"]}
    for op, (summary, description) in ops.items():
        assert summary.strip(), op
        text = section(page, f"### `{op}`")
        assert text is not None, op
        # The generator makes the first letter large.
        assert summary.strip()[1:] in text, op
        # Only what has no public specification needs more than a line.
        if name in ("Sdy", "Smith") and op not in TERMINATORS:
            assert description.strip(), op


def test_every_dialect_has_a_page(pages):
    shown = run_tool("shardsmith-opt", "--show-dialects").split(": ", 1)[1].strip()
    found = {name.split("-", 1)[1] for name in pages if name.startswith("dialect-")}
    assert found == set(shown.split(",")) - MLIR_DIALECTS


def test_every_interface_has_a_page(pages):
    for file in (ROOT / "include/shardsmith/Interfaces").glob("*Interface.td"):
        assert f"## {file.stem} (" in pages[file.stem.lower()]
        assert "#### `" in pages[file.stem.lower()]


def test_index_lists_every_page(pages):
    listed = set(re.findall(r"\]\(([\w-]+)\.md\)", pages["README"]))
    assert listed == set(pages) - {"README"}


def test_pipelines_are_documented():
    text = run_tool("shardsmith-opt", "--help").split("    Pass Pipelines:\n", 1)[1]
    pipelines = re.findall(r"^      --([\w-]+)", text, re.M)
    documentation = "\n".join(file.read_text() for file in (ROOT / "docs").rglob("*.md"))
    assert pipelines
    for name in pipelines:
        assert f"--{name}" in documentation, name


def test_nothing_generated_is_committed():
    tracked = subprocess.run(
        ["git", "grep", "-l", "Autogenerated by mlir-" + "tblgen"],
        cwd=ROOT, text=True, capture_output=True,
    )
    assert tracked.stdout == ""


def test_other_folders_are_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    done = subprocess.run(
        [ROOT / "scripts/make-docs", tmp_path], text=True, capture_output=True
    )
    assert done.returncode == 1
    assert "holds no references" in done.stderr
    assert (tmp_path / "mine.txt").read_text() == "mine"
