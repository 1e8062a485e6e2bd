"""The ledger: what was released, when, and to whom. All verbs that need the history are its methods."""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import tempfile
import uuid
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from . import _native
from ._data import Rows, rows_of
from ._progress import Progress, receiver, warn
from .answers import (
    Answer,
    Audit,
    Check,
    Comparison,
    Diff,
    Doctor,
    History,
    Log,
    Publication,
    Recorded,
    Registration,
    Release,
    Shown,
    Verification,
)
from .errors import InvalidError, ReticentWarning
from .policy import Policy
from .registry import Spec

A = TypeVar("A", bound=Answer)

Path_ = str | os.PathLike[str]


class Ledger:
    """A ledger of releases.

    The ledger is the context in which releases are made: each new one is judged with all releases that its recipients hold. Open it
    with :meth:`open`. Several ledgers can be used in several threads, and several stewards can use one ledger.
    """

    def __init__(
        self,
        path: Path_ | None,
        policy: Policy | Path_ | None,
        key: Path_ | None,
        context: _native.Context,
        *,
        wait: float,
        progress: Progress,
    ) -> None:
        # Absolute, so that a change of the working folder does not change the ledger.
        self._path = _absolute(path)
        self._policy = policy if policy is None or isinstance(policy, Policy) else _absolute(policy)
        self._key = _absolute(key)
        if self._key is None and self._path is not None and not isinstance(self._policy, str):
            self._key = os.path.join(os.path.dirname(self._path), "reticent.key")
        self._context = context
        self._wait = wait
        self._progress = progress

    @classmethod
    def open(
        cls,
        path: Path_ | None = None,
        *,
        policy: Policy | Path_ | None = None,
        key: Path_ | None = None,
        create: bool = False,
        steward: str | None = None,
        threads: int | None = None,
        memory: int | None = None,
        wait: float = 60.0,
        progress: Progress = False,
        show_values: bool = False,
    ) -> Ledger:
        """Opens a ledger.

        Args:
            path: Folder of the ledger. By default, the policy file names it.
            policy: Policy for all calls that get no policy of their own: a :class:`Policy`, or the path of a policy file. Without a
                path of the ledger, the default is ``reticent.toml``.
            key: Key file of the ledger. By default, ``reticent.key`` next to the folder of the ledger, or what the policy file names.
            create: Whether to create the ledger and its key if they do not exist. Otherwise, a missing ledger is an error, because
                it may be lost, and with it the history.
            steward: Name that the ledger records. By default, that of the user of the operating system.
            threads: Number of threads. By default, that of the cores.
            memory: Approximate memory for counting, in bytes.
            wait: Seconds to wait while another process writes to the ledger.
            progress: ``True`` for progress bars (needs tqdm), or a function of the stage, the completed and the total work.
            show_values: Whether errors show values of the data that do not fit. By default, they show patterns.

        Raises:
            InvalidError: The ledger does not exist, and ``create`` is false.

        >>> ledger = Ledger.open("ledger", create=True, steward="ana")
        >>> len(ledger.log())
        0
        """
        if path is None and policy is None:
            policy = "reticent.toml"
        context = _native.Context(steward, threads, memory, show_values)
        ledger = cls(path, policy, key, context, wait=wait, progress=progress)
        # Only this call may create the ledger. A ledger that is lost later is an error, because the history is lost with it.
        opening = workspace(ledger._policy, ledger._path, ledger._key, create=create, wait=wait)
        opening.call("open", _json({}), context, None, (), None, warn)
        return ledger

    # Releases

    def plan(
        self,
        data: Rows,
        policy: Policy | Path_ | None = None,
        to: str | Iterable[str] = "public",
        *,
        name: str = "next",
        columns: Sequence[str] | None = None,
        algorithm: str | None = None,
        k: int | None = None,
        confidence: float | None = None,
        suppression: float | None = None,
        seed: int | None = None,
        ignore_history: bool = False,
        time_limit: float | None = None,
    ) -> Plan:
        """Plans a release: searches it and judges it with the history. Writes nothing.

        Args:
            data: Data frame, dict of columns, or paths.
            policy: Policy; by default that of the ledger.
            to: Recipients.
            name: Name of the release. :meth:`Plan.publish` can set another one.
            columns: Columns to publish; all by default.
            algorithm: Algorithm instead of the one of the policy.
            k: Replaces ``k`` of the policy. Only a plan that is not published can be weaker than the policy.
            confidence: Replaces ``confidence`` of the policy.
            suppression: Replaces ``suppression`` of the policy.
            seed: Seed of the random numbers instead of the one of the policy.
            ignore_history: Whether to judge the release alone. The ledger records this.
            time_limit: Seconds after which the search ends with the best release so far.

        Raises:
            Refused: No release satisfies the policy. ``remedies`` says what would.
        """
        self._needs_policy("plan", policy)
        request = _release_request(name, to, columns, algorithm, seed, ignore_history, time_limit)
        # A plan writes no release. That of a method is rehearsed in a temporary folder.
        unused = os.path.join(tempfile.gettempdir(), f"reticent-{uuid.uuid4()}")
        request["output"] = unused + os.path.splitext(self._default_output(name, policy))[1]
        request["changes"] = _changes(k, confidence, suppression)
        workspace = self._workspace(policy)
        with receiver(self._progress) as progress:
            planned = workspace.plan(_json(request), self._context, rows_of(data), progress, warn)
        plan = Plan(planned, self, policy)
        _warn_without_history(plan)
        return plan

    def publish(
        self,
        data: Rows,
        policy: Policy | Path_ | None = None,
        to: str | Iterable[str] = "public",
        *,
        name: str,
        output: Path_ | None = None,
        columns: Sequence[str] | None = None,
        algorithm: str | None = None,
        k: int | None = None,
        confidence: float | None = None,
        suppression: float | None = None,
        seed: int | None = None,
        ignore_history: bool = False,
        time_limit: float | None = None,
    ) -> Release:
        """Makes a release, writes and verifies it, and records it in the ledger. The parameters are those of :meth:`plan`.

        ``output`` is the file to write: ``.parquet``, ``.csv``, ``.csv.gz`` or ``.csv.zst``; for a republication method, a folder. By
        default, it is ``NAME.parquet`` in the current folder.
        """
        request = _release_request(name, to, columns, algorithm, seed, ignore_history, time_limit)
        request["output"] = self._default_output(name, policy) if output is None else os.fspath(output)
        request["changes"] = _changes(k, confidence, suppression)
        release = self._call(Release, "publish", request, data=data, policy=policy)
        _warn_of_verdict(release)
        return release

    def compare(
        self,
        data: Rows,
        policy: Policy | Path_ | None = None,
        to: str | Iterable[str] = "public",
        *,
        k: Sequence[int] = (),
        confidence: Sequence[float] = (),
        suppression: Sequence[float] = (),
        algorithms: Sequence[str] = (),
        columns: Sequence[Sequence[str]] = (),
        name: str | None = None,
        seed: int | None = None,
        ignore_history: bool = False,
        html: Path_ | None = None,
    ) -> Comparison:
        """Compares risk and loss of releases under other thresholds and algorithms. Publishes nothing.

        Every combination of the listed settings is tried. Without any list, ``k``, ``confidence``, ``suppression`` and the algorithm
        are varied one after the other. ``html`` writes the comparison as a page.
        """
        request = {
            "recipients": _names(to),
            "k": list(k),
            "confidence": list(confidence),
            "suppression": list(suppression),
            "algorithms": list(algorithms),
            "columns": [list(choice) for choice in columns],
            "name": name,
            "seed": seed,
            "ignore_history": ignore_history,
            "html": _path(html),
        }
        return self._call(Comparison, "compare", request, data=data, policy=policy)

    def register(
        self,
        data: Rows,
        policy: Policy | Path_ | None = None,
        to: str | Iterable[str] = "public",
        *,
        name: str,
        date: str | datetime.date,
        identifiers: Sequence[str] = (),
        sensitive: Sequence[str] = (),
        quasi: Sequence[str] = (),
        population: bool = False,
        owner_shown: bool = False,
        group_column: str | None = None,
        counterfeit_column: str | None = None,
        separate_columns: bool = False,
        marginal_of: str | int | None = None,
        dry_run: bool = False,
    ) -> Registration:
        """Records a release that was made without Reticent, or a population register (``population=True``).

        The ledger records the hash of a file. A data frame has none.
        """
        request = {
            "name": name,
            "recipients": _names(to),
            "date": date.isoformat() if isinstance(date, datetime.date) else date,
            "identifier": list(identifiers),
            "sensitive": list(sensitive),
            "quasi_identifier": list(quasi),
            "register_as": "population" if population else "release",
            "owner_shown": owner_shown,
            "group_column": group_column,
            "counterfeit_column": counterfeit_column,
            "separate_columns": separate_columns,
            "marginal_of": None if marginal_of is None else str(marginal_of),
            "dry_run": dry_run,
        }
        return self._call(Registration, "register", _given(request), data=data, policy=policy)

    # Disclosure

    def check(self, data: Rows, policy: Policy | Path_ | None = None, *, witnesses: int = 3) -> Check:
        """Measures the risk of the unprotected data, and checks it against the policy."""
        return self._call(Check, "check", {"witnesses": witnesses}, data=data, policy=policy)

    def audit(
        self,
        to: str | Iterable[str] = (),
        *,
        policy: Policy | Path_ | None = None,
        confidence: float | None = None,
        reidentification: float | None = None,
        columns: Sequence[str] | None = None,
        background: Path_ | None = None,
        adversary: str = "presence",
        attacks: str | Spec | Iterable[str | Spec] = (),
        population: Path_ | None = None,
        per_person: bool = False,
        worst: int = 5,
        effort: int = 2,
        samples: int = 0,
        seed: int = 0,
        html: Path_ | None = None,
        public: bool = False,
    ) -> Audit:
        """Computes what all releases together disclose about each person.

        Args:
            to: Recipients that an audited coalition must contain; all coalitions by default.
            policy: Policy with the bounds and assumptions; by default that of the ledger.
            confidence: Bound on the posterior of a sensitive value instead of the one of the policy.
            reidentification: Bound on the prosecutor risk instead of the one of the policy.
            columns: Sensitive columns to audit; all by default.
            background: File with background knowledge of the attacker.
            adversary: ``"presence"``, ``"quasi-identifiers"`` or ``"algorithm"``.
            attacks: Attacks to run, such as ``reticent.attacks.definetti()``; ``"all"`` runs all.
            population: Population table for attacks that need one.
            per_person: Whether the answer lists every person, by pseudonym.
            worst: Number of worst cases to explain.
            effort: Steps for counting possible worlds and for proving bounds, in millions.
            samples: Number of possible worlds to sample where they are too many to count.
            seed: Seed of the samples.
            html: File for the disclosure risk report.
            public: Whether this report is for the public.
        """
        named = [attacks] if isinstance(attacks, str | Spec) else attacks
        specs = [attack if isinstance(attack, Spec) else Spec(attack) for attack in named]
        parameters = [[key, _parameter(value)] for spec in specs for key, value in spec.options.items()]
        request = {
            "recipients": _names(to),
            "confidence": confidence,
            "reidentification": reidentification,
            "columns": _columns(columns),
            "background": _path(background),
            "adversary": adversary,
            "attacks": [spec.id for spec in specs],
            "attack_parameters": parameters,
            "population": _path(population),
            "per_person": per_person,
            "worst": worst,
            "effort": effort,
            "samples": samples,
            "seed": seed,
            "html": _path(html),
            "public": public,
        }
        return self._call(Audit, "audit", request, policy=policy)

    # Ledger

    def log(self) -> Log:
        """Returns all entries."""
        return self._call(Log, "log", {})

    def show(self, release: str | int) -> Shown:
        """Returns the entry of one release, by name or number."""
        return self._call(Shown, "show", {"release": str(release)})

    def prove(self, release: str | int, proof: Path_) -> Shown:
        """Returns the entry of a release, and writes a proof that it is in the ledger."""
        return self._call(Shown, "prove", {"release": str(release), "proof": os.fspath(proof)})

    def diff(self, first: str | int, second: str | int) -> Diff:
        """Compares two releases."""
        return self._call(Diff, "diff", {"from": str(first), "to": str(second)})

    def history(self, to: str | Iterable[str]) -> History:
        """Returns the releases that coalitions with these recipients hold."""
        return self._call(History, "history", {"recipients": _names(to)})

    def verify(
        self, *, head: Path_ | None = None, verifier: str | None = None, witness: str | None = None
    ) -> Verification:
        """Verifies that the ledger and every published file are unmodified."""
        request = {"head": _path(head), "verifier": verifier, "witness": witness}
        return self._call(Verification, "verify", request)

    def doctor(self) -> Doctor:
        """Checks the environment: policy, permissions, key, ledger, unfinished work, disk space."""
        return self._call(Doctor, "doctor", {})

    def export_head(
        self, output: Path_ | None = None, *, since: Path_ | None = None, proof: Path_ | None = None
    ) -> Answer:
        """Exports the signed head. Kept elsewhere, it reveals later removals and rewrites."""
        return self._call(Answer, "export-head", {"output": _path(output), "since": _path(since), "proof": _path(proof)})

    def record_witness(self, head: Path_, witness: str) -> Recorded:
        """Records that a witness countersigned a head."""
        return self._call(Recorded, "record-witness", {"head": os.fspath(head), "witness": witness})

    def authenticate(self) -> Recorded:
        """Signs an unsigned ledger with its key."""
        return self._call(Recorded, "authenticate", {})

    def withdraw(self, release: str | int, reason: str, *, destroyed_elsewhere: bool = False) -> Recorded:
        """Withdraws a release that was never handed out."""
        request = {"release": str(release), "reason": reason, "destroyed_elsewhere": destroyed_elsewhere}
        return self._call(Recorded, "withdraw", request)

    def amend(
        self,
        release: str | int,
        reason: str,
        *,
        add_recipients: Iterable[str] = (),
        recipients: Iterable[str] | None = None,
        roles: Mapping[str, str] | None = None,
    ) -> Recorded:
        """Corrects the recipients of a release, or the roles of its columns."""
        request = {
            "release": str(release),
            "reason": reason,
            "add_recipients": _names(add_recipients),
            "recipients": None if recipients is None else _names(recipients),
            "roles": [[column, role] for column, role in (roles or {}).items()],
        }
        return self._call(Recorded, "amend", request)

    def erase(self, owner: str | int, reason: str, *, dry_run: bool = False, confirmed: bool = False) -> Recorded:
        """Removes a person from the owner links of all releases. Recipients keep what they have."""
        request = {"owner": owner, "reason": reason, "dry_run": dry_run, "confirmed": confirmed}
        return self._call(Recorded, "erase", request)

    def purge(self, release: str | int, reason: str, *, confirmed: bool = False) -> Recorded:
        """Erases the stored contents of a release. Its entry stays."""
        return self._call(Recorded, "purge", {"release": str(release), "reason": reason, "confirmed": confirmed})

    def _repr_html_(self) -> str:
        return self.log()._repr_html_()

    def __repr__(self) -> str:
        return f"Ledger({self._path or str(self._policy)!r})"

    # Calls

    def _needs_policy(self, verb: str, policy: Policy | Path_ | None) -> None:
        if policy is None and self._policy is None:
            raise InvalidError(f"{verb} needs a policy; pass one, or open the ledger with a policy", "policy-missing")

    def _workspace(self, policy: Policy | Path_ | None) -> _native.Workspace:
        return workspace(policy or self._policy, self._path, self._key, wait=self._wait)

    def _default_output(self, name: str, policy: Policy | Path_ | None) -> str:
        chosen = policy or self._policy
        tables = (chosen if isinstance(chosen, Policy) else Policy.read(chosen)).to_dict() if chosen is not None else {}
        return name if "method" in tables.get("release", {}) else f"{name}.parquet"

    def _call(
        self,
        kind: type[A],
        verb: str,
        request: Mapping[str, Any],
        *,
        data: Any = None,
        policy: Policy | Path_ | None = None,
    ) -> A:
        if verb in {"publish", "compare", "check"}:
            self._needs_policy(verb, policy)
        rows = rows_of(data) if verb in {"publish", "compare", "check", "register"} else None
        with receiver(self._progress) as progress:
            answer = self._workspace(policy).call(verb, _json(request), self._context, rows, (), progress, warn)
        return kind(answer)


