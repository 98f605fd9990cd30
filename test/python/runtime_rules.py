# SPDX-License-Identifier: Apache-2.0
"""What each runtime can run, a second time: as its documentation and its own
checks of arguments have it, without anything of the planner.

`violations(runtime, model, plan, folder)` says which of these rules a plan
breaks; `MODELS` has the sizes of the built-in models that rules are about, as
their publishers give them.
"""

import json
import math
import re
from collections import namedtuple

Model = namedtuple("Model", "layers heads groups experts positions vocabulary")

# Layers, heads of queries, heads of keys and values, routed experts, positions,
# words.
MODELS = {
    "gpt2-124m": Model(12, 12, 12, 0, 1024, 50257),
    "gpt2-350m": Model(24, 16, 16, 0, 1024, 50257),
    "gpt2-774m": Model(36, 20, 20, 0, 1024, 50257),
    "gpt2-1.5b": Model(48, 25, 25, 0, 1024, 50257),
    "gpt3-1.3b": Model(24, 16, 16, 0, 2048, 50257),
    "gpt3-2.7b": Model(32, 32, 32, 0, 2048, 50257),
    "gpt3-6.7b": Model(32, 32, 32, 0, 2048, 50257),
    "gpt3-13b": Model(40, 40, 40, 0, 2048, 50257),
    "gpt3-175b": Model(96, 96, 96, 0, 2048, 50257),
    "megatron-22b": Model(48, 64, 64, 0, 2048, 51200),
    "megatron-175b": Model(96, 96, 96, 0, 2048, 51200),
    "megatron-530b": Model(105, 128, 128, 0, 2048, 51200),
    "megatron-1t": Model(128, 160, 160, 0, 2048, 51200),
    "llama2-7b": Model(32, 32, 32, 0, 4096, 32000),
    "llama2-13b": Model(40, 40, 40, 0, 4096, 32000),
    "llama2-70b": Model(80, 64, 8, 0, 4096, 32000),
    "llama3-8b": Model(32, 32, 8, 0, 8192, 128256),
    "llama3-70b": Model(80, 64, 8, 0, 8192, 128256),
    "llama3-405b": Model(126, 128, 8, 0, 8192, 128256),
    "mistral-7b": Model(32, 32, 8, 0, 8192, 32768),
    "mixtral-8x7b": Model(32, 32, 8, 8, 4096, 32000),
    "mixtral-8x22b": Model(56, 48, 8, 8, 4096, 32000),
    "qwen2.5-7b": Model(28, 28, 4, 0, 4096, 152064),
    "qwen2.5-72b": Model(80, 64, 8, 0, 4096, 152064),
    "qwen3-8b": Model(36, 32, 8, 0, 4096, 151936),
    "qwen3-30b-a3b": Model(48, 32, 4, 128, 4096, 151936),
    "qwen3-235b-a22b": Model(94, 64, 4, 128, 4096, 151936),
    "deepseek-v3": Model(61, 128, 128, 256, 4096, 129280),
    "gpt-neox-20b": Model(44, 64, 64, 0, 2048, 50432),
    "bert-large": Model(24, 16, 16, 0, 512, 30522),
    "vit-large": Model(24, 16, 16, 0, 197, 0),
    "vit-huge": Model(32, 16, 16, 0, 257, 0),
    "t5-3b": Model(48, 32, 32, 0, 512, 32128),
    "t5-11b": Model(48, 128, 128, 0, 512, 32128),
}

# Token tables and heads, which have a row for each word.
WORDS = re.compile(r"\b(wte|embed_tokens|embed_in|embed_out|lm_head|word_embeddings|shared)\.weight$")

SEQUENCES = 512
PER_NODE = 8
USUAL = ["tensor", "context", "data", "pipeline"]

# Of plans that cost the same within half a percent the unrestricted search
# names the simplest.
EQUAL_WITHIN = 0.0055


