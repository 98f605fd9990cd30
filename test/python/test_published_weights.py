# SPDX-License-Identifier: Apache-2.0
"""Models are compiled from their folders, begin with the weights there, and
give them back in files that load again where they came from."""

import json

import pytest

pytest.importorskip("jax")

import jax  # noqa: E402
import numpy as np  # noqa: E402
import reference_models  # noqa: E402
from seeds import random_seed  # noqa: E402
from published_weights import (  # noqa: E402
    BERT,
    GPT2,
    LLAMA,
    QWEN3,
    SHAPES,
    as_f32,
    draw_weights,
    write_checkpoint,
)
from safetensors.numpy import load_file, save_file  # noqa: E402
from training import shardsmith, train  # noqa: E402

RANKS, BATCH, LENGTH = 2, 4, 12
SIZES = ["--seq", LENGTH, "--global-batch", BATCH, "--dtype", "f32"]
SGD = ["--optimizer", "sgd", "--lr", "0.1", "--momentum", "0"]
CONFIGS = {"gpt2": GPT2, "llama": LLAMA, "qwen3": QWEN3, "bert": BERT}
REFERENCES = {"gpt2": "gpt2", "llama": "llama", "qwen3": "llama", "bert": "bert"}


def random():
    return np.random.default_rng(random_seed())


def compile_folder(source, build, *options, ranks=RANKS):
    cluster = ["--cluster", f"cpu:{ranks}"]
    shardsmith("compile", source, *cluster, *SIZES, *SGD, *options, "-o", build)
    return build


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """The program of a configuration, split in a way that splits its weights."""
    made = {}

    def program(name):
        if name not in made:
            folder = tmp_path_factory.mktemp(name)
            (folder / "config.json").write_text(json.dumps(CONFIGS[name]))
            made[name] = compile_folder(folder, folder / "build", "--fix", "tensor=2")
        return made[name]

    return program


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def loss_and_gradients(name, weights, batches):
    function = getattr(reference_models, REFERENCES[name])
    batch = {key.split("batch.")[1]: value for key, value in batches.items()}
    return jax.value_and_grad(function)(weights, batch, CONFIGS[name])


@pytest.mark.parametrize("name", CONFIGS)
def test_a_step_from_published_weights_is_that_of_jax(name, programs, tmp_path):
    """Loss and new weights after a step of gradient descent, and the loss of a
    program that starts from these."""
    weights = draw_weights(CONFIGS[name], random())
    source = write_checkpoint(tmp_path / "source", CONFIGS[name], weights)
    tuned, batches = tmp_path / "tuned", tmp_path / "batches"
    saving = ["--save-weights", tuned, "--save-batches", batches]
    summary = train(programs(name), RANKS, 1, "--init", source, *saving)
    batch = load_file(batches)
    loss, gradients = loss_and_gradients(name, weights, batch)
    np.testing.assert_allclose(summary["losses"][0], loss, rtol=1e-5)

    written = load_file(tuned / "model.safetensors")
    assert written.keys() == weights.keys()
    for key, value in weights.items():
        expected = value - 0.1 * gradients[key]
        np.testing.assert_allclose(written[key], expected, rtol=2e-4, atol=2e-6, err_msg=key)

    again = train(programs(name), RANKS, 1, "--init", tuned)
    loss, _ = loss_and_gradients(name, written, batch)
    np.testing.assert_allclose(again["losses"][0], loss, rtol=1e-5)


@pytest.mark.parametrize("dtype", ["F32", "F16", "BF16"])
@pytest.mark.parametrize("files", [1, 3])
@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_weights_that_no_step_changed_are_the_same_files(name, files, dtype, programs, tmp_path):
    """Byte by byte: names, shapes, types, order, metadata, index."""
    weights = draw_weights(CONFIGS[name], random(), dtype)
    source = write_checkpoint(tmp_path / "source", CONFIGS[name], weights, files)
    (source / "tokenizer.json").write_text("{}")
    copy = tmp_path / "copy"
    train(programs(name), RANKS, 0, "--init", source, "--save-weights", copy)
    assert contents(copy) == contents(source)


