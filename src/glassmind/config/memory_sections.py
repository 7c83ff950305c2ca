"""The settings of bundles and of memory; a part of `sections`."""

from typing import Literal, TypeAlias

from glassmind.config.keys import Section, key
from glassmind.config.vault_rules import ANYTHING, AT_MOST, ONLY_FALSE, one_of_stricter

MemoLayout: TypeAlias = Literal["notes", "project"]
InboxRule: TypeAlias = Literal["none", "agents", "all"]


class Context(Section, title="context"):
    """What is packed for an agent."""

    budget_tokens: int = key(
        6_000,
        "Tokens of a bundle when a call names no number.",
        least=200,
        most=1_000_000,
        from_vault=AT_MOST,
    )


class Memory(Section, title="memory"):
    """What agents leave in the agent folder, and what is told of use."""

    layout: MemoLayout = key(
        "notes",
        "How captures are kept: a note for each, or one note for each project and "
        "kind that they are added to.",
        choices=("notes", "project"),
        from_vault=ANYTHING,
    )
    inbox: InboxRule = key(
        "agents",
        "Which captures wait in the inbox for a person: those of agents, all or none.",
        choices=("none", "agents", "all"),
        from_vault=one_of_stricter("none", "agents", "all"),
    )
    record_use: bool = key(
        True,
        "Remember in your data folder, never in the vault, what was retrieved.",
        from_vault=ONLY_FALSE,
    )
    active_days: int = key(
        14,
        "Days for which a project stays active after a note of it was changed or "
        "retrieved.",
        least=1,
        most=36_500,
        from_vault=ANYTHING,
    )
    half_life_days: float = key(
        7.0,
        "Days after which an edit or a retrieval warms a note half as much.",
        least=0.1,
        most=36_500,
        from_vault=ANYTHING,
    )
    hot_weight: float = key(
        0.0,
        "The most that a hot note gains in a search.",
        least=0,
        most=0.1,
        from_vault=ANYTHING,
    )
    pinned_weight: float = key(
        0.0,
        "The most that a pinned note gains in a search.",
        least=0,
        most=0.1,
        from_vault=ANYTHING,
    )
