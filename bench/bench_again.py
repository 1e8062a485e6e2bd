"""The same table again and again, by the methods for it: what they cost, what they protect from, and what is left of the data.

Everything is the whole command `reticent publish` with a method in the policy: it reads, groups, writes, reads back, audits the
release with all earlier ones, measures and records. Six parts:

  adult     Decomposition+ as in its paper: 30,162 records of Adult, four sensitive columns, by the l of the primary one
  million   Decomposition+ on 10,000 to a million records, drawn from those of Adult: how time and memory grow
  year      twelve monthly releases of a million generated people by m-invariance, one in twenty replaced from month to month
  naive     a year of months of Adult: each month made safe by itself, and the same months by methods that remember
  bcf       BCF-anonymity on months of Adult in which everybody stays: what it costs and leaves
  utility   what each method publishes of those months, and how far off estimates from it are, in both forms

The tables are made by again_data.py.
"""

import json
import math
import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from adult_data import RECORDS, source
from harness import (
    DATA, MIB, Spread, checked, heading, machine, machine_text, options, parse, positive, python, record, reticent, rotate, run,
    settings_text, table, target,
)  # fmt: skip

MILLION = 1_000_000
SEED = 2012
PHASES = ["load_history", "read", "group", "write", "verify", "audit", "measure", "record"]
OWNER = "person"
QUASI = ["age", "sex", "race", "native-country"]

# The paper's sensitive columns and l; the first is the primary one, whose l varies.
PRIMARY, OTHERS = "workclass", {"education": 3, "hours-per-week": 2, "relationship": 3}
LS = [7, 6, 5, 4, 3, 2]
# Work class has 7 values and three quarters of the people one of them; the paper's table of columns gives it the 14 values of
# occupation, by which nearly everybody can be put into groups.
EVEN, EVEN_L = "occupation", 7
MOST_ADULT, MOST_MILLION = 1.0, 15.0
SIZES, SHORT_SIZES = [10_000, 100_000, MILLION], [5_000, 50_000]
# Between neighbours, time may grow by so much more than n log n does, and memory by so much more than records do.
MORE_TIME, MORE_MEMORY = 1.5, 1.1
TOO_LONG = 60.0

M, MONTHS, CHURN, SHORT_YEAR = 4, 12, 5, 10_000
MOST_YEAR, PATIENCE = 300.0, 600
# Millions of steps of counting that `publish` tries before it gives a release up.
PATIENT = 40

# So many that those who come during a year are there too.
START, SHORT_START = 18_000, 3_000
HIDDEN, L = "occupation", 4
ONE = [*QUASI, HIDDEN]
CHURNS = [1, 5]
TOLD_AFTER = [1, 2, 3, 6, 12]


@dataclass(frozen=True)
class Method:
    """A method with its options, and how it is asked."""

    title: str
    id: str
    options: dict
    # Each month by itself, as if there had been none before.
    alone: bool = False
    # Everybody who came stays.
    stay: bool = False


EACH = Method("each month by itself (anatomy)", "anatomy", {"l": L}, alone=True)
REMEMBER = [
    Method("m-invariance", "m-invariance", {"m": L}),
    Method("history-guided", "history-guided", {"l": L}),
    Method("incremental-l-diversity", "incremental-l-diversity", {"l": L}),
]
ONE_COLUMN = {"primary": HIDDEN, "l": {HIDDEN: L}}
ALL = [
    EACH,
    Method("each month by itself (decomposition)", "decomposition", ONE_COLUMN, alone=True),
    Method("decomposition-plus", "decomposition-plus", ONE_COLUMN),
    REMEMBER[0],
    Method("m-invariance, no counterfeits", "m-invariance", {"m": L, "counterfeits": False}),
    REMEMBER[1],
    Method("history-guided, no counterfeits", "history-guided", {"l": L, "counterfeits": False}),
    REMEMBER[2],
    Method("bcf-anonymity, nobody goes", "bcf-anonymity", {"k": L, "gone": "withhold"}, stay=True),
]
FORMS = ["anatomized", "generalized"]
K = 5
BCF = [
    Method("by cells (bcf-anonymity)", "bcf-anonymity", {"k": K}, stay=True),
]
BCF_MONTHS = [1, 2, 6, 12]


