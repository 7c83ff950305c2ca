"""New names hold no characters that cannot be seen; existing names stay usable."""

import json
from collections.abc import Callable

import pytest
from http_harness import serving
from vault_harness import VaultHarness

from glassmind import Engine
from glassmind.edit.vault import EditRequest
from glassmind.errors import GlassmindError
from glassmind.files.names import refused_characters, without_refused_characters
from glassmind.model.edits import Append

OWNER = EditRequest()

REFUSED = {
    "\u202e": "U+202E RIGHT-TO-LEFT OVERRIDE",
    "\u202a": "U+202A LEFT-TO-RIGHT EMBEDDING",
    "\u2066": "U+2066 LEFT-TO-RIGHT ISOLATE",
    "\u2069": "U+2069 POP DIRECTIONAL ISOLATE",
    "\u200e": "U+200E LEFT-TO-RIGHT MARK",
    "\u200f": "U+200F RIGHT-TO-LEFT MARK",
    "\u061c": "U+061C ARABIC LETTER MARK",
    "\u2028": "U+2028 LINE SEPARATOR",
    "\u2029": "U+2029 PARAGRAPH SEPARATOR",
    "\u0085": "U+0085 control character",
    "\u009f": "U+009F control character",
    "\x07": "U+0007 control character",
    "\u200b": "U+200B ZERO WIDTH SPACE",
    "\u2060": "U+2060 WORD JOINER",
    "\ufeff": "U+FEFF ZERO WIDTH NO-BREAK SPACE",
    "\u00ad": "U+00AD SOFT HYPHEN",
}

JOINED = (
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian, with a non-joiner
    "\u0915\u094d\u200d\u0937",  # Devanagari, with a joiner
    "Team \U0001f468\u200d\U0001f469\u200d\U0001f467",
    "\u2764\ufe0f\u200d\U0001f525",  # a heart on fire
)

STRAY = ("\u200dPlan", "Plan\u200c", "Plan \u200dB", "Plan\u200d B", "a\u200d\u200db")


@pytest.fixture
def engine(vault: VaultHarness) -> Engine:
    vault.write(
        {
            "Tea.md": "# Tea\n\nx\n",
            "Home.md": "[[Tea]] ![[pic.png]]\n",
            "pic.png": b"x",
            "Box/In.md": "x",
            "Templates/Day.md": "{{title}}\n",
        }
    )
    engine = vault.open(writes__mode="allow")
    engine.index()
    return engine


@pytest.mark.parametrize("character", REFUSED)
def test_a_new_name_with_an_invisible_character_is_refused_by_its_name(
    engine: Engine, vault: VaultHarness, character: str
) -> None:
    bad, editing = f"Pl{character}an", engine.editing
    before = sorted(str(one) for one in vault.root.rglob("*"))

    edits: list[Callable[[], object]] = [
        lambda: editing.create(bad, "x", OWNER),
        lambda: editing.create("New", "x", OWNER, folder=bad),
        lambda: editing.create(bad, "x", OWNER, template="Templates/Day"),
        lambda: editing.move("Tea", bad, OWNER),
        lambda: editing.move("Tea", f"{bad}/", OWNER),
        lambda: editing.move("pic.png", f"{bad}.png", OWNER),
        lambda: editing.move("Box/", bad, OWNER),
        lambda: editing.split("Tea", OWNER, heading="Tea", folder=bad),
    ]
    for edit in edits:
        with pytest.raises(GlassmindError) as refused:
            edit()
        assert REFUSED[character] in str(refused.value)

    assert sorted(str(one) for one in vault.root.rglob("*")) == before


@pytest.mark.parametrize("name", STRAY)
def test_a_joiner_that_joins_nothing_is_refused(engine: Engine, name: str) -> None:
    with pytest.raises(GlassmindError, match="ZERO WIDTH"):
        engine.editing.create(name, "x", OWNER)


@pytest.mark.parametrize("name", JOINED)
def test_a_joiner_inside_of_a_word_or_an_emoji_is_fine(
    engine: Engine, vault: VaultHarness, name: str
) -> None:
    assert engine.editing.create(name, "x", OWNER).applied
    assert engine.editing.move("Tea", f"{name} 2", OWNER).applied
    assert vault.text(f"{name} 2.md").startswith("# Tea")


def test_agents_are_told_the_character_without_it(engine: Engine) -> None:
    with serving(engine) as web:
        answer = web.post("/notes", {"title": "Pl\u202ean", "text": "x"})

    assert answer.status == 422
    said = answer.json["error"]["message"]
    assert "U+202E RIGHT-TO-LEFT OVERRIDE" in said
    assert "\u202e" not in json.dumps(answer.json, ensure_ascii=False)


def test_names_made_of_text_leave_invisible_characters_out(
    engine: Engine, vault: VaultHarness
) -> None:
    vault.write({"Long.md": "# Gre\u200ben\u202e tea\n\nx\n"})
    engine.index()

    split = engine.editing.split("Long", OWNER, level=1).changeset.draft
    memo = engine.memory.capture("memory", "Bla\u200bck\u202e tea\u2066\n").memory

    assert split.facts["notes"] == ["Green tea.md"]
    assert memo.path.endswith(" Black tea.md")


@pytest.mark.parametrize(
    "character", ["\u202e", "\u200b", "\u2028", "\u0085", "\ufeff"]
)
def test_an_existing_note_with_such_a_name_stays_usable(
    vault: VaultHarness, character: str
) -> None:
    odd = f"Od{character}d"
    vault.write(
        {f"{odd}.md": "tea\n", f"{odd}/In.md": "x\n", "Home.md": f"[[{odd}]]\n"}
    )
    engine = vault.open(writes__mode="allow")
    engine.index()
    editing = engine.editing

    assert f"{odd}.md" in {note.path for note in engine.list_notes().notes}
    assert engine.read(f"{odd}.md").text == "tea\n"
    assert editing.edit(f"{odd}.md", [Append("more\n")], OWNER).applied
    assert editing.create("New", "x", OWNER, folder=odd).applied
    assert editing.move(f"{odd}.md", "Sub/", OWNER).applied  # it keeps its name
    assert editing.move(f"Sub/{odd}.md", "Good", OWNER).applied
    assert editing.move(f"{odd}/In.md", "Out", OWNER).applied
    assert editing.delete(f"{odd}/New.md", OWNER, confirm=True).applied
    assert vault.text("Good.md") == "tea\nmore\n"
    assert vault.text("Home.md") == "[[Good]]\n"


def test_cleaning_a_name_leaves_nothing_that_is_refused() -> None:
    for name in (*STRAY, *(f"{one}a{one}\u200d{one}" for one in REFUSED)):
        assert not refused_characters(without_refused_characters(name))
    for name in JOINED:
        assert without_refused_characters(name) == name
