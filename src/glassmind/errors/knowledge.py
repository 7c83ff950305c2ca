"""What can go wrong when the links of a vault are asked about."""

from glassmind.errors import QueryError


class UnknownTheme(QueryError):
    """No theme has the id or the label that was given."""

    def __init__(self, name: str, closest: tuple[str, ...] = ()) -> None:
        hint = f"closest: {', '.join(closest)}" if closest else "there are no themes"
        super().__init__(f"no theme is called {name[:200]!r}; {hint}")
        self.name, self.closest = name, closest


class AmbiguousTheme(QueryError):
    """Several themes have the label that was given."""

    def __init__(self, name: str, ids: tuple[int, ...]) -> None:
        named = ", ".join(map(str, ids))
        super().__init__(f"{name[:200]!r} may mean the themes {named}; give the id")
        self.name, self.ids = name, ids
