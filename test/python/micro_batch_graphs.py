# SPDX-License-Identifier: Apache-2.0
"""Random programs over a batch, as text, and what can be said of them by
reading: which values the batch goes into.

The ops are those of `random_graphs`. Arguments are batches, of one number of
samples but along any dimension, parameters, and positions, which are the same
for all samples.
"""

import re

import random_graphs
from random_graphs import Program


class BatchProgram(Program):
    def __init__(self, seed, element, samples):
        super().__init__(seed, element)
        self.samples = samples

    def add(self, text, shape, element=None, annotate=True):
        return super().add(text, shape, element, annotate=False)

    def argument(self, shape, element=None, extra="", batch_dim=None):
        name = f"%a{len(self.arguments)}"
        role = "param"
        if batch_dim is not None or element:
            role = "batch"
            extra += f", smith.batch_dim = {-1 if batch_dim is None else batch_dim} : i64"
        self.arguments.append(
            f"{name}: {self.type(shape, element)} "
            f'{{smith.role = "{role}", smith.name = "a{len(self.arguments)}"{extra}}}'
        )
        if element is None:
            self.values.append((name, tuple(shape)))
        return name

    def batch(self):
        shape = [self.random.randint(1, 5) for _ in range(self.random.randint(0, 2))]
        dim = self.random.randint(0, len(shape))
        self.argument(shape[:dim] + [self.samples] + shape[dim:], batch_dim=dim)

    def text(self):
        results = [self.pick() for _ in range(2)] + [self.values[-1]]
        types = ", ".join(self.type(shape) for _, shape in results)
        named = ", ".join(
            f'{self.type(shape)} {{smith.name = "r{i}"}}' for i, (_, shape) in enumerate(results)
        )
        body = "\n    ".join(self.lines)
        names = ", ".join(name for name, _ in results)
        return f"""  func.func public @main({', '.join(self.arguments)}) -> ({named}) {{
    {body}
    return {names} : {types}
  }}
"""


def center(p):
    """Subtracts the mean, or rather the sum, of all samples from each."""
    name, shape = p.pick(lambda shape: len(shape) > 0)
    zero = p.constant([])
    scalar = p.add(
        f"stablehlo.reduce({name} init: {zero}) applies stablehlo.add across dimensions ="
        f" {list(range(len(shape)))} : ({p.type(shape)}, {p.type([])}) -> {p.type([])}",
        [],
    )
    wide = p.add(
        f"stablehlo.broadcast_in_dim {scalar}, dims = [] : ({p.type([])}) -> {p.type(shape)}", shape
    )
    p.add(f"stablehlo.subtract {name}, {wide} : {p.type(shape)}", shape)


def take(p):
    """The elements at one place of a dimension, for all others: x[:, 0]."""
    name, shape = p.pick(lambda shape: len(shape) > 1) or (None, None)
    if name is None:
        return
    dim = p.random.randrange(len(shape))
    place = p.argument([1], "i32", f", smith.limit = {shape[dim]} : i64")
    result = shape[:dim] + shape[dim + 1 :]
    sizes = ", ".join(str(1 if d == dim else size) for d, size in enumerate(shape))
    p.add(
        f'"stablehlo.gather"({name}, {place}) <{{dimension_numbers = #stablehlo.gather<offset_dims ='
        f" {list(range(len(result)))}, collapsed_slice_dims = [{dim}], start_index_map = [{dim}]>,"
        f" slice_sizes = array<i64: {sizes}>}}> : ({p.type(shape)}, {p.type([1], 'i32')}) -> {p.type(result)}",
        result,
    )


def take_along(p):
    """Of every sample the element at a place of its own, as a loss does."""
    name, shape = p.pick(lambda shape: len(shape) == 2) or (None, None)
    if name is None:
        return
    batch_dim = 0 if shape[0] == p.samples else None
    place = p.argument([shape[0], 1], "i32", f", smith.limit = {shape[1]} : i64", batch_dim)
    p.add(
        f'"stablehlo.gather"({name}, {place}) <{{dimension_numbers = #stablehlo.gather<'
        "collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0],"
        f" start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}}>"
        f" : ({p.type(shape)}, {p.type([shape[0], 1], 'i32')}) -> {p.type(shape[:1])}",
        shape[:1],
    )


# What mostly has a meaning per sample is drawn more often.
BUILDERS = random_graphs.BUILDERS + [
    random_graphs.elementwise, random_graphs.combine, random_graphs.scale,
    random_graphs.mask, random_graphs.transpose, random_graphs.broadcast,
    random_graphs.reduce, random_graphs.reduce, random_graphs.scatter, center,
    take, take_along,
]  # fmt: skip


def random_batch_program(seed, element, samples, ops=8):
    program = BatchProgram(seed, element, samples)
    for _ in range(2):
        rank = program.random.randint(1, 3)
        program.argument([program.random.choice([samples, 1, 2, 3, 5]) for _ in range(rank)])
    for _ in range(2):
        program.batch()
    random_graphs.add_ops(program, BUILDERS, ops)
    return program.text()


def values_of_batch(text):
    """Names of the values that a batch goes into, and per line of the text the
    names that it defines and reads."""
    batches = re.findall(r"(%a\d+): [^{]*\{[^}]*smith.batch_dim = \d", text)
    known, lines = set(batches), {}
    name = None
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r"\s*(%v\d+) = (.*)", line)
        if found:
            name = found.group(1)
            read = re.findall(r"%[av]\d+", found.group(2))
            lines[number] = (name, read)
            if known & set(read):
                known.add(name)
    return known, lines
