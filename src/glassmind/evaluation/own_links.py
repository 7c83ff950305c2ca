"""A whole vault, read: its files, its notes, and their names."""

import re
from bisect import bisect_right
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from itertools import chain, zip_longest
from pathlib import Path
from typing import NamedTuple

from glassmind.config import Config
from glassmind.errors import VaultError
from glassmind.evaluation.gold import Gold, GoldQuery
from glassmind.files.ignore import load_rules
from glassmind.files.names import Names
from glassmind.files.read import Decoded, VaultFiles, decode
from glassmind.files.scan import scan
from glassmind.model import NotePath
from glassmind.model.index import FileFacts
from glassmind.model.notes import Link, Note
from glassmind.obsidian.frontmatter import read_head
from glassmind.obsidian.notes import read_note
from glassmind.obsidian.text import ENDS, MARKER
from glassmind.search.query import key_of, plain, size_of

FEWEST, MOST = 5, 60
"""Words of a sentence that says something; longer ones are no sentence any more."""


class NoteReading(NamedTuple):
    note: Note
    raw: bytes
    base: int


class Readings(NamedTuple):
    root: Path
    files: Sequence[FileFacts]
    texts: Mapping[NotePath, bytes]
    notes: Mapping[NotePath, NoteReading]
    names: Names


def read_vault(config: Config) -> Readings:
    root = config.vault.path
    rules = load_rules(
        root,
        ignore_dirs=config.index.ignore_dirs,
        include_agent_dir=config.index.include_agent_dir,
        agent_dir=config.writes.agent_dir,
    )
    files = scan(root, rules, {}).changed
    texts: dict[NotePath, bytes] = {}
    with VaultFiles(root, limit_bytes=config.index.max_note_bytes) as vault:
        for file in files:
            if file.kind != "attachment":
                # The index lists what it cannot read; a copy has an empty file.
                with suppress(VaultError):
                    texts[file.path] = vault.read(file.disk_path or file.path)
    notes = {
        file.path: reading
        for file in files
        if (reading := _reading(file, texts.get(file.path))) is not None
    }
    names = Names.of(file.path for file in files)
    return Readings(root, files, texts, notes, names)


def _reading(file: FileFacts, raw: bytes | None) -> NoteReading | None:
    if raw is None or file.kind != "markdown":
        return None
    decoded = decode(raw)
    if not isinstance(decoded, Decoded) or decoded.encoding != "utf-8":
        return None
    base = len(BOM_UTF8) if raw.startswith(BOM_UTF8) else 0
    note = read_note(file.path, decoded.text)
    exact = note.kind == "markdown" and note.text.encode() == raw[base:]
    return NoteReading(note, raw, base) if exact else None


HERE = "\x00"  # where the link stood while its sentence is looked for
_MARKS = str.maketrans(dict.fromkeys("*_`~|<>=", " "))
_GAPS = re.compile(r"[(\[]\s*[)\]]|\s+(?=[.,;:!?)])")
_OUTSIDE = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)|https?://\S+")


def shown_by(link: Link) -> str:
    return link.display or link.target


def sentence_around(
    note: Note, source: bytes, link: Link, same: Callable[[Link], bool]
) -> str | None:
    start, end = _stretch(note, source, link)
    inside = [x for x in note.links if start <= x.start and x.end <= end]
    text = _told(source, start, end, inside, same)
    marked = next((part for part in ENDS.split(text) if HERE in part), "")
    said = plain(_GAPS.sub("", marked.replace(HERE, " ").translate(_MARKS)))
    return said if FEWEST <= size_of(said) <= MOST else None


def _stretch(note: Note, source: bytes, link: Link) -> tuple[int, int]:
    at = bisect_right(note.blocks, link.start, key=lambda block: block.start) - 1
    block = note.blocks[at] if at >= 0 else None
    if block is not None and block.kind == "paragraph" and link.end <= block.end:
        return block.start, block.end
    start = source.rfind(b"\n", 0, link.start) + 1
    end = source.find(b"\n", link.end)
    return start, len(source) if end < 0 else end