def test_only_what_belongs_to_a_configuration_is_copied(programs, tmp_path):
    source = write_checkpoint(tmp_path / "source", GPT2, draw_weights(GPT2, random()))
    (source / "tokenizer.json").write_text("{}")
    (source / "notes.md").write_text("mine")
    for remaining in ({"config.json", "tokenizer.json"}, set()):
        copy = tmp_path / f"copy{len(remaining)}"
        options = ["--init", source / "model.safetensors", "--save-weights", copy]
        train(programs("gpt2"), RANKS, 0, *options)
        assert contents(copy).keys() == {"model.safetensors"} | remaining
        (source / "config.json").unlink(missing_ok=True)


def test_narrow_weights_train_as_they_are_rounded(programs, tmp_path):
    """Trained in f32, given back in the checkpoint's type."""
    weights = draw_weights(LLAMA, random(), "BF16")
    source = write_checkpoint(tmp_path / "source", LLAMA, weights, files=2)
    tuned, batches, state = (tmp_path / n for n in ("tuned", "batches", "state"))
    saving = ["--save-weights", tuned, "--save-batches", batches, "--checkpoint-dir", state]
    summary = train(programs("llama"), RANKS, 1, "--init", source, *saving)
    loss, _ = loss_and_gradients("llama", as_f32(weights), load_file(batches))
    np.testing.assert_allclose(summary["losses"][0], loss, rtol=1e-5)
    wide = load_file(state / "step-00000001.safetensors")
    index = json.loads((tuned / "model.safetensors.index.json").read_text())
    for name, file in index["weight_map"].items():
        narrow = load_file(tuned / file)[name]
        assert narrow.dtype == weights[name].dtype
        np.testing.assert_array_equal(narrow, wide[name].astype(narrow.dtype))


def test_every_way_to_name_a_checkpoint(programs, tmp_path):
    weights = draw_weights(GPT2, random())
    one = write_checkpoint(tmp_path / "one", GPT2, weights)
    several = write_checkpoint(tmp_path / "several", GPT2, weights, files=2)
    paths = [one, one / "model.safetensors", several, several / "model.safetensors.index.json"]
    losses = [train(programs("gpt2"), RANKS, 1, "--init", path)["losses"] for path in paths]
    assert losses == [losses[0]] * 4
    assert losses[0] != train(programs("gpt2"), RANKS, 1)["losses"]


def test_files_of_the_model_without_its_head(programs, tmp_path):
    """GPT-2's names as they were first published: no prefix, masks, and here
    the head as a copy of the embedding. All of it comes back."""
    weights = draw_weights(GPT2, random())
    bare = {name.removeprefix("transformer."): value for name, value in weights.items()}
    for i in range(GPT2["n_layer"]):
        bare[f"h.{i}.attn.bias"] = np.tril(np.ones((1, 1, 20, 20), np.float32))
        bare[f"h.{i}.attn.masked_bias"] = np.array(-1e4, np.float32)
    bare["lm_head.weight"] = bare["wte.weight"]
    source = write_checkpoint(tmp_path / "source", GPT2, bare)
    whole = write_checkpoint(tmp_path / "whole", GPT2, weights)
    tuned = tmp_path / "tuned"
    summary = train(programs("gpt2"), RANKS, 2, "--init", source, "--save-weights", tuned)
    assert summary["losses"] == train(programs("gpt2"), RANKS, 2, "--init", whole)["losses"]
    written = load_file(tuned / "model.safetensors")
    assert written.keys() == bare.keys()
    np.testing.assert_array_equal(written["lm_head.weight"], written["wte.weight"])
    np.testing.assert_array_equal(written["h.1.attn.bias"], bare["h.1.attn.bias"])
    assert not np.array_equal(written["wte.weight"], bare["wte.weight"])


def test_a_parameter_that_is_there_as_its_copy_only(programs, tmp_path):
    weights = draw_weights(QWEN3, random())
    whole = write_checkpoint(tmp_path / "whole", QWEN3, weights)
    weights["lm_head.weight"] = weights.pop("model.embed_tokens.weight")
    source, tuned = write_checkpoint(tmp_path / "source", QWEN3, weights), tmp_path / "tuned"
    summary = train(programs("qwen3"), RANKS, 1, "--init", source, "--save-weights", tuned)
    assert summary["losses"] == train(programs("qwen3"), RANKS, 1, "--init", whole)["losses"]
    assert load_file(tuned / "model.safetensors").keys() == weights.keys()


