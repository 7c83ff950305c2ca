"""The settings of what may be written; a part of `sections`."""

from typing import Literal, TypeAlias

from glassmind.config.keys import Section, key
from glassmind.config.vault_rules import (
    AT_LEAST,
    OFF_RULES,
    ONLY_FALSE,
    ONLY_TRUE,
    OWN_OR_NONE,
    STRICTER,
)
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
        from_vault=STRICTER,
    )
    user_notes: UserNotes = key(
        "propose",
        "The same for notes outside the agent folder alone: off, propose or allow.",
        choices=STRICTNESS,
        from_vault=STRICTER,
    )
    agent_dir: str = key(
        AGENT_DIR,
        "The folder that is written freely; true means .agent, false means none.",
        kind="agent_dir",
        from_vault=OWN_OR_NONE,
    )
    folders: tuple[str, ...] = key(
        (),
        "What holds in a folder in place of user_notes, such as `Journal=off`; of "
        "several rules that of the innermost folder.",
        kind="rules",
        from_vault=OFF_RULES,
    )
    tags: tuple[str, ...] = key(
        (),
        "What holds for notes with a tag, where that is stricter, such as "
        "`locked=off`.",
        kind="rules",
        from_vault=OFF_RULES,
    )
    untrusted: tuple[str, ...] = key(
        (),
        "Folders and #tags of notes that nobody vouches for; none named means all.",
    )
    approve_after_untrusted: bool = key(
        False,
        "Have a person approve what a client asks for that was given such a note.",
        from_vault=ONLY_TRUE,
    )
    undo_days: int = key(
        UNDO_DAYS,
        "Days for which what undoes a change is kept, in your data folder.",
        least=1,
        most=36_500,
        from_vault=AT_LEAST,
    )
    git_commit: bool = key(
        False,
        "Commit every change to the git repository that the vault stands in.",
        from_vault=ONLY_FALSE,
    )
    agent_dir_writable: bool
    """Whether the agent folder may be written; follows from the first three."""
