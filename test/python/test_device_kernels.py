# SPDX-License-Identifier: Apache-2.0
"""Device functions on the emulated device, against the interpreter.

`emulate-kernels` runs every function of a lowered program on random data, with
threads and blocks in random orders, and checks bounds, uninitialised reads and
races on the way. Everything here runs without a GPU.
"""

import functools
import os
import random
import re
import shutil
import subprocess

import jax
import numpy
import pytest
from emulators import ESTIMATED as LOWER, emulate_kernels
from seeds import random_seed
from random_graphs import random_program
from test_cpu_lowering import CASES, inline
from tools import ROOT, run_tool, tool

# Of one element, around a warp, around a block, longer than registers hold.
SIZES = [(1, 1), (1, 7), (3, 1), (5, 31), (4, 32), (33, 33), (7, 100), (2, 257),
         (3, 1000), (1300, 48), (2048, 33), (2, 4096), (1, 4099), (2, 40000)]
FLOATS = ["f32", "bf16", "f16"]


# What devices have no code for, by the op that is named.
UNSUPPORTED = {"chlo.polygamma", "chlo.zeta"}


def lower_or_refused(text, *passes):
    """The lowered program, or nothing if it has an op that devices refuse."""
    done = subprocess.run([tool("shardsmith-opt"), "-", *passes, *LOWER], input=text, text=True,
                          capture_output=True)
    if done.returncode == 0:
        return done.stdout
    named = re.search(r"error: unsupported on CUDA: '([\w.]+)'", done.stderr)
    assert named and named[1] in UNSUPPORTED, done.stderr
    return None


emulate = functools.partial(emulate_kernels, lower=LOWER)


def function(arguments, results, body):
    names = ", ".join(f"%{name}: {type_}" for name, type_ in arguments.items())
    types = ", ".join(results.values())
    returned = ", ".join(f"%{name}" for name in results)
    return (f"func.func @main({names}) -> ({types}) {{\n{body}\n"
            f"  return {returned} : {types}\n}}\n")


def reduction(name, operand, op, initial, shape, kept, dims, element="f32"):
    tensor = "x".join(map(str, [*shape, element]))
    result = "x".join(map(str, [*kept, element]))
    return (f"  %{name}i = stablehlo.constant dense<{initial}> : tensor<{element}>\n"
            f"  %{name} = stablehlo.reduce(%{operand} init: %{name}i) applies stablehlo.{op} "
            f"across dimensions = {list(dims)} : (tensor<{tensor}>, tensor<{element}>) "
            f"-> tensor<{result}>\n")


def softmax(rows, columns, element):
    full, wide = f"tensor<{rows}x{columns}x{element}>", f"tensor<{rows}x{columns}xf32>"
    row = f"tensor<{rows}xf32>"
    shape = (rows, columns)
    body = (f"  %w = stablehlo.convert %x : ({full}) -> {wide}\n"
            + reduction("m", "w", "maximum", "0xFF800000", shape, [rows], [1])
            + f"  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : ({row}) -> {wide}\n"
            f"  %d = stablehlo.subtract %w, %mb : {wide}\n"
            f"  %e = stablehlo.exponential %d : {wide}\n"
            + reduction("s", "e", "add", "0.0", shape, [rows], [1])
            + f"  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : ({row}) -> {wide}\n"
            f"  %q = stablehlo.divide %e, %sb : {wide}\n"
            f"  %l = stablehlo.log %s : {row}\n"
            f"  %y = stablehlo.convert %q : ({wide}) -> {full}\n")
    return function({"x": full}, {"y": full, "l": row}, body)


