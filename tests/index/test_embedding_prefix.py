"""What passages are embedded with: title and headings, the title alone, or nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from meaning_desk import LONG, WordModel
from vault_desk import VaultDesk

from glassmind.errors import ConfigError
from glassmind.model.vectors import Embeddable
from glassmind.models.embedders import ChosenEmbedder

NOTES = {
    "Kiln.md": "\n\n".join(
        f"## {heading}\n\n{LONG.format(word)} {'and so on ' * 20}"
        for heading, word in (("Heat", "stoneware"), ("Glaze", "celadon"))
    )
}


class PrefixDesk(VaultDesk):
    """A vault whose model is one of words, prefixed as the settings say."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.model = WordModel()
        self.settings = {"embeddings.backend": "onnx"}

    def contexts(self, since: int = 0) -> set[str]:
        """Return what the model was told of where passages stand."""
        return {part.context for part in self.model.seen[since:]}


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PrefixDesk]:
    made = PrefixDesk(tmp_path)
    found = (made.model, "words")
    monkeypatch.setattr("glassmind.models.embedders._model_of", lambda _: found)
    monkeypatch.setattr("glassmind.models.embedders.self_test", lambda *_: None)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("prefix", "context", "expected"),
    [
        ("title", "Kiln / Heat / Glaze", "Kiln"),
        ("title", "Kiln", "Kiln"),
        ("title", "Kiln / Heat\nbefore\nafter", "Kiln\nbefore\nafter"),
        ("none", "Kiln / Heat", ""),
        ("none", "Kiln / Heat\nbefore\nafter", "before\nafter"),
    ],
)
def test_less_is_said_of_where_a_passage_stands(
    prefix: str, context: str, expected: str
) -> None:
    model = WordModel()
    made = ChosenEmbedder(model, "words", prefix)  # type: ignore[arg-type]
    made._passed = True

    list(made.passages([Embeddable(context, "hot")]))

    assert model.seen == [Embeddable(expected, "hot")]
    assert made.space != model.space
    assert made.width == model.width
    assert (made.query("hot") == model.query("hot")).all()


def test_passages_are_embedded_with_their_title_and_headings(desk: PrefixDesk) -> None:
    desk.indexed(NOTES)

    assert desk.contexts() == {"Kiln / Heat", "Kiln / Glaze"}


def test_passages_are_embedded_with_the_prefix_of_the_settings(
    desk: PrefixDesk,
) -> None:
    desk.open(embeddings__prefix="title")
    desk.indexed(NOTES)

    assert desk.contexts() == {"Kiln"}
    assert desk.found("stoneware") == ["Kiln.md"]


def test_another_prefix_embeds_anew_while_the_old_vectors_answer(
    desk: PrefixDesk,
) -> None:
    desk.indexed(NOTES)
    before = len(desk.model.seen)
    desk.open(embeddings__prefix="none")

    reply = desk.ask("stoneware")
    report = desk.index()

    assert "semantic" in reply.channels
    assert any("former settings" in said for said in reply.degraded)
    assert report.embedded == 2
    assert desk.contexts(before) == {""}
    assert desk.ask("stoneware").degraded == ()
    assert desk.value("select count(*) from spaces") == 1


def test_the_default_prefix_keeps_the_vectors_of_a_release_without_any(
    desk: PrefixDesk,
) -> None:
    desk.indexed(NOTES)
    desk.close()
    rows = desk.database()
    rows.execute("update spaces set settings = json_remove(settings, '$.prefix')")
    rows.close()

    desk.open(embeddings__prefix="title")
    asked = desk.ask("stoneware")
    desk.open(embeddings__prefix="headings")
    report = desk.index()

    assert "semantic" in asked.channels
    assert (report.embedded, desk.ask("stoneware").degraded) == (0, ())


def test_a_prefix_that_nobody_knows_is_refused(desk: PrefixDesk) -> None:
    with pytest.raises(ConfigError, match="headings, title, none"):
        desk.open(embeddings__prefix="everything")
