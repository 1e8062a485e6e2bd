"""Fixtures of the suite."""

from __future__ import annotations

from pathlib import Path

import pytest

import reticent as rt
from helpers import people_policy


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs each test in an empty folder, without settings of the environment."""
    monkeypatch.chdir(tmp_path)
    for name in ("RETICENT_LEDGER", "RETICENT_KEY", "RETICENT_NEW_LEDGER", "RETICENT_STEWARD"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def ledger(tmp_path: Path) -> rt.Ledger:
    """A new ledger with the policy of `PEOPLE`."""
    return rt.Ledger.open(tmp_path / "ledger", policy=people_policy(), create=True)


@pytest.fixture(scope="session")
def unwritten(tmp_path_factory: pytest.TempPathFactory) -> rt.Ledger:
    """A ledger for tests that record nothing. To create one takes a tenth of a second."""
    return rt.Ledger.open(tmp_path_factory.mktemp("unwritten") / "ledger", policy=people_policy(), create=True)
