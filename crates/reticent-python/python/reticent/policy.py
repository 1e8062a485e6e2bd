"""Policies: roles of the columns, privacy requirement, and how releases are made."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from . import _native, _toml
from .registry import Spec

# Columns: names, or names with the settings of `column`.
Columns: TypeAlias = "Iterable[str] | Mapping[str, Mapping[str, Any] | None]"

_ROLES: Final = {"identifiers": "identifier", "quasi": "quasi-identifier", "sensitive": "sensitive", "other": "other", "drop": "drop"}


def column(
    *,
    type: str | None = None,
    format: str | None = None,
    taxonomy: str | os.PathLike[str] | Mapping[str, Any] | Sequence[Sequence[str]] | None = None,
    intervals: Sequence[float | str | Sequence[float]] | None = None,
    range: tuple[float, float] | None = None,
    mask: str | None = None,
    missing: str | None = None,
    exact: bool | None = None,
    weight: float | None = None,
    per: str | None = None,
    suppress_values: Sequence[str] | None = None,
    accept_unique: bool | None = None,
    **keys: Any,
) -> dict[str, Any]:
    """Returns the settings of one column, for ``Policy(quasi={"age": column(...)})``.

    They are the keys of ``[columns.NAME]`` in ``reticent.toml``, with underscores instead of hyphens. ``taxonomy`` is the path of
    a file, a nested mapping from coarse to fine, or rows from a value to the root.

    >>> column(type="number", intervals=[5, 20])
    {'type': 'number', 'intervals': [5, 20]}
    >>> column(taxonomy={"Europe": ["France", "Italy"], "Asia": ["Japan"]})["taxonomy"]["Asia"]
    ['Japan']
    """
    given: dict[str, Any] = {
        "type": type,
        "format": format,
        "taxonomy": taxonomy,
        "intervals": intervals,
        "range": range,
        "mask": mask,
        "missing": missing,
        "exact": exact,
        "weight": weight,
        "per": per,
        "suppress_values": suppress_values,
        "accept_unique": accept_unique,
        **keys,
    }
    return {key: value for key, value in given.items() if value is not None}


class Policy:
    """A release policy: the same as a file ``reticent.toml``.

    Every column of the data needs a role. A quasi-identifier can be known to an attacker and is generalized; a sensitive column is
    published unchanged, and linking it to a person is limited; identifiers and dropped columns are never published.

    Args:
        quasi: Quasi-identifiers: names, or a mapping from names to settings made by :func:`column`.
        sensitive: Sensitive attributes.
        identifiers: Columns that identify a person directly.
        other: Columns that are published unchanged and are not protected.
        drop: Columns that are not published.
        owner: Column that identifies the person. It is an identifier.
        k: Minimum number of people in an equivalence class.
        confidence: Maximum probability with which a sensitive value can be inferred.
        reidentification: Maximum probability with which a record can be attributed to a person.
        models: Further privacy models, such as ``reticent.models.t_closeness(t=0.2)``.
        preset: Thresholds of a published guidance, such as ``"ema-0070"``.
        audit: Level of proof: ``"exact"``, ``"bounds"``, ``"estimate"`` or ``"off"``.
        algorithm: Algorithm, such as ``"mondrian"`` or ``reticent.algorithms.mondrian()``. By default, several are tried.
        method: Republication method, for a table that is published repeatedly.
        suppression: Maximum share of suppressed records.
        purpose: Purpose that the release is optimized for, such as ``{"classify": "salary"}``.
        seed: Seed of the random numbers.
        dataset: Name of the data set in the ledger.
        time_varying: Columns whose value for a person can change between releases.
        non_colluding: Recipients who do not share releases with each other.
        missing_values: Texts that represent a missing value.
        sections: Further keys, by section of the file: ``{"release": {"tries": 2}}``.

    Raises:
        PolicyError: The policy is invalid.

    >>> policy = Policy(quasi={"age": column(type="number"), "zip": None}, sensitive=["disease"], k=3, confidence=0.5)
    >>> print(policy.toml)
    [dataset]
    name = "data"
    <BLANKLINE>
    [columns.age]
    role = "quasi-identifier"
    type = "number"
    <BLANKLINE>
    [columns.zip]
    role = "quasi-identifier"
    <BLANKLINE>
    [columns.disease]
    role = "sensitive"
    <BLANKLINE>
    [requirement]
    k = 3
    confidence = 0.5
    <BLANKLINE>
    """

    _toml: str
    _files: dict[str, str]
    _folder: str

    def __init__(
        self,
        *,
        quasi: Columns = (),
        sensitive: Columns = (),
        identifiers: Columns = (),
        other: Columns = (),
        drop: Columns = (),
        owner: str | None = None,
        k: int | None = None,
        confidence: float | None = None,
        reidentification: float | None = None,
        models: Iterable[Spec | Mapping[str, Any] | str] = (),
        preset: str | None = None,
        audit: str | None = None,
        algorithm: str | Spec | None = None,
        method: str | Spec | None = None,
        suppression: float | None = None,
        purpose: str | Mapping[str, Any] | None = None,
        seed: int | None = None,
        dataset: str = "data",
        time_varying: Iterable[str] = (),
        non_colluding: Sequence[str] | Sequence[Sequence[str]] = (),
        missing_values: Sequence[str] | None = None,
        sections: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        given: dict[str, Columns] = {
            "identifiers": identifiers,
            "quasi": quasi,
            "sensitive": sensitive,
            "other": other,
            "drop": drop,
        }
        files: dict[str, str] = {}
        tables: dict[str, Any] = {
            "dataset": {"name": dataset, "owner": owner, "missing-values": missing_values},
            "columns": _columns(given, owner, files),
            "requirement": {
                "preset": preset,
                "k": k,
                "confidence": confidence,
                "reidentification": reidentification,
                "audit": audit,
                "models": [_model(model) for model in models],
            },
            "release": _release(algorithm, method, suppression, purpose, seed),
            "history": {"time-varying": list(time_varying) or None},
            "recipients": {"non-colluding": _lists(non_colluding)},
        }
        for section, keys in (sections or {}).items():
            tables.setdefault(section, {}).update(keys)
        self._set(_toml.dumps(_without_empty(tables)), files, "")

    def _set(self, toml: str, files: dict[str, str], folder: str) -> None:
        _native.check_policy(toml, files, folder)
        self._toml, self._files, self._folder = toml, files, folder

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Policy:
        """Reads a policy file and the taxonomies that it names."""
        toml, files, folder = _native.read_policy(os.fspath(path))
        return cls._of(toml, files, os.fspath(folder))

    @classmethod
    def parse(cls, toml: str, files: Mapping[str, str] | None = None, folder: str | os.PathLike[str] = "") -> Policy:
        """Creates a policy from the text of a policy file. ``files`` has the text of each taxonomy by its path in the policy."""
        return cls._of(toml, dict(files or {}), os.fspath(folder))

    @classmethod
    def _of(cls, toml: str, files: dict[str, str], folder: str) -> Policy:
        policy = cls.__new__(cls)
        policy._set(toml, files, folder)
        return policy

    def write(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Writes the policy and its taxonomies. The command ``reticent`` uses the same file."""
        target = Path(path)
        for name, text in {target.name: self._toml, **self._files}.items():
            file = target.parent / name
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("w" if overwrite else "x", encoding="utf-8", newline="\n") as out:
                out.write(text)
        return target

    @property
    def toml(self) -> str:
        """Text of the policy, as in a policy file."""
        return self._toml

    @property
    def files(self) -> dict[str, str]:
        """Text of each taxonomy and query file, by its path in the policy."""
        return dict(self._files)

    def to_dict(self) -> dict[str, Any]:
        """Returns the tables of the policy."""
        return tomllib.loads(self._toml)

    @property
    def roles(self) -> dict[str, str]:
        """Role of each column."""
        tables = self.to_dict()
        owner = tables.get("dataset", {}).get("owner")
        default: Callable[[str], str] = lambda name: "identifier" if name == owner else "quasi-identifier"  # noqa: E731
        return {name: settings.get("role", default(name)) for name, settings in tables.get("columns", {}).items()}

    def replace(self, **sections: Mapping[str, Any]) -> Policy:
        """Returns a copy with changed keys, by section of the file. The value ``None`` removes a key.

        An algorithm or a method with parameters replaces the options of the policy.

        >>> policy = Policy(quasi=["age"], k=2)
        >>> policy.replace(requirement={"k": 5}, release={"suppression": 0.05}).to_dict()["requirement"]
        {'k': 5}
        """
        tables = self.to_dict()
        for section, keys in sections.items():
            if not isinstance(keys, Mapping):
                raise TypeError(f"{section} must be the keys of a section of the policy file, such as requirement={{'k': 5}}")
            tables[section] = {**tables.get(section, {}), **_without_specs(keys)}
        return self._of(_toml.dumps(_without_empty(tables)), self._files, self._folder)

    @property
    def _parts(self) -> tuple[str, dict[str, str], str]:
        return self._toml, self._files, self._folder

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Policy) and (self._toml, self._files) == (other._toml, other._files)

    def __hash__(self) -> int:
        return hash(self._toml)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restore, self._parts)

    def __repr__(self) -> str:
        roles = self.roles
        by_role = {role: [name for name, of in roles.items() if of == role] for role in _ROLES.values()}
        columns = "; ".join(f"{role}: {', '.join(names)}" for role, names in by_role.items() if names)
        requirement = ", ".join(f"{key}={value}" for key, value in self.to_dict().get("requirement", {}).items())
        return f"Policy({columns}; {requirement})"