class Plan(Publication):
    """A planned release: searched and judged with the history, but not written.

    The displayed plan shows risk and utility, and the distribution of each column before and after.
    """

    def __init__(self, planned: _native.Plan, ledger: Ledger, policy: Policy | Path_ | None) -> None:
        super().__init__(planned.answer)
        self._planned = planned
        self._ledger = ledger
        self._chosen = policy

    def publish(self, name: str | None = None, output: Path_ | None = None) -> Release:
        """Writes, verifies and records the release.

        If the history has changed since the plan, the release is made again with the present history.

        Args:
            name: Name of the release; that of the plan by default.
            output: File to write: ``.parquet``, ``.csv``, ``.csv.gz`` or ``.csv.zst``; for a republication method, a folder. By default
                ``NAME.parquet`` in the current folder.

        Raises:
            Refused: The release does not satisfy the policy with the present history.
        """
        name = self.name if name is None else name
        target = self._ledger._default_output(name, self._chosen) if output is None else os.fspath(output)
        with receiver(self._ledger._progress) as progress:
            answer = self._planned.publish(name, target, self._ledger._context, progress, warn)
        release = Release(answer)
        _warn_of_verdict(release)
        if self.loss is not None and release.loss is not None and release.loss > self.loss + 1e-9:
            text = f"the history has changed since the plan, so the release was made again: loss {release.loss:.4f}, planned {self.loss:.4f}"
            _warn(text)
        return release


