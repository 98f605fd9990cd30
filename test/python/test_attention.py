# SPDX-License-Identifier: Apache-2.0
"""Attention as one op: recognised in what JAX and the readers of Hugging Face
configurations write, and with its gradients equal to JAX's in float64, in the
compiled program as in the interpreter."""

import json
import re

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
from compiler_tools import run_opt  # noqa: E402
from seeds import random_seed  # noqa: E402
from cpu_program import run_program, with_roles  # noqa: E402
from drawn_strategies import CONFIGURATIONS  # noqa: E402
from safetensors.numpy import load_file, save_file  # noqa: E402
from shardsmith.jax import export_loss  # noqa: E402
from tools import run_tool  # noqa: E402
from training import shardsmith  # noqa: E402

RECOGNIZE = "--recognize-attention=least-scores=0"
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def plain(q, k, v, terms=lambda s: s, scale=None):
    """q [b, g?, …] over heads: einsum spelling, softmax of jax.nn."""
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) * scale
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(terms(scores)), v)


def future(scores, hidden):
    q, k = scores.shape[-2:]
    return jnp.where(jnp.tril(jnp.ones((q, k), bool)), scores, hidden)


# Each case makes sizes and returns queries, keys, values, what else the batch
# holds, and the function of all these.


@case
def causal(r):
    b, s, h, d = r.integers(1, 4), r.integers(130, 300), r.integers(1, 4), r.integers(1, 20)
    hidden = [-jnp.inf, -1e9, float(jnp.finfo(jnp.float32).min)][r.integers(3)]
    shape = (b, s, h, d)
    return [shape] * 3, [], lambda q, k, v: plain(q, k, v, lambda s: future(s, hidden))


@case
def across(r):
    b, h, d = r.integers(1, 3), r.integers(1, 3), r.integers(2, 9)
    q, k, e = r.integers(1, 150), r.integers(257, 600), r.integers(1, 30)
    return [(b, q, h, d), (b, k, h, d), (b, k, h, e)], [], plain


@case
def masked(r):
    b, s, h, d = r.integers(1, 4), r.integers(2, 290), r.integers(1, 4), 2 * r.integers(1, 9)
    mask = r.random((b, 1, 1, s)) < 0.7
    mask[..., r.integers(s)] = True
    return (
        [(b, s, h, d)] * 3,
        [mask],
        lambda q, k, v, m: jax.nn.dot_product_attention(q, k, v, mask=m),
    )


@case
def masked_and_causal(r):
    b, s, h, d = r.integers(1, 4), r.integers(2, 290), r.integers(1, 4), 2 * r.integers(1, 9)
    mask = r.random((b, 1, 1, s)) < 0.7
    mask[..., 0] = True
    return (
        [(b, s, h, d)] * 3,
        [mask],
        lambda q, k, v, m: plain(
            q, k, v, lambda s: future(jnp.where(m, s, -1e30), -jnp.inf)
        ),
    )


@case
def biased(r):
    b, s, h, d = r.integers(1, 4), r.integers(2, 290), r.integers(1, 4), r.integers(1, 9)
    shape = [(1, h, s, s), (b, 1, 1, s), (b, h, s, s)][r.integers(3)]
    bias = r.normal(size=shape).astype(np.float32)
    return [(b, s, h, d)] * 3, [bias], lambda q, k, v, m: plain(q, k, v, lambda s: s + m)


@case
def biased_and_causal(r):
    b, s, h, d = r.integers(1, 4), r.integers(2, 290), r.integers(1, 4), r.integers(1, 9)
    shape = [(1, h, s, s), (b, 1, 1, s), (b, h, s, s)][r.integers(3)]
    bias = r.normal(size=shape).astype(np.float32)
    return (
        [(b, s, h, d)] * 3,
        [bias],
        lambda q, k, v, m: plain(q, k, v, lambda s: future(s + m, -jnp.inf)),
    )


