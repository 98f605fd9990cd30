# SPDX-License-Identifier: Apache-2.0
"""Whole train steps on emulated devices, against programs for processors.

`emulate-program` runs what `compile --target cuda:…` would run on GPUs: the
same kernels, library calls, collectives, streams and events, in random orders.
"""

import json
import os
import random
import subprocess

import numpy as np
import pytest
from emulators import emulate_program as emulate
from seeds import random_seed
from drawn_strategies import MODELS, SEQUENCES, draw
from safetensors.numpy import load_file
from test_stages import source_of
from tools import tool
from training import shardsmith, train

LONG = os.environ.get("SHARDSMITH_LONG_TESTS") == "1"
ORDERS = 20 if LONG else 2
STEPS = 2

# Model, ranks, what is fixed of the plan.
PLANS = [
    ("gpt2-tiny", 1, None),
    ("gpt2-tiny-bf16", 2, "dp=2"),
    ("llama-tiny", 4, "dp=2,tp=2,zero=1"),
    ("gpt2-tiny", 4, "dp=2,tp=2,micro-batch=6,zero=2"),
    # Both stages send at once.
    ("llama-tiny-scan", 2, "pp=2"),
    ("llama-tiny", 4, "pp=2,cp=2,micro-batch=12,schedule=1f1b,context-method=ring"),
    ("gpt2-tiny", 2, "cp=2,context-method=all-to-all"),
    # Mixtures of experts: whole, on two ranks, and with their matrices split.
    ("mixtral", 1, "dp=1"),
    ("mixtral", 2, "dp=2,ep=2"),
    ("deepseek", 4, "dp=2,ep=2,tp=2"),
    # More ranks than a token has experts: exactly the rows on processors.
    ("mixtral", 4, "dp=4,ep=4"),
]
LONG_PLANS = [
    ("llama-tiny-scan", 2, "tp=2"),
    ("llama-tiny", 2, "pp=2,micro-batch=4,schedule=1f1b"),
    ("gpt2-tiny", 4, "dp=4,zero=3"),
    ("gpt2-tiny", 4, "pp=2,dp=2,micro-batch=3,schedule=zb-v,zero=1"),
    ("gpt2-tiny", 4, "pp=2,tp=2,micro-batch=2,schedule=interleaved,vpp=2"),
    ("mixtral", 4, "dp=2,ep=2,pp=2,micro-batch=4"),
    ("deepseek", 1, "dp=1"),
    ("deepseek", 2, "dp=2,ep=2,zero=1"),
    ("llama-tiny", 8, "pp=2,tp=2,dp=2"),
    ("llama-tiny", 8, "tp=2,dp=4,zero=3"),
    # Tensor and context ranks swap their shards.
    ("llama-tiny", 8, "dp=2,cp=2,tp=2,micro-batch=2,context-method=all-to-all"),
]


# Of mixtures, whose batch is not that of a file.
FEW = 8


def compile_both(source, ranks, fix, folder, *options):
    """A program for processors, and the device functions of the same plan. Attention is
    one op, however small."""
    shardsmith("compile", *source, "--cluster", f"cpu:{ranks}", *(["--fix", fix] if fix else []),
               "--attention-scores", 0, *options, "-o", folder / "cpu")
    shardsmith("compile", folder / "cpu", "--target", "cuda:sm_80", "--no-cubin",
               "--dump-dir", folder / "ir", "-o", folder / "cuda")
    return folder / "ir/07-device-functions.mlir"


@pytest.fixture(scope="module")
def sharded(tmp_path_factory):
    """Two data ranks of two tensor ranks."""
    folder = tmp_path_factory.mktemp("sharded")
    return compile_both(source_of("llama-tiny", folder), 4, "dp=2,tp=2", folder)


@pytest.mark.parametrize(("model", "ranks", "fix"), PLANS + (LONG_PLANS if LONG else []))
def test_steps_are_those_of_processors(tmp_path, model, ranks, fix):
    compare(tmp_path, model, ranks, fix)


def test_products_give_their_gelu_or_do_not(tmp_path):
    """What a library computes of unrounded products, or a kernel of rounded ones."""
    functions = compile_both(source_of("gpt2-tiny-bf16", tmp_path / "cpu"), 1, None, tmp_path)
    steps = json.loads((tmp_path / "cuda/device-program.json").read_text())["functions"]["main"]
    units = [step["gelu"] for step in steps["steps"] if "gelu" in step]
    assert len(units) == 2 and all(unit["kind"] == "launch" for unit in units)
    losses = [emulate(functions, "--steps", STEPS, *options)["losses"]
              for options in ([], ["--no-epilogues"])]
    np.testing.assert_allclose(*losses, rtol=2e-3)


