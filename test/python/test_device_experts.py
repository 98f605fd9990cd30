# SPDX-License-Identifier: Apache-2.0
"""What mixtures of experts have beside other models, on the emulated device,
against the interpreter's definition.

Drawn sizes, around those of tiles, warps and matrix instructions. What a whole
step makes of it is in `test_device_steps.py`.
"""

import itertools
import json
import os
import random
import re

import pytest
from drawn_strategies import CONFIGURATIONS
from emulators import emulate_kernels as emulate
from seeds import random_seed
from test_stages import source_of
from training import shardsmith

LONG = os.environ.get("SHARDSMITH_LONG_TESTS") == "1"


def tensor(*shape, element="f32"):
    return f"tensor<{'x'.join(map(str, [*shape, element]))}>"


def program(arguments, line, result):
    """A function of one op."""
    names = ", ".join(f"%{name}: {type_}" for name, type_ in arguments.items())
    types = ", ".join(result)
    values = ", ".join(f"%y#{i}" for i in range(len(result)))
    return (f"func.func @main({names}) -> ({types}) {{\n"
            f"  %y:{len(result)} = {line} : ({', '.join(arguments.values())}) -> ({types})\n"
            f"  return {values} : {types}\n}}\n")


def grouped(rng, op=None, element=None, **given):
    """A product of rows with the matrices that they name, of drawn sizes."""
    def pick(name, values):
        return given[name] if name in given else rng.choice(values)

    op = op or rng.choice(["dot", "transposed", "outer"])
    element = element or rng.choice(["f32", "bf16", "bf16", "f16"])
    sizes = [1, 5, 8, 16, 31, 32, 40, 64, 70, 72, 130]
    k, n = pick("k", sizes), pick("n", sizes)
    groups = pick("groups", [1, 2, 4, 7])
    batch = pick("batch", [[], [], [2], [2, 3]])
    rows = pick("rows", [[1], [30], [64], [100], [300], [2, 45]])
    made = rng.choice([element, "f32"])
    x = tensor(*batch, *rows, k, element=element)
    numbers = tensor(*batch, *rows, element="i32")
    y = tensor(*batch, *rows, n, element=element)
    if op == "outer":
        return program({"x": x, "g": numbers, "dy": y}, "smith.grouped_outer %x, %g, %dy",
                       [tensor(*batch, groups, k, n, element=made)])
    matrix = [n, k] if op == "transposed" else [k, n]
    # Matrices may be of another type than what they multiply.
    kept = "f32" if rng.random() < 0.2 else element
    suffix = " transposed" if op == "transposed" else ""
    return program(
        {"x": x, "g": numbers, "w": tensor(*batch, groups, *matrix, element=kept)},
        f"smith.grouped_dot %x, %g, %w{suffix}", [tensor(*batch, *rows, n, element=made)])


@pytest.mark.parametrize("number", range(200 if LONG else 12))
def test_grouped_products(number):
    seed = random_seed() + number
    text = grouped(random.Random(seed))
    assert "1 functions run, 0 with a problem" in emulate(text, "--orders", "2", seed=seed)


@pytest.mark.parametrize("op", ["dot", "outer"])
def test_more_rows_than_a_list_has(op):
    seed = random_seed()
    text = grouped(random.Random(seed), op, k=8, n=8, groups=3, batch=[2], rows=[4500])
    emulate(text, "--orders", "1", seed=seed)


# The meetings before a piece is loaded and behind it; and behind the list, where
# it is read before that.
@pytest.mark.parametrize("element", ["f32", "bf16"])
@pytest.mark.parametrize("op", ["dot", "outer"])
def test_every_barrier_is_needed(op, element):
    seed = random_seed()
    text = grouped(random.Random(seed), op, element, k=72, n=16, groups=2, batch=[], rows=[300])
    barriers = 3 if op == "dot" else 2
    for number in range(barriers):
        out = emulate(text, "--orders", "3", "--fault", f"barrier:{number}", seed=seed, code=7)
        assert "1 functions run, 1 with a problem" in out, number
    assert "0 functions run" in emulate(text, "--fault", f"barrier:{barriers}", seed=seed)


ELEMENTS = ["f32", "bf16", "f16", "i32", "ui32", "i8", "ui8", "i16"]


