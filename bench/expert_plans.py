# SPDX-License-Identifier: Apache-2.0
"""Plans that experts published, priced by the tool, beside the tool's own.

    python bench/expert_plans.py [--update] [CASE …]

Prints a Markdown table; with --update it replaces that of docs/expert-plans.md.
The expert's plan is what the search finds when all that the source states is
given with --fix; ours is what it finds with nothing given, for the same model,
cluster, batch and software. The exit code is 1 if ours is worse in any case.
"""

import argparse
import dataclasses
import json
import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from built_tool import add_tool_option, newest_tool

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "expert-plans.md"
# Exit code of a search that ended with the best plan so far.
STOPPED = 124
BEGIN, END = "<!-- table: begin -->", "<!-- table: end -->"


@dataclasses.dataclass
class Case:
    name: str
    model: object  # a built-in name or a configuration
    cluster: object  # a built-in name or a description
    batch: int
    profile: str
    # None: the source tells no plan that a regular mesh could have.
    expert: str | None
    # Seconds per step, as published; None if there are none to compare with.
    published: float | None
    source: str
    sequence: int | None = None
    dtype: str = "bf16"


def gpt(layers, hidden, heads, length=1024):
    return {
        "model_type": "shardsmith-transformer",
        "layers": layers,
        "hidden": hidden,
        "heads": heads,
        "vocab": 51200,
        "max_positions": length,
    }


def gshard(layers, hidden, experts):
    """Every second layer a mixture of experts with inner sizes of 8 · hidden."""
    return gpt(layers, hidden, 16) | {
        "ffn": 8 * hidden,
        "experts": experts,
        "experts_per_token": 2,
        "moe_every": 2,
    }


def p3(nodes):
    """AWS p3.16xlarge: eight V100 of 16 GB, 25 Gbit/s between nodes."""
    return {
        "version": 1,
        "name": f"{nodes} p3.16xlarge",
        "device_types": {
            "v100-16": {
                "kind": "gpu",
                "arch": "sm_70",
                "memory_gib": 16,
                "memory_bandwidth_gb_per_s": 900,
                "peak_tflops": {"f16": 125, "bf16": 125, "f32": 15.7},
                "efficiency": {"matmul": 0.68},
            }
        },
        "link_types": {
            "nvlink2": {"kind": "nvlink", "bandwidth_gb_per_s": 150, "latency_us": 5.4},
            "ethernet": {"kind": "ethernet", "bandwidth_gb_per_s": 3.125, "latency_us": 20},
        },
        "groups": [
            {
                "name": "g",
                "network": {"topology": "fat-tree", "link": "ethernet"},
                "node": {
                    "count": nodes,
                    "devices": [{"type": "v100-16", "count": 8}],
                    "fabric": {"topology": "switch", "link": "nvlink2"},
                    "nics": {"link": "ethernet", "count": 1},
                },
            }
        ],
    }


def alpa_seconds(layers, hidden, petaflops, batch=1024, length=1024, vocabulary=51200):
    """Time behind the throughput that Alpa's figure shows: its formula counts
    forward, backward and recomputation of the layers, and the head."""
    tokens = batch * length
    flops = 96 * tokens * hidden**2 * layers + 6 * tokens * hidden * vocabulary
    return flops / (petaflops * 1e15)


MEGATRON = "arXiv 2205.05198, table 5"
ALPA = "alpa-projects/alpa, GPT and MoE suites"
TITAN = "pytorch/torchtitan, benchmarks"
LLAMA = "The Llama 3 herd of models, table 4"
CORE = "NVIDIA/Megatron-LM and Megatron-Bridge, performance tables (fp8)"
FULL, SELECTIVE = "recompute=full,sp=off", "recompute=selective"

