"""The engine's verbs over a whole vault: read, chunks, doctor, and staying current."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from vault_desk import VaultDesk

from glassmind import open_vault
from glassmind.errors import (
    AmbiguousHeading,
    AmbiguousName,
    ConfigError,
    FileUnreadable,
    HeadingNotFound,
    IndexAbsent,
    LinesOutOfRange,
    NoteNotFound,
)
from glassmind.types import Span
from glassmind.vault.read import digest_of

NOTE = (
    "---\naliases: [Cha]\n---\n# Top\nintro\n"
    "## A\none\ntwo\n### Deep\nx\n## B\n### Deep\ny\n"
)


def test_a_note_is_read_whole_as_it_stands_on_disk(vault: VaultDesk) -> None:
    vault.indexed({"drinks/Tea.md": NOTE})

    found = vault.engine.read("Tea")

    assert (found.path, found.title, found.text) == ("drinks/Tea.md", "Tea", NOTE)
    assert found.span == Span(1, 13)
    assert found.digest == digest_of(NOTE.encode())


@pytest.mark.parametrize(
    "name", ["Tea", "tea", "Tea.md", "drinks/Tea", "Cha", "[[Tea]]"]
)
def test_a_note_goes_by_every_name_a_person_types(vault: VaultDesk, name: str) -> None:
    vault.indexed({"drinks/Tea.md": NOTE})

    assert vault.engine.read(name).path == "drinks/Tea.md"


def test_a_note_changed_since_it_was_indexed_is_read_as_it_is_now(
    vault: VaultDesk,
) -> None:
    vault.indexed({"Tea.md": "old"})
    vault.write({"Tea.md": "new"})

    assert vault.engine.read("Tea").text == "new"


@pytest.mark.parametrize(
    ("heading", "text", "under"),
    [
        ("A", "## A\none\ntwo\n### Deep\nx\n", ("Top", "A")),
        ("# a ", "## A\none\ntwo\n### Deep\nx\n", ("Top", "A")),
        ("A#Deep", "### Deep\nx\n", ("Top", "A", "Deep")),
        ("Top#B#Deep", "### Deep\ny\n", ("Top", "B", "Deep")),
        ("B", "## B\n### Deep\ny\n", ("Top", "B")),
    ],
)
def test_a_section_is_read_by_its_heading(
    vault: VaultDesk, heading: str, text: str, under: tuple[str, ...]
) -> None:
    vault.indexed({"Tea.md": NOTE})

    found = vault.engine.read("Tea", heading=heading)

    lines = NOTE.splitlines(keepends=True)
    assert (found.text, found.heading_path) == (text, under)
    assert "".join(lines[found.span.start - 1 : found.span.end]) == text


def test_lines_are_read_and_those_beyond_the_end_are_cut(vault: VaultDesk) -> None:
    vault.indexed({"Tea.md": "a\nb\nc\n"})

    assert vault.engine.read("Tea", lines=(2, 3)).text == "b\nc\n"
    assert vault.engine.read("Tea", lines=(3, 99)).span == Span(3, 3)


@pytest.mark.parametrize("lines", [(0, 1), (4, 5), (2, 1), (-1, 2)])
def test_lines_that_are_not_there_are_an_error(
    vault: VaultDesk, lines: tuple[int, int]
) -> None:
    vault.indexed({"Tea.md": "a\nb\nc\n"})

    with pytest.raises(LinesOutOfRange, match="has 3 lines"):
        vault.engine.read("Tea", lines=lines)


def test_a_name_that_is_no_note_or_several_is_an_error_that_helps(
    vault: VaultDesk,
) -> None:
    vault.indexed({"a/Tea.md": NOTE, "b/Tea.md": NOTE})

    with pytest.raises(AmbiguousName, match="give the path"):
        vault.engine.read("Tea")
    with pytest.raises(NoteNotFound, match="no note is called 'Zebra'"):
        vault.engine.read("Zebra")
    with pytest.raises(HeadingNotFound, match="it has: Top, A, Deep"):
        vault.engine.read("a/Tea", heading="C")
    with pytest.raises(AmbiguousHeading, match="2 times"):
        vault.engine.read("a/Tea", heading="Deep")


@pytest.mark.parametrize("name", ["../outside.md", "/etc/hostname", "x/../../y", "\0"])
def test_nothing_outside_the_vault_can_be_read(vault: VaultDesk, name: str) -> None:
    vault.indexed({"Tea.md": NOTE})
    (vault.root.parent / "outside.md").write_text("secret")

    with pytest.raises(NoteNotFound):
        vault.engine.read(name)


def test_a_note_deleted_since_it_was_indexed_cannot_be_read(vault: VaultDesk) -> None:
    vault.indexed({"Tea.md": NOTE})
    vault.remove("Tea.md")

    with pytest.raises(FileUnreadable, match=r"Tea\.md cannot be read"):
        vault.engine.read("Tea")


def test_an_empty_note_is_read_and_listed(vault: VaultDesk) -> None:
    vault.indexed({"Empty.md": ""})

    assert vault.engine.read("Empty").text == ""
    assert vault.engine.stats().notes == 1


def test_an_engine_sees_what_another_has_indexed(vault: VaultDesk) -> None:
    vault.indexed({"A.md": "alpha"})
    first = vault.engine
    assert not first.search("beta").hits

    vault.open()
    vault.indexed({"B.md": "beta"})

    assert [hit.path for hit in first.search("beta").hits] == ["B.md"]
    assert first.stats().notes == 2


def test_an_engine_sees_an_index_that_was_made_after_it_was_opened(
    vault: VaultDesk,
) -> None:
    first = vault.open()
    with pytest.raises(IndexAbsent):
        first.search("alpha")

    vault.open()
    vault.indexed({"A.md": "alpha"})

    assert [hit.path for hit in first.search("alpha").hits] == ["A.md"]


def test_an_engine_sees_that_its_index_was_rebuilt_or_deleted(
    vault: VaultDesk,
) -> None:
    vault.indexed({"A.md": "alpha"})
    first = vault.engine
    first.search("alpha")

    vault.open()
    vault.write({"A.md": "beta"})
    vault.index(rebuild=True)
    found = first.search("beta").hits
    vault.engine.close()
    shutil.rmtree(vault.folder)

    assert [hit.path for hit in found] == ["A.md"]
    with pytest.raises(IndexAbsent):
        first.search("beta")


def test_a_word_index_that_was_deleted_is_made_anew_by_the_next_search(
    vault: VaultDesk,
) -> None:
    vault.indexed({"A.md": "alpha"})
    vault.close()
    shutil.rmtree(vault.folder / "lexical")

    reply = vault.ask("alpha")

    assert [hit.path for hit in reply.hits] == ["A.md"]
    assert reply.degraded == ()


def test_one_engine_answers_many_threads(vault: VaultDesk) -> None:
    vault.indexed({f"{n}.md": f"tea word{n}" for n in range(20)})

    def ask(n: int) -> list[str]:
        paths = vault.found(f"word{n % 20}")
        assert vault.engine.stats().notes == 20
        return paths

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(ask, range(40), timeout=60))

    assert found == [[f"{n % 20}.md"] for n in range(40)]


def test_an_engine_is_closed_by_leaving_its_block(vault: VaultDesk) -> None:
    vault.indexed({"A.md": "alpha"})

    with vault.open() as engine:
        assert engine.search("alpha").hits

    engine.close()


def test_a_healthy_vault_has_nothing_to_mend(vault: VaultDesk) -> None:
    vault.indexed({"A.md": "alpha"})

    checks = vault.engine.doctor()

    assert {check.state for check in checks} == {"ok"}
    assert {"vault", "index.db", "word index", "freshness", "writer"} <= {
        check.name for check in checks
    }


def test_the_doctor_says_that_there_is_no_index_yet(vault: VaultDesk) -> None:
    vault.write({"A.md": "alpha"})

    checks = {check.name: check for check in vault.engine.doctor()}

    assert (checks["index"].state, checks["index"].fix) == (
        "warn",
        "run: glassmind index",
    )
    assert checks["vault"].state == "ok"


def test_the_doctor_counts_what_changed_since(vault: VaultDesk) -> None:
    vault.indexed({"A.md": "alpha", "B.md": "beta"})
    vault.write({"A.md": "changed", "C.md": "new"})
    vault.remove("B.md")

    (check,) = [c for c in vault.engine.doctor() if c.name == "freshness"]

    assert (check.state, check.finding) == ("warn", "3 files changed since")


def test_a_vault_that_is_no_folder_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")

    for place in (tmp_path / "none", tmp_path / "file"):
        with pytest.raises(ConfigError, match="is not a folder"):
            open_vault(place, env={})


def test_a_setting_that_does_not_exist_is_an_error_that_names_it(
    vault: VaultDesk,
) -> None:
    with pytest.raises(ConfigError, match=r"index\.locaton"):
        open_vault(vault.root, settings={"index.locaton": "x"}, env={})


def test_two_vaults_in_one_place_keep_their_indexes_apart(tmp_path: Path) -> None:
    one, two = VaultDesk(tmp_path / "one"), VaultDesk(tmp_path / "two")
    two.place = one.place
    one.indexed({"A.md": "alpha"})
    two.indexed({"B.md": "beta"})

    found = one.found("alpha beta"), two.found("alpha beta")
    one.close()
    two.close()

    assert found == (["A.md"], ["B.md"])
