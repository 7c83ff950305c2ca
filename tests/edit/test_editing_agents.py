"""What agents may not do by editing, whatever the policy says of their edits."""

from collections.abc import Callable

import pytest
from editing_harness import outside_agent
from vault_harness import VaultHarness

from glassmind import Engine
from glassmind.edit.editing import Editing
from glassmind.edit.vault import EditRequest
from glassmind.errors import EditRefused, NoteNotFound, VaultError
from glassmind.model.access import EVERY_AGENT
from glassmind.model.edits import AddLink, Append, ChangeProperty, Replace, SetTask

ROBOT = EditRequest(client="robot")


def agents(vault: VaultHarness, **settings: object) -> Engine:
    """Return the engine that agents ask, over what is in the vault."""
    engine = vault.open(writes__mode="allow", **settings)
    engine.index()
    return engine.seen_by(EVERY_AGENT)


def test_what_stands_in_a_private_folder_stays_there_though_a_note_shows_it(
    vault: VaultHarness,
) -> None:
    vault.write({"Tea.md": "![[leaf.png]]\n", "Own/leaf.png": b"bytes"})
    editing = agents(vault, access__private_folders=("Own",)).editing

    with pytest.raises(NoteNotFound):
        editing.move("Own/leaf.png", "leaf.png", ROBOT)
    with pytest.raises(VaultError):
        editing.move("Own", "Ours", ROBOT)
    with pytest.raises(NoteNotFound):
        editing.delete("Own/leaf.png", ROBOT, confirm=True)

    assert (vault.root / "Own/leaf.png").read_bytes() == b"bytes"


def test_a_link_to_a_hidden_picture_is_written_as_one_to_a_picture_to_come(
    vault: VaultHarness,
) -> None:
    vault.write({
        ".obsidian/app.json": '{"useMarkdownLinks": true, "newLinkFormat": "absolute"}',
        "Tea.md": "Tea.\n",
        "Cups/mug.png": b"bytes",
        "Own/leaf.png": b"bytes",
    })  # fmt: skip
    editing = agents(vault, access__private_folders=("Own",)).editing

    for name in ("mug.png", "leaf.png", "nowhere.png"):
        editing.edit("Tea", [AddLink(name, "See")], ROBOT)

    assert vault.text("Tea.md").split("\n\nSee ")[1:] == [
        "[mug.png](Cups/mug.png)",
        "[leaf.png](leaf.png)",
        "[nowhere.png](nowhere.png)\n",
    ]


MEMO = "---\nkind: decision\nclient: {}\ngenerated: true\n---\n\nNo sugar.\n"
FORGED = {"kind": "decision", "client": "cli", "status": "current"}


@pytest.fixture
def memos(vault: VaultHarness) -> Engine:
    """Agents in a vault where all may be written, with memos of two clients."""
    vault.write(
        {
            "Tea.md": MEMO.format("cli"),
            "Cup.md": "A cup.\n",
            "Planted.md": "---\nclient: cli\n---\nPlease read.\n",
            "Made/Note.md": "By hand.\n",
            ".agent/decisions/Mine.md": MEMO.format("robot"),
            ".agent/decisions/Yours.md": f"{MEMO.format('cli')}\n- [ ] ask [[Cup]]\n",
            ".agent/tasks/Plain.md": "Buy tea.\n\n- [ ] buy [[Cup]]\n",
            ".agent/memories/Hand.md": "---\nkind: memory\n---\nNo nuts.\n",
            ".agent/memories/Shop.md": "---\nkind: memory\n---\n# Shop\n",
            ".agent/drafts/Text.md": "A draft.\n",
        }
    )
    return agents(vault)


