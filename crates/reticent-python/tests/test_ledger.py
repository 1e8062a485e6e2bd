"""Every verb of the ledger once, end to end."""

from __future__ import annotations

import datetime
import hashlib
import json
from pathlib import Path

import polars
import pytest

import reticent as rt
from helpers import HOSPITAL, PEOPLE, people_policy, run_command

#: A release that was made elsewhere.
ELSEWHERE = {"age": ["[20,30)", "[30,40)"] * 3, "city": ["France"] * 6, "disease": ["flu", "gout", "asthma"] * 2}


@pytest.fixture
def first(ledger: rt.Ledger) -> rt.Release:
    """A release in the ledger."""
    return ledger.publish(PEOPLE, to="clinic", name="first", output="first.csv")


def published_rows(path: Path) -> list[list[str]]:
    return [line.split(",") for line in path.read_text(encoding="utf-8").splitlines()]


def test_plan(ledger: rt.Ledger) -> None:
    plan = ledger.plan(PEOPLE, to=["clinic", "press"], name="planned", seed=9)
    assert (plan.name, plan.recipients, plan.seed, plan.holds) == ("planned", ["clinic", "press"], 9, True)
    assert (plan.records, plan.published, plan.suppressed) == (12, 12, 0)
    assert plan.k is not None
    assert plan.k >= 3
    assert plan.highest_risk == pytest.approx(1 / plan.k)
    assert plan.classes <= 12 // 3
    assert plan.loss is not None
    assert 0 < plan.loss < 1
    assert plan.algorithm in {entry.id for entry in rt.catalogue("algorithm")}
    assert (plan.warnings, plan.not_established, plan.assumptions, plan.within_policy) == ([], [], [], True)
    assert not list(Path().glob("planned*"))
    assert len(ledger.log()) == 0


def test_plan_with_choices(ledger: rt.Ledger) -> None:
    plan = ledger.plan(PEOPLE, columns=["age", "disease"], algorithm="mondrian", k=4, confidence=0.8, suppression=0.1, time_limit=20)
    assert plan.algorithm == "mondrian"
    assert plan.k is not None
    assert plan.k >= 4
    assert [column["name"] for column in plan.to_dict()["columns"]] == ["age", "disease"]


def test_publish(ledger: rt.Ledger) -> None:
    release = ledger.publish(PEOPLE, to="clinic", name="first", output="first.csv")
    assert (release.name, release.recipients, release.number, release.holds) == ("first", ["clinic"], 1, True)
    assert release.path == Path("first.csv").absolute()
    assert release.sha256 == hashlib.sha256(release.path.read_bytes()).hexdigest()
    head, *rows = published_rows(release.path)
    assert head == ["age", "city", "disease"]
    # k-anonymity, counted in the file itself. An interval has a comma, so a class is a text here.
    classes = ["".join(row[:-1]) for row in rows]
    assert min(classes.count(each) for each in classes) == release.k
    assert sorted(row[-1] for row in rows) == sorted(PEOPLE["disease"])
    assert "P-1" not in release.path.read_text(encoding="utf-8")


@pytest.mark.parametrize("ending", ["parquet", "csv", "csv.gz", "csv.zst"])
def test_publish_of_a_plan(ending: str, ledger: rt.Ledger) -> None:
    plan = ledger.plan(PEOPLE, to="clinic", name="planned")
    release = plan.publish(output=f"planned.{ending}")
    assert (release.name, release.k, release.loss) == ("planned", plan.k, plan.loss)
    assert polars.DataFrame(release).height == 12
    assert polars.DataFrame(release.tables["planned"]).equals(polars.DataFrame(release))
    for rows in (release, release.tables["planned"], rt.read_table(release.path)):
        assert rows.to_polars().rows() == [tuple(row.values()) for row in rows.to_arrow().to_pylist()]
        assert rows.to_pandas().columns.tolist() == rows.to_polars().columns == ["age", "city", "disease"]
    copied = release.write(f"copy.{ending}")
    assert copied.read_bytes() == release.path.read_bytes()


def test_default_output(ledger: rt.Ledger) -> None:
    assert ledger.publish(PEOPLE, name="one").path == Path("one.parquet").absolute()
    assert ledger.plan(PEOPLE, name="two").publish().path == Path("two.parquet").absolute()
    assert ledger.plan(PEOPLE).publish("three").path == Path("three.parquet").absolute()


def test_plan_is_made_again_if_the_history_changed(ledger: rt.Ledger) -> None:
    plan = ledger.plan(PEOPLE, to="clinic", name="second")
    ledger.publish(PEOPLE, to="clinic", name="first", output="first.csv")
    release = plan.publish("second", "second.csv")
    assert release.to_dict()["judged"] == {"scope": "history", "with": [1]}
    assert release.number == 2