def test_older_spelling_of_norms_and_heads_for_other_tasks(programs, tmp_path):
    weights = draw_weights(BERT, random())
    whole = write_checkpoint(tmp_path / "whole", BERT, weights)
    older = {
        name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): value
        for name, value in weights.items()
    }
    older["bert.pooler.dense.weight"] = np.zeros((24, 24), np.float32)
    older["bert.pooler.dense.bias"] = np.zeros(24, np.float32)
    older["cls.seq_relationship.weight"] = np.zeros((2, 24), np.float32)
    older["cls.seq_relationship.bias"] = np.zeros(2, np.float32)
    older["cls.predictions.decoder.bias"] = older["cls.predictions.bias"]
    source = write_checkpoint(tmp_path / "source", BERT, older)
    tuned = tmp_path / "tuned"
    summary = train(programs("bert"), RANKS, 2, "--init", source, "--save-weights", tuned)
    assert summary["losses"] == train(programs("bert"), RANKS, 2, "--init", whole)["losses"]
    written = load_file(tuned / "model.safetensors")
    assert written.keys() == older.keys()
    bias = written["cls.predictions.bias"]
    np.testing.assert_array_equal(written["cls.predictions.decoder.bias"], bias)
    assert not np.array_equal(bias, weights["cls.predictions.bias"])


def test_ranks_and_plans_read_and_write_the_same(programs, tmp_path):
    weights = draw_weights(LLAMA, random())
    source = write_checkpoint(tmp_path / "source", LLAMA, weights, files=2)
    written = []
    for ranks, fix in ((1, None), (2, "fsdp=2"), (4, "data=2,tensor=2")):
        fixed = ["--fix", fix] if fix else []
        build = compile_folder(source, tmp_path / f"build{ranks}", *fixed, ranks=ranks)
        tuned = tmp_path / f"tuned{ranks}"
        train(build, ranks, 3, "--init", source, "--save-weights", tuned)
        assert sorted(contents(tuned)) == sorted(contents(source))
        written.append(as_f32(load_file(tuned / "model-00001-of-00002.safetensors")))
    for other in written[1:]:
        for name, value in written[0].items():
            np.testing.assert_allclose(other[name], value, rtol=1e-4, atol=1e-6, err_msg=name)


def test_a_run_that_was_resumed_writes_like_its_original(programs, tmp_path):
    weights = draw_weights(GPT2, random(), "BF16")
    source = write_checkpoint(tmp_path / "source", GPT2, weights, files=2)
    state, once, resumed = (tmp_path / n for n in ("state", "once", "resumed"))
    program = programs("gpt2")
    train(program, RANKS, 4, "--init", source, "--save-weights", once)
    train(program, RANKS, 2, "--init", source, "--checkpoint-dir", state)
    like = ["--save-weights", resumed, "--weights-like", source]
    train(program, RANKS, 4, "--resume", "--checkpoint-dir", state, *like)
    assert contents(resumed) == contents(once)


def test_weights_of_a_run_from_scratch(programs, tmp_path):
    """One file under the model's own names, in place of an older checkpoint of
    several files."""
    saved = write_checkpoint(tmp_path / "saved", GPT2, draw_weights(GPT2, random()), files=2)
    state = tmp_path / "state"
    train(programs("gpt2"), RANKS, 2, "--save-weights", saved, "--checkpoint-dir", state)
    assert not (saved / "model.safetensors.index.json").exists()
    written = load_file(saved / "model.safetensors")
    assert {n: v.shape for n, v in written.items()} == SHAPES["gpt2"](GPT2)
    wide = load_file(state / "step-00000002.safetensors")
    for name, value in written.items():
        np.testing.assert_array_equal(value, wide[name])
    summary = train(programs("gpt2"), RANKS, 1, "--init", saved)
    assert np.isfinite(summary["losses"][0])


# --- Matrices that are one parameter together ---------------------------------

