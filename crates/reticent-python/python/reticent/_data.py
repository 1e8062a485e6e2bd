"""Rows: data frames, dicts of columns, and paths."""

from __future__ import annotations

import datetime
import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Protocol, TypeAlias, runtime_checkable

from . import _native
from .answers import Release
from .database import DatabaseRows
from .errors import DataError


@runtime_checkable
class ArrowStream(Protocol):
    """A table that exports an Arrow stream: a data frame of polars, pandas, pyarrow, DuckDB and others."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


# Rows that the functions of the package accept: a data frame, a dict of columns, a table of a database, or paths to CSV, Excel or
# Parquet files.
Rows: TypeAlias = "ArrowStream | DatabaseRows | Mapping[str, Sequence[object]] | str | os.PathLike[str] | Sequence[str | os.PathLike[str]]"


def rows_of(data: Any) -> Any:
    """Converts rows to what the native module accepts."""
    if data is None:
        raise DataError("there are no rows; pass a data frame, a dict of columns, or a path", "data-unsupported", {"type": "NoneType"})
    if isinstance(data, str | os.PathLike):
        return os.fspath(data)
    if isinstance(data, DatabaseRows):
        return data._request()
    if isinstance(data, Mapping):
        return _native.frame_of_columns([(_name(name), _plain(name, values)) for name, values in data.items()])
    if isinstance(data, list | tuple) and data and all(isinstance(path, str | os.PathLike) for path in data):
        return [os.fspath(path) for path in data]
    if isinstance(data, list | tuple):
        text = f"rows of type {type(data).__name__} cannot be read; pass a data frame, a dict of columns, or paths"
        raise DataError(text, "data-unsupported", {"type": type(data).__name__})
    if isinstance(data, Release):
        # An exception of a stream is not passed on, because it can quote cells; this one is about the file.
        return data._table()
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(data, pandas.DataFrame):
        return _pandas(pandas, data)
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(data, polars.LazyFrame):
        raise _unreadable("a lazy frame has no rows yet; call .collect()", {"type": "LazyFrame"})
    if polars is not None and isinstance(data, polars.DataFrame):
        # The native module cannot read the columns without a type that polars exports.
        return _chunks(data.cast({polars.Null: polars.String}))
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is not None and isinstance(data, pyarrow.RecordBatchReader):
        # A call can read the rows several times, a reader only once.
        return data.read_all()
    if hasattr(data, "to_arrow_table") and not hasattr(data, "__arrow_c_stream__"):
        return data.to_arrow_table()
    return data


def _chunks(frame: Any) -> Any:
    """Returns the chunks of a frame of polars. To export them together, polars copies the whole frame."""
    lengths = {tuple(column.chunk_lengths()) for column in frame.get_columns()}
    if len(lengths) != 1 or frame.n_chunks() == 1:
        return frame
    parts, start = [], 0
    for length in next(iter(lengths)):
        parts.append(frame.slice(start, length))
        start += length
    return parts


def _name(name: object) -> str:
    if not isinstance(name, str):
        raise _unreadable(f"the name of a column must be a text, not {type(name).__name__}", {})
    return name


def _plain(name: str, values: Any) -> list[Any]:
    """Converts the values of a column to texts, numbers or Booleans; a missing value to ``None``."""
    if getattr(values, "dtype", None) is not None and str(values.dtype).startswith("datetime64[") and hasattr(values, "astype"):
        values = values.astype("datetime64[us]")  # nanoseconds would become integers
    cells = [_cell(cell) for cell in (values.tolist() if hasattr(values, "tolist") else values)]
    kinds = {type(cell) for cell in cells if cell is not None}
    families = {_family(kind) for kind in kinds}
    if len(families) > 1:
        raise _unreadable(f"column `{name}` has values of several types; convert it to one type", {"column": name})
    if families == {int}:
        return _numbers(name, cells, kinds)
    if families == {Decimal}:
        return _decimals(cells)
    if families <= {datetime.date, datetime.datetime, datetime.time}:
        if any(getattr(cell, "tzinfo", None) is not None for cell in cells):
            raise _unreadable(f"column `{name}` has times with a time zone; convert them to one without", {"column": name})
        return [None if cell is None else cell.isoformat() for cell in cells]
    return cells


def _cell(cell: Any) -> Any:
    """Converts a number of numpy, and the missing values of numpy and pandas."""
    if hasattr(cell, "item") and not isinstance(cell, str):
        cell = cell.item()
    is_missing = type(cell).__name__ in {"NAType", "NaTType"} or (isinstance(cell, float | Decimal) and cell != cell)
    return None if is_missing else cell


def _family(kind: type) -> type:
    """Type that the values of a column have in common: integers and other numbers can be mixed."""
    if issubclass(kind, int | float) and kind is not bool:
        return int
    # A timestamp is a date.
    known = (bool, str, Decimal, datetime.datetime, datetime.date, datetime.time)
    return next((family for family in known if issubclass(kind, family)), kind)


def _numbers(name: str, cells: list[Any], kinds: set[type]) -> list[Any]:
    """Keeps integers distinct that are too large for the number types of the native module."""
    sizes = [abs(cell) for cell in cells if isinstance(cell, int)]
    only_integers = all(issubclass(kind, int) for kind in kinds)
    if sizes and max(sizes) >= (2**63 if only_integers else 2**53):
        if not only_integers:
            raise _unreadable(f"column `{name}` has integers that are too large for a floating point number", {"column": name})
        return [None if cell is None else str(cell) for cell in cells]
    return cells


def _decimals(cells: list[Any]) -> list[Any]:
    """Writes all values with the same number of decimals, as a data frame does."""
    exponents = [cell.as_tuple().exponent for cell in cells if cell is not None]
    places = max([0, *(-exponent for exponent in exponents if isinstance(exponent, int))])
    return [None if cell is None else format(cell, f".{places}f") for cell in cells]


def _pandas(pandas: Any, frame: Any) -> Any:
    """Checks a frame of pandas. Its own errors quote cells, so mixed columns are found here, by name."""
    names = list(frame.columns)
    if not all(isinstance(name, str) for name in names):
        raise _unreadable("the names of the columns must be texts; rename them, for example with .rename(columns=str)", {})
    repeated = sorted(name for name, times in Counter(names).items() if times > 1)[:5]
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
