"""Exceptions. Each has a stable ``code``, structured ``data`` and remedies; ``reticent.explain(code)`` explains the code."""

from __future__ import annotations

import json
from typing import Any

__all__ = [
    "Cancelled",
    "DataError",
    "InternalError",
    "InvalidError",
    "LockedError",
    "ModifiedError",
    "PolicyError",
    "Refused",
    "ReticentError",
    "ReticentWarning",
    "StorageError",
]


class ReticentWarning(UserWarning):
    """A warning for the steward, for example about an unsigned ledger."""


class ReticentError(Exception):
    """Base class of all exceptions of the package.

    The text states what happened and what to do. It contains no identifier and no sensitive value of the data.

    Attributes:
        code: Stable code in kebab case, such as ``policy-invalid``.
        data: Fields of the error, such as ``column`` or ``line``. They depend on the code.
        hints: Words for possible remedies, such as ``start-ledger``.
        remedies: Possible remedies as sentences.
    """

    code: str
    data: dict[str, Any]
    hints: list[str]
    remedies: list[str]

    def __init__(self, text: str, code: str = "", data: dict[str, Any] | None = None) -> None:
        super().__init__(text)
        self.code = code
        self.data = data or {}
        self.hints = []
        self.remedies = []

    def __reduce__(self) -> tuple[Any, ...]:
        return (_copy, (type(self), self.args[0], dict(self.__dict__)))


class Refused(ReticentError):
    """A requirement is violated, or could not be judged. Nothing was published.

    Attributes:
        violations: Requirements that the new release violates, with the worst equivalence class of each.
        earlier_violations: Requirements that earlier releases violate without the new one.
        refusal: All of it, as documented in the JSON answer of ``publish``.
    """

    violations: list[dict[str, Any]]
    earlier_violations: list[dict[str, Any]]
    refusal: dict[str, Any]

    def __init__(self, text: str, code: str = "", data: dict[str, Any] | None = None) -> None:
        super().__init__(text, code, data)
        self.violations = []
        self.earlier_violations = []
        self.refusal = {}


class InvalidError(ReticentError, ValueError):
    """The arguments, the policy or the data are invalid."""


class PolicyError(InvalidError):
    """The policy or one of its taxonomies is invalid."""


class DataError(InvalidError):
    """The data cannot be read, or does not fit the policy."""


class StorageError(ReticentError, OSError):
    """Reading or writing failed."""


class ModifiedError(ReticentError):
    """The ledger or a published file was modified."""


class LockedError(ReticentError):
    """Another process is writing to the ledger."""


class Cancelled(ReticentError):
    """The call was cancelled. Nothing was published."""


class InternalError(ReticentError):
    """A bug in Reticent. Nothing was published."""


_CLASSES: dict[str, type[ReticentError]] = {
    "refused": Refused,
    "invalid": InvalidError,
    "io": StorageError,
    "modified": ModifiedError,
    "locked": LockedError,
    "cancelled": Cancelled,
    "internal": InternalError,
}

_POLICY = ("policy-", "taxonomy-", "workload-", "parameter-", "unknown-entry")
_DATA = ("data-", "column", "columns-", "table-", "file-malformed", "header-", "no-rows", "owner-missing", "too-many-")

# What to do in Python, by the word of the hint. A test compares the words with those of the library.
_HINTS: dict[str, str] = {
    "judge-alone": "to publish without checking earlier releases, pass ignore_history=True; the ledger records this",
    "choose-columns": "choose the columns to publish with columns=[...]",
    "audit-fewer-columns": "audit fewer columns with columns=[...]",
    "other-policy": "change the policy, or pass another one",
    "draft-policy": "draft a policy with reticent.draft(data)",
    "replace-policy": "pass overwrite=True to overwrite the policy",
    "choose-format": "choose with formats={'COLUMN': 'FORMAT'}",
    "show-values": "to see the values, open the ledger or check the data with show_values=True",
    "more-memory": "allow more memory with memory=BYTES",
    "wait-longer": "wait longer with wait=SECONDS",
    "start-ledger": "for the first release, create the ledger with Ledger.open(PATH, create=True)",
    "other-ledger": "pass the path of another ledger",
    "other-key": "pass the key file with key=PATH",
    "key-lost": "if the key is lost, see docs/ledger.md",
    "list-releases": "ledger.log() lists the releases",
    "list-catalogue": "reticent.catalogue() lists all entries",
    "audit-history": "ledger.audit() shows what earlier releases disclose",
    "verify": "nothing was changed; call ledger.verify() for details, and restore a backup if needed",
    "authenticate": "if the ledger was signed before, it was replaced: restore a backup; otherwise call ledger.authenticate()",
    "confirm": "to confirm, pass confirmed=True",
    "header-is-right": "if these are column names, pass force=True",
    "name-roles": "name the role of each column: identifiers=[...] (not stored), sensitive=[...] or quasi=[...]",
    "other-output": "pass another path as output",
    "rehearse": "try it with ledger.plan(...)",
    "name-confidence": "pass a threshold with confidence=...",
    "name-population": "pass the population with population=PATH",
    "destroyed-elsewhere": "if you know that every copy was destroyed, pass destroyed_elsewhere=True",
    "continue-series": "to continue that series, use a policy with its method: Policy(..., method=...); see docs/methods.md",
    "reinstate": "if a recipient holds it after all, ledger.amend(NAME, add_recipients=[...]) makes it count again",
}


def _class_of(error: dict[str, Any]) -> type[ReticentError]:
    known = _CLASSES.get(error["class"], ReticentError)
    if known is InvalidError:
        code: str = error["code"]
        if code.startswith(_POLICY):
            return PolicyError
        if code.startswith(_DATA):
            return DataError
    return known


def _hint_text(word: str) -> str:
    return _HINTS.get(word, word)


def _continuation(error: dict[str, Any]) -> list[str]:
    """Returns how to continue earlier releases by a republication method, if that is possible."""
    series = (error.get("refusal") or {}).get("series")
    if not series:
        return []
    keys = f"release={{'method': '{series['method']}', 'options': {{...}}, 'suppression': None}}, requirement={{'k': None}}"
    return [f"continue this table as a series: policy.replace({keys}) with the options {series['options']}; see docs/methods.md"]


def _from_native(text: str) -> ReticentError:
    """Creates the exception for an error of the native module."""
    error = json.loads(text)
    made: list[str] = _continuation(error) + (error.get("remedies") or [])
    remedies = made or [_hint_text(word) for word in error["hints"]]
    message: str = error["error"]
    if remedies:
        message += "\n" + "\n".join(f"- {remedy}" for remedy in remedies)
    exception = _class_of(error)(message, error["code"], error.get("data") or {})
    exception.hints = error["hints"]
    exception.remedies = remedies
    if isinstance(exception, Refused):
        exception.refusal = error.get("refusal") or {}
        exception.violations = exception.refusal.get("violations", [])
        exception.earlier_violations = exception.refusal.get("earlier_violations", [])
    return exception


def _copy(kind: type[ReticentError], text: str, fields: dict[str, Any]) -> ReticentError:
    """Restores a pickled exception."""
    exception = kind(text)
    exception.__dict__.update(fields)
    return exception
