"""Bad input: a clear exception with a code, which names the column and shows no cell."""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow  # type: ignore[import-untyped]  # no types
import pytest

import reticent as rt
from helpers import CANARY, PATIENCE, PEOPLE, assert_hides, people_policy

NUMBER = rt.column(type="number")
UTC = datetime.timezone.utc
UNSUPPORTED, UNREADABLE, MALFORMED = "data-unsupported", "data-unreadable", "file-malformed"


def text_frame(**columns: Any) -> polars.DataFrame:
    return polars.DataFrame(columns)


#: Rows with a column `bad`, whose cells contain the canary, and the code of the exception.
COLUMNS: dict[str, tuple[Callable[[], Any], str]] = {
    "pandas: several types": (lambda: pandas.DataFrame({"bad": [CANARY, 1, 2.5]}), UNREADABLE),
    "pandas: text and integer": (lambda: pandas.DataFrame({"bad": [CANARY, 1]}), UNREADABLE),
    "pandas: bytes and text": (lambda: pandas.DataFrame({"bad": [CANARY.encode(), CANARY]}), UNREADABLE),
    "pandas: list": (lambda: pandas.DataFrame({"bad": [[CANARY], [CANARY]]}), UNREADABLE),
    "pandas: dict": (lambda: pandas.DataFrame({"bad": [{"x": CANARY}, {"x": CANARY}]}), UNREADABLE),
    "pandas: object": (lambda: pandas.DataFrame({"bad": [Exception(CANARY), Exception(CANARY)]}), UNREADABLE),
    "dict: several types": (lambda: {"bad": [CANARY, 1, 2.5]}, UNREADABLE),
    "dict: Boolean and integer": (lambda: {"bad": [True, 1]}, UNREADABLE),
    "dict: date and text": (lambda: {"bad": [datetime.date(2020, 1, 1), CANARY]}, UNREADABLE),
    "dict: date and timestamp": (lambda: {"bad": [datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1)]}, UNREADABLE),
    "dict: large integer and float": (lambda: {"bad": [2**60 + 1, 0.5]}, UNREADABLE),
    "dict: list": (lambda: {"bad": [[CANARY], [CANARY]]}, UNREADABLE),
    "dict: bytes": (lambda: {"bad": [CANARY.encode()] * 2}, UNREADABLE),
    "dict: object": (lambda: {"bad": [Exception(CANARY)] * 2}, UNREADABLE),
    "dict: two dimensions": (lambda: {"bad": np.array([[CANARY, "x"], ["y", "z"]])}, UNREADABLE),
    "dict: time zone": (lambda: {"bad": [datetime.datetime(2020, 1, 1, tzinfo=UTC)] * 2}, UNREADABLE),
    "polars: list": (lambda: text_frame(bad=[[CANARY], [CANARY]]), MALFORMED),
    "polars: struct": (lambda: text_frame(bad=[{"x": CANARY}, {"x": CANARY}]), MALFORMED),
    "polars: time zone": (lambda: text_frame(bad=[datetime.datetime(2020, 1, 1, tzinfo=UTC)] * 2), MALFORMED),
    "polars: duration": (lambda: text_frame(bad=[datetime.timedelta(1)] * 2), MALFORMED),
    "pyarrow: list": (lambda: pyarrow.table({"bad": [[CANARY], [CANARY]]}), MALFORMED),
    "pyarrow: struct": (lambda: pyarrow.table({"bad": [{"x": CANARY}] * 2}), MALFORMED),
    "pandas: time zone": (lambda: pandas.DataFrame({"bad": pandas.to_datetime(["2020-01-01", "2020-01-02"]).tz_localize("Europe/Berlin")}), MALFORMED),
    "pandas: repeated name": (lambda: pandas.DataFrame([[CANARY, CANARY]], columns=["bad", "bad"]), UNREADABLE),
    "pyarrow: repeated name": (lambda: pyarrow.table([[CANARY], [CANARY]], names=["bad", "bad"]), MALFORMED),
}


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("call", ["check", "measure", "draft", "plan"])
def test_column_that_cannot_be_read(name: str, call: str, unwritten: rt.Ledger) -> None:
    make, code = COLUMNS[name]
    calls: dict[str, Callable[[Any], object]] = {
        "check": lambda rows: rt.check(rows, quasi=["bad"]),
        "measure": lambda rows: rt.k_anonymity(rows, ["bad"]),
        "draft": rt.draft,
        "plan": lambda rows: unwritten.plan(rows, rt.Policy(quasi=["bad"], k=2)),
    }
    with pytest.raises(rt.DataError) as raised:
        calls[call](make())
    assert raised.value.code == code
    assert "bad" in str(raised.value)
    assert_hides(raised.value, CANARY, CANARY.lower())
    assert (raised.value.__cause__, raised.value.__context__) == (None, None)


