"""Checks of what notes have in common: themes, categories, sources, spellings."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from statistics import median
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from glassmind.graph.folding import folded, in_singular
from glassmind.graph.health.sight import Sight
from glassmind.graph.ontology.categories import named_in
from glassmind.model import NotePath, PropertyValue
from glassmind.model.health import Finding, HealthNote, Unchecked, finding

if TYPE_CHECKING:
    from glassmind.model.themes import Theme

HALF_LIFE_DAYS = 180
"""Days after which a note counts half as fresh: compat KL-12."""

AGE, DRIFT, QUIET = 0.6, 0.3, 0.1
"""How much age, drift and silence have to do with a theme's staleness: compat KL-12."""

STALE = 0.6
"""Staleness from which a theme is told of. A judgement: a theme that holds together is
told of once its notes are a year old, one whose links lead elsewhere after 8 months."""

LEAST_THEME = 5
"""Notes that a theme needs to be judged: below, one note decides. A judgement."""

CONCENTRATED = 0.7
"""The share of notes from one source that is too much: compat KL-12."""

LEAST_SOURCES = 5
"""Notes with a source below which a share says nothing: compat KL-12."""

SURE = 0.75
"""The share of a theme that has to be of one category before another is odd there."""

CATEGORY_NAMES = frozenset(["category", "topic"])
"""Properties that say what a note is about, in the singular as `in_singular` has it."""

SOURCE_NAMES = frozenset(
    ["source", "url", "source url", "origin", "website", "link", "clipped from"]
)
"""Properties that say where a note comes from, in the singular."""

PLATFORMS = frozenset(
    [
        "github.com",
        "gitlab.com",
        "medium.com",
        "reddit.com",
        "twitter.com",
        "x.com",
        "substack.com",
        "youtube.com",
        "youtu.be",
        "vimeo.com",
        "archive.org",
    ]
)
"""Where everybody publishes: the first part of the path says who did."""

NAMELESS = frozenset(["watch", "", "web", "embed", "playlist", "shorts", "p"])
"""First parts of a path that name nobody."""

FROM = " <- "
"""Between a theme and a place in a subject."""

_URL = re.compile(r"https?://[^\s\"'<>)\]]+", re.IGNORECASE)


def stale_themes(sight: Sight) -> list[Finding] | Unchecked:
    """Return the themes that nobody tends any more, the stalest first.

    Staleness is 0.6 age + 0.3 drift + 0.1 if nothing changed for a half-life. Age is
    that of the median note, halved freshness every 180 days; drift is the share of the
    members' links that lead out of the theme.
    """
    if isinstance(sight.themes, Unchecked):
        return sight.themes
    found = []
    for theme in sight.themes:
        members = _members(sight, theme)
        if len(members) < LEAST_THEME:
            continue
        ages = [_age_days(note, sight.today) for note in members]
        drift = _drift(sight, members)
        stale = staleness(median(ages), min(ages), drift)
        if stale >= STALE:
            what = (
                f"the theme {theme.label!r} of {len(members)} notes: half of them "
                f"unchanged for {int(median(ages))} days, {drift:.0%} of their links "
                f"lead out of it (staleness {stale:.2f})"
            )
            anchor = NotePath(theme.members[0].path)
            found.append((stale, finding("stale_themes", anchor, anchor, 0, what)))
    found.sort(key=lambda item: (-item[0], item[1].path))
    return [finding for _, finding in found]


def theme_now(sight: Sight, subject: str) -> str:
    """Return what a theme goes by now that was told of by some member of it.

    A theme is told of by its most central note, which may be another one later.
    """
    path, mark, place = subject.partition(FROM)
    for theme in () if isinstance(sight.themes, Unchecked) else sight.themes:
        if any(member.path == path for member in theme.members):
            return f"{theme.members[0].path}{mark}{place}"
    return subject


def staleness(median_days: float, newest_days: float, drift: float) -> float:
    """Return how stale a theme is, from 0 to 1."""
    age = 1 - math.pow(0.5, median_days / HALF_LIFE_DAYS)
    return AGE * age + DRIFT * drift + QUIET * (newest_days > HALF_LIFE_DAYS)


def _members(sight: Sight, theme: "Theme") -> list[HealthNote]:
    found = (sight.by_path.get(member.path) for member in theme.members)
    return [note for note in found if note is not None]


