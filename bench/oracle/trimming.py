#!/usr/bin/env python3
"""trimming.py [tables=60] [seed offset=0] [algorithm ...]
Minimality attack by brute force: what an attacker infers who can run the publisher's algorithm.

Local recoding publishes the largest subset of a group that meets the requirement, and leaves the excess to later groups. So the sensitive
values of people influence the groups. The attacker knows the raw quasi-identifiers of all people, the policy with its seed, and the program
(RETICENT, or reticent on PATH). Every assignment of the published sensitive values to people that agrees with the published rows is
published again; those that give the same file are the possible worlds. The posterior of a value is the share of worlds in which a person
has it. Each random table has 6 to 8 people and a bound on one value or on all. For each algorithm the script counts the tables in which a
posterior exceeds the bound, and compares them with the findings of `audit --adversary algorithm`. `control` is local recoding with k only:
it does not read the sensitive values, so no posterior may differ from the proportions that the published rows imply."""
import csv, itertools, json, os, random, shutil, subprocess, sys, tempfile
from collections import Counter, defaultdict
from math import factorial, prod
from multiprocessing import Pool

BIN = os.environ.get("RETICENT", "reticent")
MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None
TOL, MOST_WORLDS = 1e-9, 1500
WARDS = {"a": "ab", "b": "ab", "c": "cd", "d": "cd"}
ALGORITHMS = ["local-recoding", "local-recoding sets", "mondrian", "optimal-full-domain", "control"]
POLICY = """[dataset]
name = "t"
[columns.ward]
taxonomy = "ward.csv"
[columns.job]
[columns.d]
role = "sensitive"
[requirement]
k = 2
{requirement}[release]
algorithm = "{algorithm}"
{form}seed = 1
[ledger]
key = "none"
"""


def draw(seed):
    """quasi-identifiers and sensitive values of the people, the bound, and whether it bounds every value"""
    rng = random.Random(seed)
    people = [(rng.choice("abcd"), rng.choice("xyz")) for _ in range(rng.randint(6, 8))]
    bound, every = rng.choice([.5, .6]), rng.random() < .5
    while True:
        names = ["HIV", "Flu", "Cold"][:rng.choice([2, 3, 3])]
        values = [rng.choice(names) for _ in people]
        if "HIV" in values and max(map(values.count, names if every else ["HIV"])) <= bound * len(people):
            return people, values, bound, every


def write(folder, people, values):
    with open(f"{folder}/t.csv", "w", newline="") as file:
        csv.writer(file).writerows([("ward", "job", "d")] + [(*person, value) for person, value in zip(people, values)])


def publish(folder, people, values):
    """written file; None if the release is refused"""
    shutil.rmtree(f"{folder}/ledger", ignore_errors=True)
    if os.path.exists(f"{folder}/out.csv"):
        os.remove(f"{folder}/out.csv")
    write(folder, people, values)
    command = [BIN, "publish", "t.csv", "--name", "r", "--to", "press", "-o", "out.csv", "--new-ledger", "--threads", "1", "--json"]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    if run.returncode not in (0, 1):
        raise SystemExit(run.stderr)
    if not os.path.exists(f"{folder}/out.csv"):
        return None
    with open(f"{folder}/out.csv") as file:
        return file.read()


def covers(cell, value):
    parts = cell[1:-1].split(",") if cell.startswith("{") else [cell]
    return any(part in ("*", value, WARDS.get(value)) for part in parts)


def agrees(people, values, rows):
    """whether every person can have a published row of their own (bipartite matching)"""
    fits = [[at for at, row in enumerate(rows) if row[2] == value and covers(row[0], person[0]) and covers(row[1], person[1])]
            for person, value in zip(people, values)]
    owner = {}

    def place(person, seen):
        for row in fits[person]:
            if row not in seen:
                seen.add(row)
                if row not in owner or place(owner[row], seen):
                    owner[row] = person
                    return True
        return False
    return all(place(person, set()) for person in range(len(people)))


def splits(counts, sizes):
    """every way to distribute a multiset of values over blocks of these sizes"""
    if not sizes:
        yield ()
        return
    names = sorted(counts)
    for taken in itertools.product(*(range(min(counts[name], sizes[0]) + 1) for name in names)):
        if sum(taken) == sizes[0]:
            block = Counter(dict(zip(names, taken)))
            for rest in splits(counts - block, sizes[1:]):
                yield (block,) + rest


def posteriors(kept, blocks, share):
    """highest probability by value, of people with equal quasi-identifiers; `share` weights the worlds"""
    total, found = sum(share), defaultdict(float)
    for at, size in enumerate(blocks.values()):
        for value in {value for world in kept for value in world[at]}:
            mean = sum(weight * world[at][value] / size for world, weight in zip(kept, share)) / total
            found[value] = max(found[value], mean)
    return found


