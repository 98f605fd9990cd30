# SPDX-License-Identifier: Apache-2.0
"""Random small programs with random shardings, as text.

Every value is a tensor of rank 0 to 3. An op is drawn from `BUILDERS`, applied
to values that exist, and annotated at random: the partitioner must cope with
any layout of any value, however unwise.
"""

import random
import re


class Program:
    def __init__(self, seed, element="f32"):
        self.random = random.Random(seed)
        self.element = element
        sizes = self.random.choice([[2], [3], [5], [2, 2], [2, 3], [3, 2]])
        self.axes = {f"{'xy'[i]}": size for i, size in enumerate(sizes)}
        self.arguments, self.lines, self.values = [], [], []

    # Text -------------------------------------------------------------------

    def type(self, shape, element=None):
        return f"tensor<{''.join(f'{size}x' for size in shape)}{element or self.element}>"

    def sharding(self, rank):
        """A sharding of random dimensions over random axes."""
        dims = [[] for _ in range(rank)]
        for axis in self.random.sample(list(self.axes), len(self.axes)):
            if rank and self.random.random() < 0.7:
                self.random.choice(dims).append(f'"{axis}"')
        return f"<@mesh, [{', '.join('{' + ', '.join(axes) + '}' for axes in dims)}]>"

    def add(self, text, shape, element=None, annotate=True):
        """Appends an op whose text has a place for its attributes: `@`, or `,@`
        inside of braces."""
        name = f"%v{len(self.lines)}"
        attributes = ""
        if annotate and self.random.random() < 0.5:
            attributes = (
                " {sdy.sharding = #sdy.sharding_per_value<["
                + self.sharding(len(shape))
                + "]>}"
            )
        if ",@" in text:
            inside = ", " + attributes[2:-1] if attributes else ""
            text = text.replace(",@", inside)
        else:
            text = text.replace("@", attributes)
        self.lines.append(f"{name} = {text}")
        if element is None:
            self.values.append((name, tuple(shape)))
        return name

    def constant(self, shape, value="0.0", element=None):
        literal = value if (element or self.element) == "f32" else str(int(float(value)))
        return self.add(
            f"stablehlo.constant dense<{literal}> : {self.type(shape, element)}",
            shape, element or self.element, annotate=False,
        )

    def argument(self, shape, element=None, extra=""):
        name = f"%a{len(self.arguments)}"
        self.arguments.append(
            f"{name}: {self.type(shape, element)} "
            f'{{smith.role = "batch", smith.name = "a{len(self.arguments)}"{extra}, '
            f"sdy.sharding = #sdy.sharding{self.sharding(len(shape))}}}"
        )
        if element is None:
            self.values.append((name, tuple(shape)))
        return name

    def pick(self, accept=lambda shape: True):
        """A value of an acceptable shape, preferably a recent one."""
        found = [value for value in self.values if accept(value[1])]
        return self.random.choice(found[-6:]) if found else None

    def text(self):
        results = [self.pick() for _ in range(3)]
        results += [self.values[-1]]
        types = ", ".join(self.type(shape) for _, shape in results)
        annotated = ", ".join(
            f"{self.type(shape)} {{smith.name = \"r{i}\", "
            f"sdy.sharding = #sdy.sharding{self.sharding(len(shape))}}}"
            for i, (_, shape) in enumerate(results)
        )
        mesh = ", ".join(f'"{axis}"={size}' for axis, size in self.axes.items())
        body = "\n    ".join(self.lines)
        names = ", ".join(name for name, _ in results)
        return f"""sdy.mesh @mesh = <[{mesh}]>
  func.func public @main({', '.join(self.arguments)}) -> ({annotated}) {{
    {body}
    return {names} : {types}
  }}
"""


# Ops ------------------------------------------------------------------------


def elementwise(p):
    name, shape = p.pick()
    ops = ["negate", "abs"] + (["tanh", "logistic"] if p.element == "f32" else [])
    p.add(f"stablehlo.{p.random.choice(ops)} {name}@ : {p.type(shape)}", shape)


