"""What checks look at: the rows, the graph and what other verbs know, read once."""

import math
import re
from collections import Counter
from collections.abc import (
    Callable,
    Collection,
    Container,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from datetime import UTC, date, datetime
from functools import cached_property
from posixpath import normpath
from statistics import median
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias, TypeVar, cast
from urllib.parse import unquote, urlsplit

import numpy as np

from glassmind.files.ignore import CONFLICT_COPY, is_attachment
from glassmind.files.names import NOTE_SUFFIX, ROOTED, rooted
from glassmind.files.scan import is_left_out
from glassmind.graph.dismissals import PAIRED, paths_in
from glassmind.graph.ontology import categories_of, named_in, word_form
from glassmind.graph.reciprocal import missing_answers, spelling_of
from glassmind.graph.text_sketches import Hashes, Runs, alike, common_runs, likeness
from glassmind.graph.words import Habits, folded, in_singular, is_date, is_placeholder
from glassmind.model import NotePath, PropertyValue
from glassmind.model.health import (
    Finding,
    HealthNote,
    LostLink,
    PartLink,
    PartNames,
    SaidValue,
    Unchecked,
    finding,
)
from glassmind.model.ontology import Entry, Spelled, SpelledWord
from glassmind.obsidian.links import Outline, steps_of
from glassmind.obsidian.text import fold

if TYPE_CHECKING:
    from glassmind.files.scan import LeftOutTexts
    from glassmind.graph.text_sketches import Sketched
    from glassmind.links.graph import LinkGraph
    from glassmind.model.ontology import Entry, SpelledWord
    from glassmind.model.pairs import Pair
    from glassmind.model.themes import Theme


T = TypeVar("T")


class HealthRows(Protocol):
    """What the rows tell of a vault's troubles."""

    def notes(self) -> list[HealthNote]:
        """Return every note, by path."""

    def secret_notes(self) -> list[NotePath]:
        """Return the notes in which credentials are hidden, by path."""

    def lost_links(self) -> list[LostLink]:
        """Return every link to what no file is called, as they stand."""

    def part_links(self) -> list[PartLink]:
        """Return every link to a part of a Markdown note, as they stand."""

    def part_names(self, note_ids: Collection[int], /) -> dict[int, PartNames]:
        """Return the headings, in order, and the block ids of each note."""

    def property_links(self) -> list[tuple[int, int, str]]:
        """Return the links between notes that properties hold."""

    def unlinked_attachments(self) -> list[NotePath]:
        """Return the attachments that no link leads to, by path."""

    def link_counts(self) -> dict[int, int]:
        """Return how many links each note has, those to itself aside."""

    def texts_with(self, endings: Collection[str], /) -> Iterator[str]:
        """Yield the passages, properties among them, with one of these in any case."""

    def texts(
        self, note_ids: Collection[int] | None = None, /
    ) -> Iterator[tuple[int, str]]:
        """Yield each note that has passages with its text."""

    def said_values(self) -> list[SaidValue]:
        """Return what every note says in properties and fields of its text."""

    def files_called(self, key: str, /) -> list[NotePath]:
        """Return the files with a `name_key`, by path."""

    def skipped(self) -> list[tuple[NotePath, str]]:
        """Return path and reason of what was left out of the index, by path."""


Similar: TypeAlias = Callable[[float], "Sequence[Pair] | Unchecked"]
"""Returns the pairs that are at least so similar, the most similar first.

The least is on the scale of the default model."""


class Grounds(NamedTuple):
    """Where everything comes from that checks look at.

    `nearest` returns the note that one is most like, unlinked and above the threshold.
    `left_out` returns what files are called that are not in the index, `unseen` what is
    in those that are notes, and `agent` is the folder of agents. `mentions` returns
    some of the notes that hold a phrase, by their ids, and `sketches` what some notes
    say in short, by the same.
    """

    rows: HealthRows
    net: "Callable[[], LinkGraph]"
    habits: Callable[[], Habits]
    left_out: Callable[[], Container[str]]
    unseen: "Callable[[], LeftOutTexts]"
    agent: str
    similar: Similar
    nearest: "Callable[[NotePath], Pair | None]"
    mentions: Callable[[str], Sequence[int]]
    sketches: "Callable[[Sequence[HealthNote]], Mapping[int, Sketched]]"
    themes: "Callable[[], Sequence[Theme] | Unchecked]"
    spellings: "Callable[[], Sequence[SpelledWord]]"
    entries: "Callable[[], Sequence[Entry]]"


class Sight:
    """One look at a vault; what several checks need is read once."""

    def __init__(self, grounds: Grounds, today: date) -> None:
        self.grounds, self.rows, self.today = grounds, grounds.rows, today
        self._made: dict[Callable[[Sight], object], object] = {}

    @cached_property
    def habits(self) -> Habits:
        """Where templates and notes of days stand."""
        return self.grounds.habits()

    @cached_property
    def notes(self) -> list[HealthNote]:
        """Every note, by path."""
        return self.rows.notes()

    @cached_property
    def by_id(self) -> dict[int, HealthNote]:
        """Every note by its id."""
        return {note.id: note for note in self.notes}

    @cached_property
    def by_path(self) -> dict[str, HealthNote]:
        """Every note by its path."""
        return {note.path: note for note in self.notes}

    @cached_property
    def written(self) -> list[HealthNote]:
        """The Markdown notes of the owner: no templates, nothing of agents."""
        return [
            note
            for note in self.notes
            if note.kind == "markdown" and self.is_written(note.path)
        ]

    def is_written(self, path: str) -> bool:
        """Whether a path is that of a note, rather than a template or an agent's."""
        agent = self.grounds.agent
        is_agents = bool(agent) and path.startswith(f"{agent}/")
        return not is_agents and not self.habits.is_template(path)

    def is_kept(self, path: str) -> bool:
        """Whether a path is that of a Markdown note of the owner that is no day's."""
        return path in self._kept

    @cached_property
    def _kept(self) -> set[str]:
        return {n.path for n in self.written if not self.habits.is_day(n.path)}

    @cached_property
    def said(self) -> list[SaidValue]:
        """What notes say in properties and fields."""
        return self.rows.said_values()

    @cached_property
    def net(self) -> "LinkGraph":
        """The link graph."""
        return self.grounds.net()

    def near(self, note_id: int) -> set[int]:
        """Return the nodes around a note; none for one that the graph has not."""
        node = self.net.node_of(note_id)
        return set() if node is None else set(self.net.around(node).tolist())

    @cached_property
    def themes(self) -> "Sequence[Theme] | Unchecked":
        """The themes."""
        return self.grounds.themes()

    def made_by(self, make: "Callable[[Sight], T]") -> T:
        """Return what a function makes of this look, which it does but once."""
        if make not in self._made:
            self._made[make] = make(self)
        return cast("T", self._made[make])


Check: TypeAlias = Callable[[Sight], "list[Finding] | Unchecked"]
"""Returns what it finds, the gravest first, or why it could not look."""


def found_by(check: Check, sight: Sight) -> list[Finding]:
    """Return what a check finds; nothing where it cannot look."""
    found = sight.made_by(check)
    return [] if isinstance(found, Unchecked) else found


_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.+)$", re.MULTILINE)


