"""Random moves over whole vaults: every link leads where it led, and back again."""

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from editing_harness import (
    OTHERS,
    SAMPLE,
    EditingHarness,
    MakeHarness,
    ends_in,
    harnesses_in,
)

from glassmind.edit.planning import plan_move
from glassmind.edit.relinking import left_out_of, renames_of
from glassmind.errors import BadEdit, NameTaken
from glassmind.model import NotePath
from glassmind.model.edits import Draft


@pytest.fixture
def editing(tmp_path: Path) -> Iterator[MakeHarness]:
    yield from harnesses_in(tmp_path)


WORDS = (
    "Tea",
    "Oat Milk",
    "Über",
    "50%",
    "a (b)",
    "x.y",
    "It's",
    "T&amp;",
)
SOME = 25
MANY = 200


def synthetic(seed: int) -> dict[str, str]:
    """Return a small vault with many twins, and every form of link between them."""
    chance = random.Random(seed)
    folders = ("", "a/", "a/b/", "c d/", "é/")
    paths = sorted(
        {f"{chance.choice(folders)}{chance.choice(WORDS)}.md" for _ in range(24)}
    )
    pictures = [f"{folder}pic.png" for folder in ("", "a/", "c d/")]
    files = {path: _note(chance, path, [*paths, *pictures]) for path in paths}
    files["a/Board.canvas"] = _canvas(chance, paths)
    return files | dict.fromkeys(pictures, "png")


def _note(chance: random.Random, path: str, paths: list[str]) -> str:
    lines = [
        f"- {_link(chance, path, chance.choice(paths))} and "
        f"{_link(chance, path, chance.choice(paths))}"
        for _ in range(8)
    ]
    name = path.rpartition("/")[2].removesuffix(".md")
    quoted = name.replace("'", "''")
    target = chance.choice(paths).removesuffix(".md")
    up = target.replace("'", "''")
    head = (
        f"---\ntitle: '{quoted}'\nup: '[[{up}]]' # c\nof: [\"[[{target}|x]]\"]\n---\n"
    )
    table = f"\n| a |\n| - |\n| [[{target}\\|x]] |\n"
    code = f"\n```\n[[{target}]]\n```\n`[[{target}]]`\n"
    definition = _escaped(chance.choice(paths))
    end = chance.choice(("\n", ""))
    listed = "\n".join(lines)
    return f"{head}{listed}\n{table}{code}\n[r] [s][r]\n\n[r]: {definition}{end}"


def _link(chance: random.Random, source: str, target: str) -> str:
    folder = source.rpartition("/")[0]
    up = "../" * len(folder.split("/")) if folder else "./"
    bare = target.rpartition("/")[2]
    path = chance.choice((bare, bare, target, f"/{target}", f"{up}{target}"))
    if chance.random() < 0.5:
        plain = chance.random() < 0.5
        return f"[t]({_escaped(path)}#h%20i)" if plain else f"[t](<{_percent(path)}#h>)"
    if chance.random() < 0.7:
        path = path.removesuffix(".md")
    tail = chance.choice(("", "|shown", "#Head", "#^id|x"))
    return f"{chance.choice(('', '!'))}[[{path}{tail}]]"


def _percent(path: str) -> str:
    return path.replace("%", "%25").replace("&", "\\&")


def _escaped(path: str) -> str:
    for sign in " ()":
        path = path.replace(sign, f"%{ord(sign):02X}") if sign != " " else path
    return (
        _percent(path)
        .replace(" ", "%20")
        .replace("%2528", "%28")
        .replace("%2529", "%29")
    )


def _canvas(chance: random.Random, paths: list[str]) -> str:
    cards = [
        f'{{"id":"{number}","type":"file","file":"{path}","x":0,"y":{number},'
        f'"width":1,"height":1}}'
        for number, path in enumerate(chance.sample(paths, 6))
    ]
    name = chance.choice(paths).removesuffix(".md")
    text = f'{{"id":"t","type":"text","text":"see [[{name}]]\\n\\u00e9","x":0,"y":99}}'
    return f'{{"nodes":[{",".join((*cards, text))}],"edges":[]}}'


def random_move(chance: random.Random, harness: EditingHarness) -> tuple[str, str]:
    """Return something of the vault, and somewhere to move it."""
    paths = [path for path in harness.paths() if Path(path).suffix]
    path = chance.choice(paths)
    folders = sorted({p.rpartition("/")[0] for p in paths if "/" in p})
    kind = chance.random()
    ending = Path(path).suffix
    if kind < 0.25 and folders:
        folder = chance.choice(folders)
        into = chance.choice(["", *folders])
        name = chance.choice((folder.rpartition("/")[2], f"F{chance.random():.3f}"))
        return f"{folder}/", f"{into}/{name}".removeprefix("/")
    into = chance.choice(["", *folders, "New/Deep"])
    name = path.rpartition("/")[2]
    if kind < 0.6:
        name = f"{chance.choice(WORDS)} {chance.randrange(30)}{ending}"
    elif kind < 0.8:
        other = Path(chance.choice(paths)).stem
        name = f"{other}{ending}"
    return path, f"{into}/{name}".removeprefix("/")