def combine(p):
    name, shape = p.pick()
    other, _ = p.pick(lambda candidate: candidate == shape)
    op = p.random.choice(["add", "subtract", "multiply", "maximum"])
    p.add(f"stablehlo.{op} {name}, {other}@ : {p.type(shape)}", shape)


def scale(p):
    name, shape = p.pick()
    constant = p.constant(shape, p.random.choice(["2.0", "-1.0"]))
    p.add(f"stablehlo.multiply {name}, {constant}@ : {p.type(shape)}", shape)


def add_iota(p):
    name, shape = p.pick(lambda shape: len(shape) > 0) or (None, None)
    if name is None:
        return
    dim = p.random.randrange(len(shape))
    iota = p.add(f"stablehlo.iota dim = {dim} : {p.type(shape)}", shape, p.element, False)
    p.add(f"stablehlo.add {name}, {iota}@ : {p.type(shape)}", shape)


def mask(p):
    name, shape = p.pick()
    zero = p.constant(shape)
    kind = "FLOAT" if p.element == "f32" else "SIGNED"
    test = p.add(
        f"stablehlo.compare LT, {name}, {zero}, {kind} : ({p.type(shape)}, {p.type(shape)}) -> {p.type(shape, 'i1')}",
        shape, "i1", False,
    )
    p.add(f"stablehlo.select {test}, {zero}, {name}@ : {p.type(shape, 'i1')}, {p.type(shape)}", shape)


def transpose(p):
    name, shape = p.pick()
    dims = p.random.sample(range(len(shape)), len(shape))
    result = [shape[dim] for dim in dims]
    p.add(f"stablehlo.transpose {name}, dims = {dims}@ : ({p.type(shape)}) -> {p.type(result)}", result)


