"""What several files of the suite use: the command, examples, and assertions about exceptions."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import reticent as rt

ROOT = Path(__file__).resolve().parents[3]
HOSPITAL = ROOT / "examples" / "monthly-hospital"

# Seconds after which a call that should be quick counts as hanging. The suite runs with a debug build, and on busy machines.
PATIENCE = 5

# A cell with this value must not appear in an exception.
CANARY = "ZZCANARY4711"

#: Twelve people. No two have the same age.
PEOPLE: dict[str, list[Any]] = {
    "id": [f"P-{number}" for number in range(12)],
    "age": [20 + number for number in range(12)],
    "city": ["Paris", "Lyon"] * 6,
    "disease": ["flu", "gout", "asthma"] * 4,
}


def people_policy(**changes: Any) -> rt.Policy:
    """Returns a policy for `PEOPLE`."""
    settings: dict[str, Any] = {
        "owner": "id",
        "quasi": {"age": rt.column(type="number"), "city": rt.column(taxonomy={"France": ["Paris", "Lyon"]})},
        "sensitive": ["disease"],
        "k": 3,
        "confidence": 0.7,
        "seed": 5,
    }
    return rt.Policy(**{**settings, **changes})


@lru_cache(maxsize=1)
def command() -> Path:
    """Returns the program `reticent`. A missing program is a failure, not a skipped test."""
    named = os.environ.get("RETICENT_COMMAND")
    places = [Path(named)] if named else [ROOT / "target" / profile / "reticent" for profile in ("debug", "release")]
    found = next((place for place in places if place.is_file()), None)
    assert found is not None, f"no command in {', '.join(map(str, places))}; build it: cargo build -p reticent-cli"
    return found


def run_command(*arguments: str | Path, status: int = 0, cwd: Path | None = None) -> dict[str, Any]:
    """Runs the command, checks its exit status, and returns its JSON answer or error."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RETICENT_")}
    ran = subprocess.run(
        [command(), *arguments, "--json"], capture_output=True, text=True, cwd=cwd, env=environment, timeout=120, check=False
    )
    assert ran.returncode == status, ran.stdout + ran.stderr
    answer: dict[str, Any] = json.loads(ran.stdout or ran.stderr)
    return answer


def chain(error: BaseException) -> Iterator[BaseException]:
    """Yields an exception, its causes and its contexts."""
    waiting: list[BaseException] = [error]
    while waiting:
        next_error = waiting.pop()
        yield next_error
        waiting += [other for other in (next_error.__cause__, next_error.__context__) if other is not None]


def assert_hides(error: BaseException, *values: str) -> None:
    """Asserts that neither the exception nor a chained one contains one of the values."""
    for each in chain(error):
        texts = [str(each), repr(each), repr(each.__dict__), repr(each.args), *getattr(each, "__notes__", [])]
        for value in values:
            assert not [text for text in texts if value in text], type(each)


def names_of_files(folder: Path) -> list[str]:
    """Returns the names of everything below a folder."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def write_csv(path: Path, columns: Mapping[str, Sequence[object]]) -> Path:
    """Writes columns as CSV. The values need no quotes."""
    rows = [",".join(columns)] + [",".join("" if cell is None else str(cell) for cell in row) for row in zip(*columns.values(), strict=True)]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path
