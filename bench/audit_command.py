"""Time and memory of the whole command `reticent audit`, identity risk included, by binary, and whether their answers are equal.

    python3 bench/audit_command.py BINARY [BINARY ...] [--people N] [--rounds N]

Two ledgers of N people in five releases (100,000 if not given), made by the first binary:

  independent  five releases in buckets of five different values out of 14, drawn anew for each release (Anatomy), registered
               with their group column
  m-invariance five months by `m-invariance`, m = 4; one in twenty people is replaced between two months

The binaries take turns. Only the standard library is needed.
"""

import argparse
import json
import random
import sys
import tempfile
from pathlib import Path

from harness import MIB, Spread, checked, run, table

# Complete records of Adult by occupation.
OCCUPATIONS = [6020, 6008, 5984, 5540, 5408, 4808, 2970, 2316, 2046, 1480, 1420, 976, 232, 14]
RELEASES, BUCKET, REPLACED = 5, 5, 1 / 20

OWNER = '[dataset]\nname = "people"\nowner = "id"\n[columns.id]\nrole = "identifier"\n'
VALUE = '[columns.illness]\nrole = "sensitive"\n[requirement]\nconfidence = 0.5\n'
INDEPENDENT = OWNER + VALUE
METHOD = (
    OWNER
    + '[columns.age]\ntype = "number"\n[columns.zip]\ntype = "number"\n'
    + VALUE
    + '[release]\nmethod = "m-invariance"\nseed = 1\n[release.options]\nm = 4\n'
)


def buckets(people, value, draw):
    """Takes one person of each of the values with most remaining people, until there are too few values."""
    left = [[] for _ in OCCUPATIONS]
    order = list(people)
    draw.shuffle(order)
    for person in order:
        left[value[person]].append(person)
    number = 0
    while len(values := [at for at, rest in enumerate(left) if rest]) >= BUCKET:
        draw.shuffle(values)
        values.sort(key=lambda at: -len(left[at]))
        yield from ((left[at].pop(), number) for at in values[:BUCKET])
        number += 1


def independent(binary, folder, people):
    draw = random.Random(7)
    value = draw.choices(range(len(OCCUPATIONS)), OCCUPATIONS, k=people)
    (folder / "reticent.toml").write_text(INDEPENDENT)
    for release in range(RELEASES):
        rows = list(buckets(range(people), value, draw))
        draw.shuffle(rows)
        lines = "".join(f"p{person},{bucket},v{value[person]}\n" for person, bucket in rows)
        (folder / "data.csv").write_text("id,bucket,illness\n" + lines)
        words = ["--name", f"r{release}", "--to", "public", "--date", f"2024-0{release + 1}-01", "--group-column", "bucket"]
        checked([*at(binary, "register", folder), folder / "data.csv", *words, "--new-ledger"])


def m_invariance(binary, folder, people):
    draw = random.Random(7)

    def random_person(number):
        value = draw.choices(range(len(OCCUPATIONS)), OCCUPATIONS)[0]
        return f"p{number},{draw.randrange(18, 90)},{draw.randrange(1000)},v{value}\n"

    (folder / "reticent.toml").write_text(METHOD)
    lines = [random_person(number) for number in range(people)]
    number = people
    for month in range(RELEASES):
        (folder / "data.csv").write_text("id,age,zip,illness\n" + "".join(lines))
        words = ["--name", f"m{month}", "-o", folder / f"m{month}", "--new-ledger"]
        checked([*at(binary, "publish", folder), folder / "data.csv", *words])
        for place in range(people):
            if draw.random() < REPLACED:
                lines[place] = random_person(number)
                number += 1


def at(binary, verb, folder):
    return [binary, "-q", verb, "--policy", folder / "reticent.toml"]


def comparable(text):
    """The answer without what depends on the version: fields that only one of them has."""
    answer = json.loads(text)
    for coalition in answer["coalitions"]:
        coalition["audit"].pop("populations", None)
    return json.dumps(answer)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binaries", nargs="+", metavar="BINARY")
    parser.add_argument("--people", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    binaries = [Path(binary).resolve() for binary in given.binaries]
    rows, equal = [], True
    for make in [independent, m_invariance]:
        with tempfile.TemporaryDirectory() as folder:
            make(binaries[0], Path(folder), given.people)
            runs = {binary: [] for binary in binaries}
            for _ in range(given.rounds):
                for binary in binaries:
                    runs[binary].append(run([*at(binary, "audit", Path(folder)), "--json"]))
        answers = {comparable(one.stdout) for several in runs.values() for one in several}
        equal &= len(answers) == 1
        for binary, several in runs.items():
            spread = lambda figure: Spread.of([figure(one) for one in several]).text("{:.1f}")  # noqa: E731
            figures = [spread(lambda one: one.seconds), spread(lambda one: one.cpu_seconds)]
            rows.append([make.__name__.replace("_", "-"), binary.name, *figures, spread(lambda one: one.peak_bytes / MIB)])
    table(["history", "binary", "wall s", "processor s", "peak MiB"], rows)
    print("All answers are equal." if equal else "The answers differ.")
    sys.exit(not equal)


if __name__ == "__main__":
    main()
