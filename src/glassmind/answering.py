"""Answering one question: with the word index level, and mended where it is damaged.

Here is also what the engine takes from outside, since nothing else needs all of it.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import date
from typing import TYPE_CHECKING, NamedTuple, Protocol

from glassmind.config import Config
from glassmind.errors import IndexDamaged
from glassmind.model import NotePath
from glassmind.model.search import (
    Filter,
    Hit,
    SearchReply,
    Wish,
    WordQuery,
)
from glassmind.search.keyword import search_words
from glassmind.search.passages import waits_in_inbox
from glassmind.search.query import is_by_words_alone, unheeded

if TYPE_CHECKING:  # of verbs that a search does not use, a millisecond each
    from glassmind.context.answers.desk import Gather
    from glassmind.context.answers.verbs import Answers
    from glassmind.context.bundles import Bundles
    from glassmind.context.parts import Sources
    from glassmind.edit.editing import Editing
    from glassmind.edit.trust import Trust
    from glassmind.graph.knowledge import Knowledge
    from glassmind.index.keeper import IndexKeeper
    from glassmind.index.watching import Watching
    from glassmind.memory.cabinet import Acts
    from glassmind.memory.verbs import Memory
    from glassmind.model.access import Scope
    from glassmind.model.adjustments import Successor
    from glassmind.ports.editing import Refresh
    from glassmind.ports.elsewhere import Elsewhere
    from glassmind.ports.hindsight import OtherMemory
    from glassmind.ports.retrieval import FollowingWords, HitRows, WordSearch
    from glassmind.search.hybrid import Hybrid
    from glassmind.search.notes import NoteReader

PATIENCE_S = 2.0
"""How long a search waits for whoever writes the index, to find an edit."""


class UseRecord(Protocol):
    """What was handed out, on record."""

    def append(self, verb: str, client: str, paths: Sequence[str], /) -> bool:
        """Add an event; return whether it is on record."""


class Adapters(Protocol):
    """What `wiring` gives the engine."""

    config: Config

    @property
    def use_log(self) -> UseRecord:
        """Where what was handed out goes on record."""

    @property
    def hindsight(self) -> "OtherMemory | None":
        """The memory beside the vault; None where none is to be asked."""

    def elsewhere(self) -> "Elsewhere | None":
        """Return who answers in our place; None when nobody does."""

    def notices(self) -> list[str]:
        """Return what a user should know about where the index stands."""

    def faults(self) -> AbstractContextManager[None]:
        """Return what names the faults of everything done inside it."""

    def head(self) -> str:
        """Return how far the rows have come."""

    def is_owed(self, head: str, /) -> bool:
        """Whether the rows came that far by an edit, whose words are to be found."""

    def rows(self) -> "HitRows":
        """Return the rows of hits."""

    def successors(self, head: str, /) -> "Mapping[int, Successor]":
        """Return which notes were superseded, and by what, as of a head."""

    def words(self) -> "FollowingWords | None":
        """Return the word index; None when there is none that can be opened."""

    @property
    def trust(self) -> "Trust | None":
        """Who was given what nobody vouches for; None where nobody asks for that."""

    def settle(self) -> tuple[str, ...]:
        """Bring a change that was cut short to its end; say what was done."""

    def found_renamed(self, pairs: Sequence[tuple[NotePath, NotePath]], /) -> None:
        """Keep which notes were renamed, for whoever looks after links next."""

    def editing(
        self, refresh: "Refresh", handed: Callable[[Sequence[NotePath]], None], /
    ) -> "Editing":
        """Return what changes notes.

        `refresh` brings files into the index, `handed` is told whose text is shown.
        """

    def hybrid(self, words: "WordSearch", /) -> "Hybrid":
        """Return what answers by more than words."""

    def keeper(self) -> "IndexKeeper":
        """Return what writes, examines and copies the index."""

    def knowledge(self, found: Callable[[str, int], SearchReply], /) -> "Knowledge":
        """Return what tells what follows from the links."""

    def bundles(self, sources: "Sources", /) -> "Bundles":
        """Return what packs notes for an agent."""

    def answers(self, gather: "Gather", /) -> "Answers":
        """Return what answers questions."""

    def memory(self, acts: "Acts", /) -> "Memory":
        """Return what agents and people leave in the agent folder."""

    def watching(self, renew: Callable[[float], None], /) -> "Watching":
        """Return what follows the vault, calling `renew` when links have changed."""

    def notes(self) -> "NoteReader":
        """Return what reads single notes and lists."""

    def seen_by(self, scope: "Scope", /) -> "Adapters":
        """Return the adapters for whoever has a scope; closed with these."""

    def close(self) -> None:
        """Let go of everything."""


class Asked(NamedTuple):
    """A question, taken apart, with what is wished for on that day."""

    text: str
    query: WordQuery
    wish: Wish
    day: date


def reply_to(adapters: Adapters, asked: Asked, *, alone: bool) -> SearchReply:
    """Return the answer: by words alone or `alone` our own, else of who answers for us.

    Raises:
        IndexDamaged: the index does not read well and could not be mended.
    """
    text, query, wish, day = asked
    if not alone and not is_by_words_alone(query, wish):
        other = adapters.elsewhere()
        found = other.search(text, wish, day) if other else None
        if found is not None:
            return found
    return answered(adapters, asked)


def answered(adapters: Adapters, asked: Asked) -> SearchReply:
    """Return the answer, with what a user should know about where it comes from.

    Raises:
        IndexDamaged: the index does not read well and could not be mended.
    """
    with adapters.faults():
        notices = [*adapters.notices()]
        head = adapters.head()
        asked = _in_project(adapters, asked)
        words = _current_words(adapters, head, notices)
        old = adapters.successors(head)
        try:
            reply = _answer(adapters, asked, words, old)
        except IndexDamaged as error:
            reply = _answer(adapters, asked, _mended_words(adapters, error), old)
    hits = tuple(_with_mark(hit, adapters.config) for hit in reply.hits)
    return reply._replace(hits=hits, degraded=(*notices, *reply.degraded))


def _with_mark(hit: Hit, config: Config) -> Hit:
    """Return a hit that says so where its note waits in the inbox, by its place."""
    waits = waits_in_inbox(hit.path, config.writes.agent_dir)
    return hit._replace(generated=True) if waits and not hit.generated else hit


def _in_project(adapters: Adapters, asked: Asked) -> Asked:
    """Return the question as one to the notes of its project, if it has one.

    Raises:
        ProjectUnknown: that has no notes.
    """
    if asked.wish.project is None:
        return asked
    paths = adapters.notes().members(asked.wish.project)
    among = (*asked.query.filters, Filter("among", paths=paths))
    return asked._replace(query=asked.query._replace(filters=among))


def _answer(
    adapters: Adapters,
    asked: Asked,
    words: "FollowingWords",
    successors: "Mapping[int, Successor]",
) -> SearchReply:
    text, query, wish, day = asked
    if not is_by_words_alone(query, wish):
        return adapters.hybrid(words).answer(text, query, wish, day)
    if wish.root_note is not None:  # not followed, yet no name that nobody has
        adapters.notes().find(wish.root_note)
    hits = search_words(
        query,
        words,
        adapters.rows(),
        limit=wish.limit,
        per_note=wish.unique == "notes",
        threshold=wish.threshold,
        explain=wish.explain,
        successors=successors,
    )
    passed_by = unheeded(wish, by_meaning=False)
    return SearchReply(text, tuple(hits), passed_by, channels=("lexical",))


def _current_words(
    adapters: Adapters, head: str, notices: list[str]
) -> "FollowingWords":
    """Return the word index, brought up to the rows if nobody else is at it."""
    words = adapters.words()
    if words is not None and words.reaches(head):
        return words
    wait_s = PATIENCE_S if adapters.is_owed(head) else 0.0
    reason = adapters.keeper().catch_up(wait_s)
    words = adapters.words()
    if words is None:
        raise IndexDamaged("the word index", reason or "it cannot be opened")
    if reason is not None and not words.reaches(head):
        notices.append(f"the latest changes are not searched yet: {reason}")
    return words


def _mended_words(adapters: Adapters, error: IndexDamaged) -> "FollowingWords":
    """Return the word index made anew, when it was what was damaged."""
    if not adapters.keeper().remake_words(error):
        raise error
    words = adapters.words()
    if words is None:
        raise error
    return words
