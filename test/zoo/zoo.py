# SPDX-License-Identifier: Apache-2.0
"""The models of this folder by name."""

import convolutional  # noqa: F401
import equinox_models  # noqa: F401
import haiku_models  # noqa: F401
import linen_models  # noqa: F401
import nnx_models  # noqa: F401
import objectives  # noqa: F401
import others  # noqa: F401
import sequences  # noqa: F401
import solvers  # noqa: F401
import structures  # noqa: F401
from parts import MODELS, Parameters, ZooModel

__all__ = ["MODELS", "Parameters", "ZooModel"]