def top_k(rng, element):
    size = rng.choice([1, 2, 8, 31, 32, 33, 64, 257, 1000])
    k = rng.randint(1, min(size, 9))
    rows = rng.choice([[1], [3], [4], [2, 9]])
    x = tensor(*rows, size, element=element)
    made = f"{tensor(*rows, k, element=element)}, {tensor(*rows, k, element='i32')}"
    return (f"func.func @main(%x: {x}) -> ({made}) {{\n"
            f"  %y:2 = chlo.top_k(%x, k = {k}) : {x} -> ({made})\n"
            f"  return %y#0, %y#1 : {made}\n}}\n")


@pytest.mark.parametrize("special", [False, True])
@pytest.mark.parametrize("element", ELEMENTS)
def test_top_k(element, special):
    """Of equal elements the first ones: integers are drawn from few, and special floats
    are both zeros, infinities and NaN."""
    for number in range(20 if LONG else 3):
        seed = random_seed() + number
        options = ["--special"] if special else []
        out = emulate(top_k(random.Random(seed), element), "--orders", "2", *options, seed=seed)
        assert "1 functions run, 0 with a problem" in out


def test_every_exchange_of_a_row_is_needed():
    seed = random_seed()
    type_, made = tensor(4, 64), f"{tensor(4, 3)}, {tensor(4, 3, element='i32')}"
    text = (f"func.func @main(%x: {type_}) -> ({made}) {{\n"
            f"  %y:2 = chlo.top_k(%x, k = 3) : {type_} -> ({made})\n"
            f"  return %y#0, %y#1 : {made}\n}}\n")
    # A rank goes in two halves, of which the lower one has the position.
    for number in range(10):
        out = emulate(text, "--fault", f"shuffle:{number}", seed=seed, code=7)
        assert "1 with a problem" in out, number


def draw_order(rng, rows):
    """Of rows that are in zigzag, over how many ranks, and of how many positions."""
    orders = [""]
    for ranks, of_position in itertools.product([1, 2, 3], repeat=2):
        positions = rows // of_position
        if rows % of_position == 0 and positions % (2 * ranks) == 0:
            orders.append(f" zigzag = {ranks} positions = {positions}")
    return rng.choice(orders)


def row_ops(rng):
    """Places of rows, and rows to their slots and back."""
    samples, rows = rng.choice([1, 2, 5]), rng.choice([1, 12, 32, 33, 100, 300])
    parts, experts = rng.choice([1, 2, 4]), rng.choice([1, 2, 9])
    count, size = rng.choice([1, 7, rows]), rng.choice([1, 6, 8, 24, 40])
    element = rng.choice(["f32", "bf16", "f16", "f64"])
    numbers = tensor(samples, rows, element="i32")
    ends = tensor(parts, samples, experts, element="i32")
    loose = tensor(samples, rows, size, element=element)
    packed = tensor(parts, samples, count, size, element=element)
    made = f"{numbers}, {ends}, {packed}, {loose}, {numbers}"
    return (f"func.func @main(%e: {numbers}, %x: {loose}, %s: {numbers}, %p: {packed}) "
            f"-> ({made}) {{\n"
            f"  %slots, %ends = smith.place_rows %e count = {count} : {numbers} "
            f"-> ({numbers}, {ends})\n"
            f"  %to = smith.pack_rows %x, %s : ({loose}, {numbers}) -> {packed}\n"
            f"  %back = smith.unpack_rows %p, %s : ({packed}, {numbers}) -> {loose}\n"
            f"  %kept = smith.limit_rows %e among = {rng.choice([1, 3, 16])}"
            f" capacity = {rng.choice([1, 3, 20])}"
            f"{draw_order(rng, rows)}{rng.choice(['', ' counts'])} : {numbers}\n"
            f"  return %slots, %ends, %to, %back, %kept : {made}\n}}\n")


@pytest.mark.parametrize("number", range(100 if LONG else 10))
def test_row_ops(number):
    seed = random_seed() + number
    out = emulate(row_ops(random.Random(seed)), "--orders", "2", seed=seed)
    assert "4 functions run, 0 with a problem" in out


