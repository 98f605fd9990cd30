# SPDX-License-Identifier: Apache-2.0
"""Plans made for a runtime are such that it can run them.

The rules of each runtime stand here a second time, as its documentation has
them, and every plan of a few models and clusters is held against them. None is
faster than the plan without a runtime, under the same stack profile.
"""

import json
import subprocess

import pytest
from tools import tool

MODELS = ["llama3-8b", "qwen3-8b", "mixtral-8x7b"]
CLUSTERS = ["8xh100", "64xh100"]
USUAL = ["tensor", "context", "data", "pipeline"]
HEADS = 8  # Of keys and values, in all of these models.


def plan(folder, model, cluster, *options):
    """The strategy and the time of the plan; nothing if none fits."""
    command = ["plan", model, "--cluster", cluster, "--profile", "generic"]
    done = subprocess.run(
        [tool("shardsmith"), *command, *options, "-o", folder],
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, 4), (model, cluster, options, done.stderr)
    if done.returncode:
        return None
    document = json.loads((folder / "plan.json").read_text())
    return document["strategy"], document["prediction"]["step_ns"]


class Rules:
    """Questions about a strategy."""

    def __init__(self, strategy):
        self.strategy = strategy
        for name, degree in strategy["degrees"].items():
            setattr(self, name, degree)
        self.devices = self.tensor * self.context * self.data * self.pipeline
        self.zero = strategy["zero"]["stage"]
        self.ranks = self.data * self.context
        self.group = strategy["zero"]["group"] or self.ranks
        self.schedule = strategy["schedule"]

    def order_is(self, *orders):
        degrees = self.strategy["degrees"]

        def used(order):
            return [axis for axis in order if degrees[axis] > 1]

        mine = used(self.strategy["device_order"])
        return any(mine == used(order) for order in orders)

    def recompute_in_layers(self):
        """Choices of all units but the first and the last, one each."""
        units = [
            choice
            for stage in self.strategy["stages"]
            for choice, count in stage["recompute"]
            for _ in range(count)
        ]
        return set(units[1:-1]), {units[0], units[-1]}

    def has_even_batch(self):
        return 512 % (self.data * self.strategy["micro_batch"]) == 0

    def splits_heads(self):
        return HEADS % self.tensor == 0

    def micro_batches(self):
        return 512 // (self.data * self.strategy["micro_batch"])

    def is_for_transformers(self):
        """What all runtimes for transformers share."""
        layers, around = self.recompute_in_layers()
        assert self.has_even_batch() and self.splits_heads()
        assert len(layers) == 1 and around == {"none"}
        assert "data_shares" not in self.strategy
        return layers.pop()


def check_megatron(it):
    it.is_for_transformers()
    assert it.order_is(USUAL, ["tensor", "context", "pipeline", "data"])
    if it.pipeline > 1:
        assert it.schedule in ("1f1b", "interleaved")
        if it.virtual_stages > 1:
            assert it.micro_batches() % it.pipeline == 0


def check_torchtitan(it):
    it.is_for_transformers()
    assert it.order_is(USUAL)
    assert it.zero != 1 and it.strategy["context_method"] == "ring"
    assert it.zero or it.context == 1
    shard = it.group // it.context if it.zero else 1
    assert it.data % shard == 0
    # The sparse part of its mesh takes ranks of tensor, context and shards.
    if it.expert > 1:
        assert it.tensor == 1
        assert shard * it.context * it.tensor % it.expert == 0 or it.zero == 0


def check_deepspeed(it):
    assert it.is_for_transformers() == "none"
    assert it.pipeline == it.context == it.expert == 1
    assert not (it.zero == 3 and it.tensor > 1)
    assert it.group == it.ranks or it.zero == 0


def check_transformers(it):
    assert it.is_for_transformers() in ("none", "full")
    assert it.pipeline == it.context == it.expert == 1 and it.zero == 0
    assert 1 in (it.data, it.tensor)


def check_accelerate(it):
    assert it.is_for_transformers() in ("none", "full")
    assert it.pipeline == it.expert == 1 and it.zero != 1
    assert it.strategy["context_method"] == "ring" and it.order_is(USUAL)


def check_nanotron(it):
    assert it.is_for_transformers() == "none"
    assert it.pipeline == it.context == it.expert == 1 and it.zero < 2
    assert it.order_is(USUAL)


def check_jax(it):
    assert it.pipeline == 1 and it.has_even_batch()


def check_pytorch(it):
    assert it.zero != 1 and it.has_even_batch()


def check_horovod(it):
    assert it.devices == it.data and it.zero == 0 and it.has_even_batch()


def check_mxnet(it):
    check_horovod(it)
    # Of whole machines, if there are several.
    assert it.devices <= 8 or it.devices % 8 == 0


def check_tensorflow(it):
    assert it.pipeline == 1 and it.zero in (0, 3) and it.has_even_batch()
    assert it.recompute_in_layers() == ({"none"}, {"none"})
    assert it.group == it.ranks or it.zero == 0


CHECKS = {
    "accelerate": check_accelerate,
    "deepspeed": check_deepspeed,
    "horovod": check_horovod,
    "jax": check_jax,
    "mxnet": check_mxnet,
    "megatron": check_megatron,
    "megatron-bridge": check_megatron,
    "nanotron": check_nanotron,
    "pytorch": check_pytorch,
    "tensorflow": check_tensorflow,
    "torchtitan": check_torchtitan,
    "transformers": check_transformers,
}


@pytest.mark.parametrize("cluster", CLUSTERS)
@pytest.mark.parametrize("model", MODELS)
def test_plans_are_in_the_space_of_their_runtime(tmp_path, model, cluster):
    best = plan(tmp_path / "any", model, cluster)
    found = 0
    for runtime, check in CHECKS.items():
        folder = tmp_path / runtime
        made = plan(folder, model, cluster, "--for", runtime)
        if made is None:
            continue
        found += 1
        strategy, step = made
        check(Rules(strategy))
        # Of plans that are equal within half a percent the simplest is first.
        assert step >= best[1] * (1 - 0.0055), runtime
        # The runtime's files lie beside the plan.
        assert len(list(folder.iterdir())) >= 6
    assert found >= (0 if best is None else len(CHECKS) // 2)
