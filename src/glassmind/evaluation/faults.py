"""What can be wrong with the queries and judgments that search is measured by."""

from glassmind.errors import ModelFault, QueryError


class BadGold(QueryError):
    """A set of queries cannot be used; `line` is 0 when no line is to blame."""

    def __init__(self, file: str, line: int, problem: str) -> None:
        place = f"{file}:{line}" if line else file
        super().__init__(f"{place} cannot be used: {problem}")
        self.file, self.line, self.problem = file, line, problem


class TooFewQueries(QueryError):
    """There is too little to measure by."""

    def __init__(self, found: int, needed: int) -> None:
        super().__init__(
            f"the vault's own links, aliases and headings give {found} queries, and "
            f"{needed} are needed to tell a gain from noise; nothing was changed"
        )
        self.found, self.needed = found, needed


class LimitTooLow(QueryError):
    """Fewer queries are wanted than can tell anything."""

    def __init__(self, limit: int, needed: int) -> None:
        super().__init__(
            f"at most {limit} queries are to be asked, and {needed} are needed to tell "
            "a gain from noise; nothing was changed"
        )
        self.limit, self.needed = limit, needed


class NothingToUndo(QueryError):
    """No tuning of this vault is on record."""

    def __init__(self, vault: str) -> None:
        super().__init__(f"no tuning of {vault} is on record; nothing was changed")
        self.vault = vault


class Unmeasurable(ModelFault):
    """What is to be measured cannot be asked: its figures would be another's."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"nothing was measured: {reason}")
        self.reason = reason
