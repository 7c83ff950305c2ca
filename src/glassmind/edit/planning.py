"""How a link is written that is put into a text: as the vault writes its own."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from posixpath import relpath
from unicodedata import normalize

from glassmind.edit.desk import Desk
from glassmind.edit.names import (
    Ground,
    as_there,
    destination_of,
    named_text,
    origin_bytes,
    origin_of,
    sure_or_none,
)
from glassmind.edit.page import LinkWriter, Page
from glassmind.edit.permissions import as_shown
from glassmind.edit.relink_text import Relink
from glassmind.edit.relinking import (
    OTHER_KINDS,
    Earlier,
    Job,
    Universe,
    Whereabouts,
    anchors_in,
    carried,
    draft_with_links,
    inside,
    left_out_of,
    links_in,
    refuse_opening,
    settled,
    universe_of,
    worked,
)
from glassmind.edit.text_edits import KINDS, Edited, edited
from glassmind.errors import (
    AmbiguousName,
    BadEdit,
    EditRefused,
    IndexAbsent,
    NameTaken,
    NoteNotFound,
)
from glassmind.files.ignore import is_attachment
from glassmind.files.names import (
    CANDIDATES_SHOWN,
    NOTE_SUFFIX,
    Names,
    link_text,
    name_key,
    short_names,
)
from glassmind.files.read import Unreadable, decode
from glassmind.files.scan import kind_of
from glassmind.files.settings import LinkFormat
from glassmind.files.steps import path_after_moves, trash_place
from glassmind.model import Digest, NotePath
from glassmind.model.edits import MOVED, OWNERS_PLAN, Changeset, Draft, Step, TextEdit
from glassmind.obsidian.frontmatter import read_head
from glassmind.obsidian.text import fold
from glassmind.obsidian.yaml_text import in_scalar, scalar, scalar_places

_NO_NAME = re.compile(r"[\[\]|^\r\n]")
"""What no name in a link can hold."""


def link_writer(desk: Desk) -> LinkWriter:
    """Return what writes links: to the file of a name, or to one that is to come."""
    return lambda name, page: _link(desk, name, page)


def _link(desk: Desk, name: str, page: Page) -> str:
    bare, _, heading = name.partition("#")
    bare, heading = bare.strip(), heading.strip()
    if not bare or _NO_NAME.search(name):
        raise BadEdit(f"{name[:80]!r} is no name that a link can hold")
    settings = desk.settings()
    markdown = settings.markdown_links
    target = _other_file(desk, bare) or sure_or_none(desk, bare)
    if target is None:
        end = _to_come(bare, markdown=markdown)
        return link_text(end, "", markdown=markdown, heading=heading)
    files = Names.of((target, *_every_file(desk)))
    suffix = NOTE_SUFFIX if markdown else ""
    shown = target.rpartition("/")[2].removesuffix(NOTE_SUFFIX)
    for end in _ends(page.path, target, settings.link_format, files):
        place = f"{end}{suffix}" if target.endswith(NOTE_SUFFIX) else end
        if files.resolve(place, page.path, markdown=markdown) == target:
            words = "" if end == shown and not heading else shown
            return link_text(place, words, markdown=markdown, heading=heading)
    raise BadEdit(f"no link can be written to {target}: its name has a letter for it")


def _other_file(desk: Desk, name: str) -> NotePath | None:
    """Return the file that is called so and is no note, such as a picture.

    One that whoever asks may not read is not there.

    Raises:
        AmbiguousName: several are called so.
    """
    spelled = normalize("NFC", name).removeprefix("./").removeprefix("/")
    if "." not in spelled.rpartition("/")[2] or kind_of(spelled) != "attachment":
        return None
    wanted = f"/{fold(spelled)}"
    found = [path for path in _seen(desk) if f"/{fold(path)}".endswith(wanted)]
    if spelled in found:
        return NotePath(spelled)
    if len(found) > 1:
        shown = tuple(sorted(found)[:CANDIDATES_SHOWN])
        raise AmbiguousName(name, shown, len(found))
    return found[0] if found else None


def _seen(desk: Desk) -> Sequence[NotePath]:
    """Return the files that whoever asks may link to by a part of their paths."""
    if desk.sight is None:
        return _every_file(desk)
    try:
        with desk.faults():
            return desk.sight.paths()
    except IndexAbsent:
        return ()


def _every_file(desk: Desk) -> Sequence[NotePath]:
    """Return the files that links lead to; where there is no index, by the disk."""
    try:
        with desk.faults():
            paths = desk.rows().paths()
    except IndexAbsent:
        paths = []
    return (*paths, *left_out_of(desk, paths))


def _to_come(name: str, *, markdown: bool) -> str:
    """Return what a link names that leads nowhere yet: a note, if no other file."""
    is_other = kind_of(name) in OTHER_KINDS or ("." in name and is_attachment(name))
    if is_other or not markdown:
        return name.removesuffix(NOTE_SUFFIX)
    return name.removesuffix(NOTE_SUFFIX) + NOTE_SUFFIX


def _ends(
    source: NotePath, target: NotePath, form: LinkFormat, files: Names
) -> Iterator[str]:
    """Yield ways to name a file from another, the vault's own first."""
    whole = target.removesuffix(NOTE_SUFFIX)
    if form == "relative":
        folder = source.rpartition("/")[0]
        yield relpath(whole, folder) if folder else whole
    if form == "absolute":
        yield whole
    yield from short_names(target, files)


