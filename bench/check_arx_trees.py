"""Whether arx_trees.py are the trees that ARX's reported figures were made with: judges every node of their lattice.

Not a benchmark, and shares no code with Reticent. Run by hand, a minute or less: bench/.venv/bin/python bench/check_arx_trees.py
"""

import csv
import itertools

import numpy

import arx_trees
from adult_data import NINE, RECORDS, source, write_table
from bench_adult import K, REPORTED, ROUNDING
from harness import DATA


def levels(column, values):
    """By level: the codes of the records, and the penalty of each record's cell."""
    path_of = {path[0]: path for path in arx_trees.paths(column)}
    leaves = arx_trees.leaves_below(column)
    found = []
    for level in range(arx_trees.LEVELS[column]):
        nodes = [path_of[value][level] for value in values]
        codes = {node: code for code, node in enumerate(sorted(set(nodes)))}
        penalty = [(leaves[node] - 1) / (leaves[arx_trees.ROOT] - 1) for node in nodes]
        found.append((numpy.array([codes[node] for node in nodes]), numpy.array(penalty)))
    return found


def judge(node):
    """Classes, suppressed records and GCP at one node: one (codes, penalty) for each column."""
    keys = numpy.zeros(RECORDS, dtype=numpy.int64)
    for codes, _ in node:
        keys = keys * (codes.max() + 1) + codes
    _, members, sizes = numpy.unique(keys, return_inverse=True, return_counts=True)
    kept = sizes[members] >= K
    suppressed = RECORDS - int(kept.sum())
    penalty = sum(penalty for _, penalty in node) / len(node)
    return int((sizes >= K).sum()), suppressed, (penalty[kept].sum() + suppressed) / RECORDS


def main():
    source()
    DATA.mkdir(exist_ok=True)
    write_table(DATA / "check.csv", NINE)
    with open(DATA / "check.csv", newline="") as text:
        rows = list(csv.DictReader(text))
    ladders = [levels(column, [row[column] for row in rows]) for column in NINE]
    judged = [judge(node) for node in itertools.product(*ladders)]
    print(f"{len(judged):,} nodes")
    for limit, (classes, gcp, _) in REPORTED.items():
        best = min((node for node in judged if node[1] <= limit * RECORDS), key=lambda node: node[2])
        same = best[0] == classes and abs(best[2] - gcp) <= ROUNDING
        print(f"up to {limit:.0%} suppressed: {best[0]} classes, {best[1]} suppressed, GCP {best[2]:.4f}; "
              f"reported of ARX {classes}, {gcp:.3f}: {'the same' if same else 'DIFFERENT'}")  # fmt: skip


if __name__ == "__main__":
    main()
