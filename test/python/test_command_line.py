# SPDX-License-Identifier: Apache-2.0
"""The command line: exit codes and messages on bad input, and what is left
behind."""

import json
import re
import shutil

import pytest
from training import MODELS, compile_model, shardsmith, train

TINY = MODELS / "gpt2-tiny.mlir"


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compiled")
    compile_model("gpt2-tiny", folder, 2, fix="data=2")
    return folder


def refused(code, *arguments):
    """What a command that must fail says on standard error."""
    out, err = shardsmith(*arguments, code=code)
    assert out == "" and err.count("error:") == 1, err
    return err


def edited(tmp_path, *changes):
    """The tiny model with some text replaced."""
    text = TINY.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path = tmp_path / "edited.mlir"
    path.write_text(text)
    return path


def test_truncated_file(tmp_path):
    path = tmp_path / "cut.mlir"
    path.write_text(TINY.read_text()[:5000])
    assert "truncated" in refused(3, "import", path)


def test_missing_file():
    assert "No such file" in refused(3, "import", "absent.mlir")


def test_unknown_op_names_the_op_and_its_line(tmp_path):
    path = edited(tmp_path, ("stablehlo.tanh", "stablehlo.tanhh"))
    err = refused(5, "import", path)
    assert "stablehlo.tanhh" in err and f"{path}:" in err


def test_type_mismatch(tmp_path):
    path = edited(tmp_path, ("tensor<40x120xf32>", "tensor<41x120xf32>"))
    assert f"{path}:" in refused(3, "import", path)


def test_wrong_roles(tmp_path):
    text = TINY.read_text().replace('smith.role = "param"', 'jax.note = ""')
    path = tmp_path / "roles.mlir"
    path.write_text(text)
    err = refused(3, "import", path, "--params", "0-99", "--batch", "28,29")
    assert "99" in err


def test_batch_that_does_not_divide():
    arguments = ["plan", TINY, "--cluster", "cpu:5", "--fix", "data=5"]
    err = refused(3, *arguments)
    assert "batch" in err and "24" in err


def test_contradictory_axes():
    arguments = ["plan", TINY, "--cluster", "cpu:4", "--fix"]
    refused(2, *arguments, "data=2,data=2")
    refused(2, *arguments, "data=0")


def test_mesh_of_another_size_than_the_cluster():
    arguments = ["plan", TINY, "--cluster", "cpu:4", "--fix", "data=3"]
    assert "4" in shardsmith(*arguments, code=2)[1]


def test_unknown_cluster_suggests_a_known_one():
    err = refused(3, "plan", TINY, "--cluster", "8xh1000")
    assert "8xh100" in err


def test_model_that_cannot_fit_says_what_is_short(tmp_path):
    cluster = {
        "version": 1,
        "name": "small",
        "device_types": {
            "cpu": {
                "kind": "cpu",
                "memory_gib": 1e-4,
                "memory_bandwidth_gb_per_s": 20,
                "peak_tflops": {"f32": 0.1},
            }
        },
        "groups": [
            {"name": "a", "node": {"devices": [{"type": "cpu", "count": 1}]}}
        ],
    }
    path = tmp_path / "small.json"
    path.write_text(json.dumps(cluster))
    assert "short" in refused(4, "plan", TINY, "--cluster", path)


def test_plan_for_another_model(compiled, tmp_path):
    plan = compiled / "plan.json"
    model = MODELS / "llama-tiny.mlir"
    err = refused(3, "compile", model, "--plan", plan, "-o", tmp_path / "out")
    assert json.loads(plan.read_text())["model"]["hash"] in err
    assert not (tmp_path / "out").exists()


def test_plan_for_another_cluster(compiled, tmp_path):
    arguments = ["--plan", compiled / "plan.json", "--cluster", "cpu:4"]
    err = refused(3, "compile", TINY, *arguments, "-o", tmp_path / "out")
    assert "cluster" in err


def test_damaged_plan(compiled, tmp_path):
    shutil.copytree(compiled, tmp_path / "copy")
    path = tmp_path / "copy" / "plan.json"
    path.write_text(path.read_text()[:200])
    assert "plan.json" in refused(3, "compile", tmp_path / "copy")


def test_more_ranks_than_the_plan_has(compiled):
    err = shardsmith("run", compiled, "--ranks", 4, code=3)[1]
    assert "2" in err and "4" in err


def test_run_without_a_program(tmp_path):
    assert "compile" in refused(3, "run", tmp_path, "--ranks", 2)


