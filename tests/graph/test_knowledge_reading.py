"""Reading changes nothing: the vault is the same, byte for byte, after every verb."""

import hashlib
import os
from collections.abc import Callable
from inspect import getmembers, isfunction
from pathlib import Path

import pytest
from semantic_harness import MeaningHarness

from glassmind.errors import WritesOff
from glassmind.graph.knowledge import Knowledge

TEA = "oolong sencha matcha kettle leaves water steep harvest " * 3

WRITING = {"dismiss", "restore_pair", "dismiss_finding", "restore_finding"}
"""Verbs that are there to write a line."""

READING: dict[str, Callable[[Knowledge], object]] = {
    "check_finding": lambda k: k.check_finding("orphans:Alone.md"),
    "connections": lambda k: k.connections("Cup", depth=3, subgraph=True, ghosts=True),
    "dismissals": lambda k: k.dismissals(),
    "guess": lambda k: k.guess("Alonee"),
    "health": lambda k: k.health(limit=None),
    "ingest": lambda k: k.ingest("Cup"),
    "links_to_add": lambda k: k.links_to_add(mentions=True),
    "ontology": lambda k: k.ontology(),
    "path": lambda k: k.path("Cup", "Pot"),
    "rank": lambda k: k.rank(about="oolong"),
    "renew": lambda k: k.renew(wait_s=10),
    "repairs": lambda k: k.repairs(),
    "resolve": lambda k: k.resolve("cups"),
    "secrets": lambda k: k.secrets(),
    "similar": lambda k: k.similar(),
    "suggest": lambda k: k.suggest(),
    "themes": lambda k: k.themes(resolution=2.0),
    "timeline": lambda k: k.timeline("Cup"),
}


def seen(root: Path) -> dict[str, tuple[object, ...]]:
    """Return all there is of a folder: bytes, times, rights and second names."""
    found: dict[str, tuple[object, ...]] = {}
    for place, folders, files in os.walk(root):
        for name in (".", *folders, *files):
            file = Path(place, name)
            facts = file.lstat()
            raw = (
                hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else ""
            )
            stamps = (facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino)
            found[str(file)] = (raw, facts.st_mode, facts.st_nlink, *stamps)
    return found


@pytest.fixture
def harness(meaning: MeaningHarness) -> MeaningHarness:
    meaning.indexed(
        {
            "Cup.md": f"---\nup: '[[Pot]]'\n---\n{TEA} [[Mug]] [[Nobody]] #tea",
            "Mug.md": f"{TEA} of the Pot",
            "Pot.md": f"{TEA} [[Cup]]",
            "Alone.md": "nothing at all",
            ".agent/dismissed.txt": "pair Cup.md Pot.md\nbroken\n",
        }
    )
    return meaning


def test_every_verb_is_tried_here() -> None:
    verbs = {name for name, _ in getmembers(Knowledge, isfunction) if name[0] != "_"}

    assert verbs == set(READING) | WRITING


@pytest.mark.parametrize("verb", READING)
def test_a_verb_that_reads_changes_nothing_in_the_vault(
    harness: MeaningHarness, verb: str
) -> None:
    before = seen(harness.root)

    READING[verb](harness.engine.knowledge)
    READING[verb](harness.open().knowledge)

    assert seen(harness.root) == before


def test_a_verb_that_writes_changes_nothing_where_it_may_not(
    harness: MeaningHarness,
) -> None:
    harness.open(writes__mode="off")
    before = seen(harness.root)

    with pytest.raises(WritesOff):
        harness.engine.knowledge.dismiss("Cup", "Mug")
    with pytest.raises(WritesOff):
        harness.engine.knowledge.restore_pair("Cup", "Pot")

    assert seen(harness.root) == before
