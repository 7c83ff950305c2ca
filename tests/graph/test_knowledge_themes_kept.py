"""Themes that are kept: when they are made anew, and how they are known again."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from theme_harness import (
    BREAD,
    TEA,
    WOOD,
    everything,
    files,
    group,
    paths_of,
    three_groups,
    told_of,
)
from vault_harness import VaultHarness
from watch_harness import QUICK, Follower, until

from glassmind.errors import IndexBusy, UnknownTheme
from glassmind.graph import themes as themes_module
from glassmind.graph.themes import Partition, parted
from glassmind.links.graph import LinkGraph
from glassmind.model.graph import TagCount
from glassmind.store.lock import WriterLock
from glassmind.store.place import LOCK

FIRST = {1: files(TEA), 2: files(BREAD), 3: files(WOOD)}


@pytest.fixture
def groups(vault: VaultHarness) -> VaultHarness:
    """Three groups, indexed, their themes made and kept."""
    vault.indexed(three_groups())
    assert told_of(vault) == FIRST
    return vault


@pytest.fixture
def partings(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The resolution of every parting that was made."""
    made: list[float] = []

    def counted(net: LinkGraph, resolution: float) -> Partition:
        made.append(resolution)
        return parted(net, resolution)

    monkeypatch.setattr(themes_module, "parted", counted)
    return made


@contextmanager
def taken(vault: VaultHarness) -> Iterator[None]:
    """Be another process that writes the index."""
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with WriterLock(vault.folder / LOCK) as lock:
            lock.acquire(timeout_s=10)
            held.set()
            done.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(20)
    try:
        yield
    finally:
        done.set()
        thread.join(20)


def kept(vault: VaultHarness) -> list[tuple[str, int]]:
    """Return which note the rows keep in which theme."""
    found = vault.rows(
        "select f.path, m.theme_id from theme_members m "
        "join files f on f.id = m.note_id order by f.path"
    )
    return [(path, theme) for path, theme in found]


def test_themes_are_made_once_and_then_read(
    vault: VaultHarness, partings: list[float]
) -> None:
    vault.indexed(three_groups())
    first = vault.engine.knowledge.themes()

    again, anew = vault.engine.knowledge.themes(), vault.open().knowledge.themes()

    assert first == again == anew
    assert partings == [1.0]
    assert len(kept(vault)) == 15


def test_text_that_changes_no_link_makes_no_theme_anew(
    groups: VaultHarness, partings: list[float]
) -> None:
    groups.indexed({"tea 01.md": three_groups()["tea 01.md"] + "\nmore #leaf"})

    found = groups.engine.knowledge.themes()

    assert partings == []
    assert found.themes[0].tags == (TagCount("leaf", 1),)


def test_a_new_title_is_told_without_making_themes_anew(
    groups: VaultHarness, partings: list[float]
) -> None:
    text = three_groups()["wood 01.md"]
    groups.indexed({"wood 01.md": f"---\ntitle: Oak\n---\n{text}"})

    found = groups.engine.knowledge.themes(theme=3)

    titles = {member.path: member.title for member in found.themes[0].members}
    assert titles["wood 01.md"] == groups.value(
        "select n.title from notes n join files f using (id) where f.path = ?",
        "wood 01.md",
    )
    assert partings == []


def test_new_links_make_themes_anew(
    groups: VaultHarness, partings: list[float]
) -> None:
    groups.indexed({"new.md": "[[wood 01]] [[wood 02]]"})

    assert told_of(groups) == FIRST | {3: files([*WOOD, "new"])}
    assert partings == [1.0]


def test_notes_that_were_only_deleted_make_themes_anew(
    groups: VaultHarness, partings: list[float]
) -> None:
    groups.remove("tea 06.md")
    groups.index()

    found = groups.engine.knowledge.themes()

    assert paths_of(found) == {1: files(TEA[:5]), 2: files(BREAD), 3: files(WOOD)}
    assert "tea 06" not in everything(found)
    assert found.themes[0].summary.endswith("5 notes.")
    assert partings == [1.0]
    assert "tea 06.md" not in dict(kept(groups))


def test_a_deleted_note_leaves_no_ghost_before_themes_are_made_anew(
    groups: VaultHarness,
) -> None:
    groups.remove("tea 06.md")
    groups.index()

    assert len(kept(groups)) == 14
    with taken(groups):  # nobody can write them now
        found = groups.engine.knowledge.themes()

    assert "tea 06" not in everything(found)
    assert found.notes == 14


