"""Random histories for refusals.py, and the definitions that it judges releases by (standard library only).

A release is a dict: `at` (its number), `columns` (quasi-identifiers), `d` (whether it shows the sensitive column) and
`rows` (person -> published labels of the columns, sensitive value)."""
import itertools, json, random
from collections import Counter, defaultdict
from fractions import Fraction as F
from functools import lru_cache

FAMILIES = {"equal": "same columns in every release", "subsets": "different columns; some recipients do not collude",
            "turnover": "people join and leave", "linkability": "different columns, and a generous xy-linkability model",
            "violated": "the first release is registered, and violates k or confidence", "unlinked": "no owner links"}
ALGORITHMS = ["", "", "top-down-specialization", "top-down-specialization", "optimal-full-domain", "mondrian"]


# ---------------------------------------------------------------- histories
def draw_tree(column, rng):
    """nodes of a taxonomy below `*`: (label, leaves)"""
    leaves = [f"{column}{letter}" for letter in "abcd"[:rng.randint(2, 4)]]
    if len(leaves) == 2 or rng.random() < .5:
        return [(leaf, [leaf]) for leaf in leaves]
    return [(column + "ab", leaves[:2])] + [(column + "cd", leaves[2:]) if len(leaves) == 4 else (leaves[2], leaves[2:])]


def leaves_below(tree, label):
    return frozenset(leaf for _, leaves in tree for leaf in leaves) if label == "*" else frozenset(dict(tree).get(label, [label]))


def cuts(tree):
    """every cut of a taxonomy, as leaf -> published label; `*` first, the leaves last"""
    inner = [[dict.fromkeys(leaves, label)] + [dict(zip(leaves, leaves))] * (len(leaves) > 1) for label, leaves in tree]
    below = [dict(pair for part in parts for pair in part.items()) for parts in itertools.product(*inner)]
    return [dict.fromkeys(leaves_below(tree, "*"), "*")] + below


def draw(family, seed):
    for attempt in itertools.count():
        case = draw_once(family, random.Random(f"{family}/{seed}/{attempt}"))
        if family != "violated":
            return case
        first = recoded(case, 0, case["releases"][0]["recode"])
        if small(first, case["k"]) or raised({}, posteriors([first]), F(case["confidence"])):
            return case


def draw_once(family, rng):
    names = [f"q{nth}" for nth in range(rng.randint(1, 3))]
    case = {"trees": {column: draw_tree(column, rng) for column in names}, "k": rng.choice([None, 2, 2, 3]), "owner": family != "unlinked",
            "confidence": rng.choice(["0.5", "0.6", "0.75", "0.8", "0.9"]), "xy": None, "algorithm": rng.choice(ALGORITHMS),
            "suppression": rng.choice([None, None, "0.2", "0.4"]), "apart": family == "subsets" and rng.random() < .25}
    leaves, values = {column: sorted(leaves_below(case["trees"][column], "*")) for column in names}, ["S1", "S2", "S3"][:rng.randint(2, 3)]
    case["people"] = {f"p{nth}": {**{column: rng.choice(leaves[column]) for column in names}, "d": rng.choice(values)}
                      for nth in range(rng.randint(5, 12))}
    equal = family == "equal" or family in ("turnover", "unlinked", "violated") and rng.random() < .5
    shared, case["releases"] = rng.sample(names, rng.randint(1, len(names))), []
    stay = .8 if family == "turnover" else rng.choice([1, 1, 1, .9])
    for nth in range(rng.choice([2, 2, 3])):
        case["releases"].append({"columns": sorted(shared if equal else rng.sample(names, rng.randint(1, len(names)))),
                                 "d": nth == 0 or equal or not case["k"] or rng.random() < .75, "recode": None,
                                 "pids": [pid for pid in case["people"] if rng.random() < stay] or ["p0"],
                                 "to": rng.choice(["a", "b", "public"]) if case["apart"] else "public"})
    if family == "violated":
        case["releases"][0]["recode"] = {column: rng.choice(cuts(case["trees"][column])[-2:]) for column in case["releases"][0]["columns"]}
    if family == "linkability":
        at = rng.randrange(1, len(case["releases"]))
        column = rng.choice(case["releases"][at]["columns"])
        x, y = rng.choice([column, f"r{at}.{column}"]), rng.choice(["d", "r0.d"])
        case["xy"] = {"x": [x], "y": [y], "h": rng.choice(["0.85", "0.92", "0.95"])}
    return case


