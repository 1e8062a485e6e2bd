"""The history must not get lost between two calls: lost, replaced and restored ledgers, folders, processes."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import warnings
from multiprocessing.context import ForkContext, SpawnContext
from pathlib import Path
from typing import Any

import pytest

import reticent as rt

from helpers import CANARY, PEOPLE, people_policy


def test_a_ledger_that_is_lost_is_an_error_although_it_was_created_here() -> None:
    ledger = rt.Ledger.open("ledger", policy=people_policy(), create=True)
    ledger.publish(PEOPLE, name="one")
    plan = ledger.plan(PEOPLE)
    shutil.move("ledger", "moved")
    with pytest.raises(rt.InvalidError) as caught:
        ledger.publish(PEOPLE, name="two")
    assert caught.value.code == "ledger-missing"
    with pytest.raises(rt.InvalidError) as caught:
        plan.publish("two")
    assert caught.value.code in {"ledger-missing", "plan-outdated"}
    assert not Path("ledger").exists() and not Path("two.parquet").exists()


def test_a_plan_is_refused_by_an_older_copy_of_the_ledger() -> None:
    ledger = rt.Ledger.open("ledger", policy=people_policy(), create=True)
    shutil.copytree("ledger", "older")
    ledger.publish(PEOPLE, name="one")
    plan = ledger.plan(PEOPLE)
    shutil.rmtree("ledger")
    shutil.move("older", "ledger")
    with pytest.raises(rt.InvalidError) as caught:
        plan.publish("two")
    assert caught.value.code == "plan-outdated"
    assert not Path("two.parquet").exists()


def test_another_working_folder_changes_neither_ledger_nor_release(tmp_path: Path) -> None:
    ledger = rt.Ledger.open("ledger", policy=people_policy(), create=True)
    plan = ledger.plan(PEOPLE, name="one")
    release = plan.publish()
    other = tmp_path / "other"
    other.mkdir()
    os.chdir(other)
    assert release.to_polars().height == 12
    assert [entry["name"] for entry in ledger.log().releases] == ["one"]
    second = ledger.publish(PEOPLE, name="two")
    assert second.to_dict()["judged"] == {"scope": "history", "with": [1]}
    assert sorted(path.name for path in other.iterdir()) == ["two.parquet"]


def test_a_warning_as_an_error_does_not_hide_a_recorded_release() -> None:
    ledger = rt.Ledger.open("ledger", policy=people_policy(), create=True)
    ledger.publish(PEOPLE, name="one")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        release = ledger.publish(PEOPLE, name="two", ignore_history=True)
    assert release.number == 2
    with pytest.warns(rt.ReticentWarning, match="without the earlier releases 1, 2"):
        ledger.plan(PEOPLE, ignore_history=True)


def test_an_exception_after_the_release_was_recorded_says_so() -> None:
    def fail(stage: str, done: int, total: int) -> None:
        if ledger_has("one"):
            raise RuntimeError("late")

    def ledger_has(name: str) -> bool:
        entries = rt.Ledger.open("ledger").log().releases
        return any(entry["name"] == name for entry in entries)

    rt.Ledger.open("ledger", create=True)
    ledger = rt.Ledger.open("ledger", policy=people_policy(), progress=fail)
    try:
        ledger.publish(PEOPLE, name="one")
    except RuntimeError as error:
        assert any("completed" in note for note in error.__notes__)
    assert ledger_has("one")


def test_an_owner_that_is_a_number_is_not_quoted() -> None:
    ledger = rt.Ledger.open("ledger", policy=people_policy(), create=True)
    ledger.publish(PEOPLE, name="one")
    with pytest.raises(rt.ReticentError) as caught:
        ledger.erase(7712345678, "request of 2026", confirmed=True)
    assert caught.value.code == "owner-not-found"
    assert "7712345678" not in str(caught.value) + repr(caught.value.data)
    with pytest.raises(rt.ReticentError) as caught:
        ledger.erase([CANARY], "request", confirmed=True)  # type: ignore[arg-type] # a wrong type, on purpose
    assert CANARY not in str(caught.value)


def _plan_in_child(queue: multiprocessing.Queue[str]) -> None:
    try:
        rt.check(PEOPLE, people_policy())
        queue.put("checked")
    except rt.InvalidError as error:
        queue.put(error.code)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize(
    ("context", "expected"),
    [(multiprocessing.get_context("fork"), "process-forked"), (multiprocessing.get_context("spawn"), "checked")],
)
def test_a_forked_process_gets_an_error_instead_of_waiting_forever(
    context: ForkContext | SpawnContext, expected: str
) -> None:
    rt.check(PEOPLE, people_policy())
    queue: multiprocessing.Queue[str] = context.Queue()
    child = context.Process(target=_plan_in_child, args=(queue,))
    child.start()
    assert queue.get(timeout=60) == expected
    child.join(timeout=60)


def test_a_saved_notebook_has_no_small_counts() -> None:
    people: dict[str, list[Any]] = {"age": [30] * 40 + [31, 32, 33], "disease": ["flu", "gout"] * 21 + ["flu"]}
    policy = rt.Policy(quasi={"age": rt.column(type="number")}, sensitive=["disease"], k=3, seed=1)
    ledger = rt.Ledger.open("ledger", policy=policy, create=True)
    plan = ledger.plan(people)
    for answer in (ledger.check(people), plan, plan.publish("one"), ledger.compare(people), ledger.audit(confidence=0.9)):
        bundle = answer._repr_mimebundle_()
        assert sorted(bundle) == ["text/html", "text/plain"]
        assert not any(letter.isdigit() for letter in bundle["text/plain"]), bundle["text/plain"]
        assert bundle["text/html"] == answer.html(internal=False)
