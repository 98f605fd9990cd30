# SPDX-License-Identifier: Apache-2.0
"""What the models of this folder share: their registry, and layers as functions
of parameters."""

from dataclasses import dataclass, field
from typing import Any, Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

MODELS = {}


@dataclass(frozen=True)
class ZooModel:
    """A loss and what it is given.

    `batch` has a shape for every array of floats, and (shape, limit) for
    integers below a limit.
    """

    loss: Callable
    params: Any
    batch: dict
    limits: dict = field(default_factory=dict)


def model(build):
    """Registers a function from a source of parameters to a ZooModel."""
    MODELS[build.__name__] = build
    return build


class Parameters:
    """Draws initial values."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def key(self):
        """For libraries that draw their initial values themselves."""
        return jax.random.key(int(self.random.integers(2**31)))

    def normal(self, *shape, scale=None):
        """Weights whose results have the size of their inputs."""
        fan = int(np.prod(shape[:-1])) or 1
        scale = fan**-0.5 if scale is None else scale
        return (scale * self.random.normal(size=shape)).astype(np.float32)

    def zeros(self, *shape):
        return np.zeros(shape, np.float32)

    def ones(self, *shape):
        return np.ones(shape, np.float32)

    def dense(self, inputs, outputs):
        return {"w": self.normal(inputs, outputs), "b": self.zeros(outputs)}

    def conv(self, *window_and_features, bias=True):
        """Without bias in front of a norm, which takes it away again."""
        weights = {"w": self.normal(*window_and_features)}
        if bias:
            weights["b"] = self.zeros(window_and_features[-1])
        return weights

    def norm(self, features):
        return {"scale": self.ones(features), "offset": self.zeros(features)}


def arrays(tree):
    """A tree of arrays of numpy."""
    return jax.tree.map(np.asarray, tree)


def floats(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.float32)


def integers(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.int32)


def images(samples, size, channels, classes):
    """Batch and limits of a classifier of images."""
    batch = {"image": floats(samples, size, size, channels), "label": integers(samples)}
    return batch, {"label": classes}


def dense(p, x):
    return x @ p["w"] + p["b"]


def mlp(layers, x, activation=jax.nn.relu):
    for layer in layers[:-1]:
        x = activation(dense(layer, x))
    return dense(layers[-1], x)


_SPACES = {1: ("NWC", "WIO", "NWC"), 2: ("NHWC", "HWIO", "NHWC"), 3: ("NDHWC", "DHWIO", "NDHWC")}


def conv(p, x, stride=1, padding="SAME", dilation=1, groups=1):
    space = x.ndim - 2
    result = lax.conv_general_dilated(
        x,
        p["w"],
        (stride,) * space,
        padding,
        rhs_dilation=(dilation,) * space,
        dimension_numbers=_SPACES[space],
        feature_group_count=groups,
    )
    return result + p["b"] if "b" in p else result


def upsample(p, x):
    """A transposed convolution with stride two."""
    return p["b"] + lax.conv_transpose(x, p["w"], (2,) * (x.ndim - 2), "SAME")


def max_pool(x, size=2, stride=2, padding="VALID"):
    window, strides = ((1, n, n, 1) for n in (size, stride))
    return lax.reduce_window(x, -jnp.inf, lax.max, window, strides, padding)


def mean_pool(x, size=2, stride=2):
    window, strides = ((1, n, n, 1) for n in (size, stride))
    return lax.reduce_window(x, 0.0, lax.add, window, strides, "VALID") / size**2


def normalize(x, axes):
    mean = x.mean(axes, keepdims=True)
    variance = ((x - mean) ** 2).mean(axes, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5)


def layer_norm(p, x):
    return normalize(x, -1) * p["scale"] + p["offset"]


def group_norm(p, x, groups):
    *outer, features = x.shape
    parts = x.reshape(outer[0], -1, groups, features // groups)
    return normalize(parts, (1, 3)).reshape(x.shape) * p["scale"] + p["offset"]


def batch_norm(p, x):
    """Over the batch, as in training."""
    return normalize(x, tuple(range(x.ndim - 1))) * p["scale"] + p["offset"]


def cross_entropy(logits, labels):
    logs = jax.nn.log_softmax(logits)
    return -jnp.take_along_axis(logs, labels[:, None], -1).mean()


def attention(p, x, heads):
    batch, length, width = x.shape
    split = lambda t: t.reshape(batch, length, heads, -1).transpose(0, 2, 1, 3)
    q, v = (split(dense(p[name], x)) for name in "qv")
    k = split(x @ p["k"])  # A bias of keys would have no gradient.
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) * (width // heads) ** -0.5
    mixed = jax.nn.softmax(scores) @ v
    return dense(p["out"], mixed.transpose(0, 2, 1, 3).reshape(x.shape))


def attention_parameters(draw, width):
    dense = {name: draw.dense(width, width) for name in ("q", "v", "out")}
    return {"k": draw.normal(width, width), **dense}