def test_what_counts_dropped_rows_meets():
    seed = random_seed()
    experts = tensor(3, 300, element="i32")
    text = program({"e": experts}, "smith.limit_rows %e among = 16 capacity = 2 counts", [experts])
    text = text.replace(f"({experts}) -> ({experts})\n", f"{experts}\n").replace("%y:1", "%y")
    text = text.replace("%y#0", "%y")
    assert "1 functions run, 0 with a problem" in emulate(text, seed=seed)
    for fault in ("shuffle:0", "shuffle:4"):
        out = emulate(text, "--orders", "3", "--fault", fault, seed=seed, code=7)
        assert "1 with a problem" in out, fault


def test_both_barriers_of_packing_are_needed():
    seed = random_seed()
    rows, slots, packed = tensor(3, 70, 8), tensor(3, 70, element="i32"), tensor(2, 3, 50, 8)
    text = program({"x": rows, "s": slots}, "smith.pack_rows %x, %s", [packed])
    for number in range(2):
        out = emulate(text, "--orders", "3", "--fault", f"barrier:{number}", seed=seed, code=7)
        assert "1 with a problem" in out, number
    assert "0 functions run" in emulate(text, "--fault", "barrier:2", seed=seed)


def sent_to_experts(folder):
    """Bytes that a rank sends along the axis of experts, but for sums."""
    described = json.loads((folder / "collectives.json").read_text())
    sizes = {axis["name"]: axis["size"] for axis in described["mesh"]}
    ranks, total = sizes["expert"], 0
    for each in described["programs"]:
        for step in each["steps"]:
            if step.get("axes") == ["expert"] and step["kind"] != "all_reduce":
                parts = 1 if step["kind"] == "all_gather" else ranks
                total += (ranks - 1) * step["bytes"] // parts
    return total


def test_gpus_exchange_what_sends_least(tmp_path):
    """Processors would exchange exactly the rows, of which GPUs would send all slots."""
    source = tmp_path / "model.json"
    source.write_text(json.dumps(CONFIGURATIONS["mixtral"][0] | {"num_local_experts": 8}))
    model = [source, "--global-batch", "8", "--seq", "8", "--dtype", "f32"]
    gpus = ["--cluster", "4xh100", "--fix", "dp=4,ep=4", "--no-cubin"]
    fixed, again, rows = tmp_path / "fixed", tmp_path / "again", tmp_path / "rows"
    shardsmith("compile", *model, *gpus, "-o", fixed)
    shardsmith("compile", *model, *gpus, "--expert-exchange", "rows", "-o", rows)
    assert sent_to_experts(fixed) < 0.7 * sent_to_experts(rows)
    for folder in (fixed, rows):
        assert "accepted" in shardsmith("check", folder)[0]
    # The same step is made of the model again.
    shardsmith("compile", *model, "--plan", fixed / "plan.json", "--no-cubin", "-o", again)
    assert sent_to_experts(again) == sent_to_experts(fixed)


def test_kernels_of_a_mixture_are_inspected(tmp_path):
    """What products of experts move is not known ahead, and said to be so."""
    source = source_of("mixtral", tmp_path / "plan", sequences=8)
    shardsmith("compile", *source, "--cluster", "1xh100", "--no-cubin", "-o", tmp_path / "plan")
    inspect = ["inspect", tmp_path / "plan", "--kernels", "--target", "cuda:sm_90a"]
    kernels = json.loads(shardsmith(*inspect, "--json")[0])["kernels"]
    unknown = [kernel for kernel in kernels if "moved_bytes" not in kernel]
    assert unknown and all(kernel["name"].startswith("grouped") for kernel in unknown)
    assert all(kernel["depends_on_data"] and kernel["shared_bytes"] > 0 for kernel in unknown)
    known = [kernel for kernel in kernels if "moved_bytes" in kernel]
    moved = sum(kernel["launches"] * kernel["moved_bytes"] for kernel in known)
    table = shardsmith(*inspect)[0]
    assert f"all launches move {moved * 1e-6:.3f} MB" in table
    why = "runs as often as data says in 32 lanes; its traffic is not known ahead"
    assert all(kernel["unknown_because"].endswith(why) for kernel in unknown)
    assert re.search(rf"\? in no sum: (grouped\w+, )*grouped\w+: .*{why}\n", table)
