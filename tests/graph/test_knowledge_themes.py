"""Themes of a vault: what they are, what is said of them, and how one is asked for."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from math import fsum, inf, nan

import pytest
from operation_harness import text_of, values_of
from theme_harness import (
    BREAD,
    TEA,
    WOOD,
    everything,
    files,
    group,
    numbered,
    paths_of,
    three_groups,
    told_of,
)
from vault_harness import VaultHarness

from glassmind.errors import AmbiguousTheme, BadWish, IndexAbsent, UnknownTheme
from glassmind.model.graph import Theme, ThemeMember
from glassmind.obsidian.text import Style
from glassmind.operations import graph
from glassmind.operations.graph import themes_text as themes_for_people
from glassmind.operations.registry import joined


def test_notes_that_link_to_each_other_are_a_theme(vault: VaultHarness) -> None:
    vault.indexed(three_groups())

    assert told_of(vault) == {1: files(TEA), 2: files(BREAD), 3: files(WOOD)}


def test_modularity_of_two_cliques_is_what_the_textbook_says(
    vault: VaultHarness,
) -> None:
    vault.indexed(group(numbered("a", 5)) | group(numbered("b", 5)))

    found = vault.engine.knowledge.themes()

    assert found.total == 2
    assert found.modularity == pytest.approx(0.5)
    assert found.warning == ""


def test_a_star_is_one_theme_called_after_its_centre(vault: VaultHarness) -> None:
    leaves = numbered("leaf", 6)
    vault.indexed({"Sun.md": "", **{f"{name}.md": "[[Sun]]" for name in leaves}})

    (theme,) = vault.engine.knowledge.themes().themes

    assert (theme.label, theme.size) == ("Sun", 7)
    assert theme.members[0].influence > 3 * theme.members[1].influence
    assert [member.path for member in theme.members[1:]] == sorted(files(leaves))


def test_links_of_every_kind_hold_a_theme_together(vault: VaultHarness) -> None:
    vault.indexed(
        {
            "a.md": "![[b]]",
            "b.md": "[to c](c.md)",
            "c.md": "---\nup: '[[a]]'\n---\n",
            "apart.md": "[[nowhere]]",
        }
    )

    assert told_of(vault) == {1: files("abc")}


def test_notes_without_company_belong_to_no_theme_and_are_counted(
    vault: VaultHarness,
) -> None:
    vault.indexed(
        three_groups() | {"x.md": "[[y]]", "y.md": "", "alone.md": "[[gone]]"}
    )

    found = vault.engine.knowledge.themes()

    assert (found.total, found.notes, found.apart) == (3, 18, 3)


def test_a_vault_without_links_has_no_themes_and_no_warning(
    vault: VaultHarness,
) -> None:
    vault.indexed({"a.md": "one", "b.md": "two"})

    found = vault.engine.knowledge.themes()

    assert (found.themes, found.modularity, found.apart) == ((), 0.0, 2)
    assert found.warning == ""


def test_groups_that_are_hardly_groups_come_with_a_warning(vault: VaultHarness) -> None:
    vault.indexed(group(numbered("all", 8)))

    found = vault.engine.knowledge.themes()

    assert found.total == 1
    assert "modularity 0.00 is low" in found.warning


def test_the_influence_of_all_members_makes_one(vault: VaultHarness) -> None:
    vault.indexed(three_groups())

    for theme in vault.engine.knowledge.themes().themes:
        shares = [member.influence for member in theme.members]
        assert fsum(shares) == pytest.approx(1.0)
        assert shares == sorted(shares, reverse=True)


def test_influence_is_that_among_the_members_alone(vault: VaultHarness) -> None:
    vault.indexed(three_groups())
    apart = VaultHarness(vault.root.parent / "apart")
    apart.indexed(group(TEA))

    (_, *_), (alone,) = (
        vault.engine.knowledge.themes().themes,
        apart.engine.knowledge.themes().themes,
    )
    inside = vault.engine.knowledge.themes(theme=1).themes[0]
    apart.close()

    wanted = {member.path: member.influence for member in alone.members}
    assert {
        member.path: member.influence for member in inside.members
    } == pytest.approx(wanted)


def test_a_summary_names_members_tags_and_size(vault: VaultHarness) -> None:
    vault.indexed(
        group(
            ["Oolong", "Sencha", "Assam"],
            {"Oolong": "#tea #Green", "Sencha": "#Tea #cold", "Assam": "#tea/black"},
        )
    )

    (theme,) = vault.engine.knowledge.themes().themes

    assert theme.summary == (
        "Key members: Assam, Oolong, Sencha. "
        "Tags: #Tea, #cold, #Green, #tea/black. 3 notes."
    )
    tags = [(tag.name, tag.notes) for tag in theme.tags]
    assert tags == [("Tea", 2), ("cold", 1), ("Green", 1), ("tea/black", 1)]


def test_a_summary_names_no_more_than_five_of_each(vault: VaultHarness) -> None:
    tags = " ".join(f"#t{number}" for number in range(9))
    vault.indexed(group(numbered("n", 9), {"n 01": tags}))

    (theme,) = vault.engine.knowledge.themes().themes

    assert theme.summary.count("#") == 5
    assert theme.summary.count("n 0") == 5


def test_a_theme_whose_members_name_one_hub_is_confirmed(vault: VaultHarness) -> None:
    hub = "---\nup: '[[Teas]]'\n---\n"
    notes = group([*TEA, "Teas"])
    vault.indexed(
        three_groups()
        | notes
        | {f"{name}.md": hub + notes[f"{name}.md"] for name in TEA[:4]}
    )

    standings = {
        theme.id: (theme.standing, theme.hub)
        for theme in vault.engine.knowledge.themes().themes
    }

    assert standings[1] == ("confirmed", "Teas.md")
    assert standings[2] == ("emergent", None)


def test_half_of_a_theme_is_not_enough_to_confirm_it(vault: VaultHarness) -> None:
    hub = "---\nup: '[[Teas]]'\n---\n"
    notes = group([*TEA[:5], "Teas"])
    vault.indexed(notes | {f"{name}.md": hub + notes[f"{name}.md"] for name in TEA[:2]})

    (theme,) = vault.engine.knowledge.themes().themes

    assert (theme.size, theme.standing) == (6, "emergent")


def test_one_theme_is_asked_for_by_its_id_or_its_label(vault: VaultHarness) -> None:
    vault.indexed(three_groups())
    knowledge = vault.engine.knowledge
    whole = knowledge.themes()
    label = whole.themes[1].label

    by_id, by_label = knowledge.themes(theme=2), knowledge.themes(theme=label.upper())

    assert by_id.themes == by_label.themes == (whole.themes[1],)
    assert (by_id.total, by_id.modularity) == (3, whole.modularity)


@pytest.mark.parametrize(("name", "closest"), [("tee 01", "tea"), ("99", "bread")])
def test_an_unknown_theme_is_refused_with_the_closest(
    vault: VaultHarness, name: str, closest: str
) -> None:
    vault.indexed(three_groups())

    with pytest.raises(UnknownTheme, match=closest) as caught:
        vault.engine.knowledge.themes(theme=name)

    assert caught.value.name == name


def test_an_unknown_theme_of_a_vault_without_any_says_so(vault: VaultHarness) -> None:
    vault.indexed({"a.md": "one"})

    with pytest.raises(UnknownTheme, match="there are no themes"):
        vault.engine.knowledge.themes(theme="")


def test_a_label_that_two_themes_have_asks_for_the_id(vault: VaultHarness) -> None:
    hub = {f"{name}/Hub.md": "" for name in ("x", "y")}
    leaves = {
        f"{name}/{n}.md": f"[[{name}/Hub]]" for name in ("x", "y") for n in range(4)
    }
    vault.indexed(hub | leaves)

    with pytest.raises(AmbiguousTheme, match="1, 2; give the id"):
        vault.engine.knowledge.themes(theme="hub")

    assert vault.engine.knowledge.themes(theme=2).themes[0].label == "Hub"


@pytest.mark.parametrize("resolution", [0, -1.0, nan, inf, 1000.0])
def test_a_resolution_that_there_is_not_is_refused(
    vault: VaultHarness, resolution: float
) -> None:
    vault.indexed(three_groups())

    with pytest.raises(BadWish, match="resolution"):
        vault.engine.knowledge.themes(resolution=resolution)


def test_a_higher_resolution_makes_more_themes(vault: VaultHarness) -> None:
    ring = [group(numbered(f"g{n}", 4)) for n in range(8)]
    ties = {f"g{n} 01": f"[[g{(n + 1) % 8} 02]]\n" for n in range(8)}
    tied = [group(numbered(f"g{n}", 4), ties) for n in range(8)]
    vault.indexed({path: text for part in tied for path, text in part.items()})

    sizes = [
        vault.engine.knowledge.themes(resolution=resolution).total
        for resolution in (0.1, 1.0)
    ]

    assert sizes[0] < sizes[1] <= len(ring)


def test_ghosts_are_members_only_where_they_are_asked_for(vault: VaultHarness) -> None:
    vault.indexed({f"{n}.md": "[[Someday]]" for n in range(5)})
    knowledge = vault.engine.knowledge

    without, with_ghosts = knowledge.themes(), knowledge.themes(ghosts=True)

    assert (without.total, without.apart, without.ghosts) == (0, 5, False)
    (theme,) = with_ghosts.themes
    assert (theme.label, theme.members[0].ghost) == ("Someday", True)
    assert (with_ghosts.apart, with_ghosts.ghosts) == (0, True)
    assert told_of(vault) == {}


def test_a_large_theme_is_parted_by_its_own_links(vault: VaultHarness) -> None:
    # Beside many links elsewhere, groups that hang together by one link seem one.
    small = [numbered(f"small {n}", 5) for n in range(5)]
    ties = {f"small {n} 01": f"[[small {n + 1} 02]]\n" for n in range(4)}
    notes = group(numbered("large", 60))
    for names in small:
        notes |= group(names, ties)
    vault.indexed(notes)

    found = told_of(vault)

    assert sorted(map(len, found.values())) == [5, 5, 5, 5, 5, 60]


@pytest.mark.parametrize("resolution", [0.01, 0.3, 1.0])
def test_a_large_theme_is_parted_at_any_resolution(
    vault: VaultHarness, resolution: float
) -> None:
    names = [numbered(name, 7) for name in ("tea", "bread", "wood", "iron")]
    for before, after in pairwise(names):
        vault.write(group(before, {before[0]: f"[[{after[0]}]]\n"}))
    vault.indexed(group(names[-1]))

    found = vault.engine.knowledge.themes(resolution=resolution)

    assert [theme.size for theme in found.themes] == [7, 7, 7, 7]


def test_the_same_vault_has_the_same_themes_whatever_came_first(
    vault: VaultHarness,
) -> None:
    notes = three_groups()
    vault.indexed(notes)
    other = VaultHarness(vault.root.parent / "other")
    backward = sorted(notes, reverse=True)
    for some in (backward[::2], backward[1::2]):
        other.indexed({path: notes[path] for path in some})

    ours, theirs = (
        values_of(harness.engine, "themes")["themes"] for harness in (vault, other)
    )
    other.close()

    for theme in (*ours, *theirs):
        for member in theme["members"]:
            del member["uri"]  # names the vault
    assert ours == theirs


def test_many_who_ask_at_once_are_told_the_same(vault: VaultHarness) -> None:
    vault.indexed(three_groups())
    knowledge = vault.engine.knowledge

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: knowledge.themes(), range(32)))

    assert all(answer == answers[0] for answer in answers)


def test_without_an_index_there_is_nothing_to_part(vault: VaultHarness) -> None:
    with pytest.raises(IndexAbsent):
        vault.engine.knowledge.themes()


def test_themes_are_read_by_programs_and_by_people(vault: VaultHarness) -> None:
    vault.indexed(three_groups(tea_01="#leaf"))

    whole = values_of(vault.engine, "themes")
    text = text_of(vault.engine, "themes")
    one = text_of(vault.engine, "themes", theme="3")

    assert [len(theme["members"]) for theme in whole["themes"]] == [6, 5, 4]
    assert [theme["size"] for theme in whole["themes"]] == [6, 5, 4]
    assert whole["themes"][0]["tags"] == [{"name": "leaf", "notes": 1}]
    assert "3 themes of 15 notes" in text
    assert "wood 04.md" in one
    assert "tea 01.md" not in one


def test_a_title_cannot_command_the_terminal() -> None:
    title = "\x1b[2Jred"
    theme = Theme(
        id=1,
        label=title,
        summary=f"Key members: {title}.",
        size=1,
        standing="emergent",
        hub=title,
        members=(ThemeMember("\x1b[2J", title, 1.0),),
    )
    found = graph.ThemesResult(
        vault="V",
        themes=(theme,),
        total=1,
        modularity=0.5,
        resolution=1.0,
        notes=1,
        apart=0,
        ghosts=False,
        warning="",
    )

    assert "\x1b" not in joined(themes_for_people(found, None, Style()))


def test_a_vault_without_themes_says_what_one_would_be(vault: VaultHarness) -> None:
    vault.indexed({"a.md": "one"})

    text = text_of(vault.engine, "themes")

    assert text.startswith("No themes: they need at least three notes")
    assert everything(vault.engine.knowledge.themes()) == ""
    assert paths_of(vault.engine.knowledge.themes()) == {}
