"""The passages that may answer a question, numbered, and what they say to it."""

from collections.abc import Sequence
from typing import NamedTuple

from glassmind.context.asking import Lookup, question_words
from glassmind.context.behind import Lookout
from glassmind.context.bundling import COUNTED, Wish
from glassmind.context.captured import is_unapproved
from glassmind.context.extracting import TOLD, Extract, Passage, Told, extract
from glassmind.context.members import SUMMARIES
from glassmind.context.passages import (
    Asked,
    Candidate,
    Stretch,
    candidates,
    part_of,
    says_little,
)
from glassmind.context.shelf import Shelf
from glassmind.markdown.secrets import redacted
from glassmind.types import NotePath, Span
from glassmind.types.answers import Citation, Gathered, Source, Statement
from glassmind.types.context import Excerpt
from glassmind.types.search import FACTS, Hit, SearchReply

LOOKED_AT = 8
"""Passages that sentences are taken of: in more, wrong ones read as well."""

HEADS = 4
"""Notes, from the best, whose properties are looked at beside their passages."""


class _Entry(NamedTuple):
    """A passage of a note, or a fact that is in none."""

    stretch: Stretch
    excerpt: Excerpt
    hit: Hit
    candidate: Candidate | None
    is_head: bool = False


def gathered(shelf: Shelf, question: str, wish: Wish, *, private: bool) -> Gathered:
    """Return what was found for a question."""
    limit = wish.limit or LOOKED_AT
    reply = shelf.sources.search(
        question,
        limit=max(limit, LOOKED_AT),
        unique="chunks",
        mode=wish.mode,
        intent=wish.intent,
        project=wish.project or None,
        today=wish.today,
    )
    lookout = Lookout(shelf)
    with shelf.still():
        entries, withheld = _entries(shelf, reply, private=private)
        lookout.look(one.hit.path for one in entries if one.candidate is not None)
    made = _extracted(shelf, question, reply, entries)
    cited = {one.number for one in made.told}
    kept = _kept(shelf, entries, cited, limit, wish.budget_tokens or 0)
    numbers = {at: number for number, at in enumerate(kept, 1)}
    chars = shelf.config.ask.excerpt_chars
    sources = tuple(
        _source(entries[at], numbers[at], _begun(made.told, at), chars) for at in kept
    )
    told = made.told if _is_told(made) else ()
    shelf.sources.used("ask", _used(entries, told, kept))
    return Gathered(
        question,
        sources,
        tuple(_statement(entries[one.number], one, numbers) for one in told),
        reply.confidence if made.likelihood is None else made.likelihood,
        reply.mode,
        reply.intent,
        (*lookout.notices(), *reply.degraded),
        withheld,
    )


def _entries(
    shelf: Shelf, reply: SearchReply, *, private: bool
) -> tuple[list[_Entry], int]:
    """Return the passages that hits name, best first; and how many notes are kept back.

    Behind them the properties of the best notes, where no hit has them.
    """
    made = f"{shelf.config.writes.agent_dir.strip('/')}/{SUMMARIES}/"
    hits = [hit for hit in reply.hits if not hit.path.startswith(made)]
    there = [hit for hit in hits if not hit.path.startswith(FACTS)]
    rows = shelf.passages()
    notes = rows.notes([hit.path for hit in there])
    hidden = {path for path, note in notes.items() if note.private and not private}
    entries: list[_Entry] = []
    for hit in hits:
        if hit.path.startswith(FACTS):
            entries.append(_fact(hit))
        elif hit.path not in hidden:
            found = candidates([_asked(hit, hit.chunk_index)], rows)
            entries += [_entry(hit, one) for one in found if not says_little(one)]
    heads = [one for one in entries if one.candidate is not None]
    begun = {one.hit.path for one in heads if one.stretch.first_line == 1}
    first = {one.hit.path: one.hit for one in reversed(heads)}
    for path in list(dict.fromkeys(one.hit.path for one in heads))[:HEADS]:
        if path not in begun:
            entries += _head(first[path], candidates([_asked(first[path], 0)], rows))
    return entries, len(hidden)


def _asked(hit: Hit, index: int) -> Asked:
    return Asked(hit.path, hit.relevance, hit.match_reason, hit.channels, (index,))


def _entry(hit: Hit, candidate: Candidate) -> _Entry:
    stretch = candidate.passages[0]
    start, end = stretch.lines(*_trimmed(stretch))
    return _Entry(stretch, stretch.excerpt(hit.path, start, end), hit, candidate)


def _trimmed(stretch: Stretch) -> tuple[int, int]:
    """Return the characters of the passage that was found, without blanks around."""
    start, end = stretch.focus
    said = stretch.text[start:end]
    end -= len(said) - len(said.rstrip())
    return min(start + len(said) - len(said.lstrip("\n")), end), end


