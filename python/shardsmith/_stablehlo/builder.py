# SPDX-License-Identifier: Apache-2.0
"""The body of a function as StableHLO text, one op a line."""

from dataclasses import dataclass

from shardsmith._stablehlo.contractions import Contractions
from shardsmith._stablehlo.elements import TensorType, is_float, number_text
from shardsmith._stablehlo.indexing import Indexing
from shardsmith._stablehlo.reductions import Reductions
from shardsmith._stablehlo.shapes import Shapes


@dataclass(frozen=True)
class Value:
    """A result of an op, or an argument of the function."""

    name: str
    type: TensorType

    @property
    def shape(self):
        return self.type.shape

    @property
    def element(self):
        return self.type.element

    @property
    def rank(self):
        return self.type.rank


class Builder(Shapes, Reductions, Contractions, Indexing):
    """Emits ops in order. Operands of elementwise ops have one shape and one
    element type: `broadcast` and `convert` bring them there."""

    def __init__(self):
        self.lines = []
        self._count = 0
        self._numbers = {}

    def argument(self, name, type):
        """An argument of the function, such as `%arg0`."""
        return Value(name, type)

    def emit(self, text, *types):
        """Appends `%n = text`; one value, or a list if there are several types."""
        name = f"%{self._count}"
        self._count += 1
        several = f":{len(types)}" if len(types) > 1 else ""
        self.lines.append(f"{name}{several} = {text}")
        if len(types) == 1:
            return Value(name, types[0])
        return [Value(f"{name}#{i}", each) for i, each in enumerate(types)]

    # --- Constants -----------------------------------------------------------

    def number(self, number, element):
        """A scalar, written once."""
        text = number_text(number, element)
        known = self._numbers.get((text, element))
        if known is None:
            scalar = TensorType((), element)
            known = self.emit(f"stablehlo.constant dense<{text}> : {scalar}", scalar)
            self._numbers[text, element] = known
        return known

    def full(self, shape, number, element):
        return self.broadcast(self.number(number, element), shape)

    def like(self, value, number):
        return self.full(value.shape, number, value.element)

    def dense(self, numbers, shape, element):
        """A small constant from its numbers in row-major order."""
        numbers = list(numbers)
        if not shape or len(set(numbers)) == 1:
            return self.full(shape, numbers[0], element)
        texts = [number_text(number, element) for number in numbers]
        for size in reversed(shape):
            texts = [
                f"[{', '.join(texts[i : i + size])}]" for i in range(0, len(texts), size)
            ]
        kind = TensorType(tuple(shape), element)
        return self.emit(f"stablehlo.constant dense<{texts[0]}> : {kind}", kind)

    # --- Elementwise ops -----------------------------------------------------

    def unary(self, op, x):
        if op.startswith("chlo."):
            return self.emit(f"{op} {x.name} : {x.type} -> {x.type}", x.type)
        return self.emit(f"stablehlo.{op} {x.name} : {x.type}", x.type)

    def binary(self, op, x, y):
        assert x.type == y.type, (op, x, y)
        return self.emit(f"stablehlo.{op} {x.name}, {y.name} : {x.type}", x.type)

    def add(self, x, y):
        return self.binary("add", x, self._operand(y, x))

    def subtract(self, x, y):
        return self.binary("subtract", x, self._operand(y, x))

    def multiply(self, x, y):
        return self.binary("multiply", x, self._operand(y, x))

    def divide(self, x, y):
        return self.binary("divide", x, self._operand(y, x))

    def maximum(self, x, y):
        return self.binary("maximum", x, self._operand(y, x))

    def minimum(self, x, y):
        return self.binary("minimum", x, self._operand(y, x))

    def _operand(self, y, x):
        return y if isinstance(y, Value) else self.like(x, y)

    def compare(self, direction, x, y):
        """`direction` is one of EQ NE GE GT LE LT."""
        y = self._operand(y, x)
        assert x.type == y.type, (direction, x, y)
        kind = TensorType(x.shape, "i1")
        return self.emit(
            f"stablehlo.compare {direction}, {x.name}, {y.name} : "
            f"({x.type}, {y.type}) -> {kind}",
            kind,
        )

    def select(self, predicate, yes, no):
        yes = self._operand(yes, no) if isinstance(no, Value) else yes
        no = self._operand(no, yes)
        assert yes.type == no.type and predicate.shape == yes.shape, (predicate, yes, no)
        return self.emit(
            f"stablehlo.select {predicate.name}, {yes.name}, {no.name} : "
            f"{predicate.type}, {yes.type}",
            yes.type,
        )

    def convert(self, x, element):
        """To another element type. Floats become integers towards zero, and
        true is what is not zero."""
        if x.element == element:
            return x
        if element == "i1":
            return self.compare("NE", x, 0)
        kind = TensorType(x.shape, element)
        return self.emit(f"stablehlo.convert {x.name} : ({x.type}) -> {kind}", kind)

    def bitcast(self, x, element):
        kind = TensorType(x.shape, element)
        return self.emit(
            f"stablehlo.bitcast_convert {x.name} : ({x.type}) -> {kind}", kind
        )

    def bits_above(self, x, count):
        """`x` without its lowest `count` bits, shifted down."""
        return self.binary("shift_right_logical", x, self.like(x, count))

    # --- Marks that the importer knows ---------------------------------------

    def stop_gradient(self, x):
        """The value, with derivative zero."""
        if not is_float(x.element):
            return x
        return self.emit(
            f"stablehlo.custom_call @smith.stop_gradient({x.name}) : "
            f"({x.type}) -> {x.type}",
            x.type,
        )
