"""Policies: text and back, files that the command reads, awkward names and values."""

from __future__ import annotations

import copy
import datetime
import json
import math
import pickle
import random
import tomllib
from pathlib import Path
from typing import Any

import pytest

import reticent as rt
from helpers import HOSPITAL, PEOPLE, people_policy, run_command
from reticent import _toml

AWKWARD = [
    "a b", "a.b", 'say "hi"', "it's", "Straße", "back\\slash", "tab\tbed", "two\nlines", "carriage\rreturn", "DEL\x7f", "#hash", "a=b",
    "[x]", "{y}", "emoji 💥", "\u2028separator", " padded ", "true", "1979-05-27", "\\u0041", "\x01control", "*", "a;b", "a,b",
]  # fmt: skip


def assert_round_trip(policy: rt.Policy) -> None:
    assert rt.Policy.parse(policy.toml, policy.files) == policy
    assert rt.Policy.parse(policy.toml, policy.files).to_dict() == policy.to_dict()


def test_keywords_and_sections() -> None:
    policy = rt.Policy(
        owner="id",
        quasi={"age": rt.column(type="number", range=(0, 120), weight=2.5), "city": rt.column(taxonomy={"France": ["Paris", "Lyon"]})},
        sensitive=["disease"],
        identifiers=["name"],
        other=["ward"],
        drop=["note"],
        k=5,
        confidence=0.5,
        reidentification=0.2,
        audit="exact",
        models=[rt.models.t_closeness(t=0.3), {"model": "confidence-bounding", "values": {"flu": 0.25}, "sensitive": "disease"}],
        algorithm=rt.algorithms.top_down_specialization(zero_gain=False),
        suppression=0.05,
        purpose={"classify": "disease"},
        seed=42,
        dataset="hospital",
        time_varying=["age"],
        non_colluding=["press", "ministry"],
        missing_values=["", "?"],
        sections={"release": {"back-off": 2}, "history": {"judge": "each"}},
    )
    assert policy.to_dict() == {
        "dataset": {"name": "hospital", "owner": "id", "missing-values": ["", "?"]},
        "columns": {
            "id": {"role": "identifier"},
            "name": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "type": "number", "range": [0, 120], "weight": 2.5},
            "city": {"role": "quasi-identifier", "taxonomy": "taxonomies/city-1.csv"},
            "disease": {"role": "sensitive"},
            "ward": {"role": "other"},
            "note": {"role": "drop"},
        },
        "requirement": {
            "k": 5,
            "confidence": 0.5,
            "reidentification": 0.2,
            "audit": "exact",
            "models": [
                {"model": "t-closeness", "t": 0.3},
                {"model": "confidence-bounding", "values": {"flu": 0.25}, "sensitive": "disease"},
            ],
        },
        "release": {
            "algorithm": "top-down-specialization",
            "suppression": 0.05,
            "purpose": {"classify": "disease"},
            "seed": 42,
            "back-off": 2,
            "options": {"zero-gain": False},
        },
        "history": {"time-varying": ["age"], "judge": "each"},
        "recipients": {"non-colluding": ["press", "ministry"]},
    }
    assert policy.files == {"taxonomies/city-1.csv": "Paris;France;*\nLyon;France;*\n"}
    assert policy.roles["city"] == "quasi-identifier"
    assert_round_trip(policy)


