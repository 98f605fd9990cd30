# SPDX-License-Identifier: Apache-2.0
"""QR, symmetric eigenvalues and LU: compiled values against JAX in float64, and
gradients against jax.grad on some ranks, on fresh random matrices. Samples have
matrices of their own, which ranks share out."""

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import test_zoo  # noqa: E402
from seeds import random_seed  # noqa: E402
from random_loops import Model  # noqa: E402
from shardsmith.jax import export_loss  # noqa: E402
from test_cpu_lowering import compare_with_float64  # noqa: E402
from test_derivatives import Source  # noqa: E402
from test_loops import export  # noqa: E402
from training import shardsmith  # noqa: E402

SAMPLES = 8


def orthogonal(p, b):
    q, r = jnp.linalg.qr(jnp.tanh(b["tall"]) + p["tall"])
    _, wide = jnp.linalg.qr(jax.lax.stop_gradient(p["tall"]).T)
    return jnp.mean((q @ jnp.sin(r) - b["tall"]) ** 2) + jnp.mean(q * p["tall"]) + wide.sum()


def eigenvalues(p, b):
    # Eigenvalues apart: eigenvectors turn by rounding ÷ their distance.
    square = jnp.tanh(b["square"]) + p["square"] + 3 * jnp.diag(jnp.arange(4.0))
    w, v = jnp.linalg.eigh(square)
    rooted = (v * jnp.tanh(w)[:, None]) @ v.swapaxes(-1, -2)
    return jnp.mean((rooted - b["square"]) ** 2) + jnp.mean(w**2)


def systems(p, b):
    """A solution, an inverse and a determinant, and the factors that they are made
    of, with rows in another order."""
    mixed = (jnp.tanh(b["square"]) + p["square"])[:, ::-1] + 3 * jnp.eye(4)[::-1]
    x = jnp.linalg.solve(mixed, b["tall"][:, :4])
    inverse = jnp.linalg.inv(p["square"] + 3 * jnp.eye(4))
    factors, _, _ = jax.lax.linalg.lu(mixed)
    determinants = jnp.linalg.slogdet(mixed)[1]
    return jnp.mean(x**2 + determinants[:, None, None]) + jnp.mean(inverse**2 + factors * b["square"])


def draw_regular(source, *shape):
    """Matrices far from those of a lower rank, on which factors hardly depend on
    roundings."""
    return source.normal(*shape) / 3 / max(shape) ** 0.5 + np.eye(*shape[-2:], dtype=np.float32)


def draw_apart(source, count, size):
    """Symmetric matrices whose eigenvalues lie around zero, 0.9 apart at least:
    eigenvectors turn by roundings of the largest one ÷ their distance."""
    basis, _ = np.linalg.qr(source.normal(count, size, size))
    values = np.arange(size, dtype=np.float32) - size // 2 + source.uniform(0, 0.1, count, size)
    matrix = (basis * values[:, None]) @ np.swapaxes(basis, -1, -2)
    return (matrix + np.swapaxes(matrix, -1, -2)) / 2


def draw_model(loss, source):
    draw = lambda *shape: (0.5 * source.normal(*shape)).astype(np.float32)
    params = {"tall": draw(5, 3), "square": draw(4, 4)}
    batch = {"tall": draw(SAMPLES, 5, 3), "square": draw(SAMPLES, 4, 4)}
    return Model(loss, params, batch)


@pytest.mark.parametrize("ranks", test_zoo.RANKS)
@pytest.mark.parametrize("loss", [orthogonal, eigenvalues, systems])
def test_gradients_are_those_of_jax(loss, ranks, tmp_path, monkeypatch):
    seed = random_seed()
    model = draw_model(loss, Source(seed))
    monkeypatch.setattr(test_zoo, "TOLERANCE", 1e-4)
    path, initial = export(model, tmp_path)
    case = test_zoo.Exported(model, path, initial, seed)
    test_zoo.check_gradients(case, test_zoo.draw_ranks(ranks, seed), tmp_path / "out")
    shardsmith("verify", tmp_path / "out")


def test_values(tmp_path):
    """Of batches and of single matrices, tall, wide and of one element."""
    source = Source(random_seed())
    shapes = [(5, 3), (3, 5), (1, 1), (2, 3, 33, 33), (4, 6, 2)]
    matrices = [draw_regular(source, *shape) for shape in shapes]
    definite = draw_apart(source, 3, 9)

    def factors(*matrices):
        *others, definite = matrices
        results = [factor for a in others for factor in jnp.linalg.qr(a)]
        w, v = jnp.linalg.eigh(definite)
        # Eigenvectors may have either sign.
        return *results, w, jnp.abs(v)

    compare_with_float64(factors, [*matrices, definite], tmp_path)


@pytest.mark.parametrize(
    "loss,message",
    [
        (lambda p, b: jnp.mean(jnp.linalg.qr(p["a"])[1] * b["x"]),
         "unsupported: no derivative of 'smith.qr' of matrices with fewer rows than columns"),
        (lambda p, b: jnp.mean(jax.lax.linalg.lu(p["a"])[0] * b["x"]),
         "unsupported: no derivative of 'smith.lu' of matrices that are not square"),
    ],
)  # fmt: skip
def test_what_has_no_derivative(loss, message, tmp_path):
    shape = (2, 3)
    model = tmp_path / "model.mlir"
    export_loss(loss, {"a": np.ones(shape, np.float32)}, {"x": np.ones((4, *shape), np.float32)}, model)
    _, err = shardsmith("compile", model, "--cluster", "cpu:1", "-o", tmp_path / "out", code=5)
    assert message in err
