"""The link graph as text: for people on a terminal, and for models."""

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from glassmind.markdown.style import Style, counted
from glassmind.operations.model_text import listed, named, one_line, quoted
from glassmind.operations.registry import View
from glassmind.types.chains import Chain
from glassmind.types.connections import GraphLink, Neighbour
from glassmind.types.themes import Theme
from glassmind.types.timeline import TimelineEvent

if TYPE_CHECKING:
    from glassmind.operations.graph import (
        ConnectionsResult,
        PathResult,
        RankResult,
        SubgraphResult,
        ThemesResult,
        TimelineResult,
    )

ARROWS = {("inbound",): "<-", ("outbound",): "->", ("inbound", "outbound"): "<>"}

MEMBERS_FOR_PEOPLE = 50
"""Members of a single theme: a page of a terminal."""

MEMBERS_FOR_MODELS = {False: 100, True: 500}
"""Members of a single theme, without and with details."""

NO_NOTE = "(no such note yet)"
NO_THEMES = "No themes: they need at least three notes that link to each other."
NO_RANK = "No notes match."


def connections_for_people(
    result: "ConnectionsResult", _: Any, style: Style
) -> Iterator[str]:
    """Yield each hop with its notes and the sentences around the links."""
    theme = style.faint(f"  theme: {result.theme.label}") if result.theme else ""
    yield f"{style.strong(result.path)}{_tags(result.tags, style)}{theme}"
    if not result.hops:
        yield "No linked notes."
    for hop in result.hops:
        yield ""
        yield (
            f"{counted(hop.hop, 'hop')}: {counted(hop.total, 'note')}, "
            f"{hop.inbound_total:,} inbound, {hop.outbound_total:,} outbound"
        )
        for near in hop.neighbours:
            yield from _neighbour(near, style)
    if result.similar:
        yield ""
        yield "Similar, not linked"
        for note in result.similar:
            yield f"  {note.similarity:.2f}  {style.strong(note.path)}"


def _neighbour(near: Neighbour, style: Style) -> Iterator[str]:
    ghost = style.faint(f"  {NO_NOTE}") if near.ghost else ""
    via = style.faint(f"  via {' > '.join(near.via)}") if near.via else ""
    shared = _tags(near.shared_tags, style)
    yield f"  {_arrow(near.directions)} {style.strong(near.path)}{shared}{via}{ghost}"
    for link in near.edges:
        yield f"       {_link(link, style)}"
    left = near.edges_total - len(near.edges)
    if left:
        yield style.faint(f"       and {counted(left, 'more link')}")


def _arrow(directions: Sequence[str]) -> str:
    return ARROWS.get(tuple(directions), "--")


def _link(link: GraphLink, style: Style) -> str:
    """Return the sentence of a link, or its kind if there is none, and its line."""
    sentence = " ".join(link.sentence.split()) or f"({link.kind})"
    return f"{style.clean(sentence)}{style.faint(f'  {link.source}:{link.line}')}"


def _tags(tags: Sequence[str], style: Style) -> str:
    return style.faint("  " + " ".join(f"#{tag}" for tag in tags)) if tags else ""


def connections_for_models(result: "ConnectionsResult", view: View) -> str:
    """Return neighbours with the direction and the sentence of their links."""
    totals = [
        f"{hop.hop} away: {hop.total:,} ({hop.inbound_total:,} inbound, "
        f"{hop.outbound_total:,} outbound)"
        for hop in result.hops
    ]
    rows = []
    if view.first == 1:
        rows.append(f"{named(result.path)}{_tags_for_models(result.tags)}")
        if result.theme:
            rows.append(f"theme {result.theme.id}: {one_line(result.theme.label)}")
        rows += [
            f"similar, not linked: {named(one.path)} ({one.similarity:.2f})"
            for one in result.similar
        ]
    near = [one for hop in result.hops for one in hop.neighbours]
    for number, one in enumerate(near, view.first):
        rows += _neighbour_for_models(number, one)
    head = [f"Linked notes by distance. {'; '.join(totals)}."] if totals else []
    nothing = "" if near else "No linked notes."
    return listed(head, rows, view, result.notices, nothing=nothing)