def main():
    parts = {"adult": adult, "million": million, "year": year, "naive": naive, "bcf": bcf, "utility": utility}
    parser = options(__doc__.splitlines()[0], rounds=5, short_rounds=3)
    parser.add_argument("--part", choices=parts, help="only this part")
    parser.add_argument("--rows", type=positive, help=f"year: people a month (default {MILLION}; {SHORT_YEAR} with --short)")
    given = parse(parser)
    os.environ["RETICENT_NEW_LEDGER"] = "true"
    DATA.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="again-", dir=DATA) as folder:
        for name, part in parts.items():
            if given.part in (None, name):
                # Only these people are generated.
                data = None if name == "year" else source()
                part(Place(Path(folder), data), given)


@dataclass
class Place:
    """Where everything is made; all of it goes when the benchmark ends."""

    folder: Path
    data: Path

    def settings(self, columns, sensitive):
        """Of columns: the trees of the data where there is one, and numbers for the others that are."""
        settled = {OWNER: {}}
        for name in columns:
            tree = self.data and self.data / "taxonomies" / f"{name}.csv"
            settled[name] = {"role": "sensitive"} if name in sensitive else {}
            if name in ("age", "hours-per-week"):
                settled[name]["type"] = "number"
            elif tree and tree.exists():
                shutil.copyfile(tree, self.folder / tree.name)
                settled[name]["taxonomy"] = tree.name
        return settled

    def policy(self, name, columns, sensitive, method, seed, form=None):
        sections = [("dataset", {"name": "again", "owner": OWNER})]
        sections += [(f"columns.{json.dumps(column)}", given) for column, given in self.settings(columns, sensitive).items()]
        sections += [("release", {"method": method.id, "seed": seed} | ({"form": form} if form else {}))]
        sections += [("release.options", method.options)]
        file = self.folder / f"{name}.toml"
        file.write_text("\n".join(f"[{section}]\n{settings_text(settings)}" for section, settings in sections))
        return file

    def adult(self, columns, rows):
        file = self.folder / f"{'-'.join(columns)}-{rows}.csv"
        if not file.exists():
            checked(python("again_data.py", "adult", file, ",".join(columns), rows, SEED))
        return file

    def months(self, what, *given):
        """A folder with a file a month."""
        folder = self.folder / "-".join(str(word) for word in (what, *given))
        if not folder.exists():
            folder.mkdir()
            checked(python("again_data.py", what, folder, *given, MONTHS, SEED))
        return folder

    def fresh_ledger(self):
        ledger = self.folder / "ledger"
        shutil.rmtree(ledger, ignore_errors=True)
        return ledger


def publish(place, data, described, ledger, name, words=(), seconds=None):
    """One release, in a folder that is thrown away. Nothing when it is refused or takes too long, with what was said instead."""
    output = place.folder / "out"
    shutil.rmtree(output, ignore_errors=True)
    os.sync()
    command = [reticent(), "publish", data, "--policy", described, "--ledger", ledger, "--name", name, "--output", output]
    finished = run([*command, *words, "--json", "--quiet"], seconds=seconds)
    if finished.status not in (-9, 0, 1):
        sys.exit(f"{name} ended with status {finished.status}:\n{finished.stdout}{finished.stderr}")
    if finished.status != 0:
        refused = finished.status == 1 and json.loads(finished.stderr)["error"]
        why = f"refused: {refused}" if refused else f"stopped after {finished.seconds:,.0f} s"
        return {"stopped": f"{name} {why}", "seconds": finished.seconds, "peak": finished.peak_bytes}
    told = json.loads(finished.stdout)
    phases = {phase: told["seconds"][phase] for phase in PHASES}
    phases["rest"] = finished.seconds - sum(phases.values())
    return {"seconds": finished.seconds, "peak": finished.peak_bytes, "phases": phases, **counts(told), "told": told}


def counts(told):
    """How many records became what."""
    sums = {kind: sum(some["records"] for some in told[kind]) for kind in ("postponed", "withheld")}
    return {kind: told[kind] for kind in ("records", "published", "groups", "counterfeits")} | sums


def number(figure):
    return f"{figure:,}"


def spreads(runs):
    phases = {phase: Spread.of([one["phases"][phase] for one in runs]) for phase in runs[0]["phases"]}
    return {"whole": Spread.of([one["seconds"] for one in runs]), **phases}


