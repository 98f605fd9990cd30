# SPDX-License-Identifier: Apache-2.0
"""From a PyTorch module to StableHLO text, in three steps.

    module ──capture──▶ Graph (plain data) ──translate──▶ text

Only `capture` and what puts plans on modules import PyTorch.
"""
