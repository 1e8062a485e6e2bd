#!/usr/bin/env python3
"""compare.py [histories per family=220] [seed offset=0] [families=abcde]
Runs the command (RETICENT, or reticent on PATH) on random histories (2 workers) and compares every claim with oracle.py."""
import sys, os, json, csv, itertools, subprocess, shutil, tempfile
from collections import defaultdict, Counter
from multiprocessing import Pool
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import oracle

BIN = os.environ.get("RETICENT", "reticent")
TOL = 1e-9


def policy(h):
    t = '[dataset]\nname = "t"\nowner = "pid"\n[columns.pid]\nrole = "identifier"\n[columns.zip]\n'
    for c in h["columns"]:
        t += f'[columns.{c}]\nrole = "sensitive"\n'
        if c in h["per"]:
            t += f'per = "{h["per"][c]}"\n'
    return t + '[requirement]\nconfidence = 0.9\n[ledger]\npath = "ledger"\nkey = "reticent.key"\n'


EFFORT = int(os.environ.get("EFFORT", "20"))
THRESHOLDS = os.environ.get("THRESHOLDS", "1") == "1"


def run(h, effort=None, keep=None, thresholds=()):
    """(json or None, message)"""
    effort = EFFORT if effort is None else effort
    d = keep or tempfile.mkdtemp(prefix="reticent_")
    os.makedirs(d, exist_ok=True)
    try:
        with open(f"{d}/reticent.toml", "w") as f:
            f.write(policy(h))
        for k, r in enumerate(h["releases"]):
            with open(f"{d}/r{k}.csv", "w", newline="") as f:
                w = csv.writer(f, lineterminator="\n")
                hd = ["pid", "zip"] + r["columns"]
                w.writerow(hd)
                w.writerows([[row[c] for c in hd] for row in r["rows"]])
        for k, r in enumerate(h["releases"]):
            cmd = [BIN, "register", f"r{k}.csv", "--name", f"r{k}", "--to", "public",
                   "--date", f"2024-{k + 1:02d}-01", "-q"] + (["--new-ledger"] if k == 0 else [])
            p = subprocess.run(cmd, cwd=d, capture_output=True, text=True, timeout=300)
            if p.returncode != 0:
                return None, f"register {k}: rc={p.returncode} {p.stderr.strip()[:300]}"
        p = subprocess.run([BIN, "audit", "--json", "--per-person", "--effort", str(effort)],
                           cwd=d, capture_output=True, text=True, timeout=600)
        try:
            out = json.loads(p.stdout)
            out["by_threshold"] = []
            for t in thresholds:
                q = subprocess.run([BIN, "audit", "--json", "--confidence", repr(t), "--effort", str(effort)],
                                   cwd=d, capture_output=True, text=True, timeout=600)
                j = json.loads(q.stdout)
                out["by_threshold"].append((t, j["coalitions"][0]["audit"]["columns"], j["holds"]))
                if j["holds"] != (q.returncode == 0):
                    raise RuntimeError(f"holds {j['holds']} but exit code {q.returncode}")
            return out, f"audit rc={p.returncode} {p.stderr.strip()[:300]}"
        except ValueError:
            return None, f"audit: rc={p.returncode} {p.stderr.strip()[:300]}"
    except subprocess.TimeoutExpired:
        return None, "timeout"
    finally:
        if not keep:
            shutil.rmtree(d, ignore_errors=True)


def interval(kind, iv, truth, where):
    """list of (kind, text); and whether the program is exact here"""
    lo, hi, t = iv.get("lower"), iv.get("upper"), float(truth)
    bad = []
    if lo is None or hi is None:
        return [("shape", f"{where}: {iv}")], False
    if hi < t - TOL:
        bad.append(("false_safe", f"{kind} {where}: truth {truth} above upper {hi} (lower {lo})"))
    if lo > t + TOL:
        bad.append(("false_alarm", f"{kind} {where}: truth {truth} below lower {lo} (upper {hi})"))
    exact = abs(hi - lo) <= TOL
    rw = iv.get("random_worlds")
    if rw is not None and abs(rw - t) > TOL:
        bad.append(("wrong_exact", f"{kind} {where}: random_worlds {rw}, truth {truth}"))
    if exact and abs(lo - t) > TOL:
        bad.append(("wrong_exact", f"{kind} {where}: exact {lo}, truth {truth}"))
    return bad, exact or rw is not None


def values_of(col):
    v = col["values"]
    return list(v.items()) if isinstance(v, dict) else [
        (x["value"], x) if isinstance(x, dict) else (x[0], x[1]) for x in v]


