# SPDX-License-Identifier: Apache-2.0
"""What the train steps in PyTorch beside this file have in common: AdamW on f32
weights, bf16 inside, torch.compile; one line of JSON, with the largest rate of
one product and of a copy as ceilings of the same run."""

import argparse
import json
import statistics
import time

import torch


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


def measure(name, description, make_model, vocabulary):
    """`make_model(is_tiny, sequence)` is called with tokens and targets, and
    returns the loss. `name` is that of test/gpu/build.py."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--sequence", type=int, default=1024)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--no-compile", action="store_true")
    parser.add_argument("--tiny", action="store_true")
    arguments = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(7)
    model = make_model(arguments.tiny, arguments.sequence).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), fused=device == "cuda")
    loss_of = model if arguments.no_compile else torch.compile(model)
    tokens = torch.randint(vocabulary, (arguments.batch, arguments.sequence + 1), device=device)
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
        "name": name,
        "device": torch.cuda.get_device_name() if device == "cuda" else "cpu",
        "torch": torch.__version__, "compiled": not arguments.no_compile,
        "batch": arguments.batch, "sequence": arguments.sequence,
        "parameters": sum(each.numel() for each in model.parameters()),
        "median_step_ms": median * 1e3,
        "tokens_per_second": arguments.batch * arguments.sequence / median,
        "first_loss": losses[0].item(), "last_loss": losses[-1].item(),
        **ceilings(device, *((256, 8) if arguments.tiny else (8192, 2048))),
    }))
