"""The transformer for scikit-learn."""

from __future__ import annotations

import pickle
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from sklearn.base import clone  # type: ignore[import-untyped]  # no types
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]  # no types
from sklearn.model_selection import cross_val_score  # type: ignore[import-untyped]  # no types
from sklearn.pipeline import make_pipeline  # type: ignore[import-untyped]  # no types
from sklearn.preprocessing import OneHotEncoder, StandardScaler  # type: ignore[import-untyped]  # no types
from sklearn.utils.estimator_checks import parametrize_with_checks  # type: ignore[import-untyped]  # no types

from reticent.sklearn import Anonymizer

#: Checks of scikit-learn that cannot apply, with the reason.
NOT_APPLICABLE: dict[str, str] = {}


@parametrize_with_checks(  # type: ignore[untyped-decorator]  # no types
    [Anonymizer(k=2), Anonymizer()], expected_failed_checks=lambda _: NOT_APPLICABLE
)
def test_conventions(estimator: Any, check: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks themselves warn
        check(estimator)


def random_frame(seed: int, kind: str) -> pandas.DataFrame:
    random = np.random.default_rng(seed)
    number = int(random.integers(12, 120))
    numbers = {
        "a": random.integers(0, 20, number),
        "b": random.normal(size=number).round(int(random.integers(0, 6))),
        "c": random.choice([-1e9, 0.0, 1e-9, 3.5], number),
    }
    texts = {
        "t": random.choice(["x", "y", "z", "Zoë; ,\"'"], number),
        "u": random.choice([f"v{value}" for value in range(30)], number),
    }
    columns = {"numeric": numbers, "text": texts, "mixed": {**numbers, **texts}}[kind]
    return pandas.DataFrame(columns)


@pytest.mark.parametrize("kind", ["numeric", "text", "mixed"])
@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("k", [2, 5])
def test_training_records_share_their_values(kind: str, seed: int, k: int) -> None:
    frame = random_frame(seed, kind)
    for algorithm in ("mondrian", "local-recoding") if seed < 5 else ("mondrian",):
        fitted = Anonymizer(k=k, algorithm=algorithm).fit(frame)
        rows = [tuple(row) for row in fitted.transform(frame)]
        assert min(Counter(rows).values()) >= k
        assert fitted.class_sizes_.min() >= k
        assert fitted.class_sizes_.sum() == len(frame)
        assert fitted.n_classes_ == len(fitted.class_sizes_)
        # Transforming one record at a time gives the same.
        assert [tuple(fitted.transform(frame[at : at + 1])[0]) for at in range(5)] == rows[:5]


@pytest.mark.parametrize("seed", range(10))
def test_numbers_become_the_mean_of_their_class(seed: int) -> None:
    table = random_frame(seed, "numeric").to_numpy(dtype=float)
    changed = Anonymizer(k=3).fit_transform(table)
    classes: dict[tuple[float, ...], list[int]] = {}
    for at, row in enumerate(changed):
        classes.setdefault(tuple(row), []).append(at)
    for values, members in classes.items():
        assert np.allclose(table[members].mean(axis=0), values)
    assert np.allclose(changed.mean(axis=0), table.mean(axis=0))


def test_suppression_leaves_out_records() -> None:
    table = np.array([[1.0], [1.0], [1.0], [2.0], [2.0], [2.0], [99.0]])
    fitted = Anonymizer(k=3, algorithm="optimal-full-domain", suppression=0.2).fit(table)
    rows = Counter(map(tuple, fitted.transform(table)))
    assert min(rows.values()) >= 3


def test_too_few_records() -> None:
    with pytest.raises(ValueError, match="k = 5"):
        Anonymizer(k=5).fit(np.ones((4, 1)))


@pytest.mark.parametrize("k", [0, -1, 2.5, "x", None])
def test_invalid_k(k: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        Anonymizer(k=k).fit(np.arange(20.0).reshape(-1, 1))


def test_invalid_algorithm() -> None:
    with pytest.raises(ValueError, match="no-such-algorithm"):
        Anonymizer(algorithm="no-such-algorithm").fit(np.arange(20.0).reshape(-1, 1))


def test_unseen_values_get_the_nearest_class() -> None:
    fitted = Anonymizer(k=2).fit(np.array([[1.0], [2.0], [10.0], [12.0]]))
    assert fitted.transform(np.array([[-100.0], [3.0], [11.5], [1e300]])).ravel().tolist() == [1.5, 1.5, 11.0, 11.0]
    texts = pandas.DataFrame({"n": [1.0, 2.0, 10.0, 12.0], "t": ["x", "x", "y", "y"]})
    changed = Anonymizer(k=2).fit(texts).transform(pandas.DataFrame({"n": [11.0], "t": ["unseen"]}))
    assert changed.tolist() == [[11.0, "y"]]


def test_feature_names() -> None:
    frame = random_frame(1, "mixed")
    fitted = Anonymizer(k=2).fit(frame)
    assert fitted.get_feature_names_out().tolist() == fitted.feature_names_in_.tolist() == ["a", "b", "c", "t", "u"]
    assert fitted.n_features_in_ == 5
    assert Anonymizer(k=2).fit(frame[["a", "b"]].to_numpy()).get_feature_names_out().tolist() == ["x0", "x1"]
    with pytest.raises(ValueError, match="feature names"):
        fitted.transform(frame.rename(columns={"a": "other"}))
    with pytest.raises(ValueError, match="feature names"):
        fitted.transform(frame[["b", "a", "c", "t", "u"]])
    with pytest.raises(ValueError, match="feature names"):
        fitted.transform(frame[["a", "b", "c"]])
    with pytest.raises(ValueError, match="2 features"):
        Anonymizer(k=2).fit(frame[["a", "b"]].to_numpy()).transform(frame[["a"]].to_numpy())


@pytest.mark.parametrize("kind", ["numeric", "mixed"])
def test_output_is_pandas(kind: str) -> None:
    frame = random_frame(2, kind).set_index(pandas.Index(range(100, 100 + len(random_frame(2, kind)))))
    changed = Anonymizer(k=3).set_output(transform="pandas").fit_transform(frame)
    assert isinstance(changed, pandas.DataFrame)
    assert changed.columns.tolist() == frame.columns.tolist()
    assert changed.index.tolist() == frame.index.tolist()
    assert int(changed.value_counts().min()) >= 3


def test_pipeline() -> None:
    random = np.random.default_rng(0)
    table = random.normal(size=(300, 3))
    labels = table[:, 0] + table[:, 1] > 0
    pipeline = make_pipeline(Anonymizer(k=5), StandardScaler(), LogisticRegression()).set_output(transform="pandas")
    # Mondrian keeps enough detail to beat guessing.
    assert cross_val_score(pipeline, table, labels, cv=3).mean() > 0.7
    texts = random_frame(3, "text")
    encoded = make_pipeline(Anonymizer(k=3), OneHotEncoder(sparse_output=False)).fit_transform(texts)
    assert encoded.shape[0] == len(texts)


def test_clone_and_parameters() -> None:
    anonymizer = Anonymizer(k=7, algorithm="local-recoding", suppression=0.1)
    assert clone(anonymizer).get_params() == {"k": 7, "algorithm": "local-recoding", "suppression": 0.1}
    assert anonymizer.set_params(k=3).k == 3


@pytest.mark.parametrize("kind", ["numeric", "mixed"])
def test_pickle(kind: str) -> None:
    frame = random_frame(4, kind)
    fitted = Anonymizer(k=2).fit(frame)
    restored = pickle.loads(pickle.dumps(fitted))
    assert restored.transform(frame).tolist() == fitted.transform(frame).tolist()


def test_fit_is_deterministic_and_writes_nothing() -> None:
    frame = random_frame(5, "mixed")
    one, two = (Anonymizer(k=2).fit_transform(frame).tolist() for _ in range(2))
    assert one == two
    assert list(Path().iterdir()) == []


def test_data_is_not_changed() -> None:
    frame = random_frame(6, "mixed")
    before = frame.copy(deep=True)
    Anonymizer(k=2).fit_transform(frame)
    pandas.testing.assert_frame_equal(frame, before)


def test_records_keep_their_type() -> None:
    for kind in (np.float32, np.float64):
        assert Anonymizer(k=2).fit_transform(np.arange(6).reshape(-1, 1).astype(kind)).dtype == kind
    assert Anonymizer(k=2).fit_transform(np.arange(6).reshape(-1, 1)).dtype == np.float64


def test_missing_values_are_refused() -> None:
    with pytest.raises(ValueError, match="NaN"):
        Anonymizer(k=2).fit(np.array([[1.0], [np.nan], [2.0], [3.0]]))
    with pytest.raises(ValueError):
        Anonymizer(k=2).fit(pandas.DataFrame({"t": ["x", None, "x", None]}))
