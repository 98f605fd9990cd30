# SPDX-License-Identifier: Apache-2.0
"""Tiny models in folders like those in which models are published, written
here tensor by tensor: what names and shapes a family's checkpoints have is said
once more, beside the importer."""

import json

import ml_dtypes
import numpy as np
from safetensors.numpy import save_file

GPT2 = {
    "model_type": "gpt2",
    "n_embd": 24,
    "n_head": 4,
    "n_layer": 2,
    "n_positions": 20,
    "vocab_size": 56,
}
LLAMA = {
    "model_type": "llama",
    "hidden_size": 24,
    "intermediate_size": 40,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 56,
    "rms_norm_eps": 1e-5,
    "rope_theta": 5000.0,
}
QWEN3 = LLAMA | {"model_type": "qwen3", "head_dim": 10, "tie_word_embeddings": True}
BERT = {
    "model_type": "bert",
    "hidden_size": 24,
    "intermediate_size": 40,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "vocab_size": 56,
    "max_position_embeddings": 20,
}


def with_bias(name, shape, outputs):
    return {f"{name}.weight": shape, f"{name}.bias": (outputs,)}


def gpt2_shapes(c):
    n = c["n_embd"]
    shapes = {
        "transformer.wte.weight": (c["vocab_size"], n),
        "transformer.wpe.weight": (c["n_positions"], n),
    }
    for i in range(c["n_layer"]):
        name = f"transformer.h.{i}."
        # Inputs come first in the weights of GPT-2.
        for part, inputs, outputs in (
            ("attn.c_attn", n, 3 * n),
            ("attn.c_proj", n, n),
            ("mlp.c_fc", n, 4 * n),
            ("mlp.c_proj", 4 * n, n),
        ):
            shapes |= with_bias(name + part, (inputs, outputs), outputs)
        for part in ("ln_1", "ln_2"):
            shapes |= with_bias(name + part, (n,), n)
    return shapes | with_bias("transformer.ln_f", (n,), n)


def llama_shapes(c):
    n, inner = c["hidden_size"], c["intermediate_size"]
    size = c.get("head_dim", n // c["num_attention_heads"])
    queries, keys = size * c["num_attention_heads"], size * c["num_key_value_heads"]
    shapes = {"model.embed_tokens.weight": (c["vocab_size"], n), "model.norm.weight": (n,)}
    for i in range(c["num_hidden_layers"]):
        name = f"model.layers.{i}."
        for part, outputs, inputs in (
            ("self_attn.q_proj", queries, n),
            ("self_attn.k_proj", keys, n),
            ("self_attn.v_proj", keys, n),
            ("self_attn.o_proj", n, queries),
            ("mlp.gate_proj", inner, n),
            ("mlp.up_proj", inner, n),
            ("mlp.down_proj", n, inner),
        ):
            shapes[f"{name}{part}.weight"] = (outputs, inputs)
        for part in ("input_layernorm", "post_attention_layernorm"):
            shapes[f"{name}{part}.weight"] = (n,)
        if c["model_type"] == "qwen3":
            for part in ("q_norm", "k_norm"):
                shapes[f"{name}self_attn.{part}.weight"] = (size,)
    if not c.get("tie_word_embeddings"):
        shapes["lm_head.weight"] = (c["vocab_size"], n)
    return shapes


def bert_shapes(c):
    n, inner = c["hidden_size"], c["intermediate_size"]
    embeddings = "bert.embeddings."
    shapes = {
        embeddings + "word_embeddings.weight": (c["vocab_size"], n),
        embeddings + "position_embeddings.weight": (c["max_position_embeddings"], n),
        embeddings + "token_type_embeddings.weight": (2, n),
        "cls.predictions.bias": (c["vocab_size"],),
    }
    shapes |= with_bias(embeddings + "LayerNorm", (n,), n)
    shapes |= with_bias("cls.predictions.transform.dense", (n, n), n)
    shapes |= with_bias("cls.predictions.transform.LayerNorm", (n,), n)
    for i in range(c["num_hidden_layers"]):
        name = f"bert.encoder.layer.{i}."
        for part, outputs, inputs in (
            ("attention.self.query", n, n),
            ("attention.self.key", n, n),
            ("attention.self.value", n, n),
            ("attention.output.dense", n, n),
            ("intermediate.dense", inner, n),
            ("output.dense", n, inner),
        ):
            shapes |= with_bias(name + part, (outputs, inputs), outputs)
        for part in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes |= with_bias(name + part, (n,), n)
    return shapes


SHAPES = {"gpt2": gpt2_shapes, "llama": llama_shapes, "qwen3": llama_shapes, "bert": bert_shapes}
TYPES = {"F32": np.float32, "F16": np.float16, "BF16": ml_dtypes.bfloat16}


def draw_weights(config, random, dtype="F32"):
    """Weights large enough that every part of the model matters."""
    weights = {}
    for name, shape in SHAPES[config["model_type"]](config).items():
        center = 1.0 if len(shape) == 1 and name.endswith("weight") else 0.0
        weights[name] = (center + 0.2 * random.normal(size=shape)).astype(TYPES[dtype])
    return weights


def write_checkpoint(folder, config, weights, files=1):
    """config.json and model.safetensors, or that many files with an index."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config, indent=2))
    if files == 1:
        save_file(weights, folder / "model.safetensors", {"format": "pt"})
        return folder
    names = list(weights)
    place = {}
    for number in range(files):
        file = f"model-{number + 1:05}-of-{files:05}.safetensors"
        part = {name: weights[name] for name in names[number::files]}
        save_file(part, folder / file, {"format": "pt"})
        place |= {name: file for name in part}
    total = sum(value.nbytes for value in weights.values())
    index = {"metadata": {"total_size": total}, "weight_map": dict(sorted(place.items()))}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index, indent=2))
    return folder


def as_f32(weights):
    return {name: value.astype(np.float32) for name, value in weights.items()}
