"""Measures a table with pycanon: `pycanon_peer.py CSV SENSITIVE QUASI-IDENTIFIER...`. Answers with each measure and its seconds.

The table is loaded before the clock starts, and every measure is one call, in the peer's favour.
"""

import importlib.metadata
import json
import sys
import time

import pandas
from pycanon import anonymity


def timed(function, *arguments):
    start = time.perf_counter()
    value = function(*arguments)
    return {"value": value, "seconds": time.perf_counter() - start}


def main():
    file, sensitive, known = sys.argv[1], sys.argv[2], sys.argv[3:]
    table = pandas.read_csv(file, dtype=str, keep_default_na=False)
    measures = {
        "k": timed(anonymity.k_anonymity, table, known),
        "alpha": timed(lambda: anonymity.alpha_k_anonymity(table, known, [sensitive])[0]),
        "distinct": timed(anonymity.l_diversity, table, known, [sensitive]),
        "entropy": timed(anonymity.entropy_l_diversity, table, known, [sensitive]),
        "closeness": timed(anonymity.t_closeness, table, known, [sensitive]),
    }
    print(json.dumps({"version": importlib.metadata.version("pycanon"), "measures": measures}, default=float))


if __name__ == "__main__":
    main()
