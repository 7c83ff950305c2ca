"""One note in a vault, edits of it, and where its links then lead."""

from codecs import BOM_UTF8

from glassmind.files.names import Names
from glassmind.files.read import digest_of
from glassmind.graph.link_edits import LinkedPage
from glassmind.model import NotePath
from glassmind.model.notes import Link, Note
from glassmind.model.suggestions import ProposedEdit
from glassmind.obsidian.notes import read_note

HERE, TARGET = NotePath("a/Here.md"), NotePath("b/Deep Work.md")
FILES = Names.of([HERE, TARGET, "a/Other.md", "c/Other.md", "Deep Work.png"])


def page_on(text: str, path: NotePath = HERE, *, mark: bool = False) -> LinkedPage:
    """Return a note of this text, behind a byte order mark if one is wished."""
    note = read_note(path, text)
    raw = note.text.encode()
    return LinkedPage(
        note, BOM_UTF8 + raw if mark else raw, len(BOM_UTF8) if mark else 0
    )


def made(page: LinkedPage, edit: ProposedEdit) -> Note:
    """Return the note once an edit is made; what it says of the bytes is checked."""
    assert edit.digest == digest_of(page.raw)
    assert page.raw[edit.bytes[0] : edit.bytes[1]] == edit.before.encode()
    assert edit.line == page.raw.count(b"\n", 0, edit.bytes[0]) + 1
    raw = page.raw[: edit.bytes[0]] + edit.after.encode() + page.raw[edit.bytes[1] :]
    return read_note(page.note.path, raw[page.base :].decode())


def ends(note: Note, files: Names = FILES) -> list[NotePath | None]:
    """Return where the links of a note end, in order."""

    def end(link: Link) -> NotePath | None:
        return files.resolve(link.target, note.path, markdown=link.kind == "markdown")

    return [end(link) for link in note.links]
