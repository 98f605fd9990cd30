#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A train step of GPT-2 in PyTorch, to be set beside the programs of test/gpu:

    python bench/gpu/gpt2.py --batch 8 --sequence 1024

The same model, optimizer and precision as `gpt2-124m` of test/gpu/build.py:
AdamW on f32 weights, bf16 inside, torch.compile, and PyTorch's own choice of
attention. Prints one line of JSON. Measures also the largest rate of one
product and of a copy, as ceilings of the same run. With --tiny a small model,
and without a GPU on the processor, to see that the script works.
"""

import argparse
import json
import statistics
import time

import torch
from torch import nn
from torch.nn import functional

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


def seconds_of(work, device, repetitions):
    """Of each repetition, in order."""
    took = []
    for _ in range(repetitions):
        if device == "cuda":
            torch.cuda.synchronize()
        begin = time.perf_counter()
        work()
        if device == "cuda":
            torch.cuda.synchronize()
        took.append(time.perf_counter() - begin)
    return took


def ceilings(device, size, megabytes):
    a, b = (torch.randn(size, size, device=device, dtype=torch.bfloat16) for _ in range(2))
    block = torch.empty(megabytes << 18, device=device)
    other = torch.empty_like(block)
    product = min(seconds_of(lambda: a @ b, device, 20)[5:])
    copy = min(seconds_of(lambda: other.copy_(block), device, 20)[5:])
    return {"matmul_tflops": 2 * size**3 / product / 1e12,
            "copy_gb_per_s": 2 * block.nbytes / copy / 1e9}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--sequence", type=int, default=1024)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--no-compile", action="store_true")
    parser.add_argument("--tiny", action="store_true")
    arguments = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(7)
    shape = (2, 64, 4) if arguments.tiny else (12, 768, 12)
    model = Gpt2(*shape, arguments.sequence).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), fused=device == "cuda")
    loss_of = model if arguments.no_compile else torch.compile(model)
    tokens = torch.randint(VOCABULARY, (arguments.batch, arguments.sequence + 1), device=device)
    losses = []

    def step():
        with torch.autocast(device, dtype=torch.bfloat16):
            loss = loss_of(tokens[:, :-1], tokens[:, 1:])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())

    took = seconds_of(step, device, arguments.steps)
    median = statistics.median(took[min(5, len(took) // 2):])
    print(json.dumps({
        "device": torch.cuda.get_device_name() if device == "cuda" else "cpu",
        "torch": torch.__version__, "compiled": not arguments.no_compile,
        "batch": arguments.batch, "sequence": arguments.sequence,
        "parameters": sum(each.numel() for each in model.parameters()),
        "median_step_ms": median * 1e3,
        "tokens_per_second": arguments.batch * arguments.sequence / median,
        "first_loss": losses[0].item(), "last_loss": losses[-1].item(),
        **ceilings(device, *((256, 8) if arguments.tiny else (8192, 2048))),
    }))


if __name__ == "__main__":
    main()