#: Things that are no rows.
NO_ROWS: dict[str, tuple[Callable[[], Any], str]] = {
    "None": (lambda: None, UNSUPPORTED),
    "int": (lambda: 4711, UNSUPPORTED),
    "object": (object, UNSUPPORTED),
    "bytes": (lambda: CANARY.encode(), UNSUPPORTED),
    "list of rows": (lambda: [{"a": CANARY}], UNSUPPORTED),
    "empty list": (list, UNSUPPORTED),
    "list of frames": (lambda: [text_frame(a=[CANARY])], UNSUPPORTED),
    "numpy array": (lambda: np.array([[CANARY]]), UNSUPPORTED),
    "pandas Series": (lambda: pandas.Series([CANARY]), UNSUPPORTED),
    "polars Series": (lambda: polars.Series([CANARY]), UNREADABLE),
    "LazyFrame": (lambda: text_frame(a=[CANARY]).lazy(), UNREADABLE),
    "pandas: names are numbers": (lambda: pandas.DataFrame([[CANARY, CANARY]]), UNREADABLE),
    "pandas: names of several levels": (lambda: pandas.DataFrame({("a", "b"): [CANARY]}), UNREADABLE),
    "dict: names are numbers": (lambda: {1: [CANARY]}, UNREADABLE),
    "dict: different lengths": (lambda: {"a": [CANARY, CANARY], "b": [CANARY]}, UNREADABLE),
}


@pytest.mark.parametrize("name", NO_ROWS)
def test_object_that_is_no_table(name: str, unwritten: rt.Ledger) -> None:
    make, code = NO_ROWS[name]
    calls: list[Callable[[Any], object]] = [
        lambda rows: rt.check(rows, quasi=["a"]),
        lambda rows: rt.k_anonymity(rows, ["a"]),
        rt.draft,
        unwritten.plan,
        lambda rows: unwritten.publish(rows, name="none"),
        unwritten.compare,
        lambda rows: unwritten.register(rows, name="none", date="2024-01-01"),
    ]
    for call in calls:
        with pytest.raises(rt.DataError) as raised:
            call(make())
        assert raised.value.code == code
        assert_hides(raised.value, CANARY)
    assert len(unwritten.log()) == 0


def test_message_says_what_to_do() -> None:
    with pytest.raises(rt.DataError, match=r"\.collect\(\)"):
        rt.draft(text_frame(a=[1]).lazy())  # type: ignore[arg-type]  # the mistake
    with pytest.raises(rt.DataError, match="rows of type int"):
        rt.draft(1)  # type: ignore[arg-type]  # the mistake