SURE = 0.6
"""How sure it is that an answer is missing before we say so: most of such links are
answered. A judgement, above what a mere suggestion takes."""


def ghosts(sight: Sight) -> list[Finding]:
    """Return the names that links lead to in vain, the most wanted first.

    Left alone are links in templates, names that wait to be filled in, days, which are
    linked to before they have a note, and files that were left out of the index.
    """
    wanted, _ = sight.made_by(_wanted)
    known = _other_names(sight)
    ranked = sorted(wanted.items(), key=lambda item: (-_demand(item[1]), item[0]))
    return [_ghost(key, links, known) for key, links in ranked]


def wanted_names(sight: Sight) -> Mapping[str, Sequence[LostLink]]:
    """Return the links that lead in vain, by the subjects of the findings of ghosts."""
    return sight.made_by(_wanted)[0]


def ghost_now(sight: Sight, subject: str) -> str:
    """Return what a name that is wanted goes by now."""
    return sight.made_by(_wanted)[1].get(subject, subject)


def _wanted(sight: Sight) -> tuple[dict[str, list[LostLink]], dict[str, str]]:
    """Return the links to each name, and under which one others are told.

    A file that is wanted by its name alone and in one folder is one file.
    """
    lost = sight.rows.lost_links()
    left_out = sight.grounds.left_out() if lost else frozenset()
    wanted: dict[str, list[LostLink]] = {}
    for link in lost:
        name = link.target.rpartition("/")[2].removesuffix(NOTE_SUFFIX)
        meant = is_date(name) or is_placeholder(name)
        meant = meant or is_left_out(link.target, left_out)
        if sight.is_written(link.path) and not meant:
            key = fold(place_of(link)).removesuffix(NOTE_SUFFIX)
            wanted.setdefault(key, []).append(link)
    placed: dict[str, list[str]] = {}
    for key in wanted:
        folder, _, name = key.rpartition("/")
        if folder and is_attachment(name) and name in wanted:
            placed.setdefault(name, []).append(key)
    told = {keys[0]: name for name, keys in placed.items() if len(keys) == 1}
    for key, name in told.items():
        wanted[name] += wanted.pop(key)
        wanted[name].sort(key=lambda link: (link.path, link.line))
    return wanted, told


