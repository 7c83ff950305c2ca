"""What can go wrong with clients and with what they may read."""

from collections.abc import Sequence

from glassmind.errors.serving import ServingFault


class AccessFault(ServingFault):
    """A problem with a client, or with what it may read."""


class BadScope(AccessFault):
    """A rule of a scope cannot be understood."""

    def __init__(self, text: str, problem: str) -> None:
        super().__init__(
            f"{text[:80]!r} is not a rule: {problem}; write folder:Projects, tag:work, "
            "property:status=public or toolset:core, with - before one that excludes"
        )
        self.text, self.problem = text, problem


class BadClientName(AccessFault):
    """A client cannot be called so."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"a client cannot be called {name[:80]!r}: {problem}")
        self.name, self.problem = name, problem


class ClientExists(AccessFault):
    """A client of that name is there already."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"there is a client {name!r} already: glassmind clients set changes what "
            "it may read, and after glassmind clients revoke the name is free"
        )
        self.name = name


class ClientUnknown(AccessFault):
    """No client has that name, or not any more."""

    def __init__(self, name: str, nearest: Sequence[str] = ()) -> None:
        meant = " or ".join(nearest)
        said = f"did you mean {meant}?" if meant else "see: glassmind clients list"
        super().__init__(f"no client is called {name[:80]!r}; {said}")
        self.name, self.nearest = name, tuple(nearest)


class ClientsUnreadable(AccessFault):
    """The file of clients cannot be read, so every client is refused."""

    def __init__(self, file: str, reason: str) -> None:
        super().__init__(
            f"the clients in {file} cannot be read ({reason}), so every client is "
            "refused; fix the file, or delete it and add the clients again"
        )
        self.file, self.reason = file, reason


class ClientsUnwritable(AccessFault):
    """The file of clients cannot be written; nothing was changed."""

    def __init__(self, file: str, reason: str) -> None:
        super().__init__(
            f"the clients in {file} cannot be written ({reason}); nothing was changed"
        )
        self.file, self.reason = file, reason


class ClientChanged(AccessFault):
    """The tools a client may use have changed since its server was started."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the tool sets of {name!r} have changed; restart this server")
        self.name = name


class BeyondToolsets(AccessFault):
    """A server is started for a client with tools that it may not use."""

    def __init__(self, name: str, wanted: Sequence[str], usable: Sequence[str]) -> None:
        super().__init__(
            f"{name!r} may not use {', '.join(wanted)}, only {', '.join(usable)}; "
            "glassmind clients set changes that"
        )
        self.name, self.wanted, self.usable = name, tuple(wanted), tuple(usable)
