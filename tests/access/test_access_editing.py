"""Editing by somebody who may not read every note."""

from collections.abc import Callable
from functools import partial

import pytest
from vault_harness import VaultHarness

from glassmind import Engine
from glassmind.access.files import ReadableFiles
from glassmind.access.reading import ReadPolicy
from glassmind.access.scopes import read_scope
from glassmind.edit.editing import Editing
from glassmind.edit.vault import EditRequest
from glassmind.errors import (
    ChangesetUnknown,
    EditRefused,
    FileGone,
    GlassmindError,
    PolicyForbids,
    WriteFailed,
)
from glassmind.files.write import VaultChanger
from glassmind.model import NotePath
from glassmind.model.access import EVERY_AGENT, ReadRule, Scope, known_as
from glassmind.model.edits import AddLink, Append, Changed, ChangeProperty, Rewritten
from glassmind.model.health import Repairs, TagSpelling

AGENT, SHOWN = EditRequest(client="cup"), EditRequest(client="cup", dry_run=True)
OWNER = EditRequest()
OWNERS = "only the owner of the vault can do this"


def private(text: str = "") -> str:
    return f"---\nprivate: true\n---\n{text}"


def agent(engine: Engine, *rules: str) -> Editing:
    """Return what edits for an agent; without rules, for one that has no scope."""
    return engine.seen_by(read_scope(rules) if rules else EVERY_AGENT).editing


def said(edit: Callable[[], object]) -> str:
    """Return how an edit is refused."""
    with pytest.raises(GlassmindError) as refused:
        edit()
    return f"{type(refused.value).__name__}: {refused.value}"


def test_a_tag_that_would_open_notes_is_renamed_by_their_owner_alone(
    vault: VaultHarness,
) -> None:
    files = {"A.md": "Tea. #own", "T.md": "Secret. #own #me/diary"}
    vault.write(files)
    engine = vault.open(writes__mode="allow")
    engine.index()
    editing = agent(engine, "-tag:me/diary")

    first = editing.rename_tag("own", "shown", AGENT)
    vault.write({"B.md": "Tea. #me/diary #work"})
    engine.index()
    opened = agent(engine, "tag:work").rename_tag("me/diary", "work", AGENT)

    assert first.changeset.state == "applied"  # hidden notes stay hidden by it
    assert vault.text("T.md") == "Secret. #shown #me/diary"
    assert opened.changeset.state == "proposed"
    assert "T.md" not in repr(opened)
    assert vault.text("T.md") == "Secret. #shown #me/diary"
    engine.editing.approve(opened.changeset.id)
    assert vault.text("T.md") == "Secret. #shown #work"


def test_a_preview_that_would_open_notes_waits_when_it_is_applied(
    vault: VaultHarness,
) -> None:
    vault.write({"Heron.md": "x", "L.md": "---\nproject: '[[Heron]]'\n---\nSecret."})
    engine = vault.open(writes__mode="allow")
    engine.index()
    editing = agent(engine, "-property:project=[[Heron]]")

    shown = editing.move("Heron", "Crane", SHOWN)
    done = editing.apply(shown.changeset.id, AGENT)

    assert (shown.changeset.state, done.changeset.state) == ("previewed", "proposed")
    assert "L.md" not in repr((shown, done))
    assert "[[Heron]]" in vault.text("L.md")


def test_an_agent_may_hide_what_it_sees(vault: VaultHarness) -> None:
    vault.write({"A.md": "Tea."})
    engine = vault.open(writes__mode="allow", access__private_folders=("Hid",))
    engine.index()

    done = agent(engine).edit("A", [ChangeProperty("private", "set", True)], AGENT)

    assert done.changeset.state == "applied"
    assert "private: true" in vault.text("A.md")


def test_a_folder_that_comes_back_opens_nothing_that_was_put_into_it(
    vault: VaultHarness,
) -> None:
    vault.write({"Box/A.md": "Tea."})
    engine = vault.open(writes__mode="allow", access__private_folders=("Hid",))
    engine.index()
    editing = agent(engine)
    moved = editing.move("Box/", "Hid/Box", AGENT)
    vault.write({"Hid/Box/S.md": "Secret."})
    engine.index()

    with pytest.raises(ChangesetUnknown):
        editing.undo(moved.changeset.id, AGENT)

    assert vault.text("Hid/Box/S.md") == "Secret."


