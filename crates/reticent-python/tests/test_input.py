"""Rows from data frames, dicts and files give equal results."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas
import polars
import pyarrow  # type: ignore[import-untyped]  # no types
import pyarrow.parquet  # type: ignore[import-untyped]  # no types
import pytest

import reticent as rt
from helpers import PEOPLE, people_policy, write_csv

TABLE = {
    "age": [30, 30, 30, 41, 41, 41],
    "zip": ["A", "A", "A", "B", "B", "B"],
    "disease": ["flu", "flu", "gout", "flu", "asthma", "gout"],
}


def duckdb_relation(columns: dict[str, Any]) -> Any:
    frame = polars.DataFrame(columns)
    connection = duckdb.connect()
    connection.register("source", frame.to_arrow())
    return connection.sql("SELECT * FROM source")


def csv_path(columns: dict[str, Any]) -> Path:
    return write_csv(Path("rows.csv"), columns)


def csv_paths(columns: dict[str, Any]) -> list[str | Path]:
    halves = [{name: cells[part::2] for name, cells in columns.items()} for part in range(2)]
    return [str(write_csv(Path("part-0.csv"), halves[0])), write_csv(Path("part-1.csv"), halves[1])]


def parquet_path(columns: dict[str, Any]) -> Path:
    polars.DataFrame(columns).write_parquet("rows.parquet")
    return Path("rows.parquet")


FORMS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "dict": dict,
    "dict of tuples": lambda columns: {name: tuple(cells) for name, cells in columns.items()},
    "dict of numpy arrays": lambda columns: {name: np.array(cells) for name, cells in columns.items()},
    "dict of polars series": lambda columns: {name: polars.Series(cells) for name, cells in columns.items()},
    "dict of pandas series": lambda columns: {name: pandas.Series(cells) for name, cells in columns.items()},
    "polars": polars.DataFrame,
    "pandas": pandas.DataFrame,
    "pandas selection": lambda columns: pandas.concat([frame := pandas.DataFrame(columns), frame])[: len(frame)].set_axis(
        [7, 7, 5, *range(len(frame) - 3)]
    ),
    "pandas pyarrow types": lambda columns: pandas.DataFrame(columns).convert_dtypes(dtype_backend="pyarrow"),
    "pandas nullable types": lambda columns: pandas.DataFrame(columns).convert_dtypes(),
    "pyarrow": pyarrow.table,
    "pyarrow batches": lambda columns: pyarrow.concat_tables([pyarrow.table(columns)[:1], pyarrow.table(columns)[1:]]),
    "pyarrow record batch": pyarrow.record_batch,
    "pyarrow reader": lambda columns: pyarrow.table(columns).to_reader(),
    "duckdb": duckdb_relation,
    "csv Path": csv_path,
    "csv str": lambda columns: str(csv_path(columns)),
    "csv list": csv_paths,
    "parquet Path": parquet_path,
    "parquet str": lambda columns: str(parquet_path(columns)),
}


@pytest.mark.parametrize("form", FORMS)
def test_check_measures_the_same(form: str) -> None:
    risk = rt.check(FORMS[form](TABLE), quasi=["age", "zip"], sensitive=["disease"])
    assert (risk.records, risk.k, risk.classes, risk.sample_unique) == (6, 3, 2, 0)
    assert risk.highest_risk == pytest.approx(1 / 3)
    disease = risk.sensitive["disease"]
    assert (disease.distinct, disease.certain) == (2, 0)
    assert disease.confidence == pytest.approx(2 / 3)


@pytest.mark.parametrize("form", FORMS)
def test_measures_are_the_same(form: str) -> None:
    make = FORMS[form]
    assert rt.k_anonymity(make(TABLE), ["age", "zip"]) == 3
    assert rt.l_diversity(make(TABLE), ["zip"], "disease") == 2
    assert rt.confidence(make(TABLE), ["zip"], "disease") == pytest.approx(2 / 3)


@pytest.mark.parametrize("form", FORMS)
def test_plan_is_the_same(form: str, unwritten: rt.Ledger) -> None:
    plan = unwritten.plan(FORMS[form](PEOPLE), name="same")
    expected = unwritten.plan(PEOPLE, name="same").to_dict()
    # A plan is written to a temporary file and hashed, so equal hashes mean equal rows.
    differing = {key for key, value in plan.to_dict().items() if value != expected[key]}
    assert differing <= {"seconds"}
    assert (plan.records, plan.published, plan.k) == (12, 12, 3)


# Arrow types of a column, and the texts that a release publishes for it.
DATES = [datetime.date(2020, 2, 29), datetime.date(1999, 12, 31), None, datetime.date(2020, 2, 29)]
TIMES = [datetime.datetime(2020, 2, 29, 3, 4, 5), datetime.datetime(1999, 12, 31, 0, 0, 0, 250_000), None, datetime.datetime(2020, 2, 29, 3, 4, 5)]
DECIMALS = [decimal.Decimal("1.50"), decimal.Decimal("-2.25"), None, decimal.Decimal("1.50")]
TEXTS = ["Zoë", "a b", None, "Zoë"]
TYPES: dict[str, tuple[Any, list[Any], list[str]]] = {
    "utf8": (pyarrow.string(), TEXTS, ["Zoë", "a b", "", "Zoë"]),
    "large utf8": (pyarrow.large_string(), TEXTS, ["Zoë", "a b", "", "Zoë"]),
    "utf8 view": (pyarrow.string_view(), TEXTS, ["Zoë", "a b", "", "Zoë"]),
    "dictionary": (pyarrow.dictionary(pyarrow.int8(), pyarrow.string()), TEXTS, ["Zoë", "a b", "", "Zoë"]),
    "large dictionary": (pyarrow.dictionary(pyarrow.uint32(), pyarrow.large_string()), TEXTS, ["Zoë", "a b", "", "Zoë"]),
    "int8": (pyarrow.int8(), [-128, 127, None, -128], ["-128", "127", "", "-128"]),
    "int64": (pyarrow.int64(), [-(2**63), 2**63 - 1, None, 0], [str(-(2**63)), str(2**63 - 1), "", "0"]),
    "uint64": (pyarrow.uint64(), [2**64 - 1, 1, None, 0], [str(2**64 - 1), "1", "", "0"]),
    "float32": (pyarrow.float32(), [0.5, -3.0, None, 0.1], ["0.5", "-3", "", "0.1"]),
    "float64": (pyarrow.float64(), [0.1, 1e5, None, -2.5], ["0.1", "100000", "", "-2.5"]),
    "bool": (pyarrow.bool_(), [True, False, None, True], ["true", "false", "", "true"]),
    "date32": (pyarrow.date32(), DATES, ["2020-02-29", "1999-12-31", "", "2020-02-29"]),
    "date64": (pyarrow.date64(), DATES, ["2020-02-29", "1999-12-31", "", "2020-02-29"]),
    "timestamp": (pyarrow.timestamp("us"), TIMES, ["2020-02-29T03:04:05", "1999-12-31T00:00:00.250", "", "2020-02-29T03:04:05"]),
    "decimal": (pyarrow.decimal128(10, 2), DECIMALS, ["1.50", "-2.25", "", "1.50"]),
}


def published(rows: Any) -> list[str]:
    """Publishes a column without changes, and returns its cells in ascending order."""
    folder = Path(f"published-{len(list(Path().iterdir()))}")
    folder.mkdir()
    policy = rt.Policy(quasi=["q"], other=["v"], k=2)
    ledger = rt.Ledger.open(folder / "ledger", create=True)
    release = ledger.publish(rows, policy, name="types", output=folder / "types.parquet")
    cells = pyarrow.parquet.read_table(release.path)["v"].cast(pyarrow.string()).to_pylist()
    return sorted("" if cell is None else cell for cell in cells)


@pytest.mark.parametrize("name", TYPES)
def test_arrow_type(name: str) -> None:
    kind, cells, texts = TYPES[name]
    table = pyarrow.table({"q": ["x"] * 4, "v": pyarrow.array(cells, type=kind)})
    assert published(table) == sorted(texts)


@pytest.mark.parametrize("name", [name for name in TYPES if name != "float32"])
def test_dict_writes_values_as_arrow_does(name: str) -> None:
    _, cells, texts = TYPES[name]
    found = published({"q": ["x"] * 4, "v": cells})
    expected = [text.replace(".250", ".250000") for text in texts]
    assert found == sorted(expected)


def test_polars_categorical_and_enum() -> None:
    for kind in (polars.Categorical(), polars.Enum(["x", "y"])):
        frame = polars.DataFrame({"a": ["x", "y", None, "x", "y", None]}, schema={"a": kind})
        assert rt.k_anonymity(frame, ["a"]) == 2


def test_pandas_categorical() -> None:
    frame = pandas.DataFrame({"a": pandas.Categorical(["x", "y", None] * 2)})
    assert rt.k_anonymity(frame, ["a"]) == 2


def test_missing_values_are_one_value() -> None:
    columns: list[list[Any]] = [[None, "x"] * 2, [float("nan"), 1.5] * 2, [pandas.NaT, datetime.datetime(2020, 1, 1)] * 2, [pandas.NA, "x"] * 2]
    for cells in columns:
        assert rt.k_anonymity({"a": cells}, ["a"]) == 2
    assert rt.k_anonymity(pandas.DataFrame({"a": [float("nan"), 1.5] * 2}), ["a"]) == 2


def test_large_values_of_a_dict_stay_distinct() -> None:
    # As floating point numbers, the two values of each pair would be equal.
    digits = "12345678901234567890"
    for pair in ([2**70, 2**70 + 1], [decimal.Decimal(digits + ".1"), decimal.Decimal(digits + ".2")], [2**53, 2**53 + 1]):
        assert rt.k_anonymity({"a": pair}, ["a"]) == 1


def test_numpy_timestamps_of_a_dict_are_timestamps() -> None:
    array = np.array(["2020-02-29T03:04:05", "NaT", "2020-02-29T03:04:05", "NaT"], dtype="datetime64[ns]")
    assert published({"q": ["x"] * 4, "v": array}) == ["", "", "2020-02-29T03:04:05", "2020-02-29T03:04:05"]


def test_polars_column_without_a_type() -> None:
    frame = polars.DataFrame({"a": ["x", "x"], "empty": [None, None]})
    assert rt.k_anonymity(frame, ["a"]) == 2


def test_release_is_input_again(ledger: rt.Ledger) -> None:
    release = ledger.publish(PEOPLE, name="first", output="first.parquet")
    assert rt.k_anonymity(release, ["age", "city"]) == 3
    assert rt.k_anonymity(release.path, ["age", "city"]) == 3
    assert rt.k_anonymity(rt.read_table("first.parquet"), ["age", "city"]) == 3


def test_frame_is_not_changed() -> None:
    frame = pandas.DataFrame(PEOPLE, index=range(12, 24))
    before = frame.copy(deep=True)
    rt.check(frame, people_policy())
    pandas.testing.assert_frame_equal(frame, before)


def test_release_is_read_by_data_frame_libraries(ledger: rt.Ledger) -> None:
    release = ledger.publish(PEOPLE, name="first", output="first.csv")
    lines = Path("first.csv").read_text(encoding="utf-8").splitlines()
    table = pyarrow.table(release)
    frame = polars.DataFrame(release)
    for rows in ([list(row.values()) for row in table.to_pylist()], [list(row) for row in frame.rows()]):
        assert [",".join(map(str, row)) for row in rows] == lines[1:]
    assert table.column_names == frame.columns == lines[0].split(",")
