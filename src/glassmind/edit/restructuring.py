"""Plans to rename headings and tags, and to merge and split notes."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from glassmind.edit.diffs import look_as_shown
from glassmind.edit.joining import (
    JoinedNote,
    check_cut,
    cut_out,
    file_name,
    free_path,
    joined,
    left_over,
    parts_where,
    section_at,
    section_of,
    sections_at,
)
from glassmind.edit.names import Disk, check_new_name, is_taken, named
from glassmind.edit.page import EditedPage
from glassmind.edit.permissions import SUBJECT, is_seen
from glassmind.edit.relink_text import Relink, relinked
from glassmind.edit.relinking import (
    MERGED,
    KnownFiles,
    PartMoves,
    Place,
    draft_with_links,
    known_files,
    page_at,
    relink_for,
)
from glassmind.edit.text_edits import heading_meant
from glassmind.edit.vault import EditVault
from glassmind.errors import (
    BadEdit,
    EditRefused,
    FileTooLarge,
    NotDownloaded,
    NotEditable,
)
from glassmind.files.names import LinkWriter
from glassmind.files.read import safe_path
from glassmind.files.steps import trash_place
from glassmind.model import Digest, NotePath, PropertyValue
from glassmind.model.edits import ChangeProperty, Draft, FileStep, Rewritten, Splice
from glassmind.model.notes import Note, Tag
from glassmind.obsidian.elements import is_tag
from glassmind.obsidian.file_refs import CanvasRef, canvas_refs, canvas_respelled
from glassmind.obsidian.links import Outline, OutlinePart, PartKind, heading_words
from glassmind.obsidian.notes import parse_note
from glassmind.obsidian.property_edits import changed_property, spliced
from glassmind.obsidian.text import fold
from glassmind.obsidian.yaml_text import resolve_plain, scalar

_CLOSING = re.compile(r"(?:(?<=\s)|^)(#+)$")
_MARKS = re.compile(r"(#{1,6})(?:[ \t]+|$)")
_BLOCK_END = re.compile(r"(?:^|\s)\^[A-Za-z0-9-]+$")


def plan_rename_heading(  # noqa: PLR0913 - each fact by its name
    vault: EditVault,
    name: str,
    heading: str,
    new: str,
    index: int | None = None,
    *,
    expected: Digest | None = None,
) -> Draft:
    note = named(vault, name)
    page = page_at(vault, note, expected)
    look_as_shown(vault, page, lambda shown: heading_meant(shown, heading, index))
    raw, renamed, at = renamed_heading(page, heading, new, index)
    if raw == page.raw:
        raise BadEdit(f"a heading of {note} is called {new!r} already")
    before, after = Outline.of_note(page.note), Outline.of_note(renamed)
    old = before.texts[at]
    return draft_with_links(
        vault,
        "rename-heading",
        f"rename the heading {old} of {note} to {after.texts[at]}",
        [FileStep(note, note, page.raw, raw)],
        moves=PartMoves({note: before}, {note: after}),
        facts={
            "heading": old,
            "line": page.note.headings[at].line,
            SUBJECT: note,
        },
    )


def renamed_heading(
    page: EditedPage, heading: str, new: str, index: int | None
) -> tuple[bytes, Note, int]:
    """Return a note in which one heading has other words, and which heading that is."""
    words = new.strip()
    if not words or "\n" in words or "\r" in words:
        raise BadEdit("a heading has words, and on one line")
    if _BLOCK_END.search(words):
        raise BadEdit(f"{new!r} ends as a block id; a heading's words do not")
    words = _CLOSING.sub(lambda match: "\\" + match[1], words)
    at = heading_meant(page.note, heading, index)
    level = page.note.headings[at].level
    marks = _MARKS.match(words)
    if marks is not None and len(marks[1]) == level:
        words = words[marks.end() :]
    if not words or _MARKS.match(words):
        raise BadEdit(
            f"a heading keeps its level, which is {level}: say its new words without # "
            "before them, or with \\# where they begin so"
        )
    start, end = heading_words(page.source, page.note.headings[at])
    gap = b" " if page.source[start - 1 : start] == b"#" else b""
    behind = page.source[end : end + 1]
    gap_end = b" " if start == end and behind in (b"#", b"^") else b""
    raw = page.with_splices([Splice(start, end, gap + words.encode() + gap_end)])
    after = EditedPage.of(page.path, raw)
    if not _reads_so(page.note, after, at, words):
        raise BadEdit(f"{new!r} would not be read as the words of that heading")
    return raw, after.note, at


def _reads_so(before: Note, after: EditedPage, at: int, words: str) -> bool:
    """Whether the words of one heading differ, and no other heading or block id."""
    if len(before.headings) != len(after.note.headings):
        return False
    start, end = heading_words(after.source, after.note.headings[at])
    ids, new_ids = ([b.name for b in note.block_ids] for note in (before, after.note))
    return (
        after.source[start:end].decode() == words
        and ids == new_ids
        and all(
            old.level == new.level and (number == at or old.text == new.text)
            for number, (old, new) in enumerate(
                zip(before.headings, after.note.headings, strict=True)
            )
        )
    )


UNITED = ("tags", "aliases", "cssclasses")
OWN = ("title",)


def plan_merge(
    vault: EditVault,
    name: str,
    other: str,
    *,
    expected: Digest | None = None,
) -> Draft:
    source, into = named(vault, name), named(vault, other)
    if source == into:
        raise BadEdit(f"{source} is one note; two are merged")
    added, target = page_at(vault, source, expected), page_at(vault, into)
    title = added.note.title
    if added.note.frontmatter.error is not None:
        reason = f"{added.note.frontmatter.error} They would be lost"
        raise NotEditable(source, reason)
    trash = trash_place(source, partial(is_taken, vault))
    first = joined(target, added, title)
    moves, files = _merge_moves(added, target, first), known_files(vault)
    step = FileStep(source, trash, added.raw, added.raw)
    relink = relink_for(vault, files, files.renames([step]), moves.end_after)
    relink = replace(relink, goes={})
    moved = relinked(source, added.raw, into, relink)
    own = relinked(into, target.raw, into, relink)
    added = EditedPage.of(source, moved.raw)
    both = joined(EditedPage.of(into, own.raw), added, title)
    if both.headings != first.headings:
        raise EditRefused(f"the headings of {source} and {into} cannot be told apart")
    page, risks = _with_properties(both.page, added.note)
    if both.title:
        clash = f"both have headings of one name: those of {source} come below"
        risks.insert(0, f"{clash} the heading {both.title}")
    draft = draft_with_links(
        vault,
        "merge",
        f"merge {source} into {into}",
        [FileStep(into, into, target.raw, page.raw), step],
        files=files,
        moves=moves,
        settled=[into],
        risks=[*risks, *moved.risks, *own.risks],
        facts={"heading": both.title, SUBJECT: into, MERGED: [source, into]},
    )
    return _with_count(draft, moved.links + own.links)


def _merge_moves(added: EditedPage, into: EditedPage, first: JoinedNote) -> PartMoves:
    counts: tuple[tuple[PartKind, int, int], ...] = (
        ("heading", len(added.note.headings), first.headings),
        ("block", len(added.note.block_ids), first.blocks),
    )
    parts: dict[Place, Place] = {
        (added.path, OutlinePart(kind, at)): (into.path, OutlinePart(kind, by + at))
        for kind, count, by in counts
        for at in range(count)
    }
    before = {page.path: Outline.of_note(page.note) for page in (added, into)}
    after = {into.path: Outline.of_note(first.page.note)}
    return PartMoves(before, after, parts, {added.path: into.path})


def _with_count(draft: Draft, more: int) -> Draft:
    links, files = draft.rewritten
    return replace(draft, rewritten=Rewritten(links + more, files + bool(more)))


def _with_properties(page: EditedPage, added: Note) -> tuple[EditedPage, list[str]]:
    risks: list[str] = []
    for name, value in added.frontmatter.properties.items():
        had = _held(page.note, name)
        if had is None:
            if name.lower() not in OWN:
                page = _changed(page, ChangeProperty(name, "set", value))
        elif name.lower() in UNITED and isinstance(value, list):
            for item in value:
                if not _holds(had[1], item):
                    page = _changed(page, ChangeProperty(had[0], "add", item))
        elif had[1] != value:
            risks.append(f"{name} stays {had[1]!r}; {value!r} of {added.path} is left")
    try:
        return _with_alias(page, added.title), risks
    except NotEditable as refused:
        return page, [*risks, f"{added.title} becomes no alias: {refused.reason}"]


def _with_alias(page: EditedPage, alias: str) -> EditedPage:
    name, aliases = _held(page.note, "aliases") or ("aliases", None)
    if fold(alias) == fold(page.note.title) or _holds(aliases, alias):
        return page
    if aliases is None:
        return _changed(page, ChangeProperty(name, "set", [alias]))
    if not isinstance(aliases, list):
        return page
    return _changed(page, ChangeProperty(name, "add", alias))


def _held(note: Note, name: str) -> tuple[str, PropertyValue] | None:
    for key, value in note.frontmatter.properties.items():
        if key.lower() == name.lower():
            return key, value
    return None


def _holds(values: PropertyValue, item: PropertyValue) -> bool:
    items = values if isinstance(values, list) else [values]
    forms = [
        fold(value.strip().removeprefix("#")) if isinstance(value, str) else value
        for value in (item, *items)
    ]
    return forms[0] in forms[1:]


def _changed(page: EditedPage, change: ChangeProperty) -> EditedPage:
    splices = changed_property(page.path, page.note.text, change, page.newline)
    return EditedPage.of(page.path, page.with_splices(splices))


def plan_split(  # noqa: PLR0913 - each fact by its name
    vault: EditVault,
    name: str,
    heading: str = "",
    level: int | None = None,
    folder: str | None = None,
    *,
    index: int | None = None,
    expected: Digest | None = None,
) -> Draft:
    note = named(vault, name)
    page = page_at(vault, note, expected)
    look_as_shown(vault, page, lambda shown: sections_at(shown, heading, level, index))
    chosen = sections_at(page.note, heading, level, index)
    check_cut(page, chosen)
    files = known_files(vault)
    home = note.rpartition("/")[0] if folder is None else folder.strip("/ ")
    names = [file_name(page.note.headings[at].text) for at in chosen]
    paths = _paths(vault, home, names, files)
    moves = _split_moves(page, chosen, paths)
    new = [FileStep(None, path, None, b"") for path in paths]
    relink = relink_for(vault, files, files.renames(new), moves.end_after)
    own = relinked(note, page.raw, note, relink)
    edited_page = EditedPage.of(note, own.raw)
    links = dict(zip(chosen, _links(vault, relink, note, paths), strict=True))
    stays = edited_page.with_splices(left_over(edited_page, chosen, links.__getitem__))
    steps, risks = [FileStep(note, note, page.raw, stays)], [*own.risks]
    changed = _changed_links(page, edited_page.note, chosen)
    for at, path in zip(chosen, paths, strict=True):
        # read by itself it says what it says in the note: that was looked at
        piece = relinked(note, cut_out(page, at), path, relink)
        steps.append(FileStep(None, path, None, piece.raw))
        risks.extend(risk for risk in piece.risks if risk not in risks)
        changed += piece.links
    title = f"split {note} into {len(paths)} notes more"
    draft = draft_with_links(
        vault,
        "split",
        f"split {paths[0]} from {note}" if len(paths) == 1 else title,
        steps,
        files=files,
        moves=moves,
        settled=[note],
        risks=risks,
        facts={"notes": [str(path) for path in paths], SUBJECT: note},
    )
    return _with_count(draft, changed)


def _paths(
    vault: EditVault, folder: str, names: Sequence[str], files: KnownFiles
) -> list[NotePath]:
    taken = {fold(path) for path in files.paths}
    paths: list[NotePath] = []
    for name in names:
        path = safe_path(free_path(folder, name, taken))
        while is_taken(vault, path):  # one that is not in the index
            taken.add(fold(path))
            path = free_path(folder, name, taken)
        taken.add(fold(path))
        check_new_name(path, is_there=Disk(vault).is_folder)
        paths.append(path)
    return paths


def _split_moves(
    page: EditedPage, chosen: Sequence[int], paths: Sequence[NotePath]
) -> PartMoves:
    note, path = page.note, page.path
    sections = [section_of(note, page.source, at) for at in chosen]
    outline_parts = parts_where(note, lambda start: section_at(start, sections) is None)
    places: dict[Place, Place] = {
        (path, part): (path, then) for part, then in outline_parts.items()
    }
    rest = page.with_splices(left_over(page, chosen, lambda _: ""))
    after = {path: Outline.of_note(EditedPage.of(path, rest).note)}
    for at, section, to in zip(chosen, sections, paths, strict=True):
        parts = parts_where(note, range(*section).__contains__)
        places |= {(path, part): (to, then) for part, then in parts.items()}
        text = cut_out(page, at).decode()
        after[to] = Outline.of_note(parse_note(to, text))
    return PartMoves({path: Outline.of_note(note)}, after, places)


def _links(
    vault: EditVault, relink: Relink, note: NotePath, paths: Sequence[NotePath]
) -> Iterator[str]:
    settings = vault.settings()
    writer = LinkWriter(relink.after, settings.markdown_links, settings.link_format)
    for path in paths:
        link = next(writer.written(note, path, ""), None)
        if link is None:
            raise EditRefused(f"{note} was not split: no link names {path}")
        yield link


def _changed_links(before: EditedPage, after: Note, chosen: Sequence[int]) -> int:
    sections = [section_of(before.note, before.source, at) for at in chosen]
    return sum(
        old[1:3] != new[1:3]
        for old, new in zip(before.note.links, after.links, strict=True)
        if section_at(old.start, sections) is None
    )


_ASKED = re.compile(
    rb"\b(?:hasTag|tags[ \t]*\.[ \t]*contains(?:Any|All)?)[ \t]*\([^()\r\n]*\)"
)

_NAMED = re.compile(rb"(?P<quote>\\?\"|'{1,2})#?(?P<name>[^\\\"'#\s]+)(?P=quote)")
"""A tag in quotes: those of the expression may be escaped by those of YAML."""


def tag_name(given: str) -> str:
    name = given.strip().removeprefix("#")
    if not is_tag(name) or not all(name.split("/")):
        raise BadEdit(
            f"{given!r} is no tag: letters, digits, _ - and / between them, and not "
            "digits alone"
        )
    return name


def named_anew(name: str, old: str, new: str) -> str | None:
    """Return a tag with its new name; None if it is not the old one, nor below it."""
    steps, size = name.split("/"), old.count("/") + 1
    if fold("/".join(steps[:size])) != fold(old):
        return None
    return "/".join((new, *steps[size:]))


def tag_splices(note: Note, source: bytes, old: str, new: str) -> list[Splice]:
    splices = []
    repeated = {tag.start for tag in _repeated(note, old, new)}
    for tag in note.tags:
        name = named_anew(tag.name, old, new)
        if name is None or name == tag.name or tag.start in repeated:
            continue
        start, written = tag.start, name
        if not tag.in_properties:
            start += 1
        elif source[tag.start : tag.end] != tag.name.encode():
            written = scalar(name)  # it has escapes: the whole scalar
        elif source[tag.start - 1 : tag.start] not in (b'"', b"'", b"#"):
            plain = resolve_plain(name) == name and name.strip("-") and name[0] != "-"
            written = name if plain else scalar(name)
        splices.append(Splice(start, tag.end, written.encode()))
    return splices


def _repeated(note: Note, old: str, new: str) -> list[Tag]:
    """Return the tags of properties that would be there twice."""
    if fold(old) == fold(new):  # only its case changes
        return []
    listed = [tag for tag in note.tags if tag.in_properties]
    names = {tag.start: named_anew(tag.name, old, new) for tag in listed}
    known = {fold(tag.name) for tag in listed if names[tag.start] is None}
    repeated: list[Tag] = []
    for tag in listed:
        name = names[tag.start]
        if name is not None:
            repeated += [tag] * (fold(name) in known)
            known.add(fold(name))
    return repeated


def retagged(page: EditedPage, old: str, new: str) -> tuple[bytes, int]:
    raw = page.with_splices(tag_splices(page.note, page.source, old, new))
    after = EditedPage.of(page.path, raw)
    for tag in _repeated(page.note, old, new):
        after = _without(after, tag.name)
    count = sum(named_anew(tag.name, old, new) is not None for tag in page.note.tags)
    _check_tags(page.path, page.note, after.note, old, new)
    return after.raw, count


def _without(page: EditedPage, name: str) -> EditedPage:
    for key, value in page.note.frontmatter.properties.items():
        if key.lower() == "tags" and isinstance(value, list):
            for item in value:
                if isinstance(item, str) and item.strip().removeprefix("#") == name:
                    return _changed(page, ChangeProperty(key, "remove", item))
    return page


def _check_tags(path: NotePath, before: Note, after: Note, old: str, new: str) -> None:
    """Refuse a change by which a note would not have the tags that it should."""
    gone = {tag.start for tag in _repeated(before, old, new)}
    meant = [
        (named_anew(tag.name, old, new) or tag.name, tag.in_properties)
        for tag in before.tags
        if tag.start not in gone
    ]
    if [(tag.name, tag.in_properties) for tag in after.tags] != meant:
        raise NotEditable(path, "a tag in it is written in a way we do not change")


def retagged_canvas(
    path: NotePath, raw: bytes, old: str, new: str
) -> tuple[bytes, int]:
    changes: list[tuple[CanvasRef, str]] = []
    count = 0
    for ref in canvas_refs(raw):
        if ref.kind != "text" or "#" not in ref.value:
            continue
        # as it is read: a line before the card, so that it has no frontmatter
        note = parse_note(path, f"\n{ref.value}")
        splices = tag_splices(note, note.text.encode(), old, new)
        if splices and note.text == f"\n{ref.value}":
            after = spliced(note.text.encode(), splices).decode()
            _check_tags(path, note, parse_note(path, after), old, new)
            changes.append((ref, after.removeprefix("\n")))
            count += len(splices)
    if not changes:
        return raw, 0
    try:
        return spliced(raw, canvas_respelled(raw, changes)), count
    except EditRefused as refused:
        raise NotEditable(path, refused.said) from None


def retagged_base(raw: bytes, old: str, new: str) -> tuple[bytes, int]:
    splices: list[Splice] = []
    for match in _ASKED.finditer(raw):
        for said in _NAMED.finditer(raw, *match.span()):
            try:
                name = named_anew(said["name"].decode(), old, new)
            except UnicodeDecodeError:
                continue
            if name is not None:
                splices.append(Splice(*said.span("name"), name.encode()))
    return spliced(raw, splices), len(splices)


def plan_rename_tag(vault: EditVault, old: str, new: str) -> Draft:
    was, name = tag_name(old), tag_name(new)
    if was == name:
        raise BadEdit(f"#{was} is called so already")
    files, sight = known_files(vault), vault.sight
    steps: list[FileStep] = []
    risks: list[str] = []
    total = 0
    for path in sorted({*files.tagged(was)} | files.not_markdown()):
        try:
            raw = vault.files.read(path)
            if raw is None:
                continue
            after, count = retagged_file(path, raw, was, name)
        except (NotDownloaded, FileTooLarge, NotEditable) as fault:
            if is_seen(vault, path):
                risks.append(f"{path} keeps the tag: {fault.reason}")
            continue
        total += count if sight is None or sight.sees(path, raw) else 0
        if after != raw:
            steps.append(FileStep(path, path, raw, after))
    if not any(
        sight is None or sight.sees_step(step) or sight.closes(step) for step in steps
    ):
        raise EditRefused(risks[0] if risks else f"no note has the tag #{was}")
    return draft_with_links(
        vault,
        "rename-tag",
        f"rename the tag #{was} to #{name}",
        steps,
        files=files,
        moves=_heading_moves(steps),
        risks=risks,
        facts={"tags": total},
    )


def _heading_moves(steps: Sequence[FileStep]) -> PartMoves:
    """Return the headings that a renamed tag stands in."""
    before: dict[NotePath, Outline] = {}
    after: dict[NotePath, Outline] = {}
    for step in steps:
        if step.to.lower().endswith(".md"):
            was = Outline.of_note(EditedPage.of(step.to, step.before or b"").note)
            now = Outline.of_note(EditedPage.of(step.to, step.after).note)
            if was.forms != now.forms:
                before[step.to], after[step.to] = was, now
    return PartMoves(before, after)


def retagged_file(path: NotePath, raw: bytes, old: str, new: str) -> tuple[bytes, int]:
    suffix = path.rpartition(".")[2].lower()
    if suffix == "canvas":
        return retagged_canvas(path, raw, old, new)
    if suffix == "base":
        return retagged_base(raw, old, new)
    return retagged(EditedPage.of(path, raw), old, new)