@pytest.mark.parametrize(
    ("hidden", "settings"),
    [
        ("Hid/H.md", {"writes__folders": ("Hid=off",)}),
        ("H.md", {"writes__tags": ("locked=off",)}),
        ("Hid/H.md", {"writes__folders": ("Hid=propose",)}),
    ],
)
def test_a_rule_about_a_hidden_note_is_not_named(
    vault: VaultHarness, hidden: str, settings: dict[str, object]
) -> None:
    vault.write({"Pub.md": "x", hidden: private("[[Pub]] #locked")})
    settings |= {"writes__mode": "allow", "access__private_folders": ("Hid",)}
    engine = vault.open(**settings)
    engine.index()

    if "=off" in repr(settings):
        told = said(lambda: agent(engine).move("Pub", "Pub9", SHOWN))
        assert told == f"EditRefused: {OWNERS}"
    else:
        done = agent(engine).move("Pub", "Pub9", AGENT)
        assert done.changeset.state == "proposed"
        assert "Hid" not in repr(done)
    with pytest.raises(PolicyForbids) if "=off" in repr(settings) else known_as(""):
        engine.editing.move("Pub", "Pub9", EditRequest(dry_run=True))


def test_what_the_owner_changed_around_a_private_note_is_nobodys(
    vault: VaultHarness,
) -> None:
    vault.write({"Hid/H.md": "# Zqhead\n", "Ref.md": "[[H#Zqhead]]"})
    engine = vault.open(writes__mode="allow", access__private_folders=("Hid",))
    engine.index()
    done = engine.editing.rename_heading("Hid/H", "Zqhead", "Other", OWNER, index=None)
    identity, editing = done.changeset.id, agent(engine)

    for name in ("cup", "", "http"):
        with known_as(name):
            assert not editing.changesets().changesets
            with pytest.raises(ChangesetUnknown):
                editing.show(identity)
            with pytest.raises(ChangesetUnknown):
                editing.undo(identity, AGENT)
            with pytest.raises(ChangesetUnknown):
                editing.apply(identity, AGENT)
    assert vault.text("Hid/H.md") == "# Other\n"


def test_a_change_that_took_private_links_along_is_told_to_who_asked_for_it(
    vault: VaultHarness,
) -> None:
    vault.write({"Tea.md": "x", "A.md": "[[Tea]]", "P.md": private("[[Tea]]")})
    engine = vault.open(writes__mode="allow")
    engine.index()
    editing = agent(engine)
    identity = editing.move("Tea", "Leaf", AGENT).changeset.id

    with known_as("cup"):
        (one,) = editing.changesets().changesets
        shown = editing.show(identity)
    with known_as("pot"):
        assert not editing.changesets().changesets
        with pytest.raises(ChangesetUnknown):
            editing.undo(identity, AGENT)

    assert "P.md" not in repr((one, shown))
    assert one.draft.rewritten.links == shown.changeset.draft.rewritten.links == 1
    with known_as("cup"):
        assert editing.undo(identity, AGENT).applied
    assert vault.text("P.md") == private("[[Tea]]")


def test_what_was_interrupted_is_settled_by_whoever_edits_next(
    vault: VaultHarness,
) -> None:
    vault.write({"A.md": "Tea.", "P.md": private()})
    engine = vault.open(writes__mode="allow")
    engine.index()
    edit_vault = engine.editing._vault
    done = engine.editing.edit("P", [Append("more\n")], OWNER)
    edit_vault.changesets.shift(done.changeset.id, "applying")

    other = agent(engine).edit("A", [Append("y")], AGENT)

    assert edit_vault.changesets.get(done.changeset.id).state == "applied"
    assert not other.notices


def test_a_tag_of_hidden_notes_alone_is_one_that_none_has(vault: VaultHarness) -> None:
    vault.write({"A.md": "Tea. #tea", "P.md": private("#zq #leaf")})
    engine = vault.open(writes__mode="allow")
    engine.index()
    editing = agent(engine)

    told = said(lambda: editing.rename_tag("zq", "x", SHOWN))

    none = said(lambda: editing.rename_tag("no", "x", SHOWN))
    assert told.replace("zq", "no") == none
    assert not editing.rename_tag("tea", "leaf", SHOWN).changeset.draft.risks


