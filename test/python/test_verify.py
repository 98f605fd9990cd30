# SPDX-License-Identifier: Apache-2.0
"""`shardsmith verify`: what is right passes in every number format, what is
wrong does not. The tolerance comes from the program alone."""

import json
import re
import shutil

import pytest
from cpu_program import build_program
from training import MODELS, shardsmith

TINY = MODELS / "gpt2-tiny.mlir"
FORMATS = ["f32", "bf16", "f16"]


def model_in(kind, folder):
    """The tiny model with parameters in f32 that computes in `kind`."""
    if kind == "f32":
        return TINY
    text = (MODELS / "gpt2-tiny-bf16.mlir").read_text()
    path = folder / f"{kind}.mlir"
    text = text.replace("bf16", kind)
    if kind == "f16":  # minus infinity
        text = text.replace("0xFF80", "0xFC00")
    path.write_text(text)
    return path


def build(model, folder, *options):
    shardsmith("compile", model, "--cluster", "cpu:2", "--fix", "data=2",
               *options, "-o", folder)
    return folder


@pytest.fixture(scope="module", params=FORMATS)
def compiled(request, tmp_path_factory):
    """A format, its model, and the folder it was compiled in."""
    folder = tmp_path_factory.mktemp(request.param)
    model = model_in(request.param, folder)
    return request.param, model, build(model, folder / "build")


PLAN_HASH = re.compile(rb'"plan_hash" *: *"([0-9a-f]{16})"')


def with_program(folder, program, tmp_path):
    """The folder with another executable, which says that it is of the folder's
    plan."""
    mixed = tmp_path / "mixed"
    shutil.copytree(folder, mixed)
    own, other = (PLAN_HASH.search(path.read_bytes()).group(1)
                  for path in (folder / "program", program))
    made = mixed / "program"
    made.write_bytes(program.read_bytes().replace(other, own))
    return mixed


def assert_refused(folder):
    out, err = shardsmith("verify", folder, "--json", code=7)
    assert "mismatch: executable" in err
    rows = json.loads(out)["comparisons"]
    assert all(row["holds"] for row in rows if row["execution"] != "executable")


def test_a_true_program_passes_and_the_tolerance_is_stated(compiled):
    kind, _, folder = compiled
    for seed in (0, 1):
        report = json.loads(shardsmith("verify", folder, "--seed", seed,
                                       "--json")[0])
        assert all(row["holds"] for row in report["comparisons"])
    unit = {"f32": "f32 to 2^-24", "bf16": "bf16 to 2^-8", "f16": "f16 to 2^-11"}
    assert unit[kind] in report["tolerance"]
    # The batch of 24 sequences of 16 tokens.
    assert "sums of up to 384 terms" in report["tolerance"]
    # Coarser formats may differ by more, and by no more than they must.
    loss = next(row for row in report["comparisons"] if row["result"] == "loss")
    largest = {"f32": 1e-4, "bf16": 0.5, "f16": 0.05}[kind]
    assert 0 < loss["allowed"]["absolute"] < largest


def test_a_learning_rate_that_is_off_by_two_percent_is_seen(compiled, tmp_path):
    _, model, folder = compiled
    other = build(model, tmp_path / "other", "--lr", "0.00102")
    assert_refused(with_program(folder, other / "program", tmp_path))


def test_a_loss_that_is_off_by_two_percent_is_seen(compiled, tmp_path):
    """Gradients and loss are 1.02 times as large, each element of them within
    the noise of bf16."""
    _, model, folder = compiled
    text = model.read_text()
    found = re.search(r"\n *return (%\w+) : tensor<f32>", text)
    wrong = f"""
    %off = stablehlo.constant dense<1.02> : tensor<f32>
    %wrong = stablehlo.multiply {found.group(1)}, %off : tensor<f32>
    return %wrong : tensor<f32>"""
    text = text[:found.start()] + wrong + text[found.end():]
    path = tmp_path / "wrong.mlir"
    path.write_text(text)
    other = build(path, tmp_path / "other")
    assert_refused(with_program(folder, other / "program", tmp_path))


def test_a_mutated_kernel_is_seen(compiled, tmp_path):
    """The activation's tanh has become a cosine."""
    _, model, folder = compiled
    text = model.read_text()
    assert "stablehlo.tanh" in text
    path = tmp_path / "wrong.mlir"
    path.write_text(text.replace("stablehlo.tanh", "stablehlo.cosine", 1))
    other = build(path, tmp_path / "other")
    assert_refused(with_program(folder, other / "program", tmp_path))


def test_a_missing_all_reduce_is_seen(compiled, tmp_path):
    _, model, folder = compiled
    build(model, tmp_path / "same", "--dump-dir", tmp_path / "dump")
    local = (tmp_path / "dump" / "05-local.mlir").read_text()
    found = re.search(r"\n *(%\w+) = smith.all_reduce (%\w+) over .*", local)
    whole, part = found.groups()
    text = local.replace(found.group(), "")
    text = re.sub(rf"{whole}\b", part, text)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    program = build_program(text, scratch)
    assert_refused(with_program(folder, program, tmp_path))


def test_a_tolerance_that_is_given_replaces_the_derived_one(compiled):
    kind, _, folder = compiled
    report = json.loads(shardsmith("verify", folder, "--tolerance", "0.5",
                                   "--json")[0])
    assert "as given" in report["tolerance"]
    assert shardsmith("verify", folder, "--tolerance", "0", code=7)


def test_too_few_samples_are_refused(compiled):
    assert "--samples" in shardsmith("verify", compiled[2], "--samples", "1",
                                     code=2)[1]
