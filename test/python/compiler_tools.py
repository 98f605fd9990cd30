# SPDX-License-Identifier: Apache-2.0
"""Runs the project's tools, and XLA as an independent judge of their output."""

import functools
import os
import subprocess
import sys

import numpy as np
from tools import ROOT, tool

sys.path[:0] = [str(ROOT / "python"), str(ROOT / "test/models")]


def run_opt(text, *flags):
    """What shardsmith-opt prints for `text`."""
    done = subprocess.run(
        [tool("shardsmith-opt"), "-", *flags],
        input=text,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@functools.lru_cache(maxsize=1)
def compile_with_xla(text):
    import jax
    from jaxlib import _jax

    device = jax.devices("cpu")[0]
    executable = device.client.compile_and_load(
        text.encode(), _jax.DeviceList((device,)), _jax.CompileOptions()
    )
    return device, executable


def run_xla(text, arguments):
    """Compiles StableHLO text with JAX's CPU client and runs it once."""
    import jax

    device, executable = compile_with_xla(text)
    buffers = [jax.device_put(np.asarray(value), device) for value in arguments]
    return [np.asarray(result) for result in executable.execute(buffers)]


def run_on_four_devices(program, *arguments):
    """What a JAX program prints that sees four virtual devices. It runs in a
    process of its own, because their number is fixed when JAX starts."""
    flags = os.environ["XLA_FLAGS"] + " --xla_force_host_platform_device_count=4"
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        env=dict(os.environ, JAX_PLATFORMS="cpu", XLA_FLAGS=flags),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def as_double(tree):
    """Its floats in float64."""
    import jax

    widen = lambda leaf: leaf.astype(np.float64) if leaf.dtype.kind == "f" else leaf
    return jax.tree.map(widen, tree)


def in_double(function, params, batch, number):
    """A result of a JAX function in float64, and four times how far from it that in
    float32 is: drawn models may lose digits to cancellation, whoever computes them."""
    import jax

    single = np.asarray(jax.tree.leaves(function(params, batch))[number])
    with jax.enable_x64(True):
        double = function(as_double(params), as_double(batch))
    double = np.asarray(jax.tree.leaves(double)[number])
    return double, 4 * np.abs(single - double).max(initial=0)
