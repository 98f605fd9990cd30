# SPDX-License-Identifier: Apache-2.0
"""The recorded graphs of `make test` are what PyTorch gives."""

import sys

import pytest
from tools import ROOT

sys.path.insert(0, str(ROOT / "test/models"))

from make_torch_graphs import RECORDED, path_of, record  # noqa: E402


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_graph_is_what_pytorch_gives(name):
    assert path_of(name).read_text() == record(name)
