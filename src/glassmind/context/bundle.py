"""Bundles for a question, and of what is alive without one."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec import structs

from glassmind.context.briefing import inbox_notice
from glassmind.context.budget import made_within
from glassmind.context.markdown import bundle_as_markdown, receipts_of
from glassmind.context.packing import Wanted, packed
from glassmind.context.parts import (
    SUMMARIES,
    ContextParts,
    StaleCheck,
    members_of,
    shown_in,
)
from glassmind.context.passages import (
    Candidate,
    NoteRequest,
    asked_of,
    candidates,
    says_little,
)
from glassmind.context.question_words import Terms, question_words
from glassmind.errors import BudgetTooSmall
from glassmind.model.context import Bundle
from glassmind.model.search import Intent, Mode

if TYPE_CHECKING:
    from glassmind.model.memory import Temperatures


FEWEST_NOTES, MOST_NOTES, NOTE_TOKENS = 10, 100, 230
"""Notes that are looked for: one in so many tokens of the budget. A short passage with
its title and its receipt takes a little more than half of that."""

COUNTED = 5
"""Notes of a bundle, from the best, that count as used, as those of a search do: what
follows was packed to be looked over."""

FAR_OFF, NEAR_MISS_TOKENS = 0.15, 800
"""Confidence below which a few near misses are all that is spent on a question. Of 30
questions to the sample vault in other words than its own, one stands below; of 20 about
things far from it 16 do, and so does nonsense."""

AHEAD = 50
"""Summaries that may be warmer than all notes; more were not made in a few days."""


class BundleRequest(NamedTuple):
    """How a bundle is wished for; what is None is for the settings to say."""

    budget_tokens: int | None = None
    limit: int | None = None
    project: str | None = None
    mode: Mode | None = None
    intent: Intent | Literal["auto"] | None = "auto"
    save: bool = False
    today: date | None = None


def bundle_for(shelf: ContextParts, query: str, wish: BundleRequest) -> Bundle:
    """Return what of a vault matters for a question.

    Raises:
        BudgetTooSmall: nothing useful fits.
        ProjectUnknown: no note belongs to the project.
        NothingAsked, BadDate, BadLimit, BadWish: as a search does.
    """
    budget = _budget(shelf, wish)
    today = wish.today or _today()
    limit = notes_for(budget) if wish.limit is None else wish.limit
    reply = shelf.sources.search(
        query,
        limit=limit,
        mode=wish.mode,
        intent=wish.intent,
        project=wish.project or None,
        today=today,
    )
    frame = Bundle(
        query=query,
        budget_tokens=budget,
        tokens=0,
        tokenizer="",
        project=wish.project or "",
        confidence=reply.confidence,
        doubtful=reply.is_doubtful,
        channels=reply.channels,
        mode=reply.mode,
        intent=reply.intent,
        degraded=reply.degraded,
    )
    wanted = _wanted(shelf, frame, limit=limit, today=today)
    wanted = replace(wanted, words=question_words(query, reply.hits))
    made = _made(shelf, wanted, asked_of(reply.hits))
    return _kept(shelf, made) if wish.save else made


def hot_bundle(shelf: ContextParts, wish: BundleRequest) -> Bundle:
    """Return what is alive now: the warmest notes, and what they say.

    Raises:
        BudgetTooSmall: nothing useful fits.
        ProjectUnknown: no note belongs to the project.
    """
    budget = _budget(shelf, wish)
    today = wish.today or _today()
    limit = notes_for(budget) if wish.limit is None else wish.limit
    warm = shelf.sources.warmth(
        limit=limit if limit > AHEAD else limit + AHEAD,
        project=wish.project,
        today=today.isoformat(),
    )
    frame = Bundle(
        query="",
        budget_tokens=budget,
        tokens=0,
        tokenizer="",
        project=wish.project or "",
        degraded=(*warm.notices, *inbox_notice(warm.waiting)),
    )
    wanted = _wanted(shelf, frame, limit=limit, today=today)
    return _made(shelf, wanted, _opened(shelf, warm, limit))


def notes_for(budget_tokens: int) -> int:
    """Return how many notes are looked for."""
    return max(FEWEST_NOTES, min(MOST_NOTES, budget_tokens // NOTE_TOKENS))


def _budget(shelf: ContextParts, wish: BundleRequest) -> int:
    usual, wished = shelf.config.context.budget_tokens, wish.budget_tokens
    return usual if wished is None else wished


def _wanted(shelf: ContextParts, frame: Bundle, *, limit: int, today: date) -> Wanted:
    members = members_of(shelf.projects, frame.project)
    return Wanted(
        frame=frame,
        words=Terms(),
        limit=limit,
        today=today,
        agent=shelf.config.writes.agent_dir.strip("/"),
        project_ids=frozenset(note.note_id for note in members),
    )


def _made(shelf: ContextParts, wanted: Wanted, asked: Sequence[NoteRequest]) -> Bundle:
    """Return the bundle, and take on record which notes it hands out."""
    frame = wanted.frame
    made_of_notes = f"{wanted.agent}/{SUMMARIES}/"
    notes = [one for one in asked if not one.path.startswith(made_of_notes)]
    with shelf.still():
        found = candidates(notes, shelf.passages())
        found.sort(key=says_little)
        lookout = StaleCheck(shelf)
        lookout.look(one.note.path for one in found)
        packing = Packing(shelf, wanted, found, lookout)
        made = made_within(frame.budget_tokens, packing.within)
    verb = "context" if frame.query else "hot"
    shelf.sources.used(verb, [note.path for note in made.notes[:COUNTED]])
    return made


class Packing(NamedTuple):
    """All that one bundle is made of, whatever its budget."""

    shelf: ContextParts
    wanted: Wanted
    found: Sequence[Candidate]
    lookout: StaleCheck

    def within(self, budget_tokens: int) -> Bundle:
        """Return the bundle of a budget, of which a vain question gets but a part.

        Raises:
            BudgetTooSmall: nothing useful fits.
        """
        made, confidence = None, self.wanted.frame.confidence
        far_off = confidence is not None and confidence < FAR_OFF
        if far_off and budget_tokens > NEAR_MISS_TOKENS:
            with suppress(BudgetTooSmall):
                made = self._packed(NEAR_MISS_TOKENS)
        return structs.replace(
            made or self._packed(budget_tokens), budget_tokens=budget_tokens
        )

    def _packed(self, budget_tokens: int) -> Bundle:
        """Return the bundle, which says what of it is behind the vault.

        Notes that lend but a decision are known only once it is made; where one of
        them is behind, too, it is made once more with that said.
        """
        counter, frame = self.shelf.counter(), self.wanted.frame
        frame = structs.replace(
            frame,
            budget_tokens=budget_tokens,
            tokenizer=counter.name,
            degraded=(*self.lookout.notices(), *frame.degraded),
        )
        wanted = replace(self.wanted, frame=frame)
        made = packed(wanted, self.found, self.shelf.sections(), counter)
        return (
            self._packed(budget_tokens) if self.lookout.look(shown_in(made)) else made
        )


def _opened(shelf: ContextParts, warm: "Temperatures", limit: int) -> list[NoteRequest]:
    """Return what warm notes begin with, and how they go on; summaries are none."""
    with shelf.still():
        rows = shelf.passages()
        notes = rows.notes([one.path for one in warm.notes])
        first = rows.openings([note.note_id for note in notes.values()])
    made_of_notes = f"{shelf.config.writes.agent_dir.strip('/')}/{SUMMARIES}/"
    found = []
    for one in warm.notes:
        if one.path in notes and not one.path.startswith(made_of_notes):
            begun = first.get(notes[one.path].note_id, 0)
            parts = tuple(begun + NEXT * number for number in range(PARTS))
            why = "; ".join(one.reasons)
            found.append(NoteRequest(one.path, one.heat, why, (), parts))
    return found[:limit]


NEXT, PARTS = 3, 3
"""A passage comes with its neighbours, so the next begins three chunks further; so many
of a note are shown where there is room."""


def _kept(shelf: ContextParts, made: Bundle) -> Bundle:
    """Return the bundle once it is kept, in the place of the former of its question."""
    title = f"Context: {' '.join(made.query.split())[:80]}"
    sources = receipts_of(made)
    path = shelf.sources.renew(title, made.project, bundle_as_markdown(made), sources)
    return structs.replace(made, saved=path)


def _today() -> date:
    return datetime.now().astimezone().date()
