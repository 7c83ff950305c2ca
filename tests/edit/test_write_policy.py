"""What may be done with a file of the vault, by the settings of `[writes]`."""

from collections.abc import Callable
from pathlib import Path

import pytest
from config_harness import Harness
from write_policy_tables import rule_table, spelling_table

from glassmind.access.policy import WritePolicy, strictest
from glassmind.config import Config
from glassmind.config.write import set_keys
from glassmind.errors import BadSetting
from glassmind.model import NotePath
from glassmind.model.edits import Verdict

PAGE = Path(__file__).parents[2] / "docs/editing.md"


@pytest.fixture
def harness(tmp_path: Path) -> Harness:
    return Harness(tmp_path)


def may(config: Config, path: str, *tags: str, **more: bool) -> str:
    return WritePolicy(config).judge(NotePath(path), tags=tags, **more).may


def writes(harness: Harness, text: str) -> Config:
    harness.user_says(f"[writes]\n{text}\n")
    return harness.load()


@pytest.mark.parametrize("table", [spelling_table, rule_table])
def test_the_page_shows_what_every_combination_does(table: Callable[[], str]) -> None:
    assert table() in PAGE.read_text("utf-8"), (
        "docs/editing.md is not up to date: replace its table by that of "
        f"tests/support/write_policy_tables.py, {table.__name__}()"
    )


@pytest.mark.parametrize(
    ("text", "note", "memo"),
    [
        ("", "propose", "allow"),
        ('mode = "off"', "off", "off"),
        ('mode = "agent-only"\nagent_dir = ".agent"', "off", "allow"),
        ('agent_dir = true\nuser_notes = "propose"', "propose", "allow"),
        ('agent_dir = true\nuser_notes = "allow"', "allow", "allow"),
        ('mode = "allow"', "allow", "allow"),
        ('mode = "allow"\nuser_notes = "off"', "off", "allow"),
        ('mode = "off"\nuser_notes = "allow"', "off", "off"),
        ('mode = "propose"\nagent_dir = false', "propose", "off"),
    ],
)
def test_both_spellings_say_what_may_be_written(
    harness: Harness, text: str, note: str, memo: str
) -> None:
    config = writes(harness, text)

    assert may(config, "Log.md") == note
    assert may(config, ".agent/memories/Tea.md") == memo


@pytest.mark.parametrize(
    "path",
    [
        ".obsidian/app.json",
        ".git/config",
        ".trash/Old.md",
        "Notes/.hidden/Tea.md",
        ".env",
        "glassmind.toml",
        ".agent",
        ".agent/glassmind.toml",
        ".agent/inbox/Tea.md",
        ".agent/Inbox/Tea.md",
        ".agent/logs/writes.jsonl",
        ".agent/cache/index.db",
        ".agent/.trash/Tea.md",
        ".agent/.hidden/Tea.md",
    ],
)
def test_some_places_are_never_edited(harness: Harness, path: str) -> None:
    assert may(writes(harness, 'mode = "allow"'), path) == "off"


def test_an_agent_folder_of_another_name_is_the_one_that_is_written(
    harness: Harness,
) -> None:
    config = writes(harness, 'agent_dir = "Meta/robot"')

    assert may(config, "Meta/robot/Tea.md") == "allow"
    assert may(config, "Meta/robot/inbox/Tea.md") == "off"
    assert may(config, "Meta/robots/Tea.md") == "propose"
    assert may(config, ".agent/Tea.md") == "off"


def test_the_rule_of_the_innermost_folder_takes_the_place_of_the_vaults(
    harness: Harness,
) -> None:
    config = writes(
        harness,
        'folders = ["Drafts=allow", "Drafts/Final=off", "Drafts/Final/x=propose"]',
    )

    assert may(config, "Log.md") == "propose"
    assert may(config, "Drafts/Tea.md") == "allow"
    assert may(config, "Drafts/Final/Tea.md") == "off"
    assert may(config, "Drafts/Final/x/Tea.md") == "propose"
    assert may(config, "Draftsman.md") == "propose"


def test_a_folder_is_the_same_in_another_case(harness: Harness) -> None:
    config = writes(harness, 'mode = "allow"\nfolders = ["Journal=off"]')

    assert may(config, "journal/Tea.md") == "off"


def test_a_folder_that_is_moved_whole_is_held_to_the_rules_below_it(
    harness: Harness,
) -> None:
    config = writes(harness, 'mode = "allow"\nfolders = ["Work/Secret=off"]')

    assert may(config, "Work", folder=True) == "off"
    assert may(config, "Work/Tea.md") == "allow"
    assert may(config, "Workshop", folder=True) == "allow"


def test_a_tag_only_makes_it_stricter(harness: Harness) -> None:
    config = writes(
        harness,
        'folders = ["Drafts=allow"]\n'
        'tags = ["#locked=off", "check=propose", "x=allow"]',
    )

    assert may(config, "Drafts/Tea.md", "tea") == "allow"
    assert may(config, "Drafts/Tea.md", "Locked") == "off"
    assert may(config, "Drafts/Tea.md", "locked/well") == "off"
    assert may(config, "Drafts/Tea.md", "lockedout") == "allow"
    assert may(config, "Drafts/Tea.md", "#check") == "propose"
    assert may(config, "Log.md", "x") == "propose"
    assert may(config, ".agent/memories/Tea.md", "locked") == "off"


def test_rules_may_hold_in_the_agent_folder_where_they_are_stricter(
    harness: Harness,
) -> None:
    config = writes(
        harness, 'folders = [".agent/decisions=propose", ".agent/inbox=allow"]'
    )

    assert may(config, ".agent/decisions/Tea.md") == "propose"
    assert may(config, ".agent/inbox/Tea.md") == "off"


