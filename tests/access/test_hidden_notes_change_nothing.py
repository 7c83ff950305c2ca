"""Notes that a client must not see do not change any reply it gets."""

import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from difflib import unified_diff
from pathlib import Path
from typing import NamedTuple

import pytest
from visible_twins import (
    HIDDEN,
    SECOND,
    WRITES,
    Call,
    Twin,
    arguments_for,
    calls_of,
    masked,
    open_twin,
    word_model,
)

pytestmark = pytest.mark.slow


class Twins(NamedTuple):
    """Two vaults, and whether their hidden notes are equally long."""

    first: Twin
    second: Twin
    same_lengths: bool

    @property
    def both(self) -> tuple[Twin, Twin]:
        return self.first, self.second


class Allowed(NamedTuple):
    """A difference that is allowed: where, what of the reply, and how it is listed."""

    verbs: tuple[str, ...]
    pattern: str
    listed: str


ALLOWED = (
    Allowed(
        ("glassmind_status", "GET /stats"),
        r'Size: [^"]*|"index_bytes": \d+|"bytes": \{[^}]*\}',
        "The size of the index",
    ),
    Allowed(
        ("GET /changes",),
        r"(?s).*",
        "That another client's change rewrote links in hidden notes",
    ),
    Allowed(
        ("GET /metrics",),
        r"(?s).*",
        "What the server does",
    ),
)
"""The differences of "What an agent can still find out" in docs/security.md."""

KEYWORD_VERBS = {
    "glassmind_search",
    "glassmind_context",
    "glassmind_suggest",
    "glassmind_rank",
    "glassmind_recall",
    "search",
    "vault_search",
    "semantic_search",
    "search_files",
    "POST /search",
    "POST /context",
    "POST /graph/suggest/apply",
    "GET /recall",
    "GET /graph/suggest",
    "GET /graph/rank",
    "GET /api/search",
    "GET /api/kb/ask",
}
"""Verbs whose scores depend on the average length of all notes, hidden ones included.

They are compared where the second vault hides notes of the same length, before any
change: deleted passages count in the average too. `test_leaks_keywords.py` compares
keyword search where the second vault hides nothing.
"""


@pytest.fixture(scope="module")
def twins(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Twins]:
    root = tmp_path_factory.mktemp("twins")
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        word_model(patch)
        kind, other = request.param
        first = open_twin(stack, root / "a", HIDDEN, kind)
        second = open_twin(stack, root / "b", SECOND[other], kind)
        yield Twins(first, second, same_lengths=other == "others")


def over(fast: tuple[str, str], *slow: tuple[str, str]) -> pytest.MarkDecorator:
    """Run a test over vaults: what hides notes, and what the second vault hides."""
    params = [
        pytest.param(one, id="-".join(one), marks=[pytest.mark.slow] if at else [])
        for at, one in enumerate((fast, *slow))
    ]
    return pytest.mark.parametrize("twins", params, indirect=True)


READS = (
    ("private", "others"),
    ("private", "none"),
    ("folder", "none"),
    ("excluded", "none"),
    ("tag", "none"),
    ("tag", "others"),
)
CHANGES = (("folder", "others"), ("private", "others"), ("excluded", "others"))
"""Changes are made where both vaults hide notes: in a vault without hidden notes themes
keep their ids after a change, else they are numbered again."""


def differences(
    twins: Twins, calls: Iterable[Call], *, keyword: bool = False
) -> Iterator[str]:
    """Yield how the replies to each call differ, for those that do."""
    for call in calls:
        if call.verb in KEYWORD_VERBS and not keyword:
            continue
        one, other = (
            allowed(call.verb, masked(twin.reply(call), twin)).splitlines()
            for twin in twins.both
        )
        names = "with hidden notes", "without"
        lines = list(unified_diff(one, other, *names, lineterm="", n=1))
        if lines:
            yield "\n".join([f"{call.verb} {call.given}", *lines, ""])


def allowed(verb: str, reply: str) -> str:
    """Return a reply without the differences that are allowed there."""
    for one in ALLOWED:
        if verb in one.verbs:
            reply = re.sub(one.pattern, f"<{one.listed}>", reply)
    return reply


def shared_calls(twins: Twins) -> list[Call]:
    """Return calls of every tool and route, which both servers must list alike."""
    one, other = ([*calls_of(twin)] for twin in twins.both)
    assert one == other
    return one


def reads(twins: Twins) -> list[Call]:
    return [call for call in shared_calls(twins) if not call.writes]


def check(found: Iterator[str]) -> None:
    if told := list(found):
        text = "\n".join(told)
        pytest.fail(f"{len(told)} replies differ\n{text}", pytrace=False)


@over(*READS)
def test_no_read_replies_differently_for_hidden_notes(twins: Twins) -> None:
    check(differences(twins, reads(twins), keyword=twins.same_lengths))


@pytest.mark.parametrize(
    ("twins", "every_call"),
    [
        pytest.param(CHANGES[0], False, id="one call per verb"),
        *(
            pytest.param(kinds, True, id="-".join(kinds), marks=pytest.mark.slow)
            for kinds in CHANGES
        ),
    ],
    indirect=["twins"],
)
def test_no_change_replies_differently_for_hidden_notes(
    twins: Twins, every_call: bool
) -> None:
    calls = [call for call in shared_calls(twins) if call.writes]

    check(differences(twins, calls))

    for call in WRITES:
        assert '"is_error": false' in twins[0].reply(call)
        assert '"is_error": false' in twins[1].reply(call)
    for twin in twins.both:
        twin.settle()
    after = reads(twins)
    if not every_call:
        after = [*{call.verb: call for call in after}.values()]
    check(differences(twins, after))


@pytest.mark.parametrize("one", ALLOWED, ids=lambda one: one.listed)
def test_an_allowed_difference_is_on_the_security_page(one: Allowed) -> None:
    page = Path(__file__).parents[2].joinpath("docs/security.md").read_text("utf-8")
    listed = page.partition("## What an agent can still find out")[2].partition("## ")[
        0
    ]

    assert f"- **{one.listed}**" in listed


def test_an_argument_without_values_in_the_table_fails() -> None:
    schema = {"properties": {"colour": {"type": "string"}}}

    with pytest.raises(LookupError, match="'colour' of glassmind_paint"):
        list(arguments_for("glassmind_paint", schema))
