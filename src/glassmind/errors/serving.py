"""What can go wrong between a server and those who ask it."""

from glassmind.errors.base import GlassmindError


class ServingFault(GlassmindError):
    """A call from outside cannot be taken, or a server cannot be started."""


class BadArgument(ServingFault):
    """A call carries an argument that its tool cannot take."""

    def __init__(self, tool: str, problem: str) -> None:
        super().__init__(f"{tool}: {problem}")
        self.tool, self.problem = tool, problem


class UnknownToolset(ServingFault):
    """A set of tools is asked for that there is not."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        super().__init__(
            f"there is no set of tools {name[:80]!r}; choose from {', '.join(known)}"
        )
        self.name, self.known = name, known


class ToolsetsClash(ServingFault):
    """Two sets of tools that are asked for have a tool of the same name."""

    def __init__(self, tool: str, first: str, second: str) -> None:
        super().__init__(
            f"{first} and {second} both have a tool {tool!r}; serve one of them alone"
        )
        self.tool, self.first, self.second = tool, first, second


class StillIndexing(ServingFault):
    """The first index of a vault is being made; `total` is 0 while it is unknown."""

    def __init__(self, stage: str, done: int, total: int) -> None:
        share = f"{stage}: {100 * done // total} %" if total else stage
        super().__init__(
            f"the vault is being indexed for the first time ({share}); ask again in a "
            "few seconds"
        )
        self.stage, self.done, self.total = stage, done, total
