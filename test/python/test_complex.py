# SPDX-License-Identifier: Apache-2.0
"""Complex numbers and Fourier transforms, expanded to real ones, against JAX's
values and gradients on fresh random data. XLA runs the expanded program."""

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402

from compiler_tools import run_opt, run_xla  # noqa: E402
from seeds import random_seed  # noqa: E402
from shardsmith.jax import export_loss  # noqa: E402
from test_derivatives import Source, check  # noqa: E402


def compare(function, source, *shapes, low=0.3, high=2.0):
    """Checks `function` of complex arrays: gradients with respect to both parts,
    and the values, as gradients with respect to factors of the results."""
    parts = []
    for shape in shapes:
        size = source.uniform(low, high, *shape)
        angle = source.uniform(-3.0, 3.0, *shape)
        parts += [size * np.cos(angle), size * np.sin(angle)]
    given = lambda parts: [lax.complex(a, b) for a, b in zip(parts[::2], parts[1::2])]
    results = jax.tree.leaves(jax.eval_shape(lambda *p: function(*given(p)), *parts))
    factors = [np.ones(result.shape, np.float32) for result in results]

    def real(*arguments):
        parts, factors = arguments[: len(arguments) - len(results)], arguments[-len(results) :]
        outputs = []
        for value, factor in zip(jax.tree.leaves(function(*given(parts))), factors):
            if jnp.iscomplexobj(value):
                outputs += [value.real * factor, value.imag * factor]
            else:
                outputs.append(value * factor)
        return outputs

    check(real, [*parts, *factors], source.random, rtol=5e-5, atol=1e-4)


def away(x):
    """Numbers in all four quadrants that are not near an axis."""
    part = lambda x: x + jnp.where(x < 0, -0.4, 0.4)
    return lax.complex(part(x.real), part(x.imag))


ELEMENTWISE = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: 2.0 - x - y,
    "multiply": lambda x, y: x * y * 1.5j,
    "divide": lambda x, y: x / y + 1 / x,
    "divide_by_real": lambda x, y: x / jnp.abs(y),
    "negate": lambda x, y: -x * jnp.conj(y),
    "abs": lambda x, y: jnp.abs(x) + jnp.abs(x * y),
    "angle": lambda x, y: jnp.angle(x * (2 + 0.1j)),
    "exp": lambda x, y: jnp.exp(x * y),
    "log": lambda x, y: jnp.log(x),
    "log1p": lambda x, y: jnp.log1p(x) + jnp.log1p(0.01 * y),
    "sqrt": lambda x, y: jnp.sqrt(x),
    "rsqrt": lambda x, y: lax.rsqrt(x),
    "expm1": lambda x, y: jnp.expm1(x) + jnp.expm1(0.01 * y),
    "logistic": lambda x, y: jax.nn.sigmoid(x) * y,
    "sin": lambda x, y: jnp.sin(x) + jnp.cos(y),
    "tan": lambda x, y: jnp.tan(0.6 * x) + jnp.tan(y.imag + 2j),
    "sinh": lambda x, y: jnp.sinh(x) * jnp.cosh(y),
    "tanh": lambda x, y: jnp.tanh(0.6 * x) + jnp.tanh(y.real + 1 + 9j),
    # Their cuts begin at one.
    "arcsin": lambda x, y: lax.asin(0.4 * x),
    "arccos": lambda x, y: lax.acos(0.4 * x) + lax.acos(away(y)),
    "arctan": lambda x, y: lax.atan(0.4 * x) + lax.atan((2 + 1j) * y.real),
    "arcsinh": lambda x, y: lax.asinh(0.4 * x) + lax.asinh(away(y)),
    # JAX's slope has the other sign where the real part is negative.
    "arccosh": lambda x, y: lax.acosh(lax.complex(jnp.abs(x.real) + 0.4, y.imag)),
    "arctanh": lambda x, y: lax.atanh(0.4 * x) + lax.atanh(away(y)),
    "power": lambda x, y: x ** (0.5 * y),
    "sign": lambda x, y: jnp.sign(x),
    "select": lambda x, y: jnp.where((x == y) | (x.real > 0), x, y * y),
    "polar": lambda x, y: lax.complex(jnp.abs(x), jnp.zeros_like(x.real)) * jnp.exp(1j * y.imag),
}


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_element_by_element(name):
    source = Source(random_seed())
    shape = source.shape(0, 3)
    compare(ELEMENTWISE[name], source, shape, shape)


