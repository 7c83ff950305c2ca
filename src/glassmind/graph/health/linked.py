"""Checks of links: names that nobody has, parts that are not there, answers missing."""

import re
from collections.abc import Mapping, Sequence
from posixpath import normpath

from glassmind.files.attachments import is_attachment
from glassmind.files.left_out import is_left_out
from glassmind.files.resolve import NOTE_SUFFIX, ROOTED, fold, rooted
from glassmind.graph.folding import folded, in_singular
from glassmind.graph.habits import is_date, is_placeholder
from glassmind.graph.health.sight import Sight
from glassmind.graph.suggest.reciprocal import missing_answers, spelling_of
from glassmind.model.health import Finding, LostLink, PartLink, PartNames, finding
from glassmind.obsidian.subpaths import Outline, steps_of

_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.+)$", re.MULTILINE)


SURE = 0.6
"""How sure it is that an answer is missing before we say so: most of such links are
answered. A judgement, above what a mere suggestion takes."""


def ghosts(sight: Sight) -> list[Finding]:
    """Return the names that links lead to in vain, the most wanted first.

    Left alone are links in templates, names that wait to be filled in, days, which are
    linked to before they have a note, and files that were left out of the index.
    """
    wanted, _ = sight.made_by(_wanted)
    known = _other_names(sight)
    ranked = sorted(wanted.items(), key=lambda item: (-_demand(item[1]), item[0]))
    return [_ghost(key, links, known) for key, links in ranked]


def wanted_names(sight: Sight) -> Mapping[str, Sequence[LostLink]]:
    """Return the links that lead in vain, by the subjects of the findings of ghosts."""
    return sight.made_by(_wanted)[0]


def ghost_now(sight: Sight, subject: str) -> str:
    """Return what a name that is wanted goes by now."""
    return sight.made_by(_wanted)[1].get(subject, subject)


def _wanted(sight: Sight) -> tuple[dict[str, list[LostLink]], dict[str, str]]:
    """Return the links to each name, and under which one others are told.

    A file that is wanted by its name alone and in one folder is one file.
    """
    lost = sight.rows.lost_links()
    left_out = sight.grounds.left_out() if lost else frozenset()
    wanted: dict[str, list[LostLink]] = {}
    for link in lost:
        name = link.target.rpartition("/")[2].removesuffix(NOTE_SUFFIX)
        meant = is_date(name) or is_placeholder(name)
        meant = meant or is_left_out(link.target, left_out)
        if sight.is_written(link.path) and not meant:
            key = fold(place_of(link)).removesuffix(NOTE_SUFFIX)
            wanted.setdefault(key, []).append(link)
    placed: dict[str, list[str]] = {}
    for key in wanted:
        folder, _, name = key.rpartition("/")
        if folder and is_attachment(name) and name in wanted:
            placed.setdefault(name, []).append(key)
    told = {keys[0]: name for name, keys in placed.items() if len(keys) == 1}
    for key, name in told.items():
        wanted[name] += wanted.pop(key)
        wanted[name].sort(key=lambda link: (link.path, link.line))
    return wanted, told


def place_of(link: LostLink) -> str:
    """Return what a link leads to: a name, or a path from the root of the vault."""
    if not link.target.startswith(ROOTED):
        return link.target
    inside = rooted(link.target, link.path)
    if inside is not None:
        return inside.removeprefix("/")
    return normpath(f"{link.path.rpartition('/')[0] or '.'}/{link.target}")


def _demand(links: Sequence[LostLink]) -> int:
    return len({link.path for link in links})


def _ghost(key: str, links: Sequence[LostLink], known: dict[str, str]) -> Finding:
    first, demand = links[0], _demand(links)
    notes = "1 note wants" if demand == 1 else f"{demand} notes want"
    what = f"{notes} {_missing(first)}"
    name = first.target.rpartition("/")[2].removesuffix(NOTE_SUFFIX)
    meant = known.get(fold(name)) or known.get(in_singular(folded(name)))
    if meant is not None:
        what += f"; {meant} may be meant"
    return finding("ghosts", key, first.path, first.line, what)


def _missing(link: LostLink) -> str:
    place = place_of(link)
    if place.startswith("../"):
        return f"{place}, which is outside of the vault"
    if is_attachment(place):
        return f"the file {place}, which is not there"
    if link.target.startswith(ROOTED):
        return f"{place}, and no such file is there"
    return f"[[{place}]], and no file is called so"


def _other_names(sight: Sight) -> dict[str, str]:
    """Return which note may be meant by an alias, or a title but for its marks."""
    known: dict[str, str] = {}
    for note in sight.written:
        for alias in note.aliases:
            known.setdefault(fold(alias), note.path)
        name = note.path.rpartition("/")[2].removesuffix(NOTE_SUFFIX)
        for title in (note.title, name):
            if form := in_singular(folded(title)):
                known.setdefault(form, note.path)
    return known


def broken_links(sight: Sight) -> list[Finding]:
    """Return the links to a heading or a block that their note does not have."""
    links = [link for link in sight.rows.part_links() if sight.is_written(link.path)]
    names = sight.rows.part_names({link.target_id for link in links})
    astray = [link for link in links if not leads(link, names[link.target_id])]
    raw = _raw_names(sight, {link.target_id for link in astray})
    found: dict[str, Finding] = {}
    for link in astray:
        if link.target_id not in raw or not leads(link, raw[link.target_id]):
            finding = _broken(link)
            found.setdefault(finding.subject, finding)
    return list(found.values())


def _raw_names(sight: Sight, note_ids: set[int]) -> dict[int, PartNames]:
    """Return the headings of notes as they are written.

    A link in a heading is shown by its name alone, and linked to with its target too.
    """
    return {
        note: PartNames(
            tuple((len(marks), text) for marks, text in _HEADING.findall(body)),
            frozenset(),
        )
        for note, body in sight.rows.texts(note_ids)
    }


def _broken(link: PartLink) -> Finding:
    kind = "block" if link.subpath.startswith("#^") else "heading"
    where = "it" if link.target == link.path else link.target
    what = f"links to {link.subpath}, and {where} has no such {kind}"
    subject = f"{link.path} -> {link.target}{link.subpath}"
    return finding("broken_links", subject, link.path, link.line, what)


def leads(link: PartLink, names: PartNames) -> bool:
    """Whether a link finds its part, by the rules of Obsidian.

    A Markdown link may also name the anchor that other renderers give to a heading.
    """
    steps = steps_of(link.subpath)
    if not steps or steps[-1].startswith("[^"):
        return True
    outline = Outline.of(names.headings, names.blocks)
    return outline.meant(link.subpath, markdown=link.kind == "markdown") is not None


def missing_reciprocal(sight: Sight) -> list[Finding]:
    """Return the property links that are not answered where the vault does answer.

    Each stands in the note that should lead back, the surest first.
    """
    written = {note.id: note.path for note in sight.written}
    links = [
        link
        for link in sight.rows.property_links()
        if link[0] in written and link[1] in written
    ]
    missing = [one for one in missing_answers(links) if one.sure >= SURE]
    missing.sort(key=lambda one: (-one.sure, written[one.target], written[one.source]))
    return [
        finding(
            "missing_reciprocal",
            f"{written[one.target]} {one.answer}: {written[one.source]}",
            written[one.target],
            0,
            f"{written[one.source]} names it in {spelling_of(one.asked, links)}, and "
            f"its {spelling_of(one.answer, links)} does not name that back",
        )
        for one in missing
    ]
