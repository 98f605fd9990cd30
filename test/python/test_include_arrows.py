# SPDX-License-Identifier: Apache-2.0
"""Folders include one another only as docs/architecture.md allows."""

from pathlib import Path

from include_arrows import find_problems

ROOT = Path(__file__).resolve().parents[2]

TABLE = """
## Folders and arrows

| folder | holds | may use |
|---|---|---|
| `Base` | numbers; no MLIR | – |
| `Middle` | everything else | `Base` |
| `Middle/Part` | a part that the middle does not use | `Base`, `Middle` |
| `Top` | the end of the flow | `Middle` |
| `tools` | programs | `Top`, `Base` |

## The next section

| `Nothing` | is read here | `Base` |
"""


def problems_of(tmp_path, files, table=TABLE):
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return find_problems(tmp_path, table)


def test_this_tree():
    assert find_problems(ROOT, (ROOT / "docs/architecture.md").read_text()) == []


def test_allowed_arrows(tmp_path):
    files = {
        "include/shardsmith/Base/Number.h": "#include <vector>\n",
        "include/shardsmith/Middle/Sum.h": '#include "shardsmith/Base/Number.h"\n',
        "lib/Middle/Sum.cpp": '#include "shardsmith/Middle/Sum.h"\n#include "mlir/IR/Value.h"\n',
        "lib/Middle/Part/Half.h": "",
        "lib/Middle/Part/Half.cpp": '#include "Half.h"\n#include "../Whole.h"\n',
        "lib/Middle/Part.cpp": '#include "shardsmith/Base/Number.h"\n',
        "lib/Middle/Whole.h": '#include "shardsmith/Middle/Ops.h.inc"\n',
        "lib/Top/Peak.td": 'include "shardsmith/Middle/Sum.td"\n',
        "tools/tool/main.cpp": '#include "shardsmith/Top/Peak.h"\n',
    }
    assert problems_of(tmp_path, files) == []


def test_forbidden_arrow(tmp_path):
    files = {"tools/tool/main.cpp": '// A tool.\n#include "shardsmith/Middle/Sum.h"\n'}
    assert problems_of(tmp_path, files) == [
        "tools/tool/main.cpp:2 includes shardsmith/Middle/Sum.h: "
        "the table allows no arrow from tools to Middle"
    ]


def test_forbidden_arrow_by_relative_path(tmp_path):
    files = {
        "lib/Top/Peak.h": "",
        "lib/Base/Number.cpp": '#include "../Top/Peak.h"\n',
    }
    assert problems_of(tmp_path, files) == [
        "lib/Base/Number.cpp:1 includes ../Top/Peak.h: "
        "the table allows no arrow from Base to Top"
    ]


def test_circle(tmp_path):
    files = {
        "lib/Middle/Whole.cpp": '#include "shardsmith/Middle/Part/Half.h"\n',
        "lib/Middle/Part/Half.cpp": '\n#include "shardsmith/Middle/Whole.h"\n',
    }
    assert problems_of(tmp_path, files) == [
        "lib/Middle/Whole.cpp:1 includes shardsmith/Middle/Part/Half.h: "
        "the table allows no arrow from Middle to Middle/Part",
        "circle of folders: "
        "Middle → Middle/Part (lib/Middle/Whole.cpp:1 includes shardsmith/Middle/Part/Half.h), "
        "Middle/Part → Middle (lib/Middle/Part/Half.cpp:2 includes shardsmith/Middle/Whole.h)",
    ]


def test_folder_without_row(tmp_path):
    files = {
        "lib/New/Idea.cpp": "",
        "lib/Base/Number.cpp": '#include "shardsmith/New/Idea.h"\n',
    }
    assert problems_of(tmp_path, files) == [
        "lib/Base/Number.cpp:1: the folder of shardsmith/New/Idea.h has no row in the table",
        "lib/New/Idea.cpp: its folder has no row in the table",
    ]


def test_mlir_where_there_is_to_be_none(tmp_path):
    files = {"include/shardsmith/Base/Number.h": "#include <llvm/ADT/APInt.h>\n"}
    assert problems_of(tmp_path, files) == [
        "include/shardsmith/Base/Number.h:1: "
        "Base is to use no MLIR but includes llvm/ADT/APInt.h"
    ]


def test_unknown_file(tmp_path):
    files = {"lib/Base/Number.cpp": '#include "Nowhere.h"\n'}
    assert problems_of(tmp_path, files) == [
        "lib/Base/Number.cpp:1: Nowhere.h is not found in the tree"
    ]


def test_table_with_a_circle(tmp_path):
    table = TABLE.replace("| numbers; no MLIR | – |", "| numbers | `Top` |")
    assert problems_of(tmp_path, {}, table) == [
        "row `Base` names `Top`, which is no row above it"
    ]


def test_no_table(tmp_path):
    assert problems_of(tmp_path, {}, "# Architecture\n") == [
        "no heading '## Folders and arrows'"
    ]
