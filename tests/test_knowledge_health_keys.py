"""Keys of findings: they mean the same thing while it is there, whatever else comes."""

import pytest
from health_desk import LONG_AGO, TODAY, circle, clipped, linked, text
from meaning_desk import MeaningDesk, WordModel
from vault_desk import VaultDesk

from glassmind.graph.text_sketches import KeptSketches
from glassmind.model.health import FindingNow

BODY = text("same", 40)


def counts(desk: VaultDesk, check: str) -> tuple[int, int]:
    """Return how many findings of a check are open, and how many dismissed."""
    report = desk.engine.knowledge.health(checks=[check], today=TODAY).checks[0]
    return report.count, report.dismissed


def now(desk: VaultDesk, key: str) -> FindingNow:
    return desk.engine.knowledge.check_finding(key, today=TODAY)


def test_a_word_keeps_its_key_when_another_spelling_is_used_most(
    vault: VaultDesk,
) -> None:
    vault.indexed({"A.md": "#BookNote", "B.md": "#BookNote", "C.md": "#book-note"})
    knowledge = vault.engine.knowledge
    line = knowledge.dismiss_finding("inconsistent_tags", "tag BookNote").line
    assert line == 'finding inconsistent_tags "tag book note"'

    vault.indexed({f"{name}.md": "#book-notes" for name in "DEF"})

    assert counts(vault, "inconsistent_tags") == (0, 1)
    for spelling in ("BookNote", "book-notes", "book note"):
        found = now(vault, f"inconsistent_tags:tag {spelling}")
        assert (found.state, found.dismissed) == ("there", True)
    assert knowledge.restore_finding("inconsistent_tags", "tag book-notes").changed
    assert counts(vault, "inconsistent_tags") == (1, 0)


def test_a_plural_that_is_a_word_of_its_own_has_a_key_of_its_own(
    vault: VaultDesk,
) -> None:
    vault.indexed({"A.md": "#page #pages", "B.md": "#Page", "C.md": "#Pages"})
    assert counts(vault, "inconsistent_tags") == (2, 0)

    vault.engine.knowledge.dismiss_finding("inconsistent_tags", "tag pages")

    assert counts(vault, "inconsistent_tags") == (1, 1)
    assert not now(vault, "inconsistent_tags:tag page").dismissed


@pytest.mark.parametrize("more", ["", " and a few words more"])
def test_two_notes_that_say_the_same_do_so_beside_a_third(
    vault: VaultDesk, more: str
) -> None:
    vault.indexed({"M1.md": BODY, "M2.md": BODY + more})
    key = "near_duplicates:M1.md <> M2.md"
    assert now(vault, key).state == "there"

    vault.indexed({"M0.md": BODY})

    found = now(vault, key)
    assert found.state == "there"
    assert found.finding is not None
    assert found.finding.key == key
    vault.indexed({"M2.md": text("other", 40)})
    assert now(vault, key).state == "mended"


def test_two_similar_notes_are_so_beside_one_that_is_more_so(
    meaning: MeaningDesk,
) -> None:
    meaning.model = WordModel(width=1024)
    meaning.models = {meaning.model.space: meaning.model}
    words = text("alike", 40).split()
    near = [*words[::2][:-1], "apart", *words[1::2]]
    meaning.write({"Hub.md": "hub", "B.md": linked(" ".join(words))})
    meaning.write({"A.md": linked(" ".join(near))})
    meaning.index()
    key = "weakly_tied:A.md <> B.md"
    assert now(meaning, key).state == "there"

    meaning.indexed({"C.md": linked(" ".join(words[1::2] + words[::2]))})

    assert now(meaning, "weakly_tied:B.md <> C.md").state == "there"
    assert now(meaning, key).state == "there"


def test_a_theme_is_dismissed_by_any_of_its_notes(vault: VaultDesk) -> None:
    said = {"": clipped("gazette.example")}
    vault.write(circle("Attic", "ABCDEF", said), at=LONG_AGO)
    vault.index()
    knowledge = vault.engine.knowledge
    knowledge.dismiss_finding("stale_themes", "Attic/Attic A.md")
    knowledge.dismiss_finding("one_source", "Attic/Attic A.md <- gazette.example")

    others = circle("Attic", "BCDEF", said)
    vault.write(others, at=LONG_AGO)
    vault.index()

    assert counts(vault, "stale_themes") == (0, 1)
    assert counts(vault, "one_source") == (0, 1)
    found = now(vault, "stale_themes:Attic/Attic A.md")
    assert (found.key, found.state) == ("stale_themes:Attic/Attic B.md", "there")
    assert found.dismissed
    assert knowledge.restore_finding("stale_themes", "Attic/Attic B.md").changed
    assert counts(vault, "stale_themes") == (1, 0)


def test_a_sketch_is_made_once_while_a_note_says_the_same(
    vault: VaultDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def of(self: KeptSketches, rows: object, notes: object) -> object:
        made = plain(self, rows, notes)  # type: ignore[arg-type]
        asked.append(len(self._kept))
        return made

    plain = KeptSketches.of
    monkeypatch.setattr(KeptSketches, "of", of)
    vault.indexed({"A.md": BODY, "B.md": BODY, "C.md": text("other", 40)})
    assert counts(vault, "near_duplicates") == (1, 0)

    vault.indexed({"C.md": BODY + " changed"})
    assert counts(vault, "near_duplicates") == (2, 0)
    vault.indexed({"C.md": "short", "B.md": text("third", 40)})

    assert counts(vault, "near_duplicates") == (0, 0)
    assert asked == [2, 2, 3]
