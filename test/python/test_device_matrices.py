# SPDX-License-Identifier: Apache-2.0
"""Cholesky factors and triangular systems on the emulated device, against the
interpreter's definition."""

import random

import pytest
from emulators import emulate_kernels as emulate
from seeds import random_seed
from test_device_experts import tensor


def cholesky(shape, element, lower):
    type_ = tensor(*shape, element=element)
    return (f"func.func @main(%x: {type_}) -> {type_} {{\n"
            f"  %y = stablehlo.cholesky %x, lower = {str(lower).lower()} : {type_}\n"
            f"  return %y : {type_}\n}}\n")


def solve(rng, element, n, others):
    left, lower, unit = (rng.choice(["true", "false"]) for _ in range(3))
    how = rng.choice(["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"])
    batch = rng.choice([[], [3], [2, 2]])
    a = tensor(*batch, n, n, element=element)
    b = tensor(*batch, *([n, others] if left == "true" else [others, n]), element=element)
    return (f"func.func @main(%a: {a}, %b: {b}) -> {b} {{\n"
            f'  %y = "stablehlo.triangular_solve"(%a, %b) <{{left_side = {left}, lower = {lower}, '
            f"unit_diagonal = {unit}, transpose_a = #stablehlo<transpose {how}>}}> "
            f": ({a}, {b}) -> {b}\n  return %y : {b}\n}}\n")


@pytest.mark.parametrize("element", ["f32", "f64"])
@pytest.mark.parametrize("lower", [True, False])
def test_cholesky(element, lower):
    seed = random_seed()
    for shape in ([1, 1], [3, 7, 7], [20, 20]):
        out = emulate(cholesky(shape, element, lower), "--orders", "2", seed=seed)
        assert "1 functions run, 0 with a problem" in out, shape


def test_every_barrier_of_a_factor_is_needed():
    seed = random_seed()
    text = cholesky([17, 17], "f32", True)
    for number in range(4):
        out = emulate(text, "--orders", "3", "--fault", f"barrier:{number}", seed=seed, code=7)
        assert "1 functions run, 1 with a problem" in out, number


@pytest.mark.parametrize("number", range(6))
def test_triangular_systems(number):
    seed = random_seed() + number
    rng = random.Random(seed)
    text = solve(rng, rng.choice(["f32", "f64"]), rng.choice([1, 2, 9, 20]), rng.choice([1, 5, 70]))
    out = emulate(text, "--orders", "2", seed=seed)
    assert "1 functions run, 0 with a problem" in out
