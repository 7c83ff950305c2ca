"""A short answer in sentences of the notes that were found, each cited.

A sentence counts by the words of the question that it holds, rare ones counting more,
and by how well its note fits. Sentences are those of paragraphs and items, however
their lines are wrapped. Nothing is said where no sentence of a note that fits holds
most of what was asked, the rarest word above all: no answer is better than noise.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from math import fsum
from typing import NamedTuple

from msgspec import structs

from glassmind.context.budget import TokenCounter
from glassmind.context.excerpts import (
    DIGEST_TOKENS,
    BundleEntry,
    Cut,
    Reading,
    asked_property,
    found_text,
    label_of,
    marked,
    may_stop,
    numbered,
    overlap,
    value_in,
)
from glassmind.context.items import BundleScope, SectionRows, is_unapproved
from glassmind.context.markdown import (
    answer_line,
    bundle_as_markdown,
    follow_line,
    section,
)
from glassmind.context.note_lines import NoteLines
from glassmind.context.passages import Candidate, Shown, Stretch, beside
from glassmind.context.question_words import Lookup, Terms, in_link
from glassmind.context.sections import (
    SHARES,
    Sections,
    refitted,
    sections_of,
    suggested_for,
    without_items,
)
from glassmind.context.summaries import CLOSERS, NO_END
from glassmind.errors import BudgetTooSmall
from glassmind.model import NotePath
from glassmind.model.context import AnswerSentence, Bundle, BundleNote, Dropped
from glassmind.obsidian.hidden_text import holds_hidden
from glassmind.obsidian.text import (
    MARKER,
    QUARTERS,
    estimate_tokens,
    heading_address,
    sentence_spans,
    weight,
)

MOST_SENTENCES = 3
LOOKED_AT = 8
"""Notes, from the best, whose sentences may answer: further down they seldom do."""

LEAST_WORDS, LEAST_WEIGHT, SURE_WEIGHT = 0.6, 0.5, 0.65
"""Of the words of a question, and of what they count together, a sentence must hold so
much to be told; the last, where it lacks the rarest of them. Of 435 questions of a real
vault 146 are answered, 106 from a note that was wanted; without the last two and the
next it was 118 of 212."""

LEAST_FIT = 0.8
"""How well a note must fit to answer, against the best that does not ask, too. On the
questions of the same vault others gave 29 more wrong answers and no more right ones."""

NAMED = 0.5
"""What a word counts that only the title or a heading above a sentence holds."""

FEWEST_WORDS, LONGEST_CHARS = 5, 400
"""Less is a label, and more is no short answer."""

SAME = 0.6
"""Share of words from which two sentences say the same."""

AS_GOOD = 0.8
"""Of what the best sentence says, what another must that is told beside it."""

CONFIDENT = 0.4
"""Confidence from which sentences are told: well above what is doubtful."""

_ALONE = re.compile(
    r"[\s>]*(?:$|#{1,6}\s|\||```|~~~|\$\$|---|___|\*\*\*|===|\[\^|%%|(?:=+|-+)\s*$)"
)
"""A line that no sentence goes across: blank, a heading, a table, code, a footnote."""

_UNDERLINE = re.compile(r"(?P<quoted>[\s>]*)(?:=+|-+)\s*$")
"""A line that makes a heading of the paragraph above it."""

_ITEM = re.compile(r"[\s>]*(?:[-+*]|\d{1,3}[.)])\s")
_CALLOUT = re.compile(r"[\s>]*\[!")
_QUOTE = re.compile(r"\s*>")
_NO_SENTENCE = re.compile(
    r"[\s>]*(?:!\[|\[!|[-+*]\s+\[.\]|[-+*\s]*[\[(]?[\w -]+::|[\w-]+:\s*\S*$|<)",
    re.DOTALL,
)
"""A picture, the title of a callout, a task, a property."""

_MADE = ("`=", "`$=", "<%", "{{")
"""What a query or a template in a text begins with."""

_FENCES = ("```", "~~~", "$$")
_ENDED = (".", "!", "\u3002", "\uff01", "\u2026")
_LINKS = re.compile(r"!?\[\[[^\]]*\]\]|\[[^\]]*\]\([^)]*\)|https?://\S+")
_WORD = re.compile(r"\w+(?:[-'\u2019]\w+)*")


class QuotedSentence(NamedTuple):
    """A sentence that answers: its text, and the characters of a passage it is."""

    text: str
    candidate: Candidate
    passage: int
    place: tuple[int, int]

    @property
    def stretch(self) -> Stretch:
        """The passage."""
        return self.candidate.passages[self.passage]

    def sentence(self, receipt: str = "") -> AnswerSentence:
        """Return it as it is shown."""
        return AnswerSentence(self.text, self.candidate.note.path, receipt)


class _Said(NamedTuple):
    score: float
    told: QuotedSentence
    words: frozenset[str]


class _Counted(NamedTuple):
    """The words of a question, what those count that notes have, and the rarest."""

    typed: frozenset[str]
    known: Mapping[str, float]
    total: float
    rarest: frozenset[str]


def answer_from(
    candidates: Sequence[Candidate],
    words: Lookup,
    agent: str,
    is_seen: Callable[[QuotedSentence], bool] = lambda _: True,
) -> list[QuotedSentence]:
    """Return up to three sentences that say something to a question, best first.

    None of a note that an agent wrote and nobody approved, nor of what is no note, nor
    one that is not seen.
    """
    if words.typed.isdisjoint(words.weights):
        return []
    counted, first = _counted(words), candidates[:LOOKED_AT]
    said = [one.relevance for one in first if "?" not in found_text(one)]
    least = LEAST_FIT * max(said, default=0.0)  # a note that asks too fits best of all
    found = [
        said
        for candidate in first
        if candidate.relevance >= least and _may_answer(candidate, agent)
        for said in _sentences(candidate, words, counted)
    ]
    found.sort(key=lambda one: -one.score)
    chosen: list[_Said] = []
    for one in found:
        if len(chosen) == MOST_SENTENCES or one.score < AS_GOOD * found[0].score:
            break
        new = not any(_alike(one.words, other.words) for other in chosen)
        if new and is_seen(one.told):
            chosen.append(one)
    return [one.told for one in chosen]


def _may_answer(candidate: Candidate, agent: str) -> bool:
    path, generated = candidate.note.path, candidate.note.generated
    return path.endswith(".md") and not is_unapproved(path, agent, generated=generated)


def cited(
    told: Sequence[QuotedSentence], entries: Sequence[BundleEntry]
) -> tuple[AnswerSentence, ...]:
    """Return those sentences that passages show, with the receipts of these."""
    shown = {entry.candidate.note.path: entry for entry in entries}
    made = []
    for one in told:
        entry = shown.get(one.candidate.note.path)
        if entry is None:
            continue
        for cut in entry.cuts:
            inside = cut.start <= one.place[0] and one.place[1] <= cut.end
            if cut.reading.stretch is one.stretch and inside:
                made.append(one.sentence(entry.receipt(cut)))
                break
    return tuple(made)


def _sentences(
    candidate: Candidate, words: Lookup, counted: _Counted
) -> Iterator[_Said]:
    titled = words.words(candidate.note.title)
    untitled = counted.known.keys() - titled
    for number, stretch in enumerate(candidate.passages):
        places = words.places(stretch.text)
        if not places:
            continue
        heads = words.words(" ".join(stretch.headings[0][1]))
        if not _score({word for _, word in places}, titled | heads, counted):
            continue
        for start, end in _blocks(stretch, [at for at, _ in places]):
            inside = [one for one in places if start <= one[0] < end]
            above = titled | words.words(" ".join(stretch.heading_path(start)))
            if not _score({word for _, word in inside}, above, counted):
                continue
            for place in _whole(stretch, (start, end)):
                near = [one for one in inside if place[0] <= one[0] < place[1]]
                held = {word for at, word in near if not in_link(stretch.text, at)}
                named = above.union(word for _, word in near)
                score = _score(held, named, counted)
                if not score or (untitled and untitled.isdisjoint(named)):
                    continue
                text = _plain(stretch.text[slice(*place)])
                linked = "[" in text or "://" in text
                own = _LINKS.sub("", text) if linked else text
                spoken = frozenset(_WORD.findall(own.lower()))
                if len(spoken) >= FEWEST_WORDS or not text.isascii():
                    score *= 0.5 + candidate.relevance / 2
                    yield _Said(
                        score, QuotedSentence(text, candidate, number, place), spoken
                    )


def _counted(words: Lookup) -> _Counted:
    known = {word: words.weights[word] for word in words.typed & words.weights.keys()}
    most = max(known.values())
    rarest = frozenset(word for word, weight in known.items() if weight == most)
    return _Counted(words.typed, known, fsum(known.values()), rarest)


def _score(held: set[str], above: set[str], counted: _Counted) -> float:
    """Return what a sentence says to a question; nothing where that is too little.

    `held` are the words it holds, `above` those of the notes it links to, of its own
    and of its headings.
    """
    typed, known, total, rarest = counted
    held, above = held & typed, (above - held) & typed
    said = len(held) + NAMED * len(above)
    if not held or said < LEAST_WORDS * len(typed):
        return 0.0
    weighed = fsum([known.get(word, 0.0) for word in held])
    weighed += NAMED * fsum([known.get(word, 0.0) for word in above])
    lacks = rarest.isdisjoint(held) and rarest.isdisjoint(above)
    share = weighed / total
    return share if share >= (SURE_WEIGHT if lacks else LEAST_WEIGHT) else 0.0


def _blocks(stretch: Stretch, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the paragraphs and items that hold some characters, in order."""
    text, over = stretch.text, stretch.body
    fences = [at for sign in _FENCES for at in _begun_by(sign, text)]
    for at in places:
        if at < over:
            continue
        if sum(fence <= at for fence in fences) % 2:
            continue
        start, over = _block(text, at)
        if start < over:
            yield start, over
        over = max(over, at + 1)


