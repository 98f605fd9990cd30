# SPDX-License-Identifier: Apache-2.0
"""`python -m shardsmith …` is the command `shardsmith …`."""

import sys

from shardsmith._tools import become

become("shardsmith", sys.argv[1:])
