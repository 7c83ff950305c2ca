"""Findings that are mended and suggestions that are followed: one change, or none."""

import shutil
from pathlib import Path

import pytest
from editing_harness import outside_agent
from msgspec.structs import replace
from vault_harness import VaultHarness

from glassmind.edit.vault import EditRequest
from glassmind.errors import UnknownCheck
from glassmind.files.read import digest_of
from glassmind.model import Digest, NotePath
from glassmind.model.edits import Changed, Draft
from glassmind.model.health import LinkEdit, Repairs, TagSpelling
from glassmind.model.suggestions import ProposedEdit

SAMPLE = Path(__file__).parents[2] / "sample-vault"
ASK = EditRequest(client="robot")
DRY = EditRequest(client="robot", dry_run=True)

WEATHER = {
    "Barometer.md": "---\naliases: [Glass]\n---\nIt falls before rain. #weather\n",
    "Log.md": "The [[glass]] fell. See [[Old/Rain gauge]], [[Nobody]]. #weather\n",
    "Tools/Rain gauge.md": "Holds a litre. #Weather\n",
    "Table.md": "| what |\n|---|\n| [[Barometers]] |\n\n`[[glass]]` is code.\n",
    "Parent.md": "---\nchildren: ['[[One]]', '[[Two]]']\n---\nText.\n",
    "One.md": "---\nparent: '[[Parent]]'\n---\nText.\n",
    "Two.md": "---\nparent: '[[Parent]]'\n---\nText.\n",
    "Three.md": "---\nparent: '[[Parent]]'\n---\nText.\n",
    "Four.md": "---\nparent: '[[Parent]]'\n---\nText.\n",
}


def opened(
    harness: VaultHarness, files: dict[str, str], **settings: object
) -> VaultHarness:
    harness.write(files)
    harness.open(**{"writes__user_notes": "allow", **settings})
    harness.index()
    return harness


def fixed(harness: VaultHarness, *checks: str, asking: EditRequest = ASK) -> Changed:
    engine = harness.engine
    return engine.editing.repair(
        engine.knowledge.repairs(checks=checks or None), asking
    )


def mended(draft: Draft) -> set[str]:
    found = draft.facts["mended"]
    assert isinstance(found, list)
    return set(found)


def count(harness: VaultHarness, check: str) -> int:
    (found,) = harness.engine.knowledge.health(checks=[check]).checks
    return found.count


def test_links_lead_to_the_one_note_that_a_lost_name_means(vault: VaultHarness) -> None:
    opened(vault, WEATHER)
    assert count(vault, "ghosts") == 4

    done = fixed(vault, "ghosts")

    assert done.applied
    log = (
        "The [[Barometer|glass]] fell. See [[Tools/Rain gauge]], [[Nobody]]. #weather\n"
    )
    assert vault.text("Log.md") == log
    assert "| [[Barometer\\|Barometers]] |" in vault.text("Table.md")
    assert "`[[glass]]` is code" in vault.text("Table.md")
    assert count(vault, "ghosts") == 1
    (left,) = [said for said in done.notices if "not mended" in said]
    assert "ghosts:nobody: no file is called so" in left


def test_a_name_that_may_mean_two_notes_is_left(vault: VaultHarness) -> None:
    files = {
        "A.md": "---\naliases: [Glass]\n---\n",
        "B.md": "---\naliases: [glass]\n---\n",
        "Log.md": "The [[Glass]].\n",
    }
    opened(vault, files)

    done = fixed(vault, "ghosts")

    assert not done.files
    assert any("it may mean any of A.md, B.md" in said for said in done.notices)
    assert vault.text("Log.md") == "The [[Glass]].\n"


def test_tags_are_spelled_as_most_notes_spell_them(vault: VaultHarness) -> None:
    opened(vault, WEATHER)

    fixed(vault, "inconsistent_tags")

    assert vault.text("Tools/Rain gauge.md") == "Holds a litre. #weather\n"
    assert count(vault, "inconsistent_tags") == 0


def test_every_answer_that_a_property_lacks_is_added_to_it(vault: VaultHarness) -> None:
    opened(vault, WEATHER)
    assert count(vault, "missing_reciprocal") == 2

    done = fixed(vault, "missing_reciprocal")

    assert [file.to for file in done.files] == ["Parent.md"]
    for name in ("One", "Two", "Three", "Four"):
        assert f"[[{name}]]" in vault.text("Parent.md")
    assert count(vault, "missing_reciprocal") == 0


def test_all_checks_are_mended_in_one_change_that_can_be_taken_back(
    vault: VaultHarness,
) -> None:
    opened(vault, WEATHER)
    before = outside_agent(vault.root)
    found = vault.engine.knowledge.health()

    done = fixed(vault)

    assert vault.engine.knowledge.health().findings < found.findings
    assert done.changeset.draft.verb == "repair"
    assert len({file.to for file in done.files}) == len(done.files)
    vault.engine.editing.undo(done.changeset.id, ASK)
    assert outside_agent(vault.root) == before
    assert count(vault, "ghosts") == 4


