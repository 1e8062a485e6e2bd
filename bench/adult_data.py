"""The Adult census data: the records without a missing value, 30,162 to train and 15,060 to test."""

import csv
import os
import sys
from pathlib import Path

from harness import PROJECT

# The columns of adult.data, in order; the last one is called `class` there.
COLUMNS = [
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship", "race", "sex",
    "capital-gain", "capital-loss", "hours-per-week", "native-country", "salary-class",
]  # fmt: skip

# The nine quasi-identifiers of ARX's Adult example.
NINE = [
    "sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation", "salary-class",
]  # fmt: skip

RECORDS = 30_162
# Those of both files, which the KDD 2006 paper uses.
PAPER_FILES, PAPER_RECORDS = ["adult.data", "adult.test"], 45_222


def source(files=("adult.data",)):
    """The folder with adult/ and taxonomies/. Without it there is nothing to measure, which is no failure."""
    given = os.environ.get("RETICENT_DATA")
    folder = Path(given) if given else PROJECT.parent / "shared" / "data"
    for name in files:
        if not (folder / "adult" / name).exists():
            print(f"The Adult data is not here (no adult/{name} in RETICENT_DATA or ../shared/data): this benchmark is skipped.")
            sys.exit(0)
    return folder.resolve()


def complete(folder, files):
    """The records without a missing value. In the test file the first line is a remark, and the others end in a full stop."""
    records = []
    for name in files:
        with open(folder / "adult" / name, newline="") as raw:
            cells = ([cell.strip().rstrip(".") for cell in record] for record in csv.reader(raw))
            records += [record for record in cells if len(record) == len(COLUMNS) and "?" not in record]
    return records


def write_table(file, columns):
    """Writes the complete training records, these columns only."""
    places = [COLUMNS.index(column) for column in columns]
    records = complete(source(), ["adult.data"])
    if len(records) != RECORDS:
        sys.exit(f"adult.data has {len(records)} complete records, and {RECORDS} were expected")
    with open(file, "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([record[place] for place in places] for record in records)
