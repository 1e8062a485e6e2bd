"""A transformer for scikit-learn: replaces every record by its equivalence class.

It prepares features for learning with less detail about people. It is not a release: nothing is recorded in a ledger, no history is
considered, and a model that was trained on the result can still disclose something about the training data.
"""

from __future__ import annotations

import json
import os
import tempfile
import uuid
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin  # type: ignore[import-untyped]  # no types
from sklearn.utils.validation import check_is_fitted, validate_data  # type: ignore[import-untyped]  # no types

from . import _native
from .errors import Refused
from .ledger import _json, workspace
from .policy import Policy

__all__ = ["Anonymizer"]


class Anonymizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Generalizes features so that every training record shares its values with at least ``k`` records.

    ``fit`` searches equivalence classes of at least ``k`` training records. ``transform`` replaces the features of a record by those
    of the class that contains it: the mean of the training values for numbers, the published text for other values. If several classes
    contain a record, it gets the most specific one; a record outside of all classes gets the nearest one.

    Parameters
    ----------
    k : int, default=5
        Minimum number of training records in an equivalence class.
    algorithm : str, default="mondrian"
        Id of the algorithm; ``reticent.algorithms`` lists them.
    suppression : float, default=0.0
        Maximum share of training records that may be left out of the classes.

    Attributes
    ----------
    n_classes_ : int
        Number of equivalence classes.
    class_sizes_ : ndarray of shape (n_classes_,)
        Number of training records in each class.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if they are texts.

    Examples
    --------
    >>> import numpy as np
    >>> from reticent.sklearn import Anonymizer
    >>> X = np.array([[1.0], [2.0], [10.0], [12.0]])
    >>> Anonymizer(k=2).fit_transform(X).ravel().tolist()
    [1.5, 1.5, 11.0, 11.0]
    """

    def __init__(self, k: int = 5, *, algorithm: str = "mondrian", suppression: float = 0.0) -> None:
        self.k = k
        self.algorithm = algorithm
        self.suppression = suppression

    def fit(self, X: Any, y: Any = None) -> Anonymizer:
        """Searches the equivalence classes of the training records ``X``."""
        X = self._validated(X, reset=True)
        if X.shape[0] < self.k:
            raise ValueError(f"Found array with {X.shape[0]} sample(s) while a minimum of k = {self.k} is required.")
        names = [f"x{at}" for at in range(X.shape[1])]
        numeric = [_is_numeric(X[:, at]) for at in range(X.shape[1])]
        policy = Policy(
            quasi={name: {"type": "number" if is_number else "text"} for name, is_number in zip(names, numeric, strict=True)},
            k=self.k,
            algorithm=self.algorithm,
            suppression=self.suppression or None,
            seed=0,
        )
        columns = [(name, _column(X[:, at], is_number)) for at, (name, is_number) in enumerate(zip(names, numeric, strict=True))]
        request = {"name": "fit", "recipients": ["nobody"], "output": "fit.parquet"}
        try:
            plan = workspace(policy, *_no_ledger(), create=True).plan(
                _json(request), _native.Context(), _native.frame_of_columns(columns)
            )
        except Refused as error:
            raise ValueError(f"no classes of at least {self.k} records: {error}") from error
        classes = json.loads(plan.classes())
        self._numeric = numeric
        self._scales = np.array([np.ptp(_floats(X[:, at])) or 1.0 if is_number else 1.0 for at, is_number in enumerate(numeric)])
        regions = [_Region.of([known["cells"][at] for known in classes]) for at in range(len(names))]
        extents = sum(region.extent(X[:, at]) / self._scales[at] for at, region in enumerate(regions))
        self._keep(regions, np.argsort(extents, kind="stable"))
        found = self._training_classes(X)
        self.class_sizes_ = np.bincount(found, minlength=self.n_classes_)
        self._values = self._class_values(X, found)
        return self

    def _keep(self, regions: Sequence[_Region], kept: Any) -> None:
        self._regions = [region.of_classes(kept) for region in regions]
        self.n_classes_ = len(kept)

    def _training_classes(self, X: Any) -> Any:
        """Returns the class of each training record. Removes classes until all have at least ``k`` records.

        Classes can overlap, and ``transform`` knows only their regions, not the records that the algorithm put into each class.
        """
        found = self._classes_of(X)
        while True:
            sizes = np.bincount(found, minlength=self.n_classes_)
            small = np.flatnonzero(sizes < self.k)
            if not small.size:
                return found
            smallest = small[np.argsort(sizes[small], kind="stable")]
            removed = smallest[: (small.size + 1) // 2]
            kept = np.setdiff1d(np.arange(self.n_classes_), removed)
            is_moved = np.isin(found, removed)
            found = np.searchsorted(kept, found)
            self._keep(self._regions, kept)
            found[is_moved] = self._classes_of(X[is_moved])

    def transform(self, X: Any) -> Any:
        """Replaces every record of ``X`` by its equivalence class."""
        check_is_fitted(self)
        X = self._validated(X, reset=False)
        found = self._classes_of(X)
        columns = [values[found] for values in self._values]
        if all(self._numeric):
            kind = X.dtype if X.dtype.kind == "f" else np.float64
            return np.column_stack(columns).astype(kind)
        result = np.empty(X.shape, dtype=object)
        for at, column in enumerate(columns):
            result[:, at] = column
        return result

    def _validated(self, X: Any, *, reset: bool) -> Any:
        X = validate_data(self, X, reset=reset, dtype=None, ensure_all_finite=True, ensure_min_features=1)
        if X.dtype.kind == "c":
            raise ValueError("Complex data not supported")
        if X.dtype.kind in "US":
            X = X.astype(object)
        if X.dtype == object and any(cell is None for cell in X.ravel()):
            raise ValueError("Input X contains None; impute missing values first")
        return X

    def _class_values(self, X: Any, found: Any) -> list[Any]:
        """Value of each class and feature: the mean of the training values, or the published text."""
        counts = self.class_sizes_
        values: list[Any] = []
        for at, region in enumerate(self._regions):
            if self._numeric[at]:
                sums = np.bincount(found, weights=_floats(X[:, at]), minlength=self.n_classes_)
                values.append(sums / counts)
            else:
                values.append(np.array(region.labels, dtype=object))
        return values

    def _classes_of(self, X: Any) -> Any:
        """Index of the class of each record: the most specific one that contains it, or else the nearest one."""
        found = np.empty(X.shape[0], dtype=np.intp)
        rows = max(1, 2_000_000 // max(1, self.n_classes_))
        for start in range(0, X.shape[0], rows):
            part = X[start : start + rows]
            distance = np.zeros((part.shape[0], self.n_classes_))
            for at, region in enumerate(self._regions):
                cells = part[:, at]
                distance += region.distance(_floats(cells) if self._numeric[at] else cells) / self._scales[at]
            found[start : start + rows] = distance.argmin(axis=1)
        return found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def _no_ledger() -> tuple[str, str]:
    """Returns paths of a ledger and a key that do not exist. A plan creates neither."""
    name = os.path.join(tempfile.gettempdir(), f"reticent-{uuid.uuid4()}")
    return f"{name}.ledger", f"{name}.key"


class _Region:
    """The cells of one feature in all classes."""

    def __init__(self, labels: Sequence[str], low: Any, high: Any, values: list[set[str]] | None) -> None:
        self.labels = list(labels)
        self._low = low
        self._high = high
        self._values = values

    @classmethod
    def of(cls, cells: list[dict[str, Any]]) -> _Region:
        labels = [cell["label"] for cell in cells]
        if cells and cells[0]["kind"] == "interval":
            low = np.array([-np.inf if cell["from"] is None else cell["from"] for cell in cells])
            # An upper bound that is not included is the largest number below it.
            high = np.array(
                [
                    np.inf if cell["to"] is None else cell["to"] if cell["to_included"] else np.nextafter(cell["to"], -np.inf)
                    for cell in cells
                ]
            )
            return cls(labels, low, high, None)
        return cls(labels, None, None, [set(cell["values"]) for cell in cells])

    def of_classes(self, kept: Any) -> _Region:
        """The cells of some classes."""
        labels = [self.labels[at] for at in kept]
        if self._values is None:
            return _Region(labels, self._low[kept], self._high[kept], None)
        return _Region(labels, None, None, [self._values[at] for at in kept])

    def extent(self, cells: Any) -> Any:
        """Size of each cell: the part of the range of the training values, or of their distinct texts."""
        if self._values is None:
            column = _floats(cells)
            return np.minimum(self._high, column.max()) - np.maximum(self._low, column.min())
        texts = {_text(cell) for cell in cells}
        return np.array([len(values & texts) / len(texts) for values in self._values])

    def distance(self, cells: Any) -> Any:
        """Distance of each record from each class: 0 inside of it."""
        if self._values is None:
            column = cells[:, np.newaxis]
            return np.maximum(np.maximum(self._low - column, column - self._high), 0.0)
        texts, at = np.unique([_text(cell) for cell in cells], return_inverse=True)
        table = np.array([[0.0 if text in values else 1.0 for values in self._values] for text in texts])
        return table.reshape(len(texts), len(self._values))[at]


def _is_numeric(column: Any) -> bool:
    return column.dtype.kind in "fiub" or all(isinstance(cell, int | float | np.number) for cell in column)


def _floats(column: Any) -> Any:
    return np.asarray(column, dtype=np.float64)


def _text(cell: object) -> str:
    return str(cell)


def _column(column: Any, is_number: bool) -> list[Any]:
    return [float(cell) for cell in column] if is_number else [_text(cell) for cell in column]
