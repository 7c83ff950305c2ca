"""What is taken for a tag where a rule forbids, and what rules do with it."""

import pytest
from vault_harness import VaultHarness

from glassmind.access.meant import NoteTags, meant_tags
from glassmind.access.trust import Trust
from glassmind.edit.editing import Editing
from glassmind.edit.vault import EditRequest
from glassmind.errors import PolicyForbids
from glassmind.model import NotePath
from glassmind.model.edits import Append

PATH = NotePath("Tea.md")
ASK = EditRequest(client="robot")

FORMS = [
    "tags: [locked]",
    "tags: locked",
    "Tags: tea, locked",
    "tags: tea locked",
    'tags: "#locked"',
    "tag: locked",
    "tag: [tea, locked]",
    "TAG:\n  - tea\n  - locked",
    "tags: [['locked']]",
    "tags: {locked: true}",
    'tags: ["tea, #locked/well"]',
    "tags: [tea]\ntags: [locked]",
    "tags: tea\ntag: locked",
    "tags:\n- tea\ntags:\n- locked\n- x",
    "base: &b {tags: [locked]}\n<<: *b",
    '{"a": 1, "tags": ["tea"], "tags": ["locked"]}',
]


def note(head: str, body: str = "Oolong.\n") -> str:
    return f"---\n{head}\n---\n{body}"


def meant(text: str | bytes) -> NoteTags:
    raw = text if isinstance(text, bytes) else text.encode()
    return meant_tags(PATH, raw)


def opened(vault: VaultHarness, files: dict[str, str], **settings: object) -> Editing:
    vault.write(files)
    vault.open(writes__mode="allow", **settings)
    vault.index()
    return vault.engine.editing


@pytest.mark.parametrize("head", FORMS)
def test_whatever_a_person_may_mean_by_a_tag_is_one(head: str) -> None:
    found = meant(note(head))

    assert found.has("#Locked")
    assert not found.has("lock")
    assert found.sure


@pytest.mark.parametrize(
    "head",
    ["title: evil: [page\ntags: [locked]", "tags: [locked\ntitle: x", "- a\n- b"],
)
def test_properties_that_cannot_be_read_may_mean_any(head: str) -> None:
    found = meant(note(head))

    assert not found.sure
    assert found.has("locked") == ("locked" in head)


def test_tags_in_the_text_count_and_a_block_that_nothing_closes_too() -> None:
    assert meant("Oolong. #locked\n").has("locked")
    assert meant("---\ntags: [locked]\nOolong.\n").has("locked")
    assert meant("---\n\nOolong.\n") == NoteTags()


def test_what_is_no_text_may_mean_any_tag() -> None:
    assert not meant(b"\x00\x01\x02" * 40).sure


@pytest.mark.parametrize(
    "text",
    [
        note("title: locked\nstatus: locked"),
        note("tags: [lockedout, un/locked]"),
        note("tags:"),
        "`#locked` and (#locked)\n",
    ],
)
def test_other_words_are_no_tags(text: str) -> None:
    assert not meant(text).has("locked")
    assert meant(text).sure


@pytest.mark.parametrize("head", FORMS)
def test_a_rule_that_forbids_holds_for_every_form(
    vault: VaultHarness, head: str
) -> None:
    files = {"Tea.md": note(head), "Box/Tin.md": note(head)}
    editing = opened(vault, files, writes__tags="locked=off")

    with pytest.raises(PolicyForbids, match=r'"locked=off" in writes\.tags does'):
        editing.move("Tea.md", "Oolong.md", ASK)
    with pytest.raises(PolicyForbids, match="locked=off"):
        editing.move("Box/", "Chest", ASK)


def test_where_properties_cannot_be_read_the_strictest_rule_of_a_tag_counts(
    vault: VaultHarness,
) -> None:
    broken = note("title: evil: [page")
    files = {"Tea.md": broken, "Box/Tin.md": broken, "Kettle.md": "Steel.\n"}
    editing = opened(vault, files, writes__tags="check=propose,locked=off")

    with pytest.raises(PolicyForbids, match=r"Tea\.md .*properties cannot be read"):
        editing.edit("Tea.md", [Append("x")], ASK)
    with pytest.raises(PolicyForbids, match=r"^Box/Tin\.md .*properties cannot be"):
        editing.move("Box/", "Chest", ASK)
    assert editing.edit("Kettle.md", [Append("x")], ASK).applied


def test_a_folder_that_may_not_be_moved_names_the_first_note_that_forbids_it(
    vault: VaultHarness,
) -> None:
    checked, locked = note("tags: check"), note("tags: locked")
    names = {"Box/A.md": "A.\n", "Box/B.md": checked, "Box/Sub/D.md": "#locked\n"}
    files = {**names, "Box/C.md": locked, "Box/E.md": locked, "Tins/F.md": "F.\n"}
    rules = {"writes__folders": "Tins=off"}
    editing = opened(vault, files, writes__tags="check=propose,locked=off", **rules)

    with pytest.raises(PolicyForbids, match=r"^Box/C\.md was not edited"):
        editing.delete("Box/", ASK, confirm=True)
    with pytest.raises(PolicyForbids, match=r"^Tins was not edited"):
        editing.delete("Tins/", ASK, confirm=True)


def test_without_a_rule_about_tags_such_a_note_is_as_others(
    vault: VaultHarness,
) -> None:
    editing = opened(vault, {"Tea.md": note("title: evil: [page")})

    assert editing.move("Tea.md", "Oolong.md", ASK).applied


def test_a_note_left_out_of_the_index_is_held_to_its_tags_in_a_folder(
    vault: VaultHarness,
) -> None:
    files = {"Box/Tin.md": "Steel. #locked\n", ".glassmindignore": "Tin.md\n"}
    editing = opened(vault, {**files, "Box/Cup.md": "x"}, writes__tags="locked=off")

    with pytest.raises(PolicyForbids, match="locked=off"):
        editing.move("Box/", "Chest", ASK)


@pytest.mark.parametrize(
    "head", ["title: evil: [page\ntags: [web]", "tags: web", "tag: [web]", "a: b: c"]
)
def test_a_note_that_may_have_a_tag_that_is_named_taints(head: str) -> None:
    files = {"Page.md": note(head), "Log.md": note("tags: [tea]")}
    trust = Trust(
        ("#web",),
        lambda _: [],
        lambda path: meant_tags(path, files[path].encode()),
    )

    trust.hand("robot", [NotePath("Page.md")])
    trust.hand("other", [NotePath("Log.md")])

    assert trust.is_tainted("robot")
    assert not trust.is_tainted("other")


def test_who_read_a_page_with_its_tag_as_a_word_needs_approval(
    vault: VaultHarness,
) -> None:
    opened(
        vault,
        {"Tea.md": "x\n", "Page.md": note("tags: web")},
        writes__approve_after_untrusted=True,
        writes__untrusted="#web",
    )
    vault.call_tool("read", "robot", name="Tea")
    assert not vault.engine.tainted("robot")

    vault.call_tool("read", "robot", name="Page")

    assert vault.engine.tainted("robot")