STACK = """
module @stack attributes {smith.weights = {prefix = "model.", ignored = [], copies = {}, older = {},
    stacked = ["model.layers.*.experts.#.up.weight"]}} {
  sdy.mesh @mesh = <["tensor"=2]>
  func.func public @main(
      %w: tensor<4x8x6xf32> {smith.role = "param", smith.name = "model.layers.0.experts.up.weight", sdy.sharding = #sdy.sharding<@mesh, [SHARDING]>},
      %x: tensor<10x8xf32> {smith.role = "batch", smith.name = "batch.x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<10x8xf32>, tensor<4x8x6xf32>) -> tensor<10x4x6xf32>
    %s = stablehlo.multiply %y, %y : tensor<10x4x6xf32>
    %l = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<10x4x6xf32>, tensor<f32>) -> tensor<f32>
    return %l : tensor<f32>
  }
}
"""
SPLITS = ["{}, {}, {}", '{"tensor"}, {}, {}', '{}, {"tensor"}, {}', '{}, {}, {"tensor"}']
STACK_SGD = ["--optimizer", "sgd", "--lr", "0.001", "--momentum", "0"]


def compile_stack(tmp_path, split):
    model = tmp_path / "stack.mlir"
    model.write_text(STACK.replace("SHARDING", split))
    shardsmith("compile", model, "--cluster", "cpu:2", *STACK_SGD, "-o", tmp_path / "build")
    return tmp_path / "build"


def write_matrices(folder, stack, dtype=np.float32):
    """Each transposed, in a file of its own but for the first two."""
    folder.mkdir()
    files = {}
    for number, matrix in enumerate(stack):
        name = f"layers.0.experts.{number}.up.weight"
        tensor = np.ascontiguousarray(matrix.T).astype(dtype)
        files.setdefault(f"model-{max(number, 1)}.safetensors", {})[name] = tensor
    for file, tensors in files.items():
        save_file(tensors, folder / file)
    place = {name: file for file, tensors in files.items() for name in tensors}
    write_index(folder, json.dumps({"weight_map": place}))
    return folder


@pytest.mark.parametrize("split", SPLITS)
def test_matrices_of_a_stack_are_read_and_written_each(split, tmp_path):
    stack = random().normal(size=(4, 8, 6)).astype(np.float32)
    source = write_matrices(tmp_path / "source", stack)
    build = compile_stack(tmp_path, split)
    copy, tuned, batches = (tmp_path / n for n in ("copy", "tuned", "batches"))
    train(build, RANKS, 0, "--init", source, "--save-weights", copy)
    assert contents(copy) == contents(source)
    saving = ["--save-weights", tuned, "--save-batches", batches]
    summary = train(build, RANKS, 1, "--init", source, *saving)
    x = load_file(batches)["step0/batch.x"]
    y = np.einsum("bi,eio->beo", x, stack)
    np.testing.assert_allclose(summary["losses"][0], (y**2).sum(), rtol=1e-5)
    expected = stack - 0.001 * 2 * np.einsum("bi,beo->eio", x, y)
    for number, matrix in enumerate(expected):
        written = load_file(tuned / f"model-{max(number, 1)}.safetensors")
        value = written[f"layers.0.experts.{number}.up.weight"]
        np.testing.assert_allclose(value, matrix.T, rtol=1e-4, atol=1e-5)
    narrow = write_matrices(tmp_path / "narrow", stack, np.float16)
    train(build, RANKS, 0, "--init", narrow, "--save-weights", tmp_path / "again")
    assert contents(tmp_path / "again") == contents(narrow)


def test_stacks_that_are_not_whole(tmp_path):
    stack = random().normal(size=(4, 8, 6)).astype(np.float32)
    build = compile_stack(tmp_path, SPLITS[1])
    name = "model.layers.0.experts.{}.up.weight"
    few = write_matrices(tmp_path / "few", stack[:3])
    words = f'matrix 3 of "{name.format("")}" is missing; expected f32 [6, 8]'.replace("experts..", "experts.")
    assert words in refused(build, 3, "--init", few)
    many = write_matrices(tmp_path / "many", np.concatenate([stack, stack[:1]]))
    assert '"layers.0.experts.4.up.weight", f32 [6, 8]' in refused(build, 3, "--init", many)
    turned = write_matrices(tmp_path / "turned", stack.transpose(0, 2, 1))
    assert "expected f32 [6, 8], found f32 [8, 6]" in refused(build, 3, "--init", turned)
    # As the program's own files have it.
    saved = tmp_path / "saved"
    losses = train(build, RANKS, 2, "--save-initial", saved)["losses"]
    assert train(build, RANKS, 2, "--init", saved)["losses"] == losses
    both = load_file(saved) | {name.format(0): np.zeros((6, 8), np.float32)}
    save_file(both, tmp_path / "both")
    err = refused(build, 3, "--init", tmp_path / "both")
    assert "both are parameter" in err


