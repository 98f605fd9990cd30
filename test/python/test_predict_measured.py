# SPDX-License-Identifier: Apache-2.0
"""bench/predict_measured.py on tables it has never seen: odd rows, devices
that do not exist, columns that are missing."""

import csv
import subprocess
import sys

import pytest
from tools import ROOT, tool

sys.path.insert(0, str(ROOT / "bench"))
import measured_rows  # noqa: E402

GPT = {
    "row_id": "gpt", "gpu": "A100-SXM-80GB", "gpus_per_node": "8",
    "num_gpus": "16", "inter_GBps_per_node": "100", "model": "GPT",
    "layers": "8", "hidden": "2048", "heads": "16", "kv_heads": "16",
    "head_dim": "128", "ffn_hidden": "8192", "gated_mlp": "0",
    "vocab": "50257", "seq_len": "1024", "moe_experts": "0", "moe_topk": "0",
    "tp": "4", "sp": "0", "cp": "1", "pp": "2", "vpp": "1", "ep": "1",
    "dp": "2", "zero_stage": "1", "fsdp_shard_size": "", "micro_batch": "2",
    "global_batch": "32", "recompute": "full", "dtype": "fp16",
    "flash_attention": "0", "ddp_overlap": "0",
    "framework": "Megatron-LM", "date": "2021",
}
LLAMA = dict(GPT, row_id="llama", gpu="H100-SXM-80GB", gated_mlp="1",
             kv_heads="4", tp="2", sp="1", pp="1", dp="8", zero_stage="3",
             fsdp_shard_size="8", dtype="fp8", flash_attention="1",
             ddp_overlap="1", recompute="none", framework="torchtitan",
             date="2025-06")
EXPERTS = dict(LLAMA, row_id="experts", moe_experts="16", moe_topk="2",
               ffn_hidden="1024", ep="8", tp="1", dp="16", sp="0",
               zero_stage="1", dtype="bf16", framework="Megatron-Bridge 26.04",
               date="2026-04")


def write(path, rows, columns=None):
    columns = columns or list(GPT)
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore",
                                restval="")
        writer.writeheader()
        writer.writerows(rows)


def predict(folder, *options):
    """The table that comes out, and the finished process."""
    program = tool("shardsmith")
    command = [sys.executable, ROOT / "bench/predict_measured.py",
               folder / "measured.csv", "-o", folder / "out.csv", "--tool",
               program, *options]
    done = subprocess.run(command, capture_output=True, text=True)
    table = []
    if done.returncode == 0:
        with open(folder / "out.csv", newline="") as file:
            table = list(csv.DictReader(file))
    return {row["row_id"]: row for row in table}, done


def test_rows_of_all_kinds_get_predictions(tmp_path):
    write(tmp_path / "measured.csv", [GPT, LLAMA, EXPERTS])
    table, done = predict(tmp_path)
    assert done.returncode == 0, done.stderr
    assert list(table) == ["gpt", "llama", "experts"]
    for row in table.values():
        assert 0.001 < float(row["pred_step_time_s"]) < 60, row
        assert 1 < float(row["pred_memory_GB"]) < 80, row
        assert row["oom"] == "0", row


