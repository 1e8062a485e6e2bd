"""What a release after others costs: the whole command in the setting of the KDD 2006 paper, and beyond it.

Taxation is published after immigration was, both made of Adult and enlarged as the paper does it (variations.py). Three parts:

  scale     Set A, all columns categorical: (X, Y)-anonymity with Top6 and k = 40, and (X, Y)-linkability with Top1 and 90 %, a
            million and ten million records. Beside it DuckDB and Polars copying the same file, as in bench_copy.py, in turns
  numbers   Set B, six continuous columns as well, whose intervals the search finds: Top7 with k = 40 and Top1 with 90 %; the
            45,222 records of the paper, and a million
  history   the same new release after ten others and after one of them: the policy's short form, k = 5 and a confidence, once
            with a sensitive column that three of the ten have too and once with one that none has; and (X, Y)-anonymity

Ratios are taken within each round, between neighbours in time; their median and range are reported.
"""

import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from adult_data import PAPER_FILES, PAPER_RECORDS, source
from bench_copy import copy, warm
from harness import (
    DATA, MIB, Spread, answer, checked, heading, machine_text, options, parse, policy, python, record, reticent, rotate, run, table,
    target,
)  # fmt: skip

MILLION = 1_000_000
PEERS = ["duckdb", "polars"]
PHASES = ["load_history", "read", "search", "write", "verify", "measure", "record"]

# The paper's columns, and its ranking of them: the most telling first.
CLASS = "salary-class"
IMMIGRATION = ["marital-status", "relationship", "race", "sex", "native-country"]
SET_A = ["workclass", "education", "marital-status", "occupation", "relationship", "sex"]
SET_B = [
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship", "sex",
    "capital-gain", "capital-loss", "hours-per-week",
]  # fmt: skip
RANKED_A = ["marital-status", "relationship", "sex", "education", "occupation", "workclass"]
RANKED_B = ["capital-gain", "age", "marital-status", "education-num", "relationship", "hours-per-week", "sex"]
HIDDEN = "marital-status"
# The rarer half of its values; of seven, three.
RARE = ["Married-AF-spouse", "Married-spouse-absent", "Widowed"]
K, CONFIDENCE = 40, 0.9
SEED = 2006

MOST_TIMES, MOST_MEMORY, MOST_GROWTH, MOST_SEARCH = 3.0, 2048 * MIB, 10.0, 1.0
# Ten releases are looked at one by one and all together, which is eleven times one.
MOST_HISTORY, TOO_LONG = 11.0, 60.0
HISTORY_CONFIDENCE = 0.8
MOST_SEARCH_B = {PAPER_RECORDS: 2.0, MILLION: 60.0}


@dataclass(frozen=True, eq=False)
class Setting:
    """A table that is published, and what is demanded of it."""

    name: str
    title: str
    # Of the file; those that are published, beside the class; those that vary.
    columns: list
    published: list
    varied: list
    models: list


def anonymity(x=None):
    """Every value on X goes with k people of taxation. X is every quasi-identifier of both releases when it is not given."""
    return [{"model": "xy-anonymity", "k": K, "y": ["taxation.people"]} | ({"x": x} if x else {})]


def linkability(columns):
    """No rare value of the hidden column is told with more confidence by the other columns of taxation."""
    x = [f"taxation.{column}" for column in but_hidden(columns)]
    values = {value: CONFIDENCE for value in RARE}
    return [{"model": "xy-linkability", "x": x, "y": [f"taxation.{HIDDEN}"], "values": values}]


def but_hidden(columns):
    return [column for column in columns if column != HIDDEN]


# A variation has random values in two columns that the demand speaks of; the hidden column keeps its values, as in the example.
TOP6 = Setting("anonymity-a", "anonymity, Top6, k = 40", SET_A, SET_A, RANKED_A, anonymity())
TOP1 = Setting("linkability-a", "linkability, Top1, 90 %", SET_A, SET_A, but_hidden(RANKED_A), linkability(SET_A))
# A policy can name a column of an earlier release only where the data has one of that name: it is in the file, and not published.
WIDE = [*SET_B, "race", "native-country"]
X_B = [f"taxation.{column}" for column in RANKED_B] + [f"immigration.{column}" for column in IMMIGRATION]
TOP7 = Setting("anonymity-b", "anonymity, Top7, k = 40", WIDE, SET_B, SET_B, anonymity(X_B))
TOP1_B = Setting("linkability-b", "linkability, Top1, 90 %", WIDE, SET_B, but_hidden(SET_B), linkability(SET_B))


