# SPDX-License-Identifier: Apache-2.0
"""Trains a model on the processes of torchrun under a plan that is in a folder.
Prints the losses and what each process holds, and writes the gradients of the
first step, whole, from each process:

    torchrun --nproc-per-node N torch_training.py FOLDER MODEL SEED STEPS
"""

import sys
from pathlib import Path

import torch
from leaving import held, report_and_leave
from planned_models import MODELS
from safetensors.torch import save_file
from torch import distributed

from shardsmith.torch import Plan, apply


def whole(gradient):
    whole = gradient.full_tensor() if hasattr(gradient, "full_tensor") else gradient
    return whole.detach().clone().contiguous()


def main():
    folder, name, seed, steps = sys.argv[1:]
    distributed.init_process_group("gloo")
    torch.set_num_threads(1)
    plan = Plan.read(folder)
    module, batch, loss_of = MODELS[name](int(seed))
    model = apply(module, plan, batch=batch, loss=loss_of)
    rule = torch.optim.AdamW(model.parameters(), 1e-3, eps=1e-3)
    local, losses = plan.local_batch(batch), []
    for step in range(int(steps)):
        if plan.layouts["pipeline"]:
            losses.append(model.step(batch).item())
        else:
            loss = loss_of(model, local)
            loss.backward()
            losses.append(plan.mean(loss).item())
        if step == 0:
            gradients = {name: whole(p.grad) for name, p in model.named_parameters()}
            rank = distributed.get_rank()
            save_file(gradients, Path(folder) / f"gradients{rank}.safetensors")
        rule.step()
        rule.zero_grad()
    report_and_leave({"losses": losses, "held": held(model)})


main()
