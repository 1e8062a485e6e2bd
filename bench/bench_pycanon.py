"""`reticent check` against pycanon: the same measures of the same table.

Two tables of the Adult data, eight quasi-identifiers, occupation sensitive: the 30,162 records as they are, and a release of
them, 5-anonymous with confidence at most 0.5, where the answers are less trivial. Five measures: the k of k-anonymity, the alpha of
(alpha,k)-anonymity (the highest confidence in a value), the l of distinct and of entropy l-diversity, and the t of t-closeness
with equal distances. pycanon answers the l of entropy l-diversity rounded down.

pycanon's time is that of its five calls, the table being loaded; Reticent's is that of the whole process, which reads the file
and answers all five at once.
"""

import sys

import arx_trees
from adult_data import NINE, RECORDS, source, write_table
from harness import (
    DATA, Spread, answer, fresh_folder, fresh_ledger, heading, machine_text, options, parse, policy, python, record, reticent, table,
    target,
)  # fmt: skip

SENSITIVE = "occupation"
KNOWN = [column for column in NINE if column != SENSITIVE]
REQUIREMENT = {"k": 5, "confidence": 0.5}
LEAST_TIMES = 100
CHECKS = 7  # runs of Reticent for each of pycanon
CLOSE = 1e-9

MEASURES = {
    "k": "k-anonymity: k",
    "alpha": "(alpha,k)-anonymity: alpha",
    "distinct": "distinct l-diversity: l",
    "entropy": "entropy l-diversity: l",
    "closeness": "t-closeness, equal distance: t",
}


def main():
    given = parse(options(__doc__.splitlines()[0], rounds=3, short_rounds=1))
    source()
    folder = fresh_folder(DATA / "pycanon")
    prepare(folder)
    heading(
        "pycanon: the same measures of the same table",
        f"{len(KNOWN)} quasi-identifiers, {SENSITIVE} sensitive; {machine_text()};",
        f"{given.rounds} rounds of pycanon, {given.rounds * CHECKS} of Reticent between them, median [range].",
    )
    met = [compare(folder, name, given.rounds) for name in ("raw", "release")]
    record("pycanon", "targets", targets=[line for lines in met for line in lines])


def prepare(folder):
    """The raw table, a release of it, and for each the policy to check it with."""
    write_table(folder / "raw.csv", NINE)
    trees = {}
    for column in KNOWN:
        arx_trees.write(column, folder / f"{column}.csv")
        trees[column] = {"taxonomy": f"{column}.csv"}
    sensitive = {SENSITIVE: {"role": "sensitive"}}
    release = {"suppression": 0.05, "seed": 1}
    (folder / "publish.toml").write_text(policy("adult", trees | sensitive, REQUIREMENT, release))
    plain = {column: {} for column in KNOWN}
    (folder / "check.toml").write_text(policy("adult", plain | sensitive, REQUIREMENT, {}))
    words = ["publish", folder / "raw.csv", "--policy", folder / "publish.toml", *fresh_ledger(folder), "--name", "bench"]
    answer([reticent(), *words, "--output", folder / "release.csv", "--json", "--quiet"])


def compare(folder, name, rounds):
    theirs, ours, told, seconds = [], [], None, []
    for _ in range(rounds):
        _, peer = answer(python("pycanon_peer.py", folder / f"{name}.csv", SENSITIVE, *KNOWN))
        theirs.append(peer)
        for _ in range(CHECKS):
            # Status 1: the table, as it stands, violates the policy; that is no failure here.
            finished, told = answer(check(folder, name), expected=(0, 1))
            seconds.append(finished.seconds)
        ours.append(measures_of(told))
    return tell(name, told["data"]["risk"]["records"], theirs, ours[-1], Spread.of(seconds))


def check(folder, name):
    return [reticent(), "check", folder / f"{name}.csv", "--policy", folder / "check.toml", "--json", "--quiet"]


def measures_of(told):
    """Reticent's answers under the names of `MEASURES`."""
    risk = told["data"]["risk"]
    sensitive = next(entry for entry in risk["sensitive"] if entry["column"] == SENSITIVE)
    if sensitive["distance"] != "equal":
        sys.exit(f"t-closeness was measured with {sensitive['distance']} distances, and pycanon's are equal")
    return {
        "k": risk["smallest_class"],
        "alpha": sensitive["confidence"],
        "distinct": sensitive["distinct"],
        "entropy": sensitive["entropy"],
        "closeness": sensitive["closeness"],
    }


def equal(measure, ours, theirs):
    """Whether the answers agree; for entropy l-diversity, whether theirs is ours rounded down."""
    if measure == "entropy":
        return theirs <= ours + CLOSE and ours - theirs < 1 + CLOSE
    return abs(ours - theirs) <= CLOSE


def tell(name, records, theirs, ours, seconds):
    title = f"Adult as it is, {RECORDS:,} records" if name == "raw" else f"A release of it, {records:,} records"
    lines, different = [], []
    for measure, label in MEASURES.items():
        value = theirs[-1]["measures"][measure]["value"]
        time = Spread.of([run["measures"][measure]["seconds"] for run in theirs])
        same = equal(measure, ours[measure], value)
        if not same:
            different.append(f"{label}, {name}")
        lines.append([label, f"{value:.6g}", f"{ours[measure]:.6g}", "yes" if same else "NO", time.text()])
        figures = {"pycanon": value, "reticent": ours[measure], "equal": same, "pycanon_seconds": time.json()}
        record("pycanon", measure, table=name, **figures)
    print(title)
    table(["measure", "pycanon", "reticent", "equal", "pycanon s"], lines)
    together = Spread.of([sum(measure["seconds"] for measure in run["measures"].values()) for run in theirs])
    ratio = together.median / seconds.median
    version = theirs[-1]["version"]
    print(f"pycanon {version}, the five calls: {together.text()} s; reticent check, whole process: {seconds.text('{:.4f}')} s")
    print(f"pycanon takes {ratio:,.0f} times as long.")
    figures = {"version": version, "pycanon_seconds": together.json(), "reticent_seconds": seconds.json()}
    record("pycanon", "all measures", table=name, ratio=ratio, **figures)
    judged = [target("equal answers", not different, different)]
    if name == "raw":
        judged.append(target(f"at least {LEAST_TIMES} times as fast", ratio >= LEAST_TIMES))
    print()
    return judged


if __name__ == "__main__":
    main()
