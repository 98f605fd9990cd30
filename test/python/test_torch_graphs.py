# SPDX-License-Identifier: Apache-2.0
"""Recorded PyTorch graphs are translated without PyTorch: the text means what
the model is in JAX, operators have a page, and errors are sentences."""

import json
import re
import sys

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from compiler_tools import run_opt, run_xla  # noqa: E402
from seeds import random_seed  # noqa: E402
from tools import ROOT  # noqa: E402

sys.path[:0] = [str(ROOT / "python"), str(ROOT / "test/models")]

from make_torch_graphs import RECORDED, path_of  # noqa: E402

from shardsmith._errors import ExportError  # noqa: E402
from shardsmith._stablehlo import Builder, TensorType  # noqa: E402
from shardsmith._stablehlo.elements import number_text  # noqa: E402
from shardsmith._torch.graph import (  # noqa: E402
    Graph,
    Input,
    Node,
    Output,
    Ref,
    from_json,
    to_json,
)
from shardsmith._torch.ops import FAMILIES, TABLE  # noqa: E402
from shardsmith._torch.translate import translate  # noqa: E402

DTYPES = {"f32": np.float32, "i64": np.int64, "ui32": np.uint32}


def recorded(name):
    return from_json(path_of(name).read_text())


def draw(graph, seed):
    """Values of all arguments, by name."""
    rng = np.random.default_rng(seed)
    values = {}
    for each in graph.inputs:
        dtype, shape = DTYPES[each.type.element], each.type.shape
        if each.numbers is not None:
            continue
        name = each.attributes["smith.name"]
        if np.issubdtype(dtype, np.integer):
            limit = each.attributes.get("smith.limit", 5)
            values[name] = rng.integers(0, limit, shape).astype(dtype)
        else:
            values[name] = (rng.normal(size=shape) * 0.3 + name.endswith("var")).astype(dtype)
    return values


# --- The models again, in JAX ------------------------------------------------


def layer_norm(p, name, x):
    x = x - x.mean(-1, keepdims=True)
    x = x / jnp.sqrt((x**2).mean(-1, keepdims=True) + 1e-5)
    return x * p[name + ".weight"] + p[name + ".bias"]


def dense(p, name, x):
    return x @ p[name + ".weight"].T + p[name + ".bias"]


def cross_entropy(scores, labels):
    return -jnp.take_along_axis(jax.nn.log_softmax(scores), labels[..., None], -1).mean()


def gpt(p):
    tokens = p["batch.tokens"]
    x = p["wte.weight"][tokens] + p["wpe.weight"][: tokens.shape[1]]
    for i in range(2):
        y = dense(p, f"h.{i}.attn", layer_norm(p, f"h.{i}.ln_1", x))
        q, k, v = (part.reshape(*x.shape[:2], 4, -1) for part in jnp.split(y, 3, -1))
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(q.shape[-1])
        scores = jnp.where(np.triu(np.ones(scores.shape[-2:], bool), 1), -jnp.inf, scores)
        mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v)
        x = x + dense(p, f"h.{i}.proj", mixed.reshape(x.shape))
        y = dense(p, f"h.{i}.up", layer_norm(p, f"h.{i}.ln_2", x))
        x = x + dense(p, f"h.{i}.down", jax.nn.gelu(y, approximate=True))
    return cross_entropy(layer_norm(p, "ln_f", x) @ p["wte.weight"].T, p["batch.labels"]), {}


def convolve(x, kernel, stride, padding):
    return jax.lax.conv_general_dilated(x, kernel, (stride,) * 2, [(padding,) * 2] * 2)


def batch_norm(p, name, x, states):
    mean, variance = x.mean((0, 2, 3)), x.var((0, 2, 3))
    count = x.size / x.shape[1]
    for word, new in (("mean", mean), ("var", variance * count / (count - 1))):
        running = f"{name}.running_{word}"
        states[running] = 0.9 * p[running] + 0.1 * new
    shape = (1, -1, 1, 1)
    x = (x - mean.reshape(shape)) / jnp.sqrt(variance.reshape(shape) + 1e-5)
    return x * p[name + ".weight"].reshape(shape) + p[name + ".bias"].reshape(shape)


