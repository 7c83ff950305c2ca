"""Vault health: every check, the score, and where credentials are."""

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache
from itertools import combinations
from posixpath import normpath
from typing import NamedTuple, TypeAlias
from urllib.parse import urlsplit

import numpy as np
import xxhash
from numpy.typing import NDArray

from glassmind.errors import BadFindingKey, BadLimit, UnknownCheck, VaultError
from glassmind.files.ignore import CONFLICT_COPY, is_attachment
from glassmind.files.names import NOTE_SUFFIX, ROOTED, rooted
from glassmind.files.read import Unreadable, decode
from glassmind.files.scan import is_left_out
from glassmind.graph.dismissals import (
    PAIRED,
    SHAPES,
    WORDED,
    dismissals_for,
)
from glassmind.graph.link_graph import (
    answering_space,
    current_words,
    link_graph,
    names_left_out,
)
from glassmind.graph.names import (
    folded,
    habits_of,
    in_singular,
    is_date,
    is_placeholder,
    vocabulary_for,
)
from glassmind.graph.ontology import categories_of, named_in, spellings
from glassmind.graph.reciprocal import missing_answers, spelling_of
from glassmind.graph.similar import similar_to, undismissed
from glassmind.graph.themes import themed_for
from glassmind.links.graph import LinkGraph
from glassmind.model import NotePath, PropertyValue
from glassmind.model.graph import StoredLink, Theme
from glassmind.model.health import (
    SEVERITIES,
    CheckReport,
    Finding,
    FindingNow,
    HealthReport,
    Helping,
    ScorePart,
    SecretPlace,
    Severity,
    UncheckedRepair,
    finding,
)
from glassmind.model.index import KnownNote
from glassmind.model.ontology import Entry, Spelled, SpelledWord
from glassmind.model.suggestions import Pair
from glassmind.obsidian.links import Outline, steps_of
from glassmind.obsidian.notes import read_note
from glassmind.obsidian.secrets import secret_locations
from glassmind.obsidian.text import fold
from glassmind.vault import Vault

Hashes: TypeAlias = NDArray[np.uint64]

RUN = 4  # words of a run: one word changed in a text of 100 leaves 92 % of its runs

SKETCH = 128
"""Hashes kept of a text: the share of common ones is then off by 0.04 at most times,
and 100,000 texts take 100 MB."""

COMMON = 8  # texts beyond which a run is boilerplate; bounds the pairs too

_MARKS = str.maketrans(dict.fromkeys(".,;:!?()[]{}*_`\"'#>|=~-", " "))
_MIX = np.uint64(0x9E3779B97F4A7C15)  # the golden ratio, as Knuth multiplies hashes


@lru_cache(maxsize=65_536)  # the words of a vault are few and come again and again
def _word_hash(word: str) -> int:
    return xxhash.xxh3_64_intdigest(word.encode("utf-8", "surrogatepass"))


def runs_of(text: str) -> Hashes:
    """Return the hashes of all runs, ascending; case and marks do not matter."""
    words = text.lower().translate(_MARKS).split()
    hashes = np.fromiter(map(_word_hash, words), np.uint64, len(words))
    if not len(hashes):
        return hashes
    runs = hashes[: max(1, len(hashes) - RUN + 1)].copy()
    for place in range(1, min(RUN, len(hashes))):
        runs *= _MIX
        runs += hashes[place : place + len(runs)]
    runs ^= runs >> np.uint64(31)
    return np.unique(runs * _MIX)


def shared_runs(a: Hashes, b: Hashes) -> float:
    both = len(np.intersect1d(a, b, assume_unique=True))
    return both / max(1, len(a) + len(b) - both)


