"""What can go wrong between a server and those who ask it."""

from glassmind.errors.base import GlassmindError


class ServingFault(GlassmindError):
    """A call from outside cannot be taken, or a server cannot be started."""


class BadArgument(ServingFault):
    """A call carries an argument that its tool cannot take."""

    def __init__(self, tool: str, problem: str) -> None:
        super().__init__(f"{tool}: {problem}")
        self.tool, self.problem = tool, problem
