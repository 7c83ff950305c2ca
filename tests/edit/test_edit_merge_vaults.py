"""Random renames, merges and splits over whole vaults: links lead where they led.

Not only to the note but to the very heading or block, by the resolver over every link
of the vault before and after.
"""

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from editing_harness import OTHERS, SAMPLE
from parts_harness import End, Shelf, ends, read, section

from glassmind.edit.restructuring import (
    named_anew,
    plan_merge,
    plan_rename_heading,
    plan_rename_tag,
    plan_split,
)
from glassmind.errors import EditRefused
from glassmind.model import NotePath
from glassmind.model.notes import Note
from glassmind.obsidian.links import OutlinePart
from glassmind.obsidian.text import fold

SOME = 25
MANY = 200
WORDS = ("Log", "log!", "Plan: A", "C# [x]", "Über *uns*", "To do", "1984")
TAGS = ("tea", "tea/green", "Über", "x-1", "log", "true")


def synthetic(rng: random.Random) -> Shelf:
    """Return a small vault of twins, with every form of link to their parts."""
    paths = [f"{rng.choice(['', 'a/', 'a/b/', 'c/'])}N{at}.md" for at in range(12)]
    paths += ["a/Same.md", "c/Same.md", "Same.md"]
    return Shelf.of({path: _text(rng, paths) for path in paths})


def _text(rng: random.Random, paths: list[str]) -> str:
    lines = []
    if rng.random() < 0.5:
        tags = ", ".join(rng.sample(TAGS, 2))
        up = _wiki(rng, paths)
        lines = ["---", f"tags: [{tags}]", f"up: '{up}' # c", "---"]
    for number in range(rng.randint(2, 9)):
        kind = rng.random()
        if kind < 0.4:
            lines += [f"{'#' * rng.randint(1, 4)} {rng.choice(WORDS)}", ""]
        elif kind < 0.5:
            lines += [f"Text ^id{rng.randint(1, 3)}", ""]
        elif kind < 0.6:
            lines += ["```", "# Log", f"#tea {_wiki(rng, paths)}", "```", ""]
        else:
            tag = f"#{rng.choice(TAGS)}"
            lines += [f"{tag} {_link(rng, paths)} and {_link(rng, paths)} {number}", ""]
    return "\n".join(lines) + "\n"


def _link(rng: random.Random, paths: list[str]) -> str:
    if rng.random() < 0.7:
        return _wiki(rng, paths)
    path = rng.choice(["", *paths])
    part = rng.choice(["#Log", "#^id1", "#plan-a", "#To%20do", "#^id2"])
    return f"[shown](<{path}{part}>)".replace("%20", " ")


def _wiki(rng: random.Random, paths: list[str]) -> str:
    path = rng.choice(["", *paths]).removesuffix(".md")
    name = rng.choice([path, path.rpartition("/")[2]])
    parts = ["#Log", "#^id1", "#^ID2", "#Plan A", "#Log#To do", "#über uns", "#1984"]
    part = rng.choice(["" if name else "#log", *parts])
    mark, shown = rng.choice(["", "!"]), rng.choice(["", "|shown"])
    return f"{mark}[[{name}{part}{shown}]]"


Pairs = dict[tuple[NotePath, int], tuple[NotePath, int]]
"""Which link, by its note and number, became which; one not named keeps both."""


def check(
    before: Shelf, after: Shelf, place: Callable[[End], End], pairs: Pairs
) -> None:
    """Hold every link that led somewhere against where it leads now."""
    now = ends(after)
    for path, links in ends(before).items():
        for number, (link, end) in enumerate(links):
            home, at = pairs.get((path, number), (path, number))
            if end is None or home not in now or at < 0:
                continue
            wanted, found = place(end), now[home][at][1]
            assert found is not None, (path, link)
            if wanted.part is None:
                assert found.path == wanted.path, (path, link, wanted, now[home][at])
            else:
                assert found == wanted, (path, link, wanted, now[home][at])


def same_elsewhere(before: Shelf, after: Shelf, own: set[NotePath]) -> None:
    """Hold what stands between links against what stood there."""
    for path, raw in before.files.items():
        if path in own or path not in after.files or b"]:" in raw:
            continue
        assert _between(path, raw) == _between(path, after.files[path])


