# SPDX-License-Identifier: Apache-2.0
"""What a step costs with attention as one op, over the same step with all scores
at once, by length of the sequences.

Every step has the same number of tokens. The programs take turns, so that both
see the same machine; the ratio is that of the medians. Memory is what the plans
of buffers say.

    python bench/attention.py [--lengths 128,256,512,1024] [--models gpt2,bert]
"""

import argparse
import json
import statistics
import tempfile
from pathlib import Path

from built_tool import add_tool_option, newest_tool, run

SIZES = {"vocab_size": 512}
# Causal, and with padding that is masked.
MODELS = {
    "gpt2": SIZES | {"n_embd": 256, "n_layer": 2, "n_head": 4, "n_positions": 4096},
    "bert": SIZES
    | {
        "hidden_size": 256,
        "intermediate_size": 1024,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "max_position_embeddings": 4096,
    },
}
# From how many scores on attention is one op.
FORMS = {"all scores at once": 2**62, "one op": 0}


def compile_program(shardsmith, model, length, tokens, least, folder):
    config = folder.parent / f"{model}.json"
    config.write_text(json.dumps({"model_type": model} | MODELS[model]))
    run(shardsmith, "compile", config, "--seq", length, "--dtype", "f32",
        "--global-batch", max(tokens // length, 1), "--cluster", "cpu:1",
        "--attention-scores", least, "-o", folder)  # fmt: skip
    predicted = json.loads((folder / "plan.json").read_text())["prediction"]["train_step"]
    return folder / "program", predicted["memory_bytes_per_rank"]["peak"]


def measure(shardsmith, model, length, arguments):
    with tempfile.TemporaryDirectory() as parent:
        programs, seconds = {}, {form: [] for form in FORMS}
        for number, (form, least) in enumerate(FORMS.items()):
            folder = Path(parent) / str(number)
            programs[form] = compile_program(
                shardsmith, model, length, arguments.tokens, least, folder
            )
        for _ in range(arguments.rounds):
            for form, (program, _) in programs.items():
                command = [program, "--ranks", 1, "--steps", arguments.steps, "--json"]
                found = json.loads(run(*command, threads=arguments.threads))["step_seconds"]
                seconds[form] += found[1:]
    medians = {form: statistics.median(values) for form, values in seconds.items()}
    before, after = medians.values()
    (_, most), (_, least) = programs.values()
    print(
        f"{model:6} {length:5} positions  {before * 1e3:8.1f} ms → {after * 1e3:8.1f} ms"
        f"  {after / before:5.2f} ×  {most / 2**20:7.1f} → {least / 2**20:7.1f} MiB",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lengths", default="128,256,512,1024,2048")
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--tokens", type=int, default=4096, help="per step")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    add_tool_option(parser)
    arguments = parser.parse_args()
    shardsmith = arguments.tool or newest_tool()
    for model in arguments.models.split(","):
        for length in map(int, arguments.lengths.split(",")):
            measure(shardsmith, model, length, arguments)


if __name__ == "__main__":
    main()
