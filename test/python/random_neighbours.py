# SPDX-License-Identifier: Apache-2.0
"""Random small programs of ops whose shards need elements of each other, as text.

A program has several cases, each a chain of such ops on arguments of its own, with
random shardings of arguments, values and results, on meshes of 2 to 8 devices.
"""

import random_graphs
from random_graphs import Program, body, listed

MESHES = [[2], [3], [4], [5], [6], [7], [8], [2, 2], [2, 3], [3, 2], [2, 4], [4, 2], [2, 2, 2]]


class Cases(Program):
    def __init__(self, seed, element):
        super().__init__(seed, element)
        sizes = self.random.choice(MESHES)
        self.axes = {f"{'xyz'[i]}": size for i, size in enumerate(sizes)}
        self.results = []

    def choose(self, *numbers):
        return self.random.choice(numbers)

    def start_case(self):
        self.values = []
        rank = self.choose(1, 2, 2, 3, 3, 4)
        self.argument([self.random.randint(1, 17 if rank < 3 else 9) for _ in range(rank)])

    def end_case(self):
        self.results.append(self.values[-1])

    def text(self):
        types = ", ".join(self.type(shape) for _, shape in self.results)
        annotated = ", ".join(
            f'{self.type(shape)} {{smith.name = "r{i}", '
            f"sdy.sharding = #sdy.sharding{self.sharding(len(shape))}}}"
            for i, (_, shape) in enumerate(self.results)
        )
        mesh = ", ".join(f'"{axis}"={size}' for axis, size in self.axes.items())
        lines = "\n    ".join(self.lines)
        names = ", ".join(name for name, _ in self.results)
        return f"""sdy.mesh @mesh = <[{mesh}]>
  func.func public @main({', '.join(self.arguments)}) -> ({annotated}) {{
    {lines}
    return {names} : {types}
  }}
"""