def main():
    parser = options(__doc__.splitlines()[0], rounds=5, short_rounds=3)
    parser.add_argument("--part", choices=["scale", "numbers", "history"], help="only this part")
    given = parse(parser)
    data = source(PAPER_FILES)
    DATA.mkdir(exist_ok=True)
    parts = {"scale": scale, "numbers": numbers, "history": history}
    with tempfile.TemporaryDirectory(prefix="sequential-", dir=DATA) as folder:
        folder = Path(folder)
        for tree in (data / "taxonomies").iterdir():
            shutil.copyfile(tree, folder / tree.name)
        for name, part in parts.items():
            if given.part in (None, name):
                part(Place(folder, data), given)


@dataclass
class Place:
    """Where everything is made; all of it goes when the benchmark ends."""

    folder: Path
    data: Path

    def file(self, name, columns, varied, rows, seed):
        """A table of so many records."""
        file = self.folder / f"{name}-{rows}.csv"
        if not file.exists():
            made = run(python("variations.py", self.data, ",".join(columns), ",".join(varied), rows, seed, file))
            if made.status != 0:
                sys.exit(made.stderr)
        return file

    def taxation(self, setting, rows):
        return self.file(setting.name, [*setting.columns, CLASS], setting.varied, rows, SEED)

    def immigration(self, rows):
        return self.file("immigration", IMMIGRATION, IMMIGRATION, rows, SEED + 1)

    def columns(self, names):
        """The settings of columns: the paper's trees, and intervals that are found within the paper's ranges."""
        ranges = {}
        for line in (self.data / "taxonomies" / "continuous.csv").read_text().splitlines()[1:]:
            name, low, high = line.split(";")
            ranges[name] = [float(low), float(high)]
        settled = {}
        for name in names:
            settled[name] = {"type": "number", "range": ranges[name]} if name in ranges else {"taxonomy": f"{name}.csv"}
        return settled

    def policy(self, name, columns, requirement, release):
        file = self.folder / f"{name}.toml"
        file.write_text(policy(name, columns, requirement, {"seed": 1, **release}))
        return file

    def taxation_policy(self, setting):
        columns = self.columns(setting.columns) | {CLASS: {"role": "other"}}
        return self.policy(setting.name, columns, {"models": setting.models}, CLASSIFY)

    def ledger_with_immigration(self, rows):
        """A ledger in which immigration is registered as it is; made once for each size."""
        ledger = self.folder / f"ledger-{rows}"
        if not ledger.exists():
            described = self.policy("immigration", self.columns(IMMIGRATION), {"k": 2}, {})
            words = ["register", self.immigration(rows), "--policy", described, "--ledger", ledger, "--new-ledger"]
            words += ["--name", "immigration", "--to", "immigration-office", "--date", "2006-08-20"]
            checked([reticent(), *words, "--quiet"])
        return ledger

    def ledger_of(self, past, count, rows):
        """A ledger with the first so many earlier releases, each made by itself."""
        ledger = self.folder / f"ledger-{past.name}-{count}-{rows}"
        data = self.file("earlier", [*IMMIGRATION, SENSITIVE], IMMIGRATION, rows, SEED + 1)
        for at, (columns, k) in enumerate(past.releases[:count]):
            settled = self.columns([*IMMIGRATION, SENSITIVE]) | past.roles
            described = self.policy(f"earlier-{at}", settled, {"k": k}, {})
            output = self.folder / f"earlier-{at}.csv"
            words = ["publish", data, "--policy", described, "--ledger", ledger, "--new-ledger", "--ignore-history", "--output", output]
            words += ["--name", f"earlier-{at}", "--to", f"office-{at}", "--columns", ",".join(columns)]
            checked([reticent(), *words, "--quiet"])
            output.unlink()
        return ledger


CLASSIFY = {"purpose": {"classify": CLASS}, "options": {"zero-gain": True}}


