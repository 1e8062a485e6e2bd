"""Answers of the verbs. Each has typed properties for the main facts, and all fields in ``to_dict()`` (docs/json.md)."""

from __future__ import annotations

import importlib
import json
import os
import shutil
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from . import _native
from .errors import ModifiedError, StorageError
from .policy import Policy

T = TypeVar("T", bound="Answer")


class Answer:
    """An answer of a verb.

    In a notebook, it is displayed in its public variant: without values of single people and without small counts. So a saved
    notebook can be shared. ``display(internal=True)`` shows the internal variant.
    """

    def __init__(self, native: _native.Answer) -> None:
        self._native = native
        # Paths of an answer are relative to the working folder of the call.
        self._folder = Path.cwd()

    @cached_property
    def _fields(self) -> dict[str, Any]:
        fields: dict[str, Any] = json.loads(self._native.json())
        return fields

    def to_dict(self) -> dict[str, Any]:
        """Returns all fields, as the command prints them with ``--json``."""
        fields: dict[str, Any] = json.loads(self._native.json())
        return fields

    @property
    def holds(self) -> bool | None:
        """Whether every requirement holds; ``None`` if there is no verdict."""
        return self._native.holds

    def html(self, *, internal: bool = False) -> str:
        """Returns the answer as an HTML fragment. The internal variant contains confidential data about people."""
        return self._native.html(internal) or f"<pre>{_escaped(repr(self))}</pre>"

    def display(self, *, internal: bool = False) -> Display:
        """Returns an object that a notebook displays in the chosen variant."""
        return Display(self.html(internal=internal))

    def _repr_html_(self) -> str:
        return self.html()

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """Returns what a notebook saves. Its text has no figures, which ``repr`` shows."""
        verdict = "" if self.holds is None else f"(holds={self.holds})"
        return {"text/html": self.html(), "text/plain": f"{type(self).__name__}{verdict}"}

    @property
    def notes(self) -> list[str]:
        """Notes for the reader."""
        return list(self._fields.get("notes") or [])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({_short(self._fields)})"

    def __reduce__(self) -> str | tuple[Any, ...]:
        raise TypeError(f"{type(self).__name__} cannot be pickled; use to_dict()")


class Display:
    """HTML that a notebook displays."""

    def __init__(self, html: str) -> None:
        self._html = html

    def _repr_html_(self) -> str:
        return self._html


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _short(fields: dict[str, Any]) -> str:
    plain = {key: value for key, value in fields.items() if isinstance(value, str | int | float | bool) and len(str(value)) < 80}
    return ", ".join(f"{key}={value!r}" for key, value in list(plain.items())[:6])


@dataclass(frozen=True)
class SensitiveRisk:
    """Attribute disclosure risk of a sensitive column."""

    column: str
    #: Minimum number of distinct values in a class.
    distinct: int
    #: Minimum effective number of values in a class.
    entropy: float
    #: Maximum confidence of inferring a value.
    confidence: float
    #: Number of people in classes where all people have the same value.
    certain: int
    #: Maximum distance between a class and the whole table.
    closeness: float
    #: Ground distance of ``closeness``: ``ordered`` or ``equal``.
    distance: str


class Check(Answer):
    """The risk of the unprotected data, and whether it satisfies the policy."""

    @property
    def _risk(self) -> dict[str, Any]:
        data = self._fields.get("data") or {}
        risk: dict[str, Any] = data.get("risk") or {}
        return risk

    @property
    def records(self) -> int:
        """Number of records."""
        return int(self._risk.get("records", 0))

    @property
    def people(self) -> int:
        """Number of people."""
        return int(self._risk.get("people", 0))

    @property
    def k(self) -> int:
        """Number of people in the smallest equivalence class."""
        return int(self._risk.get("smallest_class", 0))

    @property
    def classes(self) -> int:
        """Number of equivalence classes."""
        return int(self._risk.get("classes", 0))

    @property
    def sample_unique(self) -> int:
        """Number of sample unique people: those in an equivalence class of one."""
        return int(self._risk.get("sample_unique", 0))

    @property
    def highest_risk(self) -> float:
        """Maximum prosecutor risk."""
        return float(self._risk.get("highest_risk", 0.0))

    @property
    def average_risk(self) -> float:
        """Mean prosecutor risk."""
        return float(self._risk.get("average_risk", 0.0))

    @property
    def sensitive(self) -> dict[str, SensitiveRisk]:
        """Risk of each sensitive column."""
        risks = (SensitiveRisk(**risk) for risk in self._risk.get("sensitive", []))
        return {risk.column: risk for risk in risks}

    @property
    def warnings(self) -> list[str]:
        """Warnings, for example about doubtful roles."""
        return list((self._fields.get("data") or {}).get("warnings", []))

    @property
    def notes(self) -> list[str]:
        """Notes for the reader."""
        return list((self._fields.get("data") or {}).get("notes", []))

    @property
    def violations(self) -> dict[str, int]:
        """Number of people in violating equivalence classes, by violated model."""
        models = (self._fields.get("data") or {}).get("models", [])
        return {model["model"]: model["people_in_violating_classes"] for model in models if not model["holds"]}

    def __repr__(self) -> str:
        if not self._risk:
            return f"Check({len(self._fields['requirements'])} requirements, no data)"
        return f"Check(holds={self.holds}, k={self.k}, sample_unique={self.sample_unique}, highest_risk={self.highest_risk:.3g})"


