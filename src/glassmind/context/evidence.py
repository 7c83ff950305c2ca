"""What the sources of an answer do not agree on, and which of them do not hold."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Literal, NamedTuple

from msgspec.structs import replace

from glassmind.context.conflicts import conflicts
from glassmind.context.extract import TOLD, ChosenPiece, Extract, Passage, extract
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
    Candidate,
    Hiding,
    NoteRequest,
    Stretch,
    candidates,
    may_answer,
    part_of,
    place_of,
    says_little,
)
from glassmind.context.question_words import Lookup, question_words
from glassmind.model import NotePath, Span
from glassmind.model.context import (
    Citation,
    Conflict,
    Excerpt,
    Gathered,
    Source,
    Statement,
)
from glassmind.model.search import FACTS, Hit, Intent, Mode, SearchReply

MOST_CONFLICTS = 3
"""Of one answer: what is asked about, not all that is open."""


class Disagreement(NamedTuple):
    """Conflicts of some notes, and the titles of what took the place of others."""

    found: Sequence[Conflict] = ()
    replaced: Mapping[NotePath, str] = {}

    def about(
        self, words: Lookup, told: Collection[str], paths: Collection[NotePath]
    ) -> tuple[Conflict, ...]:
        """Return the conflicts that a question, or its answer, is about.

        One of whose sides is cited: it says a value that was told, or is about most
        words of the question.
        """
        return tuple(
            one
            for one in self.found
            if one.kind != "superseded"
            and any(side.path in paths for side in one.sides)
            and (_is_told(one, told) or _is_asked(one, words))
        )[:MOST_CONFLICTS]


def disagreement(parts: ContextParts, scope: BundleScope) -> Disagreement:
    found = conflicts(parts.sections(), scope) if scope.note_ids else []
    replaced = {
        one.sides[1].path: one.sides[0].title
        for one in found
        if one.kind == "superseded"
    }
    return Disagreement(found, replaced)


def _is_told(one: Conflict, told: Collection[str]) -> bool:
    return any(side.value and side.value in text for side in one.sides for text in told)


def _is_asked(one: Conflict, words: Lookup) -> bool:
    held = words.words(one.about) & words.typed
    return bool(words.typed) and 2 * len(held) > len(words.typed)


LOOKED_AT = 8
"""Passages that sentences are taken of: in more, wrong ones read as well."""

HEADS = 4
"""Notes, from the best, whose properties are looked at beside their passages."""


class _Entry(NamedTuple):
    """A passage of a note, or a fact that is in none.

    `safe` is the passage without the credentials in it, line for line; `hiding` knows
    what else of its note is not shown.
    """

    stretch: Stretch
    safe: Stretch
    excerpt: Excerpt
    hit: Hit
    candidate: Candidate | None
    hiding: Hiding
    is_head: bool = False


class GatherRequest(NamedTuple):
    """A question with the options of `Bundles.gather`."""

    question: str
    limit: int
    budget_tokens: int
    project: str | None
    mode: Mode | None
    intent: Intent | Literal["auto"] | None
    private: bool
    today: date | None


def gathered(parts: ContextParts, asked: GatherRequest) -> Gathered:
    limit = asked.limit
    reply = parts.search(
        asked.question,
        limit=max(limit, LOOKED_AT) if limit > 0 else limit,
        unique="chunks",
        mode=asked.mode,
        intent=asked.intent,
        project=asked.project or None,
        facts=True,
        today=asked.today,
    )
    stale = StaleCheck(parts)
    with parts.still():
        entries, withheld = _entries(parts, reply, stale, private=asked.private)
        differing = disagreement(parts, _scope(parts, asked, entries))
    texts = [one.excerpt.text for one in entries]
    words = Lookup(question_words(asked.question, reply.hits), texts)
    made = _extracted(parts, words, reply, entries, differing)
    chosen = _within(made.told, limit)
    kept = _kept(parts, entries, chosen, limit, asked.budget_tokens)
    numbers = {at: number for number, at in enumerate(kept, 1)}
    chars = parts.config.ask.excerpt_chars
    sources = tuple(
        replace(
            _source(one, numbers[at], _begun(chosen, at), chars),
            superseded_by=differing.replaced.get(one.hit.path, ""),
        )
        for at, one in kept.items()
    )
    likely = made.likelihood
    told = chosen if likely is not None and likely >= TOLD else ()
    parts.used("ask", _used(entries, told, list(kept)))
    return Gathered(
        asked.question,
        sources,
        tuple(_statement(entries[one.number], one, numbers) for one in told),
        reply.confidence if likely is None else likely,
        reply.mode,
        reply.intent,
        (*stale.notices(), *reply.degraded, *_lacks(parts, made)),
        withheld,
        differing.about(
            words,
            [one.piece.text for one in told],
            {one.hit.path for one in kept.values()},
        ),
    )


def _scope(
    parts: ContextParts, asked: GatherRequest, entries: Sequence[_Entry]
) -> BundleScope:
    found = [one.candidate.note.note_id for one in entries if one.candidate is not None]
    members = parts.members_of(asked.project)
    return BundleScope(
        note_ids=tuple(dict.fromkeys(found)),
        project_ids=frozenset(note.note_id for note in members),
        query=asked.question,
        today=day_or_today(asked.today),
        agent=parts.agent,
    )


def _within(told: Sequence[ChosenPiece], limit: int) -> tuple[ChosenPiece, ...]:
    first = list(dict.fromkeys(one.number for one in told))[:limit]
    return tuple(one for one in told if one.number in first)


def _entries(
    parts: ContextParts, reply: SearchReply, lookout: StaleCheck, *, private: bool
) -> tuple[list[_Entry], int]:
    """Return the passages that hits name, best first; and how many notes are kept back.

    Behind them the properties of the best notes, where no hit has them.
    """
    made = f"{parts.agent}/{SUMMARIES}/"
    hits = [hit for hit in reply.hits if not hit.path.startswith(made)]
    there = [hit for hit in hits if not hit.path.startswith(FACTS)]
    rows = parts.vault.rows()
    hiding = Hiding(rows)
    notes = rows.packed_notes([hit.path for hit in there])
    lookout.look(notes)
    hidden: set[NotePath] = set()
    if not private:
        hidden = {path for path, note in notes.items() if note.private}
        hidden |= turned_private(parts, lookout.changed)
    entries: list[_Entry] = []
    for hit in hits:
        if hit.path.startswith(FACTS):
            entries.append(_fact(hit, hiding))
        elif hit.path not in hidden:
            found = candidates([_asked(hit, hit.chunk_index)], rows)
            entries += [
                _entry(hit, one, hiding) for one in found if not says_little(one)
            ]
    heads = [one for one in entries if one.candidate is not None]
    begun = {one.hit.path for one in heads if one.stretch.first_line == 1}
    first = {one.hit.path: one.hit for one in reversed(heads)}
    for path in list(dict.fromkeys(one.hit.path for one in heads))[:HEADS]:
        if path not in begun:
            found = candidates([_asked(first[path], 0)], rows)
            entries += _head(first[path], found, hiding)
    return entries, len(hidden)


def _asked(hit: Hit, index: int) -> NoteRequest:
    return NoteRequest(
        hit.path, hit.relevance, hit.match_reason, hit.channels, (index,)
    )


def _entry(hit: Hit, candidate: Candidate, hiding: Hiding) -> _Entry:
    stretch = candidate.passages[0]
    start, end = stretch.lines(*_trimmed(stretch))
    excerpt = stretch.excerpt(hit.path, start, end)
    safe = hiding.safe(candidate.note.note_id, stretch)
    return _Entry(stretch, safe, excerpt, hit, candidate, hiding)


def _trimmed(stretch: Stretch) -> tuple[int, int]:
    """Return the characters of the passage that was found, without blanks around."""
    start, end = stretch.focus
    said = stretch.text[start:end]
    end -= len(said) - len(said.rstrip())
    return min(start + len(said) - len(said.lstrip("\n")), end), end


def _head(hit: Hit, found: Sequence[Candidate], hiding: Hiding) -> list[_Entry]:
    for one in found:
        stretch = one.passages[0]
        if stretch.body:
            part = part_of(stretch, 0, stretch.body)
            end = len(part.text.rstrip("\n"))
            begun = hit._replace(chunk_index=0)
            excerpt = part.excerpt(hit.path, 0, end)
            safe = hiding.safe(one.note.note_id, part)
            return [_Entry(part, safe, excerpt, begun, one, hiding, is_head=True)]
    return []


def _fact(hit: Hit, hiding: Hiding) -> _Entry:
    text = hit.snippet.text
    stretch = Stretch(text, 1, (0, len(text)), ((0, ()),), ends=True)
    span = Span(1, text.count("\n") + 1)
    excerpt = Excerpt((), span, text, "")
    return _Entry(stretch, hiding.fact(stretch), excerpt, hit, None, hiding)


def _extracted(
    parts: ContextParts,
    words: Lookup,
    reply: SearchReply,
    entries: Sequence[_Entry],
    differing: Disagreement,
) -> Extract:
    agent = parts.agent
    passages = [
        Passage(at, one.safe, one.hit.relevance, one.hit.title)
        for at, one in enumerate(entries)
        if (at < LOOKED_AT or one.is_head)
        and (one.candidate is None or may_answer(one.candidate, agent))
        and one.hit.path not in differing.replaced
    ]
    return extract(reply.query, passages, words, parts.reranker, reply.confidence)


def _lacks(parts: ContextParts, made: Extract) -> tuple[str, ...]:
    """Return what would choose sentences better, unless no model is wanted at all."""
    if not made.lacks or parts.config.embeddings.backend == "none":
        return ()
    return (f"sentences were chosen by their words alone: {made.lacks}",)


def _kept(
    parts: ContextParts,
    entries: Sequence[_Entry],
    told: Sequence[ChosenPiece],
    limit: int,
    budget: int,
) -> dict[int, _Entry]:
    """Return the passages that are sources: those cited, and the best others that fit.

    What is cited is kept whole: a prompt cuts it to its room, at the end of a line.
    """
    count = parts.counter.count
    best = [at for at, one in enumerate(entries) if not one.is_head]
    cited = list(dict.fromkeys(one.number for one in told)) or best[:1]
    kept = {at: entries[at] for at in cited}
    left = budget - sum(count(one.excerpt.text) for one in kept.values())
    for at in best:
        if at not in kept and len(kept) < limit:
            size = count(entries[at].excerpt.text)
            if size <= left:
                kept[at] = entries[at]
                left -= size
    return dict(sorted(kept.items()))


def _begun(told: Sequence[ChosenPiece], at: int) -> int | None:
    mine = [one for one in told if one.number == at]
    return max(mine, key=lambda one: one.score).piece.start if mine else None


def _source(entry: _Entry, number: int, begun: int | None, chars: int) -> Source:
    hit, candidate = entry.hit, entry.candidate
    top = entry.excerpt.lines.start - entry.stretch.first_line
    last = entry.excerpt.lines.end - entry.stretch.first_line
    start, end = place_of(entry.safe.text, top, last)
    if candidate is not None and start == entry.safe.lines(*entry.safe.focus)[0]:
        start = max(start, entry.safe.focus[0])
    shown = entry.safe.text[start if begun is None else begun : end]
    return Source(
        number,
        hit.path,
        hit.title if candidate is None else candidate.note.title,
        entry.excerpt.heading_path,
        entry.excerpt.lines,
        hit.chunk_index,
        hit.relevance,
        entry.excerpt.text,
        shortened_to(" ".join(shown.split()), chars),
        entry.excerpt.receipt,
        hit.generated,
        shown=_shown(entry),
    )


def _shown(entry: _Entry) -> str:
    """Return the lines of a source as a model may read them; "" where that is open."""
    if entry.candidate is None:
        return ""
    span, said = entry.excerpt.lines, entry.excerpt.text
    return entry.hiding.shown(entry.candidate.note.note_id, span, said)


def shortened_to(text: str, chars: int) -> str:
    """Return a text of at most so many letters, with dots where it goes on."""
    return text if len(text) <= chars else f"{text[: chars - 3].rstrip()}..."


def _statement(entry: _Entry, told: ChosenPiece, numbers: dict[int, int]) -> Statement:
    safe, piece = entry.safe, told.piece
    quote = safe.text[piece.start : piece.end].strip()
    receipt = ""
    if entry.candidate is not None:
        first = safe.text.count("\n", 0, piece.start)
        last = first + quote.count("\n")
        lines = place_of(entry.stretch.text, first, last)
        receipt = entry.stretch.excerpt(entry.hit.path, *lines).receipt
    cited = Citation(numbers[told.number], quote, receipt)
    return Statement(piece.text, "verbatim", (cited,))


def _used(
    entries: Sequence[_Entry], told: Sequence[ChosenPiece], kept: list[int]
) -> list[NotePath]:
    """Return the notes that count as handed out: those cited, or else the best."""
    chosen = [one.number for one in told] or kept[:COUNTED]
    paths = [entries[at].hit.path for at in chosen if entries[at].candidate is not None]
    return list(dict.fromkeys(paths))