def resnet(p):
    states = {}
    x = convolve(p["batch.image"], p["stem.weight"], 2, 3)
    x = jax.nn.relu(batch_norm(p, "norm", x, states))
    window = (1, 1, 3, 3), (1, 1, 2, 2), ((0, 0), (0, 0), (1, 1), (1, 1))
    x = jax.lax.reduce_window(x, -np.inf, jax.lax.max, *window)
    for i, stride in enumerate((1, 2)):
        name = f"blocks.{i}."
        y = convolve(x, p[name + "conv1.weight"], stride, 1)
        y = jax.nn.relu(batch_norm(p, name + "norm1", y, states))
        y = batch_norm(p, name + "norm2", convolve(y, p[name + "conv2.weight"], 1, 1), states)
        short = name + "short.weight"
        x = jax.nn.relu(y + (convolve(x, p[short], stride, 0) if short in p else x))
    return cross_entropy(dense(p, "fc", x.mean((2, 3))), p["batch.label"]), states


ORACLES = {"gpt": gpt, "resnet-batch-norm": resnet}


@pytest.mark.parametrize("name", RECORDED)
def test_text_means_the_model(name):
    """Loss, gradients and states, by XLA from the text in float32 and by JAX in
    float64. A train step of this size is nothing but gradient."""
    graph, rate = recorded(name), 4096
    values = draw(graph, random_seed())
    step = run_opt(translate(graph), "--import", f"--train=optimizer=sgd learning-rate={rate}")
    with jax.enable_x64(True):
        results = run_xla(step, list(values.values()))
    line = step.split(") -> (", 1)[1].splitlines()[0]
    got = dict(zip(re.findall(r'smith\.name = "([^"]*)"', line), results))

    params = {
        each.attributes["smith.name"]
        for each in graph.inputs
        if each.attributes.get("smith.role") == "param"
    }
    with jax.enable_x64(True):
        wide = {
            each: jnp.asarray(v, jnp.float64 if v.dtype.kind == "f" else v.dtype)
            for each, v in values.items()
        }
        split = {n: wide.pop(n) for n in params}
        (loss, states), gradients = jax.value_and_grad(
            lambda trained: ORACLES[name](trained | wide), has_aux=True
        )(split)
    for each in params:
        got[each] = (values[each] - got[each].astype(np.float64)) / rate
    wanted = gradients | states | {"loss": loss}
    assert set(wanted) <= set(got)
    for each, value in wanted.items():
        scale = max(np.abs(value).max(), 1e-3)
        np.testing.assert_allclose(got[each], value, atol=2e-5 * scale, rtol=1e-4, err_msg=each)


@pytest.mark.parametrize("name", RECORDED)
def test_graphs_go_to_json_and_back(name):
    text = path_of(name).read_text()
    assert to_json(from_json(text)) + "\n" == text


# --- Operators ---------------------------------------------------------------


def test_the_page_lists_all_operators():
    page = (ROOT / "docs/export-from-pytorch.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| (`.*`) \|$", page, re.M)
    listed = {family: re.findall(r"`([^`]+)`", names) for family, names in rows}
    there = {
        family: sorted(
            {
                target.removeprefix("aten.").split(".")[0]
                for target, function in TABLE.items()
                if function.__module__ == module.__name__
            }
        )
        for family, module in FAMILIES.items()
    }
    assert listed == there


def graph_of(target, *args, shape=(2, 3), where="model.py:7", **named):
    """A model that is the sum of one op of a parameter x."""
    kind = TensorType(shape, "f32")
    attributes = {"smith.role": "param", "smith.name": "x", "smith.init": "zeros"}
    return Graph(
        "one",
        [Input("x", TensorType((2, 3), "f32"), attributes)],
        [
            Node("y", target, [Ref("x"), *args], named, [kind], where),
            Node("z", "aten.sum.default", [Ref("y")], {}, [TensorType((), "f32")]),
        ],
        [Output(Ref("z"), {"smith.role": "loss", "smith.name": "loss"})],
    )


