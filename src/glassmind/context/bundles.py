"""Bundles of what matters in a vault: for a question, or of what is active now."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Literal

from msgspec import structs

from glassmind.context.briefing import brief
from glassmind.context.budget import made_within
from glassmind.context.evidence import GatherRequest, gathered
from glassmind.context.items import BundleScope
from glassmind.context.markdown import bundle_as_markdown, receipts_of
from glassmind.context.packing import BundlePlan, Packer
from glassmind.context.parts import (
    COUNTED,
    SUMMARIES,
    ContextParts,
    StaleCheck,
    day_or_today,
    inbox_notice,
    shown_in,
)
from glassmind.context.passages import (
    NoteRequest,
    candidates,
    requests_of,
    says_little,
)
from glassmind.context.question_words import QuestionTerms, question_words
from glassmind.context.summaries import summarize
from glassmind.errors import BudgetTooSmall
from glassmind.model.context import (
    AnswerSources,
    Briefing,
    Bundle,
    ReceiptCheck,
    Summary,
)
from glassmind.model.search import Intent, Mode
from glassmind.search.verify import verify

if TYPE_CHECKING:
    from glassmind.model.memory import ActivityOverview

FEWEST_NOTES, MOST_NOTES, NOTE_TOKENS = 10, 100, 230
"""Notes that are looked for: one in so many tokens of the budget. A short passage with
its title and its receipt takes a little more than half of that."""

FAR_OFF, NEAR_MISS_TOKENS = 0.15, 800
"""Confidence below which a few near misses are all that is shown. Of 30 questions to
the sample vault in other words than its own, one is below; of 20 about things far from
it 16 are, and so is nonsense."""

AHEAD = 50
"""Summaries that may be more active than all notes."""

NEXT, PARTS = 3, 3
"""A passage comes with its neighbours, so the next begins three chunks further; and
passages of one active note."""


class Bundles:
    """Packs what matters in a vault; for any number of threads."""

    def __init__(self, parts: ContextParts) -> None:
        self._parts = parts

    def pack(  # noqa: PLR0913 - each option by its name
        self,
        query: str,
        *,
        budget_tokens: int | None = None,
        limit: int | None = None,
        project: str | None = None,
        mode: Mode | None = None,
        intent: Intent | Literal["auto"] | None = "auto",
        save: bool = False,
        today: date | None = None,
    ) -> Bundle:
        """Return what matters for a question, within the budget.

        `limit` is the most notes. With `save`, it is kept in the agent folder.
        """
        with self._parts.vault.faults():
            plan = _plan(self._parts, query, budget_tokens, limit, project, today=today)
            reply = self._parts.search(
                query,
                limit=plan.limit,
                mode=mode,
                intent=intent,
                project=project or None,
                today=plan.scope.today,
            )
            frame = structs.replace(
                plan.frame,
                confidence=reply.confidence,
                doubtful=reply.is_doubtful,
                channels=reply.channels,
                mode=reply.mode,
                intent=reply.intent,
                degraded=reply.degraded,
            )
            words = question_words(query, reply.hits)
            plan = replace(plan, frame=frame, words=words)
            bundle = _made(self._parts, plan, requests_of(reply.hits))
            if not save:
                return bundle
            title = f"Context: {' '.join(bundle.query.split())[:80]}"
            text, receipts = bundle_as_markdown(bundle), receipts_of(bundle)
            path = self._parts.renew(title, bundle.project, text, receipts)
            return structs.replace(bundle, saved=path)

    def gather(self, request: GatherRequest) -> AnswerSources:
        """Return the passages that may answer a question, and what they answer."""
        with self._parts.vault.faults():
            return gathered(self._parts, request)

    def hot(
        self,
        *,
        budget_tokens: int | None = None,
        project: str | None = None,
        limit: int = 10,
        today: date | None = None,
    ) -> Bundle:
        """Return what is active now, without a question."""
        with self._parts.vault.faults():
            plan = _plan(self._parts, "", budget_tokens, limit, project, today=today)
            warm = self._parts.warmth(
                limit=limit + AHEAD, project=project, today=plan.scope.today.isoformat()
            )
            degraded = (*warm.notices, *inbox_notice(warm.waiting))
            frame = structs.replace(plan.frame, degraded=degraded)
            return _made(
                self._parts,
                replace(plan, frame=frame),
                _openings(self._parts, warm, limit),
            )

    def verify(self, receipts: Sequence[str]) -> list[ReceiptCheck]:
        """Return what became of the lines that receipts cite, in order."""
        return verify(self._parts.vault, receipts)

    def brief(
        self,
        *,
        project: str | None = None,
        since: str | None = None,
        budget_tokens: int | None = None,
        today: date | None = None,
    ) -> Briefing:
        """Return what is active, decided and open, and what changed since a day."""
        with self._parts.vault.faults():
            return brief(self._parts, project, since, budget_tokens, today)

    def summarize(
        self,
        project: str,
        *,
        budget_tokens: int | None = None,
        save: bool = True,
        today: date | None = None,
    ) -> Summary:
        """Summarize a project in sentences of its own notes, each cited.

        With `save`, it replaces the former summary of the project in the agent folder,
        which goes to the trash. Agents read it there, so nothing private is in it.
        """
        if save and self._parts.vault.scope is None:
            public = self._parts.public()
            return public.summarize(project, budget_tokens=budget_tokens, today=today)
        with self._parts.vault.faults():
            return summarize(self._parts, project, budget_tokens, today, save=save)


def _plan(  # noqa: PLR0913 - what a bundle is asked for
    parts: ContextParts,
    query: str,
    budget_tokens: int | None,
    limit: int | None,
    project: str | None,
    *,
    today: date | None,
) -> BundlePlan:
    budget = parts.budget(budget_tokens)
    members = parts.members_of(project)
    if limit is None:
        limit = max(FEWEST_NOTES, min(MOST_NOTES, budget // NOTE_TOKENS))
    return BundlePlan(
        frame=Bundle(query, budget, 0, "", project=project or ""),
        words=QuestionTerms(),
        limit=limit,
        scope=BundleScope(
            note_ids=(),
            project_ids=frozenset(note.note_id for note in members),
            query=query,
            today=day_or_today(today),
            agent=parts.agent,
        ),
    )


def _made(
    parts: ContextParts, plan: BundlePlan, requests: Sequence[NoteRequest]
) -> Bundle:
    summaries = f"{parts.agent}/{SUMMARIES}/"
    notes = [request for request in requests if not request.path.startswith(summaries)]
    stale, counter = StaleCheck(parts), parts.counter

    def pack(budget: int) -> Bundle:
        """Return the bundle with a notice of its stale notes.

        Notes that lend only a decision are known once it is made; where one of them is
        stale too, it is made once more with that notice.
        """
        frame = structs.replace(
            plan.frame,
            budget_tokens=budget,
            tokenizer=counter.name,
            degraded=(*stale.notices(), *plan.frame.degraded),
        )
        current = replace(plan, frame=frame)
        bundle = Packer(current, bundle_candidates, parts.sections(), counter).bundle()
        return pack(budget) if stale.look(shown_in(bundle)) else bundle

    def within(budget: int) -> Bundle:
        """Return the bundle of a budget; a question far from the vault gets a part."""
        confidence = plan.frame.confidence
        far_off = confidence is not None and confidence < FAR_OFF
        if far_off and budget > NEAR_MISS_TOKENS:
            with suppress(BudgetTooSmall):
                return structs.replace(pack(NEAR_MISS_TOKENS), budget_tokens=budget)
        return pack(budget)

    with parts.vault.rows().still():
        bundle_candidates = candidates(notes, parts.vault.rows())
        bundle_candidates.sort(key=says_little)
        stale.look(candidate.note.path for candidate in bundle_candidates)
        made = made_within(plan.frame.budget_tokens, within)
    verb = "context" if plan.frame.query else "hot"
    parts.used(verb, [note.path for note in made.notes[:COUNTED]])
    return made


def _openings(
    parts: ContextParts, warm: "ActivityOverview", limit: int
) -> list[NoteRequest]:
    """Return how active notes begin, and how they go on; summaries are left out."""
    with parts.vault.rows().still():
        rows = parts.vault.rows()
        notes = rows.packed_notes([active_note.path for active_note in warm.notes])
        first = rows.openings([note.note_id for note in notes.values()])
    summaries = f"{parts.agent}/{SUMMARIES}/"
    requests = []
    for active_note in warm.notes:
        if active_note.path in notes and not active_note.path.startswith(summaries):
            begun = first.get(notes[active_note.path].note_id, 0)
            indexes = tuple(begun + NEXT * number for number in range(PARTS))
            why = "; ".join(active_note.reasons)
            requests.append(
                NoteRequest(active_note.path, active_note.heat, why, (), indexes)
            )
    return requests[:limit]
