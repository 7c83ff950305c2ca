"""Where a vault would keep a note it has not, and what it would say at its head.

The habits are the vault's own: things that a property leads to stand where the others
stand that it leads to, and have the properties that most notes there have.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from posixpath import normpath
from typing import NamedTuple

from glassmind.files.attachments import is_attachment
from glassmind.files.resolve import NOTE_SUFFIX, Names
from glassmind.graph.folding import folded, in_singular
from glassmind.graph.naming.vocabulary import Vocabulary
from glassmind.graph.ontology.categories import categories_of, is_category_key
from glassmind.graph.ontology.schemas import LEAST_NOTES, schema_of
from glassmind.model import NotePath
from glassmind.model.ontology import Entry, ProposedNote

LEAST_HABIT = 0.5
"""The share of things a property leads to that stand in one folder, to call it one."""

SHARED_BY = 0.8
"""The share of a folder's notes that have a tag or a category, to give it to a new one:
a wrong one is worse than none."""

PEOPLE = frozenset(["person", "people", "contact"])
"""What vaults call the sort of notes that a person's name begins."""

OTHER_FILES = frozenset(
    [
        "csv", "tsv", "json", "txt", "xml", "yaml", "yml", "toml", "html", "htm", "doc",
        "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "zip", "gz", "tar", "py",
        "sh", "ipynb", "epub", "weba", "opus", "aac", "heic", "tiff", "ini", "log",
        "sql", "bib", "tex", "canvas", "base", "excalidraw",
    ]
)  # fmt: skip
"""How files end that people link to besides what Obsidian shows; `Node.js` and
`Plan.v2` are notes."""

_FORBIDDEN = re.compile(r'[\\/:*?"<>|#^\[\]\x00-\x1f]+')
"""What no file name has on every system, and what no link can hold."""

_PLAIN = re.compile(r"[\w][\w /.-]*")


class Wanted(NamedTuple):
    """A thing that has no note: its name, and what is known of its sort.

    `properties` lead to it somewhere in the vault; a `person` was addressed as one.
    `targets` are the links that lead to it in vain, each with whether it is Markdown.
    """

    name: str
    properties: frozenset[str] = frozenset()
    person: bool = False
    targets: tuple[tuple[str, bool], ...] = ()


def stub_for(
    wanted: Wanted, vocabulary: Vocabulary, source: NotePath, backlink: str
) -> ProposedNote | None:
    """Return the note that could be made, with a link back to who names it.

    None where a file is there already, and where the links that want it would not lead
    there: no file has their name on every system.
    """
    pathed = next((target for target, _ in wanted.targets if "/" in target), None)
    if pathed is not None:
        path, reason = _placed(pathed, source), "the link says so"
    else:
        folder, reason = _folder(wanted, vocabulary, source)
        name = " ".join(_FORBIDDEN.sub(" ", wanted.name).split()).strip(".")
        path = _joined(folder, f"{name or 'Untitled'}{NOTE_SUFFIX}")
    if path is None or not _answers(path, wanted, vocabulary, source):
        return None
    folder = path.rpartition("/")[0]
    peers = [entry for entry in vocabulary.counted if entry.folder == folder]
    head = _head(peers) if len(peers) >= LEAST_NOTES else []
    lines = ["---", *head, "---"] if head else []
    text = "\n".join([*lines, f"Named in {backlink}.", ""])
    return ProposedNote(path, text, reason)


def is_file_name(name: str) -> bool:
    """Whether a name is that of a file which is no note: `data.csv`."""
    return is_attachment(name) or name.rpartition(".")[2].lower() in OTHER_FILES


def _placed(target: str, source: NotePath) -> NotePath | None:
    """Return the path that a link with folders names; None where no note can be."""
    near = target.startswith(("./", "../"))
    folder = source.rpartition("/")[0] if near else ""
    path = normpath(_joined(folder, target)) if near else target.removeprefix("/")
    for part in path.split("/"):
        if not part.strip() or part[0] == "." or _FORBIDDEN.search(part):
            return None
    return NotePath(path.removesuffix(NOTE_SUFFIX) + NOTE_SUFFIX)


def _joined(folder: str, rest: str) -> NotePath:
    return NotePath(f"{folder}/{rest}" if folder else rest)


def _answers(
    path: NotePath, wanted: Wanted, vocabulary: Vocabulary, source: NotePath
) -> bool:
    """Whether a note at a free path is what the links to it would lead to."""
    made = Names.of([path])
    return vocabulary.names.end_of(f"/{path}", NotePath("")) is None and all(
        made.resolve(target, source, markdown=markdown) == path
        for target, markdown in wanted.targets
    )


def _folder(
    wanted: Wanted, vocabulary: Vocabulary, source: NotePath
) -> tuple[str, str]:
    """Return where it would stand, and why there."""
    for name in sorted(wanted.properties):
        folders = Counter(_led_to_by(name, vocabulary.counted))
        if folders:
            folder, count = min(folders.items(), key=lambda one: (-one[1], one[0]))
            if count / folders.total() >= LEAST_HABIT:
                return folder, f"most that {name} leads to stand in {folder or 'root'}"
    if wanted.person:
        people = _people(vocabulary.counted)
        if people is not None:
            return people, f"people stand in {people or 'root'}"
    usual = vocabulary.settings.new_notes
    if usual is None:
        return source.rpartition("/")[0], "new notes are made beside the current one"
    return usual, f"new notes are made in {usual or 'the root'}"


def _led_to_by(name: str, entries: Sequence[Entry]) -> Iterable[str]:
    paths = {
        link.path
        for entry in entries
        for link in entry.links
        if link.property == name and link.path is not None
    }
    return (path.rpartition("/")[0] for path in sorted(paths))


def _people(entries: Sequence[Entry]) -> str | None:
    """Return the folder that most people stand in, if there are any."""
    folders = Counter(
        entry.folder
        for entry in entries
        if any(in_singular(folded(sort)) in PEOPLE for sort in _sorts(entry))
    )
    if not folders:
        return None
    return min(folders, key=lambda folder: (-folders[folder], folder))


def _sorts(entry: Entry) -> Iterable[str]:
    yield from entry.tags
    yield entry.folder.rpartition("/")[2]
    yield from (label for _, label in categories_of(entry))


def _head(peers: Sequence[Entry]) -> list[str]:
    """Return the properties that most of its peers have, with what nearly all share."""
    schema = schema_of(peers)
    lines = []
    for key in schema.keys if schema else ():
        if key.name.lower() in {"tags", "tag"}:
            tags = Counter(tag.lower() for peer in peers for tag in set(peer.tags))
            shared = [t for t in sorted(tags) if tags[t] / len(peers) >= SHARED_BY]
            lines.append(f"{_quoted(key.name)}: [{', '.join(map(_quoted, shared))}]")
        elif is_category_key(key.name):
            lines.append(f"{_quoted(key.name)}: {_category(key.name, peers)}".rstrip())
        else:
            lines.append(f"{_quoted(key.name)}:")
    return lines


def _category(name: str, peers: Sequence[Entry]) -> str:
    said = Counter(
        value
        for peer in peers
        if isinstance(value := peer.properties.get(name), str) and value
    )
    if not said:
        return ""
    value = min(said, key=lambda one: (-said[one], one))
    return _quoted(value) if said[value] / len(peers) >= SHARED_BY else ""


def _quoted(text: str) -> str:
    """Return a text as YAML takes it."""
    if _PLAIN.fullmatch(text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
