"""Repairs touch the links that they mend, and no other byte; nor any other link."""

from codecs import BOM_UTF8

from git_harness import GitHarness
from test_repairs import ASK, count, fixed, opened
from vault_harness import VaultHarness

from glassmind.model.edits import Changed
from glassmind.obsidian.notes import read_note

TARGET = "---\naliases: [Glass]\n---\nIt falls before rain.\n"


def raw(vault: VaultHarness, path: str) -> bytes:
    return (vault.root / path).read_bytes()


def linked(vault: VaultHarness) -> Changed:
    found = vault.engine.knowledge.links_to_add(mentions=True)
    return vault.engine.editing.repair(found, ASK)


def test_line_ends_and_a_mark_before_the_text_stay(vault: VaultHarness) -> None:
    text = "On Deep Work.\r\nÜber Slow Travel, too.\r\n[[glass]]\r\nno end"
    vault.write({"Log.md": BOM_UTF8 + text.encode(), "Barometer.md": TARGET})
    opened(vault, {"Deep Work.md": "a", "Slow Travel.md": "b"})

    linked(vault)
    fixed(vault, "ghosts")

    after = "On [[Deep Work]].\r\nÜber [[Slow Travel]], too.\r\n"
    end = "[[Barometer|glass]]\r\nno end"
    assert raw(vault, "Log.md") == BOM_UTF8 + f"{after}{end}".encode()


def test_several_suggestions_for_one_note_are_one_edit_with_all_their_links(
    sample: VaultHarness,
) -> None:
    knowledge = sample.engine.knowledge
    listed = knowledge.suggest("2025 in review", limit=6).suggestions
    source = listed[0].source

    (one,) = knowledge.links_to_add("2025 in review", limit=6).edits

    text = raw(sample, source)
    edit = one.edit
    assert text[edit.bytes[0] : edit.bytes[1]] == edit.before.encode()
    after = text[: edit.bytes[0]] + edit.after.encode() + text[edit.bytes[1] :]
    had, has = (read_note(source, each.decode()).links for each in (text, after))
    assert sorted(one.keys) == sorted(one.key for one in listed)
    assert len(has) == len(had) + len(listed)


def test_every_kind_of_link_is_mended_in_its_own_style(vault: VaultHarness) -> None:
    text = (
        "---\nup: '[[glass]]' # my note\n---\n"
        "![[glass]] [the glass](Glass.md) [[glass#Rain]] [[glass|it]]\n\n"
        "```\n[[glass]]\n```\n"
    )
    opened(vault, {"Barometer.md": f"{TARGET}\n# Rain\n", "Log.md": text})

    fixed(vault, "ghosts")

    assert raw(vault, "Log.md").decode() == (
        "---\nup: '[[Barometer]]' # my note\n---\n"
        "![[Barometer]] [the glass](Barometer.md) [[Barometer#Rain]] [[Barometer|it]]"
        "\n\n```\n[[glass]]\n```\n"
    )
    assert count(vault, "ghosts") == 0


def test_a_link_that_leads_somewhere_is_never_written_anew(vault: VaultHarness) -> None:
    body = "A long enough text that git tells it from others, about pressure.\n" * 5
    first = {
        "Old/Gauge.md": body,
        "Tools/Gauge.md": "Another one altogether.\n",
        "Old/Log.md": "Lost: [[Old/Gauge]]. Found: [[Gauge]].\n",
    }
    vault.write(first)
    repository = GitHarness(vault.root)
    repository.commit("2024-01-01")
    repository.git("mv", "Old/Gauge.md", "Tools/Rain.md")
    repository.commit("2024-01-02")
    opened(vault, {})

    fixed(vault, "ghosts")

    after = "Lost: [[Tools/Gauge]]. Found: [[Gauge]].\n"
    assert raw(vault, "Old/Log.md").decode() == after


def test_links_to_a_heading_follow_where_a_repair_gives_it_other_words(
    vault: VaultHarness,
) -> None:
    files = {
        "A.md": "# On #Weather\n\nText.\n",
        "B.md": "See [[A#On Weather]]. #weather\n",
        "C.md": "#weather of [[B]]\n",
    }
    opened(vault, files)
    assert count(vault, "broken_links") == 0

    done = fixed(vault, "inconsistent_tags")

    assert raw(vault, "A.md") == b"# On #weather\n\nText.\n"
    assert count(vault, "broken_links") == 0
    vault.engine.editing.undo(done.changeset.id, ASK)
    assert raw(vault, "A.md").decode() == files["A.md"]


def test_a_repository_stays_clean_while_a_repair_only_waits(
    vault: VaultHarness,
) -> None:
    vault.write({"Log.md": "The [[glass]].\n", "Barometer.md": TARGET})
    repository = GitHarness(vault.root)
    repository.commit("2024-01-01")
    opened(vault, {}, writes__user_notes="propose")

    done = fixed(vault)

    assert done.changeset.state == "proposed"
    assert repository.git("status", "--porcelain") == ""
