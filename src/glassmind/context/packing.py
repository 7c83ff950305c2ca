"""Packing a bundle: many notes with a little of each, then more of the best.

An agent is served by the note it would not have asked for rather than by the last
lines of one it has. So room goes first to a short passage of as many notes as fit
three quarters of it, near-duplicates left out, and what is left lets the passages of
the best notes grow, the first by at most half of it, and so on.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from msgspec import structs

from glassmind.context.asking import Lookup, Terms
from glassmind.context.budget import Counter
from glassmind.context.choose import Reading
from glassmind.context.clipping import Clipper
from glassmind.context.cutting import (
    DIGEST_TOKENS,
    Cut,
    Entry,
    found_text,
    label_of,
    marked,
    numbered,
    overlap,
)
from glassmind.context.markdown import (
    answer_line,
    bundle_as_markdown,
    section,
)
from glassmind.context.page import Page
from glassmind.context.passages import Candidate
from glassmind.context.repeats import Shown, beside
from glassmind.context.scope import Scope, SectionRows
from glassmind.context.sections import (
    SHARES,
    Sections,
    refitted,
    sections_of,
    suggested_for,
    without_items,
)
from glassmind.context.sentences import CONFIDENT, Told, answer_from, cited
from glassmind.context.trimming import (
    at_least,
    fixed_tokens,
    follow_ups,
    left_out,
    without_last,
)
from glassmind.errors.context import BudgetTooSmall
from glassmind.model import NotePath
from glassmind.model.context import Bundle, Dropped

WIDTH = 0.75
"""Of the room for passages, what short ones of many notes may take."""

STUB_TOKENS, LONGEST_STUB = 48, 96
"""What is shown of a note at first: two or three sentences; twice as much where the
budget is for more notes than were found."""

ANSWER_SHARE, FOLLOW_SHARE, FOLLOW_TOKENS = 0.08, 0.05, 90
"""Of a budget, for the answer and for where to read on; and the most for the latter."""

SCOPE_TOKENS, FEWEST_IN_SCOPE, MOST_IN_SCOPE = 500, 4, 20
"""One note in so many tokens of budget lends its decisions, questions and tasks."""

LEAST_CUT, LEAST_SHOWN = 12, 24
"""Tokens below which a passage is not cut any shorter: it would say nothing. The first
is for the best note, which is shown if anything is; the second, about a sentence, for
others."""

FACT_SHARE, FACT_TOKENS = 0.05, 120
"""Of a budget, for properties that were asked for beside the passages of their notes;
and what they may take of any: two, with what stands around them."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a bundle is made for; `frame` has everything that no passage decides."""

    frame: Bundle
    words: Terms
    limit: int
    today: date
    agent: str
    project_ids: frozenset[int] = frozenset()


def packed(
    wanted: Wanted,
    candidates: Sequence[Candidate],
    rows: SectionRows,
    counter: Counter,
) -> Bundle:
    """Return the bundle of some notes, best first, within its budget.

    Raises:
        BudgetTooSmall: there is something to say, and none of it fits.
    """
    return _Packing(wanted, candidates, rows, counter).bundle()


