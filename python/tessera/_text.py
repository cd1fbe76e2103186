# SPDX-License-Identifier: Apache-2.0
"""Values of Python as the text of a dictionary in OpenFOAM's syntax."""
from __future__ import annotations

import numbers
from typing import Any, Mapping

from ._core import InputError


class Words(str):
    """Several words, which stand in a dictionary as they are."""


def word(name: str, value: str) -> str:
    """A word as it stands in a dictionary, in quotes where it holds more than letters."""
    if not isinstance(value, str):
        raise InputError(f"{name} is {value!r}, expected a text")
    if '"' in value or "\n" in value or "\\" in value:
        raise InputError(f"{name} is {value!r}, expected a text without quotes, backslashes and line ends")
    if isinstance(value, Words):
        if any(c in value for c in ";{}$#"):
            raise InputError(f"{name} is {str(value)!r}, expected words")
        return str(value)
    return value if value.replace("_", "").isalnum() else f'"{value}"'


def text(name: str, value: Any) -> str:
    """Numbers, texts, yes and no, lists ( ... ), dictionaries { ... }."""
    if isinstance(value, Mapping):
        return "{ " + entries(value, name + ".") + "}"
    if hasattr(value, "tolist"):  # of NumPy
        value = value.tolist()
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, numbers.Number):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return "(" + " ".join(text(name, item) for item in value) + ")"
    return word(name, value)


def entries(values: Mapping[str, Any], path: str = "") -> str:
    """`KEY VALUE; KEY VALUE; `, without those that are None."""
    result = ""
    for key, value in values.items():
        if value is None:
            continue
        if isinstance(value, Mapping):
            result += f"{key} {text(path + key, value)} "
        else:
            result += f"{key} {text(path + key, value)}; "
    return result


def setting(value: Any, name: str) -> str:
    """A value as --set takes it: a text is taken as it is."""
    return value if isinstance(value, str) else text(name, value)
