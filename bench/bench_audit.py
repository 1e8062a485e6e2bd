"""Inference over several releases: what they give away together about each person, against other solvers of the same problem.

audit_speed (an example of the crate reticent) makes the histories, solves them, and writes the maximum-entropy problem for the
others. Three parts:

  paper    the setting of the paper (Wang, Zhu, Du and Teng): two releases of 7,200 records, 6,000 of them shared, in buckets of
           5 different values out of 14, every person by themselves. Reticent's time is that of everything: what is forced, bounds,
           and maximum entropy until counts are met within 1e-8. Beside it scipy's L-BFGS-B and Clarabel for maximum entropy alone,
           twice: with what Reticent found to be forced already taken out, and on the whole problem, as somebody would run them
           who has no presolving. scipy also as with a usual presolving, of each count by itself; and on the dual as textbooks write
           it, with a multiplier for every equation, after Reticent's presolving. And solver against solver: what
           maximum entropy takes of Reticent's time, beside the others on the same dual. One thread each, and once more Reticent on
           all cores, as users run it, of which the wall time is compared; the others have nothing to do for a second core. Every
           round is another draw of people and buckets, since times differ by draw
  sizes    the same from 1,200 to 100,000 records a release; the others as far as they take less than a minute
  history  ten generalized releases of up to a million people each, in classes of a thousand, 14 values. One in twenty goes and one
           comes between releases. Once history-guided: everybody stays in their class; once independent: classes drawn anew

In the paper's setting every process solves its problem five times, and the median is taken: what takes a few hundredths of a second
depends too much on the moment. What the first time takes, when the system has yet to give the memory, is told beside it. Clarabel,
and scipy on the whole problem, take so long that once is enough.

Ratios are taken within each round, between neighbours in time. Where nothing else is said, they are of processor seconds: with one
thread each that is the wall time of a machine without other work, and what other work there is does not change it as much.
"""

import json
import sys
from dataclasses import dataclass

from audit_plain import Plain
from harness import (
    DATA, MIB, Spread, answer, example, fresh_folder, heading, machine, machine_text, options, parse, python, record, rotate, run, table,
    target,
)  # fmt: skip

RECORDS, SHARED, BUCKET, SEED = 7200, 6000, 5, 1
SIZES, SHORT_SIZES = [1200, 2400, 3600, 4800, 6000, 7200, 20_000, 50_000, 100_000], [1200]
PEOPLE, SHORT_PEOPLE = [10_000, 30_000, 100_000, 300_000, 1_000_000], [10_000]
HISTORIES = {"guided": "history-guided", "independent": "independent"}
PART = {"paper": 0, "sizes": 1, "history": 2}

EQUAL, WANTED = 1e-6, 1e-8
MOST_OF = {"scipy": 1 / 10, "clarabel": 1 / 100}
PATIENCE = 600  # seconds for a contender in the paper's setting
TIMES = 5  # that a problem is solved in one process in the paper's setting, for the median; as in audit_speed
MINUTE = 60
# Beyond these a history is given up.
LONGEST, MOST_MEMORY = 600, 12 * 1024 * MIB


@dataclass(frozen=True)
class Contender:
    """Who solves, and which problem; once where rounds would take too long; with a multiplier for every equation, or for counts; on
    all cores, or with one thread."""

    name: str
    problem: str = ""
    once: bool = False
    every: bool = False
    all_cores: bool = False

    def title(self):
        plain = "what no count by itself forces"
        what = {"presolved": "what is not forced", "plain": plain, "whole": "the whole problem", "": "everything"}[self.problem]
        return f"{self.name}, {what}{', every equation' if self.every else ''}{', all cores' if self.all_cores else ''}"

    def peer(self):
        """Its name in audit_peer.py."""
        return f"{self.name}-plain" if self.every else self.name


RETICENT = Contender("reticent")
ALL_CORES = Contender("reticent", all_cores=True)
PROBLEMS = ["presolved", "whole"]
PEERS = [Contender(peer, problem, (peer, problem) == ("clarabel", "whole")) for problem in PROBLEMS for peer in MOST_OF]

# What is left after the same presolving.
SAME_DUAL = [peer for peer in PEERS if peer.problem == "presolved"]
PLAIN = Contender("scipy", "plain")
TEXTBOOK = Contender("scipy", "presolved", every=True)


