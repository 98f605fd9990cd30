# SPDX-License-Identifier: Apache-2.0
"""Algorithms that `emit --to msccl` writes, run by an interpreter of their format
on random numbers: ranks end up with what the collective says, whatever the
order of thread blocks, and no more chunks leave a node than levels need."""

import json
import random
import subprocess

import pytest
from msccl_interpreter import Algorithm
from seeds import random_seed
from training import shardsmith

SEED = random_seed() % 2**31
LANES = 4
BY_LEVELS = {"algorithms": ["hierarchical"]}


def cluster_of(nodes, devices, islands=None):
    """Nodes in which collectives are only done level by level."""
    fabric = {"topology": "switch", "link": "nvlink"}
    if islands:
        fabric["islands"] = islands
    return {
        "version": 1,
        "name": "by levels",
        "device_types": {
            "gpu": {
                "kind": "gpu", "arch": "sm_90", "memory_gib": 80,
                "memory_bandwidth_gb_per_s": 3350, "peak_tflops": {"bf16": 989, "f32": 67},
            }
        },
        "link_types": {
            "nvlink": {"bandwidth_gb_per_s": 450, "latency_us": 0.9},
            "nic": {"bandwidth_gb_per_s": 50, "latency_us": 4},
        },
        "groups": [
            {
                "name": "all",
                "node": {
                    "count": nodes,
                    "devices": [{"type": "gpu", "count": devices}],
                    "fabric": fabric,
                    "nics": {"link": "nic", "count": 1},
                    "host": {"memory_gib": 512, "cores": 64, "pcie_gb_per_s": 32},
                },
                "network": {"topology": "fat-tree", "link": "nic"},
            }
        ],
        "collectives": {
            name: BY_LEVELS for name in ("all_reduce", "all_gather", "reduce_scatter")
        },
    }  # fmt: skip


def emit(folder, cluster, zero):
    """The files of a plan of data ranks alone, by name, and their folder."""
    split = "fsdp" if zero else "zero=0,dp"
    path = folder / "cluster.json"
    path.write_text(json.dumps(cluster))
    node = cluster["groups"][0]["node"]
    ranks = node["count"] * node["devices"][0]["count"]
    plan, out = folder / "plan", folder / "out"
    shardsmith(
        "plan", "gpt2-124m", "--cluster", path, "--global-batch", 4 * ranks,
        "--fix", f"tp=1,cp=1,pp=1,mbs=1,{split}={ranks}", "-o", plan,
    )  # fmt: skip
    shardsmith("emit", plan, "--to", "msccl", "-o", out)
    return {path.name: path for path in sorted(out.glob("*.xml"))}, out


def placed(algorithm, ranks, values):
    """Inputs of all ranks where the algorithm expects them, and where each of them
    has its result."""
    part = algorithm.chunks // ranks
    kind, in_place = algorithm.collective, algorithm.is_in_place
    if kind == "allgather":
        place = lambda rank: ("o", rank * part) if in_place else ("i", 0)
        given = [{place(rank): values[rank][:part]} for rank in range(ranks)]
        return given, lambda rank: ("o", 0)
    given = [{("i", 0): values[rank]} for rank in range(ranks)]
    if kind == "allreduce":
        return given, lambda rank: ("i" if in_place else "o", 0)
    return given, lambda rank: ("i", rank * part) if in_place else ("o", 0)


def expected(algorithm, ranks, values, rank):
    part = algorithm.chunks // ranks
    if algorithm.collective == "allgather":
        return [value for each in values for value in each[:part]]
    sums = [sum(column) for column in zip(*values, strict=True)]
    if algorithm.collective == "allreduce":
        return sums
    return sums[rank * part : (rank + 1) * part]


def check(algorithm, nodes, devices, seed):
    ranks = nodes * devices
    algorithm.check()
    rng = random.Random(seed)
    values = [[rng.randrange(1000) for _ in range(algorithm.chunks)] for _ in range(ranks)]
    given, result = placed(algorithm, ranks, values)
    memory, travelled = algorithm.run(given, seed)
    for rank, buffers in enumerate(memory):
        buffer, first = result(rank)
        wanted = expected(algorithm, ranks, values, rank)
        assert buffers[buffer][first : first + len(wanted)] == wanted, rank
        if not algorithm.is_in_place:
            (place, kept), = given[rank].items()
            assert buffers[place[0]][place[1] : place[1] + len(kept)] == kept, "input changed"
    # What has to leave a node: of each of its parts as much as a ring of nodes
    # passes on.
    across = sum(
        count for (a, b), count in travelled.items() if a // devices != b // devices
    )
    times = 2 if algorithm.collective == "allreduce" else 1
    assert across == times * (nodes - 1) * algorithm.chunks


@pytest.mark.parametrize("nodes, devices", [(2, 2), (2, 3), (3, 4), (4, 2), (5, 8)])
@pytest.mark.parametrize("zero", [0, 3])
def test_ranks_have_what_the_collective_says(nodes, devices, zero, tmp_path):
    files, _ = emit(tmp_path, cluster_of(nodes, devices), zero)
    names = {0: ["all_reduce"], 3: ["all_gather", "reduce_scatter"]}[zero]
    ways = ["-in-place", ""] if zero else ["-in-place"]
    assert set(files) == {
        f"{name}-{devices}x{nodes}{way}.xml" for name in names for way in ways
    }
    for algorithm in map(Algorithm, files.values()):
        assert len(algorithm.ranks) == nodes * devices
        assert algorithm.chunks == LANES * nodes * devices
        for order in range(3):
            check(algorithm, nodes, devices, SEED + order)


@pytest.mark.parametrize("zero", [0, 3])
def test_three_levels(zero, tmp_path):
    """Islands of two devices in nodes of four."""
    files, _ = emit(tmp_path, cluster_of(3, 4, islands=[2, 2]), zero)
    assert all("-2x2x3" in name for name in files)
    for algorithm in map(Algorithm, files.values()):
        check(algorithm, 3, 4, SEED)


def test_long_rings_have_several_thread_blocks(tmp_path):
    """Of 8 devices on 32 nodes a ring inside passes on 32 parts 8 times."""
    files, _ = emit(tmp_path, cluster_of(32, 8), 3)
    algorithm = Algorithm(files["all_gather-8x32.xml"])
    assert len(algorithm.ranks[0]) > 2 * LANES
    check(algorithm, 32, 8, SEED)


def test_the_script_names_all_files(tmp_path):
    files, out = emit(tmp_path, cluster_of(2, 2), 3)
    done = subprocess.run(
        ["sh", out / "msccl.sh", "sh", "-c", 'echo "$MSCCL_XML_FILES $NCCL_ALGO"'],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    named, choice = done.stdout.split()
    assert named.split(":") == [str(out / name) for name in files]
    assert choice == "MSCCL,RING,TREE"


def test_a_wrong_algorithm_is_seen(tmp_path):
    """The judge judges: a step less, or one that goes to another place."""
    files, _ = emit(tmp_path, cluster_of(2, 3), 3)
    for damage in (lambda steps: steps.pop(), lambda steps: steps.reverse()):
        algorithm = Algorithm(files["all_gather-3x2.xml"])
        damage(algorithm.ranks[1][0].steps)
        with pytest.raises(AssertionError):
            check(algorithm, 2, 3, SEED)
