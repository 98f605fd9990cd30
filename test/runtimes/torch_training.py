# SPDX-License-Identifier: Apache-2.0
"""Trains a model on the processes of torchrun under a plan that is in a file,
and prints the losses and what each process holds:

    torchrun --nproc-per-node 4 torch_training.py PLAN MODEL SEED STEPS
"""

import json
import os
import sys

import torch
from planned_models import MODELS
from torch import distributed

from shardsmith.torch import Plan, apply


def main():
    path, name, seed, steps = sys.argv[1:]
    distributed.init_process_group("gloo")
    torch.set_num_threads(1)
    plan = Plan("", json.load(open(path)))
    module, batch, loss_of = MODELS[name](int(seed))
    apply(module, plan)
    rule = torch.optim.AdamW(module.parameters(), 1e-3, eps=1e-3)
    local, losses = plan.local_batch(batch), []
    for _ in range(int(steps)):
        loss = loss_of(module, local)
        loss.backward()
        rule.step()
        rule.zero_grad()
        losses.append(plan.mean(loss).item())
    held = {
        name: list(p.to_local().shape if hasattr(p, "to_local") else p.shape)
        for name, p in module.named_parameters()
    }
    if distributed.get_rank() == 0:
        print(json.dumps({"losses": losses, "held": held}), flush=True)
    distributed.barrier()
    # Without destructors: gloo's threads may still run, which ends the program
    # by a signal.
    os._exit(0)


main()