def similar_sketches(
    sketches: Sequence[Hashes], least: float
) -> tuple[list[tuple[int, int]], Hashes]:
    """Return the pairs that may share so much, and the runs that are boilerplate.

    Those are in so many texts that they say nothing of two of them.
    """
    if not sketches:
        return [], np.empty(0, np.uint64)
    owners = np.repeat(np.arange(len(sketches)), [len(sketch) for sketch in sketches])
    values, place, counts = np.unique(
        np.concatenate(sketches), return_inverse=True, return_counts=True
    )
    times = counts[place]
    own = np.bincount(owners[times <= COMMON], minlength=len(sketches)).tolist()
    is_shared = (times > 1) & (times <= COMMON)
    sharers: dict[int, list[int]] = {}
    for run, owner in zip(
        place[is_shared].tolist(), owners[is_shared].tolist(), strict=True
    ):
        sharers.setdefault(run, []).append(owner)
    shared = Counter(
        pair for texts in sharers.values() for pair in combinations(texts, 2)
    )
    # Of the smallest of both together, each shows at most its own smallest.
    pairs = [p for p, n in shared.items() if 2 * n >= least * min(own[i] for i in p)]
    return sorted(pairs), values[counts > COMMON]


NO_VECTORS = "nothing is embedded yet; glassmind index makes vectors where a model is"
NO_PAIRS = "similar notes have not been looked for yet; glassmind index does it"
NO_THEMES = "there are no links that make themes"

SURE = 0.6
"""How sure it is that a link back is missing before we say so: most of such links are
answered. A judgement, above what a mere suggestion takes."""

CLOSE = 0.8
"""Similarity of notes that should be linked, on the scale of the default model: compat
KL-12."""

COMMON_NEIGHBOURS = 2  # connect two notes well enough without a link
TITLE_WORDS = 2  # of a title that is looked for: one alone is just a word
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
        self._found: dict[Check, list[Finding] | UncheckedRepair] = {}

    def found_by(self, check: "Check") -> "list[Finding] | UncheckedRepair":
        if check not in self._found:
            self._found[check] = check(self)
        return self._found[check]

    @cached_property
    def notes(self) -> list[KnownNote]:
        return self.rows.notes()

    @cached_property
    def by_id(self) -> dict[int, KnownNote]:
        return {note.id: note for note in self.notes}

    @cached_property
    def by_path(self) -> dict[str, KnownNote]:
        return {note.path: note for note in self.notes}

    def is_written(self, path: str) -> bool:
        agent = self.vault.config.writes.agent_dir
        return not path.startswith(f"{agent}/") and not self.habits.is_template(path)

    @cached_property
    def written(self) -> list[KnownNote]:
        return [
            note
            for note in self.notes
            if note.kind == "markdown" and self.is_written(note.path)
        ]

    @cached_property
    def lasting(self) -> dict[str, KnownNote]:
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
    def themes(self) -> "Sequence[Theme] | UncheckedRepair":
        return themed_for(self.vault).now().themes or UncheckedRepair(NO_THEMES)

    def members(self, theme: Theme) -> list[KnownNote]:
        notes = (self.by_path.get(member.path) for member in theme.members)
        return [note for note in notes if note is not None]

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


Check: TypeAlias = Callable[[HealthContext], "list[Finding] | UncheckedRepair"]
"""Returns what it finds, the worst first, or why it could not look."""


def invalid_yaml(context: HealthContext) -> list[Finding]:
    findings = []
    for note in context.notes:
        if note.error is not None and not context.habits.is_template(note.path):
            line = _LINE.search(note.error)
            what = _LINE.sub("", note.error.rstrip("."))
            what, at = what[:1].lower() + what[1:], int(line[1]) if line else 1
            findings.append(finding("invalid_yaml", note.path, note.path, at, what))
    return findings


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
        (link.source_id, link.target_id, link.property)
        for link in sorted(context.rows.links(in_property=True, between_notes=True))
        if link.source_id in written and link.target_id in written
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


