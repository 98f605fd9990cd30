# SPDX-License-Identifier: Apache-2.0
"""The scripts that check the built-in constants against measurements."""

import pathlib
import random
import re
import subprocess
import sys

import pytest
from seeds import random_seed

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
    seed = random_seed()
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


def test_requests_that_start_from_one_another_stay_together():
    import fit_profiles

    def request(name, start, rows):
        return {"name": name, "start": start, "rows": ["r"] * rows}

    requests = [request("a", "defaults", 9), request("b", "defaults", 4),
                request("a1", "a", 3), request("c", "defaults", 7),
                request("b1", "b", 1), request("a2", "a1", 2)]
    parts = fit_profiles.independent_parts(requests, 2)
    names = [[each["name"] for each in part] for part in parts]
    assert sorted(names) == [["a", "a1", "a2"], ["c", "b", "b1"]]
    assert sum(map(len, fit_profiles.independent_parts(requests, 9))) == 6


def test_a_scaled_profile_takes_as_many_times_as_long():
    import fit_profiles

    profile = {"kernels": {"matmul_rate": 0.8, "attention_forward_rate": 0.9,
                           "low_precision_matmul_rate": 1, "layer_forward_us": 300,
                           "four_bit_matmul_rate": 1, "expert_layer_us": 0,
                           "attention_backward_rate": 0.6,
                           "unfused_attention_rate": 0.4,
                           "unfused_attention_passes": 2.5,
                           "elementwise_traffic": 1.2},
               "communication": {"collective_rate": 1, "zero_us_per_rank": 2,
                                 "data_exposure": 0.4},
               "step": {"fixed_ms": 1, "optimizer_bytes_per_parameter": 30}}
    slower = fit_profiles.scaled(profile, 1.25)
    assert slower["kernels"]["matmul_rate"] == pytest.approx(0.64)
    assert slower["kernels"]["layer_forward_us"] == pytest.approx(375)
    assert slower["communication"]["collective_rate"] == pytest.approx(0.8)
    assert slower["communication"]["data_exposure"] == 0.4
    assert profile["kernels"]["matmul_rate"] == 0.8


def test_a_source_never_centres_itself():
    import fit_profiles

    bias = {"fast": -0.3, "a": -0.1, "b": 0.0, "c": 0.2}
    assert fit_profiles.centre(bias, "c") == pytest.approx(2.718281828 ** 0.1)
    # Whatever its own bias is.
    assert (fit_profiles.centre(dict(bias, c=9.0), "c")
            == fit_profiles.centre(bias, "c"))
    assert fit_profiles.centre({"alone": 0.5}, "alone") == 1


def test_the_range_holds_four_rows_of_five():
    import fit_profiles

    errors = [-0.5, 0.01, 0.02, -0.03, 0.04, 0.05, -0.06, 0.07, 0.08, 0.4]
    assert fit_profiles.range_for(errors) == 0.08
