# SPDX-License-Identifier: Apache-2.0
"""Translations of ATen ops, a file for each family.

A translation takes a `Call` and the op's arguments under the names of its
schema, tensors as `Value`s. It returns the results, in order.
"""

from shardsmith._torch.ops import (
    activations,
    attention,
    convolutions,
    indexing,
    losses,
    normalisations,
    ordering,
    pointwise,
    pooling,
    products,
    random,
    reductions,
    shapes,
)
from shardsmith._torch.ops._table import TABLE

FAMILIES = {
    module.__name__.rpartition(".")[2]: module
    for module in (
        activations,
        attention,
        convolutions,
        indexing,
        losses,
        normalisations,
        ordering,
        pointwise,
        pooling,
        products,
        random,
        reductions,
        shapes,
    )
}

__all__ = ["FAMILIES", "TABLE"]
