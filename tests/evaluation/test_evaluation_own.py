"""A vault's own links become questions, and the copy they are asked of hides them."""

import hashlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from glassmind.config.load import config_for
from glassmind.evaluation.bench import copy_vault, edited
from glassmind.evaluation.gold import GoldQuery
from glassmind.evaluation.own_links import (
    PER_TARGET,
    Readings,
    Replacement,
    SelfGold,
    own_gold,
    read_vault,
)
from glassmind.model import NotePath
from glassmind.search.query import key_of

SAMPLE = Path(__file__).parents[2] / "sample-vault"
SHARED = Path(__file__).parents[3] / "shared" / "data" / "vaults"

NOTES = {
    "Tea.md": "---\naliases: [camellia drink, Chai]\n---\n# Tea\n\n"
    "## How it is grown\n\nOn hills.\n\n## Notes\n",
    "Pots/Kettle.md": "# Kettle\n\n## Notes\n\nBoils.\n",
    "Home.md": "Before breakfast we always drink [[Tea|the morning leaf]] from the "
    "garden. See [[Tea]]. Also [here](Pots/Kettle.md).\n\n"
    "- water goes into the [[Kettle]] before anybody wakes up\n",
    "Other.md": "---\nabout: '[[Tea]]'\n---\nMore on [[Tea|tea]] and [[Tea|TEA!]].\n",
}


def vault(root: Path, notes: Mapping[str, str | bytes]) -> Path:
    (root / ".obsidian").mkdir(parents=True)
    for path, text in notes.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
    return root


def read(root: Path) -> Readings:
    return read_vault(config_for(root.resolve()))


def gold_of(root: Path, **wanted: int) -> SelfGold:
    return own_gold(read(root), **wanted)


def asked(found: SelfGold) -> dict[str, GoldQuery]:
    return {query.text: query for query in found.gold.queries}


def copied(root: Path, folder: Path, found: SelfGold) -> Readings:
    copy_vault(read(root), found.hidden, folder)
    return read(folder)


def content_of(root: Path) -> dict[str, tuple[str, int]]:
    return {
        str(file): (
            hashlib.sha256(file.read_bytes()).hexdigest(),
            file.stat().st_mtime_ns,
        )
        for file in root.rglob("*")
        if file.is_file()
    }


def test_links_aliases_and_headings_ask_for_their_note(tmp_path: Path) -> None:
    found = asked(gold_of(vault(tmp_path / "v", NOTES)))

    assert found["the morning leaf"].grades == {"Tea.md": 1.0}
    assert found["the morning leaf"].kind == "anchor"
    assert found["the morning leaf"].left_out == {"Home.md"}
    assert found["camellia drink"].kind == "alias"
    assert found["camellia drink"].left_out == frozenset()
    assert found["How it is grown"].kind == "heading"
    around = found["Before breakfast we always drink from the garden."]
    assert (around.kind, around.grades) == ("context", {"Tea.md": 1.0})
    boiling = found["water goes into the before anybody wakes up"]
    assert boiling.grades == {"Pots/Kettle.md": 1.0}


def test_a_name_of_the_note_or_a_common_heading_is_no_question(tmp_path: Path) -> None:
    texts = {key_of(text) for text in asked(gold_of(vault(tmp_path / "v", NOTES)))}

    assert not texts & {"tea", "kettle", "notes", "pots kettle"}


def test_a_heading_that_links_name_is_no_question(tmp_path: Path) -> None:
    guide = (
        "- [Choosing a pot](#choosing-a-pot)\n- [[#Water in winter]]\n\n"
        "## Choosing a pot\n\n## Water in winter\n\n"
        "## Scale and rust\n\n## Old leaves\n"
    )
    other = "As said in [[Guide#Scale and rust]] it is harmless.\n"

    found = asked(gold_of(vault(tmp_path / "v", {"Guide.md": guide, "O.md": other})))

    assert [q.text for q in found.values() if q.kind == "heading"] == ["Old leaves"]


def test_a_text_that_may_mean_many_notes_is_no_question(tmp_path: Path) -> None:
    targets = {f"T{n}.md": f"note {n}" for n in range(3)}
    links = "".join(f"[here](T{n}.md)\n\n" for n in range(3))

    found = asked(gold_of(vault(tmp_path / "v", {**targets, "Home.md": links})))

    assert "here" not in found


def test_all_links_between_two_notes_are_hidden_together(tmp_path: Path) -> None:
    root = vault(tmp_path / "v", {"Tea.md": "x", "Home.md": NOTES["Home.md"]})

    copy = copied(root, tmp_path / "copy", gold_of(root))

    text = copy.notes[NotePath("Home.md")].note.text
    assert "drink the morning leaf from" in text
    assert "See Tea." in text
    assert "[[Tea" not in text


