# SPDX-License-Identifier: Apache-2.0
"""The page that `shardsmith report` draws, read back and held against what the
other commands print."""

import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as tree

import pytest
from tools import run_tool, tool

HOSTILE = '<script>alert("x")</script> & 2'


def page(*arguments):
    text = run_tool("shardsmith", "report", *arguments, "-o", "-")
    assert text.startswith("<!DOCTYPE html>\n")
    return text, tree.fromstring(text.removeprefix("<!DOCTYPE html>\n"))


def sections(root):
    """Content of each section by its title; of several plans the last one's."""
    return {each.find("h3").text: each for each in root.iter("section")}


def with_class(element, name):
    return [each for each in element.iter() if each.get("class") == name]


def titles(element):
    return [each.text for each in element.iter("title")]


@pytest.fixture(scope="module")
def plans(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plans")
    cluster = json.loads(run_tool("shardsmith", "inspect", "16xh100", "--json"))
    cluster["name"] = HOSTILE
    (folder / "cluster.json").write_text(json.dumps(cluster))
    common = ["gpt2-124m", "--cluster", folder / "cluster.json", "--seq", 256, "--global-batch", 64]
    run_tool("shardsmith", "plan", *common, "--fix", "pp=4,tp=2,mbs=4,schedule=1f1b", "-o", folder / "pipeline")
    run_tool("shardsmith", "plan", *common, "-o", folder / "free")
    return folder


@pytest.fixture(scope="module")
def pipeline(plans):
    return page(plans / "pipeline")


def test_page_needs_no_other_file_and_no_script(pipeline):
    text, root = pipeline
    assert not re.search(r"https?:|url\(|@import|javascript:", text)
    tags = {each.tag for each in root.iter()}
    assert not tags & {"script", "link", "img", "iframe", "object"}
    assert all(each.get("src") is None and each.get("onload") is None for each in root.iter())
    style = root.find("head/style").text
    for media in ("prefers-color-scheme: dark", "@media print"):
        assert media in style
    # Every colour that is used is there, for both.
    used = {each.get("class") for each in root.iter("rect")} - {"node", "device"}
    for color in used:
        assert style.count(f"--{color}: #") == 2, color
    assert HOSTILE in root.find("head/title").text


def test_figures_are_those_of_the_other_commands(pipeline, plans):
    _, root = pipeline
    explained = run_tool("shardsmith", "explain", plans / "pipeline")
    step = re.search(r"^step (\S+ \S+),", explained, re.M).group(1)
    memory = re.search(r"fullest: (\S+ GiB) of (\S+ GiB) usable", explained)
    shown = [each.text for each in with_class(root, "figures")[0].iter("b")]
    assert shown[:3] == [step, memory.group(1), "16"]
    parts = sections(root)
    ranked = parts["Ranked plans"].findall(".//tbody/tr")
    assert ranked[0][2].text == step and ranked[0][5].text == " of ".join(memory.groups())
    # Parts of the step by name and time, as explain itemises them.
    lines = explained.split("\nstep ")[1].split("\nmemory")[0]
    itemised = re.findall(r"^  (\w[\w ]*?)  +(\S+ \S+) +\S+ %$", lines, re.M)
    assert len(itemised) > 4
    assert titles(ranked[0]) == [f"{name}: {time}" for name, time in itemised]
    for line in explained.splitlines():
        if line.startswith("proof:"):
            assert line in parts["Where this is from"].find("pre").text


def test_lengths_of_bars_are_shares(pipeline):
    _, root = pipeline
    parts = sections(root)
    rows = parts["Memory per rank"].findall(".//tbody/tr")
    assert len(rows) == 4
    gib = lambda text: float(text.split()[0]) * (1 if text.endswith("GiB") else 1 / 1024)  # noqa: E731
    full = max(max(gib(row[2].text), gib(row[3].text)) for row in rows)
    for row in rows:
        bars = list(row.iter("rect"))
        end = float(bars[-1].get("x")) + float(bars[-1].get("width"))
        assert end / 400 == pytest.approx(gib(row[2].text) / full, abs=0.004)
        (limit,) = row.iter("line")
        assert float(limit.get("x1")) == pytest.approx(min(400 * gib(row[3].text) / full, 399), abs=1)


def test_timeline_is_the_simulation(pipeline, plans):
    _, root = pipeline
    played = json.loads(run_tool("shardsmith", "simulate", plans / "pipeline", "--json"))
    trace = json.loads(run_tool("shardsmith", "simulate", plans / "pipeline", "--trace", "-"))
    rows = sections(root)["Time per rank"].findall(".//tbody/tr")
    assert len(rows) == len(played["ranks"]) == 4
    for row, rank in zip(rows, played["ranks"]):
        value, unit = row[2].text.split()
        assert float(value) * {"s": 1e9, "ms": 1e6, "us": 1e3}[unit] == pytest.approx(rank["busy_ns"], rel=1e-3)
    whole = next(each for each in sections(root)["Pipeline timeline"].iter("svg") if each.get("class") == "timeline")
    passes = [title for title in titles(whole) if re.match(r"\d+[FBIW]\d+,", title)]
    drawn = [
        event for event in trace["traceEvents"]
        if event["ph"] == "X" and re.fullmatch(r"\d+[FBIW]\d+", event["name"]) and event["dur"] > 0
    ]  # fmt: skip
    assert len(passes) == len(drawn) > 50


def test_mesh_shows_one_group_of_each_axis(pipeline):
    _, root = pipeline
    figures = sections(root)["Mesh on the cluster"].findall(".//figure")
    sizes = {name: int(size) for name, size in (each.find("figcaption/b").text.split() for each in figures)}
    assert sizes == {"tensor": 2, "data": 2, "pipeline": 4}
    stride = 1
    for figure, size in zip(figures, sizes.values()):
        members = [int(title.text.split()[1]) for rect in with_class(figure, "blue") for title in rect]
        assert members == [stride * i for i in range(size)]
        assert len(with_class(figure, "node")) == 2
        stride *= size


def test_parameters_and_their_splits(pipeline):
    _, root = pipeline
    rows = sections(root)["Parameters by layer"].findall(".//tbody/tr")
    split = [row for row in rows if with_class(row, "chip orange")]
    assert 0 < len(split) < len(rows)


def test_several_plans_and_questions(plans):
    text, root = page(plans / "free", plans / "pipeline", "--why-not", "zero=3", "--why-not", "zero=0")
    parts = sections(root)
    compared = parts["Plans side by side"].findall(".//tbody/tr")
    assert [row.find("td/a").get("href") for row in compared] == ["#plan1", "#plan2"]
    assert {each.get("id") for each in root.iter("h2")} == {"plan1", "plan2"}
    asked = parts["Sensitivity"].findall(".//tbody/tr")
    assert {row[0].text for row in asked} == {"zero=0", "zero=3"}
    answer = json.loads(run_tool("shardsmith", "explain", plans / "pipeline", "--why-not", "zero=3", "--json"))
    (row,) = [row for row in asked if row[0].text == "zero=3"]
    assert row[4].text == answer["strategy"] and row[5].text == answer["reason"]
    assert float(row[2].text.split()[0]) == pytest.approx(100 * answer["slower"], abs=0.06)


def test_all_questions_are_asked(plans):
    _, root = page(plans / "pipeline", "--sensitivity", "--time-limit", 1)
    asked = {row[0].text for row in sections(root)["Sensitivity"].findall(".//tbody/tr")}
    # What the plan was asked for is not asked again.
    assert {"zero=0", "zero=1", "zero=2", "zero=3"} & asked
    assert not {each for each in asked if each.startswith(("tp", "pp", "mbs"))}


def test_bad_input(plans, tmp_path):
    def outcome(*arguments):
        done = subprocess.run([tool("shardsmith"), "report", *arguments], text=True, capture_output=True)
        return done.returncode, done.stderr

    output = tmp_path / "page.html"
    code, said = outcome(tmp_path / "none", "-o", output)
    assert code == 3 and "none" in said and not output.exists()
    code, said = outcome(plans / "free", "--why-not", "zero=7", "-o", output)
    assert code == 2 and said.startswith("error: --why-not: ") and not output.exists()
    code, said = outcome(plans / "free", "-o", tmp_path)
    assert code == 6 and str(tmp_path) in said
    # A name that is no UTF-8 is shown all the same.
    odd = tmp_path.joinpath("plan\udcff")
    shutil.copytree(plans / "free", odd)
    assert "plan\ufffd" in page(odd)[0]
