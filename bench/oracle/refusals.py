#!/usr/bin/env python3
"""refusals.py [histories=200] [offset=0] [families, separated by commas] | selfcheck [histories=40]
Publishes random small histories through the command (RETICENT, or reticent on PATH). Counts all possible worlds to decide whether every
accepted release is safe, and whether every refused release has a full-domain recoding that is safe (definitions: refusals_model.py).

tried            releases that a recipient with earlier releases receives
false safe       accepted, and raises a posterior to a value above `confidence`, or has an equivalence class of fewer than k people, or
                 violates xy-linkability on a join whose earlier releases do not violate it. The program then exits with status 1
adds nothing     accepted with such a class, but changes no posterior, and an earlier release has the cells of the class in the same detail
needless         refused (exit status 1), and a full-domain recoding without suppressed records is not false safe
and by joins     the same, and this recoding satisfies what docs/policy.md requires of joins: k, and without owner links `confidence`
unlinked above   accepted without owner links, and raises a posterior above `confidence` if the attacker knows the owners (not promised)"""
import csv, json, os, random, subprocess, sys, tempfile
from collections import Counter, defaultdict
from functools import partial
from multiprocessing import Pool
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import oracle
from refusals_model import FAMILIES, draw, judge, policy, posteriors, recoded, recodings, safe_recodings

BIN = os.environ.get("RETICENT", "reticent")
TIMEOUT = 120
FIGURES = ["histories", "tried", "accepted", "refused", "needless", "and by joins", "false safe", "adds nothing", "unlinked above",
           "errors", "timeouts"]


def call(folder, command, at, to, *arguments):
    """exit status and answer"""
    begin = [] if os.path.exists(f"{folder}/ledger") else ["--new-ledger"]
    try:
        done = subprocess.run([BIN, command, f"r{at}.csv", "--name", f"r{at}", "--to", to, "--json", *arguments, *begin], cwd=folder,
                              capture_output=True, text=True, timeout=TIMEOUT)
        return done.returncode, json.loads(done.stdout or done.stderr.strip().splitlines()[-1])
    except subprocess.TimeoutExpired:
        return "timeout", {}
    except (ValueError, IndexError):
        return done.returncode, {"code": "no-json", "error": done.stderr[-300:]}


def write(folder, name, rows, separator=","):
    with open(f"{folder}/{name}", "w", newline="") as file:
        csv.writer(file, delimiter=separator, lineterminator="\n").writerows(rows)


def publish(case, folder, at, extra):
    """exit status, answer and release; the column `tagN` identifies the rows of the written file"""
    release, people = case["releases"][at], case["people"]
    shown = release["columns"] + ["d"] * release["d"]
    if release["recode"]:
        made = recoded(case, at, release["recode"])
        rows = [[pid, *labels] + [value] * release["d"] for pid, (labels, value) in made["rows"].items()]
        write(folder, f"r{at}.csv", [["pid"] + shown] + rows)
        status, answer = call(folder, "register", at, release["to"], "--date", "2024-01-01")
        return status, answer, made if status == 0 else None
    tag, tags = f"tag{at}", {f"t{nth}": pid for nth, pid in enumerate(release["pids"])}
    rows = [[pid, text] + [people[pid][column] for column in shown] for text, pid in tags.items()]
    write(folder, f"r{at}.csv", [["pid", tag] + shown] + rows)
    status, answer = call(folder, "publish", at, release["to"], "--columns", ",".join([tag] + shown), "-o", f"out{at}.csv", *extra)
    if status != 0:
        return status, answer, None
    with open(f"{folder}/out{at}.csv") as file:
        published = {tags[row[tag]]: row for row in csv.DictReader(file)}
    assert len(published) == answer["published"]
    assert all(row.get("d", people[pid]["d"]) == people[pid]["d"] for pid, row in published.items())
    return 0, answer, {"at": at, "columns": release["columns"], "d": release["d"], "rows": {
        pid: (tuple(row[column] for column in release["columns"]), people[pid]["d"]) for pid, row in published.items()}}


