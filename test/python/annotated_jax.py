# SPDX-License-Identifier: Apache-2.0
"""annotated_jax.py MODEL SEED PLAN…: what JAX's compiler makes of `jax-annotated.mlir`.

Compiles the graph in each folder for as many host devices as its plan has, and
prints as JSON the losses of three steps of a model of test/models, the shape of
what a device holds of each argument, and what the devices exchange. First come
the losses that the model's own function has before the first step.
"""

import json
import os
import sys
from pathlib import Path

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = (
    os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"
)

import jax  # noqa: E402
import jax_reference  # noqa: E402, F401  (finds the models)
import numpy as np  # noqa: E402
from jax._src import compiler  # noqa: E402
from jax._src.interpreters import mlir  # noqa: E402
from jax._src.lib.mlir import ir  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402
from jaxlib._jax import DeviceList  # noqa: E402
from models import MODELS  # noqa: E402
from xla_exchanges import exchanges, totals  # noqa: E402

from shardsmith._leaves import named_leaves  # noqa: E402

STEPS = 3


def compiled(text, devices):
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        options = compiler.get_compile_options(num_replicas=1, num_partitions=len(devices))
        client = devices[0].client
        return compiler.backend_compile_and_load(
            client, module, DeviceList(tuple(devices)), options, []
        )


def given(argument, known, step):
    if argument["role"] == "batch":
        return known["batches"][step][argument["name"].removeprefix("batch.")]
    if argument["role"] == "param":
        return known["params"][argument["name"]]
    return np.zeros(argument["shape"], {"f32": np.float32, "i32": np.int32}[argument["dtype"]])


def train(folder, known):
    """Every argument but the batch is also a result, in the same order."""
    step_plan = json.loads((folder / "plan.json").read_text())["layouts"]["train_step"]
    sizes = {axis["name"]: axis["size"] for axis in step_plan["mesh"]}
    devices = jax.devices()[: int(np.prod(list(sizes.values())))]
    mesh = Mesh(np.array(devices).reshape(list(sizes.values())), list(sizes))
    arguments = step_plan["arguments"]
    shardings = [
        NamedSharding(mesh, PartitionSpec(*(tuple(axes) or None for axes in each["axes"])))
        for each in arguments
    ]
    step = compiled((folder / "jax-annotated.mlir").read_text(), devices)
    kept = [i for i, each in enumerate(arguments) if each["role"] != "batch"]
    values = [given(each, known, 0) for each in arguments]
    losses = []
    for number in range(STEPS):
        for i, each in enumerate(arguments):
            if each["role"] == "batch":
                values[i] = given(each, known, number)
        placed = [jax.device_put(value, where) for value, where in zip(values, shardings)]
        *replaced, loss = step.execute_sharded(placed).disassemble_into_single_device_arrays()
        losses.append(float(loss[0]))
        for i, parts in zip(kept, replaced, strict=True):
            values[i] = jax.make_array_from_single_device_arrays(
                np.shape(values[i]), shardings[i], parts
            )
    (module,) = step.hlo_modules()
    return {
        "losses": losses,
        "held": {
            each["name"]: value.addressable_shards[0].data.shape
            for each, value in zip(arguments, placed)
        },
        "exchanges": [
            [kind, axes, calls, size]
            for (kind, axes), (calls, size) in sorted(
                totals(exchanges(module.to_string(), sizes)).items()
            )
        ],
    }


def main(name, seed, *folders):
    model, draw = MODELS[name], np.random.default_rng(int(seed))
    params = model.init(int(seed))
    known = {
        "params": {name: np.asarray(leaf) for name, leaf in named_leaves(params)},
        "batches": [
            {
                key: draw.integers(model.limits()[key], size=leaf.shape, dtype=leaf.dtype)
                for key, leaf in model.batch_shape().items()
            }
            for _ in range(STEPS)
        ],
    }
    first = float(model.loss(params, known["batches"][0]))
    json.dump([first, *(train(Path(folder), known) for folder in folders)], sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
