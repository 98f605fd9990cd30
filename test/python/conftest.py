# SPDX-License-Identifier: Apache-2.0
"""The order of tests: the longest ones first.

Workers start at the beginning of equal parts of the list, and take from the end
of each other's rest. So tests at the beginning share what they set up,
and no worker is left alone with them at the end.
"""


import os
import sys

import pytest

# What was measured on this machine must not change what tests see.
os.environ["SHARDSMITH_MACHINE"] = ""

# Most of what JAX computes here is small and computed once: to compile it takes
# longer than to run it.
QUICK_XLA = (
    "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"
    " --xla_cpu_use_fusion_emitters=false"
)
os.environ.setdefault("XLA_FLAGS", QUICK_XLA)


@pytest.fixture(scope="module", autouse=True)
def programs_of_jax():
    """Those of one file of tests are for no other, and take gigabytes in all."""
    yield
    if jax := sys.modules.get("jax"):
        jax.clear_caches()


def pytest_configure(config):
    config.addinivalue_line("markers", "takes_minutes: run before all others")


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.get_closest_marker("takes_minutes") is None)
