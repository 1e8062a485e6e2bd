#!/usr/bin/env python3
"""publish.py [histories=200] [seed offset=0]
Publishes random small histories through the command (RETICENT, or reticent on PATH) and recomputes by brute force what every accepted
release promises: k-anonymity, MultiR k-anonymity (alone and over all releases), `confidence`, `reidentification`, and the reported
re-identification risk. A column `tag` with the role `other` identifies the rows of the written file."""
import sys, os, json, csv, random, subprocess, tempfile, itertools
from collections import Counter, defaultdict
from multiprocessing import Pool
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import oracle

BIN = os.environ.get("RETICENT", "reticent")
TOL = 1e-9
VALUES = ["HIV", "Flu", "Cold"]
COLUMNS = [["ward", "d"], ["ward", "job", "d"], ["job", "d"], ["ward"], ["ward", "job"]]
ALGORITHMS = ["", "", "top-down-specialization", "multidimensional-specialization", "mondrian", "optimal-full-domain"]
WITH_SETS = ["", "multidimensional-specialization", "mondrian"]
POLICY = """[dataset]
name = "t"
owner = "pid"
[columns.pid]
role = "identifier"
[columns.tag]
role = "other"
accept-unique = true
[columns.ward]
taxonomy = "ward.csv"
[columns.job]
[columns.d]
role = "sensitive"
{per}[requirement]
{requirement}[release]
{release}seed = 1
"""


def draw(seed):
    """A policy, and tables of the same people; some people have two records."""
    rng = random.Random(seed)
    several, unit = rng.random() < .6, rng.choice([None, "person", "record"])
    people = {f"p{i}": (rng.choice("abcd"), rng.choice("xy"), rng.choice(VALUES)) for i in range(rng.randint(4, 7))}

    def table(columns):
        rows = []
        for person, (ward, job, value) in people.items():
            if rng.random() < .15:
                continue
            for record in range(rng.choice([1, 1, 2]) if several else 1):
                same_ward = record == 0 or rng.random() < .4
                same_value = unit == "person" or record == 0 or rng.random() < .5
                row = {"pid": person, "tag": f"t{len(rows)}", "job": job, "ward": ward if same_ward else rng.choice("abcd"),
                       "d": value if same_value else rng.choice(VALUES)}
                rows.append(row)
        rng.shuffle(rows)
        return columns, [{column: row[column] for column in ["pid", "tag"] + columns} for row in rows]

    tables = [table(rng.choice(COLUMNS)) for _ in range(rng.choice([1, 2, 2, 3]))]
    case = {"tables": tables, "unit": unit, "k": None, "sets": None,
            "confidence": rng.choice([None, .5, .6, .75]), "risk": rng.choice([None, None, .5, .4])}
    k, known, model = rng.choice([2, 2, 3]), rng.choice([1, 2, None]), rng.choice(["sets", "sets", "k", "none", "both"])
    if model in ("k", "both") or model == "none" and not (case["confidence"] or case["risk"]):
        case["k"] = k
    if model in ("sets", "both"):
        case["sets"] = (k, known)
    requirement = "".join(f"{key} = {value}\n" for key, value in
                          [("k", case["k"]), ("confidence", case["confidence"]), ("reidentification", case["risk"])] if value)
    requirement += rng.choice(["", "", 'audit = "exact"\n'])
    if case["sets"]:
        requirement += f'[[requirement.models]]\nmodel = "multir-k-anonymity"\nk = {k}\n'
        requirement += f"records = {known}\n" if known else ""
    algorithm = rng.choice(ALGORITHMS)
    release = (f'algorithm = "{algorithm}"\n' if algorithm else "") + rng.choice(["", "suppression = 0.4\n"])
    release += rng.choice(["", 'values = "sets"\n']) if algorithm in WITH_SETS else ""
    case["policy"] = POLICY.format(per=f'per = "{unit}"\n' if unit else "", requirement=requirement, release=release)
    return case


def rare_sets(rows, k, known):
    """(person, records) that an attacker can know and that fewer than k people have; all records if known is None"""
    views = defaultdict(Counter)
    for row in rows:
        views[row["pid"]][row["zip"]] += 1
    rare = set()
    for person, view in views.items():
        records = sorted(view.elements())
        sets = {tuple(records)} if known is None else set(itertools.combinations(records, min(known, len(records))))
        for chosen in sets:
            wanted = Counter(chosen)
            has = (lambda other: other == wanted) if known is None else (lambda other: wanted <= other)
            if sum(map(has, views.values())) < k:
                rare.add((person, chosen))
    return rare