@pytest.mark.parametrize(
    "verb", ["edit", "delete", "move", "move/", "merge", "split", "template"]
)
def test_a_hidden_name_is_missed_as_one_that_is_not_there(
    vault: VaultHarness, verb: str
) -> None:
    vault.write({"Tea one.md": "# H\nx", "Box/B.md": "x", "Hid/Tea ony.md": "# H\nx"})
    engine = vault.open(writes__mode="allow", access__private_folders=("Hid",))
    engine.index()
    editing = agent(engine)
    verbs: dict[str, Callable[[str], object]] = {
        "edit": lambda name: editing.edit(name, [Append("y")], AGENT),
        "delete": lambda name: editing.delete(name, AGENT, confirm=True),
        "move": lambda name: editing.move(name, "Q", AGENT),
        "move/": lambda name: editing.move(name.partition("/")[0], "Q", AGENT),
        "merge": lambda name: editing.merge(name, "Tea one", AGENT, confirm=True),
        "split": lambda name: editing.split(name, AGENT, heading="H"),
        "template": lambda name: editing.create("N", "", AGENT, template=name),
    }

    there = said(lambda: verbs[verb]("Hid/Tea ony.md"))
    vault.remove("Hid/Tea ony.md")
    (vault.root / "Hid").rmdir()
    engine.index()

    assert there.startswith("NoteNotFound")
    assert there == said(lambda: verbs[verb]("Hid/Tea ony.md"))


def test_a_hidden_folder_is_no_place_that_a_bare_name_means(
    vault: VaultHarness,
) -> None:
    vault.write({"Lone.md": "x", "Box/B.md": "x", "Deep/D.md": private("x")})
    (vault.root / "Empty").mkdir()
    engine = vault.open(writes__mode="allow")
    engine.index()
    editing = agent(engine)

    def goes(to: str) -> str:
        (step,) = editing.move("Lone", to, SHOWN).changeset.draft.steps
        return step.to

    assert goes("Deep") == "Deep.md"
    assert [goes("Box"), goes("Empty")] == ["Box/Lone.md", "Empty/Lone.md"]
    assert goes("Deep/") == "Deep/Lone.md"
    assert "NameTaken" in said(lambda: editing.move("Lone", "Deep/D", SHOWN))


def test_a_link_to_a_hidden_note_is_written_as_to_one_that_is_not_there(
    vault: VaultHarness,
) -> None:
    vault.write({"A.md": "x\n", "Hid/Projects.md": private("x")})
    engine = vault.open(writes__mode="allow")
    engine.index()

    agent(engine).edit("A", [AddLink("Hid/Projects", "See {link}.")], AGENT)

    assert "[[Hid/Projects]]" in vault.text("A.md")


def test_links_of_hidden_notes_are_not_counted(vault: VaultHarness) -> None:
    hidden = {f"P{n}.md": private("[[Tea]] [[New]]") for n in range(3)}
    vault.write({"Tea.md": "x", "A.md": "[[Tea]] [[New]]", **hidden})
    engine = vault.open(writes__mode="allow")
    engine.index()
    editing = agent(engine)

    made = editing.create("New", "x", AGENT).changeset
    gone = editing.delete("Tea", AGENT, confirm=True).changeset

    assert made.draft.adopted == 1
    assert gone.draft.risks == ("1 link will lead nowhere",)
    vault.write({"Cup.md": "x", "B.md": "[[Cup]]", "Q.md": private("[[Cup]]")})
    engine.index()
    engine.editing.delete("Cup", OWNER, confirm=True)
    (told, *_) = editing.changesets().changesets
    assert told.draft.risks == editing.show(told.id).changeset.draft.risks == ()


def test_a_note_that_keeps_its_links_is_not_named_where_it_is_hidden(
    vault: VaultHarness,
) -> None:
    vault.write({"Tea.md": "x", "Hid/H.md": "[[Tea]]"})
    engine = vault.open(
        writes__mode="allow",
        writes__folders=("Hid=propose",),
        access__private_folders=("Hid",),
    )
    engine.index()

    made = agent(engine).create("Box/Tea", "x", AGENT)

    assert "Hid" not in repr(made)


