"""Reads the Parquet files of a ledger into memory: `ledger_peer.py duckdb|polars FOLDER...`. Answers with the seconds of reading.

Every column of every file, the files of a folder in one call, which is twice as fast for both as file by file. Starting Python and
importing the peer are left out of the seconds, in the peer's favour; and the peers check no hash.
"""

import json
import sys
import time
from pathlib import Path


def with_duckdb(folders):
    import duckdb

    connection = duckdb.connect()
    start = time.perf_counter()
    for number, files in enumerate(folders):
        connection.execute(f"CREATE TABLE folder{number} AS SELECT * FROM read_parquet({files})")
    seconds = time.perf_counter() - start
    rows = sum(connection.execute(f"SELECT count(*) FROM folder{number}").fetchone()[0] for number in range(len(folders)))
    return seconds, rows, duckdb.__version__


def with_polars(folders):
    import polars

    start = time.perf_counter()
    tables = [polars.read_parquet(files) for files in folders]
    seconds = time.perf_counter() - start
    return seconds, sum(table.height for table in tables), polars.__version__


PEERS = {"duckdb": with_duckdb, "polars": with_polars}

if __name__ == "__main__":
    found = [sorted(str(file) for file in Path(folder).glob("*.parquet")) for folder in sys.argv[2:]]
    seconds, rows, version = PEERS[sys.argv[1]]([files for files in found if files])
    print(json.dumps({"seconds": seconds, "rows": rows, "version": version}))
