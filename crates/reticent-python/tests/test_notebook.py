"""Display in notebooks: fragments without scripts and without references, which are public by default."""

from __future__ import annotations

import html.parser
import re
from collections.abc import Callable
from typing import Any

import pytest

import reticent as rt
from helpers import CANARY, people_policy

#: 60 people. One has a value of their own in every column, and two share a rare disease.
ROWS: dict[str, list[Any]] = {
    "id": [f"P-{number}" for number in range(59)] + [f"{CANARY}-id"],
    "age": [20 + number % 10 for number in range(59)] + [4711],
    "city": ["Paris", "Lyon", "Oslo"] * 19 + ["Paris", "Lyon", f"{CANARY}-city"],
    "disease": ["flu", "gout", "asthma"] * 19 + ["rare-angina", "rare-angina", f"{CANARY}-disease"],
}
POLICY = people_policy(
    quasi={"age": rt.column(type="number"), "city": rt.column(taxonomy={"Europe": ["Paris", "Lyon", "Oslo", f"{CANARY}-city"]})},
    confidence=0.9,
)


class Fragment(html.parser.HTMLParser):
    """Collects the elements and the text of a fragment, and checks that elements are closed in order."""

    VOID = frozenset(("br", "hr", "img", "input", "meta", "link", "col", "wbr"))

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(self.texts)


@pytest.fixture
def opened() -> rt.Ledger:
    return rt.Ledger.open("ledger", policy=POLICY, create=True)


def answers(ledger: rt.Ledger) -> dict[str, Callable[[], Any]]:
    return {
        "check": lambda: rt.check(ROWS, POLICY),
        "plan": lambda: ledger.plan(ROWS, name="planned"),
        "release": lambda: ledger.publish(ROWS, name="first", output="first.csv"),
        "audit": lambda: (ledger.publish(ROWS, name="first", output="first.csv"), ledger.audit())[1],
        "comparison": lambda: ledger.compare(ROWS, k=[2, 3, 5]),
        "log": lambda: (ledger.publish(ROWS, name="first", output="first.csv"), ledger.log())[1],
        "ledger": lambda: (ledger.publish(ROWS, name="first", output="first.csv"), ledger)[1],
        "draft": lambda: rt.draft(ROWS),
        "verification": ledger.verify,
        "doctor": ledger.doctor,
    }


NAMES = ["check", "plan", "release", "audit", "comparison", "log", "ledger", "draft", "verification", "doctor"]


@pytest.mark.parametrize("name", NAMES)
def test_fragment(name: str, opened: rt.Ledger) -> None:
    answer = answers(opened)[name]()
    shown = answer._repr_html_()
    fragment = Fragment(shown)
    tags = {tag for tag, _ in fragment.elements}
    assert not tags & {"script", "html", "head", "body", "iframe", "object", "embed", "link", "img", "base", "meta", "form"}
    for _, attributes in fragment.elements:
        assert not [key for key in attributes if key.startswith("on") or key in {"src", "srcset", "action"}]
        assert (attributes.get("href") or "#").startswith("#")
    assert "javascript:" not in shown
    assert not re.search(r"url\(|@import|https?://", shown)
    assert fragment.text.strip()
    # A saved notebook can be shared.
    for secret in (CANARY, "P-17", "rare-angina", "4711", "4,711"):
        assert secret not in fragment.text, secret
        assert secret not in "".join(str(attributes) for _, attributes in fragment.elements)


@pytest.mark.parametrize("name", ["check", "plan", "release", "audit"])
def test_internal_variant(name: str, opened: rt.Ledger) -> None:
    answer = answers(opened)[name]()
    internal, public = Fragment(answer.html(internal=True)), Fragment(answer.html())
    assert answer._repr_html_() == answer.html()
    assert answer.display(internal=True)._repr_html_() == answer.html(internal=True)
    assert answer.display()._repr_html_() == answer.html()
    assert "confidential" in internal.text.lower()
    assert "confidential" not in public.text.lower()
    assert internal.text != public.text


def test_public_check_has_no_small_counts() -> None:
    # 11 classes: ten with six or more people of an age, and one with a single person.
    risk = rt.check(ROWS, quasi={"age": rt.column(type="number")}, sensitive=["disease"])
    assert risk.sample_unique == 1
    public, internal = (Fragment(risk.html(internal=internal)).text for internal in (False, True))

    def numbers(text: str) -> list[str]:
        return re.findall(r"(?<![\w.,<≤%-])\b[1-4] (?:person|people|record|records)\b", text)

    assert numbers(internal) != []
    assert numbers(public) == []


def test_names_are_escaped() -> None:
    name = '<img src=x onerror="alert(1)">&'
    rows = {name: ["<video>x</video>", "<video>x</video>", "y", "y"], "s": ["<marquee>", "b"] * 2}
    policy = rt.Policy(quasi=[name], sensitive=["s"], k=2)
    ledger = rt.Ledger.open("ledger", policy=policy, create=True)
    shown = [rt.check(rows, policy), ledger.plan(rows, name="p"), ledger.publish(rows, name="r", output="r.csv"), ledger.audit()]
    for answer in [*shown, ledger.compare(rows, k=[2, 3]), ledger.log(), rt.draft(rows)]:
        for internal in (False, True):
            text = answer.html(internal=internal)
            assert not {tag for tag, _ in Fragment(text).elements} & {"img", "video", "marquee"}, type(answer)
        Fragment(answer._repr_html_())


def test_repr_is_short(opened: rt.Ledger) -> None:
    for make in answers(opened).values():
        if opened.log().entries:
            break
        text = repr(make())
        assert "\n" not in text
        assert len(text) < 400
        assert CANARY not in text
