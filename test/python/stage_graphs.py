# SPDX-License-Identifier: Apache-2.0
"""Random programs over a batch with everything that a plan may say of them, as
text: shardings of any value, stages of any op, micro-batches, the shares of data
ranks, and a schedule.

Ops come from `micro_batch_graphs`. Values are read again at any distance, so
connections skip stages; an op may be marked for any stage, also for one before
what it reads, as marks are wishes.
"""

import random

from drawn_strategies import draw_table
from micro_batch_graphs import BUILDERS, BatchProgram
from random_graphs import add_ops, reduce


class StageProgram(BatchProgram):
    def __init__(self, seed, element, samples, ranks, stages):
        super().__init__(seed, element, samples)
        # A pipeline, and at most six devices beside it.
        self.ranks, self.stages = ranks, stages
        self.axes = self.random.choice([{}, {"x": 2}, {"x": 3}, {"x": 2, "y": 2}, {"x": 2, "y": 3}])
        self.position = 0

    def mark(self):
        """Passes come in this order: forward ones, then backward ones from the last
        stage to the first."""
        last = 2 * self.stages - 1
        self.position = min(last, self.position + self.random.choice([0, 0, 0, 1, 1]))
        place = self.position
        if self.random.random() < 0.1:
            place = self.random.randint(0, last)
        stage = min(place, last - place)
        backward = ", smith.backward" if place > last - place else ""
        return f"smith.stage = {stage} : i64{backward}"

    def add(self, text, shape, element=None, annotate=True):
        attributes = []
        if annotate and self.axes and self.random.random() < 0.4:
            attributes.append(
                f"sdy.sharding = #sdy.sharding_per_value<[{self.sharding(len(shape))}]>"
            )
        if self.random.random() < 0.8:
            attributes.append(self.mark())
        # What is left of `@` the program takes for a place of attributes.
        written = ", ".join(attributes).replace("@mesh", "MESH")
        if ",@" in text:
            text = text.replace(",@", f", {written}" if written else "")
        else:
            text = text.replace("@", f" {{{written}}}" if written else "")
        name = super().add(text, shape, element, annotate=False)
        self.lines[-1] = self.lines[-1].replace("MESH", "@mesh")
        return name

    def argument(self, shape, element=None, extra="", batch_dim=None):
        # Batches are given out in equal parts; any other argument is split anyhow.
        if self.axes and batch_dim is None and self.random.random() < 0.5:
            extra += f", sdy.sharding = #sdy.sharding{self.sharding(len(shape))}"
        return super().argument(shape, element, extra, batch_dim)

    def module(self, micro_batches):
        table = draw_table(self.random, self.ranks, self.stages, micro_batches)
        axes = [f'"{axis}"={size}' for axis, size in self.axes.items()]
        axes.insert(self.random.randint(0, len(axes)), f'"pipeline"={self.ranks}')
        table = table.replace("\n", "\\n")
        return f"""module attributes {{smith.schedule = "{table}"}} {{
  sdy.mesh @mesh = <[{', '.join(axes)}]>
{self.text()}}}
"""


def random_stage_program(seed, element, ops=10):
    """The text of a program, and the options of the pass that takes it apart into
    micro-batches."""
    rng = random.Random(seed)
    ranks = rng.choice([2, 2, 3])
    stages = ranks + rng.randint(0, 2)
    if rng.random() < 0.4:
        shares = rng.choice([[2, 1], [3, 1], [1, 2], [1, 2, 2], [3, 1, 2]])
        parts, count = sum(shares), max(shares)
        options = f"shares={','.join(map(str, shares))} fold-one=true"
    else:
        parts = count = rng.randint(1, 4)
        options = f"count={count} fold-one=true"
    program = StageProgram(seed, element, parts * rng.randint(1, 2), ranks, stages)
    for _ in range(2):
        rank = rng.randint(1, 3)
        program.argument([rng.choice([program.samples, 1, 2, 3, 4, 6]) for _ in range(rank)])
    for _ in range(2):
        program.batch()
    add_ops(program, BUILDERS, ops)
    # A sum over samples, mostly, as a loss is one and every gradient.
    for _ in range(2):
        reduce(program)
    return program.module(count), options