def _between(path: NotePath, raw: bytes) -> list[bytes]:
    note = read(path, raw)
    if note is None or note.kind == "canvas":
        return []
    source, at = note.text.encode(), 0
    found = []
    for link in sorted(note.links, key=lambda link: link.start):
        found.append(source[at : link.start])
        at = max(at, link.end)
    return [*found, source[at:]]


def note_of(shelf: Shelf, path: NotePath) -> Note:
    note = read(path, shelf.files[path])
    assert note is not None
    return note


def rename_heading(shelf: Shelf, rng: random.Random) -> Shelf:
    path, at = _some_heading(shelf, rng)
    note = note_of(shelf, path)
    text = note.headings[at].text
    twins = [one for one, head in enumerate(note.headings) if head.text == text]
    new = rng.choice(["A new name", "Log", "Q: what | x", f"{text} too"])
    chosen = twins.index(at) if len(twins) > 1 else None
    draft = plan_rename_heading(shelf.harness, path, text, new, chosen)
    after = shelf.after(draft)
    check(shelf, after, lambda end: end, _without_those_in(note, at))
    same_elsewhere(shelf, after, {path})
    return after


def _without_those_in(note: Note, at: int) -> Pairs:
    """Return which link is which after a heading, with the links in it, is gone."""
    pairs, last = dict[tuple[NotePath, int], tuple[NotePath, int]](), 0
    for number, link in enumerate(note.links):
        own = note.headings[at].start <= link.start < note.headings[at].end
        pairs[note.path, number] = note.path, -1 if own else last
        last += not own
    return pairs


def rename_tag(shelf: Shelf, rng: random.Random) -> Shelf:
    known = sorted({tag.name for _, note in shelf.read_notes() for tag in note.tags})
    old = rng.choice(known or ["none"])
    new = rng.choice(["renamed", f"{old}/below", "log", old.upper()])
    after = shelf.after(plan_rename_tag(shelf.harness, old, new))
    check(shelf, after, lambda end: end, {})
    for path, note in shelf.read_notes():
        if note.kind == "excalidraw":
            continue
        meant = {fold(named_anew(tag.name, old, new) or tag.name) for tag in note.tags}
        assert meant == {fold(tag.name) for tag in note_of(after, path).tags}
    return after


def merge(shelf: Shelf, rng: random.Random) -> Shelf:
    source, into = rng.sample(_pages(shelf), 2)
    after = shelf.after(plan_merge(shelf.harness, source, into))
    old, own, new = note_of(shelf, source), note_of(shelf, into), note_of(after, into)
    title = len(new.headings) - len(own.headings) - len(old.headings)
    assert title in (0, 1)
    shift = {
        "heading": len(own.headings) + title,
        "block": len(own.block_ids),
    }

    def place(end: End) -> End:
        if end.path != source:
            return end
        part = end.part and OutlinePart(
            end.part.kind, end.part.at + shift[end.part.kind]
        )
        return End(into, part)

    heads = len(new.links) - len([link for link in new.links if link.property is None])
    pairs: Pairs = {}
    at = heads
    for path, note in ((into, own), (source, old)):
        for number, link in enumerate(note.links):
            if link.property is None:
                pairs[path, number] = into, at
                at += 1
            elif path == source:
                pairs[path, number] = into, -1
    assert at == len(new.links)
    check(shelf, after, place, pairs)
    same_elsewhere(shelf, after, {source, into})
    trash = [raw for path, raw in after.files.items() if path.startswith(".trash/")]
    assert shelf.files[source] in trash
    return after


def split(shelf: Shelf, rng: random.Random) -> Shelf:
    path, at = _some_heading(shelf, rng)
    note = note_of(shelf, path)
    level = note.headings[at].level
    if rng.random() < 0.5:
        same = [head for head in note.headings if head.text == note.headings[at].text]
        name = note.headings[at].text if len(same) == 1 else "no such heading"
        draft, chosen = plan_split(shelf.harness, path, name), [at]
    else:
        draft = plan_split(shelf.harness, path, level=level)
        chosen = [n for n, head in enumerate(note.headings) if head.level == level]
    after = shelf.after(draft)
    paths = [NotePath(str(fact)) for fact in draft.facts["notes"]]  # type: ignore[attr-defined]
    sections = [section(note, one) for one in chosen]
    homes = _homes(note, path, paths, sections)
    check(
        shelf, after, lambda end: _placed(end, path, homes), _pairs(note, path, homes)
    )
    same_elsewhere(shelf, after, {path})
    return after