@dataclass(frozen=True)
class Case:
    """One release by Decomposition+."""

    primary: str
    l: int
    rows: int

    def title(self):
        return f"{self.primary}, l = {self.l}"

    def publish(self, place):
        each = {self.primary: self.l, **OTHERS}
        columns = [*QUASI, self.primary, *OTHERS]
        method = Method("", "decomposition-plus", {"primary": self.primary, "l": each})
        described = place.policy("decomposition", columns, each, method, SEED)
        told = publish(place, place.adult(columns, self.rows), described, place.fresh_ledger(), "only", seconds=PATIENCE)
        if "stopped" in told:
            sys.exit(f"{self.title()}: {told['stopped']}")
        return told


def turns(place, cases, given):
    """Every case several times, in turns; what takes a minute is not repeated."""
    found = {case: [] for case in cases}
    for turn in range(given.rounds):
        for case in rotate(cases, turn):
            if not any(one["seconds"] > TOO_LONG for one in found[case]):
                found[case].append(case.publish(place))
    return found


def adult(place, given):
    heading(
        "Again, adult: Decomposition+ as in its paper",
        f"{RECORDS:,} records, {len(QUASI)} quasi-identifiers; besides the primary column: "
        + ", ".join(f"{name} with l = {l}" for name, l in OTHERS.items()),
        f"{machine_text()}; {given.rounds} rounds, median [range].",
    )
    cases = [Case(PRIMARY, l, RECORDS) for l in LS] + [Case(EVEN, EVEN_L, RECORDS)]
    lines, slow = [], []
    for case, runs in turns(place, cases, given).items():
        parts, last = spreads(runs), runs[-1]
        figures = [number(last[kind]) for kind in ("groups", "published", "postponed", "withheld")]
        times = [parts[phase].text("{:.3f}") for phase in ("group", "audit", "whole")]
        lines.append([case.title(), *figures, *times])
        slow += [case.title()] if parts["group"].median >= MOST_ADULT else []
        kept = {kind: last[kind] for kind in ("groups", "published", "postponed", "withheld", "peak")}
        record("again", case.title(), part="adult", seconds={name: spread.json() for name, spread in parts.items()}, **kept)
    table(["primary", "groups", "published", "postponed", "withheld", "group s", "audit s", "whole command s"], lines)
    record("again", "targets", part="adult", targets=[target(f"groups are formed below {MOST_ADULT:g} s", not slow, slow)])


def million(place, given):
    sizes = SHORT_SIZES if given.short else SIZES
    heading(
        "Again, million: Decomposition+, and how it grows",
        f"Records drawn from the {RECORDS:,} of Adult with replacement when they are more, so that no new combinations come.",
        f"{machine_text()}; {given.rounds} rounds, median [range]; what takes a minute is not repeated.",
    )
    # Of work class, the l with most groups.
    kinds = [(PRIMARY, min(LS)), (EVEN, EVEN_L)]
    cases = [Case(*kind, rows) for kind in kinds for rows in sizes]
    found = {case: Figures.of(case, runs) for case, runs in turns(place, cases, given).items()}
    table(SIZE_HEAD, [figures.row() for figures in found.values()])
    print("Where the time goes, s:")
    table(["primary", "records", *PHASES, "rest"], [figures.phases() for figures in found.values()])
    pairs = [(found[Case(*kind, less)], found[Case(*kind, more)]) for kind in kinds for less, more in zip(sizes, sizes[1:])]
    print("Times as much, from one size to the next:")
    table(["primary", "records", "group", "whole command", "n log n", "peak"], [growth_row(*pair) for pair in pairs])
    slow = [one.title() for one in found.values() if one.rows == MILLION and one.seconds["group"].median >= MOST_MILLION]
    targets = [target(f"groups of a million records are formed below {MOST_MILLION:g} s", not slow, slow)] if MILLION in sizes else []
    for phase, what in [("group", "forming groups"), ("whole", "the whole command")]:
        fast = [more.title() for less, more in pairs if more.times(less, phase) > MORE_TIME * more.n_log_n(less)]
        targets.append(target(f"{what} grows at most {MORE_TIME:g} times as fast as n log n", not fast, fast))
    large = [more.title() for less, more in pairs if more.peak / more.rows > MORE_MEMORY * less.peak / less.rows]
    targets.append(target(f"memory per record grows at most {MORE_MEMORY:g} times", not large, large))
    record("again", "targets", part="million", targets=targets)