class _Packing:
    """One bundle in the making; keeps how much room is left."""

    def __init__(
        self,
        wanted: Wanted,
        candidates: Sequence[Candidate],
        rows: SectionRows,
        counter: Counter,
    ) -> None:
        self._wanted, self._candidates = wanted, candidates
        self._count = counter.count
        self._counter, self._rows = counter, rows
        self._budget = wanted.frame.budget_tokens
        texts = [found_text(one) for one in candidates]
        whole = [one.passages[0].text for one in candidates]
        self._words = Lookup(wanted.words, whole)
        self._clipper = Clipper(self._words, self._count, texts)
        self._told: dict[NotePath, Told] = {}
        self._shown = Shown()
        self._twice = 0
        self._missed: list[Candidate] = []

    def bundle(self) -> Bundle:
        """Return the bundle."""
        frame = self._wanted.frame
        extra = self._sections() if self._candidates else Sections()
        fixed = self._fixed(extra)
        left = self._budget - fixed - extra.tokens
        answer, left = self._answer(left)
        entries, left = self._wide(left)
        if not entries and (extra.tokens or answer):  # a passage comes before all else
            extra, answer = without_items(extra), []
            left = self._budget - self._fixed(extra)
            self._missed.clear()
            self._told.clear()
            entries, left = self._wide(left)
        if self._candidates and not entries:
            labels = (self._count(label_of(one)) for one in self._candidates)
            least = fixed + min(labels) + DIGEST_TOKENS + STUB_TOKENS
            raise BudgetTooSmall(self._budget, least)
        follow_room = min(FOLLOW_TOKENS, int(FOLLOW_SHARE * self._budget))
        left = self._facts(entries, left - follow_room)
        reads = self._suggested(entries, left)
        left = self._grow_all(entries, left - reads.tokens)
        notes = tuple(entry.note() for entry in entries)
        further = follow_ups(notes, follow_room, self._count)
        left += 0 if further else follow_room
        extra, reads = self._refitted(extra, reads, left)
        made = structs.replace(
            frame,
            notes=notes,
            answer=cited(answer, entries),
            decisions=extra.decisions,
            questions=extra.questions,
            tasks=extra.tasks,
            suggested=reads.suggested,
            conflicts=extra.conflicts,
            follow_ups=further,
            dropped=(*self._left_out(), *extra.dropped, *reads.dropped),
        )
        return self._within(made, entries, answer)

    def _fixed(self, extra: Sections) -> int:
        many = len(self._candidates)
        return fixed_tokens(self._wanted.frame, extra.dropped, many, self._count)

    def _sections(self) -> Sections:
        most = max(FEWEST_IN_SCOPE, min(MOST_IN_SCOPE, self._budget // SCOPE_TOKENS))
        scope = self._scope(self._candidates[:most])
        found = sections_of(self._rows, scope, self._counter, self._budget)
        self._candidates = marked(self._candidates, found.replaced)
        return found._replace(dropped=at_least(found.dropped, self._rows.cut))

    def _suggested(self, entries: Sequence[Entry], left: int) -> Sections:
        """Return what to read beside the notes that are shown."""
        room = min(left, int(SHARES["suggested"] * self._budget))
        scope = self._scope([entry.candidate for entry in entries])
        return suggested_for(self._rows, scope, self._counter, max(0, room))

    def _refitted(
        self, extra: Sections, reads: Sections, left: int
    ) -> tuple[Sections, Sections]:
        """Return the sections with what passages left them no room for, but need not.

        Less than a short passage is seldom enough for another item.
        """
        if left < STUB_TOKENS:
            return extra, reads
        more = refitted(extra, self._counter, left)
        left -= more.tokens - extra.tokens
        return more, refitted(reads, self._counter, left)

    def _scope(self, candidates: Sequence[Candidate]) -> Scope:
        wanted = self._wanted
        return Scope(
            note_ids=tuple(one.note.note_id for one in candidates),
            project_ids=wanted.project_ids,
            query=wanted.frame.query,
            today=wanted.today,
            agent=wanted.agent,
        )

    def _wide(self, room: int) -> tuple[list[Entry], int]:
        """Return a short passage of each note, as many as fit, and the room left."""
        share = int(WIDTH * room)
        each = share // max(1, min(len(self._candidates), self._wanted.limit))
        stub = max(STUB_TOKENS, min(LONGEST_STUB, each - STUB_TOKENS))
        entries: list[Entry] = []
        for candidate in self._candidates:
            most = share if entries else room
            full = most < STUB_TOKENS or len(entries) == self._wanted.limit
            cost = most if full else self._count(label_of(candidate)) + DIGEST_TOKENS
            cut = None
            if cost < most:
                told = self._told.get(candidate.note.path)
                reading = self._clipper.reading(candidate, told, stub)
                cut = self._stub(reading, stub, most - cost, first=not entries)
            if cut is None:
                self._missed.append(candidate)
                continue
            cut = self._unsaid(cut, candidate, stub, most - cost)
            if cut is None:
                self._twice += 1
            else:
                shown = reading.stretch
                spare = [one for one in candidate.passages if one is not shown]
                entries.append(Entry(candidate, [cut], spare))
                self._shown.add(cut.text, cut.reading.stretch.text)
                share -= cost + cut.tokens
                room -= cost + cut.tokens
        return entries, room

    def _stub(
        self, reading: Reading, stub: int, room: int, *, first: bool = False
    ) -> Cut | None:
        """Return a short passage; of one that goes on no scrap."""
        cut = self._clipper.stub(reading, stub, room)
        scrap = cut and room < LEAST_SHOWN and cut.goes_on
        return None if scrap and not first else cut

    def _unsaid(
        self, cut: Cut, candidate: Candidate, stub: int, room: int
    ) -> Cut | None:
        """Return a passage, or where it is shown already another of the note.

        None when the note says nothing else.
        """
        if not self._shown.has(cut.text):
            return cut
        found = cut.reading.stretch
        others = (one for one in candidate.passages if one is not found)
        for part in (*beside(found, cut.start, cut.end), *others):
            other = self._stub(Reading(part, self._words), stub, room)
            if other and not self._shown.may_have(other.text, cut.text):
                return other
        return self._clipper.fact(cut, candidate, room)

    def _facts(self, entries: Sequence[Entry], left: int) -> int:
        """Show properties that were asked for; return the room left."""
        room = min(left, max(FACT_TOKENS, int(FACT_SHARE * self._budget)))
        for entry in entries if self._words.weights else ():
            fact = self._clipper.fact(entry.first, entry.candidate, room)
            if fact and not overlap(fact, entry.first):
                stretch = fact.reading.stretch
                label = self._count(label_of(entry.candidate, stretch))
                cost = label + DIGEST_TOKENS + fact.tokens
                if cost <= room:
                    entry.show(fact)
                    room -= cost
                    left -= cost
        return left

    def _grow_all(self, entries: Sequence[Entry], left: int) -> int:
        """Let passages grow, the best first, and return the room left."""
        for share in (2, 1):  # half of what is left for each, then all of it
            for entry in entries:
                if left >= STUB_TOKENS:
                    left -= self._grow(entry, left // share)
        return left

    def _grow(self, entry: Entry, extra: int) -> int:
        """Show more of a note; return what that takes."""
        taken = self._widen(entry, extra)
        if entry.spare and extra - taken > 2 * STUB_TOKENS:
            taken += self._add(entry, extra - taken)
        return taken

    def _widen(self, entry: Entry, extra: int) -> int:
        """Show more of the passage that was shown first; return what that takes."""
        old = entry.first
        if old.end - old.start >= len(old.reading.stretch.text.strip()):
            return 0
        cut = self._clipper.cut(old.reading, old.tokens + extra)
        if cut is None or cut.tokens <= old.tokens:
            return 0
        others = [one for one in entry.cuts if one is not old]
        if any(overlap(cut, other) for other in others):
            return 0
        entry.show(cut, instead=old)
        return cut.tokens - old.tokens

    def _add(self, entry: Entry, room: int) -> int:
        """Show a further passage of a note, if it is another; return what it takes."""
        reading = Reading(entry.spare.pop(0), self._words)
        label = label_of(entry.candidate, reading.stretch)
        cost = self._count(label) + DIGEST_TOKENS
        cut = self._clipper.cut(reading, room - cost)
        if cut is None or any(overlap(cut, other) for other in entry.cuts):
            return 0
        entry.show(cut)
        return cost + cut.tokens

    def _answer(self, left: int) -> tuple[list[Told], int]:
        """Return the sentences that answer, as far as they fit, and the room left."""
        frame = self._wanted.frame
        sure = frame.confidence is None or frame.confidence >= CONFIDENT
        if frame.doubtful or not sure or not self._words.weights:
            return [], left
        head = self._count(section("Answer", ["-\n"]))
        room = min(left, int(ANSWER_SHARE * self._budget)) - head
        before, kept = room, []
        agent, notes = self._wanted.agent, self._candidates
        for one in answer_from(notes, self._words, agent, self._is_seen):
            cost = self._count(answer_line(one.sentence(), numbered))
            if cost <= room:
                kept.append(one)
                room -= cost
        for one in reversed(kept):
            self._told[one.candidate.note.path] = one
        return kept, left - (before - room) - (head if kept else 0)

    def _is_seen(self, told: Told) -> bool:
        """Whether a sentence is in no comment, which may begin far above its passage.

        That within a passage is looked for where sentences are chosen.
        """
        note_id, stretch = told.candidate.note.note_id, told.stretch
        page = Page(self._rows.pages([note_id]).get(note_id, ()))
        before = stretch.text.count("\n", 0, told.place[0])
        return stretch.first_line + before not in page.unseen

    def _left_out(self) -> list[Dropped]:
        return left_out(self._missed, self._twice)

    def _within(
        self, made: Bundle, entries: list[Entry], answer: Sequence[Told]
    ) -> Bundle:
        """Return a bundle that is counted as a whole and fits, whatever it takes.

        Its parts were counted one by one, and a tokenizer may read them otherwise where
        they meet.
        """
        while (tokens := self._count(bundle_as_markdown(made))) > self._budget:
            less = without_last(made)
            if less is None:
                beside = self._left_out()
                self._shorten(entries, tokens - self._budget)
                rest = made.dropped[len(beside) :]
                less = structs.replace(
                    made,
                    notes=tuple(entry.note() for entry in entries),
                    answer=cited(answer, entries),
                    dropped=(*self._left_out(), *rest),
                )
            made = less
        return structs.replace(made, tokens=tokens)

    def _shorten(self, entries: list[Entry], over: int) -> None:
        """Show less of the last note, or nothing; the first one is always shown.

        Raises:
            BudgetTooSmall: not even a little of it fits.
        """
        if not entries:
            raise BudgetTooSmall(self._budget, self._budget + over)
        last = entries[-1]
        room = last.first.tokens - over
        least = LEAST_SHOWN if len(entries) > 1 else LEAST_CUT
        if len(last.cuts) > 1:
            last.hide()
        elif room > least and (cut := self._clipper.cut(last.first.reading, room)):
            last.show(cut, instead=last.first)
        elif len(entries) > 1:
            self._missed.append(entries.pop().candidate)
        else:
            raise BudgetTooSmall(self._budget, self._budget + over + LEAST_CUT)
