"""A sensitive column in every release: what the next release costs, against copying the file.

The census-like table of the copy benchmark, a million rows. Every earlier release has three quasi-identifiers and occupation, the
sensitive column, and was published by itself. The next release has four quasi-identifiers and occupation; k = 5, confidence 0.8, no
owner links, so that the joins decide. Ratios are of processor time, to that of a DuckDB copy of the same file in the same round.
"""

import os
import sys

from bench_copy import QUASI_IDENTIFIERS, SENSITIVE, copy, prepare, warm
from harness import DATA, MIB, Spread, fresh_folder, heading, machine_text, options, parse, policy, positive, record, reticent, run, table, target

ROWS, SHORT_ROWS = 1_000_000, 100_000
EARLIER = [1, 2, 4, 8]
MOST_TIMES, MOST_MEMORY = 15.0, 1024 * MIB
REQUIREMENT = {"k": 5, "confidence": 0.8}


def main():
    parser = options(__doc__.splitlines()[0], rounds=3, short_rounds=1)
    parser.add_argument("--rows", type=positive, help=f"rows of the table (default {ROWS:,}; {SHORT_ROWS:,} with --short)")
    given = parse(parser)
    rows = given.rows or (SHORT_ROWS if given.short else ROWS)
    folder = DATA / "copy"
    data = prepare(folder, rows)
    columns = {SENSITIVE: {"role": "sensitive"}}
    columns |= {column: {"taxonomy": f"{column}.csv"} for column in QUASI_IDENTIFIERS}
    described = folder / "repeated.toml"
    described.write_text(policy("census", columns, REQUIREMENT, {"seed": 1}))
    heading(
        "Repeated: a sensitive column in every release",
        f"{rows:,} rows, {REQUIREMENT}; {machine_text()}; {given.rounds} rounds, median [range].",
    )
    warm(data)
    histories = {earlier: history(folder, data, described, earlier) for earlier in EARLIER}
    found = {earlier: [] for earlier in EARLIER}
    for _ in range(given.rounds):
        output = folder / "out-repeated.csv"
        output.unlink(missing_ok=True)
        copied = copy("duckdb", data, output)
        output.unlink()
        for earlier, words in histories.items():
            found[earlier].append(publish(data, words, output) | {"copy": copied["cpu"]})
    tell(rows, found)


def history(folder, data, described, earlier):
    """Releases that were made without looking at each other. Returns the words that name the policy and their ledger."""
    place = fresh_folder(folder / f"repeated-{earlier}")
    words = ["--policy", described, "--ledger", place / "ledger", "--key", place / "key"]
    for number in range(1, earlier + 1):
        columns = [QUASI_IDENTIFIERS[(number + at) % len(QUASI_IDENTIFIERS)] for at in (0, 1, 3)]
        columns = ",".join([*columns, SENSITIVE])
        given = ["--name", f"r{number}", "--columns", columns, "--ignore-history", "--new-ledger", "-o", place / f"{number}.csv", "--quiet"]
        made = run([reticent(), "publish", data, *words, *given])
        if made.status != 0:
            sys.exit(made.stderr)
    return words


def publish(data, words, output):
    os.sync()
    columns = ",".join([*QUASI_IDENTIFIERS[:3], QUASI_IDENTIFIERS[5], SENSITIVE])
    given = ["--name", "next", "--columns", columns, "--dry-run", "-o", output, "--quiet"]
    finished = run([reticent(), "publish", data, *words, *given], seconds=600)
    if finished.status not in (-9, 0, 1):
        sys.exit(finished.stderr)
    ended = {0: "published", 1: "refused", -9: "stopped"}[finished.status]
    return {"cpu": finished.cpu_seconds, "peak": finished.peak_bytes, "ended": ended}


def tell(rows, found):
    lines, most = [], {}
    for earlier, runs in found.items():
        ratio = Spread.of([one["cpu"] / one["copy"] for one in runs])
        cpu, peak = Spread.of([one["cpu"] for one in runs]), max(one["peak"] for one in runs)
        most[earlier] = (ratio.median, peak)
        lines.append([str(earlier), runs[-1]["ended"], cpu.text(), ratio.text("{:.1f}", "x"), f"{peak / MIB:,.0f}"])
        record("repeated", f"{earlier} earlier", rows=rows, cpu=cpu.json(), ratio=ratio.json(), peak_bytes=peak, ended=runs[-1]["ended"])
    table(["earlier releases", "the next is", "CPU s", "of a copy's CPU", "peak memory MiB"], lines)
    last = EARLIER[-1]
    targets = [
        target(f"{last} earlier releases: at most {MOST_TIMES:g} times the CPU of the copy", most[last][0] <= MOST_TIMES),
        target(f"{last} earlier releases: at most {MOST_MEMORY / MIB:,.0f} MiB", most[last][1] <= MOST_MEMORY),
    ]
    record("repeated", "targets", rows=rows, targets=targets)


if __name__ == "__main__":
    main()
