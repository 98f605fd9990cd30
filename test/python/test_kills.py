# SPDX-License-Identifier: Apache-2.0
"""Processes that are killed at random moments leave nothing that is half done.

SHARDSMITH_KILLS is how often each test kills; a few times unless it is given.
"""

import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest
from notes import note
from seeds import random_seed
from tools import tool, wait_until_handled
from training import shardsmith

KILLS = int(os.environ.get("SHARDSMITH_KILLS", 0))
MESHES = ["data", "tensor"]
BUILT = ["annotated.mlir", "plan.json", "program", "train-step.mlir"]

MODEL = """
func.func public @main(
    %w: tensor<16x8xf32> {smith.role = "param", smith.name = "w"},
    %x: tensor<8x16xf32> {smith.role = "batch", smith.name = "x"})
    -> (tensor<f32> {smith.role = "loss"}) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.multiply %0, %0 : tensor<8x8xf32>
  %2 = stablehlo.constant dense<0.0> : tensor<f32>
  %3 = stablehlo.reduce(%1 init: %2) applies stablehlo.add across dimensions = [0, 1]
    : (tensor<8x8xf32>, tensor<f32>) -> tensor<f32>
  return %3 : tensor<f32>
}
"""


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.mlir"
    path.write_text(MODEL)
    return path


def compiling(model, mesh, folder):
    question = ["--cluster", "cpu:2", "--fix", f"{mesh}=2", "-o", folder]
    return [tool("shardsmith"), "compile", model, *question]


def mesh_of(plan_file):
    plan = json.loads(plan_file.read_text())
    return plan["layouts"]["train_step"]["mesh"][0]["name"]


def kill_at(moment, command):
    """How long the process ran, and whether it did until it was killed."""
    start = time.monotonic()
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    moment(process)
    process.kill()
    was_killed = process.wait() == -signal.SIGKILL
    return time.monotonic() - start, was_killed


def after(seconds):
    """A moment that long after the start."""

    def wait(process):
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            pass

    return wait


def while_files_move(folder, seconds, made="program"):
    """A moment shortly after a file is made, beside the old one."""

    def wait(process):
        while process.poll() is None:
            if any(folder.glob(f".shardsmith-making-*/{made}")):
                return after(seconds)(process)
            time.sleep(0.0005)

    return wait


