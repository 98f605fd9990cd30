# SPDX-License-Identifier: Apache-2.0
"""Writes the graphs that tests without PyTorch translate, beside this file:

    build/runtimes-venv/bin/python test/models/make_torch_graphs.py

`test/runtimes/test_torch_graphs.py` holds them against what PyTorch gives.
"""

import dataclasses
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "python"), str(HERE.parent / "runtimes")]

RECORDED = ("gpt", "resnet-batch-norm")


def record(name):
    """The graph of a model of the zoo, without weights, as text. The folders of
    lines are left out."""
    import torch
    from torch_zoo import ZOO

    from shardsmith._torch.capture import capture
    from shardsmith._torch.graph import to_json

    with torch.device("meta"):
        case = ZOO[name]()
    graph = capture(
        case.module, case.batch, case.loss, name=name.replace("-", "_"),
        limits=case.limits, batch_dims=None, init=None, has_aux=False,
    )  # fmt: skip
    graph.nodes = [
        dataclasses.replace(node, where=node.where.rpartition("/")[2].partition(":")[0])
        for node in graph.nodes
    ]
    return to_json(graph) + "\n"


def path_of(name):
    return HERE / f"{name}.torch.json"


if __name__ == "__main__":
    for name in RECORDED:
        path_of(name).write_text(record(name))
        print(path_of(name))
