"""Reads the Parquet files of a ledger into memory: `ledger_peer.py duckdb|polars FOLDER...`. Answers with the seconds of reading.

Every column of every file, each file a table of its own, all kept until the end. Starting Python and importing the peer are left
out of the seconds, in the peer's favour; and the peers check no hash.
"""

import json
import sys
import time
from pathlib import Path


def with_duckdb(bodies):
    import duckdb

    connection = duckdb.connect()
    start = time.perf_counter()
    for number, body in enumerate(bodies):
        connection.execute(f"CREATE TABLE body{number} AS SELECT * FROM read_parquet({quoted(body)})")
    seconds = time.perf_counter() - start
    rows = sum(connection.execute(f"SELECT count(*) FROM body{number}").fetchone()[0] for number in range(len(bodies)))
    return seconds, rows, duckdb.__version__


def quoted(path):
    return "'" + str(path).replace("'", "''") + "'"


def with_polars(bodies):
    import polars

    start = time.perf_counter()
    tables = [polars.read_parquet(body) for body in bodies]
    seconds = time.perf_counter() - start
    return seconds, sum(table.height for table in tables), polars.__version__


PEERS = {"duckdb": with_duckdb, "polars": with_polars}

if __name__ == "__main__":
    seconds, rows, version = PEERS[sys.argv[1]]([file for folder in sys.argv[2:] for file in sorted(Path(folder).glob("*.parquet"))])
    print(json.dumps({"seconds": seconds, "rows": rows, "version": version}))