class Plan:
    """The decisions of a plan.json, and the rules that it has broken so far."""

    def __init__(self, document, model, folder):
        self.model, self.folder = model, folder
        strategy = self.strategy = document["strategy"]
        for name, degree in strategy["degrees"].items():
            setattr(self, name, degree)
        self.devices = self.tensor * self.context * self.data * self.pipeline
        self.zero = strategy["zero"]["stage"]
        self.replicas = self.data * self.context
        self.group = strategy["zero"]["group"] or self.replicas
        self.schedule = strategy["schedule"]
        self.micro_batch = strategy["micro_batch"]
        self.micro_batches = SEQUENCES // (self.data * self.micro_batch)
        self.broken = []

    def require(self, holds, rule):
        if not holds:
            self.broken.append(rule)

    def recomputed(self):
        """How layers recompute: one choice for all of them."""
        choices = [
            choice
            for stage in self.strategy["stages"]
            for choice, count in stage["recompute"]
            for _ in range(count)
        ]
        some = [place for place, choice in enumerate(choices) if choice != "none"]
        if not some:
            return "none"
        kinds = {choices[place] for place in some}
        self.require(len(kinds) == 1, "all layers recompute alike")
        self.require(
            len(some) == self.model.layers
            and some[-1] - some[0] + 1 == len(some)
            and 0 < some[0]
            and some[-1] < len(choices) - 1,
            "all layers recompute, and nothing else does",
        )
        return kinds.pop()

    def require_order(self, *orders):
        def used(order):
            return [axis for axis in order if getattr(self, axis) > 1]

        mine = used(self.strategy["device_order"])
        self.require(any(mine == used(order) for order in orders), "the order of ranks")

    def require_even_batch(self):
        self.require(
            SEQUENCES % (self.data * self.micro_batch) == 0
            and not self.strategy.get("data_shares"),
            "data ranks have equally many full micro-batches",
        )

    def require_only(self, *axes):
        for axis in ("tensor", "context", "pipeline", "expert"):
            self.require(axis in axes or getattr(self, axis) == 1, f"no {axis} axis")

    def require_split_heads(self):
        model = self.model
        self.require(
            model.heads % self.tensor == 0 and model.groups % self.tensor == 0,
            "tensor ranks divide the heads",
        )

    def require_context(self, *methods):
        if self.context == 1:
            return
        method = self.strategy["context_method"]
        self.require(method in methods, f"context by {methods}")
        self.require(
            self.model.positions % (2 * self.context) == 0,
            "context ranks take two pieces of a sequence each",
        )
        if method == "all-to-all":
            self.require(
                self.model.groups % (self.tensor * self.context) == 0,
                "tensor and context ranks divide the heads",
            )

    def require_experts(self):
        if self.expert > 1:
            self.require(self.model.experts % self.expert == 0, "expert ranks divide the experts")
            self.require(self.replicas % self.expert == 0, "experts are spread over whole groups")

    def require_divided_vocabulary(self, ranks):
        """Of runtimes that neither pad the token table and the head, as Megatron-LM
        and nanotron do, nor take parts of different sizes, as DTensor does."""
        self.require(self.model.vocabulary % ranks == 0, "ranks divide the vocabulary")

    def text(self, name):
        return (self.folder / name).read_text()


def megatron(plan, script, sequence_parallel):
    plan.recomputed()
    plan.require_order(USUAL, ["tensor", "context", "pipeline", "data"])
    plan.require_even_batch()
    plan.require_split_heads()
    plan.require_context("ring", "all-to-all")
    plan.require_experts()
    splits_positions = sequence_parallel in plan.text(script)
    if splits_positions:
        plan.require(
            plan.model.positions % (plan.tensor * plan.context) == 0,
            "sequence parallelism divides the positions",
        )
    if plan.model.experts and plan.tensor > 1:
        plan.require(splits_positions, "experts beside tensor ranks take sequence parallelism")
    if plan.pipeline > 1:
        plan.require(plan.schedule in ("1f1b", "interleaved"), "its schedules")
        if plan.virtual_stages > 1:
            plan.require(plan.schedule == "interleaved", "stages of a rank are interleaved")
            plan.require(plan.micro_batches % plan.pipeline == 0, "micro-batches fill rounds")
    else:
        plan.require(plan.virtual_stages == 1, "several stages per rank take a pipeline")
    if plan.zero:
        plan.require(plan.replicas % plan.group == 0, "optimizer instances are equally large")


