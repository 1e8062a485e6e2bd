#!/usr/bin/env python3
"""Compare the behaviour of two `reticent` binaries: exit statuses, answers, files and ledgers.

  bench/compare_behaviour.py OLD NEW [--strict] [--only TEXT] [--keep DIR]

Every scenario runs the same commands with both binaries, each in a scratch folder of its own. A difference is fatal (exit
status 1), except in the texts of errors: those are listed under "texts that differ" and are fatal only with --strict.
Both folders get the same key and every policy has a seed, so releases must be identical byte for byte. Masked are only
times, the date of today, seconds, hashes of ledger entries, ledger ids, signatures of heads, scratch folder names and the
last digits of `prosecutor_average`; in `demo`, which draws a key of its own, also the key and the owner links.
"""

import argparse
import difflib
import fcntl
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
KEY = "reticent-key-1 " + "5e" * 32 + "\n"
SECONDS_LIMIT = 120
LINES_SHOWN = 12


# Steps: a step is a `Run`, or a function that changes the scratch folder.

# `status`: the exit status to expect from OLD; `lock`: a file to lock while the command runs
Run = namedtuple("Run", "words status lock", defaults=(None, None))
# `inputs`: a folder to copy first; `draws_key`: the commands draw a key, which then differs between the two sides
Scenario = namedtuple("Scenario", "name steps inputs draws_key", defaults=(None, False))
Result = namedtuple("Result", "call expected status out err")


def write(name, content):
    def step(folder):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return step


def edit(name, change):
    return lambda folder: (folder / name).write_bytes(change((folder / name).read_bytes()))


def chmod(name, mode):
    return lambda folder: (folder / name).chmod(mode)


def write_key(name, content):
    return [write(name, content), chmod(name, 0o600)]


def runs(calls):
    """One `Run` for each call, separated by `|` or line ends. A leading number is the status to expect; `~` is a space."""
    found = []
    for words in filter(None, (call.split() for call in re.split(r"[|\n]", calls))):
        status = int(words.pop(0)) if words[0].isdigit() else None
        found.append(Run([word.replace("~", " ") for word in words], status))
    return found


def both(name, steps, inputs=None):
    """The steps as a scenario, then once more with --json."""
    yield Scenario(name, steps, inputs)
    steps = [Run([*step.words, "--json"], *step[1:]) if isinstance(step, Run) else step for step in steps]
    yield Scenario(name + " --json", steps, inputs)


def page_steps(page):
    """The commands and files of a page, by the conventions of crates/reticent-cli/tests/it/pages.rs."""
    steps = []
    for head, body in re.findall(r"^```(.*)\n((?:(?!```).*\n)*)```", page, re.MULTILINE):
        match head.split():
            case ["sh", word] if word.startswith("file="):
                steps.append(write(word.removeprefix("file="), body))
            case ["sh", word] if word.startswith("replace="):
                old, new = body.rstrip().encode().split(b"\n", 1)
                steps.append(edit(word.removeprefix("replace="), lambda text, old=old, new=new: text.replace(old, new)))
            case ["sh", "run", *rest]:
                status = int(rest[0].removeprefix("status=")) if rest else 0
                steps.append(Run(body.split()[1:], status))
            case ["text", "prints"] | ["toml"]:
                pass
            case other:
                sys.exit(f"a page has a block that cannot be run: {other}")
    return steps


# Inputs: a generated clinic with people who come and go.

CITIES = "Paris;France;*\nLyon;France;*\nOslo;Norway;*\nBergen;Norway;*\n"
COLUMNS = """dataset = { name = "clinic", owner = "patient" }
[columns]
patient = { role = "identifier" }
age = { type = "number" }
sex = {}
city = { taxonomy = "city.csv" }
illness = { role = "sensitive" }
"""
POLICY = COLUMNS + "[requirement]\nk = 3\nconfidence = 0.8\n[release]\nseed = 11\n"


