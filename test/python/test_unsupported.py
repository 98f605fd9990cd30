# SPDX-License-Identifier: Apache-2.0
"""What `compile` refuses before a search is what the lowering refuses after it:
models of many ops, drawn anew in every run."""

import random
import re
import subprocess

import pytest
from seeds import random_seed
from tools import tool

FLOATS = ["f64", "f32", "bf16", "f16"]
INTEGERS = ["i64", "i32", "i8", "ui32"]

ROUNDING = "stablehlo.reduce_precision"
ON_FLOATS = [
    *(
        "stablehlo." + name
        for name in "cbrt ceil cosine exponential log_plus_one logistic".split()
    ),
    *("stablehlo." + name for name in "round_nearest_even rsqrt sine tan tanh".split()),
    *(
        "chlo." + name
        for name in "acos asinh atanh cosh digamma erf erf_inv erfc lgamma".split()
    ),
    ROUNDING,
]
ON_INTEGERS = ["stablehlo.not", "stablehlo.popcnt", "stablehlo.count_leading_zeros"]
ON_TWO = ["add", "divide", "maximum", "multiply", "power", "remainder", "subtract"]


def applied(op, operands, element, shape=""):
    """One op of scalars or tensors, as an expression."""
    tensor = f"tensor<{shape}{element}>"
    if op == ROUNDING:
        return f"{op} {operands[0]}, format = e5m2 : {tensor}"
    if op.startswith("chlo.") and op not in ("chlo.erf", "chlo.erf_inv"):
        return f"{op} {operands[0]} : {tensor} -> {tensor}"
    arrow = f" -> {tensor}" if op.startswith("chlo.") else ""
    return f"{op} {', '.join(operands)} : {tensor}{arrow}"


def body_of(draw, element):
    """A body of two numbers that may not be possible in kernels."""
    scalar = f"tensor<{element}>"
    lines = [f"^bb0(%a: {scalar}, %b: {scalar}):"]
    first = "%a"
    if element in FLOATS and draw.random() < 0.3:
        first = "%r"
        lines.append(f"%r = {applied(ROUNDING, ['%a'], element)}")
    op = "stablehlo." + draw.choice(["add", "maximum", "multiply", "remainder"])
    lines.append(f"%o = {applied(op, [first, '%b'], element)}")
    return lines, "%o"


def with_body(op, operands, attributes, body, result, types):
    inside = " ".join(
        line if line.startswith("^") else line + "\n"
        for line in [*body, f"stablehlo.return {result}"]
    )
    return f'"{op}"({operands}) <{{{attributes}}}> ({{ {inside} }}) : {types}'


def structured(draw, element):
    """An op that is more than a formula for each element, of %x: 4x8."""
    scalar, wide = f"tensor<{element}>", f"tensor<4x8x{element}>"
    kind = draw.choice(
        ["sort", "reduce", "window", "scatter", "dot", "top_k", "cholesky"]
    )
    body, last = body_of(draw, element)
    returned = f"{last} : {scalar}"
    if kind == "sort":
        body = [body[0]] + body[1:-1]
        first = "%r" if len(body) > 1 else "%a"
        body.append(
            f"%o = stablehlo.compare LT, {first}, %b : ({scalar}, {scalar}) -> tensor<i1>"
        )
        attributes = "dimension = 1 : i64, is_stable = true"
        return with_body(
            "stablehlo.sort",
            "%x",
            attributes,
            body,
            "%o : tensor<i1>",
            f"({wide}) -> {wide}",
        ), wide
    if kind == "reduce":
        result = f"tensor<4x{element}>"
        return with_body(
            "stablehlo.reduce",
            "%x, %zero",
            "dimensions = array<i64: 1>",
            body,
            returned,
            f"({wide}, {scalar}) -> {result}",
        ), result
    if kind == "window":
        result = f"tensor<4x7x{element}>"
        return with_body(
            "stablehlo.reduce_window",
            "%x, %zero",
            "window_dimensions = array<i64: 1, 2>",
            body,
            returned,
            f"({wide}, {scalar}) -> {result}",
        ), result
    if kind == "scatter":
        numbers = (
            "scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], "
            "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>"
        )
        update = f"tensor<2x8x{element}>"
        return with_body(
            "stablehlo.scatter",
            "%x, %at, %update",
            numbers,
            body,
            returned,
            f"({wide}, tensor<2x1xi32>, {update}) -> {wide}",
        ), wide
    if kind == "dot":
        same = FLOATS if element in FLOATS else [element]
        other, result = draw.choice(same), f"tensor<4x4x{draw.choice(same)}>"
        operands = f"%x, %x_{other}, contracting_dims = [1] x [1]"
        types = f"({wide}, tensor<4x8x{other}>) -> {result}"
        return f"stablehlo.dot_general {operands} : {types}", result
    square = f"tensor<4x4x{element}>"
    if kind == "cholesky" and element in FLOATS:
        return f"stablehlo.cholesky %square, lower = true : {square}", square
    result = f"tensor<4x2x{element}>"
    return f"chlo.top_k(%x, k = 2) : {wide} -> ({result}, tensor<4x2xi32>)", result


