"""Measures compared with pycanon and with naive computations."""

from __future__ import annotations

import math
import os
import random
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas
import pycanon.anonymity  # type: ignore[import-untyped]  # no types
import pytest

import reticent as rt
from helpers import PEOPLE, ROOT

QUASI = ["age", "city"]
Columns = dict[str, list[Any]]


def random_table(seed: int) -> Columns:
    random_ = random.Random(seed)
    number = random_.randrange(1, 40)
    return {
        "age": [random_.randrange(3) for _ in range(number)],
        "city": [random_.choice("ABC") for _ in range(number)],
        "disease": [random_.choice(["flu", "gout", "asthma", "angina"]) for _ in range(number)],
        "pay": [random_.choice([10, 20, 20.5, 300, -5]) for _ in range(number)],
    }


def classes(table: Columns, quasi: Sequence[str], sensitive: str) -> list[list[Any]]:
    """Returns the sensitive values of each equivalence class."""
    found: dict[Hashable, list[Any]] = defaultdict(list)
    for key, value in zip(zip(*(table[name] for name in quasi), strict=True), table[sensitive], strict=True):
        found[key].append(value)
    return list(found.values())


def shares(values: Iterable[Any]) -> dict[Any, float]:
    counts = Counter(values)
    return {value: count / counts.total() for value, count in counts.items()}


def ordered_distance(some: Iterable[Any], all_: Iterable[Any]) -> float:
    """Earth mover's distance with the ground distance |i - j| / (m - 1) between the i-th and the j-th of m values."""
    of_some, of_all = shares(some), shares(all_)
    values = sorted(of_all)
    moved, total = 0.0, 0.0
    for value in values[:-1]:
        moved += of_some.get(value, 0.0) - of_all[value]
        total += abs(moved)
    return total / max(1, len(values) - 1)


def equal_distance(some: Iterable[Any], all_: Iterable[Any]) -> float:
    of_some, of_all = shares(some), shares(all_)
    return sum(abs(of_some.get(value, 0.0) - share) for value, share in of_all.items()) / 2


@pytest.mark.parametrize("seed", range(40))
def test_random_table(seed: int) -> None:
    table = random_table(seed)
    frame = pandas.DataFrame(table)
    anonymity = pycanon.anonymity
    assert rt.k_anonymity(table, QUASI) == anonymity.k_anonymity(frame, QUASI)
    for sensitive in ("disease", "pay"):
        inside = classes(table, QUASI, sensitive)
        assert rt.l_diversity(table, QUASI, sensitive) == anonymity.l_diversity(frame, QUASI, [sensitive])
        assert rt.confidence(table, QUASI, sensitive) == pytest.approx(anonymity.alpha_k_anonymity(frame, QUASI, [sensitive])[0])
        entropy = rt.entropy_l_diversity(table, QUASI, sensitive)
        naive = min(math.exp(-sum(share * math.log(share) for share in shares(values).values())) for values in inside)
        assert entropy == pytest.approx(naive)
        # pycanon rounds down, also values that are an integer but for rounding errors.
        assert anonymity.entropy_l_diversity(frame, QUASI, [sensitive]) in {math.floor(entropy + 1e-9), math.floor(entropy - 1e-9)}
    t = rt.t_closeness(table, QUASI, "disease", distance="equal")
    assert t == pytest.approx(max(equal_distance(values, table["disease"]) for values in classes(table, QUASI, "disease")))
    assert t == pytest.approx(anonymity.t_closeness(frame, QUASI, ["disease"]))
    assert t == pytest.approx(rt.t_closeness(table, QUASI, "disease"))
    t = rt.t_closeness(table, QUASI, "pay", distance="ordered")
    assert t == pytest.approx(max(ordered_distance(values, table["pay"]) for values in classes(table, QUASI, "pay")))
    assert t == pytest.approx(rt.t_closeness(table, QUASI, "pay"))
    assert rt.t_closeness(table, QUASI, "pay", distance="equal") == pytest.approx(
        max(equal_distance(values, table["pay"]) for values in classes(table, QUASI, "pay"))
    )


@pytest.mark.parametrize("seed", range(40))
def test_recursive_cl_diversity(seed: int) -> None:
    """Machanavajjhala et al. 2007: with counts r1 >= ... >= rm in a class, r1 < c (rl + ... + rm).

    pycanon is no reference here. It sorts the counts in ascending order, so its r1 is the smallest count, and it adds one and rounds.
    """
    table = random_table(seed)
    inside = [sorted(Counter(values).values(), reverse=True) for values in classes(table, ["age"], "disease")]
    for number in range(1, min(len(counts) for counts in inside) + 1):
        bound = max(counts[0] / sum(counts[number - 1 :]) for counts in inside)
        assert rt.recursive_cl_diversity(table, ["age"], "disease", number) == pytest.approx(bound)


