# SPDX-License-Identifier: Apache-2.0
"""Types of elements and tensors, and how their numbers are written."""

import math
from dataclasses import dataclass

# Signless integers are what JAX and StableHLO take for signed ones.
FLOATS = ("bf16", "f16", "f32", "f64")
SIGNED = ("i8", "i16", "i32", "i64")
UNSIGNED = ("ui8", "ui16", "ui32", "ui64")

# Bits of (infinity, not a number); decimal text has no word for them.
_SPECIAL = {
    "bf16": (0x7F80, 0x7FC0),
    "f16": (0x7C00, 0x7E00),
    "f32": (0x7F800000, 0x7FC00000),
    "f64": (0x7FF0000000000000, 0x7FF8000000000000),
}
_LARGEST = {
    "bf16": 3.3895313892515355e38,
    "f16": 65504.0,
    "f32": 3.4028234663852886e38,
    "f64": 1.7976931348623157e308,
}


def is_float(element):
    return element in FLOATS


def is_integer(element):
    return element in SIGNED or element in UNSIGNED


def bits_of(element):
    """Width of an element. `i1` is stored as a byte but has one bit."""
    return int(element.lstrip("buif"))


@dataclass(frozen=True)
class TensorType:
    """Shape and element type, as in `tensor<4x8xf32>`."""

    shape: tuple
    element: str

    def __str__(self):
        return f"tensor<{''.join(f'{size}x' for size in self.shape)}{self.element}>"

    @property
    def rank(self):
        return len(self.shape)

    @property
    def size(self):
        return math.prod(self.shape)


def number_text(number, element):
    """A number as MLIR reads it: `1.5e+00`, `-3`, `true`, `0x7F800000`."""
    if element == "i1":
        return "true" if number else "false"
    if not is_float(element):
        return str(int(number))
    number = float(number)
    if math.isfinite(number) and abs(number) > _LARGEST[element]:
        number = math.copysign(math.inf, number)
    if math.isfinite(number):
        mantissa, _, exponent = repr(number).partition("e")
        if "." not in mantissa:
            mantissa += ".0"
        return mantissa + (f"e{exponent}" if exponent else "")
    infinity, no_number = _SPECIAL[element]
    width = bits_of(element)
    bits = no_number if math.isnan(number) else infinity
    if number < 0:
        bits |= 1 << (width - 1)
    return f"0x{bits:0{width // 4}X}"


def smallest(element):
    """The neutral element of a maximum."""
    if is_float(element):
        return -math.inf
    if element == "i1" or element in UNSIGNED:
        return 0
    return -(1 << (bits_of(element) - 1))


def largest(element):
    """The neutral element of a minimum."""
    if is_float(element):
        return math.inf
    if element == "i1":
        return 1
    return (1 << (bits_of(element) - (element in SIGNED))) - 1