def lost_names(context: HealthContext) -> Mapping[str, Sequence[StoredLink]]:
    """Return the links to files that do not exist, by the folded name of the file.

    Not those in templates, names that wait to be filled in, days, which are linked to
    before they have a note, and files that were left out of the index.
    """
    lost = context.rows.links(unresolved=True)
    left_out = names_left_out(context.vault)
    names: dict[str, list[StoredLink]] = {}
    for link in lost:
        name = link.target.rpartition("/")[2].removesuffix(NOTE_SUFFIX)
        is_open = (
            is_date(name) or is_placeholder(name) or not context.is_written(link.path)
        )
        if not is_open and not is_left_out(link.target, left_out):
            key = fold(place_of(link)).removesuffix(NOTE_SUFFIX)
            names.setdefault(key, []).append(link)
    return names


def place_of(link: StoredLink) -> str:
    if not link.target.startswith(ROOTED):
        return link.target
    inside = rooted(link.target, link.path)
    if inside is not None:
        return inside.removeprefix("/")
    return normpath(f"{link.path.rpartition('/')[0] or '.'}/{link.target}")


def _demand(links: Sequence[StoredLink]) -> int:
    return len({link.path for link in links})


def _ghost(
    key: str, links: Sequence[StoredLink], known: Mapping[str, Sequence[NotePath]]
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
    paths = known.get(fold(name)) or known.get(in_singular(folded(name)))
    if paths:
        what += f"; {paths[0]} may be meant"
    return finding("ghosts", key, first.path, first.line, f"{notes} {what}")


def broken_links(context: HealthContext) -> list[Finding]:
    links = [
        link
        for link in context.rows.links(to_part=True)
        if context.is_written(link.path)
    ]
    ids = {link.target_id for link in links if link.target_id}
    headings, blocks = context.rows.headings(ids), context.rows.blocks(ids)
    findings: dict[str, Finding] = {}
    for link in links:
        outline = [(h.level, h.text) for h in headings.get(link.target_id or 0, ())]
        parts = Outline.of(outline, blocks.get(link.target_id or 0, set()))
        if not leads(link.subpath, parts, markdown=link.kind == "markdown"):
            kind = "block" if link.subpath.startswith("#^") else "heading"
            where = "it" if link.target_path == link.path else link.target_path
            what = f"links to {link.subpath}, and {where} has no such {kind}"
            subject = f"{link.path} -> {link.target_path}{link.subpath}"
            broken = finding("broken_links", subject, link.path, link.line, what)
            findings.setdefault(subject, broken)
    return list(findings.values())


def leads(subpath: str, outline: Outline, *, markdown: bool = False) -> bool:
    """True if a link finds its part, by the rules of Obsidian."""
    steps = steps_of(subpath)
    if not steps or steps[-1].startswith("[^"):
        return True
    return outline.meant(subpath, markdown=markdown) is not None


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


def _orphan_context(context: HealthContext, note: KnownNote) -> str:
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
    same: dict[str, list[KnownNote]] = {}
    for note in notes:
        if sizes.get(note.id, 0) >= LEAST_EXACT:
            same.setdefault(note.digest, []).append(note)
    found: dict[NotePath, tuple[NotePath, str]] = {}
    for first, *known_notes in same.values():
        found |= {
            n.path: (first.path, f"the same as {first.path}") for n in known_notes
        }
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
    notes: Sequence[KnownNote],
    sketches: Sequence[Hashes],
) -> Iterator[tuple[KnownNote, KnownNote, float]]:
    pairs, boilerplate = similar_sketches(sketches, NEARLY)
    ids = {notes[number].id for pair in pairs for number in pair}
    runs = {
        note: np.setdiff1d(runs_of(text), boilerplate, assume_unique=True)
        for note, text in (context.rows.texts_of(ids) if ids else ())
    }
    empty = np.empty(0, np.uint64)
    for first, second in pairs:
        a, b = (runs.get(notes[number].id, empty) for number in (first, second))
        share = shared_runs(a, b)
        if min(len(a), len(b)) >= LEAST_RUNS and share >= NEARLY:
            yield notes[first], notes[second], share


