# SPDX-License-Identifier: Apache-2.0
"""Ops that compute each element by itself. Where PyTorch's derivative differs
from that of the plain op, the formula is chosen so that it has PyTorch's."""

import math

from shardsmith._stablehlo import is_float
from shardsmith._torch.ops._table import op, promoted, refuse

# --- Unary ops ---------------------------------------------------------------

_UNARY = {
    "acos": "chlo.acos",
    "acosh": "chlo.acosh",
    "asin": "chlo.asin",
    "asinh": "chlo.asinh",
    "atan": "chlo.atan",
    "atanh": "chlo.atanh",
    "ceil": "ceil",
    "cos": "cosine",
    "cosh": "chlo.cosh",
    "erf": "chlo.erf",
    "erfc": "chlo.erfc",
    "erfinv": "chlo.erf_inv",
    "exp": "exponential",
    "expm1": "exponential_minus_one",
    "floor": "floor",
    "log": "log",
    "log1p": "log_plus_one",
    "lgamma": "chlo.lgamma",
    "digamma": "chlo.digamma",
    "neg": "negate",
    "round": "round_nearest_even",
    "rsqrt": "rsqrt",
    "sigmoid": "logistic",
    "sign": "sign",
    "sin": "sine",
    "sinh": "chlo.sinh",
    "sqrt": "sqrt",
    "tan": "tan",
    "tanh": "tanh",
}

# Integers stay as they are.
_ROUNDING = ("ceil", "floor", "round")


def _unary(name, operation):
    @op(f"{name}.default")
    def translate(call, self):
        if name in _ROUNDING and not is_float(self.element):
            return self
        return call.build.unary(operation, call.fit(self))


for _name, _operation in _UNARY.items():
    _unary(_name, _operation)


@op("abs.default")
def absolute(call, self):
    """x · sign(x), so that the derivative at 0 is 0."""
    if not is_float(self.element):
        return call.build.unary("abs", self)
    return call.build.multiply(self, call.build.unary("sign", self))


@op("reciprocal.default")
def reciprocal(call, self):
    x = call.fit(self)
    return call.build.divide(call.build.like(x, 1), x)


@op("log2.default")
def log2(call, self):
    return call.build.multiply(call.build.unary("log", call.fit(self)), 1 / math.log(2))


@op("log10.default")
def log10(call, self):
    return call.build.multiply(call.build.unary("log", call.fit(self)), 1 / math.log(10))


@op("exp2.default")
def exp2(call, self):
    return call.build.unary("exponential", call.build.multiply(call.fit(self), math.log(2)))


@op("trunc.default")
def trunc(call, self):
    build = call.build
    if not is_float(self.element):
        return self
    is_negative = build.compare("LT", self, 0)
    return build.select(is_negative, build.unary("ceil", self), build.unary("floor", self))


@op("logical_not.default")
def logical_not(call, self):
    return call.build.unary("not", call.build.convert(self, "i1"))


@op("bitwise_not.default")
def bitwise_not(call, self):
    return call.build.unary("not", self)


@op("isnan.default")
def isnan(call, self):
    if not is_float(self.element):
        return call.build.full(self.shape, False, "i1")
    return call.build.compare("NE", self, self)


@op("isinf.default")
def isinf(call, self):
    if not is_float(self.element):
        return call.build.full(self.shape, False, "i1")
    return call.build.compare("EQ", call.build.unary("abs", self), math.inf)


# --- Binary ops --------------------------------------------------------------


def _scaled(call, y, alpha):
    y = call.fit(y)
    return y if alpha == 1 else call.build.multiply(y, alpha)


@op("add.Tensor", "add.Scalar")
def add(call, self, other, alpha=1):
    if call.element == "i1":
        return call.build.binary("or", call.fit(self), call.fit(other))
    return call.build.add(call.fit(self), _scaled(call, other, alpha))


@op("sub.Tensor", "sub.Scalar")
def sub(call, self, other, alpha=1):
    return call.build.subtract(call.fit(self), _scaled(call, other, alpha))


@op("rsub.Tensor", "rsub.Scalar")
def rsub(call, self, other, alpha=1):
    return call.build.subtract(call.fit(other), _scaled(call, self, alpha))


@op("mul.Tensor", "mul.Scalar")
def mul(call, self, other):
    if call.element == "i1":
        return call.build.binary("and", call.fit(self), call.fit(other))
    return call.build.multiply(call.fit(self), call.fit(other))


@op("div.Tensor", "div.Scalar")
def div(call, self, other):
    return call.build.divide(call.fit(self), call.fit(other))


def _floor_divide(build, x, y):
    if is_float(x.element):
        return build.unary("floor", build.divide(x, y))
    # Integer division rounds towards zero: one less if signs differ and
    # something is left.
    quotient = build.binary("divide", x, y)
    rest = build.compare("NE", build.multiply(quotient, y), x)
    differ = build.compare("NE", build.unary("sign", x), build.unary("sign", y))
    return build.select(
        build.binary("and", rest, differ), build.subtract(quotient, 1), quotient
    )


@op("div.Tensor_mode", "div.Scalar_mode")
def div_mode(call, self, other, rounding_mode=None):
    build, x, y = call.build, call.fit(self), call.fit(other)
    if rounding_mode is None:
        return build.divide(x, y)
    if rounding_mode == "floor":
        return _floor_divide(build, x, y)
    return trunc(call, build.divide(x, y))


@op("floor_divide.default", "floor_divide.Scalar")
def floor_divide(call, self, other):
    return _floor_divide(call.build, call.fit(self), call.fit(other))


