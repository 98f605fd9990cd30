# SPDX-License-Identifier: Apache-2.0
"""Tests in the environment of `make test-runtimes`, with packages that
`make test` does not install."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "test/python")]

# What was measured on this machine must not change what tests see.
os.environ["SHARDSMITH_MACHINE"] = ""