# --- What is refused ---------------------------------------------------------


def transposed(weights):
    name = "transformer.h.0.mlp.c_fc.weight"
    weights[name] = np.ascontiguousarray(weights[name].T)


def without_a_layer(weights):
    for name in list(weights):
        if ".h.1." in name:
            del weights[name]


def with_another_layer(weights):
    for name in list(weights):
        if ".h.1." in name:
            weights[name.replace(".h.1.", ".h.2.")] = weights[name]


def with_another_head(weights):
    weights["lm_head.weight"] = weights["transformer.wte.weight"] + np.float32(1)


def of_integers(weights):
    weights["transformer.ln_f.bias"] = np.zeros(24, np.int32)


def twice(weights):
    weights["wpe.weight"] = weights["transformer.wpe.weight"]


def of_llama(weights):
    weights.clear()
    weights.update(draw_weights(LLAMA, np.random.default_rng(0)))


REFUSED = {
    transposed: ['"transformer.h.0.mlp.c_fc.weight"', "expected f32 [24, 96], found f32 [96, 24]"],
    without_a_layer: ['"transformer.h.1.ln_1.weight" is missing', "expected f32 [24]"],
    with_another_layer: ['"transformer.h.2.', "no parameter of this program"],
    with_another_head: ['"lm_head.weight"', "differs from", '"transformer.wte.weight"'],
    of_integers: ['"transformer.ln_f.bias"', "expected f32 [24], found i32 [24]"],
    twice: ['"wpe.weight"', '"transformer.wpe.weight"', "both are parameter"],
    of_llama: ['"transformer.wpe.weight" is missing', "expected f32 [20, 24]", 'the first unknown one is "model.embed_tokens.weight", f32 [56, 24]'],
}


def refused(program, code, *options):
    arguments = ["--ranks", RANKS, "--steps", 1, *options]
    err = shardsmith("run", program, *arguments, code=code)[1]
    assert err.count("\n") == 1, err
    return err


@pytest.mark.parametrize("damage", REFUSED, ids=lambda damage: damage.__name__)
def test_checkpoints_of_other_models(damage, programs, tmp_path):
    """One message with the first name and shapes, and nothing is written."""
    weights = draw_weights(GPT2, random())
    damage(weights)
    source = write_checkpoint(tmp_path / "source", GPT2, weights)
    tuned = tmp_path / "tuned"
    err = refused(programs("gpt2"), 3, "--init", source, "--save-weights", tuned)
    assert str(source) in err and all(words in err for words in REFUSED[damage]), err
    assert not tuned.exists() or contents(tuned) == {}


def write_index(folder, text):
    (folder / "model.safetensors.index.json").write_text(text)


def change_map(folder, change):
    path = folder / "model.safetensors.index.json"
    index = json.loads(path.read_text())
    change(index["weight_map"])
    path.write_text(json.dumps(index))


def repeat_a_tensor(folder):
    first, second = sorted(folder.glob("model-*"))
    save_file(load_file(first) | load_file(second), second)