def test_modulus_neither_overflows_nor_has_a_slope_at_zero():
    function = lambda x: jnp.abs(lax.complex(x[0], x[1]))
    x = np.array([[3e30, 4e-30, 0, -5], [4e30, 3e-30, 0, 12]], np.float32)
    text = export_loss(
        lambda p, b: (function(p) * b["w"]).sum(),
        x,
        {"w": np.ones(4, np.float32)},
        batch_dims={"w": -1},
    )
    program = run_opt(text, "--import", "--differentiate")
    found = run_xla(program, [x, np.array([0, 0, 1, 1], np.float32)])
    np.testing.assert_allclose(found[0][:, 2:], [[0, -5 / 13], [0, 12 / 13]], 1e-6)
    each = [run_xla(program, [x, row])[-1] for row in np.eye(4, dtype=np.float32)[:2]]
    np.testing.assert_allclose(each, [5e30, 5e-30], 1e-6)


def evaluate(function, x):
    """What the expanded function makes of complex numbers: the slopes of its parts
    times factors."""
    shape = jax.eval_shape(function, x).shape

    def loss(factors, batch):
        y = function(lax.complex(batch["real"], batch["imaginary"]))
        return (y.real * factors[0] + y.imag * factors[1]).sum()

    parts = {"imaginary": x.imag.copy(), "real": x.real.copy()}
    factors = np.ones((2, *shape), np.float32)
    text = export_loss(loss, factors, parts, batch_dims={name: -1 for name in parts})
    program = run_opt(text, "--import", "--differentiate")
    assert "complex<" not in program
    real, imaginary = run_xla(program, [factors, *parts.values()])[0]
    return real + 1j * imaginary


# Numbers far from zero, where a formula overflows, and near zero, where it cancels.
DISTANT = [400 + 1j, -400 - 2j, 90 + 0.5j, -30 + 9j, 3 - 400j]
NEAR = [1e-6 + 2e-6j, -3e-5 + 1e-7j, 2e-7 - 3e-3j, -1e-8j]
LARGE = [1e15 + 1e14j, -1e10 + 3j, 5 - 1e12j, -2e8 - 2e8j]
EXTREME = {
    "tanh": (jnp.tanh, np.tanh, DISTANT + NEAR),
    "tan": (jnp.tan, np.tan, [1j * z for z in DISTANT + NEAR]),
    "sinh": (jnp.sinh, np.sinh, NEAR),
    "sin": (jnp.sin, np.sin, NEAR),
    "expm1": (jnp.expm1, np.expm1, NEAR + [-400 + 1j]),
    "arcsin": (lax.asin, np.arcsin, NEAR + LARGE),
    "arccos": (lax.acos, np.arccos, NEAR + LARGE),
    "arcsinh": (lax.asinh, np.arcsinh, NEAR + LARGE),
    "arccosh": (lax.acosh, np.arccosh, LARGE),
    "arctan": (lax.atan, np.arctan, NEAR + LARGE),
    "arctanh": (lax.atanh, np.arctanh, NEAR + LARGE + [3e-4 + 1j, -1.0001 + 1e-5j]),
}


@pytest.mark.parametrize("name", EXTREME)
def test_near_and_far_from_zero(name):
    """Within a few roundings of the value's modulus."""
    function, reference, points = EXTREME[name]
    source = Source(random_seed())
    points = np.array(points) * source.random.uniform(0.9, 1.1, len(points))
    x = points.astype(np.complex64)
    expected = reference(x.astype(np.complex128))
    error = np.abs(evaluate(function, x) - expected)
    np.testing.assert_array_less(error, 4e-6 * np.abs(expected))


