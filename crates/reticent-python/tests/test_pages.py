"""Runs the Python code of the documentation pages, and compares the outputs that they show.

The blocks of a page form one script. It runs from top to bottom, in an empty folder and in its own process. After an expression
statement, lines that begin with ``# ->`` show its ``repr``.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGES = ["docs/python.md", "docs/python-migration.md", "crates/reticent-python/README.md"]
SHOWS = "# -> "


@pytest.mark.parametrize("page", PAGES)
def test_page(page: str, tmp_path: Path) -> None:
    command = [sys.executable, str(Path(__file__).resolve()), str(ROOT / page)]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("RETICENT_")}
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert ran.returncode == 0, ran.stderr


def run(page: Path) -> None:
    """Runs the blocks of a page."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for first, lines in blocks(page.read_text(encoding="utf-8").splitlines()):
        run_block(page, first, lines, names)


def blocks(lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Returns the ``python`` blocks with the number of the page line before each one."""
    block: tuple[int, list[str]] | None = None
    for number, line in enumerate(lines, 1):
        if block is None:
            if line.strip() == "```python":
                block = (number, [])
        elif line.strip() == "```":
            yield block
            block = None
        else:
            block[1].append(line)
    assert block is None, "a block of the page has no end"


def run_block(page: Path, before: int, lines: list[str], names: dict[str, Any]) -> None:
    """Runs one block. An output that belongs to no expression statement is an error."""
    outputs = {number for number, line in enumerate(lines, 1) if line.lstrip().startswith(SHOWS.rstrip())}
    for statement in ast.parse("\n".join(lines), str(page)).body:
        end = statement.end_lineno or statement.lineno
        shown: list[str] = []
        while end + len(shown) < len(lines) and lines[end + len(shown)].startswith(SHOWS):
            shown.append(lines[end + len(shown)].removeprefix(SHOWS))
            outputs.discard(end + len(shown))
        ast.increment_lineno(statement, before)
        if not isinstance(statement, ast.Expr):
            assert not shown, f"{page}:{statement.lineno}: only an expression statement has an output"
            exec(compile(ast.Module([statement], []), str(page), "exec"), names)
            continue
        value = eval(compile(ast.Expression(statement.value), str(page), "eval"), names)
        if shown:
            expected = "\n".join(shown)
            assert repr(value) == expected, f"{page}:{statement.lineno}:\nshown:  {expected}\nactual: {value!r}"
    assert not outputs, f"{page}: outputs without an expression statement: lines {sorted(before + line for line in outputs)}"


if __name__ == "__main__":
    run(Path(sys.argv[1]))
