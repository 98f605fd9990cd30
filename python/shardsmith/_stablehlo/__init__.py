# SPDX-License-Identifier: Apache-2.0
"""Writes StableHLO text, without a package that knows StableHLO.

`Builder` holds the body of one function; its methods infer the shapes of their
results and return `Value`s. `docs/export-from-pytorch.md` says who uses it.
"""

from shardsmith._stablehlo.builder import Builder
from shardsmith._stablehlo.elements import TensorType, is_float, is_integer
from shardsmith._stablehlo.module import Argument, Result, module_text

__all__ = [
    "Argument",
    "Builder",
    "Result",
    "TensorType",
    "is_float",
    "is_integer",
    "module_text",
]