def policy(case):
    text = '[dataset]\nname = "t"\n' + 'owner = "pid"\n' * case["owner"] + '[columns.pid]\nrole = "identifier"\n'
    text += "".join(f'[columns.tag{at}]\nrole = "other"\naccept-unique = true\n' for at in range(len(case["releases"])))
    text += "".join(f'[columns.{column}]\ntaxonomy = "{column}.csv"\n' for column in case["trees"])
    text += '[columns.d]\nrole = "sensitive"\n[requirement]\n' + (f'k = {case["k"]}\n' if case["k"] else "")
    text += f'confidence = {case["confidence"]}\naudit = "exact"\n'
    if case["xy"]:
        text += '[[requirement.models]]\nmodel = "xy-linkability"\nx = {}\ny = {}\n'.format(*(json.dumps(case["xy"][key]) for key in "xy"))
        text += f'h = {case["xy"]["h"]}\n'
    text += "[release]\nseed = 1\n" + (f'algorithm = "{case["algorithm"]}"\n' if case["algorithm"] else "")
    text += f'suppression = {case["suppression"]}\n' if case["suppression"] else ""
    return text + ('[recipients]\nnon-colluding = ["a", "b"]\n' if case["apart"] else "")


def recoded(case, at, recode):
    """release `at` with the cut recode[column] of each column"""
    release, people = case["releases"][at], case["people"]
    return {"at": at, "columns": release["columns"], "d": release["d"], "rows": {
        pid: (tuple(recode[column][people[pid][column]] for column in release["columns"]), people[pid]["d"]) for pid in release["pids"]}}


# ---------------------------------------------------------------- posteriors and classes
def posteriors(releases):
    """(person, value) -> posterior, by counting all assignments of values to people that every group of every release allows"""
    groups, mine = defaultdict(Counter), defaultdict(list)
    for release in releases:
        for pid, (labels, value) in release["rows"].items() if release["d"] else ():
            groups[release["at"], labels][value] += 1
            mine[pid].append((release["at"], labels))
    people = sorted(mine, key=lambda pid: (mine[pid], pid))
    values = sorted({value for counts in groups.values() for value in counts})
    places = {place: nth for nth, place in enumerate(itertools.product(groups, values))}
    uses = [[[places[group, value] for group in mine[pid]] for value in values] for pid in people]

    def take(left, used):
        left = list(left)
        for place in used:
            left[place] -= 1
        return tuple(left) if all(left[place] >= 0 for place in used) else None

    @lru_cache(None)
    def worlds(nth, left):
        """number of assignments of the people from the nth on, if `left` values are left in each group"""
        return nth == len(people) or sum(worlds(nth + 1, rest) for rest in (take(left, used) for used in uses[nth]) if rest)
    start = tuple(groups[group][value] for group, value in places)
    total, level, found = worlds(0, start), {start: 1}, {}
    assert total > 0, "the original data is a possible world"
    for nth, pid in enumerate(people):
        following = Counter()
        for value, used in zip(values, uses[nth]):
            after = [(take(left, used), ways) for left, ways in level.items()]
            found[pid, value] = F(sum(ways * worlds(nth + 1, rest) for rest, ways in after if rest), total)
            for rest, ways in after:
                following[rest] += ways
        level = {left: ways for left, ways in following.items() if left}
    return found


def raised(before, after, confidence):
    """(person, value, posterior before, posterior after) of every posterior that rose to a value above the bound"""
    return sorted((*key, str(before.get(key, 0)), str(share)) for key, share in after.items()
                  if share > max(confidence, before.get(key, 0)))


def small(release, k):
    """people in equivalence classes of a release with fewer than k people"""
    sizes = Counter(labels for labels, _ in release["rows"].values())
    return sorted(pid for pid, (labels, _) in release["rows"].items() if sizes[labels] < (k or 0))


def shown_before(case, release, earlier, pids):
    """whether one earlier release shows the quasi-identifiers of these people in at least the same detail"""
    def below(of, pid, column):
        return leaves_below(case["trees"][column], cell(of, pid, column))
    return any(set(release["columns"]) <= set(old["columns"]) and all(pid in old["rows"] and all(
        below(old, pid, column) <= below(release, pid, column) for column in release["columns"]) for pid in pids) for old in earlier)


# ---------------------------------------------------------------- joins
def cell(release, pid, column):
    return release["rows"][pid][1] if column == "d" else release["rows"][pid][0][release["columns"].index(column)]


