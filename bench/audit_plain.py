"""Presolves a maximum-entropy problem written by audit_speed as any solver would: each count by itself, until nothing changes.

What several counts force only together stays open, so that fewer probabilities are known to be 0 than Reticent finds.
"""


class Plain:
    """Cells (a crowd with a value) between bounds, and the rows that count them: counts first, then crowds."""

    def __init__(self, file):
        crowds, counts = [], []
        for line in file.read_text().splitlines():
            kind, rest = line.split(" ", 1)
            if kind == "r":
                counts.append(int(rest))
            else:
                people, values = rest.split(" ", 1)
                crowds.append((int(people), [[int(row) for row in rows.split()] for rows in values.split("|")]))
        self.counts = len(counts)
        self.totals = counts + [people for people, _ in crowds]
        self.rows_of, self.cells_of = [], [[] for _ in self.totals]
        for crowd, (_, values) in enumerate(crowds):
            for rows in values:
                for row in [*rows, self.counts + crowd]:
                    self.cells_of[row].append(len(self.rows_of))
                self.rows_of.append(rows)
        self.low = [0] * len(self.rows_of)
        self.high = [people for people, values in crowds for _ in values]
        while any([self.look(row) for row in range(len(self.totals))]):
            pass

    def look(self, row):
        """Tightens the cells of a row; says whether any was."""
        cells, changed = self.cells_of[row], False
        low, high = sum(self.low[cell] for cell in cells), sum(self.high[cell] for cell in cells)
        for cell in cells:
            most, least = self.totals[row] - (low - self.low[cell]), self.totals[row] - (high - self.high[cell])
            if most < self.high[cell]:
                high += most - self.high[cell]
                self.high[cell], changed = most, True
            if least > self.low[cell]:
                low += least - self.low[cell]
                self.low[cell], changed = least, True
        return changed

    def is_open(self, cell):
        return self.low[cell] < self.high[cell]

    def left(self, row):
        """What a row counts beyond what is forced."""
        return self.totals[row] - sum(self.low[cell] for cell in self.cells_of[row] if not self.is_open(cell))

    def text(self):
        """What is open, as audit_speed writes it."""
        used = [row for row in range(self.counts) if any(self.is_open(cell) for cell in self.cells_of[row])]
        place = {row: at for at, row in enumerate(used)}
        lines = []
        for crowd in range(self.counts, len(self.totals)):
            cells = [cell for cell in self.cells_of[crowd] if self.is_open(cell)]
            if cells:
                values = "|".join(" ".join(str(place[row]) for row in self.rows_of[cell]) for cell in cells)
                lines.append(f"c {self.left(crowd)} {values}")
        return "\n".join(lines + [f"r {self.left(row)}" for row in used]) + "\n"