def reshape(p):
    name, shape = p.pick()
    result = list(shape)
    if len(result) > 1 and p.random.random() < 0.6:
        i = p.random.randrange(len(result) - 1)
        result[i : i + 2] = [result[i] * result[i + 1]]
    elif result and len(result) < 3:
        i = p.random.randrange(len(result))
        divisor = p.random.choice([d for d in range(1, result[i] + 1) if result[i] % d == 0])
        result[i : i + 1] = [divisor, result[i] // divisor]
    p.add(f"stablehlo.reshape {name}@ : ({p.type(shape)}) -> {p.type(result)}", result)


def broadcast(p):
    name, shape = p.pick(lambda shape: len(shape) < 3) or (None, None)
    if name is None:
        return
    result = list(shape)
    place = p.random.randint(0, len(shape))
    result.insert(place, p.random.randint(1, 7))
    dims = [dim for dim in range(len(result)) if dim != place]
    p.add(f"stablehlo.broadcast_in_dim {name}, dims = {dims}@ : ({p.type(shape)}) -> {p.type(result)}", result)


def reduce(p):
    name, shape = p.pick(lambda shape: len(shape) > 0) or (None, None)
    if name is None:
        return
    dims = sorted(p.random.sample(range(len(shape)), p.random.randint(1, len(shape))))
    result = [size for dim, size in enumerate(shape) if dim not in dims]
    op, start = p.random.choice([("add", "0.0"), ("add", "1.0"), ("maximum", "-2.0")])
    init = p.constant([], start)
    p.add(
        f"stablehlo.reduce({name} init: {init}) applies stablehlo.{op} across dimensions = {dims}@"
        f" : ({p.type(shape)}, {p.type([])}) -> {p.type(result)}",
        result,
    )


def dot(p):
    lhs, left = p.pick(lambda shape: len(shape) == 2) or (None, None)
    if lhs is None:
        return
    rhs, right = p.pick(lambda shape: len(shape) == 2 and left[1] in shape) or (None, None)
    if rhs is None:
        rhs, right = lhs, left
    contract = right.index(left[1])
    result = [left[0], right[1 - contract]]
    p.add(
        f"stablehlo.dot_general {lhs}, {rhs}, contracting_dims = [1] x [{contract}]@"
        f" : ({p.type(left)}, {p.type(right)}) -> {p.type(result)}",
        result,
    )


def slice_(p):
    name, shape = p.pick()
    starts = [p.random.randrange(size) for size in shape]
    limits = [p.random.randint(start + 1, size) for start, size in zip(starts, shape)]
    for dim in range(len(shape)):  # Leave some dimensions whole.
        if p.random.random() < 0.5:
            starts[dim], limits[dim] = 0, shape[dim]
    result = [limit - start for start, limit in zip(starts, limits)]
    ranges = ", ".join(f"{start}:{limit}" for start, limit in zip(starts, limits))
    p.add(f"stablehlo.slice {name} [{ranges}]@ : ({p.type(shape)}) -> {p.type(result)}", result)


def starts(p, shape):
    """Scalars of one type, some before the first element or far behind the last."""
    type = p.random.choice(["i32", "i32", "i64", "i8", "ui8", "ui32", "ui64"])
    least = 0 if type.startswith("u") else -2
    drawn = [p.random.choice([p.random.randint(least, 6), 100]) for _ in shape]
    values = [p.constant([], str(start), type) for start in drawn]
    return "".join(f", {each}" for each in values), f", {p.type([], type)}" * len(shape)


def range_of(p, shape):
    """Sizes of a range, which leaves some dimensions whole."""
    return [size if p.random.random() < 0.5 else p.random.randint(1, size) for size in shape]


def dynamic_slice(p):
    name, shape = p.pick(lambda shape: len(shape) > 0) or (None, None)
    if name is None:
        return
    result = range_of(p, shape)
    values, types = starts(p, shape)
    p.add(
        f"stablehlo.dynamic_slice {name}{values}, sizes = {result}@"
        f" : ({p.type(shape)}{types}) -> {p.type(result)}",
        result,
    )


def dynamic_update_slice(p):
    name, shape = p.pick(lambda shape: len(shape) > 0) or (None, None)
    if name is None:
        return
    update = range_of(p, shape)
    other = p.argument(update)
    values, types = starts(p, shape)
    p.add(
        f"stablehlo.dynamic_update_slice {name}, {other}{values}@"
        f" : ({p.type(shape)}, {p.type(update)}{types}) -> {p.type(shape)}",
        shape,
    )


def pad(p):
    name, shape = p.pick()
    low = [p.random.choice([0, 0, 1]) for _ in shape]
    high = [p.random.choice([0, 0, 2]) for _ in shape]
    result = [a + size + b for a, size, b in zip(low, shape, high)]
    zero = p.constant([], "3.0")
    p.add(
        f"stablehlo.pad {name}, {zero}, low = {low}, high = {high}, interior = {[0] * len(shape)}@"
        f" : ({p.type(shape)}, {p.type([])}) -> {p.type(result)}",
        result,
    )


def concatenate(p):
    name, shape = p.pick(lambda shape: len(shape) > 0) or (None, None)
    if name is None:
        return
    dim = p.random.randrange(len(shape))
    result = list(shape)
    result[dim] *= 2
    p.add(
        f"stablehlo.concatenate {name}, {name}, dim = {dim}@"
        f" : ({p.type(shape)}, {p.type(shape)}) -> {p.type(result)}",
        result,
    )


def gather(p):
    """Rows of a table, some of them beyond its end: positions are clamped."""
    name, shape = p.pick(lambda shape: len(shape) == 2) or (None, None)
    if name is None:
        return
    count = p.random.randint(1, 7)
    rows = p.argument([count, 1], "i32", f", smith.limit = {shape[0] + 2} : i64")
    result = [count, shape[1]]
    p.add(
        f'"stablehlo.gather"({name}, {rows}) <{{dimension_numbers = #stablehlo.gather<offset_dims = [1],'
        " collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,"
        f" slice_sizes = array<i64: 1, {shape[1]}>}}>@ : ({p.type(shape)}, {p.type([count, 1], 'i32')})"
        f" -> {p.type(result)}",
        result,
    )


def scatter(p):
    """Rows added into a table, or combined with it otherwise; rows beyond its end are
    dropped."""
    table, shape = p.pick(lambda shape: len(shape) == 2) or (None, None)
    if table is None:
        return
    updates, source = p.pick(lambda s: len(s) == 2 and s[1] == shape[1])
    rows = p.argument([source[0], 1], "i32", f", smith.limit = {shape[0] + 2} : i64")
    scalar = p.type([])
    combine = p.random.choice(["add", "add", "maximum", "multiply"])
    p.add(
        f'"stablehlo.scatter"({table}, {rows}, {updates}) <{{scatter_dimension_numbers ='
        " #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],"
        " scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n"
        f"    ^bb0(%old: {scalar}, %new: {scalar}):\n"
        f"      %both = stablehlo.{combine} %old, %new : {scalar}\n"
        f"      stablehlo.return %both : {scalar}\n"
        f"    }})@ : ({p.type(shape)}, {p.type([source[0], 1], 'i32')}, {p.type(source)}) -> {p.type(shape)}",
        shape,
    )


def sort(p):
    """Up or down along a dimension. Integers only: what bounds the rounding error of
    a number does not sort as the number does."""
    name, shape = p.pick(lambda shape: len(shape) > 0) or (None, None)
    if name is None or p.element == "f32":
        return
    scalar = p.type([])
    direction = p.random.choice(["LT", "GT"])
    p.add(
        f'"stablehlo.sort"({name}) <{{dimension = {p.random.randrange(len(shape))} : i64,'
        " is_stable = true}> ({\n"
        f"    ^bb0(%left: {scalar}, %right: {scalar}):\n"
        f"      %isBefore = stablehlo.compare {direction}, %left, %right, SIGNED :"
        f" ({scalar}, {scalar}) -> tensor<i1>\n"
        f"      stablehlo.return %isBefore : tensor<i1>\n    }})@ : ({p.type(shape)}) -> {p.type(shape)}",
        shape,
    )


def convolution(p):
    """A window of one spatial dimension, with groups of features or samples."""
    name, shape = p.pick(lambda shape: len(shape) == 3) or (None, None)
    if name is None:
        return
    batch, space, features = shape
    groups = p.random.choice([1, 1, 2, 3])
    by_samples = p.random.random() < 0.5
    if (batch if by_samples else features) % groups != 0:
        groups = 1
    window = p.random.randint(1, min(3, space))
    outputs = groups * p.random.randint(1, 3)
    inputs = features if by_samples else features // groups
    kernel = p.argument([window, inputs, outputs])
    counts = [groups if by_samples else 1, 1 if by_samples else groups]
    result = [batch // counts[0], space + 1 - window + 1, outputs]
    p.add(
        f"stablehlo.convolution({name}, {kernel}) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],"
        f" window = {{pad = [[1, 0]]}} {{batch_group_count = {counts[0]} : i64,"
        f" feature_group_count = {counts[1]} : i64,@}}"
        f" : ({p.type(shape)}, {p.type([window, inputs, outputs])}) -> {p.type(result)}",
        result,
    )


def body(p, op):
    scalar = p.type([])
    return (
        f"    ^bb0(%left: {scalar}, %right: {scalar}):\n"
        f"      %both = stablehlo.{op} %left, %right : {scalar}\n"
        f"      stablehlo.return %both : {scalar}\n"
    )


def windows(p):
    """Windows of one to three elements; some dimensions have none."""
    name, shape = p.pick(lambda shape: len(shape) > 0) or (None, None)
    if name is None:
        return
    sizes = [p.random.randint(1, min(3, size)) for size in shape]
    low = [p.random.choice([0, 0, 1]) for _ in shape]
    strides = [p.random.choice([1, 1, 2]) for _ in shape]
    result = [
        (size + before - window) // stride + 1
        for size, before, window, stride in zip(shape, low, sizes, strides)
    ]
    op, start = p.random.choice([("add", "0.0"), ("maximum", "-2.0")])
    init = p.constant([], start)
    padding = [[before, 0] for before in low]
    p.add(
        f'"stablehlo.reduce_window"({name}, {init}) <{{window_dimensions = array<i64: {listed(sizes)}>,'
        f" window_strides = array<i64: {listed(strides)}>,"
        f" padding = dense<{padding}> : tensor<{len(shape)}x2xi64>}}> ({{\n{body(p, op)}    }})@"
        f" : ({p.type(shape)}, {p.type([])}) -> {p.type(result)}",
        result,
    )


def selection(p):
    """Each element goes to the largest of its window; which one is largest must
    not depend on rounding."""
    name, shape = p.pick(lambda shape: len(shape) > 0) or (None, None)
    if name is None or p.element == "f32":
        return
    sizes = [p.random.randint(1, min(3, size)) for size in shape]
    source = [size - window + 1 for size, window in zip(shape, sizes)]
    given = p.argument(source)
    init = p.constant([])
    scalar = p.type([])
    p.add(
        f'"stablehlo.select_and_scatter"({name}, {given}, {init}) <{{window_dimensions ='
        f" array<i64: {listed(sizes)}>}}> ({{\n"
        f"    ^bb0(%left: {scalar}, %right: {scalar}):\n"
        f"      %keeps = stablehlo.compare GE, %left, %right, SIGNED :"
        f" ({scalar}, {scalar}) -> tensor<i1>\n"
        f"      stablehlo.return %keeps : tensor<i1>\n    }}, {{\n{body(p, 'add')}    }})@"
        f" : ({p.type(shape)}, {p.type(source)}, {scalar}) -> {p.type(shape)}",
        shape,
    )


def listed(numbers):
    return ", ".join(map(str, numbers))


BUILDERS = [
    elementwise, combine, combine, scale, add_iota, mask, transpose, reshape, broadcast,
    reduce, reduce, dot, dot, slice_, dynamic_slice, dynamic_update_slice, pad, concatenate,
    gather, scatter, sort, convolution, convolution, windows, selection,
]  # fmt: skip


def add_ops(program, builders, ops):
    """Ops at random until the program has so many lines. What has become large
    is not used again."""
    while len(program.lines) < ops:
        _, shape = program.values[-1]
        size = 1
        for extent in shape:
            size *= extent
        if size > 2000:
            program.values.pop()
            continue
        program.random.choice(builders)(program)


def random_program(seed, element="f32", ops=12):
    program = Program(seed, element)
    for _ in range(3):
        rank = program.random.randint(1, 3)
        program.argument([program.random.randint(1, 7) for _ in range(rank)])
    program.argument([program.random.randint(2, 7), program.random.randint(2, 7)])
    add_ops(program, BUILDERS, ops)
    return program.text()


# Rounding errors --------------------------------------------------------------


def magnitude_program(text):
    """A program whose results bound the rounding errors of those of `text`.

    Take every input by its magnitude and never let anything cancel: differences
    become sums, what is negated keeps its sign, masks keep everything. Each value
    is then at least the magnitude of the value it stands for, and an error in an
    operand grows at most as much. So two orders of the same sums differ by no
    more than a small multiple of the unit of rounding times these results, also
    where `text` subtracts equal values and leaves nothing but rounding errors.
    """
    header, body = text.split(") {\n", 1)
    first = []
    for name, type in re.findall(r"(%a\d+): (tensor<[^>]*f32>)", header):
        first.append(f"{name}_magnitude = stablehlo.abs {name} : {type}")
        body = re.sub(rf"{name}\b", f"{name}_magnitude", body)
    body = body.replace("dense<-", "dense<")
    body = re.sub(r"stablehlo\.(negate|tanh)\b", "stablehlo.abs", body)
    body = body.replace("stablehlo.subtract", "stablehlo.add")
    # A logistic function is at most one, and flatter than the line through zero.
    body = re.sub(
        r"(%\w+) = stablehlo\.logistic (%\w+)(.*) : (tensor<.*>)",
        r"\1_one = stablehlo.constant dense<1.0> : \4\n"
        r"    \1 = stablehlo.add \2, \1_one\3 : \4",
        body,
    )
    return header + ") {\n    " + "\n    ".join(first) + "\n" + body
