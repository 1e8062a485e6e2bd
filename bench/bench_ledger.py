"""What it costs to record a release in the ledger, to load the history, and to verify it.

ledger_speed (an example of the crate reticent-ledger) makes the releases and measures: eight columns of 2 to 90 texts, any
combination as likely as any other, so that bodies compress badly. Three parts:

  commit   opening the ledger, waiting for the right to write, recording. Beside each one, in turns, its floor: writing a file of
           as many bytes and syncing it, and a transaction of one row in SQLite with the catalogue's settings
  entries  the same for a small release, with more and more entries already there
  load     the whole history into memory, against DuckDB and Polars reading the same Parquet files; and verifying the ledger.
           Every load is a process of its own; the seconds are those of the call, for all three, and peak memory is the kernel's

Ratios are taken within each round, between neighbours in time; their median and range are reported.
"""

import shutil
import sys
from dataclasses import dataclass

from harness import (
    DATA, MIB, Spread, answer, answers, checked, example, fresh_folder, heading, machine_text, options, parse, python, record, rotate,
    table, target,
)  # fmt: skip

MILLION = 1_000_000
COMMITS, SHORT_COMMITS = 30, 8
ENTRIES, SHORT_ENTRIES = [1, 100, 1000], [1, 100]
PEERS = ["duckdb", "polars"]
CONTENDERS = ["load", "verify", *PEERS]
MOST_SECONDS, MOST_TIMES_KEPT, MOST_TIMES_ROWS = 10.0, 2.0, 1.1


@dataclass(frozen=True)
class Size:
    """How large a release is."""

    combinations: int
    records: int = MILLION
    links: bool = False

    def words(self):
        return [self.combinations, self.records, "links" if self.links else "plain"]

    def text(self):
        return f"{self.combinations:,} combinations" + (f", links of {self.records:,} people" if self.links else "")


SMALL = Size(20, 100)
COMMITTED = [SMALL] + [Size(combinations, links=links) for combinations in (1000, 100_000, MILLION) for links in (False, True)]


@dataclass(frozen=True)
class Shelf:
    """A ledger to load: so many releases of one size."""

    releases: int
    size: Size

    def name(self):
        return "-".join(str(word) for word in ("load", self.releases, *self.size.words()))


MANY = 20
TALL = Shelf(MANY, Size(50_000, 10 * MILLION))
LINKED = Shelf(MANY, Size(50_000, links=True))
SHELVES = [Shelf(releases, Size(combinations)) for releases in (1, 5, MANY) for combinations in (1000, 50_000, MILLION)]
SHELVES += [TALL, LINKED]


def main():
    given = parse(options(__doc__.splitlines()[0], rounds=5, short_rounds=2))
    folder = fresh_folder(DATA / "ledger")
    commits = SHORT_COMMITS if given.short else COMMITS
    heading(
        "Ledger: recording, loading, verifying",
        f"{machine_text()}; {commits} commits, {given.rounds} rounds of loading, median [range].",
    )
    tell_commits(folder, COMMITTED, commits)
    tell_entries(folder, SHORT_ENTRIES if given.short else ENTRIES, commits)
    shelves = [shelf for shelf in SHELVES if shelf.releases == MANY] if given.short else SHELVES
    tell_loads(folder, shelves, given.rounds)


def speed(what, folder, *words):
    return [example("ledger_speed"), what, folder, *words]


def measured(folder, size, commits):
    """Commits, each with its floor, in the ledger that is there or in a new one."""
    return answers(speed("commit", folder, commits, *size.words()))


def tell_commits(folder, sizes, commits):
    print("Recording one release")
    rows = []
    for size in sizes:
        here = folder / "commit"
        rows.append(commit_row(size.text(), measured(here, size, commits), "commit", size))
        shutil.rmtree(here)
    table(["release", "KiB", "commit ms", "file ms", "row ms", "commit / floor"], rows)


def tell_entries(folder, entries, commits):
    print(f"Recording a small release ({SMALL.text()}), by the number of entries already there")
    here, there, rows, parts = folder / "entries", 0, [], []
    for wanted in entries:
        checked(speed("fill", here, wanted - there, *SMALL.words()))
        lines = measured(here, SMALL, commits)
        there = wanted + commits
        rows.append(commit_row(f"{wanted:,} to {there - 1:,}", lines, "entries", SMALL, entries=wanted))
        part = {part: Spread.of([1000 * line["parts"][part] for line in lines]) for part in ("open", "write", "record")}
        parts.append([spread.text("{:.1f}") for spread in part.values()])
    head = ["entries", "KiB", "commit ms", "file ms", "row ms", "commit / floor", "open", "write", "record ms"]
    table(head, [row + part for row, part in zip(rows, parts)])
    shutil.rmtree(here)


def commit_row(label, lines, contender, size, **figures):
    """A line of the table, and of the results."""
    commit = Spread.of([1000 * line["seconds"] for line in lines])
    file = Spread.of([1000 * line["floor"]["file"] for line in lines])
    row = Spread.of([1000 * line["floor"]["row"] for line in lines])
    times = Spread.of([line["seconds"] / sum(line["floor"].values()) for line in lines])
    size_bytes = Spread.of([line["bytes"] for line in lines]).median
    figures |= {"combinations": size.combinations, "records": size.records, "links": size.links, "bytes": size_bytes}
    floor = {"file_milliseconds": file.json(), "row_milliseconds": row.json(), "times_floor": times.json()}
    record("ledger", contender, commit_milliseconds=commit.json(), **floor, **figures)
    cells = [spread.text("{:.1f}") for spread in (commit, file, row)]
    return [label, f"{size_bytes / 1024:,.0f}", *cells, times.text("{:.1f}", "x")]