def _warn_without_history(release: Publication) -> None:
    """Warns if a release was judged without the earlier releases of its recipients."""
    apart = release._fields["judged"].get("apart_from") or []
    if apart:
        numbers = ", ".join(map(str, apart))
        _warn(f"judged without the earlier releases {numbers} of its recipients; the ledger records this")


def _warn_of_verdict(release: Publication) -> None:
    """Warns if a release is not established to be within the policy."""
    if not release.within_policy:
        reasons = "; ".join(release.not_established) or "a requirement is violated: nothing was published"
        _warn(f"release {release.name} is not established to be within the policy: {reasons}")


def _warn(text: str) -> None:
    # The release may be recorded already: a warning that is turned into an exception must not hide it.
    with contextlib.suppress(ReticentWarning):
        warnings.warn(text, ReticentWarning, stacklevel=4)


def workspace(
    policy: Policy | Path_ | None, ledger: str | None, key: str | None, *, create: bool = False, wait: float = 60.0
) -> _native.Workspace:
    """Returns the native workspace of a policy and a ledger."""
    if isinstance(policy, Policy):
        return _native.Workspace(policy._parts, None, ledger, key, create, wait)
    file = None if policy is None else os.fspath(policy)
    return _native.Workspace(None, file, ledger, key, create, wait)