DRAWN = {"files": (MODELS, SEQUENCES)}
if LONG:
    DRAWN["mixtures"] = (["mixtral", "deepseek"], FEW)


@pytest.mark.parametrize(("models", "sequences"), DRAWN.values(), ids=DRAWN)
def test_drawn_plans(models, sequences, tmp_path):
    seed = random_seed()
    rng = random.Random(seed)
    ran = 0
    wanted = 8 if LONG else 1
    for number in range(30 * wanted):
        model, ranks, fix = draw(rng, models, sequences)
        folder = tmp_path / str(number)
        folder.mkdir()
        print(f"seed {seed}: {model}, {ranks} ranks, {fix}")
        source = source_of(model, folder / "cpu", FEW)
        done = subprocess.run(
            [tool("shardsmith"), "plan", *source, "--cluster", f"cpu:{ranks}", "--fix", fix,
             "-o", folder / "plan"], capture_output=True, text=True)
        # The search says where a strategy is none: more stages than units.
        if "leaves no plan" in done.stderr:
            continue
        assert done.returncode == 0, done.stderr[-2000:]
        compare(folder, model, ranks, fix, orders=3)
        ran += 1
        if ran == wanted:
            return
    pytest.fail("nearly all that was drawn is no plan")


def compare(tmp_path, model, ranks, fix, orders=ORDERS):
    # bf16 rounds every intermediate result to 8 bits, in other places on each target.
    is_half = model.endswith("bf16")
    functions = compile_both(source_of(model, tmp_path / "cpu", FEW), ranks, fix, tmp_path)
    got = compare_runs(
        functions, ranks, orders, 2e-3 if is_half else 1e-4,
        # AdamW makes a step of one size of any gradient, of rounding errors too.
        {"rtol": 1e-2, "atol": 4e-3} if is_half else {"rtol": 1e-4, "atol": 2e-5})
    assert len(got) > 20


def compare_runs(functions, ranks, orders, of_losses, of_results):
    """Losses and all results, from one seed, on both targets, within tolerances."""
    tmp_path = functions.parent.parent
    expected, got = tmp_path / "expected.safetensors", tmp_path / "got.safetensors"
    reference = train(tmp_path / "cpu", ranks, STEPS, "--dump-outputs", expected)
    losses = reference["losses"]
    run = emulate(functions, "--steps", STEPS, "--orders", orders, "--dump-outputs", got)
    assert run.get("dropped_rows") == reference.get("dropped_rows")
    assert run["device"] == "emulated" and run["ranks"] == ranks and run["orders"] >= orders
    assert (run["waits"] > 0) == (ranks > 1)
    np.testing.assert_allclose(run["losses"], losses, rtol=of_losses)
    expected, got = load_file(expected), load_file(got)
    assert expected.keys() == got.keys()
    for name, value in expected.items():
        np.testing.assert_allclose(got[name].astype(np.float64), value.astype(np.float64),
                                   err_msg=name, **of_results)
    return got


def test_rows_beyond_a_capacity_are_dropped_and_counted(tmp_path):
    """Once: tensor ranks have copies of the same rows. Every second row is dropped at
    least, in each of two micro-batches."""
    source = source_of("mixtral", tmp_path / "cpu", FEW)
    functions = compile_both(source, 4, "dp=2,ep=2,tp=2,micro-batch=2", tmp_path,
                             "--expert-capacity", 0.5)
    steps = json.loads((tmp_path / "cuda/device-program.json").read_text())["functions"]
    launches = [step for function in steps.values() for step in function["steps"]
                if step["kind"] == "launch"]
    counters = [place["counters_of_first"] for step in launches for place in step["buffers"]
                if isinstance(place, dict) and "counters_of_first" in place]
    assert counters and all("tensor" in axes for axes in counters)
    compare_runs(functions, 4, ORDERS, 1e-4, {"rtol": 1e-4, "atol": 2e-5})
    run = emulate(functions, "--steps", 1)
    assert run["dropped_rows"][0] > 0