def layer_norm(rows, columns, element):
    full, wide = f"tensor<{rows}x{columns}x{element}>", f"tensor<{rows}x{columns}xf32>"
    row, column = f"tensor<{rows}xf32>", f"tensor<{columns}xf32>"
    shape = (rows, columns)
    body = (f"  %w = stablehlo.convert %x : ({full}) -> {wide}\n"
            f"  %n = stablehlo.constant dense<{float(columns)}> : {row}\n"
            f"  %tiny = stablehlo.constant dense<1.0e-5> : {row}\n"
            + reduction("s", "w", "add", "0.0", shape, [rows], [1])
            + f"  %m = stablehlo.divide %s, %n : {row}\n"
            f"  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : ({row}) -> {wide}\n"
            f"  %d = stablehlo.subtract %w, %mb : {wide}\n"
            f"  %dd = stablehlo.multiply %d, %d : {wide}\n"
            + reduction("v", "dd", "add", "0.0", shape, [rows], [1])
            + f"  %vm = stablehlo.divide %v, %n : {row}\n"
            f"  %ve = stablehlo.add %vm, %tiny : {row}\n"
            f"  %r = stablehlo.rsqrt %ve : {row}\n"
            f"  %rb = stablehlo.broadcast_in_dim %r, dims = [0] : ({row}) -> {wide}\n"
            f"  %gb = stablehlo.broadcast_in_dim %g, dims = [1] : ({column}) -> {wide}\n"
            f"  %z = stablehlo.multiply %d, %rb : {wide}\n"
            f"  %zg = stablehlo.multiply %z, %gb : {wide}\n"
            f"  %y = stablehlo.convert %zg : ({wide}) -> {full}\n")
    return function({"x": full, "g": column}, {"y": full, "m": row, "r": row}, body)


def column_sums(rows, columns, element):
    """Sum and largest of columns, with something done to the sum."""
    full, column = f"tensor<{rows}x{columns}x{element}>", f"tensor<{columns}x{element}>"
    shape = (rows, columns)
    lowest = {"f32": "0xFF800000", "bf16": "0xFF80", "f16": "0xFC00"}[element]
    body = (reduction("s", "x", "add", "0.0", shape, [columns], [0], element)
            + reduction("m", "x", "maximum", lowest, shape, [columns], [0], element)
            + f"  %y = stablehlo.negate %s : {column}\n")
    return function({"x": full}, {"y": column, "m": column}, body)


def argmax(rows, columns, element):
    """A reduction of two tensors at once, whose body is not symmetric."""
    full, places = f"tensor<{rows}x{columns}x{element}>", f"tensor<{rows}x{columns}xi32>"
    lowest = {"f32": "0xFF800000", "bf16": "0xFF80", "f16": "0xFC00"}[element]
    row, rowi = f"tensor<{rows}x{element}>", f"tensor<{rows}xi32>"
    e = f"tensor<{element}>"
    body = (f"  %p = stablehlo.iota dim = 1 : {places}\n"
            f"  %a = stablehlo.constant dense<{lowest}> : {e}\n"
            f"  %b = stablehlo.constant dense<0> : tensor<i32>\n"
            f"  %m:2 = stablehlo.reduce(%x init: %a), (%p init: %b) across dimensions = [1] "
            f": ({full}, {places}, {e}, tensor<i32>) -> ({row}, {rowi})\n"
            f"   reducer(%c: {e}, %d: {e}) (%i: tensor<i32>, %j: tensor<i32>) {{\n"
            f"    %g = stablehlo.compare GE, %c, %d : ({e}, {e}) -> tensor<i1>\n"
            f"    %h = stablehlo.select %g, %c, %d : tensor<i1>, {e}\n"
            f"    %k = stablehlo.compare EQ, %c, %d : ({e}, {e}) -> tensor<i1>\n"
            f"    %n = stablehlo.minimum %i, %j : tensor<i32>\n"
            f"    %o = stablehlo.select %g, %i, %j : tensor<i1>, tensor<i32>\n"
            f"    %q = stablehlo.select %k, %n, %o : tensor<i1>, tensor<i32>\n"
            f"    stablehlo.return %h, %q : {e}, tensor<i32>\n"
            f"   }}\n"
            f"  %y = stablehlo.negate %m#0 : {row}\n"
            f"  %z = stablehlo.negate %m#1 : {rowi}\n")
    return function({"x": full}, {"y": row, "z": rowi}, body)