def tell_loads(folder, shelves, rounds):
    for shelf in shelves:
        checked(speed("fill", folder / shelf.name(), shelf.releases, *shelf.size.words()))
    nothing = folder / "nothing"
    checked(speed("fill", nothing, 0, *SMALL.words()))
    base = Spread.of([answer(speed("load", nothing, "plain"))[0].peak_bytes for _ in range(rounds)]).median
    found = {shelf: [] for shelf in shelves}
    for turn in range(rounds):
        for shelf in rotate(shelves, turn):
            found[shelf].append(one_round(folder / shelf.name(), shelf, turn))
    print(f"Loading the history; an empty one takes {base / MIB:.0f} MiB")
    figures = {shelf: summary(shelf, turns, base) for shelf, turns in found.items()}
    tell_shelves(figures)
    tell_targets(figures)
    for shelf in shelves:
        shutil.rmtree(folder / shelf.name())


def one_round(folder, shelf, turn):
    """Every contender once, each in a process of its own."""
    links = "links" if shelf.size.links else "plain"
    commands = {
        "load": speed("load", folder, links),
        "verify": speed("verify", folder),
    } | {peer: python("ledger_peer.py", peer, folder / "ledger" / "bodies", folder / "ledger" / "links") for peer in PEERS}
    figures = {}
    for contender in rotate(CONTENDERS, turn):
        finished, told = answer(commands[contender])
        figures[contender] = told | {"peak": finished.peak_bytes}
    read = {figures[peer]["rows"] for peer in PEERS} | {figures["load"]["combinations"] + figures["load"]["links"]}
    if len(read) > 1:
        sys.exit(f"{shelf.name()}: not everybody read the same: {sorted(read)}")
    return figures


def summary(shelf, turns, base):
    """Medians and ratios of a shelf."""
    seconds = {contender: Spread.of([turn[contender]["seconds"] for turn in turns]) for contender in CONTENDERS}
    peak = {contender: Spread.of([turn[contender]["peak"] for turn in turns]) for contender in CONTENDERS}
    ratio = {peer: Spread.of([turn["load"]["seconds"] / turn[peer]["seconds"] for turn in turns]) for peer in PEERS}
    figures = {"seconds": seconds, "peak": peak, "ratio": ratio, "kept": turns[0]["load"]["kept_bytes"]}
    figures["above"] = peak["load"].median - base
    size = {"releases": shelf.releases, "combinations": shelf.size.combinations, "records": shelf.size.records, "links": shelf.size.links}
    versions = {peer: turns[0][peer]["version"] for peer in PEERS}
    spreads = {key: {name: spread.json() for name, spread in figures[key].items()} for key in ("seconds", "peak", "ratio")}
    record("ledger", "load", **size, **spreads, versions=versions, kept_bytes=figures["kept"], base_bytes=base)
    return figures


def tell_shelves(figures):
    head = [
        "releases", "combinations", "records", "load s", "peak MiB", "kept MiB", "duckdb s", "MiB", "load takes", "polars s", "MiB",
        "load takes", "verify s", "MiB",
    ]  # fmt: skip
    rows = []
    for shelf, told in figures.items():
        seconds, peak, ratio = told["seconds"], told["peak"], told["ratio"]
        mib = {contender: f"{spread.median / MIB:,.0f}" for contender, spread in peak.items()}
        row = [str(shelf.releases), f"{shelf.size.combinations:,}", f"{shelf.size.records:,}" + (" + links" if shelf.size.links else "")]
        row += [seconds["load"].text("{:.3f}"), mib["load"], f"{told['kept'] / MIB:,.1f}"]
        for peer in PEERS:
            row += [seconds[peer].text("{:.3f}"), mib[peer], ratio[peer].text("{:.2f}", "x")]
        rows.append(row + [seconds["verify"].text("{:.3f}"), mib["verify"]])
    table(head, rows)


def tell_targets(figures):
    many = {shelf: told for shelf, told in figures.items() if shelf.releases == MANY}
    large = {shelf: told for shelf, told in many.items() if shelf.size.combinations == MILLION}
    slow = [shelf.name() for shelf, told in many.items() if told["seconds"]["load"].median > MOST_SECONDS]
    fat = [shelf.name() for shelf, told in large.items() if told["above"] > MOST_TIMES_KEPT * told["kept"]]
    fewer = figures[Shelf(MANY, Size(TALL.size.combinations))]
    rows = figures[TALL]["peak"]["load"].median / fewer["peak"]["load"].median
    time = figures[TALL]["seconds"]["load"].median / fewer["seconds"]["load"].median
    print(f"Ten times the records of {MANY} releases take {rows:.2f} times the memory and {time:.2f} times the time.")
    targets = [
        target(f"{MANY} releases of a million records each are loaded within {MOST_SECONDS:g} s", not slow, slow),
        target(f"at the peak at most {MOST_TIMES_KEPT:g} times the memory of what is kept, a million combinations each", not fat, fat),
        target(f"memory follows combinations: ten times the records take at most {MOST_TIMES_ROWS:g} times", rows <= MOST_TIMES_ROWS),
    ]
    record("ledger", "targets", rows_ratio={"memory": rows, "time": time}, targets=targets)


if __name__ == "__main__":
    main()
