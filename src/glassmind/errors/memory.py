"""What can go wrong when something is to be remembered."""

from glassmind.errors import QueryError, VaultError


class BadMemo(QueryError):
    """What is to be captured cannot be kept; `part` of it is wrong."""

    def __init__(self, part: str, problem: str) -> None:
        super().__init__(f"the {part} cannot be kept: {problem}; nothing was written")
        self.part, self.problem = part, problem


class MemoUnreadable(VaultError):
    """A note of the agent folder cannot be read or changed as a memo."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path} is no memo that can be used: {reason}")
        self.path, self.reason = path, reason
