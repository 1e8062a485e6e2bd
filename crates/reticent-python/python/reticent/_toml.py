"""Writes the tables of a policy as TOML. Python reads TOML, but does not write it."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

# A key without quotes.
_BARE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")


def dumps(tables: Mapping[str, Any]) -> str:
    """Returns the text of nested tables. Entries with the value ``None`` are left out."""
    lines: list[str] = []
    _table([], tables, lines)
    return "\n".join(lines).strip("\n") + "\n"


def _table(path: list[str], table: Mapping[str, Any], lines: list[str]) -> None:
    plain = [(key, value) for key, value in table.items() if value is not None and not _is_section(path, key, value)]
    lines.extend(f"{_key(key)} = {_value(value)}" for key, value in plain)
    for key, value in table.items():
        if value is None or not _is_section(path, key, value):
            continue
        below = [*path, key]
        name = ".".join(_key(part) for part in below)
        if isinstance(value, Mapping):
            if not _holds_only_tables(value, below):
                lines.extend(["", f"[{name}]"])
            _table(below, value, lines)
        else:
            for element in value:
                lines.extend(["", f"[[{name}]]"])
                lines.extend(f"{_key(key)} = {_value(of)}" for key, of in element.items() if of is not None)


def _is_section(path: list[str], key: str, value: Any) -> bool:
    """Whether a value has a section of its own: tables at the first level, each column, and the options."""
    if isinstance(value, Mapping):
        return not path or path == ["columns"] or (path == ["release"] and key == "options")
    return path == ["requirement"] and key == "models" and bool(value)


def _holds_only_tables(table: Mapping[str, Any], path: list[str]) -> bool:
    return bool(table) and all(_is_section(path, key, value) for key, value in table.items())


def _key(key: str) -> str:
    return key if key and _BARE.issuperset(key) else _text(key)


def _text(text: str) -> str:
    # The escapes of JSON are escapes of TOML. JSON leaves DEL unescaped.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if math.isinf(value) or math.isnan(value):
            return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
        return repr(float(value))  # a number of numpy is a float with another repr
    if isinstance(value, datetime.date):
        return _text(value.isoformat())
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {_value(of)}" for key, of in value.items() if of is not None) + " }"
    if isinstance(value, Sequence):
        return "[" + ", ".join(_value(element) for element in value) + "]"
    if hasattr(value, "item"):  # a number of numpy
        return _value(value.item())
    raise TypeError(f"a policy cannot contain a value of type {type(value).__name__}")
