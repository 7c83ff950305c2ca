"""Plans to create, edit, delete and move notes, and how new links are written."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple
from unicodedata import normalize

from glassmind.edit.names import (
    Disk,
    Places,
    check_new_name,
    exact_or_none,
    named_template,
    read_for_edit,
)
from glassmind.edit.page import EditedPage, check_text
from glassmind.edit.permissions import refuse_unhiding_notes
from glassmind.edit.relink_text import Relink
from glassmind.edit.relinking import (
    OTHER_KINDS,
    LinkUpdate,
    RelinkJob,
    draft_with_links,
    few_risks,
    follow_links,
    inside,
    known_files,
    left_out_of,
    losses,
)
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
    FileStep,
)
from glassmind.obsidian.frontmatter import read_head
from glassmind.obsidian.property_edits import changed_property, with_property
from glassmind.obsidian.text import fold
from glassmind.obsidian.yaml_text import scalar

TITLE = "title"

_LINE_END = re.compile(r"\r\n?")


class Template(NamedTuple):
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
    usual = vault.settings().new_notes or ""
    disk = Disk(vault)
    path = note_path(title, folder, usual, vault.agent_folder, disk.is_folder)
    disk.refuse_taken(path)
    pattern = _template(vault, template) if template else Template()
    given = dict(properties or {})
    if titled and given.get(TITLE, "") is None:
        del given[TITLE]
    elif titled:
        given = {TITLE: given.pop(TITLE, base_name(path)), **given}
    whole = note_text(path, text, given, template=pattern, now=vault.now())
    return path, whole.encode()


def note_path(
    title: str,
    folder: str | None,
    usual: str,
    agent_folder: str = "",
    is_folder: Callable[[str], bool] = lambda _: False,
) -> NotePath:
    """Return the path of a note by its title, or by its path from the vault's folder.

    Without a folder, a title goes to the `usual` one. `is_folder` is true for folders
    that exist already, whatever they are called.
    """
    name = title.strip()
    name = name[: -len(NOTE_SUFFIX)] if name.lower().endswith(NOTE_SUFFIX) else name
    place = folder if folder is not None else "" if "/" in name else usual
    whole = f"{place.strip().strip('/')}/{name}".removeprefix("/")
    check_new_name(whole + NOTE_SUFFIX, is_there=is_folder)
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
    template: Template,
    now: datetime,
) -> str:
    own = text.removeprefix("\ufeff")
    check_text(own)
    if not template.text:
        newline = "\r\n" if "\r\n" in own else "\n"
        return _with_properties(path, own, properties, newline)
    newline = template.newline
    own = _LINE_END.sub("\n", own).replace("\n", newline)
    whole = filled(template.text, base_name(path), now)
    error = read_head(whole).frontmatter.error
    if error is not None:
        raise BadEdit(f"the template cannot be used as it is: {error}")
    head = read_head(own)
    if head.frontmatter.error is not None:
        raise BadEdit(f"the text cannot go into a template: {head.frontmatter.error}")
    whole = _with_properties(path, whole, head.frontmatter.properties, newline)
    whole = _with_properties(path, whole, properties, newline)
    body = own[head.length :]
    if body and whole and not whole.endswith("\n"):
        whole += newline
    return whole + body


def _template(vault: EditVault, name: str) -> Template:
    path = named_template(vault, name)
    raw = vault.files.read(path)
    vault.disclosed([path])
    try:
        page = EditedPage.of(path, raw or b"")
    except NotEditable as refused:
        raise BadEdit(f"{path} is no template: {refused.reason}") from None
    return Template(page.source.decode(), page.newline)


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


DATE: Final = "YYYY-MM-DD"
TIME: Final = "HH:mm"

_FIELD = re.compile(r"\{\{\s*(title|date|time)\s*(?::([^{}]*))?\}\}", re.IGNORECASE)
_TITLE_VALUE = re.compile(
    r"^([ \t]*(?:-|[^:#\n]+:)[ \t]+)\{\{[ \t]*title[ \t]*\}\}(?=[ \t]*\r?$)",
    re.IGNORECASE | re.MULTILINE,
)
"""A property, or an item of one, that is the title and nothing else."""

_TOKENS: Mapping[str, str] = {
    "YYYY": "%Y", "YY": "%y", "MMMM": "%B", "MMM": "%b", "MM": "%m", "M": "%m",
    "DD": "%d", "D": "%d", "dddd": "%A", "ddd": "%a", "WW": "%V", "GGGG": "%G",
    "HH": "%H", "H": "%H", "hh": "%I", "h": "%I", "mm": "%M", "m": "%M", "ss": "%S",
    "s": "%S", "A": "%p", "a": "%p", "Do": "%d", "gggg": "", "ww": "",
}  # fmt: skip
"""Tokens of Moment and what strftime calls them; those of one letter have no zeros."""

_TOKEN = re.compile(rf"\[([^\[\]]*)\]|({'|'.join(sorted(_TOKENS, key=len)[::-1])})")


def filled(text: str, title: str, now: datetime) -> str:
    """Return a template with its title, dates and times filled in."""

    def field(match: re.Match[str]) -> str:
        kind = match[1].lower()
        if kind == "title":
            return match[0] if match[2] is not None else title
        return formatted(now, (match[2] or "").strip() or (DATE, TIME)[kind == "time"])

    length = read_head(text).length
    head, body = text[:length], text[length:]
    head = _TITLE_VALUE.sub(lambda match: match[1] + scalar(title), head)
    return _FIELD.sub(field, head) + _FIELD.sub(field, body)


def formatted(now: datetime, form: str) -> str:
    """Return a time in a format of Moment; an unknown token stays as it is."""

    def token(match: re.Match[str]) -> str:
        name = match[2]
        if name is None:
            return match[1]
        if name in ("gggg", "ww"):  # weeks that begin on Sunday
            saturday = now + timedelta(days=6 - now.isoweekday() % 7)
            week = (saturday.timetuple().tm_yday + 6) // 7
            return f"{saturday.year:04d}" if name == "gggg" else f"{week:02d}"
        text = now.strftime(_TOKENS[name])
        if name == "Do":
            ending = {1: "st", 2: "nd", 3: "rd"}.get(now.day % 10, "th")
            return f"{now.day}{'th' if 10 < now.day < 20 else ending}"  # noqa: PLR2004
        if name == "a":
            return text.lower()
        return text.lstrip("0") or "0" if len(name) == 1 else text

    return _TOKEN.sub(token, form)


def plan_create(vault: EditVault, title: str, text: str, **options: Any) -> Draft:
    return plan_new(vault, *new_note(vault, title, text, **options))


def plan_new(vault: EditVault, path: NotePath, raw: bytes) -> Draft:
    files = known_files(vault)
    places = Places(vault, files.paths)
    path = places.as_spelled(path)
    for other in (*files.paths, *places.folders):
        if fold(other) == fold(path):
            raise NameTaken(other)
    places.disk.refuse_taken(path)
    step = FileStep(None, path, None, raw)
    return draft_with_links(vault, "create", f"make {path}", [step], files=files)


def plan_delete(
    vault: EditVault, name: str, *, expected: Digest | None = None
) -> Draft:
    files = known_files(vault)
    places = Places(vault, files.paths)
    path, is_folder = places.origin(name)
    if is_folder and not name.endswith("/"):
        raise NoteNotFound(name, (f"{path}/",))
    trash = trash_place(path, places.disk.is_there)
    step, paths = (
        FileStep(path, trash, None, b"", folder=True),
        inside(path, files.paths),
    )
    raw = _origin_bytes(vault, path, expected, folder=is_folder)
    if raw is not None:
        step, paths = FileStep(path, trash, raw, raw), [path]
    update = follow_links(vault, [step], files)
    facts = {"files": len(paths), "lost": update.lost, "elsewhere": update.elsewhere}
    update.risks[:0] = losses(update.lost, update.elsewhere)
    return update.draft("delete", f"move {path} to the trash", facts=facts)


def plan_move(
    vault: EditVault, source: str, destination: str, *, expected: Digest | None = None
) -> Draft:
    files = known_files(vault)
    places = Places(vault, files.paths)
    path, is_folder = places.origin(source)
    to = places.destination(path, destination, folder=is_folder)
    raw = _origin_bytes(vault, path, expected, folder=is_folder)
    step = FileStep(path, to, None, b"", folder=True)
    if is_folder:
        refuse_unhiding_notes(vault, path, to)
    if raw is not None:
        step = FileStep(path, to, raw, _retitled(raw, path, to))
    return draft_with_links(
        vault,
        "move",
        f"move {'the folder ' if is_folder else ''}{path} to {to}",
        [step],
        files=files,
        facts={"from": path, "to": to, "folder": is_folder},
    )


def _origin_bytes(
    vault: EditVault, path: NotePath, expected: Digest | None, *, folder: bool
) -> bytes | None:
    if not folder:
        return read_for_edit(vault, path, expected)
    if expected is not None:
        raise BadEdit(f"{path} is a folder, which has no digest")
    return None


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
        [RelinkJob(path, was.get(path, path), path) for path in sorted(linking)], relink
    )
    if not update.steps:
        return None
    first, *others = goes.items()
    more = f" and {len(others)} more" if others else ""
    title = f"links to {first[0]}, which is {first[1]} now{more}"
    moved = {str(old): str(new) for old, new in goes.items()}
    update.risks = [*files.risks, *few_risks(update.risks)]
    return update.draft("relink", title, facts={MOVED: moved, OWNERS_PLAN: True})


def _retitled(raw: bytes, path: NotePath, to: NotePath) -> bytes:
    """Return a note that moves with its title property, if that is its name."""
    is_note = path.endswith(NOTE_SUFFIX) and to.endswith(NOTE_SUFFIX)
    old, new = base_name(path), base_name(to)
    if not is_note or old == new:
        return raw
    try:
        page = EditedPage.of(path, raw)
        if page.note.frontmatter.properties.get(TITLE) != old:
            return raw
        change = ChangeProperty(TITLE, "set", new)
        splices = changed_property(path, page.note.text, change, page.newline)
        return page.with_splices(splices)
    except EditRefused:
        return raw


_NO_NAME = re.compile(r"[\[\]|^\r\n]")


def link_to(vault: EditVault, name: str, page: EditedPage) -> str:
    """Return a link to the note or file of a name, as the vault writes its links."""
    target, _, heading = name.partition("#")
    target, heading = target.strip(), heading.strip()
    if not target or _NO_NAME.search(name):
        raise BadEdit(f"{name[:80]!r} is no name that a link can hold")
    settings = vault.settings()
    markdown = settings.markdown_links
    path = _other_file(vault, target) or exact_or_none(vault, target)
    if path is None:  # a note to come
        end = target.removesuffix(NOTE_SUFFIX)
        is_other = "." in target and is_attachment(target)
        if markdown and kind_of(target) not in OTHER_KINDS and not is_other:
            end += NOTE_SUFFIX
        return link_text(end, "", markdown=markdown, heading=heading)
    writer = LinkWriter(
        Names.of((path, *_every_file(vault))), markdown, settings.link_format
    )
    link = next(writer.written(page.path, path, base_name(path), heading), None)
    if link is None:
        raise BadEdit(f"no link can lead to {path}: rename it")
    return link


def _other_file(vault: EditVault, name: str) -> NotePath | None:
    """Return the attachment of a name, if the caller may know of one."""
    spelled = normalize("NFC", name).removeprefix("./").removeprefix("/")
    if "." not in spelled.rpartition("/")[2] or kind_of(spelled) != "attachment":
        return None
    visible: Sequence[NotePath] = ()
    with suppress(IndexAbsent), vault.faults():
        visible = vault.sight.paths() if vault.sight else _every_file(vault)
    ending = f"/{fold(spelled)}"
    named = [path for path in visible if f"/{fold(path)}".endswith(ending)]
    if spelled in named:
        return NotePath(spelled)
    if len(named) > 1:
        paths = tuple(sorted(named)[:CANDIDATES_SHOWN])
        raise AmbiguousName(name, paths, len(named))
    return named[0] if named else None


def _every_file(vault: EditVault) -> Sequence[NotePath]:
    """Return the files that links lead to; where there is no index, by the disk."""
    try:
        with vault.faults():
            paths = vault.rows().paths()
    except IndexAbsent:
        paths = []
    return (*paths, *left_out_of(vault, paths))
