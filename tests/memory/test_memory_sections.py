"""Memos in the note of their project: apart from each other, whatever they say."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_memory_notes import HOSTILE, KINDS, LINES, MEMO, TEXTS, said

from glassmind.errors import MemoUnreadable
from glassmind.memory.format import (
    FIRST_STATUS,
    belongs_in,
    memos_in,
    new_note,
    read_memo,
    with_facts,
    with_section,
    without_section,
)
from glassmind.model import NotePath
from glassmind.model.memory import Memo, MemoKind
from glassmind.obsidian.notes import parse_note

PATH = NotePath(".agent/decisions/Tea.md")


def note_of(*memos: Memo, newline: str = "\n") -> tuple[str, list[Memo]]:
    """Return a note with some memos, and these as they should be read from it."""
    text, kept = new_note(memos[0]).replace("\n", newline), []
    for memo in memos:
        text, heading = with_section(text, memo, newline=newline)
        title = heading.partition(" ")[2]
        kept.append(replace(memo, path=PATH, title=title, section=heading))
    return text, kept


def with_line_feeds(memo: Memo) -> Memo:
    """Return a memo as it is read from a note of several."""
    return replace(memo, text=memo.text.replace("\r\n", "\n").replace("\r", "\n"))


@given(
    texts=st.lists(TEXTS, min_size=1, max_size=4),
    kind=st.sampled_from(KINDS),
    project=LINES,
)
def test_memos_of_one_note_are_read_back_as_they_were_written(
    texts: list[str], kind: MemoKind, project: str
) -> None:
    new = FIRST_STATUS[kind]
    memos = [
        replace(MEMO, text=said(text), kind=kind, status=new, project=project)
        for text in texts
    ]

    text, kept = note_of(*memos)

    assert memos_in(PATH, text, ".agent") == [with_line_feeds(memo) for memo in kept]
    assert belongs_in(memos[0], text)
    assert read_memo(PATH, text, ".agent") is None


@pytest.mark.parametrize("hostile", HOSTILE)
def test_no_text_reaches_into_the_section_after_it(hostile: str) -> None:
    one = replace(MEMO, text=hostile.strip("\r\n"), title="First")
    other = replace(MEMO, text="Harmless", title="Second")

    text, _ = note_of(one, other)

    headings = [heading.text for heading in parse_note(PATH, text).headings]
    assert headings == ["2026-03-01 First", "2026-03-01 Second"]
    for end in ("\r\n", "\r", "\x0b", "\x0c", "\x85", "\u2028", "\u2029"):
        again = text.replace(end, "\n")  # as an editor may save it
        assert len(memos_in(PATH, again, ".agent")) == 2, end


def test_sections_of_the_same_words_get_a_number() -> None:
    _, kept = note_of(MEMO, MEMO, MEMO)

    assert [memo.section for memo in kept] == [
        "2026-03-01 Drink oolong",
        "2026-03-01 Drink oolong 2",
        "2026-03-01 Drink oolong 3",
    ]


@given(texts=st.lists(TEXTS, min_size=2, max_size=4), place=st.integers(0, 3))
def test_one_memo_is_superseded_and_the_others_stay(
    texts: list[str], place: int
) -> None:
    text, kept = note_of(*(replace(MEMO, text=said(text)) for text in texts))
    place %= len(kept)

    changed = with_facts(
        text,
        {"status": "superseded", "superseded-by": "[[New]]"},
        PATH,
        kept[place].section,
    )

    kept[place] = replace(kept[place], status="superseded", superseded_by="[[New]]")
    assert memos_in(PATH, changed, ".agent") == [with_line_feeds(memo) for memo in kept]


@given(texts=st.lists(TEXTS, min_size=2, max_size=4), place=st.integers(0, 3))
def test_one_memo_is_taken_out_and_the_others_stay(
    texts: list[str], place: int
) -> None:
    text, kept = note_of(*(replace(MEMO, text=said(text)) for text in texts))
    gone = kept.pop(place % len(kept))

    left, cut = without_section(text, gone.section, PATH)

    assert memos_in(PATH, left, ".agent") == [with_line_feeds(memo) for memo in kept]
    found = memos_in(PATH, f"{new_note(MEMO)}{cut}", ".agent")
    assert found == [with_line_feeds(gone)]


def test_facts_of_many_lines_stay_within_their_section() -> None:
    odd = "you\n\n## Heading\r> [!memo] x"
    one = replace(MEMO, client=odd, tags=(odd,), title=odd, created=odd)

    text, _ = note_of(one, MEMO)

    headings = [heading.text for heading in parse_note(PATH, text).headings]
    assert headings == [
        "you ## He you ## Heading > [!memo] x",
        "2026-03-01 Drink oolong",
    ]
    assert len(memos_in(PATH, text, ".agent")) == 2


def test_what_a_person_writes_around_the_memos_stays() -> None:
    text, kept = note_of(MEMO, MEMO)
    text = text.replace("\n## ", "\nMine, above.\n\n## ", 1) + "\n## Mine\n\nBelow.\n"
    text = text.replace("> client: tea-agent\n", "> client: tea-agent\n> mine: 1\n")

    changed = with_facts(text, {"status": "done"}, PATH, kept[0].section)
    left, cut = without_section(changed, kept[1].section, PATH)

    assert "Mine, above." in left
    assert left.endswith("\n## Mine\n\nBelow.\n")
    assert left.count("> mine: 1\n") == 1
    assert "> mine: 1\n" in cut
    assert [memo.status for memo in memos_in(PATH, left, ".agent")] == ["done"]


def test_line_ends_of_the_note_are_kept() -> None:
    text, kept = note_of(MEMO, MEMO, newline="\r\n")

    changed = with_facts(text, {"status": "done"}, PATH, kept[0].section)

    assert "\n" not in changed.replace("\r\n", "")
    found = memos_in(PATH, changed, ".agent")
    assert [memo.status for memo in found] == ["done", "current"]


def test_a_section_that_is_not_there_or_there_twice_is_told() -> None:
    text, kept = note_of(MEMO)

    with pytest.raises(MemoUnreadable, match="no memo in it is called"):
        without_section(text, "2026-03-01 Coffee", PATH)
    with pytest.raises(MemoUnreadable, match="more than one memo"):
        without_section(text + text, kept[0].section, PATH)


def test_a_note_of_its_own_holds_one_memo() -> None:
    from_own = memos_in(NotePath(".agent/tasks/Cups.md"), "Wash the cups\n", ".agent")

    assert [memo.text for memo in from_own] == ["Wash the cups"]
    assert memos_in(NotePath("Notes/Cups.md"), "Wash\n", ".agent") == []
