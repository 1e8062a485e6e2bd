"""The examples of the docstrings."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil

import pytest

import reticent as rt

MODULES = ["reticent", *(f"reticent.{module.name}" for module in pkgutil.iter_modules(rt.__path__) if module.name != "_native")]
#: Modules whose functions users call.
WITH_EXAMPLES = {"reticent", "reticent.database", "reticent.ledger", "reticent.measures", "reticent.policy", "reticent.registry", "reticent.sklearn"}


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert found.failed == 0
    assert (found.attempted > 0) == (name in WITH_EXAMPLES)


def test_everything_public_is_documented() -> None:
    missing = []
    for name in rt.__all__:
        value = getattr(rt, name)
        if not (inspect.isclass(value) or inspect.isfunction(value)):
            continue
        if not inspect.getdoc(value):
            missing.append(name)
        if inspect.isclass(value) and value.__module__.startswith("reticent"):
            members = ((of, member) for of, member in vars(value).items() if not of.startswith("_"))
            missing += [
                f"{name}.{of}"
                for of, member in members
                if (inspect.isfunction(member) or isinstance(member, property | classmethod)) and not inspect.getdoc(member)
            ]
    assert missing == []
