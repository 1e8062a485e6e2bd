"""What the benchmarks share: running a process and measuring it, medians with their range, tables, and result lines.

Only the standard library, on purpose: see `run`.
"""

import argparse
import datetime
import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

BENCH = Path(__file__).resolve().parent
PROJECT = BENCH.parent
DATA = BENCH / "data"
RESULTS = BENCH / "results"
MIB = 1 << 20


@dataclass
class Run:
    """One finished process."""

    status: int
    seconds: float
    cpu_seconds: float
    peak_bytes: int
    stdout: str
    stderr: str


def run(command, seconds=None, memory=None):
    """Runs a process to its end; after so many seconds, or when it asks for more bytes of memory than this, it is killed.

    Peak memory is the kernel's `ru_maxrss` of that process alone. Linux lets a new process start from the figure of the
    one that started it, so a benchmark's main program must stay small: it never imports numpy, pandas and the like.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.perf_counter()
        bound = (lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory))) if memory else None
        process = subprocess.Popen([str(word) for word in command], stdout=out, stderr=err, preexec_fn=bound)
        clock = threading.Timer(seconds or 0, process.kill)
        if seconds:
            clock.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        clock.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode(errors="replace"))
    return Run(process.returncode, seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, *texts)


def checked(command, expected=(0,)):
    """Runs a process; another exit status than expected ends the benchmark with what the process said."""
    finished = run(command)
    if finished.status not in expected:
        sys.exit(f"{Path(str(command[0])).name} ended with status {finished.status}:\n{finished.stdout}{finished.stderr}")
    return finished


def answer(command, expected=(0,)):
    """Runs a process that answers in JSON."""
    finished = checked(command, expected)
    return finished, json.loads(finished.stdout)


def answers(command):
    """Runs a process that answers with a line of JSON for every measurement."""
    return [json.loads(line) for line in checked(command).stdout.splitlines()]


def reticent():
    """The binary to measure."""
    binary = Path(os.environ.get("RETICENT_BIN") or PROJECT / "target" / "release" / "reticent").resolve()
    if not binary.exists():
        sys.exit(f"there is no binary at {binary}; bench/run builds it, or set RETICENT_BIN")
    return binary


def example(name):
    """A measuring program that is built beside the crate it measures."""
    binary = PROJECT / "target" / "release" / "examples" / name
    if not binary.exists():
        sys.exit(f"there is no program at {binary}; bench/run builds it")
    return binary


def python(program, *arguments):
    """The command that runs one of our Python programs in a process of its own, in the same environment."""
    return [sys.executable, BENCH / program, *arguments]


def rotate(contenders, turn):
    """The same contenders, starting with another one each round, so that none always runs first."""
    turn %= len(contenders)
    return contenders[turn:] + contenders[:turn]


@dataclass
class Spread:
    """The median of several figures, with their range."""

    median: float
    low: float
    high: float

    @staticmethod
    def of(figures):
        return Spread(statistics.median(figures), min(figures), max(figures))

    def text(self, form="{:.2f}", unit=""):
        low, high = form.format(self.low), form.format(self.high)
        around = f" [{low} .. {high}]" if low != high else ""
        return form.format(self.median) + unit + around

    def json(self):
        return {"median": self.median, "low": self.low, "high": self.high}


def options(description, rounds, short_rounds):
    """The options that every benchmark has."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--short", action="store_true", help="a quick look: less data or fewer rounds")
    parser.add_argument("--rounds", type=positive, help=f"how often to repeat (default {rounds}; {short_rounds} with --short)")
    parser.set_defaults(default_rounds=(rounds, short_rounds))
    return parser


def parse(parser):
    """Reads the options, and fills in the number of rounds."""
    given = parser.parse_args()
    given.rounds = given.rounds or given.default_rounds[given.short]
    return given


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


def heading(title, *notes):
    print(f"\n{title}")
    print("=" * len(title))
    for note in notes:
        print(note)
    print(flush=True)


def table(head, rows):
    """Prints aligned columns; the first is left-aligned, figures are right-aligned."""
    lines = [head, *rows]
    widths = [max(len(line[at]) for line in lines) for at in range(len(head))]
    for number, line in enumerate(lines):
        cells = [cell.ljust(width) if at == 0 else cell.rjust(width) for at, (cell, width) in enumerate(zip(line, widths))]
        print("  ".join(cells).rstrip())
        if number == 0:
            print("  ".join("-" * width for width in widths))
    print(flush=True)


def target(text, met, exceptions=()):
    """Prints a target and whether it was met, and where it was not."""
    print(f"target: {text}: {'met' if met else 'NOT MET'}")
    for exception in exceptions:
        print(f"          not by {exception}")
    return {"target": text, "met": met, "exceptions": list(exceptions)}


def machine():
    """Where this ran."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    load = os.getloadavg()[0]
    return {"cores": cores, "system": platform.system(), "architecture": platform.machine(), "load": round(load, 2)}


def machine_text():
    here = machine()
    return f"{here['cores']} cores, {here['system']} {here['architecture']}, load {here['load']} at the start"


def record(benchmark, contender, **figures):
    """Adds one result line to results/BENCHMARK.jsonl."""
    RESULTS.mkdir(exist_ok=True)
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    line = {"benchmark": benchmark, "contender": contender, "time": now, "code": code(), "machine": machine(), **figures}
    with open(RESULTS / f"{benchmark}.jsonl", "a") as file:
        file.write(json.dumps(line) + "\n")


def code():
    """The commit that is measured, if git can tell."""
    told = subprocess.run(["git", "-C", str(PROJECT), "describe", "--always", "--dirty"], capture_output=True, text=True)
    return told.stdout.strip() or "unknown"


def fresh_folder(path):
    """An empty folder in place of what was there."""
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path


def fresh_ledger(folder):
    """The words that record a release in a ledger of its own, so that it is always the first one anybody gets."""
    ledger = folder / "ledger"
    shutil.rmtree(ledger, ignore_errors=True)
    return ["--ledger", ledger, "--new-ledger"]


def policy(name, columns, requirement, release):
    """The text of a reticent.toml: by column its settings, then the requirement and the release."""
    sections = [("dataset", {"name": name})]
    sections += [(f"columns.{json.dumps(column)}", settings) for column, settings in columns.items()]
    sections += [("requirement", requirement), ("release", release)]
    return "\n".join(f"[{section}]\n{settings_text(settings)}" for section, settings in sections)


def settings_text(settings):
    return "".join(f"{key} = {toml_value(value)}\n" for key, value in settings.items())


def toml_value(value):
    """Strings, numbers and booleans are written alike in JSON and in TOML."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {toml_value(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    return json.dumps(value)