def weakly_tied(context: HealthContext) -> list[Finding] | UncheckedRepair:
    """A note is reported once, with the one it is most like."""
    pairs = _close_pairs(context.vault)
    if isinstance(pairs, UncheckedRepair):
        return pairs
    duplicates = context.found_by(near_duplicates)
    copies = (
        {} if isinstance(duplicates, UncheckedRepair) else {f.path for f in duplicates}
    )
    taken = set[str](copies)
    findings = []
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
            findings.append(finding("weakly_tied", subject, ends[0], 0, what))
    return findings


def _close_pairs(vault: Vault) -> list[Pair] | UncheckedRepair:
    """Return the pairs that are similar by `CLOSE`, the most similar first."""
    space, rows = answering_space(vault), vault.store.rows()
    state = rows.pair_lag(space).state
    if not space or state is None:
        return UncheckedRepair(NO_PAIRS if space else NO_VECTORS)
    # As far above the vault's own threshold as `CLOSE` is above the usual one.
    reach = (1 - CLOSE) / (1 - state.level) if state.level < 1 else 1.0
    pairs = rows.similar_pairs(least=1 - (1 - state.threshold) * min(1.0, reach))
    return undismissed(pairs, dismissals_for(vault).now())


def category_mismatch(context: HealthContext) -> list[Finding] | UncheckedRepair:
    """Only where most others of the theme share one, and its own is a theme's."""
    if isinstance(context.themes, UncheckedRepair):
        return context.themes
    categories = _categories(context)
    by_theme = [
        [note for note in context.members(theme) if note.id in categories]
        for theme in context.themes
    ]
    mains = [_main([categories[note.id] for note in notes]) for notes in by_theme]
    findings = []
    for notes, main in zip(by_theme, mains, strict=True):
        for note in notes if main else ():
            own = categories[note.id]
            if own != main and own in mains:
                what = f"its category is {own!r}, and that of its theme mostly {main!r}"
                odd = finding("category_mismatch", note.path, note.path, 0, what)
                findings.append(odd)
    return sorted(findings, key=lambda problem: problem.path)


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


def one_source(context: HealthContext) -> list[Finding] | UncheckedRepair:
    """A note comes from where a property such as `source` or `url` says."""
    if isinstance(context.themes, UncheckedRepair):
        return context.themes
    sources: dict[int, set[str]] = {}
    for note_id, name, value in context.rows.said_values():
        if in_singular(folded(name)) in SOURCE_NAMES:
            sources.setdefault(note_id, set()).update(_publishers(value))
    findings = []
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
            findings.append(finding("one_source", subject, anchor, 0, what))
    return sorted(findings, key=lambda problem: problem.subject)


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
    findings = []
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
        findings.append(finding(check, f"{word.what} {word.form}", path, 0, what))
    return findings


def words_of(entry: Entry, what: str) -> Iterator[str]:
    match what:
        case "tag":
            yield from entry.tags
        case "property":
            yield from entry.properties
        case "category":
            for _, label in categories_of(entry):
                yield label


EXAMPLES = 3  # findings that are shown of each check by default
MOST_SHOWN = 10_000  # the largest limit

NO_NOTES = "there are no notes, so the score says nothing"

WEIGHTS: Mapping[Severity, float] = {"high": 4.0, "medium": 2.0, "low": 0.8}
"""What a finding in every note weighs. A judgement: something lost or about to be lost
counts as much as five things that are merely untidy, and a vault of orphans, in which
all else is well, has a third of the points."""


class HealthCheck(NamedTuple):
    """One check; `of_notes` if a finding is about a single note, `verb` helps."""

    name: str
    severity: Severity
    title: str
    find: Check
    fix: str
    of_notes: bool = True
    verb: Helping | None = None


