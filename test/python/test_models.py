# SPDX-License-Identifier: Apache-2.0
"""Models built from configurations: losses and gradients against plain JAX
with the same weights, sizes against those that are published, and refusals."""

import json
import re
import subprocess

import pytest

jax = pytest.importorskip("jax")

import numpy as np  # noqa: E402
import reference_models  # noqa: E402
from compiler_tools import run_opt, run_xla  # noqa: E402
from seeds import random_seed  # noqa: E402
from safetensors.numpy import load_file, save_file  # noqa: E402
from tools import run_tool, tool  # noqa: E402
from training import shardsmith  # noqa: E402

BATCH, LENGTH = 2, 12

LLAMA = {
    "model_type": "llama",
    "hidden_size": 24,
    "intermediate_size": 40,
    "num_hidden_layers": 2,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "vocab_size": 53,
    "rms_norm_eps": 1e-5,
    "rope_theta": 5000.0,
}
ENCODER = {
    "hidden_size": 24,
    "intermediate_size": 40,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
}
T5 = {
    "model_type": "t5",
    "d_model": 24,
    "d_kv": 6,
    "d_ff": 40,
    "num_heads": 3,
    "num_layers": 2,
    "vocab_size": 53,
    "relative_attention_num_buckets": 8,
    "relative_attention_max_distance": 10,
}
LLAMA3_SCALING = {
    "rope_type": "llama3",
    "factor": 4.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}

YARN_SCALING = {
    "rope_type": "yarn",
    "factor": 4.0,
    "original_max_position_embeddings": 64,
    "beta_fast": 4,
    "beta_slow": 1,
}

# name: reference, configuration
DENSE = {
    "llama": ("llama", LLAMA),
    "llama-stretched": ("llama", LLAMA | {"rope_scaling": LLAMA3_SCALING}),
    "llama-linear": ("llama", LLAMA | {"rope_scaling": {"rope_type": "linear", "factor": 3.0}}),
    "llama-yarn": ("llama", LLAMA | {"head_dim": 16, "rope_scaling": YARN_SCALING}),
    "llama-yarn-given": (
        "llama",
        LLAMA | {"head_dim": 16, "rope_scaling": YARN_SCALING | {"attention_factor": 0.7, "truncate": False}},
    ),
    "llama-biases": ("llama", LLAMA | {"attention_bias": True, "mlp_bias": True}),
    "mistral": ("llama", LLAMA | {"model_type": "mistral", "sliding_window": 64}),
    "qwen2": ("llama", LLAMA | {"model_type": "qwen2", "tie_word_embeddings": True}),
    "qwen3": ("llama", LLAMA | {"model_type": "qwen3", "head_dim": 10}),
    "gpt2": (
        "gpt2",
        {"model_type": "gpt2", "n_embd": 24, "n_head": 3, "n_layer": 2, "n_positions": 20, "vocab_size": 53},
    ),
    "gpt_neox": ("gpt_neox", ENCODER | {"model_type": "gpt_neox", "vocab_size": 53, "rotary_pct": 0.5}),
    "gpt_neox-newer": (
        "gpt_neox",
        ENCODER | {"model_type": "gpt_neox", "vocab_size": 53, "rope_parameters": {"partial_rotary_factor": 0.5}},
    ),
    "bert": ("bert", ENCODER | {"model_type": "bert", "vocab_size": 53, "max_position_embeddings": 20}),
    "vit": ("vit", ENCODER | {"model_type": "vit", "image_size": 12, "patch_size": 4, "num_labels": 11}),
    "t5": ("t5", T5),
    "t5-gated": ("t5", T5 | {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}),
    "t5-unscaled": ("t5", T5 | {"scale_decoder_outputs": False}),
}
EXPERTS = {
    "mixtral": ("llama", LLAMA | {"model_type": "mixtral", "num_local_experts": 5, "num_experts_per_tok": 2}),
    "qwen3_moe": (
        "llama",
        LLAMA
        | {
            "model_type": "qwen3_moe",
            "num_experts": 6,
            "num_experts_per_tok": 3,
            "moe_intermediate_size": 16,
            "norm_topk_prob": False,
            "mlp_only_layers": [1],
        },
    ),
    "qwen3_moe-newer": (
        "llama",
        LLAMA
        | {
            "model_type": "qwen3_moe",
            "num_local_experts": 4,
            "num_experts_per_tok": 2,
            "moe_intermediate_size": 16,
            "norm_topk_prob": True,
        },
    ),
    "deepseek_v3": (
        "llama",
        LLAMA
        | {
            "model_type": "deepseek_v3",
            "num_hidden_layers": 3,
            "first_k_dense_replace": 1,
            "q_lora_rank": 14,
            "kv_lora_rank": 10,
            "qk_nope_head_dim": 8,
            "qk_rope_head_dim": 4,
            "v_head_dim": 6,
            "n_routed_experts": 8,
            "num_experts_per_tok": 3,
            "moe_intermediate_size": 16,
            "n_shared_experts": 2,
            "n_group": 4,
            "topk_group": 2,
            "routed_scaling_factor": 1.7,
            "rope_scaling": YARN_SCALING | {"mscale": 1.0, "mscale_all_dim": 1.0},
        },
    ),
}

