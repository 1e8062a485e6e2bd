"""Makes the tables of bench_again.py, in a process of its own: the benchmark itself must stay small (harness.run).

  again_data.py adult FILE COLUMNS ROWS SEED              so many records of Adult; drawn with replacement when they are more
  again_data.py months FOLDER COLUMNS ROWS CHURN MONTHS SEED    one file a month of records of Adult: some go, others come
  again_data.py sofar FOLDER COLUMNS ROWS CHURN MONTHS SEED     the same people, and nobody goes
  again_data.py people FOLDER ROWS CHURN MONTHS SEED      one file a month of generated people: some go, others come

Every record has an owner: a number in the order of coming. CHURN is in percent of the people of a month.
"""

import random
import sys
from pathlib import Path

from adult_data import COLUMNS, RECORDS, complete, source

AGES, ZIPS, ILLNESSES = 80, 500, 50


def records(columns, seed):
    """The complete records of Adult in a drawn order, as lines without an owner."""
    places = [COLUMNS.index(column) for column in columns]
    lines = [",".join(record[place] for place in places) for record in complete(source(), ["adult.data"])]
    if len(lines) != RECORDS:
        sys.exit(f"adult.data has {len(lines)} complete records, and {RECORDS} were expected")
    random.Random(seed).shuffle(lines)
    return lines


def write(file, columns, people):
    """People are pairs of a number and a line."""
    with open(file, "w") as out:
        out.write(",".join(["person", *columns]) + "\n")
        out.writelines(f"p{number},{line}\n" for number, line in people)


def adult(file, columns, rows, seed):
    columns = columns.split(",")
    lines = records(columns, seed)
    drawn = random.Random(seed)
    more = (drawn.choice(lines) for _ in range(max(0, int(rows) - len(lines))))
    write(file, columns, enumerate([*lines[: int(rows)], *more]))


def monthly(folder, columns, rows, churn, months, newcomer, seed, leave=True):
    """One file a month. Who goes is drawn; who comes takes their line, so that a place in the file tells nothing about them."""
    drawn = random.Random(seed)
    here = [(number, newcomer()) for number in range(rows)]
    coming = rows
    for month in range(1, months + 1):
        write(Path(folder) / f"month-{month:02}.csv", columns, here)
        for place in drawn.sample(range(rows), rows * churn // 100):
            if leave:
                here[place] = (coming, newcomer())
            else:
                here.append((coming, newcomer()))
            coming += 1


def months(folder, columns, rows, churn, count, seed, leave=True):
    columns = columns.split(",")
    lines = iter(records(columns, seed))
    monthly(folder, columns, int(rows), int(churn), int(count), lambda: next(lines), seed, leave)


def people(folder, rows, churn, count, seed):
    uniform = random.Random(seed).random

    def below(values):
        return int(uniform() * values)

    def newcomer():
        # The smaller of two draws: uneven, as illnesses are.
        illness = min(below(ILLNESSES), below(ILLNESSES))
        return f"{18 + below(AGES)},z{below(ZIPS):03},{'fm'[below(2)]},i{illness:02}"

    monthly(folder, ["age", "zip", "sex", "illness"], int(rows), int(churn), int(count), newcomer, seed)


def main():
    what, *given = sys.argv[1:]
    made = {"adult": adult, "months": months, "sofar": lambda *given: months(*given, leave=False), "people": people}
    made[what](*given)


if __name__ == "__main__":
    main()
