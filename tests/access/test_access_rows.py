"""The index as somebody sees it who may not read every note."""

import random
from typing import Any, cast

import pytest
from vault_harness import VaultHarness

from glassmind.access.reading import ReadPolicy
from glassmind.access.scopes import read_scope
from glassmind.edit.vault import EditRequest
from glassmind.errors import ChangesetUnknown, FileGone, GlassmindError, NoteNotFound
from glassmind.model.access import EVERY_AGENT, NoteMarks, ReadRule, Scope
from glassmind.model.edits import Append
from glassmind.store.sqlite.scoped import _OTHER_VIEWS, _VIEWS
from glassmind.store.sqlite.store import SqliteStore

TOLD = {
    "settings", "changes", "vector_changes", "link_changes", "pair_changes", "spaces",
    "vectors",
}  # fmt: skip
"""Tables that tell of no note but by a number, or of no note at all."""

AGENT = EditRequest(client="cup")


def private(text: str = "") -> str:
    return f"---\nprivate: true\n---\n{text}"


def paths(vault: VaultHarness, scope: Scope = EVERY_AGENT) -> list[str]:
    seen = vault.engine.seen_by(scope)
    return [note.path for note in seen.list_notes(limit=100).notes]


def test_every_table_of_the_index_is_shown_in_part_or_tells_of_no_note(
    vault: VaultHarness,
) -> None:
    vault.write({"A.md": "Tea."})
    vault.engine.index()
    reader = SqliteStore(vault.folder)
    with reader.connection() as db:
        found = db.execute(
            "select name from sqlite_master where type = 'table' "
            "and name not like 'sqlite_%'"
        )
        tables = {name for (name,) in found}
    reader.close_all()
    assert tables == TOLD | {*_VIEWS, *_OTHER_VIEWS} - {"graph_links"}


def test_a_note_that_becomes_private_is_unseen_from_the_next_run_on(
    vault: VaultHarness,
) -> None:
    vault.write({"A.md": "Tea.", "B.md": "Tea."})
    vault.engine.index()
    assert paths(vault) == ["A.md", "B.md"]
    vault.write({"B.md": private("Tea.")})
    vault.engine.index()
    assert paths(vault) == ["A.md"]
    vault.write({"B.md": "Tea again."})
    vault.engine.index()
    assert paths(vault) == ["A.md", "B.md"]


def test_a_note_that_became_private_since_it_was_indexed_is_not_read(
    vault: VaultHarness,
) -> None:
    vault.write({"A.md": "Tea."})
    vault.engine.index()
    vault.write({"A.md": private("Secret tea.")})
    with pytest.raises(FileGone):
        vault.engine.seen_by(EVERY_AGENT).read("A")
    assert "Secret" in vault.engine.read("A").text


def test_a_picture_is_seen_by_who_may_read_a_note_that_shows_it(
    vault: VaultHarness,
) -> None:
    vault.write(
        {
            "A.md": "![[shown.png]]",
            "B.md": private("![[hidden.png]] ![[shown.png]]"),
            "shown.png": b"x",
            "hidden.png": b"x",
            "loose.png": b"x",
        }
    )
    vault.engine.index()
    assert vault.engine.seen_by(EVERY_AGENT).stats().attachments == 2
    assert vault.engine.stats().attachments == 3


@pytest.mark.parametrize(
    ("rule", "seen"),
    [
        (ReadRule("folder", "Shop"), ["Shop/A.md", "Shop/Pay/B.md"]),
        (ReadRule("tag", "work"), ["C.md", "Shop/A.md"]),
        (ReadRule("property", "status", "open"), ["D.md"]),
        (ReadRule("property", "status"), ["C.md", "D.md"]),
        (ReadRule("folder", "Nowhere"), []),
        (ReadRule("folder", "Shop", None, excluded=True), ["C.md", "D.md"]),
    ],
)
def test_a_client_sees_what_its_scope_names(
    vault: VaultHarness, rule: ReadRule, seen: list[str]
) -> None:
    vault.write(
        {
            "Shop/A.md": "Tea. #work",
            "Shop/Pay/B.md": "Tea.",
            "C.md": "---\nstatus: done\n---\nTea. #work/now",
            "D.md": "---\nstatus: open\n---\nTea.",
            "E.md": "---\nstatus: open\nprivate: true\ntags: [work]\n---\nTea.",
        }
    )
    engine = vault.engine
    engine.index()
    scope = Scope((rule,))
    assert paths(vault, scope) == seen
    found = engine.seen_by(scope).search("tea", limit=10)
    assert sorted(hit.path for hit in found.hits) == seen
    assert engine.seen_by(scope).stats().notes == len(seen)


