"""What is kept is not found by meaning either, nor by another process in our place."""

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from daemon_harness import DaemonHarness, harness_in
from leak_harness import leaks
from semantic_harness import LONG, MeaningHarness, WordModel

from glassmind.access.scopes import read_scope
from glassmind.engine import Engine
from glassmind.model.access import EVERY_AGENT
from glassmind.model.search import Mode
from glassmind.vault import Vault

TEA = "oolong sencha matcha kettle leaves water steep harvest " * 3
WORDS = "oolong sencha matcha kettle"
NOTES = {
    "Harness/Cup.md": f"{TEA} and a cup of it",
    "Harness/Pot.md": f"{TEA} and a pot of it",
    "Harness/Train.md": LONG.format("railway"),
}
SCOPES = {"private": EVERY_AGENT, "folder": read_scope(["folder:Harness"])}
HIDDEN = {"private": "---\nprivate: true\n---\n", "folder": ""}


def notes_of(kind: str) -> dict[str, str]:
    """Return notes, and those nearest to what is asked, which are kept."""
    kept = {
        f"Deep/Zqdeep{name}.md": f"{HIDDEN[kind]}{TEA} zqtext{name}"
        for name in "abcdefgh"
    }
    return {**kept, **NOTES}


def told(engine: Engine) -> str:
    """Return all that the verbs by meaning say."""
    known = engine.knowledge
    searches = [engine.search(WORDS, mode=mode, explain=True) for mode in MODES]
    around = [
        known.similar(),
        known.similar("Harness/Cup.md"),
        known.suggest(),
        known.suggest("Harness/Pot.md"),
        known.connections("Harness/Cup.md", depth=2),
        engine.status(),
        engine.stats(),
        engine.bundles.pack(WORDS),
        engine.bundles.hot(),
        engine.answers.ask(WORDS),
        engine.memory.temperatures(),
    ]
    return repr([*searches, *around])


MODES: tuple[Mode, ...] = get_args(Mode)


@pytest.mark.parametrize("kind", SCOPES)
def test_nothing_kept_is_found_by_meaning(meaning: MeaningHarness, kind: str) -> None:
    meaning.indexed(notes_of(kind))
    assert leaks(told(meaning.engine), "")  # the owner is told
    seen = meaning.engine.seen_by(SCOPES[kind])

    assert not leaks(told(seen), "")
    for mode in MODES:
        found = {hit.path for hit in seen.search(WORDS, mode=mode, limit=3).hits}
        assert {"Harness/Cup.md", "Harness/Pot.md"} <= found, mode
    pairs = [(pair.path, pair.other_path) for pair in seen.knowledge.similar().pairs]
    assert pairs == [("Harness/Cup.md", "Harness/Pot.md")]


@pytest.fixture
def embedded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[DaemonHarness]:
    model = WordModel()
    monkeypatch.setattr(Vault, "embedder", lambda _: model)
    monkeypatch.setattr(Vault, "embedder_of", lambda *_: model)
    for harness in harness_in(tmp_path):
        harness.indexed({**notes_of("private"), "Other/Zqout.md": f"{TEA} zqoutside"})
        harness.close()
        yield harness


def test_a_daemon_answers_a_client_process_within_the_scope_of_its_client(
    embedded: DaemonHarness,
) -> None:
    daemon, client_process = embedded.daemon(), embedded.process()
    rules = {"private": [], "folder": ["folder:Harness"]}
    whole = client_process.ask("search", text=WORDS)["paths"]

    agents = client_process.ask("search", text=WORDS, scope=rules["private"])
    clients = client_process.ask("search", text=WORDS, scope=rules["folder"])

    assert client_process.role == "client"
    assert daemon.ask("asked") >= 3
    assert client_process.ask("asked") == 0
    assert "semantic" in agents["channels"]
    assert any(path.startswith("Deep/Zq") for path in whole)
    assert leaks(str(agents["paths"]), "") == ["zqout"]
    assert clients["paths"][:2] == ["Harness/Cup.md", "Harness/Pot.md"]
    assert not leaks(str(clients), "")
