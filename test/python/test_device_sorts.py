# SPDX-License-Identifier: Apache-2.0
"""Sorts on the emulated device, against the interpreter's definition."""

import os
import random

import pytest
from emulators import emulate_kernels as emulate
from seeds import random_seed
from test_device_experts import tensor

LONG = os.environ.get("SHARDSMITH_LONG_TESTS") == "1"
ELEMENTS = ["f32", "bf16", "f16", "f64", "i8", "i32", "i64", "ui8", "i1"]


def sort(shape, dimension, elements, direction="LT"):
    """Tensors that are sorted together, by the first one."""
    types = [tensor(*shape, element=element) for element in elements]
    scalars = [f"tensor<{element}>" for element in elements]
    joined = ", ".join(types)
    arguments = ", ".join(f"%x{n}: {type_}" for n, type_ in enumerate(types))
    pairs = ", ".join(f"%a{n}: {type_}, %b{n}: {type_}" for n, type_ in enumerate(scalars))
    numbered = ", ".join(f"%x{n}" for n in range(len(types)))
    order = ", TOTALORDER" if elements[0][0] in "fb" else ""
    return (f"func.func @main({arguments}) -> ({joined}) {{\n"
            f"  %y:{len(types)} = \"stablehlo.sort\"({numbered}) "
            f"<{{dimension = {dimension} : i64, is_stable = true}}> ({{\n"
            f"  ^bb0({pairs}):\n"
            f"    %c = stablehlo.compare {direction}, %a0, %b0{order} : "
            f"({scalars[0]}, {scalars[0]}) -> tensor<i1>\n"
            f"    stablehlo.return %c : tensor<i1>\n"
            f"  }}) : ({joined}) -> ({joined})\n"
            f"  return {', '.join(f'%y#{n}' for n in range(len(types)))} : {joined}\n}}\n")


def drawn(rng):
    dimension = rng.randrange(3)
    shape = [rng.choice([1, 2, 3, 7]) for _ in range(3)]
    shape[dimension] = rng.choice([1, 2, 3, 31, 32, 33, 100, 257, 1000])
    elements = [rng.choice(ELEMENTS) for _ in range(rng.randint(1, 3))]
    return sort(shape, rng.choice([dimension, dimension - 3]), elements, rng.choice(["LT", "GE"]))


@pytest.mark.parametrize("number", range(60 if LONG else 6))
def test_drawn_sorts(number):
    """GE is no order that leaves equal elements as they are: it still merges alike."""
    seed = random_seed() + number
    special = ["--special"] if number % 2 else []
    out = emulate(drawn(random.Random(seed)), "--orders", "2", *special, seed=seed)
    assert "1 functions run, 0 with a problem" in out


@pytest.mark.parametrize("length", [2049, 5000] if LONG else [4500])
def test_long_lines_are_merged(length):
    """Equal elements keep their order: of the numbers there are few."""
    steps = 2 if length < 4096 else 3
    text = sort([2, length, 2] if LONG else [length], 1 if LONG else 0, ["i32", "bf16"])
    out = emulate(text, "--orders", "1", seed=random_seed())
    assert f"{steps} functions run, 0 with a problem" in out


def test_both_barriers_are_needed():
    seed = random_seed()
    text = sort([3, 100], 1, ["f32", "i32"])
    for number in range(2):
        out = emulate(text, "--orders", "3", "--fault", f"barrier:{number}", seed=seed, code=7)
        assert "1 functions run, 1 with a problem" in out, number
    assert "0 functions run" in emulate(text, "--fault", "barrier:2", seed=seed)