def random_policy(random_: random.Random) -> rt.Policy:
    names = random_.sample([*AWKWARD, "\u00a0", *(f"column{number}" for number in range(10))], random_.randint(3, 9))
    owner, sensitive, *rest = names
    has_owner = random_.random() < 0.5

    def quasi() -> dict[str, Any]:
        kinds: list[dict[str, Any]] = [
            {},
            rt.column(type="number"),
            rt.column(type="number", intervals=[5, 10, 20], exact=random_.random() < 0.5),
            rt.column(type="number", intervals=[1.5, [0.0, 30.0, 90]]),
            rt.column(type="date", intervals=["month", "quarter", "year"]),
            rt.column(type="number", range=(-10, 10.5), missing="drop"),
            rt.column(mask="prefix", weight=random_.uniform(0.1, 9)),
            rt.column(taxonomy={word: [f"{word}{leaf}" for leaf in random_.sample(AWKWARD, 3)] for word in ("A ", 'B"', "C;")}),
            # Labels of a taxonomy have no spaces at their ends.
            rt.column(suppress_values=[word for word in random_.sample(AWKWARD, 3) if word == word.strip()], taxonomy=[[leaf, "root"] for leaf in AWKWARD]),
        ]
        return random_.choice(kinds)

    given: dict[str, dict[str, Any]] = {"quasi": {rest[0]: quasi()}, "other": {}, "drop": {}, "identifiers": {}}
    for name in rest[1:]:
        group = random_.choice(["quasi", "quasi", "other", "drop", "identifiers"])
        given[group][name] = quasi() if group == "quasi" else {}
    models = [
        rt.models.t_closeness(t=round(random_.random(), 3)),
        rt.models.distinct_l_diversity(l=2, on=list(given["quasi"])[:1]),
        rt.models.alpha_k_anonymity(alpha=0.5, k=2, sensitive=sensitive),
        rt.models.confidence_bounding(values={word: 0.5 for word in random_.sample(AWKWARD, 2)}, sensitive=sensitive),
    ]
    groups: list[Any] = [[], ["a", "b"], [["a", "b"], ["a", "c d"]]]
    return rt.Policy(
        owner=owner if has_owner else None,
        sensitive=[sensitive],
        quasi=given["quasi"],
        other=given["other"],
        drop=given["drop"],
        identifiers={**given["identifiers"], **({} if has_owner else {owner: {}})},
        k=random_.randint(2, 50),
        confidence=random_.choice([None, 0.5, 1.0, 1e-3]),
        reidentification=random_.choice([None, 0.09]),
        models=random_.sample(models, random_.randint(0, 3)),
        audit=random_.choice([None, "exact", "bounds", "estimate"]),
        algorithm=random_.choice([None, "mondrian", rt.algorithms.mondrian(bounds="declared"), rt.algorithms.local_recoding(seed=3)]),
        suppression=random_.choice([None, 0.0, 0.25]),
        purpose=random_.choice([None, "general", {"cluster": 3}, {"classify": sensitive}]),
        seed=random_.choice([None, 0, 2**63 - 1]),
        dataset=random_.choice(["data", "my data", "2026"]),
        non_colluding=random_.choice(groups),
        missing_values=random_.choice([None, ["", "?"], ["\\N", '"', "\x7f"]]),
    )


def test_random_policies() -> None:
    random_ = random.Random(4711)
    for number in range(250):
        policy = random_policy(random_)
        assert_round_trip(policy)
        path = policy.write(Path(f"policy-{number}") / "reticent.toml")
        read = rt.Policy.read(path)
        assert read == policy
        assert (read.roles, read.files) == (policy.roles, policy.files)


def test_command_reads_random_policies() -> None:
    random_ = random.Random(4712)
    roles = {"quasi-identifier", "identifier", "sensitive", "other", "drop"}
    for number in range(200):
        policy = random_policy(random_)
        path = policy.write(Path(f"policy-{number}") / "reticent.toml")
        answer = run_command("check", "--policy", path)
        found = {column["name"]: column["role"] for column in answer["columns"]}
        assert set(policy.roles.values()) <= roles
        # The command leaves out DEL characters of its output.
        assert found == {name.replace("\x7f", ""): role for name, role in policy.roles.items() if role != "drop"}
        assert answer["dataset"] == policy.to_dict()["dataset"]["name"]


