# SPDX-License-Identifier: Apache-2.0
"""Models that are no chain of equal layers are planned in bounded memory.

They have more layouts than any memory holds. Each must be planned to the end
of the search, within its own limit of a gigabyte and two gigabytes of address
space, which libraries and what was freed count to as well, with the gap that is
left, and no worse than by data parallelism alone.
"""

import json
import subprocess
import sys

import pytest
from tools import ROOT, tool

pytest.importorskip("jax")
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "test/models")]

import architectures  # noqa: E402

GIB = 1 << 30


def within(address_space, *arguments):
    """Runs the tool; the limit is on what it maps, which is more than it uses."""
    # A shell sets it: JAX has threads, which do not go well with a fork.
    limited = f'ulimit -v {address_space // 1024}; exec "$@"'
    command = ["bash", "-c", limited, "bash", tool("shardsmith"), *arguments]
    return subprocess.run([*map(str, command)], capture_output=True, text=True)


def search_of(model, cluster, *options):
    done = within(
        2 * GIB, "plan", model, "--cluster", cluster, "--threads", 2,
        "--time-limit", 0, "--json", *options,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["search"]


@pytest.fixture(scope="module")
def model(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / f"{request.param}.mlir"
    architectures.export(request.param, path)
    return path


@pytest.mark.parametrize("model", architectures.ARCHITECTURES, indirect=True, scope="module")
@pytest.mark.parametrize("cluster", ["8xh100", "64xh100"])
def test_plans_within_a_gigabyte(model, cluster):
    search = search_of(model, cluster)
    cost, bound = search["cost"], search["bound"]
    assert 0 < bound <= cost
    assert (search["proof"] == "exact") <= (bound == cost)
    alone = search_of(model, cluster, "--fix", "tensor=1,context=1,expert=1,pipeline=1")
    assert cost <= alone["cost"]


def test_is_the_same_with_any_number_of_threads(tmp_path):
    path = tmp_path / "model.mlir"
    architectures.export("resnet18-group", path)
    texts = {
        within(
            2 * GIB, "plan", path, "--cluster", "64xh100", "--threads", threads,
            "--time-limit", 0, "--json",
        ).stdout
        for threads in (1, 3)
    }  # fmt: skip
    assert len(texts) == 1 and texts != {""}


@pytest.fixture(scope="module")
def deep_model(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "model.mlir"
    architectures.export("resnet152-batch", path)
    return path


@pytest.mark.parametrize(
    "command, options",
    [
        ("plan", ["--cluster", "8xh100"]),
        ("fit", ["--cluster", "8xh100"]),
        ("compile", ["--cluster", "cpu:2"]),
        ("inspect", []),
    ],
)
def test_a_limit_of_memory_that_is_too_small_is_reported(command, options, deep_model, tmp_path):
    if command in ("plan", "compile"):
        options = [*options, "-o", tmp_path / "out"]
    done = within(2 * GIB, command, deep_model, *options, "--max-memory", "0.01")
    assert done.returncode == 124
    assert "--max-memory" in done.stderr
    assert not list(tmp_path.iterdir())