@case
def grouped(r):
    b, s, d = r.integers(1, 4), r.integers(2, 290), 2 * r.integers(1, 9)
    heads, group = r.integers(1, 4), r.integers(2, 4)

    def function(q, k, v):
        q = q.reshape(b, s, heads, group, d)
        scores = jnp.einsum("bqhgd,bkhd->bhgqk", q, k) / np.sqrt(d)
        return jnp.einsum("bhgqk,bkhd->bqhgd", jax.nn.softmax(future(scores, -jnp.inf)), v)

    return [(b, s, heads * group, d), (b, s, heads, d), (b, s, heads, d)], [], function


@case
def grouped_of_jax(r):
    b, s, d = r.integers(1, 4), r.integers(2, 290), 2 * r.integers(1, 9)
    heads, group = r.integers(1, 4), r.integers(2, 4)
    return (
        [(b, s, heads * group, d), (b, s, heads, d), (b, s, heads, d)],
        [],
        lambda q, k, v: jax.nn.dot_product_attention(q, k, v, is_causal=True),
    )


@case
def one_position(r):
    b, h, d = r.integers(1, 4), r.integers(1, 4), r.integers(1, 9)
    return [(b, 1, h, d)] * 3, [], plain


@case
def one_head_of_one_sample(r):
    s, d = r.integers(400, 600), r.integers(1, 9)
    return [(1, s, 1, d)] * 3, [], lambda q, k, v: plain(q, k, v, lambda s: future(s, -jnp.inf))


def differentiated(names, dtype, seed, ranks=None):
    """One program of several cases, computed in `dtype`, that returns gradients
    and the sum of losses; its arguments; and JAX's results in double precision.
    With `ranks` positions of causal attention are dealt out to as many."""
    r = np.random.default_rng(seed)
    if ranks:
        r = Dividing(r, ranks)
    functions, inputs, rest, weights = [], [], [], []
    for name in names:
        shapes, others, function = CASES[name](r)
        arrays = [r.normal(size=shape).astype(dtype) for shape in shapes]
        output = jax.eval_shape(function, *arrays, *others)
        functions.append(function)
        inputs.append([array.astype(np.float32) for array in arrays])
        rest.append(others)
        weights.append(r.normal(size=output.shape).astype(np.float32))

    def loss(params, batch):
        total = 0
        for f, p, o, w in zip(functions, params, batch["rest"], batch["weights"]):
            y = f(*(each.astype(dtype) for each in p), *o)
            total += jnp.sum(y.astype(jnp.float32) * w)
        return total

    batch = {"rest": rest, "weights": weights}
    dims = {f"weights[{i}]": -1 for i in range(len(names))}
    dims |= {f"rest[{i}][{j}]": -1 for i, others in enumerate(rest) for j in range(len(others))}
    text = export_loss(loss, inputs, batch, batch_dims=dims)
    text = run_opt(text, "--import", RECOGNIZE)
    if ranks:
        text = dealt(text, ranks)
    text = run_opt(text, "--differentiate")
    assert ops(text) == (len(names), len(names)), text

    def exact(params, rest, weights):
        parts = zip(functions, params, rest, weights)
        return sum(jnp.sum(f(*p, *o) * w) for f, p, o, w in parts)

    with jax.enable_x64(True):
        wide = jax.tree.map(
            lambda x: x if x.dtype == bool else np.asarray(x, np.float64), (inputs, rest, weights)
        )
        value, expected = jax.jit(jax.value_and_grad(exact))(*wide)
        expected = jax.tree.map(np.asarray, expected)
    arrays = jax.tree.leaves((inputs, batch))
    return with_roles(text, len(arrays), 3 * len(names) + 1), arrays, expected, float(value)


def ops(text):
    return len(re.findall(r"smith\.attention ", text)), text.count("smith.attention_gradient")


def interpret(text, arrays, folder):
    """The results of @main, in order."""
    program, inputs, outputs = (folder / name for name in ("main.mlir", "in", "out"))
    program.write_text(text)
    save_file({f"a{i}": np.array(a, order="C") for i, a in enumerate(arrays)}, inputs)
    run_tool("shardsmith-interpret", program, "--quiet", "--inputs", inputs, "--outputs", outputs)
    found = load_file(outputs)
    return [found[f"r{i}"] for i in range(len(found))]


