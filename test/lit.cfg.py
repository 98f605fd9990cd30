# SPDX-License-Identifier: Apache-2.0
"""How lit runs the tests: FileCheck on what the tools print."""

import os
import shutil
import sys

import lit.formats

config.name = "shardsmith"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["emulator", "models", "unit", "python", "fuzz", "Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.build_root, "test")

tools = [os.path.join(config.build_root, "bin"), config.llvm_tools]
config.environment["PATH"] = os.pathsep.join(tools + [os.environ["PATH"]])
config.environment["NO_COLOR"] = "1"
# What was measured on this machine must not change what tests see.
config.environment["SHARDSMITH_MACHINE"] = ""
config.substitutions.append(
    ("%models", os.path.join(config.source_root, "test", "models")))
# `%exits 3 command…` wants this exit code, where `not` takes any but 0.
config.substitutions.append(
    ("%exits", f"{sys.executable} {config.test_source_root}/exits.py"))

# Tests that need hardware or programs that may be missing say so with
# REQUIRES, and lit reports them as unsupported, never as passed.
if shutil.which("nvidia-smi"):
    config.available_features.add("gpu")
if shutil.which("mpirun"):
    config.available_features.add("mpi")
toolkit = "/usr/local/cuda/bin"
if shutil.which("ptxas", path=os.pathsep.join([os.environ["PATH"], toolkit])):
    config.available_features.add("ptxas")
    config.environment["PATH"] = os.pathsep.join([config.environment["PATH"], toolkit])