def visible(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_killed_compile_leaves_a_whole_build(model, tmp_path):
    chance = random.Random(random_seed())
    folder = tmp_path / "out"
    mesh_of_hash = {}
    start = time.monotonic()
    for mesh in MESHES:
        subprocess.run(compiling(model, mesh, folder), check=True, capture_output=True)
        out, _ = shardsmith("run", folder, "--steps", 1, "--json", "--quiet")
        mesh_of_hash[json.loads(out)["plan_hash"]] = mesh
    assert sorted(mesh_of_hash.values()) == MESHES
    longest = (time.monotonic() - start) / 2
    (folder / "mine").write_text("kept")

    wanted = KILLS or 6
    killed = changed = turn = 0
    while killed < wanted and turn < 10 * wanted:
        turn += 1
        before = mesh_of(folder / "plan.json")
        mesh = MESHES[before == MESHES[0]]
        moment = after(chance.uniform(0, longest))
        if turn % 3 == 0:
            moment = while_files_move(folder, chance.uniform(0, 0.1))
        ran, was_killed = kill_at(moment, compiling(model, mesh, folder))
        killed += was_killed
        if not was_killed:
            longest = min(longest, ran)
        out, _ = shardsmith("run", folder, "--steps", 1, "--json", "--quiet")
        now = mesh_of(folder / "plan.json")
        assert mesh_of_hash[json.loads(out)["plan_hash"]] == now
        assert now == mesh or (was_killed and now == before)
        changed += was_killed and now == mesh
    note(f"compile: killed {killed} times, {changed} of them with its build in place")

    subprocess.run(compiling(model, "data", folder), check=True, capture_output=True)
    # A linker whose compile was killed may have gone on for a moment.
    subprocess.run(compiling(model, "data", folder), check=True, capture_output=True)
    assert visible(folder) == sorted([*BUILT, "mine"])


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_a_killed_plan_leaves_the_files_of_one_plan(model, tmp_path):
    chance = random.Random(random_seed())
    folder = tmp_path / "out"
    # The one has a train step, the other a cluster.
    clusters = ["cpu:2", "2xh100"]

    def planning(cluster, output):
        question = ["--cluster", cluster, "--threads", "1", "-o", output]
        return [tool("shardsmith"), "plan", model, *question]

    whole = {}
    longest = 0.0
    for cluster in clusters:
        start = time.monotonic()
        subprocess.run(planning(cluster, folder), check=True, capture_output=True)
        longest = max(longest, time.monotonic() - start)
        whole[cluster] = contents(folder)
    assert "train-step.mlir" in whole["cpu:2"] and "cluster.json" not in whole["cpu:2"]
    assert "cluster.json" in whole["2xh100"] and "train-step.mlir" not in whole["2xh100"]

    wanted = KILLS or 6
    killed = changed = turn = 0
    while killed < wanted and turn < 10 * wanted:
        turn += 1
        before = clusters[contents(folder) == whole[clusters[1]]]
        cluster = clusters[before == clusters[0]]
        moment = after(chance.uniform(0, longest))
        if turn % 2 == 0:
            moment = while_files_move(folder, chance.uniform(0, 0.02), "plan.json")
        ran, was_killed = kill_at(moment, planning(cluster, folder))
        killed += was_killed
        if not was_killed:
            longest = min(longest, ran)
        # Whoever reads the folder moves what was made.
        shardsmith("inspect", folder)
        now = contents(folder)
        assert now == whole[cluster] or (was_killed and now == whole[before])
        changed += was_killed and now == whole[cluster]
    note(f"plan: killed {killed} times, {changed} of them with its files in place")


def test_signals_end_a_compile_with_a_whole_build(model, tmp_path):
    chance = random.Random(random_seed())
    folder = tmp_path / "out"
    start = time.monotonic()
    subprocess.run(compiling(model, "data", folder), check=True, capture_output=True)
    longest = time.monotonic() - start
    wanted = KILLS or 6
    early = turn = 0
    while early < wanted and turn < 10 * wanted:
        turn += 1
        ending = chance.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
        mesh = MESHES[turn % 2]
        process = subprocess.Popen(
            compiling(model, mesh, folder), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        wait_until_handled(process.pid, ending)
        start = time.monotonic()
        after(chance.uniform(0, longest))(process)
        process.send_signal(ending)
        _, err = process.communicate(timeout=60)
        assert process.returncode in (0, 124), err
        early += process.returncode == 124
        if process.returncode == 0:
            longest = min(longest, time.monotonic() - start)
        shardsmith("run", folder, "--steps", 1, "--json", "--quiet")
    note(f"compile: {early} signals ended it early")
    subprocess.run(compiling(model, "data", folder), check=True, capture_output=True)
    assert visible(folder) == BUILT


def processes_of(program):
    """Ids of the processes that run a program."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(process / "exe") == str(program):
                found.append(int(process.name))
        except OSError:
            pass  # it has ended, or is about to
    return found


def shared_memory():
    return {path.name for path in Path("/dev/shm").glob("shardsmith-*")}


def left_in_shared_memory(before):
    """What stays there. Ranks of other tests, too, have a name there until all of
    them have found each other."""
    end = time.monotonic() + 60
    left = shared_memory() - before
    while left and time.monotonic() < end:
        time.sleep(0.01)
        left &= shared_memory()
    return left


def wait_until_gone(program):
    end = time.monotonic() + 60
    while processes_of(program):
        assert time.monotonic() < end, "orphans: " + str(processes_of(program))
        time.sleep(0.01)


def test_killed_ranks_and_launchers_leave_nothing_and_runs_resume(model, tmp_path):
    chance = random.Random(random_seed())
    steps, every = 300, 25
    out = tmp_path / "out"
    subprocess.run(compiling(model, "data", out), check=True, capture_output=True)
    program = (out / "program").resolve()
    options = ["--steps", str(steps), "--checkpoint-every", str(every), "--quiet"]

    def training(folder, *more):
        return ["run", out, *options, "--checkpoint-dir", folder, *more]

    start = time.monotonic()
    shardsmith(*training(tmp_path / "whole"))
    longest = time.monotonic() - start
    last = f"step-{steps:08}.safetensors"
    expected = (tmp_path / "whole" / last).read_bytes()
    before = shared_memory()

    killed = {"rank": 0, "launcher": 0}
    for turn in range(KILLS or 4):
        folder = tmp_path / f"run{turn}"
        process = subprocess.Popen(
            [tool("shardsmith"), *training(folder)], stderr=subprocess.DEVNULL
        )
        time.sleep(chance.uniform(0, longest))
        ranks = [p for p in processes_of(program) if p != process.pid]
        victim = "rank" if ranks and chance.random() < 0.5 else "launcher"
        try:
            os.kill(chance.choice(ranks) if victim == "rank" else process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # it has just ended
        killed[victim] += process.wait(timeout=60) != 0
        wait_until_gone(program)

        has_checkpoint = any(folder.glob("*.safetensors"))
        shardsmith(*training(folder, *["--resume"] * has_checkpoint))
        assert (folder / last).read_bytes() == expected
        assert all(name.endswith(".safetensors") for name in visible(folder))
        assert not left_in_shared_memory(before)
    note(f"run: killed {killed['rank']} ranks and {killed['launcher']} launchers")