def test_initial_weights_that_lack_a_tensor(compiled, tmp_path):
    from safetensors.numpy import load_file, save_file

    whole, part = tmp_path / "whole", tmp_path / "part"
    train(compiled, 2, 1, "--save-initial", whole)
    tensors = load_file(whole)
    del tensors["wpe"]
    save_file(tensors, part)
    err = shardsmith("run", compiled, "--ranks", 2, "--init", part, code=3)[1]
    assert "wpe" in err


def test_usage_errors_are_code_2():
    shardsmith("compile", TINY, code=2)
    shardsmith("no-such-command", code=2)
    shardsmith("plan", TINY, "--optimizer", "adagrad", code=2)


def test_plan_writes_what_compile_reads(tmp_path):
    folder = tmp_path / "planned"
    out, _ = shardsmith("plan", TINY, "--cluster", "cpu:2", "-o", folder, "--json")
    assert json.loads(out) == json.loads((folder / "plan.json").read_text())
    shardsmith("compile", folder)
    assert len(train(folder, 2, 2)["losses"]) == 2
    out, _ = shardsmith("inspect", folder)
    assert out.startswith("gpt2_tiny on cpu:2: ")


def test_dumps_every_stage(tmp_path):
    dumps = tmp_path / "dumps"
    options = ["--cluster", "cpu:2", "-o", tmp_path / "out", "--dump-dir", dumps]
    shardsmith("compile", TINY, *options)
    names = sorted(path.name for path in dumps.iterdir())
    stages = """imported train-step annotated resharded collectives local
        kernels""".split()
    expected = [f"{i:02}-{stage}.mlir" for i, stage in enumerate(stages)]
    assert names == [*expected, "07-lowered.ll"]


def test_verify_accepts_a_true_program(compiled):
    out, _ = shardsmith("verify", compiled)
    assert "0 mismatches" in out


def test_verify_refuses_a_program_of_another_step(compiled, tmp_path):
    """The same model, trained with another learning rate."""
    other = tmp_path / "other"
    compile_model("gpt2-tiny", other, 2, "--lr", "0.5", fix="data=2")
    shutil.copytree(compiled, tmp_path / "mixed")
    shutil.copy(other / "program", tmp_path / "mixed" / "program")
    assert "mismatch" in shardsmith("verify", tmp_path / "mixed", code=7)[1]


def test_run_says_what_was_predicted_beside_what_it_measured(compiled):
    options = ["--ranks", 2, "--steps", 3]
    out, _ = shardsmith("run", compiled, *options)
    measured, predicted, ratio = map(float, re.search(
        r"median step ([\d.]+) ms, predicted ([\d.]+) ms: ([\d.]+) times the "
        r"prediction", out).groups())
    assert ratio == pytest.approx(measured / predicted, rel=0.1, abs=0.05)
    summary = train(compiled, 2, 3)
    expected = (summary["median_step_seconds"] * 1e9
                / summary["predicted"]["step_nanoseconds"])
    assert summary["measured_to_predicted_step"] == pytest.approx(expected)


def test_inspect_counts_parameters():
    summary = json.loads(shardsmith("inspect", TINY, "--json")[0])
    assert summary["roles"]["param"]["elements"] > 0
    assert summary["ops"]["stablehlo.dot_general"] == 13


def test_doctor_reports_every_subject():
    report = json.loads(shardsmith("doctor", "--json")[0])
    assert {"processor", "runtime library", "oneDNN"} <= {
        finding["subject"] for finding in report
    }


def test_doctor_measures_this_machine(tmp_path, monkeypatch):
    out, _ = shardsmith("doctor", "--measure", "--ranks", "1,2", "-o", tmp_path)
    assert "cpu:1" in out and "cpu:2" in out
    monkeypatch.setenv("SHARDSMITH_MACHINE", str(tmp_path))
    for ranks in (1, 2):
        by_name = json.loads(shardsmith("inspect", f"cpu:{ranks}", "--json")[0])
        file = tmp_path / f"cpu-{ranks}.json"
        assert by_name == json.loads(file.read_text())
        assert by_name["provenance"] == "measured"
        core = by_name["device_types"]["core"]
        assert core["peak_tflops"]["f32"] > 0
        assert core["memory_bandwidth_gb_per_s"] > 0
    fits = by_name["link_types"]["memory"]["collective_fits"]
    assert {fit["collective"] for fit in fits} == {
        "all_reduce", "all_gather", "reduce_scatter", "all_to_all"}
    # Both the name and the file are clusters that programs can be planned for.
    for cluster in ("cpu:2", tmp_path / "cpu-2.json"):
        shardsmith("plan", TINY, "--cluster", cluster, "-o", tmp_path / "plan")
    assert "measured" in shardsmith("doctor")[0]
