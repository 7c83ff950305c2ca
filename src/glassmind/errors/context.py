"""What can go wrong when a vault is packed for an agent."""

from glassmind.errors import QueryError, VaultError


class BadReceipt(QueryError):
    """A text is taken for a receipt that is none."""

    def __init__(self, text: str) -> None:
        super().__init__(
            f"{text[:200]!r} is no receipt: write it as bundles do, "
            "path#heading:12-18@digest, such as Tea/Oolong.md#Brewing:3-7@0f1e2d3c"
        )
        self.text = text


class ProjectUnknown(VaultError):
    """No note belongs to the project that was named."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"no note belongs to a project {name[:200]!r}: name a folder, a tag such "
            "as '#atlas', or what the property 'project' of some note says"
        )
        self.name = name


class BudgetTooSmall(QueryError):
    """Nothing useful fits into the tokens that a bundle may have."""

    def __init__(self, budget_tokens: int, least: int) -> None:
        super().__init__(
            f"nothing useful fits into {budget_tokens} tokens; allow {least} or more"
        )
        self.budget_tokens, self.least = budget_tokens, least