Homes = list[tuple[NotePath, list[tuple[int, int]]]]


def _homes(
    note: Note,
    path: NotePath,
    paths: list[NotePath],
    sections: list[tuple[int, int, range]],
) -> Homes:
    """Return the stretches of a note, by the note they are in afterwards."""
    left, at = [], 0
    for start, end, _ in sections:
        left.append((at, start))
        at = end
    left.append((at, len(note.text.encode()) + 1))
    cut = [(to, [one[:2]]) for to, one in zip(paths, sections, strict=True)]
    return [(path, left), *cut]


def _placed(end: End, path: NotePath, homes: Homes) -> End:
    if end.path != path or end.part is None:
        return end
    note = note_of(SHELVES[-1], path)
    all_of = note.headings if end.part.kind == "heading" else note.block_ids
    start = all_of[end.part.at].start
    for home, stretches in homes:
        if any(first <= start < last for first, last in stretches):
            before = [
                one
                for one in all_of[: end.part.at]
                if any(first <= one.start < last for first, last in stretches)
            ]
            return End(home, OutlinePart(end.part.kind, len(before)))
    raise AssertionError("a part of the note is nowhere")


def _pairs(note: Note, path: NotePath, homes: Homes) -> Pairs:
    """Return which link is which afterwards; one to each section is new."""
    pairs: Pairs = {}
    for home, stretches in homes:
        at = 0
        for number, (first, last) in enumerate(stretches):
            at += number if number == 0 else 1  # the link to the section before
            for index, link in enumerate(note.links):
                if first <= link.start < last:
                    pairs[path, index] = home, at
                    at += 1
    return pairs


SHELVES: list[Shelf] = []
"""The vault before the change that is being looked at."""


def _pages(shelf: Shelf) -> list[NotePath]:
    return [path for path, note in shelf.read_notes() if note.kind == "markdown"]


def _some_heading(shelf: Shelf, rng: random.Random) -> tuple[NotePath, int]:
    some = [path for path in _pages(shelf) if note_of(shelf, path).headings]
    linked = [
        path
        for links in ends(shelf).values()
        for _, end in links
        if end is not None and end.part is not None
        for path in (end.path,)
        if path in some
    ]
    path = rng.choice(linked if linked and rng.random() < 0.7 else some)
    return path, rng.randrange(len(note_of(shelf, path).headings))


ACTS = (rename_heading, rename_tag, merge, split)


def changes(shelf: Shelf, rng: random.Random, count: int) -> Counter[str]:
    """Make random changes one after the other; return how many of each were made."""
    made: Counter[str] = Counter()
    for _ in range(count):
        act = rng.choice(ACTS)
        SHELVES[:] = [shelf]
        try:
            shelf = act(shelf, rng)
        except EditRefused:
            made["refused"] += 1
        else:
            made[act.__name__] += 1
    return made


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_links_lead_where_they_led_in_a_vault_of_twins(seed: int) -> None:
    rng = random.Random(seed)

    made = changes(synthetic(rng), rng, SOME)

    assert made["refused"] < SOME / 2


@pytest.mark.slow
def test_links_lead_where_they_led_in_the_sample_vault() -> None:
    made = changes(Shelf.at(SAMPLE), random.Random(8), SOME)

    assert made["refused"] < SOME / 2


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_many_changes_of_vaults_of_twins(seed: int) -> None:
    rng = random.Random(100 + seed)

    made = changes(synthetic(rng), rng, SOME)

    assert made["refused"] < SOME / 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["sample", "kepano", "lyz", "tasks-demo", "tasks-docs"]
)
@pytest.mark.parametrize("act", ACTS)
def test_two_hundred_changes_of_each_vault(
    name: str, act: Callable[[Shelf, random.Random], Shelf]
) -> None:
    folder: Path = SAMPLE if name == "sample" else OTHERS / name
    if not folder.is_dir():
        pytest.skip(f"NOT TRIED: there is no vault {folder}")
    rng, start = random.Random(name), Shelf.at(folder)
    if act is rename_tag and not any(note.tags for _, note in start.read_notes()):
        pytest.skip(f"there is no tag in {name}")
    made = 0
    for _ in range(4 * MANY):  # some notes are templates, and no valid YAML
        SHELVES[:] = [start]
        try:
            act(start, rng)
        except EditRefused:
            continue
        made += 1
        if made == MANY:
            break

    assert made == MANY