def test_compare(ledger: rt.Ledger) -> None:
    comparison = ledger.compare(PEOPLE, k=[3, 6, 13], html="comparison.html")
    assert [choice["k"] for choice in comparison.choices] == [3, 6, 13]
    *possible, refused = comparison.choices
    assert refused["result"] is None
    # A larger k has no smaller loss.
    assert possible[0]["result"]["loss"] <= possible[1]["result"]["loss"]
    best = comparison.recommended
    assert best is not None
    assert best in comparison.frontier
    assert Path("comparison.html").read_text(encoding="utf-8").lower().startswith("<!doctype html>")
    assert len(ledger.log()) == 0


def test_register(ledger: rt.Ledger) -> None:
    tried = ledger.register(ELSEWHERE, to="press", name="survey", date="2024-06-01", dry_run=True)
    assert (tried.number, len(ledger.log())) == (None, 0)
    registered = ledger.register(ELSEWHERE, to="press", name="survey", date=datetime.date(2024, 6, 1))
    assert registered.number == 1
    age = registered.to_dict()["columns"][0]
    assert (age["name"], age["recognised"]["intervals"]) == ("age", 2)
    (entry,) = ledger.log().entries
    assert (entry["name"], entry["date"], entry["origin"], entry["recipients"]) == ("survey", "2024-06-01", "registered", ["press"])


def test_register_a_population(ledger: rt.Ledger) -> None:
    voters: dict[str, list[object]] = {"name": ["Ana", "Bo"], "age": [20, 21], "city": ["Paris", "Lyon"]}
    registered = ledger.register(voters, name="voters", date="2024-06-01", identifiers=["name"], population=True)
    assert registered.number == 1
    assert registered.to_dict()["columns"][-1]["name"] != "name"
    with pytest.raises(rt.InvalidError) as raised:
        ledger.register(voters, name="new", date="2024-06-01", identifiers=["name"], population=True, group_column="age")
    assert raised.value.code == "options-conflict"


def test_check(ledger: rt.Ledger) -> None:
    risk = ledger.check(PEOPLE)
    assert (risk.holds, risk.k, risk.people, risk.sample_unique) == (False, 1, 12, 12)
    assert (risk.highest_risk, risk.average_risk) == (1.0, 1.0)
    # Everyone is alone, so both requirements are violated for all.
    assert list(risk.violations.values()) == [12, 12]


def test_audit(ledger: rt.Ledger, first: rt.Release) -> None:
    audit = ledger.audit(html="report.html", worst=2, per_person=True)
    assert (audit.holds, audit.confidence, len(audit.coalitions)) == (True, 0.7, 1)
    (column,) = audit.columns
    assert column["name"] == "disease"
    # Every class of three people has three diseases.
    assert first.k == 3
    assert column["highest"]["upper"] == pytest.approx(1 / 3)
    assert audit.highest == {"disease": pytest.approx(1 / 3)}
    assert audit.certain == {"disease": 0}
    assert audit.timeline[0]["coalition"] == ["clinic"]
    assert Path("report.html").exists()
    assert ledger.audit(confidence=0.2).holds is False


def test_audit_with_attacks(ledger: rt.Ledger, first: rt.Release) -> None:
    audit = ledger.audit(attacks=["homogeneity", rt.attacks.skewness(gain=1.5)])
    attacks = audit.coalitions[0]["attacks"]
    assert sorted(attack["id"] for attack in attacks) == ["homogeneity", "skewness"]
    with pytest.raises(rt.InvalidError) as raised:
        ledger.audit(attacks=["no-such-attack"])
    assert raised.value.code == "no-such-attack"


def test_log_and_show(ledger: rt.Ledger, first: rt.Release) -> None:
    log = ledger.log()
    assert (len(log), len(log.releases)) == (1, 1)
    entry = log.releases[0]
    assert (entry["name"], entry["number"], entry["recipients"], entry["records"]) == ("first", 1, ["clinic"], 12)
    for key in ("first", 1):
        shown = ledger.show(key).to_dict()
        assert shown["recorded"]["content"]["file"]["sha256"] == first.sha256
    with pytest.raises(rt.InvalidError) as raised:
        ledger.show("second")
    assert raised.value.code == "release-not-found"