def expected_ends(
    ends: dict[NotePath, list[tuple[str, NotePath | None, str | None]]],
    goes: dict[NotePath, NotePath],
) -> dict[NotePath, list[tuple[NotePath | None, str | None]]]:
    """Return where links shall lead once files have other names."""
    return {
        goes.get(path, path): [
            (goes.get(end, end) if end else None, part) for _, end, part in links
        ]
        for path, links in ends.items()
    }


def moved_and_checked(
    harness: EditingHarness, source: str, destination: str
) -> Draft | None:
    """Move something, and see that every link leads where it led; None if refused.

    Links of notes left out of the index stay, those to them are as all others.
    """
    paths = harness.paths()
    every = [*paths, *left_out_of(harness.harness, paths)]
    ends = ends_in(harness.root, every)
    before = {path: links for path, links in ends.items() if path in set(paths)}
    try:
        draft = plan_move(harness.harness, source, destination)
    except (BadEdit, NameTaken):
        return None
    goes = dict(renames_of(draft.steps, every).goes)
    risks = [risk for risk in draft.risks if "left out of the index" not in risk]
    assert not risks, (source, destination, risks)

    harness.apply(draft)

    paths = harness.paths()
    after = ends_in(harness.root, [*paths, *left_out_of(harness.harness, paths)])
    for path, wanted in expected_ends(before, goes).items():
        assert len(after[path]) == len(wanted), path
        for (target, end, part), (meant, subpath) in zip(
            after[path], wanted, strict=True
        ):
            # a link that led nowhere may be met by a new name
            right = meant is None or end == meant
            assert right, (source, destination, path, target, end, meant)
            assert part == subpath
    return draft


def moves_and_back(harness: EditingHarness, seed: int, count: int) -> Iterator[Draft]:
    """Yield random moves, every second of which is made back."""
    chance = random.Random(seed)
    made = tries = 0
    while made < count and tries < count * 6:
        tries += 1
        source, destination = random_move(chance, harness)
        draft = moved_and_checked(harness, source, destination)
        if draft is None:
            continue
        made += 1
        yield draft
        if made % 2:
            there, back = str(draft.facts["to"]), str(draft.facts["from"])
            slash = "/" if draft.facts["folder"] else ""
            assert moved_and_checked(harness, there + slash, back) is not None
    assert made == count


seeds = pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 5))]
)


@pytest.mark.slow
@seeds
def test_random_moves_of_a_vault_of_twins_keep_every_link(
    editing: MakeHarness, seed: int
) -> None:
    harness = editing(synthetic(seed))

    drafts = list(moves_and_back(harness, seed, SOME // 2))

    assert sum(draft.rewritten.links for draft in drafts) > 0


@pytest.mark.slow
@seeds
def test_random_moves_keep_every_link_to_files_left_out_of_the_index(
    editing: MakeHarness, seed: int
) -> None:
    hidden = r"/(^|\/)(pic\.png|It's\.md|50%\.md|Tea\.md)$/"
    app = json.dumps({"userIgnoreFilters": [hidden]})
    harness = editing(synthetic(seed) | {".obsidian/app.json": app})
    assert not {"pic.png", "a/pic.png"} & set(harness.paths())

    drafts = list(moves_and_back(harness, seed, SOME // 2))

    assert sum(draft.rewritten.links for draft in drafts) > 0


@pytest.mark.slow
def test_random_moves_of_the_sample_vault_keep_every_link(editing: MakeHarness) -> None:
    harness = editing(copy=SAMPLE)

    drafts = list(moves_and_back(harness, 7, SOME // 2))

    assert sum(draft.rewritten.links for draft in drafts) > 0


@pytest.mark.slow
@pytest.mark.parametrize("setting", ["shortest", "relative", "absolute"])
def test_many_random_moves_of_a_vault_of_twins_keep_every_link(
    editing: MakeHarness, setting: str
) -> None:
    files = synthetic(11) | {".obsidian/app.json": f'{{"newLinkFormat":"{setting}"}}'}
    harness = editing(files)

    drafts = list(moves_and_back(harness, 11, MANY))

    assert sum(draft.rewritten.links for draft in drafts) > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["sample", "kepano", "lyz", "tasks-demo", "tasks-docs"]
)
def test_many_random_moves_of_a_real_vault_keep_every_link(
    editing: MakeHarness, name: str
) -> None:
    copy: Path = SAMPLE if name == "sample" else OTHERS / name
    if not copy.is_dir():
        pytest.skip(f"there is no vault {name} beside this checkout")
    harness = editing(copy=copy)

    drafts = list(moves_and_back(harness, 3, MANY))

    assert sum(draft.rewritten.links for draft in drafts) > 0
