# SPDX-License-Identifier: Apache-2.0
"""`lax.ragged_dot`, which mixtures of experts are written with, in a model file.

On processors JAX makes a dense product of every row and every matrix of it, most
of which are zero. Here it stays what it is, as JAX has it on accelerators:

    "chlo.ragged_dot"(%rows, %matrices, %sizes)

so that the planner sees experts, and only rows that meet are multiplied.
"""

import jax.numpy as jnp
from jax._src.interpreters import mlir
from jax._src.lax.lax import (
    _ragged_dot_general_impl,
    _ragged_dot_general_lower,
    ragged_dot_general_p,
)

RAGGED_DOT = ragged_dot_general_p


def _is_known(ctx, numbers):
    """Whether the compiler has it: rows by their matrices, and the gradients of
    both. What `vmap` makes of it has more dimensions."""
    rows, matrices, sizes = ctx.avals_in
    (_, (left, right)) = numbers.dot_dimension_numbers
    ranks = (2, 3) if numbers.rhs_group_dimensions else (2, 2)
    return (
        not left
        and not right
        and (rows.ndim, matrices.ndim) == ranks
        and sizes.ndim == 1
        and jnp.issubdtype(rows.dtype, jnp.floating)
    )


def lower_ragged_dot(ctx, *operands, ragged_dot_dimension_numbers, **params):
    numbers = ragged_dot_dimension_numbers
    if _is_known(ctx, numbers):
        return _ragged_dot_general_lower(
            ctx, *operands, ragged_dot_dimension_numbers=numbers, platform="tpu", **params
        )
    dense = mlir.lower_fun(_ragged_dot_general_impl, multiple_results=False)
    return dense(ctx, *operands, ragged_dot_dimension_numbers=numbers, **params)