def outer_reduction(rows, columns, element):
    """Reduces the first and the last of three dimensions."""
    full = f"tensor<3x{rows}x{columns}x{element}>"
    body = (reduction("s", "x", "add", "0.0", (3, rows, columns), [rows], [0, 2], element)
            + f"  %y = stablehlo.abs %s : tensor<{rows}x{element}>\n")
    return function({"x": full}, {"y": f"tensor<{rows}x{element}>"}, body)


def embedding(rows, columns, element):
    """A gather of rows and the gradient of it, a scatter that collides."""
    table = f"tensor<{rows}x{columns}x{element}>"
    count = 61
    ids, found = f"tensor<{count}x1xi32>", f"tensor<{count}x{columns}x{element}>"
    e = f"tensor<{element}>"
    body = (f'  %y = "stablehlo.gather"(%x, %ids) <{{dimension_numbers = #stablehlo.gather<'
            f"offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], "
            f"index_vector_dim = 1>, slice_sizes = array<i64: 1, {columns}>, "
            f"indices_are_sorted = false}}> : ({table}, {ids}) -> {found}\n"
            f'  %z = "stablehlo.scatter"(%x, %ids, %u) <{{scatter_dimension_numbers = '
            f"#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
            f"scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, "
            f"indices_are_sorted = false, unique_indices = false}}> ({{\n"
            f"  ^bb0(%a: {e}, %b: {e}):\n    %c = stablehlo.add %a, %b : {e}\n"
            f"    stablehlo.return %c : {e}\n  }}) : ({table}, {ids}, {found}) -> {table}\n")
    return function({"x": table, "ids": ids, "u": found}, {"y": found, "z": table}, body)


def windows(rows, columns, element):
    """A scatter whose windows overlap and may lie outside."""
    table, ids = f"tensor<{rows}x{columns}x{element}>", "tensor<9x2xi32>"
    window = (min(rows, 2), min(columns, 3))
    updates = f"tensor<9x{window[0]}x{window[1]}x{element}>"
    e = f"tensor<{element}>"
    body = (f'  %z = "stablehlo.scatter"(%x, %ids, %u) <{{scatter_dimension_numbers = '
            f"#stablehlo.scatter<update_window_dims = [1, 2], "
            f"scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, "
            f"indices_are_sorted = false, unique_indices = false}}> ({{\n"
            f"  ^bb0(%a: {e}, %b: {e}):\n    %c = stablehlo.subtract %b, %a : {e}\n"
            f"    stablehlo.return %c : {e}\n  }}) : ({table}, {ids}, {updates}) -> {table}\n")
    return function({"x": table, "ids": ids, "u": updates}, {"z": table}, body)


def moves(rows, columns, element):
    """Transposes, pads, concatenations, slices and reverses, fused or alone."""
    full, turned = f"tensor<{rows}x{columns}x{element}>", f"tensor<{columns}x{rows}x{element}>"
    joined = f"tensor<{rows}x{2 * columns + 3}x{element}>"
    part = f"tensor<{rows}x{columns + 1}x{element}>"
    padded = f"tensor<{rows}x{columns + 3}x{element}>"
    body = (f"  %t = stablehlo.transpose %x, dims = [1, 0] : ({full}) -> {turned}\n"
            f"  %y = stablehlo.negate %t : {turned}\n"
            f"  %zero = stablehlo.constant dense<0.0> : tensor<{element}>\n"
            f"  %p = stablehlo.pad %x, %zero, low = [0, 1], high = [0, 2], interior = [0, 0] : "
            f"({full}, tensor<{element}>) -> {padded}\n"
            f"  %r = stablehlo.reverse %x, dims = [1] : {full}\n"
            f"  %c = stablehlo.concatenate %r, %p, dim = 1 : ({full}, {padded}) -> {joined}\n"
            f"  %z = stablehlo.abs %c : {joined}\n"
            f"  %s = stablehlo.slice %z [0:{rows}, 1:{columns + 2}] : ({joined}) -> {part}\n"
            f"  %w = stablehlo.negate %s : {part}\n")
    return function({"x": full}, {"y": turned, "z": joined, "w": part}, body)