# Models of test/zoo, ranks, what is fixed of the plan, and of what type products are.
IMAGES = [
    ("resnet_with_batch_norm", 1, "dp=1", "f32"),
    ("resnet_with_batch_norm", 2, "dp=2", "f32"),
    ("resnet_with_group_norm", 2, "dp=2", "bf16"),
    # Depthwise, and transposed.
    ("convnext", 2, "dp=2", "f32"),
    ("unet", 2, "tp=2", "f32"),
]
LONG_IMAGES = [(name, 2, "dp=2", "f32") for name in ("mobilenet", "resnext", "wavenet", "video")]


@pytest.mark.parametrize(("model", "ranks", "fix", "element"), IMAGES + (LONG_IMAGES if LONG else []))
def test_steps_with_convolutions(tmp_path, model, ranks, fix, element):
    """Gradients that are nothing but rounding would be whole steps of AdamW."""
    pytest.importorskip("jax")
    from test_zoo import export

    options = ["--optimizer", "sgd", "--lr", "0.05"]
    is_half = element == "bf16"
    if is_half:
        options += ["--compute-dtype", element]
    exported = export(model, tmp_path)
    functions = compile_both([exported.path], ranks, fix, tmp_path, *options)
    assert "@kernels::@convolution_" in functions.read_text()
    tolerance = 2e-2 if is_half else 1e-4
    compare_runs(functions, ranks, ORDERS, tolerance, {"rtol": tolerance, "atol": tolerance / 10})


ADDITIONS = """
func.func public @main(
    %w: tensor<{k}x{n}x{type}> {{smith.role = "param", smith.name = "w"}},
    %b: tensor<{n}x{type}> {{smith.role = "param", smith.name = "b"}},
    %v: tensor<{n}x{k}x{type}> {{smith.role = "param", smith.name = "v"}},
    %c: tensor<{k}x{type}> {{smith.role = "param", smith.name = "c"}},
    %x: tensor<{rows}x{k}x{type}> {{smith.role = "batch", smith.name = "x"}})
    -> (tensor<f32> {{smith.role = "loss", smith.name = "loss"}}) {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<{rows}x{k}x{type}>, tensor<{k}x{n}x{type}>) -> tensor<{rows}x{n}x{type}>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<{n}x{type}>) -> tensor<{rows}x{n}x{type}>
  %2 = stablehlo.add %0, %1 : tensor<{rows}x{n}x{type}>
  %3 = stablehlo.dot_general %2, %v, contracting_dims = [1] x [0] : (tensor<{rows}x{n}x{type}>, tensor<{n}x{k}x{type}>) -> tensor<{rows}x{k}x{type}>
  %4 = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<{k}x{type}>) -> tensor<{rows}x{k}x{type}>
  %5 = stablehlo.add %3, %4 : tensor<{rows}x{k}x{type}>
  %6 = stablehlo.add %x, %5 : tensor<{rows}x{k}x{type}>
  %7 = stablehlo.convert %6 : (tensor<{rows}x{k}x{type}>) -> tensor<{rows}x{k}xf32>
  %8 = stablehlo.multiply %7, %7 : tensor<{rows}x{k}xf32>
  %9 = stablehlo.reduce(%8 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<{rows}x{k}xf32>, tensor<f32>) -> tensor<f32>
  return %9 : tensor<f32>
}}
"""


@pytest.mark.parametrize("element", ["f32", "bf16"])
def test_products_add_residuals_and_biases(tmp_path, element):
    """As programs for processors do, which round a product before they add to it."""
    seed = random_seed()
    rng = random.Random(seed)
    sizes = {name: rng.randint(2, 40) for name in ("k", "n", "rows")}
    print(f"seed {seed}: {sizes}")
    source = tmp_path / "model.mlir"
    source.write_text(ADDITIONS.format(type=element, **sizes))
    shardsmith("compile", source, "--cluster", "cpu:1", "--optimizer", "sgd", "--lr", "1e-4",
               "-o", tmp_path / "cpu")
    shardsmith("compile", tmp_path / "cpu", "--target", "cuda:sm_80", "--no-cubin",
               "--dump-dir", tmp_path / "ir", "-o", tmp_path / "cuda")
    program = json.loads((tmp_path / "cuda/device-program.json").read_text())
    products = [step for function in program["functions"].values() for step in function["steps"]
                if step["kind"] == "gemm"]
    assert [("sum" in step, "bias" in step) for step in products[:2]] == [
        (False, True), (True, True)]
    expected, got = tmp_path / "expected.safetensors", tmp_path / "got.safetensors"
    losses = train(tmp_path / "cpu", 1, STEPS, "--dump-outputs", expected)["losses"]
    run = emulate(tmp_path / "ir/07-device-functions.mlir", "--steps", STEPS, "--orders", 3,
                  "--dump-outputs", got)
    tolerance = {"rtol": 3e-2, "atol": 2e-2} if element == "bf16" else {"rtol": 1e-4, "atol": 1e-5}
    np.testing.assert_allclose(run["losses"], losses, rtol=tolerance["rtol"])
    expected, got = load_file(expected), load_file(got)
    assert expected.keys() == got.keys() and len(got) >= 5
    for name, value in expected.items():
        np.testing.assert_allclose(got[name], value, err_msg=f"seed {seed}: {name}", **tolerance)