def judge(case, answer, earlier, new, at):
    """faults of an accepted release"""
    faults, rows = [], [row for _, table in earlier for row in table]
    columns, published = new
    classes = defaultdict(set)
    for row in published:
        classes[row["zip"]].add(row["pid"])
    if case["k"] and min(map(len, classes.values()), default=case["k"]) < case["k"]:
        faults.append(("false k-anonymity", at))
    if case["sets"]:
        if rare_sets(published, *case["sets"]):
            faults.append(("false sets of records, alone", at))
        if rare_sets(rows + published, *case["sets"]) - rare_sets(rows, *case["sets"]):
            faults.append(("false sets of records, all releases", at))
    releases = [{"name": f"r{nth}", "columns": ["d"] if "d" in columns else [], "rows": table}
                for nth, (columns, table) in enumerate(earlier + [new])]
    shown = ["d"] if any(release["columns"] for release in releases) else []
    per = {"d": case["unit"]} if case["unit"] and shown else {}
    try:
        truth = oracle.solve({"columns": shown, "per": per, "releases": releases})
    except oracle.TooBig:
        return faults, False
    risk, reported = float(truth["prosecutor"]), (answer["audited"] or {}).get("identity")
    if reported and reported["prosecutor"]["upper"] < risk - TOL:
        faults.append(("false risk", at, risk, reported["prosecutor"]))
    if reported and reported["prosecutor"]["lower"] > risk + TOL:
        faults.append(("risk too high", at, risk, reported["prosecutor"]))
    if case["risk"] and risk > case["risk"] + TOL:
        faults.append(("false bound on the risk", at, risk))
    slots = [slot for of_person in truth["slots"].values() for slot in of_person]
    posteriors = [float(share) for slot in slots for of_column in slot["columns"].values() for share in of_column.values()]
    if case["confidence"] and max(posteriors, default=0) > case["confidence"] + TOL:
        faults.append(("false posterior", at, max(posteriors)))
    return faults, True


def publish(folder, at, columns, rows):
    """exit status and answer of one release, and its rows with their owner and class"""
    with open(f"{folder}/r{at}.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, ["pid", "tag"] + columns)
        writer.writeheader()
        writer.writerows(rows)
    command = [BIN, "publish", f"r{at}.csv", "--name", f"r{at}", "--to", "press", "--columns", ",".join(["tag"] + columns),
               "-o", f"out{at}.csv", "--json"] + ([] if os.path.exists(f"{folder}/ledger") else ["--new-ledger"])
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    answer = json.loads(run.stdout or run.stderr.strip().splitlines()[-1])
    if run.returncode:
        return run.returncode, answer, []
    by_tag, published = {row["tag"]: row for row in rows}, []
    with open(f"{folder}/out{at}.csv") as file:
        for row in csv.DictReader(file):
            of_class = f"{at}:" + "|".join(row[column] for column in columns if column != "d")
            value = {"d": row["d"]} if "d" in columns else {}
            published.append({"pid": by_tag[row["tag"]]["pid"], "zip": of_class, **value})
    return 0, answer, published


def job(seed):
    case, faults, figures, accepted = draw(seed), [], Counter(), []
    with tempfile.TemporaryDirectory(prefix="reticent_") as folder:
        with open(f"{folder}/reticent.toml", "w") as file:
            file.write(case["policy"])
        with open(f"{folder}/ward.csv", "w") as file:
            file.write("a;ab;*\nb;ab;*\nc;cd;*\nd;cd;*\n")
        for at, (columns, rows) in enumerate(case["tables"]):
            status, answer, published = publish(folder, at, columns, rows)
            if status:
                figures["refused: " + answer["code"]] += 1
                continue
            found, solved = judge(case, answer, accepted, (columns, published), at)
            faults += found
            figures["releases"] += 1
            figures["releases with brute force over worlds"] += solved
            figures["releases judged for sets of records"] += bool(case["sets"])
            accepted.append((columns, published))
    return seed, faults, figures


def main():
    histories = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    offset = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    total, faulty = Counter(), []
    with Pool(2) as pool:
        for seed, faults, figures in pool.imap_unordered(job, range(offset, offset + histories), chunksize=4):
            total.update(figures)
            faulty += [(seed, fault) for fault in faults]
    for name, number in sorted(total.items()):
        print(f"{number:6} {name}")
    print(f"{len(faulty):6} faults")
    for seed, fault in sorted(faulty, key=str)[:20]:
        print("FAULT seed", seed, fault)
    sys.exit(1 if faulty or not total["releases"] else 0)


if __name__ == "__main__":
    main()