def place_of(link: LostLink) -> str:
    """Return what a link leads to: a name, or a path from the root of the vault."""
    if not link.target.startswith(ROOTED):
        return link.target
    inside = rooted(link.target, link.path)
    if inside is not None:
        return inside.removeprefix("/")
    return normpath(f"{link.path.rpartition('/')[0] or '.'}/{link.target}")


def _demand(links: Sequence[LostLink]) -> int:
    return len({link.path for link in links})


def _ghost(key: str, links: Sequence[LostLink], known: dict[str, str]) -> Finding:
    first, demand = links[0], _demand(links)
    notes = "1 note wants" if demand == 1 else f"{demand} notes want"
    what = f"{notes} {_missing(first)}"
    name = first.target.rpartition("/")[2].removesuffix(NOTE_SUFFIX)
    meant = known.get(fold(name)) or known.get(in_singular(folded(name)))
    if meant is not None:
        what += f"; {meant} may be meant"
    return finding("ghosts", key, first.path, first.line, what)


def _missing(link: LostLink) -> str:
    place = place_of(link)
    if place.startswith("../"):
        return f"{place}, which is outside of the vault"
    if is_attachment(place):
        return f"the file {place}, which is not there"
    if link.target.startswith(ROOTED):
        return f"{place}, and no such file is there"
    return f"[[{place}]], and no file is called so"


def _other_names(sight: Sight) -> dict[str, str]:
    """Return which note may be meant by an alias, or a title but for its marks."""
    known: dict[str, str] = {}
    for note in sight.written:
        for alias in note.aliases:
            known.setdefault(fold(alias), note.path)
        name = note.path.rpartition("/")[2].removesuffix(NOTE_SUFFIX)
        for title in (note.title, name):
            if form := in_singular(folded(title)):
                known.setdefault(form, note.path)
    return known


def broken_links(sight: Sight) -> list[Finding]:
    """Return the links to a heading or a block that their note does not have."""
    links = [link for link in sight.rows.part_links() if sight.is_written(link.path)]
    names = sight.rows.part_names({link.target_id for link in links})
    astray = [link for link in links if not leads(link, names[link.target_id])]
    raw = _raw_names(sight, {link.target_id for link in astray})
    found: dict[str, Finding] = {}
    for link in astray:
        if link.target_id not in raw or not leads(link, raw[link.target_id]):
            finding = _broken(link)
            found.setdefault(finding.subject, finding)
    return list(found.values())


def _raw_names(sight: Sight, note_ids: set[int]) -> dict[int, PartNames]:
    """Return the headings of notes as they are written.

    A link in a heading is shown by its name alone, and linked to with its target too.
    """
    return {
        note: PartNames(
            tuple((len(marks), text) for marks, text in _HEADING.findall(body)),
            frozenset(),
        )
        for note, body in sight.rows.texts(note_ids)
    }


def _broken(link: PartLink) -> Finding:
    kind = "block" if link.subpath.startswith("#^") else "heading"
    where = "it" if link.target == link.path else link.target
    what = f"links to {link.subpath}, and {where} has no such {kind}"
    subject = f"{link.path} -> {link.target}{link.subpath}"
    return finding("broken_links", subject, link.path, link.line, what)


def leads(link: PartLink, names: PartNames) -> bool:
    """Whether a link finds its part, by the rules of Obsidian.

    A Markdown link may also name the anchor that other renderers give to a heading.
    """
    steps = steps_of(link.subpath)
    if not steps or steps[-1].startswith("[^"):
        return True
    outline = Outline.of(names.headings, names.blocks)
    return outline.meant(link.subpath, markdown=link.kind == "markdown") is not None