NUMPY_TYPES = {"f32": np.float32, "i32": np.int32}


def build(config, tmp_path, *options):
    """The graph's text, folded unless options say otherwise."""
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config))
    sizes = ["--global-batch", BATCH]
    if "--dtype" not in options:
        sizes += ["--dtype", "f32"]
    if config["model_type"] != "vit":
        sizes += ["--seq", LENGTH]
    return shardsmith("import", path, *sizes, *options)[0]


def arguments_of(text):
    """(name, shape, type, attributes) of the arguments of @main."""
    header = re.search(r"func\.func public @main\((.*?)\) -> ", text).group(1)
    for shape, kind, attributes in re.findall(r"tensor<((?:\d+x)*)(\w+)> \{(.*?)\}", header):
        name = re.search(r'smith\.name = "(.*?)"', attributes).group(1)
        yield name, tuple(map(int, shape.split("x")[:-1])), kind, attributes


def draw(text, random):
    """Weights large enough that every part of the model matters."""
    values = {}
    for name, shape, kind, attributes in arguments_of(text):
        if kind == "i32":
            limit = int(re.search(r"smith\.limit = (\d+)", attributes).group(1))
            values[name] = random.integers(0, limit, shape).astype(np.int32)
        else:
            center = 1.0 if "ones" in attributes else 0.0
            value = center + 0.3 * random.normal(size=shape)
            values[name] = value.astype(NUMPY_TYPES[kind])
    return values


def interpret(text, values, tmp_path):
    """Results by name."""
    program, inputs, outputs = (tmp_path / n for n in ("m.mlir", "in.safetensors", "out.safetensors"))
    program.write_text(text)
    save_file(values, inputs)
    run_tool("shardsmith-interpret", program, "--quiet", "--inputs", inputs, "--outputs", outputs)
    return load_file(outputs)


def reference_loss(name, config, values):
    batch = {key[6:]: value for key, value in values.items() if key.startswith("batch.")}
    weights = {key: value for key, value in values.items() if not key.startswith("batch.")}
    return getattr(reference_models, name), weights, batch


@pytest.mark.parametrize("name", DENSE | EXPERTS)
def test_loss_equals_plain_jax(name, tmp_path):
    reference, config = (DENSE | EXPERTS)[name]
    text = build(config, tmp_path, "--folded")
    values = draw(text, np.random.default_rng(random_seed()))
    (actual,) = interpret(text, values, tmp_path).values()
    function, weights, batch = reference_loss(reference, config, values)
    np.testing.assert_allclose(actual, function(weights, batch, config), rtol=1e-4)


