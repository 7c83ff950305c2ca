"""What may be done with a file of a vault, in the words of the settings."""

from typing import Literal, TypeAlias

May: TypeAlias = Literal["off", "propose", "allow"]

STRICTNESS: tuple[May, ...] = ("off", "propose", "allow")
"""What may happen to a file, the strictest first."""
