# SPDX-License-Identifier: Apache-2.0
"""Programs of tests on emulated devices, in random orders of streams, blocks and threads.

SHARDSMITH_ORDERS=20 makes it 20 orders at least wherever a test runs fewer; not where a
fault is to be found.
"""

import json
import os
import subprocess

from seeds import random_seed
from tools import run_tool, tool
from training import SEED

LEAST_ORDERS = int(os.environ.get("SHARDSMITH_ORDERS", "1"))
LOWER = ["--lower-program=target=cuda", "--emit-cuda-kernels"]
ESTIMATED = [*LOWER, "--estimate-kernels"]


def emulate_kernels(text, *options, passes=(), lower=LOWER, seed=None, code=0):
    """What `emulate-kernels` says of every function of a program. All results are those of the
    interpreter, or its code is another one."""
    lowered = run_tool("shardsmith-opt", "-", *passes, *lower, text=text)
    print(text)
    return emulate(["emulate-kernels", "-"], options, seed, code, lowered)


def emulate_program(functions, *options, seed=None, code=0):
    """What `emulate-program` says of steps of device functions; without a failure, as JSON."""
    said = emulate(["emulate-program", functions, "--seed", SEED], options, seed, code)
    return json.loads(said) if code == 0 else said


def emulate(command, options, seed, code, text=None):
    seed = random_seed() if seed is None else seed
    done = subprocess.run(
        [tool(command[0]), *map(str, [*command[1:], *in_orders(options)])], input=text, text=True,
        capture_output=True, env={**os.environ, "SHARDSMITH_TEST_SEED": str(seed)},
    )
    assert done.returncode == code, f"seed {seed}: {done.stdout[-3000:]}{done.stderr[-2000:]}"
    return done.stdout


def in_orders(options):
    if LEAST_ORDERS == 1 or "--fault" in options:
        return options
    options = list(options)
    if "--orders" not in options:
        return [*options, "--orders", LEAST_ORDERS]
    number = options.index("--orders") + 1
    options[number] = max(int(options[number]), LEAST_ORDERS)
    return options
