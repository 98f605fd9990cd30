# SPDX-License-Identifier: Apache-2.0
"""Activations, by their formulas, with PyTorch's derivatives at their bends."""

import math

from shardsmith._torch.ops._table import op


@op("relu.default")
def relu(call, self):
    """A choice, so that the derivative at 0 is 0."""
    return call.build.select(call.build.compare("LE", self, 0), 0, self)


@op("hardtanh.default")
def hardtanh(call, self, min_val=-1.0, max_val=1.0):
    """At its bounds the derivative is 0."""
    build, x = call.build, self
    x = build.select(build.compare("GE", x, max_val), max_val, x)
    return build.select(build.compare("LE", self, min_val), min_val, x)


@op("relu6.default")
def relu6(call, self):
    return hardtanh(call, self, 0, 6)


@op("leaky_relu.default")
def leaky_relu(call, self, negative_slope=0.01):
    build = call.build
    scaled = build.multiply(self, negative_slope)
    return build.select(build.compare("GT", self, 0), self, scaled)


@op("prelu.default", "_prelu_kernel.default")
def prelu(call, self, weight):
    build = call.build
    if weight.rank == 1 and self.rank > 1:
        weight = build.broadcast_in_dim(weight, (1, weight.shape[0]), [1])
        weight = build.reshape(weight, [1, weight.shape[1], *[1] * (self.rank - 2)])
    scaled = build.multiply(self, build.broadcast(weight, self.shape))
    return build.select(build.compare("GT", self, 0), self, scaled)


@op("elu.default")
def elu(call, self, alpha=1.0, scale=1.0, input_scale=1.0):
    """The branch that is not taken must not overflow: its gradient would be no
    number."""
    build = call.build
    held = build.multiply(build.minimum(self, 0), input_scale)
    low = build.multiply(build.unary("exponential_minus_one", held), alpha * scale)
    high = build.multiply(self, scale)
    return build.select(build.compare("GT", self, 0), high, low)


@op("selu.default")
def selu(call, self):
    return elu(call, self, 1.6732632423543772, 1.0507009873554805)


@op("gelu.default")
def gelu(call, self, approximate="none"):
    build, x = call.build, self
    if approximate == "none":
        inner = build.unary("chlo.erf", build.multiply(x, math.sqrt(0.5)))
    else:
        cube = build.multiply(build.multiply(x, x), x)
        inner = build.add(x, build.multiply(cube, 0.044715))
        inner = build.unary("tanh", build.multiply(inner, math.sqrt(2 / math.pi)))
    return build.multiply(build.multiply(x, 0.5), build.add(inner, 1))


@op("silu.default")
def silu(call, self):
    return call.build.multiply(self, call.build.unary("logistic", self))


def _softplus(build, x):
    """log(1 + eˣ) = max(x, 0) + log1p(e^-|x|)."""
    size = build.unary("abs", x)
    tail = build.unary("log_plus_one", build.unary("exponential", build.unary("negate", size)))
    return build.add(build.maximum(x, 0), tail)


@op("softplus.default")
def softplus(call, self, beta=1, threshold=20):
    build = call.build
    scaled = build.multiply(self, beta) if beta != 1 else self
    curved = _softplus(build, scaled)
    curved = build.divide(curved, beta) if beta != 1 else curved
    return build.select(build.compare("GT", scaled, threshold), self, curved)


@op("log_sigmoid_forward.default")
def log_sigmoid_forward(call, self):
    build = call.build
    return build.unary("negate", _softplus(build, build.unary("negate", self))), None


@op("log_sigmoid.default")
def log_sigmoid(call, self):
    return log_sigmoid_forward(call, self)[0]


@op("mish.default")
def mish(call, self):
    build = call.build
    return build.multiply(self, build.unary("tanh", _softplus(build, self)))


@op("hardsigmoid.default")
def hardsigmoid(call, self):
    build = call.build
    moved = build.divide(build.add(self, 3), 6)
    return hardtanh(call, moved, 0, 1)


@op("hardswish.default")
def hardswish(call, self):
    return call.build.multiply(self, hardsigmoid(call, self))


@op("softshrink.default")
def softshrink(call, self, lambd=0.5):
    build = call.build
    above = build.select(
        build.compare("GT", self, lambd), build.subtract(self, lambd), build.like(self, 0)
    )
    return build.select(build.compare("LT", self, -lambd), build.add(self, lambd), above)