def test_no_rule_brings_back_what_off_forbids(harness: Harness) -> None:
    config = writes(harness, 'mode = "off"\nfolders = ["Drafts=allow"]')

    assert may(config, "Drafts/Tea.md") == "off"


def test_after_untrusted_text_a_person_approves_where_that_is_wished(
    harness: Harness,
) -> None:
    config = writes(harness, 'mode = "allow"\napprove_after_untrusted = true')

    assert may(config, "Log.md") == "allow"
    assert may(config, "Log.md", tainted=True) == "propose"
    assert may(config, ".agent/memories/Tea.md", tainted=True) == "propose"
    assert may(writes(harness, 'mode = "allow"'), "Log.md", tainted=True) == "allow"


@pytest.mark.parametrize(
    ("text", "path", "rule"),
    [
        ('mode = "off"', "Log.md", 'writes.mode = "off"'),
        ('mode = "agent-only"', "Log.md", 'writes.mode = "agent-only"'),
        ("", "Log.md", 'writes.mode = "propose"'),
        ("agent_dir = false", ".agent/Tea.md", "writes.agent_dir = false"),
        ('folders = ["Log=off"]', "Log/x.md", '"Log=off" in writes.folders'),
    ],
)
def test_a_verdict_names_its_rule(
    harness: Harness, text: str, path: str, rule: str
) -> None:
    config = writes(harness, text)

    assert WritePolicy(config).judge(NotePath(path)).rule == rule


def test_the_strictest_of_several_verdicts_decides() -> None:
    found = strictest([Verdict("allow", "a"), Verdict("off", "b"), Verdict("off", "c")])

    assert found == Verdict("off", "b")


@pytest.mark.parametrize(
    "text",
    [
        'folders = ["Journal=off", "A b/c=allow"]',
        'folders = ["/Journal/ = off", "A b\\\\c=ALLOW"]',
        'folders = { Journal = "off", "A b/c" = "allow" }',
        '[writes.folders]\nJournal = "off"\n"A b/c" = "allow"',
    ],
)
def test_rules_are_a_list_or_a_table(harness: Harness, text: str) -> None:
    assert writes(harness, text).writes.folders == ("Journal=off", "A b/c=allow")


@pytest.mark.parametrize(
    "said",
    [
        "Journal=off,A b/c=allow",
        '["Journal=off", "A b/c=allow"]',
        '{ Journal = "off", "A b/c" = "allow" }',
    ],
)
def test_rules_come_from_a_variable_too(harness: Harness, said: str) -> None:
    config = harness.load(GLASSMIND_WRITES_FOLDERS=said)

    assert config.writes.folders == ("Journal=off", "A b/c=allow")


def test_rules_can_be_set_from_the_command_line(harness: Harness) -> None:
    file = harness.user_says('[writes]\nmode = "allow"  # mine\n')

    set_keys(file, {"writes.tags": "#locked=off,check=propose"})

    assert harness.load().writes.tags == ("#locked=off", "check=propose")
    assert 'mode = "allow"  # mine\n' in file.read_text("utf-8")


@pytest.mark.parametrize(
    "rules",
    [
        '["Journal"]',
        '["Journal=maybe"]',
        '["=off"]',
        '["../elsewhere=allow"]',
        '["Journal=off", "Journal=allow"]',
        '"Journal=off"',
        "{ Journal = 3 }",
        "3",
    ],
)
def test_rules_that_mean_nothing_are_errors(harness: Harness, rules: str) -> None:
    with pytest.raises(BadSetting, match=r"writes\.folders"):
        writes(harness, f"folders = {rules}")


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ('["Journal"]', "(got ['Journal'])"),
        ('["Journal="]', "(got ['Journal='])"),
        ('["Journal=maybe"]', "(got ['Journal=maybe'])"),
        ('["=off"]', "(got ['=off'])"),
    ],
)
def test_an_invalid_rule_is_shown_with_an_example(
    harness: Harness, rules: str, said: str
) -> None:
    with pytest.raises(BadSetting) as refused:
        writes(harness, f"folders = {rules}")

    assert said in str(refused.value)
    assert "such as Journal=off" in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        'folders = ["Journal=allow"]',
        'folders = ["Journal=propose"]',
        'tags = ["x=allow"]',
        'untrusted = ["Nowhere"]',
        "approve_after_untrusted = false",
        "undo_days = 1",
        "git_commit = true",
    ],
)
def test_a_vault_cannot_loosen_a_rule(harness: Harness, text: str) -> None:
    harness.user_says("[writes]\napprove_after_untrusted = true\n")
    before = harness.load().writes
    harness.vault_says(f"[writes]\n{text}\n")

    config = harness.load()

    assert config.writes == before
    (warning,) = config.warnings
    assert text.partition(" ")[0] in warning


def test_what_a_vault_forbids_stands_beside_the_rules_of_its_reader(
    harness: Harness,
) -> None:
    harness.user_says(
        '[writes]\nmode = "allow"\nfolders = ["Journal=off", "Work=allow"]\n'
    )
    harness.vault_says('[writes]\nfolders = ["Work=off", "Old=off"]\n')

    config = harness.load()

    assert config.writes.folders == ("Journal=off", "Work=off", "Old=off")
    assert config.warnings == ()


def test_a_vault_may_keep_what_undoes_a_change_for_longer(harness: Harness) -> None:
    harness.vault_says("[writes]\nundo_days = 400\napprove_after_untrusted = true\n")

    config = harness.load()

    assert config.writes.undo_days == 400
    assert config.writes.approve_after_untrusted
    assert config.warnings == ()