@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_column_name(name: str) -> None:
    policy = rt.Policy(quasi=[name], sensitive=[f"{name} of"], k=2)
    assert policy.roles == {name: "quasi-identifier", f"{name} of": "sensitive"}
    assert_round_trip(policy)
    assert rt.check({name: ["x", "x", "y", "y"], f"{name} of": ["a", "b"] * 2}, policy).k == 2


@pytest.mark.parametrize("value", [value for value in AWKWARD if value != "*"])
def test_awkward_taxonomy_value(value: str, unwritten: rt.Ledger) -> None:
    policy = rt.Policy(quasi={"place": rt.column(taxonomy={"top": [value, "other"]})}, k=2)
    assert_round_trip(policy)
    assert rt.check({"place": [value, "other"] * 2}, policy).k == 2
    # Together, the two values are the node above them.
    plan = unwritten.plan({"place": [value, "other"]}, policy)
    assert plan.to_dict()["columns"][0]["published"] in (["top"], ["*"])


@pytest.mark.parametrize("taxonomy", [{"top": ["*"]}, {"top": [""]}, {"top": ["\u00a0"]}, [["x", "y"], ["z", "w"]], {"a": ["x"], "b": ["x"]}])
def test_invalid_taxonomy(taxonomy: Any) -> None:
    with pytest.raises(rt.PolicyError) as raised:
        rt.Policy(quasi={"place": rt.column(taxonomy=taxonomy)}, k=2)
    assert raised.value.code == "taxonomy-invalid"
    assert raised.value.data["column"] == "place"


def test_taxonomies_with_similar_names_have_different_files() -> None:
    columns = {name: rt.column(taxonomy={"top": [name]}) for name in ("a b", "a.b", "a-b", "a/b", "../b")}
    policy = rt.Policy(quasi=columns, k=2)
    assert sorted(policy.files.values()) == sorted(f"{name};top;*\n" for name in columns)
    assert all(path.startswith("taxonomies/") and ".." not in path for path in policy.files)


def test_write_does_not_overwrite() -> None:
    policy = people_policy()
    path = policy.write("folder/reticent.toml")
    assert path == Path("folder/reticent.toml")
    with pytest.raises(FileExistsError):
        people_policy(k=4).write(path)
    assert rt.Policy.read(path) == policy
    people_policy(k=4).write(path, overwrite=True)
    assert rt.Policy.read(path).to_dict()["requirement"]["k"] == 4


def test_read_of_the_example() -> None:
    policy = rt.Policy.read(HOSPITAL / "reticent.toml")
    assert policy.toml == (HOSPITAL / "reticent.toml").read_text(encoding="utf-8")
    assert policy.files == {"taxonomies/town.csv": (HOSPITAL / "taxonomies" / "town.csv").read_text(encoding="utf-8")}
    assert policy.roles["patient"] == "identifier"
    assert policy.roles["sex"] == "quasi-identifier"
    assert_round_trip(policy)


def test_read_of_a_missing_file() -> None:
    with pytest.raises(rt.ReticentError, match="absent.toml"):
        rt.Policy.read("absent.toml")


def test_read_of_a_broken_file() -> None:
    Path("broken.toml").write_text("[columns.a]\nrole = 'king'\n", encoding="utf-8")
    with pytest.raises(rt.PolicyError, match="king") as raised:
        rt.Policy.read("broken.toml")
    assert raised.value.data["line"] == 2


def test_replace() -> None:
    policy = people_policy()
    changed = policy.replace(requirement={"k": 4, "confidence": None}, release={"suppression": 0.1})
    assert changed.to_dict()["requirement"] == {"k": 4}
    assert changed.to_dict()["release"] == {"seed": 5, "suppression": 0.1}
    assert changed.files == policy.files
    assert policy.to_dict()["requirement"] == {"k": 3, "confidence": 0.7}
    with pytest.raises(rt.PolicyError):
        policy.replace(requirement={"k": 0})


