# SPDX-License-Identifier: Apache-2.0
"""`transformers` splits a model's matrices over processes as an emitted
`tp_plan` says, and trains with the losses of one process."""

import json

import numpy as np
import pytest
import torch
import transformers
from seeds import random_seed
from processes import start
from safetensors.torch import save_file
from training import shardsmith

STEPS = 3
LENGTH, VOCABULARY = 16, 128

CONFIGURATIONS = {
    "llama": transformers.LlamaConfig(
        vocab_size=VOCABULARY, hidden_size=64, intermediate_size=128, num_hidden_layers=2,
        num_attention_heads=8, num_key_value_heads=4, max_position_embeddings=LENGTH,
    ),
    # The head is the token table.
    "tied": transformers.LlamaConfig(
        vocab_size=VOCABULARY, hidden_size=64, intermediate_size=128, num_hidden_layers=2,
        num_attention_heads=8, num_key_value_heads=4, max_position_embeddings=LENGTH,
        tie_word_embeddings=True,
    ),
    "qwen3": transformers.Qwen3Config(
        vocab_size=VOCABULARY, hidden_size=64, intermediate_size=128, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=4, head_dim=16,
        max_position_embeddings=LENGTH, tie_word_embeddings=False,
    ),
}  # fmt: skip


def train_alone(model, batch):
    model.train()
    rule = torch.optim.AdamW(model.parameters(), 1e-3, eps=1e-3)
    losses = []
    for _ in range(STEPS):
        loss = model(**batch).loss
        loss.backward()
        rule.step()
        rule.zero_grad()
        losses.append(loss.item())
    return losses


@pytest.mark.parametrize("name, ranks", [("llama", 2), ("llama", 4), ("tied", 2), ("qwen3", 2)])
def test_tensor_ranks_train_as_one_process(name, ranks, tmp_path):
    torch.manual_seed(random_seed() % 2**31)
    config = CONFIGURATIONS[name]
    model = transformers.AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    model.save_pretrained(tmp_path / "model")
    batch = {
        key: torch.randint(VOCABULARY, (4, LENGTH)) for key in ("input_ids", "labels")
    }
    save_file(batch, tmp_path / "batch.safetensors")
    shardsmith(
        "plan", tmp_path / "model/config.json", "--cluster", f"cpu:{ranks}", "--seq", LENGTH,
        "--global-batch", 4, "--dtype", "f32", "--for", "transformers", "--fix",
        f"tp={ranks},mbs=2", "-o", tmp_path / "plan",
    )  # fmt: skip
    shardsmith("emit", tmp_path / "plan", "--to", "transformers", "-o", tmp_path / "out")
    emitted = tmp_path / "out/transformers-plan.json"
    got = start(
        ranks, "transformers_training.py", emitted, tmp_path / "model",
        tmp_path / "batch.safetensors", STEPS,
    )  # fmt: skip
    # Parts of a batch have labels of their own; the mean is over as many.
    np.testing.assert_allclose(got["losses"], train_alone(model, batch), rtol=1e-5)
    plan = json.loads(emitted.read_text())
    assert plan["tp_size"] == ranks and plan["tp_plan"]
    for key, parameter in model.named_parameters():
        module = transformers_pattern(key).removesuffix(".weight")
        style, shape = plan["tp_plan"].get(module, "replicate"), list(parameter.shape)
        if style in ("colwise", "colwise_gather_output", "embedding_rowwise"):
            shape[0] //= ranks
        elif style == "rowwise":
            shape[1] //= ranks
        else:
            assert style == "replicate"
        assert got["held"][key] == shape, (key, style)


def transformers_pattern(name):
    return ".".join("*" if part.isdigit() else part for part in name.split("."))
