# SPDX-License-Identifier: Apache-2.0
"""A whole model file: `@main` with what its arguments and results are."""

import re
from dataclasses import dataclass, field

from shardsmith._stablehlo.elements import TensorType

_ESCAPES = {'"': "\\22", "\\": "\\5C", "\n": "\\0A"}


@dataclass
class Argument:
    name: str
    type: TensorType
    attributes: dict = field(default_factory=dict)


@dataclass
class Result:
    value: object
    attributes: dict = field(default_factory=dict)


def _quoted(text):
    return '"' + "".join(_ESCAPES.get(each, each) for each in text) + '"'


def _attributes(entries):
    parts = [
        f"{name} = {_quoted(value) if isinstance(value, str) else f'{value} : i64'}"
        for name, value in entries.items()
    ]
    return f" {{{', '.join(parts)}}}" if parts else ""


def _indented(line, spaces):
    return "\n".join(" " * spaces + part for part in line.split("\n"))


def _live(lines, results):
    """Lines whose value a result depends on."""
    used, kept = {each.value.name.partition("#")[0] for each in results}, []
    for line in reversed(lines):
        first, *rest = re.findall(r"%\w+", line)
        if first in used:
            used.update(rest)
            kept.append(line)
    return reversed(kept)


def module_text(name, arguments, lines, results, module_attributes=()):
    """`lines` are those of a `Builder`; what no result needs is left out."""
    inputs = ", ".join(
        f"{each.name}: {each.type}{_attributes(each.attributes)}" for each in arguments
    )
    outputs = ", ".join(f"{each.value.type}{_attributes(each.attributes)}" for each in results)
    names = ", ".join(each.value.name for each in results)
    types = ", ".join(str(each.value.type) for each in results)
    marks = f" attributes {{{', '.join(module_attributes)}}}" if module_attributes else ""
    body = "\n".join(_indented(line, 4) for line in _live(lines, results))
    return (
        f"module @{name}{marks} {{\n"
        f"  func.func public @main({inputs}) -> ({outputs}) {{\n"
        f"{body}\n"
        f"    return {names} : {types}\n"
        "  }\n"
        "}\n"
    )
