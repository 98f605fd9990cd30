# SPDX-License-Identifier: Apache-2.0
"""Attention on the emulated device, against the interpreter's definition.

Every kind of op of the family on drawn sizes, around those of tiles, warps and
matrix instructions. What a whole step makes of it is in `test_device_steps.py`.
"""

import os
import random
import re

import pytest
from emulators import emulate_kernels as emulate
from seeds import random_seed

LONG = os.environ.get("SHARDSMITH_LONG_TESTS") == "1"


def tensor(*shape, element="f32"):
    return f"tensor<{'x'.join(map(str, [*shape, element]))}>"


class Attention:
    """One forward op and its gradient."""

    def __init__(self, rng, **given):
        def pick(name, values):
            return given[name] if name in given else rng.choice(values)

        self.batch = pick("batch", [[], [2], [2, 3], [1, 2]])
        self.groups = pick("groups", [1, 1, 2, 3])
        self.element = pick("element", ["f32", "bf16", "f16"])
        self.part = pick("part", ["whole", "whole", "part", "zigzag"])
        sizes = [1, 3, 8, 15, 16, 17, 33, 64, 70]
        self.queries = pick("queries", sizes)
        self.keys = pick("keys", sizes)
        self.causal = pick("causal", [False, True])
        if self.part == "zigzag":
            self.queries = 2 * pick("half", [1, 4, 9, 20])
        if self.causal or self.part == "zigzag":
            self.keys = self.queries
        self.key_size = pick("key_size", [1, 4, 7, 8, 16, 20, 40])
        self.value_size = pick("value_size", [1, 4, 6, 8, 16, 24, 40])
        self.scale = pick("scale", [1.0, 0.3])
        # Not all positions need be there, nor need they fill the last part.
        self.positions = pick(
            "positions", [2 * self.queries, 4 * self.queries]
            + ([self.keys + 3, 3 * self.keys + 1] if self.part != "zigzag" else []))
        full = [*self.batch, self.groups, self.queries, self.keys]
        repeated = [size if rng.random() < 0.6 else 1 for size in full]
        self.bias = pick("bias", [None, full, repeated])
        self.after = pick("after", [False, True])

    def tensors(self):
        rows = [*self.batch, self.groups, self.queries]
        query = tensor(*rows, self.key_size, element=self.element)
        key = tensor(*self.batch, self.keys, self.key_size, element=self.element)
        value = tensor(*self.batch, self.keys, self.value_size, element=self.element)
        # What earlier steps of a ring have made is f32.
        wide = self.element if self.part == "whole" else "f32"
        output = tensor(*rows, self.value_size, element=wide)
        return query, key, value, output, tensor(*rows)

    def text(self):
        query, key, value, output, lse = self.tensors()
        inputs = {"q": query, "k": key, "v": value, "do": output}
        if self.bias:
            inputs["b"] = tensor(*self.bias)
        bias = (" bias %b", [inputs["b"]]) if self.bias else ("", [])
        causal = " causal" if self.causal else ""
        scale = f"scale = {self.scale:e}"
        o, g = "%o, %l", "%dq, %dk, %dv"
        qkv = [query, key, value]

        def line(results, op, operands, types, made):
            return f"  {results} = smith.{op} {operands} : ({', '.join(types)}) -> ({made})\n"

        if self.part == "whole":
            gradients = f"{query}, {key}, {value}"
            body = line(o, "attention", f"%q, %k, %v{bias[0]}{causal} {scale}", qkv + bias[1],
                        f"{output}, {lse}")
            body += line(g, "attention_gradient",
                         f"%q, %k, %v, %o, %l, %do{bias[0]}{causal} {scale}",
                         qkv + [output, lse, output] + bias[1], gradients)
        else:
            dq, dk, dv = (re.sub(r"x[a-z]+\d+>", "xf32>", each) for each in qkv)
            gradients = f"{dq}, {dk}, {dv}"
            position = tensor(element="i32").replace("<x", "<")
            inputs |= {"qat": position, "kat": position}
            at = f"at %qat, %kat of {self.positions}"
            order = causal + (" zigzag" if self.part == "zigzag" else "")
            before, queries, keys, types = "", "", "", []
            if self.after:
                inputs |= {"o0": output, "l0": lse, "dq0": dq, "dk0": dk, "dv0": dv}
                before, types = " after %o0, %l0", [output, lse]
                queries, keys = " queries_after %dq0", " keys_after %dk0, %dv0"
            here = [position, position]
            body = line(o, "partial_attention",
                        f"%q, %k, %v {at}{bias[0]}{before}{order} {scale}",
                        qkv + here + bias[1] + types, f"{output}, {lse}")
            body += line(g, "partial_attention_gradient",
                         f"%q, %k, %v, %o, %l, %do {at}{bias[0]}{queries}{keys}{order} {scale}",
                         qkv + [output, lse, output] + here + bias[1]
                         + ([dq, dk, dv] if self.after else []), gradients)
        arguments = ", ".join(f"%{name}: {type_}" for name, type_ in inputs.items())
        made = f"{output}, {lse}, {gradients}"
        return (f"func.func @main({arguments}) -> ({made}) {{\n{body}"
                f"  return {o}, {g} : {made}\n}}\n")


def check(attention, seed, *options):
    print(vars(attention))
    text = emulate(attention.text(), "--orders", "2", *options, seed=seed)
    assert "2 functions run, 0 with a problem" in text


@pytest.mark.parametrize("number", range(400 if LONG else 16))
def test_drawn(number):
    seed = random_seed() + number
    check(Attention(random.Random(seed)), seed)


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("part", ["part", "zigzag"])
def test_parts_of_a_causal_sequence(part, number):
    """Which keys a query sees depends on where both begin, which is drawn."""
    seed = random_seed() + number
    sizes = {"queries": 9, "keys": 9, "half": 5, "batch": []}
    rows = 9 if part == "part" else 10
    check(Attention(random.Random(seed), part=part, causal=True, positions=6 * rows, **sizes),
          seed)


@pytest.mark.parametrize("element", ["f32", "bf16"])
def test_rows_too_long_for_shared_memory(element):
    """They are read where they are."""
    seed = random_seed()
    sizes = {"key_size": 288, "value_size": 272, "queries": 17, "keys": 17, "batch": []}
    check(Attention(random.Random(seed), element=element, **sizes), seed)


@pytest.mark.parametrize("element", ["f32", "bf16"])
def test_every_barrier_is_needed(element):
    seed = random_seed()
    attention = Attention(
        random.Random(seed), element=element, batch=[2], groups=2, queries=70, keys=70,
        key_size=16, value_size=16, causal=True, part="whole", bias=None)
    # Of tiles in f32 nothing is kept in registers before the loops.
    forward, gradient = (2, 4) if element == "f32" else (3, 6)
    for number in range(gradient):
        fault = ["--orders", "3", "--fault", f"barrier:{number}"]
        out = emulate(attention.text(), *fault, seed=seed, code=7)
        expected = 2 if number < forward else 1
        assert f"{expected} functions run, {expected} with a problem" in out, number
    out = emulate(attention.text(), "--fault", f"barrier:{gradient}", seed=seed)
    assert "0 functions run" in out