KERNELS = [softmax, layer_norm, column_sums, argmax, outer_reduction, embedding, windows, moves]


@pytest.mark.parametrize("element", FLOATS)
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_sizes(kernel, element):
    for rows, columns in SIZES:
        if rows * columns > 50000 and element != "f32":
            continue
        text = kernel(rows, columns, element)
        assert "0 with a problem" in emulate(text, "--orders", "2"), (rows, columns)


UNARY = ["abs", "cbrt", "ceil", "cosine", "exponential", "exponential_minus_one", "floor", "log",
         "log_plus_one", "logistic", "negate", "round_nearest_afz", "round_nearest_even", "rsqrt",
         "sign", "sine", "sqrt", "tan", "tanh"]
CHLO = ["acos", "acosh", "asin", "asinh", "atanh", "cosh", "digamma", "erf", "erfc", "lgamma",
        "sinh", "square"]
BINARY = ["add", "atan2", "divide", "maximum", "minimum", "multiply", "power", "remainder",
          "subtract"]
# sin, cos and tan lose digits beyond 100,000, as the CPU's do.
PERIODIC = {"cosine", "sine", "tan"}


def pointwise(ops, arity, element, size):
    type_ = f"tensor<{size}x{element}>"
    arguments, results, body = {}, {}, ""
    for op in ops:
        operands = []
        for i in range(arity):
            arguments[f"{op}{i}"] = type_
            operands.append(f"%{op}{i}")
        dialect = "chlo" if op in CHLO else "stablehlo"
        text = ", ".join(operands)
        types = f"{type_} -> {type_}" if dialect == "chlo" else type_
        body += f"  %{op}r = {dialect}.{op} {text} : {types}\n"
        results[f"{op}r"] = type_
    return function(arguments, results, body)


@pytest.mark.parametrize("element", FLOATS)
def test_pointwise_floats(element):
    for size in (1, 63, 1024):
        emulate(pointwise([*UNARY, *CHLO], 1, element, size))
        emulate(pointwise(BINARY, 2, element, size))


def test_special_floats():
    """Zeros, infinities, NaN and what lies next to them."""
    size = 4096
    emulate(pointwise([op for op in UNARY if op not in PERIODIC] + CHLO, 1, "f32", size),
            "--special", "--orders", "1")
    emulate(pointwise(BINARY, 2, "f32", size), "--special", "--orders", "1")


@pytest.mark.parametrize("element", ["i8", "i16", "i32", "i64", "ui8", "ui32"])
def test_pointwise_integers(element):
    unary = ["count_leading_zeros", "not", "popcnt"]
    if not element.startswith("u"):
        unary += ["abs", "negate", "sign"]
    binary = ["add", "and", "divide", "maximum", "minimum", "multiply", "or", "power", "remainder",
              "shift_left", "shift_right_arithmetic", "shift_right_logical", "subtract", "xor"]
    for size in (1, 63, 1024):
        emulate(pointwise(unary, 1, element, size))
        emulate(pointwise(binary, 2, element, size))


@pytest.mark.parametrize("element", ["f32", "i32"])
def test_random_graphs(element):
    seeds = random.Random(random_seed())
    ran = 0
    for _ in range(16):
        seed = seeds.randrange(10**9)
        text = random_program(seed, element)
        # As a program of one device.
        text = re.sub(r" \{sdy\.sharding = #sdy\.sharding_per_value<\[.*?\]>\}", "", text)
        text = re.sub(r", sdy\.sharding = #sdy\.sharding<.*?\]>", "", text)
        lowered = lower_or_refused(text)
        if not lowered or "gpu.module" not in lowered:
            continue
        ran += 1
        done = subprocess.run([tool("emulate-kernels"), "-"], input=lowered, text=True,
                              capture_output=True)
        assert done.returncode == 0, f"graph {seed}: {done.stdout[-2000:]}{done.stderr[-1000:]}"
    assert ran > 0


