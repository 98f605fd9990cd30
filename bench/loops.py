# SPDX-License-Identifier: Apache-2.0
"""Time and memory of `compile` and `plan` by the number of scanned layers.

    bench/loops.py --counts 32,1000

Each count is compiled from a file of its own, with its loop kept as a loop, and
planned for `--devices`. Printed are seconds of processor time and the peak of
memory, and both as multiples of the first count's, and of the same layers
unrolled (`--unrolled 0`: without)."""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from built_tool import ROOT, add_tool_option, newest_tool

sys.path[:0] = [str(ROOT / "python"), str(ROOT / "test/python")]

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from jax import lax  # noqa: E402
from shardsmith.jax import export_loss  # noqa: E402

WIDTH, HEADS, INNER, POSITIONS, WORDS, BATCH = 64, 4, 256, 32, 128, 8


def norm(x, gain):
    return x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-5) * gain


def layer(x, w):
    h = norm(x, w["gain1"])
    shape = (*x.shape[:2], HEADS, WIDTH // HEADS)
    q, k, v = ((h @ w[name]).reshape(shape) for name in ("q", "k", "v"))
    mask = jnp.tril(jnp.ones((POSITIONS, POSITIONS), bool))
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / jnp.sqrt(shape[-1])
    chances = jax.nn.softmax(jnp.where(mask, scores, -1e30), -1)
    x = x + jnp.einsum("bhqk,bkhd->bqhd", chances, v).reshape(x.shape) @ w["o"]
    return x + jax.nn.silu(norm(x, w["gain2"]) @ w["up"]) @ w["down"], None


def loss(params, batch):
    x = params["embedding"][batch["tokens"]]
    x, _ = lax.scan(layer, x, params["layers"])
    chances = jax.nn.log_softmax(x @ params["embedding"].T)[:, :-1]
    labels = batch["tokens"][:, 1:, None]
    return -jnp.mean(jnp.take_along_axis(chances, labels, -1))


def export(count, path):
    sizes = {
        "gain1": (WIDTH,), "gain2": (WIDTH,), "q": (WIDTH, WIDTH),
        "k": (WIDTH, WIDTH), "v": (WIDTH, WIDTH), "o": (WIDTH, WIDTH),
        "up": (WIDTH, INNER), "down": (INNER, WIDTH),
    }  # fmt: skip
    array = jax.ShapeDtypeStruct
    params = {
        "embedding": array((WORDS, WIDTH), jnp.float32),
        "layers": {n: array((count, *s), jnp.float32) for n, s in sizes.items()},
    }
    batch = {"tokens": array((BATCH, POSITIONS), jnp.int32)}
    export_loss(loss, params, batch, path, limits={"tokens": WORDS})


# A process of its own, because what starts a command counts as its memory.
STARTER = """
import resource, subprocess, sys
quiet = subprocess.DEVNULL
code = subprocess.run(sys.argv[1:], stdout=quiet, stderr=quiet).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
sys.exit(code)
"""


def measure(tool, verb, path, cluster, rounds):
    """Least seconds of processors in some rounds, and the largest peak in MiB."""
    seconds, peak = [], 0
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            command = [tool, verb, path, "--cluster", cluster, "-o", folder]
            done = subprocess.run(
                [sys.executable, "-S", "-c", STARTER, *map(str, command)],
                capture_output=True,
                text=True,
            )
            if done.returncode:
                sys.exit(f"{' '.join(map(str, command))} failed")
            used, most = map(float, done.stdout.split())
            seconds.append(used)
            peak = max(peak, most)
    return min(seconds), peak


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add_tool_option(parser)
    parser.add_argument("--counts", default="32,200,1000")
    parser.add_argument("--unrolled", type=int, default=32)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--devices", default="8xh100")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    tool = given.tool or newest_tool()
    counts = [int(count) for count in given.counts.split(",")]
    jobs = [("compile", f"cpu:{given.ranks}"), ("plan", given.devices)]
    first = {}

    def report(what, path):
        for verb, cluster in jobs:
            seconds, peak = measure(tool, verb, path, cluster, given.rounds)
            base = first.setdefault(verb, (seconds, peak))
            print(
                f"{what}, {verb:7} for {cluster}: {seconds:6.2f} s "
                f"({seconds / base[0]:.2f}), {peak:5.0f} MiB ({peak / base[1]:.2f})"
            )

    with tempfile.TemporaryDirectory() as folder:
        path, kept = Path(folder) / "model.mlir", Path(folder) / "kept.mlir"
        for count in counts:
            export(count, path)
            opt = tool.with_name("shardsmith-opt")
            subprocess.run([opt, "--import=keep-loops-above=1", path, "-o", kept], check=True)
            report(f"{count:5} layers in a loop", kept)
        if given.unrolled:
            export(given.unrolled, path)
            report(f"{given.unrolled:5} layers unrolled ", path)


if __name__ == "__main__":
    main()