def main():
    parser = options(__doc__.splitlines()[0], rounds=5, short_rounds=2)
    parser.add_argument("--part", choices=PART, help="one part only")
    given = parse(parser)
    heading("Audit: inference over several releases", f"{machine_text()}; {given.rounds} rounds, median [range].")
    folder = fresh_folder(DATA / "audit")
    for part, tell in [("paper", tell_paper), ("sizes", tell_sizes), ("history", tell_history)]:
        if given.part in (None, part):
            tell(folder, given)


def buckets(records, seed=SEED):
    return ["buckets", records, records * SHARED // RECORDS, BUCKET, seed]


def solving(history, threads=None, what="solve"):
    """The command that solves a history."""
    alone = ["env", f"RAYON_NUM_THREADS={threads}"] if threads else []
    return [*alone, example("audit_speed"), what, *history]


def once(contender, history, folder, seconds, what="solve"):
    """One contender, one time, in a process of its own. Nothing when it takes too long."""
    if contender.name == RETICENT.name:
        command = solving(history, threads=None if contender.all_cores else 1, what=what)
    else:
        times = TIMES if what == "apart" and contender.problem != "whole" else 1
        command = python("audit_peer.py", contender.peer(), folder / f"{contender.problem}.txt", seconds, times)
    # A solver that does not look at the clock is given the same time again for starting, reading and stopping.
    finished = run(command, seconds=2 * seconds + MINUTE)
    if finished.status != 0:
        return None
    told = json.loads(finished.stdout)
    return None if told.get("stopped") else told | {"peak": finished.peak_bytes}


def tell_paper(folder, given):
    # Clarabel takes too long for the short form.
    contenders = [RETICENT, ALL_CORES, PLAIN, TEXTBOOK] + [peer for peer in PEERS if not (given.short and peer.name == "clarabel")]
    turns = []
    for turn in range(given.rounds):
        history = buckets(RECORDS, SEED + turn)
        _, sizes = answer([*solving(history, what="write"), folder])
        (folder / "plain.txt").write_text(Plain(folder / "whole.txt").text())
        here = [contender for contender in rotate(contenders, turn) if turn == 0 or not contender.once]
        turns.append({contender: once(contender, history, folder, PATIENCE, what="apart") for contender in here})
        if not turns[-1][RETICENT] or turns[-1][RETICENT]["nats"] is None:
            sys.exit(f"seed {SEED + turn}: Reticent found no maximum")
        tell_draw(SEED + turn, sizes, turns[-1][RETICENT])
    print()
    rows = [contender_row(contender, turns) for contender in contenders]
    head = ["", "processor s", "wall s", "peak MiB", "violation, worst", "maximum off by"]
    head += ["Reticent takes", "the first time", "on all cores, wall"]
    table(head, rows)
    without = Spread.of([turn[RETICENT]["without_entropy_processor_seconds"] for turn in turns])
    alone = {peer: Spread.of([alone_ratio(*pair) for pair in both(peer, turns)]) for peer in SAME_DUAL if both(peer, turns)}
    print(f"Of Reticent's time, without maximum entropy: {without.text('{:.3f}')} processor s.")
    for peer, ratio in alone.items():
        print(f"Maximum entropy alone takes {ratio.text('{:.4f}', 'x')} of {peer.title()}, which is the same dual.")
    print(f"Load at the end: {machine()['load']}.")
    worst = max(turn[RETICENT]["violation"] for turn in turns)
    targets = [target(f"violation of Reticent at most {WANTED:g} ({worst:.1e})", worst <= WANTED)]
    targets += [target(text, met) for contender in contenders[2:] for text, met in judge(contender, turns)]
    for peer, ratio in alone.items():
        most = MOST_OF[peer.name]
        text = f"maximum entropy alone: at most {most:g} of the time of {peer.title()} ({ratio.text('{:.4f}')})"
        targets.append(target(text, ratio.median <= most))
    figures = {"without_entropy_processor_seconds": without.json()}
    figures |= {f"same dual as {peer.title()}": ratio.json() for peer, ratio in alone.items()}
    record("audit", "targets", part="paper", targets=targets, **figures)
    print()


def tell_draw(seed, sizes, ours):
    if seed == SEED:
        print(f"The paper's setting: {RECORDS:,} records a release, {SHARED:,} shared, buckets of {BUCKET}; {ours['people']:,} people")
    whole, left = sizes["whole"], sizes["presolved"]
    print(
        f"seed {seed}: {whole['unknowns']:,} unknowns and {whole['equations']:,} equations, {left['unknowns']:,} and"
        f" {left['equations']:,} not forced; {ours['nats']:.4f} nats; {ours['pinned']:,} people are pinned to one value",
        flush=True,
    )


def both(contender, turns):
    """Reticent's figures and the contender's, by round in which it finished."""
    return [(turn[RETICENT], turn[contender]) for turn in turns if turn.get(contender)]


def alone_ratio(ours, theirs):
    """What maximum entropy takes by itself, by the time of a contender on the same dual."""
    return (ours["processor_seconds"] - ours["without_entropy_processor_seconds"]) / theirs["processor_seconds"]


def ratios(contender, turns):
    """Reticent's time by the contender's, within rounds."""
    return Spread.of([ours["processor_seconds"] / theirs["processor_seconds"] for ours, theirs in both(contender, turns)])


def wall_ratios(contender, turns):
    """Reticent's wall time on all cores by the contender's, within rounds."""
    found = [(turn[ALL_CORES], turn[contender]) for turn in turns if turn.get(contender) and turn.get(ALL_CORES)]
    return Spread.of([ours["seconds"] / theirs["seconds"] for ours, theirs in found])


def first_ratios(contender, turns):
    """Reticent's time by the contender's, the first time each."""
    key = "first_processor_seconds"
    return Spread.of([ours[key] / theirs[key] for ours, theirs in both(contender, turns)])


def apart(contender, turns):
    """By how much the maxima differ at most, relative to Reticent's."""
    return max(abs(theirs["nats"] - ours["nats"]) / abs(ours["nats"]) for ours, theirs in both(contender, turns))


def contender_row(contender, turns):
    found = [theirs for _, theirs in both(contender, turns)]
    if not found:
        return [contender.title(), f"stopped after {PATIENCE} s", *[""] * 7]
    spread = {key: Spread.of([told[key] for told in found]) for key in ("processor_seconds", "seconds", "peak", "violation")}
    ratio, first, wall = [of(contender, turns) for of in (ratios, first_ratios, wall_ratios)]
    off = apart(contender, turns)
    figures = {key: value.json() for key, value in spread.items()} | {"off": off}
    figures |= {"ratio": ratio.json(), "first_ratio": first.json(), "wall_ratio": wall.json()}
    said = {"version": found[0].get("version"), "said": [told.get("said") for told in found], "nats": [told["nats"] for told in found]}
    record("audit", contender.title(), part="paper", **figures, **said)
    row = [contender.title()] + [spread[key].text("{:.3f}") for key in ("processor_seconds", "seconds")]
    row += [f"{spread['peak'].median / MIB:,.0f}", f"{spread['violation'].high:.1e}"]
    if contender.name == RETICENT.name:
        return row + [""] * 4
    return row + [f"{off:.1e}", *[spread.text("{:.4f}", "x") for spread in (ratio, first, wall)]]


def judge(contender, turns):
    """What is demanded of the comparison with a contender."""
    if not both(contender, turns):
        return []
    most, off, ratio = MOST_OF[contender.name], apart(contender, turns), ratios(contender, turns)
    wall = wall_ratios(contender, turns)
    return [
        (f"the same maximum as {contender.title()}, within {EQUAL:g} ({off:.1e})", off <= EQUAL),
        (f"at most {most:g} of the time of {contender.title()} ({ratio.text('{:.4f}')})", ratio.median <= most),
        (f"on all cores, at most {most:g} of the wall time of {contender.title()} ({wall.text('{:.4f}')})", wall.median <= most),
    ]


def tell_sizes(folder, given):
    print(f"By size: two releases, five sixths shared, buckets of {BUCKET}; processor s; others stopped after {MINUTE} s")
    rows, tired = [], set()
    for records in SHORT_SIZES if given.short else SIZES:
        history = buckets(records)
        _, sizes = answer([*solving(history, what="write"), folder])
        found = {}
        for contender in [RETICENT, *PEERS]:
            seconds = LONGEST if contender == RETICENT else MINUTE
            found[contender] = None if contender in tired else once(contender, history, folder, seconds)
            if not found[contender]:
                tired.add(contender)
        rows.append(size_row(records, sizes, found))
    head = ["records", "people", "unknowns", "not forced", "reticent", "wall s", "MiB", "violation"]
    table(head + [f"{peer.name} {peer.problem}" for peer in PEERS], rows)
    print("Peers: processor s (violation). A dash: stopped, or stopped at a smaller size.\n")


def size_row(records, sizes, found):
    ours = found[RETICENT]
    kept = ("processor_seconds", "seconds", "peak", "violation", "nats")
    figures = {contender.title(): told and {key: told[key] for key in kept} for contender, told in found.items()}
    record("audit", "size", part="sizes", records=records, sizes=sizes, found=figures)
    unknowns = [f"{sizes[which]['unknowns']:,}" for which in ("whole", "presolved")]
    if not ours:
        return [f"{records:,}", "", *unknowns, f"stopped after {LONGEST} s", "", "", ""] + [""] * len(PEERS)
    peers = []
    for peer in PEERS:
        told = found[peer]
        other = told and abs(told["nats"] - ours["nats"]) / abs(ours["nats"]) > EQUAL
        peers.append(f"{told['processor_seconds']:.2f} ({told['violation']:.0e}{', OTHER MAXIMUM' if other else ''})" if told else "-")
    own = [f"{ours['processor_seconds']:.3f}", f"{ours['seconds']:.3f}", f"{ours['peak'] / MIB:,.0f}", f"{ours['violation']:.0e}"]
    return [f"{records:,}", f"{ours['people']:,}", *unknowns, *own, *peers]


def tell_history(_, given):
    print(f"Ten generalized releases of so many people each; given up after {LONGEST} s or at {MOST_MEMORY / MIB / 1024:.0f} GiB")
    rows, unfinished, unsolved = [], [], []
    for kind, title in HISTORIES.items():
        gone = ""
        for people in SHORT_PEOPLE if given.short else PEOPLE:
            if gone:
                rows.append([f"{title}, {people:,}", *[""] * 4, gone, *[""] * 5])
                continue
            finished = run(solving([kind, people, SEED]), seconds=LONGEST, memory=MOST_MEMORY)
            if finished.status != 0:
                gone = "not tried"
                unfinished.append(f"{title}, {people:,}")
                why = "stopped: time" if finished.seconds >= LONGEST else "stopped: memory"
                record("audit", title, part="history", people=people, stopped=why, peak=finished.peak_bytes)
                peak = f"{finished.peak_bytes / MIB:,.0f}"
                rows.append([f"{title}, {people:,}", *[""] * 4, f"{why}, {finished.seconds:,.0f}", "", "", peak, "", ""])
                continue
            told = json.loads(finished.stdout)
            if told["violation"] is None:
                unsolved.append(f"{title}, {people:,}")
            rows.append(history_row(title, people, told, finished.peak_bytes))
    head = ["releases, people each", "people", "crowds", "unknowns", "counts", "wall s", "processor s", "us/unknown"]
    table([*head, "peak MiB", "B/unknown", "violation"], rows)
    print(f"Peak memory is of the whole process, with the made history; load at the end: {machine()['load']}.")
    targets = [
        target("every history is solved before it is given up", not unfinished, unfinished),
        target("maximum entropy converges wherever it is not given up", not unsolved, unsolved),
    ]
    record("audit", "targets", part="history", targets=targets)
    print()


def history_row(title, people, told, peak):
    figures = {key: told[key] for key in ("seconds", "processor_seconds", "people", "crowds", "unknowns", "counts", "violation", "work")}
    record("audit", title, part="history", people_each=people, peak=peak, before=told["before_bytes"], **figures)
    cells = [f"{told[key]:,}" for key in ("people", "crowds", "unknowns", "counts")]
    violation = "not converged" if told["violation"] is None else f"{told['violation']:.0e}"
    times = [f"{told['seconds']:.1f}", f"{told['processor_seconds']:.1f}", f"{1e6 * told['processor_seconds'] / told['unknowns']:.0f}"]
    return [f"{title}, {people:,}", *cells, *times, f"{peak / MIB:,.0f}", f"{peak / told['unknowns']:,.0f}", violation]


if __name__ == "__main__":
    main()