def test_a_hidden_note_that_changed_since_is_not_named(vault: VaultHarness) -> None:
    vault.write({"Tea.md": "x", "P.md": private("[[Tea]]")})
    engine = vault.open(writes__mode="allow")
    engine.index()
    editing = agent(engine)
    shown = editing.move("Tea", "Leaf", SHOWN).changeset.id
    moved = editing.move("Tea", "Cup", AGENT).changeset.id
    vault.write({"P.md": private("[[Pot]] more")})

    try:
        done = repr(editing.undo(moved, AGENT))
    except EditRefused as refused:
        done = str(refused)
    assert "P.md" not in done
    assert "P.md" not in said(lambda: editing.apply(shown, AGENT))


def test_what_is_taken_back_tells_of_no_hidden_note_that_was_linked_since(
    vault: VaultHarness,
) -> None:
    vault.write({"Tea.md": "x", "Hid/H.md": "y"})
    engine = vault.open(
        writes__mode="allow",
        writes__folders=("Hid=off",),
        access__private_folders=("Hid",),
    )
    engine.index()
    editing = agent(engine)
    moved = editing.move("Tea", "Leaf", AGENT).changeset.id
    made = editing.create("New", "x", AGENT).changeset.id
    vault.write({"Hid/H.md": "[[Leaf]] [[New]]"})
    engine.index()

    undone = editing.undo(moved, AGENT), editing.undo(made, AGENT)

    assert "Hid" not in repr([one.changeset.draft.risks for one in undone])
    assert not any(one.changeset.draft.risks for one in undone)


def test_the_owner_hears_of_what_an_agent_could_not_be_told_before_it_is_made(
    vault: VaultHarness,
) -> None:
    vault.write({"Tea.md": "x", "A.md": "[[Tea]]", "P.md": private("[[Tea]]")})
    engine = vault.open(writes__mode="propose")
    engine.index()
    asked = agent(engine).delete("Tea", AGENT, confirm=True).changeset

    first = engine.editing.approve(asked.id).changeset
    then = engine.editing.approve(first.id).changeset

    assert asked.draft.risks == ("1 link will lead nowhere",)
    assert first.state == "proposed"
    assert first.draft.risks == ("2 links will lead nowhere",)
    assert then.state == "applied"


def test_who_has_no_name_is_told_of_what_he_asked_for_without_one(
    vault: VaultHarness,
) -> None:
    vault.write({"Tea.md": "x", "P.md": private("[[Tea]]")})
    engine = vault.open(writes__mode="allow")
    engine.index()
    editing = agent(engine)
    shown = editing.move("Tea", "Leaf", EditRequest(client="http", dry_run=True))

    assert editing.show(shown.changeset.id).changeset.id == shown.changeset.id
    assert editing.apply(shown.changeset.id, EditRequest(client="http")).applied
    assert vault.text("P.md") == private("[[Leaf]]")


def test_a_repair_names_no_hidden_note_that_stays_as_it_is(vault: VaultHarness) -> None:
    vault.write({"A.md": "#Tea", "Hid/H.md": "#Tea"})
    engine = vault.open(
        writes__mode="allow",
        writes__folders=("Hid=off",),
        access__private_folders=("Hid",),
    )
    engine.index()

    done = agent(engine).repair(Repairs(tags=(TagSpelling("k", "Tea", "tea"),)), AGENT)

    assert (vault.text("A.md"), vault.text("Hid/H.md")) == ("#tea", "#Tea")
    assert "Hid" not in repr(done)


