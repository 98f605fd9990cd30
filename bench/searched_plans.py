# SPDX-License-Identifier: Apache-2.0
"""How much faster than the best schedule family a searched table is for plans
of real models, whose first and last stages carry embeddings and heads and whose
memory is that of the devices.

    python bench/searched_plans.py [--tool TOOL] [CASE …]

Prints a Markdown table. All times of a row are simulated in the same run, with
the same stages: the family that the plan has, the best family for these stages,
the searched table, and the work of the busiest rank, which no table beats.
"""

import argparse
import json
import subprocess
import sys
import tempfile

from built_tool import add_tool_option, newest_tool

# model, cluster, sequences, positions, what is fixed
CASES = {
    "gpt2-124m, 4 stages": ("gpt2-124m", "8xh100", 64, 1024, "pp=4,vpp=1,tp=1"),
    "gpt2-124m, 8 stages": ("gpt2-124m", "8xh100", 64, 1024, "pp=8,vpp=1"),
    "llama3-8b, 8 stages": ("llama3-8b", "8xh100", 64, 4096, "pp=8,vpp=1"),
    "llama3-8b, 4 × 2 stages": ("llama3-8b", "8xh100", 64, 4096, "pp=4,vpp=2,schedule=interleaved"),
    "llama3-70b, 8 stages": ("llama3-70b", "64xh100", 128, 4096, "pp=8,tp=8,vpp=1"),
    "llama3-70b, 8 × 2 stages": ("llama3-70b", "64xh100", 128, 4096, "pp=8,tp=8,vpp=2"),
    "llama3-70b, 8 × 5 stages": ("llama3-70b", "64xh100", 128, 4096, "pp=8,tp=8,vpp=5"),
    "mixtral-8x7b, 4 ranks": ("mixtral-8x7b", "64xh100", 256, 4096, "pp=4"),
    "qwen3-30b-a3b, 4 ranks": ("qwen3-30b-a3b", "64xh100", 256, 4096, "pp=4"),
    "deepseek-v3, 16 ranks": ("deepseek-v3", "512xh100", 1024, 4096, "pp=16"),
    "gpt3-175b, 8 ranks": ("gpt3-175b", "128xa100-80", 512, 2048, "pp=8"),
}


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stderr}")
    return done.stdout


def measure(tool, folder, case):
    model, cluster, batch, positions, fixed = CASES[case]
    plan = [tool, "plan", model, "--cluster", cluster, "--global-batch", batch, "--seq", positions]
    run(*plan, "--fix", fixed, "--threads", 1, "-o", folder)
    planned = json.loads(run(tool, "simulate", folder, "--json"))
    searched = json.loads(run(tool, "simulate", folder, "--search-schedule", "--json"))
    found = searched["schedule"]
    best = found["families"][0]
    busiest = found["lower_bound_ns"]
    return [
        case,
        planned["schedule"]["source"],
        best["family"],
        f"{found['period_ns'] / planned['period_ns']:.3f}",
        f"{found['period_ns'] / best['period_ns']:.3f}",
        f"{best['period_ns'] / busiest:.3f}",
        f"{found['period_ns'] / busiest:.3f}",
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"of: {'; '.join(CASES)}")
    add_tool_option(parser)
    given = parser.parse_args()
    unknown = set(given.cases) - set(CASES)
    if unknown:
        parser.error(f"no such case: {', '.join(sorted(unknown))}")
    heads = ["plan", "its family", "best family", "searched ÷ its family", "searched ÷ best family"]
    heads += ["best family ÷ busiest rank's work", "searched ÷ that work"]
    print(f"| {' | '.join(heads)} |\n{'|---' * len(heads)}|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for case in given.cases or CASES:
            cells = measure(given.tool or newest_tool(), folder, case)
            print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