def test_embeds_and_properties_that_say_the_same_are_hidden_with_a_question(
    tmp_path: Path,
) -> None:
    notes = {
        "Tea.md": "x",
        "Home.md": "We drink [[Tea|the morning leaf]] here.\n",
        "Shown.md": "Look: ![[Tea|the morning leaf]] and ![[Tea|our cup]].\n",
        "Listed.md": "---\nsee: '[[Tea|the morning leaf]]'\n---\ntext\n",
    }
    root = vault(tmp_path / "v", notes)
    found = gold_of(root)

    copy = copied(root, tmp_path / "copy", found)

    query = asked(found)["the morning leaf"]
    assert query.left_out == {"Home.md", "Shown.md", "Listed.md"}
    assert not any("[[Tea" in read.note.text for read in copy.notes.values())
    assert "our cup" not in asked(found)


def test_a_copy_holds_no_answer_and_all_else_to_the_letter(tmp_path: Path) -> None:
    root = vault(tmp_path / "v", {**NOTES, "pic.png": b"\x89PNG"})
    found = gold_of(root)

    copy = copied(root, tmp_path / "copy", found)

    assert leaks(copy, found) == []
    assert (tmp_path / "copy/pic.png").read_bytes() == b""
    kettle = tmp_path / "copy/Pots/Kettle.md"
    assert kettle.read_text("utf-8") == NOTES["Pots/Kettle.md"]
    assert kettle.stat().st_mtime_ns == (root / "Pots/Kettle.md").stat().st_mtime_ns
    tea = (tmp_path / "copy/Tea.md").read_text("utf-8")
    assert tea.startswith('---\naliases: ["", ""]\n---\n# Tea\n\n##\n\nOn hills.')


def leaks(copy: Readings, found: SelfGold) -> list[str]:
    """Return the queries whose answer the copy still gives away."""
    return [query.text for query in found.gold.queries if gives_away(copy, query)]


def gives_away(copy: Readings, query: GoldQuery) -> bool:
    key = key_of(query.text)
    for path in query.grades:
        note = copy.notes[NotePath(path)].note
        names = [*note.aliases, *(heading.text for heading in note.headings)]
        if query.kind in {"alias", "heading"} and key in map(key_of, names):
            return True
    ends = {
        copy.names.resolve(link.target, NotePath(source))
        for source in query.left_out
        for link in copy.notes[NotePath(source)].note.links
        if link.target
    }
    return not ends.isdisjoint(map(NotePath, query.grades))


def test_bytes_before_and_behind_an_edit_stay(tmp_path: Path) -> None:
    bom = b"\xef\xbb\xbf"
    text = "Über den [[Tea|grünen Tee]] hinaus sagt der Satz noch etwas.\r\n"
    root = vault(tmp_path / "v", {"Tea.md": "x", "a.md": bom + text.encode()})

    copied(root, tmp_path / "copy", gold_of(root))

    expected = text.replace("[[Tea|grünen Tee]]", "grünen Tee").encode()
    assert (tmp_path / "copy/a.md").read_bytes() == bom + expected
    assert (
        edited(b"abcdef", [Replacement(1, 2, b"X"), Replacement(4, 6, b"")], 0)
        == b"aXcd"
    )


def test_the_vault_itself_is_never_touched(tmp_path: Path) -> None:
    root = vault(tmp_path / "v", NOTES)
    before = content_of(root)

    copied(root, tmp_path / "copy", gold_of(root))

    assert content_of(root) == before


def test_the_same_vault_gives_the_same_questions(tmp_path: Path) -> None:
    first, again = gold_of(SAMPLE), gold_of(SAMPLE)

    assert first == again
    assert gold_of(SAMPLE, seed=1, most=40) != gold_of(SAMPLE, seed=2, most=40)


def test_no_note_is_asked_for_too_often_and_kinds_take_turns() -> None:
    found = gold_of(SAMPLE, most=40)

    kinds = Counter(query.kind for query in found.gold.queries)
    targets = Counter(path for query in found.gold.queries for path in query.grades)
    assert kinds == {"anchor": 10, "alias": 10, "heading": 10, "context": 10}
    assert max(targets.values()) <= PER_TARGET


@pytest.mark.parametrize(
    "name",
    [
        "sample",
        "tasks-demo",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("lyz", "tasks-docs")),
    ],
)
def test_copies_of_real_vaults_hold_no_answer(name: str, tmp_path: Path) -> None:
    root = SAMPLE if name == "sample" else SHARED / name / "vault"
    if not root.is_dir():
        pytest.skip(f"no {name} beside the checkout: its copy is not examined")
    found = gold_of(root)

    copy = copied(root, tmp_path / "copy", found)

    assert len(found.gold.queries) >= 190
    assert leaks(copy, found) == []
    assert {file.path for file in copy.files} == {
        file.path for file in read(root).files
    }