def test_a_hidden_note_that_cannot_be_read_just_then_is_not_named(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.write({"A.md": "#Tea", "B.md": "#Cup", "Hid/H.md": "#Tea"})
    engine = vault.open(writes__mode="allow", access__private_folders=("Hid",))
    engine.index()
    usual, shut = VaultChanger.read, {"Hid/H.md"}

    def read(self: VaultChanger, path: NotePath, /) -> bytes | None:
        if path in shut:
            raise WriteFailed(path, "Permission denied")
        return usual(self, path)

    monkeypatch.setattr(VaultChanger, "read", read)
    spelt = Repairs(tags=(TagSpelling("k", "Tea", "tea"),))
    refused = said(lambda: agent(engine).rename_tag("Tea", "sencha", AGENT))
    done = agent(engine).repair(spelt, AGENT)
    owners = said(lambda: engine.editing.rename_tag("tea", "sencha", OWNER))
    shut.add("B.md")
    seen = said(lambda: agent(engine).rename_tag("Cup", "mug", AGENT))

    assert refused.endswith(f": {OWNERS}")
    assert vault.text("A.md") == "#tea"
    assert "Hid" not in repr(done)
    assert "Hid/H.md" in owners
    assert "B.md" in seen


def test_a_client_is_told_what_it_deleted_and_can_take_it_back(
    vault: VaultHarness,
) -> None:
    vault.write({"Shop/A.md": "Tea."})
    engine = vault.open(writes__mode="allow")
    engine.index()
    editing = engine.seen_by(Scope((ReadRule("folder", "Shop"),))).editing
    with known_as("cup"):
        done = editing.delete("Shop/A.md", EditRequest(client="cup"), confirm=True)
        assert [file.path for file in done.files] == ["Shop/A.md"]
        editing.undo(done.changeset.id, EditRequest(client="cup"))
    assert vault.text("Shop/A.md") == "Tea."


def test_what_was_private_is_private_in_the_trash(vault: VaultHarness) -> None:
    vault.write({"A.md": "Tea.", ".trash/Own/B.md": "Tea."})
    config = vault.open(access__private_folders=("Own",)).config
    policy = ReadPolicy(config, EVERY_AGENT)
    with ReadableFiles(vault.root, policy) as files, pytest.raises(FileGone):
        files.read(".trash/Own/B.md")


def test_an_agent_is_told_of_the_picture_that_it_moved(vault: VaultHarness) -> None:
    vault.write({"A.md": "![[Pic.png]]", "Pic.png": b"x"})
    engine = vault.open(writes__mode="allow")
    engine.index()
    editing = engine.seen_by(EVERY_AGENT).editing
    with known_as("cup"):
        done = editing.move("Pic.png", "Img/Pic.png", EditRequest(client="cup"))
        assert "Img/Pic.png" in [file.to for file in done.files]
        editing.undo(done.changeset.id, EditRequest(client="cup"))
    assert (vault.root / "Pic.png").exists()


def test_the_record_of_writes_names_no_place_that_is_hidden(
    vault: VaultHarness,
) -> None:
    vault.write(
        {
            "Hid/Ann.md": "x",
            "Hid/Scan.png": b"x",
            "Shown/Tea.md": "x",
            "Shown/Cup.png": b"x",
        }
    )
    engine = vault.open(writes__mode="allow", access__private_folders=("Hid",))
    engine.index()
    for old, new in (
        ("Hid/Ann.md", "Shown/Ann.md"),
        ("Hid/Scan.png", "Hid/Leg.png"),
        ("Shown/Tea.md", "Shown/Leaf.md"),
        ("Shown/Cup.png", "Shown/Mug.png"),
    ):
        engine.editing.move(old, new, OWNER)

    whole = engine.memory.log().records
    seen = engine.seen_by(EVERY_AGENT).memory.log().records

    assert len(whole) == 4
    assert {one.to for one in seen} == {"Shown/Leaf.md", "Shown/Mug.png"}


@pytest.mark.parametrize("to", ["Other/Drafts", "Kept/Drafts"])
@pytest.mark.parametrize(
    "hidden", [private("x"), b"---\nprivate: true\n---\n\0", "Tea. #own"]
)
def test_a_folder_with_a_left_out_note_that_is_hidden_is_moved_by_its_owner_alone(
    vault: VaultHarness, to: str, hidden: str | bytes
) -> None:
    """Be it opened where it goes, or left out there as well."""
    kept = {".glassmindignore": "Projects/Drafts/D*.md\nKept/Drafts/D*.md\n"}
    vault.write({"Projects/Drafts/A.md": "x", **kept})
    vault.write({"Projects/Drafts/Divorce plan.md": hidden})
    engine = vault.open(writes__mode="allow", access__private_tags=("own",))
    engine.index()

    for editing in (agent(engine, "folder:Projects", "folder:Other"), agent(engine)):
        name, verbs = "Projects/Drafts/", (editing.move, partial(_deleted, editing))
        for verb in verbs:
            told = said(partial(verb, name, to, AGENT))
            assert told == (
                "EditRefused: Projects/Drafts stays where it is: only its owner can "
                "move all of it"
            )
    if to.startswith("Kept"):
        assert engine.editing.move("Projects/Drafts/", to, OWNER).applied


def _deleted(editing: Editing, name: str, _: str, how: EditRequest) -> Changed:
    return editing.delete(name, how, confirm=True)


def test_a_left_out_note_that_came_into_a_folder_since_is_not_named(
    vault: VaultHarness,
) -> None:
    vault.write({"Box/A.md": "x", "Nook/B.md": "x"})
    vault.write({".glassmindignore": "Box/D*.md\nBoxes/D*.md\nNooks/D*.md\n"})
    engine = vault.open(writes__mode="allow")
    engine.index()
    editing = agent(engine)
    shown = editing.move("Box/", "Crate", SHOWN).changeset.id
    moved = editing.move("Nook/", "Nooks", AGENT).changeset.id
    vault.write({"Box/Divorce.md": private(), "Nooks/Divorce.md": private()})

    told = said(lambda: editing.apply(shown, AGENT))
    undone = said(lambda: editing.undo(moved, AGENT))

    assert told.endswith("Box stays where it is: only its owner can move all of it")
    assert undone.endswith("Nooks stays where it is: only its owner can move all of it")


def test_a_folder_with_a_left_out_note_that_is_seen_is_moved(
    vault: VaultHarness,
) -> None:
    vault.write({"Box/A.md": "x", "Box/D.md": "x"})
    vault.write({".glassmindignore": "D.md\n"})
    engine = vault.open(writes__mode="allow")
    engine.index()

    assert agent(engine).move("Box/", "Crate", AGENT).applied
    assert vault.text("Crate/D.md") == "x"


def test_the_links_that_are_counted_are_those_of_notes_that_are_seen(
    vault: VaultHarness,
) -> None:
    vault.write({"Tea.md": "x", "A.md": "[[Tea]] [[Tea]]", "B.md": "[[Tea]]"})
    engine = vault.open(writes__mode="allow")
    engine.index()
    editing = agent(engine)

    def counted() -> list[Rewritten]:
        shown = editing.move("Tea", "Leaf", SHOWN).changeset
        with known_as("cup"):
            done = editing.move("Tea", "Leaf", AGENT).changeset
            listed = editing.changesets().changesets[0]
            kept = editing.show(done.id).changeset
            undone = editing.undo(done.id, AGENT).changeset
        engine.index()
        every = (shown, done, listed, kept, undone)
        return [one.draft.rewritten for one in every]

    alone = counted()
    vault.write({"P.md": private("[[Tea]] [[Tea]]"), "Q.md": private("[[Tea]]")})
    engine.index()

    assert counted() == alone
    assert alone[:4] == [(3, 2)] * 4
    whole = engine.editing.move("Tea", "Leaf", EditRequest(dry_run=True)).changeset
    assert tuple(whole.draft.rewritten) == (6, 4)


def test_links_that_its_owner_let_be_written_are_counted_as_they_are_seen(
    vault: VaultHarness,
) -> None:
    vault.write({"Tea.md": "x", "A.md": "[[Tea]]", "P.md": private("[[Tea]]")})
    engine = vault.open(writes__mode="propose")
    engine.index()
    with known_as("cup"):
        asked = agent(engine).move("Tea", "Leaf", AGENT).changeset
    done = engine.editing.approve(asked.id).changeset

    with known_as("cup"):
        told = agent(engine).show(done.id).changeset

    assert (asked.draft.rewritten.links, told.draft.rewritten.links) == (1, 1)
    assert engine.editing.show(done.id).changeset.draft.rewritten.links == 2


def test_links_of_hidden_notes_that_follow_what_is_taken_back_are_not_counted(
    vault: VaultHarness,
) -> None:
    vault.write({"Tea.md": "x", "Cup.md": "x"})
    engine = vault.open(writes__mode="allow")
    engine.index()
    editing = agent(engine)
    moved = editing.move("Tea", "Leaf", AGENT).changeset.id
    vault.write({"A.md": "[[Leaf]]", "P.md": private("[[Leaf]]")})
    engine.index()

    undone = editing.undo(moved, AGENT).changeset

    assert tuple(undone.draft.rewritten) == (1, 1)
    assert vault.text("P.md") == private("[[Tea]]")
