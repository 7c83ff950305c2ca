"""Telling Hindsight what was captured, once nobody waits for an approval.

What is kept in the vault is kept, whatever becomes of this: a failure is a notice.
"""

from glassmind.errors import GlassmindError
from glassmind.memory.cabinet import Cabinet
from glassmind.types.hindsight import Told, document_of
from glassmind.types.memory import Memo


def retained(cabinet: Cabinet, memo: Memo) -> tuple[str, ...]:
    """Tell Hindsight of a memo that is kept, where that is wished; say what failed.

    Nothing is told of what waits in the inbox, nor of what was put away.
    """
    tell = cabinet.tell
    if tell is None or memo.place != "kept":
        return ()
    try:
        tell(_told(memo, cabinet.config.vault.name))
    except GlassmindError as error:
        return (f"it is kept, but Hindsight was not told of it: {error}",)
    return ()


def _told(memo: Memo, vault: str) -> Told:
    """Return a memo as Hindsight is told of it: its text, and where it stands."""
    section = f"#{memo.section}" if memo.section else ""
    facts = {
        "vault": vault,
        "path": f"{memo.path}{section}",
        "kind": memo.kind,
        "project": memo.project,
        "client": memo.client,
    }
    return Told(
        document_of(f"{memo.path}{section}", vault),
        memo.text,
        created=memo.created,
        context=f"a {memo.kind} captured in the notes",
        facts={name: value for name, value in facts.items() if value},
        tags=memo.tags,
    )
