# SPDX-License-Identifier: Apache-2.0
"""Models that are trained under plans: (module, batch, loss) from a seed."""

import torch
from torch_zoo import Gpt, Llama, cross_entropy


def loss_of(module, batch):
    return cross_entropy(module(batch["tokens"]), batch["labels"])


def _language(make, vocabulary, length):
    def build(seed):
        torch.manual_seed(seed)
        module = make()
        batch = {
            name: torch.randint(vocabulary, (8, length)) for name in ("tokens", "labels")
        }
        return module, batch, loss_of

    return build


MODELS = {
    "llama": _language(lambda: Llama(256, 8, 4, 2, 512), 512, 64),
    # Tied embeddings.
    "gpt": _language(lambda: Gpt(64, 4, 2, 32, 256), 256, 32),
    # Layers for the stages of pipelines.
    "deep llama": _language(lambda: Llama(256, 8, 4, 6, 512), 512, 32),
    "deep gpt": _language(lambda: Gpt(64, 4, 4, 32, 256), 256, 32),
}


def train_alone(name, seed, steps):
    """The losses of one process."""
    module, batch, loss_of = MODELS[name](seed)
    rule = torch.optim.AdamW(module.parameters(), 1e-3, eps=1e-3)
    losses = []
    for _ in range(steps):
        loss = loss_of(module, batch)
        loss.backward()
        rule.step()
        rule.zero_grad()
        losses.append(loss.item())
    return losses