def _head(hit: Hit, found: Sequence[Candidate]) -> list[_Entry]:
    """Return the properties of a note as a passage of their own."""
    for one in found:
        stretch = one.passages[0]
        if stretch.body:
            part = part_of(stretch, 0, stretch.body)
            end = len(part.text.rstrip("\n"))
            begun = hit._replace(chunk_index=0)
            excerpt = part.excerpt(hit.path, 0, end)
            return [_Entry(part, excerpt, begun, one, is_head=True)]
    return []


def _fact(hit: Hit) -> _Entry:
    text = hit.snippet.text
    stretch = Stretch(text, 1, (0, len(text)), ((0, ()),), ends=True)
    span = Span(1, text.count("\n") + 1)
    return _Entry(stretch, Excerpt((), span, text, ""), hit, None)


def _extracted(
    shelf: Shelf, question: str, reply: SearchReply, entries: Sequence[_Entry]
) -> Extract:
    agent = shelf.config.writes.agent_dir.strip("/")
    passages = [
        Passage(at, one.stretch, one.hit.relevance)
        for at, one in enumerate(entries)
        if (at < LOOKED_AT or one.is_head) and _may_answer(one, agent)
    ]
    texts = [one.excerpt.text for one in entries]
    words = Lookup(question_words(question, reply.hits), texts)
    return extract(question, passages, words, shelf.reranker, reply.confidence)


def _may_answer(entry: _Entry, agent: str) -> bool:
    """Whether sentences may be told: none that an agent wrote and nobody approved."""
    if entry.candidate is None:
        return True
    note = entry.candidate.note
    unapproved = is_unapproved(note.path, agent, generated=note.generated)
    return note.path.endswith(".md") and not unapproved


def _is_told(made: Extract) -> bool:
    return made.likelihood is not None and made.likelihood >= TOLD


def _kept(
    shelf: Shelf, entries: Sequence[_Entry], cited: set[int], limit: int, budget: int
) -> list[int]:
    """Return which passages are sources: those cited, and the best others that fit."""
    count = shelf.counter().count
    kept, left = set[int](), budget
    best = [at for at, one in enumerate(entries) if not one.is_head]
    for at in [*sorted(cited), *best]:
        size = count(entries[at].excerpt.text)
        full = len(kept) >= limit and at not in cited
        if at in kept or full or (kept and size > left):
            continue
        kept.add(at)
        left -= size
    return sorted(kept)


def _begun(told: Sequence[Told], at: int) -> int | None:
    """Return where the best piece of a passage begins, if one was chosen."""
    mine = [one for one in told if one.number == at]
    return max(mine, key=lambda one: one.score).piece.start if mine else None


def _source(entry: _Entry, number: int, begun: int | None, chars: int) -> Source:
    hit, candidate = entry.hit, entry.candidate
    start = 0 if begun is None else begun - entry.stretch.lines(*entry.stretch.focus)[0]
    shown = redacted(entry.excerpt.text)
    # where something is hidden, places are others
    shown = shown[max(0, start) :] if shown == entry.excerpt.text else shown
    return Source(
        number,
        hit.path,
        hit.title if candidate is None else candidate.note.title,
        entry.excerpt.heading_path,
        entry.excerpt.span,
        hit.chunk_index,
        hit.relevance,
        entry.excerpt.text,
        shortened_to(" ".join(shown.split()), chars),
        entry.excerpt.receipt,
        hit.generated,
    )


def shortened_to(text: str, chars: int) -> str:
    """Return a text of at most so many letters, with dots where it goes on."""
    return text if len(text) <= chars else f"{text[: chars - 3].rstrip()}..."


def _statement(entry: _Entry, told: Told, numbers: dict[int, int]) -> Statement:
    stretch, piece = entry.stretch, told.piece
    quote = stretch.text[piece.start : piece.end].strip()
    receipt = ""
    if entry.candidate is not None:
        path = entry.candidate.note.path
        receipt = stretch.excerpt(path, *stretch.lines(piece.start, piece.end)).receipt
    cited = Citation(numbers[told.number], redacted(quote), receipt)
    return Statement(redacted(piece.text), "verbatim", (cited,))


def _used(
    entries: Sequence[_Entry], told: Sequence[Told], kept: list[int]
) -> list[NotePath]:
    """Return the notes that count as handed out: those cited, or else the best."""
    chosen = [one.number for one in told] or kept[:COUNTED]
    paths = [entries[at].hit.path for at in chosen if entries[at].candidate is not None]
    return list(dict.fromkeys(paths))