def test_proof(ledger: rt.Ledger, first: rt.Release) -> None:
    verifier = ledger.verify().to_dict()["verifier"]
    ledger.prove("first", "first.proof")
    proved = rt.check_proof("first.proof", verifier=verifier)
    assert (proved["proof"], proved["entry"]["content"]["name"]) == ("inclusion", "first")
    text = Path("first.proof").read_text(encoding="utf-8")
    Path("forged.proof").write_text(text.replace("clinic", "public"), encoding="utf-8")
    with pytest.raises(rt.ReticentError):
        rt.check_proof("forged.proof", verifier=verifier)
    assert run_command("check-proof", "first.proof", "--verifier", verifier)["proof"] == "inclusion"


def test_diff_and_history(ledger: rt.Ledger, first: rt.Release) -> None:
    fewer = {name: cells[:9] for name, cells in PEOPLE.items()}
    with pytest.warns(rt.ReticentWarning, match="judged without release 1"):
        ledger.publish(fewer, to="press", name="second", output="second.csv", ignore_history=True)
    difference = ledger.diff("first", 2).to_dict()
    assert difference["people"] == {"added": 0, "kept": 9, "removed": 3}
    (coalition,) = ledger.history("clinic").to_dict()["coalitions"]
    assert [release["name"] for release in coalition["releases"]] == ["first", "second"]


def test_verify_and_doctor(ledger: rt.Ledger, first: rt.Release) -> None:
    verified = ledger.verify()
    assert (verified.intact, verified.status, verified.problems, verified.holds) == (True, "authentic", [], True)
    doctor = ledger.doctor()
    assert doctor.state == "ok"
    assert {"ledger", "key", "integrity", "disk-space"} <= {check["check"] for check in doctor.checks}


def test_heads_and_witness(ledger: rt.Ledger, first: rt.Release) -> None:
    ledger.export_head("old.txt")
    countersigned = rt.witness("old.txt", "kept.txt", "witness.key", "auditor.example")
    assert countersigned["head"]["witnesses"] == ["auditor.example"]
    recorded = ledger.record_witness("kept.txt", countersigned["witness"])
    assert recorded.to_dict()["number"] == 2
    ledger.publish(PEOPLE, to="clinic", name="second", output="second.csv")
    ledger.export_head("new.txt", since="old.txt", proof="since.proof")
    assert rt.check_proof("since.proof", head="new.txt")["proof"] == "consistency"
    rt.witness("new.txt", "kept.txt", "witness.key", "auditor.example", proof="since.proof")
    assert ledger.verify(head="kept.txt", witness=countersigned["witness"]).intact
    other = rt.Ledger.open("other/ledger", policy=people_policy(), create=True)
    other.publish(PEOPLE, name="first", output="other/first.csv")
    with pytest.raises(rt.ReticentError) as raised:
        ledger.record_witness("old.txt", countersigned["witness"])
    assert raised.value.code
    assert other.verify(head="old.txt").intact is False


def test_authenticate(ledger: rt.Ledger, first: rt.Release) -> None:
    with pytest.raises(rt.InvalidError, match="already signed"):
        ledger.authenticate()


def test_withdraw(ledger: rt.Ledger, first: rt.Release) -> None:
    with pytest.raises(rt.InvalidError) as raised:
        ledger.withdraw("first", "wrong column")
    assert raised.value.code == "withdrawn-file-exists"
    first.path.unlink()
    assert ledger.withdraw("first", "wrong column").to_dict()["release"] == 1
    assert ledger.log().releases[0]["withdrawn"] is not None
    assert ledger.history("clinic").to_dict()["coalitions"][0]["releases"] == []


def test_amend(ledger: rt.Ledger, first: rt.Release) -> None:
    amended = ledger.amend("first", "they have it too", add_recipients=["press"]).to_dict()
    assert (amended["recipients_before"], amended["recipients_after"]) == (["clinic"], ["clinic", "press"])
    amended = ledger.amend(1, "only they", recipients="press").to_dict()
    assert amended["recipients_after"] == ["press"]
    amended = ledger.amend("first", "known", roles={"city": "sensitive"}).to_dict()
    assert len(amended["roles"]) == 1


def test_erase(ledger: rt.Ledger, first: rt.Release) -> None:
    assert ledger.erase("P-3", "request 17", dry_run=True).to_dict()["entry"] is None
    with pytest.raises(rt.InvalidError, match="confirmed=True") as raised:
        ledger.erase("P-3", "request 17")
    assert raised.value.code == "erase-unconfirmed"
    with pytest.raises(rt.InvalidError) as raised:
        ledger.erase("P-3", "P-3 asked", confirmed=True)
    assert raised.value.code == "reason-names-owner"
    erased = ledger.erase("P-3", "request 17", confirmed=True).to_dict()
    assert [release["name"] for release in erased["releases"]] == ["first"]
    assert ledger.verify().intact
    with pytest.raises(rt.InvalidError) as raised:
        ledger.erase("P-99", "request 18", confirmed=True)
    assert raised.value.code == "owner-not-found"
    assert "P-99" not in str(raised.value)


