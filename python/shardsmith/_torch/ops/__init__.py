# SPDX-License-Identifier: Apache-2.0
"""Translations of ATen ops, a file for each family.

A translation takes a `Call` and the op's arguments under the names of its
schema, tensors as `Value`s. It returns the results, in order.
"""

from importlib import import_module

from shardsmith._torch.ops._table import TABLE

FAMILIES = {
    name: import_module(f"{__name__}.{name}")
    for name in (
        "activations",
        "attention",
        "convolutions",
        "indexing",
        "losses",
        "normalisations",
        "ordering",
        "pointwise",
        "pooling",
        "products",
        "random",
        "reductions",
        "shapes",
    )
}

__all__ = ["FAMILIES", "TABLE"]
