# SPDX-License-Identifier: Apache-2.0
"""The models of this folder by name: configuration, batch shape, functions."""

from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any

import gpt2
import jax
import jax.numpy as jnp
import llama
import optax

_TINY_GPT2 = gpt2.Config(layers=2, width=40, heads=4, vocabulary=101, positions=32)
_TINY_LLAMA = dict(layers=2, width=48, heads=6, kv_heads=2, hidden=88, vocabulary=97)
_BENCH_LLAMA = dict(
    layers=4, width=512, heads=8, kv_heads=4, hidden=1408, vocabulary=8192
)
_GPT3 = gpt2.Config(layers=96, width=12288, heads=96, positions=2048)


@dataclass(frozen=True)
class Model:
    """A model and the batch it is exported with."""

    family: ModuleType
    config: Any
    samples: int
    length: int
    train_step: bool = False
    # Models too large to make weights for are exported from shapes alone.
    shapes_only: bool = False

    def init(self, seed=0):
        init = partial(self.family.init, config=self.config)
        key = jax.random.key(seed)
        return jax.eval_shape(init, key) if self.shapes_only else init(key)

    def loss(self, params, batch):
        return self.family.loss(params, batch, self.config)

    def batch_shape(self):
        tokens = jax.ShapeDtypeStruct((self.samples, self.length), jnp.int32)
        return {"tokens": tokens, "targets": tokens}

    def limits(self):
        return dict.fromkeys(("tokens", "targets"), self.config.vocabulary)


def train_step_of(model, optimizer):
    """The train step a JAX user would write around `model`."""

    def train_step(params, opt_state, batch):
        loss, gradients = jax.value_and_grad(model.loss)(params, batch)
        updates, opt_state = optimizer.update(gradients, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    return train_step


# Tiny models have sizes that 3 and 6 do not divide, and a sample count that
# every number of ranks from 2 to 8 but 5 and 7 does.
MODELS = {
    "gpt2-124m": Model(gpt2, gpt2.Config(), samples=8, length=64),
    "gpt2-tiny": Model(gpt2, _TINY_GPT2, samples=24, length=16),
    "gpt2-tiny-bf16": Model(
        gpt2,
        gpt2.Config(**{**_TINY_GPT2.__dict__, "dtype": "bfloat16"}),
        samples=24,
        length=16,
    ),
    "gpt2-tiny-train-step": Model(
        gpt2, _TINY_GPT2, samples=24, length=16, train_step=True
    ),
    "gpt3-175b": Model(gpt2, _GPT3, samples=8, length=2048, shapes_only=True),
    "llama-tiny": Model(llama, llama.Config(**_TINY_LLAMA), samples=24, length=16),
    "llama-tiny-scan": Model(
        llama, llama.Config(**_TINY_LLAMA, scan=True), samples=24, length=16
    ),
    "llama-bench": Model(llama, llama.Config(**_BENCH_LLAMA), samples=8, length=128),
}
