"""Memos of one project and kind in one note, each a section with a callout.

Everything of a memo stands in the quote of its callout: the facts as YAML in a fence,
then the text. So whatever a text says, be it a heading or a fence that never ends, it
cannot reach the section after it. What a person writes around the callouts stays. Lines
end as those of the note do, and are read with a plain line feed.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from glassmind.errors.memory import MemoUnreadable
from glassmind.memory.memo_file import (
    FIRST_STATUS,
    body_of,
    facts_of,
    memo_from,
    read_memo,
    with_facts,
)
from glassmind.memory.memo_names import days_title, numbered_titles
from glassmind.model import NotePath, PropertyValue
from glassmind.model.memory import Memo, MemoKind
from glassmind.obsidian.frontmatter import read_head
from glassmind.obsidian.notes import parse_note
from glassmind.obsidian.yaml_text import Fact, property_lines

LAYOUT = "project"
"""What the property `layout` of such a note says, as the setting does."""

_SECTION = re.compile(
    r"^## (?P<heading>[^\r\n]+?)[ \t]*\r?\n(?:[ \t]*\r?\n)*"
    r"(?P<quote>>[ \t]*\[!memo\][^\n]*\n(?:>[^\n]*(?:\n|\Z))*)",
    re.MULTILINE,
)
_HEADING = re.compile(r"^## ([^\r\n]+)", re.MULTILINE)
_NEXT = re.compile(r"^##? ", re.MULTILINE)
_FENCE = "```"
_LINE_END = re.compile(r"\r\n?|\n")
"""What ends a line for Markdown, and so would end a quote: a lone return as well."""

COMMENT = "%%"
"""What begins a comment of Obsidian, which may go on through the rest of a note, and
ends it."""


@dataclass(frozen=True, slots=True)
class Section:
    """A memo in a note of several: where it stands, in characters, and what it says.

    The callout ends at `quoted`; what a person added may follow. `block` is what stands
    in the fence.
    """

    heading: str
    start: int
    callout: int
    quoted: int
    block: str
    body: str

    def facts(self) -> Mapping[str, PropertyValue]:
        """Return what the fence says; nothing where it is no YAML."""
        return read_head(f"---\n{self.block}---\n").frontmatter.properties


def is_of_sections(text: str) -> bool:
    """Whether a note is one that memos are added to."""
    return read_head(text).frontmatter.properties.get("layout") == LAYOUT


def memos_in(path: NotePath, text: str, folder: str) -> list[Memo]:
    """Return the memos of a note in the order they stand there: one, several or none.

    Those of several have a `section`; whatever in such a note is none is passed over.
    """
    if not is_of_sections(text):
        found = read_memo(path, text, folder)
        return [] if found is None else [found]
    return [memo for one in sections_in(text) if (memo := _memo(path, one, folder))]


def sections_in(text: str) -> list[Section]:
    """Return the sections that are memos, in order."""
    return [one for found in _SECTION.finditer(text) if (one := _section(found))]


def _section(found: re.Match[str]) -> Section | None:
    quote = found["quote"].removesuffix("\n").split("\n")
    lines = [_unquoted(line.removesuffix("\r")) for line in quote]
    fences = [n for n, line in enumerate(lines) if line.startswith(_FENCE)][:2]
    if len(fences) < 2 or fences[0] != 1:  # noqa: PLR2004 - where it opens and closes
        return None
    block = "".join(f"{line}\n" for line in lines[2 : fences[1]])
    return Section(
        heading=found["heading"],
        start=found.start(),
        callout=found.start("quote"),
        quoted=found.end(),
        block=block,
        body="\n".join(lines[fences[1] + 1 :]),
    )


def _memo(path: NotePath, section: Section, folder: str) -> Memo | None:
    said = section.facts()
    kind: MemoKind | None = next(
        (k for k in FIRST_STATUS if k == said.get("kind")), None
    )
    if kind is None:
        return None
    found = memo_from(path, said, section.body, kind, folder=folder)
    heading = section.heading
    return replace(found, title=days_title(heading), section=heading)


def new_note(memo: Memo) -> str:
    """Return the note that the memos of a project and kind are added to, empty yet."""
    facts = (("kind", memo.kind), ("project", memo.project), ("layout", LAYOUT))
    lines = [
        line for name, said in facts if said for line in property_lines(name, said)
    ]
    return "\n".join(["---", *lines, "---", ""])


def belongs_in(memo: Memo, text: str) -> bool:
    """Whether a note holds the memos of this one's project and kind.

    Names of projects compare without case.
    """
    said = read_head(text).frontmatter.properties
    project = str(said.get("project") or "").casefold()
    facts = (said.get("layout"), said.get("kind"), project)
    return facts == (LAYOUT, memo.kind, memo.project.casefold())


def with_section(text: str, memo: Memo, *, newline: str = "\n") -> tuple[str, str]:
    """Return a note with a memo added at its end, and the heading it got."""
    taken = {one.strip().casefold() for one in _HEADING.findall(text)}
    headings = numbered_titles(_on_one_line(f"{memo.created[:10]} {memo.title}"))
    heading = next(one for one in headings if one.casefold() not in taken)
    block = [line for fact in facts_of(memo) for line in property_lines(*fact)]
    lines = [f"## {heading}", "", *_callout(memo, block, body_of(memo)), ""]
    if _hides_what_follows("\n".join(lines)):
        lines += [COMMENT, ""]
    before = text.rstrip("\r\n")
    gap = f"{newline}{newline}" if before else ""
    return f"{before}{gap}{newline.join(lines)}", heading


def _hides_what_follows(section: str) -> bool:
    """Whether a heading after a section is none: a quote ends all but comments."""
    if COMMENT not in section:
        return False
    headings = parse_note(NotePath("x.md"), f"{section}\n## x\n").headings
    return not headings or headings[-1].text != "x"


def _callout(memo: Memo, block: list[str], body: str) -> Iterator[str]:
    tags = "".join(f" #{tag}" for tag in memo.tags)
    said = f"{memo.kind.capitalize()} of {memo.created[:10]}, captured by {memo.client}"
    yield f"> [!memo] {_on_one_line(said + tags)}"
    yield f"> {_FENCE}yaml"
    yield from map(_quoted, block)
    yield f"> {_FENCE}"
    yield ">"
    yield from map(_quoted, _LINE_END.split(body))


def _on_one_line(said: str) -> str:
    """Return facts that a person may have changed as one line: a quote has no other."""
    return " ".join(said.split())


def section_facts(
    text: str, heading: str, path: NotePath
) -> Mapping[str, PropertyValue]:
    """Return the facts of one memo of a note.

    Raises:
        MemoUnreadable: there is no such memo in it.
    """
    return _called(text, heading, path).facts()


def with_section_text(text: str, heading: str, added: str, path: NotePath) -> str:
    """Return a note in which one memo says more, below what it says.

    Raises:
        MemoUnreadable: there is no such memo in it.
    """
    one = _called(text, heading, path)
    quote = text[one.callout : one.quoted]
    newline = "\r\n" if "\r\n" in quote else "\n"
    lines = [quote.rstrip("\r\n"), ">", *map(_quoted, _LINE_END.split(added)), ""]
    return text[: one.callout] + newline.join(lines) + text[one.quoted :]


def with_section_facts(
    text: str, heading: str, facts: Mapping[str, Fact | None], path: NotePath
) -> str:
    """Return a note with other facts of one memo; see `with_facts`.

    Raises:
        MemoUnreadable: there is no such memo in it, or it cannot be changed.
    """
    one = _called(text, heading, path)
    changed = with_facts(f"---\n{one.block}---\n", facts, path)
    block = changed.removeprefix("---\n").removesuffix("\n").removesuffix("---\n")
    lines = text[one.callout : one.quoted].split("\n")
    length = one.block.count("\n")
    end = "\r" if lines[0].endswith("\r") else ""
    new = (_quoted(line.rstrip("\r")) + end for line in block.split("\n")[:-1])
    quote = "\n".join([*lines[:2], *new, *lines[2 + length :]])
    return text[: one.callout] + quote + text[one.quoted :]


def without_section(text: str, heading: str, path: NotePath) -> tuple[str, str]:
    """Return a note without one memo, and what was taken out, to the letter.

    Raises:
        MemoUnreadable: there is no such memo in it.
    """
    one = _called(text, heading, path)
    end = _end_of(text, one)
    return text[: one.start] + text[end:], text[one.start : end]


def _end_of(text: str, one: Section) -> int:
    """Return where a section ends, with what a person added: not within their code.

    The next memo ends it in any case.
    """
    next_memo = _SECTION.search(text, one.quoted)
    end = next_memo.start() if next_memo else len(text)
    headings = {heading.line for heading in parse_note(NotePath("x.md"), text).headings}
    for found in _NEXT.finditer(text, one.quoted, end):
        if text.count("\n", 0, found.start()) + 1 in headings:
            return found.start()
    return end


def _called(text: str, heading: str, path: NotePath) -> Section:
    found = [one for one in sections_in(text) if one.heading == heading]
    if len(found) != 1:
        how = "no memo" if not found else "more than one memo"
        raise MemoUnreadable(path, f"{how} in it is called {heading[:80]!r}")
    return found[0]


def _quoted(line: str) -> str:
    return f"> {line}" if line else ">"


def _unquoted(line: str) -> str:
    return line.removeprefix(">").removeprefix(" ")