def test_partitioned_graphs():
    """Masks, shards and exchanges as the partitioner makes them."""
    seeds = random.Random(random_seed())
    ran = 0
    for _ in range(12):
        seed = seeds.randrange(10**9)
        lowered = lower_or_refused(random_program(seed, "f32"), "--partition")
        if not lowered or "gpu.module" not in lowered:
            continue
        ran += 1
        done = subprocess.run([tool("emulate-kernels"), "-"], input=lowered, text=True,
                              capture_output=True)
        assert done.returncode == 0, f"graph {seed}: {done.stdout[-2000:]}{done.stderr[-1000:]}"
    assert ran > 0


# Cases with ops of the above.
REFUSED = {"zeta_functions"}


@pytest.mark.parametrize("name", CASES)
def test_programs_of_jax(name, tmp_path):
    """The programs that the CPU's code is compared with JAX on."""
    function, make = CASES[name]
    arrays = make(numpy.random.default_rng(0))
    text = jax.jit(function, keep_unused=True).lower(*arrays).as_text()
    program = inline(text, tmp_path)
    if name in REFUSED:
        assert lower_or_refused(program) is None
    else:
        emulate(program, "--orders", "1")


@pytest.mark.parametrize("algorithm", ["THREE_FRY", "PHILOX"])
def test_random_bits(algorithm):
    """They are integer arithmetic since the import."""
    state = {"THREE_FRY": "tensor<2xui64>", "PHILOX": "tensor<3xui64>"}[algorithm]
    bits = "tensor<5x77xui32>"
    text = (f"func.func @main(%s: {state}) -> ({state}, {bits}) {{\n"
            f"  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = {algorithm} : ({state}) -> "
            f"({state}, {bits})\n  return %0, %1 : {state}, {bits}\n}}\n")
    assert " 0 with a problem" in emulate(text, "--orders", "1", passes=["--expand-random-bits"])


MODELS = ["gpt2-tiny", "gpt2-tiny-bf16", "llama-tiny"]


@pytest.mark.parametrize("model", MODELS)
def test_train_steps(model):
    text = (ROOT / f"test/models/{model}.mlir").read_text()
    out = emulate(text, "--orders", "5", passes=["--import", "--train=optimizer=adamw"])
    functions = int(re.search(r"(\d+) functions run, 0 with a problem", out)[1])
    assert functions > 30
    # Of the rest positions depend on data, or only some blocks were estimated.
    exact = int(re.search(r"(\d+) runs touched the sectors that were estimated", out)[1])
    assert exact > functions * 5 // 2


