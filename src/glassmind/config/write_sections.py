"""The settings of what may be written; a part of `sections`."""

from typing import Literal, TypeAlias

from glassmind.config.guards import (
    keeps,
    keeps_approval,
    none_by_vault,
    not_consented,
    only_default_folder,
    only_off,
)
from glassmind.config.keys import Section, key
from glassmind.types.verdicts import STRICTNESS, May

WriteMode: TypeAlias = Literal["off", "agent-only", "propose", "allow"]
UserNotes: TypeAlias = May

AGENT_DIR = ".agent"
"""The folder of the vault that is written freely."""


UNDO_DAYS = 90
"""A quarter: who misses what an agent took away has looked by then."""


class Writes(Section, title="writes"):
    """What may be written, and what a person has to approve first.

    `mode` and `user_notes` are two spellings of one policy; after loading they agree.
    A rule of `folders` and `tags` is a name, `=` and a word of `UserNotes`.
    """

    mode: WriteMode = key(
        "propose",
        "off: nothing is written; agent-only: the agent folder; propose: also "
        "proposals for other notes; allow: other notes directly.",
        choices=("off", "agent-only", "propose", "allow"),
    )
    user_notes: UserNotes = key(
        "propose",
        "The same for notes outside the agent folder alone: off, propose or allow.",
        choices=STRICTNESS,
    )
    agent_dir: str = key(
        AGENT_DIR,
        "The folder that is written freely; true means .agent, false means none.",
        kind="agent_dir",
        guard=only_default_folder,
    )
    folders: tuple[str, ...] = key(
        (),
        "What holds in a folder in place of user_notes, such as `Journal=off`; of "
        "several rules that of the innermost folder.",
        kind="rules",
        guard=only_off,
    )
    tags: tuple[str, ...] = key(
        (),
        "What holds for notes with a tag, where that is stricter, such as "
        "`locked=off`.",
        kind="rules",
        guard=only_off,
    )
    untrusted: tuple[str, ...] = key(
        (),
        "Folders and #tags of notes that nobody vouches for; none named means all.",
        guard=none_by_vault,
    )
    approve_after_untrusted: bool = key(
        False,
        "Have a person approve what a client asks for that was given such a note.",
        guard=keeps_approval,
    )
    undo_days: int = key(
        UNDO_DAYS,
        "Days for which what undoes a change is kept, in your data folder.",
        least=1,
        guard=keeps(UNDO_DAYS),
    )
    git_commit: bool = key(
        False,
        "Commit every change to the git repository that the vault stands in.",
        guard=not_consented,
    )
    agent_dir_writable: bool
    """Whether the agent folder may be written; follows from the first three."""
