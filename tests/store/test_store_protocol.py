"""What every store has to do; each kind of store is one more line in `STORES`."""

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import UTC, date, datetime
from typing import Any

import pytest
from semantic_harness import LONG, MeaningHarness, vector_of
from vault_harness import VaultHarness

from glassmind.files.names import name_key
from glassmind.model import NotePath, Span
from glassmind.model.access import EVERY_AGENT
from glassmind.model.context import MemoryFilter, ProjectName
from glassmind.model.index import FileFilter, NoteFilter
from glassmind.model.memory import UseEvent
from glassmind.search.query import parse_query
from glassmind.store.protocol import Rows, Store
from glassmind.vault import Vault

STORES: dict[str, Mapping[str, object]] = {"sqlite": {}}
"""The settings that choose each kind of store."""

OPEN = """---
aliases: [Brew]
tags: [drink/hot]
project: Cups
type: decision
---
# Leaves
- [ ] boil water [due:: 2024-05-02]
Steeped with [[Milk]] and [[Honey]] ^leaf
> [!question] Which cup?
> The blue one.
"""
HUSH = """---
private: true
aliases: [Hushed]
tags: [hush]
project: Hush
hush: hush
client: hush
status: hush
kind: fact
created: 2024-05-01T10:00:00Z
superseded-by: "[[Tea]]"
---
# Hush heading
- [x] hush task [hush:: hush]
hush [[Hush target]] and [[Tea]] [[Tea#Hush part]] ^hush
> [!question] hush
"""
FILES = {
    "Tea.md": OPEN,
    "Cellar/Milk.md": "# Cow\nWhite. See [[Tea#Leaves|leaves]].\n",
    "Cellar/Hush.md": HUSH,
    "Cellar/map.png": "no picture",
}


@pytest.fixture(params=sorted(STORES))
def harness(request: pytest.FixtureRequest, vault: VaultHarness) -> VaultHarness:
    vault.settings.update(STORES[request.param])
    vault.indexed(FILES)
    return vault


def vault_of(harness: VaultHarness) -> Vault:
    found = harness.engine._vault
    assert isinstance(found, Vault)
    return found


def scoped_of(harness: VaultHarness) -> Vault:
    found = harness.engine.seen_by(EVERY_AGENT)._vault
    assert isinstance(found, Vault)
    return found


def paths(found: Any) -> list[str]:
    return [one.path for one in found]


def arguments(vault: Vault) -> Mapping[str, Any]:
    """Return an argument for every parameter that a read has, by its name."""
    known = vault.whole.store.rows()
    ids = sorted(known.note_ids())
    return {
        "agent": ".agent",
        "boxes": ["x", " "],
        "callouts": ["question"],
        "chunk_ids": list(range(20)),
        "events": [UseEvent(datetime(2024, 5, 1, tzinfo=UTC), "read", "cup", ())],
        "folder": "Cellar",
        "head": vault.store.head(),
        "index_bytes": 1,
        "enriched": True,
        "key": "fingerprint",
        "keys": ["hush", "due"],
        "least_chars": 1,
        "limit": 99,
        "listed": True,
        "longest": 99,
        "mark": (0, ""),
        "most": 99,
        "name": "Hush",
        "names": ["hush", "project"],
        "naming": True,
        "note_id": ids[0],
        "note_ids": ids,
        "outside": True,
        "path": NotePath("Cellar/Milk.md"),
        "paths": [note.path for note in known.notes()],
        "places": [(note, 0) for note in ids],
        "project": ProjectName("any", "", "Hush"),
        "said": "hush",
        "since": "2000-01-01",
        "since_ns": 0,
        "space": known.answering_space(),
        "span": Span(1, 99),
        "table": "notes",
        "tags": ["hush"],
        "until_ns": 2**62,
        "wanted": {
            **dict.fromkeys(("folder", "tag", "property", "kind"), ""),
            **dict.fromkeys(("value", "since", "until")),
            "limit": 99,
            "offset": 0,
        },
        "wish": MemoryFilter("Cellar", "fact", frozenset(), ids, ["hush"], []),
    }


UNLIKE = {
    ("link_sentences", "keys"): [(note, 0) for note in range(9)],
    ("pair_status", "space"): "",
    ("pair_lag", "space"): "",
    ("ticked", "mark"): "hush",
}
"""Parameters that mean something else than their names do elsewhere."""

