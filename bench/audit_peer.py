"""Solves a maximum-entropy problem written by audit_speed: `audit_peer.py scipy|scipy-plain|clarabel FILE SECONDS [TIMES]`.

Answers with the seconds of solving, the most by which an equation is missed, in people, and the entropy in nats. Starting
Python, reading the file and building matrices are left out of the seconds, in the peer's favour. After so many seconds it is
stopped, and what it has reached by then is told. scipy solves it so many times, and the medians are told, with what the first time
took.

scipy     L-BFGS-B on the dual: a multiplier for every count; people have one value each whatever the multipliers are. Until every
          count is met within 1e-8, or no progress is possible.
scipy-plain  the same on the dual as textbooks write it: a multiplier for every equation, and that people have one value each is an
          equation too.
clarabel  the primal in exponential cones, by its own package, without the cost of a modelling language; its own tolerances, which
          are 1e-8.
"""

import json
import os
import sys
import time

# One thread each. With two, on two cores with other work, scipy took 10.8 s where it takes 0.25 s with one.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy  # noqa: E402
from scipy import sparse  # noqa: E402

WANTED = 1e-8


class Problem:
    """Crowds of people, the values (cells) each may have, and the rows that count them."""

    def __init__(self, file):
        people, start, cell, row, counts, cells = [], [], [], [], [], 0
        for line in open(file):
            kind, rest = line.rstrip("\n").split(" ", 1)
            if kind == "r":
                counts.append(float(rest))
                continue
            number, values = rest.split(" ", 1)
            people.append(float(number))
            start.append(cells)
            for rows in values.split("|"):
                for word in rows.split():
                    cell.append(cells)
                    row.append(int(word))
                cells += 1
        self.people, self.start, self.counts = numpy.array(people), numpy.array(start), numpy.array(counts)
        sizes = numpy.diff(numpy.append(self.start, cells))
        self.crowd = numpy.repeat(numpy.arange(len(people)), sizes)
        # By cell: how many people it is about.
        self.weight = self.people[self.crowd]
        self.rows_of = sparse.csr_array((numpy.ones(len(cell)), (cell, row)), shape=(cells, len(counts)))
        self.cells_of = self.rows_of.T.tocsr()

    def violation(self, shares):
        """The most by which an equation is missed, in people."""
        of_counts = self.cells_of @ (self.weight * shares) - self.counts
        of_people = self.people * (numpy.add.reduceat(shares, self.start) - 1)
        return float(max(abs(of_counts).max(), abs(of_people).max()))

    def nats(self, shares):
        some = shares > 0
        return float(-(self.weight[some] * shares[some] * numpy.log(shares[some])).sum())


def with_scipy(problem, limit, times):
    def dual(multipliers):
        slope = problem.rows_of @ multipliers
        highest = numpy.maximum.reduceat(slope, problem.start)
        shares = numpy.exp(slope - highest[problem.crowd])
        total = numpy.add.reduceat(shares, problem.start)
        shares /= total[problem.crowd]
        value = problem.people @ (numpy.log(total) + highest) - problem.counts @ multipliers
        return value, problem.cells_of @ (problem.weight * shares) - problem.counts, shares

    return lowest(dual, len(problem.counts), limit, times)


def with_scipy_plain(problem, limit, times):
    cells, crowds = len(problem.crowd), len(problem.people)
    ones = sparse.csr_array((numpy.ones(cells), (numpy.arange(cells), problem.crowd)), shape=(cells, crowds))
    rows_of = sparse.hstack([ones, problem.rows_of]).tocsr()
    cells_of, right = rows_of.T.tocsr(), numpy.concatenate([problem.people, problem.counts])

    def dual(multipliers):
        shares = numpy.exp(rows_of @ multipliers - 1)
        having = problem.weight * shares
        return having.sum() - right @ multipliers, cells_of @ having - right, shares

    return lowest(dual, len(right), limit, times)


def lowest(dual, multipliers, limit, times):
    """The lowest place of a dual, which gives its value, gradient and shares, by L-BFGS-B."""
    import scipy
    from scipy.optimize import minimize

    def stop(_):
        if time.perf_counter() - begin > limit:
            raise StopIteration

    many = 10**9
    settings = {"gtol": WANTED, "ftol": 0.0, "maxiter": many, "maxfun": many}
    seconds = []
    for _ in range(times):
        begin, used = time.perf_counter(), time.process_time()
        found = minimize(
            lambda at: dual(at)[:2], numpy.zeros(multipliers), jac=True, method="L-BFGS-B", callback=stop, options=settings
        )
        seconds.append((time.perf_counter() - begin, time.process_time() - used))
        if seconds[-1][0] > limit:
            break
    return seconds, dual(found.x)[2], f"{found.nit} iterations, {found.message}", scipy.__version__


def with_clarabel(problem, limit, _):
    """Maximise the sum of weight * t, where (t, p, 1) lies in the exponential cone: t <= -p ln p."""
    import clarabel

    cells, crowds, counts = len(problem.crowd), len(problem.people), len(problem.counts)
    each = numpy.arange(cells)
    shares = sparse.csc_array((numpy.ones(cells), (problem.crowd, each)), shape=(crowds, cells))
    counted = problem.cells_of.multiply(problem.weight).tocsc()
    equations = sparse.vstack([shares, counted])
    cone_t = sparse.csc_array((-numpy.ones(cells), (3 * each, each)), shape=(3 * cells, cells))
    cone_p = sparse.csc_array((-numpy.ones(cells), (3 * each + 1, each)), shape=(3 * cells, cells))
    zero = sparse.csc_array((crowds + counts, cells))
    matrix = sparse.block_array([[zero, equations], [cone_t, cone_p]], format="csc")
    ones = numpy.zeros(3 * cells)
    ones[2::3] = 1
    right = numpy.concatenate([numpy.ones(crowds), problem.counts, ones])
    cones = [clarabel.ZeroConeT(crowds + counts)] + [clarabel.ExponentialConeT()] * cells
    objective = numpy.concatenate([-problem.weight, numpy.zeros(cells)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.time_limit = limit
    begin, used = time.perf_counter(), time.process_time()
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix((2 * cells, 2 * cells)), objective, sparse.csc_matrix(matrix), right, cones, settings
    )
    found = solver.solve()
    seconds = [(time.perf_counter() - begin, time.process_time() - used)]
    reached = numpy.maximum(numpy.array(found.x)[cells:], 0)
    return seconds, reached, f"{found.iterations} iterations, {found.status}", clarabel.__version__


PEERS = {"scipy": with_scipy, "scipy-plain": with_scipy_plain, "clarabel": with_clarabel}

if __name__ == "__main__":
    problem = Problem(sys.argv[2])
    limit, times = float(sys.argv[3]), int(sys.argv[4]) if len(sys.argv) > 4 else 1
    seconds, shares, said, version = PEERS[sys.argv[1]](problem, limit, times)
    wall, used = [sorted(of)[len(of) // 2] for of in zip(*seconds)]
    told = {"seconds": wall, "processor_seconds": used, "version": version, "said": said}
    told |= {"first_seconds": seconds[0][0], "first_processor_seconds": seconds[0][1]}
    told |= {"violation": problem.violation(shares), "nats": problem.nats(shares)}
    print(json.dumps(told | {"stopped": seconds[-1][0] > limit}))
