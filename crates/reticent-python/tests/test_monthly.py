"""Monthly releases: what independent snapshots disclose together, and how the ledger prevents it."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import polars
import pytest

import reticent as rt
from helpers import HOSPITAL

MONTHS = "january february march april may june july august september october november december".split()


def policy(**changes: object) -> rt.Policy:
    return rt.Policy(
        owner="patient",
        quasi={"age": rt.column(type="number"), "sex": None, "town": rt.column(taxonomy=str(HOSPITAL / "taxonomies" / "town.csv"))},
        sensitive=["diagnosis"],
        k=3,
        confidence=0.5,
        algorithm="mondrian",
        seed=7,
        **changes,  # type: ignore[arg-type]  # any keyword
    )


def month(name: str) -> polars.DataFrame:
    return polars.read_csv(HOSPITAL / f"{name}.csv")


def contains(cell: object, value: object) -> bool:
    """Whether a published cell can stand for a value. Taxonomies are resolved by the file."""
    text = str(cell)
    if text in {"*", str(value)}:
        return True
    if text[0] in "[<>" or text[0] == "(":
        number = float(str(value))
        if text.startswith("<"):
            return number < float(text[1:])
        if text.startswith(">="):
            return number >= float(text[2:])
        low, high = text[1:-1].split(",")
        return float(low) <= number and (number < float(high) or (text.endswith("]") and number == float(high)))
    towns = (HOSPITAL / "taxonomies" / "town.csv").read_text(encoding="utf-8").splitlines()
    return any(line.split(";")[0] == value and text in line.split(";") for line in towns)


def classes(release: rt.Release) -> dict[tuple[object, ...], list[str]]:
    found: dict[tuple[object, ...], list[str]] = defaultdict(list)
    for row in polars.DataFrame(release).iter_rows():
        found[row[:-1]].append(row[-1])
    return found


def test_independent_snapshots_leak() -> None:
    ledger = rt.Ledger.open("ledger", policy=policy(), create=True)
    releases = [ledger.publish(month("january"), name="january", output="january.csv")]
    with pytest.warns(rt.ReticentWarning, match="judged without"):
        releases.append(ledger.publish(month("february"), name="february", output="february.csv", ignore_history=True))
    # Each month is safe alone, counted in the files.
    for release in releases:
        assert release.holds
        for values in classes(release).values():
            assert len(values) >= 3
            assert max(values.count(value) for value in values) / len(values) <= 0.5
    # An attacker who knows a patient intersects the diagnoses of the classes that can contain the patient.
    certain = 0
    people = {row[0]: row[1:4] for row in month("january").iter_rows()}
    both = set(people) & set(month("february")["patient"])
    for patient in both:
        possible = [
            {value for cells, values in classes(release).items() if all(map(contains, cells, people[patient])) for value in values}
            for release in releases
        ]
        certain += len(possible[0] & possible[1]) == 1
    audit = ledger.audit()
    (column,) = audit.columns
    assert audit.holds is False
    assert column["above"] > 0
    assert column["highest"]["lower"] > 0.5
    # The audit also counts how often each value occurs, so it finds no fewer people.
    assert column["certain"] >= certain


def test_ledger_makes_the_second_month_safe() -> None:
    ledger = rt.Ledger.open("ledger", policy=policy(), create=True)
    ledger.publish(month("january"), name="january", output="january.csv")
    try:
        second = ledger.publish(month("february"), name="february", output="february.csv")
    except rt.Refused as refused:
        assert refused.remedies
        assert not Path("february.csv").exists()
        assert len(ledger.log()) == 1
        return
    assert second.to_dict()["judged"] == {"scope": "history", "with": [1]}
    audit = ledger.audit()
    assert audit.holds
    assert audit.columns[0]["highest"]["upper"] <= 0.5


def test_coalitions_of_recipients() -> None:
    # The press and the clinic share nothing, so the second month is judged without the first.
    ledger = rt.Ledger.open("ledger", policy=policy(non_colluding=["press", "clinic"]), create=True)
    ledger.publish(month("january"), to="press", name="january", output="january.csv")
    second = ledger.publish(month("february"), to="clinic", name="february", output="february.csv")
    assert second.to_dict()["judged"]["with"] == []
    audit = ledger.audit()
    assert sorted(coalition["members"] for coalition in audit.coalitions) == [["clinic"], ["press"]]
    assert audit.holds


def test_a_year_by_a_method() -> None:
    ledger = rt.Ledger.open("ledger", policy=rt.Policy.read(HOSPITAL / "reticent.toml"), create=True)
    for number, name in enumerate(MONTHS, 1):
        release = ledger.publish(month(name), name=name)
        assert (release.number, release.path, release.holds) == (number, Path(name).absolute(), True)
        assert release.published + release.suppressed == release.records == month(name).height
        assert (release.k, release.highest_risk, release.loss) == (None, None, None)
        assert set(release.tables) == {"people", "diagnosis"}
        # m = 3: each group lists at least three diagnoses, each as often as every other.
        groups: dict[int, list[int]] = defaultdict(list)
        for group, _, records in polars.DataFrame(release.tables["diagnosis"]).iter_rows():
            groups[group].append(records)
        assert all(len(counts) >= 3 and max(counts) / sum(counts) <= 1 / 3 for counts in groups.values())
    audit = ledger.audit()
    # The example states the same numbers.
    (column,) = audit.columns
    assert (audit.holds, column["certain"], column["people"]) == (True, 0, 91)
    assert column["highest"]["upper"] == pytest.approx(1 / 3)
    with pytest.raises(TypeError, match="diagnosis"):
        polars.DataFrame(release)