class Publication(Answer):
    """What a planned and a published release have in common."""

    @property
    def name(self) -> str:
        """Name of the release."""
        return str(self._fields["name"])

    @property
    def recipients(self) -> list[str]:
        """Recipients of the release."""
        return list(self._fields["recipients"])

    @property
    def algorithm(self) -> str:
        """Id of the algorithm, or of the republication method."""
        return str(self._fields.get("algorithm") or self._fields["method"])

    @property
    def records(self) -> int:
        """Number of records in the data."""
        return int(self._fields["records"])

    @property
    def published(self) -> int:
        """Number of records in the release."""
        return int(self._fields["published"])

    @property
    def suppressed(self) -> int:
        """Number of suppressed records; for a republication method, of withheld and postponed records."""
        if "suppressed" in self._fields:
            return int(self._fields["suppressed"])
        return sum(records["records"] for records in [*self._fields["withheld"], *self._fields["postponed"]])

    @property
    def classes(self) -> int:
        """Number of equivalence classes, or of groups of a republication method."""
        return int(self._fields.get("classes", self._fields.get("groups", 0)))

    @property
    def k(self) -> int | None:
        """Number of people in the smallest equivalence class; ``None`` for a republication method."""
        risk = self._fields.get("risk")
        return int(risk["smallest_class"]) if risk else None

    @property
    def highest_risk(self) -> float | None:
        """Maximum prosecutor risk of the release alone; ``None`` for a republication method."""
        risk = self._fields.get("risk")
        return float(risk["highest_risk"]) if risk else None

    @property
    def metrics(self) -> dict[str, float]:
        """Metrics of information loss and utility, by id."""
        return {metric["id"]: float(metric["value"]) for metric in self._fields.get("metrics", [])}

    @property
    def loss(self) -> float | None:
        """Information loss for the purpose of the policy, from 0 to 1; ``None`` for a republication method."""
        return self.metrics.get("purpose-loss")

    @property
    def seed(self) -> int:
        """Seed of the random numbers."""
        return int(self._fields["seed"])

    @property
    def warnings(self) -> list[str]:
        """Warnings for the steward."""
        return list(self._fields["warnings"])

    @property
    def within_policy(self) -> bool:
        """Whether the release is established to be within the policy: every requirement holds, and nothing is left open.

        ``holds`` is about the requirements that were judged; ``not_established`` says what is left open.
        """
        return bool(self.holds) and not self.not_established

    @property
    def not_established(self) -> list[str]:
        """What the verdict does not cover. If empty, the release is established to be within the policy."""
        return list(self._fields["not_established"])

    @property
    def assumptions(self) -> list[str]:
        """Assumptions of the verdict."""
        return list(self._fields["assumptions"])

    def __repr__(self) -> str:
        loss = "" if self.loss is None else f", loss={self.loss:.4f}"
        k = "" if self.k is None else f", k={self.k}"
        return (
            f"{type(self).__name__}({self.name!r}, to={', '.join(self.recipients)}, within_policy={self.within_policy}, "
            f"published={self.published}/{self.records}{k}{loss}, {self.algorithm})"
        )


class Table:
    """Rows of a release file. Data frame libraries read it: ``polars.DataFrame(table)``, ``pyarrow.table(table)``."""

    def __init__(self, native: _native.Table) -> None:
        self._native = native

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return self._native.columns

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._native.__arrow_c_stream__(requested_schema)

    def to_polars(self) -> Any:
        """Returns the rows as a frame of polars."""
        return _library("polars").DataFrame(self)

    def to_arrow(self) -> Any:
        """Returns the rows as a table of pyarrow."""
        return _library("pyarrow").table(self)

    def to_pandas(self) -> Any:
        """Returns the rows as a frame of pandas; needs pyarrow."""
        return self.to_arrow().to_pandas()

    def __repr__(self) -> str:
        return f"Table({', '.join(self.columns)})"


