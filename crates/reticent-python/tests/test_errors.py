"""Exceptions and warnings: classes, fields, remedies, locked and modified ledgers."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars
import pytest

import reticent as rt
from helpers import CANARY, HOSPITAL, PATIENCE, PEOPLE, assert_hides, people_policy
from reticent import errors


def make(code: str, class_: str, **fields: Any) -> rt.ReticentError:
    return errors._from_native(json.dumps({"code": code, "class": class_, "error": "text", "hints": [], **fields}))


CLASSES: list[tuple[str, str, type[rt.ReticentError], type[BaseException]]] = [
    ("requirement-unreachable", "refused", rt.Refused, rt.ReticentError),
    ("request-invalid", "invalid", rt.InvalidError, ValueError),
    ("policy-invalid", "invalid", rt.PolicyError, rt.InvalidError),
    ("taxonomy-invalid", "invalid", rt.PolicyError, ValueError),
    ("column-unfit", "invalid", rt.DataError, rt.InvalidError),
    ("file-malformed", "invalid", rt.DataError, ValueError),
    ("ledger-io-failed", "io", rt.StorageError, OSError),
    ("ledger-inconsistent", "modified", rt.ModifiedError, rt.ReticentError),
    ("ledger-locked", "locked", rt.LockedError, rt.ReticentError),
    ("cancelled", "cancelled", rt.Cancelled, rt.ReticentError),
    ("internal-error", "internal", rt.InternalError, rt.ReticentError),
    ("a-new-code", "a-new-class", rt.ReticentError, Exception),
]


@pytest.mark.parametrize(("code", "class_", "expected", "base"), CLASSES)
def test_class_of_a_code(code: str, class_: str, expected: type[rt.ReticentError], base: type[BaseException]) -> None:
    error = make(code, class_)
    assert type(error) is expected
    assert isinstance(error, base)
    assert (error.code, error.data, error.hints, error.remedies, str(error)) == (code, {}, [], [], "text")


@pytest.mark.parametrize(("code", "class_", "expected", "base"), CLASSES)
def test_pickle(code: str, class_: str, expected: type[rt.ReticentError], base: type[BaseException]) -> None:
    error = make(code, class_, data={"line": 3}, hints=["verify"], refusal={"violations": [{"requirement": "k"}], "remedies": []})
    for copied in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(copied) is expected
        assert (str(copied), copied.args, vars(copied)) == (str(error), error.args, vars(error))


def test_pickle_of_a_refusal(ledger: rt.Ledger) -> None:
    with pytest.raises(rt.Refused) as raised:
        ledger.plan(PEOPLE, k=13)
    copied = pickle.loads(pickle.dumps(raised.value))
    assert copied.violations == raised.value.violations != []
    assert (copied.code, copied.remedies) == (raised.value.code, raised.value.remedies)


def test_unknown_hint_is_shown_as_it_is() -> None:
    error = make("a-new-code", "invalid", hints=["a-new-hint", "confirm"])
    assert error.remedies == ["a-new-hint", "to confirm, pass confirmed=True"]
    assert str(error) == "text\n- a-new-hint\n- to confirm, pass confirmed=True"


def test_remedy_of_a_refusal_works(ledger: rt.Ledger) -> None:
    # There are 12 people, so k = 13 cannot be met, and k = 12 can.
    policy = people_policy(k=13)
    with pytest.raises(rt.Refused, match="12") as raised:
        ledger.plan(PEOPLE, policy)
    refused = raised.value
    assert refused.code == "requirement-unreachable"
    (violation,) = refused.violations
    assert violation["worst"]["people"] == 12
    assert refused.earlier_violations == []
    (remedy, *_) = refused.refusal["remedies"]
    (threshold,) = remedy["thresholds"]
    assert threshold == {"model": "k-anonymity", "parameter": "k", "from": 13.0, "to": 12.0}
    assert "k = 12" in refused.remedies[0]
    release = ledger.publish(PEOPLE, policy.replace(requirement={"k": int(threshold["to"])}), name="remedied")
    assert (release.holds, release.k) == (True, 12)


def test_remedy_that_leaves_out_a_column(ledger: rt.Ledger) -> None:
    # Each of the three diseases has a share of one third.
    policy = people_policy(confidence=0.3)
    with pytest.raises(rt.Refused) as raised:
        ledger.plan(PEOPLE, policy)
    columns = next(remedy["columns"] for remedy in raised.value.refusal["remedies"] if "columns" in remedy)
    assert columns == ["disease"]
    assert ledger.plan(PEOPLE, policy, columns=["age", "city"]).holds
    threshold = next(remedy["thresholds"] for remedy in raised.value.refusal["remedies"] if "thresholds" in remedy)[0]
    assert threshold["to"] == pytest.approx(1 / 3, abs=0.01)
    assert ledger.plan(PEOPLE, policy.replace(requirement={"confidence": threshold["to"]})).holds


def test_refusal_hides_sensitive_values_and_identifiers(ledger: rt.Ledger) -> None:
    rows = {**PEOPLE, "id": [f"{CANARY}-{number}" for number in range(12)], "disease": ["flu"] * 11 + [CANARY]}
    with pytest.raises(rt.Refused) as raised:
        ledger.plan(rows, people_policy(confidence=0.5))
    assert_hides(raised.value, CANARY, "flu")


def test_unsigned_ledger_warns() -> None:
    policy = rt.Policy(quasi=["age"], k=2, sections={"ledger": {"path": "unsigned", "key": "none"}})
    ledger = rt.Ledger.open(policy=policy, create=True)
    with pytest.warns(rt.ReticentWarning, match="unsigned") as warned:
        ledger.publish({"age": ["x", "x"]}, name="first", output="first.csv")
    # The warning points to the code that called the package.
    assert {warning.filename for warning in warned} == {__file__}
    assert ledger.verify().status == "unauthenticated"


def test_warning_as_an_error_cancels_the_call() -> None:
    policy = rt.Policy(quasi=["age"], k=2, sections={"ledger": {"path": "unsigned", "key": "none"}})
    ledger = rt.Ledger.open(policy=policy, create=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(rt.ReticentWarning):
            ledger.plan({"age": ["x", "x"]})


def test_folder_of_the_output_is_missing(ledger: rt.Ledger) -> None:
    calls: list[Callable[[], object]] = [
        lambda: ledger.publish(PEOPLE, name="first", output="absent/first.csv"),
        lambda: ledger.plan(PEOPLE).publish("first", "absent/first.csv"),
    ]
    for call in calls:
        with pytest.raises(rt.StorageError, match="absent") as raised:
            call()
        assert isinstance(raised.value, OSError)
        assert raised.value.code == "ledger-io-failed"
        assert raised.value.data["path"] == "absent"
    assert len(ledger.log()) == 0
    assert not Path("absent").exists()


def test_output_exists(ledger: rt.Ledger) -> None:
    Path("first.csv").write_text("mine", encoding="utf-8")
    with pytest.raises(rt.InvalidError) as raised:
        ledger.publish(PEOPLE, name="first", output="first.csv")
    assert raised.value.code == "output-exists"
    assert Path("first.csv").read_text(encoding="utf-8") == "mine"


def test_ledger_is_missing() -> None:
    with pytest.raises(rt.InvalidError, match="create=True") as raised:
        rt.Ledger.open("absent")
    assert raised.value.code == "ledger-missing"
    assert not Path("absent").exists()


@contextmanager
def locked(ledger: Path) -> Iterator[None]:
    """Locks a ledger by another process."""
    program = textwrap.dedent("""
        import fcntl, sys
        lock = open(sys.argv[1], "r+")
        fcntl.flock(lock, fcntl.LOCK_EX)
        print("locked", flush=True)
        sys.stdin.read()
    """)
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(ledger / "lock")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "locked\n"
    try:
        yield
    finally:
        process.communicate()


def test_locked_ledger(ledger: rt.Ledger, tmp_path: Path) -> None:
    hasty = rt.Ledger.open(tmp_path / "ledger", policy=people_policy(), wait=0.2)
    with locked(tmp_path / "ledger"):
        started = time.monotonic()
        with pytest.raises(rt.LockedError, match="wait=SECONDS") as raised:
            hasty.publish(PEOPLE, name="first", output="first.csv")
        assert 0.1 < time.monotonic() - started < PATIENCE
        assert raised.value.code == "ledger-locked"
        # Reading needs no lock.
        assert len(hasty.log()) == 0
    assert not Path("first.csv").exists()
    assert hasty.publish(PEOPLE, name="first", output="first.csv").number == 1


def test_waits_for_another_process(ledger: rt.Ledger, tmp_path: Path) -> None:
    with locked(tmp_path / "ledger"):
        done: list[rt.Release] = []
        thread = threading.Thread(target=lambda: done.append(ledger.publish(PEOPLE, name="first", output="first.csv")))
        thread.start()
        thread.join(0.7)
        assert thread.is_alive()
    thread.join(20)
    assert [release.number for release in done] == [1]


MODIFIED: list[Callable[[rt.Release], object]] = [
    polars.DataFrame,
    lambda release: release.write("copy.csv"),
    lambda release: release.tables,
    lambda release: rt.k_anonymity(release, ["age"]),
]


@pytest.mark.parametrize("at", range(len(MODIFIED)))
def test_published_file_was_modified(at: int, ledger: rt.Ledger) -> None:
    release = ledger.publish(PEOPLE, name="first", output="first.csv")
    assert release.write("before.csv").read_bytes() == release.path.read_bytes()
    text = release.path.read_text(encoding="utf-8")
    release.path.write_text(text.replace("flu", "gout", 1), encoding="utf-8")
    with pytest.raises(rt.ModifiedError, match="first.csv") as raised:
        MODIFIED[at](release)
    assert raised.value.code == "release-modified"
    assert not Path("copy.csv").exists()
    verified = ledger.verify()
    assert (verified.intact, verified.status) == (False, "modified")


def test_published_folder_was_modified() -> None:
    ledger = rt.Ledger.open("ledger", policy=rt.Policy.read(HOSPITAL / "reticent.toml"), create=True)
    release = ledger.publish(HOSPITAL / "january.csv", name="january")
    assert set(release.tables) == {"people", "diagnosis"}
    copied = release.write("copy")
    assert {file.name: file.read_bytes() for file in copied.iterdir()} == {
        file.name: file.read_bytes() for file in release.path.iterdir()
    }
    (release.path / "people.csv").write_text("changed", encoding="utf-8")
    for call in (lambda: release.tables, lambda: release.write("second")):
        with pytest.raises(rt.ModifiedError) as raised:
            call()
        assert raised.value.code == "release-modified"
    assert not Path("second").exists()


def test_copy_of_a_release(ledger: rt.Ledger) -> None:
    release = ledger.publish(PEOPLE, name="first", output="first.csv")
    release.write("copy.csv")
    with pytest.raises(FileExistsError):
        release.write("copy.csv")
    with pytest.raises(ValueError, match="csv"):
        release.write("copy.parquet")


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.chmod(0o600)
    path.write_bytes(content)


@pytest.mark.parametrize("pattern", ["catalogue.sqlite", "seal.json", "bodies/*", "links/*"])
def test_ledger_was_modified(pattern: str, ledger: rt.Ledger, tmp_path: Path) -> None:
    ledger.publish(PEOPLE, name="first", output="first.csv")
    assert ledger.verify().intact
    files = sorted((tmp_path / "ledger").glob(pattern))
    assert files
    for file in files:
        before = file.read_bytes()
        flip(file)
        try:
            verified = ledger.verify()
            assert (verified.intact, verified.status, verified.holds) == (False, "modified", False)
            assert verified.problems
        except rt.ModifiedError as error:
            # The catalogue cannot be read at all.
            assert error.code.startswith("ledger")
        file.write_bytes(before)
    assert ledger.verify().intact


def test_modified_ledger_is_not_written(ledger: rt.Ledger, tmp_path: Path) -> None:
    ledger.publish(PEOPLE, name="first", output="first.csv")
    flip(tmp_path / "ledger" / "seal.json")
    with pytest.raises(rt.ModifiedError) as raised:
        ledger.publish(PEOPLE, name="second", output="second.csv")
    assert raised.value.hints == ["verify"]
    assert not Path("second.csv").exists()


def test_answers_are_not_pickled(ledger: rt.Ledger) -> None:
    with pytest.raises(TypeError, match="to_dict"):
        pickle.dumps(ledger.log())
