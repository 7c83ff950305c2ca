"""The passages that may answer a question, and what their sentences say to it."""

from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from datetime import date
from typing import Literal, NamedTuple

from msgspec.structs import replace

from glassmind.context.conflicts import conflicts
from glassmind.context.extract import (
    ChosenSentence,
    Extract,
    NumberedPassage,
    extract,
)
from glassmind.context.items import BundleScope
from glassmind.context.parts import (
    COUNTED,
    SUMMARIES,
    ContextParts,
    StaleCheck,
    day_or_today,
    turned_private,
)
from glassmind.context.passages import (
    BundleCandidate,
    LineRange,
    NoteRequest,
    candidates,
    may_answer,
    part_of,
    says_little,
)
from glassmind.context.question_words import Lookup, question_words
from glassmind.model import NotePath, Span
from glassmind.model.context import (
    AnswerSources,
    Citation,
    Conflict,
    Excerpt,
    Source,
    Statement,
)
from glassmind.model.search import FACTS, Hit, Intent, Mode, SearchReply
from glassmind.obsidian.hidden_text import visible_text
from glassmind.obsidian.secrets import redacted
from glassmind.store.protocol import Rows

MOST_CONFLICTS = 3
"""Of one answer: what is asked about, not all that is open."""

LOOKED_AT = 8
"""Passages that sentences are taken of: in more, wrong ones read as well."""

HEADS = 4
"""Notes, from the best, whose properties are looked at beside their passages."""


class GatherRequest(NamedTuple):
    """A question, and how many passages it takes; `private` with private notes."""

    question: str
    limit: int
    budget_tokens: int
    project: str | None = None
    mode: Mode | None = None
    intent: Intent | Literal["auto"] | None = "auto"
    private: bool = False
    today: date | None = None


class _Entry(NamedTuple):
    """A passage of a note, or a fact that is in none.

    `safe` is the passage without the credentials in it, line for line; `visible` what
    a model may read of its excerpt, or "" where that is not known.
    """

    stretch: LineRange
    safe: LineRange
    excerpt: Excerpt
    visible: str
    hit: Hit
    candidate: BundleCandidate | None = None
    is_head: bool = False


def gathered(parts: ContextParts, request: GatherRequest) -> AnswerSources:
    """Return the passages that may answer a question, numbered, best first.

    With them come the sentences that answer it. What is cited is whole; prompts cut it.
    """
    limit, question = request.limit, request.question
    reply = parts.search(
        question,
        limit=max(limit, LOOKED_AT) if limit > 0 else limit,
        unique="chunks",
        mode=request.mode,
        intent=request.intent,
        project=request.project or None,
        facts=True,
        today=request.today,
    )
    stale = StaleCheck(parts)
    with parts.vault.rows().still():
        entries, withheld = _entries(parts, reply, stale, private=request.private)
        found = conflicts(parts.sections(), _scope(parts, request, entries))
    superseded = (conflict.sides for conflict in found if conflict.kind == "superseded")
    replaced = {old.path: new.title for new, old in superseded}
    texts = [entry.excerpt.text for entry in entries]
    words = Lookup(question_words(question, reply.hits), texts)
    passages = _passages(parts, entries, replaced)
    made = extract(question, passages, words, parts.reranker, reply.confidence)
    cited = list(dict.fromkeys(sentence.number for sentence in made.pieces))[:limit]
    sentences = [sentence for sentence in made.pieces if sentence.number in cited]
    kept = _kept(parts, entries, cited, limit, request.budget_tokens)
    numbers = {at: number for number, at in enumerate(kept, 1)}
    chars = parts.config.ask.excerpt_chars
    sources = []
    for at, number in numbers.items():
        source = _source(entries[at], number, _best_start(sentences, at), chars)
        newer = replaced.get(entries[at].hit.path, "")
        sources.append(replace(source, superseded_by=newer))
    answer = sentences if made.is_sure else []
    shown = [sentence.number for sentence in answer] or kept[:COUNTED]
    used = [entries[at] for at in shown]
    paths = [entry.hit.path for entry in used if entry.candidate is not None]
    parts.used("ask", list(dict.fromkeys(paths)))
    return AnswerSources(
        question,
        tuple(sources),
        tuple(
            _statement(entries[sentence.number], sentence, numbers)
            for sentence in answer
        ),
        reply.confidence if made.likelihood is None else made.likelihood,
        reply.mode,
        reply.intent,
        (*stale.notices(), *reply.degraded, *_lacks(parts, made)),
        withheld,
        _relevant(found, words, [sentence.piece.text for sentence in answer], sources),
    )


def _passages(
    parts: ContextParts, entries: Sequence[_Entry], replaced: Container[str]
) -> list[NumberedPassage]:
    """Return the passages that may be quoted as the answer."""
    return [
        NumberedPassage(at, entry.safe, entry.hit.relevance, entry.hit.title)
        for at, entry in enumerate(entries)
        if (at < LOOKED_AT or entry.is_head)
        and (entry.candidate is None or may_answer(entry.candidate, parts.agent))
        and entry.hit.path not in replaced
    ]