def cause(case, answer):
    """what refused the release, without names and numbers"""
    def kind(requirement):
        xy = case["xy"] and f"at most {case['xy']['h']}" in requirement
        model = "xy-linkability" if xy else "k" if "at least" in requirement or "anonymity" in requirement else "confidence"
        return f"{model} of a join" if "joined with" in requirement else f"{model} of one release"
    refusal, verified = answer.get("refusal") or {}, answer.get("verified") or {"joins": [], "models": []}
    kinds = {kind(found["requirement"]) for found in refusal.get("violations", [])}
    kinds |= {"earlier releases: " + kind(found["requirement"]) for found in refusal.get("earlier_violations", [])}
    kinds |= {kind(found["requirement"]) for found in verified["joins"] if found["violations"]}
    kinds |= {kind(found["model"]) for found in verified["models"] if found["violations"]}
    return ", ".join([answer.get("code") or "no code, verification of the written file"] + sorted(kinds))


def run(case, folder, extra=(), **planted):
    """one entry for each release"""
    with open(f"{folder}/reticent.toml", "w") as file:
        file.write(policy(case))
    for column, tree in case["trees"].items():
        write(folder, f"{column}.csv", [[leaf] + [label] * (leaf != label) + ["*"] for label, leaves in tree for leaf in leaves], ";")
    made, entries = [], []
    for at, release in enumerate(case["releases"]):
        status, answer, new = publish(case, folder, at, extra if at else ())
        sides = {"a": ["a"], "b": ["b"]}.get(release["to"], ["a", "b"] if case["apart"] else [""])
        histories = [[old for old in made if case["releases"][old["at"]]["to"] in (side, "public")] for side in sides]
        histories = [(earlier, posteriors(earlier)) for earlier in histories]
        entry = {"at": at, "status": status, "later": any(earlier for earlier, _ in histories), "answer": answer, "histories": histories,
                 "new": new, "faults": [], "notes": [], "safe": None, "by joins": None}
        if new and not release["recode"]:
            entry["faults"], entry["notes"] = judge(case, new, histories, **planted)
        if new:
            made.append(new)
        elif status == 1 and entry["later"]:
            entry["cause"] = cause(case, answer)
            entry["safe"], entry["by joins"] = safe_recodings(case, at, histories)
        if status not in (0, 1) or status and release["recode"]:
            entry["error"] = f"{status} {answer.get('code')}: {answer.get('error')}"
        entries.append(entry)
    return entries


def job(task, extra=(), **planted):
    family, seed = task
    with tempfile.TemporaryDirectory(prefix="reticent_") as folder:
        return family, seed, run(draw(family, seed), folder, extra, **planted)


def count(entries):
    found = Counter(histories=1)
    for entry in entries:
        found.update(set(entry["notes"]))
        found.update({"false safe": bool(entry["faults"])})
        found["timeouts" if entry["status"] == "timeout" else "errors"] += "error" in entry
        if entry["later"]:
            found.update({"tried": 1, "accepted": entry["status"] == 0, "refused": entry["status"] == 1,
                          "needless": bool(entry["safe"]), "and by joins": bool(entry["by joins"])})
    return found


def main(histories, offset, families):
    totals, causes, examples, faults, errors = defaultdict(Counter), defaultdict(Counter), {}, [], Counter()
    with Pool(2) as pool:
        tasks = [(family, seed) for family in families for seed in range(offset, offset + histories)]
        for family, seed, entries in pool.imap_unordered(job, tasks, chunksize=4):
            totals[family].update(count(entries))
            for entry in entries:
                faults += [(family, seed, entry["at"], fault) for fault in entry["faults"]]
                errors.update([entry["error"]] if "error" in entry else [])
                if "cause" in entry:
                    causes[entry["cause"]].update(refused=1, needless=bool(entry["safe"]), joins=bool(entry["by joins"]))
                if entry["safe"]:
                    key, found = (entry["cause"], bool(entry["by joins"])), (family, seed, entry["at"])
                    examples[key] = min(examples.get(key, found), found, key=lambda one: one[1:])
    print("family      " + "  ".join(FIGURES) + "  of refused  of tried")
    totals["all"] = sum(totals.values(), Counter())
    for family in families + ["all"]:
        total = totals[family]
        shares = [f"{total['needless'] / max(1, total[name]):{width}.0%}" for name, width in (("refused", 12), ("tried", 10))]
        print(f"{family:12}" + "  ".join(f"{total[name]:{len(name)}}" for name in FIGURES) + "".join(shares))
    print("\nrefused  needless  and by joins  cause [examples: family seed release; * satisfies the joins too]")
    for name, found in sorted(causes.items(), key=lambda item: (-item[1]["needless"], item[0])):
        shown = ["*" * joins + " ".join(map(str, examples[name, joins])) for joins in (False, True) if (name, joins) in examples]
        print(f"{found['refused']:7} {found['needless']:9} {found['joins']:13}  {name} [{'; '.join(shown)}]")
    for error, times in errors.items():
        print(f"ERROR, {times} times: {error}")
    for fault in sorted(faults, key=str)[:20]:
        print("FALSE SAFE", *fault)
    sys.exit(1 if faults or not totals["all"]["tried"] else 0)


