"""How a tool is told which note is meant."""

from glassmind.operations.names import is_address, named_by
from glassmind.serve.mcp.tool import Argument, Call

LONGEST_NAME = 4_096

NAME_ARGUMENT = Argument("name", "string", "path, title or alias", most=LONGEST_NAME)


def note_name(call: Call, owner: str, argument: str = "name") -> str:
    """Return the name of the note that an argument means, also by an address.

    Raises:
        PathOutsideVault: an address names no place inside the vault.
        BadArgument: it is of another vault, or opens no note.
    """
    given = str(call.given[argument])
    vault = call.engine.config.vault.name
    name = named_by(given, vault=vault, owner=owner)
    # what an address adds behind its file is a part of the note
    return name.partition("#")[0] if is_address(given) else name
