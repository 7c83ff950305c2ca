"""Notes that were found, as text: for people on a terminal, and for models."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from glassmind.markdown.style import Style, bytes_in_words, counted
from glassmind.operations.model_text import (
    GENERATED,
    UNREAD,
    fenced,
    named,
    one_line,
    shortly,
)
from glassmind.operations.registry import View, joined
from glassmind.types.search import Snippet

if TYPE_CHECKING:
    from glassmind.operations.find import (
        ListedNote,
        ListResult,
        ReadChunksResult,
        ReadResult,
        SearchArguments,
        SearchHit,
        SearchResult,
        VerifyResult,
    )

REASON_CHARS = 200
"""Characters of a reason that a model reads."""


def search_for_people(
    result: "SearchResult", arguments: "SearchArguments", style: Style
) -> str:
    """Return each hit with its place, its snippet and, with `explain`, its score."""
    explain = arguments.explain
    parts = [
        joined(_hit_lines(number, hit, style, explain=explain))
        for number, hit in enumerate(result.hits, 1)
    ]
    if explain and result.reranked:
        parts.append(f"{counted(result.reranked, 'passage')} reranked\n")
    return "\n".join(parts)


def search_paths(result: "SearchResult", _: Any, style: Style) -> Iterator[str]:
    """Yield the path of each note, one per line."""
    paths = dict.fromkeys(hit.path for hit in result.hits if hit.is_note)
    return map(style.clean, paths)


def search_for_models(result: "SearchResult", view: View) -> str:
    """Return each hit with its place, its text and why it was found."""
    lines = [f"Notice: {one_line(said)}" for said in (*result.degraded, *view.notices)]
    if not result.hits:
        more = "No more results." if view.first > 1 else "No results."
        return "\n".join([*lines, f"{more} Try other words, or fewer of them."])
    intent = f", {result.intent}" if result.intent else ""
    last = view.first + len(result.hits) - 1
    how = f"{result.mode}{intent}"
    lines.append(f"Hits {view.first} to {last}, best first ({how}).")
    if result.doubtful:
        lines.append("No good match. These are the closest results.")
    rows = list[str]()
    for number, hit in enumerate(result.hits, view.first):
        rows += _hit_for_models(number, hit, view)
    return "\n".join([*lines, fenced("\n".join(rows))])


def _hit_for_models(number: int, hit: "SearchHit", view: View) -> Iterator[str]:
    lines = _lines(hit.lines) if hit.is_note else ""
    mark = f"; {GENERATED}" if hit.generated else ""
    yield f"{number}. {named(hit.path)}{lines} (relevance {hit.relevance:.2f}{mark})"
    if hit.heading_path:
        yield f"   under: {' > '.join(one_line(h) for h in hit.heading_path)}"
    yield f"   > {one_line(hit.snippet.text)}"
    for more in hit.more:
        yield f"   also {_lines(more.lines)} > {one_line(more.snippet.text)}"
    yield f"   why: {shortly(one_line(hit.match_reason), REASON_CHARS)}"
    if view.detailed:
        votes = (f"{one.channel} {one.share:.3f}" for one in hit.evidence)
        added = (f"{one.name} {one.share:+.3f}" for one in hit.adjustments)
        yield f"   score {hit.score:.3f}: {', '.join((*votes, *added))}"
    if hit.is_note:
        yield f"   modified {hit.modified} {hit.uri}"


def _hit_lines(
    number: int, hit: "SearchHit", style: Style, *, explain: bool
) -> Iterator[str]:
    heading = f"#{hit.heading_path[-1]}" if hit.heading_path else ""
    lines = style.faint(_lines(hit.lines)) if hit.is_note else ""
    mark = f"  {style.faint(GENERATED)}" if hit.generated else ""
    yield f"{number}. {style.strong(hit.path + heading)}{lines}{mark}"
    yield f"   {marked(hit.snippet, style)}"
    for more in hit.more:
        also = style.faint(f"   also {_lines(more.lines)}")
        yield f"{also} {marked(more.snippet, style)}"
    if hit.connected_via or not hit.is_note:
        yield f"   {style.faint(style.clean(hit.match_reason))}"
    if explain:
        yield from _explained(hit, style)


def _explained(hit: "SearchHit", style: Style) -> Iterator[str]:
    """Yield the parts of a score, in hundredths that add up to it."""
    yield f"   score {hit.score:.2f}"
    given = [e.share for e in hit.evidence] + [a.share for a in hit.adjustments]
    shares = shares_in_hundredths(given, hit.score)
    for evidence, share in zip(hit.evidence, shares, strict=False):
        reason = style.faint(style.clean(f"rank {evidence.rank}, {evidence.reason}"))
        yield f"     {evidence.channel} {share / 100:.2f}  {reason}"
        fields = sorted(evidence.fields.items(), key=lambda one: (-one[1], one[0]))
        values = shares_in_hundredths([value for _, value in fields], share / 100)
        for (name, _), part in zip(fields, values, strict=True):
            yield f"       {name} {part / 100:.2f}"
    for one, share in zip(hit.adjustments, shares[len(hit.evidence) :], strict=True):
        reason = style.faint(style.clean(one.reason))
        yield f"     {one.name} {share / 100:+.2f}  {reason}"


def marked(snippet: Snippet, style: Style) -> str:
    """Return a snippet with its matched words highlighted."""
    parts, at = [], 0
    for start, end in snippet.marks:
        parts.append(style.clean(snippet.text[at:start]))
        parts.append(style.mark(snippet.text[start:end]))
        at = end
    return "".join([*parts, style.clean(snippet.text[at:])])


def shares_in_hundredths(values: Sequence[float], total: float) -> list[int]:
    """Return shares rounded so that they add up to the rounded total.

    What rounding leaves over goes to the shares that lost most by it.
    """
    wanted = round(total * 100)
    exact = [value * 100 for value in values]
    floors = [int(value // 1) for value in exact]
    left = wanted - sum(floors)
    if not 0 <= left <= len(floors):
        return [round(value) for value in exact]
    order = sorted(range(len(exact)), key=lambda i: (floors[i] - exact[i], i))
    for i in order[:left]:
        floors[i] += 1
    return floors


def read_for_models(result: "ReadResult", _view: View) -> str:
    """Return the text in the fence, below where it is."""
    head = [f"Notice: {UNREAD}"] if result.generated else []
    if result.guessed:
        head.append("Notice: no note has this very name; this is the closest")
    where = [f"notice: {one_line(notice)}" for notice in result.notices]
    where.append(f"{named(result.path)}{_lines(result.lines)}")
    if result.heading_path:
        where.append(f"under: {' > '.join(one_line(h) for h in result.heading_path)}")
    where.append(f"digest: {result.digest[:16]}")  # `expected` of an edit
    where.append(result.uri)
    text = [*head, fenced("\n".join([*where, "", result.text]))]
    if result.next_offset is not None:
        text.append(f"Truncated. More: the same call with offset={result.next_offset}")
    return "\n".join(text)


def chunks_for_people(
    result: "ReadChunksResult", _: Any, style: Style
) -> Iterator[str]:
    """Yield each passage below its place and size."""
    for number, chunk in enumerate(result.chunks):
        place = f"{style.strong(chunk.heading)}{style.faint(_lines(chunk.lines))}"
        size = style.faint(f"{chunk.kind}, {chunk.tokens:,} tokens")
        yield f"{'' if number == 0 else chr(10)}[{chunk.chunk_index}] {place}  {size}"
        yield style.clean(chunk.text.rstrip("\n"))


def _lines(lines: Sequence[int]) -> str:
    return f":{lines[0]}-{lines[1]}"


def list_for_people(result: "ListResult", _: Any, style: Style) -> Iterator[str]:
    """Yield a line for each note: its day, its size, its path and tags."""
    for note in result.notes:
        # columns of a known width come first, so that no script can misalign them
        day = note.day or note.modified[:10]
        tags = " ".join(f"#{tag}" for tag in note.tags)
        row = f"{day}  {bytes_in_words(note.size):>9}  {style.strong(note.path)}"
        yield f"{row}  {style.faint(tags)}" if tags else row


def list_paths(result: "ListResult", _: Any, style: Style) -> Iterator[str]:
    """Yield the path of each note, one per line."""
    return (style.clean(note.path) for note in result.notes)


def list_for_models(result: "ListResult", view: View) -> str:
    """Return a line for each note, in the fence."""
    lines = [f"Notice: {notice}" for notice in (*result.notices, *view.notices)]
    if not result.notes:
        lines.append("No more notes." if result.total else "No notes match.")
        if result.closest:
            near = (
                f"similar {name}: {', '.join(map(one_line, values))}"
                for name, values in result.closest.items()
            )
            lines.append(fenced("\n".join(near)))
        return "\n".join(lines)
    last = view.first + len(result.notes) - 1
    lines.append(f"Notes {view.first:,} to {last:,} of {result.total:,}.")
    rows = list[str]()
    for note in result.notes:
        rows += _listed_for_models(note, detailed=view.detailed)
    return "\n".join([*lines, fenced("\n".join(rows))])


def _listed_for_models(note: "ListedNote", *, detailed: bool) -> Iterator[str]:
    day = note.day or note.modified[:10]
    tags = " ".join(f"#{one_line(tag)}" for tag in note.tags)
    yield f"{day} {named(note.path)} {tags}".rstrip()
    for name, value in note.properties.items() if detailed else ():
        if name != "tags":
            text = ", ".join(map(str, value)) if isinstance(value, list) else value
            yield f"   {one_line(f'{name}: {text}')}"


RECEIPT_COLOURS = {"unchanged": "ok", "moved": "warn", "unread": "warn"}
STATE_WIDTH = len("unchanged")


def verify_for_people(result: "VerifyResult", _: Any, style: Style) -> Iterator[str]:
    """Yield a line for each receipt, and below it what became of its text."""
    indent = " " * (STATE_WIDTH + 2)
    for one in result.receipts:
        state = style.state(RECEIPT_COLOURS.get(one.state, "fail"), one.state)
        yield f"{state}{indent[len(one.state) :]}{one_line(one.receipt)}"
        if one.state != "unchanged":
            yield f"{indent}{style.faint(one_line(one.note))}"
        if one.now is not None and one.now != one.receipt:
            yield f"{indent}now {one_line(one.now)}"


def verify_for_models(result: "VerifyResult", view: View) -> str:
    """Return each receipt with its state, in the fence."""
    lines = [f"Notice: {notice}" for notice in view.notices]
    rows = []
    for one in result.receipts:
        rows.append(f"{one.state}: {named(one.receipt)}")
        if one.now and one.now != one.receipt:
            rows.append(f"   now: {named(one.now)}")
        rows.append(f"   {one_line(one.note)}")
    return "\n".join([*lines, fenced("\n".join(rows))])