@pytest.mark.parametrize("frame", [polars.DataFrame, pyarrow.table])
@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_number_that_is_not_finite(frame: Callable[[Any], Any], number: float) -> None:
    # A null is missing. NaN of polars and pyarrow is a value, and not a number.
    rows = frame({"pay": [1.0, number, 2.0], "name": [CANARY] * 3})
    with pytest.raises(rt.DataError) as raised:
        rt.check(rows, quasi={"pay": NUMBER})
    assert raised.value.code == "column-unfit"
    assert raised.value.data["column"] == "pay"
    assert [row["row"] for row in raised.value.data["rows"]] == [2]
    assert_hides(raised.value, CANARY)


def test_text_in_a_number_column_is_shown_only_on_request() -> None:
    rows = {"pay": ["1", CANARY, "2"]}
    with pytest.raises(rt.DataError) as raised:
        rt.check(rows, quasi={"pay": NUMBER})
    assert (raised.value.code, raised.value.data["column"]) == ("column-unfit", "pay")
    assert_hides(raised.value, CANARY)
    assert any("show_values=True" in remedy for remedy in raised.value.remedies)
    with pytest.raises(rt.DataError, match=CANARY):
        rt.check(rows, quasi={"pay": NUMBER}, show_values=True)


@pytest.mark.parametrize(
    "rows", [polars.DataFrame({"a": []}, schema={"a": polars.String}), polars.DataFrame({"a": []}), pandas.DataFrame({"a": []}), pyarrow.table({"a": []}), {"a": []}],
    ids=["polars", "polars without a type", "pandas", "pyarrow", "dict"],
)
def test_no_rows(rows: Any) -> None:
    with pytest.raises(rt.DataError) as raised:
        rt.check(rows, quasi=["a"])
    assert raised.value.code == "table-unfit"
    assert raised.value.data["fault"] == "no-rows"


@pytest.mark.parametrize("rows", [polars.DataFrame(), pandas.DataFrame(), pyarrow.table({}), {}], ids=["polars", "pandas", "pyarrow", "dict"])
def test_no_columns(rows: Any) -> None:
    with pytest.raises(rt.InvalidError, match="column"):
        rt.check(rows, quasi=["a"])
    with pytest.raises(rt.InvalidError):
        rt.k_anonymity(rows, ["a"])


def test_ten_thousand_columns() -> None:
    columns = {f"c{number}": [1, 1, 2, 2] for number in range(10_000)}
    started = time.monotonic()
    for rows in (columns, polars.DataFrame(columns), pandas.DataFrame(columns), pyarrow.table(columns)):
        assert rt.k_anonymity(rows, ["c0", "c9999"]) == 2
    assert time.monotonic() - started < PATIENCE


def test_check_of_two_thousand_columns() -> None:
    # The time grows with the square of the number of columns of the policy, so this table has fewer.
    columns = {f"c{number}": [1, 1, 2, 2] for number in range(2_000)}
    started = time.monotonic()
    assert rt.check(columns, quasi=["c0"]).k == 2
    assert rt.check(columns, quasi=list(columns)).k == 2
    assert time.monotonic() - started < PATIENCE


def test_missing_file() -> None:
    for name in ("absent.csv", Path("absent.parquet"), ["absent.csv"]):
        with pytest.raises(rt.InvalidError, match="absent") as raised:
            rt.check(name, quasi=["a"])
        assert raised.value.code == "file-not-found"


def test_folder_without_files() -> None:
    Path("empty").mkdir()
    with pytest.raises(rt.InvalidError) as raised:
        rt.check("empty", quasi=["a"])
    assert (raised.value.code, raised.value.data) == ("file-not-found", {"pattern": "empty"})


def test_file_that_is_no_table() -> None:
    Path("broken.parquet").write_bytes(b"PAR1" + CANARY.encode() * 20 + b"PAR1")
    with pytest.raises(rt.InvalidError, match="broken.parquet") as raised:
        rt.check("broken.parquet", quasi=["a"])
    assert raised.value.code == "file-malformed"
    assert_hides(raised.value, CANARY)


