"""Packing a bundle: many notes with a little of each, then more of the best.

An agent is served by the note it would not have asked for rather than by the last
lines of one it has. So room goes first to a short passage of as many notes as fit
three quarters of it, near-duplicates left out, and what is left lets the passages of
the best notes grow, the first by at most half of it, and so on.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from glassmind.context.budget import Counter
from glassmind.context.choose import Reading, weighed
from glassmind.context.passages import Candidate
from glassmind.context.scope import Scope, SectionRows
from glassmind.context.sections import NUMBER, Sections, sections_of
from glassmind.context.sentences import answer_from
from glassmind.errors.context import BudgetTooSmall
from glassmind.markdown.tokens import QUARTERS, estimate_tokens, weight
from glassmind.render.address import heading_address, iso_time
from glassmind.render.bundles_markdown import (
    answer_line,
    bundle_as_markdown,
    excerpt_block,
    follow_line,
    note_block,
    section,
    source_line,
)
from glassmind.types import NotePath
from glassmind.types.context import (
    AnswerSentence,
    Bundle,
    BundleNote,
    Dropped,
    Excerpt,
)

WIDTH = 0.75
"""Of the room for passages, what short ones of many notes may take."""

STUB_TOKENS, LONGEST_STUB = 48, 96
"""What is shown of a note at first: two or three sentences; twice as much where the
budget is for more notes than were found."""

ANSWER_SHARE, FOLLOW_SHARE = 0.08, 0.05
"""Of a budget, for the answer and for where to read on."""

MOST_FOLLOWED = 3
SCOPE_TOKENS, FEWEST_IN_SCOPE, MOST_IN_SCOPE = 300, 4, 20
"""One note in so many tokens of budget lends its decisions, questions and tasks."""

LEFT_OUT_TOKENS = 30
"""Kept for telling what was left out."""

SAID = 0.8
"""Share of its runs of three words that makes a passage one that was shown already."""

TRIES = 3
"""How often a passage is cut shorter where the estimate of its length was too low."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a bundle is made for; `frame` has everything that no passage decides."""

    frame: Bundle
    words: frozenset[str]
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


