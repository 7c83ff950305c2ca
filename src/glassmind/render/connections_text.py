"""What stands around a note as people read it."""

from collections.abc import Iterator, Sequence

from glassmind.render.style import Style, counted
from glassmind.types.connections import Connections, Direction, Neighbour, Ring, Tie

ARROWS = {
    ("inbound",): "<-",
    ("outbound",): "->",
    ("inbound", "outbound"): "<>",
}
"""How a link runs between the note that was asked about and another."""


def connections_as_text(found: Connections, style: Style) -> str:
    """Return a note, then each hop with its notes and the sentences that tie them."""
    return "".join(f"{line}\n" for line in _lines(found, style))


def _lines(found: Connections, style: Style) -> Iterator[str]:
    theme = style.faint(f"  theme: {found.theme.label}") if found.theme else ""
    yield f"{style.strong(found.path)}{_tags(found.tags, style)}{theme}"
    if not found.rings:
        yield "no note is linked with it"
    for ring in found.rings:
        yield ""
        yield _counts(ring)
        for near in ring.neighbours:
            yield from _neighbour(near, style)
    if found.similar:
        yield ""
        yield "similar, without a link"
        for note in found.similar:
            yield f"  {note.similarity:.2f}  {style.strong(note.path)}"
    for notice in found.notices:
        yield ""
        yield style.faint(notice)


def _counts(ring: Ring) -> str:
    hops = counted(ring.hop, "hop")
    return (
        f"{hops}: {counted(ring.total, 'note')}, {ring.inbound:,} leading here, "
        f"{ring.outbound:,} led to"
    )


def _neighbour(near: Neighbour, style: Style) -> Iterator[str]:
    ghost = style.faint("  (no such note yet)") if near.ghost else ""
    via = style.faint(f"  via {' > '.join(near.via)}") if near.via else ""
    arrow = arrow_of(near.directions)
    shared = _tags(near.shared_tags, style)
    yield f"  {arrow} {style.strong(near.path)}{shared}{via}{ghost}"
    for tie in near.edges:
        yield f"       {tie_as_text(tie, style)}"
    left = near.edges_total - len(near.edges)
    if left:
        yield style.faint(f"       and {counted(left, 'more link')}")


def arrow_of(directions: Sequence[Direction]) -> str:
    """Return how links run: `->`, `<-` or `<>` for both ways."""
    return ARROWS.get(tuple(directions), "--")


def tie_as_text(tie: Tie, style: Style) -> str:
    """Return the sentence of a link, or its kind where there is none, and its line."""
    said = " ".join(tie.sentence.split()) or f"({tie.kind})"
    return f"{style.clean(said)}{style.faint(f'  {tie.source}:{tie.line}')}"


def _tags(tags: Sequence[str], style: Style) -> str:
    return style.faint("  " + " ".join(f"#{tag}" for tag in tags)) if tags else ""