def missing_reciprocal(sight: Sight) -> list[Finding]:
    """Return the property links that are not answered where the vault does answer.

    Each stands in the note that should lead back, the surest first.
    """
    written = {note.id: note.path for note in sight.written}
    links = [
        link
        for link in sight.rows.property_links()
        if link[0] in written and link[1] in written
    ]
    missing = [one for one in missing_answers(links) if one.sure >= SURE]
    missing.sort(key=lambda one: (-one.sure, written[one.target], written[one.source]))
    return [
        finding(
            "missing_reciprocal",
            f"{written[one.target]} {one.answer}: {written[one.source]}",
            written[one.target],
            0,
            f"{written[one.source]} names it in {spelling_of(one.asked, links)}, and "
            f"its {spelling_of(one.answer, links)} does not name that back",
        )
        for one in missing
    ]


GOD_INBOUND = 50
"""Notes that lead to one before it can be a god node: what the plugin of compat KL-12
takes for all vaults."""

GOD_SHARE = 0.05
"""The share of the vault that has to lead to it too: a map of 60 notes is nothing odd
among 10,000. A judgement."""

CLOSE = 0.8
"""Similarity of notes that should know of each other: compat KL-12."""

TIED_BY = 2
"""Common neighbours that tie two notes well enough without a link. A judgement."""


LEAST_NOTES = 2
"""Notes below which there is nothing that one could be linked with."""

LEAST_WORDS = 2
"""Words of a title that is looked for in other notes: one alone is just a word."""

MOST_ASKED = 1_000
"""Orphans whose like and whose titles are looked for: a second of looking."""

COMPANY = 20
"""Notes beside one in its folder that may say what it belongs to; more say nothing. A
judgement."""


def orphans(sight: Sight) -> list[Finding]:
    """Return the notes that no link leads to or from, those with context first.

    A note of a day needs none, nor does the only note of a vault. Context is a note
    that names it, a similar note, or others in its folder.
    """
    if len(sight.notes) < LEAST_NOTES:
        return []
    alone = [
        note
        for note in sight.written
        if sight.is_kept(note.path) and not _is_readme(note) and not sight.near(note.id)
    ]
    contexts = _contexts(sight, alone)
    alone.sort(key=lambda note: (note.id not in contexts, note.path))
    links = sight.rows.link_counts() if alone else {}
    return [
        finding(
            "orphans",
            note.path,
            note.path,
            0,
            f"{_untied(links.get(note.id, 0))}; {contexts.get(note.id, 'isolated')}",
        )
        for note in alone
    ]


def _untied(links: int) -> str:
    """Return how a note with so many links is without any to a note."""
    if not links:
        return "no link leads to it or from it"
    lead = "its 1 link leads" if links == 1 else f"its {links:,} links lead"
    return f"no note links to it, and {lead} to no note of the index"


def _contexts(sight: Sight, alone: Sequence[HealthNote]) -> dict[int, str]:
    """Return what may say where notes belong, for those that have any."""
    folders = Counter(_folder(note) for note in sight.written)
    found = {}
    for at, note in enumerate(alone):
        asked = at < MOST_ASKED
        namers = _namers(sight, note) if asked else []
        like = sight.grounds.nearest(note.path) if asked and not namers else None
        beside = folders[_folder(note)] - 1
        if namers:
            found[note.id] = f"named in {namers[0]}"
        elif like is not None:
            found[note.id] = f"similar to {like.other_path} ({like.similarity:.2f})"
        elif _folder(note) and 1 <= beside <= COMPANY:
            others = "1 other" if beside == 1 else f"{beside} others"
            found[note.id] = f"{others} in {_folder(note)}/"
    return found


def _namers(sight: Sight, note: HealthNote) -> list[NotePath]:
    """Return some notes with the title of one in their text; one word tells nothing."""
    if len(note.title.split()) < LEAST_WORDS:
        return []
    found = sight.grounds.mentions(note.title)
    others = [sight.by_id[one].path for one in found if one in sight.by_id]
    return sorted(path for path in others if path != note.path and sight.is_kept(path))


def _is_readme(note: HealthNote) -> bool:
    """Whether a note is there for who finds the folder, rather than for other notes."""
    return fold(note.path.rpartition("/")[2]) == "readme.md"


def _folder(note: HealthNote) -> str:
    return note.path.rpartition("/")[0]


