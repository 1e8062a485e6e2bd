"""Runs the code of the notebooks from top to bottom, without Jupyter. They are stored without outputs."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[3] / "examples" / "notebooks"
NOTEBOOKS = sorted(path.name for path in FOLDER.glob("*.ipynb"))


def test_notebooks_are_found() -> None:
    assert NOTEBOOKS == ["audit-someone-elses-releases.ipynb", "first-release.ipynb", "monthly-releases.ipynb"]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebook(name: str, tmp_path: Path) -> None:
    before = sorted(path.name for path in FOLDER.iterdir())
    environment = {key: value for key, value in os.environ.items() if not key.startswith("RETICENT_")}
    environment |= {"TMPDIR": str(tmp_path), "TEMP": str(tmp_path), "TMP": str(tmp_path)}
    command = [sys.executable, str(Path(__file__).resolve()), str(FOLDER / name)]
    ran = subprocess.run(command, cwd=FOLDER, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stderr
    assert sorted(path.name for path in FOLDER.iterdir()) == before, "a notebook writes only into a temporary folder"


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebook_is_stored_without_outputs(name: str) -> None:
    for cell in code_cells(FOLDER / name):
        assert cell["outputs"] == [] and cell["execution_count"] is None


def code_cells(path: Path) -> list[dict[str, Any]]:
    """Returns the code cells of a notebook."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def run(path: Path) -> None:
    """Runs the code cells. The last expression of a cell is displayed, as in a notebook."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(code_cells(path), 1):
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        where = f"{path.name}, code cell {number}"
        exec(compile(tree, where, "exec"), names)
        if isinstance(last, ast.Expr):
            shown = eval(compile(ast.Expression(last.value), where, "eval"), names)
            assert displayed(shown), f"{where}: nothing to display"


def displayed(value: object) -> str:
    """Returns what a notebook displays."""
    html = getattr(value, "_repr_html_", None)
    return str(html()) if html is not None else repr(value)


if __name__ == "__main__":
    run(Path(sys.argv[1]))
