"""Who may read which note: the one place where that is decided.

A note is private if it says so, if it stands in a folder that the settings name, or if
it has a tag that they name; no agent is given it or told of it. Of the rest a client
may read what its scope lets it. What keeps a note from somebody is taken as it may be
meant (properties that are no YAML, `tag` for `tags`), what lets somebody read it only
as Obsidian takes it.
"""

from collections.abc import Iterable, Mapping

from glassmind.access.meant import (
    MERGED,
    NAMES,
    folded,
    head_tags,
    is_in,
    tags_in,
    written_as,
)
from glassmind.config import Config
from glassmind.files.read import Unreadable, decode
from glassmind.files.scan import kind_of
from glassmind.files.steps import TRASH
from glassmind.model import NotePath
from glassmind.model.access import NoteMarks, ReadRule, Scope, said_once
from glassmind.obsidian.frontmatter import read_head
from glassmind.obsidian.notes import read_note
from glassmind.obsidian.properties import PRIVATE, says_private, writes_private

SUMMARIES = "summaries"
"""The part of the agent folder that sums up what all agents may read; it is not for a
client that may not read some of that."""

BEFORE = " \t\r\n\ufeff\u200b"  # what may stand before properties without being seen
GUESSED_BYTES = 65_536
"""What is looked at of a file that is no text, for what would keep it from somebody."""

CLIENT = "client"  # the property of a memo that says whose it is


class ReadPolicy:
    """What a scope may read of a vault under these settings.

    `by_tags`: tags decide. `by_place`: the place of a note decides, or that it lacks a
    mark.
    """

    def __init__(self, config: Config, scope: Scope) -> None:
        access = config.access
        self._client = folded(scope.client)
        self._agent = folded(config.writes.agent_dir.strip("/"))
        excluded = [rule for rule in scope.rules if rule.excluded]
        read_rules = [
            *(ReadRule("folder", name) for name in access.private_folders),
            *(ReadRule("tag", name) for name in access.private_tags),
            *excluded,
        ]
        self._barred = [_folded(rule) for rule in read_rules]
        self._named = [_folded(rule) for rule in scope.rules if not rule.excluded]
        self._sums = f"{self._agent}/{SUMMARIES}" if excluded and self._agent else ""
        self._reads_own = bool(self._named and self._client and self._agent)
        rules = [*self._barred, *self._named]
        self.by_tags = any(rule.kind == "tag" for rule in rules)
        by_folder = any(rule.kind == "folder" for rule in self._barred)
        self.by_place = by_folder or bool(self._named or self._sums)
        self._names = {rule.name for rule in rules if rule.kind == "property"}
        self._names |= {PRIVATE, MERGED}
        self._names |= {*NAMES} if self.by_tags else set()
        self._names |= {CLIENT} if self._reads_own else set()

    def name_of(self, name: str) -> str:
        plain = folded(name.strip())
        return plain if plain in self._names else ""

    def may_read(self, marks: NoteMarks) -> bool:
        """Whether a note may be read, by all that decides it.

        In the trash it is the note that it was.
        """
        place = marks.path.removeprefix(f"{TRASH}/")
        marks = marks._replace(path=NotePath(place))
        note_marks = marks._replace(properties=_with_merged(marks.properties))
        if says_private(note_marks.properties) or writes_private(marks.unread):
            return False
        path, sure = folded(marks.path), list(map(folded, marks.tags))
        meant = [*tags_in(note_marks.properties)]
        if marks.unread:
            meant += head_tags(marks.path, marks.unread.encode("utf-8", "replace")).tags
        tags = [*sure, *map(folded, meant)]
        facts = marks.properties
        if any(_matches(r, path, tags, note_marks.properties) for r in self._barred):
            return False
        if marks.unread and any(_writes(marks.unread, r) for r in self._barred):
            return False
        if self._sums and is_in(path, self._sums):
            return False
        if not self._named or self._is_own(marks):
            return True
        return any(_matches(rule, path, sure, facts) for rule in self._named)

    def may_read_text(self, path: NotePath, raw: bytes) -> bool:
        return self.may_read(self._marks(path, raw))

    def may_name(self, path: str) -> bool:
        """Whether a file of which nothing is known but its place may be told of."""
        return self.may_read(NoteMarks(NotePath(path)))

    def unread_head(self, text: str) -> str:
        """Return what stands where properties should, if they cannot be read.

        That is so too for a block that nothing closes, and where of two values of a
        name only the first counts.
        """
        begin = text.lstrip(BEFORE)
        if not begin.startswith("---"):
            return ""
        if begin != text:  # Obsidian takes it for text; who wrote it may not
            return begin
        head, _, length = read_head(text)
        if head.error is not None or head.warnings:
            return text[:length]
        return "" if length else text

    def _marks(self, path: NotePath, raw: bytes) -> NoteMarks:
        if kind_of(path) == "attachment":
            return NoteMarks(path)
        decoded = decode(raw)
        if isinstance(decoded, Unreadable):
            text = raw[:GUESSED_BYTES].replace(b"\0", b"").decode("utf-8", "replace")
            return NoteMarks(path, unread=text)
        note = read_note(path, decoded.text)
        tags = tuple(tag.name for tag in note.tags)
        told = note.frontmatter.properties.items()
        said = [(word, one) for name, one in told if (word := self.name_of(name))]
        return NoteMarks(path, tags, said_once(said), self.unread_head(decoded.text))

    def _is_own(self, marks: NoteMarks) -> bool:
        """Whether it is what the client itself left in the agent folder."""
        if not self._reads_own or not is_in(folded(marks.path), self._agent):
            return False
        said = marks.properties.get(CLIENT)
        return isinstance(said, str) and folded(said) == self._client


def _matches(
    rule: ReadRule, path: str, tags: Iterable[str], properties: Mapping[str, object]
) -> bool:
    if rule.kind == "folder":
        return is_in(path, rule.name)
    if rule.kind == "tag":
        return any(is_in(tag, rule.name) for tag in tags)
    return any(
        rule.value is None or _has_value(value, rule.value)
        for name, value in properties.items()
        if folded(name) == rule.name and value is not None
    )


def _with_merged(properties: Mapping[str, object]) -> Mapping[str, object]:
    """Return properties with those that YAML takes over from elsewhere."""
    merged = properties.get(MERGED)
    if merged is None:
        return properties
    parts = merged if isinstance(merged, list) else [merged]
    others = (part.items() for part in parts if isinstance(part, Mapping))
    more = [
        (folded(str(name).strip()), value) for other in others for name, value in other
    ]
    return said_once([*properties.items(), *more])


def _folded(rule: ReadRule) -> ReadRule:
    name = rule.name.strip()
    if rule.kind != "property":
        name = name.lstrip("#").removeprefix("./").removesuffix("/*").strip("/")
    value = None if rule.value is None else folded(rule.value)
    return rule._replace(name=folded(name), value=value)


def _has_value(value: object, wanted: str) -> bool:
    if isinstance(value, list):
        return any(_has_value(one, wanted) for one in value)
    said = str(value).lower() if isinstance(value, bool) else str(value)
    return folded(said.strip()) == wanted


def _writes(unread: str, rule: ReadRule) -> bool:
    """True if unreadable properties may mean the property of a rule."""
    found = written_as(rule.name, folded(unread)) if rule.kind == "property" else ()
    return any(rule.value is None or rule.value in text for text in found)