def test_what_cannot_be_predicted_is_empty_and_explained(tmp_path):
    odd = [
        dict(GPT, row_id="device", gpu="Quantum-9000"),
        dict(GPT, row_id="hidden", hidden=""),
        dict(GPT, row_id="words", layers="many"),
        dict(GPT, row_id="negative", tp="-8"),
        dict(GPT, row_id="fraction", layers="2.5"),
        dict(GPT, row_id="heads", heads="7", kv_heads="7", head_dim=""),
        dict(GPT, row_id="dtype", dtype="posit"),
        dict(GPT, row_id="stages", pp="64", tp="1", dp="1", num_gpus="64"),
        dict(GPT, row_id="huge", layers="99999999999"),
        dict(GPT, row_id="device-count", num_gpus=""),
        GPT,
    ]
    write(tmp_path / "measured.csv", odd)
    table, done = predict(tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(table) == len(odd)
    for name, row in table.items():
        if name == "gpt":
            assert row["pred_step_time_s"]
            continue
        assert row["pred_step_time_s"] == row["oom"] == "", row
        assert name in done.stderr, f"no reason for {name}: {done.stderr}"
    assert "Quantum-9000" in done.stderr


def test_a_plan_that_needs_far_more_memory_does_not_fit(tmp_path):
    large = dict(GPT, row_id="large", hidden="20480", heads="160",
                 kv_heads="160", ffn_hidden="81920", layers="96")
    write(tmp_path / "measured.csv", [large])
    table, done = predict(tmp_path)
    assert done.returncode == 0, done.stderr
    assert table["large"]["oom"] == "1", table


def test_missing_columns(tmp_path):
    write(tmp_path / "measured.csv", [GPT], ["row_id", "model"])
    _, done = predict(tmp_path)
    assert done.returncode != 0
    assert "no column gpu, num_gpus" in done.stderr


def test_optional_columns_may_be_missing(tmp_path):
    needed = ["row_id", "gpu", "num_gpus", "layers", "hidden", "heads",
              "seq_len", "global_batch"]
    write(tmp_path / "measured.csv", [GPT], needed)
    table, done = predict(tmp_path)
    assert done.returncode == 0, done.stderr
    assert float(table["gpt"]["pred_step_time_s"]) > 0
    # What such a plan keeps is anybody's guess.
    assert table["gpt"]["pred_memory_GB"] == table["gpt"]["oom"] == ""


@pytest.mark.parametrize("text", ["", "row_id,gpu,num_gpus\n", "\0\0\0"])
def test_empty_and_broken_files(tmp_path, text):
    (tmp_path / "measured.csv").write_text(text)
    table, done = predict(tmp_path)
    assert "Traceback" not in done.stderr
    assert table == {}


def test_an_unknown_profile_is_named(tmp_path):
    write(tmp_path / "measured.csv", [GPT])
    table, done = predict(tmp_path, "--profile", "no-such-stack")
    assert "Traceback" not in done.stderr
    assert "no-such-stack" in done.stderr
    assert not table.get("gpt", {}).get("pred_step_time_s")


def test_the_profile_follows_framework_device_type_and_date():
    profile = measured_rows.profile_of
    assert profile(GPT) == "megatron-2021-a100"
    assert profile(LLAMA) == "torchtitan-2025-h100"
    assert profile(EXPERTS) == "megatron-bridge-moe-2026"
    assert profile(dict(EXPERTS, date="2026-08")).endswith("moe-2026-06")
    deepspeed = dict(GPT, framework="Megatron-DeepSpeed", date="2022-02")
    assert profile(deepspeed) == "megatron-deepspeed-2022-a100"
    assert profile(dict(deepspeed, dtype="bf16")).endswith("-bf16")
    assert profile(dict(deepspeed, date="2023")).endswith("2023-a100")
    assert profile(dict(GPT, framework="Something new")) == "generic"
    assert profile(dict(GPT, framework="", date="")) == "generic"


def test_every_profile_of_the_table_is_built_in():
    names = {line[-1] for line in measured_rows.PROFILES}
    names |= {line[-1] for line in measured_rows.EXPERT_PROFILES}
    names.add(measured_rows.DEFAULT_PROFILE)
    for name in names:
        assert (ROOT / "profiles" / f"{name}.json").exists(), name


def test_the_number_of_devices_decides_where_degrees_contradict_it():
    plan = measured_rows.plan_of
    assert plan(GPT)["data"] == 2
    assert plan(dict(GPT, dp="4"))["data"] == 2
    assert plan(dict(GPT, num_gpus="32"))["data"] == 4
    # Nothing to correct it by.
    assert plan(dict(GPT, num_gpus="15"))["data"] == 2


def test_the_profile_follows_the_release_of_nemo():
    nemo = dict(GPT, framework="NeMo/Megatron MLPerf", gpu="H100-SXM-80GB")
    profile = measured_rows.profile_of
    assert profile(dict(nemo, date="2023-11")) == "nemo-2023-h100"
    assert profile(dict(nemo, date="2024-06")) == "nemo-2024-h100"


def test_torchtitan_keeps_products_and_copies_of_logits():
    for row, keeps in ((LLAMA, True), (GPT, False)):
        row = dict(row, recompute="selective")
        settings = measured_rows.settings_of(row)
        assert settings["kernels.selective_keeps_products"] == keeps
        assert measured_rows.plan_of(row)["recompute"] == "selective"
        assert ("memory.split_loss_bytes_per_logit" in settings) == keeps


def test_only_mx_formats_have_block_scales():
    for kind, scales in (("mxfp8", True), ("fp8", False), ("bf16", False)):
        settings = measured_rows.settings_of(dict(GPT, dtype=kind))
        assert settings["kernels.block_scales"] == scales


def test_recomputation_stops_early_where_the_framework_does():
    def stops(**changes):
        settings = measured_rows.settings_of(dict(LLAMA, **changes))
        return settings["kernels.recompute_stops_early"]

    assert stops()
    assert stops(framework="MaxText", gpu="TPU v5e")
    assert stops(framework="composer+FSDP")
    assert not stops(framework="composer+FSDP", gpu="A100-SXM-80GB")
    assert not stops(framework="Megatron-LM")
    assert not stops(framework="")