@pytest.mark.parametrize("name", ["llama", "gpt2", "gpt_neox", "bert", "vit", "t5"])
def test_gradients_equal_plain_jax(name, tmp_path):
    """A built model goes through import and differentiation like any other."""
    reference, config = DENSE[name]
    text = run_opt(build(config, tmp_path), "--differentiate")
    values = draw(text, np.random.default_rng(random_seed()))
    names = re.findall(r'smith\.name = "(gradient\.[^"]*|loss)"', text)
    results = dict(zip(names, run_xla(text, list(values.values())), strict=True))
    function, weights, batch = reference_loss(reference, config, values)
    expected = jax.grad(function)(weights, batch, config)
    assert_gradients(results, expected)


def assert_gradients(results, expected):
    for key, value in expected.items():
        actual = results["gradient." + key]
        np.testing.assert_allclose(actual, value, rtol=2e-3, atol=2e-5, err_msg=key)


@pytest.mark.parametrize("name", ["qwen3_moe", "deepseek_v3"])
def test_gradients_of_experts_equal_plain_jax(name, tmp_path):
    """In the interpreter: XLA on CPUs has no grouped products."""
    reference, config = EXPERTS[name]
    text = run_opt(build(config, tmp_path), "--differentiate")
    values = draw(text, np.random.default_rng(random_seed()))
    function, weights, batch = reference_loss(reference, config, values)
    assert_gradients(
        interpret(text, values, tmp_path), jax.grad(function)(weights, batch, config)
    )


WIDTHS = {"f32": 4, "bf16": 2, "i32": 4}


def workload_of(*model):
    return json.loads(shardsmith("inspect", *model, "--workload", "--json")[0])


def bytes_of(tensor):
    return int(np.prod(tensor["shape"], dtype=np.int64)) * WIDTHS[tensor["type"]]


def totals(workload):
    """Parameters with their bytes, operations of products and of all ops, and
    bytes that the backward pass reads, of all blocks in all repetitions."""
    parameters, products, operations, saved = {}, 0, 0, 0
    for segment in workload["segments"]:
        block, count = workload["blocks"][segment["block"]], segment["count"]
        tensors = block["tensors"]
        for names in segment["parameter_names"]:
            for name, number in zip(names, block["parameters"], strict=True):
                parameters[name] = bytes_of(tensors[number])
        operations += count * sum(op["flops"] for op in block["ops"])
        products += count * sum(op["flops"] for op in block["ops"] if op["kind"] != "fused")
        # What a block hands over is kept by those who read it.
        own = [t for i, t in enumerate(tensors) if i not in block["outputs"]]
        kept = [t for t in own if t.get("saved") and t["role"] == "activation"]
        saved += count * sum(map(bytes_of, kept))
    return parameters, products, operations, saved


@pytest.mark.parametrize("dtype", ["f32", "bf16"])
@pytest.mark.parametrize("name", DENSE)
def test_programs_and_plans_see_one_workload(name, dtype, tmp_path):
    """Planning reads a model with a function per layer, programs are made of
    the ops of all layers. Where blocks begin may differ, and with it what is
    computed or kept on both sides of a border."""
    _, config = DENSE[name]
    graph = tmp_path / "graph.mlir"
    graph.write_text(build(config, tmp_path, "--dtype", dtype))
    sizes = ["--global-batch", BATCH, "--dtype", dtype]
    if config["model_type"] != "vit":
        sizes += ["--seq", LENGTH]
    planned = totals(workload_of(tmp_path / "config.json", *sizes))
    built = totals(workload_of(graph))
    assert built[:2] == planned[:2]
    assert built[2] == pytest.approx(planned[2], rel=0.02)
    assert built[3] == pytest.approx(planned[3], rel=0.05)
    if not name.startswith(("gpt_neox", "t5")):
        assert built == planned