SIZE_HEAD = [
    "primary", "records", "groups", "published", "postponed", "group s", "us/record", "whole command s", "us/record", "peak MiB",
    "B/record",
]  # fmt: skip


@dataclass
class Figures:
    """What a size took."""

    primary: str
    rows: int
    seconds: dict
    peak: int
    last: dict

    @staticmethod
    def of(case, runs):
        figures = Figures(case.title(), case.rows, spreads(runs), max(one["peak"] for one in runs), runs[-1])
        seconds = {name: spread.json() for name, spread in figures.seconds.items()}
        told = counts(runs[-1]["told"])
        record("again", case.title(), part="million", rows=case.rows, seconds=seconds, peak_bytes=figures.peak, **told)
        return figures

    def title(self):
        return f"{self.primary}, {self.rows:,} records"

    def row(self):
        each = {phase: f"{1e6 * self.seconds[phase].median / self.rows:.2f}" for phase in ("group", "whole")}
        line = [self.primary, number(self.rows), *(number(self.last[kind]) for kind in ("groups", "published", "postponed"))]
        line += [self.seconds["group"].text("{:.3f}"), each["group"], self.seconds["whole"].text(), each["whole"]]
        return [*line, f"{self.peak / MIB:,.0f}", f"{self.peak / self.rows:,.0f}"]

    def phases(self):
        return [self.primary, number(self.rows), *(f"{self.seconds[phase].median:.2f}" for phase in [*PHASES, "rest"])]

    def times(self, less, phase):
        return self.seconds[phase].median / less.seconds[phase].median

    def n_log_n(self, less):
        return self.rows * math.log(self.rows) / (less.rows * math.log(less.rows))


def growth_row(less, more):
    times = [more.times(less, "group"), more.times(less, "whole"), more.n_log_n(less), more.peak / less.peak]
    return [more.primary, f"{less.rows:,} to {more.rows:,}", *(f"{time:.1f}x" for time in times)]


def year(place, given):
    rows = given.rows or (SHORT_YEAR if given.short else MILLION)
    heading(
        f"Again, year: {MONTHS} months of {rows:,} people by m-invariance",
        f"m = {M}; age, zip, sex of 80, 500 and 2 values; 50 illnesses, uneven; {CHURN} % replaced from month to month.",
        f"{machine_text()}; once.",
    )
    method = Method("m-invariance", "m-invariance", {"m": M})
    folder, ledger = place.months("people", rows, CHURN), place.fresh_ledger()
    described = place.policy("year", ["age", "zip", "sex", "illness"], ["illness"], method, SEED)
    lines, total, stopped = [], 0.0, ""
    for month in range(1, MONTHS + 1):
        told = publish(place, folder / f"month-{month:02}.csv", described, ledger, f"month-{month:02}", seconds=PATIENCE)
        total += told["seconds"]
        if "stopped" in told:
            stopped = told["stopped"]
            break
        figures = {key: told[key] for key in ("peak", "phases", "seconds")} | counts(told["told"])
        record("again", "year", rows=rows, month=month, audited=told["told"]["audited"], **figures)
        cells = [number(told[kind]) for kind in ("published", "postponed", "withheld", "counterfeits")]
        times = [f"{told['phases'][phase]:.2f}" for phase in [*PHASES, "rest"]]
        lines.append([str(month), *cells, *times, f"{told['seconds']:.2f}", f"{told['peak'] / MIB:,.0f}"])
    table(["month", "published", "postponed", "withheld", "counterfeits", *PHASES, "rest", "whole s", "peak MiB"], lines)
    print(f"Together {total:,.1f} s{'; ' + stopped if stopped else ''}. Load at the end: {machine()['load']}.")
    text = f"{MONTHS} months of {MILLION:,} people below {MOST_YEAR:g} s, files, ledger and audits included"
    targets = []
    if rows >= MILLION:
        targets.append(target(text, not stopped and total < MOST_YEAR, [stopped] if stopped else []))
    else:
        print(f"target: {text}: not judged with {rows:,}")
        targets.append(target("every month is published", not stopped, [stopped] if stopped else []))
    record("again", "targets", part="year", rows=rows, total=total, targets=targets)


@dataclass
class Year:
    """The months that were published, and why no more."""

    months: list
    policy: Path
    ledger: Path
    stopped: str = ""
    alone: bool = False

    def seconds(self):
        return sum(month["seconds"] for month in self.months)


