"""The passages that may answer a question, numbered, and what they say to it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
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
    """A passage of a note, or a fact that is in none.

    `safe` is the passage without the credentials in it, line for line.
    """

    stretch: Stretch
    safe: Stretch
    excerpt: Excerpt
    hit: Hit
    candidate: Candidate | None
    is_head: bool = False


def gathered(shelf: Shelf, question: str, wish: Wish, *, private: bool) -> Gathered:
    """Return what was found for a question."""
    limit = LOOKED_AT if wish.limit is None else wish.limit
    reply = shelf.sources.search(
        question,
        limit=max(limit, LOOKED_AT) if limit > 0 else limit,
        unique="chunks",
        mode=wish.mode,
        intent=wish.intent,
        project=wish.project or None,
        facts=True,
        today=wish.today,
    )
    lookout = Lookout(shelf)
    with shelf.still():
        entries, withheld = _entries(shelf, reply, private=private)
        lookout.look(one.hit.path for one in entries if one.candidate is not None)
    made = _extracted(shelf, question, reply, entries)
    chosen = _within(made.told, limit)
    kept = _kept(shelf, entries, chosen, limit, wish.budget_tokens or 0)
    numbers = {at: number for number, at in enumerate(kept, 1)}
    chars = shelf.config.ask.excerpt_chars
    sources = tuple(
        _source(one, numbers[at], _begun(chosen, at), chars) for at, one in kept.items()
    )
    told = chosen if _is_told(made) else ()
    shelf.sources.used("ask", _used(entries, told, list(kept)))
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


def _within(told: Sequence[Told], limit: int) -> tuple[Told, ...]:
    """Return what is told of so many passages, the best."""
    first = list(dict.fromkeys(one.number for one in told))[:limit]
    return tuple(one for one in told if one.number in first)


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
    excerpt = stretch.excerpt(hit.path, start, end)
    return _Entry(stretch, without_secrets(stretch), excerpt, hit, candidate)


def without_secrets(stretch: Stretch) -> Stretch:
    """Return a stretch in which credentials are hidden, each in its line.

    What tells one may stand lines away, so that a sentence by itself would show it.
    """
    text = redacted(stretch.text)
    if text == stretch.text:
        return stretch

    def moved(at: int) -> int:
        line = stretch.text.count("\n", 0, at)
        start, end = _place_of(text, line, line)
        return min(start + at - (stretch.text.rfind("\n", 0, at) + 1), end)

    return stretch._replace(
        text=text,
        focus=(moved(stretch.focus[0]), moved(stretch.focus[1])),
        headings=tuple((moved(at), path) for at, path in stretch.headings),
    )


def _place_of(text: str, first: int, last: int) -> tuple[int, int]:
    """Return the characters of some lines, counted from 0."""
    start = 0
    for _ in range(first):
        start = text.find("\n", start) + 1
    end = start
    for _ in range(first, last):
        end = text.find("\n", end) + 1
    over = text.find("\n", end)
    return start, len(text) if over < 0 else over


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
            safe = without_secrets(part)
            return [_Entry(part, safe, excerpt, begun, one, is_head=True)]
    return []


def _fact(hit: Hit) -> _Entry:
    text = hit.snippet.text
    stretch = Stretch(text, 1, (0, len(text)), ((0, ()),), ends=True)
    span = Span(1, text.count("\n") + 1)
    safe = without_secrets(stretch)
    return _Entry(stretch, safe, Excerpt((), span, text, ""), hit, None)


def _extracted(
    shelf: Shelf, question: str, reply: SearchReply, entries: Sequence[_Entry]
) -> Extract:
    agent = shelf.config.writes.agent_dir.strip("/")
    passages = [
        Passage(at, one.safe, one.hit.relevance)
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
    shelf: Shelf,
    entries: Sequence[_Entry],
    told: Sequence[Told],
    limit: int,
    budget: int,
) -> dict[int, _Entry]:
    """Return the passages that are sources: those cited, and the best others that fit.

    What is cited is cut to the budget, and so is the best where nothing is.
    """
    count = shelf.counter().count
    sizes = [count(one.excerpt.text) for one in entries]
    best = [at for at, one in enumerate(entries) if not one.is_head]
    cited = list(dict.fromkeys(one.number for one in told)) or best[:1]
    kept, left = dict[int, _Entry](), budget
    for number, at in enumerate(cited):
        others = cited[number + 1 :]
        share = left // (1 + len(others))
        room = left - sum(min(sizes[other], share) for other in others)
        kept[at] = entries[at]
        if sizes[at] > room:
            kept[at] = _cut(entries[at], _begun(told, at), room, count)
        left -= min(sizes[at], room)
    for at in best:
        if at not in kept and len(kept) < limit and sizes[at] <= left:
            kept[at] = entries[at]
            left -= sizes[at]
    return dict(sorted(kept.items()))


def _cut(
    entry: _Entry, begun: int | None, room: int, count: Callable[[str], int]
) -> _Entry:
    """Return the lines of a passage that fit, from the best piece on and before it.

    Of one line that is too long, its words from there on.
    """
    stretch = entry.stretch
    top, over = stretch.lines(*_trimmed(stretch))
    if begun is None:
        start = max(top, stretch.focus[0])
    else:
        line = entry.safe.text.count("\n", 0, begun)
        column = begun - (entry.safe.text.rfind("\n", 0, begun) + 1)
        first, last = _place_of(stretch.text, line, line)
        start = min(first + column, last)
    first, last = stretch.lines(start, start)
    if count(stretch.text[first:last]) > room:
        end = last
        while end > start + 1 and count(stretch.text[start:end]) > room:
            end = start + (end - start) // 2
        return _showing(entry, start, end)
    left = room - count(stretch.text[first:last])
    while last < over and left > 0:
        end = stretch.lines(last + 1, last + 1)[1]
        left -= count(stretch.text[last:end])
        last = end if left >= 0 else last
    while first > top and left > 0:
        start = stretch.lines(first - 1, first - 1)[0]
        left -= count(stretch.text[start:first])
        first = start if left >= 0 else first
    return _showing(entry, first, last)


def _showing(entry: _Entry, start: int, end: int) -> _Entry:
    """Return an entry with some characters of it, under the receipt of their lines."""
    if entry.candidate is None:
        said = entry.stretch.text[start:end]
        return entry._replace(excerpt=replace(entry.excerpt, text=said))
    return entry._replace(excerpt=entry.stretch.excerpt(entry.hit.path, start, end))


def _begun(told: Sequence[Told], at: int) -> int | None:
    """Return where the best piece of a passage begins, if one was chosen."""
    mine = [one for one in told if one.number == at]
    return max(mine, key=lambda one: one.score).piece.start if mine else None


def _source(entry: _Entry, number: int, begun: int | None, chars: int) -> Source:
    hit, candidate = entry.hit, entry.candidate
    top = entry.excerpt.span.start - entry.stretch.first_line
    last = entry.excerpt.span.end - entry.stretch.first_line
    start, end = _place_of(entry.safe.text, top, last)
    if candidate is not None and start == entry.safe.lines(*entry.safe.focus)[0]:
        start = max(start, entry.safe.focus[0])
    shown = entry.safe.text[start if begun is None else begun : end]
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
    safe, piece = entry.safe, told.piece
    quote = safe.text[piece.start : piece.end].strip()
    receipt = ""
    if entry.candidate is not None:
        first = safe.text.count("\n", 0, piece.start)
        last = first + quote.count("\n")
        lines = _place_of(entry.stretch.text, first, last)
        receipt = entry.stretch.excerpt(entry.hit.path, *lines).receipt
    cited = Citation(numbers[told.number], quote, receipt)
    return Statement(piece.text, "verbatim", (cited,))


def _used(
    entries: Sequence[_Entry], told: Sequence[Told], kept: list[int]
) -> list[NotePath]:
    """Return the notes that count as handed out: those cited, or else the best."""
    chosen = [one.number for one in told] or kept[:COUNTED]
    paths = [entries[at].hit.path for at in chosen if entries[at].candidate is not None]
    return list(dict.fromkeys(paths))
