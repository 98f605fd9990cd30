# SPDX-License-Identifier: Apache-2.0
"""`doctor --measure`: what it writes is what `--cluster cpu:N` reads, its
figures are those of a machine, and files that are broken or of another machine
are not believed.

Figures are compared with what no machine is beyond, not with each other: how
fast this one is right now is nobody's promise.
"""

import json
import os
import subprocess

import pytest
from tools import ROOT, tool

MODEL = ROOT / "test/models/gpt2-tiny.mlir"
RANKS = (1, 2)
# Beyond these no processor is, nor any memory: per second, and seconds.
FLOPS = (1e6, 1e15)
BYTES = (1e6, 1e14)
SECONDS = (1e-9, 10)


def shardsmith(*arguments, machine=None):
    environment = os.environ | ({} if machine is None else {"SHARDSMITH_MACHINE": str(machine)})
    return subprocess.run(
        [tool("shardsmith"), *map(str, arguments)],
        text=True, capture_output=True, env=environment,
    )  # fmt: skip


def output(*arguments, machine=None):
    done = shardsmith(*arguments, machine=machine)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    """A folder with what was measured."""
    folder = tmp_path_factory.mktemp("machine")
    report = json.loads(
        output("doctor", "--measure", "--ranks", ",".join(map(str, RANKS)), "-o", folder, "--json")
    )
    assert [each["subject"] for each in report] == [f"cpu:{ranks}" for ranks in RANKS]
    assert sorted(path.name for path in folder.iterdir()) == [f"cpu-{n}.json" for n in RANKS]
    return folder


def described(machine, ranks):
    return json.loads((machine / f"cpu-{ranks}.json").read_text())


def is_within(value, limits):
    return limits[0] < value < limits[1]


@pytest.mark.parametrize("ranks", RANKS)
def test_figures_are_those_of_a_machine(machine, ranks):
    cluster = described(machine, ranks)
    assert cluster["provenance"] == "measured"
    core = cluster["device_types"]["core"]
    for kind in ("f32", "bf16", "f64"):
        assert is_within(core["peak_tflops"][kind] * 1e12, FLOPS), kind
    assert is_within(core["memory_bandwidth_gb_per_s"] * 1e9, BYTES)
    assert is_within(core["kernel_launch_us"] * 1e-6, SECONDS)
    links = cluster.get("link_types", {})
    assert len(links) == (ranks > 1)
    for link in links.values():
        assert is_within(link["bandwidth_gb_per_s"] * 1e9, BYTES)
        assert is_within(link["latency_us"] * 1e-6, SECONDS)
        fits = link["collective_fits"]
        assert {fit["collective"] for fit in fits} == {
            "all_reduce", "all_gather", "reduce_scatter", "all_to_all"}  # fmt: skip
        for fit in fits:
            assert fit["members"] == ranks
            assert is_within(fit["gb_per_s"] * 1e9, BYTES), fit
            assert is_within(fit["latency_us"] * 1e-6, SECONDS), fit


@pytest.mark.parametrize("ranks", RANKS)
def test_the_name_is_the_file(machine, ranks):
    by_name = json.loads(output("inspect", f"cpu:{ranks}", "--json", machine=machine))
    assert by_name == described(machine, ranks)
    # Of a number that was not measured, the machine's rates are shared.
    more = json.loads(output("inspect", f"cpu:{2 * RANKS[-1]}", "--json", machine=machine))
    assert more["provenance"] == "measured"
    half = described(machine, RANKS[-1])["device_types"]["core"]["peak_tflops"]["f32"] / 2
    assert more["device_types"]["core"]["peak_tflops"]["f32"] == pytest.approx(half)


