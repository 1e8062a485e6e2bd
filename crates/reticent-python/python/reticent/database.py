"""Tables and queries of databases as rows: DuckDB, PostgreSQL, Apache Spark and SQLite, through ADBC drivers."""

from __future__ import annotations

import importlib
import os
from dataclasses import dataclass
from typing import Any

from . import _native
from .errors import InvalidError

# Python packages with drivers, and the environment variable that names the library of each.
_DRIVERS = {
    "postgresql": ("adbc_driver_postgresql", "RETICENT_DRIVER_POSTGRESQL"),
    "spark": ("adbc_driver_spark", "RETICENT_DRIVER_SPARK"),
    "sqlite": ("adbc_driver_sqlite", "RETICENT_DRIVER_SQLITE"),
}


@dataclass(frozen=True)
class DatabaseRows:
    """A table or query of a database. Functions that take rows take it, too; they connect when they are called.

    Use :func:`connect` to make one. The rows stay in the database: it groups and counts them. Only for policies with an owner, every
    row is read, because the pseudonyms are computed in this process.
    """

    engine: str
    uri: str
    table: str | None = None
    query: str | None = None
    timeout: int | None = None

    def _request(self) -> dict[str, Any]:
        return {"engine": self.engine, "uri": self.uri, "table": self.table, "query": self.query, "timeout": self.timeout}


@dataclass(frozen=True)
class Database:
    """A database. Nothing is connected until rows are read, so there is nothing to close; ``with`` works, too."""

    engine: str
    uri: str
    timeout: int | None = None

    def table(self, name: str) -> DatabaseRows:
        """Returns the rows of a table or view. Dots separate a schema from the table: ``"clinic.visits"``."""
        return DatabaseRows(self.engine, self.uri, table=name, timeout=self.timeout)

    def query(self, sql: str) -> DatabaseRows:
        """Returns the rows of a query. It runs in a transaction that cannot write."""
        return DatabaseRows(self.engine, self.uri, query=sql, timeout=self.timeout)

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def connect(uri: str, *, engine: str | None = None, timeout: int | None = None) -> Database:
    """Returns a database with tables to check, plan and publish.

    Args:
        uri: Address without a password, such as ``"postgresql://ann@db.example.org/clinic"`` or ``"sc://spark.example.org:15002"``,
            or the path of a file of DuckDB or SQLite. The driver takes credentials from its environment or its own files.
        engine: ``"duckdb"``, ``"postgresql"``, ``"spark"`` or ``"sqlite"``, if the address does not show it.
        timeout: Seconds without an answer after which a call fails; 3600 if none.

    The driver is a library: the packages ``adbc-driver-postgresql``, ``adbc-driver-sqlite`` and ``adbc-driver-spark`` contain it.
    Otherwise the environment variable ``RETICENT_DRIVER_ENGINE`` names it, for example ``RETICENT_DRIVER_DUCKDB``.

    >>> connect("clinic.sqlite").table("visits")
    DatabaseRows(engine='sqlite', uri='clinic.sqlite', table='visits', query=None, timeout=None)
    """
    engine = engine or _native.engine_of(uri)
    if engine is None:
        raise InvalidError("the address does not show the kind of database; pass engine=", "usage", {})
    _find_driver(engine)
    return Database(engine, uri, timeout)


def _find_driver(engine: str) -> None:
    """Names the library of an installed driver package to the native module, unless the environment names one."""
    if engine not in _DRIVERS:
        return
    package, variable = _DRIVERS[engine]
    if variable in os.environ:
        return
    try:
        os.environ[variable] = str(importlib.import_module(package)._driver_path())
    except ImportError:
        # The native module looks in the places that ADBC defines, and names the driver if it finds none.
        return