@op("remainder.Tensor", "remainder.Scalar")
def remainder(call, self, other):
    """With the sign of the divisor."""
    build, x, y = call.build, call.fit(self), call.fit(other)
    return build.subtract(x, build.multiply(_floor_divide(build, x, y), y))


@op("fmod.Tensor", "fmod.Scalar")
def fmod(call, self, other):
    return call.build.binary("remainder", call.fit(self), call.fit(other))


@op("pow.Tensor_Scalar")
def pow_scalar(call, self, exponent):
    """Small powers as products, which have derivatives everywhere."""
    build, x = call.build, call.fit(self)
    if exponent == 0:
        return build.like(x, 1)
    if exponent in (1, 2, 3, 4):
        square = build.multiply(x, x) if exponent > 1 else x
        return {1: x, 2: square}.get(exponent) or build.multiply(
            square, x if exponent == 3 else square
        )
    if is_float(x.element):
        if exponent == 0.5:
            return build.unary("sqrt", x)
        if exponent == -0.5:
            return build.unary("rsqrt", x)
        if exponent == -1:
            return build.divide(build.like(x, 1), x)
    return build.binary("power", x, build.like(x, exponent))


@op("pow.Tensor_Tensor", "pow.Scalar")
def pow_tensor(call, self, exponent):
    return call.build.binary("power", call.fit(self), call.fit(exponent))


@op("atan2.default")
def atan2(call, self, other):
    return call.build.binary("atan2", call.fit(self), call.fit(other))


@op("maximum.default")
def maximum(call, self, other):
    return call.build.maximum(call.fit(self), call.fit(other))


@op("minimum.default")
def minimum(call, self, other):
    return call.build.minimum(call.fit(self), call.fit(other))


@op("copysign.Tensor", "copysign.Scalar")
def copysign(call, self, other):
    build, x, y = call.build, call.fit(self), call.fit(other)
    size = build.unary("abs", x)
    return build.select(build.compare("LT", y, 0), build.unary("negate", size), size)


def _bitwise(name, operation):
    @op(f"bitwise_{name}.Tensor", f"bitwise_{name}.Scalar")
    def translate(call, self, other):
        return call.build.binary(operation, call.fit(self), call.fit(other))

    @op(f"logical_{name}.default")
    def translate_logical(call, self, other):
        return call.build.binary(operation, call.fit(self), call.fit(other))


for _name in ("and", "or", "xor"):
    _bitwise(_name, _name)


def _comparison(name):
    @op(f"{name}.Tensor", f"{name}.Scalar")
    def translate(call, self, other):
        element = promoted(self, other)
        return call.build.compare(
            name.upper(), call.fit(self, element), call.fit(other, element)
        )


for _name in ("eq", "ne", "ge", "gt", "le", "lt"):
    _comparison(_name)


# --- Choices -----------------------------------------------------------------


@op("where.self", "where.ScalarOther", "where.ScalarSelf", "where.Scalar")
def where(call, condition, self, other):
    return call.build.select(call.fit(condition, "i1"), call.fit(self), call.fit(other))


@op("masked_fill.Scalar", "masked_fill.Tensor")
def masked_fill(call, self, mask, value):
    return call.build.select(call.fit(mask, "i1"), call.fit(value), call.fit(self))


@op("clamp.default", "clamp.Tensor")
def clamp(call, self, min=None, max=None):
    """By choices: at its bounds PyTorch lets the gradient through."""
    build, x = call.build, call.fit(self)
    if min is not None:
        low = call.fit(min)
        x = build.select(build.compare("LT", x, low), low, x)
    if max is not None:
        high = call.fit(max)
        x = build.select(build.compare("GT", x, high), high, x)
    return x


@op("clamp_min.default", "clamp_min.Tensor")
def clamp_min(call, self, min):
    return clamp(call, self, min=min)


@op("clamp_max.default", "clamp_max.Tensor")
def clamp_max(call, self, max):
    return clamp(call, self, max=max)


@op("nan_to_num.default")
def nan_to_num(call, self, nan=None, posinf=None, neginf=None):
    if posinf is None or neginf is None:
        refuse("give posinf and neginf as numbers")
    build, x = call.build, self
    x = build.select(build.compare("NE", x, x), build.like(x, nan or 0.0), x)
    x = build.select(build.compare("EQ", x, math.inf), build.like(x, posinf), x)
    return build.select(build.compare("EQ", x, -math.inf), build.like(x, neginf), x)


# --- Types and copies --------------------------------------------------------


@op(
    "_to_copy.default",
    "to.dtype",
    "to.dtype_layout",
    "type_as.default",
    "clone.default",
    "contiguous.default",
    "lift_fresh_copy.default",
    "alias.default",
)
def copy(call, self, *_, **__):
    """Only the element type of the result counts."""
    return call.fit(self)


@op("copy.default")
def copy_from(call, self, src, non_blocking=False):
    """The source, in the shape and type of what it replaces."""
    return call.fit(src)


@op("shardsmith::stop_gradient")
def stop_gradient(call, self):
    return call.build.stop_gradient(self)


@op("addcmul.default")
def addcmul(call, self, tensor1, tensor2, value=1):
    product = call.build.multiply(call.fit(tensor1), call.fit(tensor2))
    return call.build.add(call.fit(self), _scaled(call, product, value))


@op("addcdiv.default")
def addcdiv(call, self, tensor1, tensor2, value=1):
    quotient = call.build.divide(call.fit(tensor1), call.fit(tensor2))
    return call.build.add(call.fit(self), _scaled(call, quotient, value))


@op("lerp.Scalar", "lerp.Tensor")
def lerp(call, self, end, weight):
    build, start = call.build, call.fit(self)
    step = build.multiply(build.subtract(call.fit(end), start), call.fit(weight))
    return build.add(start, step)