def _age_days(note: HealthNote, today: date) -> int:
    """Return the days since a note was changed; a day it names later counts too."""
    changed = datetime.fromtimestamp(note.mtime_ns / 1e9, UTC).date()
    if note.day is not None:
        changed = max(changed, min(date.fromisoformat(note.day), today))
    return max(0, (today - changed).days)


def _drift(sight: Sight, members: Sequence[HealthNote]) -> float:
    nodes = {sight.net.node_of(note.id) for note in members}
    ends = [end for note in members for end in sight.near(note.id)]
    return sum(end not in nodes for end in ends) / len(ends) if ends else 0.0


def category_mismatch(sight: Sight) -> list[Finding] | Unchecked:
    """Return the notes whose category is not that of their theme.

    Only where categories follow themes: most others of the theme share one, and the
    note's own is what most of another theme has.
    """
    if isinstance(sight.themes, Unchecked):
        return sight.themes
    stated = _categories(sight)
    by_theme = [
        [
            (note, stated[note.id])
            for note in _members(sight, theme)
            if note.id in stated
        ]
        for theme in sight.themes
    ]
    homes = {main for main in map(_main, by_theme) if main is not None}
    found = []
    for members in by_theme:
        main = _main(members)
        if main is None:
            continue
        for note, own in members:
            if own != main and own in homes:
                what = f"its category is {own!r}, and that of its theme mostly {main!r}"
                found.append(
                    finding("category_mismatch", note.path, note.path, 0, what)
                )
    return sorted(found, key=lambda finding: finding.path)


def _categories(sight: Sight) -> dict[int, str]:
    """Return the category of each note that names just one."""
    named: dict[int, set[str]] = {}
    written = {note.id for note in sight.written}
    for note, name, value in sight.said:
        if note in written and in_singular(folded(name)) in CATEGORY_NAMES:
            forms = {in_singular(folded(text)) for text in named_in(value)}
            named.setdefault(note, set()).update(forms - {""})
    return {note: min(names) for note, names in named.items() if len(names) == 1}


def _main(members: Sequence[tuple[HealthNote, str]]) -> str | None:
    """Return the category that most of a theme share, if they do."""
    if len(members) < LEAST_THEME:
        return None
    counts = Counter(category for _, category in members)
    category, count = min(counts.items(), key=lambda item: (-item[1], item[0]))
    return category if count >= SURE * len(members) else None


def one_source(sight: Sight) -> list[Finding] | Unchecked:
    """Return the themes most of whose notes come from one place.

    A note comes from where a property such as `source` or `url` says.
    """
    if isinstance(sight.themes, Unchecked):
        return sight.themes
    sources = _sources(sight)
    found = []
    for theme in sight.themes:
        members = [note for note in _members(sight, theme) if note.id in sources]
        if len(members) < LEAST_SOURCES:
            continue
        counts = Counter(place for note in members for place in sources[note.id])
        place, count = min(counts.items(), key=lambda item: (-item[1], item[0]))
        if count > CONCENTRATED * len(members):
            what = (
                f"{count} of {len(members)} notes with a source in the theme "
                f"{theme.label!r} come from {place}"
            )
            anchor = NotePath(theme.members[0].path)
            found.append(
                finding("one_source", f"{anchor}{FROM}{place}", anchor, 0, what)
            )
    return sorted(found, key=lambda finding: finding.subject)


def _sources(sight: Sight) -> dict[int, set[str]]:
    found: dict[int, set[str]] = {}
    for note, name, value in sight.said:
        if in_singular(folded(name)) in SOURCE_NAMES:
            places = set(_places(value))
            if places:
                found.setdefault(note, set()).update(places)
    return found


def _places(value: PropertyValue) -> Iterator[str]:
    texts = value if isinstance(value, list) else [value]
    for text in texts:
        for url in _URL.findall(text) if isinstance(text, str) else ():
            place = place_of(url)
            if place:
                yield place


def place_of(url: str) -> str:
    """Return who published a page: its domain, with the name of a platform's user.

    Empty where the address does not say so.
    """
    try:
        parts = urlsplit(url)
        domain = (parts.hostname or "").removeprefix("www.").removeprefix("m.")
    except ValueError:
        return ""
    if domain not in PLATFORMS:
        return domain
    names = [part for part in parts.path.split("/") if part]
    if names[:1] in (["r"], ["c"], ["user"], ["channel"], ["details"]):
        names = names[1:]
    first = names[0].lower() if names else ""
    return "" if first in NAMELESS else f"{domain}/{first}"
