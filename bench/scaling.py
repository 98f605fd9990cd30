# SPDX-License-Identifier: Apache-2.0
"""How much faster two ranks are than one on this machine.

Every rank has one thread, so two ranks use two cores. Beside the ratio stands
the machine's own limit, measured in the same run: how much two processes that
only multiply matrices, or only copy memory, get done in the time of one.

    python bench/scaling.py [MODEL …]
"""

import argparse
import json
import multiprocessing
import os
import statistics
import tempfile
import time
from pathlib import Path

from built_tool import add_tool_option, newest_tool, run

ROOT = Path(__file__).resolve().parent.parent
MODELS = ["gpt2-124m", "llama-bench"]


def step_seconds(shardsmith, model, ranks, steps, folder):
    source = ROOT / "test" / "models" / f"{model}.mlir"
    output = Path(folder) / f"ranks{ranks}"
    run(shardsmith, "compile", source, "--cluster", f"cpu:{ranks}", "-o", output)
    program = [output / "program", "--ranks", ranks, "--steps", steps, "--json"]
    return statistics.median(json.loads(run(*program))["step_seconds"][2:])


def multiply(barrier, seconds):
    """Matrix products per second of this process."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    import numpy as np

    matrix = np.ones((768, 768), np.float32)
    barrier.wait()
    return rate(lambda: matrix @ matrix, seconds)


def copy(barrier, seconds):
    import numpy as np

    source = np.ones(1 << 24, np.float32)
    target = np.empty_like(source)
    barrier.wait()
    return rate(lambda: np.copyto(target, source), seconds)


def rate(work, seconds):
    start = time.perf_counter()
    count = 0
    while time.perf_counter() - start < seconds:
        work()
        count += 1
    return count / (time.perf_counter() - start)


def limit(work, processes=2, seconds=2.0):
    """Combined rate of several processes over the rate of one."""
    totals = {}
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    for number in (1, processes):
        with multiprocessing.Manager() as manager:
            barrier = manager.Barrier(number)
            with multiprocessing.Pool(number) as pool:
                rates = pool.starmap(work, [(barrier, seconds)] * number)
        totals[number] = sum(rates)
    return totals[processes] / totals[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", default=MODELS)
    parser.add_argument("--steps", type=int, default=7)
    add_tool_option(parser)
    given = parser.parse_args()
    tool = given.tool or newest_tool()
    print(
        f"limit of this machine for 2 processes: {limit(multiply):.2f} times "
        f"the products, {limit(copy):.2f} times the copies of one"
    )
    for model in given.models:
        with tempfile.TemporaryDirectory() as folder:
            one, two = (
                step_seconds(tool, model, ranks, given.steps, folder)
                for ranks in (1, 2)
            )
        print(
            f"{model}: 1 rank {one * 1e3:.0f} ms, 2 ranks {two * 1e3:.0f} ms, "
            f"{one / two:.2f} times faster"
        )


if __name__ == "__main__":
    main()