def entry_check(entry, truth, where):
    bad, inexact = [], False
    got = dict(values_of(entry))
    for v in sorted(set(got) | set(truth)):
        t = truth.get(v, 0)
        if v not in got:
            if t != 0:
                bad.append(("missing_value", f"{where}={v}: truth {t}, absent from output"))
            continue
        b, ex = interval("value", got[v], t, f"{where}={v}")
        bad += b
        inexact |= not ex
    return bad, inexact


def match(ok):
    """perfect matching rows -> columns, or None"""
    n, to = len(ok), {}

    def aug(i, seen):
        for j in range(n):
            if ok[i][j] and j not in seen:
                seen.add(j)
                if j not in to or aug(to[j], seen):
                    to[j] = i
                    return True
        return False
    if not all(aug(i, set()) for i in range(n)):
        return None
    return [j for _, j in sorted((i, j) for j, i in to.items())]


def tops(s, c):
    return [max(cs[c].values()) for cs in s["posteriors"].values() if c in cs]


def thresholds_for(h, s):
    """just below and just above every highest any-record posterior"""
    ts = {float(t) + d for c in h["columns"] for t in tops(s, c) for d in (-1e-5, 1e-5)}
    return sorted(t for t in ts if 0 < t < 1)


def person_check(e, p, s):
    """program entry e read as person p"""
    bad, inexact = [], []
    b, ex = interval("risk", e["reidentification"], s["risk"][p], p)
    bad += b
    if not ex:
        inexact.append("risk")
    cols = defaultdict(list)
    for c in e["columns"]:
        cols[c["column"]].append(c)
    if set(cols) != set(s["posteriors"][p]):
        bad.append(("columns", f"{p}: program has {sorted(cols)}, truth {sorted(s['posteriors'][p])}"))
    for c, entries in cols.items():
        if c not in s["posteriors"][p]:
            continue
        slots = [x["columns"][c] for x in s["slots"][p] if c in x["columns"]]
        if len(entries) == 1:       # one answer for the person
            truths = [s["posteriors"][p][c]]
        elif len(entries) == len(slots):   # one answer per record
            truths = slots
            # also: can the largest upper bound over the entries be read as P(any record has v)?
            for v, t in s["posteriors"][p][c].items():
                if float(t) > max(dict(values_of(x)).get(v, {"upper": 0})["upper"] for x in entries) + TOL:
                    bad.append(("note_any_record", f"{p} {c}={v}: any record {t}, highest entry is lower"))
        else:
            bad.append(("entries", f"{p} {c}: {len(entries)} entries, {len(slots)} records"))
            continue
        cost = [[entry_check(x, t, f"{p} {c}") for t in truths] for x in entries]
        q = match([[not z[0] for z in row] for row in cost])
        if q is None:
            q = list(range(len(entries)))
        for i, j in enumerate(q):
            bad += cost[i][j][0]
            if cost[i][j][1]:
                inexact.append("value " + c)
    return bad, inexact