OPTIONAL = {
    "chunk_places": {"listed"},
    "ghosts": {"name"},
    "memory_notes": {"outside"},
    "missing_vectors": {"enriched"},
    "pair_lists": {"note_ids", "naming"},
    "similar_pairs": {"path"},
    "uses": {"events"},
}
"""Parameters with a default that make another read of one."""


def reads() -> list[str]:
    return [
        name
        for name, read in vars(Rows).items()
        if callable(read) and not name.startswith("_") and name != "still"
    ]


def asked(rows: Rows, name: str, given: Mapping[str, Any]) -> list[Any]:
    """Return what a read returns, without and with its options."""
    found = [_asked(rows, name, given, frozenset())]
    if name in OPTIONAL:
        found.append(_asked(rows, name, given, OPTIONAL[name]))
    return found


def _asked(
    rows: Rows, name: str, given: Mapping[str, Any], options: Collection[str]
) -> Any:
    """Return what a read returns; None if it needs what only embedding makes."""
    read: Callable[..., Any] = getattr(rows, name)
    values: dict[str, Any] = {}
    for parameter in inspect.signature(read).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD or (
            parameter.default is not parameter.empty and parameter.name not in options
        ):
            continue
        known = given[parameter.name]
        known = UNLIKE.get((name, parameter.name), known)
        if name == "known_vectors" or (parameter.name == "space" and known is None):
            return None
        values[parameter.name] = known
    found = read(**values)
    return list(found) if isinstance(found, Iterator) else found


@pytest.mark.parametrize("name", reads())
def test_no_read_of_a_scope_tells_of_a_hidden_note(
    harness: VaultHarness, name: str
) -> None:
    whole, scoped = vault_of(harness), scoped_of(harness)
    given = arguments(whole)
    asked(whole.store.rows(), name, given)  # answers, whatever it is
    told = repr(asked(scoped.store.rows(), name, given)).lower()
    assert "hush" not in told


def test_what_is_hidden_from_a_scope_is_told_of_by_most_reads(
    harness: VaultHarness,
) -> None:
    """Or the test above would prove nothing."""
    whole = vault_of(harness)
    rows, given = whole.store.rows(), arguments(whole)
    telling = [n for n in reads() if "hush" in repr(asked(rows, n, given)).lower()]
    assert len(telling) > len(reads()) / 3


def test_notes_are_found_by_every_filter(harness: VaultHarness) -> None:
    rows = vault_of(harness).store.rows()
    (tea,) = rows.notes(titles=["Tea"])
    wanted: dict[str, tuple[NoteFilter, list[str]]] = {
        "ids": ({"ids": [tea.id]}, ["Tea.md"]),
        "paths": ({"paths": ["Tea.md", "Cellar/map.png"]}, ["Tea.md"]),
        "titles": ({"titles": ["Milk", "Tea"]}, ["Cellar/Milk.md", "Tea.md"]),
        "digests": ({"digests": [tea.digest[:8]]}, ["Tea.md"]),
        "name_key": ({"name_key": name_key("Milk.md")}, ["Cellar/Milk.md"]),
        "link_keys": ({"link_keys": [name_key("Honey")]}, ["Tea.md"]),
        "kind": ({"kind": "canvas"}, []),
        "folder": ({"folder": "Cellar"}, ["Cellar/Hush.md", "Cellar/Milk.md"]),
        "tag": ({"tag": "#Drink"}, ["Tea.md"]),
        "heading": ({"heading": "Cow"}, ["Cellar/Milk.md"]),
        "first_day": ({"first_day": "2024-01-01"}, ["Cellar/Hush.md"]),
        "last_day": ({"last_day": "2024-01-01"}, []),
    }
    assert wanted.keys() == NoteFilter.__annotations__.keys()
    found = {name: paths(rows.notes(**which)) for name, (which, _) in wanted.items()}
    assert found == {name: expected for name, (_, expected) in wanted.items()}
    assert rows.note_ids(folder="Cellar", titles=["Tea"]) == set()
    assert paths(rows.notes(limit=1)) == ["Cellar/Hush.md"]
    assert tea.aliases == ("Brew",)
    assert tea.error is None


