"""Functions made from the catalogue: signatures, documentation, options."""

from __future__ import annotations

import copy
import inspect
import json
import pickle
import subprocess

import pytest

import reticent as rt
from helpers import command, run_command
from reticent import _native, errors

REGISTRIES = {"model": rt.models, "algorithm": rt.algorithms, "method": rt.methods, "attack": rt.attacks}
ENTRIES = [(kind, entry) for kind in REGISTRIES for entry in rt.catalogue(kind)]


@pytest.mark.parametrize(("kind", "entry"), ENTRIES, ids=[entry.id for _, entry in ENTRIES])
def test_function_of_an_entry(kind: str, entry: rt.Entry) -> None:
    make = getattr(REGISTRIES[kind], entry.name)
    parameters = inspect.signature(make).parameters
    assert set(parameters) == {parameter.name.replace("-", "_") for parameter in entry.parameters}
    assert all(parameter.kind is inspect.Parameter.KEYWORD_ONLY for parameter in parameters.values())
    required = {name for name, parameter in parameters.items() if parameter.default is inspect.Parameter.empty}
    assert required == {parameter.name.replace("-", "_") for parameter in entry.parameters if parameter.is_required}
    documentation = inspect.getdoc(make) or ""
    assert documentation.startswith(entry.title)
    assert entry.summary in documentation
    assert all(f"{name}: " in documentation for name in parameters)
    assert (make.__name__, entry.name in dir(REGISTRIES[kind])) == (entry.name, True)
    # All given options arrive, with the names of the catalogue.
    spec = make(**dict.fromkeys(parameters, 2))
    assert spec == rt.Spec(entry.id, {parameter.name: 2 for parameter in entry.parameters})
    for name in required:
        with pytest.raises(TypeError, match=name):
            make(**{other: 2 for other in parameters if other != name})
    with pytest.raises(TypeError):
        make(**dict.fromkeys([*parameters, "no_such_parameter"], 2))


@pytest.mark.parametrize("kind", REGISTRIES)
def test_registry(kind: str) -> None:
    registry = REGISTRIES[kind]
    assert len(registry) == len(list(registry)) == len(dir(registry)) == len(rt.catalogue(kind))
    assert all(entry.kind == kind for entry in registry)
    with pytest.raises(AttributeError) as raised:
        registry.no_such_entry  # noqa: B018
    assert all(entry.name in str(raised.value) for entry in registry)
    assert not hasattr(registry, "__wrapped__")
    assert dir(registry)[0] in repr(registry)


def test_registries_can_be_copied() -> None:
    for registry in REGISTRIES.values():
        assert dir(copy.deepcopy(registry)) == dir(pickle.loads(pickle.dumps(registry))) == dir(registry)


def test_catalogue_is_that_of_the_command() -> None:
    listed = run_command("catalogue")
    assert [(entry["kind"], entry["id"]) for entry in listed] == [(entry.kind, entry.id) for entry in rt.catalogue()]  # type: ignore[index]  # a list


def test_unknown_kind() -> None:
    with pytest.raises(ValueError, match="model"):
        rt.catalogue("no-such-kind")


def test_required_parameters() -> None:
    for call in (rt.models.k_anonymity, rt.models.t_closeness, rt.methods.m_invariance):
        with pytest.raises(TypeError, match="missing a required argument"):
            call()
    with pytest.raises(TypeError):
        rt.models.k_anonymity(5)


def test_options_reach_the_policy() -> None:
    policy = rt.Policy(
        quasi=["age"],
        sensitive=["disease"],
        models=[rt.models.recursive_cl_diversity(c=2.5, l=3, on=["age"])],
        algorithm=rt.algorithms.top_down_specialization(gain="entropy", zero_gain=False),
    )
    tables = policy.to_dict()
    assert tables["requirement"]["models"] == [{"model": "recursive-cl-diversity", "c": 2.5, "l": 3, "on": ["age"]}]
    assert tables["release"] == {"algorithm": "top-down-specialization", "options": {"gain": "entropy", "zero-gain": False}}
    policy = rt.Policy(owner="id", quasi=["age"], sensitive=["disease"], method=rt.methods.m_invariance(m=3, counterfeits=False))
    assert policy.to_dict()["release"] == {"method": "m-invariance", "options": {"m": 3, "counterfeits": False}}


def test_specs_are_values() -> None:
    spec = rt.models.confidence_bounding(values={"flu": 0.5}, on=["age"])
    assert spec == rt.models.confidence_bounding(on=["age"], values={"flu": 0.5})
    assert hash(spec) == hash(rt.models.confidence_bounding(on=["age"], values={"flu": 0.5}))
    assert spec != rt.models.confidence_bounding(values={"flu": 0.4}, on=["age"])
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert rt.models.k_anonymity(k=2, on=None) == rt.Spec("k-anonymity", {"k": 2})


def test_every_hint_has_a_text() -> None:
    assert set(json.loads(_native.hints())) == set(errors._HINTS)


def test_texts_of_hints_name_no_flag_of_the_command() -> None:
    assert not [text for text in errors._HINTS.values() if "--" in text]


def test_every_code_is_explained() -> None:
    for known in json.loads(_native.codes()):
        explained = rt.explain(known["code"])
        assert explained["code"] == known["code"]
        assert explained["meaning"]


def test_presets_and_reference() -> None:
    presets = {preset["id"]: preset for preset in rt.presets()}
    assert set(presets) == {"ema-0070", "health-canada-prci", "cms-cell-size", "wp29-05-2014"}
    assert (presets["cms-cell-size"]["k"], presets["ema-0070"]["reidentification"]) == (11, 0.09)
    reference = rt.reference()
    assert all(f"`{entry.id}`" in reference for entry in rt.catalogue())


def test_all_names_are_exported() -> None:
    assert len(set(rt.__all__)) == len(rt.__all__)
    assert all(hasattr(rt, name) for name in rt.__all__)
    imported = {
        name
        for name, value in vars(rt).items()
        if not name.startswith("_") and not inspect.ismodule(value)
    }
    assert imported | {"__version__"} == set(rt.__all__)


def test_version_is_that_of_the_command() -> None:
    ran = subprocess.run([command(), "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["reticent", rt.__version__]