def test_words_of_private_notes_are_never_what_a_slip_is_taken_for(
    vault: VaultHarness,
) -> None:
    vault.write({"A.md": "Tea of leaves.", "B.md": private("Zanzibar leaves.")})
    vault.engine.index()
    seen = vault.engine.seen_by(EVERY_AGENT)
    assert not seen.search("zanzibr").hits
    assert vault.engine.search("zanzibr").hits


def test_enough_is_found_where_the_best_are_hidden(vault: VaultHarness) -> None:
    hidden = {f"P{n}.md": private("tea tea tea") for n in range(120)}
    shown = {f"A{n}.md": "tea " + "and water " * 30 for n in range(12)}
    vault.write({**hidden, **shown})
    vault.engine.index()
    hits = vault.engine.seen_by(EVERY_AGENT).search("tea", limit=10).hits
    assert len(hits) == 10
    assert all(hit.path.startswith("A") for hit in hits)


def test_a_move_carries_the_links_of_private_notes_and_tells_nobody(
    vault: VaultHarness,
) -> None:
    vault.write({"Tea.md": "x", "A.md": "[[Tea]]", "P.md": private("[[Tea]]")})
    engine = vault.open(writes__mode="allow")
    engine.index()
    done = engine.seen_by(EVERY_AGENT).editing.move("Tea", "Leaf", AGENT)
    assert [file.to for file in done.files] == ["A.md", "Leaf.md"]
    assert "P.md" not in repr(done)
    assert vault.text("P.md") == private("[[Leaf]]")
    undone = engine.seen_by(EVERY_AGENT).editing.undo(done.changeset.id, AGENT)
    assert "P.md" not in repr(undone)
    assert vault.text("P.md") == private("[[Tea]]")


@pytest.mark.parametrize("verb", ["edit", "delete", "move", "merge", "split"])
def test_no_verb_of_editing_touches_a_private_note(
    vault: VaultHarness, verb: str
) -> None:
    vault.write({"Tea.md": "x", "P.md": private("# H\nsecret\n")})
    engine = vault.open(writes__mode="allow")
    engine.index()
    editing = engine.seen_by(EVERY_AGENT).editing
    verbs = {
        "edit": lambda: editing.edit("P.md", [Append("y")], AGENT),
        "delete": lambda: editing.delete("P.md", AGENT, confirm=True),
        "move": lambda: editing.move("P.md", "Q.md", AGENT),
        "merge": lambda: editing.merge("P.md", "Tea.md", AGENT, confirm=True),
        "split": lambda: editing.split("P.md", AGENT, heading="H"),
    }
    with pytest.raises(NoteNotFound):
        verbs[verb]()
    assert vault.text("P.md") == private("# H\nsecret\n")
    assert vault.text("Tea.md") == "x"


def test_what_the_owner_changed_in_a_private_note_is_unknown_to_agents(
    vault: VaultHarness,
) -> None:
    vault.write({"Tea.md": "x", "P.md": private()})
    engine = vault.open(writes__mode="allow")
    engine.index()
    shown = engine.editing.edit("Tea.md", [Append("y")], AGENT).changeset.id
    hidden = engine.editing.edit("P.md", [Append("y")], AGENT).changeset.id
    editing = engine.seen_by(EVERY_AGENT).editing
    assert [changeset.id for changeset in editing.changesets().changesets] == [shown]
    assert editing.changesets().total == 1
    with pytest.raises(ChangesetUnknown):
        editing.show(hidden)
    with pytest.raises(ChangesetUnknown):
        editing.undo(hidden, AGENT)


def test_what_moves_into_a_private_folder_is_unseen_and_seen_again_outside(
    vault: VaultHarness,
) -> None:
    vault.write({"A.md": "Tea ![[x.png]].", "B.md": "Tea.", "x.png": b"x"})
    vault.open(access__private_folders=("Journal",)).index()
    assert paths(vault) == ["A.md", "B.md"]
    vault.move("A.md", "Journal/A.md")
    vault.engine.index()
    assert paths(vault) == ["B.md"]
    assert vault.engine.seen_by(EVERY_AGENT).stats().attachments == 0
    vault.move("Journal/A.md", "A.md")
    vault.write({"C.md": "Tea."})
    vault.engine.index()
    assert paths(vault) == ["A.md", "B.md", "C.md"]
    assert vault.engine.seen_by(EVERY_AGENT).stats().attachments == 1


