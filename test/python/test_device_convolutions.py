# SPDX-License-Identifier: Apache-2.0
"""Convolutions on the emulated device, against the interpreter's definition.

Drawn geometry: up to three dimensions of space, strides, padding of either
sign, dilation of both sides, reversal, groups of features and of samples, in
any order of dimensions. So gradients are among them: they are convolutions,
too, with windows as large as images. What whole steps make of it is in
`test_device_steps.py`.

And convolutions that become products of the library: these are the same in the
interpreter before and after.
"""

import os
import random

import numpy as np
import pytest
from emulators import LOWER, emulate_kernels as emulate
from safetensors.numpy import load_file
from seeds import random_seed
from test_device_experts import tensor
from tools import run_tool

LONG = os.environ.get("SHARDSMITH_LONG_TESTS") == "1"


def span(rng, size, large):
    """One dimension of space: window, step, padding, dilations, and what it makes of `size`."""
    while True:
        window = rng.randint(1, size + 2 if large else 3)
        step, lhs, rhs = rng.choice([1, 1, 2, 3]), rng.choice([1, 1, 2]), rng.choice([1, 1, 2])
        padding = [rng.randint(-1, 2), rng.randint(-1, 2)]
        free = (size - 1) * lhs + 1 + sum(padding) - (window - 1) * rhs - 1
        if free >= 0:
            return {"window": window, "step": step, "pad": padding, "lhs": lhs, "rhs": rhs,
                    "out": free // step + 1}


def ordered(sizes, order):
    return tensor(*(sizes[letter] for letter in order), element=sizes["element"])


def convolution(lhs, kernel, out, spans, counts, orders):
    """A function of one convolution: sizes by the letters of dimension numbers."""
    numbers = [f"[{', '.join(order)}]" for order in orders]
    types = [ordered(*each) for each in zip((lhs, kernel, out), orders)]
    window = (f"stride = {[each['step'] for each in spans]}, "
              f"pad = {[each['pad'] for each in spans]}, "
              f"lhs_dilate = {[each['lhs'] for each in spans]}, "
              f"rhs_dilate = {[each['rhs'] for each in spans]}, "
              f"reverse = [{', '.join(each.get('reverse', 'false') for each in spans)}]")
    return (f"func.func @main(%x: {types[0]}, %w: {types[1]}) -> {types[2]} {{\n"
            f"  %y = stablehlo.convolution(%x, %w) "
            f"dim_numbers = {numbers[0]}x{numbers[1]}->{numbers[2]}, window = {{{window}}} "
            f"{{batch_group_count = {counts[0]} : i64, feature_group_count = {counts[1]} : i64}} "
            f": ({types[0]}, {types[1]}) -> {types[2]}\n  return %y : {types[2]}\n}}\n")


# Features last, where neighbours are loaded together; the gradient of such a
# kernel, which has samples as features; and features before space.
USUAL_ORDERS = [
    ("b{}f", "{}io", "b{}f"), ("f{}b", "i{}o", "{}bf"), ("b{}f", "{}oi", "b{}f"),
    ("bf{}", "oi{}", "bf{}"),
]


def drawn(rng, **given):
    def pick(name, values):
        return given[name] if name in given else rng.choice(values)

    rank = pick("rank", [1, 1, 2, 2, 2, 3])
    space = "012"[:rank]
    if rng.random() < 0.6:
        orders = [order.format(space) for order in pick("orders", USUAL_ORDERS)]
    else:
        orders = ["".join(rng.sample(letters + space, 2 + rank)) for letters in ("bf", "io", "bf")]
    element = pick("element", ["f32", "bf16", "bf16", "f16", "f64", "i8", "ui32"])
    groups, by_samples = pick("groups", [1, 1, 1, 2, 3]), pick("by_samples", [False, True])
    features = pick("features", [1, 3, 4, 8, 16, 33, 40])
    outputs = pick("outputs", [1, 3, 8, 16, 20, 70])
    samples = pick("samples", [1, 2, 3, 8])
    spans, sizes = [], {}
    large = rng.random() < 0.3
    for letter in space:
        sizes[letter] = rng.randint(1, 3 if rank == 3 else 7)
        spans.append(pick("span", [span])(rng, sizes[letter], large)
                     | {"reverse": rng.choice(["true", "false"])})
    counts = [groups if by_samples else 1, 1 if by_samples else groups]
    lhs = {"b": samples * counts[0], "f": features * counts[1], "element": element, **sizes}
    kernel = {"i": features, "o": outputs * groups, "element": element}
    made = {"i8": "i32", "f64": "f64", "i64": "i64", "ui32": "ui32"}.get(element)
    made = made or rng.choice([element, "f32"])
    out = {"b": samples, "f": outputs * groups, "element": made}
    for letter, each in zip(space, spans):
        kernel[letter], out[letter] = each["window"], each["out"]
    return convolution(lhs, kernel, out, spans, counts, orders)


@pytest.mark.parametrize("number", range(300 if LONG else 16))
def test_drawn_convolutions(number):
    seed = random_seed() + number
    text = drawn(random.Random(seed))
    out = emulate(text, "--orders", "2", seed=seed)
    if "stablehlo.convolution" not in run_tool("shardsmith-opt", "-", *LOWER, text=text):
        return
    assert "1 functions run, 0 with a problem" in out


def kept_or_summed(rng, size, _large):
    """A dimension of a product; now and then one that is nearly so."""
    window = rng.choice([1, size])
    padding = [0, 0] if rng.random() < 0.9 else [1, 0]
    step = 1 if rng.random() < 0.9 else 2
    return {"window": window, "step": step, "pad": padding, "lhs": 1, "rhs": 1,
            "out": (size + sum(padding) - window) // step + 1}


def test_products_are_the_same_convolution(tmp_path):
    rng = random.Random(seed := random_seed())
    products = 0
    for _ in range(400 if LONG else 40):
        text = drawn(rng, rank=rng.choice([0, 1, 2]), element="f32", span=kept_or_summed,
                     groups=rng.choice([1, 1, 1, 2]))
        simplified = run_tool("shardsmith-opt", "-", "--simplify-local=target=cuda", text=text)
        if "stablehlo.convolution" in simplified:
            continue
        products += 1
        results = []
        for name, program in (("before", text), ("after", simplified)):
            (tmp_path / name).write_text(program)
            run_tool("shardsmith-interpret", tmp_path / name, "--seed", str(seed), "--quiet",
                     "--outputs", tmp_path / f"{name}.safetensors")
            results.append(load_file(tmp_path / f"{name}.safetensors"))
        before, after = results
        assert before.keys() == after.keys() and len(after) == 1
        for name, value in before.items():
            np.testing.assert_allclose(after[name], value, rtol=1e-5, atol=1e-5, err_msg=text)
    assert products > 5


@pytest.mark.parametrize("element", ["i8", "i64"])
def test_integers(element):
    seed = random_seed()
    text = drawn(random.Random(seed), rank=2, element=element, groups=1, features=3, outputs=8)
    out = emulate(text, "--orders", "2", seed=seed)
    assert "1 functions run, 0 with a problem" in out


@pytest.mark.parametrize("orders", [("f{}b", "i{}o", "{}bf"), ("bf{}", "oi{}", "bf{}")])
def test_split_sums_are_the_same_convolution(tmp_path, orders):
    """Sums of 6 samples and 14 x 14 places are split into halves."""
    element = "f32"
    spans = [{"window": 14, "step": 1, "pad": [1, 0], "lhs": 1, "rhs": 1, "out": 2}] * 2
    sizes = {"0": 14, "1": 14, "element": element}
    text = convolution({"b": 8, "f": 6, **sizes}, {"i": 6, "o": 9, **sizes},
                       {"b": 8, "f": 9, "0": 2, "1": 2, "element": element}, spans, [1, 1],
                       [order.format("01") for order in orders])
    simplified = run_tool("shardsmith-opt", "-", "--simplify-local=target=cuda", text=text)
    assert "feature_group_count = 2" in simplified
    seed = random_seed()
    results = []
    for name, program in (("whole", text), ("split", simplified)):
        (tmp_path / name).write_text(program)
        run_tool("shardsmith-interpret", tmp_path / name, "--seed", str(seed), "--quiet",
                 "--outputs", tmp_path / f"{name}.safetensors")
        results.append(load_file(tmp_path / f"{name}.safetensors"))
    for name, value in results[0].items():
        np.testing.assert_allclose(results[1][name], value, rtol=1e-4, atol=1e-4, err_msg=name)
    assert " 0 with a problem" in emulate(text, "--orders", "1", seed=seed)


# One output for each feature, as a depthwise convolution has.
@pytest.mark.parametrize("by_samples", [False, True])
def test_narrow_groups(by_samples):
    seed = random_seed()
    rng = random.Random(seed)
    text = drawn(rng, rank=2, groups=12, by_samples=by_samples, features=1, outputs=1)
    assert "1 functions run, 0 with a problem" in emulate(text, "--orders", "2", seed=seed)


def depthwise_gradient():
    """Of a kernel of 3 x 3: 18 places by 32 samples are summed for each of 60 features."""
    spans = [{"window": size, "step": 1, "pad": [1, 1], "lhs": 1, "rhs": 1, "out": 3}
             for size in (9, 2)]
    image = {"b": 60, "f": 32, "0": 9, "1": 2, "element": "f32"}
    cotangent = {"i": 32, "o": 60, "0": 9, "1": 2, "element": "f32"}
    made = {"b": 1, "f": 60, "0": 3, "1": 3, "element": "f32"}
    orders = [order.format("01") for order in ("f{}b", "i{}o", "{}bf")]
    return convolution(image, cotangent, made, spans, [60, 1], orders)


def test_long_sums_are_shared():
    seed = random_seed()
    out = emulate(depthwise_gradient(), "--orders", "3", seed=seed)
    assert "1 functions run, 0 with a problem" in out
    out = emulate(depthwise_gradient(), "--orders", "3", "--fault", "barrier:0", seed=seed, code=7)
    assert "1 functions run, 1 with a problem" in out


@pytest.mark.parametrize("element", ["f32", "bf16"])
def test_both_barriers_are_needed(element):
    seed = random_seed()
    spans = [{"window": 3, "step": 1, "pad": [1, 1], "lhs": 1, "rhs": 1, "out": 9}] * 2
    sizes = {"0": 9, "1": 9, "element": element}
    kernel = {"0": 3, "1": 3, "i": 8, "o": 16, "element": element}
    text = convolution({"b": 2, "f": 8, **sizes}, kernel, {"b": 2, "f": 16, **sizes}, spans,
                       [1, 1], [order.format("01") for order in USUAL_ORDERS[0]])
    for number in range(2):
        out = emulate(text, "--orders", "3", "--fault", f"barrier:{number}", seed=seed, code=7)
        assert "1 functions run, 1 with a problem" in out, number
    assert "0 functions run" in emulate(text, "--fault", "barrier:2", seed=seed)
