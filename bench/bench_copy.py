"""What a verified release costs, against copying the same file.

A census-like table (census.py): 10 million rows, eight categorical columns of 2 to 41 values, occupation sensitive and the
others quasi-identifiers with small trees; k = 5, the default algorithm. Contenders, each in a process of its own, in turns:

  duckdb    COPY (SELECT * FROM read_csv(IN)) TO OUT, the call alone
  polars    scan_csv(IN).sink_csv(OUT), streaming, the call alone
  reticent  publish IN to OUT, the whole process: reading, counting, searching, writing, verifying the written bytes, and
            recording the release in a new ledger

Ratios are taken within each round, between neighbours in time; their median and range are reported.
"""

import hashlib
import os
import sys

import arx_trees
from harness import (
    BENCH, DATA, MIB, Spread, answer, fresh_ledger, heading, machine_text, options, parse, policy, positive, python, record, reticent,
    rotate, run, table, target,
)  # fmt: skip

K = 5
ROWS, SHORT_ROWS = 10_000_000, 1_000_000
MOST_TIMES, MOST_MEMORY = 3.0, 2048 * MIB
CONTENDERS = ["duckdb", "polars", "reticent"]
PARTS = ["read", "search", "write", "verify", "measure", "record"]

SENSITIVE = "occupation"
QUASI_IDENTIFIERS = ["sex", "race", "workclass", "relationship", "marital-status", "education", "native-country"]
RELATIONSHIP = {
    "In a family": ["Husband", "Wife", "Own-child", "Other-relative"],
    "Not in a family": ["Not-in-family", "Unmarried"],
}


def main():
    parser = options(__doc__.splitlines()[0], rounds=5, short_rounds=3)
    parser.add_argument("--rows", type=positive, help=f"rows of the table (default {ROWS:,}; {SHORT_ROWS:,} with --short)")
    given = parse(parser)
    rows = given.rows or (SHORT_ROWS if given.short else ROWS)
    folder = DATA / "copy"
    data = prepare(folder, rows)
    heading(
        "Copy: a verified release against copying the file",
        f"{rows:,} rows, {data.stat().st_size / MIB:,.0f} MiB, k = {K}; {machine_text()}; {given.rounds} rounds, median [range].",
    )
    warm(data)
    rounds = [one_round(folder, data, turn) for turn in range(given.rounds)]
    tell(rows, rounds)


def prepare(folder, rows):
    """The table (kept between runs until its generator changes), its trees and its policy."""
    folder.mkdir(parents=True, exist_ok=True)
    generator = hashlib.sha256((BENCH / "census.py").read_bytes()).hexdigest()[:8]
    data = folder / f"census-{rows}-{generator}.csv"
    if not data.exists():
        print(f"making {rows:,} rows, once ...", flush=True)
        made = run(python("census.py", rows, data))
        if made.status != 0:
            sys.exit(made.stderr)
    columns = {SENSITIVE: {"role": "sensitive"}}
    for column in QUASI_IDENTIFIERS:
        write_tree(column, folder / f"{column}.csv")
        columns[column] = {"taxonomy": f"{column}.csv"}
    (folder / "reticent.toml").write_text(policy("census", columns, {"k": K}, {"seed": 1}))
    return data


def write_tree(column, file):
    if column == "relationship":
        paths = arx_trees.below(RELATIONSHIP, [arx_trees.ROOT])
        file.write_text("".join(";".join(path) + "\n" for path in paths))
    else:
        arx_trees.write(column, file)


def warm(data):
    """Reads the file once, so that the first contender does not pay for the disk."""
    with open(data, "rb") as file:
        while file.read(8 * MIB):
            pass


def one_round(folder, data, turn):
    """Every contender once; what it wrote is flushed and removed before the next one starts."""
    figures = {}
    for contender in rotate(CONTENDERS, turn):
        output = folder / f"out-{contender}.csv"
        output.unlink(missing_ok=True)
        ledger = fresh_ledger(folder)
        os.sync()
        if contender == "reticent":
            figures[contender] = publish(folder, data, ledger, output)
        else:
            figures[contender] = copy(contender, data, output)
        output.unlink()
    return figures


def copy(peer, data, output):
    finished, told = answer(python("copy_peer.py", peer, data, output))
    if output.stat().st_size != data.stat().st_size:
        sys.exit(f"{peer} did not write what it read: {output.stat().st_size:,} bytes of {data.stat().st_size:,}")
    return {"seconds": told["seconds"], "cpu": told["cpu_seconds"], "peak": finished.peak_bytes, "version": told["version"]}


def publish(folder, data, ledger, output):
    words = ["publish", data, "--policy", folder / "reticent.toml", *ledger, "--name", "bench", "--output", output]
    finished, told = answer([reticent(), *words, "--json", "--quiet"])
    return {"seconds": finished.seconds, "peak": finished.peak_bytes, "told": told}


def tell(rows, rounds):
    seconds = {contender: Spread.of([figures[contender]["seconds"] for figures in rounds]) for contender in CONTENDERS}
    peak = {contender: max(figures[contender]["peak"] for figures in rounds) for contender in CONTENDERS}
    ratio = {
        peer: Spread.of([figures["reticent"]["seconds"] / figures[peer]["seconds"] for figures in rounds])
        for peer in CONTENDERS[:-1]
    }
    lines = []
    for contender in CONTENDERS:
        version = rounds[0][contender].get("version", "")
        times = ratio[contender].text("{:.2f}", "x") if contender in ratio else "-"
        lines.append([f"{contender} {version}".strip(), seconds[contender].text(), f"{peak[contender] / MIB:,.0f}", times])
        record("copy", contender, rows=rows, version=version, seconds=seconds[contender].json(), peak_bytes=peak[contender])
    table(["contender", "wall s", "peak memory MiB", "reticent takes"], lines)
    parts = tell_parts(seconds["reticent"], rounds)
    told = rounds[-1]["reticent"]["told"]
    print(f"{told['algorithm']}: {told['classes']:,} classes, {told['suppressed']:,} records suppressed.\n")
    if rows != ROWS:
        print(f"The targets are meant for {ROWS:,} rows.")
    targets = [
        target(f"at most {MOST_TIMES:g} times the wall time of DuckDB", ratio["duckdb"].median <= MOST_TIMES),
        target(f"at most {MOST_TIMES:g} times the wall time of Polars", ratio["polars"].median <= MOST_TIMES),
        target(f"at most {MOST_MEMORY / MIB:,.0f} MiB at the peak", peak["reticent"] <= MOST_MEMORY),
    ]
    ratios = {peer: spread.json() for peer, spread in ratio.items()}
    record("copy", "targets", rows=rows, ratio=ratios, parts=parts, targets=targets)


def tell_parts(whole, rounds):
    """Where Reticent's time went; what no part claims is starting, reading the policy, and making and opening the ledger."""
    parts = {part: Spread.of([figures["reticent"]["told"]["seconds"][part] for figures in rounds]) for part in PARTS}
    rest = [figures["reticent"]["seconds"] - sum(figures["reticent"]["told"]["seconds"].values()) for figures in rounds]
    parts["rest"] = Spread.of(rest)
    lines = [[part, spread.text(), f"{spread.median / whole.median:.0%}"] for part, spread in parts.items()]
    table(["reticent's part", "s", "share"], lines)
    return {part: spread.json() for part, spread in parts.items()}


if __name__ == "__main__":
    main()