def plan_edit(
    desk: Desk, note: str, edits: Sequence[TextEdit], expected: Digest | None
) -> Draft:
    """Return the change that makes every edit in order.

    Raises:
        NoteNotFound, AmbiguousName: no one note is called so to the letter.
        NoteChanged: it is not what the caller read.
        EditRefused: an edit cannot be made.
    """
    path, raw = named_text(desk, note, expected)
    desk.handed([path])  # what is said of an edit tells of the text, be it refused
    pen = link_writer(desk)

    def make(text: bytes) -> Edited:
        return edited(path, text, edits, pen)

    found = make(raw) if desk.sight is None else as_shown(raw, make)
    title = f"{len(edits)} edits of {path}"
    if len(edits) == 1:
        title = f"{KINDS[type(edits[0])]}: {path}"
    step = Step(path, path, raw, found.raw)
    return Draft("edit", title, (step,), risks=found.risks, facts=found.facts)


def plan_delete(desk: Desk, name: str, *, expected: Digest | None = None) -> Draft:
    """Return the change that moves a note, or another file, to the vault's trash.

    A folder goes there only if its name is given with a `/` behind it. The risks say
    how many links will lead nowhere, or to another file of that name. `expected` is the
    digest of the file that the caller read.

    Raises:
        NoteNotFound, AmbiguousName: there is no such file, or more than one.
        NoteChanged: it is not what the caller read.
        BadEdit: a folder has no digest.
        FileUnreadable: it is left out of the index.
    """
    seen = universe_of(desk)
    ground = Ground.of(desk, seen.paths)
    origin = origin_of(desk, ground, name)
    if origin.folder and not name.endswith("/"):
        raise NoteNotFound(name, (f"{origin.path}/",))
    place = trash_place(origin.path, ground.disk.is_there)
    step = Step(origin.path, place, None, b"", folder=True)
    files = inside(origin.path, seen.paths)
    raw = origin_bytes(desk, origin, expected)
    if raw is not None:
        step, files = Step(origin.path, place, raw, raw), [origin.path]
    found = carried(desk, [step], seen)
    facts = {"files": len(files), "lost": found.lost, "elsewhere": found.elsewhere}
    return Draft(
        "delete",
        f"move {origin.path} to the trash",
        found.steps,
        found.rewritten,
        found.adopted,
        (*_losses(found.lost, found.elsewhere), *found.risks),
        {**facts, **links_in(found.counted)},
    )


def _losses(lost: int, elsewhere: int) -> list[str]:
    said = []
    if lost:
        said.append(f"{_links(lost)} will lead nowhere")
    if elsewhere:
        said.append(f"{_links(elsewhere)} will lead to another file of that name")
    return said


def _links(count: int) -> str:
    return "1 link" if count == 1 else f"{count} links"


def plan_new(desk: Desk, path: NotePath, raw: bytes) -> Draft:
    """Return the change that makes a note.

    `adopted` counts the links that led nowhere and lead to it then. Links that would
    lead to it although they mean another file of its name are written longer.

    Raises:
        NameTaken: there is such a file, or one that differs in case only.
    """
    seen = universe_of(desk)
    ground = Ground.of(desk, seen.paths)
    path = as_there(path, ground)
    for other in (*seen.paths, *ground.folders):
        if fold(other) == fold(path):
            raise NameTaken(other)
    ground.disk.refuse_taken(path)
    step = Step(None, path, None, raw)
    return draft_with_links(desk, "create", f"make {path}", [step], universe=seen)


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
        place = path_after_moves(step.to, folders)
        if place in known:
            found[place] = Earlier(step.after, step.before)
    return found


def plan_outside(desk: Desk, moves: Mapping[NotePath, NotePath]) -> Draft | None:
    """Return the change that writes links to moved files anew; None where none has to.

    The files are where they are: only links change, those that led to the old names,
    and those in the moved files that lead elsewhere from the new place.
    """
    seen = universe_of(desk)
    known = set(seen.paths)
    there = known.union(seen.others)
    goes = {old: new for old, new in moves.items() if old not in there and new in known}
    if not goes:
        return None
    was = {new: old for old, new in goes.items()}
    before = [was.get(path, path) for path in seen.paths]
    names = Names.of((*before, *seen.others))
    relink = Relink(names, seen.ends(), goes, None, desk.settings())
    keys = {name_key(path) for pair in goes.items() for path in pair}
    files = {*seen.rows.linking(keys), *was} | seen.no_markdown()
    jobs = [Job(path, was.get(path, path), path) for path in sorted(files)]
    found = worked(desk, (), jobs, relink, earlier={}, risks=seen.risks)
    if not found.steps:
        return None
    first, *others = goes.items()
    more = f" and {len(others)} more" if others else ""
    title = f"links to {first[0]}, which is {first[1]} now{more}"
    moved = {str(old): str(new) for old, new in goes.items()}
    facts = {MOVED: moved, OWNERS_PLAN: True}
    return Draft(
        "relink",
        title,
        found.steps,
        found.rewritten,
        found.adopted,
        found.risks,
        {**facts, **links_in(found.counted)},
    )
