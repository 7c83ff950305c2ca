"""The checks of vault health: each is a function that returns what it finds."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from posixpath import normpath
from typing import TypeAlias
from urllib.parse import urlsplit

import numpy as np

from glassmind.files.ignore import CONFLICT_COPY, is_attachment
from glassmind.files.names import NOTE_SUFFIX, ROOTED, rooted
from glassmind.files.scan import is_left_out
from glassmind.graph.dismissals import PAIRED, dismissals_for
from glassmind.graph.duplicates import (
    SKETCH,
    Hashes,
    runs_of,
    shared_runs,
    similar_sketches,
)
from glassmind.graph.link_graph import (
    answering_space,
    current_words,
    link_graph,
    names_left_out,
)
from glassmind.graph.names import vocabulary_for
from glassmind.graph.ontology import categories_of, named_in, spellings
from glassmind.graph.reciprocal import missing_answers, spelling_of
from glassmind.graph.similar import similar_to, undismissed
from glassmind.graph.themes import themed_for
from glassmind.graph.words import (
    folded,
    habits_of,
    in_singular,
    is_date,
    is_placeholder,
)
from glassmind.links.graph import LinkGraph
from glassmind.model import NotePath, PropertyValue
from glassmind.model.graph import Theme
from glassmind.model.health import (
    Finding,
    HealthNote,
    LostLink,
    PartLink,
    PartNames,
    Unchecked,
    finding,
)
from glassmind.model.ontology import Entry, Spelled, SpelledWord
from glassmind.model.suggestions import Pair
from glassmind.obsidian.links import Outline, steps_of
from glassmind.obsidian.text import fold
from glassmind.vault import Vault

NO_VECTORS = "nothing is embedded yet; glassmind index makes vectors where a model is"
NO_PAIRS = "similar notes have not been looked for yet; glassmind index does it"
NO_THEMES = "there are no links that make themes"

SURE = 0.6
"""How sure it is that a link back is missing before we say so: most of such links are
answered. A judgement, above what a mere suggestion takes."""

CLOSE = 0.8
"""Similarity of notes that should be linked, on the scale of the default model: compat
KL-12."""

COMMON_NEIGHBOURS = 2
"""Neighbours in common that connect two notes well enough without a link."""

TITLE_WORDS = 2
"""Words of a title that is looked for in other notes: one alone is just a word."""

MOST_EXPLAINED = 1_000  # orphans whose context is looked for: a second of work

LEAST_EXACT, LEAST_RUNS = 8, 25
"""Runs of words that equal notes, and nearly equal ones, need to count as duplicates:
shorter ones are alike by chance, or made from one template."""

NEARLY = 0.8
"""The share of common runs from which two notes are near duplicates: a note of 100
words with three of them changed, here and there, has 0.79; in one place, 0.9."""

LEAST_THEME, CATEGORY_SHARE = 5, 0.75
"""Notes that a theme needs to be judged, and the share of them that has to be of one
category before another is odd there."""

CONCENTRATED = 0.7  # the share of notes from one source that is too much: compat KL-12

CATEGORY_NAMES = frozenset(["category", "topic"])
SOURCE_NAMES = frozenset(
    ["source", "url", "source url", "origin", "website", "link", "clipped from"]
)
"""Properties that say what a note is about, and where it is from, in the singular."""

_LINE = re.compile(r" \(line (\d+)\)")
_URL = re.compile(r"https?://[^\s\"'<>)\]]+", re.IGNORECASE)


class HealthContext:
    """One look at a vault; what several checks need is read once."""

    def __init__(self, vault: Vault) -> None:
        self.vault = vault
        self.rows = vault.rows()
        self.habits = habits_of(vault.config.vault.path)
        self._found: dict[Check, list[Finding] | Unchecked] = {}

    def found_by(self, check: "Check") -> "list[Finding] | Unchecked":
        if check not in self._found:
            self._found[check] = check(self)
        return self._found[check]

    @cached_property
    def notes(self) -> list[HealthNote]:
        return self.rows.health_notes()

    @cached_property
    def by_id(self) -> dict[int, HealthNote]:
        return {note.id: note for note in self.notes}

    @cached_property
    def by_path(self) -> dict[str, HealthNote]:
        return {note.path: note for note in self.notes}

    def is_written(self, path: str) -> bool:
        agent = self.vault.config.writes.agent_dir
        return not path.startswith(f"{agent}/") and not self.habits.is_template(path)

    @cached_property
    def written(self) -> list[HealthNote]:
        return [
            note
            for note in self.notes
            if note.kind == "markdown" and self.is_written(note.path)
        ]

    @cached_property
    def lasting(self) -> dict[str, HealthNote]:
        notes = (note for note in self.written if not self.habits.is_day(note.path))
        return {note.path: note for note in notes}

    @cached_property
    def net(self) -> LinkGraph:
        return link_graph(self.vault)

    def near(self, note_id: int) -> set[int]:
        """Return the nodes linked with a note; none for one not in the graph."""
        node = self.net.node_of(note_id)
        return set() if node is None else set(self.net.around(node).tolist())

    @cached_property
    def themes(self) -> "Sequence[Theme] | Unchecked":
        return themed_for(self.vault).now().themes or Unchecked(NO_THEMES)

    def members(self, theme: Theme) -> list[HealthNote]:
        found = (self.by_path.get(member.path) for member in theme.members)
        return [note for note in found if note is not None]

    @cached_property
    def entries(self) -> Sequence[Entry]:
        return vocabulary_for(self.vault).counted

    @cached_property
    def spellings(self) -> list[SpelledWord]:
        return spellings(self.entries)

    @cached_property
    def known_names(self) -> dict[str, list[NotePath]]:
        known: dict[str, dict[NotePath, None]] = {}
        for note in self.written:
            name = note.path.rpartition("/")[2].removesuffix(NOTE_SUFFIX)
            keys = [fold(alias) for alias in note.aliases]
            keys += [in_singular(folded(text)) for text in (note.title, name)]
            for key in filter(None, keys):
                known.setdefault(key, {})[note.path] = None
        return {key: list(paths) for key, paths in known.items()}


Check: TypeAlias = Callable[[HealthContext], "list[Finding] | Unchecked"]
"""Returns what it finds, the worst first, or why it could not look."""


def invalid_yaml(context: HealthContext) -> list[Finding]:
    found = []
    for note in context.notes:
        if note.error is not None and not context.habits.is_template(note.path):
            line = _LINE.search(note.error)
            what = _LINE.sub("", note.error.rstrip("."))
            what, at = what[:1].lower() + what[1:], int(line[1]) if line else 1
            found.append(finding("invalid_yaml", note.path, note.path, at, what))
    return found


def conflict_copies(context: HealthContext) -> list[Finding]:
    return [
        finding("conflict_copies", path, path, 0, "a sync tool's copy, not searched")
        for path, reason, _ in context.rows.skipped()
        if reason == CONFLICT_COPY
    ]


def missing_reciprocal(context: HealthContext) -> list[Finding]:
    """Findings of the notes that should have the link back, the surest first."""
    written = {note.id: note.path for note in context.written}
    links = [
        link
        for link in context.rows.property_links()
        if link[0] in written and link[1] in written
    ]
    missing = [link for link in missing_answers(links) if link.sure >= SURE]
    missing.sort(key=lambda m: (-m.sure, written[m.target], written[m.source]))
    return [
        finding(
            "missing_reciprocal",
            f"{written[m.target]} {m.answer}: {written[m.source]}",
            written[m.target],
            0,
            f"{written[m.source]} names it in {spelling_of(m.asked, links)}, and "
            f"its {spelling_of(m.answer, links)} does not name that back",
        )
        for m in missing
    ]


def ghosts(context: HealthContext) -> list[Finding]:
    ranked = sorted(
        lost_names(context).items(), key=lambda item: (-_demand(item[1]), item[0])
    )
    return [_ghost(key, links, context.known_names) for key, links in ranked]


def lost_names(context: HealthContext) -> Mapping[str, Sequence[LostLink]]:
    """Return the links to files that do not exist, by the folded name of the file.

    Not those in templates, names that wait to be filled in, days, which are linked to
    before they have a note, and files that were left out of the index.
    """
    lost = context.rows.lost_links()
    left_out = names_left_out(context.vault)
    names: dict[str, list[LostLink]] = {}
    for link in lost:
        name = link.target.rpartition("/")[2].removesuffix(NOTE_SUFFIX)
        is_open = (
            is_date(name) or is_placeholder(name) or not context.is_written(link.path)
        )
        if not is_open and not is_left_out(link.target, left_out):
            key = fold(place_of(link)).removesuffix(NOTE_SUFFIX)
            names.setdefault(key, []).append(link)
    return names


def place_of(link: LostLink) -> str:
    if not link.target.startswith(ROOTED):
        return link.target
    inside = rooted(link.target, link.path)
    if inside is not None:
        return inside.removeprefix("/")
    return normpath(f"{link.path.rpartition('/')[0] or '.'}/{link.target}")


def _demand(links: Sequence[LostLink]) -> int:
    return len({link.path for link in links})


def _ghost(
    key: str, links: Sequence[LostLink], known: Mapping[str, Sequence[NotePath]]
) -> Finding:
    first, demand, place = links[0], _demand(links), place_of(links[0])
    notes = "1 note wants" if demand == 1 else f"{demand} notes want"
    if place.startswith("../"):
        what = f"{place}, which is outside of the vault"
    elif is_attachment(place):
        what = f"the file {place}, which is not there"
    elif first.target.startswith(ROOTED):
        what = f"{place}, and no such file is there"
    else:
        what = f"[[{place}]], and no file is called so"
    name = first.target.rpartition("/")[2].removesuffix(NOTE_SUFFIX)
    meant = known.get(fold(name)) or known.get(in_singular(folded(name)))
    if meant:
        what += f"; {meant[0]} may be meant"
    return finding("ghosts", key, first.path, first.line, f"{notes} {what}")


def broken_links(context: HealthContext) -> list[Finding]:
    links = [
        link for link in context.rows.part_links() if context.is_written(link.path)
    ]
    names = context.rows.part_names({link.target_id for link in links})
    found: dict[str, Finding] = {}
    for link in links:
        if not leads(link, names[link.target_id]):
            kind = "block" if link.subpath.startswith("#^") else "heading"
            where = "it" if link.target == link.path else link.target
            what = f"links to {link.subpath}, and {where} has no such {kind}"
            subject = f"{link.path} -> {link.target}{link.subpath}"
            broken = finding("broken_links", subject, link.path, link.line, what)
            found.setdefault(subject, broken)
    return list(found.values())


def leads(link: PartLink, names: PartNames) -> bool:
    """True if a link finds its part, by the rules of Obsidian."""
    steps = steps_of(link.subpath)
    if not steps or steps[-1].startswith("[^"):
        return True
    outline = Outline.of(names.headings, names.blocks)
    return outline.meant(link.subpath, markdown=link.kind == "markdown") is not None


def orphans(context: HealthContext) -> list[Finding]:
    """A daily note and a README need no link, nor does the only note of a vault."""
    if len(context.notes) < 2:  # noqa: PLR2004 - there is nothing to link it with
        return []
    alone = [
        note
        for path, note in context.lasting.items()
        if fold(path.rpartition("/")[2]) != "readme.md" and not context.near(note.id)
    ]
    found = []
    for at, note in enumerate(alone):
        said = _orphan_context(context, note) if at < MOST_EXPLAINED else ""
        what = f"no link leads to it or from it; {said or 'isolated'}"
        orphan = finding("orphans", note.path, note.path, 0, what)
        found.append((not said, note.path, orphan))
    return [orphan for *_, orphan in sorted(found, key=lambda row: row[:2])]


def _orphan_context(context: HealthContext, note: HealthNote) -> str:
    words = current_words(context.vault)
    if words is not None and len(note.title.split()) >= TITLE_WORDS:
        ids = words.standing(note.title, 5)[1]
        paths = {context.by_id[i].path for i in ids if i in context.by_id}
        namers = sorted((paths & context.lasting.keys()) - {note.path})
        if namers:
            return f"named in {namers[0]}"
    for pair in similar_to(context.vault, note.path, limit=1):
        return f"similar to {pair.other_path} ({pair.similarity:.2f})"
    return ""


def near_duplicates(context: HealthContext) -> list[Finding]:
    """Of several, each is named beside the first of them by path."""
    notes = list(context.lasting.values())
    sizes, sketches = dict[int, int](), dict[int, Hashes]()
    for note_id, text in context.rows.texts_of({note.id for note in notes}):
        runs = runs_of(text)
        sizes[note_id], sketches[note_id] = len(runs), runs[:SKETCH].copy()
    same: dict[str, list[HealthNote]] = {}
    for note in notes:
        if sizes.get(note.id, 0) >= LEAST_EXACT:
            same.setdefault(note.digest, []).append(note)
    found: dict[NotePath, tuple[NotePath, str]] = {}
    for first, *others in same.values():
        found |= {n.path: (first.path, f"the same as {first.path}") for n in others}
    firsts = [group[0] for group in same.values()]
    firsts = [note for note in firsts if sizes[note.id] >= LEAST_RUNS]
    smallest = [sketches[note.id] for note in firsts]
    for first, other, share in _nearly(context, firsts, smallest):
        what = f"{share:.0%} the same as {first.path}"
        found.setdefault(other.path, (first.path, what))
    ranked = sorted(found.items(), key=lambda item: (item[1][0], item[0]))
    return [
        finding("near_duplicates", f"{first}{PAIRED}{path}", path, 0, what)
        for path, (first, what) in ranked
    ]


def _nearly(
    context: HealthContext,
    notes: Sequence[HealthNote],
    sketches: Sequence[Hashes],
) -> Iterator[tuple[HealthNote, HealthNote, float]]:
    candidates = similar_sketches(sketches, NEARLY)
    wanted = {notes[at].id for pair in candidates.pairs for at in pair}
    texts = context.rows.texts_of(wanted) if wanted else ()
    runs = {
        note: np.setdiff1d(runs_of(text), candidates.boilerplate, assume_unique=True)
        for note, text in texts
    }
    for pair in candidates.pairs:
        one, other = (notes[at] for at in pair)
        if min(len(runs.get(note.id, ())) for note in (one, other)) >= LEAST_RUNS:
            share = shared_runs(runs[one.id], runs[other.id])
            if share >= NEARLY:
                yield one, other, share


def weakly_tied(context: HealthContext) -> list[Finding] | Unchecked:
    """A note is reported once, with the one it is most like."""
    pairs = _close_pairs(context.vault)
    if isinstance(pairs, Unchecked):
        return pairs
    duplicates = context.found_by(near_duplicates)
    copies = {} if isinstance(duplicates, Unchecked) else {f.path for f in duplicates}
    taken = set[str](copies)
    found = []
    for pair in pairs:
        ends = pair.path, pair.other_path
        if not taken.isdisjoint(ends) or not context.lasting.keys() >= set(ends):
            continue
        near, other = (context.near(context.lasting[path].id) for path in ends)
        if near and other and len(near & other) < COMMON_NEIGHBOURS:
            taken.update(ends)
            what = (
                f"similar to {ends[1]} ({pair.similarity:.2f}), and no link joins them"
            )
            subject = f"{ends[0]}{PAIRED}{ends[1]}"
            found.append(finding("weakly_tied", subject, ends[0], 0, what))
    return found


def _close_pairs(vault: Vault) -> list[Pair] | Unchecked:
    """Return the pairs that are similar by `CLOSE`, the most similar first."""
    space, rows = answering_space(vault), vault.reader.rows()
    state = rows.pair_lag(space).state
    if not space or state is None:
        return Unchecked(NO_PAIRS if space else NO_VECTORS)
    # As far above the vault's own threshold as `CLOSE` is above the usual one.
    reach = (1 - CLOSE) / (1 - state.level) if state.level < 1 else 1.0
    found = rows.similar_pairs(least=1 - (1 - state.threshold) * min(1.0, reach))
    return undismissed(found, dismissals_for(vault).now())


def category_mismatch(context: HealthContext) -> list[Finding] | Unchecked:
    """Only where most others of the theme share one, and its own is a theme's."""
    if isinstance(context.themes, Unchecked):
        return context.themes
    categories = _categories(context)
    by_theme = [
        [note for note in context.members(theme) if note.id in categories]
        for theme in context.themes
    ]
    mains = [_main([categories[note.id] for note in notes]) for notes in by_theme]
    found = []
    for notes, main in zip(by_theme, mains, strict=True):
        for note in notes if main else ():
            own = categories[note.id]
            if own != main and own in mains:
                what = f"its category is {own!r}, and that of its theme mostly {main!r}"
                odd = finding("category_mismatch", note.path, note.path, 0, what)
                found.append(odd)
    return sorted(found, key=lambda one: one.path)