def _without_specs(keys: Mapping[str, Any]) -> dict[str, Any]:
    """Replaces an algorithm or a method with parameters by its id and its options."""
    plain = dict(keys)
    for name in ("algorithm", "method"):
        spec = plain.get(name)
        if isinstance(spec, Spec):
            plain |= {name: spec.id, "options": dict(spec.options) or None}
    return plain


def _restore(toml: str, files: dict[str, str], folder: str) -> Policy:
    return Policy._of(toml, files, folder)


def _columns(given: Mapping[str, Columns], owner: str | None, files: dict[str, str]) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    if owner is not None:
        columns[owner] = {"role": "identifier"}
    for group, names in given.items():
        if isinstance(names, str):
            raise TypeError(f"{group} must be a list of column names, not one text: [{names!r}]")
        settings = names if isinstance(names, Mapping) else dict.fromkeys(names)
        for name, keys in settings.items():
            if keys is not None and not isinstance(keys, Mapping):
                raise TypeError(f"the settings of column {name!r} must be made by column(...), such as column(type={keys!r})")
            if name in columns and not (name == owner and group == "identifiers"):
                raise ValueError(f"column {name!r} has several roles")
            table = {key.replace("_", "-"): value for key, value in (keys or {}).items()}
            taxonomy = table.get("taxonomy")
            if isinstance(taxonomy, os.PathLike):
                table["taxonomy"] = os.fspath(taxonomy)
            elif taxonomy is not None and not isinstance(taxonomy, str):
                path = f"taxonomies/{''.join(letter if letter.isalnum() else '-' for letter in name)}-{len(files) + 1}.csv"
                files[path] = taxonomy_text(taxonomy)
                table["taxonomy"] = path
            columns[name] = {"role": _ROLES[group], **table}
    return columns


