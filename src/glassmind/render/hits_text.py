"""Hits as people read them."""

from collections.abc import Iterator, Sequence

from glassmind.render.approval import GENERATED
from glassmind.render.style import Style, counted
from glassmind.types.search import Evidence, Hit, SearchReply, Snippet


def hits_as_text(reply: SearchReply, style: Style, *, explain: bool = False) -> str:
    """Return each hit with its address, snippet and, if wanted, its score.

    Then it is told, too, how many passages were read once more.
    """
    parts = [
        "".join(f"{line}\n" for line in _hit_lines(number, hit, style, explain=explain))
        for number, hit in enumerate(reply.hits, 1)
    ]
    if explain and reply.reranked:
        read = counted(reply.reranked, "passage")
        parts.append(f"read once more together with the question: {read}\n")
    return "\n".join(parts)


def _hit_lines(number: int, hit: Hit, style: Style, *, explain: bool) -> Iterator[str]:
    heading = f"#{hit.heading_path[-1]}" if hit.heading_path else ""
    lines = style.faint(f":{hit.span.start}-{hit.span.end}") if hit.is_note else ""
    mark = f"  {style.faint(GENERATED)}" if hit.generated else ""
    yield f"{number}. {style.strong(hit.path + heading)}{lines}{mark}"
    yield f"   {marked(hit.snippet, style)}"
    for passage in hit.more:
        also = style.faint(f"   also :{passage.span.start}-{passage.span.end}")
        yield f"{also} {marked(passage.snippet, style)}"
    if hit.connected_via or not hit.is_note:
        yield f"   {style.faint(style.clean(hit.match_reason))}"
    if explain:
        yield from _explained(hit, style)


def _explained(hit: Hit, style: Style) -> Iterator[str]:
    """Yield what the score is made of, in hundredths that add up to it."""
    yield f"   score {hit.score:.2f}"
    given = [e.share for e in hit.evidence] + [a.share for a in hit.adjustments]
    shares = shares_in_hundredths(given, hit.score)
    for evidence, share in zip(hit.evidence, shares, strict=False):
        yield from _why(evidence, share, style)
    for one, share in zip(hit.adjustments, shares[len(hit.evidence) :], strict=True):
        said = style.faint(style.clean(one.reason))
        yield f"     {one.name} {share / 100:+.2f}  {said}"


def marked(snippet: Snippet, style: Style) -> str:
    """Return a snippet with its matched words standing out."""
    parts, at = [], 0
    for start, end in snippet.marks:
        parts.append(style.clean(snippet.text[at:start]))
        parts.append(style.mark(snippet.text[start:end]))
        at = end
    parts.append(style.clean(snippet.text[at:]))
    return "".join(parts)


def _why(evidence: Evidence, share: int, style: Style) -> Iterator[str]:
    said = style.faint(style.clean(f"rank {evidence.rank}, {evidence.reason}"))
    yield f"     {evidence.channel} {share / 100:.2f}  {said}"
    names = sorted(evidence.fields, key=lambda name: (-evidence.fields[name], name))
    values = [evidence.fields[name] for name in names]
    for name, part in zip(
        names, shares_in_hundredths(values, share / 100), strict=True
    ):
        yield f"       {name} {part / 100:.2f}"


def shares_in_hundredths(values: Sequence[float], total: float) -> list[int]:
    """Return shares rounded so that, as they are shown, they add up to the total.

    What rounding leaves over goes to the shares that lost the most by it.
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
