"""Stubs of obsidian-brain: names that links lead to and that nobody wrote yet."""

from glassmind.engine import Engine
from glassmind.errors import AmbiguousName, NoteNotFound
from glassmind.types import NotePath
from glassmind.types.catalogue import Ghost, NoteFacts, NoteLinks
from glassmind.vault.names import plain_name
from glassmind.vault.resolve import NOTE_SUFFIX, fold

STUB = "_stub/"
"""Where the id of one begins."""

MARK = "_stub"
"""The property that tells one from a note."""


def stub_id(target: str) -> str:
    """Return the id of what a link leads to in vain."""
    return f"{STUB}{target.removesuffix(NOTE_SUFFIX)}{NOTE_SUFFIX}"


def stub_name(name: str) -> str:
    """Return the name that the id of a stub stands for; any other as it is."""
    if not name.startswith(STUB):
        return name
    return name.removeprefix(STUB).removesuffix(NOTE_SUFFIX)


def stub_of(ghost: Ghost) -> NoteFacts:
    """Return what is known of a stub, as of a note."""
    return NoteFacts(
        path=NotePath(stub_id(ghost.target)),
        title=ghost.target.removesuffix(NOTE_SUFFIX),
        kind="",
        size=0,
        mtime_ns=0,
        day=None,
        properties={MARK: True},
    )


def is_stub(note: NoteFacts) -> bool:
    """Whether nobody wrote it yet."""
    return not note.kind


def notice_of(links: NoteLinks) -> str:
    """Return what a reader of a stub is told."""
    count = links.incoming_total
    leads = "1 link leads" if count == 1 else f"{count} links lead"
    return f"nobody wrote {links.note.title} yet; {leads} to it"


def links_of(engine: Engine, name: str, *, limit: int) -> NoteLinks:
    """Return the note or the stub of a name, with its links.

    A note that is called so goes first, a stub before a note that is only guessed.

    Raises:
        NoteNotFound, AmbiguousName: nothing, or too much, is called so.
        FileUnreadable: a file is called so that was left out of the index.
    """
    if name.startswith(STUB):
        found = _stub_links(engine, stub_name(name), limit)
        return found or engine.links(name, limit=limit)
    try:
        note = engine.links(name, limit=limit)
    except (NoteNotFound, AmbiguousName):
        stub = _stub_links(engine, name, limit)
        if stub is None:
            raise
        return stub
    if _is_called(note.note, name):
        return note
    return _stub_links(engine, name, limit) or note


def _stub_links(engine: Engine, name: str, limit: int) -> NoteLinks | None:
    for ghost in engine.ghosts(named=name, limit=limit):
        return NoteLinks(stub_of(ghost), (), ghost.incoming, 0, ghost.links)
    return None


def _is_called(note: NoteFacts, name: str) -> bool:
    wanted = fold(plain_name(name)).removesuffix(NOTE_SUFFIX)
    path = fold(note.path).removesuffix(NOTE_SUFFIX)
    names = {fold(text) for text in (note.title, *note.aliases)}
    return wanted in names or f"/{path}".endswith(f"/{wanted.lstrip('./')}")