@pytest.mark.parametrize("scope", [EVERY_AGENT, Scope((ReadRule("tag", "work"),))])
def test_what_is_judged_change_by_change_is_what_is_judged_at_once(
    vault: VaultHarness, scope: Scope
) -> None:
    turns = random.Random(7)
    vault.write({f"N{n}.md": "Tea." for n in range(12)})
    vault.engine.index()
    paths(vault, scope)
    for _ in range(25):
        name = f"N{turns.randrange(14)}.md"
        if turns.random() < 0.2 and (vault.root / name).exists():
            vault.remove(name)
        else:
            head = turns.choice(["", "---\nprivate: true\n---\n", "---\nprivate: [\n"])
            vault.write({name: f"{head}Tea {turns.choice(['', '#work'])}\n"})
        vault.engine.index()
        followed = paths(vault, scope)
        assert followed == paths(vault, scope._replace(client=f"{turns.random()}"))


def test_what_the_owner_sums_up_for_agents_holds_nothing_private(
    vault: VaultHarness,
) -> None:
    project = "project: Shop\n---\nWe decided on {} for the shop in spring.\n"
    vault.write(
        {
            "A.md": "---\n" + project.format("clay"),
            "B.md": "---\nprivate: true\n" + project.format("gold"),
        }
    )
    vault.engine.index()
    vault.engine.bundles.summarize("Shop")
    (kept,) = (vault.root / ".agent" / "summaries").glob("*.md")
    assert "clay" in kept.read_text()
    assert "gold" not in kept.read_text()


def test_a_run_for_an_agent_tells_of_no_private_note(vault: VaultHarness) -> None:
    vault.write({"A.md": "Tea.", "B.md": "---\nprivate: true\na: [\n---\n"})
    seen = vault.engine.seen_by(EVERY_AGENT)
    report = seen.index(rebuild=True)
    assert report.notes == 1
    assert "B.md" not in repr(report)
    assert "B.md" in repr(vault.engine.index(rebuild=True))


def test_the_first_private_note_leaves_the_counts_of_a_run_for_an_agent_as_they_are(
    vault: VaultHarness,
) -> None:
    vault.indexed({"A.md": "Tea.", "B.md": "Tea."})
    vault.write({"B.md": "Cup.", "C.md": "Pot.", "P.md": private("Tea.")})

    report = vault.engine.seen_by(EVERY_AGENT).index()

    counts = report.added, report.changed, report.removed, report.unchanged
    assert (counts, report.notes) == ((1, 1, 0, 1), 3)


def test_who_sees_a_part_cannot_look_further(vault: VaultHarness) -> None:
    with pytest.raises(TypeError):
        vault.engine.seen_by(Scope((ReadRule("tag", "work"),))).seen_by(EVERY_AGENT)