REFUSED: dict[str, Callable[[Editing], object]] = {
    "made": lambda on: on.create("New", "x", ROBOT, folder=".agent/decisions"),
    "made in another case": lambda on: on.create(
        "New", "x", ROBOT, folder=".agent/Decisions"
    ),
    "made beside them": lambda on: on.create(
        "New", "x", ROBOT, folder=".agent/drafts", properties=FORGED
    ),
    "shown": lambda on: on.create(
        "New", "x", ROBOT._replace(dry_run=True), folder=".agent/decisions"
    ),
    "moved there": lambda on: on.move("Cup.md", ".agent/tasks/Cup.md", ROBOT),
    "moved beside them": lambda on: on.move("Tea.md", ".agent/drafts/Tea.md", ROBOT),
    "moved from beside them": lambda on: on.move(
        ".agent/drafts/Text.md", ".agent/tasks/Text.md", ROBOT
    ),
    "moved with its folder": lambda on: on.move("Made", ".agent/summaries/x", ROBOT),
    "said to be another's": lambda on: on.edit(
        ".agent/decisions/Mine.md", [ChangeProperty("client", value="cli")], ROBOT
    ),
    "said to be approved": lambda on: on.edit(
        ".agent/decisions/Mine.md", [ChangeProperty("generated", value=False)], ROBOT
    ),
    "begun to be one": lambda on: on.edit(
        ".agent/tasks/Plain.md", [ChangeProperty("client", value="cli")], ROBOT
    ),
    "another's words": lambda on: on.edit(
        ".agent/decisions/Yours.md", [Append("Much sugar.")], ROBOT
    ),
    "a note of memos": lambda on: on.edit(
        ".agent/memories/Shop.md", [Append("## x\n\n> [!memo]\n")], ROBOT
    ),
    "another's, taken away": lambda on: on.delete(
        ".agent/decisions/Yours.md", ROBOT, confirm=True
    ),
    "another's, called otherwise": lambda on: on.move(
        ".agent/decisions/Yours.md", ".agent/decisions/Ours.md", ROBOT
    ),
    "another's, moved away": lambda on: on.move(
        ".agent/decisions/Yours.md", "Yours.md", ROBOT
    ),
    "another's, merged away": lambda on: on.merge(
        ".agent/decisions/Yours.md", "Cup.md", ROBOT, confirm=True
    ),
    "taken away with their folder": lambda on: on.move(
        ".agent/decisions", "Decisions", ROBOT
    ),
    "left in another's name": lambda on: on.create(
        "New", "x", ROBOT, folder=".agent/drafts", properties={"client": "cli"}
    ),
    "moved in another's name": lambda on: on.move(
        "Planted.md", ".agent/drafts/Planted.md", ROBOT
    ),
    "merged into": lambda on: on.merge(
        "Cup.md", ".agent/decisions/Yours.md", ROBOT, confirm=True
    ),
    "the owner's words": lambda on: on.edit(
        ".agent/memories/Hand.md", [Replace("No nuts", "Many nuts")], ROBOT
    ),
    "the owner's words without properties": lambda on: on.edit(
        ".agent/tasks/Plain.md", [Append("x")], ROBOT
    ),
    "the owner's, shown": lambda on: on.edit(
        ".agent/memories/Hand.md", [Append("x")], ROBOT._replace(dry_run=True)
    ),
    "the owner's, of somebody without a name": lambda on: on.edit(
        ".agent/memories/Hand.md", [Append("x")], EditRequest(client="")
    ),
    "the owner's, taken away": lambda on: on.delete(
        ".agent/tasks/Plain.md", ROBOT, confirm=True
    ),
    "the owner's, moved away": lambda on: on.move(
        ".agent/memories/Hand.md", "Hand.md", ROBOT
    ),
    "the owner's, merged away": lambda on: on.merge(
        ".agent/memories/Hand.md", "Cup.md", ROBOT, confirm=True
    ),
    "merged into the owner's": lambda on: on.merge(
        "Cup.md", ".agent/memories/Hand.md", ROBOT, confirm=True
    ),
    "the owner's, merged into its own": lambda on: on.merge(
        ".agent/memories/Hand.md", ".agent/decisions/Mine.md", ROBOT, confirm=True
    ),
    "split into": lambda on: on.split(
        ".agent/memories/Shop.md", ROBOT, level=1, folder=".agent/decisions"
    ),
}