def test_slices_are_written_as_numpy_writes_them():
    """Slices with and without steps, also empty ones and ones past the end."""
    rng = np.random.default_rng(random_seed())
    inputs, nodes, outputs, values, wanted = [], [], [], [], []

    def argument(name, value):
        attributes = {"smith.role": "batch", "smith.name": f"batch.{name}", "smith.batch_dim": 0}
        inputs.append(Input(name, TensorType(value.shape, "f32"), attributes))
        values.append(value)
        return Ref(name)

    for i in range(12):
        size = rng.integers(1, 12)
        bounds = [int(each) for each in np.sort(rng.integers(-size, size + 3, 2))]
        step = int(rng.integers(1, 5))
        old = rng.normal(size=(2, size, 3)).astype(np.float32)
        result = old.copy()
        new = rng.normal(size=result[:, slice(*bounds, step)].shape).astype(np.float32)
        result[:, slice(*bounds, step)] = new
        wanted.append(result)
        args = [argument(f"x{i}", old), argument(f"y{i}", new), 1, *bounds, step]
        kind = TensorType(old.shape, "f32")
        nodes.append(Node(f"z{i}", "aten.slice_scatter.default", args, {}, [kind]))
        attributes = {"smith.role": "output", "smith.name": f"aux[{i}]"}
        outputs.append(Output(Ref(f"z{i}"), attributes))
    nodes.append(Node("loss", "aten.sum.default", [Ref("z0")], {}, [TensorType((), "f32")]))
    outputs.insert(0, Output(Ref("loss"), {"smith.role": "loss", "smith.name": "loss"}))
    text = translate(Graph("writes", inputs, nodes, outputs))
    for got, result in zip(run_xla(run_opt(text), values)[1:], wanted, strict=True):
        np.testing.assert_array_equal(got, result)


def test_unknown_operators_are_named_all_at_once():
    graph = graph_of("aten.special_thing.default")
    graph.nodes.insert(1, Node("w", "mine::op", [Ref("y")], {}, [], "other.py:9"))
    with pytest.raises(ExportError) as caught:
        translate(graph)
    message = str(caught.value)
    assert message.startswith("2 of the model's operators have no translation")
    assert "aten.special_thing.default at model.py:7" in message
    assert "mine::op at other.py:9" in message


@pytest.mark.parametrize(
    "graph, message",
    [
        (graph_of("aten.einsum.default"), None),
        (graph_of("aten.histc.default", 4), "give min and max"),
        (graph_of("aten._adaptive_avg_pool2d.default", [1, 2]), "2 windows do not divide 3"),
    ],
)
def test_operators_in_a_form_without_translation_say_why(graph, message):
    if message is None:
        node = graph.nodes[0]
        node.args = ["...i->i", [Ref("x")]]
        message = "ellipsis"
    with pytest.raises(ExportError, match=f"at model.py:7: .*{message}"):
        translate(graph)


def test_shapes_other_than_pytorchs_are_a_fault_of_the_translation():
    with pytest.raises(AssertionError, match="was translated to tensor<2x3xf32>"):
        translate(graph_of("aten.relu.default", shape=(3, 2)))


def test_numbers_are_written_as_mlir_reads_them():
    numbers = [(1e-5, "f32"), (float("inf"), "f32"), (float("-inf"), "bf16"), (float("nan"), "f64"),
               (1e39, "f32"), (7, "f16"), (-3, "i64"), (True, "i1")]  # fmt: skip
    build = Builder()
    for number, element in numbers:
        build.full((2,), number, element)
    body = "\n".join(build.lines)
    printed = run_opt(f"func.func @f() {{\n{body}\nreturn\n}}")
    for word in ("0x7F800000", "0xFF80", "0x7FF8000000000000", "-3 : i64", "true"):
        assert word.split(" ")[0] in printed
    assert number_text(1e39, "f32") == "0x7F800000"


def test_each_recorded_line_is_of_the_models_own_file():
    for name in RECORDED:
        nodes = json.loads(path_of(name).read_text())["nodes"]
        assert {node["where"] for node in nodes} <= {"torch_zoo.py", ""}
