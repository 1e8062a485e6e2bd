"""The Python package against the command: a plan and its publication from a polars frame, and `publish` of the same Parquet file.

A census-like table (census.py) of 10 million rows and eight columns, as in the benchmark `copy`, k = 5. Contenders, each in a process
of its own, in turns:

  command   `reticent publish IN.parquet` to Parquet, the whole process
  python    reads the frame with polars first; then `ledger.plan(frame, policy)` and `plan.publish(...)` to Parquet, the calls alone

Peak memory of `python` is compared with that of a process that only reads the frame: the difference is what the calls need.
"""

import sys

from bench_copy import K, ROWS, SHORT_ROWS, prepare
from harness import (
    DATA, MIB, Spread, answer, fresh_folder, fresh_ledger, heading, machine_text, options, parse, positive, python, record, reticent,
    rotate, run, table, target,
)  # fmt: skip

MOST_TIMES = 1.2
CONTENDERS = ["command", "python"]


def main():
    parser = options(__doc__.splitlines()[0], rounds=5, short_rounds=3)
    parser.add_argument("--rows", type=positive, help=f"rows of the table (default {ROWS:,}; {SHORT_ROWS:,} with --short)")
    given = parse(parser)
    rows = given.rows or (SHORT_ROWS if given.short else ROWS)
    folder = DATA / "copy"
    data = as_parquet(prepare(folder, rows))
    heading(
        "Python: a plan and its publication against the command",
        f"{rows:,} rows, {data.stat().st_size / MIB:,.0f} MiB of Parquet, k = {K}; {machine_text()}; {given.rounds} rounds, "
        "median [range].",
    )
    rounds = [one_round(folder, data, turn) for turn in range(given.rounds)]
    frame = peer("frame", data, folder)
    report(rows, rounds, frame)


def as_parquet(data):
    file = data.with_suffix(".parquet")
    if not file.exists():
        made = run(python("python_peer.py", "convert", data, file))
        if made.status != 0:
            sys.exit(made.stderr)
    return file


def one_round(folder, data, turn):
    figures = {}
    for contender in rotate(CONTENDERS, turn):
        output = folder / f"out-{contender}.parquet"
        output.unlink(missing_ok=True)
        if contender == "command":
            words = ["publish", data, "--policy", folder / "reticent.toml", *fresh_ledger(folder), "--name", "bench", "--output", output]
            finished, told = answer([reticent(), *words, "--json", "--quiet"])
            hashed = told["recorded"]["sha256"]
            figures[contender] = {"seconds": finished.seconds, "cpu": finished.cpu_seconds, "peak": finished.peak_bytes, "hash": hashed}
        else:
            figures[contender] = peer("publish", data, folder, output)
        output.unlink()
    if figures["command"]["hash"] != figures["python"]["hash"]:
        sys.exit("the releases of the command and of Python differ")
    return figures


def peer(what, data, folder, *output):
    place = fresh_folder(folder / "python")
    finished, told = answer(python("python_peer.py", what, data, folder / "reticent.toml", place, *output))
    return told | {"peak": finished.peak_bytes}


def report(rows, rounds, frame):
    seconds = {contender: Spread.of([figures[contender]["seconds"] for figures in rounds]) for contender in CONTENDERS}
    cpu = {contender: Spread.of([figures[contender]["cpu"] for figures in rounds]) for contender in CONTENDERS}
    peak = {contender: max(figures[contender]["peak"] for figures in rounds) for contender in CONTENDERS}
    ratio = Spread.of([figures["python"]["seconds"] / figures["command"]["seconds"] for figures in rounds])
    lines = [
        [contender, seconds[contender].text(), cpu[contender].text(), f"{peak[contender] / MIB:,.0f}"] for contender in CONTENDERS
    ]
    lines.append(["the frame alone", "-", "-", f"{frame['peak'] / MIB:,.0f}"])
    table(["contender", "wall s", "CPU s", "peak memory MiB"], lines)
    plans = Spread.of([figures["python"]["plan"] for figures in rounds])
    extra = peak["python"] - frame["peak"]
    print(f"python takes {ratio.text('{:.2f}', 'x')} the wall time of the command; the plan alone takes {plans.text()} s.")
    print(f"The calls need {extra / MIB:,.0f} MiB beside the frame, which has {frame['bytes'] / MIB:,.0f} MiB.\n")
    for contender in CONTENDERS:
        figures = {"seconds": seconds[contender].json(), "cpu": cpu[contender].json(), "peak_bytes": peak[contender]}
        record("python", contender, rows=rows, **figures)
    targets = [
        target(f"at most {MOST_TIMES:g} times the wall time of the command", ratio.median <= MOST_TIMES),
        target("no second copy of the frame in memory", extra < frame["bytes"]),
    ]
    record("python", "targets", rows=rows, ratio=ratio.json(), extra_bytes=extra, frame_bytes=frame["bytes"], targets=targets)


if __name__ == "__main__":
    main()