def test_logistic():
    """As one op, which JAX does not write for complex numbers."""
    points = [400 + 1j, -400 + 2j, -30 + 9j, 1e-6j, 2 - 3j, -50 - 3e-3j]
    source = Source(random_seed())
    points = np.array(points) * source.random.uniform(0.9, 1.1, len(points))
    x = points.astype(np.complex64)
    text = """
func.func public @main(
    %factors: tensor<2x6xf32> {smith.role = "param", smith.name = "factors"},
    %a: tensor<6xf32> {smith.role = "batch", smith.name = "a", smith.batch_dim = -1 : i64},
    %b: tensor<6xf32> {smith.role = "batch", smith.name = "b", smith.batch_dim = -1 : i64})
    -> (tensor<f32> {smith.role = "loss", smith.name = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.complex %a, %b : tensor<6xcomplex<f32>>
  %1 = stablehlo.logistic %0 : tensor<6xcomplex<f32>>
  %2 = stablehlo.real %1 : (tensor<6xcomplex<f32>>) -> tensor<6xf32>
  %3 = stablehlo.imag %1 : (tensor<6xcomplex<f32>>) -> tensor<6xf32>
  %4 = stablehlo.concatenate %2, %3, dim = 0 : (tensor<6xf32>, tensor<6xf32>) -> tensor<12xf32>
  %5 = stablehlo.reshape %4 : (tensor<12xf32>) -> tensor<2x6xf32>
  %6 = stablehlo.multiply %5, %factors : tensor<2x6xf32>
  %7 = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x6xf32>, tensor<f32>) -> tensor<f32>
  return %7 : tensor<f32>
}"""
    program = run_opt(text, "--import", "--differentiate")
    given = [np.ones((2, 6), np.float32), x.real.copy(), x.imag.copy()]
    real, imaginary = run_xla(program, given)[0]
    expected = 1 / (1 + np.exp(-x.astype(np.complex128)))
    error = np.abs(real + 1j * imaginary - expected)
    np.testing.assert_array_less(error, 4e-6 * np.abs(expected) + 1e-37)


@pytest.mark.parametrize("name", ["tanh", "tan", "expm1"])
def test_slopes_far_from_zero(name):
    """Are finite: nothing overflows on the way."""
    function = getattr(jnp, name)
    x = np.array([400 + 1j, -400 + 2j, -90 - 1j, 1 - 400j, 2 + 400j]).astype(np.complex64)
    x = x[:3] if name == "tanh" else x[3:] if name == "tan" else x[1:3]
    given = np.stack([x.real, x.imag])
    text = export_loss(
        lambda p, b: (function(lax.complex(p[0], p[1])) * b["w"]).real.sum(),
        given,
        {"w": np.ones(len(x), np.float32)},
        batch_dims={"w": -1},
    )
    program = run_opt(text, "--import", "--differentiate")
    slopes = run_xla(program, [given, np.ones(len(x), np.float32)])[0]
    np.testing.assert_allclose(slopes, np.zeros((2, len(x))), atol=1e-6)


def test_sorts():
    """By real parts first; equal ones by imaginary parts."""
    source = Source(random_seed())
    parts = source.integers(-2, 3, 2, 4, 7).astype(np.float32)
    x = parts[0] + 1j * parts[1]
    for axis in (0, 1):
        found = evaluate(lambda x: jnp.sort(x, axis=axis), x)
        np.testing.assert_array_equal(found, np.sort(x, axis=axis))
        # Stable, so equal ones stay in their order.
        found = evaluate(lambda x: jnp.argsort(x, axis=axis) + 0j, x)
        np.testing.assert_array_equal(found, np.argsort(x, axis=axis, kind="stable"))
    compare(lambda x, y: jnp.sort(x, axis=0) * y, source, (5, 3), (5, 3))
    compare(lambda x, y: y[jnp.argsort(x)], source, (6,), (6,))


def moves(x, y):
    x = jnp.concatenate([x, y[:, ::-1]], 1).T
    x = jnp.pad(x, ((1, 2), (0, 0)), constant_values=0.5j)
    x = x.at[jnp.array([0, 2, 2])].add(x[1:4])
    x = lax.dynamic_update_slice(x, x[:2], (1, 0))
    return x.reshape(-1)[jnp.array([[3, 1], [0, 3]])], x.sum(0), jnp.cumsum(x, 0)


def test_moves_and_sums():
    source = Source(random_seed())
    compare(moves, source, (3, 4), (3, 5))