def compare(h, s, out):
    """[(kind, text)], info"""
    bad = []
    co = out["coalitions"]
    audit = co[0]["audit"]
    idn = audit["identity"]
    info = {"exact_flag": idn["exact"] == idn["people"]}
    for a, b, t in (("singled_out", "may_be_singled_out", s["singled_out"]),
                    ("linkable", "may_be_linkable", s["linkable"])):
        if idn[a] > t:
            bad.append(("count_too_high", f"{a} {idn[a]} > truth {t}"))
        if idn[b] < t:
            bad.append(("count_too_low", f"{b} {idn[b]} < truth {t}"))
        info[a + "_exact"] = idn[a] == idn[b]
    if idn["people"] != s["people"]:
        bad.append(("people", f"people {idn['people']}, truth {s['people']}"))
    if idn["with_several_records"] != s["with_several_records"]:
        bad.append(("several", f"with_several_records {idn['with_several_records']}, truth {s['with_several_records']}"))
    for key in ("prosecutor", "marketer"):
        b, ex = interval(key, idn[key], s[key], "")
        bad += b
        info[key + "_exact"] = ex
        if idn["exact"] == idn["people"] and abs(idn[key]["estimate"] - float(s[key])) > TOL:
            bad.append(("exact_flag", f"all people exact but {key} {idn[key]}, truth {s[key]}"))
    # aggregates of the columns (extra): people with a certain value, highest posterior, people above
    for c in audit["columns"]:
        top = tops(s, c["name"])
        t = sum(x == 1 for x in top)
        if not c["certain"] <= t <= c["may_be_certain"]:
            bad.append(("x_certain", f"{c['name']}: certain {c['certain']}..{c['may_be_certain']}, truth {t}"))
        rec = [max(x["columns"][c["name"]].values()) for xs in s["slots"].values() for x in xs
               if c["name"] in x["columns"]]
        for key, t in (("highest", max(top)), ("highest_record", max(rec))):
            if not c[key]["lower"] - TOL <= float(t) <= c[key]["upper"] + TOL:
                bad.append(("x_" + key, f"{c['name']}: {key} {c[key]}, truth {t}"))
            if c["exact"] == c["people"] and c[key]["estimate"] is not None and abs(c[key]["estimate"] - float(t)) > TOL:
                bad.append(("x_" + key, f"{c['name']}: all exact, {key} {c[key]}, truth {t}"))
    # the program's `above` counts people with one record (or a certain value) above the threshold, and
    # `any_record_above` those who are above it only as "any of the records has the value"
    for th, cols, holds in out.get("by_threshold", []):
        leak = False
        for c in cols:
            n = c["name"]
            every, strict = 0, 0
            for p, cs in s["posteriors"].items():
                if n in cs:
                    rec = max(max(x["columns"][n].values()) for x in s["slots"][p] if n in x["columns"])
                    anyr = max(cs[n].values())
                    every += float(anyr) >= th
                    strict += float(rec) >= th or anyr == 1
            leak |= strict > 0
            more = c["any_record_above"]
            if not c["above"] <= strict <= c["may_be_above"]:
                bad.append(("x_above", f"{n} at {th}: above {c['above']}..{c['may_be_above']}, truth {strict}"))
            if not c["above"] + more <= every <= c["may_be_above"] + more:
                bad.append(("x_any_above", f"{n} at {th}: above {c['above']}..{c['may_be_above']} + any record {more}, truth {every}"))
            if c["exact"] == c["people"] and not (c["above"] == strict == c["may_be_above"] and c["above"] + more == every):
                bad.append(("x_above", f"{n} at {th}: all exact but {c['above']}..{c['may_be_above']} + {more}, truth {strict}, {every}"))
            if holds and every:
                bad.append(("note_holds_any_record", f"{n} at {th}: holds, but {every} people have an any-record posterior above"))
        if holds and leak:
            bad.append(("x_holds", f"at {th}: holds, but a record posterior or certain value is above"))
    persons = audit["persons"]
    ppl = sorted(s["risk"])
    es = []
    for e in persons:
        es += [e] * e["people"]
    if len(es) != len(ppl):
        bad.append(("persons", f"{len(es)} persons listed, truth {len(ppl)}"))
        return bad, info | {"inexact_people": len(ppl), "inexact": []}
    cost = [[person_check(e, p, s) for p in ppl] for e in es]
    w = [[sum(k[:4] != "note" for k, _ in cost[i][j][0]) for j in range(len(ppl))] for i in range(len(es))]
    dp = {0: (0, ())}           # set of people used -> least number of discrepancies
    for i in range(len(es)):
        nx = {}
        for used, (x, q) in dp.items():
            for j in range(len(ppl)):
                if not used >> j & 1:
                    y = (x + w[i][j], q + (j,))
                    if used | 1 << j not in nx or y < nx[used | 1 << j]:
                        nx[used | 1 << j] = y
        dp = nx
    best = dp[(1 << len(ppl)) - 1][1]
    inexact = []
    for i, j in enumerate(best):
        bad += cost[i][j][0]
        inexact.append(cost[i][j][1])
    info["inexact_people"] = sum(bool(x) for x in inexact)
    info["inexact"] = sorted({y.split()[0] for x in inexact for y in x})
    return bad, info


def job(arg):
    f, seed = arg
    h, s = oracle.generate(f, seed)
    out, msg = run(h, thresholds=thresholds_for(h, s) if THRESHOLDS else ())
    if out is None:
        return f, seed, s["people"], None, msg
    try:
        bad, info = compare(h, s, out)
    except Exception as e:
        return f, seed, s["people"], None, f"comparison: {type(e).__name__} {e}"
    return f, seed, s["people"], (bad, info), msg


def show(f, seed):
    h, s = oracle.generate(f, seed)
    show_h(h, s)


def show_h(h, s):
    print(policy(h).split("[requirement]")[0].strip())
    for r in h["releases"]:
        print(r["name"], ",".join(["pid", "zip"] + r["columns"]), " | ".join(
            ",".join(row[c] for c in ["pid", "zip"] + r["columns"]) for row in r["rows"]))
    print("truth:", json.dumps(oracle.expected(s)))
    out, msg = run(h, thresholds=thresholds_for(h, s))
    print("message:", msg)
    if out:
        a = out["coalitions"][0]["audit"]
        print("identity:", json.dumps(a["identity"]))
        for e in a["persons"]:
            print("person:", json.dumps(e))
        bad, info = compare(h, s, out)
        for b in bad:
            print("  BAD", b)
        print("  info", info)