def test_plans_are_priced_with_what_was_measured(machine, tmp_path):
    steps = {}
    for name, factor in ("as measured", 1), ("ten times slower", 0.1):
        folder = tmp_path / name
        folder.mkdir()
        cluster = described(machine, 2)
        core = cluster["device_types"]["core"]
        core["peak_tflops"] = {k: v * factor for k, v in core["peak_tflops"].items()}
        core["memory_bandwidth_gb_per_s"] *= factor
        (folder / "cpu-2.json").write_text(json.dumps(cluster))
        plan = json.loads(output(
            "plan", MODEL, "--cluster", "cpu:2", "--fix", "dp=2", "--json", machine=folder
        ))  # fmt: skip
        steps[name] = plan["prediction"]["step_ns"]
    assert steps["ten times slower"] > 2 * steps["as measured"]


def without(text, key):
    cluster = json.loads(text)
    del cluster["device_types"]["core"][key]
    return json.dumps(cluster)


def with_rate(text, rate):
    cluster = json.loads(text)
    peaks = cluster["device_types"]["core"]["peak_tflops"]
    cluster["device_types"]["core"]["peak_tflops"] = dict.fromkeys(peaks, rate)
    return json.dumps(cluster)


BROKEN = {
    "cut short": lambda text: text[: len(text) // 2],
    "empty": lambda text: "",
    "another kind of text": lambda text: "[]",
    "without a rate": lambda text: without(text, "memory_bandwidth_gb_per_s"),
    "rates of zero": lambda text: with_rate(text, 0),
    "a negative rate": lambda text: with_rate(text, -1),
    "a rate that is no number": lambda text: with_rate(text, "fast"),
}


@pytest.mark.parametrize("damage", BROKEN)
def test_broken_files_are_refused(damage, machine, tmp_path):
    file = tmp_path / "cpu-2.json"
    file.write_text(BROKEN[damage]((machine / "cpu-2.json").read_text()))
    done = shardsmith("plan", MODEL, "--cluster", "cpu:2", machine=tmp_path)
    assert done.returncode == 3, done.stderr
    assert str(file) in done.stderr
    assert done.stdout == ""
    # `doctor` says so, too.
    assert str(file) in output("doctor", machine=tmp_path)


def test_measuring_again_replaces_a_broken_file(tmp_path):
    (tmp_path / "cpu-1.json").write_text("{")
    output("doctor", "--measure", "--ranks", 1, "-o", tmp_path)
    assert json.loads(output("inspect", "cpu:1", "--json", machine=tmp_path)) == described(tmp_path, 1)


def test_a_file_for_other_ranks_is_refused(machine, tmp_path):
    (tmp_path / "cpu-2.json").write_text((machine / "cpu-1.json").read_text())
    done = shardsmith("inspect", "cpu:2", machine=tmp_path)
    assert done.returncode == 3
    assert "expected a description of 2 ranks" in done.stderr
    assert "doctor --measure" in done.stderr


def test_files_of_another_machine_do_not_count(machine, tmp_path):
    estimated = json.loads(output("inspect", "cpu:2", "--json", machine=""))
    assert estimated.get("provenance") != "measured"
    cluster = described(machine, 2)
    (group,) = cluster["groups"]
    group["node"]["host"]["cores"] += 1
    (tmp_path / "cpu-2.json").write_text(json.dumps(cluster))
    assert json.loads(output("inspect", "cpu:2", "--json", machine=tmp_path)) == estimated
    assert "estimated" in output("doctor", machine=tmp_path)


def test_a_folder_that_cannot_be_written_is_refused_before_anything_is_measured(tmp_path):
    (tmp_path / "file").write_text("")
    done = shardsmith("doctor", "--measure", "--ranks", 1, "-o", tmp_path / "file" / "folder")
    assert done.returncode == 6
    assert "cannot make folder" in done.stderr


@pytest.mark.parametrize("ranks", ["0", "257", "-1", "two"])
def test_numbers_of_ranks_that_make_no_sense_are_refused(ranks, tmp_path):
    done = shardsmith("doctor", "--measure", "--ranks", ranks, "-o", tmp_path)
    assert done.returncode == 2
    assert list(tmp_path.iterdir()) == []