def weakly_tied(sight: Sight) -> list[Finding] | Unchecked:
    """Return pairs of notes that are alike, unlinked, with hardly a common neighbour.

    A note is told of once, with the one it is most like: ten notes of a kind are five
    findings and not forty-five. Orphans and copies of each other are other checks', and
    days are alike by their nature.
    """
    pairs = sight.grounds.similar(CLOSE)
    if isinstance(pairs, Unchecked):
        return pairs
    copies, taken = _copies(sight), set[str]()
    found = []
    for pair in pairs:
        paths = pair_paths(pair)
        if taken.isdisjoint(paths) and _is_weak(sight, pair, copies):
            taken.update(paths)
            found.append(_weak(pair))
    return found


def tied_weakly(sight: Sight, subject: str) -> Finding | None:
    """Return whether two notes are alike and untied, whatever else they are like."""
    wanted = frozenset(paths_in("weakly_tied", subject))
    pairs = sight.grounds.similar(CLOSE)
    for pair in () if isinstance(pairs, Unchecked) else pairs:
        if wanted == frozenset(pair_paths(pair)) and _is_weak(
            sight, pair, _copies(sight)
        ):
            return _weak(pair)
    return None


def _is_weak(sight: Sight, pair: "Pair", copies: set[frozenset[str]]) -> bool:
    one, other = pair_paths(pair)
    return (
        all(sight.is_kept(path) and _near(sight, path) for path in (one, other))
        and frozenset((one, other)) not in copies
        and len(_near(sight, one) & _near(sight, other)) < TIED_BY
    )


def _weak(pair: "Pair") -> Finding:
    what = f"similar to {pair.other_path} ({pair.similarity:.2f}), and no link "
    subject = f"{pair.path}{PAIRED}{pair.other_path}"
    return finding("weakly_tied", subject, pair.path, 0, f"{what}joins them")


def pair_paths(pair: "Pair") -> tuple[NotePath, NotePath]:
    """Return the paths of two notes that are alike."""
    return pair.path, pair.other_path


def _near(sight: Sight, path: str) -> set[int]:
    return sight.near(sight.by_path[path].id)


def _copies(sight: Sight) -> set[frozenset[str]]:
    """Return the pairs of notes that are copies of each other."""
    return {
        frozenset(finding.subject.split(PAIRED))
        for check in (conflict_copies, near_duplicates)
        for finding in found_by(check, sight)
    }


def god_nodes(sight: Sight) -> list[Finding]:
    """Return the notes that an unusual share of the vault leads to, most first."""
    net = sight.net
    least = max(GOD_INBOUND, GOD_SHARE * net.note_count)
    inbound = net.in_degree[: net.note_count].tolist()
    central = [
        (-count, net.paths[node])
        for node, count in enumerate(inbound)
        if count > least and sight.is_written(net.paths[node])
    ]
    return [
        finding("god_nodes", path, NotePath(path), 0, f"{-count} notes link to it")
        for count, path in sorted(central)
    ]


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

CATEGORY_SHARE = 0.75
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
    return category if count >= CATEGORY_SHARE * len(members) else None


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
            place = publisher_of(url)
            if place:
                yield place


def publisher_of(url: str) -> str:
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


def inconsistent_tags(sight: Sight) -> list[Finding]:
    """Return the tags that are spelled in several ways, the most used first."""
    return _found(sight, "inconsistent_tags", ("tag",))


def inconsistent_properties(sight: Sight) -> list[Finding]:
    """Return the properties and categories that are spelled in several ways."""
    return _found(sight, "inconsistent_properties", ("property", "category"))


def _found(sight: Sight, check: str, kinds: Sequence[Spelled]) -> list[Finding]:
    spellings = [one for one in sight.grounds.spellings() if one.what in kinds]
    return [_finding(sight, check, one) for one in spellings]


def _finding(sight: Sight, check: str, one: SpelledWord) -> Finding:
    """Return a finding that stands in the first note with another spelling."""
    others = [variant.name for variant in one.variants]
    users = (
        entry.path
        for entry in sight.grounds.entries()
        if not set(others).isdisjoint(words_of(entry, one.what))
    )
    shown = ", ".join(f"{use.name} ({use.notes})" for use in one.variants)
    what = f"{one.what} {one.canonical} ({one.notes}) is also {shown}: {one.reason}"
    subject = f"{one.what} {one.form}"
    return finding(check, subject, next(users, NotePath("")), 0, what)


def spelling_now(sight: Sight, subject: str) -> str:
    """Return what a word goes by that was told of in one of its spellings."""
    what, blank, word = subject.partition(" ")
    for one in sight.grounds.spellings():
        known = {one.form, one.canonical, *(use.name for use in one.variants)}
        if one.what == what and word in known:
            return f"{what}{blank}{one.form}"
    return f"{what}{blank}{word_form(what, word)}"


