#!/usr/bin/env python3
"""Independent brute-force oracle for `reticent` (standard library only).

history = {
  "family": "a", "seed": 1,
  "columns": ["d"] or ["d","e"],             # sensitive columns over all releases
  "per": {"d": "person"|"record"},           # only what the policy states explicitly
  "releases": [ {"name": "r0", "columns": ["d"], "rows": [{"pid":..,"zip":..,"d":..}, ...]} ],
}
"""
import random, sys, os, json, itertools, math
from fractions import Fraction as F
from collections import defaultdict

NODE_CAP = 200_000


class TooBig(Exception):
    pass


# ---------------------------------------------------------------- semantics
def effective_per(h):
    """column -> 'person' | 'record' (policy first, else inferred)."""
    out = {}
    for c in h["columns"]:
        if c in h["per"]:
            out[c] = h["per"][c]
            continue
        per = "person"
        for r in h["releases"]:
            if c not in r["columns"]:
                continue
            seen = {}
            for row in r["rows"]:
                if seen.setdefault(row["pid"], row[c]) != row[c]:
                    per = "record"
        out[c] = per
    return out


def people_of(h):
    return sorted({row["pid"] for r in h["releases"] for row in r["rows"]})


def multi_people(h):
    """people with more than one record in some release"""
    out = set()
    for r in h["releases"]:
        n = defaultdict(int)
        for row in r["rows"]:
            n[row["pid"]] += 1
        out |= {p for p, k in n.items() if k > 1}
    return out


def constrained(h):
    """set of (pid, column) whose records must all agree, over all releases"""
    per, multi = effective_per(h), multi_people(h)
    return {(p, c) for p in people_of(h) for c in h["columns"]
            if per[c] == "person" or p not in multi}


def flat(h):
    """records (release index, row) and groups [(release, zip, [record ids], {pid: slots})]"""
    recs, groups = [], []
    for k, r in enumerate(h["releases"]):
        g = {}
        for row in r["rows"]:
            z = row["zip"]
            if z not in g:
                g[z] = (k, z, [], defaultdict(int))
                groups.append(g[z])
            g[z][2].append(len(recs))
            g[z][3][row["pid"]] += 1
            recs.append((k, row))
    return recs, groups


def worlds(h, cap=NODE_CAP):
    """yields owner[record] for each possible world. Slots of one person in one group are
    interchangeable: each yielded world stands for the same number prod(m!) of slot worlds."""
    recs, groups = flat(h)
    con = constrained(h)
    order = []  # (record id, group id)
    for gi, g in enumerate(sorted(range(len(groups)), key=lambda i: len(groups[i][2]))):
        order += [(z, g) for z in groups[g][2]]
    left = [dict(g[3]) for g in groups]
    val, owner, nodes = {}, [None] * len(recs), [0]
    cols = [h["releases"][k]["columns"] for k, _ in recs]

    def go(pos):
        nodes[0] += 1
        if cap and nodes[0] > cap:
            raise TooBig()
        if pos == len(order):
            yield owner
            return
        z, g = order[pos]
        row = recs[z][1]
        for p in left[g]:
            if not left[g][p]:
                continue
            added, ok = [], True
            for c in cols[z]:
                if (p, c) in con:
                    if (p, c) not in val:
                        val[p, c] = row[c]
                        added.append((p, c))
                    elif val[p, c] != row[c]:
                        ok = False
                        break
            if ok:
                left[g][p] -= 1
                owner[z] = p
                yield from go(pos + 1)
                left[g][p] += 1
            for a in added:
                del val[a]
    yield from go(0)


def worlds_naive(h):
    """every slot permutation of every group, filtered afterwards (for self-checks)."""
    recs, groups = flat(h)
    con = constrained(h)
    slots = [[p for p, m in g[3].items() for _ in range(m)] for g in groups]
    for combo in itertools.product(*[itertools.permutations(s) for s in slots]):
        owner = [None] * len(recs)
        for g, perm in zip(groups, combo):
            for z, p in zip(g[2], perm):
                owner[z] = p
        seen, ok = {}, True
        for z, (k, row) in enumerate(recs):
            for c in h["releases"][k]["columns"]:
                if (owner[z], c) in con and seen.setdefault((owner[z], c), row[c]) != row[c]:
                    ok = False
        if ok:
            yield owner


