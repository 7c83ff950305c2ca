"""The write policy from its two spellings, `mode` and `user_notes` with `agent_dir`."""

from collections.abc import Mapping
from pathlib import Path
from typing import cast

from glassmind.config.entries import RANKS, Entry
from glassmind.config.layers import Choice, Layers
from glassmind.config.sections import KEYS
from glassmind.config.write_sections import AGENT_DIR, UserNotes, WriteMode
from glassmind.types.verdicts import STRICTNESS

PATHS = ("writes.mode", "writes.user_notes", "writes.agent_dir")
RULES = ("writes.folders", "writes.tags")

FOLLOWS = Entry(None, "the rest of [writes]", Path(), RANKS["default"])
"""Where a value comes from that the other spelling decides."""


class Policy:
    """What may be written: the agent folder or not, and how other notes are treated."""

    __slots__ = ("agent_dir_writable", "user_notes")

    def __init__(self, user_notes: UserNotes, *, agent_dir_writable: bool) -> None:
        self.user_notes, self.agent_dir_writable = user_notes, agent_dir_writable

    @property
    def mode(self) -> WriteMode:
        """The one word for it."""
        if self.user_notes != "off":
            return self.user_notes
        return "agent-only" if self.agent_dir_writable else "off"

    def looser_than(self, other: "Policy") -> bool:
        """Whether anything is permitted here that the other forbids."""
        order = STRICTNESS.index
        return (self.agent_dir_writable and not other.agent_dir_writable) or (
            order(self.user_notes) > order(other.user_notes)
        )


USER_NOTES: Mapping[str, UserNotes] = {
    "off": "off",
    "agent-only": "off",
    "propose": "propose",
    "allow": "allow",
}
"""What each mode means for notes outside the agent folder."""


def settled_writes(layers: Layers, choices: dict[str, Choice]) -> None:
    """Make the settings of `[writes]` agree, and keep the vault from loosening them."""
    policy = settle(choices)
    if any(_untrusted(choices[path]) for path in PATHS):
        alone = {path: layers.choose(KEYS[path], trusted_only=True) for path in PATHS}
        limit = settle(alone)
        if policy.looser_than(limit):
            layers.warn(f'[writes] of the vault may not loosen "{limit.mode}"')
            choices.update(alone)
            policy = limit
    for path in RULES:
        if _untrusted(choices[path]):
            choices[path] = _joined(choices[path], layers, path)
    _spell_out(choices, policy)


def _untrusted(choice: Choice) -> bool:
    return choice.entry is not None and not choice.entry.trusted


def _joined(vault: Choice, layers: Layers, path: str) -> Choice:
    """Return the rules of the vault beside those of the user, which they leave."""
    own = layers.choose(KEYS[path], trusted_only=True)
    rules = {rule.rpartition("=")[0]: rule for rule in _rules(own) + _rules(vault)}
    return Choice(tuple(rules.values()), vault.entry)


def _rules(choice: Choice) -> tuple[str, ...]:
    return cast("tuple[str, ...]", choice.value)


def settle(choices: Mapping[str, Choice]) -> Policy:
    """Return the policy that `writes.mode`, `.user_notes` and `.agent_dir` add up to.

    `off` is final. Otherwise `user_notes` says it more precisely than `mode` and wins
    unless `mode` was set in a stronger place.
    """
    mode, user_notes, agent_dir = (choices[path] for path in PATHS)
    if mode.value == "off":
        return Policy("off", agent_dir_writable=False)
    precise = user_notes.entry is not None and user_notes.rank >= mode.rank
    notes = USER_NOTES[str(user_notes.value if precise else mode.value)]
    return Policy(notes, agent_dir_writable=bool(agent_dir.value))


def _spell_out(choices: dict[str, Choice], policy: Policy) -> None:
    said = {"writes.mode": policy.mode, "writes.user_notes": policy.user_notes}
    for path, value in said.items():
        if value != choices[path].value:
            choices[path] = Choice(value, FOLLOWS)
    folder = choices["writes.agent_dir"]
    choices["writes.agent_dir"] = Choice(folder.value or AGENT_DIR, folder.entry)
    choices["writes.agent_dir_writable"] = Choice(policy.agent_dir_writable, FOLLOWS)