CASES = [
    Case("Megatron 22B, 8 A100, full", "megatron-22b", "8xa100-80", 4, "megatron-2021-a100",
         f"tp=8,mbs=4,zero=0,{FULL}", 1.42, MEGATRON, dtype="f16"),
    Case("Megatron 22B, 8 A100", "megatron-22b", "8xa100-80", 4, "megatron-2021-a100",
         f"tp=8,mbs=4,zero=0,{SELECTIVE}", 1.10, MEGATRON, dtype="f16"),
    Case("Megatron 175B, 64 A100, full", "megatron-175b", "64xa100-80", 64, "megatron-2021-a100",
         f"tp=8,pp=8,vpp=3,mbs=1,zero=0,{FULL}", 18.13, MEGATRON, dtype="f16"),
    Case("Megatron 175B, 64 A100", "megatron-175b", "64xa100-80", 64, "megatron-2021-a100",
         f"tp=8,pp=8,vpp=3,mbs=1,zero=0,{SELECTIVE}", 13.75, MEGATRON, dtype="f16"),
    Case("Megatron 530B, 280 A100, full", "megatron-530b", "280xa100-80", 280, "megatron-2021-a100",
         f"tp=8,pp=35,vpp=3,mbs=1,zero=0,{FULL}", 49.05, MEGATRON, dtype="f16"),
    Case("Megatron 530B, 280 A100", "megatron-530b", "280xa100-80", 280, "megatron-2021-a100",
         f"tp=8,pp=35,vpp=3,mbs=1,zero=0,{SELECTIVE}", 37.83, MEGATRON, dtype="f16"),
    Case("Megatron 1T, 512 A100, full", "megatron-1t", "512xa100-80", 512, "megatron-2021-a100",
         f"tp=8,pp=64,mbs=1,zero=0,schedule=1f1b,{FULL}", 94.42, MEGATRON, dtype="f16"),
    Case("Megatron 1T, 512 A100", "megatron-1t", "512xa100-80", 512, "megatron-2021-a100",
         f"tp=8,pp=64,mbs=1,zero=0,schedule=1f1b,{SELECTIVE}", 71.49, MEGATRON, dtype="f16"),
    Case("Llama-3 8B, 8 H100", "llama3-8b", "8xh100", 16, "torchtitan-2025-h100",
         "fsdp=8,mbs=2,recompute=selective", 2.45748, TITAN),
    Case("Llama-3 8B, 128 H100", "llama3-8b", "128xh100", 256, "torchtitan-2025-h100",
         "fsdp=128,mbs=2,recompute=selective", 2.5152, TITAN),
    Case("Llama-3 8B, 64 H100, TP 8", "llama3-8b", "64xh100", 96, "torchtitan-2025-h100",
         "tp=8,fsdp=8,mbs=12,recompute=selective", 2.80676, TITAN),
    Case("Llama-3 70B, 256 H100", "llama3-70b", "256xh100", 512, "torchtitan-2025-h100",
         "tp=8,fsdp=32,mbs=16,recompute=full", 27.4301, TITAN),
    Case("Llama-3 405B, 8,192 H100", "llama3-405b", "8192xh100", 2048, "torchtitan-2025-h100",
         "tp=8,pp=16,dp=64,mbs=1", 12.021, LLAMA),
    Case("Llama-3 405B, 16,384 H100", "llama3-405b", "16384xh100", 2048, "torchtitan-2025-h100",
         "tp=8,pp=16,dp=128,mbs=1", 6.461, LLAMA),
    Case("Llama-3 8B, 8 H100, Megatron-Core", "llama3-8b", "8xh100", 128, "generic",
         "cp=2,dp=4,mbs=1,zero=1", None, CORE),
    Case("Llama-3 70B, 64 H100, Megatron-Core", "llama3-70b", "64xh100", 128, "generic",
         "tp=4,pp=8,vpp=5,dp=2,mbs=1,zero=1", None, CORE),
    Case("Llama-3 405B, 1,024 H100, Megatron-Core", "llama3-405b", "1024xh100", 512, "generic",
         "tp=8,cp=2,pp=8,vpp=8,dp=8,mbs=1,zero=1", None, CORE),
    Case("Alpa GPT 2.6B, 8 V100", gpt(32, 2560, 32), p3(1), 32, "generic",
         "tp=2,pp=2,dp=2,mbs=4,schedule=1f1b,recompute=full", 2.464, ALPA, dtype="f16"),
    Case("Alpa GPT 6.7B, 16 V100", gpt(32, 4096, 32), p3(2), 1024, "generic",
         "tp=4,dp=2,pp=2,mbs=8,schedule=1f1b,recompute=full", alpa_seconds(32, 4096, 0.94), ALPA, dtype="f16"),
    Case("Alpa GPT 15B, 32 V100", gpt(48, 5120, 40), p3(4), 1024, "generic",
         "tp=4,dp=2,pp=4,mbs=4,schedule=1f1b,recompute=full", alpa_seconds(48, 5120, 1.89), ALPA, dtype="f16"),
    Case("Alpa GPT 39B, 64 V100", gpt(48, 8192, 64), p3(8), 1024, "generic",
         "tp=4,pp=16,mbs=1,schedule=1f1b,recompute=full", alpa_seconds(48, 8192, 3.63), ALPA, dtype="f16"),
    Case("Alpa MoE 10B, 16 V100", gshard(16, 1536, 32), p3(2), 1024, "generic", None, None, ALPA, dtype="f16"),
    Case("Alpa MoE 27B, 32 V100", gshard(16, 2048, 48), p3(4), 1024, "generic", None, None, ALPA, dtype="f16"),
    Case("Alpa MoE 70B, 64 V100", gshard(32, 2048, 64), p3(8), 1024, "generic", None, None, ALPA, dtype="f16"),
]