def _categories(context: HealthContext) -> dict[int, str]:
    named: dict[int, set[str]] = {}
    written = {note.id for note in context.written}
    for note, name, value in context.rows.said_values():
        if note in written and in_singular(folded(name)) in CATEGORY_NAMES:
            forms = {in_singular(folded(text)) for text in named_in(value)}
            named.setdefault(note, set()).update(forms - {""})
    return {note: min(names) for note, names in named.items() if len(names) == 1}


def _main(categories: Sequence[str]) -> str | None:
    if len(categories) < LEAST_THEME:
        return None
    counts = Counter(categories)
    category, count = min(counts.items(), key=lambda item: (-item[1], item[0]))
    return category if count >= CATEGORY_SHARE * len(categories) else None


def one_source(context: HealthContext) -> list[Finding] | Unchecked:
    """A note comes from where a property such as `source` or `url` says."""
    if isinstance(context.themes, Unchecked):
        return context.themes
    sources: dict[int, set[str]] = {}
    for note_id, name, value in context.rows.said_values():
        if in_singular(folded(name)) in SOURCE_NAMES:
            sources.setdefault(note_id, set()).update(_publishers(value))
    found = []
    for theme in context.themes:
        members = [note for note in context.members(theme) if sources.get(note.id)]
        if len(members) < LEAST_THEME:
            continue
        counts = Counter(place for note in members for place in sources[note.id])
        place, count = min(counts.items(), key=lambda item: (-item[1], item[0]))
        if count > CONCENTRATED * len(members):
            what = (
                f"{count} of {len(members)} notes with a source in the theme "
                f"{theme.label!r} come from {place}"
            )
            anchor = NotePath(theme.members[0].path)
            subject = f"{anchor} <- {place}"
            found.append(finding("one_source", subject, anchor, 0, what))
    return sorted(found, key=lambda one: one.subject)