def test_a_note_that_left_and_came_back_is_in_its_theme_again(
    groups: VaultHarness, partings: list[float]
) -> None:
    groups.remove("tea 06.md")
    groups.index()
    groups.indexed({"tea 06.md": three_groups()["tea 06.md"]})

    assert told_of(groups) == FIRST
    assert partings == [1.0]


def test_a_rebuilt_index_keeps_equal_rows(groups: VaultHarness) -> None:
    before = kept(groups), groups.rows("select * from themes")
    state = groups.value("select value from settings where key = 'themes'")
    groups.index(rebuild=True)
    assert kept(groups) == []

    assert told_of(groups) == FIRST

    assert (kept(groups), groups.rows("select * from themes")) == before
    assert state == groups.value("select value from settings where key = 'themes'")


def test_ids_stay_while_notes_come_go_move_and_change(groups: VaultHarness) -> None:
    groups.move("tea 01.md", "Drinks/tea 01.md")
    groups.remove("bread 05.md")
    groups.write({"wood 05.md": "[[wood 01]] [[wood 02]] [[wood 03]]"})
    groups.write({"wood 02.md": "[[wood 01]] [[wood 03]]"})
    groups.index()

    found = told_of(groups)

    assert found == {
        1: {"Drinks/tea 01.md", *files(TEA[1:])},
        2: files(BREAD[:4]),
        3: files([*WOOD, "wood 05"]),
    }


def test_every_note_written_anew_leaves_the_ids_as_they_are(
    groups: VaultHarness,
) -> None:
    groups.indexed({path: f"{text}\nmore" for path, text in three_groups().items()})

    assert told_of(groups) == FIRST


def test_a_theme_that_grows_to_be_the_largest_keeps_its_id(
    groups: VaultHarness,
) -> None:
    more = [*WOOD, *(f"wood {n:02}" for n in range(5, 10))]
    groups.indexed(group(more))

    assert told_of(groups)[3] == files(more)


def test_the_larger_half_of_a_split_keeps_the_id_and_the_other_gets_a_new_one(
    groups: VaultHarness,
) -> None:
    groups.indexed(group([*TEA[:2], "tea x"]) | group(TEA[2:]))

    found = told_of(groups)

    assert found[1] == files(TEA[2:])
    assert found[4] == files([*TEA[:2], "tea x"])


def test_of_two_that_become_one_the_larger_gives_its_id(groups: VaultHarness) -> None:
    groups.indexed(group([*BREAD, *WOOD]))

    assert told_of(groups) == {1: files(TEA), 2: files([*BREAD, *WOOD])}


def test_an_id_is_never_given_twice(groups: VaultHarness) -> None:
    groups.remove(*files(WOOD))
    groups.index()
    assert told_of(groups).keys() == {1, 2}

    groups.indexed(group(["iron 1", "iron 2", "iron 3"]))

    assert told_of(groups).keys() == {1, 2, 4}


def test_another_resolution_in_the_settings_makes_themes_anew(
    groups: VaultHarness, partings: list[float]
) -> None:
    found = groups.open(graph__theme_resolution=0.05).knowledge.themes()

    assert (found.resolution, partings) == (0.05, [0.05])
    assert groups.open().knowledge.themes() == found
    assert partings == [0.05]


def test_a_resolution_that_is_asked_for_is_not_kept(
    groups: VaultHarness, partings: list[float]
) -> None:
    before = kept(groups)

    other = groups.engine.knowledge.themes(resolution=0.05)

    assert other.resolution == 0.05
    assert kept(groups) == before
    assert told_of(groups) == FIRST


def test_themes_that_are_shown_once_have_numbers_of_their_own(
    groups: VaultHarness,
) -> None:
    knowledge = groups.engine.knowledge

    shown = knowledge.themes(resolution=3.0)

    assert [theme.id for theme in shown.themes] == [-1 - n for n in range(shown.total)]
    first = shown.themes[0]
    assert knowledge.themes(resolution=3.0, theme=first.id).themes == (first,)
    with pytest.raises(UnknownTheme):
        knowledge.themes(theme=-1)
    with pytest.raises(UnknownTheme):
        knowledge.rank(theme=-1)
    assert told_of(groups) == FIRST
    groups.indexed(group(["iron 1", "iron 2", "iron 3"]))
    assert told_of(groups).keys() == {1, 2, 3, 4}


