"""The graph in memory follows the rows, whatever happens to the vault."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from graph_desk import content
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    precondition,
    rule,
    run_state_machine_as_test,
)
from vault_desk import VaultDesk

from glassmind.errors import IndexAbsent
from glassmind.graph.link_graph import KeptGraph
from glassmind.links import graph
from glassmind.store.sqlite.links import GraphRows
from glassmind.store.sqlite.rows import Rows

STEMS = ("Tea", "Pot", "Cup", "v1.0")
FOLDERS = ("", "a/", "b/", "a/b/")
PLACES = tuple(f"{folder}{stem}" for folder in FOLDERS for stem in STEMS)

names = st.sampled_from(
    [*STEMS, *PLACES, "Tea.md", "tea", "Gone", "gone.MD", "pic.png", "a/pic.png", "T#h"]
)
links = st.lists(
    st.one_of(
        names.map(lambda name: f"[[{name}]]"),
        names.map(lambda name: f"![[{name}]]"),
        st.sampled_from(STEMS).map(lambda name: f"[words]({name}.md)"),
        st.just("a line\nmore"),
    ),
    max_size=5,
)
places = st.sampled_from(PLACES)
properties = st.lists(st.tuples(st.sampled_from(("up", "see")), names), max_size=2)


def note(parts: list[str], said: list[tuple[str, str]]) -> str:
    head = "".join(f'{key}: "[[{name}]]"\n' for key, name in dict(said).items())
    return f"---\n{head}---\n" + " ".join(parts)


def kept_of(desk: VaultDesk) -> KeptGraph:
    """Return a graph of the vault that is kept from question to question."""
    return KeptGraph(desk.engine._vault)


class Following(RuleBasedStateMachine):
    """Files come and go; after each run of indexing the graph is as if built anew."""

    def __init__(self) -> None:
        super().__init__()
        self._scratch = TemporaryDirectory(ignore_cleanup_errors=True)
        self.desk = VaultDesk(Path(self._scratch.name))
        self.desk.indexed({"Tea.md": "[[Pot]]"})
        self.kept = kept_of(self.desk)
        self.kept.now(ghosts=True)
        self.files = {"Tea.md"}

    @rule(place=places, parts=links, said=properties, looks=st.booleans())
    def write(
        self, place: str, parts: list[str], said: list[tuple[str, str]], looks: bool
    ) -> None:
        self.desk.write({f"{place}.md": note(parts, said)})
        self.files.add(f"{place}.md")
        self.look(looks)

    @rule(place=st.sampled_from([*PLACES, "pic.png", "a/pic.png"]), looks=st.booleans())
    def attach(self, place: str, looks: bool) -> None:
        self.desk.write({place: b"\x89PNG"})
        self.files.add(place)
        self.look(looks)

    @precondition(lambda self: self.files)
    @rule(chosen=st.integers(0, 99), looks=st.booleans())
    def remove(self, chosen: int, looks: bool) -> None:
        path = sorted(self.files)[chosen % len(self.files)]
        self.files.remove(path)
        self.desk.remove(path)
        self.look(looks)

    @precondition(lambda self: self.notes())
    @rule(chosen=st.integers(0, 99), place=places, looks=st.booleans())
    def rename(self, chosen: int, place: str, looks: bool) -> None:
        path = self.notes()[chosen % len(self.notes())]
        if f"{place}.md" not in self.files:
            self.desk.move(path, f"{place}.md")
            self.files.remove(path)
            self.files.add(f"{place}.md")
        self.look(looks)

    def notes(self) -> list[str]:
        return sorted(path for path in self.files if path.endswith(".md"))

    def look(self, looks: bool) -> None:
        """Index; and look at the graph, unless more is to change before that."""
        self.desk.index()
        if not looks:
            return
        for ghosts in (False, True):
            now = self.kept.now(ghosts=ghosts)
            assert content(now) == content(kept_of(self.desk).now(ghosts=ghosts))

    def teardown(self) -> None:
        self.look(looks=True)
        self.desk.close()
        self._scratch.cleanup()


def tried(examples: int) -> settings:
    """Return how often it is tried."""
    return settings(
        max_examples=examples,
        stateful_step_count=15,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


def test_the_graph_follows_whatever_happens_to_a_vault() -> None:
    run_state_machine_as_test(Following, settings=tried(5))


@pytest.mark.slow
def test_the_graph_follows_whatever_happens_to_many_vaults() -> None:
    run_state_machine_as_test(Following, settings=tried(40))


def ring(count: int) -> dict[str, str]:
    """Return notes of which each leads to the next."""
    return {f"n{i:03}.md": f"to [[n{(i + 1) % count:03}]]" for i in range(count)}


def test_a_picture_that_was_given_out_stays_as_it_was(vault: VaultDesk) -> None:
    vault.indexed(ring(5))
    kept = kept_of(vault)
    before = kept.now()
    told = content(before)

    vault.indexed({"n002.md": "nowhere", "a.md": "[[n000]]"})

    assert len(kept.now()) == 6
    assert content(before) == told


def test_the_same_picture_serves_until_something_changes(vault: VaultDesk) -> None:
    vault.indexed(ring(5))
    kept = kept_of(vault)

    assert kept.now() is kept.now()
    assert kept.now(ghosts=True) is kept.now(ghosts=True)
    vault.write({"n001.md": "to [[n002]]"})
    vault.index()
    assert kept.now() is kept.now()


def test_one_changed_note_does_not_read_the_others(
    vault: VaultDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.indexed(ring(50))
    kept = kept_of(vault)
    kept.now()
    asked: list[int] = []
    links_of = Rows.graph_links_of

    def counted(rows: Rows, note_ids: Any) -> Any:
        asked.append(len(note_ids))
        return links_of(rows, note_ids)

    monkeypatch.setattr(Rows, "graph_links_of", counted)
    monkeypatch.delattr(GraphRows, "graph_links")
    vault.indexed({"n007.md": "to [[n009]] and [[n011]]"})
    net = kept.now()

    assert asked == [1]
    assert net.outward(7).tolist() == [9, 11]
    assert net.inward(8).tolist() == []


def test_many_changes_one_after_the_other_come_to_the_same(
    vault: VaultDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph, "MOST_REPLACED", 3)
    vault.indexed(ring(12))
    kept = kept_of(vault)
    kept.now().around(0)

    for turn in range(6):
        vault.indexed({f"n00{turn}.md": f"[[n0{turn + 4:02}]] [[n011]] ![[n000]]"})
        assert content(kept.now()) == content(kept_of(vault).now())


def test_who_fell_too_far_behind_reads_everything_anew(
    vault: VaultDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.indexed(ring(8))
    kept = kept_of(vault)
    kept.now()
    monkeypatch.setattr("glassmind.store.sqlite.links._MOST_CHANGES", 2)

    vault.indexed(ring(5))

    assert content(kept.now()) == content(kept_of(vault).now())


def test_a_log_that_lost_its_beginning_is_not_followed(vault: VaultDesk) -> None:
    vault.indexed(ring(8))
    kept = kept_of(vault)
    kept.now()

    vault.indexed(ring(5))
    vault.indexed({"n001.md": "[[n004]]"})
    db = vault.database()
    db.execute(
        "delete from link_changes where seq < (select max(seq) from link_changes)"
    )
    db.close()

    assert content(kept.now()) == content(kept_of(vault).now())


def test_an_index_that_is_made_anew_is_another(vault: VaultDesk) -> None:
    vault.indexed(ring(8))
    kept = kept_of(vault)
    kept.now()

    vault.remove("n003.md")
    vault.index(rebuild=True)

    assert len(kept.now()) == 7
    assert content(kept.now()) == content(kept_of(vault).now())


def test_without_an_index_there_is_no_graph(vault: VaultDesk) -> None:
    with pytest.raises(IndexAbsent):
        kept_of(vault).now()


def test_many_threads_share_one_picture(vault: VaultDesk) -> None:
    vault.indexed(ring(40))
    kept = kept_of(vault)

    with ThreadPoolExecutor(8) as pool:
        first = list(pool.map(lambda _: kept.now(), range(16)))
        vault.indexed({"n007.md": "to [[n009]]"})
        second = list(pool.map(lambda _: kept.now(ghosts=True), range(16)))

    assert len({id(net) for net in first}) == 1
    assert len({id(net) for net in second}) == 1
    assert second[0].outward(7).tolist() == [9]


def test_spellings_of_a_ghost_are_one_node_behind_the_notes(vault: VaultDesk) -> None:
    vault.indexed({"a.md": "[[Tea]] [[tea.md]] [[Zoo]]", "b.md": "[[a]] [[TEA]]"})

    net = kept_of(vault).now(ghosts=True)

    assert (list(net.paths), net.note_count) == (["a.md", "b.md", "TEA", "Zoo"], 2)
    assert net.node_at("tEa") == 2
    assert net.inward(2).tolist() == [0, 1]
    assert [edge.seq for edge in net.edges(0, 2)] == [0, 1]
    assert net.ids.tolist()[2:] == [0, 0]
    assert kept_of(vault).now().node_at("Tea") is None


def test_kinds_properties_and_lines_are_told(vault: VaultDesk) -> None:
    vault.indexed(
        {
            "a.md": '---\nup: "[[b]]"\n---\n![[b]]\n\n[b](b.md) and [[b|here]]\n',
            "b.md": "[[pic.png]] [[#Own]]",
            "c.canvas": '{"nodes":[{"id":"1","type":"file","file":"b.md"}]}',
            "pic.png": b"\x89PNG",
        }
    )

    net = kept_of(vault).now()

    told = [(e.kind, e.property, e.line, e.confidence) for e in net.edges(0, 1)]
    assert told == [
        ("property", "up", 2, 0.7),
        ("embed", "", 4, 1.0),
        ("markdown", "", 6, 1.0),
        ("link", "", 6, 1.0),
    ]
    assert [edge.kind for end in net.outward(2) for edge in net.edges(2, int(end))] == [
        "canvas"
    ]
    assert not len(net.outward(1))
