# SPDX-License-Identifier: Apache-2.0
"""Reads the constants in lib/Cluster/BuiltinFits.cpp."""

import pathlib
import re

SOURCE = (pathlib.Path(__file__).resolve().parent.parent
          / "lib/Cluster/BuiltinFits.cpp")


def read_table(name):
    """The rows of one of the tables: strings and numbers."""
    text = SOURCE.read_text()
    body = re.search(name + r"\[\] = \{(.*?)\n\};", text, re.S).group(1)
    body = re.sub(r"//[^\n]*", "", body)
    rows = []
    for row in re.findall(r"\{([^{}]*)\}", body):
        values = [value.strip() for value in row.split(",")]
        rows.append([value.strip('"') if value.startswith('"') else float(value)
                     for value in values])
    return rows
