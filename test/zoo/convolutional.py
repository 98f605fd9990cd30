# SPDX-License-Identifier: Apache-2.0
"""Convolutional networks in plain JAX, small but with every kind of layer."""

import jax
import jax.numpy as jnp

from parts import (
    ZooModel,
    attention,
    attention_parameters,
    batch_norm,
    conv,
    cross_entropy,
    dense,
    floats,
    group_norm,
    images,
    layer_norm,
    max_pool,
    mean_pool,
    model,
    upsample,
)


@model
def lenet(draw):
    """Convolutions without padding, maximum pools, dense layers."""
    params = {
        "conv": [draw.conv(5, 5, 1, 6), draw.conv(3, 3, 6, 12)],
        "dense": [draw.dense(4 * 4 * 12, 24), draw.dense(24, 10)],
    }

    def loss(p, batch):
        x = batch["image"]
        for layer in p["conv"]:
            x = max_pool(jnp.tanh(conv(layer, x, padding="VALID")))
        x = x.reshape(x.shape[0], -1)
        x = jax.nn.relu(dense(p["dense"][0], x))
        return cross_entropy(dense(p["dense"][1], x), batch["label"])

    return ZooModel(loss, params, *images(8, 24, 1, 10))


def resnet(draw, norm):
    def block(inputs, outputs):
        shortcut = draw.conv(1, 1, inputs, outputs)
        return {
            "conv1": draw.conv(3, 3, inputs, outputs, bias=False),
            "norm1": draw.norm(outputs),
            "conv2": draw.conv(3, 3, outputs, outputs, bias=False),
            "norm2": draw.norm(outputs),
            **({"shortcut": shortcut} if inputs != outputs else {}),
        }

    params = {
        "stem": draw.conv(7, 7, 3, 8, bias=False),
        "norm": draw.norm(8),
        "blocks": [block(8, 8), block(8, 16), block(16, 16)],
        "head": draw.dense(16, 10),
    }

    def apply_block(p, x, stride):
        y = jax.nn.relu(norm(p["norm1"], conv(p["conv1"], x, stride)))
        y = norm(p["norm2"], conv(p["conv2"], y))
        if "shortcut" in p:
            x = conv(p["shortcut"], x, stride)
        return jax.nn.relu(x + y)

    def loss(p, batch):
        x = conv(p["stem"], batch["image"], 2)
        x = max_pool(jax.nn.relu(norm(p["norm"], x)), 3, 2, "SAME")
        for layer, stride in zip(p["blocks"], (1, 2, 1)):
            x = apply_block(layer, x, stride)
        return cross_entropy(dense(p["head"], x.mean((1, 2))), batch["label"])

    return ZooModel(loss, params, *images(8, 32, 3, 10))


@model
def resnet_with_group_norm(draw):
    return resnet(draw, lambda p, x: group_norm(p, x, 4))


@model
def resnet_with_batch_norm(draw):
    """Means over the batch of all ranks."""
    return resnet(draw, batch_norm)


@model
def mobilenet(draw):
    """Inverted residuals with depthwise convolutions, and relu6."""
    params = {
        "stem": draw.conv(3, 3, 3, 8),
        "blocks": [
            {
                "expand": draw.conv(1, 1, 8, 24),
                "depthwise": draw.conv(3, 3, 1, 24, bias=False),
                "norm": draw.norm(24),
                "project": draw.conv(1, 1, 24, 8, bias=False),
                "projected": draw.norm(8),
            }
            for _ in range(2)
        ],
        "head": draw.dense(8, 10),
    }

    def loss(p, batch):
        x = conv(p["stem"], batch["image"], 2)
        for block in p["blocks"]:
            y = jax.nn.relu6(conv(block["expand"], x))
            y = conv(block["depthwise"], y, groups=24)
            y = jax.nn.relu6(batch_norm(block["norm"], y))
            x = x + batch_norm(block["projected"], conv(block["project"], y))
        return cross_entropy(dense(p["head"], x.mean((1, 2))), batch["label"])

    return ZooModel(loss, params, *images(8, 16, 3, 10))


@model
def convnext(draw):
    """Patch stem, 7x7 depthwise convolutions, layer norm and scaled residuals."""
    params = {
        "stem": draw.conv(4, 4, 3, 12),
        "blocks": [
            {
                "depthwise": draw.conv(7, 7, 1, 12),
                "norm": draw.norm(12),
                "up": draw.dense(12, 48),
                "down": draw.dense(48, 12),
                "gamma": 0.1 * draw.ones(12),
            }
            for _ in range(2)
        ],
        "shrink": draw.conv(2, 2, 12, 24),
        "head": draw.dense(24, 10),
    }

    def loss(p, batch):
        x = conv(p["stem"], batch["image"], 4, "VALID")
        for block in p["blocks"]:
            y = layer_norm(block["norm"], conv(block["depthwise"], x, groups=12))
            y = dense(block["down"], jax.nn.gelu(dense(block["up"], y)))
            x = x + block["gamma"] * y
        x = conv(p["shrink"], x, 2, "VALID")
        return cross_entropy(dense(p["head"], x.mean((1, 2))), batch["label"])

    return ZooModel(loss, params, *images(8, 32, 3, 10))


