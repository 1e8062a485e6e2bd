"""Adult's records and variations of them, by a seed: `variations.py DATA COLUMNS VARIED ROWS SEED FILE`, with commas in lists.

The procedure of the KDD 2006 paper for more records, exactly as crates/reticent/examples/kdd2006/scaling.rs has it, so that both
make the same ones: after the 45,222 complete records come variations of them in turn, each with random values in two of the
columns that vary; every value of a column is as likely as any other. Writes the columns that are asked for, as a CSV file.
Runs in a process of its own, so that the memory numpy takes is not counted for the processes that are measured.
"""

import os
import sys
from pathlib import Path

import numpy
import polars

from adult_data import COLUMNS, PAPER_FILES, PAPER_RECORDS, complete

VARIED = 2
DRAWS = 2 * VARIED  # of each column that varies: which one, and its value
CHUNK = 250_000

GAMMA, FIRST, SECOND = (numpy.uint64(number) for number in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
HALF = numpy.uint64(32)


def coded(data):
    """By column: its different values in the order in which they occur, and the records as places in them."""
    records = complete(data, PAPER_FILES)
    if len(records) != PAPER_RECORDS:
        sys.exit(f"{len(records)} complete records, and {PAPER_RECORDS} were expected")
    columns = {}
    for name, cells in zip(COLUMNS, zip(*records)):
        values = list(dict.fromkeys(cells))
        place = {value: at for at, value in enumerate(values)}
        columns[name] = values, numpy.array([place[cell] for cell in cells], dtype=numpy.int64)
    return columns


def draws(seed, begin, end):
    """The random numbers that belong to these variations, a row each: SplitMix64, whose n-th number needs no other."""
    with numpy.errstate(over="ignore"):
        number = numpy.uint64(seed) + numpy.arange(begin * DRAWS + 1, end * DRAWS + 1, dtype=numpy.uint64) * GAMMA
        number = (number ^ (number >> numpy.uint64(30))) * FIRST
        number = (number ^ (number >> numpy.uint64(27))) * SECOND
    return (number ^ (number >> numpy.uint64(31))).reshape(-1, DRAWS)


def below(numbers, ends):
    """The highest 64 bits of the product, in halves, since 128 bits have no type; `ends` fit in a half."""
    ends = numpy.asarray(ends, dtype=numpy.uint64)
    low = (numbers & numpy.uint64(0xFFFFFFFF)) * ends >> HALF
    return ((numbers >> HALF) * ends + low >> HALF).astype(numpy.int64)


def vary(codes, columns, varied, numbers):
    """Puts random values into two different columns of every record."""
    sizes = numpy.array([len(columns[name][0]) for name in varied])
    left = numpy.tile(numpy.arange(len(varied)), (len(numbers), 1))
    every = numpy.arange(len(numbers))
    for turn in range(VARIED):
        last = len(varied) - 1 - turn
        place = below(numbers[:, 2 * turn], last + 1)
        chosen = left[every, place].copy()
        left[every, place] = left[:, last]
        value = below(numbers[:, 2 * turn + 1], sizes[chosen])
        for at, name in enumerate(varied):
            codes[name] = numpy.where(chosen == at, value, codes[name])


def chunk(columns, wanted, varied, seed, begin, end):
    """The records from `begin` to `end`, as a table."""
    rows = numpy.arange(begin, end)
    codes = {name: columns[name][1][rows % PAPER_RECORDS] for name in {*wanted, *varied}}
    if begin >= PAPER_RECORDS:
        vary(codes, columns, varied, draws(seed, begin - PAPER_RECORDS, end - PAPER_RECORDS))
    return polars.DataFrame({name: polars.Series(columns[name][0], dtype=polars.String).gather(codes[name]) for name in wanted})


def main(data, wanted, varied, rows, seed, file):
    columns, wanted, varied, rows = coded(Path(data)), wanted.split(","), varied.split(","), max(int(rows), PAPER_RECORDS)
    begins = [0, *range(PAPER_RECORDS, rows, CHUNK), rows]
    unfinished = Path(f"{file}.part")
    with open(unfinished, "wb") as out:
        for begin, end in zip(begins, begins[1:]):
            table = chunk(columns, wanted, varied, int(seed), begin, end)
            table.write_csv(out, include_header=begin == 0)
    os.replace(unfinished, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