def _neighbour_for_models(number: int, near: Neighbour) -> Iterator[str]:
    via = "".join(f" via {named(one)}" for one in near.via)
    tags = _tags_for_models(near.shared_tags)
    ghost = f" {NO_NOTE}" if near.ghost else ""
    yield f"{number}. {_arrow(near.directions)} {named(near.path)}{ghost}{tags}{via}"
    for link in near.edges:
        line = "its line" if link.source == near.path else "line"
        yield f"   {line} {link.line} > {quoted(link.sentence or f'({link.kind})')}"


def _tags_for_models(tags: Sequence[str]) -> str:
    return "".join(f" #{one_line(tag)}" for tag in tags)


def subgraph_for_models(result: "SubgraphResult", view: View) -> str:
    """Return the graph file, or the graph as JSON."""
    values = result.to_json()
    graph = {name: values[name] for name in ("nodes", "edges", "edges_total")}
    body = result.text or json.dumps(graph, ensure_ascii=False, default=str)
    return listed([], [named(result.path), body], view, result.notices)


def path_for_people(result: "PathResult", _: Any, style: Style) -> Iterator[str]:
    """Yield each chain: a line per note, and the sentences of the links between."""
    if result.reason:
        ends = (style.strong(end.path) for end in (result.source, result.target))
        yield f"{' and '.join(ends)}: {style.clean(result.reason.text)}"
    for number, chain in enumerate(result.chains, 1):
        if number > 1:
            yield ""
        yield f"{number}. {counted(chain.length, 'link')}"
        yield f"   {style.strong(chain.notes[0].path)}"
        for step, stop in zip(chain.steps, chain.notes[1:], strict=True):
            for link in step.edges:
                yield f"      {_link(link, style)}"
            ghost = style.faint(f"  {NO_NOTE}") if stop.ghost else ""
            yield f"   {_arrow(step.directions)} {style.strong(stop.path)}{ghost}"
    if result.common:
        yield ""
        yield f"Linked with both: {counted(result.common_total, 'note')}"
        yield from (f"  {style.strong(near.path)}" for near in result.common)
    if result.chains and result.cut:
        yield ""
        yield style.faint("There may be more chains.")


def path_for_models(result: "PathResult", view: View) -> str:
    """Return each chain with the sentence of every link."""
    rows = []
    if view.first == 1 and result.reason:
        rows.append(one_line(result.reason.text))
    if view.first == 1 and result.common:
        names = ", ".join(named(one.path) for one in result.common)
        rows.append(f"linked with both ({result.common_total:,}): {names}")
    for number, chain in enumerate(result.chains, view.first):
        rows += _chain_for_models(number, chain)
    head = ["There may be more chains."] if result.cut else []
    nothing = "" if result.chains else "No chain."
    return listed(head, rows, view, result.notices, nothing=nothing)


def _chain_for_models(number: int, chain: Chain) -> Iterator[str]:
    yield f"{number}. {named(chain.notes[0].path)}"
    for step, stop in zip(chain.steps, chain.notes[1:], strict=True):
        for link in step.edges:
            sentence = quoted(link.sentence or f"({link.kind})")
            yield f"      {named(link.source)}:{link.line} > {sentence}"
        yield f"   {_arrow(step.directions)} {named(stop.path)}"


def themes_for_people(result: "ThemesResult", _: Any, style: Style) -> Iterator[str]:
    """Yield each theme with its summary, and the members of a single one."""
    for theme in result.themes:
        by = f", confirmed by {style.clean(theme.hub)}" if theme.hub else ""
        size = style.faint(f"{counted(theme.size, 'note')}{by}")
        yield f"{theme.id}. {style.strong(theme.label)}  {size}"
        yield f"   {style.clean(theme.summary)}"
        if len(result.themes) == 1:
            yield from _members(theme, style)
    if not result.total:
        yield NO_THEMES
        return
    apart = f", {result.apart:,} in none" if result.apart else ""
    yield style.faint(
        f"{counted(result.total, 'theme')} of {counted(result.notes, 'note')}{apart}; "
        f"modularity {result.modularity:.2f}"
    )
    if result.warning:
        yield result.warning