CHECKS: Sequence[HealthCheck] = (
    HealthCheck(
        "invalid_yaml", "high", "properties that cannot be read",
        invalid_yaml,
        "Open the note at that line and mend the YAML; quote values with a colon.",
    ),
    HealthCheck(
        "conflict_copies", "high", "conflict copies of a sync tool",
        conflict_copies,
        "Compare the copy with its note, take over what is missing, delete the copy.",
    ),
    HealthCheck(
        "missing_reciprocal", "high", "property links that are not answered",
        missing_reciprocal,
        "Add the link back to the property.",
        verb="suggest",
    ),
    HealthCheck(
        "broken_links", "medium", "links to a heading or block that is not there",
        broken_links,
        "Correct the part behind the #, or link to the note alone.",
    ),
    HealthCheck(
        "ghosts", "medium", "names that links lead to and no file has",
        ghosts,
        "Write the note, or bring the file back, or correct the link.",
        of_notes=False,
        verb="resolve",
    ),
    HealthCheck(
        "orphans", "medium", "notes without any link",
        orphans,
        "Link it with its like.",
        verb="suggest",
    ),
    HealthCheck(
        "near_duplicates", "medium", "notes that say the same as another",
        near_duplicates,
        "Merge the two and let one link to the other.",
    ),
    HealthCheck(
        "weakly_tied", "medium", "similar notes that nothing ties together",
        weakly_tied,
        "Link the two, or say that they do not belong together.",
        verb="dismiss",
    ),
    HealthCheck(
        "category_mismatch", "medium", "categories that disagree with the theme",
        category_mismatch,
        "Change the category, or link the note with those of its own category.",
    ),
    HealthCheck(
        "inconsistent_tags", "low", "tags in several spellings",
        inconsistent_tags,
        "Choose one spelling and rename the others in Obsidian's tag pane.",
        of_notes=False,
    ),
    HealthCheck(
        "inconsistent_properties", "low", "properties in several spellings",
        inconsistent_properties,
        "Choose one spelling and rename the others in Obsidian's properties view.",
        of_notes=False,
    ),
    HealthCheck(
        "one_source", "low", "themes that rest on one source",
        one_source,
        "Look for a second opinion, and note where it is from.",
        of_notes=False,
    ),
)  # fmt: skip
"""By severity, and there by how much is lost while nothing is done."""

OTHER_NAMES: Mapping[str, str] = {
    "missing_backlinks": "missing_reciprocal",
    "weak_clusters": "weakly_tied",
    "source_concentration": "one_source",
}
"""What a compatible plugin calls some of them: compat KL-12."""


def chosen(names: Sequence[str] | None) -> list[HealthCheck]:
    """Return the checks of these names in the order of the table; None means all."""
    if names is None:
        return list(CHECKS)
    wanted = {check_named(name).name for name in names}
    return [check for check in CHECKS if check.name in wanted]


def check_named(name: str) -> HealthCheck:
    """Return one check; blanks and hyphens in its name are as good as `_`."""
    plain = name.strip().lower().replace("-", "_").replace(" ", "_")
    plain = OTHER_NAMES.get(plain, plain)
    for check in CHECKS:
        if check.name == plain:
            return check
    raise UnknownCheck(name, tuple(check.name for check in CHECKS))


def key_parts(key: str) -> tuple[HealthCheck, str]:
    check, _, subject = (part.strip() for part in key.partition(":"))
    if not check or not subject:
        raise BadFindingKey(key)
    return check_named(check), subject


def key_of(check: str, subject: str) -> str:
    known, plain = key_parts(f"{check}:{subject}" if subject.strip() else check)
    return f"{known.name}:{plain}"


def _weight(check: HealthCheck, found: int, notes: int) -> float:
    """Of things in no single note there may be more than notes: never more than 1."""
    share = found / notes if check.of_notes else found / (found + notes)
    return WEIGHTS[check.severity] * share


def scored(counts: Mapping[str, int], notes: int) -> tuple[int, tuple[ScorePart, ...]]:
    """Return the score, `100 / (1 + weight of all)`, and the part of each check."""
    many = max(1, notes)
    checks = [check for check in CHECKS if check.name in counts]
    weights = [_weight(check, counts[check.name], many) for check in checks]
    whole = 1 + math.fsum(weights)
    parts = []
    for check, weight in zip(checks, weights, strict=True):
        alone = _weight(check, many, many)
        points = round(100 * alone / (1 + alone), 2)
        parts.append(ScorePart(check.name, points, round(100 * weight / whole, 2)))
    return math.floor(100 / whole), tuple(parts)


