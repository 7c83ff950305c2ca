"""The adapters of answers.

A part of `wiring` that a search does not need.
"""

from functools import cache

from glassmind.config import Config
from glassmind.context.answer import Answers, Desk, GatherSources
from glassmind.ports.chat import Chat


def answers_for(config: Config, gather: GatherSources) -> Answers:
    """Return what answers questions under these settings."""

    @cache  # it remembers what its server takes
    def chat() -> Chat | None:
        if config.llm.backend == "none":
            return None
        from glassmind.models.chat import chat_for  # noqa: PLC0415

        return chat_for(config)

    return Answers(Desk(config=config, gather=gather, chat=chat))
