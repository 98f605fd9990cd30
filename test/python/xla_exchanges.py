# SPDX-License-Identifier: Apache-2.0
"""What devices exchange in a program that XLA has compiled for host devices,
read from its text.

Figures are those of one run of the entry computation: loops count as often as
XLA says that they run. Bytes are what a rank sends in a ring, as in plans:
with n ranks in a group and B bytes before and after together on a rank,

    all-reduce          2 (n-1)/n B     reduce-scatter  (n-1)/n of its input
    all-gather          (n-1)/n of its result
    all-to-all          (n-1)/n B       collective-permute  what is sent on
"""

import itertools
import math
import re
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

KINDS = {
    "all-reduce": "all_reduce",
    "all-gather": "all_gather",
    "reduce-scatter": "reduce_scatter",
    "all-to-all": "all_to_all",
    "collective-permute": "permute",
}

_COMPUTATION = re.compile(r"^(?:ENTRY )?%?([\w.-]+) .*\{$")
_OP = re.compile(rf"= (.*?) ({'|'.join(KINDS)})\(")
_ARRAY = re.compile(r"([a-z]+\d*)\[([\d,]*)\]")
_CALLED = re.compile(
    r"(?:body|condition|to_apply|calls|true_computation|false_computation)=%?([\w.-]+)"
)
_BRANCHES = re.compile(r"branch_computations=\{(.*?)\}")
_NAMED_GROUPS = re.compile(
    r"replica_groups=mesh\[(.*?)\],?(?: device_ids=\((.*?)\))? \{(.*?)\}"
)
_PART = re.compile(r"'(\w+)':\((\d+)\)(\d+)")
_TRIPS = re.compile(r'"known_trip_count":\{"n":"(\d+)"\}')


@dataclass(frozen=True)
class Exchange:
    """One collective: over which axes of the mesh, or, where its groups are no
    axes, over which groups; how many bytes a rank sends, and how often."""

    kind: str
    axes: tuple
    bytes: float
    calls: int


def _bytes_of(types):
    """Of all arrays in the text of a type."""
    total = 0
    for element, sizes in _ARRAY.findall(types):
        element_bytes = 1 if element == "pred" else int(re.search(r"\d+$", element)[0]) // 8
        total += element_bytes * math.prod(int(size) for size in sizes.split(",") if size)
    return total


def _numbers(text):
    return [int(number) for number in text.split(",")]


def _device_order(shape, order=None):
    """Device numbers in the order of `[2,4]T(1,0)`: of an array of so many,
    transposed."""
    devices = np.arange(math.prod(shape)).reshape(shape)
    return (devices if order is None else devices.transpose(order)).ravel()


def _listed_devices(text):
    if counted := re.match(r"\[([\d,]+)\](?:T\(([\d,]+)\))?$", text):
        shape, order = counted.groups()
        return _device_order(_numbers(shape), _numbers(order) if order else None)
    return np.array(_numbers(text))


def _groups_over_axes(sizes, devices, axes):
    """Groups along axes of a mesh of XLA's, or along parts of them, as in
    `'x':(2)4`: of x, seen as three axes, the one of 4 inside the one of 2."""
    shape, group = [], []
    parts = {name: (int(before), int(size)) for name, before, size in _PART.findall(axes)}
    whole = set(re.findall(r"'(\w+)'", axes)) - set(parts)
    for name, size in re.findall(r"'(\w+)'=(\d+)", sizes):
        before, inside = parts.get(name, (1, int(size)))
        if name in whole or name in parts:
            group.append(len(shape) + 1)
        shape += [before, inside, int(size) // (before * inside)]
    rest = [dim for dim in range(len(shape)) if dim not in group]
    order = np.arange(math.prod(shape)) if devices is None else _listed_devices(devices)
    rows = order.reshape(shape).transpose(rest + group)
    return rows.reshape(-1, math.prod(shape[dim] for dim in group)).tolist()


def _groups_of(line):
    """Lists of device numbers."""
    if pairs := re.search(r"source_target_pairs=\{([{}\d,]*)\}", line):
        return [_numbers(pair) for pair in re.findall(r"\{([\d,]+)\}", pairs[1])]
    if listed := re.search(r"replica_groups=\{([{}\d,]+)\}", line):
        return [_numbers(group) for group in re.findall(r"\{([\d,]+)\}", listed[1])]
    if named := _NAMED_GROUPS.search(line):
        return _groups_over_axes(*named.groups())
    counted = re.search(r"replica_groups=\[([\d,]+)\]<=(\S+?),? ", line)
    return _listed_devices(counted[2]).reshape(_numbers(counted[1])).tolist()


def _axes_of(groups, mesh):
    """The axes of `mesh`, a dictionary of sizes, along which the groups lie."""
    wanted = {frozenset(group) for group in groups}
    devices = np.arange(math.prod(mesh.values())).reshape(list(mesh.values()))
    names = [name for name, size in mesh.items() if size > 1]
    for count in range(len(names) + 1):
        for axes in itertools.combinations(names, count):
            places = [list(mesh).index(name) for name in axes]
            rest = [place for place in range(len(mesh)) if place not in places]
            size = math.prod(mesh[name] for name in axes)
            rows = devices.transpose(rest + places).reshape(-1, size)
            if {frozenset(row) for row in rows.tolist()} == wanted:
                return axes
    return (str(groups),)


def _permute_axes(pairs, mesh):
    """The axes in which some source and target differ."""
    sizes = list(mesh.values())
    places = np.array([[np.unravel_index(end, sizes) for end in pair] for pair in pairs])
    differ = (places[:, 0] != places[:, 1]).any(axis=0)
    return tuple(name for name, is_other in zip(mesh, differ) if is_other)


def _exchange(line, match, mesh, calls):
    types, operation = match.groups()
    size, groups = _bytes_of(types), _groups_of(line)
    if operation == "collective-permute":
        sent = size * sum(source != target for source, target in groups)
        devices = math.prod(mesh.values())
        return Exchange("permute", _permute_axes(groups, mesh), sent / devices, calls)
    ranks = len(groups[0])
    share = {"all-reduce": 2 / ranks, "reduce-scatter": 1}.get(operation, 1 / ranks)
    return Exchange(KINDS[operation], _axes_of(groups, mesh), (ranks - 1) * share * size, calls)


def exchanges(text, mesh):
    """Of the text of a compiled program on a mesh, axis names to sizes. What
    exchanges nothing, as it is among groups of one, is left out."""
    lines, entry, current = defaultdict(list), None, None
    for line in text.splitlines():
        if begin := _COMPUTATION.match(line):
            current = begin[1]
            if line.startswith("ENTRY"):
                entry = current
        elif current:
            lines[current].append(line)

    found = []

    def visit(computation, calls):
        for line in lines[computation]:
            if match := _OP.search(line):
                found.append(_exchange(line, match, mesh, calls))
                continue
            trips = _TRIPS.search(line)
            times = int(trips[1]) if " while(" in line and trips else 1
            called = _CALLED.findall(line)
            for branches in _BRANCHES.findall(line):
                called += re.findall(r"[\w.-]+", branches)
            for each in called:
                visit(each, calls * times)

    visit(entry, 1)
    return [each for each in found if each.bytes]


def totals(found):
    """`(kind, axes)` to calls and bytes."""
    sums = defaultdict(lambda: [0, 0.0])
    for each in found:
        sums[each.kind, each.axes][0] += each.calls
        sums[each.kind, each.axes][1] += each.calls * each.bytes
    return {key: tuple(value) for key, value in sums.items()}
