"""What can go wrong when the links of a vault are asked about."""

from glassmind.errors import NoteNotFound, QueryError, VaultError
from glassmind.errors.base import Disclosed


class UnknownTheme(QueryError):
    """No theme has the id or the label that was given."""

    def __init__(self, name: str, closest: tuple[str, ...] = ()) -> None:
        hint = f"closest: {', '.join(closest)}" if closest else "there are no themes"
        super().__init__(f"no theme is called {name[:200]!r}; {hint}")
        self.name, self.closest = name, closest

    def discloses(self) -> Disclosed:
        return Disclosed(self.closest, of_any=bool(self.closest))


class AmbiguousTheme(QueryError):
    """Several themes have the label that was given."""

    def __init__(self, name: str, ids: tuple[int, ...]) -> None:
        named = ", ".join(map(str, ids))
        super().__init__(f"{name[:200]!r} may mean the themes {named}; give the id")
        self.name, self.ids = name, ids


class UnknownCheck(QueryError):
    """A check of vault health is asked for that there is not."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        super().__init__(
            f"there is no check {name[:80]!r}; choose from {', '.join(known)}"
        )
        self.name, self.known = name, known


class BadFindingKey(QueryError):
    """What should name a finding of vault health does not."""

    def __init__(self, key: str) -> None:
        super().__init__(
            f"{key[:200]!r} names no finding; take the key that health shows for it, "
            "such as 'orphans:Inbox/Scratch.md'"
        )
        self.key = key


class FindingAbsent(VaultError):
    """What is to be dismissed is no finding of vault health."""

    def __init__(self, key: str, reason: str = "") -> None:
        why = f"cannot be looked for: {reason}" if reason else "is no finding now"
        super().__init__(
            f"{key[:200]!r} {why}; health shows the keys of those there are"
        )
        self.key, self.reason = key, reason


class NoteIsGhost(NoteNotFound):
    """No note goes by the name that was given, though links lead to it."""

    def __init__(self, name: str, links: int) -> None:
        super().__init__(name)
        lead = "1 link leads" if links == 1 else f"{links:,} links lead"
        self.args = (f"{self.args[0]}, but {lead} to that name",)
        self.links = links


class NoHistory(VaultError):
    """The vault has no history that could be read."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
