# SPDX-License-Identifier: Apache-2.0
"""ONNX files that are wrong, or right but not supported: one error each, with
the exit code of docs/import-onnx.md."""

import re

import pytest
from onnx import TensorProto, helper
from onnx_models import MODELS, Graph
from tools import ROOT
from training import shardsmith

BAD, UNSUPPORTED, USAGE = 3, 5, 2


def refuse(path, code, *parts, options=("--loss", "none")):
    _, err = shardsmith("import", path, *options, code=code)
    assert err.count("error:") == 1, err
    for part in parts:
        assert part in err, err


def write(tmp_path, model):
    path = tmp_path / "model.onnx"
    path.write_bytes(model if isinstance(model, bytes) else model.SerializeToString())
    return path


def small(opset=17, output="y", shape=("n", 2), nodes=None):
    g = Graph(0)
    x = g.input("x", ["n", 4])
    w = g.param("w", 4, 2)
    g.nodes.append(helper.make_node("MatMul", [x, w], ["y"], name="product"))
    g.nodes.extend(nodes or [])
    return g.model(output, list(shape), opset=opset)


def changed_weight(**fields):
    model = small()
    tensor = model.graph.initializer[0]
    for name, value in fields.items():
        if isinstance(value, list):
            tensor.ClearField(name)
            getattr(tensor, name).extend(value)
        else:
            setattr(tensor, name, value)
    return model


def external(location, **fields):
    model = changed_weight(data_location=TensorProto.EXTERNAL)
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    for key, value in {"location": location, **fields}.items():
        entry = tensor.external_data.add()
        entry.key, entry.value = key, str(value)
    return model


# Whoever needs the elements of a tensor reads them: here as a constant.
FROZEN = ("--loss", "none", "--constants", "w")


def test_right_file_is_read(tmp_path):
    out, _ = shardsmith("import", write(tmp_path, small()), "--loss", "none")
    assert 'smith.name = "w"' in out and "tensor<512x4xf32>" in out


def test_empty_file(tmp_path):
    refuse(write(tmp_path, b""), BAD, "empty")


def test_truncated_file(tmp_path):
    data = small().SerializeToString()
    for size in range(1, len(data) - 1, 7):
        _, err = shardsmith("import", write(tmp_path, data[:size]), "--loss", "none", code=BAD)
        assert "error:" in err


def test_text_is_no_model(tmp_path):
    refuse(write(tmp_path, b"module @m {}\n"), BAD, "not an ONNX model")


def test_missing_file(tmp_path):
    refuse(tmp_path / "none.onnx", BAD, "none.onnx")


@pytest.mark.parametrize("location", ["../w.bin", "/etc/passwd", "a/../../w.bin", "", ".", "link"])
def test_external_data_outside_the_folder(tmp_path, location):
    (tmp_path / "w.bin").write_bytes(bytes(32))
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path / "w.bin")
    refuse(write(folder, external(location)), BAD, "outside the model's folder", options=FROZEN)


def test_external_data_inside_the_folder(tmp_path):
    (tmp_path / "w.bin").write_bytes(bytes(40))
    path = write(tmp_path, external("w.bin", offset=8, length=32))
    shardsmith("import", path, *FROZEN)


@pytest.mark.parametrize("fields", [{"offset": 16}, {"length": 31}, {"offset": 2**62}, {"offset": -1}])
def test_external_data_of_the_wrong_size(tmp_path, fields):
    (tmp_path / "w.bin").write_bytes(bytes(40))
    refuse(write(tmp_path, external("w.bin", **fields)), BAD, "external data", options=FROZEN)


def test_missing_external_data(tmp_path):
    refuse(write(tmp_path, external("w.bin")), BAD, "there is no file", options=FROZEN)


def test_cycle(tmp_path):
    nodes = [
        helper.make_node("Add", ["y", "b"], ["a"], name="first"),
        helper.make_node("Neg", ["a"], ["b"], name="second"),
    ]
    refuse(write(tmp_path, small(nodes=nodes)), BAD, "cycle", "first")


def test_unsorted_nodes_are_sorted(tmp_path):
    model = small(nodes=[helper.make_node("Neg", ["y"], ["z"])], output="z")
    nodes = list(model.graph.node)[::-1]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    shardsmith("import", write(tmp_path, model), "--loss", "none")


@pytest.mark.parametrize("opset", [10, 99])
def test_wrong_opset(tmp_path, opset):
    refuse(write(tmp_path, small(opset=opset)), UNSUPPORTED, f"unsupported opset {opset}")


def test_all_unsupported_operators_at_once(tmp_path):
    nodes = [
        helper.make_node("NonZero", ["y"], ["a"], name="counted"),
        helper.make_node("Own", ["y"], ["b"], name="mine", domain="com.example"),
    ]
    refuse(
        write(tmp_path, small(nodes=nodes)), UNSUPPORTED,
        "'counted' (NonZero)", "'mine' (com.example.Own)",
    )  # fmt: skip