OTHER_PROGRAM = """
func.func public @main(
    %w: tensor<8x4xf32> {smith.role = "param", smith.name = "w"},
    %x: tensor<6x8xbf16> {smith.role = "batch", smith.name = "x"})
    -> (tensor<f32> {smith.role = "loss", smith.name = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x8xbf16>, tensor<8x4xf32>) -> tensor<6x4xf32>
  %1 = "stablehlo.sort"(%0) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %5 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %5 : tensor<i1>
  }) : (tensor<6x4xf32>) -> tensor<6x4xf32>
  %2 = stablehlo.slice %1 [2:6, 0:4] : (tensor<6x4xf32>) -> tensor<4x4xf32>
  %3 = chlo.asinh %2 : tensor<4x4xf32> -> tensor<4x4xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
  return %4 : tensor<f32>
}
"""


def test_sorts_and_products_of_two_types(tmp_path):
    """And a function that is written by others; with their gradients."""
    source = tmp_path / "model.mlir"
    source.write_text(OTHER_PROGRAM)
    functions = compile_both([source], 2, "dp=2", tmp_path, "--optimizer", "sgd")
    compare_runs(functions, 2, 3, 1e-5, {"rtol": 1e-5, "atol": 1e-6})


# Sorts along drawn directions; logarithms of the gamma function; factors of matrices.
@pytest.mark.parametrize("model", ["sliced_distance", "gaussian_autoencoder", "gaussian_process"])
def test_steps_of_other_models(tmp_path, model):
    pytest.importorskip("jax")
    from test_zoo import export

    functions = compile_both([export(model, tmp_path).path], 2, "dp=2", tmp_path,
                             "--optimizer", "sgd", "--lr", "0.05")
    compare_runs(functions, 2, ORDERS, 1e-4, {"rtol": 1e-4, "atol": 1e-5})


def test_every_wait_is_missed(sharded):
    run = emulate(sharded, "--steps", 2, "--every-wait")
    assert run["waits_of_first_rank"] > 50
    assert run["unnoticed"] == []


def test_a_missing_event_is_named(sharded):
    text = emulate(sharded, "--fault", "wait:1", code=7)
    assert text.startswith("emulated, order 0: rank 0: ")
    assert "no event orders the two" in text


def test_a_missing_event_shows_in_random_orders(sharded):
    """Without the check of events: streams do run in different orders."""
    waits = emulate(sharded)["waits_of_first_rank"]
    for number in range(30, waits, 10):
        done = subprocess.run(
            [tool("emulate-program"), sharded, "--fault", f"wait:{number}", "--unordered",
             "--orders", "6"], capture_output=True, text=True,
            env={**os.environ, "SHARDSMITH_TEST_SEED": "1"},
        )
        if done.returncode == 7:
            assert "results depend on the order" in done.stdout
            return
        assert done.returncode == 0, done.stderr
    raise AssertionError("no order shows a missing event")


@pytest.mark.parametrize("number", [0, 3, 8])
def test_swapped_collectives_are_found(sharded, number):
    text = emulate(sharded, "--fault", f"swap:{number}", "--unordered", code=7)
    assert "of one communicator differ" in text or "no rank can go on" in text
    assert "rank 0" in text


def test_a_shorter_collective_is_found(sharded):
    text = emulate(sharded, "--fault", "count:2", "--unordered", code=7)
    assert "of one communicator differ: rank" in text


def test_faults_that_are_nowhere(sharded):
    assert "rank 0 has no wait:100000" in emulate(sharded, "--fault", "wait:100000", code=3)
    done = subprocess.run([tool("emulate-program"), sharded, "--fault", "event:1"],
                          capture_output=True, text=True)
    assert done.returncode != 0 and "expected wait:N, swap:N or count:N" in done.stderr
