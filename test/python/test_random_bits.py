# SPDX-License-Identifier: Apache-2.0
"""`rng_bit_generator` compiled gives the bits of XLA, on fresh states, shapes and
types, and the same ones whatever the plan."""

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import test_zoo  # noqa: E402
from compiler_tools import run_opt, run_xla  # noqa: E402
from seeds import random_seed  # noqa: E402
from cpu_program import run_program  # noqa: E402
from random_loops import Model  # noqa: E402
from test_loops import export  # noqa: E402
from training import shardsmith  # noqa: E402

# By generator the numbers of words that its state may have.
GENERATORS = [("THREE_FRY", 2), ("PHILOX", 2), ("PHILOX", 3), ("DEFAULT", 2)]
TYPES = {"ui8": np.uint8, "ui16": np.uint16, "ui32": np.uint32, "ui64": np.uint64,
         "i32": np.int32}  # fmt: skip


def draw_text(rng):
    """A function with a generator of each kind, and its states."""
    arguments, results, lines, states = [], [], [], []
    for number, (algorithm, words) in enumerate(GENERATORS):
        shape = rng.integers(1, 9, rng.integers(0, 4))
        element = rng.choice(list(TYPES))
        state, bits = f"tensor<{words}xui64>", f"tensor<{'x'.join([*map(str, shape), element])}>"
        # Near the largest, so that the counter's words carry.
        values = rng.integers(0, 2**64, words, np.uint64)
        values[1] = np.uint64(2**64 - int(rng.integers(1, 40)))
        states.append(values)
        arguments.append(f'%a{number}: {state} {{smith.name = "a{number}", smith.role = "batch"}}')
        for kind, name in ((state, f"r{2 * number}"), (bits, f"r{2 * number + 1}")):
            results.append(f'{kind} {{smith.name = "{name}", smith.role = "output"}}')
        lines.append(f"%n{number}, %b{number} = stablehlo.rng_bit_generator %a{number}, "
                     f"algorithm = {algorithm} : ({state}) -> ({state}, {bits})")  # fmt: skip
    returned = ", ".join(f"%n{i}, %b{i}" for i in range(len(GENERATORS)))
    types = ", ".join(result.split(" {")[0] for result in results)
    return (
        f"func.func public @main({', '.join(arguments)}) -> ({', '.join(results)}) {{\n"
        + "\n".join([*lines, f"return {returned} : {types}", "}"]),
        states,
    )


@pytest.mark.parametrize("number", range(20 if test_zoo.LONG else 2))
def test_bits_are_those_of_xla(number, tmp_path):
    rng = np.random.default_rng(random_seed())
    text, states = draw_text(rng)
    print(text, states)
    with jax.enable_x64(True):
        expected = run_xla(text, states)
    found = run_program(run_opt(text, "--expand-random-bits"), states, tmp_path)
    # XLA gives the bits of i32 as numbers without sign.
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours, np.asarray(theirs).astype(ours.dtype))


@pytest.mark.parametrize("ranks", test_zoo.RANKS)
def test_dropout_by_bits(ranks, tmp_path, monkeypatch):
    """The key comes with the batch; a rank draws its part of the mask."""
    seed = random_seed()
    rng = np.random.default_rng(seed)

    def loss(p, b):
        key = jax.random.wrap_key_data(b["key"], impl="rbg")
        hidden = jnp.tanh(b["x"] @ p["up"])
        kept = jax.random.bernoulli(key, 0.7, hidden.shape)
        return jnp.mean((jnp.where(kept, hidden / 0.7, 0) @ p["down"] - b["y"]) ** 2)

    draw = lambda *shape: rng.normal(0, 0.5, shape).astype(np.float32)
    params = {"up": draw(6, 8), "down": draw(8, 3)}
    batch = {"x": draw(8, 6), "y": draw(8, 3),
             "key": rng.integers(0, 2**32, 4, np.uint32)}  # fmt: skip
    model = Model(loss, params, batch)
    path, initial = export(model, tmp_path, batch_dims={"key": -1})
    case = test_zoo.Exported(model, path, initial, seed)
    test_zoo.check_gradients(case, test_zoo.draw_ranks(ranks, seed), tmp_path / "out")
    shardsmith("verify", tmp_path / "out")