def test_files_are_found_by_every_filter(harness: VaultHarness) -> None:
    rows = vault_of(harness).store.rows()
    (tea,) = rows.notes(titles=["Tea"])
    wanted: dict[str, tuple[FileFilter, list[str]]] = {
        "ids": ({"ids": [tea.id]}, ["Tea.md"]),
        "paths": ({"paths": ["Cellar/map.png", "no"]}, ["Cellar/map.png"]),
        "folder": ({"folder": "Cellar"}, sorted({*FILES} - {"Tea.md"})),
        "name_key": ({"name_key": name_key("map.png")}, ["Cellar/map.png"]),
    }
    assert wanted.keys() == FileFilter.__annotations__.keys()
    found = {name: paths(rows.files(**which)) for name, (which, _) in wanted.items()}
    assert found == {name: expected for name, (_, expected) in wanted.items()}
    assert rows.stamps() == {file.path: file.stamp for file in rows.files()}
    assert rows.paths() == sorted(FILES)


def test_a_scope_counts_and_names_what_it_hides(harness: VaultHarness) -> None:
    store, rows = scoped_of(harness).visible_store, vault_of(harness).store.rows()
    names = rows.names(store.hidden_notes())
    assert [path for path, _ in names.values()] == ["Cellar/Hush.md"]
    assert store.rows().count("notes") == 2
    assert store.embedded_in([NotePath("Tea.md")]) == 0


def test_words_are_found_in_the_whole_and_in_a_scope(harness: VaultHarness) -> None:
    whole = vault_of(harness).store
    found = [best(store, "hush") for store in (whole, scoped_of(harness).store)]
    assert found == [["Cellar/Hush.md"], []]
    words = whole.keywords()
    assert words is not None
    (note,) = words.named("brew")
    assert whole.rows().names([note])[note][0] == "Tea.md"


def best(store: Store, text: str) -> list[str]:
    words = store.keywords()
    assert words is not None
    assert words.reaches(store.head())
    hits = words.ask(parse_query(text, date(2024, 5, 1))).best(9)
    names = store.rows().names({hit.note_id for hit in hits})
    return [path for path, _ in names.values()]


def test_the_log_tells_what_was_changed_since(harness: VaultHarness) -> None:
    vault = vault_of(harness)
    with vault.writing() as writer:
        before = writer.head()
        assert vault.store.behind("words") == 0
        with writer.transaction() as step:
            step.remove(NotePath("Tea.md"))
        assert writer.head() != before
        assert vault.store.behind("words") == 1
        writer.follow("words", lambda _: None)
        assert vault.store.behind("words") == 0


def test_a_transaction_that_fails_changes_nothing(harness: VaultHarness) -> None:
    vault = vault_of(harness)
    head = vault.store.head()

    def fail() -> None:
        with vault.writing() as writer, writer.transaction() as step:
            step.remove(NotePath("Tea.md"))
            assert vault.store.rows().note_ids(paths=["Tea.md"])  # nobody sees it yet
            raise LookupError

    with pytest.raises(LookupError):
        fail()

    assert vault.store.rows().note_ids(paths=["Tea.md"])
    assert vault.store.head() == head


def test_reads_in_one_state_do_not_see_what_is_written_meanwhile(
    harness: VaultHarness,
) -> None:
    rows = vault_of(harness).store.rows()
    with rows.still():
        before = rows.count("notes")
        harness.indexed({"New.md": "New."})
        assert rows.count("notes") == before
    assert rows.count("notes") == before + 1


@pytest.mark.parametrize("kind", sorted(STORES))
def test_vectors_are_found_in_the_whole_and_in_a_scope(
    meaning: MeaningHarness, kind: str
) -> None:
    meaning.settings.update(STORES[kind])
    hidden = "---\nprivate: true\n---\n" + LONG.format("hush")
    meaning.indexed({"A.md": LONG.format("tea"), "B.md": hidden})
    found = {}
    for name, vault in ("whole", vault_of(meaning)), ("scope", scoped_of(meaning)):
        space = vault.store.rows().answering_space()
        assert space is not None
        vectors = vault.store.vectors(space)
        head = vault.store.vector_head()
        assert vectors is not None
        assert head is not None
        assert vectors.reaches(head)
        nearest = vectors.best(vector_of("hush", space.width), 9)
        known = vault.whole.store.rows().names({one.note_id for one in nearest})
        found[name] = sorted(path for path, _ in known.values())
        chunks = [one.chunk_id for one in nearest]
        assert set(vectors.near(vector_of("hush", space.width), chunks)) == {*chunks}
    assert found == {"whole": ["A.md", "B.md"], "scope": ["A.md"]}