@model
def unet(draw):
    """Down by pools, up by transposed convolutions, skips by concatenation."""
    params = {
        "down": [draw.conv(3, 3, 1, 6), draw.conv(3, 3, 6, 12)],
        "middle": draw.conv(3, 3, 12, 12),
        "up": [draw.conv(2, 2, 12, 12), draw.conv(2, 2, 12, 6)],
        "join": [draw.conv(3, 3, 24, 12), draw.conv(3, 3, 12, 6)],
        "last": draw.conv(1, 1, 6, 1),
    }

    def loss(p, batch):
        x, skips = batch["image"], []
        for layer in p["down"]:
            x = jax.nn.silu(conv(layer, x))
            skips.append(x)
            x = max_pool(x)
        x = jax.nn.silu(conv(p["middle"], x))
        for up, join in zip(p["up"], p["join"]):
            x = jnp.concatenate([upsample(up, x), skips.pop()], -1)
            x = jax.nn.silu(conv(join, x))
        return ((conv(p["last"], x) - batch["target"]) ** 2).mean()

    shape = floats(8, 16, 16, 1)
    return ZooModel(loss, params, {"image": shape, "target": shape})


@model
def vision_transformer(draw):
    """Patches by a convolution, a class token, encoder blocks."""
    width = 24
    params = {
        "patch": draw.conv(4, 4, 3, width),
        "token": draw.normal(1, 1, width),
        "position": draw.normal(17, width, scale=0.02),
        "blocks": [
            {
                "norm1": draw.norm(width),
                "attention": attention_parameters(draw, width),
                "norm2": draw.norm(width),
                "up": draw.dense(width, 4 * width),
                "down": draw.dense(4 * width, width),
            }
            for _ in range(2)
        ],
        "norm": draw.norm(width),
        "head": draw.dense(width, 10),
    }

    def loss(p, batch):
        x = conv(p["patch"], batch["image"], 4, "VALID")
        x = x.reshape(x.shape[0], -1, width)
        token = jnp.broadcast_to(p["token"], (x.shape[0], 1, width))
        x = jnp.concatenate([token, x], 1) + p["position"]
        for block in p["blocks"]:
            x = x + attention(block["attention"], layer_norm(block["norm1"], x), 4)
            y = dense(block["up"], layer_norm(block["norm2"], x))
            x = x + dense(block["down"], jax.nn.gelu(y))
        x = layer_norm(p["norm"], x[:, 0])
        return cross_entropy(dense(p["head"], x), batch["label"])

    return ZooModel(loss, params, *images(8, 16, 3, 10))


@model
def densenet(draw):
    """Features that grow by concatenation, with mean pools in between."""
    params = {
        "stem": draw.conv(3, 3, 3, 8),
        "grow": [draw.conv(3, 3, 8 + 4 * i, 4) for i in range(3)],
        "shrink": draw.conv(1, 1, 20, 10),
        "head": draw.dense(10, 10),
    }

    def loss(p, batch):
        x = conv(p["stem"], batch["image"])
        for layer in p["grow"]:
            x = jnp.concatenate([x, conv(layer, jax.nn.relu(x))], -1)
        x = mean_pool(conv(p["shrink"], x))
        return cross_entropy(dense(p["head"], x.mean((1, 2))), batch["label"])

    return ZooModel(loss, params, *images(8, 12, 3, 10))


@model
def wavenet(draw):
    """Causal convolutions over time whose dilation doubles, gated."""
    channels = 8
    params = {
        "first": draw.conv(1, 1, channels),
        "layers": [
            {
                "filter": draw.conv(2, channels, channels),
                "gate": draw.conv(2, channels, channels),
                "skip": draw.conv(1, channels, channels),
            }
            for _ in range(4)
        ],
        "last": draw.conv(1, channels, 1),
    }

    def loss(p, batch):
        x = conv(p["first"], batch["wave"][:, :-1])
        skips = 0
        for i, layer in enumerate(p["layers"]):
            causal = dict(padding=[(2**i, 0)], dilation=2**i)
            y = jnp.tanh(conv(layer["filter"], x, **causal))
            y = y * jax.nn.sigmoid(conv(layer["gate"], x, **causal))
            y = conv(layer["skip"], y)
            skips, x = skips + y, x + y
        last = conv(p["last"], jax.nn.relu(skips))
        return ((last - batch["wave"][:, 1:]) ** 2).mean()

    return ZooModel(loss, params, {"wave": floats(8, 33, 1)})


@model
def video(draw):
    """Convolutions over time and two dimensions of space."""
    params = {
        "conv": [draw.conv(3, 3, 3, 2, 6), draw.conv(3, 3, 3, 6, 8)],
        "head": draw.dense(8, 10),
    }

    def loss(p, batch):
        x = batch["image"]
        for layer in p["conv"]:
            x = jax.nn.relu(conv(layer, x, 2))
        return cross_entropy(dense(p["head"], x.mean((1, 2, 3))), batch["label"])

    batch, limits = images(8, 8, 2, 10)
    return ZooModel(loss, params, {**batch, "image": floats(8, 6, 8, 8, 2)}, limits)


@model
def resnext(draw):
    """Convolutions in groups, a squeeze and an excitation."""
    params = {
        "stem": draw.conv(3, 3, 3, 16),
        "grouped": draw.conv(3, 3, 4, 16),
        "squeeze": draw.dense(16, 4),
        "excite": draw.dense(4, 16),
        "head": draw.dense(16, 10),
    }

    def loss(p, batch):
        x = jax.nn.relu(conv(p["stem"], batch["image"], 2))
        y = conv(p["grouped"], x, groups=4)
        weights = jax.nn.relu(dense(p["squeeze"], y.mean((1, 2))))
        weights = jax.nn.sigmoid(dense(p["excite"], weights))
        x = jax.nn.relu(x + y * weights[:, None, None])
        return cross_entropy(dense(p["head"], x.mean((1, 2))), batch["label"])

    return ZooModel(loss, params, *images(8, 16, 3, 10))