def solve(h, gen=worlds):
    recs, groups = flat(h)
    ppl = people_of(h)
    mine = defaultdict(list)
    for z, (k, row) in enumerate(recs):
        mine[row["pid"]].append(z)
    pairs = {p: set(itertools.combinations(mine[p], 2)) for p in ppl}
    alive = {p: set(s) for p, s in pairs.items()}
    own = [defaultdict(int) for _ in recs]
    has = defaultdict(int)      # (pid, release, column, value) -> worlds
    slotcnt = defaultdict(int)  # (pid, group, column, value) -> records summed over worlds
    gid = {z: g for g, x in enumerate(groups) for z in x[2]}
    n = 0
    rc = [(k, [(c, row[c]) for c in h["releases"][k]["columns"]]) for k, row in recs]
    for owner in gen(h):
        n += 1
        got = set()
        for z, p in enumerate(owner):
            own[z][p] += 1
            k, cv = rc[z]
            for c, v in cv:
                got.add((p, k, c, v))
                slotcnt[p, gid[z], c, v] += 1
        for x in got:
            has[x] += 1
        for p in ppl:
            dead = [ab for ab in alive[p] if owner[ab[0]] != owner[ab[1]]]
            alive[p].difference_update(dead)
    assert n > 0, "the truth itself must be a world"
    risk = {p: max(F(o[p], n) for o in own) for p in ppl}
    post = {p: {} for p in ppl}
    for p in ppl:
        shown = {(k, c) for z in mine[p] for k in [recs[z][0]] for c in h["releases"][k]["columns"]}
        for c in h["columns"]:
            ks = [k for k, cc in shown if cc == c]
            if not ks:
                continue
            vals = sorted({row[c] for k, row in recs if c in h["releases"][k]["columns"]})
            post[p][c] = {v: max(F(has[p, k, c, v], n) for k in ks) for v in vals}
    # one entry per record slot of the person: P(the record in this slot has v)
    slots = {p: [] for p in ppl}
    for g, (k, zp, zs, m) in enumerate(groups):
        for p, q in m.items():
            d = {c: {v: F(slotcnt[p, g, c, v], n * q) for v in sorted({recs[z][1][c] for z in zs})}
                 for c in h["releases"][k]["columns"]}
            slots[p] += [{"release": k, "zip": zp, "columns": d}] * q
    return {
        "slots": slots,
        "worlds": n,
        "risk": risk,
        "singled_out": sum(r == 1 for r in risk.values()),
        "linkable": sum(bool(alive[p]) for p in ppl),
        "with_several_records": sum(len(mine[p]) >= 2 for p in ppl),
        "prosecutor": max(risk.values()),
        "marketer": sum(risk.values()) / len(ppl),
        "posteriors": post,
        "people": len(ppl),
    }


# ---------------------------------------------------------------- generator
FAMILIES = "abcde"


def generate(family, seed):
    """a random history whose worlds can be enumerated, with its solution"""
    for attempt in range(10_000):
        rng = random.Random(f"{family}/{seed}/{attempt}")
        h = draw(family, rng)
        if h is None:
            continue
        h["family"], h["seed"] = family, seed
        try:
            return h, solve(h)
        except TooBig:
            continue
    raise RuntimeError("no history found")