def _told(
    source: bytes,
    start: int,
    end: int,
    links: Sequence[Link],
    same: Callable[[Link], bool],
) -> str:
    parts: list[str] = []
    at = start
    for link in links:
        if link.start < at:
            continue
        parts.append(source[at : link.start].decode("utf-8", "replace"))
        parts.append(HERE if same(link) else shown_by(link))
        at = link.end
    parts.append(source[at:end].decode("utf-8", "replace"))
    text = _OUTSIDE.sub(r"\1", "".join(parts))
    lines = (MARKER.sub("", line) for line in text.split("\n"))
    return " ".join(" ".join(lines).split())


KINDS = ("anchor", "alias", "heading", "context")
"""The kinds of queries; of equal ones that of the first kind is kept."""

UNASKED = "unasked"
"""What embeds and properties say of a note: no question, but to be hidden with one."""

PER_TARGET = 5  # queries about one note: a hub would outweigh all others
MOST_QUERIES = 500
"""Queries in all; the interval of a mean is then about 0.03 on either side."""

MOST_TARGETS = 2  # notes one text may mean; `here` and `this page` mean any
HEADING_WORDS = 2
"""Words of a heading that can be asked: `Installation` alone is no question."""


class Replacement(NamedTuple):
    start: int
    end: int
    text: bytes


class LinkExample(NamedTuple):
    kind: str
    text: str
    target: NotePath
    place: NotePath
    edits: tuple[Replacement, ...]

    @property
    def source(self) -> NotePath | None:
        return self.place if self.place != self.target else None


class SelfGold(NamedTuple):
    gold: Gold
    hidden: Mapping[NotePath, Sequence[Replacement]]


def own_gold(
    readings: Readings, *, seed: int = 0, most: int = MOST_QUERIES
) -> SelfGold:
    """Return queries from a vault's links, aliases and headings.

    At most `most`, evenly of each kind as far as there are any, the same for the same
    vault and seed; a note added later changes few of them.
    """
    names = {path: _names(read.note) for path, read in readings.notes.items()}
    merged = _merged(
        example
        for example in _clues(readings)
        if any(map(str.isalpha, example.text))
        and key_of(example.text) not in names[example.target]
    )
    examples = _sampled(merged, seed, most)
    hidden: dict[NotePath, set[Replacement]] = {}
    for link_examples in examples.values():
        for example in link_examples:
            hidden.setdefault(example.place, set()).update(example.edits)
    queries = [_query(id_, link_examples) for id_, link_examples in examples.items()]
    return SelfGold(
        Gold(queries), {path: _apart(edits) for path, edits in hidden.items()}
    )


def _clues(readings: Readings) -> Iterator[LinkExample]:
    common = Counter(
        key_of(heading.text)
        for read in readings.notes.values()
        for heading in read.note.headings
    )
    named = _headings_named(readings)
    for path, read in readings.notes.items():
        yield from _link_clues(path, read, readings)
        yield from _alias_clues(path, read)
        yield from _heading_clues(path, read, common, named.get(path, frozenset()))


def _headings_named(readings: Readings) -> dict[NotePath, set[str]]:
    """Return what links to places inside each note name: a table of contents, say.

    A heading that stands in such a link would still be there when it is hidden.
    """
    named: dict[NotePath, set[str]] = {}
    for path, read in readings.notes.items():
        for link in read.note.links:
            end = _end_of(link, path, readings) if link.target else path
            if end is not None and link.subpath:
                said = (*link.subpath.split("#"), link.display or "")
                named.setdefault(end, set()).update(map(key_of, said))
    return named


def _link_clues(
    path: NotePath, read: NoteReading, readings: Readings
) -> Iterator[LinkExample]:
    note = read.note
    leading: dict[NotePath, list[Link]] = {}
    for link in note.links:
        end = _end_of(link, path, readings)
        if end is not None and end != path and end in readings.notes:
            leading.setdefault(end, []).append(link)
    source = note.text.encode()
    for target, links in leading.items():
        edits = tuple(
            Replacement(link.start, link.end, shown_by(link).encode()) for link in links
        )
        written = [source[link.start : link.end].lstrip(b"!") for link in links]
        if not all(w.startswith(b"[") and w.endswith((b"]", b")")) for w in written):
            continue
        for link in links:
            unasked = link.embed or link.kind == "property"
            if link.display:
                kind = UNASKED if unasked else "anchor"
                yield LinkExample(kind, plain(link.display), target, path, edits)
            if unasked:
                continue
            said = sentence_around(note, source, link, links.__contains__)
            if said:
                yield LinkExample("context", said, target, path, edits)