def _members(theme: Theme, style: Style) -> Iterator[str]:
    for member in theme.members[:MEMBERS_FOR_PEOPLE]:
        where = member.title if member.ghost else member.path
        yield f"   {member.influence:6.1%}  {style.clean(where)}"
    if theme.size > MEMBERS_FOR_PEOPLE:
        yield style.faint(f"   and {theme.size - MEMBERS_FOR_PEOPLE:,} more")


def themes_for_models(result: "ThemesResult", view: View) -> str:
    """Return each theme with its summary, and the members of a single one."""
    totals = (
        f"{result.total:,} themes of {result.notes:,} notes, {result.apart:,} in none; "
        f"modularity {result.modularity:.2f}, resolution {result.resolution:g}."
    )
    head = [totals, *([f"Notice: {result.warning}"] if result.warning else [])]
    rows = []
    for theme in result.themes:
        size = counted(theme.size, "note")
        rows.append(f"theme {theme.id}: {one_line(theme.label)} ({size})")
        rows.append(f"   {one_line(theme.summary)}")
        if len(result.themes) == 1:
            most = MEMBERS_FOR_MODELS[view.detailed]
            rows += [f"   {named(one.path)}" for one in theme.members[:most]]
            rows += [f"   and {theme.size - most:,} more"] * (theme.size > most)
    return listed(head, rows, view, nothing="" if result.themes else NO_THEMES)


def rank_for_people(result: "RankResult", _: Any, style: Style) -> Iterator[str]:
    """Yield a line per note: rank, score, path and reason."""
    if not result.notes:
        yield NO_RANK
    width = len(str(len(result.notes)))
    for note in result.notes:
        mark = "*" if note.hit else " "
        where, why = style.strong(note.path), style.faint(note.reason)
        yield f"{note.rank:>{width}}.{mark}{note.score:.4f}  {where}  {why}"
    if result.margin:
        yield style.faint(_margin(result))


def _margin(result: "RankResult") -> str:
    notes = counted(result.samples, "note")
    off = f"scores may be off by {result.margin:.2g} (95 % confidence)"
    return f"Estimated from {notes}: {off}."


def rank_for_models(result: "RankResult", view: View) -> str:
    """Return a line per note: rank, path, score and reason."""
    head = [f"Of {result.total:,} notes, by {result.metric}."]
    head += [_margin(result)] if result.margin else []
    rows = [
        f"{note.rank}. {named(note.path)} {note.score:.4f} {one_line(note.reason)}"
        for note in result.notes
    ]
    nothing = "" if result.notes else NO_RANK
    return listed(head, rows, view, result.notices, nothing=nothing)


def timeline_for_people(
    result: "TimelineResult", _: Any, style: Style
) -> Iterator[str]:
    """Yield a line per event: its day, what happened, and where the date is from."""
    yield style.strong(result.path)
    left = result.total - len(result.events)
    if left:
        yield style.faint(f"{counted(left, 'earlier event')} left out")
    for event in result.events:
        yield _event(event, style)


def _event(event: TimelineEvent, style: Style) -> str:
    origin = f"{event.origin} {event.commit[:8]}".rstrip()
    sentence = " ".join(event.sentence.split())
    said = f": {style.clean(sentence)}" if sentence else ""
    detail = style.clean(event.detail)
    return f"{event.day}  {detail}{said}{style.faint(f'  ({origin})')}"


def timeline_for_models(result: "TimelineResult", view: View) -> str:
    """Return a line per event: its day, what happened, and where the date is from."""
    rows = [named(result.path)] if view.first == 1 else []
    for event in result.events:
        said = f" > {quoted(event.sentence)}" if event.sentence else ""
        rows.append(f"{event.day} {one_line(event.detail)} (by {event.origin}){said}")
    nothing = "" if result.events else "No dated events."
    head = [f"{counted(result.total, 'event')} in all."]
    return listed(head, rows, view, result.notices, nothing=nothing)
