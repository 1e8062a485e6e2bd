#!/usr/bin/env python3
"""refusals_show.py FAMILY SEED [RELEASE]
Prints a history of refusals.py with its outcome. With RELEASE: the smallest history that is refused needlessly for the same cause."""
import json, sys, tempfile
from refusals import draw, policy, posteriors, run


def minimal(case, at):
    """the case with as little as possible for the same cause; and its entries"""
    def attempt(candidate):
        if candidate == case or any(not release["columns"] or not release["pids"] for release in candidate["releases"]):
            return None
        try:
            with tempfile.TemporaryDirectory(prefix="reticent_") as folder:
                entries = run(candidate, folder)
        except (KeyError, ValueError, AssertionError, IndexError):
            return None
        last = entries[-1]
        return entries if last.get("cause") == wanted and bool(last["safe"]) and bool(last["by joins"]) == by_joins else None

    def smaller():
        releases, people = case["releases"], case["people"]
        for nth in range(len(releases) - 1):
            yield {**case, "releases": releases[:nth] + releases[nth + 1:]}
        apart = any(release["to"] != "public" for release in releases)
        for key, value in {"xy": None, "suppression": None, "k": None, "algorithm": "", "apart": apart}.items():
            yield {**case, key: value}
        for pid in people:
            yield {**case, "people": {kept: row for kept, row in people.items() if kept != pid},
                   "releases": [{**release, "pids": [kept for kept in release["pids"] if kept != pid]} for release in releases]}
        for nth, release in enumerate(releases):
            changes = [{"to": "public"}, {"d": False}]
            changes += [{key: [kept for kept in release[key] if kept != one]} for key in ("columns", "pids") for one in release[key]]
            for change in changes:
                yield {**case, "releases": releases[:nth] + [{**release, **change}] + releases[nth + 1:]}
    case = {**case, "releases": case["releases"][:at + 1]}
    with tempfile.TemporaryDirectory(prefix="reticent_") as folder:
        entries = run(case, folder)
    wanted, by_joins, again = entries[-1].get("cause"), bool(entries[-1]["by joins"]), bool(entries[-1]["safe"])
    while again:
        again = next(((candidate, found) for candidate in smaller() for found in [attempt(candidate)] if found), None)
        case, entries = again or (case, entries)
    return case, entries


def describe(case, entries):
    used = {column for release in case["releases"] for column in release["columns"]}
    print(policy({**case, "trees": {column: tree for column, tree in case["trees"].items() if column in used}}).strip())
    for column in sorted(used):
        print(f"# {column}.csv:", json.dumps(case["trees"][column]))
    for release, entry in zip(case["releases"], entries):
        columns, people, at = release["columns"] + ["d"] * release["d"], case["people"], entry["at"]
        rows = [",".join([pid] + [people[pid][column] for column in columns]) for pid in release["pids"]]
        print(f"# r{at}.csv to {release['to']}: pid,{','.join(columns)}", *rows)
        print("#   registered as" if release["recode"] else f"#   exit status {entry['status']}", entry.get("cause", ""),
              entry["answer"].get("error", ""))
        for name in ("new", "safe", "by joins"):
            if entry[name]:
                cells = " ".join(f"{pid}:{','.join(labels)}" for pid, (labels, _) in entry[name]["rows"].items())
                highest = [(max(before.values(), default=0), max(posteriors(earlier + [entry[name]]).values(), default=0))
                           for earlier, before in entry["histories"]]
                print(f"#   {name}: {cells}; highest posterior", *(f"{before} -> {after}" for before, after in highest))
        for note in entry["faults"] + entry["notes"]:
            print("#  ", note)


if __name__ == "__main__":
    case = draw(sys.argv[1], int(sys.argv[2]))
    if sys.argv[3:]:
        describe(*minimal(case, int(sys.argv[3])))
    else:
        with tempfile.TemporaryDirectory(prefix="reticent_") as folder:
            describe(case, run(case, folder))