# Published sizes, of the model cards and papers that docs/models.md names.
PUBLISHED = {
    "gpt2-124m": 124_439_808,
    "gpt2-1.5b": 1_557_611_200,
    "llama2-7b": 6_738_415_616,
    "llama2-70b": 68_976_648_192,
    "llama3-8b": 8_030_261_248,
    "llama3-70b": 70_553_706_496,
    "llama3-405b": 405_853_388_800,
    "mistral-7b": 7_248_023_552,
    "mixtral-8x7b": 46_702_792_704,
    "mixtral-8x22b": 140_620_634_112,
    "qwen2.5-7b": 7_615_616_512,
    "qwen2.5-72b": 72_706_203_648,
    "qwen3-8b": 8_190_735_360,
    "qwen3-30b-a3b": 30_532_122_624,
    "qwen3-235b-a22b": 235_093_634_560,
    "gpt-neox-20b": 20_554_567_680,
    "vit-large": 304_326_632,
    "vit-huge": 632_045_800,
    "t5-3b": 2_851_598_336,
    "t5-11b": 11_307_321_344,
}
ROUNDED = {
    "gpt3-175b": 174.6e9,
    "megatron-22b": 22e9,
    "megatron-175b": 175e9,
    "megatron-530b": 530e9,
    "megatron-1t": 1008e9,
    "deepseek-v3": 671e9,
    "bert-large": 335e6,
}


def parameter_count(name):
    text = shardsmith("import", "--folded", name)[0]
    return sum(
        int(np.prod(shape, dtype=np.int64))
        for _, shape, _, attributes in arguments_of(text)
        if '"param"' in attributes
    )


@pytest.mark.parametrize("name", PUBLISHED | ROUNDED)
def test_parameter_counts(name):
    if name in PUBLISHED:
        assert parameter_count(name) == PUBLISHED[name]
    else:
        assert parameter_count(name) == pytest.approx(ROUNDED[name], rel=5e-3)


# What the message must say: (exit code, words, changed keys; None removes one).
REFUSED = {
    "unknown architecture": (3, ["/model_type", "'lama'", "nearest is 'llama'"], {"model_type": "lama"}),
    "no architecture": (3, ["/model_type: is missing"], {"model_type": None}),
    "missing size": (3, ["/hidden_size: is missing"], {"hidden_size": None}),
    "negative size": (3, ["/num_hidden_layers", "got -3"], {"num_hidden_layers": -3}),
    "zero heads": (3, ["/num_attention_heads", "got 0"], {"num_attention_heads": 0}),
    "fraction": (3, ["/vocab_size", "got 53.5"], {"vocab_size": 53.5}),
    "text for a number": (3, ["/hidden_size", 'got "24"'], {"hidden_size": "24"}),
    "absurd size": (3, ["/vocab_size", "from 1 to"], {"vocab_size": 2**70}),
    "overflow": (3, ["the embedding", "more than"], {"vocab_size": 2**31, "hidden_size": 2**31, "head_dim": 8}),
    "layers": (3, ["/num_hidden_layers"], {"num_hidden_layers": 10**6}),
    "heads do not divide": (3, ["/num_attention_heads", "10 does not divide 24"], {"num_attention_heads": 10}),
    "groups do not divide": (3, ["/num_key_value_heads", "4 does not divide 6"], {"num_key_value_heads": 4}),
    "odd head": (3, ["even head size"], {"head_dim": 7}),
    "epsilon": (3, ["/rms_norm_eps"], {"rms_norm_eps": 0}),
    "activation": (5, ["/hidden_act", "'xielu'"], {"hidden_act": "xielu"}),
    "quantised": (5, ["/quantization_config"], {"quantization_config": {"bits": 4}}),
    "stretch": (5, ["/rope_scaling/rope_type", "longrope"], {"rope_scaling": {"rope_type": "longrope", "factor": 2}}),
    "stretch by nothing": (3, ["/rope_scaling/factor"], {"rope_scaling": {"rope_type": "linear"}}),
    "stretch by text": (
        3,
        ["/rope_scaling/attention_factor", 'got "x"'],
        {"head_dim": 16, "rope_scaling": YARN_SCALING | {"attention_factor": "x"}},
    ),
    "truncated by a number": (
        3,
        ["/rope_scaling/truncate", "expected true or false"],
        {"head_dim": 16, "rope_scaling": YARN_SCALING | {"truncate": 1}},
    ),
    "rotated share": (
        3,
        ["/rope_parameters/partial_rotary_factor", "at most 1, got 1.5"],
        {"model_type": "gpt_neox", "rope_parameters": {"partial_rotary_factor": 1.5}},
    ),
    "decoder of BERT": (
        5,
        ["/is_decoder", "true is not supported"],
        {"model_type": "bert", "is_decoder": True},
    ),
    "window": (5, ["/sliding_window", "8"], {"model_type": "mistral", "sliding_window": 8}),
    "experts of a token": (
        3,
        ["/num_experts_per_tok", "from 1 to 2"],
        {"model_type": "mixtral", "num_local_experts": 2, "num_experts_per_tok": 3},
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name, tmp_path):
    code, words, changes = REFUSED[name]
    config = {key: value for key, value in (LLAMA | changes).items() if value is not None}
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config))
    out, err = shardsmith("import", path, "--seq", 16, code=code)
    assert out == "" and err.count("error:") == 1 and str(path) in err, err
    assert all(word in err for word in words), err