@pytest.mark.parametrize(
    "fields",
    [{"dims": [3 << 28]}, {"dims": [1 << 62, 1 << 62]}, {"dims": [-1, 2]}, {"raw_data": b"123"}],
)
def test_tensors_that_claim_what_they_do_not_hold(tmp_path, fields):
    refuse(write(tmp_path, changed_weight(**fields)), BAD, "'w'", options=FROZEN)


def test_attribute_that_claims_gigabytes(tmp_path):
    value = TensorProto(dims=[3 << 28], data_type=TensorProto.FLOAT, raw_data=b"1234")
    nodes = [helper.make_node("Constant", [], ["c"], name="claims", value=value)]
    refuse(write(tmp_path, small(nodes=nodes)), BAD, "'claims'", "holds 4 bytes")


def test_repetition_of_gigabytes(tmp_path):
    model = small(nodes=[helper.make_node("Tile", ["y", "r"], ["z"], name="wide")], output="z")
    model.graph.initializer.append(
        helper.make_tensor("r", TensorProto.INT64, [2], [1 << 60, 1 << 60])
    )
    refuse(write(tmp_path, model), BAD, "'wide'")


def test_shapes_that_do_not_fit(tmp_path):
    path = write(tmp_path, changed_weight(dims=[2, 4]))
    refuse(path, BAD, "'product' (MatMul)")


def test_unknown_operand(tmp_path):
    nodes = [helper.make_node("Neg", ["nowhere"], ["z"], name="lost")]
    refuse(write(tmp_path, small(nodes=nodes)), BAD, "'lost'", "'nowhere'")


def test_function_that_calls_itself(tmp_path):
    model = small(nodes=[helper.make_node("F", ["y"], ["z"], domain="own")], output="z")
    body = [helper.make_node("F", ["a"], ["b"], domain="own")]
    sets = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    model.functions.append(helper.make_function("own", "F", ["a"], ["b"], body, sets))
    refuse(write(tmp_path, model), BAD, "deep")


def test_size_that_depends_on_data(tmp_path):
    nodes = [
        helper.make_node("Cast", ["y"], ["i"], to=TensorProto.INT64),
        helper.make_node("ReduceMax", ["i"], ["m"], keepdims=0, axes=[0]),
        helper.make_node("ConstantOfShape", ["m"], ["z"], name="filled"),
    ]
    refuse(write(tmp_path, small(nodes=nodes, output="z")), UNSUPPORTED, "'filled'",
           "unsupported operand 0: it depends on the data of a batch")


def test_messages_are_sentences():
    """`unsupported("loop of …")` becomes "unsupported loop of …"."""
    sources = (ROOT / "lib/Import/ONNX").rglob("*.cpp")
    said = [
        found
        for source in sources
        for found in re.findall(r'unsupported\(\s*"(\S*)', source.read_text())
    ]
    assert len(said) > 15
    wrong = {"it", "its", "this", "the", "a", "an", "value:", "model:"}
    assert not wrong & set(said), said


def test_missing_loss(tmp_path):
    refuse(write(tmp_path, small()), BAD, "no loss", "cross-entropy:LABELS", options=())


def test_loss_that_is_not_there(tmp_path):
    refuse(write(tmp_path, small()), USAGE, "no output 'q'", options=("--loss", "q"))
    refuse(write(tmp_path, small()), USAGE, "name", options=("--loss", "cross-entropy"))


def test_graph_without_a_loss_is_not_planned(tmp_path):
    _, err = shardsmith(
        "plan", write(tmp_path, small()), "--loss", "none", "--cluster", "cpu:2", code=USAGE
    )
    assert "cannot be trained" in err


def test_open_dimensions(tmp_path):
    model, _, _ = MODELS["transformer"](1)
    path = write(tmp_path, model)
    refuse(path, BAD, "--dim sequence=SIZE", options=())
    refuse(path, USAGE, "no input has an open dimension", options=("--dim", "sequence=4,other=3"))
    refuse(path, USAGE, "NAME=SIZE", options=("--dim", "sequence=-4"))


def test_fixed_batch(tmp_path):
    model = small()
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_value = 4
    options = ("--loss", "none", "--global-batch", "8")
    refuse(write(tmp_path, model), USAGE, "fixes the batch at 4", options=options)


def test_options_of_other_models(tmp_path):
    path = write(tmp_path, small())
    refuse(path, USAGE, "not for ONNX", options=("--dtype", "f32"))
    refuse(path, USAGE, "no tensor of that name", options=("--constants", "v", "--loss", "none"))


def test_options_of_onnx_files_for_other_models(tmp_path):
    _, err = shardsmith("import", "gpt2-124m", "--dim", "s=3", code=USAGE)
    assert "--dim is for ONNX files" in err