def test_equality_hash_copies() -> None:
    policy = people_policy()
    for same in (people_policy(), pickle.loads(pickle.dumps(policy)), copy.deepcopy(policy)):
        assert (same == policy, hash(same)) == (True, hash(policy))
    assert policy != people_policy(k=4)
    assert policy != policy.toml
    assert "k=3" in repr(policy)
    assert "disease" in repr(policy)


def test_returned_tables_do_not_change_the_policy() -> None:
    policy = people_policy()
    policy.to_dict()["requirement"]["k"] = 99
    policy.files.clear()
    policy.roles.clear()
    assert policy == people_policy()


def test_policy_as_file_and_as_object_check_the_same() -> None:
    policy = people_policy()
    path = policy.write("reticent.toml")
    by_object = rt.check(PEOPLE, policy).to_dict()
    assert rt.check(PEOPLE, path).to_dict() == by_object == rt.check(PEOPLE, str(path)).to_dict()


def test_taxonomy_text() -> None:
    nested = {"Europe": {"France": ["Paris", "Lyon"], "Malta": []}, "Asia": ["Japan"]}
    assert rt.taxonomy_text(nested) == "Paris;France;Europe;*\nLyon;France;Europe;*\nMalta;Europe;*\nJapan;Asia;*\n"
    assert rt.taxonomy_text([["1", "odd", "*"], ["2", "even", "*"]]) == "1;odd;*\n2;even;*\n"
    assert rt.taxonomy_text([["a;b", 'c"d', " e "]]) == '"a;b";"c""d";" e "\n'


def random_value(random_: random.Random, depth: int) -> Any:
    kinds = ["bool", "int", "float", "text"] + (["list", "table"] if depth else [])
    kind = random_.choice(kinds)
    if kind == "bool":
        return random_.random() < 0.5
    if kind == "int":
        return random_.choice([0, -1, 2**63 - 1, -(2**63), random_.randrange(10**6)])
    if kind == "float":
        return random_.choice([0.0, -0.5, 1e300, 5e-324, 1e16, 0.1, float("inf"), float("-inf"), random_.uniform(-9, 9)])
    if kind == "text":
        return random_.choice([*AWKWARD, "", '"""', "\\", "\x00\x1f\x7f\x80", "".join(chr(random_.randrange(1, 0xD800)) for _ in range(5))])
    if kind == "list":
        return [random_value(random_, depth - 1) for _ in range(random_.randrange(4))]
    return random_table(random_, depth - 1)


def random_table(random_: random.Random, depth: int) -> dict[str, Any]:
    keys = ["columns", "requirement", "release", "models", "options", "", "a-b_C9", *AWKWARD]
    return {key: random_value(random_, depth) for key in random_.sample(keys, random_.randrange(5))}


def test_toml_of_random_tables() -> None:
    random_ = random.Random(1)
    for _ in range(2_000):
        table = random_table(random_, 4)
        # A policy has tables of models only here; other values of the key are checked by the policy.
        if not isinstance(table.get("requirement"), dict):
            table.pop("requirement", None)
        else:
            table["requirement"]["models"] = [random_table(random_, 2) for _ in range(random_.randrange(3))]
        assert tomllib.loads(_toml.dumps(table)) == table


def test_toml_of_special_values() -> None:
    text = _toml.dumps({"dataset": {"nan": math.nan, "none": None, "date": datetime.date(2026, 1, 31), "tuple": (1, 2)}})
    found = tomllib.loads(text)["dataset"]
    assert math.isnan(found.pop("nan"))
    assert found == {"date": "2026-01-31", "tuple": [1, 2]}
    with pytest.raises(TypeError, match="set"):
        _toml.dumps({"dataset": {"name": {"x"}}})


def test_schema_has_the_keys_of_the_policy() -> None:
    schema = rt.policy_schema()
    assert set(people_policy().to_dict()) <= set(schema["properties"])
    from_command = run_command("schema")
    assert json.dumps(from_command, sort_keys=True) == json.dumps(schema, sort_keys=True)