def test_failing_stream_is_not_quoted() -> None:
    class Failing:
        def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
            raise ValueError(CANARY)

    with pytest.raises(rt.DataError) as raised:
        rt.draft(Failing())
    assert raised.value.code == UNREADABLE
    assert_hides(raised.value, CANARY)


def test_stream_that_fails_later_is_not_quoted() -> None:
    def batches() -> Any:
        yield pyarrow.record_batch({"a": ["x"]})
        raise ValueError(CANARY)

    class Failing:
        def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
            reader = pyarrow.RecordBatchReader.from_batches(pyarrow.schema({"a": pyarrow.string()}), batches())
            return reader.__arrow_c_stream__(requested_schema)

    with pytest.raises(rt.DataError) as raised:
        rt.k_anonymity(Failing(), ["a"])
    assert raised.value.code == UNREADABLE
    assert_hides(raised.value, CANARY)


def test_interrupt_of_a_stream_is_passed_on() -> None:
    class Interrupted:
        def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rt.draft(Interrupted())


def test_policy_that_lacks_a_column(unwritten: rt.Ledger) -> None:
    rows = {**PEOPLE, "salary": [CANARY] * 12}
    for call in (unwritten.check, unwritten.plan):
        with pytest.raises(rt.PolicyError, match="`salary`") as raised:
            call(rows)
        assert raised.value.code == "policy-invalid"
        assert_hides(raised.value, CANARY)


def test_policy_with_an_unknown_key() -> None:
    with pytest.raises(rt.PolicyError, match="release.secd") as raised:
        rt.Policy(quasi=["a"], k=2, sections={"release": {"secd": 1}})
    assert raised.value.code == "policy-invalid"
    assert isinstance(raised.value.data["line"], int)
    with pytest.raises(rt.PolicyError, match="colour"):
        rt.Policy(quasi={"a": rt.column(colour="red")}, k=2)


WRONG_POLICIES: dict[str, dict[str, Any]] = {
    "k": {"k": "five"},
    "k ": {"k": 1},
    "k  ": {"k": 2.5},
    "confidence": {"confidence": 1.5},
    "suppression": {"suppression": -0.1},
    "seed": {"seed": "x"},
    "algorithm": {"algorithm": "no-such-algorithm"},
    "audit": {"audit": "perhaps"},
    "preset": {"preset": "no-such-preset"},
    "purpose": {"purpose": {"classify": "no-such-column"}},
    "t-closeness": {"models": [rt.models.t_closeness(t=7)]},
}


@pytest.mark.parametrize("key", WRONG_POLICIES)
def test_wrong_value_in_a_policy(key: str) -> None:
    with pytest.raises(rt.PolicyError, match=key.strip()):
        # Parameters of models are checked together with data.
        rt.check(PEOPLE, people_policy(**WRONG_POLICIES[key]))


def test_wrong_types_of_policy_arguments() -> None:
    with pytest.raises(TypeError, match="object"):
        rt.Policy(quasi=["a"], k=object())  # type: ignore[arg-type]  # the mistake
    with pytest.raises(TypeError, match="list of column names"):
        rt.Policy(quasi="age", k=2)
    with pytest.raises(ValueError, match="several roles"):
        rt.Policy(quasi=["age"], sensitive=["age"], k=2)
    with pytest.raises(ValueError, match="not both"):
        rt.Policy(quasi=["age"], owner="id", algorithm="mondrian", method="anatomy")
    with pytest.raises(TypeError, match="list of column names"):
        rt.k_anonymity(PEOPLE, "age")
    with pytest.raises(ValueError, match="not both"):
        rt.check(PEOPLE, people_policy(), quasi=["age"])


@pytest.mark.parametrize("name", ["", "a,b", "a/b", "x" * 81, "öffentlich\n1"])
def test_bad_recipient(name: str, unwritten: rt.Ledger) -> None:
    with pytest.raises(rt.InvalidError) as raised:
        unwritten.plan(PEOPLE, to=name)
    assert raised.value.code == "request-invalid"


