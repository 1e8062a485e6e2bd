"""Long calls: Ctrl-C, progress, threads."""

from __future__ import annotations

import builtins
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import polars
import pytest

import reticent as rt
from helpers import PATIENCE, PEOPLE, names_of_files, people_policy


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """300,000 rows with as many distinct combinations. A plan takes more than half a minute."""
    random_ = random.Random(1)
    rows = range(300_000)
    frame = polars.DataFrame(
        {
            "a": [random_.randrange(10**6) for _ in rows],
            "b": [random_.randrange(1000) for _ in rows],
            "c": [str(random_.randrange(1000)) for _ in rows],
            "d": [random_.choice("xyzuvw") for _ in rows],
        }
    )
    path = tmp_path_factory.mktemp("big") / "big.parquet"
    frame.write_parquet(path)
    return path


BIG_POLICY = """
import reticent as rt
policy = rt.Policy(
    quasi={"a": rt.column(type="number"), "b": rt.column(type="number"), "c": None}, sensitive=["d"], k=5, confidence=0.8, seed=1
)
"""

CALLS = {
    "plan of a frame": "ledger.plan(polars.read_parquet(path))",
    "publish of a file": "ledger.publish(path, name='big', output='big.csv')",
    "compare": "ledger.compare(path, k=[5, 10, 20])",
}


@pytest.mark.parametrize("call", CALLS)
def test_interrupt(call: str, big: Path, tmp_path: Path) -> None:
    program = BIG_POLICY + textwrap.dedent(f"""
        import sys, polars
        path = sys.argv[1]
        ledger = rt.Ledger.open("ledger", policy=policy, create=True)
        print("started", flush=True)
        try:
            {CALLS[call]}
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        # The ledger can be used at once.
        print(len(ledger.log()), ledger.verify().intact, ledger.verify().status, flush=True)
    """)
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(big)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    started = time.monotonic()
    first = process.stdout.readline()
    waited = time.monotonic() - started
    rest, errors = process.communicate(timeout=30)
    assert first == "interrupted\n", errors
    assert waited < PATIENCE
    assert rest == "0 True authentic\n"
    assert process.returncode == 0
    left = names_of_files(tmp_path)
    assert {name for name in left if not name.startswith("ledger")} == {"reticent.key"}
    assert not [name for name in left if "under-way" in name or "unnamed" in name]
    assert not [name for name in left if name.startswith(("ledger/bodies/", "ledger/links/"))]


class Stop(Exception):
    """Raised by a receiver of progress."""


@pytest.mark.parametrize("verb", ["plan", "publish", "compare", "plan.publish"])
def test_exception_of_the_receiver_cancels(verb: str, tmp_path: Path) -> None:
    is_armed = verb != "plan.publish"

    def receive(stage: str, done: int, total: int) -> None:
        if is_armed:
            raise Stop(stage)

    ledger = rt.Ledger.open(tmp_path / "ledger", policy=people_policy(), create=True, progress=receive)
    before = set(names_of_files(tmp_path))
    calls: dict[str, Any] = {
        "plan": lambda: ledger.plan(PEOPLE),
        "publish": lambda: ledger.publish(PEOPLE, name="first", output="first.csv"),
        "compare": lambda: ledger.compare(PEOPLE, k=[2, 3]),
    }
    if verb == "plan.publish":
        plan = ledger.plan(PEOPLE)
        is_armed = True
        calls[verb] = lambda: plan.publish("first", "first.csv")
    with pytest.raises(Stop):
        calls[verb]()
    is_armed = False
    # A call that reports its progress after its last step has succeeded.
    assert not Path("first.csv").exists() or len(ledger.log()) == 1
    if not ledger.log().entries:
        assert {name for name in set(names_of_files(tmp_path)) - before if not name.startswith("ledger")} == set()
    assert ledger.verify().intact
    assert ledger.publish(PEOPLE, name="second", output="second.csv").holds


