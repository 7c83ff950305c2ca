"""Answers over the sample vault, by a model that copies what it is shown."""

import json
import re
from collections.abc import Callable

import pytest
from answers_harness import ScriptedChat
from vault_harness import VaultHarness

from glassmind.context.answer import Answers
from glassmind.model.context import Answer
from glassmind.models.protocols import Cancellation, GenerationEnd, Prompt

SOURCE = re.compile(
    r"^\[Source (\d+)\] .*\n((?:(?!\[Source |</notes-).*\n?)+)", re.MULTILINE
)


class Copyist(ScriptedChat):
    """A model that quotes the longest line of each source it is shown."""

    def answer(
        self, prompt: Prompt, said: Callable[[str], None], halt: Cancellation, /
    ) -> GenerationEnd:
        """Say of each source what its longest line says."""
        shown = SOURCE.findall(prompt.turns[1].content)
        lines = [
            (int(number), max(text.split("\n"), key=len)) for number, text in shown
        ]
        made = [{"source": n, "quote": line, "text": line} for n, line in lines]
        self.text = json.dumps({"statements": made})
        return super().answer(prompt, said, halt)


QUESTIONS = (
    "Why did we change the battery chemistry?",
    "Who looks after the gauge at the weir?",
    "What timber is the spar made of and how tall is it?",
)


def asked(harness: VaultHarness, question: str) -> Answer:
    engine = harness.engine
    found = (engine.config, engine.bundles.gather, lambda: Copyist(piece=11))
    return Answers(*found).ask(question)


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_is_copied_from_the_notes_is_borne_out_by_them(
    sample: VaultHarness, question: str
) -> None:
    answer = asked(sample, question)

    assert answer.model_used == "parrot"
    assert answer.in_notes
    assert [
        statement.problem for statement in answer.statements if statement.problem
    ] == []
    cited = [citation for said in answer.statements for citation in said.citations]
    assert {one.source for one in cited} <= {source.number for source in answer.sources}
    verified = sample.engine.bundles.verify([one.receipt for one in cited])
    assert {one.state for one in verified} == {"unchanged"}
    for one in cited:
        (path,) = (s.path for s in answer.sources if s.number == one.source)
        assert one.quote in (sample.root / path).read_bytes().decode("utf-8")