def test_no_recipient(unwritten: rt.Ledger) -> None:
    with pytest.raises(rt.InvalidError) as raised:
        unwritten.plan(PEOPLE, to=[])
    assert raised.value.code == "no-recipient"


WRONG_ARGUMENTS: list[dict[str, Any]] = [
    {"to": [5]},
    {"seed": "x"},
    {"seed": -1},
    {"k": "x"},
    {"confidence": 1.5},
    {"name": "a/b"},
    {"time_limit": -1},
    {"columns": [5]},
    {"algorithm": "no-such-algorithm"},
    {"columns": ["no-such-column"]},
]


@pytest.mark.parametrize("arguments", WRONG_ARGUMENTS, ids=repr)
def test_wrong_argument_of_a_plan(arguments: dict[str, Any], unwritten: rt.Ledger) -> None:
    with pytest.raises(rt.InvalidError) as raised:
        unwritten.plan(PEOPLE, **arguments)
    assert raised.value.code


def test_argument_without_a_json_form(unwritten: rt.Ledger) -> None:
    with pytest.raises(TypeError, match="object"):
        unwritten.plan(PEOPLE, seed=object())  # type: ignore[arg-type]  # the mistake


def test_numbers_of_numpy_are_arguments(unwritten: rt.Ledger) -> None:
    plan = unwritten.plan(PEOPLE, people_policy(k=np.int64(2), confidence=np.float64(0.7)), seed=np.int64(9))  # type: ignore[arg-type]  # no int
    assert plan.seed == 9


def test_weaker_threshold_is_only_planned(unwritten: rt.Ledger) -> None:
    plan = unwritten.plan(PEOPLE, k=2, name="weak")
    assert plan.holds
    calls: list[Callable[[], object]] = [plan.publish, lambda: unwritten.publish(PEOPLE, k=2, name="weak")]
    for call in calls:
        with pytest.raises(rt.InvalidError) as raised:
            call()
        assert raised.value.code == "weaker-than-policy"
        assert raised.value.data == {"threshold": "k", "asked": 2.0, "own": 3.0}
    assert len(unwritten.log()) == 0
    assert not Path("weak.parquet").exists()


def test_call_without_a_policy() -> None:
    ledger = rt.Ledger.open("bare", create=True)
    calls: list[Callable[[], object]] = [
        lambda: ledger.plan(PEOPLE),
        lambda: ledger.publish(PEOPLE, name="none"),
        lambda: ledger.compare(PEOPLE),
        lambda: ledger.check(PEOPLE),
    ]
    for call in calls:
        with pytest.raises(rt.InvalidError) as raised:
            call()
        assert raised.value.code == "policy-missing"


MEASURES: list[tuple[Callable[[], object], str]] = [
    (lambda: rt.k_anonymity(PEOPLE, ["nowhere"]), "column-unknown"),
    (lambda: rt.check(PEOPLE, quasi=["age", "nowhere"]), "column-unknown"),
    (lambda: rt.l_diversity(PEOPLE, ["age"], "nowhere"), "column-unknown"),
    (lambda: rt.k_anonymity(PEOPLE, []), "parameter-invalid"),
    (lambda: rt.measure(PEOPLE, "nothing", ["age"]), "no-such-entry"),
    (lambda: rt.t_closeness(PEOPLE, ["age"], "disease", distance="far"), "parameter-invalid"),
    (lambda: rt.measure(PEOPLE, "t-closeness", ["age"], "disease", speed=1), "request-invalid"),
    (lambda: rt.explain("nothing"), "no-such-error-code"),
]


@pytest.mark.parametrize("at", range(len(MEASURES)))
def test_wrong_argument_of_a_measure(at: int) -> None:
    call, code = MEASURES[at]
    with pytest.raises(rt.InvalidError) as raised:
        call()
    assert raised.value.code == code
    assert isinstance(raised.value, ValueError)
