# SPDX-License-Identifier: Apache-2.0
"""The models of this folder by name."""

import convolutional  # noqa: F401
import others  # noqa: F401
from parts import MODELS, Parameters

__all__ = ["MODELS", "Parameters"]
