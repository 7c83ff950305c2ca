"""Who was given text that nobody vouches for."""

from collections.abc import Sequence

import pytest

from glassmind.editing.trust import Trust
from glassmind.errors import IndexAbsent
from glassmind.types import NotePath


def paths(*names: str) -> list[NotePath]:
    return [NotePath(name) for name in names]


def tagged(tag: str) -> Sequence[NotePath]:
    return {"#web": paths("Notes/Page.md")}.get(tag, [])


def no_rows(_: str) -> Sequence[NotePath]:
    raise IndexAbsent("nowhere")


def test_any_note_taints_where_none_is_named() -> None:
    trust = Trust((), tagged)

    trust.hand("robot", paths("Log.md"))

    assert trust.is_tainted("robot")
    assert not trust.is_tainted("other")


def test_an_answer_without_notes_taints_nobody() -> None:
    trust = Trust((), tagged)

    trust.hand("robot", [])

    assert not trust.is_tainted("robot")


@pytest.mark.parametrize("path", ["Clippings/Page.md", "clippings/deep/Page.md"])
def test_a_note_of_a_folder_that_is_named_taints(path: str) -> None:
    trust = Trust(("Clippings", "/Mail/"), tagged)

    trust.hand("robot", paths("Log.md", path))

    assert trust.is_tainted("robot")


def test_other_notes_do_not_where_some_are_named() -> None:
    trust = Trust(("Clippings", "#web"), tagged)

    trust.hand("robot", paths("Log.md", "Clippings.md"))

    assert not trust.is_tainted("robot")


def test_a_note_with_a_tag_that_is_named_taints() -> None:
    trust = Trust(("#web",), tagged)

    trust.hand("robot", paths("Notes/Page.md"))
    trust.hand("other", paths("Log.md"))

    assert trust.is_tainted("robot")
    assert not trust.is_tainted("other")


def test_what_may_hold_text_of_any_note_taints() -> None:
    trust = Trust(("Clippings",), tagged)

    trust.hand("robot", None)

    assert trust.is_tainted("robot")


def test_whoever_is_tainted_stays_so() -> None:
    known = {"#web": paths("Page.md")}
    trust = Trust(("#web",), lambda tag: known[tag])
    trust.hand("robot", paths("Page.md"))
    assert trust.is_tainted("robot")

    known["#web"] = []
    trust.hand("robot", paths("Log.md"))

    assert trust.is_tainted("robot")


def test_where_tags_cannot_be_told_a_note_taints() -> None:
    trust = Trust(("#web",), no_rows)
    assert not trust.is_tainted("robot")

    trust.hand("robot", paths("Log.md"))

    assert trust.is_tainted("robot")