def _lacks(parts: ContextParts, made: Extract) -> tuple[str, ...]:
    if not made.lacks or parts.config.embeddings.backend == "none":
        return ()
    return (f"sentences were chosen by their words alone: {made.lacks}",)


def _scope(
    parts: ContextParts, request: GatherRequest, entries: Sequence[_Entry]
) -> BundleScope:
    found = [
        entry.candidate.note.note_id for entry in entries if entry.candidate is not None
    ]
    members = parts.members_of(request.project)
    return BundleScope(
        note_ids=tuple(dict.fromkeys(found)),
        project_ids=frozenset(note.note_id for note in members),
        query=request.question,
        today=day_or_today(request.today),
        agent=parts.agent,
    )


def _relevant(
    found: Sequence[Conflict],
    words: Lookup,
    answer: Collection[str],
    sources: Sequence[Source],
) -> tuple[Conflict, ...]:
    """Return the conflicts of sources that a question, or its answer, is about."""
    paths = {source.path for source in sources}

    def is_relevant(conflict: Conflict) -> bool:
        values = [side.value for side in conflict.sides if side.value]
        held = words.words(conflict.about) & words.typed
        return (
            conflict.kind != "superseded"
            and any(side.path in paths for side in conflict.sides)
            and (
                any(value in text for value in values for text in answer)
                or 2 * len(held) > max(1, len(words.typed))
            )
        )

    return tuple(filter(is_relevant, found))[:MOST_CONFLICTS]


def _entries(
    parts: ContextParts, reply: SearchReply, stale: StaleCheck, *, private: bool
) -> tuple[list[_Entry], int]:
    """Return the passages that hits name, best first, and how many notes it hides."""
    made = f"{parts.agent}/{SUMMARIES}/"
    hits = [hit for hit in reply.hits if not hit.path.startswith(made)]
    rows = parts.vault.rows()
    safe = SafeNotes(rows)
    notes = rows.packed_notes([h.path for h in hits if not h.path.startswith(FACTS)])
    stale.look(notes)
    hidden: set[NotePath] = set()
    if not private:
        hidden = {path for path, note in notes.items() if note.private}
        hidden |= turned_private(parts, stale.changed)
    entries: list[_Entry] = []
    for hit in hits:
        if hit.path.startswith(FACTS):
            entries.append(_fact(hit))
        elif hit.path not in hidden:
            for candidate in candidates([_request(hit, hit.chunk_index)], rows):
                stretch = candidate.passages[0]
                place = stretch.lines(*_trimmed(stretch))
                if not says_little(candidate):
                    entries.append(_entry(hit, candidate, stretch, place, safe))
    return [*entries, *_heads(entries, rows, safe)], len(hidden)


def _heads(
    entries: Sequence[_Entry], rows: Rows, safe: "SafeNotes"
) -> Iterator[_Entry]:
    """Yield the properties of the best notes, where no hit has them."""
    found = [one for one in entries if one.candidate is not None]
    begun = {one.hit.path for one in found if one.stretch.first_line == 1}
    first = {one.hit.path: one.hit for one in reversed(found)}
    for path in list(dict.fromkeys(one.hit.path for one in found))[:HEADS]:
        requests = [] if path in begun else [_request(first[path], 0)]
        for candidate in candidates(requests, rows):
            stretch = candidate.passages[0]
            if stretch.body:
                head = part_of(stretch, 0, stretch.body)
                place = (0, len(head.text.rstrip("\n")))
                hit = first[path]._replace(chunk_index=0)
                entry = _entry(hit, candidate, head, place, safe)
                yield entry._replace(is_head=True)


def _request(hit: Hit, index: int) -> NoteRequest:
    return NoteRequest(
        hit.path, hit.relevance, hit.match_reason, hit.channels, (index,)
    )


def _entry(
    hit: Hit,
    candidate: BundleCandidate,
    stretch: LineRange,
    place: tuple[int, int],
    notes: "SafeNotes",
) -> _Entry:
    excerpt, note_id = stretch.excerpt(hit.path, *place), candidate.note.note_id
    safe = notes.safe(note_id, stretch)
    visible = notes.visible(note_id, excerpt.lines, excerpt.text)
    return _Entry(stretch, safe, excerpt, visible, hit, candidate)


def _trimmed(stretch: LineRange) -> tuple[int, int]:
    """Return the characters of the passage that was found, without blanks around."""
    start, end = stretch.focus
    said = stretch.text[start:end]
    end -= len(said) - len(said.rstrip())
    return min(start + len(said) - len(said.lstrip("\n")), end), end


def _fact(hit: Hit) -> _Entry:
    text = hit.snippet.text
    stretch = LineRange(text, 1, (0, len(text)), ((0, ()),), ends=True)
    safe = _with_text(stretch, redacted(text))
    excerpt = Excerpt((), Span(1, text.count("\n") + 1), text, "")
    return _Entry(stretch, safe, excerpt, "", hit)


