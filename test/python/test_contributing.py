# SPDX-License-Identifier: Apache-2.0
"""The walks of CONTRIBUTING.md lead where they say.

Walks 2 and 3 are done in copies of the files that they change: these are
compiled with the build's own options and linked in front of its libraries.
Walks 1, 4 and 5 would build half of the tree again; their places are looked up.
"""

import collections
import json
import re
import shlex
import subprocess

import pytest

from contributing import (
    PAGE, apply, build_folder, changed, compile_changed, link_with, occurs, walk,
)
from tools import ROOT, run_tool, tool

STRATEGY = "include/shardsmith/Strategy/Strategy.h"


def rows(text):
    """The cells of the rows of all tables, without headings."""
    for line in text.splitlines():
        if line.startswith("| `"):
            yield [cell.strip().strip("`") for cell in line.strip().strip("|").split("|")]


def files_with(pattern, *folders):
    found = subprocess.run(
        ["grep", "-rlE", pattern, *folders], cwd=ROOT, text=True, capture_output=True
    )
    return set(found.stdout.split())


def take(blocks, folder, run):
    """Runs the commands of all console blocks in the folder, and looks for what
    the page says one sees, line by line."""
    count = 0
    for block in blocks:
        if block.language != "console":
            continue
        for command in re.split(r"^\$ ", block.text, flags=re.M)[1:]:
            command, *expected = command.splitlines()
            output = run(shlex.split(command), folder)
            for line in expected:
                assert line in output, f"{command}: {line}"
                output = output.split(line, 1)[1]
            count += 1
    return count


def run_built(words, folder):
    done = subprocess.run(
        [tool(words[0]), *words[1:]], cwd=folder, text=True, capture_output=True
    )
    assert done.returncode == 0, done.stderr[:4000]
    return done.stderr + done.stdout


def run_changed(program):
    """Runs a program that was built with changes in place of the tool."""
    def run(words, folder):
        done = subprocess.run([program, *words[1:]], cwd=folder, text=True, capture_output=True)
        assert done.returncode == 0, done.stderr[:4000]
        return done.stdout

    return run


# 1. An op.


def test_every_place_of_an_op_is_on_the_walk():
    text, _ = walk(1)
    pattern = re.search(r"grep -rE '([^']+)' lib include", text)[1]
    places = [cells[0] for cells in rows(text)]
    assert set(places) == files_with(pattern, "lib", "include")
    assert "same seven places" in text and len(places) == 7


def test_an_op_is_in_its_places():
    _, blocks = walk(1)
    shown = [block for block in blocks if block.place]
    assert len(shown) == 6
    for block in shown:
        assert occurs(block, (ROOT / block.place[0]).read_text()), block.above


def test_an_op_works_in_every_phase(tmp_path):
    _, blocks = walk(1)
    (model,) = [block.text for block in blocks if block.language == "mlir"]
    (tmp_path / "cbrt.mlir").write_text(model)
    assert take(blocks, tmp_path, run_built) == 3


def test_files_that_the_page_names_exist():
    new = re.findall(r"As the new file `([^`]+)`", PAGE.read_text())
    for name in re.findall(r"`((?:lib|include|test|docs|bench)/[\w/.-]+)`", PAGE.read_text()):
        assert name in new or (ROOT / name).exists(), name


# 2. A schedule family.


@pytest.fixture(scope="module")
def family(tmp_path_factory):
    """The folder with the changes of walk 2, and the objects of changed files."""
    folder = tmp_path_factory.mktemp("family")
    files = apply(walk(2)[1], folder)
    objects = {
        name: compile_changed(files[name], name, folder)
        for name in files
        if name.endswith(".cpp")
    }
    return folder, files, objects


def test_a_schedule_family_touches_what_the_walk_says(family):
    _, files, _ = family
    assert "It touches four files" in walk(2)[0] and len(files) == 4
    # Another family with one stage per rank.
    assert set(files) == files_with('ZeroBubbleH1|"zb-h1"', "lib", "include", "tools", "docs")


def test_rows_of_families_are_as_many_as_users_may_choose_from(family):
    folder, files, _ = family
    enumerators = re.search(r"enum class ScheduleFamily {(.*?)};", files[STRATEGY].read_text(), re.S)
    count = len(re.findall(r"^ +\w+,", enumerators[1], re.M))
    traits = files["lib/Strategy/ScheduleTraits.cpp"].read_text()
    assert len(re.findall(r"\.family = ", traits)) == count
    facts = files["lib/Check/Schedules.cpp"].read_text()
    assert len(re.findall(r"{ScheduleFamily::", facts)) == count
    # What users choose from, with one family more; nothing is linked with it.
    copy = folder / "SearchConstraints.cpp"
    copy.write_text((ROOT / "lib/Plan/Space/SearchConstraints.cpp").read_text())
    compile_changed(copy, "lib/Plan/Space/SearchConstraints.cpp", folder)


def test_a_schedule_family_passes_the_tests_of_families(family):
    folder, _, objects = family
    used = [objects["lib/Strategy/ScheduleTraits.cpp"], objects["lib/Schedule/RuledOrder.cpp"]]
    program = link_with(used, "unit/FamiliesTest", folder / "FamiliesTest")
    done = subprocess.run([program], text=True, capture_output=True)
    assert done.returncode == 0, done.stdout[-4000:]


