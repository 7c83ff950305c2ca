"""Keeping something worth remembering: checked, written, on record, indexed at once."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count

from msgspec import structs

from glassmind.errors import IndexFault
from glassmind.errors.memory import BadMemo
from glassmind.errors.writing import NoteChanged
from glassmind.files.write import VaultWriter
from glassmind.memory.cabinet import Cabinet, check_writes
from glassmind.memory.claims import (
    MOST,
    box_said,
    client_said,
    kind_said,
    project_named,
    project_said,
    tags_said,
    text_said,
)
from glassmind.memory.memo_file import FIRST_STATUS, memo_text, with_box
from glassmind.memory.memo_names import (
    INBOX,
    names_for,
    title_from,
    title_in,
)
from glassmind.memory.moving import unindexed
from glassmind.memory.nearby import nearby
from glassmind.memory.project_notes import add_to_project
from glassmind.memory.provenance import Provenance, provenance_of
from glassmind.memory.retaining import retained
from glassmind.memory.sources import sources_said
from glassmind.model import Digest, NotePath
from glassmind.model.memory import MEMO_FOLDERS, Captured, Memo, MemoKind
from glassmind.obsidian.frontmatter import MAX_BYTES, read_head
from glassmind.obsidian.properties import parse_project

CLASHES = 20
"""Times that another may be faster to take a name before ours becomes unlike all."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a caller says of a memo; nothing of it is believed yet."""

    kind: str
    text: str
    project: str = ""
    sources: Sequence[str] = ()
    tags: Sequence[str] = ()
    client: str = "cli"
    agent: bool = False
    derived_from: Sequence[str] = ()
    untrusted: bool = False


def captured(cabinet: Cabinet, claim: Claim) -> Captured:
    """Keep what was said, and say where; what is written is never lost again.

    Raises:
        BadWish, BadMemo: it cannot be kept as it is; nothing was written.
        WriteRefused: the settings or the disk do not let it be written.
    """
    check_writes(cabinet, "nothing was captured")  # before a look
    kind = kind_said(claim.kind)
    rule = cabinet.config.memory.inbox
    before = provenance_of(cabinet, claim.client) if claim.agent else Provenance()
    waits = rule == "all" or before.held or (rule == "agents" and claim.agent)
    folder = INBOX if waits else MEMO_FOLDERS[kind]
    project = project_named(claim.project)
    stands = sources_said(cabinet, claim.sources)
    said = replace(
        claim,
        project=project,
        sources=stands.receipts,
        derived_from=before.derived_from,
        untrusted=before.untrusted,
    )
    memo = _memo(cabinet, said, kind, folder)
    notices = (*stands.notices, *_new_project(cabinet, project))
    done = _kept(cabinet, memo, f"capture a {kind}", notices)
    return structs.replace(
        done, notices=(*done.notices, *retained(cabinet, done.memory))
    )


def _new_project(cabinet: Cabinet, project: str) -> tuple[str, ...]:
    """Say so where a project is named that no note of the vault belongs to yet."""
    if not project:
        return ()
    try:
        with cabinet.faults():
            known = cabinet.projects()
            if known.members(parse_project(project)):
                return ()
            closest = known.closest(project)
    except IndexFault:
        return ()
    hint = f"; there is {', '.join(map(repr, closest))}" if closest else ""
    return (f"the project {project!r} is new to this vault{hint}",)


def summary_kept(cabinet: Cabinet, claim: Claim, title: str) -> Captured:
    """Keep a summary as a note of its own, whatever the layout; see `captured`.

    Of many sources its properties have the first; its text has them all.
    """
    check_writes(cabinet, "no summary was kept")
    stands = sources_said(cabinet, tuple(claim.sources)[:MOST], verify=False)
    said = replace(claim, sources=stands.receipts)
    memo = _memo(cabinet, said, "summary", MEMO_FOLDERS["summary"])
    named = replace(memo, title=title_from(title, "summary"))
    return _kept(cabinet, named, "keep a summary")


def _memo(cabinet: Cabinet, claim: Claim, kind: MemoKind, folder: str) -> Memo:
    """Return a memo that has no file yet: its path is the folder it will stand in.

    The sources are receipts already.
    """
    text = text_said(claim.text, kind)
    blank = Memo(
        path=NotePath(f"{cabinet.folder}/{folder}"),
        kind=kind,
        title=title_from(text, kind),
        text=text,
        project=project_said(claim.project),
        created=cabinet.now().isoformat(timespec="seconds"),
        client=client_said(claim.client),
        status=FIRST_STATUS[kind],
        place="inbox" if folder == INBOX else "kept",
        sources=tuple(claim.sources),
        tags=tags_said(claim.tags),
        generated=claim.agent,
        derived_from=tuple(claim.derived_from),
        untrusted=claim.untrusted,
    )
    made = with_box(blank, box_said(claim.text, kind))
    if read_head(memo_text(made)).frontmatter.error:
        raise BadMemo("memo", f"its facts take more than {MAX_BYTES:,} bytes")
    return made


def _kept(
    cabinet: Cabinet, memo: Memo, why: str, notices: Sequence[str] = ()
) -> Captured:
    together = memo.kind != "summary" and cabinet.config.memory.layout == "project"
    if memo.place == "kept" and together:
        written, digest = add_to_project(cabinet, memo, why=why)
    else:
        written, digest = write_new(cabinet, memo, why=why)
    notice = _unindexed(cabinet, written.path)
    return Captured(
        written,
        digest,
        near=nearby(cabinet, written),
        indexed=notice is None,
        notices=(*(() if notice is None else (f"it is kept, but {notice}",)), *notices),
    )


def _unindexed(cabinet: Cabinet, path: NotePath) -> str | None:
    """Bring a memo into the index; return why it is not in it, if so."""
    error = cabinet.acts.indexed([path])
    if error is not None:
        return unindexed(error)
    if cabinet.sure(path) is None:
        return (
            "the index leaves it out: see index.include_agent_dir, .glassmindignore "
            "and the files that Obsidian excludes"
        )
    return None


def write_new(cabinet: Cabinet, memo: Memo, *, why: str) -> tuple[Memo, Digest]:
    """Write a memo as a note of its own in the folder that its path names.

    Returns it under its name, which no other file had, and the digest of the note.

    Raises:
        WriteRefused: the settings or the disk do not let it be written.
    """
    writer, raw = cabinet.writer(memo.client), memo_text(memo).encode()
    for attempt in count(1):
        path = f"{memo.path}/{_free_name(writer, memo, alone=attempt > CLASHES)}"
        try:
            done = writer.put(path, raw, expected=None, why=why)
        except NoteChanged:  # somebody was faster
            if attempt > 2 * CLASHES:
                raise
        else:
            named = replace(memo, path=done.path, title=title_in(done.path))
            return named, done.after
    raise AssertionError("the last attempt returns or raises")


def _free_name(writer: VaultWriter, memo: Memo, *, alone: bool) -> str:
    """Return a name that no file has now; `alone`, one that nobody else comes upon."""
    title = f"{memo.title} {os.urandom(4).hex()}" if alone else memo.title
    taken = {name.casefold() for name in writer.names(memo.path)}
    names = names_for(memo.created[:10], title)
    return next(name for name in names if name.casefold() not in taken)