def audit(folder, people, values, bound, every):
    """highest finding of `--adversary algorithm`, whether it establishes the bound, and highest finding of the attack on the one value"""
    write(folder, people, values)

    def attack(chosen):
        command = [BIN, "audit", "--population", "t.csv", "--json", "--confidence", str(bound)] + chosen
        answer = json.loads(subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout)
        attacks = [attack for of in answer["coalitions"] for attack in of["attacks"] if attack["id"] == "minimality"]
        return max((one["confidence"]["value"] for attack in attacks for one in attack["findings"]), default=0), answer["holds"]
    single = ["--attack", "minimality", "--attack-parameter", f"values=HIV={bound}"]
    return *attack(["--adversary", "algorithm"]), None if every else attack(single)[0]


def job(task):
    seed, name = task
    people, values, bound, every = draw(seed)
    algorithm, form = ("local-recoding" if name == "control" else name.split()[0]), 'values = "sets"\n' * name.endswith("sets")
    requirement = f"confidence = {bound}\n" if every else \
        f'[[requirement.models]]\nmodel = "confidence-bounding"\nsensitive = "d"\nvalues = {{ HIV = {bound} }}\n'
    policy = POLICY.format(requirement="" if name == "control" else requirement, algorithm=algorithm, form=form)
    with tempfile.TemporaryDirectory(prefix="reticent_", dir=MEMORY) as folder:
        for file, text in [("reticent.toml", policy), ("ward.csv", "".join(f"{w};{up};*\n" for w, up in WARDS.items()))]:
            with open(f"{folder}/{file}", "w") as target:
                target.write(text)
        released = publish(folder, people, values)
        if released is None:
            return name, "refused", None
        finding, established, single = (0, None, None) if name == "control" else audit(folder, people, values, bound, every)
        rows, blocks = list(csv.reader(released.splitlines()))[1:], Counter(people)
        order = list(blocks.elements())
        worlds = [world for world in splits(Counter(values), list(blocks.values()))
                  if agrees(order, [value for block in world for value in block.elements()], rows)]
        if len(worlds) > MOST_WORLDS:
            return name, "too many worlds", None
        same = [publish(folder, order, [value for block in world for value in block.elements()]) == released for world in worlds]
    # A world is counted once for each order of the values of people with equal quasi-identifiers.
    share = [prod(factorial(block.total()) / prod(factorial(n) for n in block.values()) for block in world) for world in worlds]
    prior = posteriors(worlds, blocks, share)
    after = posteriors([w for w, kept in zip(worlds, same) if kept], blocks, [s for s, kept in zip(share, same) if kept])
    bounded = [value for value in after if every or value == "HIV"]
    worst = max((after[value] for value in bounded), default=0)
    before = max((prior[value] for value in bounded), default=0)
    return name, "judged", {"bound": bound, "worst": worst, "before": before, "worlds": len(worlds), "every": every,
                            "kept": sum(same), "finding": finding, "single": single, "established": established}


def report(name, found):
    judged = [figures for _, outcome, figures in found if outcome == "judged"]
    print(f"{name}: {len(judged)} tables judged, {len(found) - len(judged)} refused or too large; "
          f"{sum(f['kept'] for f in judged)} of {sum(f['worlds'] for f in judged)} candidate worlds possible")
    if name == "control":
        changed = sum(abs(f["worst"] - f["before"]) > TOL or f["kept"] != f["worlds"] for f in judged)
        print(f"  posterior other than the proportions: {changed}")
        return changed
    for label, part in [("bound on every value", True), ("bound on one value", False)]:
        of_part = [f for f in judged if f["every"] == part]
        above = [f for f in of_part if f["worst"] > f["bound"] + TOL]
        certain, rest = sum(f["worst"] > 1 - TOL for f in above), [f for f in of_part if f not in above]
        excess = sorted(f["worst"] - f["bound"] for f in above)
        print(f"  {label}: {len(above)} of {len(of_part)} above it ({certain} certain)" +
              (f"; excess median {excess[len(excess) // 2]:.2f}, largest {excess[-1]:.2f}" if excess else ""))
        for attack, key in [("--adversary algorithm", "finding")] + [("--attack minimality, values=HIV", "single")] * (not part):
            reached = [sum(f[key] > f["bound"] + TOL for f in of) for of in (above, rest)]
            print(f"    {attack}: a finding above the bound in {reached[0]} of these {len(above)} and in {reached[1]} of the other {len(rest)}")
        print(f"    --adversary algorithm establishes the bound in {sum(f['established'] for f in above)} and {sum(f['established'] for f in rest)}")
        print(f"    above the bound without running the algorithm: {sum(f['before'] > f['bound'] + TOL for f in of_part)}")
    return 0


def main():
    given = sys.argv[1:]
    tables, offset = [int(number) for number in (given[:2] + ["60", "0"][len(given[:2]):])]
    names, faults = given[2:] or ALGORITHMS, 0
    with Pool(2) as pool:
        for name in names:
            faults += report(name, pool.map(job, [(seed, name) for seed in range(offset, offset + tables)], chunksize=1))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
