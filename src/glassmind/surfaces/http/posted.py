"""Which paths take a body."""

import re
from collections.abc import Iterable


class PostedPaths:
    """Paths by their patterns, where `{id}` stands for any one name; asked by `in`."""

    def __init__(self, patterns: Iterable[str]) -> None:
        parts = (re.split(r"(\{\w+\})", pattern) for pattern in patterns)
        written = ("".join(map(_written, part)) for part in parts)
        self._pattern = re.compile("|".join(f"(?:{one})" for one in written))

    def __contains__(self, path: object) -> bool:
        """Whether a body may be sent there."""
        return isinstance(path, str) and bool(self._pattern.fullmatch(path))


def _written(part: str) -> str:
    return "[^/]+" if part.startswith("{") else re.escape(part)
