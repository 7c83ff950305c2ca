"""Answering one query, with the keyword index updated, or repaired if damaged."""

from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from glassmind.config import Config
from glassmind.errors import IndexDamaged
from glassmind.model.search import (
    Filter,
    Hit,
    SearchReply,
    Wish,
    WordQuery,
)
from glassmind.search.hits import is_in_inbox
from glassmind.search.keyword import search_words
from glassmind.search.notes import notes_for
from glassmind.search.query import is_by_words_alone, unheeded
from glassmind.vault import Vault

if TYPE_CHECKING:
    from glassmind.model.search import Successor
    from glassmind.store.lexical.search import KeywordIndex

PATIENCE_S = 2.0
"""How long a search waits for whoever writes the index, to find an edit."""


class Asked(NamedTuple):
    """A question, taken apart, with what is wished for on that day."""

    text: str
    query: WordQuery
    wish: Wish
    day: date


def reply_to(vault: Vault, asked: Asked, *, alone: bool) -> SearchReply:
    """Return the answer of the daemon, or our own by keywords alone or if `alone`.

    Raises:
        IndexDamaged: the index does not read well and could not be mended.
    """
    text, query, wish, day = asked
    if not alone and not is_by_words_alone(query, wish):
        found = vault.daemon().search(text, wish, day, vault.scope)
        if found is not None:
            return found
    with vault.faults():
        notices = [*vault.notices()]
        head = vault.head()
        asked = _in_project(vault, asked)
        words = _current_words(vault, head, notices)
        old = vault.successors(head)
        try:
            reply = _answer(vault, asked, words, old)
        except IndexDamaged as error:
            reply = _answer(vault, asked, _mended_words(vault, error), old)
    hits = tuple(_with_mark(hit, vault.config) for hit in reply.hits)
    return reply._replace(hits=hits, degraded=(*notices, *reply.degraded))


def _with_mark(hit: Hit, config: Config) -> Hit:
    """Return a hit that says so where its note waits in the inbox, by its place."""
    waits = is_in_inbox(hit.path, config.writes.agent_dir)
    return hit._replace(generated=True) if waits and not hit.generated else hit


def _in_project(vault: Vault, asked: Asked) -> Asked:
    """Return the question as one to the notes of its project, if it has one.

    Raises:
        ProjectUnknown: that has no notes.
    """
    if asked.wish.project is None:
        return asked
    paths = notes_for(vault).members(asked.wish.project)
    among = (*asked.query.filters, Filter("among", paths=paths))
    return asked._replace(query=asked.query._replace(filters=among))


def _answer(
    vault: Vault,
    asked: Asked,
    words: "KeywordIndex",
    successors: "Mapping[int, Successor]",
) -> SearchReply:
    text, query, wish, day = asked
    if not is_by_words_alone(query, wish):
        from glassmind.search.search import search  # noqa: PLC0415
        from glassmind.wiring.search import sources_for  # noqa: PLC0415 - numpy

        return search(sources_for(vault, words), text, query, wish, day)
    if wish.root_note is not None:  # not followed, yet no name that nobody has
        notes_for(vault).find(wish.root_note)
    hits = search_words(
        query,
        words,
        vault.rows(),
        limit=wish.limit,
        per_note=wish.unique == "notes",
        threshold=wish.threshold,
        explain=wish.explain,
        successors=successors,
    )
    passed_by = unheeded(wish, by_meaning=False)
    return SearchReply(text, tuple(hits), passed_by, channels=("lexical",))


def _current_words(vault: Vault, head: str, notices: list[str]) -> "KeywordIndex":
    """Return the word index, brought up to the rows if nobody else is at it."""
    words = vault.words()
    if words is not None and words.reaches(head):
        return words
    wait_s = PATIENCE_S if vault.is_owed(head) else 0.0
    from glassmind.index.keeper import IndexKeeper  # noqa: PLC0415

    reason = IndexKeeper(vault).catch_up(wait_s)
    words = vault.words()
    if words is None:
        raise IndexDamaged("the word index", reason or "it cannot be opened")
    if reason is not None and not words.reaches(head):
        notices.append(f"the latest changes are not searched yet: {reason}")
    return words


def _mended_words(vault: Vault, error: IndexDamaged) -> "KeywordIndex":
    """Return the word index made anew, when it was what was damaged."""
    from glassmind.index.keeper import IndexKeeper  # noqa: PLC0415

    if not IndexKeeper(vault).remake_words(error):
        raise error
    words = vault.words()
    if words is None:
        raise error
    return words