def test_progress_of_a_long_call_is_cancelled_soon(big: Path, tmp_path: Path) -> None:
    times: list[float] = []

    def receive(stage: str, done: int, total: int) -> None:
        if stage == "grouping":
            times.append(time.monotonic())
            raise Stop

    names: dict[str, Any] = {}
    exec(BIG_POLICY, names)
    ledger = rt.Ledger.open(tmp_path / "ledger", policy=names["policy"], create=True, progress=receive)
    counts = {"steps": 0}
    is_done = threading.Event()

    def count() -> None:
        while not is_done.is_set():
            counts["steps"] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    started = time.monotonic()
    try:
        with pytest.raises(Stop):
            ledger.plan(big)
    finally:
        is_done.set()
        thread.join()
    ended = time.monotonic()
    assert ended - times[0] < PATIENCE
    # Another thread of Python runs during the call.
    assert counts["steps"] > 100 * (ended - started)


def test_receiver_gets_stages(tmp_path: Path) -> None:
    events: list[tuple[str, int, int]] = []
    ledger = rt.Ledger.open(
        tmp_path / "ledger", policy=people_policy(), create=True, progress=lambda *event: events.append(event)
    )
    ledger.publish(PEOPLE, name="first", output="first.csv")
    stages = {stage for stage, _, _ in events}
    assert "counting" in stages
    assert all(isinstance(stage, str) and 0 <= done and (done <= total or not total) for stage, done, total in events)
    of_check: list[tuple[str, int, int]] = []
    rt.check(PEOPLE, people_policy(), progress=lambda *event: of_check.append(event))
    assert of_check


def test_progress_bar(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tqdm warns about notebooks without widgets
        rt.check(PEOPLE, people_policy(), progress=True)
    assert "counting" in capfd.readouterr().err


def test_progress_bar_without_tqdm(monkeypatch: pytest.MonkeyPatch) -> None:
    original = builtins.__import__

    def without_tqdm(name: str, *arguments: Any, **keys: Any) -> Any:
        if name.split(".")[0] == "tqdm":
            raise ImportError(f"No module named {name!r}")
        return original(name, *arguments, **keys)

    monkeypatch.setattr(builtins, "__import__", without_tqdm)
    with pytest.raises(ImportError, match="pip install tqdm"):
        rt.check(PEOPLE, people_policy(), progress=True)


def test_two_ledgers_in_two_threads(tmp_path: Path) -> None:
    random_ = random.Random(3)
    tables: list[dict[str, list[Any]]] = [
        {
            "age": [random_.randrange(90) for _ in range(400)],
            "city": [random_.choice(["Paris", "Lyon"]) for _ in range(400)],
            "disease": [random_.choice(["flu", "gout", "asthma"]) for _ in range(400)],
        }
        for _ in range(2)
    ]
    policy = people_policy(owner=None)

    def publish(folder: Path, table: dict[str, list[Any]]) -> None:
        folder.mkdir(parents=True)
        ledger = rt.Ledger.open(folder / "ledger", policy=policy, create=True)
        for number in range(2):
            ledger.publish(table, name=f"r{number}", output=folder / f"r{number}.csv")

    for number, table in enumerate(tables):
        publish(tmp_path / "one after the other" / str(number), table)
    threads = [
        threading.Thread(target=publish, args=(tmp_path / "together" / str(number), table)) for number, table in enumerate(tables)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(2):
        for name in ("r0.csv", "r1.csv"):
            one = tmp_path / "one after the other" / str(number) / name
            assert one.read_bytes() == (tmp_path / "together" / str(number) / name).read_bytes() != b""


def test_one_ledger_in_several_threads(ledger: rt.Ledger) -> None:
    failures: list[BaseException] = []

    def publish(number: int) -> None:
        try:
            ledger.publish(PEOPLE, name=f"r{number}", output=f"r{number}.csv")
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=publish, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert sorted(release["number"] for release in ledger.log().releases) == [1, 2, 3, 4]
    assert ledger.verify().intact
