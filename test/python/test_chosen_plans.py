# SPDX-License-Identifier: Apache-2.0
"""Plans that the search chooses by itself train as one rank does.

Every model, on a number of ranks that is drawn; SHARDSMITH_LONG_TESTS=1 takes all
numbers, of stages too. Losses, parameters and optimizer states of three steps are compared.
What it chooses for GPUs of a configuration is built as it was planned.
"""

import json
import os
import random

import numpy as np
import pytest
from drawn_strategies import CONFIGURATIONS, MIXTURES, MODELS
from seeds import random_seed
from table_of_plans import noted_table
from test_stages import LOSSES_WITHIN, final_state, source_of
from tools import run_tool

LONG = os.environ.get("SHARDSMITH_LONG_TESTS") == "1"
RANKS = [2, 4, 6, 8]
STAGES = [1, 2]  # of plans for GPUs
# Of a parameter's or state's largest element. A rounding may send a token to
# other experts.
WITHIN = {"gpt2-tiny-bf16": 3e-2} | {model: 1e-3 for model in MIXTURES}


def ranks_of(model):
    return RANKS if LONG else [random.Random(f"{random_seed()} {model}").choice(RANKS)]


@pytest.fixture(scope="module")
def table():
    yield from noted_table("plans that the search chose and that train as one rank does")


@pytest.mark.parametrize("model", [*MODELS, *CONFIGURATIONS])
def test_chosen_plans_train_as_one_rank_does(model, tmp_path, table):
    losses, state = final_state(model, 1, "devices=1", tmp_path / "one")
    for ranks in ranks_of(model):
        folder = tmp_path / str(ranks)
        others, other = final_state(model, ranks, "", folder)
        case = f"{model} on {ranks} ranks, seed {random_seed()}"
        assert "accepted" in run_tool("shardsmith", "check", folder), case
        assert np.allclose(others, losses, rtol=LOSSES_WITHIN.get(model, 1e-4)), case
        assert state.keys() == other.keys()
        for name, value in state.items():
            scale = max(np.abs(value).max(), 1e-3)
            error = np.abs(other[name] - value).max()
            assert error <= WITHIN.get(model, 1e-4) * scale, f"{case}: {name}"
        table.add(json.loads((folder / "plan.json").read_text()))


@pytest.mark.parametrize("model", CONFIGURATIONS)
def test_plans_for_gpus_are_built(model, tmp_path):
    """The program is of every layer's ops, the plan of one body for equal layers."""
    source = source_of(model, tmp_path)
    rng = random.Random(f"{random_seed()} {model} stages")
    for ranks in ranks_of(model):
        for stages in STAGES if LONG else [rng.choice(STAGES)]:
            folder = tmp_path / f"{ranks}-{stages}"
            run_tool(
                "shardsmith", "plan", *source, "--cluster", f"{ranks}xh100",
                "--fix", f"pp={stages}", "-o", folder,
            )  # fmt: skip
            planned = json.loads((folder / "plan.json").read_text())
            run_tool("shardsmith", "compile", folder, "--no-cubin")
            assert "accepted" in run_tool("shardsmith", "check", folder)
            built = json.loads((folder / "plan.json").read_text())
            assert built["strategy"] == planned["strategy"]
            assert built["layouts"]["blocks"] == planned["layouts"]["blocks"]
