# SPDX-License-Identifier: Apache-2.0
"""Small ONNX models as exporters write them, each with the same loss in JAX.

A model is (ONNX model, loss function of (parameters, batch) in JAX). Initial
values are drawn anew from the seed and stand in the file as initializers.
"""

import math

import jax
import jax.numpy as jnp
import numpy as np
from onnx import TensorProto, helper, numpy_helper

OPSET = 17


class Graph:
    """Collects nodes and initializers; every node has one result."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.nodes, self.initializers, self.inputs = [], [], []

    def param(self, name, *shape, scale=0.3, around=0.0):
        value = (around + scale * self.random.standard_normal(shape)).astype(np.float32)
        self.initializers.append(numpy_helper.from_array(value, name))
        return name

    def constant(self, value, dtype=np.int64):
        array = np.asarray(value, dtype)
        return self("Constant", value=numpy_helper.from_array(array))

    def input(self, name, shape, kind=TensorProto.FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def __call__(self, op, *inputs, **attributes):
        result = f"/{op}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [result], name=result, **attributes))
        return result

    def model(self, output, shape, opset=OPSET, **options):
        out = helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)
        graph = helper.make_graph(self.nodes, "main_graph", self.inputs, [out], self.initializers)
        sets = [helper.make_opsetid("", opset)]
        return helper.make_model(graph, opset_imports=sets, ir_version=8, **options)


def cross_entropy(logits, labels):
    logs = jax.nn.log_softmax(logits, axis=-1)
    return -jnp.mean(jnp.take_along_axis(logs, labels[..., None], axis=-1))


def mlp(seed):
    g = Graph(seed)
    x = g.input("x", ["batch", 12])
    h = g("Gemm", x, g.param("fc1.weight", 16, 12), g.param("fc1.bias", 16), transB=1)
    h = g("Relu", h)
    y = g("Gemm", h, g.param("fc2.weight", 8, 16), g.param("fc2.bias", 8), transB=1)

    def loss(p, b):
        h = jax.nn.relu(b["x"] @ p["fc1.weight"].T + p["fc1.bias"])
        return cross_entropy(h @ p["fc2.weight"].T + p["fc2.bias"], b["labels"])

    return g.model(y, ["batch", 8]), loss, ["--loss", "cross-entropy:labels"]


def cnn(seed):
    """A convolution, batch normalisation that trains, pools, and the flattening
    that `x.view(x.size(0), -1)` exports."""
    g = Graph(seed)
    x = g.input("x", ["batch", 3, 8, 8])
    h = g("Conv", x, g.param("conv.weight", 8, 3, 3, 3), g.param("conv.bias", 8),
          kernel_shape=[3, 3], pads=[1, 1, 1, 1])  # fmt: skip
    names = [g.param("bn.weight", 8, around=1.0), g.param("bn.bias", 8),
             g.param("bn.running_mean", 8), g.param("bn.running_var", 8, around=2.0)]  # fmt: skip
    g.nodes.append(
        helper.make_node("BatchNormalization", [h, *names], ["bn", "mean'", "var'"],
                         training_mode=1, epsilon=1e-5)  # fmt: skip
    )
    h = g("MaxPool", g("Relu", "bn"), kernel_shape=[2, 2], strides=[2, 2])
    h = g("AveragePool", h, kernel_shape=[2, 2], strides=[1, 1])
    rows = g("Unsqueeze", g("Gather", g("Shape", h), g.constant(0)), g.constant([0]))
    h = g("Reshape", h, g("Concat", rows, g.constant([-1]), axis=0))
    y = g("MatMul", h, g.param("head.weight", 72, 5))

    def loss(p, b):
        numbers = ("NCHW", "OIHW", "NCHW")
        h = jax.lax.conv_general_dilated(
            b["x"], p["conv.weight"], (1, 1), [(1, 1)] * 2, dimension_numbers=numbers
        )
        h = h + p["conv.bias"][:, None, None]
        mean = h.mean((0, 2, 3), keepdims=True)
        var = ((h - mean) ** 2).mean((0, 2, 3), keepdims=True)
        h = (h - mean) / jnp.sqrt(var + 1e-5)
        h = jax.nn.relu(h * p["bn.weight"][:, None, None] + p["bn.bias"][:, None, None])
        window = lambda h, init, op, stride: jax.lax.reduce_window(
            h, init, op, (1, 1, 2, 2), (1, 1, stride, stride), "VALID"
        )
        h = window(h, -jnp.inf, jax.lax.max, 2)
        h = window(h, 0.0, jax.lax.add, 1) / 4
        return cross_entropy(h.reshape(len(h), -1) @ p["head.weight"], b["labels"])

    return g.model(y, ["batch", 5]), loss, ["--loss", "cross-entropy:labels"]


def transformer(seed, heads=4, width=32, words=24):
    """A decoder block with its embedding and tied head: sizes are taken from
    the input's shape, the mask is computed, and the loss is in the graph."""
    g = Graph(seed)
    tokens = g.input("tokens", ["batch", "sequence"], TensorProto.INT64)
    labels = g.input("targets", ["batch", "sequence"], TensorProto.INT64)
    table = g.param("wte.weight", words, width)
    size = lambda value, i: g("Gather", g("Shape", value), g.constant(i))
    one = lambda value: g("Unsqueeze", value, g.constant([0]))
    shape = lambda *sizes: g("Concat", *sizes, axis=0)
    n, s = size(tokens, 0), size(tokens, 1)
    positions = g("Range", g.constant(0), s, g.constant(1))
    x = g("Add", g("Gather", table, tokens),
          g("Gather", g.param("wpe.weight", 64, width), positions))  # fmt: skip

    def norm(value, name):
        # The decomposition that exporters wrote before opset 17.
        centred = g("Sub", value, g("ReduceMean", value, axes=[-1]))
        squares = g("Pow", centred, g.constant(2.0, np.float32))
        deviation = g("Sqrt", g("Add", g("ReduceMean", squares, axes=[-1]),
                                g.constant(1e-5, np.float32)))  # fmt: skip
        scaled = g("Mul", g("Div", centred, deviation),
                   g.param(f"{name}.weight", width, around=1.0))  # fmt: skip
        return g("Add", scaled, g.param(f"{name}.bias", width))

    h = norm(x, "ln_1")
    qkv = g("Add", g("MatMul", h, g.param("attn.weight", width, 3 * width)),
            g.param("attn.bias", 3 * width))  # fmt: skip
    g.nodes.append(helper.make_node(
        "Split", [qkv, g.constant([width] * 3)], ["q", "k", "v"], axis=2))  # fmt: skip
    split = shape(one(n), one(s), g.constant([heads]), g.constant([width // heads]))
    head = lambda value: g("Transpose", g("Reshape", value, split), perm=[0, 2, 1, 3])
    q, k, v = head("q"), head("k"), head("v")
    root = g("Sqrt", g("Cast", size(q, 3), to=TensorProto.FLOAT))
    scores = g("Div", g("MatMul", q, g("Transpose", k, perm=[0, 1, 3, 2])), root)
    full = g("ConstantOfShape", shape(one(s), one(s)),
             value=numpy_helper.from_array(np.ones(1, np.float32)))  # fmt: skip
    causal = g("Cast", g("Trilu", full, upper=0), to=TensorProto.BOOL)
    scores = g("Where", causal, scores, g.constant(-1e9, np.float32))
    mixed = g("MatMul", g("Softmax", scores, axis=-1), v)
    joined = g("Reshape", g("Transpose", mixed, perm=[0, 2, 1, 3]),
               shape(one(n), one(s), g.constant([width])))  # fmt: skip
    x = g("Add", x, g("MatMul", joined, g.param("proj.weight", width, width)))
    h = norm(x, "ln_2")
    h = g("MatMul", h, g.param("up.weight", width, 2 * width))
    erf = g("Erf", g("Div", h, g.constant(math.sqrt(2), np.float32)))
    h = g("Mul", g("Mul", h, g("Add", erf, g.constant(1.0, np.float32))),
          g.constant(0.5, np.float32))  # fmt: skip
    x = g("Add", x, g("MatMul", h, g.param("down.weight", 2 * width, width)))
    logits = g("MatMul", x, g("Transpose", table, perm=[1, 0]))
    flat = g("Reshape", logits, shape(g.constant([-1]), one(size(logits, 2))))
    loss_name = g("SoftmaxCrossEntropyLoss", flat, g("Reshape", labels, g.constant([-1])))

    def loss(p, b):
        n, s = b["tokens"].shape
        x = p["wte.weight"][b["tokens"]] + p["wpe.weight"][:s]

        def norm(x, name):
            mean = x.mean(-1, keepdims=True)
            var = ((x - mean) ** 2).mean(-1, keepdims=True)
            return (x - mean) / jnp.sqrt(var + 1e-5) * p[f"{name}.weight"] + p[f"{name}.bias"]

        qkv = norm(x, "ln_1") @ p["attn.weight"] + p["attn.bias"]
        q, k, v = (t.reshape(n, s, heads, -1).swapaxes(1, 2) for t in jnp.split(qkv, 3, -1))
        scores = q @ k.swapaxes(2, 3) / math.sqrt(width // heads)
        scores = jnp.where(jnp.tril(jnp.ones((s, s), bool)), scores, -1e9)
        mixed = (jax.nn.softmax(scores, -1) @ v).swapaxes(1, 2).reshape(n, s, width)
        x = x + mixed @ p["proj.weight"]
        h = jax.nn.gelu(norm(x, "ln_2") @ p["up.weight"], approximate=False)
        return cross_entropy((x + h @ p["down.weight"]) @ p["wte.weight"].T, b["targets"])

    return g.model(loss_name, []), loss, ["--dim", "sequence=16"]


MODELS = {"mlp": mlp, "cnn": cnn, "transformer": transformer}


def parameters(model):
    return {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
