"""What the recodings of Adult keep, and how long their search takes, next to what is reported of ARX's local recoding.

30,162 records, nine quasi-identifiers, the trees of arx_trees.py, no suppression. Each setting has the loss and the search time of its
target. GCP is computed a second time from the file that Reticent wrote, also for sets of values.

- Nodes and sets of values: k = 5 and k = 10, without moves between groups (the first step of the search alone) and with the default
  number.
- A confidence bound of 0.5 on occupation with eight quasi-identifiers and k = 5.
- Mondrian, for comparison.
- `classify`: the error of a decision tree on the release, against that on the raw table, for k = 5 to 50.
- `--part million`: a million variations of Adult's records (variations.py), nine quasi-identifiers.

ARX is not run here (README.md). Its figures are reported ones: local recoding with steps of 1/n, CPU seconds.
"""

import csv
import dataclasses
import re

import arx_trees
from adult_data import NINE, PAPER_FILES, RECORDS, source, write_table
from bench_adult import arx_tree
from harness import DATA, Spread, answer, checked, fresh_folder, fresh_ledger, heading, machine_text, options, parse, policy, python, record, reticent, rotate, table, target  # fmt: skip

LOCAL = "local-recoding"
REPORTED = {5: (0.052, 79), 10: (0.077, 105)}
# If these columns vary, a million variations have about 379,000 different combinations.
MILLION, VARIED = 1_000_000, ["race", "sex", "salary-class", "marital-status"]
MOST_CPU, MOST_BYTES = 10.0, 1 << 30


@dataclasses.dataclass(frozen=True)
class Setting:
    k: int
    algorithm: str = LOCAL
    values: str = "nodes"
    moves: int | None = None
    sensitive: str | None = None
    classify: str | None = None
    most_loss: float | None = None
    most_seconds: float | None = None
    most_points: float | None = None  # error of the decision tree above that on the raw table, in percentage points

    def name(self):
        parts = [self.algorithm, self.values, f"k = {self.k}"]
        parts += ["no moves"] * (self.moves == 0)
        parts += [f"confidence 0.5 on {self.sensitive}"] * bool(self.sensitive) + [f"classify {self.classify}"] * bool(self.classify)
        return ", ".join(parts)

    def file(self, ending):
        return re.sub(r"\W+", "-", self.name()) + ending

    def quasi_identifiers(self):
        return [column for column in NINE if column not in (self.sensitive, self.classify)]


SETTINGS = [
    Setting(5, moves=0, most_loss=0.052, most_seconds=1),
    Setting(5, most_loss=0.050, most_seconds=5),
    Setting(10, moves=0, most_loss=0.078, most_seconds=1),
    Setting(10, most_loss=0.075, most_seconds=5),
    Setting(5, values="sets", moves=0, most_loss=0.018, most_seconds=1),
    Setting(5, values="sets"),
    Setting(10, values="sets", moves=0, most_loss=0.035, most_seconds=1),
    Setting(10, values="sets"),
    Setting(5, sensitive="occupation", most_loss=0.040),
    Setting(5, "mondrian"),
    Setting(5, "mondrian", values="sets"),
    Setting(10, "mondrian"),
    *(Setting(k, algorithm, classify="salary-class", most_points=1.0) for k in (5, 10, 25, 50) for algorithm in (LOCAL,)),
    *(Setting(k, algorithm, classify="salary-class") for k in (5, 50) for algorithm in ("mondrian", "top-down-specialization")),
]


def main():
    parser = options(__doc__.splitlines()[0], rounds=5, short_rounds=1)
    parser.add_argument("--part", choices=["adult", "million"], default=None)
    given = parse(parser)
    folder = fresh_folder(DATA / "recoding")
    if given.part != "million":
        adult(folder, given)
    if given.part == "million" or (given.part is None and not given.short):
        million(folder)


def adult(folder, given):
    write_table(folder / "adult.csv", NINE)
    for setting in SETTINGS:
        write_policy(folder, setting)
    heading(
        "Adult: loss of recodings",
        f"{RECORDS:,} records; {machine_text()}; {given.rounds} rounds, median [range].",
        "ARX was not run: its figures are reported ones (local recoding, steps of 1/n).",
    )
    answers = {setting: [] for setting in SETTINGS}
    for turn in range(given.rounds):
        for setting in rotate(SETTINGS, turn):
            answers[setting].append(publish(folder, setting, folder / "adult.csv"))
    tell(folder, answers)


def write_policy(folder, setting):
    columns = {column: arx_tree(folder, column) for column in setting.quasi_identifiers()}
    requirement = {"k": setting.k}
    if setting.sensitive:
        columns[setting.sensitive] = {"role": "sensitive"}
        requirement |= {"confidence": 0.5, "audit": "off"}
    release = {"algorithm": setting.algorithm, "seed": 1}
    if setting.values == "sets":
        release["values"] = "sets"
    if setting.classify:
        columns[setting.classify] = {"role": "other"}
        release["purpose"] = {"classify": setting.classify}
    if setting.moves is not None:
        release["options"] = {"moves": setting.moves}
    (folder / setting.file(".toml")).write_text(policy("adult", columns, requirement, release))


