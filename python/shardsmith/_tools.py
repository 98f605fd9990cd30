# SPDX-License-Identifier: Apache-2.0
"""The compiled tools that a wheel holds beside these modules."""

import os
import sys
from pathlib import Path

PROGRAM = Path(__file__).parent / "_native" / "bin" / "shardsmith"


def become(name, arguments):
    """Runs a tool in place of this process. All tools are one program, which
    is the one that it is called by."""
    if not PROGRAM.exists():
        sys.exit(
            "error: this copy of the Python package has no tools: install the "
            "wheel that 'make wheel' builds, or run build/release/bin/shardsmith"
        )
    os.execv(PROGRAM, [name, *arguments])


def run_as_called():
    """What the commands of the wheel start."""
    become(os.path.basename(sys.argv[0]), sys.argv[1:])
