"""Publish data about people more than once, without letting the releases add up to a leak.

    >>> import reticent as rt
    >>> people = {"age": [34, 36, 51, 58], "disease": ["flu", "asthma", "flu", "gout"]}
    >>> policy = rt.Policy(quasi={"age": rt.column(type="number")}, sensitive=["disease"], k=2)
    >>> ledger = rt.Ledger.open("ledger", create=True)
    >>> release = ledger.plan(people, policy, to="university", seed=7).publish("first")
    >>> release.holds, release.k
    (True, 2)

`Policy` says what each column is and what is required, `Ledger` keeps what was released and makes the next release safe given that
history. `check`, `k_anonymity` and the other measures are ordinary functions.
"""

from ._data import ArrowStream, Rows
from ._native import __version__
from ._progress import Progress
from .answers import (
    Answer,
    Audit,
    Check,
    Comparison,
    Diff,
    Display,
    Doctor,
    Draft,
    History,
    Log,
    Publication,
    Recorded,
    Registration,
    Release,
    SensitiveRisk,
    Shown,
    Table,
    TaxonomyUpdate,
    Verification,
    read_table,
)
from .database import Database, DatabaseRows, connect
from .errors import (
    Cancelled,
    DataError,
    InternalError,
    InvalidError,
    LockedError,
    ModifiedError,
    PolicyError,
    Refused,
    ReticentError,
    ReticentWarning,
    StorageError,
)
from .ledger import Ledger, Plan
from .measures import (
    check,
    check_proof,
    confidence,
    demo,
    draft,
    entropy_l_diversity,
    explain,
    k_anonymity,
    l_diversity,
    measure,
    metrics,
    policy_schema,
    presets,
    recursive_cl_diversity,
    reference,
    t_closeness,
    update_taxonomies,
    witness,
)
from .policy import Columns, Policy, column, taxonomy_text
from .registry import Entry, Parameter, Registry, Spec, algorithms, attacks, catalogue, methods, models

# A literal list, because type checkers read it.
__all__ = [
    "__version__",
    "Database",
    "DatabaseRows",
    "connect",
    "Answer",
    "ArrowStream",
    "Audit",
    "Cancelled",
    "Check",
    "Columns",
    "Comparison",
    "DataError",
    "Diff",
    "Display",
    "Doctor",
    "Draft",
    "Entry",
    "History",
    "InternalError",
    "InvalidError",
    "Ledger",
    "LockedError",
    "Log",
    "ModifiedError",
    "Parameter",
    "Plan",
    "Policy",
    "PolicyError",
    "Progress",
    "Publication",
    "Recorded",
    "Refused",
    "Registration",
    "Registry",
    "Release",
    "ReticentError",
    "ReticentWarning",
    "Rows",
    "SensitiveRisk",
    "Shown",
    "Spec",
    "StorageError",
    "Table",
    "TaxonomyUpdate",
    "Verification",
    "algorithms",
    "attacks",
    "catalogue",
    "check",
    "check_proof",
    "column",
    "confidence",
    "demo",
    "draft",
    "entropy_l_diversity",
    "explain",
    "k_anonymity",
    "l_diversity",
    "measure",
    "methods",
    "metrics",
    "models",
    "policy_schema",
    "presets",
    "read_table",
    "recursive_cl_diversity",
    "reference",
    "t_closeness",
    "taxonomy_text",
    "update_taxonomies",
    "witness",
]
