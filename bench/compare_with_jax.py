# SPDX-License-Identifier: Apache-2.0
"""Single-rank training step of Shardsmith against jax.jit on this CPU.

Both train the same model on batches of the same shape with AdamW, each in
processes of its own with the same number of threads. The processes alternate,
so that both see the same machine. Printed is the median step time of each
round and the ratio; below 1 Shardsmith is faster.

    python bench/compare_with_jax.py [--threads 2] [--rounds 3] [MODEL …]
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from built_tool import add_tool_option, newest_tool

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "test/models")]
TEXTS = ["gpt2-124m", "llama-bench"]
OTHERS = ["resnet50", "vit-ti", "mixture"]


def limited(threads):
    """Environment in which neither side uses more threads."""
    return dict(
        os.environ,
        OMP_NUM_THREADS=str(threads),
        SMITH_THREADS=str(threads),
        JAX_PLATFORMS="cpu",
    )


def run(command, threads):
    command = ["taskset", "-c", f"0-{threads - 1}", *map(str, command)]
    done = subprocess.run(
        command, env=limited(threads), capture_output=True, text=True
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    return done.stdout


def ours(folder, steps, threads):
    command = [folder / "program", "--ranks", "1", "--steps", steps, "--json"]
    return json.loads(run(command, threads))["step_seconds"]


def theirs(model, steps, threads):
    command = [sys.executable, __file__, "--jax", model, steps]
    return json.loads(run(command, threads))


def time_jax(model_name, steps):
    """In a process of its own: prints the step times of jax.jit as JSON."""
    import time

    import jax
    import models
    import optax

    draw = draw_other if model_name in OTHERS else draw_text
    model, params, draw_batch = draw(model_name)
    optimizer = optax.adamw(1e-3)
    state = optimizer.init(params)
    step = jax.jit(models.train_step_of(model, optimizer), donate_argnums=(0, 1))
    seconds = []
    for _ in range(steps):
        batch = draw_batch()
        start = time.perf_counter()
        params, state, loss = step(params, state, batch)
        jax.block_until_ready((params, state, loss))
        seconds.append(time.perf_counter() - start)
    print(json.dumps(seconds))


def draw_text(name):
    """A model of test/models, its parameters, and what draws batches."""
    import models
    import numpy as np

    model, generator = models.MODELS[name], np.random.default_rng(0)
    limits = model.limits()

    def draw_batch():
        return {
            name: generator.integers(0, limits[name], leaf.shape).astype(np.int32)
            for name, leaf in model.batch_shape().items()
        }

    return model, model.init(), draw_batch


def draw_other(name):
    """The same for one of `ON_PROCESSORS`."""
    import architectures
    import numpy as np

    model, generator = architectures.ON_PROCESSORS[name], np.random.default_rng(0)

    def draw(leaf):
        if leaf.dtype == np.int32:
            return generator.integers(0, 1000, leaf.shape).astype(np.int32)
        return generator.normal(0, 0.02, leaf.shape).astype(np.float32)

    def drawn(tree):
        return {name: draw(leaf) for name, leaf in tree.items()}

    return model, drawn(model.params()), lambda: drawn(model.batch())


def compare(model, shardsmith, steps, rounds, threads):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        source = ROOT / "test" / "models" / f"{model}.mlir"
        if model in OTHERS:
            import architectures

            source = folder / "model.mlir"
            architectures.export(model, source)
        options = ["--cluster", "cpu:1", "--optimizer", "adamw"]
        run([shardsmith, "compile", source, *options, "-o", folder], threads)
        ratios = []
        for number in range(rounds):
            # The first steps compile, fault pages in and fill caches.
            mine = statistics.median(ours(folder, steps, threads)[2:])
            other = statistics.median(theirs(model, steps, threads)[2:])
            ratios.append(mine / other)
            print(
                f"{model} round {number}: shardsmith {mine * 1e3:.0f} ms, "
                f"jax.jit {other * 1e3:.0f} ms, ratio {ratios[-1]:.2f}",
                flush=True,
            )
        print(
            f"{model}, {threads} threads: {statistics.median(ratios):.2f} of "
            f"jax.jit's step time (median of {rounds} rounds)"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", default=TEXTS + OTHERS)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=7)
    add_tool_option(parser)
    given = parser.parse_args()
    for model in given.models:
        compare(model, given.tool or newest_tool(), given.steps, given.rounds, given.threads)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--jax"]:
        time_jax(sys.argv[2], int(sys.argv[3]))
    else:
        main()