def _release_request(
    name: str,
    to: str | Iterable[str],
    columns: Sequence[str] | None,
    algorithm: str | None,
    seed: int | None,
    ignore_history: bool,
    time_limit: float | None,
) -> dict[str, Any]:
    return {
        "name": name,
        "recipients": _names(to),
        "columns": _columns(columns),
        "algorithm": algorithm,
        "seed": seed,
        "ignore_history": ignore_history,
        "time_limit": time_limit,
    }


def _changes(k: int | None, confidence: float | None, suppression: float | None) -> dict[str, Any]:
    return {"k": k, "confidence": confidence, "suppression": suppression}


def _columns(columns: Sequence[str] | None) -> list[str] | None:
    if isinstance(columns, str):
        raise TypeError(f"columns must be a list of column names, not one text: [{columns!r}]")
    return None if columns is None else list(columns)


def _names(names: str | Iterable[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _absolute(path: Path_ | None) -> str | None:
    return None if path is None else os.path.abspath(os.fspath(path))


def _path(path: Path_ | None) -> str | None:
    return None if path is None else os.fspath(path)


def _parameter(value: Any) -> str:
    if isinstance(value, Mapping):
        return ",".join(f"{key}={of}" for key, of in value.items())
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _given(request: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in request.items() if value is not None}


def _json(request: Mapping[str, Any]) -> str:
    def plain(value: Any) -> Any:
        if hasattr(value, "item"):  # a number of numpy
            return value.item()
        raise TypeError(f"a request cannot contain a value of type {type(value).__name__}")

    try:
        return json.dumps(dict(request), default=plain, allow_nan=False)
    except ValueError as error:
        raise InvalidError("a number of the request is not finite", "request-invalid") from error