def words_of(entry: Entry, what: str) -> Iterator[str]:
    """Yield the words of a kind that a note uses."""
    match what:
        case "tag":
            yield from entry.tags
        case "property":
            yield from entry.properties
        case "category":
            for _, label in categories_of(entry):
                yield label


OVERSIZED_TOKENS = 25_000
"""About a hundred pages: a fifth of what a model with 128,000 tokens can hold, so that
an agent which reads the note has room for little else."""

_LINE = re.compile(r" \(line (\d+)\)")
_FOLDER = re.compile(r"""[^\s"'`(<\[|=/\\{}$>.]/$""")
"""The end of a folder that has a name; `./`, `../` and what code puts in have none."""

FOLDER_CHARS = 256
"""What is looked at before a name: the longest that a folder can be called."""

_TOO_LARGE = "it is larger than"


def invalid_yaml(sight: Sight) -> list[Finding]:
    """Return the notes whose properties cannot be read."""
    found = []
    for note in sight.notes:
        if note.error is not None and not sight.habits.is_template(note.path):
            line = _LINE.search(note.error)
            at = int(line[1]) if line else 1
            what = _LINE.sub("", note.error.rstrip("."))
            what = what[:1].lower() + what[1:]
            found.append(finding("invalid_yaml", note.path, note.path, at, what))
    return found


def oversized(sight: Sight) -> list[Finding]:
    """Return the notes that are too long to be read at once, the longest first."""
    found = [
        finding("oversized", path, path, 0, "too large to be indexed")
        for path, reason in sight.rows.skipped()
        if _TOO_LARGE in reason and path.endswith(".md")
    ]
    long = [note for note in sight.written if note.tokens > OVERSIZED_TOKENS]
    long.sort(key=lambda note: (-note.tokens, note.path))
    for note in long:
        what = f"about {note.tokens:,} tokens long"
        found.append(finding("oversized", note.path, note.path, 0, what))
    return found


def unlinked_attachments(sight: Sight) -> list[Finding] | Unchecked:
    """Return the pictures, sounds, films and papers that no note shows or names.

    A note names a file by writing what it is called, be it in a property, in HTML, in
    code, or in a note that is left out of the index.
    """
    files = [
        path
        for path in sight.rows.unlinked_attachments()
        if is_attachment(path) and sight.is_written(path)
    ]
    files = _unnamed(sight.rows.texts_with(_endings(files)), files)
    if not files:
        return []
    unseen = sight.grounds.unseen()
    files = _unnamed(unseen.texts, files)
    if files and unseen.unread:
        return Unchecked(
            f"{unseen.unread} is left out of the index and cannot be read; it may show "
            "some"
        )
    what = "no note shows it, links to it or names it"
    return [finding("unlinked_attachments", path, path, 0, what) for path in files]


def _unnamed(texts: Iterable[str], paths: Sequence[NotePath]) -> list[NotePath]:
    found = files_named_in(texts, paths) if paths else set()
    return [path for path in paths if path not in found]


def files_named_in(texts: Iterable[str], paths: Iterable[str]) -> set[str]:
    """Return those of some files whose names stand in texts.

    Where a folder stands before the name it has to be that of the file.
    """
    called: dict[str, list[str]] = {}
    for path in paths:
        called.setdefault(fold(path.rpartition("/")[2]), []).append(path)
    lengths, longest = sorted({len(name) for name in called}), max(map(len, called))
    endings = "|".join(map(re.escape, sorted(_endings(called))))
    ending = re.compile(endings, re.IGNORECASE)
    found: set[str] = set()
    for text in texts:
        for place in ending.finditer(text):
            # Three letters for one where it is written as in an address.
            start = max(0, place.end() - 3 * longest - FOLDER_CHARS)
            before = text[start : place.end()]
            for said in {fold(before), fold(unquote(before))}:
                for length in lengths:
                    ahead, name = said[:-length], said[-length:]
                    found.update(p for p in called.get(name, ()) if _is_at(p, ahead))
    return found


def _is_at(path: str, ahead: str) -> bool:
    """Whether a file may be meant by its name with this before it."""
    if ahead[-1:].isalnum():
        return False  # the name of another file ends so
    folder = fold(path.rpartition("/")[0].rpartition("/")[2])
    return _FOLDER.search(ahead) is None or (
        bool(folder) and ahead.endswith(f"{folder}/")
    )


