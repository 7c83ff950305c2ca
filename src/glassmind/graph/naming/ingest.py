"""Everything a note names, matched to a note of the vault or proposed as a new one.

A proposal: nothing is written. What is named is found in links, properties, tags and
prose; what it means is for `resolve` to say, so that a note in the vault is preferred
to a new one.
"""

import re
from collections.abc import (
    Callable,
    Container,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from glassmind.errors import BadLimit, FileUnreadable
from glassmind.files.decode import Unreadable, decode
from glassmind.files.left_out import is_free, is_left_out
from glassmind.files.read import VaultFiles
from glassmind.files.resolve import NOTE_SUFFIX, fold
from glassmind.graph.folding import folded, in_singular
from glassmind.graph.habits import is_date, is_placeholder
from glassmind.graph.mentions import IsCommon, Spot, mentions_in
from glassmind.graph.naming.matching import matches_of
from glassmind.graph.naming.phrases import phrases_in
from glassmind.graph.naming.resolve import verdict_on
from glassmind.graph.naming.stubs import Wanted, is_file_name, stub_for
from glassmind.graph.naming.vocabulary import Vocabulary
from glassmind.graph.ontology.categories import is_category_key
from glassmind.graph.ontology.schemas import EVERYWHERE, kind_of
from glassmind.model import NotePath, PropertyValue
from glassmind.model.notes import Note
from glassmind.model.ontology import (
    Entity,
    EntityState,
    Entry,
    Ingestion,
    NamedLine,
    NameMatch,
)
from glassmind.obsidian.read import read_note
from glassmind.obsidian.secrets_in_notes import without_secrets

SHOWN, MOST = 50, 500
"""Entities that are told unless more are asked for, and the most that can be."""

MENTIONS_SHOWN, LINE_CHARS = 3, 200
CANDIDATES_SHOWN = 3

NAME_WORDS, NAME_CHARS = 6, 60
"""Words and letters of a property's text that may be a name; more is a sentence."""

SINGLE_TIMES = 2
"""How often a word that nothing in the vault is called by has to be named: once may be
anything."""

_NO_NAME = re.compile(r"https?://|@|^[\d\W]*$|\d{4}-\d{2}")
_MARKERS = re.compile(r"^\s*(?:>\s*)*(?:(?:[-+*]|\d+[.)]|#+)\s+)?(?:\[.\]\s+)?")


class _Naming(NamedTuple):
    """One place where a note names something.

    `path` is where it leads, when it does. `firm` namings make a stub by themselves.
    `target` is that of a link that leads in vain, which is a Markdown one or not.
    """

    name: str
    source: str
    line: int
    path: NotePath | None = None
    linked: bool = False
    firm: bool = False
    property: str = ""
    person: bool = False
    target: str = ""
    markdown: bool = False


class _Desk(NamedTuple):
    """A note that is read, its lines, and what the vault calls things.

    `left_out` has the names of files that are not in the index, `matches` what the
    vault has of a name, looked up once.
    """

    root: Path
    note: Note
    lines: Sequence[str]
    vocabulary: Vocabulary
    left_out: Callable[[], Container[str]]
    matches: Callable[[str], list[NameMatch]]


def ingest(  # noqa: PLR0913 - the note, and what it is read by
    root: Path,
    path: NotePath,
    vocabulary: Vocabulary,
    is_common: IsCommon,
    *,
    limit: int,
    left_out: Callable[[], Container[str]] = frozenset,
    files: Callable[[], VaultFiles],
) -> Ingestion:
    """Return what a note names, in the order it does, and what the vault has of it.

    The note is read as it is on disk now, the vault as it is indexed; `left_out`
    returns what files are called that are not in the index, `files` reads notes.

    Raises:
        BadLimit: so many entities cannot be given.
        FileUnreadable: the note is gone, or holds no text.
    """
    if not 1 <= limit <= MOST:
        raise BadLimit(limit, MOST)
    with files() as opened:
        note = _read(opened, path)
    matches = cache(partial(matches_of, names=vocabulary.names))
    lines = note.text.split("\n")
    desk = _Desk(root, note, lines, vocabulary, cache(left_out), matches)
    groups = _grouped(_namings(note, vocabulary, is_common), desk)
    made = [_entity(group, desk) for group in groups]
    entities = [entity for entity in made if entity is not None]
    counts = {
        state: sum(1 for one in entities if one.state == state)
        for state in ("linked", "match", "unsure", "stub")
    }
    return Ingestion(
        path=path,
        title=note.title,
        entities=tuple(entities[:limit]),
        total=len(entities),
        counts=counts,
    )


def _read(files: VaultFiles, path: NotePath) -> Note:
    decoded = decode(files.read(path))
    if isinstance(decoded, Unreadable):
        raise FileUnreadable(path, decoded.reason)
    note = read_note(path, decoded.text)
    return without_secrets(note).note if files.hides_secrets else note


def _namings(
    note: Note, vocabulary: Vocabulary, is_common: IsCommon
) -> Iterator[_Naming]:
    yield from _by_links(note, vocabulary)
    yield from _by_properties(note, vocabulary)
    yield from _by_titles(note, vocabulary, is_common)
    known = vocabulary.names.forms
    for phrase in phrases_in(note):
        opened = folded(phrase.text) not in known and folded(phrase.rest) in known
        name = phrase.rest if opened else phrase.text
        person = phrase.source == "name"
        yield _Naming(name, phrase.source, phrase.line, firm=phrase.sure, person=person)
    for tag in note.tags:
        yield _Naming(tag.name.rpartition("/")[2], "tag", tag.line)


def _by_links(note: Note, vocabulary: Vocabulary) -> Iterator[_Naming]:
    notes = {entry.path for entry in vocabulary.entries}
    for link in note.links:
        markdown = link.kind == "markdown"
        end = vocabulary.names.end_of(link.target, note.path, markdown=markdown)
        if end == note.path or (end is not None and end not in notes):
            continue  # itself, or an attachment
        if end is None and (not link.target or _leads_elsewhere(link.target)):
            continue
        yield _Naming(
            link.target.rpartition("/")[2].removesuffix(".md"),
            "property" if link.property else "link",
            0 if link.property else link.line,
            path=end,
            linked=end is not None,
            firm=True,
            property=link.property or "",
            target="" if end is not None else link.target,
            markdown=markdown,
        )


def _leads_elsewhere(target: str) -> bool:
    """Whether a link that leads to no file is none to a note."""
    return "://" in target or is_file_name(target)


def _by_properties(note: Note, vocabulary: Vocabulary) -> Iterator[_Naming]:
    """Yield the texts of properties that hold links elsewhere, or are a note's name."""
    linking = {link.property for e in vocabulary.counted for link in e.links}
    for key, value in note.frontmatter.properties.items():
        if key.lower() in EVERYWHERE or is_category_key(key):
            continue
        for text in _texts(value):
            known = folded(text) in vocabulary.names.forms
            if key in linking or known:
                yield _Naming(text, "property", 0, firm=key in linking, property=key)


def _texts(value: PropertyValue) -> Iterator[str]:
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str) and kind_of(item) == "text":
            text = item.strip()
            short = len(text) <= NAME_CHARS and len(text.split()) <= NAME_WORDS
            if short and not _NO_NAME.search(text):
                yield text


