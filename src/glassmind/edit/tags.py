"""Giving a tag, and those below it, another name."""

from glassmind.edit.desk import Desk
from glassmind.edit.parts import Whereabouts, anchors_in, settled
from glassmind.edit.relinking import draft_with_links
from glassmind.edit.seen import is_seen
from glassmind.edit.tag_text import (
    retagged,
    retagged_base,
    retagged_canvas,
    tag_name,
)
from glassmind.edit.text.page import Page
from glassmind.edit.universe import Universe, universe_of
from glassmind.errors import FileTooLarge, NotDownloaded
from glassmind.errors.editing import BadEdit, EditRefused, NotEditable
from glassmind.model import NotePath
from glassmind.model.editing import Draft, Step
from glassmind.obsidian.folding import fold


def plan_rename_tag(desk: Desk, old: str, new: str) -> Draft:
    """Return the change that gives a tag, and those below it, another name.

    In texts, in lists called `tags`, on cards of canvases and in filters of bases. A
    heading that holds the tag has other words then, and links to it follow.

    Raises:
        BadEdit: one of them is no tag, or both are one.
        EditRefused: no note has the tag, or none that is seen.
    """
    was, name = tag_name(old), tag_name(new)
    if was == name:
        raise BadEdit(f"#{was} is called so already")
    seen = universe_of(desk)
    steps, risks, count = _steps(desk, seen, was, name)
    if not any(_is_told(desk, step) for step in steps):
        said = risks[0] if risks else f"no note has the tag #{was}"
        raise EditRefused(said)

    def make(where: Whereabouts) -> Draft:
        return draft_with_links(
            desk,
            "rename-tag",
            f"rename the tag #{was} to #{name}",
            steps,
            wanted=where.wanted,
            targets=list(where.before),
            universe=seen,
            risks=[*_joins(desk, seen, was, name), *risks],
            facts={"tags": count},
        )

    return settled(Whereabouts({}, {}, anchored=anchors_in(desk)), make)


def _is_told(desk: Desk, step: Step) -> bool:
    """Whether whoever asks sees a file with the tag, be it hidden by another one."""
    sight = desk.sight
    return sight is None or sight.sees_step(step) or sight.closes(step)


def _joins(desk: Desk, seen: Universe, old: str, new: str) -> list[str]:
    """Return what is told of a tag that is there already."""
    if fold(old) == fold(new):
        return []
    there = sum(is_seen(desk, path) for path in seen.rows.tagged(new))
    if not there:
        return []
    notes = "1 note has" if there == 1 else f"{there} notes have"
    return [f"{notes} #{new} already: the two cannot be told apart afterwards"]


def _steps(
    desk: Desk, seen: Universe, old: str, new: str
) -> tuple[list[Step], list[str], int]:
    """Return what becomes of each file with the tag, what stays, and how many tags."""
    steps: list[Step] = []
    risks: list[str] = []
    total = 0
    for path in sorted({*seen.rows.tagged(old)} | seen.no_markdown()):
        try:
            raw = desk.files.read(path)
        except (NotDownloaded, FileTooLarge) as fault:
            if is_seen(desk, path):
                risks.append(f"{path} keeps the tag: {fault.reason}")
            continue
        if raw is None:
            continue
        is_told = desk.sight is None or desk.sight.sees(path, raw)
        try:
            after, count = retagged_file(path, raw, old, new)
        except NotEditable as refused:
            if is_told:
                risks.append(f"{path} keeps the tag: {refused.reason}")
            continue
        total += count if is_told else 0
        if after != raw:
            steps.append(Step(path, path, raw, after))
    return steps, risks, total


def retagged_file(path: NotePath, raw: bytes, old: str, new: str) -> tuple[bytes, int]:
    """Return a file in which a tag has another name, and how often it was there.

    Raises:
        NotEditable: a tag is written in a way that cannot be changed.
    """
    match path.rpartition(".")[2].lower():
        case "canvas":
            return retagged_canvas(path, raw, old, new)
        case "base":
            return retagged_base(raw, old, new)
        case _:
            return retagged(Page.of(path, raw), old, new)
