"""Plans to create, edit, delete and move notes, and how new links are written."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple
from unicodedata import normalize

from glassmind.edit.diffs import edit_as_shown
from glassmind.edit.names import (
    Disk,
    Ground,
    as_there,
    check_new_name,
    destination_of,
    exact_or_none,
    named_template,
    named_text,
    origin_bytes,
    origin_of,
)
from glassmind.edit.page import Page, WriteLink
from glassmind.edit.permissions import refuse_opening
from glassmind.edit.relink_text import Relink
from glassmind.edit.relinking import (
    OTHER_KINDS,
    Job,
    LinkUpdate,
    draft_with_links,
    few_risks,
    follow_links,
    inside,
    known_files,
    left_out_of,
    losses,
)
from glassmind.edit.text_edits import KINDS, Edited, edited
from glassmind.edit.vault import EditVault
from glassmind.errors import (
    AmbiguousName,
    BadEdit,
    EditRefused,
    IndexAbsent,
    NameTaken,
    NotEditable,
    NoteNotFound,
)
from glassmind.files.ignore import is_attachment
from glassmind.files.names import (
    CANDIDATES_SHOWN,
    NOTE_SUFFIX,
    LinkWriter,
    Names,
    link_text,
    name_key,
)
from glassmind.files.read import safe_path
from glassmind.files.scan import kind_of
from glassmind.files.steps import trash_place
from glassmind.model import Digest, NotePath, PropertyValue
from glassmind.model.edits import (
    MOVED,
    OWNERS_PLAN,
    ChangeProperty,
    Draft,
    Step,
    TextEdit,
)
from glassmind.obsidian.frontmatter import read_head
from glassmind.obsidian.property_edits import changed_property, with_property
from glassmind.obsidian.text import fold
from glassmind.obsidian.yaml_text import scalar

TITLE = "title"

_ENDS = re.compile(r"\r\n?")
_MARK = "\ufeff"


class Pattern(NamedTuple):
    text: str = ""
    newline: str = "\n"


def new_note(  # noqa: PLR0913 - each fact by its name
    vault: EditVault,
    title: str,
    text: str,
    *,
    folder: str | None = None,
    properties: Mapping[str, PropertyValue] | None = None,
    template: str = "",
    titled: bool = False,
) -> tuple[NotePath, bytes]:
    settings = vault.settings()
    usual = settings.new_notes or ""
    disk = Disk(vault)
    path = note_path(title, folder, usual, vault.agent_folder, disk.is_folder)
    disk.refuse_taken(path)
    pattern = _pattern(vault, template) if template else Pattern()
    given = dict(properties or {})
    if titled:
        given = _titled(given, base_name(path))
    said = note_text(path, text, given, pattern=pattern, now=vault.now())
    return path, said.encode()


def note_path(
    title: str,
    folder: str | None,
    usual: str,
    agent_folder: str = "",
    is_there: Callable[[str], bool] = lambda _: False,
) -> NotePath:
    """Return the path of a note by its title, or by its path from the vault's folder.

    Without a folder, a title stands in the `usual` one and a path where it says.
    `is_there` tells of folders that are there, whatever they are called.
    """
    name = title.strip()
    name = name[: -len(NOTE_SUFFIX)] if name.lower().endswith(NOTE_SUFFIX) else name
    place = folder if folder is not None else "" if "/" in name else usual
    whole = f"{place.strip().strip('/')}/{name}".removeprefix("/")
    check_new_name(whole + NOTE_SUFFIX, is_there=is_there)
    path = safe_path(whole + NOTE_SUFFIX)
    for part in whole.split("/"):
        if part.startswith(".") and part != agent_folder:
            raise BadEdit(f"{part[:80]!r} begins with a dot: Obsidian would not see it")
    return path


def base_name(path: NotePath) -> str:
    return path.rpartition("/")[2].removesuffix(NOTE_SUFFIX)


def note_text(
    path: NotePath,
    text: str,
    properties: Mapping[str, PropertyValue],
    *,
    pattern: Pattern,
    now: datetime,
) -> str:
    own = _own_text(text)
    newline = pattern.newline
    if not pattern.text:
        newline = "\r\n" if "\r\n" in own else "\n"
        return _with_properties(path, own, properties, newline)
    own = _ENDS.sub("\n", own).replace("\n", newline)
    said = filled(pattern.text, base_name(path), now)
    error = read_head(said).frontmatter.error
    if error is not None:
        raise BadEdit(f"the template cannot be used as it is: {error}")
    head = read_head(own)
    if head.frontmatter.error is not None:
        raise BadEdit(f"the text cannot go into a template: {head.frontmatter.error}")
    said = _with_properties(path, said, head.frontmatter.properties, newline)
    said = _with_properties(path, said, properties, newline)
    body = own[head.length :]
    return f"{_ended(said, newline)}{body}" if body else said


def _titled(given: Mapping[str, PropertyValue], title: str) -> dict[str, PropertyValue]:
    kept = dict(given)
    if TITLE in kept and kept[TITLE] is None:
        del kept[TITLE]
        return kept
    return {TITLE: kept.pop(TITLE, title), **kept}


def _pattern(vault: EditVault, name: str) -> Pattern:
    found = named_template(vault, name)
    raw = vault.files.read(found)
    vault.disclosed([found])
    try:
        page = Page.of(found, raw or b"")
    except NotEditable as refused:
        raise BadEdit(f"{found} is no template: {refused.reason}") from None
    return Pattern(page.source.decode(), page.newline)


def _own_text(text: str) -> str:
    own = text.removeprefix(_MARK)
    if "\0" in own:
        raise BadEdit("the text holds a NUL character, which no note may")
    try:
        own.encode()
    except UnicodeEncodeError:
        raise BadEdit("the text holds half a character (a surrogate)") from None
    return own


def _with_properties(
    path: NotePath, text: str, properties: Mapping[str, PropertyValue], newline: str
) -> str:
    for name, value in properties.items():
        try:
            change = ChangeProperty(name, "set", value)
            text = with_property(path, text, change, newline)
        except NotEditable as refused:
            raise BadEdit(f"{path} cannot have {name}: {refused.reason}") from None
    return text


def _ended(text: str, newline: str) -> str:
    return text if not text or text.endswith("\n") else text + newline


DATE: Final = "YYYY-MM-DD"
TIME: Final = "HH:mm"

_FIELD = re.compile(r"\{\{\s*(title|date|time)\s*(?::([^{}]*))?\}\}", re.IGNORECASE)
_WHOLE = re.compile(
    r"^([ \t]*(?:-|[^:#\n]+:)[ \t]+)\{\{[ \t]*title[ \t]*\}\}(?=[ \t]*\r?$)",
    re.IGNORECASE | re.MULTILINE,
)
"""A property, or an item of one, that is the title and nothing else."""

_SIGN = re.compile(
    r"\[([^\[\]]*)\]|(YYYY|YY|Q|M{1,4}|Do|D{1,4}|d{1,4}|E|w{1,2}|W{1,2}|gggg|GGGG"
    r"|A|a|h{1,2}|H{1,2}|m{1,2}|s{1,2}|ZZ?|X)"
)
_CODES: Mapping[str, str] = {
    "YYYY": "%Y", "YY": "%y", "MMMM": "%B", "MMM": "%b", "MM": "%m", "DDDD": "%j",
    "DD": "%d", "dddd": "%A", "ddd": "%a", "d": "%w", "E": "%u", "WW": "%V",
    "GGGG": "%G", "HH": "%H", "hh": "%I", "mm": "%M", "ss": "%S", "A": "%p",
    "ZZ": "%z",
}  # fmt: skip
"""The signs of Moment that strftime has, too."""

_NUMBERS: Mapping[str, str] = {
    "M": "%m", "D": "%d", "DDD": "%j", "W": "%V", "H": "%H", "h": "%I", "m": "%M",
    "s": "%S",
}  # fmt: skip
"""Those that it has with zeros before them."""


def filled(text: str, title: str, now: datetime) -> str:
    def field(found: re.Match[str]) -> str:
        kind = found[1].lower()
        if kind == "title":
            return found[0] if found[2] is not None else title
        return formatted(now, (found[2] or "").strip() or (DATE, TIME)[kind == "time"])

    length = read_head(text).length
    head, body = text[:length], text[length:]
    head = _WHOLE.sub(lambda found: found[1] + scalar(title), head)
    return _FIELD.sub(field, head) + _FIELD.sub(field, body)


def formatted(now: datetime, form: str) -> str:
    """Return a time in a format of Moment; what is no sign of it stays as it is."""
    return _SIGN.sub(
        lambda found: found[1] if found[2] is None else _sign(now, found[2]), form
    )


def _sign(now: datetime, sign: str) -> str:
    if sign in _CODES:
        return now.strftime(_CODES[sign])
    if sign in _NUMBERS:
        return str(int(now.strftime(_NUMBERS[sign])))
    zone, (year, week) = now.strftime("%z"), _week(now)
    others: Mapping[str, object] = {
        "Q": (now.month + 2) // 3,
        "Do": _ordinal(now.day),
        "dd": now.strftime("%a")[:2],
        "a": now.strftime("%p").lower(),
        "gggg": f"{year:04d}",
        "ww": f"{week:02d}",
        "w": week,
        "Z": f"{zone[:3]}:{zone[3:]}",
        "X": int(now.timestamp()),
    }
    return str(others[sign])


def _ordinal(number: int) -> str:
    is_teen = number % 100 // 10 == 1
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if is_teen else ending}"


def _week(now: datetime) -> tuple[int, int]:
    saturday = now + timedelta(days=6 - now.isoweekday() % 7)
    return saturday.year, (saturday.timetuple().tm_yday + 6) // 7


def plan_edit(
    vault: EditVault, note: str, edits: Sequence[TextEdit], *, expected: Digest | None
) -> Draft:
    path, raw = named_text(vault, note, expected)
    vault.disclosed([path])  # what is said of an edit tells of the text, be it refused
    pen = link_writer(vault)

    def make(text: bytes) -> Edited:
        return edited(path, text, edits, pen)

    found = make(raw) if vault.sight is None else edit_as_shown(raw, make)
    title = f"{len(edits)} edits of {path}"
    if len(edits) == 1:
        title = f"{KINDS[type(edits[0])]}: {path}"
    step = Step(path, path, raw, found.raw)
    return Draft("edit", title, (step,), risks=found.risks, facts=found.facts)


def plan_create(vault: EditVault, title: str, text: str, **options: Any) -> Draft:
    return plan_new(vault, *new_note(vault, title, text, **options))


def plan_new(vault: EditVault, path: NotePath, raw: bytes) -> Draft:
    files = known_files(vault)
    ground = Ground.of(vault, files.paths)
    path = as_there(path, ground)
    for other in (*files.paths, *ground.folders):
        if fold(other) == fold(path):
            raise NameTaken(other)
    ground.disk.refuse_taken(path)
    step = Step(None, path, None, raw)
    return draft_with_links(vault, "create", f"make {path}", [step], files=files)


def plan_delete(
    vault: EditVault, name: str, *, expected: Digest | None = None
) -> Draft:
    files = known_files(vault)
    ground = Ground.of(vault, files.paths)
    origin = origin_of(vault, ground, name)
    if origin.folder and not name.endswith("/"):
        raise NoteNotFound(name, (f"{origin.path}/",))
    place = trash_place(origin.path, ground.disk.is_there)
    step = Step(origin.path, place, None, b"", folder=True)
    gone = inside(origin.path, files.paths)
    raw = origin_bytes(vault, origin, expected)
    if raw is not None:
        step, gone = Step(origin.path, place, raw, raw), [origin.path]
    update = follow_links(vault, [step], files)
    facts = {"files": len(gone), "lost": update.lost, "elsewhere": update.elsewhere}
    update.risks[:0] = losses(update.lost, update.elsewhere)
    return update.draft("delete", f"move {origin.path} to the trash", facts=facts)


def plan_move(
    vault: EditVault, source: str, destination: str, *, expected: Digest | None = None
) -> Draft:
    files = known_files(vault)
    ground = Ground.of(vault, files.paths)
    origin = origin_of(vault, ground, source)
    to = destination_of(vault, ground, origin, destination)
    raw = origin_bytes(vault, origin, expected)
    if origin.folder:
        refuse_opening(vault.root, vault.rules(), origin.path, to)
    step = Step(origin.path, to, None, b"", folder=True)
    if raw is not None:
        step = Step(origin.path, to, raw, retitled(raw, origin.path, to))
    what = "the folder " if origin.folder else ""
    return draft_with_links(
        vault,
        "move",
        f"move {what}{origin.path} to {to}",
        [step],
        files=files,
        facts={"from": origin.path, "to": to, "folder": origin.folder},
    )


def plan_outside(vault: EditVault, moves: Mapping[NotePath, NotePath]) -> Draft | None:
    files = known_files(vault)
    known = set(files.paths)
    there = known.union(files.others)
    goes = {old: new for old, new in moves.items() if old not in there and new in known}
    if not goes:
        return None
    was = {new: old for old, new in goes.items()}
    before = [was.get(path, path) for path in files.paths]
    names = Names.of((*before, *files.others))
    relink = Relink(names, files.names(), goes, None, vault.settings())
    keys = {name_key(path) for pair in goes.items() for path in pair}
    linking = files.linking(keys) | was.keys() | files.not_markdown()
    update = LinkUpdate(vault, ())
    update.rewrite(
        [Job(path, was.get(path, path), path) for path in sorted(linking)], relink
    )
    if not update.steps:
        return None
    first, *others = goes.items()
    more = f" and {len(others)} more" if others else ""
    title = f"links to {first[0]}, which is {first[1]} now{more}"
    moved = {str(old): str(new) for old, new in goes.items()}
    update.risks = [*files.risks, *few_risks(update.risks)]
    return update.draft("relink", title, facts={MOVED: moved, OWNERS_PLAN: True})


def retitled(raw: bytes, path: NotePath, to: NotePath) -> bytes:
    old, new = _stem(path), _stem(to)
    if old is None or new is None or old == new:
        return raw
    try:
        page = Page.of(path, raw)
        if page.note.frontmatter.properties.get(TITLE) != old:
            return raw
        change = ChangeProperty(TITLE, "set", new)
        splices = changed_property(path, page.note.text, change, page.newline)
        return page.with_splices(splices)
    except EditRefused:
        return raw


def _stem(path: NotePath) -> str | None:
    name = path.rpartition("/")[2]
    return name.removesuffix(NOTE_SUFFIX) if name.endswith(NOTE_SUFFIX) else None


_NO_NAME = re.compile(r"[\[\]|^\r\n]")


def link_writer(vault: EditVault) -> WriteLink:
    return lambda name, page: _link(vault, name, page)


def _link(vault: EditVault, name: str, page: Page) -> str:
    bare, _, heading = name.partition("#")
    bare, heading = bare.strip(), heading.strip()
    if not bare or _NO_NAME.search(name):
        raise BadEdit(f"{name[:80]!r} is no name that a link can hold")
    settings = vault.settings()
    markdown = settings.markdown_links
    target = _other_file(vault, bare) or exact_or_none(vault, bare)
    if target is None:
        end = _to_come(bare, markdown=markdown)
        return link_text(end, "", markdown=markdown, heading=heading)
    files = Names.of((target, *_every_file(vault)))
    writer = LinkWriter(files, markdown, settings.link_format)
    shown = target.rpartition("/")[2].removesuffix(NOTE_SUFFIX)
    link = next(writer.written(page.path, target, shown, heading), None)
    if link is None:
        raise BadEdit(f"no link can lead to {target}: rename it")
    return link


def _other_file(vault: EditVault, name: str) -> NotePath | None:
    spelled = normalize("NFC", name).removeprefix("./").removeprefix("/")
    if "." not in spelled.rpartition("/")[2] or kind_of(spelled) != "attachment":
        return None
    wanted = f"/{fold(spelled)}"
    found = [path for path in _seen(vault) if f"/{fold(path)}".endswith(wanted)]
    if spelled in found:
        return NotePath(spelled)
    if len(found) > 1:
        shown = tuple(sorted(found)[:CANDIDATES_SHOWN])
        raise AmbiguousName(name, shown, len(found))
    return found[0] if found else None


def _seen(vault: EditVault) -> Sequence[NotePath]:
    if vault.sight is None:
        return _every_file(vault)
    try:
        with vault.faults():
            return vault.sight.paths()
    except IndexAbsent:
        return ()


def _every_file(vault: EditVault) -> Sequence[NotePath]:
    """Return the files that links lead to; where there is no index, by the disk."""
    try:
        with vault.faults():
            paths = vault.rows().paths()
    except IndexAbsent:
        paths = []
    return (*paths, *left_out_of(vault, paths))


def _to_come(name: str, *, markdown: bool) -> str:
    is_other = kind_of(name) in OTHER_KINDS or ("." in name and is_attachment(name))
    if is_other or not markdown:
        return name.removesuffix(NOTE_SUFFIX)
    return name.removesuffix(NOTE_SUFFIX) + NOTE_SUFFIX