def draw(family, rng):
    if family == "f":   # extra: one record per person and release, but the policy says per = "record"
        h = draw(rng.choice("ab"), rng)
        if h:
            h["per"] = {c: "record" for c in h["columns"]}
        return h
    n = rng.randint(2, 5)
    if family.isupper():        # extra: more people than asked for
        family, n = family.lower(), rng.randint(5, 8)
    ppl = [f"p{i}" for i in range(n)]
    R = {"a": rng.randint(1, 3), "b": rng.randint(1, 3), "c": rng.randint(1, 3),
         "d": 1, "e": rng.randint(2, 3)}[family]
    two = {"a": False, "b": True}.get(family, rng.random() < 0.35)
    cols = ["d", "e"] if two else ["d"]
    dom = {"d": "ABC"[: rng.choice([2, 3, 3])], "e": "XY"}
    many = family in "cde"
    present = rng.choice([0.7, 0.85, 1.0])
    # which columns each release shows
    shown = []
    for k in range(R):
        s = cols
        if two and (family == "b" or rng.random() < 0.3):
            s = rng.choice([["d", "e"], ["d"], ["e"]])
        shown.append(s)
    used = [c for c in cols if any(c in s for s in shown)]
    # slots: presence[k][p] = list of groups, one per record
    slots = []
    for k in range(R):
        K = rng.randint(1, 2)
        zips = [f"z{j + 1}" for j in range(K)]
        s = {}
        for p in ppl:
            if rng.random() > present:
                continue
            m = rng.choice([1, 1, 2, 2, 3]) if many else 1
            s[p] = [rng.choice(zips) for _ in range(m)]
        if not s:
            return None
        slots.append(s)
    if sum(len(z) for s in slots for z in s.values()) > 22:
        return None
    multi = {p for s in slots for p, z in s.items() if len(z) > 1}
    if many and not multi:
        return None
    # which columns are truly per record
    truth_record = set()
    if family in "de":
        truth_record = {"d"} if "d" in used else {"e"}
        if len(used) == 2 and rng.random() < 0.5:
            truth_record = set(used)
    fixed = {(p, c): rng.choice(dom[c]) for p in ppl for c in used}
    releases = []
    for k in range(R):
        rows = []
        for p, zs in slots[k].items():
            for z in zs:
                row = {"pid": p, "zip": z}
                for c in shown[k]:
                    free = c in truth_record and p in multi
                    row[c] = rng.choice(dom[c]) if free else fixed[p, c]
                rows.append(row)
        rng.shuffle(rows)
        releases.append({"name": f"r{k}", "columns": list(shown[k]), "rows": rows})
    h = {"columns": used, "per": {}, "releases": releases}
    if rng.random() < 0.4:       # say it in the policy instead of leaving it to inference
        for c in used:
            h["per"][c] = "record" if c in truth_record else "person"
    per = effective_per(h)
    if any(per[c] != ("record" if c in truth_record else "person") for c in used):
        return None              # inference would disagree with the truth of this history
    return h


def assignments(h):
    out = 1
    for _, _, zs, m in flat(h)[1]:
        out *= math.factorial(len(zs))
    return out


# ---------------------------------------------------------------- self-check
def hist(columns, *releases, per=None):
    rel = []
    for k, rows in enumerate(releases):
        rel.append({"name": f"r{k}", "columns": columns,
                    "rows": [dict(zip(["pid", "zip"] + columns, r)) for r in rows]})
    return {"columns": columns, "per": per or {}, "releases": rel, "family": "-", "seed": 0}


