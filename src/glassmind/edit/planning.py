"""Plans to edit, create, delete and move notes, and how new links are written."""

import re
from collections.abc import Iterator, Mapping, Sequence
from posixpath import relpath
from unicodedata import normalize

from glassmind.edit.credentials import edit_as_shown
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
from glassmind.edit.page import Page, WriteLink
from glassmind.edit.permissions import refuse_opening
from glassmind.edit.relink_text import Relink
from glassmind.edit.relinking import (
    OTHER_KINDS,
    Job,
    LinkUpdate,
    PartMoves,
    draft_with_links,
    few_risks,
    follow_links,
    inside,
    known_files,
    left_out_of,
    losses,
    settle_headings,
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
from glassmind.files.steps import trash_place
from glassmind.model import Digest, NotePath
from glassmind.model.edits import MOVED, OWNERS_PLAN, Draft, Step, TextEdit
from glassmind.obsidian.frontmatter import read_head
from glassmind.obsidian.text import fold
from glassmind.obsidian.yaml_text import in_scalar, scalar, scalar_places


def plan_edit(
    desk: Desk, note: str, edits: Sequence[TextEdit], expected: Digest | None
) -> Draft:
    """Return the change that makes every edit in order."""
    path, raw = named_text(desk, note, expected)
    desk.handed([path])  # what is said of an edit tells of the text, be it refused
    pen = link_writer(desk)

    def make(text: bytes) -> Edited:
        return edited(path, text, edits, pen)

    found = make(raw) if desk.sight is None else edit_as_shown(raw, make)
    title = f"{len(edits)} edits of {path}"
    if len(edits) == 1:
        title = f"{KINDS[type(edits[0])]}: {path}"
    step = Step(path, path, raw, found.raw)
    return Draft("edit", title, (step,), risks=found.risks, facts=found.facts)


def plan_new(desk: Desk, path: NotePath, raw: bytes) -> Draft:
    """Return the change that makes a note.

    `adopted` counts the links that led nowhere and lead to it then. Links that would
    lead to it although they mean another file of its name are written longer.
    """
    files = known_files(desk)
    ground = Ground.of(desk, files.paths)
    path = as_there(path, ground)
    for other in (*files.paths, *ground.folders):
        if fold(other) == fold(path):
            raise NameTaken(other)
    ground.disk.refuse_taken(path)
    step = Step(None, path, None, raw)
    return draft_with_links(desk, "create", f"make {path}", [step], files=files)


def plan_delete(desk: Desk, name: str, *, expected: Digest | None = None) -> Draft:
    """Return the change that moves a note, or another file, to the vault's trash.

    A folder goes there only if its name is given with a `/` behind it. The risks say
    how many links will lead nowhere, or to another file of that name. `expected` is the
    digest of the file that the caller read.
    """
    files = known_files(desk)
    ground = Ground.of(desk, files.paths)
    origin = origin_of(desk, ground, name)
    if origin.folder and not name.endswith("/"):
        raise NoteNotFound(name, (f"{origin.path}/",))
    place = trash_place(origin.path, ground.disk.is_there)
    step = Step(origin.path, place, None, b"", folder=True)
    gone = inside(origin.path, files.paths)
    raw = origin_bytes(desk, origin, expected)
    if raw is not None:
        step, gone = Step(origin.path, place, raw, raw), [origin.path]
    update = follow_links(desk, [step], files)
    facts = {"files": len(gone), "lost": update.lost, "elsewhere": update.elsewhere}
    return Draft(
        "delete",
        f"move {origin.path} to the trash",
        update.steps,
        update.rewritten,
        update.adopted,
        (*losses(update.lost, update.elsewhere), *update.risks),
        {**facts, **update.facts},
    )


def plan_move(
    desk: Desk, source: str, destination: str, *, expected: Digest | None = None
) -> Draft:
    """Return the change that moves a note, another file or a folder.

    Every link that led to it, or leads from it, leads there afterwards. A property
    `title` that was the note's name follows it. `expected` is the digest of the file
    that the caller read.
    """
    files = known_files(desk)
    ground = Ground.of(desk, files.paths)
    origin = origin_of(desk, ground, source)
    to = destination_of(desk, ground, origin, destination)
    raw = origin_bytes(desk, origin, expected)
    if origin.folder:
        refuse_opening(desk.root, desk.rules(), origin.path, to)
    step = Step(origin.path, to, None, b"", folder=True)
    if raw is not None:
        step = Step(origin.path, to, raw, retitled(raw, origin.path, to))
    what = "the folder " if origin.folder else ""
    stays: list[str] = []

    def make(moves: PartMoves) -> Draft:
        return draft_with_links(
            desk,
            "move",
            f"move {what}{origin.path} to {to}",
            [step],
            files=files,
            moves=moves,
            risks=stays,
            facts={"from": origin.path, "to": to, "folder": origin.folder},
        )

    start = PartMoves({}, {}, whole=files.renames([step]).goes)
    first = make(start)
    try:
        return settle_headings(start, make, first)
    except EditRefused as refusal:  # the links to such a heading stay
        stays.append(str(refusal))
        return make(start)


def plan_outside(desk: Desk, moves: Mapping[NotePath, NotePath]) -> Draft | None:
    """Return the change that writes links to moved files anew; None where none has to.

    The files are where they are: only links change, those that led to the old names,
    and those in the moved files that lead elsewhere from the new place.
    """
    files = known_files(desk)
    known = set(files.paths)
    there = known.union(files.others)
    goes = {old: new for old, new in moves.items() if old not in there and new in known}
    if not goes:
        return None
    was = {new: old for old, new in goes.items()}
    before = [was.get(path, path) for path in files.paths]
    names = Names.of((*before, *files.others))
    relink = Relink(names, files.names(), goes, None, desk.settings())
    keys = {name_key(path) for pair in goes.items() for path in pair}
    linking = {*files.rows.linking(keys), *was} | files.not_markdown()
    update = LinkUpdate(desk, ())
    update.rewrite(
        [Job(path, was.get(path, path), path) for path in sorted(linking)], relink
    )
    if not update.steps:
        return None
    first, *others = goes.items()
    more = f" and {len(others)} more" if others else ""
    title = f"links to {first[0]}, which is {first[1]} now{more}"
    moved = {str(old): str(new) for old, new in goes.items()}
    return Draft(
        "relink",
        title,
        update.steps,
        update.rewritten,
        update.adopted,
        (*files.risks, *few_risks(update.risks)),
        {MOVED: moved, OWNERS_PLAN: True, **update.facts},
    )


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


_NO_NAME = re.compile(r"[\[\]|^\r\n]")
"""What no name in a link can hold."""


def link_writer(desk: Desk) -> WriteLink:
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
