# SPDX-License-Identifier: Apache-2.0
"""Names and initial values of the leaves of a JAX pytree."""

import jax
import numpy as np
from jax.tree_util import (
    DictKey,
    FlattenedIndexKey,
    GetAttrKey,
    SequenceKey,
    tree_flatten_with_path,
)

from shardsmith._arguments import describe_values, guess_from_name
from shardsmith._errors import ExportError

def path_name(path, prefix=""):
    """The name of a leaf: `blocks[0].attn.w_q`.

    A dictionary key that is an identifier and an attribute give `.key`, a
    position gives `[i]`, any other dictionary key gives `[key]`. The attribute
    `value` that flax.nnx puts at the end of every path is left out.

    >>> path_name((DictKey("blocks"), SequenceKey(0), DictKey("w_q")))
    'blocks[0].w_q'
    >>> path_name((SequenceKey(1), GetAttrKey("mu")), prefix="opt_state")
    'opt_state[1].mu'
    """
    keys = list(path)
    if len(keys) > 1 and keys[-1] == GetAttrKey("value"):
        keys.pop()
    name = prefix
    for key in keys:
        match key:
            case SequenceKey(idx=index):
                name += f"[{index}]"
            case GetAttrKey(name=word):
                name += f".{word}"
            case DictKey(key=word) | FlattenedIndexKey(key=word):
                plain = isinstance(word, str) and word.isidentifier()
                name += f".{word}" if plain else f"[{word}]"
            case _:
                name += f"[{key}]"
    return name.removeprefix(".")


def named_leaves(tree, prefix="", single=""):
    """The leaves of `tree` as (name, leaf); a bare leaf is called `single`."""
    leaves, _ = tree_flatten_with_path(tree)
    named = [(path_name(path, prefix) or single, leaf) for path, leaf in leaves]
    for name, leaf in named:
        if not hasattr(leaf, "shape") or not hasattr(leaf, "dtype"):
            raise ExportError(
                f"'{name}' is a {type(leaf).__name__}, not an array; keep "
                "arrays only (equinox: eqx.filter(model, eqx.is_array); flax "
                "nnx: nnx.split(model, nnx.Param)) and close over the rest"
            )
        if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.extended):
            raise ExportError(
                f"'{name}' is a typed key of dtype {leaf.dtype}; pass "
                "jax.random.key_data(key) and wrap it inside the function"
            )
    return named


def initial_value(name, leaf):
    """`smith.init` of a parameter or optimizer state.

    Concrete arrays are looked at: all zeros, all ones, all the same value, or
    else the standard deviation rounded to three digits. Of shapes only, the
    name decides: see `docs/export-from-jax.md`. Of complex numbers both parts
    are looked at together.
    """
    is_float = jax.dtypes.issubdtype(leaf.dtype, np.inexact)
    if isinstance(leaf, jax.ShapeDtypeStruct):
        return guess_from_name(name, leaf.shape, is_float)
    values = np.asarray(leaf)
    if np.iscomplexobj(values):
        values = np.stack([values.real, values.imag])
    return describe_values(name, values, is_float)
