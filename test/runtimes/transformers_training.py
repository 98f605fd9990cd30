# SPDX-License-Identifier: Apache-2.0
"""Trains a model of `transformers` on gloo processes under an emitted
`tp_plan`, and prints the losses and what each process holds:

    torchrun --nproc-per-node N transformers_training.py PLAN MODEL-FOLDER BATCH STEPS
"""

import json
import sys

import torch
import transformers
from leaving import held, report_and_leave
from safetensors.torch import load_file
from torch import distributed
from transformers.distributed.configuration_utils import DistributedConfig


def main():
    path, folder, batch, steps = sys.argv[1:]
    torch.set_num_threads(1)
    distributed.init_process_group("gloo")
    plan = json.load(open(path))
    model = transformers.AutoModelForCausalLM.from_pretrained(
        folder,
        distributed_config=DistributedConfig(tp_size=plan["tp_size"], tp_plan=plan["tp_plan"]),
    )
    passes = plan["training_arguments"]["gradient_accumulation_steps"]
    assert len(load_file(batch)["labels"]) == passes * (
        plan["training_arguments"]["per_device_train_batch_size"]
    )
    model.train()
    rule = torch.optim.AdamW(model.parameters(), 1e-3, eps=1e-3)
    losses = []
    for _ in range(int(steps)):
        total = 0.0
        for at in range(passes):
            part = {key: value.chunk(passes)[at] for key, value in load_file(batch).items()}
            loss = model(**part).loss / passes
            loss.backward()
            total += loss.item()
        losses.append(total)
        rule.step()
        rule.zero_grad()
    report_and_leave({"losses": losses, "held": held(model)})


main()
