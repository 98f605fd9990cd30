# SPDX-License-Identifier: Apache-2.0
"""The scripts that check the built-in constants against measurements."""

import pathlib
import random
import re
import subprocess
import sys

import pytest

pytest.importorskip("scipy")

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

from fitted_constants import read_table  # noqa: E402


def run(script, *arguments):
    return subprocess.run([sys.executable, BENCH / script, *map(str, arguments)],
                          capture_output=True, text=True)


def write_collectives(path, noise):
    """Measurements as the constants of an H100 node predict them."""
    lines = ["kind,hardware,collective,num_gpus,num_nodes,size_bytes,time_us,"
             "algorithm"]
    for device, collective, members, latency, rate, power in read_table(
            "collectiveFits"):
        if device != "h100":
            continue
        rounds = 2 if collective == "all_reduce" else 1
        for exponent in range(10, 31):
            size = 2**exponent
            transfer = rounds * (members - 1) / members * size / rate / 1e3
            time = (latency**power + transfer**power) ** (1 / power)
            lines.append(f"measured,H100-SXM node (aic) nccl,{collective},"
                         f"{members:.0f},1,{size},{time * noise()},")
    path.write_text("\n".join(lines) + "\n")


def test_tables_are_read():
    matmuls = read_table("matmulFits")
    assert {row[0] for row in matmuls} >= {"a100", "h100", "b200"}
    assert all(len(row) == 9 for row in matmuls)
    assert all(0 < row[2] <= 1 for row in matmuls)
    assert all(len(row) == 7 for row in read_table("attentionFits"))
    assert all(len(row) == 6 for row in read_table("collectiveFits"))


def test_exact_measurements_have_no_error(tmp_path):
    write_collectives(tmp_path / "table.csv", noise=lambda: 1)
    done = run("collective_fit.py", "--table", tmp_path / "table.csv")
    assert done.returncode == 0, done.stderr
    assert re.search(r"h100 +252 rows +median +0.0 % +mean +0.0 %", done.stdout)


def test_fit_finds_the_constants_again(tmp_path):
    seed = random.randrange(2**32)
    print("seed", seed)
    generator = random.Random(seed)
    write_collectives(tmp_path / "table.csv",
                      noise=lambda: generator.uniform(0.99, 1.01))
    done = run("collective_fit.py", "--table", tmp_path / "table.csv", "--fit")
    assert done.returncode == 0, done.stderr
    found = {(collective, int(members)): float(rate) for collective, members, rate
             in re.findall(r'"h100", "(\w+)", (\d+), [\d.]+, ([\d.]+),',
                           done.stdout)}
    expected = {(row[1], int(row[2])): row[4]
                for row in read_table("collectiveFits") if row[0] == "h100"}
    assert found.keys() == expected.keys()
    for key, rate in expected.items():
        assert found[key] == pytest.approx(rate, rel=0.05), key


@pytest.mark.parametrize("script, option", [("collective_fit.py", "--table"),
                                            ("kernel_fit.py", "--tables")])
def test_absent_tables_are_named(script, option, tmp_path):
    done = run(script, option, tmp_path / "nowhere")
    assert done.returncode == 1
    assert "nowhere" in done.stderr and "SHARDSMITH_" in done.stderr