def test_what_the_settings_do_not_allow_at_once_is_proposed(
    vault: VaultHarness,
) -> None:
    opened(vault, WEATHER, writes__user_notes="propose")
    before = outside_agent(vault.root)

    done = fixed(vault)

    assert done.changeset.state == "proposed"
    assert done.files
    assert outside_agent(vault.root) == before
    vault.engine.editing.approve(done.changeset.id)
    assert count(vault, "inconsistent_tags") == 0


def test_a_dry_run_only_shows_it(vault: VaultHarness) -> None:
    opened(vault, WEATHER)
    before = outside_agent(vault.root)

    done = fixed(vault, asking=DRY)

    assert (done.changeset.state, bool(done.files)) == ("previewed", True)
    assert outside_agent(vault.root) == before


def test_files_that_may_not_be_edited_are_left_and_told(vault: VaultHarness) -> None:
    opened(vault, WEATHER, writes__folders={"Tools": "off"})

    done = fixed(vault)

    assert done.applied
    assert "#Weather" in vault.text("Tools/Rain gauge.md")
    assert any("Tools/Rain gauge.md stays as it is" in said for said in done.notices)
    assert "tag" not in done.changeset.draft.title


def test_what_is_mended_is_counted_without_files_that_may_not_be_edited(
    vault: VaultHarness,
) -> None:
    opened(vault, WEATHER, writes__folders={"Tools": "off"})
    plain = fixed(vault, asking=DRY).changeset.draft
    vault.indexed({"Tools/Log.md": "The [[glass]], the [[Old/Rain gauge]].\n"})

    draft = fixed(vault, asking=DRY).changeset.draft

    assert (draft.title, draft.rewritten) == (plain.title, plain.rewritten)
    assert mended(draft) == mended(plain)
    assert "Tools/Log.md stays as it is" in str(draft.facts["unmended"])


def test_findings_that_were_dismissed_are_left_alone(vault: VaultHarness) -> None:
    opened(vault, WEATHER)
    vault.engine.knowledge.dismiss_finding("inconsistent_tags", "tag weather")

    done = fixed(vault, "inconsistent_tags")

    assert not done.files


def test_findings_that_need_a_person_are_told_with_what_to_do(
    vault: VaultHarness,
) -> None:
    opened(vault, {"A.md": "See [[B#Gone]].\n", "B.md": "Text of [[A]].\n"})

    done = fixed(vault, "broken_links")

    assert not done.files
    assert any("1 finding is for a person to mend" in said for said in done.notices)


def test_a_check_that_is_none_is_refused(vault: VaultHarness) -> None:
    opened(vault, {"A.md": "a"})

    with pytest.raises(UnknownCheck):
        fixed(vault, "bogus")


def proposed(path: str, raw: bytes, find: str, after: str) -> ProposedEdit:
    start = raw.index(find.encode())
    end = start + len(find.encode())
    digest = digest_of(raw)
    return ProposedEdit(NotePath(path), digest, 1, (start, end), find, after)


def test_edits_of_one_note_are_joined_and_of_two_in_one_place_the_first_counts(
    vault: VaultHarness,
) -> None:
    opened(vault, {"Log.md": "Rain and wind. #Teas\n", "Rain.md": "", "Wind.md": ""})
    raw = (vault.root / "Log.md").read_bytes()
    edits = (
        LinkEdit(("wind",), proposed("Log.md", raw, "wind", "[[Wind|wind]]")),
        LinkEdit(("rain",), proposed("Log.md", raw, "Rain", "[[Rain]]")),
        LinkEdit(("both",), proposed("Log.md", raw, "Rain and", "[[Rain|Rain and]]")),
    )

    done = vault.engine.editing.repair(
        Repairs(edits, tags=(TagSpelling("tag", "Teas", "tea"),)), ASK
    )

    assert vault.text("Log.md") == "[[Rain]] and [[Wind|wind]]. #tea\n"
    assert len(done.files) == 1
    assert done.changeset.draft.facts["mended"] == ["wind", "rain", "tag"]
    assert any("both: another edit of Log.md" in said for said in done.notices)


def test_an_edit_for_a_note_that_changed_since_is_left_out_and_told(
    vault: VaultHarness,
) -> None:
    opened(vault, {"Log.md": "Rain and wind.\n", "Wind.md": "Rain.\n"})
    raw = (vault.root / "Log.md").read_bytes()
    edit = proposed("Log.md", raw, "Rain", "[[Rain]]")
    stale = replace(edit, digest=Digest("0" * 64))
    other = proposed("Wind.md", b"Rain.\n", "Rain", "[[Log|Rain]]")

    found = Repairs((LinkEdit(("a",), stale), LinkEdit(("b",), other)))
    done = vault.engine.editing.repair(found, ASK)

    assert vault.text("Log.md") == "Rain and wind.\n"
    assert vault.text("Wind.md") == "[[Log|Rain]].\n"
    assert any("a: Log.md changed since" in said for said in done.notices)


