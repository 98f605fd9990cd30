#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A train step of a Llama of a billion parameters in PyTorch, to be set beside
the programs of test/gpu:

    python bench/gpu/llama.py --batch 8 --sequence 1024

The model of test/gpu/llama-1b.json, with the optimizer and precision of
`llama-1b` of test/gpu/build.py, and PyTorch's own choice of attention. Prints
one line of JSON (torch_step.py). With --tiny a small model, and without a GPU
on the processor, to see that the script works.
"""

import json
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional
from torch_step import measure

CONFIGURATION = json.loads(
    (Path(__file__).resolve().parents[2] / "test/gpu/llama-1b.json").read_text())
SMALL = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2,
         "num_attention_heads": 4, "num_key_value_heads": 2}


class Attention(nn.Module):
    def __init__(self, hidden_size, num_attention_heads, num_key_value_heads, rope_theta, **_):
        super().__init__()
        self.heads, self.groups, self.theta = num_attention_heads, num_key_value_heads, rope_theta
        self.size = hidden_size // num_attention_heads
        shared = num_key_value_heads * self.size
        self.query, self.out = (nn.Linear(hidden_size, hidden_size, bias=False) for _ in range(2))
        self.key, self.value = (nn.Linear(hidden_size, shared, bias=False) for _ in range(2))

    def rotated(self, x):
        positions = torch.arange(x.shape[2], device=x.device, dtype=torch.float32)
        rates = self.theta ** (-torch.arange(0, self.size, 2, device=x.device) / self.size)
        angles = torch.outer(positions, rates)
        cosine, sine = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        first, second = x.chunk(2, dim=-1)
        return torch.cat([first * cosine - second * sine, second * cosine + first * sine], dim=-1)

    def forward(self, x):
        batch, positions, features = x.shape

        def heads(made, count):
            return made.view(batch, positions, count, self.size).transpose(1, 2)

        mixed = functional.scaled_dot_product_attention(
            self.rotated(heads(self.query(x), self.heads)),
            self.rotated(heads(self.key(x), self.groups)),
            heads(self.value(x), self.groups), is_causal=True, enable_gqa=True)
        return self.out(mixed.transpose(1, 2).reshape(batch, positions, features))


class Block(nn.Module):
    def __init__(self, hidden_size, intermediate_size, rms_norm_eps, **others):
        super().__init__()
        self.before_attention, self.before_mlp = (
            nn.RMSNorm(hidden_size, eps=rms_norm_eps) for _ in range(2))
        self.attention = Attention(hidden_size, **others)
        self.gate, self.up = (nn.Linear(hidden_size, intermediate_size, bias=False)
                              for _ in range(2))
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)

    def forward(self, x):
        x = x + self.attention(self.before_attention(x))
        y = self.before_mlp(x)
        return x + self.down(functional.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    def __init__(self, configuration):
        super().__init__()
        size = configuration["hidden_size"]
        self.tokens = nn.Embedding(configuration["vocab_size"], size)
        self.blocks = nn.ModuleList(Block(**configuration)
                                    for _ in range(configuration["num_hidden_layers"]))
        self.last = nn.RMSNorm(size, eps=configuration["rms_norm_eps"])
        nn.init.normal_(self.tokens.weight, std=0.02)

    def forward(self, tokens, targets):
        x = self.tokens(tokens)
        for block in self.blocks:
            x = block(x)
        scores = functional.linear(self.last(x), self.tokens.weight)
        return functional.cross_entropy(scores.flatten(0, 1).float(), targets.flatten())


def make_model(is_tiny, _):
    return Llama({**CONFIGURATION, **(SMALL if is_tiny else {})})


if __name__ == "__main__":
    measure("llama-1b", __doc__.split("\n")[0], make_model, CONFIGURATION["vocab_size"])