def draw_both(seed):
    """the same small history for posteriors() and for the oracle"""
    rng = random.Random(seed)
    values = {f"p{nth}": rng.choice("ABC"[:rng.randint(2, 3)]) for nth in range(rng.randint(3, 6))}
    here = [{"at": at, "columns": ["q"], "d": at == 0 or rng.random() < .8,
             "rows": {pid: ((rng.choice("xy"),), value) for pid, value in values.items() if pid == "p0" or rng.random() < .85}}
            for at in range(rng.randint(1, 3))]
    there = [{"name": str(release["at"]), "columns": ["d"] * release["d"], "rows": [
        {"pid": pid, "zip": labels[0], **{"d": value for _ in "d" * release["d"]}} for pid, (labels, value) in release["rows"].items()]}
        for release in here]
    return here, {"columns": ["d"], "per": {}, "releases": there}


def refused_instead(task):
    """for every accepted later release that is a full-domain recoding: whether its refusal would be found to be needless"""
    _, _, entries = job(task)
    case = draw(*task)
    return [bool(safe_recodings(case, entry["at"], entry["histories"])[0]) for entry in entries
            if entry["later"] and not entry["faults"] + entry["notes"] and entry["new"] in list(recodings(case, entry["at"]))]


def selfcheck(histories):
    compared = 0
    for seed in range(300):
        here, there = draw_both(seed)
        wanted = {(pid, value): share for pid, of in oracle.solve(there)["posteriors"].items() for value, share in of.get("d", {}).items()}
        found = posteriors(here)
        assert set(found) <= set(wanted) and all(found.get(key, 0) == share for key, share in wanted.items()), seed
        compared += len(wanted)
    print(f"{compared} posteriors agree with oracle.py")
    tasks, found = [(family, seed) for family in FAMILIES for seed in range(histories)], {}
    with Pool(2) as pool:
        for name, arguments in {"no fault": {}, "histories are ignored": {"extra": ("--ignore-history",)},
                                "confidence 0.45 was promised": {"confidence": "0.45"}, "k = 5 was promised": {"k": 5}}.items():
            done = pool.imap_unordered(partial(job, **arguments), tasks, chunksize=4)
            found[name] = Counter(kind for _, _, entries in done for entry in entries for kind, _ in entry["faults"])
            print(f"planted: {name}; found: {dict(found[name])}")
        refused = [needless for each in pool.imap_unordered(refused_instead, tasks, chunksize=4) for needless in each]
    print(f"planted: {len(refused)} accepted full-domain recodings are refused; found to be needless: {sum(refused)}")
    for name, kind in ("histories are ignored", "posterior"), ("confidence 0.45 was promised", "posterior"), ("k = 5 was promised", "k"):
        assert found[name][kind] > found["no fault"][kind], name
    assert refused and all(refused)


if __name__ == "__main__":
    words = sys.argv[1:]
    if words[:1] == ["selfcheck"]:
        selfcheck(int(words[1]) if words[1:] else 40)
    else:
        main(int(words[0]) if words else 200, int(words[1]) if words[1:] else 0, words[2].split(",") if words[2:] else list(FAMILIES))
