# SPDX-License-Identifier: Apache-2.0
"""Attributes of arguments, the same for all exporters: names, initial values,
what counts samples."""

import os
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np

from shardsmith._errors import ExportError

# Words in a parameter's path that tell its initial value when only its shape
# is known.
_ONES_WORDS = {"scale", "gamma", "g"}
_NORM_WORDS = ("norm", "ln")
_ZEROS_WORDS = {"bias", "b", "beta"}

# Below this many elements a sample says nothing about a distribution.
_SMALLEST_SAMPLE = 8


def describe_values(name, values, is_float):
    """`smith.init` of an array: all zeros, all ones, all the same value, or else
    the root mean square rounded to three digits."""
    values = np.asarray(values).astype(np.float64)
    if values.size == 0 or not values.any():
        return "zeros"
    first = values.flat[0]
    if (values == first).all():
        return "ones" if first == 1 else f"constant:{first:.9g}"
    deviation = np.sqrt(np.mean(np.square(values)))
    if values.size < _SMALLEST_SAMPLE or not np.isfinite(deviation):
        return guess_from_name(name, values.shape, is_float)
    return f"normal:{deviation:.3g}"


def guess_from_name(name, shape, is_float):
    """`smith.init` where only the shape is known: see
    `docs/export-from-jax.md`."""
    if not is_float:
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
    return "normal:0.02" if len(shape) >= 2 else "zeros"


def chosen_value(name, init):
    """The value that the user chose for a name by a pattern, or None."""
    for pattern, value in (init or {}).items():
        if fnmatchcase(name, pattern):
            return value
    return None


@dataclass
class BatchArgument:
    """One leaf of a batch: `name` begins with `batch`."""

    name: str
    shape: tuple
    dtype: str
    is_integer: bool

    @property
    def short_name(self):
        return self.name.removeprefix("batch").removeprefix(".")


def batch_attributes(leaves, limits, batch_dims):
    """Attributes of batch arguments; all must hold the same sample count."""
    limits, batch_dims = limits or {}, batch_dims or {}
    short = [leaf.short_name for leaf in leaves]
    for given, what in ((limits, "limits"), (batch_dims, "batch_dims")):
        unknown = set(given) - set(short)
        if unknown:
            raise ExportError(
                f"{what} names '{sorted(unknown)[0]}', which the batch does "
                f"not have; it has: {', '.join(short)}"
            )
    attributes = []
    samples = {}
    for leaf in leaves:
        dim = batch_dims.get(leaf.short_name, 0 if leaf.shape else -1)
        if not -1 <= dim < len(leaf.shape):
            raise ExportError(
                f"batch_dims gives dimension {dim} for '{leaf.name}', which has "
                f"shape {tuple(leaf.shape)}"
            )
        if dim >= 0:
            samples[leaf.name] = leaf.shape[dim]
        entry = {"smith.role": "batch", "smith.name": leaf.name, "smith.batch_dim": dim}
        if leaf.short_name in limits:
            if not leaf.is_integer:
                raise ExportError(
                    f"limits names '{leaf.short_name}', which holds {leaf.dtype}, "
                    "not integers"
                )
            entry["smith.limit"] = int(limits[leaf.short_name])
        attributes.append(entry)
    if len(set(samples.values())) > 1:
        listed = ", ".join(f"'{name}' {count}" for name, count in samples.items())
        raise ExportError(
            f"batch arguments hold different numbers of samples: {listed}; "
            "name the right dimension with batch_dims, -1 for none"
        )
    return attributes


def check_unique(attributes):
    """Raises ExportError if two arguments have one name."""
    seen = set()
    for name in (entry["smith.name"] for entry in attributes):
        if name in seen:
            raise ExportError(
                f"two arguments are called '{name}'; rename one of them"
            )
        seen.add(name)


def write_file(text, path):
    """The whole file or none."""
    temporary = f"{os.fspath(path)}.partial"
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(temporary, path)