def taxonomy_text(taxonomy: Mapping[str, Any] | Sequence[Sequence[str]]) -> str:
    """Returns the text of a taxonomy file: one line for each value, from the value to the root.

    >>> print(taxonomy_text({"Europe": ["France", "Italy"], "Asia": ["Japan"]}), end="")
    France;Europe;*
    Italy;Europe;*
    Japan;Asia;*
    """
    rows = _paths(taxonomy, ["*"]) if isinstance(taxonomy, Mapping) else [[str(node) for node in row] for row in taxonomy]
    return "".join(";".join(_cell(node) for node in row) + "\n" for row in rows)


def _paths(node: Mapping[str, Any] | Sequence[Any], above: list[str]) -> list[list[str]]:
    if isinstance(node, Mapping):
        return [path for name, below in node.items() for path in (_paths(below, [str(name), *above]) if below else [[str(name), *above]])]
    return [[str(value), *above] for value in node]


def _cell(text: str) -> str:
    needs_quotes = any(letter in text for letter in ';"\r\n') or text != text.strip()
    return '"' + text.replace('"', '""') + '"' if needs_quotes else text


def _model(model: Spec | Mapping[str, Any] | str) -> dict[str, Any]:
    if isinstance(model, str):
        return {"model": model}
    if isinstance(model, Spec):
        return {"model": model.id, **model.options}
    return dict(model)


def _release(
    algorithm: str | Spec | None,
    method: str | Spec | None,
    suppression: float | None,
    purpose: str | Mapping[str, Any] | None,
    seed: int | None,
) -> dict[str, Any]:
    if algorithm is not None and method is not None:
        raise ValueError("a policy has an algorithm or a method, not both")
    chosen = algorithm if method is None else method
    options = chosen.options if isinstance(chosen, Spec) else {}
    name = chosen.id if isinstance(chosen, Spec) else chosen
    return {
        "algorithm" if method is None else "method": name,
        "suppression": suppression,
        "purpose": dict(purpose) if isinstance(purpose, Mapping) else purpose,
        "seed": seed,
        "options": dict(options) or None,
    }


def _lists(names: Sequence[str] | Sequence[Sequence[str]]) -> Any:
    return [name if isinstance(name, str) else list(name) for name in names] or None


def _without_empty(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Leaves out keys without a value, and sections without a key."""
    kept = {
        section: {key: value for key, value in table.items() if value is not None and not (isinstance(value, list) and not value)}
        for section, table in tables.items()
    }
    return {section: table for section, table in kept.items() if table}