def _kept(
    parts: ContextParts,
    entries: Sequence[_Entry],
    cited: Sequence[int],
    limit: int,
    budget: int,
) -> list[int]:
    """Return the passages that are sources: those cited, and the best others that fit.

    Without any cited, the best one whatever its size.
    """
    count = parts.counter.count
    best = [at for at, entry in enumerate(entries) if not entry.is_head]
    kept = list(cited) or best[:1]
    left = budget - sum(count(entries[at].excerpt.text) for at in kept)
    for at in best:
        if at not in kept and len(kept) < limit:
            size = count(entries[at].excerpt.text)
            if size <= left:
                kept.append(at)
                left -= size
    return sorted(kept)


def _best_start(chosen: Sequence[ChosenSentence], at: int) -> int | None:
    mine = [sentence for sentence in chosen if sentence.number == at]
    return max(mine, key=lambda sentence: sentence.score).piece.start if mine else None


def _source(entry: _Entry, number: int, begun: int | None, chars: int) -> Source:
    """Return a source; its excerpt begins with the sentence that answers best."""
    hit, excerpt, safe = entry.hit, entry.excerpt, entry.safe
    top = excerpt.lines.start - entry.stretch.first_line
    start, end = place_of(safe.text, top, excerpt.lines.end - entry.stretch.first_line)
    if start == safe.lines(*safe.focus)[0]:
        start = max(start, safe.focus[0])
    shown = " ".join(safe.text[start if begun is None else begun : end].split())
    if len(shown) > chars:
        shown = f"{shown[: chars - 3].rstrip()}..."
    return Source(
        number,
        hit.path,
        hit.title if entry.candidate is None else entry.candidate.note.title,
        excerpt.heading_path,
        excerpt.lines,
        hit.chunk_index,
        hit.relevance,
        excerpt.text,
        shown,
        excerpt.receipt,
        hit.generated,
        shown=entry.visible,
    )


def _statement(
    entry: _Entry, chosen: ChosenSentence, numbers: Mapping[int, int]
) -> Statement:
    safe, piece = entry.safe, chosen.piece
    quote = safe.text[piece.start : piece.end].strip()
    receipt = ""
    if entry.candidate is not None:
        first = safe.text.count("\n", 0, piece.start)
        lines = place_of(entry.stretch.text, first, first + quote.count("\n"))
        receipt = entry.stretch.excerpt(entry.hit.path, *lines).receipt
    return Statement(
        piece.text, "verbatim", (Citation(numbers[chosen.number], quote, receipt),)
    )


# --- notes without their credentials ------------------------------------------------


class _Lines(NamedTuple):
    """The lines of a note from `first` on: as they are, safe, and as they are seen."""

    first: int
    said: list[str]
    safe: list[str]
    visible: list[str]

    def part(self, kind: list[str], first_line: int, count: int) -> str:
        top = first_line - self.first
        return "\n".join(kind[top : top + count]) if top >= 0 else ""


class SafeNotes:
    """Notes without credentials, each redacted once and as a whole.

    A key may be told by its lines far above a passage.
    """

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._known: dict[int, _Lines | None] = {}

    def safe(self, note_id: int, stretch: LineRange) -> LineRange:
        lines, count = self._lines(note_id), stretch.text.count("\n") + 1
        top = stretch.first_line
        if lines is None or lines.part(lines.said, top, count) != stretch.text:
            return _with_text(stretch, redacted(stretch.text))
        return _with_text(stretch, lines.part(lines.safe, top, count))

    def visible(self, note_id: int, span: Span, text: str) -> str:
        """Return some lines as a model may read them; empty where that is not known."""
        lines, count = self._lines(note_id), text.count("\n") + 1
        if lines is None or lines.part(lines.said, span.start, count) != text:
            return ""
        return lines.part(lines.visible, span.start, count)

    def _lines(self, note_id: int) -> _Lines | None:
        if note_id not in self._known:
            chunks, text = self._rows.every_chunk(note_id), ""
            first, is_whole = (chunks[0].first_line if chunks else 1), True
            for chunk in chunks:
                is_whole &= chunk.first_line == first + text.count("\n")
                text += chunk.text
            safe = redacted(text)
            kinds = [one.split("\n") for one in (text, safe, visible_text(safe))]
            is_whole &= len({len(kind) for kind in kinds}) == 1
            self._known[note_id] = _Lines(first, *kinds) if is_whole else None
        return self._known[note_id]


def _with_text(stretch: LineRange, text: str) -> LineRange:
    """Return a stretch with other text on the same lines."""
    if text == stretch.text:
        return stretch

    def moved(at: int) -> int:
        line = stretch.text.count("\n", 0, at)
        start, end = place_of(text, line, line)
        return min(start + at - (stretch.text.rfind("\n", 0, at) + 1), end)

    return stretch._replace(
        text=text,
        focus=(moved(stretch.focus[0]), moved(stretch.focus[1])),
        headings=tuple((moved(at), path) for at, path in stretch.headings),
    )


def place_of(text: str, first: int, last: int) -> tuple[int, int]:
    """Return the characters of some lines, counted from 0."""
    start = 0
    for _ in range(first):
        start = text.find("\n", start) + 1
    end = start
    for _ in range(first, last):
        end = text.find("\n", end) + 1
    over = text.find("\n", end)
    return start, len(text) if over < 0 else over
