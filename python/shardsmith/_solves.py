# SPDX-License-Identifier: Apache-2.0
"""`custom_linear_solve`, which `jnp.linalg.solve` and `inv` are written with, in
a model file: without its rule, and with its derivative.

JAX solves A x = b by factors in which gradients are stopped, and says by a rule
that dx = A⁻¹ (db - dA x). Here the solution, stopped as well, is corrected by
what is solved for its own error, which is zero but for rounding and has that
derivative:

    x₀ = stop(solve(b)),  x = x₀ - solve(A x₀ - b)
"""

from jax import lax
from jax._src.interpreters import mlir
from jax._src.lax.control_flow.solves import linear_solve_p
from jax.extend.core import jaxpr_as_fun

LINEAR_SOLVE = linear_solve_p


def iterates(equation):
    """Whether the solver is a loop, through which the derivative would go."""
    return _has_loop(equation.params["jaxprs"].solve.jaxpr)


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
    errors = solve([product - b for product, b in zip(left, right)])
    return [x - error for x, error in zip(found, errors)]


lower_linear_solve = mlir.lower_fun(_solve, multiple_results=True)
