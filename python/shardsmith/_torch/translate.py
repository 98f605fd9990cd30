# SPDX-License-Identifier: Apache-2.0
"""A graph of ATen ops as the text of a model file."""

from shardsmith._errors import ExportError
from shardsmith._stablehlo import Argument, Builder, Result, module_text
from shardsmith._torch.graph import Ref
from shardsmith._torch.ops import TABLE
from shardsmith._torch.random_bits import RandomBits

# Results hold elements of the first argument and no others.
_MOVES = {
    f"aten.{name}"
    for name in (
        "_to_copy.default alias.default clone.default expand.default flatten.using_ints "
        "permute.default reshape.default select.int slice.Tensor squeeze.default "
        "squeeze.dim squeeze.dims transpose.int unsqueeze.default view.default"
    ).split()
}

# How many lines of a model are named for one op that cannot be translated.
_LINES_SHOWN = 3


class Call:
    """What a translation sees of its node: `build` writes ops, `types` are those
    of the results, None for one that nobody reads; `type` is the first."""

    def __init__(self, build, random, types, nonnegative=frozenset()):
        self.build, self.random, self.types = build, random, types
        self._nonnegative = nonnegative

    @property
    def type(self):
        return next(each for each in self.types if each is not None)

    @property
    def shape(self):
        return self.type.shape

    @property
    def element(self):
        return self.type.element

    def fit(self, x, element=None):
        """A number or a value with the result's shape, and its element type if
        no other is given."""
        element = element or self.element
        if not hasattr(x, "type"):
            return self.build.full(self.shape, x, element)
        return self.build.broadcast(self.build.convert(x, element), self.shape)

    def is_nonnegative(self, x):
        """Whether the batch says so, by a limit of the argument it comes from."""
        return x.name in self._nonnegative

    def wants(self, index):
        """Whether there is a result `index` that somebody reads."""
        return index < len(self.types) and self.types[index] is not None


def check_supported(graph):
    """Raises ExportError that names every op without a translation, and where
    the model uses it."""
    missing = {}
    for node in graph.nodes:
        if node.target not in TABLE:
            lines = missing.setdefault(node.target, [])
            if node.where and node.where not in lines:
                lines.append(node.where)
    if not missing:
        return
    said = []
    for target, lines in sorted(missing.items()):
        shown = ", ".join(lines[:_LINES_SHOWN])
        more = f" and {len(lines) - _LINES_SHOWN} more lines" if len(lines) > _LINES_SHOWN else ""
        said.append(f"  {target}" + (f" at {shown}{more}" if shown else ""))
    raise ExportError(
        f"{len(missing)} of the model's operators have no translation:\n"
        + "\n".join(said)
        + "\nwrite these lines with other operators; docs/export-from-pytorch.md "
        "lists those that are translated"
    )


def translate(graph):
    """The text of the model file. Raises ExportError for what cannot be said."""
    check_supported(graph)
    build = Builder()
    arguments, values = [], {}
    for each in graph.inputs:
        if each.numbers is None:
            argument = Argument(f"%arg{len(arguments)}", each.type, each.attributes)
            arguments.append(argument)
            values[each.name] = [build.argument(argument.name, each.type)]
        else:
            shape, element = each.type.shape, each.type.element
            values[each.name] = [build.dense(each.numbers, shape, element)]
    nonnegative = {
        values[each.name][0].name for each in graph.inputs if "smith.limit" in each.attributes
    }
    random = RandomBits(build)
    for node in graph.nodes:
        call = Call(build, random, node.types, nonnegative)
        values[node.name] = _translate_node(node, call, values)
        if node.target in _MOVES:
            source = values[node.args[0].name][node.args[0].index]
            if source.name in nonnegative:
                nonnegative.add(values[node.name][0].name)
    results = _results(graph, build, values)
    if random.is_used:
        argument, result = random.state()
        first = next(
            (i for i, a in enumerate(arguments) if a.attributes["smith.role"] == "batch"),
            len(arguments),
        )
        arguments.insert(first, argument)
        results.insert(1, result)
    return module_text(
        graph.name, arguments, build.lines, results, ["smith.derivatives_marked"]
    )


def _results(graph, build, values):
    """A new state has the type of the old one."""
    types = {each.attributes.get("smith.name"): each.type for each in graph.inputs}
    results = []
    for each in graph.outputs:
        value = values[each.value.name][each.value.index]
        if each.attributes["smith.role"] == "state":
            value = build.convert(value, types[each.attributes["smith.name"]].element)
        results.append(Result(value, each.attributes))
    return results


def _translate_node(node, call, values):
    def value_of(argument):
        if isinstance(argument, Ref):
            return values[argument.name][argument.index]
        if isinstance(argument, (list, tuple)):
            return [value_of(each) for each in argument]
        return argument

    try:
        made = TABLE[node.target](
            call,
            *(value_of(each) for each in node.args),
            **{name: value_of(each) for name, each in node.kwargs.items()},
        )
    except ExportError as error:
        place = f" at {node.where}" if node.where else ""
        raise ExportError(f"{node.target}{place}: {error}") from None
    made = list(made) if isinstance(made, (list, tuple)) else [made]
    for value, expected in zip(made, node.types):
        if value is not None and expected is not None and value.type != expected:
            raise AssertionError(
                f"{node.target} of {node.name} was translated to {value.type}, "
                f"and PyTorch computes {expected}"
            )
    return made
