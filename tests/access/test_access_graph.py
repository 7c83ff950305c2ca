"""The graph as somebody sees it who may not read every note."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from git_harness import GitHarness
from http_harness import serving
from mcp_harness import call, structured_server, text_of
from vault_harness import VaultHarness

from glassmind.engine import Engine
from glassmind.errors import FindingAbsent, NoteNotFound
from glassmind.graph.themes import Themed
from glassmind.model.access import EVERY_AGENT, ReadRule, Scope
from glassmind.store.sqlite.rows import SqliteRows

FILES = {
    "Lab.md": "---\nprivate: true\n---\nzqtext [[Tea]]\n",
    "Tea.md": "---\nup: '[[Lab]]'\nby: '[[Cup]]'\n---\nThe [[Lab]] first. Then [[Cup]] "
    "is next. Then [[Lab]] again. At last [[Nowhere]].\n",
    "Cup.md": "A [[Lab]] and a [[Pot]].\n",
    "Pot.md": "A pot.\n",
}

OPEN = "zqtext [[Tea]]\n"


def ties(vault: VaultHarness) -> set[tuple[str, str]]:
    """Return what an agent is told of the links around a note."""
    seen = vault.engine.seen_by(EVERY_AGENT).knowledge
    rings = seen.connections("Tea.md", depth=2, ghosts=True).hops
    edges = [edge for ring in rings for near in ring.neighbours for edge in near.edges]
    return {(edge.target, edge.property or edge.sentence) for edge in edges}


def test_links_beside_one_to_a_private_note_lead_where_they_are_written(
    vault: VaultHarness,
) -> None:
    vault.indexed(FILES)

    assert ties(vault) == {
        ("Cup.md", "by"),
        ("Cup.md", "Then [[Cup]] is next."),
        ("Nowhere", "At last [[Nowhere]]."),
        ("Pot.md", "A [[Lab]] and a [[Pot]]."),
    }


def test_a_note_leaves_the_graph_when_it_turns_private_and_comes_back(
    vault: VaultHarness,
) -> None:
    vault.indexed(FILES)
    without = ties(vault)

    vault.indexed({"Lab.md": OPEN})
    told = ties(vault)
    vault.indexed({"Lab.md": FILES["Lab.md"]})

    assert told > without
    assert ("Tea.md", OPEN.strip()) in told
    assert ("Lab.md", "up") in told
    assert ties(vault) == without


@pytest.mark.parametrize("verb", ["connections", "ontology", "suggest"])
def test_what_turns_private_while_somebody_waits_for_his_turn_is_not_kept_for_him(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    vault.indexed({**FILES, "Zqlab.md": "#zqtag zqtext [[Tea]]\n"})
    seen, still = vault.engine.seen_by(EVERY_AGENT).knowledge, SqliteRows.still
    news = [
        {"Zqlab.md": "---\nprivate: true\n---\n#zqtag zqtext [[Tea]] [[Zqghost]]\n"}
    ]

    def later(rows: SqliteRows) -> AbstractContextManager[None]:
        if news:
            vault.indexed({**news.pop(), "New.md": "A [[Ghost]] of [[Tea]].\n"})
        return still(rows)

    monkeypatch.setattr(SqliteRows, "still", later)
    asked: dict[str, Callable[[], object]] = {
        "connections": lambda: seen.connections("Tea.md", depth=2, ghosts=True),
        "ontology": seen.ontology,
        "suggest": seen.suggest,
    }
    told = [repr(asked[verb]()) for _ in range(2)]

    assert not news
    assert "zq" not in told[1].lower()
    assert verb != "connections" or "New.md" in told[1]


def test_what_is_shown_in_a_transaction_that_fails_is_shown_anew(
    vault: VaultHarness,
) -> None:
    vault.indexed({**FILES, "Lab.md": OPEN})
    seen = vault.engine.seen_by(EVERY_AGENT)
    adapters: Any = seen._vault

    def fail() -> None:
        with adapters.store.connection():
            vault.indexed({"Lab.md": FILES["Lab.md"]})
            assert len(seen.list_notes().notes) == len(FILES) - 1
            raise LookupError

    with pytest.raises(LookupError):
        fail()

    assert {note.path for note in seen.list_notes().notes} == set(FILES) - {"Lab.md"}


def test_themes_that_a_client_cannot_keep_are_tried_to_be_kept_once(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.indexed(FILES)
    seen, tried = vault.engine.seen_by(EVERY_AGENT).knowledge, list[int]()
    keep = Themed._keep

    def counted(themed: Themed, *given: Any, **wishes: Any) -> None:
        tried.append(1)
        keep(themed, *given, **wishes)

    monkeypatch.setattr(Themed, "_keep", counted)
    for _ in range(3):
        assert seen.connections("Tea.md").theme is not None

    assert len(tried) == 1


BOOK = ".agent/dismissed.txt"
WORDS = " ".join(f"word{at}" for at in range(60))
HIDING = {
    "Zqown/Zqsec.md": f"{WORDS} zqsecret [[Zqghost]] #ZqTag",
    "Zqown/Zqbare.md": "zqbare",
    "Twin.md": f"{WORDS} more #zq-tag",
    "Cup.md": "A cup.",
}
UNSEEN = [
    ("orphans:{}.md", "Zqown/Zqbare"),
    ("near_duplicates:Twin.md <> {}.md", "Zqown/Zqsec"),
    ("ghosts:{}", "zqghost"),
    ("inconsistent_tags:tag {}", "zq tag"),
]
"""Findings that are about what stands in hidden notes, with how these name it."""


@pytest.fixture(params=["private folder", "left out", "not named"])
def unseen(vault: VaultHarness, request: pytest.FixtureRequest) -> Engine:
    """A vault for somebody who does not see a folder, of which much is dismissed."""
    rules: tuple[ReadRule, ...] = ()
    if request.param == "private folder":
        vault.open(access__private_folders=("Zqown",))
    elif request.param == "left out":
        rules = (ReadRule("folder", "Zqown", excluded=True),)
    else:
        rules = (ReadRule("folder", "Here"),)
    moved = {
        path if path[0] == "Z" else f"Here/{path}": HIDING[path] for path in HIDING
    }
    vault.indexed(moved if request.param == "not named" else HIDING)
    owner = vault.engine.knowledge
    for key, word in UNSEEN:
        owner.dismiss_finding(*placed(vault, key).format(word).split(":", 1))
    owner.dismiss("Twin", "Zqsec")
    return vault.engine.seen_by(Scope(rules, client="guest"))


def placed(vault: VaultHarness, key: str) -> str:
    """Return a key with the note in it where that stands."""
    return key.replace("Twin", "Here/Twin") if (vault.root / "Here").exists() else key


@pytest.mark.parametrize(("key", "word"), UNSEEN)
def test_a_dismissal_about_a_hidden_note_is_neither_told_nor_taken_back(
    vault: VaultHarness, unseen: Engine, key: str, word: str
) -> None:
    key, kept = placed(vault, key), vault.text(BOOK)

    def answers(name: str) -> list[str]:
        check, subject = key.format(name).split(":", 1)
        now = unseen.knowledge.check_finding(f"{check}:{subject}")
        back = unseen.knowledge.restore_finding(check, subject)
        with pytest.raises(FindingAbsent) as refused:
            unseen.knowledge.dismiss_finding(check, subject)
        told = (now.state, now.dismissed, now.key, back, refused.value)
        return [repr(one).replace(name, "it") for one in told]

    hidden = answers(word)

    if "tag" not in key:  # a note that is seen has that very tag
        assert hidden == answers("Nosuch")
    assert "False" in hidden[1]
    assert vault.text(BOOK) == kept
    assert all(one.startswith("Here/") or "/" not in one for one in known(unseen))


def known(engine: Engine) -> set[str]:
    """Return the notes that dismissals are told to be about."""
    told = engine.knowledge.dismissals()
    findings = {path for check, path in told.findings if check == "orphans"}
    return findings.union(*told.pairs)


def test_a_pair_with_a_hidden_note_is_no_pair(
    vault: VaultHarness, unseen: Engine
) -> None:
    kept = vault.text(BOOK)

    for settle in (unseen.knowledge.restore_pair, unseen.knowledge.dismiss):
        for name in ("Zqsec", "Zqown/Zqsec.md"):
            with pytest.raises(NoteNotFound):
                settle("Twin", name)

    assert vault.text(BOOK) == kept


def test_an_agent_is_told_over_no_surface_what_was_dismissed_of_a_hidden_note(
    vault: VaultHarness,
) -> None:
    vault.open(access__private_folders=("Zqown",))
    vault.indexed(HIDING)
    vault.engine.knowledge.dismiss_finding("orphans", "Zqown/Zqbare.md")
    key, kept = "orphans:Zqown/Zqbare.md", vault.text(BOOK)

    with serving(vault.engine) as web:
        back = web.post("/graph/finding/dismiss", {"key": key, "restore": True}).json
    server = structured_server(vault.engine.seen_by(EVERY_AGENT), toolsets=("graph",))
    said = text_of(call(server, "glassmind_dismiss_finding", key=key, restore=True))

    assert back["line"] == 'finding orphans "Zqown/Zqbare.md"'
    assert back["changed"] is False
    assert "Nothing to change" in said
    assert vault.text(BOOK) == kept


def test_what_is_dismissed_of_notes_that_are_seen_is_told_and_taken_back(
    vault: VaultHarness, unseen: Engine
) -> None:
    cup = placed(vault, "Twin.md").replace("Twin", "Cup")
    vault.engine.knowledge.dismiss_finding("orphans", cup)
    vault.engine.knowledge.dismiss("Twin", "Cup")

    assert unseen.knowledge.check_finding(f"orphans:{cup}").dismissed
    assert not unseen.knowledge.dismiss_finding("orphans", cup).changed
    assert unseen.knowledge.restore_finding("orphans", cup).changed
    assert unseen.knowledge.restore_pair("Cup", "Twin").changed
    assert unseen.knowledge.dismiss_finding("orphans", cup).changed
    assert vault.engine.knowledge.check_finding(f"orphans:{cup}").dismissed


def test_what_was_dismissed_of_a_note_is_unknown_once_it_is_gone_or_private(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Cup.md": "A cup.", "Pot.md": "A pot."})
    seen = vault.engine.seen_by(EVERY_AGENT).knowledge
    for name in ("Cup.md", "Pot.md"):
        vault.engine.knowledge.dismiss_finding("orphans", name)
    assert known(vault.engine.seen_by(EVERY_AGENT)) == {"Cup.md", "Pot.md"}
    assert seen.check_finding("orphans:Cup.md").dismissed

    vault.remove("Pot.md")
    vault.indexed({"Cup.md": "---\nprivate: true\n---\nA cup."})

    for name in ("Cup.md", "Pot.md"):
        assert not seen.check_finding(f"orphans:{name}").dismissed
        assert not seen.restore_finding("orphans", name).changed
        assert vault.engine.knowledge.check_finding(f"orphans:{name}").dismissed


@pytest.fixture
def renamed(vault: VaultHarness) -> VaultHarness:
    """A note that had a private name between two others, and a link to that."""
    git = GitHarness(vault.root.parent)
    vault.open(access__private_folders=("Journal",))
    vault.write({"../Old/Journal/Zqfirst.md": WORDS})
    git.commit("2021-01-01")
    was = "../Old/Journal/Zqfirst.md"
    for name in ("Cha.md", "Journal/Zqaffair with Bob.md", "Tea.md"):
        vault.move(was, name)
        git.commit("2021-01-02")
        was = name
    vault.indexed({"Pot.md": "for [[Zqaffair with Bob]] and [[Cha]], in [[Tea]]"})
    return vault


def test_former_names_are_told_where_their_place_may_be(renamed: VaultHarness) -> None:
    def told(engine: Engine, name: str) -> list[str]:
        events = engine.knowledge.timeline(name).events
        return [event.detail for event in events if event.kind == "renamed"]

    seen, owner = renamed.engine.seen_by(EVERY_AGENT), renamed.engine
    narrow = renamed.engine.seen_by(Scope((ReadRule("folder", "Tea.md"),)))

    assert told(seen, "Tea") == ["Tea was called Cha.md before"]
    assert told(narrow, "Tea") == []
    assert told(owner, "Tea") == [
        "Tea was called ../Old/Journal/Zqfirst.md before",
        "Tea was called Cha.md before",
        "Tea was called Journal/Zqaffair with Bob.md before",
    ]
    assert "zq" not in repr(seen.knowledge.timeline("Tea")).lower().replace(
        "[[zqaffair with bob]]", ""
    )