def _publishers(value: PropertyValue) -> Iterator[str]:
    texts = value if isinstance(value, list) else [value]
    for text in texts:
        for url in _URL.findall(text) if isinstance(text, str) else ():
            with suppress(ValueError):
                yield (urlsplit(url).hostname or "").removeprefix("www.")


def inconsistent_tags(context: HealthContext) -> list[Finding]:
    return _spelled(context, "inconsistent_tags", ["tag"])


def inconsistent_properties(context: HealthContext) -> list[Finding]:
    return _spelled(context, "inconsistent_properties", ["property", "category"])


def _spelled(
    context: HealthContext, check: str, kinds: Collection[Spelled]
) -> list[Finding]:
    found = []
    for word in context.spellings:
        if word.what not in kinds:
            continue
        others = {variant.name for variant in word.variants}
        users = (
            entry.path
            for entry in context.entries
            if not others.isdisjoint(words_of(entry, word.what))
        )
        shown = ", ".join(f"{use.name} ({use.notes})" for use in word.variants)
        what = f"{word.what} {word.canonical} ({word.notes}) is also {shown}"
        what += f": {word.reason}"
        path = next(users, NotePath(""))
        found.append(finding(check, f"{word.what} {word.form}", path, 0, what))
    return found


def words_of(entry: Entry, what: str) -> Iterator[str]:
    match what:
        case "tag":
            yield from entry.tags
        case "property":
            yield from entry.properties
        case "category":
            for _, label in categories_of(entry):
                yield label
