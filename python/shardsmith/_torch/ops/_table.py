# SPDX-License-Identifier: Apache-2.0
"""The table of translations, and what several families use."""

from shardsmith._errors import ExportError
from shardsmith._stablehlo import is_float, is_integer
from shardsmith._stablehlo.elements import bits_of

TABLE = {}


def op(*targets):
    """Enters a function as the translation of ops, named as `add.Tensor`."""

    def enter(function):
        for target in targets:
            name = target if "::" in target else f"aten.{target}"
            assert name not in TABLE, name
            TABLE[name] = function
        return function

    return enter


def refuse(message):
    raise ExportError(message)


def axis(dim, rank):
    """A dimension that may be counted from the end; 0 for scalars."""
    return dim % rank if rank else 0


def axes(dims, rank):
    """The same of one, several or, for None and an empty list, all."""
    if dims is None or dims == []:
        return list(range(rank))
    dims = [dims] if isinstance(dims, int) else dims
    return sorted({axis(dim, rank) for dim in dims})


def promoted(x, y):
    """The element type in which PyTorch computes with a value and a value or a
    number."""

    def rank(element):
        kind = 2 if is_float(element) else int(is_integer(element))
        return kind, bits_of(element)

    if not hasattr(y, "type"):
        if isinstance(y, float) and not is_float(x.element):
            return "f32"
        return x.element if x.element != "i1" or isinstance(y, bool) else "i64"
    if {x.element, y.element} == {"bf16", "f16"}:
        return "f32"
    # A tensor without dimensions counts only if it is of a higher kind.
    if x.rank and not y.rank and rank(x.element)[0] >= rank(y.element)[0]:
        return x.element
    if y.rank and not x.rank and rank(y.element)[0] >= rank(x.element)[0]:
        return y.element
    return max(x.element, y.element, key=rank)


def pair(numbers, count):
    """`[2]` stands for as many 2s as there are dimensions."""
    numbers = [numbers] if isinstance(numbers, int) else list(numbers)
    return numbers * count if len(numbers) == 1 else numbers
