"""What each combination of settings lets be written, as tables of the docs."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

from glassmind.access.policy import WritePolicy
from glassmind.config import config_for
from glassmind.config.settings import SETTINGS
from glassmind.model import NotePath
from glassmind.model.context import STRICTNESS

OUTCOMES = {"off": "not written", "propose": "proposed", "allow": "written"}

NOT_SAID = "not said"


def spelling_table() -> str:
    """Return what the two spellings of the policy add up to, said in one place."""
    return "\n".join(_spellings())


def rule_table() -> str:
    """Return what rules about a folder and a tag make of the policy."""
    return "\n".join(_rules())


def _spellings() -> Iterator[str]:
    yield from _head("`mode`", "`user_notes`", "other notes", "the agent folder")
    choices = (SETTINGS[path].choices for path in ("writes.mode", "writes.user_notes"))
    for mode, user_notes in product(*(("", *words) for words in choices)):
        flags = {"writes.mode": mode or None, "writes.user_notes": user_notes or None}
        writes = config_for(Path(), flags).writes
        agent = "written" if writes.agent_dir_writable else "not written"
        yield _row(_word(mode), _word(user_notes), OUTCOMES[writes.user_notes], agent)


def _rules() -> Iterator[str]:
    yield from _head(
        "the vault",
        "its folder",
        "no tag with a rule",
        "a tag: `propose`",
        "a tag: `off`",
        "after untrusted text",
    )
    for whole, folder in product(STRICTNESS, ("", *STRICTNESS)):
        outcomes = [_outcome(whole, folder, tag) for tag in ("", "propose", "off")]
        tainted = _outcome(whole, folder, "", tainted=True)
        yield _row(_word(whole), _word(folder), *outcomes, tainted)


def _outcome(whole: str, folder: str, tag: str, *, tainted: bool = False) -> str:
    flags = {
        "writes.user_notes": whole,
        "writes.folders": (f"Folder={folder}",) if folder else (),
        "writes.tags": (f"tag={tag}",) if tag else (),
        "writes.approve_after_untrusted": True,
    }
    policy, path = WritePolicy(config_for(Path(), flags)), NotePath("Folder/Note.md")
    return OUTCOMES[policy.judge(path, tags=["tag"], tainted=tainted).may]


def _word(said: str) -> str:
    return f"`{said}`" if said else NOT_SAID


def _head(*names: str) -> list[str]:
    return [_row(*names), f"|{'---|' * len(names)}"]


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