def publish(place, data, described, ledger, published=None):
    """Taxation, after what is in a copy of the ledger."""
    here, output = place.folder / "ledger", place.folder / "out-reticent.csv"
    shutil.rmtree(here, ignore_errors=True)
    shutil.copytree(ledger, here)
    output.unlink(missing_ok=True)
    os.sync()
    words = ["publish", data, "--policy", described, "--ledger", here, "--name", "taxation", "--to", "taxation-office"]
    words += ["--output", output, *(["--columns", ",".join(published)] if published else [])]
    finished, told = answer([reticent(), *words, "--json", "--quiet"])
    output.unlink()
    phases = {phase: told["seconds"][phase] for phase in PHASES}
    phases["rest"] = finished.seconds - sum(told["seconds"].values())
    return {"seconds": finished.seconds, "peak": finished.peak_bytes, "phases": phases, "told": told}


def spreads(runs):
    """By phase, and for the whole command."""
    phases = {phase: Spread.of([one["phases"][phase] for one in runs]) for phase in runs[0]["phases"]}
    return {"whole": Spread.of([one["seconds"] for one in runs]), **phases}


def tell_phases(first, lines):
    """Where the time went; what no phase claims is starting, reading the policy and taxonomies."""
    head = [*first, "whole", *PHASES, "rest"]
    table(head, [[*label, *(spread.text("{:.3f}") for spread in phases.values())] for label, phases in lines])


def outcome(told):
    return f"{told['steps']} steps, {told['classes']:,} classes"


def scale(place, given):
    sizes = [100_000, MILLION] if given.short else [MILLION, 10 * MILLION]
    heading(
        "Sequential, scale: taxation after immigration, against copying the file",
        f"Set A; {machine_text()}; {given.rounds} rounds, median [range].",
    )
    cases = [(setting, rows) for setting in (TOP6, TOP1) for rows in sizes]
    found = {case: [] for case in cases}
    for setting, rows in cases:
        place.taxation(setting, rows)
        place.ledger_with_immigration(rows)
    for turn in range(given.rounds):
        for setting, rows in rotate(cases, turn):
            found[setting, rows].append(scale_round(place, setting, rows, turn))
    tell_scale(place, sizes, found)


def scale_round(place, setting, rows, turn):
    data, described, ledger = place.taxation(setting, rows), place.taxation_policy(setting), place.ledger_with_immigration(rows)
    warm(data)
    figures = {}
    for contender in rotate([*PEERS, "reticent"], turn):
        os.sync()
        if contender == "reticent":
            figures[contender] = publish(place, data, described, ledger)
        else:
            output = place.folder / f"out-{contender}.csv"
            figures[contender] = copy(contender, data, output)
            output.unlink()
    return figures


def tell_scale(place, sizes, found):
    lines, phases, slow, large, searched = [], [], [], [], []
    for (setting, rows), rounds in found.items():
        ours = [figures["reticent"] for figures in rounds]
        parts = spreads(ours)
        seconds = {peer: Spread.of([figures[peer]["seconds"] for figures in rounds]) for peer in PEERS}
        ratio = {
            peer: Spread.of([figures["reticent"]["seconds"] / figures[peer]["seconds"] for figures in rounds]) for peer in PEERS
        }
        peak = max(one["peak"] for one in ours)
        peer_peak = {peer: max(figures[peer]["peak"] for figures in rounds) for peer in PEERS}
        label = [setting.title, f"{rows:,}"]
        line = [*label, f"{place.taxation(setting, rows).stat().st_size / MIB:,.0f}", parts["whole"].text(), f"{peak / MIB:,.0f}"]
        for peer in PEERS:
            line += [seconds[peer].text(), f"{peer_peak[peer] / MIB:,.0f}", ratio[peer].text("{:.2f}", "x")]
        lines.append([*line, outcome(ours[-1]["told"])])
        phases.append((label, parts))
        slower = [peer for peer in PEERS if rows >= MILLION and ratio[peer].median > MOST_TIMES]
        slow += [f"{setting.title}, {rows:,} records, {peer}" for peer in slower]
        large += [f"{setting.title}, {rows:,} records"] if peak > MOST_MEMORY else []
        searched += [setting.title] if rows == MILLION and parts["search"].median >= MOST_SEARCH else []
        record(
            "sequential", setting.name, rows=rows, seconds={name: spread.json() for name, spread in parts.items()}, peak_bytes=peak,
            ratio={peer: spread.json() for peer, spread in ratio.items()},
            peers={peer: spread.json() for peer, spread in seconds.items()},
            versions={peer: rounds[0][peer]["version"] for peer in PEERS}, steps=ours[-1]["told"]["steps"],
        )  # fmt: skip
    head = ["demand", "records", "MiB", "wall s", "peak MiB"]
    table(head + [word for peer in PEERS for word in (f"{peer} s", "MiB", "reticent takes")] + ["found"], lines)
    tell_phases(["demand", "records"], phases)
    growth = tell_growth(sizes, found)
    targets = [
        target(f"at most {MOST_TIMES:g} times the wall time of DuckDB, and of Polars, from a million records on", not slow, slow),
        target(f"at most {MOST_MEMORY / MIB:,.0f} MiB at the peak", not large, large),
        target(f"the search in a million records below {MOST_SEARCH:g} s", not searched, searched),
        target(f"ten times the records take at most {MOST_GROWTH:g} times the time", not growth, growth),
    ]
    record("sequential", "targets", part="scale", targets=targets)