def month(number, leave=True, pay=False):
    """The table of a month: 12 more people each month; with `leave`, one in seven is absent, others each month."""
    rows = ["patient,age,sex,city,illness" + ",pay" * pay]
    for person in range(36 + 12 * number):
        draw = random.Random(person)
        row = [f"p{person}", str(draw.randint(20, 79)), draw.choice("FM"), draw.choice(["Paris", "Lyon", "Oslo", "Bergen"]),
               ["asthma", "colic", "flu", "gout", "ulcer"][person % 5], ["fair", "high", "low", "poor"][person // 3 % 4]]
        if not leave or person % 7 != number:
            rows.append(",".join(row[:6 if pay else 5]))
    return "\n".join(rows) + "\n"


CLINIC = [write("city.csv", CITIES), write("people.csv", month(1)), write("reticent.toml", POLICY)]
GROUPED = "patient,group,illness\n" + "".join(
    f"p{person},{person // 3},{['asthma', 'colic', 'flu', 'gout', 'ulcer'][person % 5]}\n" for person in range(12))
ELSEWHERE = "who,age,city,zip,illness\n" + "".join(
    f"Ann{row},20-29,France,476**,flu\nBob{row},>=40,Oslo,4767*,gout\nCid{row},[30;40),*,47677,\n" for row in range(3))


# Scenarios.

def demo():
    calls = "0 demo | 0 demo --json | 0 demo --keep kept | 3 demo --keep kept | 3 demo --keep kept --json"
    yield Scenario("demo", runs(calls), draws_key=True)


def verbs(data, first, second, who):
    return runs(f"""
        log | show {first} | show {second} | show 1 | diff {first} {second} | diff {second} {first}
        history for {who} | history for stranger | verify | export-head | export-head -o head.json | verify --head head.json
        audit | audit --attack all | audit --adversary quasi-identifiers --effort 1 | audit --per-person --worst 2
        audit --adversary algorithm --population {data} | audit --samples 200 --seed 3 --effort 1
        audit --confidence 0.9 --for {who} | audit --html report.html | audit --html public.html --public
        check | check {data} --witnesses 1 | compare {data} --k 3,4 --confidence 0.7,0.9 --ignore-history
        purge {first} --reason a~request | purge {first} --reason a~request --yes
        log | show {first} | verify --head head.json | audit""")


def pages():
    """The tutorial and the examples, each followed by verbs on what they published; plain, then with --json."""
    tutorial = page_steps((PROJECT / "docs/tutorial.md").read_text())
    tutorial += verbs("people.csv", "spring", "summer", "public") + runs("""
        log --policy monthly.toml | diff may june --policy monthly.toml | show june --policy monthly.toml
        audit --policy monthly.toml --attack all
        publish people.csv --name next -o next.csv --dry-run --k 3 --confidence 0.9 --ignore-history
        register spring.csv --name copy --to press --date 2024-02-03
        register summer.csv --name sketch --to press --date 2024-02-03 --dry-run""")
    yield from both("tutorial", tutorial)
    for name, follow in [("immigration-then-taxation", verbs("residents.csv", "immigration", "taxation", "tax-office")),
                         ("monthly-hospital", verbs("december.csv", "january", "december", "public"))]:
        folder = PROJECT / "examples" / name
        yield from both(name, page_steps((folder / "README.md").read_text()) + follow, folder)


def clinic(kinds):
    """Verbs on a generated table: recipients, formats, what-if, register, purge, init, catalogue, schema."""
    calls = """
        0 init people.csv --policy drafted/reticent.toml | 1 check people.csv --policy drafted/reticent.toml --witnesses 2
        0 publish people.csv --name one --to Press -o one.csv --new-ledger
        0 publish people.csv --name two --to press -o two.csv --columns age,sex
        0 publish people.csv --name three --to ministry -o three.parquet --columns sex,city --ignore-history
        0 publish people.csv --name four --to bank -o four.csv.gz --columns city --ignore-history --threads 1
        0 publish people.csv --name five --to bank -o five.csv.zst --columns age --ignore-history
        publish people.csv --name six -o six.csv --dry-run --k 4 --confidence 0.9
        0 publish people.csv --name six -o six.csv --dry-run --k 4 --confidence 0.9 --ignore-history
        0 compare people.csv --k 2,5 --confidence 0.6,0.9 --algorithm top-down-specialization,optimal-full-domain --ignore-history
        0 compare people.csv --columns age,sex --columns sex,city,illness
        2 register elsewhere.csv --name old --to public --date 2020-05-01
        0 register elsewhere.csv --name old --to public --date 2020-05-01 --identifier who --dry-run
        0 register elsewhere.csv --name old --to public --date 2020-05-01 --identifier who
        0 register grouped.csv --name grouped --to press --date 2021-05-01 --group-column group
        audit --background knows.txt | audit --column illness --confidence 0.5 --for press
        audit --attack minimality --attack-parameter values=flu=0.6 --population people.csv
        history for press,ministry | publish people.csv --name seven --to press -o seven.csv --columns sex
        0 schema | 0 catalogue | 0 catalogue --markdown | 0 catalogue m-invariance
        """ + " | ".join(f"0 catalogue --kind {kind}" for kind in kinds)
    inputs = write_key("drafted/reticent.key", KEY) + [
        write("elsewhere.csv", ELSEWHERE), write("grouped.csv", GROUPED), write("knows.txt", '"p1" has illness = colic\n')]
    yield from both("clinic", CLINIC + inputs + runs(calls) + verbs("people.csv", "one", "two", "press"))


def algorithms(ids):
    """One release by every algorithm: with a history as a dry run, then judged alone; and two kinds of suppression."""
    lines = "0 publish people.csv --name first --columns age,sex,illness -o first.csv --new-ledger\n"
    for name in ids:
        lines += f"publish people.csv --name a-{name} -o {name}.csv --algorithm {name} --columns age,city --dry-run\n"
        lines += f"publish people.csv --name a-{name} -o {name}.csv --algorithm {name} --ignore-history\n"
    policies = []
    for how in ("records", "cells"):
        text = POLICY.replace("seed = 11", f'seed = 11\nsuppression = 0.2\nsuppress = "{how}"')
        policies.append(write(f"{how}.toml", text.replace("k = 3", "k = 6")))
        lines += f"0 publish people.csv --name by-{how} -o {how}.csv --ignore-history --policy {how}.toml\n"
    yield from both("algorithms", CLINIC + policies + runs(lines))


MODELS = {
    "k-anonymity": "k = 4", "xy-anonymity": 'x = ["age", "city"]\ny = ["illness"]\nk = 2',
    "xy-linkability": 'x = ["age", "city"]\ny = ["illness"]\nh = 0.6', "confidence-bounding": "h = 0.9\nvalues = { flu = 0.5 }",
    "distinct-l-diversity": "l = 3", "entropy-l-diversity": "l = 2.5", "recursive-cl-diversity": "c = 2\nl = 2",
    "alpha-k-anonymity": "alpha = 0.6\nk = 3", "t-closeness": "t = 0.3",
}


def models(ids):
    """A check and a release by every model."""
    steps = list(CLINIC)
    for name in ids:
        text = POLICY.replace("k = 3\nconfidence = 0.8", f'[[requirement.models]]\nmodel = "{name}"\n{known(MODELS, name)}')
        steps += [write(f"{name}.toml", text.replace("[requirement]\n", "")), *runs(f"""
            1 check people.csv --policy {name}.toml
            0 publish people.csv --name by-{name} -o {name}.csv --policy {name}.toml --ledger l-{name} --new-ledger""")]
    yield from both("models", steps)


METHODS = {   # the options, and whether the table has a second sensitive column
    "anatomy": ("l = 3", False), "m-invariance": ("m = 3", False), "history-guided": ("l = 3", False),
    "decomposition": ('primary = "illness"\nl = { illness = 3, pay = 2 }', True),
    "decomposition-plus": ('primary = "illness"\nl = { illness = 3, pay = 2 }', True),
    "incremental-l-diversity": ("l = 2", False), "bcf-anonymity": ('k = 3\ngone = "withhold"', False),
}


def methods(ids):
    """Three months of every method in both forms; an audit after each month."""
    for name in ids:
        options, pay = known(METHODS, name)
        steps = [write("city.csv", CITIES)]
        for number in (1, 2, 3):
            steps.append(write(f"m{number}.csv", month(number, True, pay)))
        second = 'pay = { role = "sensitive" }\n' * pay
        for form in ("generalized", "anatomized"):
            policy = f'{COLUMNS}{second}[release]\nmethod = "{name}"\nform = "{form}"\nseed = 7\n[release.options]\n{options}\n'
            place = f"--policy {form}.toml --ledger l-{form}"
            lines = f"check m1.csv --policy {form}.toml\n"
            for number in (1, 2, 3):
                lines += f"publish m{number}.csv --name m{number} -o {form}-m{number} {place} --new-ledger --json\n"
                lines += f"audit {place} --json\n"
            lines += f"audit {place} --attack all --json\nshow m1 {place}\n"
            steps += [write(f"{form}.toml", policy), *runs(lines)]
        yield Scenario(f"method {name}", steps)


def known(table, name):
    return table[name] if name in table else sys.exit(f"no options are known for {name}: add them to {Path(__file__).name}")


BAD_POLICIES = [   # what to replace in `POLICY`, and by what
    ("k = 3", "k = = 3"), ("k = 3", "k = 0"), ("seed = 11", "sed = 11"), ('"sensitive"', '"sensitiv"'),
    ("sex =", "gender ="), ("city.csv", "nowhere.csv"), ('"number"', '"number", range = [50, 20]'),
    ("seed = 11", 'seed = 11\nmethod = "m-invariance"'), ("seed = 11", 'seed = 11\nalgorithm = "magic"'),
    ("[release]", '[[requirement.models]]\nmodel = "t-closeness"\nt = 1.5\n[release]'),
    ("[release]", '[recipients]\nnon-colluding = ["press"]\n[release]'),
]
BAD_DATA = {
    "empty": "", "header": "patient,age,sex,city,illness\n", "ragged": month(1) + "p99,30,F\n",
    "latin": month(1).encode() + b"p99,30,F,Par\xffs,flu\n", "outside": month(1) + "p99,30,F,Rome,flu\n",
    "words": month(1) + "p99,thirty,F,Paris,flu\n", "twice": "age,age\n1,2\n", "narrow": "age,sex\n1,F\n",
}
PUBLISH = "publish people.csv --name two -o two.csv"
REGISTER = "register people.csv --name three --to press --date 2020-01-01"
ERRORS = f"""
    2 publish | 2 dance | 2 publish people.csv -o two.csv | 2 publish people.csv --name 12 -o two.csv | 2 {PUBLISH} --fast
    2 {PUBLISH} --k 4 | 2 {PUBLISH} --dry-run --k 1 | 2 {PUBLISH} --dry-run --confidence 1.5 | 2 {PUBLISH} --memory 12Q
    2 {PUBLISH} --to a/b@! | 2 {PUBLISH} --ledger nowhere | 3 {PUBLISH} --policy nowhere.toml
    2 {PUBLISH} --ignore-history --columns age,ilness | 2 {PUBLISH} --ignore-history --columns patient | 2 {PUBLISH} --ignore-history --algorithm magic
    1 {PUBLISH} --dry-run --k 400 --ignore-history | 1 {PUBLISH} --dry-run --confidence 0.01 | 1 {PUBLISH} --dry-run --confidence 0.01 --ignore-history
    2 publish people.csv --name two -o two.xlsx | 2 publish people.csv --name two -o one.csv --ignore-history
    2 publish people.csv --name one -o two.csv --ignore-history | 3 publish people.csv --name two -o nowhere/two.csv --ignore-history
    2 publish nowhere.csv --name two -o two.csv --ignore-history | 2 init people.csv | 2 init nowhere.csv --policy other.toml
    3 check people.csv --policy nowhere.toml | 2 log --ledger nowhere | 2 show 7 | 2 diff one seven | 2 history for a/b@!
    2 purge seven --reason why | 2 purge one | 2 purge one --reason why
    2 audit --attack magic | 2 audit --attack-parameter k=3 | 2 audit --column ilness | 2 audit --public | 2 audit --adversary nobody
    2 audit --background wrong.txt | 3 audit --background nowhere.txt | 2 audit --html people.csv | 2 audit --for stranger
    2 {REGISTER} --date 2020-02-02 | 2 {REGISTER} --separate-columns | 2 {REGISTER} --marginal-of seven
    2 register people.csv --name three --to press --date 2020-13-01 | 2 register people.csv --name three --date 2020-01-01
    2 register people.csv --name three --to press --date 2999-01-01 | 2 register people.csv --name one --to press --date 2020-01-01
    3 register nowhere.csv --name three --to press --date 2020-01-01
    2 verify --head people.csv | 2 export-head -o people.csv | 2 catalogue magic | 2 catalogue --kind magic
    2 compare people.csv --algorithm magic | 3 compare people.csv --policy nowhere.toml"""


def errors():
    """Wrong calls, policies, data, keys and ledgers; refused releases."""
    steps = CLINIC + [write("wrong.txt", '"nobody" has illness = flu\n')]
    steps += runs("0 publish people.csv --name one -o one.csv --new-ledger") + runs(ERRORS)
    for at, (right, wrong) in enumerate(BAD_POLICIES):
        steps += [write(f"bad{at}.toml", POLICY.replace(right, wrong)), *runs(f"2 check people.csv --policy bad{at}.toml")]
    for name, content in BAD_DATA.items():
        steps += [write(f"{name}.csv", content), *runs(f"2 publish {name}.csv --name two -o two.csv --ignore-history")]
    steps += [Run(f"{PUBLISH} --ignore-history --wait 0".split(), 5, lock="ledger/lock"),
              chmod("reticent.key", 0o644), *runs(f"2 {PUBLISH} --ignore-history"), chmod("reticent.key", 0o600),
              *write_key("other.key", KEY.replace("5e", "77")), *runs(f"2 {PUBLISH} --ignore-history --key other.key"),
              *write_key("broken.key", "no key\n"), *runs(f"2 {PUBLISH} --ignore-history --key broken.key"),
              write("one.csv", "changed\n"), *runs("4 verify | 0 export-head -o head.json"),
              edit("ledger/catalogue.sqlite", lambda content: content[:-100] + bytes([content[-100] ^ 1]) + content[-99:]),
              *runs(f"4 verify | log | audit | 4 export-head | 4 {PUBLISH} --ignore-history")]
    yield from both("errors", steps)


def scenarios(binary):
    def ids(kind):
        answer = subprocess.run([binary, "catalogue", "--kind", kind, "--json"], capture_output=True, check=True)
        return [entry["id"] for entry in json.loads(answer.stdout)]
    yield from demo()
    yield from pages()
    yield from clinic(["model", "operation", "metric", "algorithm", "method", "attack"])
    yield from algorithms(ids("algorithm"))
    yield from models(ids("model"))
    yield from methods(ids("method"))
    yield from errors()


# Running.

@dataclass
class Side:
    """What one binary did in one scenario."""

    folder: Path
    results: list = field(default_factory=list)
    ledgers: list = field(default_factory=list)
    hashes: dict = field(default_factory=dict)   # hash of a ledger entry -> its place


def execute(binary, folder, run):
    temporary = folder.parent / "tmp"
    temporary.mkdir(exist_ok=True)
    environment = {"PATH": os.environ.get("PATH", ""), "HOME": str(folder), "TMPDIR": str(temporary),
                   "RETICENT_STEWARD": "tester", "NO_COLOR": "1"}
    with open(folder / run.lock if run.lock else os.devnull) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX if run.lock else fcntl.LOCK_UN)
        try:
            done = subprocess.run([binary, *run.words], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=SECONDS_LIMIT)
            status, streams = done.returncode, (done.stdout, done.stderr)
        except subprocess.TimeoutExpired:
            status, streams = -1, (b"", f"no answer within {SECONDS_LIMIT} seconds".encode())
    return Result(" ".join(run.words), run.status, status, *(stream.decode(errors="backslashreplace") for stream in streams))


def run_scenario(binary, folder, scenario):
    """Runs a scenario with one binary, then reads every ledger in the folder."""
    if scenario.inputs:
        shutil.copytree(scenario.inputs, folder)
    folder.mkdir(parents=True, exist_ok=True)
    side = Side(folder)
    for step in write_key("reticent.key", KEY) + scenario.steps:
        try:
            if isinstance(step, Run):
                side.results.append(execute(binary, folder, step))
            else:
                step(folder)
        except (OSError, IndexError) as error:   # a file that an earlier command should have written is not there
            side.results.append(Result(f"a step failed: {type(error).__name__}", 0, -1, "", str(error)))
    side.ledgers = sorted(path.parent.relative_to(folder) for path in folder.rglob("catalogue.sqlite"))
    for ledger in side.ledgers:
        read_ledger(binary, side, ledger)
    return side


def read_ledger(binary, side, ledger):
    log = execute(binary, side.folder, Run(["log", "--json", "--ledger", str(ledger)]))
    side.results.append(log)
    entries = (parsed(log.out) or {}).get("entries", 0)
    for words in [*(["show", str(number)] for number in range(1, entries + 1)), ["verify"]]:
        side.results.append(execute(binary, side.folder, Run([*words, "--json", "--ledger", str(ledger)])))
    for result in side.results:
        for value in re.findall(r'"(?:entry|previous|head)": "([0-9a-f]{64})"', result.out):
            side.hashes.setdefault(value, len(side.hashes) + 1)


# Normalising.

TODAY = set()   # the days on which this script runs
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:?\d\d:?\d\d(?:\.\d+)?Z")
SECONDS = re.compile(r"^(?:seconds: .*|\d+\.\d seconds\.)$", re.MULTILINE)
# The column `search s` of `compare`: the only one with two decimals.
SEARCH = re.compile(r"^(would publish  .*  )\d+\.\d\d  ", re.MULTILINE)


def mask(text, side):
    """Replaces what must differ between two runs."""
    text = text.replace(str(side.folder), "<folder>").replace(str(side.folder.parent / "tmp"), "<tmp>")
    text = re.sub(r"<tmp>/\.tmp\w+", "<tmp>", TIME.sub("<time>", text))
    for day in TODAY:
        text = text.replace(day, "<today>")
    for value, place in side.hashes.items():
        text = text.replace(value, f"<hash {place}>").replace(value[:12], f"<hash {place}>")
    return SEARCH.sub(r"\1<s>  ", SECONDS.sub(lambda line: re.sub(r"\d+\.\d+", "<s>", line[0]), text))


def mask_json(value, draws_key, name=""):
    """Masks seconds, and ids and hashes that are random or depend on time; rounds one sum."""
    if isinstance(value, dict):
        return {key: mask_json(inner, draws_key, f"{name}.{key}") for key, inner in value.items()}
    if isinstance(value, list):
        return [mask_json(inner, draws_key, name) for inner in value]
    if re.search(r"\.seconds\.\w+$|\.would\.search$", name) and isinstance(value, (int, float)):
        return "<s>"
    if re.search(r"\.(entry|previous|head|signature|id)$", name) and re.fullmatch(r"[0-9a-f]{32,64}", str(value)):
        return "<hash>"
    if name.endswith(".prosecutor_average") and isinstance(value, float):
        return round(value, 12)   # summed in the random order of a hash map: the last digits vary
    return "<drawn>" if draws_key and ".links." in name else value


def parsed(text, draws_key=False):
    try:
        return mask_json(json.loads(text), draws_key)
    except ValueError:
        return None


# Comparing.

@dataclass
class Tally:
    scenario: str
    draws_key: bool
    commands: int = 0
    files: int = 0
    fatal: list = field(default_factory=list)
    texts: list = field(default_factory=list)


def fields(old, new, place="", may_grow=False):
    """Pairs of (place, how it differs) of two JSON values; with `may_grow` objects of NEW may have more fields."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old and not may_grow)]:
            if (key in old) != (key in new):
                yield f"{place}.{key}", "only in OLD" if key in old else "only in NEW"
            else:
                yield from fields(old[key], new[key], f"{place}.{key}", may_grow)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for at, pair in enumerate(zip(old, new)):
            yield from fields(*pair, f"{place}[{at}]", may_grow)
    elif old != new or type(old) is not type(new):
        yield place, f"OLD {json.dumps(old)[:300]}  NEW {json.dumps(new)[:300]}"


def text_difference(old, new):
    shown = [line for line in difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=0)
             if not line.startswith(("---", "+++", "@@"))]
    return "\n".join(line[:300] for line in shown[:LINES_SHOWN]) or "only line ends differ"


def compare_answers(tally, what, old, new, is_error=False):
    """Compares what was printed: JSON field by field, else line by line. With `is_error` the texts of errors may differ."""
    if old == new:
        return
    before, after = parsed(old, tally.draws_key), parsed(new, tally.draws_key)
    if isinstance(before, (dict, list)) and after is not None:
        for place, how in fields(before, after, may_grow=is_error):
            is_text = is_error and re.search(r"\.(error|explanation|demand)$", place) and not how.startswith("only in")
            (tally.texts if is_text else tally.fatal).append(f"{what}\n{place}: {how}")
    else:
        is_text = is_error and before is None and bool(old.strip()) == bool(new.strip())
        (tally.texts if is_text else tally.fatal).append(f"{what}\n{text_difference(old, new)}")


def split_error(text):
    """Standard error as (text, JSON object): warnings are texts also with --json."""
    found = re.search(r"^\{", text, re.MULTILINE)
    return (text[:found.start()], text[found.start():]) if found else (text, "")


def compare_result(tally, old, new, sides):
    if old.expected not in (None, old.status):
        tally.fatal.append(f"{old.call}\nthe scenario expects exit status {old.expected}, OLD has {old.status}: {old.err[:300]}")
    if old.status != new.status:
        tally.fatal.append(f"{old.call}\nexit status: OLD {old.status}  NEW {new.status}")
    compare_answers(tally, old.call, mask(old.out, sides[0]), mask(new.out, sides[1]))
    for before, after in zip(split_error(mask(old.err, sides[0])), split_error(mask(new.err, sides[1]))):
        compare_answers(tally, f"{old.call} (stderr)", before, after, is_error=old.status != 0)


def compare_results(tally, sides):
    for old, new in zip(sides[0].results, sides[1].results):
        if old.call != new.call:
            break
        tally.commands += 1
        compare_result(tally, old, new, sides)
    if [result.call for result in sides[0].results] != [result.call for result in sides[1].results]:
        tally.fatal.append("different commands were run: the ledgers differ in number or entries, or a step failed")


def files(side):
    """Every file outside the ledgers."""
    ledgers = [side.folder / ledger for ledger in side.ledgers]
    return {str(path.relative_to(side.folder)): path for path in side.folder.rglob("*")
            if not path.is_dir() and not any(ledger in path.parents for ledger in ledgers)}


def compare_files(tally, sides):
    old, new = map(files, sides)
    for name in sorted(old | new):
        tally.files += 1
        if name not in old or name not in new:
            tally.fatal.append(f"file {name}: only in {'OLD' if name in old else 'NEW'}")
        elif old[name].stat().st_mode != new[name].stat().st_mode:
            tally.fatal.append(f"file {name}: permissions differ")
        elif old[name].read_bytes() != new[name].read_bytes():
            compare_content(tally, name, [old[name], new[name]], sides)


def compare_content(tally, name, paths, sides):
    """Reports and exported heads have times and hashes, and are masked; all else must be equal byte for byte."""
    texts = [path.read_bytes().decode(errors="backslashreplace") for path in paths]
    if name.endswith((".html", "head.json")):
        compare_answers(tally, f"file {name}", *map(mask, texts, sides))
    elif not (tally.draws_key and name.endswith(".key") and len(texts[0]) == len(texts[1])):
        sizes = [path.stat().st_size for path in paths]
        tally.fatal.append(f"file {name}: OLD {sizes[0]} bytes, NEW {sizes[1]} bytes\n{text_difference(*texts)}")


def compare(scenario, binaries, root):
    TODAY.add(time.strftime("%Y-%m-%d", time.gmtime()))
    folders = [root / side / re.sub(r"\W+", "-", scenario.name) for side in ("old", "new")]
    with ThreadPoolExecutor(2) as pool:
        sides = list(pool.map(run_scenario, binaries, folders, [scenario] * 2))
    TODAY.add(time.strftime("%Y-%m-%d", time.gmtime()))
    tally = Tally(scenario.name, scenario.draws_key)
    compare_results(tally, sides)
    compare_files(tally, sides)
    left = [len(list((folder.parent / "tmp").iterdir())) for folder in folders]
    if left[0] != left[1]:
        tally.fatal.append(f"temporary files left behind: OLD {left[0]}  NEW {left[1]}")
    return tally


def report(tallies, strict, seconds):
    for title, kind in (("Differences", "fatal"), ("Texts that differ" + " (fatal: --strict)" * strict, "texts")):
        found = [(tally.scenario, what) for tally in tallies for what in getattr(tally, kind)]
        print(f"\n{title}: {len(found)}")
        for scenario, what in found:
            print(f"  [{scenario}] " + what.replace("\n", "\n      "))
    print(f"\n{'scenario':<36}{'commands':>9}{'files':>7}{'differences':>13}{'texts':>7}")
    for tally in tallies:
        print(f"{tally.scenario:<36}{tally.commands:>9}{tally.files:>7}{len(tally.fatal):>13}{len(tally.texts):>7}")
    commands, compared, fatal, texts = (sum(column) for column in zip(*(
        (tally.commands, tally.files, len(tally.fatal), len(tally.texts)) for tally in tallies)))
    print(f"{'total':<36}{commands:>9}{compared:>7}{fatal:>13}{texts:>7}   in {seconds:.0f} s")
    return 1 if fatal or (strict and texts) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", type=Path, help="the binary to compare with")
    parser.add_argument("new", type=Path, help="the binary to judge")
    parser.add_argument("--strict", action="store_true", help="differences in the texts of errors are fatal too")
    parser.add_argument("--only", default="", metavar="TEXT", help="only scenarios whose name contains TEXT")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the scratch folders in DIR, which must not exist")
    options = parser.parse_args()
    binaries = [str(path.resolve(strict=True)) for path in (options.old, options.new)]
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="compare-") as scratch:
        root = options.keep.resolve() if options.keep else Path(scratch)
        root.mkdir(exist_ok=options.keep is None)
        chosen = [scenario for scenario in scenarios(binaries[0]) if options.only in scenario.name]
        if not chosen:
            sys.exit(f"no scenario has {options.only!r} in its name")
        tallies = []
        for scenario in chosen:
            tallies.append(compare(scenario, binaries, root))
            print(f"{scenario.name}: {tallies[-1].commands} commands, {time.monotonic() - started:.0f} s", file=sys.stderr)
    return report(tallies, options.strict, time.monotonic() - started)


if __name__ == "__main__":
    sys.exit(main())
