# SPDX-License-Identifier: Apache-2.0
"""How many plans of each kind have run, for the notes of a test run."""

from collections import Counter

from notes import note

AXES = ["tensor", "context", "data", "expert", "pipeline"]


def kinds_of(plan):
    """What a plan is counted as, by heading."""
    strategy, step = plan["strategy"], plan["layouts"]["train_step"]
    degrees, stages = strategy["degrees"], strategy["stages"]
    choices = {choice for stage in stages for choice, _ in stage["recompute"]}
    sizes = {end - begin for begin, end in (stage["units"] for stage in stages)}
    axes = [axis for axis in AXES if degrees[axis] > 1]
    yield "axes", " × ".join(axes) or "none"
    yield "ZeRO", str(strategy["zero"]["stage"])
    yield "recompute", choices.pop() if len(choices) == 1 else "mixed"
    if len(stages) > 1:
        yield "units of stages", "different numbers" if len(sizes) > 1 else "one number"
    yield "micro-batches", str(step.get("micro_batches", 1))


def family_of(plan):
    strategy = plan["strategy"]
    return strategy["schedule"] if strategy["degrees"]["pipeline"] > 1 else "one stage"


def in_order(counts):
    """By name, numbers by size."""
    return sorted(counts.items(), key=lambda each: each[0].zfill(3))


class TableOfPlans:
    def __init__(self):
        self.plans = 0
        self.counts = {}

    def add(self, plan, schedule=None, beside=()):
        """`schedule` is what takes the place of the family's, `beside` what else there
        is about the plan."""
        kinds = [("schedules", schedule or family_of(plan)), *kinds_of(plan)]
        self.plans += 1
        for heading, kind in [*kinds, *(("of these", each) for each in beside)]:
            self.counts.setdefault(heading, Counter())[kind] += 1

    def text(self, title):
        lines = [f"{title}: {self.plans} plans"]
        for heading, counts in self.counts.items():
            kinds = ", ".join(f"{kind} {count}" for kind, count in in_order(counts))
            lines.append(f"  {heading}: {kinds}")
        return "\n".join(lines)


def noted_table(title):
    """What a fixture yields: a table that is noted when its tests have run."""
    table = TableOfPlans()
    yield table
    if table.plans:
        note(table.text(title))
