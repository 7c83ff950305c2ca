"""What can go wrong when a vault is packed for an agent."""

from collections.abc import Sequence

from glassmind.errors import QueryError, VaultError
from glassmind.errors.base import Disclosed


class NoReceipts(QueryError):
    """Receipts are to be verified, and none is given."""

    def __init__(self) -> None:
        super().__init__(
            "no receipt is given: write them as bundles do, path#heading:12-18@digest"
        )


class CitedGone(VaultError):
    """The lines that a receipt is for cannot be read: they are nowhere, or hidden."""

    def __init__(self, receipt: str, reason: str) -> None:
        super().__init__(f"what {receipt[:400]} cites cannot be read: {reason}")
        self.receipt, self.reason = receipt, reason


class ProjectUnknown(VaultError):
    """No note belongs to the project that was named."""

    def __init__(self, name: str, closest: Sequence[str] = ()) -> None:
        hint = f"; closest: {', '.join(closest)}" if closest else ""
        super().__init__(
            f"no note belongs to a project {name[:200]!r}: name a folder, a tag such "
            f"as '#atlas', or what the property 'project' of some note says{hint}"
        )
        self.name, self.closest = name, tuple(closest)

    def discloses(self) -> Disclosed:
        return Disclosed(self.closest, of_any=bool(self.closest))


class BudgetTooSmall(QueryError):
    """Nothing useful fits into the tokens that a bundle may have."""

    def __init__(self, budget_tokens: int, least: int) -> None:
        super().__init__(
            f"nothing useful fits into {budget_tokens} tokens; allow {least} or more"
        )
        self.budget_tokens, self.least = budget_tokens, least