def _endings(paths: Iterable[str]) -> set[str]:
    """Return how some files end, each with its dot, in lower case."""
    return {f".{path.rpartition('.')[2].lower()}" for path in paths}


PAIR = 2

LEAST_RUNS = 25
"""Runs of words that a note needs to be called a near duplicate: about two sentences.
Shorter ones are alike by chance, or made from one template. A judgement."""

LEAST_EXACT = 8
"""The same for a note that is the same to the letter."""

NEARLY = 0.8
"""The share of common runs from which two notes are near duplicates. A judgement: a
note of 100 words with five of them changed, here and there, has 0.67; with three, 0.79;
in one place, 0.9."""

COPIED = 0.8
"""The share of the shorter note that stands in the longer one from which a note with
the name of a copy is one: one of both may have grown since. `Meeting 2` has little of
`Meeting`. A judgement."""

_COPY_NAMES = (
    (re.compile(r"(?P<name>.+) [2-9]"), "iCloud"),
    (re.compile(r"(?P<name>.+) \([1-9]\)"), "Google Drive"),
    (re.compile(r"(?P<name>.+)_conflict-\d{8}-?\d{6}"), "ownCloud"),
    (re.compile(r"(?P<name>.+) \(SFConflict .+\)"), "Seafile"),
    (re.compile(r"(?P<name>.+?)-(?=[A-Z0-9-]*[0-9-])(?!DRAFT|FINAL|COPY|VERSION|BACKUP)"
                r"[A-Z][A-Z0-9-]{3,14}(?:-[2-9])?"),
     "OneDrive"),
)  # fmt: skip
"""How sync tools call the copies that the scan takes for notes; of OneDrive, the name
of a machine: capitals, which Windows cuts at 15, with a number or a hyphen in them."""

_MARKED = re.compile(
    r"(?P<name>.+?)(?:\.sync-conflict-[\w-]+| ?\([^()]*conflicted copy[^()]*\))"
    r"(?P<suffix>.*)",
    re.IGNORECASE,
)


def conflict_copies(sight: Sight) -> list[Finding]:
    """Return what sync tools left where two devices had written one file.

    Some the scan leaves out by their names alone. Others have names that notes may have
    too: those count only beside a note of the rest of the name that says the same.
    """
    found = [
        finding("conflict_copies", path, path, 0, _left_out(path))
        for path, reason in sight.rows.skipped()
        if reason == CONFLICT_COPY
    ]
    found += _named_copies(sight)
    return sorted(found, key=lambda finding: finding.path)


def _left_out(path: str) -> str:
    marked = _MARKED.fullmatch(path.rpartition("/")[2])
    of = f" of {marked['name']}{marked['suffix']}" if marked else ""
    return f"a sync tool's copy{of}, which is not searched"


def _named_copies(sight: Sight) -> Iterator[Finding]:
    by_path = {fold(note.path): note for note in sight.notes}
    pairs = [
        (note, original, tool)
        for note in sight.notes
        for original, tool in _originals(note, by_path)
    ]
    runs = _runs_of(sight, {note.id for pair in pairs for note in pair[:2]})
    seen = set()
    for note, original, tool in pairs:
        one, other = runs.get(note.id), runs.get(original.id)
        if one is None or other is None or note.id in seen:
            continue
        if _is_copy(one, other):
            seen.add(note.id)
            subject = f"{original.path}{PAIRED}{note.path}"
            what = f"a copy of {original.path}, as {tool} makes them"
            yield finding("conflict_copies", subject, note.path, 0, what)


def _is_copy(one: Hashes, other: Hashes) -> bool:
    """Whether the shorter of two texts is hardly more than a part of the longer one.

    Texts too short to tell are copies only when they are the same.
    """
    least = min(len(one), len(other))
    both = len(np.intersect1d(one, other, assume_unique=True))
    if least < LEAST_EXACT:
        return both == least == max(len(one), len(other))
    return both >= COPIED * least


def _originals(
    note: HealthNote, by_path: dict[str, HealthNote]
) -> Iterator[tuple[HealthNote, str]]:
    """Yield the notes that one may be a copy of by its name, and who names so."""
    folder, slash, file = note.path.rpartition("/")
    stem, dot, suffix = file.rpartition(".")
    for pattern, tool in _COPY_NAMES:
        named = pattern.fullmatch(stem)
        if named:
            path = fold(f"{folder}{slash}{named['name']}{dot}{suffix}")
            if path in by_path:
                yield by_path[path], tool