def tell_growth(sizes, found):
    """How many times longer ten times the records take, by phase; and the demands where it is more than ten times."""
    less, more = sizes
    lines, exceptions = [], []
    names = ["whole", *PHASES]
    for setting in (TOP6, TOP1):
        pairs = zip(found[setting, less], found[setting, more])
        times = [[figures["reticent"]["phases"] | {"whole": figures["reticent"]["seconds"]} for figures in pair] for pair in pairs]
        spread = {name: Spread.of([large[name] / max(small[name], 1e-6) for small, large in times]) for name in names}
        lines.append([setting.title, *(spread[name].text("{:.1f}", "x") for name in names)])
        exceptions += [setting.title] if spread["whole"].median > MOST_GROWTH else []
    print(f"From {less:,} to {more:,} records:")
    table(["demand", *names], lines)
    return exceptions


def numbers(place, given):
    sizes = [PAPER_RECORDS] if given.short else [PAPER_RECORDS, MILLION]
    heading(
        "Sequential, numbers: six continuous columns",
        f"Set B; {machine_text()}; {given.rounds} rounds, median [range].",
    )
    cases = [(setting, rows) for setting in (TOP7, TOP1_B) for rows in sizes]
    found = {case: [] for case in cases}
    for turn in range(given.rounds):
        for setting, rows in rotate(cases, turn):
            data, ledger = place.taxation(setting, rows), place.ledger_with_immigration(rows)
            warm(data)
            described, published = place.taxation_policy(setting), [*setting.published, CLASS]
            found[setting, rows].append(publish(place, data, described, ledger, published))
    lines, phases, slow = [], [], []
    for (setting, rows), runs in found.items():
        parts, peak = spreads(runs), max(one["peak"] for one in runs)
        label = [setting.title, f"{rows:,}"]
        lines.append([*label, parts["whole"].text(), parts["search"].text("{:.3f}"), f"{peak / MIB:,.0f}", outcome(runs[-1]["told"])])
        phases.append((label, parts))
        slow += [f"{setting.title}, {rows:,} records"] if parts["search"].median >= MOST_SEARCH_B[rows] else []
        seconds = {name: spread.json() for name, spread in parts.items()}
        record("sequential", setting.name, rows=rows, seconds=seconds, peak_bytes=peak, steps=runs[-1]["told"]["steps"])
    table(["demand", "records", "wall s", "search s", "peak MiB", "found"], lines)
    tell_phases(["demand", "records"], phases)
    most = ", ".join(f"{rows:,} records below {seconds:g} s" for rows, seconds in MOST_SEARCH_B.items() if rows in sizes)
    record("sequential", "targets", part="numbers", targets=[target(f"the search in {most}", not slow, slow)])


@dataclass(frozen=True, eq=False)
class Past:
    """Earlier releases and what is demanded of the one after them."""

    name: str
    title: str
    # By release: its columns, and the k that it was made with.
    releases: list
    # The settings of columns that are not the paper's, and what is demanded.
    roles: dict
    requirement: dict