def selfcheck():
    s = solve(hist(["d"], [("Beth", "z1", "Cancer"), ("Bob", "z1", "Diabetes")],
                   [("Beth", "z2", "Cancer"), ("Ann", "z2", "Fever")]))
    assert s["worlds"] == 1 and s["singled_out"] == 3 and s["linkable"] == 1, s
    assert s["prosecutor"] == 1 and s["with_several_records"] == 1
    s = solve(hist(["d"], [("1", "a", "HIV"), ("1", "b", "HIV"), ("2", "a", "Flu"), ("2", "c", "Flu"),
                           ("3", "b", "Cold"), ("3", "c", "Cold")]))
    assert s["worlds"] == 1 and set(s["risk"].values()) == {F(1)}
    assert all(max(v["d"].values()) == 1 for v in s["posteriors"].values())
    assert s["linkable"] == 3
    # two records each in one group, per record: P(any record has A) by hand = 1 - 1/6 ... of 6 pairs
    s = solve(hist(["d"], [("1", "a", "A"), ("1", "a", "B"), ("2", "a", "A"), ("2", "a", "C")]))
    assert s["worlds"] == 6 and s["posteriors"]["1"]["d"]["A"] == F(5, 6)
    assert s["posteriors"]["1"]["d"]["B"] == F(1, 2) and s["risk"]["1"] == F(1, 2)
    # pruned enumeration against plain permutation of slots
    done = 0
    for f in FAMILIES:
        k = m = 0
        while m < 40:
            h, s = generate(f, f"self{k}")
            k += 1
            if assignments(h) <= 30_000:
                t = solve(h, worlds_naive)
                mult = 1
                for g in flat(h)[1]:
                    for x in g[3].values():
                        mult *= math.factorial(x)
                assert t["worlds"] == s["worlds"] * mult
                for key in s:
                    assert key == "worlds" or s[key] == t[key], (h, key)
                m += 1
                done += 1
    print(f"self-check passed ({done} histories enumerated in two ways)")


# ---------------------------------------------------------------- fixtures
def frac(x):
    return str(x)


def expected(s):
    return {
        "worlds": s["worlds"],
        "people": s["people"],
        "risk": {p: frac(x) for p, x in s["risk"].items()},
        "singled_out": s["singled_out"], "linkable": s["linkable"],
        "with_several_records": s["with_several_records"],
        "prosecutor": frac(s["prosecutor"]), "marketer": frac(s["marketer"]),
        "posteriors": {p: {c: {v: frac(x) for v, x in vs.items()} for c, vs in cs.items()}
                       for p, cs in s["posteriors"].items()},
        "slots": {p: [{**x, "columns": {c: {v: frac(y) for v, y in vs.items()} for c, vs in x["columns"].items()}}
                      for x in xs] for p, xs in s["slots"].items()},
    }


def fixtures(path, per_family=12):
    out = []
    for f in FAMILIES:
        pool, k = [], 0
        while len(pool) < 400:
            h, s = generate(f, f"fix{k}")
            k += 1
            size = sum(len(r["rows"]) for r in h["releases"])
            if 4 <= size <= 12 and s["people"] >= 2:
                pool.append((h, s))
        # spread over distinct kinds of outcome, small ones first
        kinds = defaultdict(list)
        for h, s in pool:
            kind = (len(h["releases"]), len(h["columns"]), bool(h["per"]),
                    0 if not s["singled_out"] else 2 if s["singled_out"] == s["people"] else 1,
                    min(s["linkable"], 1), min(s["with_several_records"], 1))
            kinds[kind].append((h, s))
        rng, keys, chosen = random.Random(7), sorted(kinds), []
        rng.shuffle(keys)
        i = 0
        while len(chosen) < per_family:
            for key in keys:
                if i < len(kinds[key]) and len(chosen) < per_family:
                    chosen.append(kinds[key][i])
            i += 1
        for j, (h, s) in enumerate(chosen):
            out.append({
                "name": f"{f}{j:02d}", "family": f, "columns": h["columns"],
                "policy_per": h["per"], "effective_per": effective_per(h),
                "releases": [{"name": r["name"], "header": ["pid", "zip"] + r["columns"],
                              "rows": [[row[c] for c in ["pid", "zip"] + r["columns"]] for row in r["rows"]]}
                             for r in h["releases"]],
                "expected": expected(s)})
    with open(path, "w") as fh:
        fh.write("[\n" + ",\n".join(json.dumps(x) for x in out) + "\n]\n")
    print(f"{path}: {len(out)} histories")


if __name__ == "__main__":
    what = sys.argv[1] if len(sys.argv) > 1 else "selfcheck"
    if what == "selfcheck":
        selfcheck()
    elif what == "fixtures":
        fixtures(os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases.json"))
    elif what == "show":
        h, s = generate(sys.argv[2], int(sys.argv[3]))
        print(json.dumps(h, indent=1)); print(json.dumps(expected(s), indent=1))
