"""Rows: data frames, dicts of columns, and paths."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

from . import _native
from .errors import DataError


@runtime_checkable
class ArrowStream(Protocol):
    """A table that exports an Arrow stream: a data frame of polars, pandas, pyarrow, DuckDB and others."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


# Rows that the functions of the package accept: a data frame, a dict of columns, or paths to CSV, Excel or Parquet files.
Rows: TypeAlias = "ArrowStream | Mapping[str, Sequence[object]] | str | os.PathLike[str] | Sequence[str | os.PathLike[str]]"


def rows_of(data: Any) -> Any:
    """Converts rows to what the native module accepts."""
    if isinstance(data, str | os.PathLike):
        return os.fspath(data)
    if isinstance(data, Mapping):
        return _native.frame_of_columns([(_name(name), _plain(values)) for name, values in data.items()])
    if isinstance(data, list | tuple) and data and all(isinstance(path, str | os.PathLike) for path in data):
        return [os.fspath(path) for path in data]
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(data, pandas.DataFrame):
        return _pandas(pandas, data)
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(data, polars.LazyFrame):
        raise _unreadable("a lazy frame has no rows yet; call .collect()", {"type": "LazyFrame"})
    if hasattr(data, "to_arrow_table") and not hasattr(data, "__arrow_c_stream__"):
        return data.to_arrow_table()
    return data


def _name(name: object) -> str:
    if not isinstance(name, str):
        raise _unreadable(f"the name of a column must be a text, not {type(name).__name__}", {})
    return name


def _plain(values: Any) -> Any:
    """Converts an array of numpy to a list."""
    return values.tolist() if hasattr(values, "tolist") else list(values)


def _pandas(pandas: Any, frame: Any) -> Any:
    """Checks a frame of pandas. Its own errors quote cells, so mixed columns are found here, by name."""
    names = list(frame.columns)
    if not all(isinstance(name, str) for name in names):
        raise _unreadable("the names of the columns must be texts; rename them, for example with .rename(columns=str)", {})
    repeated = sorted({name for name in names if names.count(name) > 1})[:5]
    if repeated:
        raise _unreadable(f"several columns have the same name: {', '.join(repeated)}; rename them", {"columns": repeated})
    kinds = {name: _mixed(pandas, frame[name]) for name in names if frame[name].dtype == object}
    mixed = [name for name, kind in kinds.items() if kind]
    if mixed:
        raise _unreadable(
            f"{', '.join(mixed)}: the values have several types, or are not texts, numbers or dates; convert each column to one "
            "type, for example with .astype(str)",
            {"columns": mixed},
        )
    # The index of a selection of rows is not a column of the data.
    if frame.index.name is None and frame.index.nlevels == 1 and not isinstance(frame.index, pandas.RangeIndex):
        frame = frame.reset_index(drop=True)
    return frame


def _mixed(pandas: Any, column: Any) -> bool:
    kind = pandas.api.types.infer_dtype(column, skipna=True)
    return kind.startswith("mixed") or kind in {"unknown-array", "complex", "period", "interval"}


def _unreadable(text: str, data: dict[str, Any]) -> DataError:
    return DataError(text, "data-unreadable", data)
