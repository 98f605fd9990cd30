# SPDX-License-Identifier: Apache-2.0
"""ONNX's own tests of its operators, run by Shardsmith's interpreter.

Models, inputs and expected outputs come from the package `onnx`, which shares
no code with this project. Of the operators that are translated, all cases with
tensors of floats, integers and booleans count; the cases that are refused are
listed below with the reason, and nothing else may be refused or wrong.
"""

import os
import re
import tempfile
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases
from onnx_cases import outputs_of, run_cases, write_case
from tools import tool

ROOT = Path(__file__).resolve().parents[2]
OPS = ROOT / "lib/Import/ONNX/Ops"
KINDS = "fiub"  # floats, integers and booleans, as numpy calls them

# Cases of translated operators that are refused, by a part of the message.
REFUSED = {
    "test_attention_.*": r"operand 6|attribute '\w+window\w*'",
    "test_cast.*FLOAT8.*": "element type 19",
    "test_einsum_batch_diagonal": "diagonal",
    "test_maxpool_with_argmax.*": "positions of the largest",
    "test_training_dropout.*": "training mode",
}


def translated_operators():
    """Names of the operators in the registry."""
    text = "".join(path.read_text() for path in OPS.glob("*.cpp"))
    return set(re.findall(r'registry\.add\("(\w+)"', text))


def arrays(values):
    """Numpy arrays of a data set, or nothing if one of them is no tensor."""
    result = []
    for value in values:
        if isinstance(value, onnx.TensorProto):
            value = numpy_helper.to_array(value)
        if value is None or isinstance(value, (list, dict, str)):
            return None
        result.append(np.asarray(value))
    return result


def is_plain(array):
    return array.dtype.kind in KINDS or array.dtype.name == "bfloat16"


def is_single_operator(model, operators):
    nodes = list(model.graph.node)
    domains = {node.domain for node in nodes} | {f.domain for f in model.functions}
    return len(nodes) >= 1 and domains <= {""} and all(n.op_type in operators for n in nodes)


def node_cases():
    operators = translated_operators()
    for case in collect_testcases(None):
        model = case.model
        if model is None or not is_single_operator(model, operators):
            continue
        opset = next(o.version for o in model.opset_import if o.domain in ("", "ai.onnx"))
        if opset < 11 or not case.data_sets:
            continue
        inputs, expected = map(arrays, case.data_sets[0])
        if inputs is None or expected is None:
            continue
        if not all(map(is_plain, inputs + expected)):
            continue
        names = [value.name for value in model.graph.input]
        if len(names) != len(inputs):
            continue
        yield case, dict(zip(names, inputs)), expected


def with_constants(model, inputs, names):
    """The model with some inputs as tensors of the file: what only a known
    value can be, as in every exported model."""
    changed = onnx.ModelProto()
    changed.CopyFrom(model)
    kept = [value for value in changed.graph.input if value.name not in names]
    del changed.graph.input[:]
    changed.graph.input.extend(kept)
    for name in names:
        changed.graph.initializer.append(numpy_helper.from_array(inputs[name], name))
    return changed, {name: value for name, value in inputs.items() if name not in names}


# Operands that must be known when a model is read.
KNOWN = {
    "CumSum": [1], "CumProd": [1], "ConstantOfShape": [0], "Dropout": [1, 2], "Expand": [1],
    "If": [0], "Loop": [0, 1], "OneHot": [1], "Pad": [1, 3], "Range": [0, 1, 2], "Reshape": [1],
    "Slice": [1, 2, 3, 4], "Split": [1], "Squeeze": [1], "Tile": [1], "TopK": [1], "Trilu": [1],
    "Unsqueeze": [1],
}  # fmt: skip


def known_inputs(model):
    names = set()
    inputs = {value.name for value in model.graph.input}
    if len(model.graph.node) > 1:
        # An operator as the function that defines it: sizes are its operands.
        small = [v for v in model.graph.input if len(v.type.tensor_type.shape.dim) < 2]
        names |= {v.name for v in small if v.type.tensor_type.elem_type in (6, 7)}
        if "range" in model.graph.name:
            names |= inputs
    for node in model.graph.node:
        positions = KNOWN.get(node.op_type, [])
        if node.op_type.startswith("Reduce"):
            positions = [1]
        names |= {node.input[i] for i in positions if i < len(node.input)}
    return sorted(names & inputs)


def mismatch(case, folder, expected):
    outputs = outputs_of(folder)
    for value, want in zip(case.model.graph.output, expected):
        got = outputs.get(value.name)
        if got is None:
            return f"{value.name} is missing"
        if got.shape != want.shape:
            return f"{value.name} has shape {got.shape}, not {want.shape}"
        if got.dtype != want.dtype:
            return f"{value.name} is {got.dtype}, not {want.dtype}"
        # One rounding of narrow floats more or less is no error.
        rtol = {2: 5e-3}.get(want.dtype.itemsize, case.rtol) if want.dtype.kind not in "iub" else 0
        atol = 5e-3 if want.dtype.itemsize == 2 and rtol else 1e-6 if rtol else 0
        same = np.allclose(
            got.astype(np.float64), want.astype(np.float64), rtol=rtol, atol=atol, equal_nan=True
        )
        if not same:
            return f"{value.name} differs: {got.ravel()[:4]} instead of {want.ravel()[:4]}"
    return None


@pytest.fixture
def folder():
    """In memory: results are synchronised with their disk, case by case."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as path:
        yield Path(path)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_node_tests(folder):
    cases = {}
    for case, inputs, expected in node_cases():
        if case.name in cases:
            continue
        model, rest = with_constants(case.model, inputs, known_inputs(case.model))
        write_case(folder / case.name, model, rest)
        cases[case.name] = (case, expected)
    assert len(cases) > 500
    answers = run_cases(tool("run-onnx-models"), [folder / name for name in cases])

    wrong, refused = {}, {}
    for name, (case, expected) in cases.items():
        answer = answers[name]
        if answer["code"] != 0:
            refused[name] = f"{answer['code']}: {answer['message']}"
        elif problem := mismatch(case, folder / name, expected):
            wrong[name] = problem
    unexpected = {
        name: message
        for name, message in refused.items()
        if not any(re.search(part, message) for pattern, part in REFUSED.items() if re.fullmatch(pattern, name))
    }
    print(len(cases), "cases,", len(refused), "refused,", len(wrong), "wrong")
    assert not wrong, wrong
    assert not unexpected, unexpected
    assert len(refused) <= 0.05 * len(cases)
