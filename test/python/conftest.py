# SPDX-License-Identifier: Apache-2.0
"""The order of tests: the longest ones first.

Workers start at the beginning of equal parts of the list, and take from the end
of each other's rest. So tests at the beginning share what they set up,
and no worker is left alone with them at the end.
"""


import os
import random
import sys

import pytest
from quick_programs import draw_code
from seeds import random_seed

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


@pytest.fixture(scope="module", autouse=True)
def code_of_programs(request):
    """Programs of large models are made for running."""
    with pytest.MonkeyPatch.context() as patch:
        if not request.node.get_closest_marker("takes_minutes"):
            print(draw_code(random.Random(random_seed(request.node.name)), patch))
        yield


def pytest_configure(config):
    config.addinivalue_line("markers", "takes_minutes: run before all others, at full speed")


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.get_closest_marker("takes_minutes") is None)
