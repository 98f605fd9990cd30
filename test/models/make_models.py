#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exports the models of this folder as model files.

    make_models.py [--out DIR] [NAME…]     default: every committed model

`gpt3-175b` is written only when named: it has 96 layers and 12288 columns, and
is exported from shapes alone.
"""

import argparse
import os
import sys
from pathlib import Path

os.environ.setdefault("JAX_PLATFORMS", "cpu")
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "python")]

import optax  # noqa: E402
from models import MODELS, train_step_of  # noqa: E402

from shardsmith.jax import export_loss, export_train_step  # noqa: E402

# The version whose text the committed files are.
JAX_VERSION = "0.10.2"
COMMITTED = [name for name, model in MODELS.items() if not model.shapes_only]


def export(name, path=None):
    """The text of model `name`, also written to `path` if given."""
    model = MODELS[name]
    params = model.init()
    symbol = name.replace("-", "_")
    if not model.train_step:
        return export_loss(
            model.loss,
            params,
            model.batch_shape(),
            path,
            name=symbol,
            limits=model.limits(),
        )
    optimizer = optax.adamw(1e-3, weight_decay=0.01)
    return export_train_step(
        train_step_of(model, optimizer),
        params,
        optimizer.init(params),
        model.batch_shape(),
        path,
        name=symbol,
        limits=model.limits(),
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=COMMITTED, metavar="NAME")
    parser.add_argument("--out", type=Path, default=HERE, metavar="DIR")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(MODELS)
    if unknown:
        parser.error(f"no model {sorted(unknown)[0]}; there are {', '.join(MODELS)}")
    for name in arguments.names:
        path = arguments.out / f"{name}.mlir"
        text = export(name, path)
        print(f"{path}: {len(text.encode()) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