def test_the_usual_resolution_by_its_number_is_the_usual_one(
    groups: VaultHarness,
) -> None:
    assert told_of(groups, resolution=1.0) == FIRST
    groups.indexed(group(["iron 1", "iron 2", "iron 3"]))

    named = told_of(groups, resolution=1.0)

    assert named.keys() == {1, 2, 3, 4}
    assert named == told_of(groups) == paths_of(groups.open().knowledge.themes())


def test_a_resolution_shown_before_it_is_kept_gets_numbers_that_last(
    groups: VaultHarness,
) -> None:
    knowledge = groups.engine.knowledge
    knowledge.themes(resolution=3.0)

    groups.open().knowledge.themes(resolution=3.0, refresh=True)

    assert min(theme.id for theme in knowledge.themes().themes) > 0


def test_with_ghosts_a_kept_theme_keeps_its_number_and_no_other_gets_one(
    groups: VaultHarness,
) -> None:
    ring = {f"salt {n}.md": "[[Sea]] [[Shore]] [[Sand]]" for n in (1, 2)}
    groups.indexed(ring)
    assert told_of(groups).keys() == {1, 2, 3}
    knowledge = groups.engine.knowledge

    shown = knowledge.themes(ghosts=True)

    assert {theme.id for theme in shown.themes} == {1, 2, 3, -1}
    assert knowledge.rank(theme=1, ghosts=True).theme is not None
    with pytest.raises(UnknownTheme):
        knowledge.rank(theme=-1, ghosts=True)
    groups.indexed(group(["iron 1", "iron 2", "iron 3"]))
    assert told_of(groups).keys() == {1, 2, 3, 4}


def test_a_resolution_is_kept_with_a_refresh_until_the_settings_say_another(
    groups: VaultHarness,
) -> None:
    groups.engine.knowledge.themes(resolution=3.0, refresh=True)

    assert groups.open().knowledge.themes().resolution == 3.0
    groups.indexed({"new.md": "[[wood 01]] [[wood 02]]"})
    assert groups.engine.knowledge.themes().resolution == 3.0
    assert groups.open(graph__theme_resolution=0.9).knowledge.themes().resolution == 0.9


def test_a_refresh_goes_back_to_the_settings(
    groups: VaultHarness, partings: list[float]
) -> None:
    groups.engine.knowledge.themes(resolution=3.0, refresh=True)

    found = groups.engine.knowledge.themes(refresh=True)

    assert (found.resolution, partings) == (1.0, [3.0, 1.0])
    assert sorted(map(sorted, paths_of(found).values())) == sorted(
        map(sorted, FIRST.values())
    )


def test_who_cannot_write_answers_the_same(vault: VaultHarness) -> None:
    vault.indexed(three_groups())

    with taken(vault):
        unwritten = vault.engine.knowledge.themes()
        assert kept(vault) == []
    written = vault.open().knowledge.themes()

    assert unwritten == written
    assert len(kept(vault)) == 15


@pytest.mark.slow
def test_a_watch_makes_themes_when_it_was_quiet(vault: VaultHarness) -> None:
    vault.settings |= QUICK
    vault.write(three_groups())

    with Follower(vault.open(watch__community_debounce_ms=50)) as follower:
        follower.ready()
        until(lambda: len(kept(vault)) == 15, "the first themes")
        vault.write({"new.md": "[[wood 01]] [[wood 02]]"})
        until(lambda: dict(kept(vault)).get("new.md") == 3, "the new note")
        vault.remove("tea 06.md")
        until(lambda: len(kept(vault)) == 15, "the deleted note")

    assert follower.hindered == []
    assert "tea 06.md" not in dict(kept(vault))


@pytest.mark.slow
def test_a_watch_that_cannot_make_themes_says_so_once_and_goes_on(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.settings |= QUICK
    tried: list[float] = []

    def fail(_: object, resolution: float) -> Partition:
        tried.append(resolution)
        raise IndexBusy("another program", 0.0)

    monkeypatch.setattr(themes_module, "parted", fail)
    monkeypatch.setattr("glassmind.index.watching.FIRST_RETRY_S", 0.05)
    vault.write(three_groups())

    with Follower(vault.open(watch__community_debounce_ms=50)) as follower:
        follower.ready()
        until(lambda: len(tried) > 2, "trying again")
        batch = follower.after(lambda: vault.write({"new.md": "oolong"}))

    assert batch.report.added == 1
    assert len(follower.hindered) == 1
    assert "another program" in follower.hindered[0].message