def assert_close(names, actual, expected, value, tolerance):
    """Gradients are compared with the largest of a case: what cancels to zero is
    left with the roundings of what it is the difference of."""
    for index, (name, gradients) in enumerate(zip(names, expected)):
        size = max(1, *(np.abs(each).max() for each in gradients))
        for ours, theirs in zip(actual[3 * index :], gradients):
            gap = np.abs(np.asarray(ours, np.float64) - theirs).max() / size
            assert gap <= tolerance, (name, gap)
    size = 1 + sum(abs(each).sum() for each in expected[0])
    assert abs(float(actual[-1]) - value) < 10 * tolerance * size


def test_program_and_interpreter_compute_what_jax_does(tmp_path):
    names = list(CASES)
    main, arrays, expected, value = differentiated(names, np.float32, random_seed())
    assert_close(names, run_program(main, arrays, tmp_path), expected, value, 4e-6)
    assert_close(names, interpret(main, arrays, tmp_path), expected, value, 4e-6)


def test_program_in_bfloat16(tmp_path):
    """Operands of 8 bits: scores and sums are made in f32, where JAX rounds in
    between, so both are held against float64."""
    names = ["grouped", "across"]
    main, arrays, expected, value = differentiated(names, ml_dtypes.bfloat16, random_seed())
    actual = run_program(main, arrays, tmp_path)
    assert_close(names, actual, expected, value, 1e-2)


# What may be a ring: as many keys as queries, for each of several ranks.
RINGS = [
    "causal", "masked", "masked_and_causal", "biased", "biased_and_causal", "grouped", "grouped_of_jax",
    "one_head_of_one_sample",
]  # fmt: skip
PARTITION = ["--insert-reshards", "--reshards-to-collectives", "--global-to-local", "--cse"]


def with_mesh(text, ranks):
    mesh = f'sdy.mesh @mesh = <["ring"={ranks}]>'
    if mesh in text:
        return text
    return re.sub(r"(module[^\n]*\{\n)", rf"\1{mesh}\n", text, count=1)


def dealt(text, ranks):
    """The graph with the positions of its causal attention dealt out to ranks, in
    which its order is all that is new."""

    def mark(match):
        batches = match[3].split(">")[0].count("x") - 3
        axes = ", ".join(["{}"] * (batches + 1) + ['{"ring"}'])
        marks = f"{{smith.factor_axes = #smith.factor_axes<[{axes}]>}}"
        return f"smith.attention {match[1]} ring scale = {match[2]} {marks} : ({match[3]}"

    text = re.sub(r"smith\.attention ([^:\n]*?) scale = (\S+) : \(([^\n]*)", mark, text)
    text = run_opt(with_mesh(text, ranks), "--deal-positions")
    text = re.sub(r" \{smith\.factor_axes = [^\n]*?>\}", "", text)
    return re.sub(r" ring scale", " scale", text)


