"""A release made from Python has the same bytes as one made by the command from the same data, policy, key and seed."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars
import pytest

import reticent as rt
from helpers import HOSPITAL, names_of_files, run_command, write_csv


def rows(number: int, seed: int) -> dict[str, list[Any]]:
    random_ = random.Random(seed)
    return {
        "id": [f"P-{owner}" for owner in range(number)],
        "age": [random_.randrange(18, 90) for _ in range(number)],
        "pay": [random_.choice([None, *range(1000, 5000, 250)]) for _ in range(number)],
        "born": [f"19{random_.randrange(40, 99)}-0{random_.randrange(1, 10)}-1{random_.randrange(10)}" for _ in range(number)],
        "city": [random_.choice(["Paris", "Lyon", "Oslo", "Lima"]) for _ in range(number)],
        "disease": [random_.choice(["flu", "gout", "asthma", "angina"]) for _ in range(number)],
        "ward": [random_.choice("ABC") for _ in range(number)],
    }


def policies() -> Iterator[tuple[str, rt.Policy]]:
    roles: dict[str, Any] = {
        "quasi": {
            "age": rt.column(type="number"),
            "pay": rt.column(type="number", intervals=[500, 1000, 2000]),
            "born": rt.column(type="date", intervals=["month", "year", "decade"]),
            "city": rt.column(taxonomy={"Europe": {"France": ["Paris", "Lyon"], "Norway": ["Oslo"]}, "America": ["Lima"]}),
        },
        "sensitive": ["disease"],
        "other": ["ward"],
        "owner": "id",
        "dataset": "people",
    }
    yield "several algorithms", rt.Policy(**roles, k=4, confidence=0.9, seed=11)
    yield "mondrian", rt.Policy(**roles, k=3, models=[rt.models.distinct_l_diversity(l=2)], algorithm="mondrian", seed=12)
    yield "top-down", rt.Policy(**roles, k=5, algorithm="top-down-specialization", suppression=0.1, seed=13)
    roles.pop("owner")
    roles["identifiers"] = ["id"]
    yield "without owner", rt.Policy(**roles, k=5, algorithm=rt.algorithms.optimal_full_domain(), seed=14)


POLICIES = dict(policies())


def ledgers(by_python: Path, by_command: Path) -> rt.Ledger:
    """Creates a ledger and a copy of it. Pseudonyms, and with them the order of people, depend on its key and its random id."""
    ledger = rt.Ledger.open(by_python / "ledger", create=True)
    shutil.copytree(by_python / "ledger", by_command / "ledger")
    shutil.copy(by_python / "reticent.key", by_command / "reticent.key")
    return ledger


@pytest.mark.parametrize(
    ("name", "ending"),
    [
        ("several algorithms", "csv"),
        ("several algorithms", "parquet"),
        ("mondrian", "csv.gz"),
        ("mondrian", "parquet"),
        ("top-down", "csv"),
        ("top-down", "csv.zst"),
        ("without owner", "csv"),
        ("without owner", "parquet"),
    ],
)
def test_file(name: str, ending: str, tmp_path: Path) -> None:
    policy = POLICIES[name]
    by_python, by_command = tmp_path / "python", tmp_path / "command"
    by_python.mkdir()
    by_command.mkdir()
    file = policy.write(by_command / "reticent.toml")
    ledger = ledgers(by_python, by_command)
    people = rows(90, 1)
    # The second release is judged with the first one.
    for number, part in enumerate((slice(0, 80), slice(10, 90))):
        columns = {column: cells[part] for column, cells in people.items()}
        data = write_csv(by_command / f"data-{number}.csv", columns)
        release = ledger.publish(
            polars.DataFrame(columns), policy, to=["research"], name=f"r{number}", output=by_python / f"r{number}.{ending}"
        )
        output = by_command / f"r{number}.{ending}"
        answer = run_command(
            "publish", data, "--policy", file, "--name", f"r{number}", "--to", "research", "-o", output
        )
        assert output.read_bytes() == release.path.read_bytes()
        assert answer["recorded"]["sha256"] == release.sha256
        assert (answer["published"], answer["risk"], answer["metrics"]) == tuple(
            release.to_dict()[field] for field in ("published", "risk", "metrics")
        )


def test_file_and_data_frame(tmp_path: Path) -> None:
    columns = rows(80, 6)
    contents = set()
    forms: list[rt.Rows] = [columns, polars.DataFrame(columns), write_csv(tmp_path / "data.csv", columns)]
    for number, data in enumerate(forms):
        ledger = rt.Ledger.open(tmp_path / str(number) / "ledger", create=True)
        release = ledger.publish(data, POLICIES["mondrian"], name="first", output=tmp_path / f"{number}.csv")
        contents.add(release.path.read_bytes())
    assert len(contents) == 1


@pytest.mark.parametrize("method", ["m-invariance", "history-guided", "incremental-l-diversity"])
def test_folder_of_a_method(method: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {"m": 3} if method == "m-invariance" else {"l": 3}
    policy = rt.Policy(
        owner="patient",
        quasi={"age": rt.column(type="number"), "sex": None, "town": rt.column(taxonomy=str(HOSPITAL / "taxonomies" / "town.csv"))},
        sensitive=["diagnosis"],
        method=rt.Spec(method, options),
        seed=7,
    )
    by_python, by_command = tmp_path / "python", tmp_path / "command"
    by_python.mkdir()
    by_command.mkdir()
    file = policy.write(by_command / "reticent.toml")
    ledger = ledgers(by_python, by_command)
    for month in ("january", "february", "march"):
        release = ledger.publish(polars.read_csv(HOSPITAL / f"{month}.csv"), policy, name=month, output=by_python / month)
        output = by_command / month
        run_command("publish", HOSPITAL / f"{month}.csv", "--policy", file, "--name", month, "-o", output)
        assert names_of_files(output) == names_of_files(release.path) != []
        for name in names_of_files(output):
            assert (output / name).read_bytes() == (release.path / name).read_bytes(), name


def test_plan_publishes_what_the_command_publishes(tmp_path: Path) -> None:
    policy = POLICIES["several algorithms"]
    by_python, by_command = tmp_path / "python", tmp_path / "command"
    by_python.mkdir()
    by_command.mkdir()
    file = policy.write(by_command / "reticent.toml")
    ledger = ledgers(by_python, by_command)
    columns = rows(60, 3)
    release = ledger.plan(columns, policy, name="r").publish(output=by_python / "r.csv")
    run_command("publish", write_csv(by_command / "data.csv", columns), "--policy", file, "--name", "r", "-o", by_command / "r.csv")
    assert (by_command / "r.csv").read_bytes() == release.path.read_bytes()


def test_both_use_one_ledger(tmp_path: Path) -> None:
    policy = POLICIES["mondrian"]
    file = policy.write("reticent.toml")
    ledger = rt.Ledger.open(policy=file, create=True)
    columns = rows(60, 4)
    ledger.publish(columns, name="by-python", output="by-python.csv")
    run_command("publish", write_csv(Path("data.csv"), columns), "--name", "by-command", "-o", "by-command.csv")
    assert [release["name"] for release in ledger.log().releases] == ["by-python", "by-command"]
    assert run_command("verify")["intact"]
    assert ledger.verify().status == "authentic"
    shown = run_command("show", "by-python")
    assert shown == ledger.show("by-python").to_dict()


def test_answers_have_the_fields_of_the_command(tmp_path: Path) -> None:
    policy = POLICIES["mondrian"]
    policy.write("reticent.toml")
    data = write_csv(Path("data.csv"), rows(60, 5))
    checked = rt.check(data, "reticent.toml").to_dict()
    assert run_command("check", data, status=1) == checked
    ledger = rt.Ledger.open(policy="reticent.toml", create=True)
    ledger.publish(data, name="first", output="first.csv")
    # Python names the ledger by its absolute path.
    place = ("--policy", Path("reticent.toml").absolute())
    assert run_command("audit", *place) == ledger.audit().to_dict()
    assert run_command("history", "for", "public", *place) == ledger.history("public").to_dict()
    by_command = run_command("verify", *place)
    assert by_command == ledger.verify().to_dict()
