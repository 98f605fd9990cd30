# SPDX-License-Identifier: Apache-2.0
"""Strategies drawn from the planner's own space, as text for `--fix`."""

import math

SEQUENCES = 24
# What the models of test/models can be split into: blocks (with the embedding
# and the head as units of their own at the ends), and heads.
MODELS = ["gpt2-tiny", "gpt2-tiny-bf16", "llama-tiny", "llama-tiny-scan"]
ONE_STAGE = ["gpipe", "1f1b", "eager-1f1b", "zb-h1", "zb-h2"]
TWO_STAGES = ["zb-v", "dualpipe-v"]


def divisors(number):
    return [each for each in range(1, number + 1) if number % each == 0]


def draw(rng):
    """A model, a number of ranks and what is given; all degrees are."""
    ranks = rng.choice([2, 4, 6, 8])
    pipeline = rng.choice([each for each in (2, 3, 4) if ranks % each == 0] + [1])
    rest = ranks // pipeline
    context = rng.choice([each for each in divisors(rest) if each <= 2])
    tensor = rng.choice([each for each in divisors(rest // context) if each in (1, 2, 4)])
    data = rest // context // tensor
    share = SEQUENCES // data
    if SEQUENCES % data:
        return draw(rng)
    micro_batch = rng.choice([each for each in divisors(share) if share // each <= 12])
    fix = {
        "dp": data,
        "tp": tensor,
        "cp": context,
        "pp": pipeline,
        "micro-batch": micro_batch,
        "zero": rng.choice([0, 1, 3] if data > 1 else [0]),
        "recompute": rng.choice(["none", "selective", "full"]),
    }
    if context > 1:
        fix["context-method"] = rng.choice(["ring", "all-to-all"])
    if pipeline > 1:
        family = rng.choice([*ONE_STAGE, *TWO_STAGES, "interleaved"])
        fix["schedule"] = family
        fix["vpp"] = 1 if family in ONE_STAGE else 2
    text = ",".join(f"{name}={value}" for name, value in fix.items())
    return rng.choice(MODELS), ranks, text


def draw_table(rng, ranks, stages, micro_batches):
    """Any legal schedule: stages on any rank, passes in any order that the flow
    of data allows, backward passes whole or in halves."""
    places = [*range(ranks), *(rng.randrange(ranks) for _ in range(stages - ranks))]
    rng.shuffle(places)
    lines = [[] for _ in range(ranks)]
    waiting = [(stage, batch, "F") for stage in range(stages) for batch in range(micro_batches)]
    done = set()

    def is_ready(stage, batch, kind):
        if kind == "F":
            return stage == 0 or (stage - 1, batch, "F") in done
        if kind == "W":
            return True
        return stage == stages - 1 or (stage + 1, batch, "I") in done

    while waiting:
        stage, batch, kind = one = rng.choice([each for each in waiting if is_ready(*each)])
        waiting.remove(one)
        lines[places[stage]].append(f"{stage}{kind}{batch}")
        done.add((stage, batch, "I" if kind == "B" else kind))
        if kind == "F":
            waiting.append((stage, batch, rng.choice("BI")))
        elif kind == "I":
            waiting.append((stage, batch, "W"))
    return "".join(",".join(line) + "\n" for line in lines)


def degree(text, name):
    return int(dict(part.split("=") for part in text.split(","))[name])


def ranks_of(text):
    return math.prod(degree(text, name) for name in ("dp", "tp", "cp", "pp"))
