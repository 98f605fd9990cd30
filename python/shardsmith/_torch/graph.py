# SPDX-License-Identifier: Apache-2.0
"""A traced loss as plain data: core ATen ops by name on named values.

It needs no PyTorch, and goes to JSON and back, so that translation can be
tested on recorded graphs.
"""

import json
import math
from dataclasses import asdict, dataclass, field

from shardsmith._stablehlo import TensorType


@dataclass(frozen=True)
class Ref:
    """A value of the graph: result `index` of the node or input `name`."""

    name: str
    index: int = 0


@dataclass
class Input:
    """What enters the graph. With `numbers` it is a constant, whose elements
    are these in row-major order (or one for all); else it is an argument of
    the model with these attributes."""

    name: str
    type: TensorType
    attributes: dict = field(default_factory=dict)
    numbers: list | None = None


@dataclass
class Node:
    """`target` is `aten.add.Tensor` and the like, `types` are those of the
    results, `where` is the line of the model that it comes from."""

    name: str
    target: str
    args: list
    kwargs: dict
    types: list
    where: str = ""


@dataclass
class Output:
    value: Ref
    attributes: dict


@dataclass
class Graph:
    name: str
    inputs: list
    nodes: list
    outputs: list


def to_json(graph):
    """JSON with a line for each input, node and output."""

    def plain(value):
        if isinstance(value, Ref):
            return {"ref": [value.name, value.index]}
        if isinstance(value, (list, tuple)):
            return [plain(each) for each in value]
        if isinstance(value, float) and not math.isfinite(value):
            return {"float": str(value)}
        return value

    inputs = [asdict(each) for each in graph.inputs]
    nodes = [
        {
            "name": node.name,
            "target": node.target,
            "args": plain(node.args),
            "kwargs": {key: plain(value) for key, value in node.kwargs.items()},
            "types": [None if each is None else asdict(each) for each in node.types],
            "where": node.where,
        }
        for node in graph.nodes
    ]
    outputs = [
        {"value": [each.value.name, each.value.index], "attributes": each.attributes}
        for each in graph.outputs
    ]
    parts = [f'"name": {json.dumps(graph.name)}']
    for title, entries in (("inputs", inputs), ("nodes", nodes), ("outputs", outputs)):
        lines = ",\n".join(json.dumps(each) for each in entries)
        parts.append(f'"{title}": [\n{lines}\n]')
    return "{" + ",\n".join(parts) + "}"


def from_json(text):
    def value_of(plain):
        if isinstance(plain, dict):
            if "ref" in plain:
                return Ref(*plain["ref"])
            return float(plain["float"])
        return [value_of(each) for each in plain] if isinstance(plain, list) else plain

    def type_of(plain):
        return None if plain is None else TensorType(tuple(plain["shape"]), plain["element"])

    data = json.loads(text)
    return Graph(
        data["name"],
        [
            Input(each["name"], type_of(each["type"]), each["attributes"], each["numbers"])
            for each in data["inputs"]
        ],
        [
            Node(
                each["name"],
                each["target"],
                value_of(each["args"]),
                {key: value_of(value) for key, value in each["kwargs"].items()},
                [type_of(kind) for kind in each["types"]],
                each["where"],
            )
            for each in data["nodes"]
        ],
        [Output(Ref(*each["value"]), each["attributes"]) for each in data["outputs"]],
    )