def _by_titles(
    note: Note, vocabulary: Vocabulary, is_common: IsCommon
) -> Iterator[_Naming]:
    entries = {entry.id: entry for entry in vocabulary.counted}
    for note_id, spot in mentions_in(note, vocabulary.table, is_common).items():
        path = entries[note_id].path
        alone = len(spot.notes) == 1 and spot.exact
        if path != note.path and alone and _is_as_written(spot, entries[note_id]):
            yield _Naming(spot.text, "title", spot.line, path=path)


def _is_as_written(spot: Spot, entry: Entry) -> bool:
    """Whether a single word is written like the name: `home` is not the note Home."""
    one = len(spot.name) == 1
    return not one or spot.text in {entry.title, *entry.aliases}


def _grouped(namings: Iterable[_Naming], desk: _Desk) -> list[list[_Naming]]:
    """Return the namings of each thing together, in the order they first come."""
    groups: dict[str, list[_Naming]] = {}
    meant: dict[str, tuple[NotePath | None, bool]] = {}
    known = [naming for naming in namings if folded(naming.name)]
    keys = _keys(known)
    for naming in known:
        form = folded(naming.name)
        path = naming.path
        if path is None and form not in meant:
            meant[form] = _meant(desk.matches(naming.name))
        if path is None and (naming.source != "tag" or meant[form][1]):
            path = meant[form][0]
        if path != desk.note.path:
            key = path or _key(naming, keys)
            groups.setdefault(key, []).append(naming._replace(path=path))
    return sorted(groups.values(), key=_first)


def _keys(namings: Sequence[_Naming]) -> dict[str, str]:
    """Return what stands for each folded name: a link to it, or its first number.

    `Next Actions` is what `Next Action` is, unless links lead to both.
    """
    linked = [naming for naming in namings if naming.target]
    linked.sort(key=lambda naming: "/" not in naming.target)
    keys: dict[str, str] = {}
    for naming in linked:
        keys.setdefault(folded(naming.name), _wanted(naming))
    for naming in namings:
        form = folded(naming.name)
        single = in_singular(form)
        keys.setdefault(form, keys.get(single, form))
        keys.setdefault(single, keys[form])
    return keys


def _wanted(naming: _Naming) -> str:
    return fold(naming.target).removesuffix(NOTE_SUFFIX)


def _key(naming: _Naming, keys: Mapping[str, str]) -> str:
    """Return what a naming without a note goes by; a link only by what answers it."""
    key = keys[folded(naming.name)]
    same = not naming.target or f"/{key}".endswith(f"/{_wanted(naming)}")
    return f"\0{key if same else _wanted(naming)}"


def _first(group: Sequence[_Naming]) -> tuple[int, str]:
    return min(naming.line for naming in group), folded(group[0].name)


