"""What local recoding leaves of Adult, and how long its search takes, next to what is reported of ARX's local recoding.

30,162 records, nine quasi-identifiers, the trees of arx_trees.py, no suppression. k = 5 and k = 10, without moves between
groups (the level greedy search alone) and with the default number; then a confidence bound of 0.5 on occupation with eight
quasi-identifiers and k = 5. GCP is computed a second time from the file that Reticent wrote.

ARX is not run here (README.md). Its figures are reported ones: local recoding with steps of 1/n, CPU seconds.
"""

from adult_data import NINE, RECORDS, write_table
from bench_adult import arx_tree, gcp_of_file
from harness import DATA, Spread, answer, fresh_folder, fresh_ledger, heading, machine_text, options, parse, policy, record, reticent, rotate, table, target  # fmt: skip

# By setting: k, moves, sensitive column, and the greatest loss and search seconds of the target.
SETTINGS = {
    "k = 5, no moves": (5, 0, None, 0.052, 1.0),
    "k = 5": (5, None, None, 0.050, 5.0),
    "k = 10, no moves": (10, 0, None, 0.078, 1.0),
    "k = 10": (10, None, None, 0.075, 5.0),
    "k = 5, confidence 0.5": (5, None, "occupation", 0.040, None),
}
REPORTED = {5: (0.052, 79), 10: (0.077, 105)}


def main():
    given = parse(options(__doc__.splitlines()[0], rounds=5, short_rounds=1))
    folder = prepare()
    heading(
        "Adult: loss of local recoding",
        f"{RECORDS:,} records; {machine_text()}; {given.rounds} rounds, median [range].",
        "ARX was not run: its figures are reported ones (local recoding, steps of 1/n).",
    )
    answers = {setting: [] for setting in SETTINGS}
    for turn in range(given.rounds):
        for setting in rotate(list(SETTINGS), turn):
            answers[setting].append(publish(folder, setting))
    tell(folder, answers)


def file_name(setting, ending):
    return "".join(letter if letter.isalnum() else "-" for letter in setting) + ending


def prepare():
    folder = fresh_folder(DATA / "recoding")
    write_table(folder / "adult.csv", NINE)
    for setting, (k, moves, sensitive, _, _) in SETTINGS.items():
        columns = {column: arx_tree(folder, column) for column in NINE if column != sensitive}
        requirement = {"k": k}
        if sensitive:
            columns[sensitive] = {"role": "sensitive"}
            requirement |= {"confidence": 0.5, "audit": "off"}
        release = {"algorithm": "local-recoding", "seed": 1}
        if moves is not None:
            release["options"] = {"moves": moves}
        (folder / file_name(setting, ".toml")).write_text(policy("adult", columns, requirement, release))
    return folder


def publish(folder, setting):
    output = folder / file_name(setting, ".csv")
    output.unlink(missing_ok=True)
    words = ["publish", folder / "adult.csv", "--policy", folder / file_name(setting, ".toml"), *fresh_ledger(folder)]
    finished, told = answer([reticent(), *words, "--name", "bench", "--output", output, "--json", "--quiet"])
    gcp = next(metric["value"] for metric in told["metrics"] if metric["id"] == "gcp")
    return {"search": told["seconds"]["search"], "whole": finished.seconds, "gcp": gcp, "classes": told["classes"]}


def tell(folder, answers):
    rows, lossy, slow, doubtful = [], [], [], []
    for setting, runs in answers.items():
        k, _, sensitive, most_loss, most_seconds = SETTINGS[setting]
        search, whole = Spread.of([run["search"] for run in runs]), Spread.of([run["whole"] for run in runs])
        last = runs[-1]
        if last["gcp"] > most_loss:
            lossy.append(setting)
        if most_seconds and search.median > most_seconds:
            slow.append(setting)
        columns = [column for column in NINE if column != sensitive]
        if abs(last["gcp"] - gcp_of_file(folder / file_name(setting, ".csv"), columns)) > 1e-9:
            doubtful.append(setting)
        arx = REPORTED[k] if not sensitive else None
        rows.append([
            setting, search.text("{:.2f}"), whole.text("{:.2f}"), f"{last['gcp']:.4f}", f"{most_loss:.3f}", str(last["classes"]),
            f"{arx[0]:.3f}" if arx else "-", str(arx[1]) if arx else "-",
        ])  # fmt: skip
        record("recoding", setting, search_seconds=search.json(), whole_seconds=whole.json(), gcp=last["gcp"], classes=last["classes"])
    table(["setting", "search s", "process s", "GCP", "target", "classes", "ARX: GCP", "CPU s"], rows)
    targets = [
        target("the loss is within the target of every setting", not lossy, lossy),
        target("the search is within the target time of every setting", not slow, slow),
        target("the written file has the GCP that was told", not doubtful, doubtful),
    ]
    record("recoding", "targets", targets=targets)


if __name__ == "__main__":
    main()