def monthly(place, method, start, churn, form=None):
    """Publishes the months one after another, until one is refused or takes too long; the others, and what was said."""
    folder = place.months("sofar" if method.stay else "months", ",".join(ONE), start, churn)
    ledger, found = place.fresh_ledger(), []
    for month in range(1, MONTHS + 1):
        described = place.policy("month", ONE, [HIDDEN], method, month, form)
        data, name = folder / f"month-{month:02}.csv", f"month-{month:02}"
        told = publish(place, data, described, ledger, name, ["--ignore-history"] if method.alone else [], PATIENCE)
        if "stopped" in told:
            return Year(found, described, ledger, told["stopped"], method.alone)
        found.append(told)
    return Year(found, described, ledger, alone=method.alone)


def naive(place, given):
    start = SHORT_START if given.short else START
    heading(
        "Again, naive: what a year of months tells about people",
        f"Adult, {start:,} people a month, so many of them replaced by others; {HIDDEN} is sensitive, l = m = {L}.",
        "By `reticent audit` of all months so far. A range: for sure .. at most; one figure is exact.",
        f"{machine_text()}; once.",
    )
    lines, over, unfinished = [], [], []
    for churn in CHURNS:
        for method in [EACH, *REMEMBER]:
            label = f"{churn} %, {method.title}"
            done = monthly(place, method, start, churn)
            told, seconds, counting = audit(done)
            cells = [tell(told[month - 1]) if month <= len(told) else "-" for tell in (certain, above) for month in TOLD_AFTER]
            lines.append([label, *cells, f"{seconds:.1f}{'' if counting else ' *'}", f"{done.seconds():.1f}"])
            figures = {"over_time": told, "audit_seconds": seconds, "counting": counting, "stopped": done.stopped}
            record("again", method.title, part="naive", start=start, churn=churn, **figures)
            over += [label] if not method.alone and any(one["may_be_above"] for one in told) else []
            unfinished += [f"{label}: {done.stopped}"] if done.stopped else []
    head = ["replaced a month", *(f"certain {month}" for month in TOLD_AFTER), *(f"> 1/{L} {month}" for month in TOLD_AFTER)]
    table([*head, "audit s", "publish s"], lines)
    print("Shares of the people of all months so far, in percent, after so many months.")
    print(f"A star: without counting worlds (--effort 0), since that took more than {TOO_LONG:g} s; then bounds only may be known.")
    targets = [
        target(f"nobody's value is told with more than 1/{L} by the methods that remember", not over, over),
        target("every month is published", not unfinished, unfinished),
    ]
    record("again", "targets", part="naive", start=start, targets=targets)


def audit(done):
    """What is told after each month, by one audit of the whole ledger, which also tells how it came about. One that takes more
    than a minute is asked again without counting worlds; then there may be bounds only. One that leaves anything open after any
    month is asked again to count as long as `publish` does before it gives up."""
    words = ["audit", "--policy", done.policy, "--ledger", done.ledger, "--confidence", 1 / L, "--worst", 0, "--json", "--quiet"]
    finished = run([reticent(), *words], seconds=TOO_LONG)
    counting = finished.status != -9
    if not counting:
        finished = run([reticent(), *words, "--effort", 0, "--samples", 0])
    told = over_time(finished)
    if counting and not done.alone and any(one["may_be_above"] for one in told):
        longer = run([reticent(), *words, "--effort", PATIENT], seconds=PATIENCE)
        if longer.status != -9:
            finished, told = longer, over_time(longer)
    return told, finished.seconds, counting


def over_time(finished):
    if finished.status not in (0, 1):
        sys.exit(f"audit ended with status {finished.status}: {finished.stdout}{finished.stderr}")
    moments = json.loads(finished.stdout)["coalitions"][0]["timeline"]
    # One column is sensitive.
    return [moment["columns"][0] | {"people": moment["people"]} for moment in moments]


def percent(part, all):
    share = 100 * part / all
    if part in (0, all):
        return f"{share:.0f}"
    return "<0.1" if share < 0.05 else ">99.9" if share >= 99.95 else f"{share:.1f}"


def certain(told):
    return percent(told["certain"], told["people"])


def above(told):
    low, high = (percent(told[kind], told["people"]) for kind in ("above", "may_be_above"))
    return low if told["above"] == told["may_be_above"] else f"{low} .. {high}"