MENTIONS = {
    "Deep Work.md": "About focus.\n",
    "Slow Travel.md": "About trains.\n",
    "Diary.md": "I read Deep Work and then Slow Travel on a train.\n",
    "Other.md": "Slow Travel is a book.\n",
}


def test_suggested_links_are_made_by_their_keys(vault: VaultHarness) -> None:
    opened(vault, MENTIONS)
    knowledge = vault.engine.knowledge

    found = knowledge.links_to_add(keys=["Diary.md -> Deep Work.md", "No.md -> A.md"])
    done = vault.engine.editing.repair(found, ASK)

    assert vault.text("Diary.md").startswith("I read [[Deep Work]] and then Slow")
    assert [file.to for file in done.files] == ["Diary.md"]
    assert any("No.md -> A.md: nothing of that key" in said for said in done.notices)


def test_no_keys_at_all_make_no_link(vault: VaultHarness) -> None:
    opened(vault, MENTIONS)

    none = vault.engine.knowledge.links_to_add(keys=[])
    listed = vault.engine.knowledge.links_to_add()

    assert not none.edits
    assert listed.edits


@pytest.mark.parametrize(
    ("form", "link", "child"),
    [
        ("absolute", "[[Books/Deep Work|Deep Work]]", "[[Books/Kin]]"),
        ("relative", "[[../Books/Deep Work|Deep Work]]", "[[../Books/Kin]]"),
        ("shortest", "[[Deep Work]]", "[[Kin]]"),
    ],
)
def test_new_links_name_their_notes_as_obsidian_is_set_to(
    vault: VaultHarness, form: str, link: str, child: str
) -> None:
    opened(vault, {
        ".obsidian/app.json": f'{{"newLinkFormat": "{form}"}}',
        "Books/Deep Work.md": "About focus.\n",
        "Days/Diary.md": "I read Deep Work on a train.\n",
        "Days/Parent.md": "---\nchildren: ['[[One]]', '[[Two]]']\n---\nText.\n",
        **{
            f"Books/{name}.md": "---\nparent: '[[Parent]]'\n---\nText.\n"
            for name in ("One", "Two", "Kin")
        },
    })  # fmt: skip

    found = vault.engine.knowledge.links_to_add(mentions=True)
    vault.engine.editing.repair(found, ASK)
    fixed(vault, "missing_reciprocal")

    assert vault.text("Days/Diary.md") == f"I read {link} on a train.\n"
    assert child in vault.text("Days/Parent.md")


def test_every_mention_becomes_a_link_and_is_suggested_no_more(
    vault: VaultHarness,
) -> None:
    opened(vault, MENTIONS)

    found = vault.engine.knowledge.links_to_add(mentions=True)
    done = vault.engine.editing.repair(found, ASK)

    diary = "I read [[Deep Work]] and then [[Slow Travel]] on a train.\n"
    assert vault.text("Diary.md") == diary
    assert vault.text("Other.md") == "[[Slow Travel]] is a book.\n"
    assert not vault.engine.knowledge.links_to_add(mentions=True).edits
    vault.engine.editing.undo(done.changeset.id, ASK)
    assert vault.text("Diary.md") == MENTIONS["Diary.md"]


def test_a_note_that_another_names_is_an_orphan_no_more(vault: VaultHarness) -> None:
    opened(vault, MENTIONS)
    assert count(vault, "orphans") == 4

    fixed(vault, "orphans")

    assert count(vault, "orphans") == 0


def test_the_sample_vault_has_fewer_findings_and_comes_back_to_the_byte(
    tmp_path: Path,
) -> None:
    harness = VaultHarness(tmp_path)
    shutil.copytree(SAMPLE, harness.root, dirs_exist_ok=True)
    person = harness.root / "People" / "Amara Sellick.md"
    alias = person.read_bytes().replace(b"---\n", b"---\naliases: [Amara Sellick]\n", 1)
    person.with_name("A. Sellick.md").write_bytes(alias)
    person.unlink()
    (harness.root / "Areas" / "Loose.md").write_bytes(b"See [[Home]]. #Question\r\n")
    before = outside_agent(harness.root)
    try:
        opened(harness, {})
        found = harness.engine.knowledge.health(limit=0)

        done = fixed(harness)

        assert done.applied
        left = harness.engine.knowledge.health(limit=0)
        assert left.findings == found.findings - 2
        mended = outside_agent(harness.root)
        assert b"[[A. Sellick|Amara Sellick]]" in b"".join(mended.values())
        harness.engine.editing.undo(done.changeset.id, ASK)
        assert outside_agent(harness.root) == before
    finally:
        harness.close()
