"""Suggestions for one note as one edit: each is tried on what the others leave.

Two that add to one list would undo each other if both were made for the note as it is.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from glassmind.files.read import digest_of
from glassmind.files.spelling import Pen
from glassmind.graph.suggest.edits import (
    Page,
    edit_for_mention,
    edit_for_relation,
    page_from,
)
from glassmind.graph.suggest.outlook import Pages
from glassmind.graph.suggest.property_edits import edit_for_property
from glassmind.graph.suggest.reciprocal import ONE_EACH
from glassmind.model import NotePath
from glassmind.model.repairs import LinkEdit, Unmended
from glassmind.model.suggestions import ProposedEdit, Suggestion

if TYPE_CHECKING:
    from glassmind.graph.study import Study

NO_EDIT = "no link to it can be written there; it has to be done by hand"
CHANGED = "its note changed while it was looked at; ask again"
TAKEN = "another link is put where it would stand"
ONLY_ONE = "its property leads to one note, and is given to another"


class Wish(NamedTuple):
    """A suggestion that is to be followed, and the key that it is told under."""

    key: str
    suggestion: Suggestion


def joined(
    study: "Study", wishes: Iterable[Wish]
) -> tuple[list[LinkEdit], list[Unmended]]:
    """Return an edit for each note that follows its suggestions, and what is left."""
    by_note: dict[NotePath, list[Wish]] = {}
    for wish in wishes:
        by_note.setdefault(wish.suggestion.source, []).append(wish)
    facts = study.facts()
    made: list[LinkEdit] = []
    left: list[Unmended] = []
    with study.files() as files:
        pages = Pages(files)
        for path, some in sorted(by_note.items()):
            page = pages.at(path)
            if page is None:
                left += [Unmended(one.key, NO_EDIT) for one in some]
                continue
            edit = _edit_of(page, some, facts.pen, left)
            if edit is not None:
                made.append(edit)
    return made, left


def _edit_of(
    page: Page, wishes: Sequence[Wish], pen: Pen, left: list[Unmended]
) -> LinkEdit | None:
    now, keys = page, []
    done: set[str] = set()
    for wish in _in_order(page, wishes, left):
        name = (wish.suggestion.property or "").lower()
        if name in ONE_EACH and name in done:
            left.append(Unmended(wish.key, ONLY_ONE))
            continue
        edit = _tried(now, wish.suggestion, pen)
        raw = None if edit is None else _with(now.raw, edit)
        after = None if raw is None else page_from(page.note.path, raw)
        if after is None:
            left.append(Unmended(wish.key, NO_EDIT))
            continue
        now = after
        done.add(name)
        keys.append(wish.key)
    return LinkEdit(tuple(keys), _between(page, now)) if keys else None


def _in_order(
    page: Page, wishes: Sequence[Wish], left: list[Unmended]
) -> Iterator[Wish]:
    """Yield what can be followed: names from the last one on, then what is added."""
    digest = digest_of(page.raw)
    named: list[tuple[int, int, Wish]] = []
    added: list[Wish] = []
    for wish in wishes:
        edit, mention = wish.suggestion.edit, wish.suggestion.mention
        if edit is None or edit.digest != digest:
            left.append(Unmended(wish.key, NO_EDIT if edit is None else CHANGED))
        elif mention is None or wish.suggestion.property:
            added.append(wish)
        elif any(
            mention.bytes[0] < end and start < mention.bytes[1]
            for start, end, _ in named
        ):
            left.append(Unmended(wish.key, TAKEN))
        else:
            named.append((*mention.bytes, wish))
    named.sort(key=lambda one: -one[0])
    yield from (wish for _, _, wish in named)
    yield from added


def _tried(page: Page, one: Suggestion, pen: Pen) -> ProposedEdit | None:
    if one.property:
        many = one.property.lower() not in ONE_EACH
        return edit_for_property(page, one.property, one.target, pen, many=many)
    if one.mention is not None:
        return edit_for_mention(page, one.mention, one.target, pen)
    return edit_for_relation(page, one.target, pen)


def _with(raw: bytes, edit: ProposedEdit) -> bytes:
    start, end = edit.bytes
    return raw[:start] + edit.after.encode() + raw[end:]


def _between(page: Page, after: Page) -> ProposedEdit:
    """Return the one edit that makes a note of another, from the first difference."""
    was, now = page.note.text, after.note.text
    most = min(len(was), len(now))
    start = next((at for at in range(most) if was[at] != now[at]), most)
    same = most - start
    tail = next((at for at in range(same) if was[-1 - at] != now[-1 - at]), same)
    before, text = was[start : len(was) - tail], now[start : len(now) - tail]
    at = page.base + len(was[:start].encode())
    return ProposedEdit(
        path=page.note.path,
        digest=digest_of(page.raw),
        line=was.count("\n", 0, start) + 1,
        bytes=(at, at + len(before.encode())),
        before=before,
        after=text,
    )
