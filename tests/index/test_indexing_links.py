"""Where links lead follows the files: targets appear, vanish and move."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from vault_harness import VaultHarness

from glassmind.errors import FileUnreadable
from glassmind.files.names import Names
from glassmind.files.read import VaultFiles
from glassmind.index import pipeline
from glassmind.model.index import Progress


def test_a_link_to_nothing_is_a_ghost_until_its_note_is_written(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Home.md": "[[Tea]]"})
    ghost, ghosts = vault.edges(), vault.engine.stats().ghosts

    vault.indexed({"drinks/Tea.md": "oolong"})

    assert (ghost, ghosts) == ({("Home.md", "Tea"): None}, 1)
    assert vault.edges() == {("Home.md", "Tea"): "drinks/Tea.md"}
    assert vault.engine.stats().ghosts == 0


def test_a_first_run_writes_each_link_with_its_end_before_its_note_is_read(
    vault: VaultHarness,
) -> None:
    vault.write({"A.md": "[[Z]] [[A]] [[pic.png]]", "Z.md": "z", "pic.png": b"p"})
    told: list[Progress] = []

    vault.engine.index(progress=told.append)

    assert vault.edges() == {
        ("A.md", "Z"): "Z.md", ("A.md", "A"): "A.md", ("A.md", "pic.png"): "pic.png",
    }  # fmt: skip
    assert "resolve" not in {step.stage for step in told}


def test_a_file_that_cannot_be_read_in_a_first_run_is_not_known_afterwards(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.write({"A.md": "[[Locked]]", "Locked.md": "secret"})
    read = VaultFiles.read

    def refusing(
        files: VaultFiles, path: str, *, limit_bytes: int | None = None
    ) -> bytes:
        if path == "Locked.md":
            raise FileUnreadable(path, "permission denied")
        return read(files, path, limit_bytes=limit_bytes)

    monkeypatch.setattr(VaultFiles, "read", refusing)
    report = vault.index()
    known = vault.rows("select path from files")
    monkeypatch.undo()
    vault.index()

    assert [skipped.path for skipped in report.skipped] == ["Locked.md"]
    assert known == [("A.md",)]
    assert vault.edges() == {("A.md", "Locked"): "Locked.md"}


def test_a_link_whose_note_is_deleted_becomes_a_ghost(vault: VaultHarness) -> None:
    vault.indexed({"Home.md": "[[Tea]]", "Tea.md": "oolong"})

    vault.remove("Tea.md")
    vault.index()

    assert vault.edges() == {("Home.md", "Tea"): None}


def test_a_link_falls_back_on_a_namesake_when_its_note_is_deleted(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Home.md": "[[Tea]]", "Tea.md": "1", "far/away/Tea.md": "2"})
    before = vault.edges()

    vault.remove("Tea.md")
    vault.index()

    assert before == {("Home.md", "Tea"): "Tea.md"}
    assert vault.edges() == {("Home.md", "Tea"): "far/away/Tea.md"}


def test_a_nearer_namesake_takes_a_link_over(vault: VaultHarness) -> None:
    vault.indexed({"x/Home.md": "[[Tea]]", "Tea.md": "1"})

    vault.indexed({"x/Tea.md": "2"})

    assert vault.edges() == {("x/Home.md", "Tea"): "x/Tea.md"}


def test_a_link_by_name_follows_a_note_that_moves(vault: VaultHarness) -> None:
    vault.indexed({"Home.md": "[[Tea]]", "Tea.md": "oolong"})

    vault.move("Tea.md", "drinks/Tea.md")
    vault.index()

    assert vault.edges() == {("Home.md", "Tea"): "drinks/Tea.md"}


def test_a_link_by_path_is_left_behind_by_a_note_that_moves(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Home.md": "[[drinks/Tea]]", "drinks/Tea.md": "oolong"})

    vault.move("drinks/Tea.md", "Tea.md")
    vault.index()

    assert vault.edges() == {("Home.md", "drinks/Tea"): None}


def test_a_note_that_is_renamed_leaves_one_ghost_and_fills_another(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Home.md": "[[Tea]] [[Cha]]", "Tea.md": "oolong"})

    vault.move("Tea.md", "Cha.md")
    vault.index()

    assert vault.edges() == {("Home.md", "Tea"): None, ("Home.md", "Cha"): "Cha.md"}


def test_a_relative_link_is_read_anew_when_its_own_note_moves(
    vault: VaultHarness,
) -> None:
    vault.indexed({
        "a/Home.md": "[x](./Tea.md)", "a/Tea.md": "near", "b/Tea.md": "far",
    })  # fmt: skip

    vault.move("a/Home.md", "b/Home.md")
    vault.index()

    assert vault.edges() == {("b/Home.md", "./Tea.md"): "b/Tea.md"}


def test_a_link_into_its_own_note_leads_to_itself(vault: VaultHarness) -> None:
    vault.indexed({"Tea.md": "# H\n[[#H]] and [[Tea]]"})

    assert vault.edges() == {("Tea.md", ""): "Tea.md", ("Tea.md", "Tea"): "Tea.md"}


def test_a_link_into_its_own_note_stays_there_when_the_note_moves(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Tea.md": "# H\n[[#H]]"})

    vault.move("Tea.md", "Cha.md")
    vault.index()

    assert vault.edges() == {("Cha.md", ""): "Cha.md"}


def test_wiki_markdown_property_and_canvas_links_all_lead_somewhere(
    vault: VaultHarness,
) -> None:
    canvas = {
        "nodes": [
            {"id": "1", "type": "file", "file": "drinks/Tea.md"},
            {"id": "2", "type": "text", "text": "see [[Cup]]"},
        ],
        "edges": [],
    }

    vault.indexed({
        "Wiki.md": "[[Tea]] and ![[pic.png]]",
        "Plain.md": "[tea](drinks/Tea.md) [web](https://a.example) [sp](My%20Note.md)",
        "Prop.md": '---\nrelated: "[[Cup]]"\n---\n',
        "Board.canvas": json.dumps(canvas),
        "drinks/Tea.md": "t", "Cup.md": "c", "My Note.md": "n", "pic.png": b"p",
    })  # fmt: skip

    assert vault.edges() == {
        ("Wiki.md", "Tea"): "drinks/Tea.md",
        ("Wiki.md", "pic.png"): "pic.png",
        ("Plain.md", "drinks/Tea.md"): "drinks/Tea.md",
        ("Plain.md", "My Note.md"): "My Note.md",
        ("Prop.md", "Cup"): "Cup.md",
        ("Board.canvas", "drinks/Tea.md"): "drinks/Tea.md",
        ("Board.canvas", "Cup"): "Cup.md",
    }
    assert set(vault.rows("select kind, count(*) from links group by 1")) == {
        ("wikilink", 3), ("markdown", 2), ("property", 1), ("canvas", 1),
    }  # fmt: skip


def test_a_link_to_an_attachment_follows_it_too(vault: VaultHarness) -> None:
    vault.indexed({"Home.md": "![[pic.png]]"})
    vault.indexed({"img/pic.png": b"1"})
    shown = vault.edges()

    vault.remove("img/pic.png")
    vault.index()

    assert shown == {("Home.md", "pic.png"): "img/pic.png"}
    assert vault.edges() == {("Home.md", "pic.png"): None}


def test_links_of_other_names_are_not_resolved_again(vault: VaultHarness) -> None:
    vault.indexed({"Home.md": "[[Tea]] [[Cup]]", "Tea.md": "t", "Cup.md": "c"})
    db = vault.database()
    db.execute("update links set target_id = null where target = 'Cup'")
    db.close()

    vault.indexed({"far/Tea.md": "2"})

    assert vault.edges()["Home.md", "Cup"] is None  # only a new Cup would look again


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("TEA", "Tea.md"),
        ("Tea.md", "Tea.md"),
        ("Straße", "Straße.md"),
        ("café", "cafe\u0301.md"),
        ("v1.2", "v1.2.md"),
    ],
)
def test_a_ghost_is_filled_however_its_name_is_written(
    vault: VaultHarness, target: str, path: str
) -> None:
    vault.indexed({"Home.md": f"[[{target}]]"})

    vault.indexed({path: "here"})

    assert list(vault.edges().values()) != [None]


NAMES = ("A.md", "B.md", "x/A.md", "x/B.md", "x/y/A.md", "pic.png", "x/pic.png")
LINKS = ("[[A]]", "[[B]]", "[[x/A]]", "![[pic.png]]", "[m](./A.md)", "[m](../B.md)")
Step = tuple[str, str, str, list[str]]
steps = st.lists(
    st.tuples(
        st.sampled_from(["write", "remove", "move"]),
        st.sampled_from(NAMES),
        st.sampled_from(NAMES),
        st.lists(st.sampled_from(LINKS), max_size=3),
    ),
    min_size=1,
    max_size=8,
)


@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(rounds=st.lists(steps, min_size=1, max_size=3))
def test_links_lead_where_a_fresh_index_would_have_them(
    tmp_path_factory: pytest.TempPathFactory, rounds: list[list[Step]]
) -> None:
    vault = VaultHarness(tmp_path_factory.mktemp("links"))

    for number, changes in enumerate(rounds):
        for verb, path, other, written in changes:
            file, end = vault.root / path, vault.root / other
            if verb == "write":
                vault.write({path: f"{number} {' '.join(written)}"})
            elif verb == "remove":
                file.unlink(missing_ok=True)
            elif file.exists() and not end.exists() and file.suffix == end.suffix:
                vault.move(path, other)
        vault.index()

    paths = [row[0] for row in vault.rows("select path from files")]
    links = vault.rows(
        "select f.path, l.target, l.kind, t.path, l.settled from links l "
        "join files f on f.id = l.note_id left join files t on t.id = l.target_id"
    )
    names = Names.of(paths)
    expected = [
        (
            source,
            target,
            kind,
            names.resolve(target, source, markdown=kind == "markdown"),
        )
        for source, target, kind, _, _ in links
    ]
    vault.close()
    assert [link[:4] for link in links] == expected
    assert all(link[4] for link in links)


def test_a_note_named_in_a_folder_not_known_yet_takes_over_its_links(
    vault: VaultHarness,
) -> None:
    vault.indexed({"a.md": "[[new]] [[t]]", "far/away/t.md": "1"})
    vault.write({"sub/new.md": "here", "z/t.md": "2"})

    vault.index(paths=("sub/new.md",))
    vault.index(paths=("z/t.md",))

    assert vault.edges() == {("a.md", "new"): "sub/new.md", ("a.md", "t"): "z/t.md"}


def test_a_first_run_cut_short_and_gone_on_with_equals_one_that_was_not(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "BATCH_NOTES", 3)
    vault.open(index__max_note_bytes=100)
    notes = {f"{n}.md": "[[zbig]] [[zbin]] [[9]]" for n in range(10)}
    vault.write({**notes, "zbig.md": "x" * 200, "1b.md": b"\0\0binary"}, at=1_000)

    def stop(step: Progress) -> None:
        if step == Progress("read", 8, 12):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        vault.engine.index(progress=stop)
    (fresh,) = (c for c in vault.engine.doctor() if c.name == "freshness")
    report = vault.index()

    assert fresh.state == "warn"
    assert vault.value("select count(*) from files where path = 'zbig.md'") == 0
    assert {s.path for s in report.skipped} == {"zbig.md", "1b.md"}
    assert {end for (_, name), end in vault.edges().items() if name == "zbig"} == {None}
    assert {end for (_, name), end in vault.edges().items() if name == "9"} == {"9.md"}


LINKED = {
    "Home.md": "[[A]] [[B]] [[Nobody]]", "A.md": "[[B]]", "B.md": "[[Home]]",
}  # fmt: skip


def test_links_lead_where_they_do_while_a_run_writes_its_notes(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "BATCH_NOTES", 1)
    vault.indexed(LINKED)
    before = vault.edges()
    vault.write({path: f"{text} again" for path, text in LINKED.items()})
    vault.write({"C.md": "[[A]]"})
    seen = []

    def look(_: Progress) -> None:
        edges = vault.edges()
        edges.pop(("C.md", "A"), None)
        open_ = vault.value("select count(*) from links where settled = 0")
        seen.append((edges, open_))

    vault.engine.index(progress=look)

    assert len(seen) > len(LINKED)
    assert all(each == (before, 0) for each in seen)


@pytest.mark.parametrize("stopped_at", [2, 3, 4])
def test_a_run_that_is_stopped_leaves_no_link_without_its_end(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch, stopped_at: int
) -> None:
    monkeypatch.setattr(pipeline, "BATCH_NOTES", 1)
    vault.indexed(LINKED)
    before = vault.edges()
    vault.write({path: f"{text} again" for path, text in LINKED.items()})
    told = []

    def stopping(step: Progress) -> None:
        told.append(step)
        if len(told) == stopped_at:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        vault.engine.index(progress=stopping)

    assert vault.edges() == before
    assert vault.value("select count(*) from links where settled = 0") == 0
    reply = vault.engine.knowledge.connections("Home")
    assert [near.path for near in reply.hops[0].neighbours] == ["B.md", "A.md"]


def test_a_note_that_goes_settles_its_links_in_the_same_step(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Home.md": "[[Tea]]", "Tea.md": "1", "far/Tea.md": "2"})
    vault.remove("Tea.md")
    told: list[Progress] = []

    vault.engine.index(progress=told.append)

    assert vault.edges() == {("Home.md", "Tea"): "far/Tea.md"}
    assert "resolve" not in {step.stage for step in told}
