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

# Words in a parameter's path that tell its initial value when only its shape
# is known.
_ONES_WORDS = {"scale", "gamma", "g"}
_NORM_WORDS = ("norm", "ln")
_ZEROS_WORDS = {"bias", "b", "beta"}

# Below this many elements a sample says nothing about a distribution.
_SMALLEST_SAMPLE = 8


class ExportError(ValueError):
    """The function or its arguments cannot be exported; the text says why."""


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
    if isinstance(leaf, jax.ShapeDtypeStruct):
        return _guess_from_name(name, leaf)
    values = np.asarray(leaf)
    if np.iscomplexobj(values):
        values = np.stack([values.real, values.imag])
    values = values.astype(np.float64)
    if values.size == 0 or not values.any():
        return "zeros"
    first = values.flat[0]
    if (values == first).all():
        return "ones" if first == 1 else f"constant:{first:.9g}"
    deviation = np.sqrt(np.mean(np.square(values)))
    if values.size < _SMALLEST_SAMPLE or not np.isfinite(deviation):
        return _guess_from_name(name, leaf)
    return f"normal:{deviation:.3g}"


def _guess_from_name(name, leaf):
    if not np.issubdtype(leaf.dtype, np.inexact) and not _is_bfloat(leaf):
        return "zeros"
    words = name.replace("[", ".").replace("]", "").lower().split(".")
    last = words[-1]
    in_norm = any(
        word.startswith(hint) or word.endswith(hint)
        for word in words
        for hint in _NORM_WORDS
    )
    if last in _ZEROS_WORDS:
        return "zeros"
    if last in _ONES_WORDS or (in_norm and last in ("weight", "w")):
        return "ones"
    return "normal:0.02" if len(leaf.shape) >= 2 else "zeros"


def _is_bfloat(leaf):
    return leaf.dtype == jax.numpy.bfloat16
