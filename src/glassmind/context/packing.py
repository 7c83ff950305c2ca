"""Pack a bundle: a short passage of many notes, then more of the best.

A note that the agent would not have asked for serves it better than the last lines of
one it has. So room goes first to a short passage of as many notes as fit three quarters
of it, near-duplicates left out; what is left lets the passages of the best notes grow.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from msgspec import structs

from glassmind.context.budget import TokenCounter
from glassmind.context.excerpts import (
    DIGEST_TOKENS,
    BundleEntry,
    Cut,
    ExcerptCutter,
    PassageScore,
    label_of,
)
from glassmind.context.extract import (
    CONFIDENT,
    NumberedPassage,
    Sentence,
    by_words,
    property_pieces,
)
from glassmind.context.items import BundleRows, BundleScope
from glassmind.context.markdown import (
    answer_line,
    bundle_as_markdown,
    follow_line,
    numbered,
    section,
)
from glassmind.context.note_lines import NoteLines
from glassmind.context.passages import (
    BundleCandidate,
    LineRange,
    ShownPassages,
    may_answer,
    part_of,
)
from glassmind.context.question_words import Lookup, QuestionTerms
from glassmind.context.sections import (
    SHARES,
    Sections,
    refitted,
    replaced_notes,
    sections_of,
    suggested_for,
)
from glassmind.errors import BudgetTooSmall
from glassmind.model import NotePath
from glassmind.model.context import AnswerSentence, Bundle, BundleNote, OmittedSection
from glassmind.obsidian.text import estimate_tokens, heading_address

WIDTH = 0.75
"""Of the room for passages, what short ones of many notes may take."""

STUB_TOKENS, LONGEST_STUB = 48, 96
"""What is shown of a note at first: two or three sentences; twice as much where the
budget is for more notes than were found."""

ANSWER_SHARE, FOLLOW_SHARE, FOLLOW_TOKENS, MOST_FOLLOWED = 0.08, 0.05, 90, 3
"""Of a budget, for the answer and for where to read on; and the most for the latter."""

SCOPE_TOKENS, FEWEST_IN_SCOPE, MOST_IN_SCOPE = 500, 4, 20
"""The sections are those of one note in so many tokens of budget."""

LEAST_CUT, LEAST_SHOWN = 12, 24
"""Tokens below which a passage is not cut shorter: of the best note, and of others."""

LOOKED_AT = 8
"""Notes, from the best, whose sentences may answer."""

MOST_WITH_PROPERTY = 4
"""Notes, from the best, that are shown with the property that a question names."""

JOINT_TOKENS = 8
"""Kept for what parts take more where they meet."""

SHORTENED = ("suggested", "decisions", "tasks", "questions", "conflicts")
"""The sections in the order in which they make room for passages."""

_NO_NOTE = BundleNote(NotePath(""), "", "", 0.0, "", (), ())
"""Stands for the notes while the frame of a bundle is counted."""


@dataclass(frozen=True, slots=True)
class BundlePlan:
    """What a bundle is made for; `frame` has everything that no passage decides."""

    frame: Bundle
    words: QuestionTerms
    limit: int
    scope: BundleScope


class Packer:
    """Makes one bundle of some notes, best first, within its budget."""

    def __init__(
        self,
        plan: BundlePlan,
        candidates: Sequence[BundleCandidate],
        rows: BundleRows,
        counter: TokenCounter,
    ) -> None:
        self._plan, self._candidates = plan, candidates
        self._counter, self._rows = counter, rows
        self._count, self._budget = counter.count, plan.frame.budget_tokens
        self._words = Lookup(
            plan.words, [candidate.passages[0].text for candidate in candidates]
        )
        self._clipper = ExcerptCutter(
            self._count, [candidate.passages[0].found for candidate in candidates]
        )
        self._answers: dict[NotePath, Quote] = {}
        self._shown, self._repeated = ShownPassages(), 0
        self._missed: list[BundleCandidate] = []

    def bundle(self) -> Bundle:
        sections = self._sections() if self._candidates else {}
        left = self._budget - self._fixed(sections) - _tokens(sections)
        answer, left = self._answer(left)
        entries, left = self._wide(left)
        if not entries and (_tokens(sections) or answer):  # a passage comes first
            sections = {
                name: bundle_section._replace(kept=(), tokens=0)
                for name, bundle_section in sections.items()
            }
            answer, self._answers = [], {}
            self._missed.clear()
            entries, left = self._wide(self._budget - self._fixed(sections))
        if self._candidates and not entries:
            labels = (
                self._count(label_of(candidate)) for candidate in self._candidates
            )
            least = self._fixed(sections) + min(labels) + DIGEST_TOKENS + STUB_TOKENS
            raise BudgetTooSmall(self._budget, least)
        for entry in entries[:MOST_WITH_PROPERTY]:
            left -= self._add_property(entry, left)
        follow_room = min(FOLLOW_TOKENS, int(FOLLOW_SHARE * self._budget))
        left -= follow_room
        room = max(0, min(left, int(SHARES["suggested"] * self._budget)))
        scope = self._scope([entry.candidate for entry in entries])
        reads = suggested_for(self._rows, scope, self._counter, room)
        left = self._grow_all(entries, left - reads.tokens)
        further = self._follow_ups(entries, follow_room)
        left += 0 if further else follow_room
        sections["suggested"] = reads
        if left >= STUB_TOKENS:
            sections = refitted(sections, self._counter, left)
        return self._within(sections, further, entries, answer)

    def _within(
        self,
        sections: Sections,
        further: tuple[str, ...],
        entries: list[BundleEntry],
        answer: Sequence["Quote"],
    ) -> Bundle:
        """Return the bundle, counted as a whole, with less of everything if need be.

        Its parts were counted one by one, and a tokenizer may read them otherwise where
        they meet.
        """
        while True:
            kept = {
                name: bundle_section.kept for name, bundle_section in sections.items()
            }
            bundle = structs.replace(
                self._plan.frame,
                **kept,
                notes=tuple(entry.note() for entry in entries),
                answer=cited(answer, entries),
                follow_ups=further,
                dropped=(*self._left_out(), *self._dropped(sections)),
            )
            over = self._count(bundle_as_markdown(bundle)) - self._budget
            if over <= 0:
                return structs.replace(bundle, tokens=over + self._budget)
            last = next((name for name in SHORTENED if kept.get(name)), None)
            if further:
                further = further[:-1]
            elif last:
                sections[last] = sections[last]._replace(kept=kept[last][:-1])
            else:
                self._shorten(entries, over)

    def _shorten(self, entries: list[BundleEntry], over: int) -> None:
        """Show less of the last note, or nothing; the first one is always shown."""
        if not entries:
            raise BudgetTooSmall(self._budget, self._budget + over)
        last = entries[-1]
        room = last.first.tokens - over
        least = LEAST_SHOWN if len(entries) > 1 else LEAST_CUT
        if len(last.cuts) > 1:
            last.cuts.pop()
        elif room > least and (cut := self._clipper.cut(last.first.reading, room)):
            last.cuts[0] = cut
        elif len(entries) > 1:
            self._missed.append(entries.pop().candidate)
        else:
            raise BudgetTooSmall(self._budget, self._budget + over + LEAST_CUT)

    def _left_out(self) -> list[OmittedSection]:
        sizes = [
            estimate_tokens(candidate.passages[0].found) for candidate in self._missed
        ]
        sections = [OmittedSection("notes", len(sizes), sum(sizes))] if sizes else []
        if self._repeated:
            sections.append(OmittedSection("near-duplicates", self._repeated, 0))
        return sections

    def _fixed(self, sections: Sections) -> int:
        found = len(self._candidates)
        most = [OmittedSection(name, found, 0) for name in ("notes", "near-duplicates")]
        dropped = (*most, *self._dropped(sections)) if found else ()
        frame = structs.replace(self._plan.frame, notes=(_NO_NOTE,), dropped=dropped)
        sources = self._count(section("Sources", ["-\n"]))
        return self._count(bundle_as_markdown(frame)) + sources + JOINT_TOKENS

    def _dropped(self, sections: Sections) -> list[OmittedSection]:
        cut = self._rows.cut
        return [
            omitted_section
            for part in sections.values()
            for omitted_section in part.dropped(cut)
        ]

    def _sections(self) -> Sections:
        most = max(FEWEST_IN_SCOPE, min(MOST_IN_SCOPE, self._budget // SCOPE_TOKENS))
        scope = self._scope(self._candidates[:most])
        sections = sections_of(self._rows, scope, self._counter, self._budget)
        replaced = replaced_notes(sections, self._rows, scope)
        self._candidates = [
            candidate._replace(note=candidate.note._replace(superseded_by=title))
            if (title := replaced.get(candidate.note.path))
            else candidate
            for candidate in self._candidates
        ]
        return sections

    def _scope(self, candidates: Sequence[BundleCandidate]) -> BundleScope:
        note_ids = tuple(candidate.note.note_id for candidate in candidates)
        return replace(self._plan.scope, note_ids=note_ids)

    def _wide(self, room: int) -> tuple[list[BundleEntry], int]:
        """Return a short passage of each note, as many as fit, and the room left."""
        share = int(WIDTH * room)
        each = share // max(1, min(len(self._candidates), self._plan.limit))
        stub = max(STUB_TOKENS, min(LONGEST_STUB, each - STUB_TOKENS))
        entries: list[BundleEntry] = []
        for candidate in self._candidates:
            most = share if entries else room
            full = most < STUB_TOKENS or len(entries) == self._plan.limit
            cost = most if full else self._count(label_of(candidate)) + DIGEST_TOKENS
            cut, is_repeated = None, False
            for cut in self._stubs(candidate, stub, most - cost, first=not entries):
                is_repeated = self._shown.has(cut.text)
                if not is_repeated:
                    break
            if cut is None:
                self._missed.append(candidate)
                continue
            if is_repeated:
                self._repeated += 1
                continue
            stretch = cut.reading.stretch
            spare = [
                line_range
                for line_range in candidate.passages
                if line_range is not stretch
            ]
            entries.append(BundleEntry(candidate, [cut], spare))
            self._shown.add(cut.text)
            share -= cost + cut.tokens
            room -= cost + cut.tokens
        return entries, room

    def _add_property(self, entry: BundleEntry, room: int) -> int:
        stretch = property_named(entry.candidate, self._words)
        if stretch is None:
            return 0
        cost = self._count(label_of(entry.candidate, stretch)) + DIGEST_TOKENS
        cut = self._clipper.cut(PassageScore(stretch, self._words), room - cost)
        if cut is None or any(map(cut.overlaps, entry.cuts)):
            return 0
        entry.cuts.append(cut)
        return cost + cut.tokens

    def _stubs(
        self, candidate: BundleCandidate, stub: int, room: int, *, first: bool
    ) -> Iterator[Cut]:
        if room <= 0:
            return
        readings = [
            PassageScore(line_range, self._words) for line_range in candidate.passages
        ]
        if quote := self._answers.get(candidate.note.path):
            place = (quote.piece.start, quote.piece.end)
            readings.insert(0, PassageScore(quote.stretch, self._words, place))
            # a sentence of the answer is shown whole
            stub = max(stub, self._count(quote.piece.text) + 8)
        for reading in readings:
            cut = self._clipper.stub(reading, stub, room)
            if cut and (first or room >= LEAST_SHOWN or not cut.goes_on):
                yield cut

    def _grow_all(self, entries: Sequence[BundleEntry], left: int) -> int:
        for share in (2, 1):  # half of what is left for each, then all of it
            for entry in entries:
                if left >= STUB_TOKENS:
                    left -= self._grow(entry, left // share)
        return left

    def _grow(self, entry: BundleEntry, extra: int) -> int:
        taken, old = 0, entry.first
        cuts = entry.cuts[1:]
        if old.end - old.start < len(old.reading.stretch.text.strip()):
            cut = self._clipper.cut(old.reading, old.tokens + extra)
            if cut and cut.tokens > old.tokens and not any(map(cut.overlaps, cuts)):
                entry.cuts[0] = cut
                taken = cut.tokens - old.tokens
        if entry.spare and extra - taken > 2 * STUB_TOKENS:
            reading = PassageScore(entry.spare.pop(0), self._words)
            label = label_of(entry.candidate, reading.stretch)
            cost = self._count(label) + DIGEST_TOKENS
            cut = self._clipper.cut(reading, extra - taken - cost)
            if cut and not any(map(cut.overlaps, entry.cuts)):
                entry.cuts.append(cut)
                taken += cost + cut.tokens
        return taken

    def _answer(self, left: int) -> tuple[list["Quote"], int]:
        frame = self._plan.frame
        sure = frame.confidence is None or frame.confidence >= CONFIDENT
        if frame.doubtful or not sure or not self._words.weights:
            return [], left
        head = self._count(section("Answer", ["-\n"]))
        room = min(left, int(ANSWER_SHARE * self._budget)) - head
        before, kept = room, []
        quotes = answer_from(self._candidates, self._words, self._plan.scope.agent)
        for quote in quotes:
            cost = self._count(answer_line(quote.sentence(), numbered))
            if cost <= room and self._is_visible(quote):
                kept.append(quote)
                room -= cost
        self._answers = {one.candidate.note.path: one for one in reversed(kept)}
        return kept, left - (before - room) - (head if kept else 0)

    def _is_visible(self, quote: "Quote") -> bool:
        """Return false for what a comment hides that begins far above."""
        note_id, stretch = quote.candidate.note.note_id, quote.stretch
        page = NoteLines(self._rows.note_lines([note_id]).get(note_id, ()))
        before = stretch.text.count("\n", 0, quote.piece.start)
        return stretch.first_line + before not in page.hidden

    def _follow_ups(self, entries: Sequence[BundleEntry], left: int) -> tuple[str, ...]:
        left -= self._count(section("Read on", ["-\n"]))
        kept: list[str] = []
        for entry in entries:
            if len(kept) == MOST_FOLLOWED:
                break
            cut = min(entry.cuts, key=lambda cut: cut.lines)
            if cut.goes_on:
                path = entry.candidate.note.path
                under = cut.reading.stretch.heading_path(cut.start)
                address = heading_address(path, under)
                cost = self._count(follow_line(address))
                if cost <= left:
                    kept.append(address)
                    left -= cost
        return tuple(kept)


def _tokens(sections: Sections) -> int:
    return sum(bundle_section.tokens for bundle_section in sections.values())


def property_named(candidate: BundleCandidate, words: Lookup) -> LineRange | None:
    """Return the property that has most words of a question, if any has one.

    Words that the title or the text has too do not count.
    """
    stretch = candidate.passages[0]
    if not stretch.begins:
        return None
    said = words.words(candidate.note.title) | words.words(stretch.text[stretch.body :])
    best, most = None, 0.0
    for piece in property_pieces(stretch):
        new = words.words(stretch.text[piece.start : piece.end]) - said
        score = sum(words.weights.get(word, 0.0) for word in sorted(new))
        if score > most and piece.text:  # else it has no value
            best, most = piece, score
    return best and part_of(stretch, best.start, best.end)


class Quote(NamedTuple):
    """A sentence that answers, and the passage it is in."""

    candidate: BundleCandidate
    stretch: LineRange
    piece: Sentence

    def sentence(self, receipt: str = "") -> AnswerSentence:
        return AnswerSentence(self.piece.text, self.candidate.note.path, receipt)


def answer_from(
    candidates: Sequence[BundleCandidate], words: Lookup, agent: str
) -> list[Quote]:
    """Return the sentences that answer a question; none rather than a doubtful one.

    What an agent wrote and nobody approved answers nothing.
    """
    places = [
        (candidate, stretch)
        for candidate in candidates[:LOOKED_AT]
        if may_answer(candidate, agent)
        for stretch in candidate.passages
    ]
    passages = [
        NumberedPassage(at, stretch, candidate.request.relevance, candidate.note.title)
        for at, (candidate, stretch) in enumerate(places)
    ]
    sentences = by_words(passages, words)
    return [Quote(*places[sentence.number], sentence.piece) for sentence in sentences]


def cited(
    quotes: Sequence[Quote], entries: Sequence[BundleEntry]
) -> tuple[AnswerSentence, ...]:
    """Return those sentences that passages show, with the receipts of these."""
    sentences = []
    for quote in quotes:
        path, piece = quote.candidate.note.path, quote.piece
        for cut in (
            cut
            for entry in entries
            for cut in entry.cuts
            if cut.reading.stretch is quote.stretch
            and cut.start <= piece.start
            and piece.end <= cut.end
        ):
            receipt = quote.stretch.excerpt(path, cut.start, cut.end).receipt
            sentences.append(quote.sentence(receipt))
            break
    return tuple(sentences)