class Dividing:
    """Draws as a generator does, but of ranges as long as those of positions only
    what an even number of parts per rank divides."""

    def __init__(self, generator, ranks):
        self.generator, self.parts = generator, 2 * ranks

    def __getattr__(self, name):
        return getattr(self.generator, name)

    def integers(self, low, high=None, **others):
        drawn = self.generator.integers(low, high, **others)
        if high is None or high - low < 100:
            return drawn
        return max(drawn // self.parts, 1) * self.parts


def in_ring(text, ranks):
    """The program of one of several ranks, over which positions are split."""

    def split(match):
        op, types = match[1], match[4]
        groups = []
        for shape in re.findall(r"tensor<([^>]*)>", types.split("->")[1]):
            groups.append(["{}"] * shape.count("x"))
        if op == "attention":
            positions = [len(groups[0]) - 2, len(groups[1]) - 1]
        else:
            positions = [len(group) - 2 for group in groups]
        for group, position in zip(groups, positions):
            group[position] = '{"ring"}'
        order = re.search(" ring zigzag = [0-9]+", match[2])
        inputs = match[2].replace(order[0], "") if order else match[2]
        layouts = ", ".join(f"<@mesh, [{', '.join(group)}]>" for group in groups)
        sharding = f"{{sdy.sharding = #sdy.sharding_per_value<[{layouts}]>}}"
        ring = order[0] if order else " ring"
        return f"smith.{op} {inputs}{ring} scale = {match[3]} {sharding} : {types}"

    pattern = r"smith\.(attention(?:_gradient)?) ([^:\n]*?) scale = (\S+) : ([^\n]*)"
    text = re.sub(pattern, split, text)
    local = run_opt(with_mesh(text, ranks), *PARTITION)
    assert ops(local) == (0, 0) and "partial_attention_gradient" in local
    return local


# Lengths that ranks do not divide are drawn, too, and some hold no position.
@pytest.mark.parametrize("ranks", [2, 4])
def test_ring_computes_what_jax_does(tmp_path, ranks):
    main, arrays, expected, value = differentiated(RINGS, np.float32, random_seed())
    local = in_ring(main, ranks)
    program = run_program(local, arrays, tmp_path, ranks)
    assert_close(RINGS, program, expected, value, 4e-6)
    devices = interpret(local, arrays, tmp_path)
    assert_close(RINGS, devices, expected, value, 4e-6)


def test_ring_in_bfloat16(tmp_path):
    """Sums that go around are f32, so that more ranks do not round more."""
    names = ["grouped"]
    main, arrays, expected, value = differentiated(names, ml_dtypes.bfloat16, random_seed())
    local = in_ring(main, 3)
    sent = re.findall(r"collective_permute [^\n]*tensor<[\dx]*(\w+)>", local)
    # Keys are passed on twice, forward and backward; values, which JAX has in
    # f32 here, too; and the sums of both gradients.
    assert sorted(sent) == ["bf16"] * 4 + ["f32"] * (4 + 2 * 2)
    assert_close(names, run_program(local, arrays, tmp_path, 3), expected, value, 1e-2)


# T5 learns the bias of attention to the same sequence, not of that across.
FOUND = {"mixtral": 4, "deepseek": 4, "qwen3-moe": 4, "bert": 4, "vit": 4, "t5": 4}


@pytest.mark.parametrize("model", CONFIGURATIONS)
def test_attention_of_configurations_is_one_op(tmp_path, model):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIGURATIONS[model][0]))
    length = [] if model == "vit" else ["--seq", "8"]
    text = run_tool("shardsmith", "import", path, "--global-batch", 4, "--dtype", "f32", *length)
    assert ops(run_opt(text, RECOGNIZE)) == (FOUND[model], 0)


SHAPES = {"n_embd": 64, "n_layer": 2, "n_head": 2, "vocab_size": 64, "n_positions": 1024}


def test_the_plan_of_buffers_has_no_room_for_all_scores(tmp_path):
    """Of GPT-2 with 1024 positions, whose scores are 1024² · 2 heads of f32."""
    model = tmp_path / "config.json"
    model.write_text(json.dumps({"model_type": "gpt2"} | SHAPES))
    peaks, losses = [], []
    for scores in ("1048577", "1048576"):
        folder = tmp_path / scores
        shardsmith(
            "compile", model, "--seq", 1024, "--global-batch", 1, "--dtype", "f32",
            "--cluster", "cpu:1", "--attention-scores", scores, "-o", folder,
        )  # fmt: skip
        plan = json.loads((folder / "plan.json").read_text())["prediction"]["train_step"]
        peaks.append(plan["memory_bytes_per_rank"]["peak"])
        report = json.loads(run_tool("shardsmith", "run", folder, "--steps", 2, "--json"))
        losses.append(report["losses"])
    # Forward and backward scores of one layer at least, and the probabilities
    # that the other keeps.
    assert peaks[0] - peaks[1] > 2 * 1024**2 * 2 * 4, peaks
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-5)


def test_zigzag_computes_what_jax_does(tmp_path):
    """With the same inputs as ever: that positions are in another order inside is
    not to be seen from outside."""
    seed = random_seed()
    ranks = 2 + seed % 3
    main, arrays, expected, value = differentiated(RINGS, np.float32, seed, ranks)
    assert main.count("zigzag") == 2 * 6
    local = in_ring(main, ranks)
    assert "zigzag scale" in local
    program = run_program(local, arrays, tmp_path, ranks)
    assert_close(RINGS, program, expected, value, 4e-6)
    assert_close(RINGS, interpret(local, arrays, tmp_path), expected, value, 4e-6)
    assert_close(RINGS, interpret(main, arrays, tmp_path), expected, value, 4e-6)
