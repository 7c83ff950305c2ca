"""Notes, other files and folders under another name, and every link with them."""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace

from glassmind.edit.desk import Desk
from glassmind.edit.left_out import refuse_opening
from glassmind.edit.parts import Whereabouts, anchors_in, settled
from glassmind.edit.places import (
    Ground,
    destination_of,
    origin_bytes,
    origin_of,
)
from glassmind.edit.relinking import Earlier, draft_with_links
from glassmind.edit.universe import Universe, universe_of
from glassmind.errors.editing import EditRefused
from glassmind.files.decode import Unreadable, decode
from glassmind.files.resolve import NOTE_SUFFIX
from glassmind.files.ways import forward
from glassmind.model import Digest, NotePath
from glassmind.model.editing import Changeset, Draft, Step
from glassmind.obsidian.frontmatter import read_head
from glassmind.obsidian.scalar_places import in_scalar, scalar_places
from glassmind.obsidian.yaml_write import scalar

LOOKED_BACK = 200
"""How many changesets are looked at for one that a move takes back."""

_HEADING = re.compile(
    rb"^[ \t>]*#{1,6}[ \t][^\n]*$|^[^\n]+\n[ \t>]*[=-]+[ \t]*\r?$", re.MULTILINE
)
"""A line that may be a heading, by signs before it or below."""


def plan_move(
    desk: Desk, source: str, destination: str, *, expected: Digest | None = None
) -> Draft:
    """Return the change that moves a note, another file or a folder.

    Every link that led to it, or leads from it, leads there afterwards. A property
    `title` that was the note's name follows it. Where a file is as an earlier move left
    it and this one takes that back, its text is what it was then. `expected` is the
    digest of the file that the caller read.

    Raises:
        NoteNotFound, AmbiguousName: there is no such thing, or more than one.
        NameTaken: something is where it should go.
        NoteChanged: the file is not what the caller read.
        BadEdit, PathOutsideVault: the name is none, or a folder has no digest.
        FileUnreadable: it is left out of the index.
        EditRefused: what is left out of the index would not be any more.
    """
    seen = universe_of(desk)
    ground = Ground.of(desk, seen.paths)
    origin = origin_of(desk, ground, source)
    to = destination_of(desk, ground, origin, destination)
    raw = origin_bytes(desk, origin, expected)
    if origin.folder:
        refuse_opening(desk.root, desk.rules(), origin.path, to)
    step = Step(origin.path, to, None, b"", folder=True)
    if raw is not None:
        step = Step(origin.path, to, raw, retitled(raw, origin.path, to))
    goes = seen.renames([step]).goes
    earlier = _earlier(desk, origin.path, to, seen)
    what = "the folder " if origin.folder else ""

    def make(where: Whereabouts) -> Draft:
        return draft_with_links(
            desk,
            "move",
            f"move {what}{origin.path} to {to}",
            [step],
            wanted=where.wanted,
            targets=list(where.before),
            universe=seen,
            earlier=earlier,
            facts={"from": origin.path, "to": to, "folder": origin.folder},
        )

    return _with_headings(make, Whereabouts({}, {}, {}, goes, anchors_in(desk)))


def _with_headings(make: Callable[[Whereabouts], Draft], where: Whereabouts) -> Draft:
    """Return a draft, and with it the links to headings that hold a link it rewrites.

    Such a heading has other words afterwards.
    """
    draft = make(where)
    if not any(_headings(step.before) != _headings(step.after) for step in draft.steps):
        return draft

    def placed(where: Whereabouts) -> Draft:
        made = make(where)
        steps = [
            step if step.path is None else step._replace(to=_end(step, where))
            for step in made.steps
        ]
        return replace(made, steps=tuple(steps))

    try:
        found = settled(where, placed)
    except EditRefused as refusal:
        return replace(draft, risks=(*draft.risks, str(refusal)))
    folders = [step.path for step in draft.steps if step.folder]
    steps = [
        step._replace(to=step.path)
        if step.path and any(step.path.startswith(f"{path}/") for path in folders)
        else step
        for step in found.steps
    ]
    return replace(found, steps=tuple(steps))


def _end(step: Step, where: Whereabouts) -> NotePath:
    return step.to if step.path is None else where.whole.get(step.path, step.to)


def _headings(raw: bytes | None) -> list[bytes]:
    """Return the lines that may be headings with links in them."""
    return [line for line in _HEADING.findall(raw or b"") if b"[" in line]


def retitled(raw: bytes, path: NotePath, to: NotePath) -> bytes:
    """Return a note whose property `title` follows its name, if it was that name."""
    old, new = _stem(path), _stem(to)
    found = decode(raw)
    if old is None or new is None or old == new or isinstance(found, Unreadable):
        return raw
    if found.flagged:
        return raw
    text = found.text
    head = read_head(text)
    title = next((p for p in head.properties if p.leaf.path == ("title",)), None)
    if title is None or title.leaf.value != old:
        return raw
    source = text.encode()
    written = source[title.start : title.end].decode()
    placed = scalar_places(written, old)
    if placed is None:
        return raw
    if placed.style == "plain":
        said = scalar(new)
    else:
        start, end = placed.places[0], placed.places[-1]
        said = written[:start] + in_scalar(new, placed.style) + written[end:]
    after = (source[: title.start] + said.encode() + source[title.end :]).decode()
    meant = {**head.frontmatter.properties, "title": new}
    if read_head(after).frontmatter.properties != meant:
        return raw
    mark = raw[: len(raw) - len(text.encode(found.encoding))]
    return mark + after.encode(found.encoding)


def _stem(path: NotePath) -> str | None:
    name = path.rpartition("/")[2]
    return name.removesuffix(NOTE_SUFFIX) if name.endswith(NOTE_SUFFIX) else None


def _earlier(
    desk: Desk, path: NotePath, to: NotePath, seen: Universe
) -> Mapping[NotePath, Earlier] | None:
    """Return what files were before the move that this one takes back, if there is."""
    listed, _ = desk.book.listed(("applied",), limit=LOOKED_BACK)
    for outline in listed:
        if outline.draft.verb == "move" and _moves(outline, to, path):
            with suppress(EditRefused):  # what is damaged is no help
                return _then(desk.book.get(outline.id), seen)
    return None


def _moves(changeset: Changeset, path: NotePath, to: NotePath) -> bool:
    return any(
        (step.path, step.to) == (path, to) and step.path != step.to
        for step in changeset.draft.steps
    )


def _then(changeset: Changeset, seen: Universe) -> dict[NotePath, Earlier]:
    steps = changeset.draft.steps
    folders = [(step.path, step.to) for step in steps if step.folder and step.path]
    known = set(seen.paths)
    found: dict[NotePath, Earlier] = {}
    for step in steps:
        if step.folder or step.path is None or step.before is None:
            continue
        place = forward(step.to, folders)
        if place in known:
            found[place] = Earlier(step.after, step.before)
    return found