@pytest.mark.parametrize("text", ["", "{", "[]", "7", '{"model_type": 3}', '{"model_type": "gpt2"}', "[" * 10**5])
def test_malformed_files(text, tmp_path):
    path = tmp_path / "config.json"
    path.write_text(text)
    out, err = shardsmith("import", path, code=3)
    assert out == "" and err.count("error:") == 1 and str(path) in err, err


def test_damaged_files_never_crash(tmp_path):
    """Random edits of correct files end in a graph or a message."""
    random = np.random.default_rng(random_seed())
    path = tmp_path / "config.json"
    for _ in range(60):
        configs = [config for _, config in (DENSE | EXPERTS).values()]
        config = dict(configs[random.integers(len(configs))])
        for key in random.choice(list(config), 2):
            values = [0, -1, 1, 3, 2**31, 2**62, 2**64, 1e300, 0.1, "", "x", None, [], {}, True]
            config[str(key)] = values[random.integers(len(values))]
        path.write_text(json.dumps(config))
        done = run_any("import", path, "--folded", "--global-batch", BATCH)
        assert done.returncode in (0, 3, 5), (config, done.stderr)
        assert (done.returncode == 0) == ("error:" not in done.stderr), config


def run_any(*arguments):
    return subprocess.run([tool("shardsmith"), *map(str, arguments)], capture_output=True, text=True)


def test_names_and_sizes_on_the_command_line(tmp_path):
    err = shardsmith("import", "llama3-8", code=3)[1]
    assert "did you mean 'llama3-8b'?" in err
    assert "1024 positions" in shardsmith("import", "gpt2-124m", "--seq", "1025", code=3)[1]
    assert "no sequence length" in shardsmith("import", "vit-large", "--seq", "8", code=3)[1]
    assert "global batch" in shardsmith("import", "gpt2-124m", "--global-batch", "0", code=3)[1]
    shardsmith("import", "gpt2-124m", "--dtype", "f8", code=2)
    assert "no config.json" in shardsmith("import", tmp_path, code=3)[1]
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    assert "model.layers.1" in shardsmith("import", tmp_path, "--global-batch", "2")[0]
    model = tmp_path / "m.mlir"
    model.write_text("module {}")
    assert "file of ops" in shardsmith("import", model, "--seq", "8", code=2)[1]
