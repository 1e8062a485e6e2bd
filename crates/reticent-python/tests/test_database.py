"""Tables of databases as rows. SQLite is tested here; the other databases have the same code below Python."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import polars
import pytest

import reticent as rt
from helpers import CANARY, PEOPLE, people_policy


@pytest.fixture
def database(tmp_path: Path) -> rt.Database:
    path = tmp_path / "clinic.sqlite"
    rows = list(zip(*PEOPLE.values(), strict=True))
    columns = ", ".join(f'"{name}"' for name in PEOPLE)
    with sqlite3.connect(path) as connection:
        connection.execute(f"CREATE TABLE people ({columns})")
        connection.executemany(f"INSERT INTO people VALUES ({', '.join('?' * len(PEOPLE))})", rows)
    return rt.connect(str(path))


def test_same_release_as_from_a_frame(database: rt.Database, tmp_path: Path) -> None:
    digests = []
    for name, rows in (("table", database.table("people")), ("query", database.query("SELECT * FROM people")), ("frame", PEOPLE)):
        ledger = rt.Ledger.open(tmp_path / name / "ledger", policy=people_policy(), create=True)
        release = ledger.plan(rows, to="university", seed=7).publish("first", output=tmp_path / f"{name}.parquet")
        digests.append(polars.DataFrame(release).write_csv())
    assert digests[0] == digests[1] == digests[2]


def test_check(database: rt.Database) -> None:
    with database as connected:
        assert rt.check(connected.table("people"), people_policy()).k == rt.check(PEOPLE, people_policy()).k


@pytest.mark.parametrize(
    ("uri", "engine"),
    [
        ("postgresql://ann@db.example.org/clinic", "postgresql"),
        ("postgres://db.example.org/clinic", "postgresql"),
        ("sc://spark.example.org:15002", "spark"),
        ("clinic.duckdb", "duckdb"),
        (":memory:", "duckdb"),
        ("clinic.sqlite", "sqlite"),
    ],
)
def test_kinds_of_addresses(uri: str, engine: str) -> None:
    assert rt.connect(uri).engine == engine
    assert rt.connect(uri, engine="duckdb").engine == "duckdb"


def test_unclear_address() -> None:
    with pytest.raises(rt.InvalidError, match="engine="):
        rt.connect("https://db.example.org")


def test_errors(database: rt.Database, tmp_path: Path) -> None:
    with pytest.raises(rt.ReticentError) as missing:
        rt.k_anonymity(database.table("nobody"), ["age"])
    assert missing.value.code == "database-table-unknown"
    with pytest.raises(rt.ReticentError) as unreachable:
        rt.k_anonymity(rt.connect(str(tmp_path / "none.sqlite")).table("t"), ["age"])
    assert unreachable.value.code == "database-unreachable"
    with pytest.raises(rt.ReticentError) as secret:
        rt.k_anonymity(rt.connect(f"postgresql://ann:{CANARY}@db.example.org/clinic").table("t"), ["age"])
    assert secret.value.code == "uri-has-secret"
    assert CANARY not in str(secret.value)


def test_table_of_a_database(tmp_path: Path) -> None:
    destination = tmp_path / "research.sqlite"
    sqlite3.connect(destination).close()
    policy = rt.Policy.parse(
        '[columns.id]\nrole = "identifier"\n[columns.age]\ntype = "number"\n[columns.city]\n[columns.disease]\nrole = "sensitive"\n'
        f'[requirement]\nk = 3\n[destination]\nengine = "sqlite"\nuri = "{destination}"\n'
    )
    rt.connect(str(destination))
    ledger = rt.Ledger.open(tmp_path / "ledger", policy=policy, create=True)
    release = ledger.plan(PEOPLE, to="university", seed=7).publish("first", output=tmp_path / "first")
    assert release.path == tmp_path / "first.release.json"
    with sqlite3.connect(destination) as connection:
        assert connection.execute("SELECT count(*) FROM first").fetchone() == (len(PEOPLE["age"]),)
    with pytest.raises(TypeError, match="table first of a database"):
        polars.DataFrame(release)
