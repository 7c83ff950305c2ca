"""The settings of answers, of models that write and of Hindsight.

A part of `sections`.
"""

from typing import Literal, TypeAlias

from glassmind.config.keys import Section, key
from glassmind.config.vault_rules import AT_MOST, one_of_stricter
from glassmind.types.questions import MOST_SOURCES

LlmBackend: TypeAlias = Literal["none", "ollama", "openai"]
Unsupported: TypeAlias = Literal["flag", "drop"]


class Llm(Section, title="llm"):
    """A model that writes; without one, answers are sentences of the notes."""

    backend: LlmBackend = key(
        "none",
        "What writes answers: Ollama, a server that speaks as OpenAI's does, or "
        "nothing.",
        choices=("none", "ollama", "openai"),
    )
    model: str = key("llama3.2", "The model, by its name.")
    url: str = key(
        "",
        "Where its server listens; empty means where `embeddings.url` does.",
        kind="url",
    )
    api_key: str = key(
        "",
        "What an OpenAI-style server wants to see before it answers.",
        secret=True,
    )
    allow_remote: bool = key(
        False, "Let note text go to a url that is not this machine."
    )
    temperature: float = key(
        0.7, "How freely it writes: 0 is the likeliest word each time.", least=0, most=2
    )
    timeout_s: float = key(
        120.0, "Seconds after which an answer is given up.", least=1, most=3_600
    )
    context_tokens: int = key(
        8_192,
        "Tokens that the model reads and writes in all; Ollama is told so.",
        least=1_024,
        most=10_000_000,
    )
    answer_tokens: int = key(
        800, "Tokens of an answer at most.", least=64, most=1_000_000
    )

    def __repr__(self) -> str:
        # The url may hold a password, and the key is one.
        return f"Llm({self.backend!r}, {self.model!r})"


class Ask(Section, title="ask"):
    """How questions are answered."""

    sources: int = key(
        8,
        "Passages that an answer may rest on.",
        least=1,
        most=MOST_SOURCES,
        from_vault=AT_MOST,
    )
    excerpt_chars: int = key(
        200,
        "Letters of a source that are shown beside an answer.",
        least=20,
        most=100_000,
        from_vault=AT_MOST,
    )
    unsupported: Unsupported = key(
        "flag",
        "What becomes of a statement of a model that no quote bears out: it is marked, "
        "or left out.",
        choices=("flag", "drop"),
        from_vault=one_of_stricter("flag", "drop"),
    )


class Hindsight(Section, title="hindsight"):
    """A Hindsight server asked for memories beside the vault."""

    url: str = key(
        "",
        "Where the server listens; empty means that none is asked.",
        kind="url",
        aliases=("HINDSIGHT_URL",),
    )
    bank: str = key(
        "default",
        "The bank of memories that is asked.",
        aliases=("HINDSIGHT_BANK",),
    )
    token: str = key(
        "",
        "What the server wants to see before it answers.",
        aliases=("HINDSIGHT_TOKEN",),
        secret=True,
    )
    timeout_s: float = key(
        2.0,
        "Seconds that a search waits for it at most.",
        least=0.1,
        most=60,
        aliases=("HINDSIGHT_TIMEOUT",),
    )
    allow_remote: bool = key(
        False,
        "Let questions, and captures that are retained, go to a url that is not this "
        "machine.",
    )
    retain: bool = key(
        False,
        "Send what is captured, once no approval is waited for, to the bank too.",
    )

    def __repr__(self) -> str:
        # The url may hold a password, and the token is one.
        return f"Hindsight({self.bank!r})"
