"""`hot --context`: what the active notes say, packed for an agent."""

from typing import Annotated, Any

from msgspec import Meta

from glassmind.engine import Engine
from glassmind.operations.memory import Listed, Project
from glassmind.operations.registry import (
    Arguments,
    Command,
    Result,
    arg,
    operation,
    shown,
)
from glassmind.render.bundles import bundle_as_json
from glassmind.render.bundles_markdown import bundle_as_markdown
from glassmind.render.style import Style
from glassmind.types.context import Bundle
from glassmind.types.ledger import Passage, Shown


class HotContextArguments(Arguments, frozen=True, kw_only=True):
    limit: Annotated[Listed, arg("Maximum number of notes (10).", short="-n")] = 10
    project: Project = None
    budget: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        arg("Maximum number of tokens of its Markdown."),
    ] = None


class HotContextResult(Result, frozen=True, kw_only=True):
    """A bundle; its JSON is that of `context`."""

    bundle: Any
    vault: str
    root: str

    def to_json(self) -> dict[str, Any]:
        return bundle_as_json(self.bundle, vault=self.vault, root=self.root)

    def sources(self) -> Shown:
        return shown([Passage(note.path) for note in self.bundle.notes])

    def all_notices(self) -> list[str]:
        return list(self.bundle.degraded)

    def is_empty(self) -> bool:
        return not self.bundle.notes


def _markdown(result: HotContextResult, _arguments: Arguments, _style: Style) -> str:
    bundle: Bundle = result.bundle
    return bundle_as_markdown(bundle)


@operation(
    group="Memory",
    for_people=_markdown,
    command=Command("hot --context", verbatim=True),
)
def hot_context(vault: Engine, arguments: HotContextArguments) -> HotContextResult:
    """Print what these notes say, as context does."""
    bundle = vault.bundles.hot(
        budget_tokens=arguments.budget,
        project=arguments.project,
        limit=arguments.limit,
    )
    where = vault.config.vault
    return HotContextResult(bundle=bundle, vault=where.name, root=str(where.path))
