"""What is worth suggesting, and what is not: days, drawings, words of no reader."""

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from semantic_harness import LONG, MeaningHarness, Rows, WordModel, vector_of
from vault_harness import VaultHarness

from glassmind.graph.suggestions import LEAST
from glassmind.model.suggestions import Suggestion
from glassmind.model.vectors import Embeddable

SILT = "streams carry silt and stones down to wide open plains"
TREES = ("oak", "elm", "ash", "fir", "yew", "birch", "beech", "alder", "hazel")
WOODS = {f"{word}.md": LONG.format(f"{word} " * 9) for word in TREES}
RIVERS = {"Delta.md", "Lowland.md"}
DAYS = {
    "Daily/2026-03-16.md": "---\naliases: [Long Storm]\n---\nRain.\n",
    "Daily/2026-03-17.md": "Mended what the long storm broke.\n",
}
DRAWING = f"""---
excalidraw-plugin: parsed
---

# Excalidraw Data

## Text Elements
{" ".join([SILT] * 9)} ^a1b2c3d4

%%
## Drawing
```json
{{"type":"excalidraw","version":2,"elements":[]}}
```
%%
"""


def suggested(vault: VaultHarness, name: str | None = None) -> list[Suggestion]:
    return list(vault.engine.knowledge.suggest(name, limit=100).suggestions)


def ends(vault: VaultHarness, name: str | None = None) -> set[frozenset[str]]:
    return {frozenset((one.source, one.target)) for one in suggested(vault, name)}


@pytest.mark.parametrize("name", ["2026-03-17", None])
def test_days_that_are_alike_are_not_suggested_to_each_other(
    meaning: MeaningHarness, name: str | None
) -> None:
    days = {f"Daily/2026-03-{day}.md": SILT for day in (16, 17)}
    meaning.indexed({**days, "Silt plains.md": SILT, **WOODS})

    found = ends(meaning, name)

    assert frozenset(days) not in found
    assert frozenset(("Daily/2026-03-17.md", "Silt plains.md")) in found


def test_a_day_that_is_called_by_its_name_is_suggested_to_another(
    vault: VaultHarness,
) -> None:
    vault.indexed(DAYS)

    assert ends(vault) == ends(vault, "2026-03-16") == {frozenset(DAYS)}


@pytest.mark.parametrize("name", ["Map.excalidraw", "River", None])
def test_a_drawing_is_linked_to_from_the_other_note(
    meaning: MeaningHarness, name: str | None
) -> None:
    meaning.indexed({"Map.excalidraw.md": DRAWING, "River.md": SILT, **WOODS})

    (found,) = [
        one for one in suggested(meaning, name) if one.target == "Map.excalidraw.md"
    ]

    assert found.source == "River.md"
    assert found.edit is not None
    assert found.edit.after == "\n\nSee also: [[Map.excalidraw]]"


def test_a_pair_is_told_from_the_note_that_would_have_the_link(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Deep Work.md": "A book.\n", "Log.md": "Monday was deep work.\n"})

    for name in ("Log", "Deep Work"):
        (found,) = suggested(vault, name)
        said = {sign.name: sign.reason for sign in found.signs}
        assert said["mentions"] == "its name stands in the text without a link"
        assert said["wording"] == "words of its name stand in the text"
        assert said.keys().isdisjoint({"mentioned", "worded"})


@pytest.mark.parametrize(
    "text",
    [
        "%% botany atlas %% nothing.\n",
        "<!-- botany atlas -->\n\nNothing.\n",
        "---\nfor: botany atlas\n---\nNothing.\n",
        "See https://example.org/botany/atlas for it.\n",
    ],
)
@pytest.mark.parametrize("name", ["Log", "Botany Atlas"])
def test_words_that_nobody_reads_are_no_sign(
    vault: VaultHarness, text: str, name: str
) -> None:
    vault.indexed({"Botany Atlas.md": "A book.\n", "Log.md": text})

    assert suggested(vault, name) == []


@pytest.mark.parametrize(
    "text",
    [
        "Lo.\n\n## Botany, an atlas\n",
        "An [[x|atlas]] about botany\n",
        "```\nbotany atlas\n```\n",
        "It says `botany atlas` there.\n",
    ],
)
@pytest.mark.parametrize("name", ["Log", "Botany Atlas"])
def test_words_of_headings_links_and_code_are_a_sign(
    vault: VaultHarness, text: str, name: str
) -> None:
    vault.indexed({"Botany Atlas.md": "A book.\n", "Log.md": text})

    assert [one.kind for one in suggested(vault, name)] == ["words"]


def test_in_a_whole_vault_words_that_two_share_are_no_suggestion(
    vault: VaultHarness,
) -> None:
    vault.indexed(
        {
            "Botany Atlas.md": "A book.\n",
            "Log.md": "An atlas was open where it speaks of botany.\n",
        }
    )

    assert [one.kind for one in suggested(vault, "Log")] == ["words"]
    assert suggested(vault) == []


def test_in_a_whole_vault_a_name_that_stands_in_code_is_no_suggestion(
    meaning: MeaningHarness,
) -> None:
    meaning.indexed(
        {
            "Deep Work.md": "A book.\n",
            "Hub.md": "[[Deep Work]] by day\n",
            "Log.md": "Monday `deep work` by day, work by night, deep in it.\n",
        }
    )

    assert suggested(meaning) == []


class OtherWords(WordModel):
    """Knows that these words mean the same, though no letter of them is."""

    SAME = ("silt mud", "stones pebbles", "streams brooks", "plains fields")

    def passages(self, parts: Sequence[Embeddable], /) -> Iterator[Rows]:
        known = dict(pair.split() for pair in self.SAME)
        for part in parts:
            words = [known.get(word, word) for word in part.text.split()]
            yield vector_of(" ".join(words), self.width)[np.newaxis]


@pytest.mark.parametrize("name", ["Delta", None])
def test_notes_that_meaning_alone_speaks_for_are_suggested(
    meaning: MeaningHarness, name: str | None
) -> None:
    meaning.use(OtherWords("other words", 256))
    said = "silt stones streams plains " * 9
    other = "mud pebbles brooks fields herons nests " * 9
    meaning.indexed({"Delta.md": said, "Lowland.md": other, **WOODS})

    found = [
        one for one in suggested(meaning, name) if {one.source, one.target} == RIVERS
    ]

    assert [one.kind for one in found] == ["similar"]
    assert found[0].score < LEAST
    assert "alike (0.8" in found[0].reason
    assert found[0].edit is not None
