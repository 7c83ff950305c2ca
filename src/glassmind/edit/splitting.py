"""Sections of a note made notes of their own, and the links to what is in them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from glassmind.edit.cutting import (
    Footnotes,
    Section,
    check_cut,
    cut_out,
    file_name,
    free_path,
    home_of,
    left_over,
    parts_after,
    parts_left,
    section_of,
    sections_at,
)
from glassmind.edit.desk import Desk
from glassmind.edit.naming import is_taken
from glassmind.edit.new_names import check_new_name
from glassmind.edit.old_encodings import unread
from glassmind.edit.parts import Place, Whereabouts, anchors_in, page_at, settled
from glassmind.edit.places import Disk
from glassmind.edit.relinking import Relink, draft_with_links, relinked
from glassmind.edit.seen import is_hidden_from
from glassmind.edit.text.page import Page
from glassmind.edit.universe import Universe, universe_of
from glassmind.edit.unshown import look_as_shown
from glassmind.errors.editing import EditRefused
from glassmind.files.paths import safe_path
from glassmind.files.spelling import Pen
from glassmind.model import Digest, NotePath
from glassmind.model.editing import Draft, Rewritten, Step
from glassmind.model.notes import Note
from glassmind.obsidian.folding import fold
from glassmind.obsidian.parse import parse_note
from glassmind.obsidian.subpaths import Outline


@dataclass(frozen=True, slots=True)
class _Split:
    """A note, the headings whose sections leave it, and the notes they become."""

    desk: Desk
    seen: Universe
    page: Page
    chosen: Sequence[int]
    sections: Sequence[Section]
    paths: Sequence[NotePath]


def plan_split(  # noqa: PLR0913 - each fact by its name
    desk: Desk,
    note: NotePath,
    heading: str = "",
    level: int | None = None,
    folder: str | None = None,
    *,
    index: int | None = None,
    expected: Digest | None = None,
) -> Draft:
    """Return the change that makes notes of sections, of one heading or of a level.

    Each is called by its heading, in the folder of the note or another; a link to it
    stands in its place. `index` chooses among headings of one name, from 0; `expected`
    is the digest that the caller read.

    Raises:
        BadEdit, NoMatch, SeveralMatches: it is not said by what, or there is no such.
        NoteChanged: the note is not what the caller read.
        EditRefused: something would be read otherwise, or a link would lead elsewhere.
    """
    page = page_at(desk, note, expected)
    look_as_shown(desk, page, lambda shown: sections_at(shown, heading, level, index))
    chosen = sections_at(page.note, heading, level, index)
    check_cut(page, chosen)
    seen = universe_of(desk)
    home = note.rpartition("/")[0] if folder is None else folder.strip("/ ")
    names = [file_name(page.note.headings[at].text) for at in chosen]
    sections = [section_of(page.note, page.source, at) for at in chosen]
    split = _Split(desk, seen, page, chosen, sections, _paths(desk, home, names, seen))
    return settled(_first(split), lambda where: _drafted(split, where))


def _paths(
    desk: Desk, folder: str, names: Sequence[str], seen: Universe
) -> list[NotePath]:
    taken = {fold(path) for path in seen.paths}
    found: list[NotePath] = []
    for name in names:
        path = safe_path(free_path(folder, name, taken))
        while is_taken(desk, path):  # one that is not in the index
            taken.add(fold(path))
            path = free_path(folder, name, taken)
        taken.add(fold(path))
        check_new_name(path, is_there=Disk(desk).is_folder)
        found.append(path)
    return found


def _first(split: _Split) -> Whereabouts:
    """Return where the parts of the note are afterwards, its links as they are."""
    note, path = split.page.note, split.page.path
    places: dict[Place, Place] = {}
    for section, to in zip(split.sections, split.paths, strict=True):
        moved = parts_after(note, section)
        places |= {(path, part): (to, then) for part, then in moved.items()}
    left = parts_left(note, split.sections)
    places |= {(path, part): (path, then) for part, then in left.items()}
    footnotes = Footnotes.of(note)
    after = {path: Outline.of_note(_left_note(split.page, split.chosen))}
    for at, to in zip(split.chosen, split.paths, strict=True):
        text = cut_out(split.page, at, footnotes).decode()
        after[to] = Outline.of_note(parse_note(to, text))
    return Whereabouts(
        {path: Outline.of_note(note)}, after, places, anchored=anchors_in(split.desk)
    )


def _left_note(page: Page, chosen: Sequence[int]) -> Note:
    raw = page.with_splices(left_over(page, chosen, lambda _: ""))
    return Page.of(page.path, raw).note


def _drafted(split: _Split, where: Whereabouts) -> Draft:
    desk, seen, page = split.desk, split.seen, split.page
    new = [Step(None, path, None, b"") for path in split.paths]
    after = seen.ends_after(seen.renames(new))
    settings = desk.settings()
    relink = Relink(
        seen.ends(),
        after,
        {},
        where.wanted,
        settings,
        lengthen=True,
        is_hidden=is_hidden_from(desk),
    )
    own = relinked(page.path, page.raw, page.path, relink)
    left = Page.of(page.path, own.raw)
    pen = Pen(after, settings.markdown_links, settings.link_format)
    links = dict(zip(split.chosen, _links(pen, split), strict=True))
    stays = left.with_splices(left_over(left, split.chosen, links.__getitem__))
    steps, risks = [Step(page.path, page.path, page.raw, stays)], [*own.risks]
    for link in links.values():
        risks += unread(page.path, page.encoding, link)
    footnotes = Footnotes.of(page.note)
    changed = _changed(page.note, left.note, split.sections)
    for at, path in zip(split.chosen, split.paths, strict=True):
        # read by itself it says what it says in the note: that was looked at
        piece = relinked(page.path, cut_out(page, at, footnotes), path, relink)
        steps.append(Step(None, path, None, piece.raw))
        risks.extend(risk for risk in piece.risks if risk not in risks)
        changed += piece.links
    draft = draft_with_links(
        desk,
        "split",
        _title(split),
        steps,
        wanted=where.wanted,
        targets=list(where.before),
        settled=[page.path],
        universe=seen,
        risks=risks,
        facts={"notes": [str(path) for path in split.paths]},
    )
    links_rewritten, files = draft.rewritten
    total = Rewritten(links_rewritten + changed, files + bool(changed))
    return replace(draft, rewritten=total)


def _title(split: _Split) -> str:
    if len(split.paths) == 1:
        return f"split {split.paths[0]} from {split.page.path}"
    return f"split {split.page.path} into {len(split.paths)} notes more"


def _links(pen: Pen, split: _Split) -> list[str]:
    """Return the links to the new notes, as the old one holds them."""
    found: list[str] = []
    for path in split.paths:
        link = next(pen.written(split.page.path, path, ""), None)
        if link is None:
            raise EditRefused(f"{split.page.path} was not split: no link names {path}")
        found.append(link)
    return found


def _changed(before: Note, after: Note, gone: Sequence[Section]) -> int:
    """Return how many links say something else, those in sections that go aside."""
    return sum(
        old[1:3] != new[1:3]
        for old, new in zip(before.links, after.links, strict=True)
        if home_of(old.start, gone) is None
    )