def test_other_reductions():
    """Products and the largest numbers, by their real parts first."""
    source = Source(random_seed())
    parts = source.normal(2, 4, 5)
    parts[0, 1:3] = parts[0, 0]

    def function(real, imaginary):
        x = lax.complex(real, imaginary)
        results = [x.prod(0), x.max(1), x.min(), jnp.cumprod(x, 0), lax.cummax(x, axis=1)]
        return [part for result in results for part in (result.real, result.imag)]

    text = jax.jit(function).lower(*parts).as_text()
    expanded = run_opt(text, "--inline-calls", "--symbol-dce", "--expand-complex")
    assert "complex<" not in expanded
    with jax.enable_x64(True):
        expected = function(*parts.astype(np.float64))
    for ours, theirs in zip(run_xla(expanded, list(parts)), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, 1e-5, 1e-5 * np.abs(theirs).max())


def test_products_of_many():
    source = Source(random_seed())

    def function(x):
        return x.prod(0), x.prod((0, 1)), jnp.cumprod(x, 1), lax.cumprod(x, 0, reverse=True)

    compare(function, source, (source.size(1, 6), source.size(1, 6), 2), low=0.6, high=1.4)
    compare(function, source, (1, 1))


def test_products():
    source = Source(random_seed())
    b, m, n, k = (source.size(1, 5) for _ in range(4))
    compare(lambda x, y: jnp.einsum("bmk,bkn->bnm", x, y), source, (b, m, k), (b, k, n))
    compare(lambda x, y: x @ y.real, source, (m, k), (k, n))
    signal = lambda x, y: lax.conv_general_dilated(x, y, (1,), "SAME")
    compare(signal, source, (2, 3, 8), (4, 3, 3))


def test_linear_recurrence():
    """A diagonal state space, as an associative scan."""

    def scan(decay, x):
        decay = jnp.broadcast_to(decay * 0.4, x.shape)
        step = lambda a, b: (a[0] * b[0], b[0] * a[1] + b[1])
        return lax.associative_scan(step, (decay, x), axis=0)[1]

    source = Source(random_seed())
    compare(scan, source, (3,), (source.size(4, 9), 3))


def draw_length(source):
    """Any, a prime beyond one product, or one in several steps."""
    return [source.size(1, 20), 67, source.size(5, 12) * source.size(13, 20)][
        source.size(0, 2)
    ]


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft"])
def test_fourier_transforms(name):
    source = Source(random_seed())
    length = draw_length(source)
    function = getattr(jnp.fft, name)
    if name == "rfft":
        compare(lambda x: function(x.real, axis=0), source, (length, 2))
    elif name == "irfft":
        half = length // 2 + 1
        compare(lambda x: function(x, n=length, axis=1), source, (2, half))
    else:
        compare(lambda x: function(x, axis=1), source, (2, length))


def test_fourier_transforms_of_several_dimensions():
    source = Source(random_seed())
    shape = (2, *(source.size(1, 6) for _ in range(3)))
    compare(lambda x: jnp.fft.fftn(x, axes=(1, 2, 3)), source, shape)
    compare(lambda x: jnp.fft.rfft2(x.real), source, shape)
    last = 2 * shape[-1] - source.size(1, 2) if shape[-1] > 1 else 1
    compare(lambda x: jnp.fft.irfft2(x, s=(shape[-2], last)), source, shape)


def test_complex_parameters():
    """Become two, whose gradients are the conjugate of what jax.grad says."""
    source = Source(random_seed())
    w = (source.normal(4, 3) + 1j * source.normal(4, 3)).astype(np.complex64)
    batch = {"x": source.normal(5, 4)}
    loss = lambda p, b: (jnp.abs(b["x"] @ p["w"]) ** 2).mean()
    text = export_loss(loss, {"w": w}, batch)
    program = run_opt(text, "--import", "--differentiate")
    for name in ("w.real", "w.imaginary"):
        assert f'smith.name = "{name}"' in program
    real, imaginary, value = run_xla(program, [w.real, w.imag, batch["x"]])
    expected = jax.grad(loss)({"w": w}, batch)["w"]
    # An element is a sum whose terms may cancel.
    bound = 1e-5 * np.abs(expected).max()
    np.testing.assert_allclose(real - 1j * imaginary, expected, rtol=0, atol=bound)
    np.testing.assert_allclose(value, loss({"w": w}, batch), 1e-5)