def shrink(h, kinds):
    """drop rows (whole records) as long as the same kind of failure remains"""
    def fails(x):
        if any(not r["rows"] for r in x["releases"]) or not x["releases"]:
            return False
        try:
            s = oracle.solve(x)
            out, _ = run(x, thresholds=thresholds_for(x, s))
            return out is not None and bool({k for k, _ in compare(x, s, out)[0]} & kinds)
        except Exception:
            return False
    again = True
    while again:
        again = False
        cands = []
        for k in range(len(h["releases"])):
            cands.append({**h, "releases": h["releases"][:k] + h["releases"][k + 1:]})
        for p in oracle.people_of(h):
            cands.append({**h, "releases": [{**r, "rows": [w for w in r["rows"] if w["pid"] != p]} for r in h["releases"]]})
        for k, r in enumerate(h["releases"]):
            for i in range(len(r["rows"])):
                cands.append({**h, "releases": h["releases"][:k] + [{**r, "rows": r["rows"][:i] + r["rows"][i + 1:]}] + h["releases"][k + 1:]})
        for x in cands:
            x = {**x, "columns": [c for c in h["columns"] if any(c in r["columns"] for r in x["releases"])]}
            if fails(x):
                h, again = x, True
                break
    return h


NOTE = {}


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 220
    off = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    fams = sys.argv[3] if len(sys.argv) > 3 else "abcde"
    jobs = [(f, off + k) for f in fams for k in range(n)]
    T = {f: Counter() for f in fams}
    fails, refused, inex = defaultdict(list), defaultdict(list), defaultdict(list)
    with Pool(2) as pool:
        for f, seed, ppl, res, msg in pool.imap_unordered(job, jobs, chunksize=4):
            t = T[f]
            if res is None:
                t["refused"] += 1
                refused[f].append((seed, msg))
                continue
            bad, info = res
            t["histories"] += 1
            t["people"] += ppl
            notes = [x for x in bad if x[0].startswith("note")]
            for k in {k for k, _ in notes}:
                t[k] += 1
            bad = [x for x in bad if x not in notes]
            if notes and len(t) and f not in NOTE:
                NOTE[f] = (seed, notes[0])
            kinds = {k for k, _ in bad}
            for k, _ in bad:
                t[k] += 1
            t["bad_histories"] += bool(bad)
            t["inexact_people"] += info["inexact_people"]
            nx = (info["inexact_people"] > 0 or not info["singled_out_exact"] or not info["linkable_exact"]
                  or not info["prosecutor_exact"] or not info["marketer_exact"])
            t["inexact_histories"] += nx
            t["flag_false"] += not info["exact_flag"]
            t["inexact_counts"] += not (info["singled_out_exact"] and info["linkable_exact"])
            if nx:
                inex[f].append(seed)
                e = oracle.effective_per(oracle.generate(f, seed)[0]).values() if f in "abcdABCD" else []
                t["inexact_mixed_per"] += len(set(e)) > 1
            for k in kinds:
                fails[f, k].append((seed, [x for kk, x in bad if kk == k]))
    C = ["histories", "refused", "people", "bad_histories", "false_safe", "false_alarm", "wrong_exact", "count_too_high",
         "count_too_low", "several", "exact_flag", "inexact_histories", "inexact_people", "inexact_counts", "flag_false",
         "inexact_mixed_per", "note_any_record", "note_holds_any_record"]
    print("fam " + " ".join(C))
    for f in fams:
        print(f"{f:3} " + " ".join(f"{T[f][c]:>{len(c)}}" for c in C))
        rest = {k: v for k, v in T[f].items() if k not in C}
        if rest:
            print("    other:", rest)
    for f in fams:
        if refused[f]:
            print("refused", f, Counter(m for _, m in refused[f]).most_common(5), refused[f][0])
        if inex[f]:
            print("not exact", f, sorted(inex[f])[:20])
    for k, v in sorted(fails.items()):
        print("FAIL", k, len(v), sorted(v)[:3])
    if fails:
        for (f, k), v in sorted(fails.items()):
            print(f"\n=== minimal reproduction, family {f}, {k}, seed {min(v)[0]}")
            h, s = oracle.generate(f, min(v)[0])
            h = shrink(h, {k})
            show_h(h, oracle.solve(h))
    sys.exit(1 if fails else 0)


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] == "show":
        show(sys.argv[2], int(sys.argv[3]))
    else:
        main()
