# SPDX-License-Identifier: Apache-2.0
"""Strategies drawn from the planner's own space, as text for `--fix`."""

import itertools
import json
import math
import re

SEQUENCES = 24
MOST_MICRO_BATCHES = 16
# What the models of test/models can be split into: blocks (with the embedding
# and the head as units of their own at the ends), and heads.
MODELS = ["gpt2-tiny", "gpt2-tiny-bf16", "llama-tiny", "llama-tiny-scan"]
DECODER = {
    "hidden_size": 32,
    "intermediate_size": 24,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 4,
    "vocab_size": 64,
}
ENCODER = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
}
# Models by configuration, and over how many ranks their experts may be spread.
CONFIGURATIONS = {
    "mixtral": (
        DECODER | {"model_type": "mixtral", "num_local_experts": 4, "num_experts_per_tok": 2},
        [1, 2, 4],
    ),
    "deepseek": (
        DECODER
        | {
            "model_type": "deepseek_v3",
            "first_k_dense_replace": 1,
            "q_lora_rank": 12,
            "kv_lora_rank": 8,
            "qk_nope_head_dim": 8,
            "qk_rope_head_dim": 4,
            "v_head_dim": 8,
            "n_routed_experts": 8,
            "num_experts_per_tok": 3,
            "moe_intermediate_size": 12,
            "n_shared_experts": 1,
            "n_group": 4,
            "topk_group": 2,
        },
        [1, 2, 4, 8],
    ),
    "qwen3-moe": (
        DECODER
        | {
            "model_type": "qwen3_moe",
            "num_key_value_heads": 2,
            "num_experts": 8,
            "num_experts_per_tok": 3,
            "moe_intermediate_size": 12,
            "norm_topk_prob": True,
            "mlp_only_layers": [0],
        },
        [1, 2, 4, 8],
    ),
    "bert": (
        ENCODER | {"model_type": "bert", "vocab_size": 64, "max_position_embeddings": 16},
        [1],
    ),
    "vit": (
        ENCODER | {"model_type": "vit", "image_size": 16, "patch_size": 4, "num_labels": 12},
        [1],
    ),
    "t5": (
        {
            "model_type": "t5",
            "d_model": 32,
            "d_kv": 8,
            "d_ff": 64,
            "num_heads": 4,
            "num_layers": 4,
            "vocab_size": 64,
            "relative_attention_num_buckets": 8,
            "relative_attention_max_distance": 16,
        },
        [1],
    ),
}
# Those with experts. A rounding may send a token to other ones.
MIXTURES = ["mixtral", "deepseek", "qwen3-moe"]
# Of the programs of each: layers, and what comes before, between and behind them.
UNITS = {
    "gpt2-tiny": 4,
    "gpt2-tiny-bf16": 4,
    "llama-tiny": 4,
    "llama-tiny-scan": 4,
    "llama-bench": 6,
    "gpt2-124m": 14,
    "mixtral": 6,
    "deepseek": 6,
    "qwen3-moe": 6,
    "bert": 6,
    "vit": 6,
    "t5": 11,
}
ONE_STAGE = ["gpipe", "1f1b", "eager-1f1b", "zb-h1", "zb-h2"]
TWO_STAGES = ["zb-v", "dualpipe-v"]
CHOICES = ["none", "selective", "full"]


def divisors(number):
    return [each for each in range(1, number + 1) if number % each == 0]


def draw_cut(rng, units, stages):
    """Any number of units in each stage."""
    cuts = sorted(rng.sample(range(1, units), stages - 1))
    sizes = [end - begin for begin, end in zip([0, *cuts], [*cuts, units])]
    return "+".join(map(str, sizes))


def draw_recompute(rng, units):
    """One choice for all units, or any for each."""
    if rng.random() < 0.5:
        return rng.choice(CHOICES)
    choices = rng.choices(CHOICES, k=units)
    runs = [(choice, len(list(run))) for choice, run in itertools.groupby(choices)]
    return "+".join(choice if count == 1 else f"{choice}:{count}" for choice, count in runs)


