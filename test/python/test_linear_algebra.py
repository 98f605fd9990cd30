# SPDX-License-Identifier: Apache-2.0
"""Cholesky factors and triangular systems: compiled values against JAX in
float64, derivatives against jax.grad, on fresh random matrices."""

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402

from seeds import random_seed  # noqa: E402
from shardsmith.jax import export_loss  # noqa: E402
from test_cpu_lowering import compare_with_float64  # noqa: E402
from test_derivatives import Source, check  # noqa: E402
from training import shardsmith  # noqa: E402


def draw_definite(source, *shape):
    """Symmetric matrices whose eigenvalues are from about one up."""
    root = source.normal(*shape, shape[-1]) / shape[-1] ** 0.5
    return root @ np.swapaxes(root, -1, -2) + np.eye(shape[-1], dtype=np.float32)


def draw_triangle(source, *shape):
    """Matrices whose triangles are far from singular; both are filled."""
    matrix = source.normal(*shape, shape[-1]) / shape[-1]
    return matrix + 2 * np.eye(shape[-1], dtype=np.float32)


FORMS = [
    dict(left_side=left, lower=lower, transpose_a=transpose, unit_diagonal=unit)
    for left in (True, False)
    for lower in (True, False)
    for transpose in (True, False)
    for unit in (True, False)
]


def draw_system(source, form):
    n, m = source.size(1, 7), source.size(1, 5)
    batch = source.shape(0, 2)
    shape = (n, m) if form["left_side"] else (m, n)
    return draw_triangle(source, *batch, n), source.normal(*batch, *shape)


def test_values_of_factors(tmp_path):
    source = Source(random_seed())
    matrices = [draw_definite(source, *source.shape(0, 2), n) for n in (1, 5, 33)]

    def factors(*matrices):
        lower = [lax.linalg.cholesky(a, symmetrize_input=False) for a in matrices]
        return *lower, jnp.linalg.cholesky(matrices[1], upper=True)

    compare_with_float64(factors, matrices, tmp_path)


def test_what_has_no_factor_is_not_a_number(tmp_path):
    matrices = np.stack([np.eye(3), -np.eye(3), 2 * np.eye(3)]).astype(np.float32)
    function = lambda a: (jnp.linalg.cholesky(a),)
    compare_with_float64(function, [matrices], tmp_path)


def test_values_of_solutions(tmp_path):
    source = Source(random_seed())
    systems = [draw_system(source, form) for form in FORMS]

    def solve(*flat):
        return [
            lax.linalg.triangular_solve(a, b, **form)
            for a, b, form in zip(flat[::2], flat[1::2], FORMS)
        ]

    compare_with_float64(solve, [x for system in systems for x in system], tmp_path)


@pytest.mark.parametrize("upper", [False, True])
def test_derivative_of_factors(upper):
    source = Source(random_seed())
    matrix = draw_definite(source, *source.shape(0, 2), source.size(1, 6))
    check(lambda a: jnp.linalg.cholesky(a, upper=upper), [matrix], source.random)
    if not upper:
        raw = lambda a: lax.linalg.cholesky(a, symmetrize_input=False)
        check(raw, [matrix], source.random)


def test_derivatives_of_solutions():
    source = Source(random_seed())
    forms = [FORMS[i] for i in source.permutation(len(FORMS))]
    systems = [draw_system(source, form) for form in forms]

    def solve(*flat):
        return [
            lax.linalg.triangular_solve(a, b, **form)
            for a, b, form in zip(flat[::2], flat[1::2], forms)
        ]

    check(solve, [x for system in systems for x in system], source.random)


def test_solution_by_a_factor():
    """`jax.scipy.linalg.cho_solve`, as Gaussian processes use it."""
    source = Source(random_seed())
    matrix = draw_definite(source, 2, source.size(2, 6))
    right = source.normal(*matrix.shape[:-1], 3)

    def solve(a, b):
        factor = jax.vmap(lambda a: jax.scipy.linalg.cho_factor(a, lower=True)[0])(a)
        return jax.vmap(lambda f, b: jax.scipy.linalg.cho_solve((f, True), b))(factor, b)

    check(solve, [matrix, right], source.random, rtol=1e-4, atol=1e-4)


def test_without_lapack(tmp_path, monkeypatch):
    """The program says what it lacks."""
    loss = lambda p, batch: (jnp.linalg.cholesky(p["a"]) * batch["x"]).mean()
    params = {"a": np.eye(3, dtype=np.float32)}
    model = tmp_path / "model.mlir"
    export_loss(loss, params, {"x": np.ones((4, 3, 3), np.float32)}, model)
    shardsmith("compile", model, "--cluster", "cpu:1", "-o", tmp_path / "out")
    monkeypatch.setenv("SHARDSMITH_LAPACK", "/nonexistent/lapack.so")
    _, err = shardsmith("run", tmp_path / "out", "--steps", 1, code=6)
    assert "need LAPACK (Debian: libopenblas0; or name its file in SHARDSMITH_LAPACK)" in err
    assert "/nonexistent/lapack.so" in err
