# SPDX-License-Identifier: Apache-2.0
"""Trains a model with DeepSpeed on processors, by a configuration as it was
emitted, and prints the losses and what DeepSpeed made of the configuration:

    torchrun --nproc-per-node N deepspeed_training.py CONFIGURATION MODEL SEED STEPS
"""

import os
import sys

os.environ["DS_ACCELERATOR"] = "cpu"

import deepspeed  # noqa: E402
import torch  # noqa: E402
from leaving import report_and_leave  # noqa: E402
from planned_models import MODELS  # noqa: E402
from torch import distributed  # noqa: E402


def main():
    path, name, seed, steps = sys.argv[1:]
    torch.set_num_threads(1)
    deepspeed.init_distributed("gloo")
    module, batch, loss_of = MODELS[name](int(seed))
    rule = torch.optim.AdamW(module.parameters(), 1e-3, eps=1e-3)
    engine, *_ = deepspeed.initialize(model=module, optimizer=rule, config=path)
    rank, ranks = distributed.get_rank(), distributed.get_world_size()
    passes, losses = engine.gradient_accumulation_steps(), []
    own = {key: value.chunk(ranks)[rank] for key, value in batch.items()}
    for _ in range(int(steps)):
        total = torch.zeros(())
        for at in range(passes):
            part = {key: value.chunk(passes)[at] for key, value in own.items()}
            loss = loss_of(engine, part)
            engine.backward(loss)
            engine.step()
            total += loss.detach() / passes
        distributed.all_reduce(total)
        losses.append((total / ranks).item())
    found = {
        "losses": losses,
        "zero": engine.zero_optimization_stage(),
        "batch": engine.train_batch_size(),
        "micro_batch": engine.train_micro_batch_size_per_gpu(),
        "micro_batches": passes,
        "ranks": engine.dp_world_size,
    }
    report_and_leave(found)


main()
