# SPDX-License-Identifier: Apache-2.0
"""README's first screen shows what the tool prints."""

from tools import ROOT, run_tool

COMMAND = "$ shardsmith plan llama3-8b --cluster 64xh100"


def test_first_screen_is_what_plan_prints():
    shown = (ROOT / "README.md").read_text().split(COMMAND + "\n")[1].split("```")[0].splitlines()
    printed = map(str.rstrip, run_tool("shardsmith", *COMMAND.split()[2:]).splitlines())
    # In this order; the ellipsis stands for lines that are left out.
    for line in shown:
        if line != "…":
            assert line in printed, f"not printed, or not there: {line}"
    assert len(shown) > 10
