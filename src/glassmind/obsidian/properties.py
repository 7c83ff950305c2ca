"""What properties say: is a note private, in which project, is it a memory."""

import re
from collections.abc import Mapping

from glassmind.model import PropertyValue
from glassmind.model.context import ProjectName
from glassmind.model.memory import KEEP, MEMO_FOLDERS

PRIVATE = "private"
MEANS_YES = frozenset(("true", "yes", "on", "1"))
"""What people write who want a property to be true, as YAML and as text."""


def says_private(properties: Mapping[str, object]) -> bool:
    return any(
        name.strip().lower() == PRIVATE and means_yes(value)
        for name, value in properties.items()
    )


def means_yes(value: object) -> bool:
    if isinstance(value, list):
        return any(map(means_yes, value))
    return str(value).strip().lower() in MEANS_YES


_WRITTEN = re.compile(
    r"(?:^|[{,])[ \t]*(?:-[ \t]+)?[\"']?private[ \t]*[\"']?[ \t]*:"
    r"(?P<rest>.*(?:\n(?:[ \t]|-).*)*)",
    re.IGNORECASE | re.MULTILINE,
)
"""The property with what stands behind it, down to the next name."""

_MARKS = re.compile(r"[\s,;\[\]{}\"'|>-]+")


def writes_private(head: str) -> bool:
    """Whether properties that are no YAML say so all the same.

    Obsidian has no properties then. Who wrote it meant it, and what is meant to be kept
    from others must not come out by a forgotten quote.
    """
    return any(
        word.lower() in MEANS_YES
        for match in _WRITTEN.finditer(head.replace("\r", "\n"))
        for line in match["rest"].split("\n")
        for word in _MARKS.split(line.partition("#")[0])
    )


def parse_project(text: str) -> ProjectName:
    said = text.strip()
    form, colon, rest = said.partition(":")
    rest = rest.strip()
    if colon and form.lower() == "folder":
        return ProjectName("folder", rest.strip("/"))
    if colon and form.lower() == "tag":
        return ProjectName("tag", rest.lstrip("#"))
    if colon and form.lower() == "property" and "=" in rest:
        key, _, value = rest.partition("=")
        return ProjectName("property", plain_name(value), key.strip())
    if said.startswith("#"):
        return ProjectName("tag", said[1:])
    if said.endswith("/"):
        return ProjectName("folder", said.strip("/"))
    return ProjectName("any", plain_name(said).strip("/"))


def projects_in(value: object) -> list[str]:
    many = value if isinstance(value, list) else [value]
    return values_in([item for item in many if not isinstance(item, bool)])


def values_in(value: object) -> list[str]:
    """Return the texts and numbers in a property, of links their bare names."""
    names = []
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str | int | float):
            text = str(item).lower() if isinstance(item, bool) else str(item)
            names.append(plain_name(text))
    return [name for name in names if name]


def plain_name(text: str) -> str:
    said = text.strip()
    if said.startswith("[[") and said.endswith("]]"):
        target = said[2:-2].partition("|")[0].partition("#")[0].strip()
        return target.rpartition("/")[2].removesuffix(".md")
    return said


OWN = frozenset(("project", "supersedes"))
"""Properties of a memo, beside its tags, that tell what it is about: who looks for what
does not hold any more is to find what took its place."""

_NOTED = frozenset(("created", "client"))

MARKER = re.compile(
    r"^> \[!agent\][^\r\n]*\r?\n(?P<mine>(?:>[^\r\n]*\r?\n)*)(?:[ \t]*\r?\n)*"
    rf"[-*+] \[(?P<box>.)\] {KEEP}(?:[ \t][^\r\n]*)?(?:\r?\n|\Z)",
    re.MULTILINE,
)
"""What stands above a memo that waits. Behind the box may stand when it was ticked, as
plugins of Obsidian write it; in the callout, more lines of a person."""


def is_memo(properties: Mapping[str, PropertyValue]) -> bool:
    kind = properties.get("kind")
    is_kind = isinstance(kind, str) and kind in MEMO_FOLDERS
    return is_kind and properties.keys() >= _NOTED


def memo_own_text(text: str) -> str:
    """Return a passage without what is noted of memos in it; most notes hold none."""
    if "[!agent] Captured by " in text:
        return MARKER.sub(r"\g<mine>", text)
    return text


def is_memo_head(text: str) -> bool:
    head = text.startswith("---")
    return head and all(f"\n{name}:" in text for name in ("kind", *_NOTED))
