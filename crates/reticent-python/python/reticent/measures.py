"""Ordinary functions: the risk of a table, and single measures of it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import _native
from ._data import Rows, rows_of
from ._progress import Progress, receiver, warn
from .answers import Check, Draft, Publication, TaxonomyUpdate
from .errors import DataError, PolicyError
from .ledger import Path_, _json, workspace
from .policy import Columns, Policy


def check(
    data: Rows,
    policy: Policy | Path_ | None = None,
    *,
    quasi: Columns = (),
    sensitive: Columns = (),
    owner: str | None = None,
    witnesses: int = 3,
    progress: Progress = False,
    show_values: bool = False,
) -> Check:
    """Measures the risk of unprotected data.

    Pass a policy, or the quasi-identifiers and sensitive columns; then other columns of the data are ignored.

    >>> people = {"age": [30, 30, 41, 41], "zip": ["A", "A", "B", "C"], "disease": ["flu", "flu", "gout", "flu"]}
    >>> risk = check(people, quasi=["age", "zip"], sensitive=["disease"])
    >>> risk.k, risk.sample_unique, risk.sensitive["disease"].confidence
    (1, 2, 1.0)
    """
    rows = rows_of(data)
    context = _native.Context(None, None, None, show_values)
    quasi, sensitive = _settings(quasi), _settings(sensitive)
    if policy is None and not quasi:
        raise PolicyError("check needs a policy, or the quasi-identifiers of the data: quasi=[...]", "policy-missing")
    if policy is None:
        given = dict.fromkeys([*quasi, *sensitive, *([owner] if owner else [])])
        columns = _columns(rows, context)
        unknown = next((name for name in given if name not in columns), None)
        if columns and unknown is not None:
            raise DataError(f"the data has no column `{unknown}`", "column-unknown", {"column": unknown})
        rest = [name for name in columns if name not in given]
        policy = Policy(quasi=quasi, sensitive=_typed(rows, sensitive, context), owner=owner, drop=rest, k=2)
    elif quasi or sensitive or owner:
        raise ValueError("pass a policy, or the roles of the columns, not both")
    with receiver(progress) as receives:
        call = workspace(policy, None, None).call
        return Check(call("check", _json({"witnesses": witnesses}), context, rows, (), receives, warn))


def draft(
    data: Rows,
    *,
    quasi: Iterable[str] = (),
    sensitive: Iterable[str] = (),
    identifiers: Iterable[str] = (),
    other: Iterable[str] = (),
    drop: Iterable[str] = (),
    owner: str | None = None,
    preset: str | None = None,
    formats: Mapping[str, str] | None = None,
    encoding: str | None = None,
    force: bool = False,
) -> Draft:
    """Drafts a policy for data: types, formats, taxonomies to complete, and suggested roles with reasons.

    Named roles replace the suggested ones. Review the role of every column before you publish.

    >>> draft({"age": [34, 36, 51, 58], "disease": ["flu", "gout", "flu", "gout"]}, sensitive=["disease"]).policy.roles
    {'age': 'quasi-identifier', 'disease': 'sensitive'}
    """
    given = {"quasi-identifier": quasi, "sensitive": sensitive, "identifier": identifiers, "other": other, "drop": drop}
    roles: dict[str, str] = {}
    for role, names in given.items():
        for name in _settings(names):
            if name in roles:
                raise ValueError(f"column {name!r} has several roles")
            roles[name] = role
    request = {
        "roles": list(roles.items()),
        "owner": owner,
        "preset": preset,
        "formats": list((formats or {}).items()),
        "encoding": encoding,
        "force": force,
        "dry_run": True,
    }
    return Draft(_draft(rows_of(data), request, _native.Context()))


def _draft(rows: Any, request: Mapping[str, Any], context: _native.Context) -> _native.Answer:
    in_memory = _native.Workspace(("", {}, ""))
    return in_memory.call("init", _json(request), context, rows, (), None, warn)


def _settings(columns: Columns) -> Mapping[str, Mapping[str, Any] | None]:
    if isinstance(columns, str):
        raise TypeError(f"a role needs a list of column names, not one text: [{columns!r}]")
    return columns if isinstance(columns, Mapping) else dict.fromkeys(columns)


def _typed(rows: Any, columns: Columns, context: _native.Context) -> Columns:
    """Adds the types of columns that have none: the distance of numbers and dates follows their order."""
    settings = _settings(columns)
    call = _native.Workspace(("", {}, "")).call
    types = json.loads(call("columns", _json({"types_of": list(settings)}), context, rows).json())["types"]
    return {name: {"type": types[name], **(keys or {})} for name, keys in settings.items()}


def _columns(rows: Any, context: _native.Context) -> dict[str, None]:
    answer = json.loads(_native.Workspace(("", {}, "")).call("columns", _json({}), context, rows).json())
    return dict.fromkeys(answer["columns"])


def update_taxonomies(policy: Policy, data: Rows) -> tuple[Policy, TaxonomyUpdate]:
    """Returns the policy with the values of new data in its taxonomies, and what was added."""
    request = {"dry_run": True}
    answer = workspace(policy, None, None).call("update-taxonomies", _json(request), _native.Context(), rows_of(data), (), None, warn)
    update = TaxonomyUpdate(answer)
    files = {**policy.files, **update.to_dict()["files"]}
    return Policy._of(policy.toml, files, policy._folder), update


def metrics(release: Publication) -> dict[str, float]:
    """Returns the metrics of information loss and utility of a planned or published release, by id.

    They compare the release with its data. ``reticent.catalogue("metric")`` describes them.
    """
    return release.metrics


def measure(
    data: Rows, model: str, quasi: Sequence[str], sensitive: str | None = None, *, owner: str | None = None, **parameters: Any
) -> float:
    """Measures a table by any privacy model: the strictest value of its parameter that the table satisfies.

    >>> measure({"age": [30, 30, 41], "disease": ["flu", "gout", "flu"]}, "confidence-bounding", ["age"], "disease")
    1.0
    """
    if isinstance(quasi, str):
        raise TypeError(f"quasi must be a list of column names, not one text: [{quasi!r}]")
    arguments = {key.replace("_", "-"): value for key, value in parameters.items()}
    request = {"model": model, "on": list(quasi), "sensitive": sensitive, "owner": owner, "arguments": arguments}
    return _native.measure(_json(request), rows_of(data))


def k_anonymity(data: Rows, quasi: Sequence[str], *, owner: str | None = None) -> int:
    """Returns the number of people in the smallest equivalence class: the ``k`` of k-anonymity.

    >>> k_anonymity({"age": [30, 30, 41, 41], "zip": ["A", "A", "B", "B"]}, ["age", "zip"])
    2
    """
    return round(measure(data, "k-anonymity", quasi, owner=owner))


def l_diversity(data: Rows, quasi: Sequence[str], sensitive: str, *, owner: str | None = None) -> int:
    """Returns the minimum number of distinct sensitive values in a class: the ``l`` of distinct l-diversity."""
    return round(measure(data, "distinct-l-diversity", quasi, sensitive, owner=owner))


def entropy_l_diversity(data: Rows, quasi: Sequence[str], sensitive: str, *, owner: str | None = None) -> float:
    """Returns the minimum of exp(entropy) over the classes: the ``l`` of entropy l-diversity."""
    return measure(data, "entropy-l-diversity", quasi, sensitive, owner=owner)


def recursive_cl_diversity(data: Rows, quasi: Sequence[str], sensitive: str, l: int, *, owner: str | None = None) -> float:  # noqa: E741
    """Returns the bound that ``c`` of recursive (c, l)-diversity must exceed, for a given ``l``."""
    return measure(data, "recursive-cl-diversity", quasi, sensitive, owner=owner, l=l)


def confidence(data: Rows, quasi: Sequence[str], sensitive: str, *, owner: str | None = None) -> float:
    """Returns the maximum share of a sensitive value in a class: the ``alpha`` of (alpha, k)-anonymity.

    >>> confidence({"age": [30, 30, 30], "disease": ["flu", "flu", "gout"]}, ["age"], "disease")
    0.6666666666666666
    """
    return measure(data, "confidence-bounding", quasi, sensitive, owner=owner)


def t_closeness(
    data: Rows, quasi: Sequence[str], sensitive: str, *, distance: str | None = None, owner: str | None = None
) -> float:
    """Returns the maximum distance between a class and the whole table: the ``t`` of t-closeness.

    ``distance`` is ``"equal"`` or ``"ordered"``. By default, numbers and dates are ordered.
    """
    given = {} if distance is None else {"distance": distance}
    return measure(data, "t-closeness", quasi, sensitive, owner=owner, **given)


def explain(code: str) -> dict[str, Any]:
    """Explains an error code: what it means and what to do.

    >>> explain("policy-missing")["meaning"]
    'The policy file does not exist.'
    """
    explained: dict[str, Any] = json.loads(_native.explain(code))
    return explained


def policy_schema() -> dict[str, Any]:
    """Returns the JSON Schema of a policy file."""
    schema: dict[str, Any] = json.loads(_native.policy_schema())
    return schema


def presets() -> list[dict[str, Any]]:
    """Returns the presets of a policy, with their sources."""
    found: list[dict[str, Any]] = json.loads(_native.presets())
    return found


def reference() -> str:
    """Returns the reference of all catalogue entries, in Markdown."""
    return _native.reference()


def check_proof(proof: Path_, *, head: Path_ | None = None, verifier: str | None = None) -> dict[str, Any]:
    """Checks an exported proof without the ledger and its key."""
    request = {"proof": os.fspath(proof), "head": None if head is None else os.fspath(head), "verifier": verifier}
    answer: dict[str, Any] = json.loads(_native.check_proof(_json(request)))
    return answer


def witness(head: Path_, previous: Path_, key: Path_, name: str, *, proof: Path_ | None = None) -> dict[str, Any]:
    """Countersigns a head as a witness, if it extends the last one that the witness countersigned."""
    request = {
        "head": os.fspath(head),
        "previous": os.fspath(previous),
        "key": os.fspath(key),
        "name": name,
        "proof": None if proof is None else os.fspath(proof),
    }
    answer: dict[str, Any] = json.loads(_native.witness(_json(request)))
    return answer


def demo(folder: Path_) -> dict[str, Any]:
    """Shows on example data in a new folder what two releases disclose together, and how Reticent prevents it."""
    os.makedirs(folder, exist_ok=True)
    answer: dict[str, Any] = json.loads(_native.demo(os.fspath(folder), _native.Context()))
    return answer