def test_recursive_cl_diversity_of_a_class_with_fewer_values() -> None:
    table: Columns = {"age": [1] * 6, "disease": ["flu"] * 4 + ["gout"] * 2}
    assert rt.recursive_cl_diversity(table, ["age"], "disease", 3) == math.inf


@pytest.mark.parametrize("seed", range(10))
def test_check_agrees_with_the_measures(seed: int) -> None:
    table = random_table(seed)
    risk = rt.check(table, quasi=QUASI, sensitive={"disease": None, "pay": rt.column(type="number")})
    sizes = [len(values) for values in classes(table, QUASI, "disease")]
    assert (risk.k, risk.classes, risk.records) == (min(sizes), len(sizes), sum(sizes))
    assert risk.sample_unique == sizes.count(1)
    assert risk.highest_risk == pytest.approx(1 / min(sizes))
    assert risk.average_risk == pytest.approx(len(sizes) / sum(sizes))
    for name in ("disease", "pay"):
        inside = classes(table, QUASI, name)
        column = risk.sensitive[name]
        assert column.distinct == min(len(set(values)) for values in inside)
        assert column.certain == sum(len(values) for values in inside if len(set(values)) == 1)
        assert column.confidence == pytest.approx(rt.confidence(table, QUASI, name))
        assert column.entropy == pytest.approx(rt.entropy_l_diversity(table, QUASI, name))
        assert column.closeness == pytest.approx(rt.t_closeness(table, QUASI, name))
    assert {name: column.distance for name, column in risk.sensitive.items()} == {"disease": "equal", "pay": "ordered"}


def test_owners_are_counted_once() -> None:
    table: Columns = {"id": ["p", "p", "q", "r"], "age": [1, 1, 1, 2], "disease": ["flu", "gout", "flu", "flu"]}
    assert rt.k_anonymity(table, ["age"]) == 1
    assert rt.k_anonymity({name: cells[:3] for name, cells in table.items()}, ["age"]) == 3
    assert rt.k_anonymity({name: cells[:3] for name, cells in table.items()}, ["age"], owner="id") == 2


def test_measure_by_id() -> None:
    table: Columns = {"age": [1, 1, 1, 2, 2], "disease": ["flu", "flu", "gout", "flu", "gout"]}
    assert rt.measure(table, "k-anonymity", ["age"]) == 2
    assert rt.measure(table, "confidence-bounding", ["age"], "disease") == pytest.approx(2 / 3)
    assert rt.measure(table, "recursive-cl-diversity", ["age"], "disease", l=2) == pytest.approx(2.0)


def test_metrics_of_a_release(ledger: rt.Ledger) -> None:
    # With k = 12, all quasi-identifiers of the 12 people are suppressed.
    plan = ledger.plan(PEOPLE, k=12)
    known = rt.metrics(plan)
    assert known == plan.metrics
    assert known["purpose-loss"] == plan.loss
    # Iyengar's discernibility: the sum of the squares of the sizes of the classes.
    assert (plan.classes, known["discernibility"]) == (1, 144.0)
    assert set(known) <= {entry.id for entry in rt.catalogue("metric")}


def adult() -> pandas.DataFrame:
    folder = Path(os.environ.get("ADULT_DATA", ROOT.parent / "shared" / "data" / "adult"))
    file = folder / "adult.data" if folder.is_dir() else folder
    if not file.exists():
        pytest.skip(f"the Adult data is not in {folder}; set ADULT_DATA to its folder")
    names = "age workclass fnlwgt education education-num marital-status occupation relationship race sex gain loss hours country class"
    return pandas.read_csv(file, names=names.split(), skipinitialspace=True)


def test_adult() -> None:
    frame = adult()
    quasi = ["education", "sex", "race"]
    anonymity = pycanon.anonymity
    assert rt.k_anonymity(frame, quasi) == anonymity.k_anonymity(frame, quasi)
    assert rt.l_diversity(frame, quasi, "occupation") == anonymity.l_diversity(frame, quasi, ["occupation"])
    assert rt.confidence(frame, quasi, "occupation") == pytest.approx(anonymity.alpha_k_anonymity(frame, quasi, ["occupation"])[0])
    assert rt.t_closeness(frame, quasi, "occupation", distance="equal") == pytest.approx(
        anonymity.t_closeness(frame, quasi, ["occupation"])
    )
    table = {name: frame[name].tolist() for name in [*quasi, "hours"]}
    naive = max(ordered_distance(values, table["hours"]) for values in classes(table, quasi, "hours"))
    assert rt.t_closeness(frame, quasi, "hours", distance="ordered") == pytest.approx(naive)