def read_table(path: str | os.PathLike[str]) -> Table:
    """Opens a release file in CSV or Parquet."""
    return Table(_native.read_table(path))


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"this conversion needs {name}: pip install {name}") from error


class Release(Publication):
    """A published release. Data frame libraries read it: ``polars.DataFrame(release)``, ``pyarrow.table(release)``."""

    @property
    def path(self) -> Path:
        """Published file; for a republication method, folder; for a table of a database, its receipt."""
        path = self._fields.get("file") or self._fields.get("folder")
        if path is None:
            raise StorageError("the release was not published: a requirement is violated", "not-published")
        return self._folder / str(path)

    @property
    def number(self) -> int:
        """Number of the release in the ledger."""
        return int((self._fields["recorded"] or {}).get("release", 0))

    @property
    def sha256(self) -> str:
        """Hash of the published file, as the ledger records it."""
        return str((self._fields["recorded"] or {}).get("sha256", ""))

    @property
    def tables(self) -> dict[str, Table]:
        """Tables of the release, by file name without extension. A release by an algorithm has one table."""
        path = self.path
        self._check()
        files = sorted(path.glob("*.csv")) if path.is_dir() else [path]
        return {file.name.split(".")[0]: read_table(file) for file in files}

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._table().__arrow_c_stream__(requested_schema)

    def to_polars(self) -> Any:
        """Returns the release as a frame of polars."""
        return self._table().to_polars()

    def to_arrow(self) -> Any:
        """Returns the release as a table of pyarrow."""
        return self._table().to_arrow()

    def to_pandas(self) -> Any:
        """Returns the release as a frame of pandas; needs pyarrow."""
        return self._table().to_pandas()

    def _table(self) -> Table:
        """Returns the only table of the release."""
        path = self.path
        if path.is_dir():
            names = ", ".join(sorted(file.stem for file in path.glob("*.csv")))
            raise TypeError(f"the release has several tables; choose one of release.tables: {names}")
        if self._fields.get("table") is not None:
            raise TypeError(f"the release is the table {self._fields['table']} of a database; read it there")
        self._check()
        return read_table(path)

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Copies the published file or folder, byte by byte.

        Raises:
            ModifiedError: The published file was modified.
            FileExistsError: The path exists.
        """
        source, target = self.path, Path(path)
        if source.is_dir():
            self._check()
            shutil.copytree(source, target)
            return target
        if _endings(source) != _endings(target):
            text = f"the release is {source.name}, and its bytes are copied; for another format, read it with to_polars() or to_pandas()"
            raise ValueError(text)
        self._check()
        with source.open("rb") as from_file, target.open("xb") as to_file:
            shutil.copyfileobj(from_file, to_file)
        return target

    def _check(self) -> None:
        """Checks that the published file is the one that was verified."""
        path = self.path
        if _native.digest(path) != self.sha256:
            raise ModifiedError(f"{path} was modified after it was published", "release-modified", {"path": str(path)})


def _endings(path: Path) -> str:
    return "".join(path.suffixes[-2:] if path.suffix in {".gz", ".zst"} else path.suffixes[-1:]).lower()


class Comparison(Answer):
    """Releases with other thresholds or algorithms, by their risk and loss."""

    @property
    def choices(self) -> list[dict[str, Any]]:
        """The choices with their results."""
        return list(self._fields["choices"])

    @property
    def recommended(self) -> dict[str, Any] | None:
        """The choice with the least loss that no other choice dominates; ``None`` if all are refused."""
        return next((choice for choice in self.choices if choice["state"] == "recommended"), None)

    @property
    def frontier(self) -> list[dict[str, Any]]:
        """The choices that no other choice dominates."""
        return [choice for choice in self.choices if choice["state"] in {"recommended", "frontier"}]

    def __repr__(self) -> str:
        best = self.recommended
        loss = "all refused" if best is None or best["result"] is None else f"recommended loss={best['result']['loss']:.4f}"
        return f"Comparison({len(self.choices)} choices, {loss})"


class Audit(Answer):
    """What all releases together disclose about each person, for each coalition of recipients."""

    @property
    def coalitions(self) -> list[dict[str, Any]]:
        """Audit of each coalition of recipients."""
        return list(self._fields["coalitions"])

    @property
    def confidence(self) -> float | None:
        """Bound on the posterior of a sensitive value."""
        bound = self._fields["confidence"]
        return None if bound is None else float(bound)

    @property
    def highest(self) -> dict[str, float]:
        """Proved upper bound on the highest posterior of a value, by sensitive column: the greatest of all coalitions."""
        found: dict[str, float] = {}
        for column in self.columns:
            upper = (column.get("highest") or {}).get("upper")
            if upper is not None:
                found[column["name"]] = max(float(upper), found.get(column["name"], 0.0))
        return found

    @property
    def certain(self) -> dict[str, int]:
        """Number of people for whom a value is certain, by sensitive column: the greatest of all coalitions."""
        found: dict[str, int] = {}
        for column in self.columns:
            found[column["name"]] = max(int(column.get("certain") or 0), found.get(column["name"], 0))
        return found

    @property
    def timeline(self) -> list[dict[str, Any]]:
        """What was disclosed after each release, for each coalition."""
        return [{"coalition": coalition["members"], **point} for coalition in self.coalitions for point in coalition["timeline"]]

    @property
    def columns(self) -> list[dict[str, Any]]:
        """Findings of each sensitive column and coalition."""
        return [
            {"coalition": coalition["members"], **column}
            for coalition in self.coalitions
            for column in coalition["audit"].get("columns", [])
        ]

    @property
    def not_established(self) -> list[str]:
        """Reasons why the audit is incomplete. Empty if it is complete."""
        return [reason for coalition in self.coalitions for reason in coalition["not_established"]]

    def __repr__(self) -> str:
        return f"Audit(holds={self.holds}, coalitions={len(self.coalitions)}, confidence={self.confidence})"


class Draft(Answer):
    """A drafted policy, and why each column has its role."""

    @property
    def policy(self) -> Policy:
        """The drafted policy. Review the role of every column."""
        draft = self._fields["draft"]
        return Policy.parse(draft["toml"], draft["files"])

    @property
    def suggestions(self) -> list[dict[str, Any]]:
        """Drafted and suggested role of each column, with the reason."""
        return list(self._fields["suggestions"])

    def __repr__(self) -> str:
        roles = ", ".join(f"{column['name']}={column['role']}" for column in self.suggestions)
        return f"Draft({self._fields['rows']} rows: {roles})"

    def html(self, *, internal: bool = False) -> str:
        """Returns the answer as an HTML fragment. Both variants are the same."""
        keys = ("name", "values", "role", "suggested_role", "reason")
        rows = [[str(column[key] or "") for key in keys] for column in self.suggestions]
        return _native.table_html("Drafted policy", ["column", "values", "role", "suggested role", "reason"], rows)


class Log(Answer):
    """All entries of the ledger."""

    @property
    def entries(self) -> list[dict[str, Any]]:
        """Entries, oldest first."""
        return list(self._fields["log"])

    @property
    def releases(self) -> list[dict[str, Any]]:
        """Releases, oldest first."""
        return [entry for entry in self.entries if entry["kind"] == "release"]

    def __len__(self) -> int:
        return len(self.entries)

    def __repr__(self) -> str:
        return f"Log({len(self.entries)} entries, {len(self.releases)} releases, ledger={self._fields['ledger']!r})"

    def html(self, *, internal: bool = False) -> str:
        """Returns the answer as an HTML fragment. Both variants are the same."""
        rows = [
            [str(entry["number"]), entry["name"], entry["date"], ", ".join(entry["recipients"]), ", ".join(entry["columns"])]
            for entry in self.releases
        ]
        return _native.table_html("Releases", ["no.", "release", "date", "recipients", "columns"], rows)


class Shown(Answer):
    """The entry of one release."""


class Diff(Answer):
    """Two releases compared."""


class History(Answer):
    """The releases that coalitions with the given recipients hold."""


class Verification(Answer):
    """Whether the ledger and every published file are unmodified."""

    @property
    def intact(self) -> bool:
        """Whether no problem was found."""
        return bool(self._fields["intact"])

    @property
    def status(self) -> str:
        """``authentic``, ``modified`` or ``unauthenticated``."""
        return str(self._fields["status"])

    @property
    def problems(self) -> list[Any]:
        """Problems that were found."""
        return list(self._fields.get("problems") or [])


class Doctor(Answer):
    """State of the environment: policy, permissions, key, ledger, disk space."""

    @property
    def state(self) -> str:
        """The worst state of a check: ``ok``, ``warning`` or ``problem``."""
        return str(self._fields["state"])

    @property
    def checks(self) -> list[dict[str, Any]]:
        """Every check with its state."""
        return list(self._fields["checks"])


class Registration(Answer):
    """A registered release, with its recognised columns."""

    @property
    def number(self) -> int | None:
        """Number of the release; ``None`` if nothing was recorded."""
        number = self._fields["release"]
        return None if number is None else int(number)


class Recorded(Answer):
    """A correction that the ledger recorded, with its effects."""


class TaxonomyUpdate(Answer):
    """New values of the taxonomies."""

    @property
    def columns(self) -> list[dict[str, Any]]:
        """Number of new values of each taxonomy."""
        return list(self._fields["columns"])