def draw(rng, models=MODELS, sequences=SEQUENCES):
    """A model, a number of ranks and what is given; all degrees are. A step has
    so many sequences."""
    ranks = rng.choice([2, 4, 6, 8])
    pipeline = rng.choice([each for each in (2, 3, 4) if ranks % each == 0] + [1])
    rest = ranks // pipeline
    context = rng.choice([each for each in divisors(rest) if each in (1, 2, 4)])
    tensor = rng.choice([each for each in divisors(rest // context) if each in (1, 2, 4)])
    data = rest // context // tensor
    share = sequences // data
    if sequences % data:
        return draw(rng, models, sequences)
    model = rng.choice(models)
    experts = CONFIGURATIONS[model][1] if model in CONFIGURATIONS else [1]
    micro_batch = rng.choice([each for each in divisors(share) if share // each <= MOST_MICRO_BATCHES])
    fix = {
        "dp": data,
        "tp": tensor,
        "cp": context,
        "pp": pipeline,
        "micro-batch": micro_batch,
        "zero": rng.choice([0, 1, 3] if data > 1 else [0]),
        "recompute": draw_recompute(rng, UNITS[model]),
    }
    groups = [each for each in divisors(data) if 1 < each < data]
    if fix["zero"] == 3 and context == 1 and groups and rng.random() < 0.5:
        # Some data ranks share a copy, and there are several.
        fix["fsdp"] = rng.choice(groups)
    if len(experts) > 1:
        fix["ep"] = rng.choice([each for each in experts if data * context % each == 0])
    if context > 1:
        fix["context-method"] = rng.choice(["ring", "all-to-all"])
    if pipeline > 1:
        family = rng.choice([*ONE_STAGE, *TWO_STAGES, "interleaved"])
        fix["schedule"] = family
        fix["vpp"] = 1 if family in ONE_STAGE else 2
        stages = pipeline * fix["vpp"]
        if stages <= UNITS[model] and rng.random() < 0.6:
            fix["stages"] = draw_cut(rng, UNITS[model], stages)
    text = ",".join(f"{name}={value}" for name, value in fix.items())
    return model, ranks, text


KINDS = {
    "fast": {"memory_bandwidth_gb_per_s": 12, "peak_tflops": {"f32": 0.06, "bf16": 0.06}},
    "slow": {"memory_bandwidth_gb_per_s": 4, "peak_tflops": {"f32": 0.02, "bf16": 0.02}},
}


def two_kinds(folder, fast, slow):
    """A file with processors of which the first are three times as fast as the others."""
    devices = [{"type": "fast", "count": fast}, {"type": "slow", "count": slow}]
    fabric = {"topology": "full", "link": "memory"}
    cluster = {
        "version": 1,
        "name": "two kinds of processors",
        "device_types": {
            name: {"kind": "cpu", "memory_gib": 2, **kind} for name, kind in KINDS.items()
        },
        "link_types": {
            "memory": {"kind": "shared-memory", "bandwidth_gb_per_s": 4, "latency_us": 3}
        },
        "groups": [{"name": "here", "node": {"devices": devices, "fabric": fabric}}],
    }
    path = folder / "cluster.json"
    path.write_text(json.dumps(cluster))
    return path


AXES = ["tp", "cp", "dp", "pp"]


def draw_widely(rng, models=MODELS, sequences=SEQUENCES):
    """As `draw`, with what is not usual: data ranks that do not divide the batch, so
    that some have fewer micro-batches; devices that stay idle; axes in any order over
    the devices; ZeRO-2. The number is that of the devices."""
    while True:
        model, ranks, text = draw(rng, models, sequences)
        fix = dict(part.split("=") for part in text.split(","))
        if rng.random() < 0.5:
            # Other data ranks: 3 of 4, 5 of 6, 7 of 8.
            rest = ranks // int(fix["dp"])
            data = rng.choice([each for each in range(1, 9) if each * rest <= 8])
            sizes = [each for each in divisors(sequences) if data <= sequences // each]
            sizes = [each for each in sizes if sequences // each <= MOST_MICRO_BATCHES * data]
            uneven = [each for each in sizes if sequences // each % data]
            sizes = uneven if uneven and rng.random() < 0.7 else sizes
            fix |= {"dp": str(data), "micro-batch": str(rng.choice(sizes))}
            ranks = data * rest
            experts = int(fix.get("ep", 1))
            fix["zero"] = str(rng.choice([0, 1, 3] if data > 1 else [0]))
            fix.pop("fsdp", None)
            if data * int(fix["cp"]) % experts:
                fix["ep"] = "1"
        if int(fix["dp"]) > 1 and "fsdp" not in fix and rng.random() < 0.2:
            fix["zero"] = "2"
        if rng.random() < 0.4:
            fix["order"] = "-".join(rng.sample(AXES, len(AXES)))
        devices = ranks
        if rng.random() < 0.25:
            devices += rng.randint(1, 2)
            fix["devices"] = str(ranks)
        if ranks > 1:
            return model, devices, ",".join(f"{name}={value}" for name, value in fix.items())


def draw_cluster(rng, devices, text, folder):
    """What has so many devices: of one kind, or of two if data ranks may lie on both."""
    data = degree(text, "dp")
    order = dict(part.split("=") for part in text.split(",")).get("order", "tp-cp-dp-pp")
    axes = [name for name in order.split("-") if degree(text, name) > 1]
    if data == 1 or axes[-1] != "dp" or devices > ranks_of(text) or rng.random() < 0.5:
        return f"cpu:{devices}"
    fast = rng.randrange(1, data) * devices // data
    return two_kinds(folder, fast, devices - fast)


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


def assert_is_as_given(plan, text, said):
    """The plan's stages, and what their units recompute, are those that were drawn."""
    fix = dict(part.split("=") for part in text.split(","))
    stages = plan["strategy"]["stages"]
    if "stages" in fix:
        sizes = [end - begin for begin, end in (each["units"] for each in stages)]
        assert sizes == [int(size) for size in fix["stages"].split("+")], said
    if "+" in fix.get("recompute", ""):
        parts = (part.partition(":") for part in fix["recompute"].split("+"))
        wanted = [choice for choice, _, count in parts for _ in range(int(count or 1))]
        assert wanted == [choice for stage in stages for choice, count in stage["recompute"]
                          for _ in range(count)], said


def assert_is_outside(done, said):
    """The search says so: more stages than units, too few micro-batches."""
    assert "leaves no plan" in done.stderr, f"{said}: {done.stderr}"
    # Else UNITS would be wrong.
    assert not re.search("(stages|recompute) has", done.stderr), f"{said}: {done.stderr}"


def degree(text, name):
    return int(dict(part.split("=") for part in text.split(","))[name])


def ranks_of(text):
    return math.prod(degree(text, name) for name in ("dp", "tp", "cp", "pp"))