@pytest.mark.parametrize("way", REFUSED)
def test_an_agent_writes_no_memo_past_the_inbox(
    memos: Engine, vault: VaultHarness, way: str
) -> None:
    before = outside_agent(vault.root)

    with pytest.raises(EditRefused, match="capture"):
        REFUSED[way](memos.editing)

    assert outside_agent(vault.root) == before


def test_what_is_no_memo_of_another_is_edited_in_the_agent_folder(
    memos: Engine, vault: VaultHarness
) -> None:
    editing = memos.editing
    yours = ".agent/decisions/Yours.md"

    states = [
        editing.edit(".agent/drafts/Text.md", [Append("x")], ROBOT),
        editing.edit(".agent/tasks/Plain.md", [SetTask("x", find="buy")], ROBOT),
        editing.edit(".agent/decisions/Mine.md", [Append("x")], ROBOT),
        editing.edit(yours, [SetTask("x", find="ask")], ROBOT),
        editing.create("New", "x", ROBOT, folder=".agent/drafts"),
        editing.move("Cup.md", "Mug.md", ROBOT),
        editing.move(".agent/decisions/Mine.md", ".agent/decisions/My own.md", ROBOT),
        editing.delete(".agent/decisions/My own.md", ROBOT, confirm=True),
    ]

    assert {state.changeset.state for state in states} == {"applied"}
    assert "- [x] ask [[Mug]]" in vault.text(yours)
    assert "- [x] buy [[Mug]]" in vault.text(".agent/tasks/Plain.md")


def test_its_owner_writes_memos_as_other_notes(
    memos: Engine, vault: VaultHarness
) -> None:
    assert memos is not vault.engine
    done = vault.engine.editing.create(
        "New", "x", EditRequest(), folder=".agent/decisions", properties=FORGED
    )

    hand = ".agent/memories/Hand.md"
    worded = vault.engine.editing.edit(hand, [Append("Nor milk.")], EditRequest())
    gone = vault.engine.editing.delete(hand, EditRequest(), confirm=True)

    assert done.applied
    assert worded.applied
    assert gone.applied


@pytest.mark.parametrize("client", ["cli", "another"])
def test_what_another_did_to_a_memo_an_agent_only_proposes_to_take_back(
    memos: Engine, vault: VaultHarness, client: str
) -> None:
    hand = ".agent/memories/Hand.md"
    edits = [Append("Nor milk.")]
    done = vault.engine.editing.edit(hand, edits, EditRequest(client=client))
    shown = memos.editing.undo(done.changeset.id, ROBOT._replace(dry_run=True))

    taken = memos.editing.undo(done.changeset.id, ROBOT)

    assert "remembered" in shown.changeset.reason
    assert taken.changeset.state == "proposed"
    assert "Nor milk." in vault.text(hand)
    assert vault.engine.editing.undo(done.changeset.id, EditRequest()).applied
    assert "Nor milk." not in vault.text(hand)


def test_what_it_did_itself_an_agent_takes_back(
    memos: Engine, vault: VaultHarness
) -> None:
    mine, editing = ".agent/decisions/Mine.md", memos.editing
    gone = editing.delete(mine, ROBOT, confirm=True)

    assert editing.undo(gone.changeset.id, ROBOT).applied

    assert "No sugar." in vault.text(mine)


def test_what_another_did_to_notes_an_agent_takes_back_where_it_may_write(
    memos: Engine, vault: VaultHarness
) -> None:
    done = vault.engine.editing.edit("Cup.md", [Append("x")], EditRequest())

    assert memos.editing.undo(done.changeset.id, ROBOT).applied
