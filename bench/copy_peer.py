"""Copies a CSV file as a peer does it best: `copy_peer.py duckdb|polars IN OUT`. Answers with the seconds of the copy alone, and its
processor seconds.

Starting Python and importing the peer are left out of the seconds, in the peer's favour.
"""

import json
import sys
import time


def with_duckdb(source, destination):
    import duckdb

    connection = duckdb.connect()
    start, cpu = time.perf_counter(), time.process_time()
    connection.execute(f"COPY (SELECT * FROM read_csv({quoted(source)})) TO {quoted(destination)} (FORMAT csv, HEADER)")
    return time.perf_counter() - start, time.process_time() - cpu, duckdb.__version__


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def with_polars(source, destination):
    import polars

    start, cpu = time.perf_counter(), time.process_time()
    polars.scan_csv(source).sink_csv(destination)
    return time.perf_counter() - start, time.process_time() - cpu, polars.__version__


PEERS = {"duckdb": with_duckdb, "polars": with_polars}

if __name__ == "__main__":
    seconds, cpu, version = PEERS[sys.argv[1]](sys.argv[2], sys.argv[3])
    print(json.dumps({"seconds": seconds, "cpu_seconds": cpu, "version": version}))