def drawn_op(draw):
    """An op as an expression, its result's type and the type of its elements."""
    element = draw.choice(FLOATS + INTEGERS)
    if draw.random() < 0.4:
        return *structured(draw, element), element
    result = f"tensor<4x8x{element}>"
    if draw.random() < 0.3:
        op = "stablehlo." + draw.choice(ON_TWO)
        return applied(op, ["%x", "%x"], element, "4x8x"), result, element
    op = draw.choice(ON_FLOATS if element in FLOATS else ON_INTEGERS)
    return applied(op, ["%x"], element, "4x8x"), result, element


def added_to_loss(number, expression, result, element):
    """The line of an op, and those that make a term of the loss of it."""
    own = f"%{number}" if "top_k" not in expression else f"%{number}#0"
    bound = f"%{number}" + (":2" if "top_k" in expression else "")
    for name in ("x", "square", "update", "zero"):
        expression = re.sub(rf"%{name}\b", f"%{name}_{element}", expression)
    shape = re.fullmatch(r"tensor<(.*x)\w+>", result)[1]
    dimensions = ", ".join(str(d) for d in range(shape.count("x")))
    return [
        f"{bound} = {expression}".replace("\n", " "),
        f"%f{number} = stablehlo.convert {own} : ({result}) -> tensor<{shape}f32>",
        f"%s{number} = stablehlo.reduce(%f{number} init: %zero_f32) applies stablehlo.add "
        f"across dimensions = [{dimensions}] : (tensor<{shape}f32>, tensor<f32>) -> tensor<f32>",
        f"%t{number} = stablehlo.multiply %w, %s{number} : tensor<f32>",
    ]


def written(ops):
    """The model of these ops, and the line of each of them."""
    elements = FLOATS + INTEGERS
    zero = {element: "0.0" if element in FLOATS else "0" for element in elements}
    batch = ", ".join(
        f'%x_{element}: tensor<4x8x{element}> {{smith.role = "batch"}}'
        for element in elements
    )
    lines = [
        'func.func public @main(%w: tensor<f32> {smith.role = "param"}, '
        f'{batch}) -> (tensor<f32> {{smith.role = "loss"}}) {{',
        "%at = stablehlo.constant dense<[[1], [3]]> : tensor<2x1xi32>",
    ]
    for e in elements:
        lines += [
            f"%zero_{e} = stablehlo.constant dense<{zero[e]}> : tensor<{e}>",
            f"%square_{e} = stablehlo.slice %x_{e} [0:4, 0:4] "
            f": (tensor<4x8x{e}>) -> tensor<4x4x{e}>",
            f"%update_{e} = stablehlo.slice %x_{e} [0:2, 0:8] "
            f": (tensor<4x8x{e}>) -> tensor<2x8x{e}>",
        ]
    where = {}
    total = "%w"
    for number, op in ops.items():
        where[len(lines) + 1] = number
        lines += op
        lines.append(f"%l{number} = stablehlo.add {total}, %t{number} : tensor<f32>")
        total = f"%l{number}"
    return "\n".join([*lines, f"return {total} : tensor<f32>", "}"]), where


def run(*arguments):
    return subprocess.run(
        [tool("shardsmith"), *map(str, arguments)], capture_output=True, text=True
    )


def refusals(done):
    """Per line what is refused there, without how often."""
    found = re.findall(r":(\d+):\d+: error: (unsupported on .*)", done.stderr)
    return [
        (int(line), re.sub(r" \(and in \d+ more places?\)", "", text))
        for line, text in found
    ]


def texts(refused):
    return {text for _, text in refused}


@pytest.mark.parametrize("target", ["cpu", "cuda:sm_90a"])
def test_the_check_and_the_lowering_agree(target, tmp_path):
    seed = random_seed()
    draw = random.Random(seed)
    # One that nothing lowers and one that everything does are among them.
    drawn = [
        (applied(op, ["%x", "%x"], "f32", "4x8x"), "tensor<4x8xf32>", "f32")
        for op in (ROUNDING, "stablehlo.add")
    ]
    drawn += [drawn_op(draw) for _ in range(25)]
    ops = {number: added_to_loss(number, *op) for number, op in enumerate(drawn)}
    model, folder = tmp_path / "model.mlir", tmp_path / "plan"
    options = ["--target", target, *(["--no-cubin"] if target != "cpu" else [])]
    refused = []
    while True:
        text, where = written(ops)
        model.write_text(text)
        done = run(
            "compile", model, "--cluster", "cpu:2", *options, "-o", tmp_path / "program"
        )
        if done.returncode == 0:
            break
        refused = refusals(done)
        assert done.returncode == 5 and refused, (seed, done.stderr)
        # The plan of the same model is lowered without a check before.
        planned = run("plan", model, "--cluster", "cpu:2", "-o", folder)
        assert planned.returncode == 0, (seed, planned.stderr)
        late = run("compile", folder, *options)
        assert late.returncode == 5, (seed, late.stderr)
        assert texts(refusals(late)) == texts(refused), (seed, done.stderr, late.stderr)
        for line, _ in refused:
            del ops[where[line]]
    assert 0 not in ops and 1 in ops, seed