def test_a_plan_with_a_schedule_family_is_played_and_checked(family, tmp_path):
    folder, _, objects = family
    blocks = walk(2)[1]
    # The reader of plan.json lists the names of the rows.
    used = list(objects.values())
    program = link_with(used, "bin/shardsmith", folder / "shardsmith")

    model = ROOT / "test/models/llama-tiny.mlir"
    choices = "devices=2,pp=2,vpp=1,dp=1,mbs=4,schedule=1f1b"
    plan = tmp_path / "plan"
    run_tool("shardsmith", "plan", model, "--cluster", "8xh100", "--fix", choices, "-o", plan)
    document = json.loads((plan / "plan.json").read_text())
    document["strategy"]["schedule"] = "sequential"
    (plan / "plan.json").write_text(json.dumps(document))
    assert take(blocks, tmp_path, run_changed(program)) == 2

    # The checker, the planner's price and the schedule played agree.
    checked = subprocess.run([program, "check", plan], text=True, capture_output=True).stdout
    step = int(re.findall(r"/prediction/step_ns: .* recomputed (\d+)\n", checked)[-1])
    assert "/prediction/ranks/0/in_flight: claimed 2, recomputed 1" in checked
    assert f"step {step / 1e6:.2f} ms" in run_changed(program)(["shardsmith", "explain", plan], plan)
    played = run_changed(program)(["shardsmith", "simulate", plan], plan)
    simulated = float(re.match(r"step +([\d.]+) ms simulated", played)[1])
    assert simulated == pytest.approx(step / 1e6, rel=0.03)
    # The tool without the changes knows no such family.
    refused = subprocess.run(
        [tool("shardsmith"), "check", plan], text=True, capture_output=True
    )
    assert refused.returncode == 3 and "'sequential' is none of" in refused.stderr


# 3. A Hugging Face architecture.


def test_an_architecture_is_imported_and_planned(tmp_path):
    _, blocks = walk(3)
    files = apply(blocks, tmp_path)
    like = "lib/Import/HuggingFace/Architectures.cpp"
    sources = [file for name, file in files.items() if name.endswith(".cpp")]
    assert len(files) == 4 and len(sources) == 2
    objects = [compile_changed(file, like, tmp_path) for file in sources]
    program = link_with(objects, "bin/shardsmith", tmp_path / "shardsmith")
    (config,) = [block.text for block in blocks if block.language == "json"]
    (tmp_path / "starcoder2.json").write_text(config)

    assert take(blocks, tmp_path, run_changed(program)) == 2
    done = subprocess.run(
        [tool("shardsmith"), "import", tmp_path / "starcoder2.json"], text=True, capture_output=True
    )
    assert done.returncode == 3 and "architecture 'starcoder2' is not known" in done.stderr


def test_new_sources_are_in_the_build(tmp_path):
    _, blocks = walk(3)
    files = apply(blocks, tmp_path)
    listed = files["lib/Import/CMakeLists.txt"].read_text()
    for name in files:
        if name.endswith(".cpp"):
            assert f"  {name.removeprefix('lib/Import/')}\n" in listed


# 4. A parallel axis.


def test_files_that_know_an_axis_are_counted():
    text, blocks = walk(4)
    searches = [shlex.split(block.text) for block in blocks if block.language == "sh"]
    found, chosen = (files_with(words[2], *words[3:]) for words in searches)
    counts = collections.Counter(
        re.sub(r"^(lib|include/shardsmith)/", "", name).split("/")[0] for name in found
    )
    assert counts == {folder: int(count) for folder, count, _ in rows(text)}
    touched = len(found) - counts["Emit"]
    assert f"a further axis touches {touched} files, {counts['Check']} of them" in text
    assert touched <= 25
    figures = (ROOT / "docs/code-figures.md").read_text()
    row = next(line for line in figures.splitlines() if line.startswith("| a parallel axis"))
    assert f"| {touched}, of which {counts['Check']} are" in row
    assert f"in {counts['Emit']} more of `Emit`" in row
    assert f"in {len(chosen - found)} others" in row


def test_folders_are_in_the_order_of_the_architecture():
    order = [cells[0] for cells in rows((ROOT / "docs/architecture.md").read_text())]
    folders = [cells[0] for cells in rows(walk(4)[0])]
    positions = [
        next(i for i, row in enumerate(order) if row == folder or row.startswith(folder + "/"))
        for folder in folders
    ]
    assert positions == sorted(positions)


# 5. A heavy op.


def test_every_place_of_a_heavy_op_is_on_the_walk():
    text, blocks = walk(5)
    pattern = re.search(r"grep -rlE '([^']+)' lib include", text)[1]
    places = {cells[0] for cells in rows(text)}
    users = files_with(pattern, "lib/Import", "lib/Train")
    assert places == files_with(pattern, "lib", "include") - users
    assert len(places) <= 8
    for block in blocks:
        if block.place:
            assert occurs(block, (ROOT / block.place[0]).read_text()), block.above


def test_a_heavy_op_is_a_descriptor_to_planners(tmp_path):
    assert not files_with("OpKind", "lib", "include", "tools")
    assert take(walk(5)[1], tmp_path, run_built) == 1
