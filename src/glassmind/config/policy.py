"""The write policy from its two spellings, `mode` and `user_notes` with `agent_dir`."""

from collections.abc import Mapping
from pathlib import Path

from glassmind.config.entries import RANKS, Entry
from glassmind.config.layers import TRUSTED, Choice, Layers
from glassmind.config.sections import KEYS
from glassmind.config.write_sections import AGENT_DIR, UserNotes, WriteMode
from glassmind.types.verdicts import STRICTNESS

PATHS = ("writes.mode", "writes.user_notes", "writes.agent_dir")
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
    by_vault = [path for path in PATHS if choices[path].source == "vault"]
    if by_vault:
        alone = {path: layers.strongest(KEYS[path], TRUSTED) for path in PATHS}
        limit = settle(alone)
        if policy.looser_than(limit):
            for path in by_vault:
                layers.ignore(path)
            choices.update(alone)
            policy = limit
    _spell_out(choices, policy)


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
