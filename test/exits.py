# SPDX-License-Identifier: Apache-2.0
"""exits.py CODE COMMAND…: succeeds if the command ends with this exit code."""

import subprocess
import sys

expected, *command = sys.argv[1:]
code = subprocess.run(command, check=False).returncode
if code != int(expected):
    sys.exit(f"{' '.join(command)}: exit code {code}, expected {expected}")