def publish(folder, setting, data):
    output = folder / setting.file(".csv")
    output.unlink(missing_ok=True)
    words = ["publish", data, "--policy", folder / setting.file(".toml"), *fresh_ledger(folder)]
    finished, told = answer([reticent(), *words, "--name", "bench", "--output", output, "--json", "--quiet"])
    metrics = {metric["id"]: metric for metric in told["metrics"]}
    error = metrics.get("decision-tree-error")
    raw = error and float(re.search(r"([\d.]+) on the raw table", error["reading"])[1])
    return {
        "search": told["seconds"]["search"], "whole": finished.seconds, "cpu": finished.cpu_seconds, "peak": finished.peak_bytes,
        "gcp": metrics["gcp"]["value"], "classes": told["classes"], "points": error and 100 * (error["value"] - raw),
    }  # fmt: skip


def tell(folder, answers):
    rows, lossy, slow, wrong, doubtful = [], [], [], [], []
    for setting, runs in answers.items():
        search, last = Spread.of([run["search"] for run in runs]), runs[-1]
        arx = REPORTED[setting.k] if setting.algorithm == LOCAL and not (setting.sensitive or setting.classify) else None
        lossy += [setting.name()] * bool(setting.most_loss and last["gcp"] > setting.most_loss)
        slow += [setting.name()] * bool(setting.most_seconds and search.median > setting.most_seconds)
        wrong += [setting.name()] * bool(setting.most_points and last["points"] > setting.most_points)
        if abs(last["gcp"] - gcp_of_file(folder / setting.file(".csv"), setting.quasi_identifiers())) > 1e-9:
            doubtful.append(setting.name())
        rows.append([
            setting.name(), search.text("{:.2f}"), f"{last['gcp']:.4f}", f"{setting.most_loss:.3f}" if setting.most_loss else "-",
            str(last["classes"]), f"{last['points']:.2f}" if last["points"] is not None else "-", f"{arx[0]:.3f}" if arx else "-",
            str(arx[1]) if arx else "-",
        ])  # fmt: skip
        record("recoding", setting.name(), search_seconds=search.json(), **{key: last[key] for key in ("gcp", "classes", "points")})
    table(["setting", "search s", "GCP", "target", "classes", "tree error above raw, points", "ARX: GCP", "CPU s"], rows)
    targets = [
        target("the loss is within the target of every setting", not lossy, lossy),
        target("the search is within the target time of every setting", not slow, slow),
        target("the decision tree's error is at most 1 point above that on the raw table", not wrong, wrong),
        target("the written file has the GCP that was told", not doubtful, doubtful),
    ]
    record("recoding", "targets", targets=targets)


def million(folder):
    data = folder / "million.csv"
    checked(python("variations.py", source(PAPER_FILES), ",".join(NINE), ",".join(VARIED), MILLION, 1, data))
    with open(data, newline="") as text:
        combinations = len(set(map(tuple, csv.reader(text)))) - 1
    heading("A million records: local recoding", f"{combinations:,} different combinations, k = 5; {machine_text()}.")
    rows, slow, large = [], [], []
    for values in ("nodes", "sets"):
        setting = Setting(5, values=values)
        write_policy(folder, setting)
        run = publish(folder, setting, data)
        slow += [values] * (run["search"] > MOST_CPU)
        large += [values] * (run["peak"] > MOST_BYTES)
        rows.append([values, f"{run['search']:.1f}", f"{run['whole']:.1f}", f"{run['peak'] / 2**20:.0f}", f"{run['gcp']:.4f}", str(run["classes"])])
        record("recoding", f"million, {values}", combinations=combinations, **run)
    table(["values", "search s", "process s", "peak MiB", "GCP", "classes"], rows)
    targets = [
        target(f"the search takes at most {MOST_CPU:.0f} s", not slow, slow),
        target("at most 1 GiB at the peak", not large, large),
    ]
    record("recoding", "targets of a million records", targets=targets)


def gcp_of_file(file, columns):
    """The penalty of a release in the ARX trees, from its bytes; records that are not there count 1 in every cell."""
    penalties = {column: Penalties(column) for column in columns}
    total, published = 0.0, 0
    with open(file, newline="") as text:
        for row in csv.DictReader(text):
            total += sum(penalties[column].of(row[column]) for column in columns)
            published += 1
    return (total + (RECORDS - published) * len(columns)) / (RECORDS * len(columns))


class Penalties:
    """Penalty of a published text of one column: a node of the tree, `*`, or a set `{node,node}` (no label here needs an escape)."""

    def __init__(self, column):
        self.leaves = arx_trees.leaves_below(column)
        self.others = self.leaves[arx_trees.ROOT] - 1

    def of(self, text):
        nodes = text[1:-1].split(",") if text.startswith("{") and text not in self.leaves else [text]
        count = sum(self.leaves[arx_trees.ROOT if node == "*" else node] for node in nodes)
        return (count - 1) / self.others


if __name__ == "__main__":
    main()
