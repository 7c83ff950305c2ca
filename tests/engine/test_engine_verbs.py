"""The engine's verbs over a whole vault: read, chunks, doctor, and staying current."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fault_tools.harness import delete_index
from vault_harness import VaultHarness

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
from glassmind.files.read import digest_of
from glassmind.model import Span
from glassmind.model.index import GuessedNote

NOTE = (
    "---\naliases: [Cha]\n---\n# Top\nintro\n"
    "## A\none\ntwo\n### Deep\nx\n## B\n### Deep\ny\n"
)


def test_a_note_is_read_whole_as_it_stands_on_disk(vault: VaultHarness) -> None:
    vault.indexed({"drinks/Tea.md": NOTE})

    found = vault.engine.read("Tea")

    assert (found.path, found.title, found.text) == ("drinks/Tea.md", "Tea", NOTE)
    assert found.span == Span(1, 13)
    assert found.digest == digest_of(NOTE.encode())


@pytest.mark.parametrize(
    "name", ["Tea", "tea", "Tea.md", "drinks/Tea", "Cha", "[[Tea]]"]
)
def test_a_note_goes_by_every_name_a_person_types(
    vault: VaultHarness, name: str
) -> None:
    vault.indexed({"drinks/Tea.md": NOTE})

    assert vault.engine.read(name).path == "drinks/Tea.md"


def test_a_note_changed_since_it_was_indexed_is_read_as_it_is_now(
    vault: VaultHarness,
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
    vault: VaultHarness, heading: str, text: str, under: tuple[str, ...]
) -> None:
    vault.indexed({"Tea.md": NOTE})

    found = vault.engine.read("Tea", heading=heading)

    lines = NOTE.splitlines(keepends=True)
    assert (found.text, found.heading_path) == (text, under)
    assert "".join(lines[found.span.start - 1 : found.span.end]) == text


def test_lines_before_a_heading_are_not_said_to_stand_under_it(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Tea.md": NOTE})

    above = vault.engine.read("Tea", heading="B", lines=(1, 2))
    inside = vault.engine.read("Tea", heading="A", lines=(7, 8))

    assert (above.span, above.heading_path) == (Span(1, 2), ())
    assert (inside.text, inside.heading_path) == ("one\ntwo\n", ("Top", "A"))


def test_lines_are_read_and_those_beyond_the_end_are_cut(vault: VaultHarness) -> None:
    vault.indexed({"Tea.md": "a\nb\nc\n"})

    assert vault.engine.read("Tea", lines=(2, 3)).text == "b\nc\n"
    assert vault.engine.read("Tea", lines=(3, 99)).span == Span(3, 3)


@pytest.mark.parametrize("lines", [(0, 1), (4, 5), (2, 1), (-1, 2)])
def test_lines_that_are_not_there_are_an_error(
    vault: VaultHarness, lines: tuple[int, int]
) -> None:
    vault.indexed({"Tea.md": "a\nb\nc\n"})

    with pytest.raises(LinesOutOfRange, match="has 3 lines"):
        vault.engine.read("Tea", lines=lines)


def test_a_name_that_is_no_note_or_several_is_an_error_that_helps(
    vault: VaultHarness,
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
def test_nothing_outside_the_vault_can_be_read(vault: VaultHarness, name: str) -> None:
    vault.indexed({"Tea.md": NOTE})
    (vault.root.parent / "outside.md").write_text("secret")

    with pytest.raises(NoteNotFound):
        vault.engine.read(name)


def test_a_note_deleted_since_it_was_indexed_cannot_be_read(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Tea.md": NOTE})
    vault.remove("Tea.md")

    with pytest.raises(FileUnreadable, match=r"Tea\.md cannot be read"):
        vault.engine.read("Tea")


def test_an_empty_note_is_read_and_listed(vault: VaultHarness) -> None:
    vault.indexed({"Empty.md": ""})

    assert vault.engine.read("Empty").text == ""
    assert vault.engine.stats().notes == 1


def test_an_engine_sees_what_another_has_indexed(vault: VaultHarness) -> None:
    vault.indexed({"A.md": "alpha"})
    first = vault.engine
    assert not first.search("beta").hits

    vault.open()
    vault.indexed({"B.md": "beta"})

    assert [hit.path for hit in first.search("beta").hits] == ["B.md"]
    assert first.stats().notes == 2


def test_an_engine_sees_an_index_that_was_made_after_it_was_opened(
    vault: VaultHarness,
) -> None:
    first = vault.open()
    with pytest.raises(IndexAbsent):
        first.search("alpha")

    vault.open()
    vault.indexed({"A.md": "alpha"})

    assert [hit.path for hit in first.search("alpha").hits] == ["A.md"]


def test_an_engine_sees_that_its_index_was_rebuilt_or_deleted(
    vault: VaultHarness,
) -> None:
    vault.indexed({"A.md": "alpha"})
    first = vault.engine
    first.search("alpha")

    vault.open()
    vault.write({"A.md": "beta"})
    vault.index(rebuild=True)
    found = first.search("beta").hits
    vault.engine.close()
    delete_index(vault.folder)

    assert [hit.path for hit in found] == ["A.md"]
    with pytest.raises(IndexAbsent):
        first.search("beta")


def test_a_word_index_that_was_deleted_is_made_anew_by_the_next_search(
    vault: VaultHarness,
) -> None:
    vault.indexed({"A.md": "alpha"})
    vault.close()
    delete_index(vault.folder / "lexical")

    reply = vault.ask("alpha")

    assert [hit.path for hit in reply.hits] == ["A.md"]
    assert reply.degraded == ()


def test_one_engine_answers_many_threads(vault: VaultHarness) -> None:
    vault.indexed({f"{n}.md": f"tea word{n}" for n in range(20)})

    def ask(n: int) -> list[str]:
        paths = vault.found(f"word{n % 20}")
        assert vault.engine.stats().notes == 20
        return paths

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(ask, range(40), timeout=60))

    assert found == [[f"{n % 20}.md"] for n in range(40)]


def test_an_engine_is_closed_by_leaving_its_block(vault: VaultHarness) -> None:
    vault.indexed({"A.md": "alpha"})

    with vault.open() as engine:
        assert engine.search("alpha").hits

    engine.close()


def test_a_healthy_vault_has_nothing_to_mend(vault: VaultHarness) -> None:
    vault.indexed({"A.md": "alpha"})

    checks = vault.engine.doctor()

    assert {check.state for check in checks} == {"ok"}
    assert {"vault", "index.db", "word index", "freshness", "writer"} <= {
        check.name for check in checks
    }


def test_the_doctor_says_that_there_is_no_index_yet(vault: VaultHarness) -> None:
    vault.write({"A.md": "alpha"})

    checks = {check.name: check for check in vault.engine.doctor()}

    assert (checks["index"].state, checks["index"].fix) == (
        "warn",
        "run: glassmind index",
    )
    assert checks["vault"].state == "ok"


def test_the_doctor_counts_what_changed_since(vault: VaultHarness) -> None:
    vault.indexed({"A.md": "alpha", "B.md": "beta"})
    vault.write({"A.md": "changed", "C.md": "new"})
    vault.remove("B.md")

    (check,) = [c for c in vault.engine.doctor() if c.name == "freshness"]

    assert (check.state, check.finding) == ("warn", "files changed since: 3")


def test_a_vault_that_is_no_folder_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")

    for place in (tmp_path / "none", tmp_path / "file"):
        with pytest.raises(ConfigError, match="is not a folder"):
            open_vault(place, env={})


def test_a_setting_that_does_not_exist_is_an_error_that_names_it(
    vault: VaultHarness,
) -> None:
    with pytest.raises(ConfigError, match=r"index\.locaton"):
        open_vault(vault.root, settings={"index.locaton": "x"}, env={})


def test_two_vaults_in_one_place_keep_their_indexes_apart(tmp_path: Path) -> None:
    one, two = VaultHarness(tmp_path / "one"), VaultHarness(tmp_path / "two")
    two.place = one.place
    one.indexed({"A.md": "alpha"})
    two.indexed({"B.md": "beta"})

    found = one.found("alpha beta"), two.found("alpha beta")
    one.close()
    two.close()

    assert found == (["A.md"], ["B.md"])


ODD_ENDS = "one\x0cstill one\x85\u2028still\rone\ntwo\r\n## Three\nfour"


def test_a_line_ends_at_a_line_feed_and_nowhere_else(vault: VaultHarness) -> None:
    vault.indexed({"Odd.md": ODD_ENDS})

    second = vault.engine.read("Odd", lines=(2, 2))
    section = vault.engine.read("Odd#Three")
    (hit,) = vault.engine.search("four").hits

    assert second.text == "two\r\n"
    assert (section.text, section.span) == ("## Three\nfour", Span(3, 4))
    assert hit.lines.end == vault.engine.read("Odd").span.end == 4


CARDS = [
    {"id": str(n), "type": "text", "text": f"# Card {n}\nsteeping word{n}"}
    | {"x": 0, "y": n * 100, "width": 10, "height": 10}
    for n in range(3)
]
CANVAS = json.dumps({"nodes": CARDS, "edges": []})


def test_the_lines_of_a_canvas_are_those_a_search_names(vault: VaultHarness) -> None:
    vault.indexed({"Board.canvas": CANVAS})
    hits = [vault.engine.search(f"word{n}").hits[0] for n in range(3)]

    for n, hit in enumerate(hits):
        lines = (hit.lines.start, hit.lines.end)
        assert f"word{n}" in vault.engine.read(hit.path, lines=lines).text
    assert vault.engine.read("Board.canvas#Card 1").text.startswith("# Card 1\n")


def test_the_file_of_a_canvas_can_be_had_itself(vault: VaultHarness) -> None:
    vault.indexed({"Board.canvas": CANVAS})

    found = vault.engine.read("Board.canvas", raw=True)

    assert (found.text, found.span) == (CANVAS, Span(1, 1))
    assert found.digest == vault.engine.read("Board.canvas").digest
    with pytest.raises(HeadingNotFound, match="it has none"):
        vault.engine.read("Board.canvas", heading="Card 1", raw=True)


def test_a_drawing_is_read_without_its_drawing_unless_raw(vault: VaultHarness) -> None:
    words = "---\nexcalidraw-plugin: parsed\n---\n# Text Elements\nkettle ^a1b2c3d4\n"
    scene = '%%\n## Drawing\n```json\n{"type": "excalidraw"}\n```\n%%\n'
    vault.indexed({"Pot.excalidraw.md": words + scene})

    plain = vault.engine.read("Pot.excalidraw")
    raw = vault.engine.read("Pot.excalidraw", raw=True)

    assert "kettle" in plain.text
    assert '"type"' not in plain.text
    assert raw.text == words + scene


SHARP = "# C# notes\nx\n## F#\ny\n### C# notes\nz\n## A\n### B\nb\n# A#B\nboth\n"


@pytest.mark.parametrize(
    ("name", "heading", "text"),
    [
        ("Sharp", "F#", "## F#\ny\n### C# notes\nz\n"),
        ("Sharp", "## F#", "## F#\ny\n### C# notes\nz\n"),
        ("Sharp", "F##C# notes", "### C# notes\nz\n"),
        ("Sharp", "c# notes#f##c# notes", "### C# notes\nz\n"),
        ("Sharp", "A#B", "# A#B\nboth\n"),
        ("Sharp", "C# notes#A#B", "### B\nb\n"),
        ("Sharp#F#", "", "## F#\ny\n### C# notes\nz\n"),
        ("C# tips", "", "# Use\nspan\n"),
        ("C# tips.md#Use", "", "# Use\nspan\n"),
        ("C# tips#use", "", "# Use\nspan\n"),
    ],
)
def test_a_heading_or_a_name_may_hold_a_sharp(
    vault: VaultHarness, name: str, heading: str, text: str
) -> None:
    vault.indexed({"Sharp.md": SHARP, "C# tips.md": "# Use\nspan\n", "C.md": "see"})

    assert vault.engine.read(name, heading=heading).text == text


def test_a_path_may_be_written_as_a_shell_writes_it(vault: VaultHarness) -> None:
    vault.indexed({"drinks/Tea.md": NOTE})
    link = vault.root.parent / "link"
    link.symlink_to(vault.root)

    for name in (
        "./drinks/Tea.md",
        f"{vault.root}/drinks/Tea.md",
        f"{vault.root}/drinks/../drinks/Tea.md#A",
        f"{link}/drinks/Tea.md",
    ):
        assert vault.engine.read(name).path == "drinks/Tea.md"


def test_a_note_taken_for_a_typo_is_told_from_one_that_was_named(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Oolong.md": NOTE})

    assert isinstance(vault.engine.read("Oolnog"), GuessedNote)
    assert not isinstance(vault.engine.read("Cha"), GuessedNote)


def test_a_file_that_was_skipped_is_answered_with_the_reason(
    vault: VaultHarness,
) -> None:
    vault.indexed(
        {"Tea.md": NOTE, "Te.md": "\0\0", ".glassmindignore": "Old/\n", "Old/A.md": "a"}
    )

    for name in ("Te", "Te.md", "./Te.md"):
        with pytest.raises(FileUnreadable, match=r"Te\.md .*skipped \(.*NUL"):
            vault.engine.read(name)
    with pytest.raises(FileUnreadable, match="glassmindignore"):
        vault.engine.read("Old/A.md")


def test_counting_bears_files_that_vanish_meanwhile(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.indexed({"Tea.md": NOTE})
    nothing: list[str] = []
    walked = [(str(vault.folder), nothing, ["index.db", "gone.tmp"])]
    monkeypatch.setattr("os.walk", lambda _folder: walked)

    assert (
        vault.engine.stats().index_bytes >= (vault.folder / "index.db").stat().st_size
    )


def test_chunks_of_a_path_are_found_without_a_look_at_every_name(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.indexed({"drinks/Tea.md": NOTE})
    by_name = vault.engine.chunks("Cha")
    monkeypatch.delattr("glassmind.search.notes._Called._every")

    assert vault.engine.chunks("drinks/Tea.md") == by_name