def _begun_by(sign: str, text: str) -> Iterator[int]:
    """Yield where lines begin that a sign does, be it in a list or a quotation."""
    at = text.find(sign)
    while at >= 0:
        first, last = _line(text, at)
        if not text[first:at].strip(" \t>"):
            yield first
        at = text.find(sign, last)


def _block(text: str, at: int) -> tuple[int, int]:
    """Return the paragraph or item around a character; nothing where there is none.

    A paragraph that is a heading by the line below it is none.
    """
    start, end = _line(text, at)
    if _ALONE.match(text[start:end]) or _CALLOUT.match(text[start:end]):
        return at, at
    while start and not _ITEM.match(text[start:end]):
        first, last = _line(text, start - 1)
        before = text[first:last]
        if _ALONE.match(before) or _CALLOUT.match(before):
            break
        start = first
    while end < len(text):
        first, last = _line(text, end + 1)
        if _ALONE.match(text[first:last]) or _ITEM.match(text[first:last]):
            break
        end = last
    return (at, at) if _is_underlined(text, start, end) else (start, end)


def _is_underlined(text: str, start: int, end: int) -> bool:
    first, last = _line(text, end + 1)
    below = _UNDERLINE.match(text[first:last]) if first > end else None
    if below is None or _ITEM.match(text[start:end]):
        return False
    said = text[_line(text, end)[0] : end]
    depth = len(said) - len(said.lstrip(" \t>"))
    return said[:depth].count(">") == below["quoted"].count(">")


