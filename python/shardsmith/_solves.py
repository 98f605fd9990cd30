# SPDX-License-Identifier: Apache-2.0
"""`custom_linear_solve`, which `jnp.linalg.solve` and `inv` are written with, in
a model file: without its rule, and with its derivative.

JAX solves A x = b in a way through which no gradient goes, and says by a rule
that dx = A⁻¹ (db - dA x). Here the solution, stopped as well, is corrected by
what is solved for its own error, and has that derivative:

    x₀ = stop(solve(b)),  x = x₀ - correction(A x₀ - b)

By factors the correction is another solution, which is zero but for rounding.
By iterations (`cg`, `gmres`) it is zero, and has a derivative of its own, for
which the transposed system is solved.
"""

from functools import partial

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.interpreters import mlir
from jax._src.lax.control_flow.solves import linear_solve_p
from jax.extend.core import jaxpr_as_fun

LINEAR_SOLVE = linear_solve_p


def can_be_kept(equation):
    """Whether the correction can be written: nothing is known of the transposed
    system where JAX itself cannot solve it."""
    jaxprs = equation.params["jaxprs"]
    return not _iterates(jaxprs) or jaxprs.transpose_solve is not None


def _iterates(jaxprs):
    """Whether the solver is a loop, through which the derivative would go."""
    return _has_loop(jaxprs.solve.jaxpr)


def _has_loop(jaxpr):
    from shardsmith._derivatives import inner_jaxprs

    return any(
        equation.primitive.name in ("while", "scan")
        or any(map(_has_loop, inner_jaxprs(equation)))
        for equation in jaxpr.eqns
    )


def _solve(*arguments, const_lengths, jaxprs):
    ends = iter(arguments)
    constants = {
        name: [next(ends) for _ in range(length)]
        for name, length in const_lengths._asdict().items()
    }
    right = list(ends)

    def solve(values):
        return jaxpr_as_fun(jaxprs.solve)(*constants["solve"], *values)

    found = [lax.stop_gradient(x) for x in solve(right)]
    left = jaxpr_as_fun(jaxprs.matvec)(*constants["matvec"], *found)
    errors = [product - b for product, b in zip(left, right)]
    if _iterates(jaxprs):
        corrections = _correction(jaxprs, constants["transpose_solve"], errors)
    else:
        corrections = solve(errors)
    return [x - correction for x, correction in zip(found, corrections)]


def _correction(jaxprs, constants, errors):
    """Zero, with the derivative of the solution."""

    @jax.custom_vjp
    def correction(constants, errors):
        return [jnp.zeros_like(error) for error in errors]

    def pull_back(constants, cotangents):
        solved = jaxpr_as_fun(jaxprs.transpose_solve)(*constants, *cotangents)
        return None, list(solved)

    correction.defvjp(
        lambda constants, errors: (correction(constants, errors), constants), pull_back
    )
    return correction(constants, errors)


def _solve_in_a_call(*arguments, **params):
    """What is lowered directly loses the rules of functions inside."""
    return jax.jit(partial(_solve, **params))(*arguments)


lower_linear_solve = mlir.lower_fun(_solve_in_a_call, multiple_results=True)