FIRST = "model-00001-of-00002.safetensors"
DAMAGED = {
    "no weights": (lambda f: [p.unlink() for p in f.glob("model*")], "neither model.safetensors nor"),
    "no JSON": (lambda f: write_index(f, "{"), "index.json: "),
    "a list": (lambda f: write_index(f, "[]"), "expected an object"),
    "no map": (lambda f: write_index(f, "{}"), 'key "weight_map" is missing'),
    "empty map": (lambda f: write_index(f, '{"weight_map": {}}'), "the index lists no tensor"),
    "number": (lambda f: write_index(f, '{"weight_map": {"a": 7}}'), "/weight_map/a: expected a string"),
    "another folder": (lambda f: change_map(f, lambda m: m.update(a="../x")), "beside the index"),
    "missing file": (lambda f: (f / FIRST).unlink(), f"cannot open {{}}/{FIRST}"),
    "truncated file": (lambda f: (f / FIRST).write_bytes(b"\x09"), "too short for a safetensors"),
    "missing tensor": (lambda f: change_map(f, lambda m: m.update(a=FIRST)), '"a" is missing'),
    "tensor in two files": (repeat_a_tensor, "as well"),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_damaged_folders(damage, programs, tmp_path):
    source = write_checkpoint(tmp_path / "source", GPT2, draw_weights(GPT2, random()), files=2)
    change, words = DAMAGED[damage]
    change(source)
    err = refused(programs("gpt2"), 3, "--init", source)
    assert words.format(source) in err, err


def test_originals_are_never_overwritten(programs, tmp_path, monkeypatch):
    source = write_checkpoint(tmp_path / "source", GPT2, draw_weights(GPT2, random()), files=2)
    before = contents(source)
    program = programs("gpt2")
    for given in (source, source / "model.safetensors.index.json"):
        err = refused(program, 6, "--init", given, "--save-weights", source)
        assert "reads weights from this folder" in err
    monkeypatch.chdir(source)
    refused(program, 6, "--init", "model.safetensors.index.json", "--save-weights", ".")
    like = ["--weights-like", source, "--save-weights", f"{source}/../source"]
    refused(program, 6, *like)
    assert contents(source) == before


def test_what_cannot_be_written_is_refused_first(programs, tmp_path):
    program = programs("gpt2")
    (tmp_path / "file").write_text("")
    assert "cannot make folder" in refused(program, 6, "--save-weights", tmp_path / "file")
    (tmp_path / "folder/model.safetensors").mkdir(parents=True)
    refused(program, 6, "--save-weights", tmp_path / "folder")
    run = ["run", program, "--ranks", RANKS, "--weights-like", tmp_path]
    assert "--weights-like needs --save-weights" in shardsmith(*run, code=2)[1]


# --- Compiling ---------------------------------------------------------------


def test_a_folder_of_a_checkpoint_is_a_model(tmp_path):
    """It is not taken for the folder of a plan, nor written to."""
    source = write_checkpoint(tmp_path / "source", GPT2, draw_weights(GPT2, random()))
    before = contents(source)
    cluster = ["--cluster", "cpu:2"]
    err = shardsmith("compile", source, *cluster, *SIZES, code=2)[1]
    assert "-o DIR" in err
    plan, build = tmp_path / "plan", tmp_path / "build"
    shardsmith("plan", source, *cluster, *SIZES, *SGD, "-o", plan)
    shardsmith("compile", plan)
    assert shardsmith("check", plan)[0].startswith("accepted")
    assert shardsmith("explain", plan)[0].startswith("gpt2 on cpu:2")
    given = ["--plan", plan / "plan.json", *SIZES, *SGD, "-o", build]
    shardsmith("compile", source, *given)
    assert contents(source) == before
    losses = [train(folder, RANKS, 2, "--init", source)["losses"] for folder in (plan, build)]
    assert losses[0] == losses[1]


def test_a_built_in_model_goes_on_from_its_weights(tmp_path):
    """GPT-2 124M by its name, on the same batch in all steps."""
    build, saved = tmp_path / "build", tmp_path / "saved"
    sizes = ["--seq", 16, "--global-batch", 2, "--dtype", "f32"]
    shardsmith("compile", "gpt2-124m", "--cluster", "cpu:2", *sizes, "-o", build)
    data = []
    for name in ("batch.tokens", "batch.labels"):
        tokens = random().integers(0, 50257, (2, 16)).astype(np.int32)
        np.save(tmp_path / f"{name}.npy", tokens)
        data += ["--data", f"{name}={tmp_path / name}.npy"]
    losses = train(build, RANKS, 2, *data)["losses"]
    train(build, RANKS, 1, *data, "--save-weights", saved)
    weights = load_file(saved / "model.safetensors")
    sizes = {"n_embd": 768, "n_head": 12, "n_layer": 12, "n_positions": 1024, "vocab_size": 50257}
    assert {n: v.shape for n, v in weights.items()} == SHAPES["gpt2"](sizes)
    assert sum(value.size for value in weights.values()) == 124_439_808
    assert train(build, RANKS, 1, *data, "--init", saved)["losses"] == losses[1:]