def _line(text: str, at: int) -> tuple[int, int]:
    end = text.find("\n", at)
    return text.rfind("\n", 0, at) + 1, len(text) if end < 0 else end


def _whole(stretch: Stretch, block: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Yield the sentences of a paragraph that are whole and may be told."""
    start, end = block
    text = stretch.text[start:end]
    if _is_no_sentence(text):
        return
    stops = may_stop(text, 0, len(text))
    spans = sentence_spans(text) if stops else [(0, len(text))]
    for number, (first, last) in enumerate(spans):
        said = text[first:last]
        if last - first > LONGEST_CHARS or said.rstrip(CLOSERS).endswith(NO_END):
            continue
        if start + first == 0 and stretch.first_line > 1:
            continue  # it may have begun before the passage
        ended = said.rstrip(CLOSERS).endswith(_ENDED)
        if number + 1 == len(spans) and not ended and _goes_on(stretch, end):
            continue
        # nothing is answered by what a reader of the note does not see
        if not (_is_no_sentence(said) or holds_hidden(said)):
            yield start + first, start + last


def _is_no_sentence(text: str) -> bool:
    return any(sign in text for sign in _MADE) or _NO_SENTENCE.match(text) is not None


def _goes_on(stretch: Stretch, end: int) -> bool:
    """Whether a paragraph that ends here may have lines behind the passage."""
    return not stretch.ends and stretch.text[end:] in {"", "\n"}


def _plain(said: str) -> str:
    """Return a sentence in one line, without the marks at the beginning of lines."""
    return " ".join(MARKER.sub("", line).strip() for line in said.split("\n"))


def _alike(words: frozenset[str], others: frozenset[str]) -> bool:
    return len(words & others) >= SAME * min(len(words), len(others))


FOUND = 1.25
"""What the passage that a note was found by counts more than its others."""

TRIES = 8
"""How often a passage is cut shorter where the estimate of its length was too low: in
a script that takes many tokens one or two are not enough."""


class Clipper:
    """Cuts passages for one question; the texts are samples of what it will cut."""

    def __init__(
        self, words: Lookup, count: Callable[[str], int], texts: Sequence[str]
    ) -> None:
        self._words, self._count = words, count
        self._ratio = self._measured(texts)

    def _measured(self, texts: Sequence[str]) -> float:
        """Return how many tokens a quarter of an estimated one is, in these notes."""
        sample = "\n".join(text[:400] for text in texts[:4])
        held = weight(sample)
        return max(1.0, self._count(sample) / held * QUARTERS) if held else 1.0

    def reading(
        self, candidate: Candidate, told: QuotedSentence | None, stub: int
    ) -> Reading:
        """Return the passage of a note that says most, read for the question."""
        if told is not None:
            return Reading(told.stretch, self._words, told.place)
        first, *others = [Reading(one, self._words) for one in candidate.passages]
        if not (others and self._words.weights):
            return first
        room = int(stub * QUARTERS / self._ratio)
        best, most = first, -1.0
        for other in others:
            if other.bound <= first.bound:  # all that it could say is said
                continue
            most = most if most >= 0 else FOUND * first.peak(room)
            if (peak := other.peak(room)) > most:
                best, most = other, peak
        return best

    def stub(self, reading: Reading, stub: int, room: int) -> Cut | None:
        """Return a short passage."""
        if reading.told:
            said = reading.stretch.text[slice(*reading.told)]
            stub = max(stub, self._count(said) + 8)
        found = reading.stub(int(stub * QUARTERS / self._ratio))
        if found is not None:
            tokens = self._count(reading.stretch.text[slice(*found)])
            if tokens <= min(2 * stub, room):
                return Cut(reading, *found, tokens)
        return self.cut(reading, min(stub, room))

    def cut(self, reading: Reading, room: int) -> Cut | None:
        """Return what of a passage fits a room."""
        quarters = int(room * QUARTERS / self._ratio)
        for _ in range(TRIES):
            wide = quarters >= reading.size
            found = reading.beyond() if wide else reading.best(quarters)
            if found is None:
                return None
            tokens = self._count(reading.stretch.text[slice(*found)])
            if tokens <= room:
                return Cut(reading, *found, tokens)
            quarters = quarters * room // (tokens + 1)
        return None

    def fact(self, shown: Cut, candidate: Candidate, room: int) -> Cut | None:
        """Return the property that was asked for, beside what is shown of a note."""
        for stretch in candidate.passages:
            if not stretch.begins:
                continue
            mute = not shown.reading.speaks
            found = asked_property(stretch, self._words, by_value=mute)
            if found is None or value_in(found.text) in shown.text:
                return None
            tokens = self._count(found.text)
            cut = Cut(Reading(found, self._words), 0, len(found.text), tokens)
            return cut if tokens <= room else None
        return None


Count = Callable[[str], int]
"""Returns how many tokens a text has."""

JOINT_TOKENS = 8
"""Kept for what parts take more where they meet."""

MOST_FOLLOWED = 3

ORDER = ("suggested", "decisions", "tasks", "questions", "conflicts")
"""The sections in the order in which they make room for passages."""

ITEM_TOKENS = 40
"""About what one thing of a section takes, its source included."""


_NO_NOTE = BundleNote(NotePath(""), "", "", 0.0, "", (), ())
"""Stands for the notes while the frame of a bundle is counted."""


def fixed_tokens(
    frame: Bundle, dropped: Sequence[Dropped], found: int, count: Count
) -> int:
    """Return what a bundle takes whatever it shows, and to tell what it does not.

    So many notes were found, of which none, or all, may be shown.
    """
    most = [Dropped(name, found, 0) for name in ("notes", "near-duplicates")]
    told = (*most, *dropped) if found else ()
    bare = bundle_as_markdown(structs.replace(frame, notes=(_NO_NOTE,), dropped=told))
    return count(bare) + count(section("Sources", ["-\n"])) + JOINT_TOKENS


def follow_ups(notes: Sequence[BundleNote], left: int, count: Count) -> tuple[str, ...]:
    """Return where to read on: notes of which more was found than is shown."""
    left -= count(section("Read on", ["-\n"]))
    kept: list[str] = []
    for note in notes:
        if len(kept) == MOST_FOLLOWED:
            break
        excerpt = note.excerpts[0]
        if not excerpt.trimmed:
            continue
        address = heading_address(note.path, excerpt.heading_path)
        cost = count(follow_line(address))
        if cost <= left:
            kept.append(address)
            left -= cost
    return tuple(kept)


def without_last(made: Bundle) -> Bundle | None:
    """Return a bundle with one thing less beside its passages; None for no such."""
    if made.follow_ups:
        return structs.replace(made, follow_ups=made.follow_ups[:-1])
    for name in ORDER:
        if held := getattr(made, name):
            more = Dropped(name, 1, ITEM_TOKENS)
            dropped = counted((*made.dropped, more))
            return structs.replace(made, **{name: held[:-1], "dropped": dropped})
    return None


def left_out(missed: Sequence[Candidate], repeated: int) -> list[Dropped]:
    """Return the notes that were found and are not shown."""
    made = []
    if missed:
        sizes = [estimate_tokens(found_text(one)) for one in missed]
        made.append(Dropped("notes", len(sizes), sum(sizes)))
    if repeated:
        made.append(Dropped("near-duplicates", repeated, 0))
    return made


def at_least(dropped: Sequence[Dropped], cut: Collection[str]) -> tuple[Dropped, ...]:
    """Return what was left out, and of which sections there is more than is known."""
    return tuple(replace(one, at_least=one.section in cut) for one in dropped)


def counted(dropped: Sequence[Dropped]) -> tuple[Dropped, ...]:
    """Return what was left out, each section once."""
    made: dict[str, Dropped] = {}
    for one in dropped:
        old = made.get(one.section, Dropped(one.section, 0, 0))
        count, tokens = old.count + one.count, old.tokens + one.tokens
        more = old.at_least or one.at_least
        made[one.section] = Dropped(one.section, count, tokens, more)
    return tuple(made.values())


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
    counter: TokenCounter,
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
        counter: TokenCounter,
    ) -> None:
        self._wanted, self._candidates = wanted, candidates
        self._count = counter.count
        self._counter, self._rows = counter, rows
        self._budget = wanted.frame.budget_tokens
        texts = [found_text(one) for one in candidates]
        whole = [one.passages[0].text for one in candidates]
        self._words = Lookup(wanted.words, whole)
        self._clipper = Clipper(self._words, self._count, texts)
        self._told: dict[NotePath, QuotedSentence] = {}
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

    def _suggested(self, entries: Sequence[BundleEntry], left: int) -> Sections:
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

    def _scope(self, candidates: Sequence[Candidate]) -> BundleScope:
        wanted = self._wanted
        return BundleScope(
            note_ids=tuple(one.note.note_id for one in candidates),
            project_ids=wanted.project_ids,
            query=wanted.frame.query,
            today=wanted.today,
            agent=wanted.agent,
        )

    def _wide(self, room: int) -> tuple[list[BundleEntry], int]:
        """Return a short passage of each note, as many as fit, and the room left."""
        share = int(WIDTH * room)
        each = share // max(1, min(len(self._candidates), self._wanted.limit))
        stub = max(STUB_TOKENS, min(LONGEST_STUB, each - STUB_TOKENS))
        entries: list[BundleEntry] = []
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
                entries.append(BundleEntry(candidate, [cut], spare))
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

    def _facts(self, entries: Sequence[BundleEntry], left: int) -> int:
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

    def _grow_all(self, entries: Sequence[BundleEntry], left: int) -> int:
        """Let passages grow, the best first, and return the room left."""
        for share in (2, 1):  # half of what is left for each, then all of it
            for entry in entries:
                if left >= STUB_TOKENS:
                    left -= self._grow(entry, left // share)
        return left

    def _grow(self, entry: BundleEntry, extra: int) -> int:
        """Show more of a note; return what that takes."""
        taken = self._widen(entry, extra)
        if entry.spare and extra - taken > 2 * STUB_TOKENS:
            taken += self._add(entry, extra - taken)
        return taken

    def _widen(self, entry: BundleEntry, extra: int) -> int:
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

    def _add(self, entry: BundleEntry, room: int) -> int:
        """Show a further passage of a note, if it is another; return what it takes."""
        reading = Reading(entry.spare.pop(0), self._words)
        label = label_of(entry.candidate, reading.stretch)
        cost = self._count(label) + DIGEST_TOKENS
        cut = self._clipper.cut(reading, room - cost)
        if cut is None or any(overlap(cut, other) for other in entry.cuts):
            return 0
        entry.show(cut)
        return cost + cut.tokens

    def _answer(self, left: int) -> tuple[list[QuotedSentence], int]:
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

    def _is_seen(self, told: QuotedSentence) -> bool:
        """Whether a sentence is in no comment, which may begin far above its passage.

        That within a passage is looked for where sentences are chosen.
        """
        note_id, stretch = told.candidate.note.note_id, told.stretch
        page = NoteLines(self._rows.pages([note_id]).get(note_id, ()))
        before = stretch.text.count("\n", 0, told.place[0])
        return stretch.first_line + before not in page.unseen

    def _left_out(self) -> list[Dropped]:
        return left_out(self._missed, self._twice)

    def _within(
        self, made: Bundle, entries: list[BundleEntry], answer: Sequence[QuotedSentence]
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

    def _shorten(self, entries: list[BundleEntry], over: int) -> None:
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