def permutation(draw, element):
    """A tensor whose dimensions are split, and put in another order."""
    shape = [draw.choice([1, 2, 3, 5, 8, 16, 31, 32, 33, 40, 64]) for _ in range(draw.randint(2, 4))]
    while numpy.prod(shape) > 60000:
        shape[draw.randrange(len(shape))] = 1
    split = []
    for size in shape:
        part = draw.choice([each for each in range(1, size + 1) if size % each == 0])
        split += [part, size // part] if draw.random() < 0.5 else [size]
    order = draw.sample(range(len(split)), len(split))
    types = ["tensor<" + "x".join(map(str, [*sizes, element])) + ">"
             for sizes in (shape, split, [split[i] for i in order])]
    return function({"x": types[0]}, {"y": types[2]},
                    f"  %s = stablehlo.reshape %x : ({types[0]}) -> {types[1]}\n"
                    f"  %z = stablehlo.add %s, %s : {types[1]}\n"
                    f"  %b = stablehlo.optimization_barrier %z : {types[1]}\n"
                    f"  %y = stablehlo.transpose %b, dims = {order} : ({types[1]}) -> {types[2]}")


def test_permutations():
    """Tiles, cut tiles and no tiles; all kinds of elements."""
    seed = random_seed()
    draw = random.Random(seed)
    ways = {"tiled": 0, "plain": 0}
    # Few are tiled, so that 20 draws may have none.
    while sum(ways.values()) < 20 or not all(ways.values()):
        text = permutation(draw, draw.choice(["f32", "bf16", "f16", "i32", "i8", "f64"]))
        lowered = run_tool("shardsmith-opt", "-", *LOWER, text=text)
        ways["tiled" if "workgroup" in lowered else "plain"] += 1
        assert "0 with a problem" in emulate(text, "--orders", "2"), f"seed {seed}"
        assert sum(ways.values()) < 400, ways


def updates(count, elements=1000):
    """Parameters that are written in place, each with a gradient of its own."""
    vector = f"tensor<{elements}xf32>"
    arguments, results, body = {}, [], ""
    for i in range(count):
        arguments[f"g{i}"] = vector
        body += (f"  %b{i} = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> {vector}\n"
                 f"  %s{i} = stablehlo.multiply %b{i}, %g{i} : {vector}\n"
                 f"  %n{i} = stablehlo.subtract %p{i}, %s{i} : {vector}\n")
        results.append(f'{vector} {{smith.name = "p{i}", smith.role = "param"}}')
    parameters = ", ".join(f"%p{i}: {type_}" for i, type_ in enumerate(results))
    others = ", ".join(f"%{name}: {type_}" for name, type_ in arguments.items())
    returned = ", ".join(f"%n{i}" for i in range(count))
    types = ", ".join([vector] * count)
    return (f"func.func @main({parameters}, %rate: tensor<f32>, {others}) -> "
            f"({', '.join(results)}) {{\n{body}  return {returned} : {types}\n}}\n")


def several(count, type_, result, op):
    """As many kernels of one op."""
    arguments = {f"x{i}": type_ for i in range(count)}
    results = {f"y{i}": result for i in range(count)}
    return function(arguments, results, "".join(op(i) for i in range(count)))


def rows_of(i):
    return reduction(f"y{i}", f"x{i}", "add", "0.0", (70, 100), [70], [1])


def columns_of(i):
    return reduction(f"y{i}", f"x{i}", "add", "0.0", (70, 100), [100], [0])


def turned(i):
    return (f"  %y{i} = stablehlo.transpose %x{i}, dims = [1, 0] : (tensor<70x100xf32>) -> "
            "tensor<100x70xf32>\n")


@pytest.mark.parametrize("op", [updates, rows_of, columns_of, turned], ids=lambda op: op.__name__)
def test_kernels_of_one_launch(op):
    """Of every nest, two kernels and more: each finds its own buffers, and touches the
    sectors that are estimated."""
    results = {rows_of: "tensor<70xf32>", columns_of: "tensor<100xf32>", turned: "tensor<100x70xf32>"}
    for count in (2, 3, 7):
        text = (updates(count) if op is updates
                else several(count, "tensor<70x100xf32>", results[op], op))
        out = emulate(text, "--orders", "3")
        assert re.match(r"joint_0: (\d+) blocks", out), out
        assert int(re.match(r"joint_0: (\d+)", out)[1]) % count == 0
        assert "1 functions run, 0 with a problem" in out
        # Of many blocks some stand for the rest.
        runs = re.search(r"(\d+) runs touched the sectors that were estimated", out)
        exact = runs and int(runs[1]) >= 3
        assert exact or op is turned or count == 7


def test_launches_have_few_enough_arguments():
    """50 updates of a parameter, a gradient and a rate of all: 48 arguments are 15."""
    lowered = run_tool("shardsmith-opt", "-", *LOWER, text=updates(50, 7))
    sizes = [lowered.count(f"smith.joint_launch = {number} ") for number in range(5)]
    assert sizes == [5, 15, 15, 15, 0]
    arguments = re.search(r"gpu\.func @joint_1\((.*?)\) kernel", lowered)[1]
    assert arguments.count("memref<") == 1 + 3 * 15
    done = subprocess.run([tool("emulate-kernels"), "-"], input=lowered, text=True,
                          capture_output=True)
    assert "4 functions run, 0 with a problem" in done.stdout, done.stdout[-2000:]


def test_races_of_a_launch_are_caught():
    """What a kernel of a launch may not write: what another one reads, or writes."""
    lowered = run_tool("shardsmith-opt", "-", *LOWER, text=updates(3))
    launched = "smith.joint_launch = 0 : i64, smith.offsets = "
    first, second = re.findall(launched + r"(array<i64: \d+>)", lowered)[:2]
    broken = lowered.replace(launched + second, launched + first)
    assert broken != lowered
    done = subprocess.run([tool("emulate-kernels"), "-"], input=broken, text=True,
                          capture_output=True)
    assert done.returncode == 7
    assert re.search(r"thread \d+ (writes|reads) element \d+, which", done.stdout), done.stdout


def test_wrong_traffic_is_caught():
    lowered = run_tool("shardsmith-opt", "-", *LOWER, text=softmax(5, 100, "f32"))
    wrong = re.sub(r"asked = (\d+)", lambda found: f"asked = {int(found[1]) + 32}", lowered)
    done = subprocess.run([tool("emulate-kernels"), "-"], input=wrong, text=True,
                          capture_output=True)
    assert done.returncode == 7 and "estimate-kernels says" in done.stdout


def test_functions_must_be_there():
    lowered = run_tool("shardsmith-opt", "-", LOWER[0], text=softmax(2, 3, "f32"))
    done = subprocess.run([tool("emulate-kernels"), "-"], input=lowered, text=True,
                          capture_output=True)
    assert done.returncode == 3 and "run emit-cuda-kernels" in done.stderr


@pytest.mark.parametrize("fault", ["barrier:0", "barrier:1", "shuffle:9"])
def test_faults_are_caught(fault):
    """A row of a block: two levels with a barrier and eight shuffles each."""
    assert "0 with a problem" in emulate(softmax(5, 1000, "f32"), seed=3)
    out = emulate(softmax(5, 1000, "f32"), "--fault", fault, seed=3, code=7)
    assert "1 functions run, 1 with a problem" in out
    if fault.startswith("barrier"):
        assert "memref<8xf32, #gpu.address_space<workgroup>>" in out


def test_races_across_threads_are_caught():
    """Every barrier of a column sum matters."""
    text = column_sums(40, 64, "f32")
    out = emulate(text, seed=4)
    assert "0 with a problem" in out
    for number in range(3):
        out = emulate(text, "--fault", f"barrier:{number}", seed=4, code=7)
        assert re.search("which thread .* (writes|reads)|before anything was written", out)


CHIPS = ["sm_80", "sm_90a", "sm_100a", "sm_120"]


def ptxas():
    found = shutil.which("ptxas") or "/usr/local/cuda/bin/ptxas"
    if not os.path.exists(found):
        pytest.skip("ptxas is not installed")
    return found


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("model", MODELS)
def test_train_steps_assemble(model, chip, tmp_path):
    text = (ROOT / f"test/models/{model}.mlir").read_text()
    path = tmp_path / "kernels.ptx"
    run_tool("shardsmith-opt", "-", "--import", "--train=optimizer=adamw", *LOWER,
             f"--emit-ptx=chip={chip} path={path}", text=text)
    assert ".extern" not in path.read_text()
    done = subprocess.run([ptxas(), "-v", f"-arch={chip}", path, "-o", tmp_path / "kernels.cubin"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    spills = [int(n) for n in re.findall(r"(\d+) bytes spill stores", done.stderr)]
    assert len(spills) > 25 and not any(spills)