def _runs_of(sight: Sight, note_ids: set[int]) -> dict[int, Hashes]:
    """Return the runs of each of these notes that has words."""
    runs = Runs()
    made = ((note, runs.of(text)) for note, text in sight.rows.texts(note_ids))
    return {note: hashes for note, hashes in made if len(hashes)}


class _Pair(NamedTuple):
    one: NotePath
    other: NotePath
    what: str


class _Ground(NamedTuple):
    """The notes that may be duplicates: in groups of the same content, by path.

    `long` are the first notes of groups that say enough to be compared by what they
    have in `common` with each other; that is what counts for none.
    """

    notes: dict[int, HealthNote]
    same: list[list[HealthNote]]
    long: dict[int, Hashes]
    common: Hashes


def near_duplicates(sight: Sight) -> list[Finding]:
    """Return the notes that say the same as another, to the letter or nearly.

    Of several, each is named beside the first of them by path. Copies of sync tools are
    another check's, and drawings, templates and days are left out.
    """
    ground = sight.made_by(_ground)
    found = list(_exact(ground.same))
    firsts = list(ground.long)
    candidates = alike(list(ground.long.values()), NEARLY, ground.common)
    near = _near_copies(sight, ground, [(firsts[a], firsts[b]) for a, b in candidates])
    seen: set[NotePath] = set()
    for pair in near:
        if pair.other not in seen:
            seen.add(pair.other)
            found.append(pair)
    found.sort(key=lambda pair: (pair.one, pair.other))
    return [_finding_copies(pair) for pair in found]


def duplicate(sight: Sight, subject: str) -> Finding | None:
    """Return whether two notes say the same, whatever other notes do."""
    ground = sight.made_by(_ground)
    by_path = {note.path: note for note in ground.notes.values()}
    pair = [by_path[p] for p in paths_in("near_duplicates", subject) if p in by_path]
    if len(pair) != PAIR:
        return None
    one, other = sorted(pair, key=lambda note: note.path)
    if one.digest == other.digest:
        return _finding_copies(next(_exact([[one, other]])))
    found = next(_near_copies(sight, ground, [(one.id, other.id)]), None)
    return None if found is None else _finding_copies(found)


def _finding_copies(pair: _Pair) -> Finding:
    subject = f"{pair.one}{PAIRED}{pair.other}"
    return finding("near_duplicates", subject, pair.other, 0, pair.what)


def _ground(sight: Sight) -> _Ground:
    others = {finding.path for finding in found_by(conflict_copies, sight)}
    kept = [
        note
        for note in sight.written
        if sight.is_kept(note.path) and note.path not in others
    ]
    sketches = sight.grounds.sketches(kept)
    notes = {note.id: note for note in kept if sketches[note.id].runs >= LEAST_EXACT}
    same = _groups_of_same(list(notes.values()))
    long = {
        group[0].id: sketches[group[0].id].smallest
        for group in same
        if sketches[group[0].id].runs >= LEAST_RUNS
    }
    return _Ground(notes, same, long, common_runs(list(long.values())))


def _groups_of_same(notes: Sequence[HealthNote]) -> list[list[HealthNote]]:
    """Return the notes by content, each group by path."""
    groups: dict[str, list[HealthNote]] = {}
    for note in notes:
        groups.setdefault(note.digest, []).append(note)
    return list(groups.values())


def _exact(groups: Sequence[Sequence[HealthNote]]) -> Iterator[_Pair]:
    for first, *others in groups:
        for other in others:
            yield _Pair(first.path, other.path, f"the same as {first.path}")


def _near_copies(
    sight: Sight, ground: _Ground, candidates: Sequence[tuple[int, int]]
) -> Iterator[_Pair]:
    """Yield the candidates that are alike when they are read whole."""
    runs = _runs_of(sight, {note for pair in candidates for note in pair})
    own = {
        note: np.setdiff1d(hashes, ground.common, assume_unique=True)
        for note, hashes in runs.items()
    }
    for one, other in candidates:
        if min(len(own.get(n, ())) for n in (one, other)) < LEAST_RUNS:
            continue
        share = likeness(own[one], own[other])
        if share >= NEARLY:
            first, second = ground.notes[one].path, ground.notes[other].path
            yield _Pair(first, second, f"{share:.0%} the same as {first}")