def report(
    vault: Vault,
    *,
    checks: Sequence[str] | None = None,
    limit: int | None = EXAMPLES,
) -> HealthReport:
    """Return what to fix, with a score; `limit` findings of each check, None all."""
    if limit is not None and not 0 <= limit <= MOST_SHOWN:
        raise BadLimit(limit, MOST_SHOWN)
    context, book = HealthContext(vault), dismissals_for(vault).now()
    reports: list[CheckReport] = []
    counts: dict[str, int] = {}
    marked: set[str] = set()
    for check in chosen(checks):
        found = context.found_by(check.find)
        unchecked = found.reason if isinstance(found, UncheckedRepair) else None
        every = () if isinstance(found, UncheckedRepair) else found
        findings = undismissed_findings(check, every, book.findings)
        reports.append(
            CheckReport(
                name=check.name,
                title=check.title,
                severity=check.severity,
                count=len(findings),
                dismissed=len(every) - len(findings),
                examples=tuple(findings[:limit]),
                fix=check.fix,
                unchecked=unchecked,
                verb=check.verb,
            )
        )
        if unchecked is None:
            counts[check.name] = len(findings)
        if check.of_notes:
            marked.update(
                problem.path for problem in findings if problem.path in context.by_path
            )
    reports.sort(key=lambda one: (SEVERITIES.index(one.severity), -one.count))
    many = len(context.notes)
    score, parts = scored(counts, many)
    lag = vault.store.rows().pair_lag(answering_space(vault))
    behind = [lag.notice] if lag.state is not None and lag.notice else []
    notices = *book.problems, *behind
    return HealthReport(
        score=score,
        parts=parts,
        checks=tuple(reports),
        notes=many,
        sound=many - len(marked),
        findings=sum(one.count for one in reports),
        dismissed=sum(one.dismissed for one in reports),
        notices=(*(() if many else (NO_NOTES,)), *notices),
        partial=checks is not None,
    )


def undismissed_findings(
    check: HealthCheck,
    found: Sequence[Finding],
    dismissed: Collection[tuple[str, str]],
) -> list[Finding]:
    return [one for one in found if (check.name, one.subject) not in dismissed]


def finding_now(vault: Vault, key: str) -> FindingNow:
    """Return whether a finding still is one, by the very check that finds it.

    In a scope, dismissals about words are not reported: hidden notes may have these
    words.

    Raises:
        BadFindingKey, UnknownCheck: the key is not of a finding.
    """
    check, subject = key_parts(key)
    found, book = HealthContext(vault).found_by(check.find), dismissals_for(vault)
    name = f"{check.name}:{subject}"
    dismissed = (check.name, subject) in book.now().findings
    if not isinstance(found, UncheckedRepair):
        for one in found:
            if one.subject == subject:
                return FindingNow(name, "there", dismissed, one)
    dismissed &= book.sees_all or check.name in SHAPES.keys() - WORDED
    if isinstance(found, UncheckedRepair):
        return FindingNow(name, "unchecked", dismissed, reason=found.reason)
    return FindingNow(name, "gone", dismissed)


def secret_places(vault: Vault) -> list[SecretPlace]:
    """Return every credential in the notes; none where they are hidden."""
    places: list[SecretPlace] = []
    with vault.files() as files:
        if files.hides_secrets:
            return places
        for path in vault.rows().secret_notes():
            try:
                decoded = decode(files.read(path))
            except VaultError:
                continue  # gone, or not to be read: there is no line to name
            if not isinstance(decoded, Unreadable):
                text = read_note(path, decoded.text).text
                places += [
                    SecretPlace(path, *location) for location in secret_locations(text)
                ]
    return places