def torchtitan(plan):
    plan.recomputed()
    plan.require_order(USUAL)
    plan.require_even_batch()
    plan.require_split_heads()
    plan.require_context("ring")
    plan.require_experts()
    plan.require(plan.zero != 1, "FSDP shards gradients with the states")
    plan.require(plan.zero or plan.context == 1, "FSDP shards over context ranks")
    shard = plan.group // plan.context if plan.zero else 1
    plan.require(shard >= 1 and plan.data % shard == 0, "copies are equally many ranks")
    plan.require(
        plan.model.positions % (plan.tensor * (2 * plan.context if plan.context > 1 else 1)) == 0
        or "--parallelism.no-enable-sequence-parallel" in plan.text("torchtitan.sh"),
        "tensor and context ranks divide the positions",
    )
    if plan.expert > 1:
        plan.require(plan.tensor == 1, "expert ranks lie on tensor ranks")
        # The sparse part of its mesh takes ranks of tensor, context and shards.
        plan.require(
            shard * plan.context % plan.expert == 0 or plan.zero == 0,
            "experts are spread over ranks of one copy",
        )
    if plan.pipeline > 1:
        stages = len(plan.strategy["stages"])
        plan.require(stages == plan.pipeline * plan.virtual_stages, "every rank has as many stages")


def deepspeed(plan):
    plan.require(plan.recomputed() == "none", "recomputation is code of the model")
    plan.require_only("tensor")
    plan.require_even_batch()
    plan.require_order(USUAL)
    if plan.tensor > 1:
        plan.require_split_heads()
        plan.require(plan.zero < 3, "AutoTP has no ZeRO-3 beside it")
    plan.require(plan.group == plan.replicas or plan.zero == 0, "one copy for all ranks")


def transformers(plan):
    plan.require(plan.recomputed() in ("none", "full"), "layers are recomputed whole")
    plan.require_only("tensor")
    plan.require_even_batch()
    plan.require_split_heads()
    plan.require(plan.zero == 0, "no ZeRO")
    plan.require(1 in (plan.data, plan.tensor), "data or tensor ranks")
    # A rank takes the quotient of rows; what is left over has no rank.
    styles = json.loads(plan.text("transformers-plan.json"))["tp_plan"].values()
    if {"colwise_gather_output", "embedding_rowwise"} & set(styles):
        plan.require_divided_vocabulary(plan.tensor)


def accelerate(plan):
    plan.require(plan.recomputed() in ("none", "full"), "layers are recomputed whole")
    plan.require_only("tensor", "context")
    plan.require_even_batch()
    plan.require_split_heads()
    plan.require_context("ring")
    plan.require_order(USUAL)
    # The plan of the model's own classes splits the head.
    plan.require_divided_vocabulary(plan.tensor)
    plan.require(plan.zero != 1, "FSDP shards gradients with the states")
    if plan.zero == 0:
        plan.require(plan.tensor * plan.context == 1, "other axes take FSDP")
        plan.require(plan.recomputed() == "none", "checkpointing is FSDP's")
    else:
        plan.require(plan.group % plan.context == 0, "FSDP shards over context ranks")


def nanotron(plan):
    plan.require(plan.recomputed() == "none", "its configuration has no recomputation")
    plan.require_only("tensor")
    plan.require_even_batch()
    plan.require_split_heads()
    plan.require_order(USUAL)
    plan.require(plan.zero < 2, "ZeRO-1 at most")
    plan.require(plan.group == plan.replicas or plan.zero == 0, "one copy for all ranks")


# Parameters, gradients and AdamW's states in the types that are usual.
ZERO_3_BYTES = 2 + 4 + 12
DEVICE_BYTES = 80e9


