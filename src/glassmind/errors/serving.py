"""What can go wrong between a server and those who ask it."""

from collections.abc import Mapping

from glassmind.errors.base import GlassmindError


class ServingFault(GlassmindError):
    """A call from outside cannot be taken, or a server cannot be started."""


class BadArgument(ServingFault):
    """A call carries an argument that its tool cannot take."""

    def __init__(self, tool: str, problem: str) -> None:
        super().__init__(f"{tool}: {problem}" if tool else problem)
        self.tool, self.problem = tool, problem

    def message_with(self, _: Mapping[str, str]) -> str:
        """Return the message with a surface's own names for the arguments."""
        return str(self)


class BadValue(BadArgument):
    """An operation cannot use what it was given; `names` are those of its arguments.

    Each surface puts the tool, route or command first, and may use its own names for
    the arguments.
    """

    def __init__(self, names: str, problem: str) -> None:
        self.names, self.rest = names.split(), problem
        super().__init__("", self.message_with({}))

    def message_with(self, labels: Mapping[str, str]) -> str:
        """Return the message with a surface's own names for the arguments."""
        *others, last = [labels.get(name, name) for name in self.names]
        listed = f"{', '.join(others)} and {last}" if others else last
        return f"{listed} {self.rest}"


class UnknownToolset(ServingFault):
    """A set of tools is asked for that there is not."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        super().__init__(
            f"there is no set of tools {name[:80]!r}; choose from {', '.join(known)}"
        )
        self.name, self.known = name, known


class StillIndexing(ServingFault):
    """The first index of a vault is being made; `total` is 0 while it is unknown."""

    def __init__(self, stage: str, done: int, total: int) -> None:
        share = f"{stage}: {100 * done // total} %" if total else stage
        super().__init__(
            f"the vault is being indexed for the first time ({share}); ask again in a "
            "few seconds"
        )
        self.stage, self.done, self.total = stage, done, total


class CallAbandoned(ServingFault):
    """Whoever made a call does not wait for it any more."""

    def __init__(self) -> None:
        super().__init__("the call was given up by who made it; what was done is kept")


class CallTooLong(ServingFault):
    """A call took longer than any may."""

    def __init__(self, tool: str, timeout_s: float) -> None:
        super().__init__(
            f"{tool} gave no answer within {timeout_s:g} seconds and was given up; ask "
            "for less, or look at the state of the index"
        )
        self.tool, self.timeout_s = tool, timeout_s


class PortTaken(ServingFault):
    """Another program listens where a server was to."""

    def __init__(self, host: str, port: int) -> None:
        super().__init__(
            f"port {port} of {host} is taken by another program; stop it, or choose "
            f"another port: glassmind serve --port {port % 65_535 + 1}"
        )
        self.host, self.port = host, port


class AddressUnusable(ServingFault):
    """A server cannot listen at an address."""

    def __init__(self, host: str, port: int, reason: str) -> None:
        super().__init__(
            f"cannot listen on {host} port {port} ({reason}); 127.0.0.1 is this "
            "machine alone, and ports below 1024 are for its administrator"
        )
        self.host, self.port, self.reason = host, port, reason


class TokenNeeded(ServingFault):
    """A server was to listen to the network with a token that nobody chose."""

    def __init__(self, host: str) -> None:
        super().__init__(
            f"{host} can be reached from other machines: choose a token, by "
            "--token-file FILE or the variable GLASSMIND_SERVER_TOKEN, or keep to "
            "127.0.0.1"
        )
        self.host = host


class BadToken(ServingFault):
    """A token cannot be used; what it is is not told."""

    def __init__(self, origin: str, least: int, most: int) -> None:
        super().__init__(
            f"the token of {origin} cannot be used: it must be {least} to {most} plain "
            "characters without blanks"
        )
        self.origin = origin


class TokenUnreadable(ServingFault):
    """The file of a token cannot be read or made."""

    def __init__(self, file: str, reason: str) -> None:
        super().__init__(
            f"the token in {file} cannot be read or made ({reason}); name a file by "
            "--token-file"
        )
        self.file, self.reason = file, reason