def test_what_changed_is_judged_alone_after_a_run_too(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.indexed({f"{name}.md": "Tea." for name in "ABCDEF"})
    seen, judged = vault.engine.seen_by(EVERY_AGENT), list[str]()
    assert len(seen.list_notes().notes) == 6
    may_read = ReadPolicy.may_read

    def counted(policy: ReadPolicy, marks: NoteMarks) -> bool:
        judged.append(marks.path)
        return may_read(policy, marks)

    monkeypatch.setattr(ReadPolicy, "may_read", counted)
    vault.indexed({"B.md": private("Tea.")})

    assert len(seen.list_notes().notes) == 5
    assert judged == ["B.md"]


@pytest.mark.parametrize("rule", ["-property:kept", "-property:kept=yes"])
@pytest.mark.parametrize(
    "head",
    [
        "kept: yes\nmore: [un",
        'more: [un\n"Kept": yes',
        "kept:\n  - no\n  - yes\n: {",
        "{kept: yes, more",
    ],
)
def test_a_property_that_excludes_is_taken_as_it_may_be_meant(
    vault: VaultHarness, head: str, rule: str
) -> None:
    vault.indexed({"A.md": "Tea.", "B.md": f"---\n{head}\n---\nTea."})

    scope = read_scope([rule])

    assert paths(vault, scope) == ["A.md"]
    assert paths(vault, read_scope(["-property:kept=never"])) == ["A.md", "B.md"]
    with pytest.raises(NoteNotFound):
        vault.engine.seen_by(scope).read("B.md")


def test_what_is_summed_up_is_not_for_a_client_that_may_not_read_all_of_it(
    vault: VaultHarness,
) -> None:
    kept = ".agent/summaries/Shop.md"
    vault.indexed({"A.md": "Tea.", "B.md": "Tea. #own", kept: "Tea is our own."})

    assert kept in paths(vault)
    assert paths(vault, read_scope(["-#own"])) == ["A.md"]
    assert paths(vault, read_scope(["-#none"])) == ["A.md", "B.md"]
    assert kept in paths(vault, read_scope([], ["core"]))


HEADS = (
    "private: false\nPrivate: true",
    "'private ': true",
    "<<: {private: true}",
    "tag: work\nTag: own",
    "'tags ': own",
    "<<: {tags: [own]}",
    "status: open\nStatus: shut",
    "Öffentlich: nein",
    "o\u0308ffentlich: nein",
    "status: shut\nx: [",
    "status: open\nstatus: shut",
)


@pytest.mark.parametrize("head", HEADS)
def test_rows_and_files_are_judged_alike(vault: VaultHarness, head: str) -> None:
    vault.write({"A.md": f"---\n{head}\n---\nTea.\n", "B.md": "Tea."})
    vault.open(access__private_tags=("own",)).index()
    rules = (
        ReadRule("property", "status", "shut", excluded=True),
        ReadRule("property", "öffentlich", "nein", excluded=True),
    )
    seen = vault.engine.seen_by(Scope(rules))
    assert [hit.path for hit in seen.search("tea").hits] == ["B.md"]
    with pytest.raises(NoteNotFound):
        seen.read("A.md")


@pytest.mark.parametrize("how", ["said", "moved", "tagged"])
def test_a_search_gives_nothing_of_a_note_that_just_became_private(
    vault: VaultHarness, how: str
) -> None:
    vault.write({"A.md": "Tea of clay.", "B.md": "Tea."})
    vault.open(access__private_folders=("Own",), access__private_tags=("own",)).index()
    seen = vault.engine.seen_by(EVERY_AGENT)
    assert len(seen.search("tea").hits) == 2
    if how == "said":
        vault.write({"A.md": private("Tea of clay.")})
    elif how == "moved":
        vault.move("A.md", "Own/A.md")
    else:
        vault.write({"A.md": "Tea of clay. #own"})
    assert [hit.path for hit in seen.search("tea").hits] == ["B.md"]
    assert len(vault.engine.search("tea").hits) == 2


def test_a_theme_that_a_private_note_ties_is_nobodys_reason(
    vault: VaultHarness,
) -> None:
    ring = {f"N{n}.md": f"Tea [[N{(n + 1) % 6}]] [[N{(n + 2) % 6}]]" for n in range(6)}
    vault.write({**ring, "P.md": private("[[N0]] [[N1]] [[N2]]"), "Lone.md": "Tea."})
    vault.write({"P.md": private("[[N0]] [[N1]] [[N2]] [[Lone]]")})
    vault.engine.index()
    vault.engine.knowledge.themes()
    seen = vault.engine.seen_by(EVERY_AGENT)
    tied = "(select theme_id from main.theme_members join main.files on id = note_id "
    tied += "where path = 'P.md')"
    for engine, is_told in ((vault.engine, True), (seen, False)):
        engine.search("tea")
        store: Any = engine._vault.store
        db = store.connection()
        for asked in ("theme_members where theme_id in", "themes where id in"):
            counted = f"select count(*) from {asked} {tied}"  # noqa: S608 - our own
            found = db.execute(counted).get
            assert bool(found) is is_told
    assert all("P.md" not in repr(theme) for theme in seen.knowledge.themes().themes)


def test_scopes_that_come_at_once_are_not_taken_for_one_another(
    vault: VaultHarness,
) -> None:
    vault.write({"A/a.md": "Tea.", "B/b.md": "Tea."})
    vault.engine.index()
    one, other = read_scope(["folder:A"]), read_scope(["folder:B"])
    adapters = cast("Any", vault.engine._vault)

    class Crowded(list[object]):
        def append(self, made: object) -> None:
            super().append(made)
            if len(self) == 1:  # another thread asks just then
                adapters.visible_to(other)

    adapters._scoped = Crowded()

    assert paths(vault, one) == ["A/a.md"]
    assert paths(vault, other) == ["B/b.md"]


def test_words_of_hidden_notes_crowd_out_no_word_that_a_prefix_stands_for(
    vault: VaultHarness,
) -> None:
    common = " ".join(f"pro{chr(97 + n // 9)}{chr(97 + n % 9)}" for n in range(80))
    hidden = {f"Own/{n}.md": common for n in range(3)}
    vault.indexed({**hidden, "Mine/M.md": "A prototype."})
    seen = vault.engine.seen_by(read_scope(["folder:Mine"]))

    assert [hit.path for hit in seen.search("pro*", mode="fulltext").hits] == [
        "Mine/M.md"
    ]


SKIPPED: dict[str, str | bytes] = {
    "Ann (conflicted copy 2024-01-02).md": private("Tea."),
    "Divorce (conflicted copy 2024-01-03).md": "Tea. #own",
    "Will.md": b"---\nprivate: true\n---\n\0\0 tea",
    "Debts.md": private("Tea."),
    "Drafts/Loan.md": private("Tea."),
    "Letter.md~": private("Tea."),
}
"""Files that the index leaves out, each for another reason."""


@pytest.fixture
def skipping(vault: VaultHarness) -> VaultHarness:
    """A vault with private notes, and one that is not, which the index leaves out."""
    shown = {"Box (conflicted copy 2024-01-02).md": "x", "Drafts/Cup.md": "x"}
    lost = "[[Loan]] [[Debts]] [[Cup]]"
    ignored = {".glassmindignore": "Debts.md\n"}
    vault.write({"A.md": lost, **SKIPPED, **shown, **ignored})
    settings = {"access.private_tags": ("own",), "index.ignore_dirs": ("Drafts",)}
    vault.settings |= settings
    vault.open().index()
    return vault


def test_a_private_note_that_is_left_out_of_the_index_is_told_of_by_nothing(
    skipping: VaultHarness,
) -> None:
    seen, whole = skipping.engine.seen_by(EVERY_AGENT), skipping.engine
    told = {path.rpartition("/")[2][:4] for path in SKIPPED}

    report = repr((seen.knowledge.health(limit=None), seen.index().skipped))

    assert not [name for name in told if f"{name} (" in report or f"{name}." in report]
    assert "Box (conflicted copy" in report
    assert "Ann (conflicted" in repr(whole.knowledge.health(limit=None))
    assert whole.stats().skipped == 7
    assert seen.stats().skipped == 2  # the copy, and the folder by its place


@pytest.mark.parametrize("path", [*SKIPPED])
def test_a_private_note_that_is_left_out_is_missed_as_one_that_is_not_there(
    skipping: VaultHarness, path: str
) -> None:
    seen = skipping.engine.seen_by(EVERY_AGENT)
    name = path.rpartition("/")[2].removesuffix(".md")

    def answers() -> list[str]:
        found = [repr(seen.knowledge.resolve(name)), repr(seen.ghosts(limit=9))]
        for asked in (path, name):
            with pytest.raises(GlassmindError) as missed:
                seen.read(asked)
            found.append(repr(missed.value) + str(missed.value))
        return found

    there = answers()
    skipping.remove(path)
    skipping.engine.index()

    assert there == answers()


def test_what_is_left_out_and_not_private_is_no_ghost_to_an_agent(
    skipping: VaultHarness,
) -> None:
    seen = skipping.engine.seen_by(EVERY_AGENT)

    assert seen.knowledge.resolve("Cup").verdict == "exists"
    assert seen.knowledge.resolve("Loan").verdict == "new"
    assert {ghost.target for ghost in seen.ghosts(limit=9)} == {"Loan", "Debts"}
    assert not skipping.engine.ghosts(limit=9)


def test_a_left_out_note_is_judged_by_what_it_says_now(skipping: VaultHarness) -> None:
    seen = skipping.engine.seen_by(EVERY_AGENT)
    assert seen.stats().skipped == 2
    skipping.write({"Debts.md": "Tea."})
    assert seen.stats().skipped == 3
    skipping.write({"Debts.md": private("Tea again.")})
    assert seen.stats().skipped == 2
