#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A train step of GPT-2 in PyTorch, to be set beside the programs of test/gpu:

    python bench/gpu/gpt2.py --batch 8 --sequence 1024

The same model, optimizer and precision as `gpt2-124m` of test/gpu/build.py, and
PyTorch's own choice of attention. Prints one line of JSON (torch_step.py). With
--tiny a small model, and without a GPU on the processor, to see that the script
works.
"""

from torch import nn
from torch.nn import functional
from torch_step import measure

VOCABULARY = 50257


class Block(nn.Module):
    def __init__(self, features, heads):
        super().__init__()
        self.heads = heads
        self.before_attention, self.before_mlp = nn.LayerNorm(features), nn.LayerNorm(features)
        self.qkv, self.out = nn.Linear(features, 3 * features), nn.Linear(features, features)
        self.up, self.down = nn.Linear(features, 4 * features), nn.Linear(4 * features, features)

    def forward(self, x):
        batch, positions, features = x.shape
        query, key, value = (part.view(batch, positions, self.heads, -1).transpose(1, 2)
                             for part in self.qkv(self.before_attention(x)).chunk(3, dim=2))
        mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, positions, features))
        return x + self.down(functional.gelu(self.up(self.before_mlp(x)), approximate="tanh"))


class Gpt2(nn.Module):
    def __init__(self, layers, features, heads, positions):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(VOCABULARY, features), nn.Embedding(
            positions, features)
        self.blocks = nn.ModuleList(Block(features, heads) for _ in range(layers))
        self.last = nn.LayerNorm(features)
        for table in (self.tokens, self.positions):
            nn.init.normal_(table.weight, std=0.02)

    def forward(self, tokens, targets):
        x = self.tokens(tokens) + self.positions.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        scores = functional.linear(self.last(x), self.tokens.weight)
        return functional.cross_entropy(scores.flatten(0, 1).float(), targets.flatten())


def make_model(is_tiny, sequence):
    return Gpt2(*((2, 64, 4) if is_tiny else (12, 768, 12)), sequence)


if __name__ == "__main__":
    measure("gpt2-124m", __doc__.split("\n")[0], make_model, VOCABULARY)
