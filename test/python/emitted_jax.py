# SPDX-License-Identifier: Apache-2.0
"""emitted_jax.py MODEL SHARDINGS: trains a model of test/models on eight host
devices under an emitted file of shardings, and on one.

Prints as JSON the losses of both and the shape that one device holds of each
parameter and state.
"""

import json
import os
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = (
    os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"
)

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import jax_reference  # noqa: E402, F401  (finds the models)
import numpy as np  # noqa: E402
import optax  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402
from models import MODELS, train_step_of  # noqa: E402

from shardsmith._leaves import named_leaves  # noqa: E402

STEPS = 3


def mesh_of(shardings):
    names, sizes = (shardings["mesh"][f"axis_{part}"] for part in ("names", "sizes"))
    devices = np.array(jax.devices()[: int(np.prod(sizes))]).reshape(sizes)
    return Mesh(devices, names)


def placed(tree, prefix, entries, mesh):
    """The tree with every leaf where its entry says."""
    leaves = []
    for name, leaf in named_leaves(tree):
        spec = [tuple(axes) or None for axes in entries[prefix + name]["spec"]]
        leaves.append(
            jax.device_put(leaf, NamedSharding(mesh, PartitionSpec(*spec)))
        )
    return jax.tree.unflatten(jax.tree.structure(tree), leaves)


def batches_of(model):
    rng = np.random.default_rng(0)
    return [
        {
            name: jnp.asarray(
                rng.integers(model.limits()[name], size=leaf.shape, dtype=leaf.dtype)
            )
            for name, leaf in model.batch_shape().items()
        }
        for _ in range(STEPS)
    ]


def losses(model, params, moments, batches):
    rule = optax.adamw(1e-3)
    state = rule.init(params)
    adam = state[0]._replace(mu=moments, nu=jax.tree.map(jnp.copy, moments))
    state = (adam, *state[1:])
    step = jax.jit(train_step_of(model, rule))
    found = []
    for batch in batches:
        params, state, loss = step(params, state, batch)
        found.append(float(loss))
    return found


def main(model_name, path):
    model = MODELS[model_name]
    shardings = json.load(open(path))
    mesh = mesh_of(shardings)
    params, batches = model.init(0), batches_of(model)
    zeros = jax.tree.map(jnp.zeros_like, params)
    moved = placed(params, "params.", shardings["inputs"], mesh)
    states = placed(zeros, "adamw.mu.", shardings["optimizer_states"], mesh)
    parts = [placed(batch, "batch.", shardings["inputs"], mesh) for batch in batches]

    def local(tree):
        return {
            name: leaf.addressable_shards[0].data.shape
            for name, leaf in named_leaves(tree)
        }

    json.dump(
        {
            "one": losses(model, params, zeros, batches),
            "all": losses(model, moved, states, parts),
            "params": local(moved),
            "states": local(states),
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
