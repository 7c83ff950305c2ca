"""The verb of answers."""

from collections.abc import Callable
from datetime import date
from typing import Literal

from glassmind.answers.desk import Desk
from glassmind.ports.chat import Halt
from glassmind.types.answers import Answer, News
from glassmind.types.search import Intent, Mode

BUDGET = 4_000


class Answers:
    """Questions to a vault, answered; for any number of threads."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def ask(  # noqa: PLR0913 - each wish by its name
        self,
        question: str,
        *,
        use_model: bool = True,
        limit: int | None = None,
        project: str | None = None,
        mode: Mode | None = None,
        intent: Intent | Literal["auto"] | None = "auto",
        private: bool = False,
        today: date | None = None,
        told: Callable[[News], None] | None = None,
        halt: Halt | None = None,
    ) -> Answer:
        """Return an answer to a question, with what bears it out."""
        found = self._desk.gather(
            question,
            limit=self._desk.config.ask.sources if limit is None else limit,
            budget_tokens=BUDGET,
            project=project,
            mode=mode,
            intent=intent,
            private=private,
            today=today,
        )
        return Answer(
            question,
            bool(found.told),
            found.told,
            found.sources,
            confidence=found.confidence,
            mode=found.mode,
            intent=found.intent,
            degraded=found.degraded,
        )
