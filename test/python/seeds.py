# SPDX-License-Identifier: Apache-2.0
"""Where tests have their random data from.

`make test` sets SHARDSMITH_DRAWS to a number that follows from the content of the
tree. Every change draws anew, and what one machine saw of a tree another one
sees as well. Without it every run draws anew.
"""

import os
import random
import sys
import zlib
from collections import Counter

calls = Counter()


def random_seed(of=None):
    """A seed, printed so that a failure can be repeated with SHARDSMITH_TEST_SEED.
    `of` names what is drawn for several tests, by whichever of them comes first:
    the same in every process of one run."""
    seed = int(os.environ.get("SHARDSMITH_TEST_SEED") or drawn(of))
    print(f"SHARDSMITH_TEST_SEED={seed}")
    return seed


def drawn(of):
    draws = os.environ.get("SHARDSMITH_DRAWS")
    if not draws:
        return random.SystemRandom().randrange(2**32)
    name = of or caller()
    calls[name] += 1
    return zlib.crc32(f"{draws} {name} {1 if of else calls[name]}".encode())


def caller():
    """The test that runs, or the file that is read."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
    return test or sys._getframe(2).f_globals["__name__"]