@dataclass(slots=True)
class _Entry:
    """A note on its way into a bundle, with what its passages take."""

    note: BundleNote
    readings: list[Reading]
    tokens: list[int]


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
        texts = [_found_text(one) for one in candidates]
        self._words = weighed(wanted.words, texts)
        self._ratio = self._measured(texts)
        self._said: set[tuple[str, ...]] = set()
        self._twice = 0
        self._missed: list[Candidate] = []

    def _measured(self, texts: Sequence[str]) -> float:
        """Return how many tokens a quarter of an estimated one is, in these notes."""
        sample = "\n".join(text[:400] for text in texts[:4])
        held = weight(sample)
        return max(1.0, self._count(sample) / held * QUARTERS) if held else 1.0

    def bundle(self) -> Bundle:
        """Return the bundle."""
        frame = self._wanted.frame
        extra = self._sections() if self._candidates else Sections()
        fixed = self._count(bundle_as_markdown(replace(frame, notes=(_NO_NOTE,))))
        left = self._budget - fixed - extra.tokens - LEFT_OUT_TOKENS
        entries = self._wide(left)
        if self._candidates and not entries:
            raise BudgetTooSmall(self._budget, self._least(fixed))
        left -= sum(self._cost(entry) for entry in entries)
        answer, left = self._answer(entries, left)
        reserve = int(FOLLOW_SHARE * self._budget)
        left = self._grown(entries, left - reserve) + reserve
        notes = tuple(entry.note for entry in entries)
        made = replace(
            frame,
            notes=notes,
            answer=tuple(answer),
            decisions=extra.decisions,
            questions=extra.questions,
            tasks=extra.tasks,
            suggested=extra.suggested,
            conflicts=extra.conflicts,
            follow_ups=self._follow_ups(notes, left),
            dropped=(*self._left_out(), *extra.dropped),
        )
        return self._within(made)

    def _sections(self) -> Sections:
        wanted = self._wanted
        most = max(FEWEST_IN_SCOPE, min(MOST_IN_SCOPE, self._budget // SCOPE_TOKENS))
        scope = Scope(
            note_ids=tuple(one.note.note_id for one in self._candidates[:most]),
            project_ids=wanted.project_ids,
            query=wanted.frame.query,
            today=wanted.today,
            agent=wanted.agent,
        )
        return sections_of(self._rows, scope, self._counter, self._budget)

    def _wide(self, room: int) -> list[_Entry]:
        """Return a short passage of each note, as many as fit their share."""
        share = int(WIDTH * room)
        each = share // max(1, min(len(self._candidates), self._wanted.limit))
        stub = max(STUB_TOKENS, min(LONGEST_STUB, each - STUB_TOKENS))
        entries: list[_Entry] = []
        for candidate in self._candidates:
            if len(entries) == self._wanted.limit:
                self._missed.append(candidate)
                continue
            entry = self._entry(candidate, min(stub, room))
            if entry is None:
                continue
            cost = self._cost(entry)
            if cost <= (share if entries else room):
                share -= cost
                entries.append(entry)
            else:
                self._missed.append(candidate)
        return entries

    def _entry(self, candidate: Candidate, room: int) -> _Entry | None:
        """Return a note with a short passage; None where it says nothing new."""
        readings = [Reading(stretch, self._words) for stretch in candidate.passages]
        note = BundleNote(
            candidate.note.path,
            candidate.note.title,
            candidate.note.day or iso_time(candidate.note.mtime_ns)[:10],
            candidate.relevance,
            candidate.why,
            candidate.channels,
            (),
            candidate.note.generated,
        )
        excerpt, _ = self._excerpt(note, readings[0], room)
        if excerpt is None:
            self._missed.append(candidate)
            return None
        if self._is_said(excerpt.text):
            self._twice += 1
            return None
        note = replace(note, excerpts=(excerpt,))
        tokens = self._count(note_block(note, _number)) + self._sourced(excerpt)
        return _Entry(note, readings, [tokens])

    def _excerpt(
        self, note: BundleNote, reading: Reading, room: int
    ) -> tuple[Excerpt | None, int]:
        """Return what of a passage fits, and the tokens of its text."""
        quarters = int(room * QUARTERS / self._ratio)
        for _ in range(TRIES):
            wide = quarters >= reading.size
            found = reading.beyond(quarters) if wide else reading.best(quarters)
            if found is None:
                return None, 0
            excerpt = reading.stretch.excerpt(note.path, *found)
            tokens = self._count(excerpt.text)
            if tokens <= room:
                return excerpt, tokens
            quarters = quarters * room // (tokens + 1)
        return None, 0

    def _is_said(self, text: str) -> bool:
        """Whether a passage was shown already, all but to the letter; notes it."""
        words = text.lower().split()
        triples = zip(words, words[1:], words[2:], strict=False)
        runs: set[tuple[str, ...]] = {*triples} or {tuple(words)}
        known = len(runs & self._said)
        self._said |= runs
        return known >= SAID * len(runs)

    def _cost(self, entry: _Entry) -> int:
        return sum(entry.tokens)

    def _sourced(self, excerpt: Excerpt) -> int:
        return self._count(source_line(excerpt.receipt, NUMBER))

    def _answer(
        self, entries: Sequence[_Entry], left: int
    ) -> tuple[list[AnswerSentence], int]:
        """Return the sentences that answer, and the room that is left."""
        if self._wanted.frame.is_doubtful or not self._words:
            return [], left
        room = min(left, int(ANSWER_SHARE * self._budget))
        room -= self._count(section("Answer", ["-\n"]))
        before, kept = room, []
        for one in answer_from([entry.note for entry in entries], self._words):
            cost = self._count(answer_line(one, _number))
            if cost <= room:
                kept.append(one)
                room -= cost
        return (kept, left - before + room) if kept else ([], left)

    def _grown(self, entries: Sequence[_Entry], left: int) -> int:
        """Let passages grow into the room that is left, the best first."""
        for share in (2, 1):  # half of what is left for each, then all of it
            for entry in entries:
                if left < STUB_TOKENS:
                    return left
                left -= self._grow(entry, left // share)
        return left

    def _grow(self, entry: _Entry, extra: int) -> int:
        """Show more of a note; return what that takes."""
        taken = 0
        cited = {one.receipt for one in entry.note.excerpts}
        for number, reading in enumerate(entry.readings):
            room = extra - taken
            if number < len(entry.note.excerpts):
                taken += self._widened(entry, number, reading, room)
            elif room > STUB_TOKENS:
                taken += self._added(entry, reading, room, cited)
        return taken

    def _widened(self, entry: _Entry, number: int, reading: Reading, extra: int) -> int:
        old = entry.note.excerpts[number]
        if not old.trimmed and len(old.text) >= len(reading.stretch.text.strip()):
            return 0
        before = self._count(old.text)
        excerpt, tokens = self._excerpt(entry.note, reading, before + extra)
        if excerpt is None or len(excerpt.text) <= len(old.text):
            return 0
        excerpts = list(entry.note.excerpts)
        if any(_overlap(excerpt, one) for one in excerpts if one is not old):
            return 0
        excerpts[number] = excerpt
        entry.note = replace(entry.note, excerpts=tuple(excerpts))
        entry.tokens[number] += tokens - before
        return max(0, tokens - before)

    def _added(
        self, entry: _Entry, reading: Reading, room: int, cited: set[str]
    ) -> int:
        """Show a further passage of a note, if it fits and is another one."""
        excerpt, _ = self._excerpt(entry.note, reading, room - STUB_TOKENS)
        if excerpt is None or excerpt.receipt in cited:
            return 0
        if any(_overlap(excerpt, one) for one in entry.note.excerpts):
            return 0
        tokens = self._count(excerpt_block(excerpt, _number)) + self._sourced(excerpt)
        if tokens > room:
            return 0
        excerpts = sorted((*entry.note.excerpts, excerpt), key=lambda one: one.span)
        entry.note = replace(entry.note, excerpts=tuple(excerpts))
        entry.tokens.append(tokens)
        return tokens

    def _follow_ups(self, notes: Sequence[BundleNote], left: int) -> tuple[str, ...]:
        """Return where to read on: notes of which more was found than is shown."""
        left = min(left, int(FOLLOW_SHARE * self._budget))
        left -= self._count(section("Read on", ["-\n"]))
        kept: list[str] = []
        for note in notes:
            excerpt = note.excerpts[0]
            if not excerpt.trimmed or len(kept) == MOST_FOLLOWED:
                continue
            address = heading_address(note.path, excerpt.heading_path)
            cost = self._count(follow_line(address))
            if cost <= left:
                kept.append(address)
                left -= cost
        return tuple(kept)

    def _left_out(self) -> list[Dropped]:
        made = []
        if self._missed:
            sizes = [estimate_tokens(_found_text(one)) for one in self._missed]
            made.append(Dropped("notes", len(sizes), sum(sizes)))
        if self._twice:
            made.append(Dropped("near-duplicates", self._twice, 0))
        return made

    def _within(self, made: Bundle) -> Bundle:
        """Return a bundle that is counted as a whole and fits, whatever it takes.

        Its parts were counted one by one, and a tokenizer may read them otherwise where
        they meet.
        """
        while True:
            tokens = self._count(bundle_as_markdown(made))
            if tokens <= self._budget:
                return replace(made, tokens=tokens)
            made = _without_last(made, tokens)

    def _least(self, fixed: int) -> int:
        """Return the tokens with which the best note would have fitted."""
        for candidate in self._candidates:
            self._said.clear()
            entry = self._entry(candidate, STUB_TOKENS)
            if entry is not None:
                return fixed + LEFT_OUT_TOKENS + self._cost(entry) + 1
        return 2 * self._budget


_NO_NOTE = BundleNote(NotePath(""), "", "", 0.0, "", (), ())
"""Stands for the notes while the frame of a bundle is counted."""


def _found_text(candidate: Candidate) -> str:
    stretch = candidate.passages[0]
    return stretch.text[slice(*stretch.focus)]


def _number(_: str) -> str:
    return NUMBER


def _overlap(one: Excerpt, other: Excerpt) -> bool:
    return one.span.start <= other.span.end and other.span.start <= one.span.end


def _without_last(made: Bundle, tokens: int) -> Bundle:
    """Return a bundle with something less: what says least goes first."""
    for name in ("follow_ups", "suggested", "tasks", "questions", "conflicts"):
        held = getattr(made, name)
        if held:
            return replace(made, **{name: held[:-1]})
    if made.notes:
        return replace(made, notes=made.notes[:-1])
    if made.answer or made.decisions:
        return replace(made, answer=(), decisions=())
    raise BudgetTooSmall(made.budget_tokens, tokens)