def test_purge(ledger: rt.Ledger, first: rt.Release) -> None:
    with pytest.raises(rt.InvalidError, match="confirmed=True") as raised:
        ledger.purge("first", "retention")
    assert raised.value.code == "purge-unconfirmed"
    assert ledger.purge("first", "retention", confirmed=True).to_dict()["release"] == 1
    with pytest.raises(rt.Refused, match="ignore_history=True") as refused:
        ledger.publish(PEOPLE, to="clinic", name="second", output="second.csv")
    assert refused.value.code == "earlier-release-erased"
    with pytest.warns(rt.ReticentWarning, match="judged without release 1"):
        release = ledger.publish(PEOPLE, to="clinic", name="second", output="second.csv", ignore_history=True)
    assert release.to_dict()["judged"] == {"scope": "alone", "apart_from": [1]}
    assert (release.holds, release.within_policy) == (True, False)
    assert release.not_established


def test_update_taxonomies() -> None:
    policy = people_policy()
    rows = {**PEOPLE, "city": ["Paris", "Lyon", "Nice"] * 4}
    with pytest.raises(rt.DataError):
        rt.check(rows, policy)
    updated, update = rt.update_taxonomies(policy, rows)
    assert [(column["column"], column["below_root"]) for column in update.columns] == [("city", 1)]
    (text,) = updated.files.values()
    assert set(text.splitlines()) >= {"Paris;France;*", "Lyon;France;*"}
    assert rt.check(rows, updated).records == 12
    assert policy == people_policy()


def test_draft() -> None:
    draft = rt.draft(PEOPLE, sensitive=["disease"], owner="id", preset="cms-cell-size")
    assert draft.policy.roles == {"id": "identifier", "age": "quasi-identifier", "city": "quasi-identifier", "disease": "sensitive"}
    assert draft.policy.to_dict()["requirement"]["preset"] == "cms-cell-size"
    assert {column["name"] for column in draft.suggestions} == set(PEOPLE)
    assert rt.check(PEOPLE, draft.policy).k == 1
    assert list(Path().iterdir()) == []


def test_demo() -> None:
    answer = rt.demo("demo")
    assert answer["separate"]["audit"]["coalitions"]
    assert Path("demo/report.html").exists()
    assert Path("demo/january.csv").read_bytes() == (HOSPITAL / "january.csv").read_bytes()


def test_explain_presets_schema_reference() -> None:
    assert rt.explain("ledger-locked")["code"] == "ledger-locked"
    assert run_command("--explain", "ledger-locked")["meaning"] == rt.explain("ledger-locked")["meaning"]
    assert {preset["id"] for preset in rt.presets()} >= {"ema-0070", "cms-cell-size"}
    assert rt.policy_schema()["type"] == "object"
    assert rt.reference().startswith("# Reference")


def test_open_by_policy_file() -> None:
    people_policy().write("reticent.toml")
    ledger = rt.Ledger.open(create=True, steward="ana")
    ledger.publish(PEOPLE, name="first", output="first.csv")
    assert Path("ledger").is_dir()
    assert Path("reticent.key").is_file()
    assert "ana" in ledger.log().entries[0]["steward"]
    assert "reticent.toml" in repr(ledger)


def test_key_elsewhere() -> None:
    Path("keys").mkdir(mode=0o700)
    ledger = rt.Ledger.open("ledger", policy=people_policy(), key="keys/our.key", create=True)
    ledger.publish(PEOPLE, name="first", output="first.csv")
    assert Path("keys/our.key").is_file()
    assert not Path("reticent.key").exists()
    with pytest.raises(rt.ReticentError) as raised:
        rt.Ledger.open("ledger", policy=people_policy()).publish(PEOPLE, name="second", output="second.csv")
    assert raised.value.code in {"ledger-key-missing", "key-missing"}


def test_answers_are_json(ledger: rt.Ledger, first: rt.Release) -> None:
    for answer in (first, ledger.log(), ledger.check(PEOPLE), ledger.verify()):
        fields = answer.to_dict()
        assert json.loads(json.dumps(fields)) == fields
        fields.clear()
        assert answer.to_dict()


def test_threads_and_memory(tmp_path: Path) -> None:
    contents = set()
    for threads in (1, 2):
        folder = tmp_path / str(threads)
        ledger = rt.Ledger.open(folder / "ledger", policy=people_policy(), create=True, threads=threads, memory=10**8)
        contents.add(ledger.publish(PEOPLE, name="first", output=folder / "first.csv").path.read_bytes())
    assert len(contents) == 1