def _end_of(link: Link, path: NotePath, readings: Readings) -> NotePath | None:
    if not link.target:
        return None
    markdown = link.kind == "markdown"
    return readings.names.resolve(link.target, path, markdown=markdown)


def _alias_clues(path: NotePath, read: NoteReading) -> Iterator[LinkExample]:
    for item in read_head(read.note.text).properties:
        name, *inside = item.leaf.path
        if str(name).lower() != "aliases" or len(inside) != 1:
            continue
        alias = item.leaf.value
        if isinstance(alias, str) and alias in read.note.aliases:
            # An empty item is no alias, wherever in YAML a list may stand.
            edits = (Replacement(item.start, item.end, b'""'),)
            yield LinkExample("alias", plain(alias), path, path, edits)


def _heading_clues(
    path: NotePath, read: NoteReading, common: Mapping[str, int], named: Collection[str]
) -> Iterator[LinkExample]:
    starts = [link.start for link in read.note.links]
    for heading in read.note.headings:
        text = plain(heading.text)
        linked = any(heading.start <= start < heading.end for start in starts)
        key = key_of(heading.text)
        if linked or key in named or common[key] > 1 or size_of(text) < HEADING_WORDS:
            continue
        blank = Replacement(heading.start, heading.end, b"#" * heading.level)
        yield LinkExample("heading", text, path, path, (blank,))


def _names(note: Note) -> frozenset[str]:
    first = next((h.text for h in note.headings if h.level == 1), "")
    path = note.path.removesuffix(".md")
    shown = (note.title, path, path.rpartition("/")[2], first)
    return frozenset(key_of(name) for name in shown)


def _merged(clues: Iterable[LinkExample]) -> list[tuple[str, list[LinkExample]]]:
    by_text: dict[str, list[LinkExample]] = {}
    for example in clues:
        by_text.setdefault(key_of(example.text), []).append(example)
    found: list[tuple[str, list[LinkExample]]] = []
    for key, all_ in by_text.items():
        kinds = [
            kind for kind in KINDS if any(example.kind == kind for example in all_)
        ]
        # Whatever its kind, it gives the answer away: every clue is hidden.
        targets = {example.target for example in all_}
        sources = {example.source for example in all_}
        if kinds and len(targets) <= MOST_TARGETS and targets - sources:
            found.append((f"{kinds[0]}-{_digest(key)}", all_))
    return found


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:10]


def _sampled(
    merged: Sequence[tuple[str, list[LinkExample]]], seed: int, most: int
) -> dict[str, list[LinkExample]]:
    order = sorted(merged, key=lambda one: (_digest(f"{seed}:{one[0]}"), one[0]))
    kinds = [[o for o in order if o[0].startswith(f"{kind}-")] for kind in KINDS]
    about: Counter[NotePath] = Counter()
    examples: dict[str, list[LinkExample]] = {}
    for one in chain.from_iterable(zip_longest(*kinds)):
        if one is None or len(examples) >= most:
            continue
        targets = {clue.target for clue in one[1]}
        if all(about[target] < PER_TARGET for target in targets):
            about.update(targets)
            examples[one[0]] = one[1]
    return dict(sorted(examples.items()))


def _query(id_: str, clues: Sequence[LinkExample]) -> GoldQuery:
    sources = frozenset(
        example.source for example in clues if example.source is not None
    )
    kind = id_.partition("-")[0]
    first = next(example for example in clues if example.kind == kind)
    targets = sorted({example.target for example in clues} - sources)
    return GoldQuery(id_, first.text, dict.fromkeys(targets, 1.0), sources, kind)


def _apart(edits: Iterable[Replacement]) -> list[Replacement]:
    replacements: list[Replacement] = []
    for edit in sorted(
        edits, key=lambda replacement: (replacement.start, -replacement.end)
    ):
        if not replacements or edit.start >= replacements[-1].end:
            replacements.append(edit)
    return replacements