def _meant(matches: list[NameMatch]) -> tuple[NotePath | None, bool]:
    """Return the note that a name most likely means, if any, and whether surely."""
    verdict, _ = verdict_on(matches)
    if verdict not in {"exists", "likely"} or matches[0].kind != "note":
        return None, False
    return matches[0].path, verdict == "exists"


def _entity(group: Sequence[_Naming], desk: _Desk) -> Entity | None:
    """Return what is named here; None when it may be anything."""
    first, names = group[0], desk.vocabulary.names
    sources = tuple(dict.fromkeys(naming.source for naming in group))
    mentions = _mentions(group, desk.lines)
    made = Entity(
        name=first.name,
        state="unsure",
        sources=sources,
        mentions=tuple(mentions[:MENTIONS_SHOWN]),
        mentions_total=len(mentions),
    )
    if any(naming.linked for naming in group) and first.path is not None:
        link = names.link_to(first.path)
        return structs.replace(made, state="linked", link=link, path=first.path)
    matches = desk.matches(first.name)
    shown = tuple(m for m in matches if m.path != desk.note.path)[:CANDIDATES_SHOWN]
    made = structs.replace(made, candidates=shown)
    verdict, link = verdict_on(matches)
    if first.path is not None:
        state = _state_of_known(group, sure=verdict == "exists")
        told = link or names.link_to(first.path)
        return structs.replace(made, state=state, link=told, path=first.path)
    if verdict == "ambiguous" and set(sources) != {"tag"}:
        return made
    if set(sources) <= {"tag"} or not _is_worth_a_note(group):
        return None
    if is_left_out(first.target or first.name, desk.left_out()):
        there: EntityState = "linked" if first.target else "unsure"
        link = names.link_to_new(first.target or first.name)
        return structs.replace(made, state=there, link=link)
    return _stub(group, made, desk)


def _state_of_known(group: Sequence[_Naming], *, sure: bool) -> EntityState:
    """Return whether a note is meant: a small word alone may be just a word."""
    in_prose = {"title", "term", "phrase"}
    if {one.source for one in group} <= in_prose and _is_small_word(group[0].name):
        return "unsure"
    return "match" if sure or any(n.source == "title" for n in group) else "unsure"


def _is_small_word(name: str) -> bool:
    """Whether a name is one word in small letters, such as `pass` or `click`."""
    return " " not in folded(name) and name.islower() and name.isalpha()


def _is_worth_a_note(group: Sequence[_Naming]) -> bool:
    """Whether it is named firmly or often, and is no day or word to be filled in."""
    name = group[0].name
    often = any(naming.firm for naming in group) or len(group) >= SINGLE_TIMES
    no_name = is_date(name) or is_placeholder(name) or is_file_name(name)
    return often and not no_name


def _stub(group: Sequence[_Naming], entity: Entity, desk: _Desk) -> Entity:
    """Return an entity with the note that could be made, or unsure without one."""
    name, vocabulary = entity.name, desk.vocabulary
    targets = tuple((one.target, one.markdown) for one in group if one.target)
    ghost = next((one for one in entity.candidates if one.kind == "ghost"), None)
    if ghost is not None and folded(ghost.matched) == folded(name):
        name = ghost.matched  # as the links to it are written
        targets = targets or ((ghost.title, False),)
    form = folded(name)
    properties = {naming.property for naming in group if naming.property}
    properties |= {
        link.property
        for entry in vocabulary.counted
        for link in entry.links
        if link.path is None and folded(link.target) == form
    }
    person = any(naming.person for naming in group)
    wanted = Wanted(name, frozenset(properties), person, targets)
    backlink = vocabulary.names.link_to(desk.note.path) or desk.note.title
    stub = stub_for(wanted, vocabulary, desk.note.path, backlink)
    if stub is None or not is_free(desk.root, stub.path):
        others = tuple(one for one in entity.candidates if one is not ghost)
        return structs.replace(entity, name=name, candidates=others)
    bare = stub.path.removesuffix(NOTE_SUFFIX)
    end = bare if targets and "/" in targets[0][0] else bare.rpartition("/")[2]
    link = vocabulary.names.link_to_new(end)
    return structs.replace(entity, name=name, state="stub", link=link, stub=stub)


def _mentions(group: Sequence[_Naming], lines: Sequence[str]) -> list[NamedLine]:
    said = []
    for naming in group:
        if naming.line:
            line = lines[min(naming.line, len(lines)) - 1]
            text = " ".join(_MARKERS.sub("", line).split())
        else:
            text = f"{naming.property}: {naming.name}"
        said.append((naming.line, _around(text, naming.name)))
    return [NamedLine(line or None, text) for line, text in sorted(set(said))]


def _around(text: str, name: str) -> str:
    """Return a line, or of a long one what stands around a name."""
    if len(text) <= LINE_CHARS:
        return text
    at = max(text.lower().find(name.lower()), 0)
    start = max(0, min(at - LINE_CHARS // 2, len(text) - LINE_CHARS))
    end = start + LINE_CHARS
    before, after = "..." * bool(start), "..." * (end < len(text))
    return f"{before}{text[start:end]}{after}"