def given(value, folder, name):
    """The argument for a name or a JSON description."""
    if isinstance(value, str):
        return value
    path = Path(folder) / f"{name}.json"
    path.write_text(json.dumps(value))
    return path


def shortened(error):
    short = re.search(r"nothing fits .* needs (.*) per device, (.*) are usable", error)
    return "nothing fits: the nearest plan needs {} of {} per device".format(*short.groups()) if short else error


def plan(tool, case, fix, folder, time_limit):
    """The plan's document, or the error that was said instead."""
    command = [tool, "plan", given(case.model, folder, "model")]
    command += ["--cluster", given(case.cluster, folder, "cluster"), "--profile", case.profile]
    command += ["--global-batch", case.batch, "--dtype", case.dtype, "--margin", 0, "--json"]
    command += ["--time-limit", time_limit]
    if case.sequence:
        command += ["--seq", case.sequence]
    if fix:
        command += ["--fix", fix]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode not in (0, STOPPED) or not done.stdout:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        return None, shortened(next((line for line in lines if "error" in line), lines[-1]))
    return json.loads(done.stdout), None


def describe(document):
    """The choices that differ from the simplest."""
    strategy = document["strategy"]
    degrees = strategy["degrees"]
    short = {"tensor": "tp", "context": "cp", "data": "dp", "pipeline": "pp", "virtual_stages": "vpp", "expert": "ep"}
    words = [f"{short[key]} {value}" for key, value in degrees.items() if value > 1]
    words.append(f"mbs {strategy['micro_batch']}")
    if strategy["zero"]["stage"]:
        words.append(f"zero {strategy['zero']['stage']}")
    if degrees["pipeline"] > 1:
        words.append(strategy["schedule"])
    units = {}
    for stage in strategy["stages"]:
        for choice, count in stage["recompute"]:
            units[choice] = units.get(choice, 0) + count
    kept = [f"{choice} {count}" for choice, count in units.items() if choice != "none"]
    return ", ".join(words + ([f"recompute {' + '.join(kept)}"] if kept else []))


def seconds(document):
    return document["prediction"]["step_ns"] / 1e9


def row(tool, case, time_limit):
    with tempfile.TemporaryDirectory() as folder:
        ours, problem = plan(tool, case, None, folder, time_limit)
        expert, expert_problem = plan(tool, case, case.expert, folder, time_limit) if case.expert else (None, None)
    cells = [case.name, case.expert or "not published"]
    priced = ratio = None
    if expert:
        priced = seconds(expert)
        cells += [f"{priced:.2f}", f"{case.published:.2f}" if case.published else "",
                  f"{priced / case.published - 1:+.1%}" if case.published else ""]
    else:
        cells += [expert_problem or "", f"{case.published:.2f}" if case.published else "", ""]
    if ours:
        cells += [describe(ours), f"{seconds(ours):.2f}", f"{ours['search']['gap']:.1%}"]
        if priced:
            ratio = seconds(ours) / priced
    else:
        cells += [problem, "", ""]
    cells.append(f"{ratio:.3f}" if ratio else "")
    return cells, ratio, priced / case.published - 1 if priced and case.published else None


def update(table):
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cases", nargs="*", metavar="CASE", help="words of the cases' names")
    add_tool_option(parser)
    parser.add_argument("--time-limit", type=float, default=60, help="seconds per search")
    parser.add_argument("--update", action="store_true", help="write docs/expert-plans.md")
    arguments = parser.parse_args()
    tool = arguments.tool or newest_tool()
    chosen = [case for case in CASES if not arguments.cases or any(word in case.name for word in arguments.cases)]

    head = ["case", "expert's plan", "priced s", "published s", "error", "our plan", "predicted s", "gap", "ours / expert's"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    print("\n".join(lines), flush=True)
    ratios, errors = [], []
    for case in chosen:
        cells, ratio, error = row(tool, case, arguments.time_limit)
        lines.append("| " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
        ratios += [ratio] if ratio else []
        errors += [abs(error)] if error is not None else []
    if ratios and errors:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        lines += ["", f"Geometric mean of ours / expert's: {mean:.3f} over {len(ratios)} cases. Median error of the "
                  f"prediction: {sorted(errors)[len(errors) // 2]:.1%} over {len(errors)} published times."]
        print("\n".join(lines[-2:]))
    if arguments.update:
        update("\n".join(lines))
    return int(any(ratio > 1.0 for ratio in ratios))


if __name__ == "__main__":
    sys.exit(main())
