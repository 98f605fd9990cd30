# SPDX-License-Identifier: Apache-2.0
"""planned_jax.py MODEL FIX SEED: trains a transformer on the eight devices that
JAX sees under a plan of `shardsmith.jax`, and on one.

Prints as JSON the losses of both, the parameters that differ at the end, what
XLA exchanges in a step ([kind, axes, calls, bytes that a rank sends]), the
bytes of all gradients that a rank computes, of a table that is used twice, and
of the activations between two products.
"""

import json
import sys

import flax.linen as nn
import jax
import jax.numpy as jnp
import jax_reference  # noqa: F401  (finds the models)
import numpy as np
import optax
from models import Model, gpt2, llama
from xla_exchanges import exchanges, totals

from shardsmith._leaves import named_leaves
from shardsmith.jax import plan

STEPS = 3
WIDTH, VOCABULARY = 256, 512
SAMPLES, LENGTH = 32, 32


class FlaxDecoder(nn.Module):
    """A causal decoder as its users write it in flax."""

    @nn.compact
    def __call__(self, tokens):
        mask = nn.make_causal_mask(tokens)
        x = nn.Embed(VOCABULARY, WIDTH)(tokens)
        for _ in range(2):
            y = nn.LayerNorm()(x)
            x = x + nn.MultiHeadDotProductAttention(8)(y, y, mask=mask)
            y = nn.Dense(4 * WIDTH)(nn.LayerNorm()(x))
            x = x + nn.Dense(WIDTH)(nn.gelu(y))
        return nn.Dense(VOCABULARY)(nn.LayerNorm()(x))


def flax_model(seed):
    decoder = FlaxDecoder()
    params = decoder.init(jax.random.key(seed), jnp.zeros((1, LENGTH), jnp.int32))

    def loss(params, batch):
        logits = decoder.apply(params, batch["tokens"])
        return optax.softmax_cross_entropy_with_integer_labels(logits, batch["targets"]).mean()

    return loss, params


def own_model(family, config):
    def build(seed):
        model = Model(family, config, SAMPLES, LENGTH)
        return model.loss, model.init(seed)

    return build


SIZES = {"layers": 2, "width": WIDTH, "heads": 8, "vocabulary": VOCABULARY}
MODELS = {
    "gpt2": own_model(gpt2, gpt2.Config(**SIZES, positions=LENGTH)),
    "llama": own_model(llama, llama.Config(**SIZES, kv_heads=4, hidden=3 * WIDTH)),
    "flax": flax_model,
}


def batches(seed):
    draw = np.random.default_rng(seed)
    return [
        {
            name: draw.integers(VOCABULARY, size=(SAMPLES, LENGTH), dtype=np.int32)
            for name in ("tokens", "targets")
        }
        for _ in range(STEPS)
    ]


def train(loss_fn, params, state, data, rule, constrained=lambda tree: tree):
    """Losses, the parameters at the end, and the compiled step."""

    def step(params, state, batch):
        loss, gradients = jax.value_and_grad(loss_fn)(params, batch)
        updates, state = rule.update(constrained(gradients), state, params)
        return constrained(optax.apply_updates(params, updates)), state, loss

    compiled = jax.jit(step).lower(params, state, data[0]).compile()
    losses = []
    for batch in data:
        params, state, loss = compiled(params, state, batch)
        losses.append(float(loss))
    return losses, params, compiled.as_text()


def gradient_bytes(params, found):
    """On a rank: the tensor axis splits them, data ranks have them all."""
    ranks = dict(found.mesh.shape)

    def parts(sharding):
        dimensions = [(each,) if isinstance(each, str) else each or () for each in sharding.spec]
        return ranks["tensor"] if any("tensor" in axes for axes in dimensions) else 1

    return sum(
        leaf.nbytes // parts(sharding)
        for leaf, sharding in zip(jax.tree.leaves(params), jax.tree.leaves(found.params))
    )


def main(name, fix, seed):
    seed = int(seed)
    loss_fn, params = MODELS[name](seed)
    data = batches(seed)
    # Smooth where a gradient is nearly zero, whose sign rounding decides.
    rule = optax.adamw(1e-3, eps=1e-2)
    one, alone, _ = train(loss_fn, params, rule.init(params), data, rule)

    found = plan(loss_fn, params, data[0], cluster="8xh100", fix=fix)
    placed, state = found.place(params, rule.init(params))
    every, spread, text = train(
        found.apply(loss_fn),
        placed,
        state,
        [jax.device_put(batch, found.batch) for batch in data],
        rule,
        lambda tree: jax.lax.with_sharding_constraint(tree, found.params),
    )
    data_ranks = dict(found.mesh.shape).get("data", 1)
    json.dump(
        {
            "gradient_bytes": gradient_bytes(params, found),
            "tied_bytes": 4 * VOCABULARY * WIDTH if name == "gpt2" else 0,
            "activation_bytes": 4 * SAMPLES // data_ranks * LENGTH * WIDTH,
            "one": one,
            "all": every,
            "different": [
                leaf
                for (leaf, a), (_, b) in zip(named_leaves(alone), named_leaves(spread))
                if not np.allclose(a, b, rtol=1e-4, atol=1e-6)
            ],
            "exchanges": [
                [kind, axes, calls, size]
                for (kind, axes), (calls, size) in sorted(
                    totals(exchanges(text, dict(found.mesh.shape))).items()
                )
            ],
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
