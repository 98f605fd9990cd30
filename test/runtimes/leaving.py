# SPDX-License-Identifier: Apache-2.0
"""How the training scripts of this folder end."""

import json
import os

from torch import distributed


def held(model):
    """The shape of what this process has of each parameter."""
    return {
        name: list(p.to_local().shape if hasattr(p, "to_local") else p.shape)
        for name, p in model.named_parameters()
    }


def report_and_leave(found):
    """Rank 0 prints it. Without destructors: gloo's threads may still run, which
    ends the program by a signal."""
    if distributed.get_rank() == 0:
        print(json.dumps(found), flush=True)
    distributed.barrier()
    os._exit(0)