def slice_(p):
    name, shape = p.values[-1]
    strides = [p.choose(1, 1, 2, 3) for _ in shape]
    starts = [p.random.randrange(size) for size in shape]
    limits = [p.random.randint(start + 1, size) for start, size in zip(starts, shape)]
    for dim in range(len(shape)):
        if p.random.random() < 0.4:
            starts[dim], limits[dim], strides[dim] = 0, shape[dim], 1
    result = [-(-(limit - start) // stride) for start, limit, stride in zip(starts, limits, strides)]
    ranges = ", ".join(f"{a}:{b}:{c}" for a, b, c in zip(starts, limits, strides))
    p.add(f"stablehlo.slice {name} [{ranges}]@ : ({p.type(shape)}) -> {p.type(result)}", result)


def pad(p):
    """Also with negative padding, and with padding between elements."""
    name, shape = p.values[-1]
    low, high, interior, result = [], [], [], []
    for size in shape:
        between = p.choose(0, 0, 0, 1, 2)
        dilated = size + (size - 1) * between
        before, after = p.choose(0, 0, 1, 5, -1, -3), p.choose(0, 0, 2, 7, -1, -2)
        if dilated + before + after < 1:
            before = after = 0
        low.append(before)
        high.append(after)
        interior.append(between)
        result.append(dilated + before + after)
    value = p.constant([], p.choose("0.0", "3.0"))
    p.add(
        f"stablehlo.pad {name}, {value}, low = {low}, high = {high}, interior = {interior}@"
        f" : ({p.type(shape)}, {p.type([])}) -> {p.type(result)}",
        result,
    )


def reverse(p):
    name, shape = p.values[-1]
    dims = sorted(p.random.sample(range(len(shape)), p.random.randint(1, len(shape))))
    p.add(f"stablehlo.reverse {name}, dims = {dims}@ : {p.type(shape)}", shape)


def concatenate(p):
    name, shape = p.values[-1]
    dim = p.random.randrange(len(shape))
    parts = [(name, shape)]
    for _ in range(p.choose(1, 1, 2)):
        other = list(shape)
        other[dim] = p.random.randint(1, 9)
        parts.append((p.argument(other), tuple(other)))
    p.random.shuffle(parts)
    result = list(shape)
    result[dim] = sum(part[dim] for _, part in parts)
    names = ", ".join(part for part, _ in parts)
    types = ", ".join(p.type(part) for _, part in parts)
    p.add(f"stablehlo.concatenate {names}, dim = {dim}@ : ({types}) -> {p.type(result)}", result)


def window_dimension(p, size, mostWindow=4, dilates=True):
    """Window, stride, dilations, padding and result size of one dimension."""
    while True:
        window, stride = p.random.randint(1, mostWindow), p.choose(1, 1, 2, 3)
        base = p.choose(1, 1, 1, 2, 3) if dilates else 1
        dilation = p.choose(1, 1, 1, 2) if dilates else 1
        low, high = p.choose(0, 0, 1, 2, 3, -1), p.choose(0, 0, 1, 2, -1)
        room = (size - 1) * base + 1 + low + high - ((window - 1) * dilation + 1)
        if room >= 0 and (size - 1) * base + 1 + min(low, 0) + min(high, 0) > 0:
            return window, stride, base, dilation, low, high, room // stride + 1


def windows(p):
    name, shape = p.values[-1]
    if p.random.random() < 0.2:
        # A cumulative reduction.
        geometry = [(size, 1, 1, 1, size - 1, 0, size) for size in shape]
    else:
        geometry = [window_dimension(p, size) for size in shape]
    geometry = [
        each if p.random.random() < 0.6 else (1, 1, 1, 1, 0, 0, size)
        for each, size in zip(geometry, shape)
    ]
    sizes, strides, bases, dilations, lows, highs, result = map(list, zip(*geometry))
    op, start = p.choose(("add", "0.0"), ("add", "1.0"), ("maximum", "-2.0"))
    init = p.constant([], start)
    padding = [list(pair) for pair in zip(lows, highs)]
    p.add(
        f'"stablehlo.reduce_window"({name}, {init}) <{{window_dimensions = array<i64: {listed(sizes)}>,'
        f" window_strides = array<i64: {listed(strides)}>,"
        f" base_dilations = array<i64: {listed(bases)}>,"
        f" window_dilations = array<i64: {listed(dilations)}>,"
        f" padding = dense<{padding}> : tensor<{len(shape)}x2xi64>}}> ({{\n{body(p, op)}    }})@"
        f" : ({p.type(shape)}, {p.type([])}) -> {p.type(result)}",
        result,
    )


def selection(p):
    """Which element is selected must not depend on rounding."""
    name, shape = p.values[-1]
    if p.element == "f32":
        return
    sizes = [p.random.randint(1, min(4, size)) for size in shape]
    strides = [p.choose(1, 1, 2, 3, 5) for _ in shape]
    source = [(size - window) // stride + 1 for size, window, stride in zip(shape, sizes, strides)]
    given = p.argument(source)
    init = p.constant([], p.choose("0.0", "1.0"))
    scalar = p.type([])
    p.add(
        f'"stablehlo.select_and_scatter"({name}, {given}, {init}) <{{window_dimensions ='
        f" array<i64: {listed(sizes)}>, window_strides = array<i64: {listed(strides)}>}}> ({{\n"
        f"    ^bb0(%left: {scalar}, %right: {scalar}):\n"
        f"      %keeps = stablehlo.compare GE, %left, %right, SIGNED :"
        f" ({scalar}, {scalar}) -> tensor<i1>\n"
        f"      stablehlo.return %keeps : tensor<i1>\n    }}, {{\n"
        f"{body(p, p.choose('add', 'maximum'))}    }})@"
        f" : ({p.type(shape)}, {p.type(source)}, {scalar}) -> {p.type(shape)}",
        shape,
    )


def convolution(p):
    """One or two spatial dimensions, groups of features or samples, kernels that are
    small, as in a forward pass, or as large as the image, as for their gradient."""
    name, shape = p.values[-1]
    if len(shape) < 3:
        return
    spatial = len(shape) - 2
    order = "".join(p.random.sample(["b", "f", "0", "1"][: 2 + spatial], 2 + spatial))
    if spatial == 1:
        order = order.replace("1", "0")
    sizes = dict(zip(order, shape))
    large = p.random.random() < 0.3
    geometry = [
        window_dimension(p, sizes[str(i)], mostWindow=sizes[str(i)] + 2 if large else 3)
        for i in range(spatial)
    ]
    groups, bySamples = p.choose(1, 1, 2, 3, 4), p.random.random() < 0.5
    if sizes["b" if bySamples else "f"] % groups != 0:
        groups = 1
    outputs = groups * p.random.randint(1, 3)
    inputs = sizes["f"] if bySamples else sizes["f"] // groups
    kernel = {"i": inputs, "o": outputs, **{str(i): each[0] for i, each in enumerate(geometry)}}
    kernelOrder = p.random.sample(list(kernel), len(kernel))
    kernelShape = [kernel[letter] for letter in kernelOrder]
    counts = [groups if bySamples else 1, 1 if bySamples else groups]
    out = {"b": sizes["b"] // counts[0], "f": outputs}
    out |= {str(i): each[6] for i, each in enumerate(geometry)}
    outOrder = p.random.sample(list(out), len(out))
    result = [out[letter] for letter in outOrder]
    given = p.argument(kernelShape)
    reversal = [p.choose("true", "false") for _ in geometry]
    written = [", ".join(letters) for letters in (order, kernelOrder, outOrder)]
    window = (
        f"stride = {[each[1] for each in geometry]}, pad = {[list(each[4:6]) for each in geometry]},"
        f" lhs_dilate = {[each[2] for each in geometry]}, rhs_dilate = {[each[3] for each in geometry]},"
        f" reverse = [{', '.join(reversal)}]"
    )
    p.add(
        f"stablehlo.convolution({name}, {given}) dim_numbers = [{written[0]}]x[{written[1]}]->[{written[2]}],"
        f" window = {{{window}}} {{batch_group_count = {counts[0]} : i64,"
        f" feature_group_count = {counts[1]} : i64,@}}"
        f" : ({p.type(shape)}, {p.type(kernelShape)}) -> {p.type(result)}",
        result,
    )


BUILDERS = [
    slice_, pad, reverse, concatenate, windows, windows, selection, convolution, convolution,
    convolution, random_graphs.elementwise,
]  # fmt: skip


def random_cases(seed, element="i32", cases=10):
    program = Cases(seed, element)
    for _ in range(cases):
        program.start_case()
        wanted = program.random.randint(1, 3)
        for _ in range(wanted):
            _, shape = program.values[-1]
            size = 1
            for extent in shape:
                size *= extent
            if size > 3000:
                break
            program.random.choice(BUILDERS)(program)
        program.end_case()
    return program.text()