# From different columns of immigration, by different k; the first is the one that the ten are held against.
TEN = [
    (IMMIGRATION, 5),
    (["marital-status", "race", "sex"], 10),
    (["relationship", "sex", "native-country"], 20),
    (["marital-status", "relationship", "native-country"], 50),
    (["race", "sex", "native-country"], 5),
    (["marital-status", "race"], 40),
    (["relationship", "race", "native-country"], 100),
    (["marital-status", "sex", "native-country"], 200),
    (["marital-status", "relationship", "sex"], 40),
    (["marital-status", "relationship", "race", "sex"], 1000),
]
# Three of them with a sensitive column as well, in classes of at least 200, so that most of its values are in each.
SENSITIVE, K_WITH_SENSITIVE, SHARING = "occupation", 200, (0, 5, 8)
TEN_SHARING = [
    ([*columns, SENSITIVE], max(k, K_WITH_SENSITIVE)) if at in SHARING else (columns, k) for at, (columns, k) in enumerate(TEN)
]
SHORT_FORM, HIDES = {"k": 5, "confidence": HISTORY_CONFIDENCE}, {SENSITIVE: {"role": "sensitive"}}
SHORT_TITLE = f"k = 5, confidence = {HISTORY_CONFIDENCE:g}"
PASTS = [
    Past("shared", f"{SHORT_TITLE}, shared", TEN_SHARING, HIDES, SHORT_FORM),
    Past("not-shared", f"{SHORT_TITLE}, not shared", TEN, HIDES, SHORT_FORM),
    Past("anonymity", TOP6.title, TEN, {}, {"models": TOP6.models}),
]


def history(place, given):
    rows = 100_000 if given.short else MILLION
    heading(
        "Sequential, history: after ten releases and after one",
        f"Set A, {rows:,} records; {machine_text()}; {given.rounds} rounds, median [range]; what takes a minute is not repeated.",
    )
    data = place.taxation(TOP6, rows)
    cases = [(past, count) for past in PASTS for count in (1, len(TEN))]
    ledgers = {case: place.ledger_of(*case, rows) for case in cases}
    found = {case: [] for case in cases}
    warm(data)
    for turn in range(given.rounds):
        for past, count in rotate(cases, turn):
            if any(one["seconds"] > TOO_LONG for one in found[past, count]):
                continue
            columns = place.columns(SET_A) | {CLASS: {"role": "other"}} | past.roles
            described = place.policy(past.name, columns, past.requirement, CLASSIFY)
            found[past, count].append(publish(place, data, described, ledgers[past, count]))
    tell_history(rows, found)


def tell_history(rows, found):
    lines, phases, growth, slow, large = [], [], [], [], []
    for (past, count), runs in found.items():
        parts, peak = spreads(runs), max(one["peak"] for one in runs)
        label = [past.title, str(count)]
        lines.append([*label, parts["whole"].text(), f"{peak / MIB:,.0f}", outcome(runs[-1]["told"])])
        phases.append((label, parts))
        large += [f"{past.title}, {count} earlier"] if peak > MOST_MEMORY else []
        seconds = {name: spread.json() for name, spread in parts.items()}
        record("sequential", f"history-{past.name}", rows=rows, releases=count, seconds=seconds, peak_bytes=peak)
    names = ["whole", "load_history", "search", "verify"]
    for past in PASTS:
        pairs = zip(found[past, 1], found[past, len(TEN)])
        times = [[one["phases"] | {"whole": one["seconds"]} for one in pair] for pair in pairs]
        spread = {name: Spread.of([ten[name] / max(one[name], 1e-6) for one, ten in times]) for name in names}
        growth.append([past.title, *(spread[name].text("{:.1f}", "x") for name in names)])
        slow += [f"{past.title}: {name}" for name in ("whole",) if spread[name].median > MOST_HISTORY]
    table(["demand", "earlier", "wall s", "peak MiB", "found"], lines)
    tell_phases(["demand", "earlier"], phases)
    print(f"{len(TEN)} earlier releases take, against one:")
    table(["demand", *names], growth)
    targets = [
        target(f"{len(TEN)} earlier releases take at most {MOST_HISTORY:g} times as long as one", not slow, slow),
        target(f"at most {MOST_MEMORY / MIB:,.0f} MiB at the peak", not large, large),
    ]
    record("sequential", "targets", part="history", targets=targets)


if __name__ == "__main__":
    main()
