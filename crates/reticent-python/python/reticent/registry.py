"""Entries of the catalogue as functions: ``reticent.models``, ``reticent.algorithms``, ``reticent.methods``, ``reticent.attacks``.

The functions, their signatures and their documentation are made from the registries of the library. A new entry appears by itself.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from . import _native


@dataclass(frozen=True)
class Spec:
    """An entry of the catalogue with its parameters.

    >>> import reticent as rt
    >>> rt.models.t_closeness(t=0.2)
    Spec(id='t-closeness', options={'t': 0.2})
    """

    id: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def __hash__(self) -> int:
        return hash((self.id, json.dumps(dict(self.options), sort_keys=True, default=str)))


@dataclass(frozen=True)
class Parameter:
    """A parameter of an entry."""

    name: str
    default: str | None
    meaning: str
    domain: Any

    @property
    def is_required(self) -> bool:
        """Whether the parameter has no default."""
        return self.default is None


@dataclass(frozen=True)
class Entry:
    """An entry of the catalogue: a model, operation, metric, algorithm, method or attack."""

    kind: str
    id: str
    title: str
    summary: str
    paper: str
    protects_against: str
    comparison: bool
    parameters: tuple[Parameter, ...]
    evidence: tuple[str, ...]

    @property
    def name(self) -> str:
        """Name of the entry in Python."""
        return self.id.replace("-", "_")


@lru_cache(maxsize=1)
def _entries() -> tuple[Entry, ...]:
    def entry(given: dict[str, Any]) -> Entry:
        parameters = tuple(
            Parameter(known["name"], known["default"], known["meaning"], known["domain"]) for known in given["parameters"]
        )
        return Entry(**{**given, "parameters": parameters, "evidence": tuple(given["evidence"])})

    return tuple(entry(given) for given in json.loads(_native.catalogue()))


def catalogue(kind: str | None = None) -> list[Entry]:
    """Returns the entries of the catalogue, optionally of one kind: ``model``, ``metric``, ``algorithm``, ...

    >>> [entry.id for entry in catalogue("model")][:2]
    ['k-anonymity', 'multir-k-anonymity']
    """
    found = [entry for entry in _entries() if kind is None or entry.kind == kind]
    if not found:
        kinds = sorted({entry.kind for entry in _entries()})
        raise ValueError(f"there is no kind {kind!r}; kinds: {', '.join(kinds)}")
    return found


class Registry:
    """The entries of one kind as functions.

    >>> import reticent as rt
    >>> "mondrian" in dir(rt.algorithms)
    True
    >>> print(inspect.signature(rt.models.k_anonymity))
    (*, k, on=None) -> reticent.registry.Spec
    """

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def __getattr__(self, name: str) -> Callable[..., Spec]:
        if name.startswith("_"):  # Python asks for such names while it copies an object, before `_kind` exists
            raise AttributeError(name)
        for entry in catalogue(self._kind):
            if entry.name == name:
                return _function(entry.kind, entry.id)
        known = ", ".join(entry.name for entry in catalogue(self._kind))
        raise AttributeError(f"there is no {self._kind} {name!r}; known: {known}")

    def __iter__(self) -> Iterator[Entry]:
        return iter(catalogue(self._kind))

    def __len__(self) -> int:
        return len(catalogue(self._kind))

    def __dir__(self) -> list[str]:
        return sorted(entry.name for entry in catalogue(self._kind))

    def __repr__(self) -> str:
        return f"<{self._kind}s: {', '.join(self.__dir__())}>"


@lru_cache(maxsize=None)
def _function(kind: str, id: str) -> Callable[..., Spec]:
    entry = next(entry for entry in catalogue(kind) if entry.id == id)
    names = {parameter.name.replace("-", "_"): parameter for parameter in entry.parameters}

    def make(**options: Any) -> Spec:
        bound = signature.bind(**options)
        return Spec(entry.id, {names[name].name: value for name, value in bound.arguments.items() if value is not None})

    def parameter(name: str, known: Parameter) -> inspect.Parameter:
        default = inspect.Parameter.empty if known.is_required else None
        return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)

    # Parameters without a default first; a parameter that is not a Python name is passed in **keys.
    ordered = sorted(names.items(), key=lambda known: not known[1].is_required)
    signature = inspect.Signature([parameter(*known) for known in ordered], return_annotation=Spec)
    make.__name__ = make.__qualname__ = entry.name
    make.__signature__ = signature  # type: ignore[attr-defined]
    make.__doc__ = _documentation(entry)
    return make


def _documentation(entry: Entry) -> str:
    lines = [f"{entry.title}. {entry.summary}", "", f"Paper: {entry.paper}", "", f"Protects against: {entry.protects_against}"]
    if entry.comparison:
        lines += ["", "For comparison only, not for releases."]
    if entry.parameters:
        lines += ["", "Args:"]
        for parameter in entry.parameters:
            default = "" if parameter.is_required else f" Default: {parameter.default or 'see meaning'}."
            lines.append(f"    {parameter.name.replace('-', '_')}: {parameter.meaning}.{default}")
    return "\n".join(lines)


models = Registry("model")
algorithms = Registry("algorithm")
methods = Registry("method")
attacks = Registry("attack")