def join(case, releases):
    """lossy join, as lists of people: cells of a common column are equal, or one is an ancestor of the other"""
    def match(one, pid, other, other_pid):
        common = [(case["trees"][column], cell(one, pid, column), cell(other, other_pid, column))
                  for column in one["columns"] if column in other["columns"]]
        return (not (one["d"] and other["d"]) or cell(one, pid, "d") == cell(other, other_pid, "d")) and all(
            leaves_below(tree, label) & leaves_below(tree, other_label) for tree, label, other_label in common)
    joined = [[]]
    for nth, release in enumerate(releases):
        joined = [pids + [pid] for pids in joined for pid in release["rows"]
                  if all(match(releases[at], pids[at], release, pid) for at in range(nth))]
    return joined


def classes(joined, releases, x):
    """joined people with equal values on the columns x = [(index of a release, column)]"""
    found = defaultdict(list)
    for pids in joined:
        found[tuple(cell(releases[nth], pids[nth], column) for nth, column in x)].append(pids)
    return found.values()


def proportion(found, releases, nth):
    """highest proportion of a sensitive value of release nth in a class"""
    counts = [Counter(cell(releases[nth], pids[nth], "d") for pids in each) for each in found]
    return max((F(max(each.values()), sum(each.values())) for each in counts), default=F(0))


def breaks_xy(case, releases):
    """whether the join violates the xy-linkability model; a name without a release stands for the column in every release that has it"""
    def named(name):
        of, column = name.split(".") if "." in name else (None, name)
        return [(nth, column) for nth, release in enumerate(releases) if of in (None, f"r{release['at']}")
                and (release["d"] if column == "d" else column in release["columns"])]
    x, y = (named(case["xy"][key][0]) for key in "xy") if case["xy"] else ([], [])
    found = classes(join(case, releases), releases, x) if x and y else []
    return any(proportion(found, releases, nth) > F(case["xy"]["h"]) for nth, _ in y)


def subsets(releases):
    return [list(chosen) for size in range(len(releases) + 1) for chosen in itertools.combinations(releases, size)]


def breaks_joins(case, release, earlier):
    """whether a join violates k, or without owner links the confidence, for an attacker who knows the quasi-identifiers of all releases"""
    for releases in [[release] + chosen for chosen in subsets(earlier)[1:]]:
        found = classes(join(case, releases), releases, [(nth, column) for nth, of in enumerate(releases) for column in of["columns"]])
        if any(len({pids[nth] for pids in each}) < (case["k"] or 0) for each in found for nth in range(len(releases))):
            return True
        shares = [proportion(found, releases, nth) for nth, of in enumerate(releases) if of["d"] and not case["owner"]]
        if any(share > F(case["confidence"]) for share in shares):
            return True
    return False


# ---------------------------------------------------------------- verdicts
def judge(case, release, histories, confidence=None, k=None):
    """faults of a release given (earlier releases, their posteriors) of each coalition; and notes that are no faults"""
    faults, notes, confidence, k = [], [], F(confidence or case["confidence"]), k or case["k"]
    rare = small(release, k)
    for earlier, before in histories:
        after = posteriors(earlier + [release]) if release["d"] else before
        above = raised(before, after, confidence)
        if above and case["owner"]:
            faults.append(("posterior", above))
        elif above:
            notes.append("unlinked above")
        if rare and before == after and shown_before(case, release, earlier, rare):
            notes.append("adds nothing")
        elif rare:
            faults.append(("k", rare))
        faults += [("xy-linkability", [old["at"] for old in chosen]) for chosen in subsets(earlier)
                   if breaks_xy(case, chosen + [release]) and not breaks_xy(case, chosen)]
    if not case["owner"] and raised({}, posteriors([release]), confidence):
        faults.append(("confidence, release alone", raised({}, posteriors([release]), confidence)))
    return faults, notes


def recodings(case, at):
    """every full-domain recoding of release `at` without suppressed records; everything suppressed to `*` first"""
    columns = case["releases"][at]["columns"]
    for recode in itertools.product(*(cuts(case["trees"][column]) for column in columns)):
        yield recoded(case, at, dict(zip(columns, recode)))


def safe_recodings(case, at, histories):
    """(a safe full-domain recoding or None, one whose joins satisfy the policy too or None)"""
    first = None
    for release in recodings(case, at):
        faults, notes = judge(case, release, histories)
        if not faults and "unlinked above" not in notes:
            first = first or release
            if not any(breaks_joins(case, release, earlier) for earlier, _ in histories):
                return first, release
    return first, None
