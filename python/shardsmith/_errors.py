# SPDX-License-Identifier: Apache-2.0
"""What the exporters and planners raise."""


class ExportError(ValueError):
    """The model or its arguments cannot be exported; the text says why."""


class PlanError(RuntimeError):
    """There is no plan; the text says why."""


class PlanWarning(UserWarning):
    """What of a plan is not obeyed."""