def bcf(place, given):
    start = SHORT_START if given.short else START
    heading(
        "Again, bcf: k people alike in all releases",
        f"Adult, {start:,} people at first, so many new ones a month, and nobody goes; {HIDDEN} is sensitive, k = {K}; generalized.",
        f"{machine_text()}; once.",
    )
    lines, unfinished, linked = [], [], []
    for churn in CHURNS:
        for method in BCF:
            label = f"{churn} %, {method.title}"
            done = monthly(place, method, start, churn)
            unfinished += [f"{label}: {done.stopped}"] if done.stopped else []
            if not done.months:
                continue
            shown = [done.months[month - 1] if month <= len(done.months) else None for month in BCF_MONTHS]
            groups = [number(one["groups"]) if one else "-" for one in shown]
            iloss = [f"{one['told']['utility']['iloss']:.3f}" if one else "-" for one in shown]
            last = done.months[-1]
            times = [f"{last['phases'][phase]:.2f}" for phase in ("group", "audit")]
            identity = identified(done)
            lines.append([label, *groups, *iloss, *times, f"{done.seconds():.1f}", f"{100 * identity['prosecutor_highest']:.0f} %"])
            figures = {"groups": [one["groups"] for one in done.months], "seconds": done.seconds(), "identity": identity}
            figures |= {"iloss": [one["told"]["utility"]["iloss"] for one in done.months], "phases": last["phases"]}
            record("again", method.title, part="bcf", start=start, churn=churn, stopped=done.stopped, **figures)
            linked += [label] if method.id == "bcf-anonymity" and identity["prosecutor_highest"] > 1 / K else []
    head = [*(f"groups {month}" for month in BCF_MONTHS), *(f"ILoss {month}" for month in BCF_MONTHS)]
    table(["new a month", *head, "group s", "audit s", "year s", "linked"], lines)
    print("After so many months. group s, audit s: of the last month. Linked: the most by who knows in which groups everybody is.")
    targets = [
        target("every month is published", not unfinished, unfinished),
        target(f"by cells, nobody is linked with more than 1/{K}", not linked, linked),
    ]
    record("again", "targets", part="bcf", start=start, targets=targets)


def identified(done):
    """How surely records are found by who knows in which groups everybody is."""
    words = ["audit", "--policy", done.policy, "--ledger", done.ledger, "--worst", 0, "--effort", 0, "--samples", 0, "--json", "--quiet"]
    finished = run([reticent(), *words])
    if finished.status not in (0, 1):
        sys.exit(f"audit ended with status {finished.status}: {finished.stdout}{finished.stderr}")
    return json.loads(finished.stdout)["coalitions"][0]["audit"]["identity"]


def utility(place, given):
    start, churn = (SHORT_START if given.short else START), CHURN
    heading(
        "Again, utility: what is left after a year",
        f"Adult, {start:,} people a month, {churn} % replaced; {HIDDEN} is sensitive, l = m = k = {L}; the last month.",
        f"{machine_text()}; once.",
    )
    lines, unfinished = [], []
    kinds = ("records", "published", "postponed", "withheld", "counterfeits", "groups")
    for method in ALL:
        # Quasi-identifiers as they are tell records apart.
        for form in FORMS[1:] if method.id.startswith("bcf-anonymity") else FORMS:
            done = monthly(place, method, start, churn, form)
            unfinished += [f"{method.title}, {form}: {done.stopped}"] if done.stopped else []
            if not done.months:
                continue
            last = done.months[-1]
            worth, figures = last["told"]["utility"], {kind: last[kind] for kind in kinds}
            error = "-" if worth["query_error"] is None else f"{100 * worth['query_error']:.1f} %"
            line = [method.title, form, str(len(done.months)), *(number(figure) for figure in figures.values())]
            lines.append([*line, error, f"{worth['iloss']:.3f}", f"{done.seconds():.1f}"])
            figures |= {"utility": worth, "months": len(done.months), "seconds": done.seconds(), "stopped": done.stopped}
            record("again", method.title, part="utility", form=form, start=start, churn=churn, **figures)
    table(["method", "form", "months", *kinds, "query error", "ILoss", "year s"], lines)
    print("Of the last month that was published. Query error: median over random counts.")
    record("again", "targets", part="utility", start=start, targets=[target("every month is published", not unfinished, unfinished)])


if __name__ == "__main__":
    main()