def require_little_whole(plan, mesh, variables):
    """What ZeRO-3 does not split over all of its ranks is little: `variables` are
    the shapes and the axes of their dimensions, by name."""
    if plan.zero < 3:
        return
    more = 0
    for name, (shape, dimensions) in variables.items():
        parts = math.prod(mesh[axis] for axes in dimensions for axis in axes if axis != "tensor")
        layers = plan.model.layers if "*" in name else 1
        tensor = plan.tensor if any("tensor" in axes for axes in dimensions) else 1
        held = layers * math.prod(shape) / tensor
        more += held / parts - min(held / parts, held / plan.group)
    plan.require(more * ZERO_3_BYTES < 0.01 * DEVICE_BYTES, "ZeRO-3 splits all but little")


def jax(plan):
    plan.require_only("tensor", "context", "expert")
    plan.require_even_batch()
    file = json.loads(plan.text("jax-shardings.json"))
    mesh = dict(zip(file["mesh"]["axis_names"], file["mesh"]["axis_sizes"]))
    plan.require(math.prod(mesh.values()) == plan.devices, "the mesh has the plan's devices")
    for section in ("inputs", "optimizer_states"):
        for name, entry in file[section].items():
            axes = [axis for dimension in entry["spec"] for axis in dimension]
            plan.require(len(set(axes)) == len(axes), f"{name} names an axis once")
            for size, dimension in zip(entry.get("shape", []), entry["spec"]):
                parts = math.prod(mesh[axis] for axis in dimension)
                plan.require(size % parts == 0, f"ranks divide the dimensions of {name}")
    parameters = {
        name: (entry["shape"], entry["spec"])
        for name, entry in file["inputs"].items()
        if name.startswith("params.")
    }
    require_little_whole(plan, mesh, parameters)


def pytorch(plan):
    plan.require_even_batch()
    plan.require(plan.zero != 1, "FSDP shards gradients with the states")
    if plan.pipeline > 1:
        stages = len(plan.strategy["stages"])
        plan.require(stages == plan.pipeline * plan.virtual_stages, "every rank has as many stages")


def tensorflow(plan):
    plan.require(plan.recomputed() == "none", "recomputation is code of the model")
    plan.require_only("tensor", "context", "expert")
    plan.require_even_batch()
    plan.require(plan.zero in (0, 3), "variables are split or whole, with their states")
    plan.require(plan.group == plan.replicas or plan.zero == 0, "one copy for all ranks")
    file = json.loads(plan.text("dtensor-layouts.json"))
    mesh = dict(file["mesh_dims"])
    for name, specs in file["variables"].items():
        used = [axis for axis in specs if axis != "unsharded"]
        plan.require(len(set(used)) == len(used), f"{name} names an axis once")
        if WORDS.search(name) and specs[0] != "unsharded":
            plan.require_divided_vocabulary(mesh[specs[0]])


def horovod(plan):
    plan.require(plan.recomputed() == "none", "recomputation is code of the model")
    plan.require_only()
    plan.require_even_batch()
    plan.require(plan.zero == 0, "no ZeRO")


def mxnet(plan):
    horovod(plan)
    plan.require(plan.devices <= PER_NODE or plan.devices % PER_NODE == 0, "whole machines")


RULES = {
    "accelerate": accelerate,
    "deepspeed": deepspeed,
    "horovod": horovod,
    "jax": jax,
    "megatron": lambda plan: megatron(plan, "megatron.sh", "--sequence-parallel"),
    "megatron-bridge": lambda plan: megatron(
        plan, "megatron-bridge.yaml", "sequence_parallel: true"
    ),
    "mxnet": mxnet,
    "nanotron": nanotron,
    "pytorch": pytorch,
    "tensorflow": tensorflow,
    "torchtitan": torchtitan,
    "transformers": transformers,
}


def violations(runtime, model, document, folder):
    """The rules of the runtime that the plan of a built-in model breaks."""
    plan = Plan(document, MODELS[model], folder)
    RULES[runtime](plan)
    return plan.broken


def is_better(document, unrestricted):
    """Whether a plan for a runtime is faster than the best plan of all, if that is
    what a search to its end has found."""
    if unrestricted["search"]["stopped"]:
        return False
    step = document["prediction"]["step_ns"]
    return step < unrestricted["prediction"]["step_ns"] * (1 - EQUAL_WITHIN)
