"""Operations on suggested links and similar notes: list, apply, dismiss."""

from typing import Annotated

from msgspec import Struct

from glassmind.engine import Engine
from glassmind.errors.editing import PolicyForbids
from glassmind.operations import suggestions_text as text
from glassmind.operations.edit import (
    ChangeResult,
    DryRun,
    asking,
    change_operation,
    change_result,
)
from glassmind.operations.graph import MOST_SHOWN, Limit, NoteName
from glassmind.operations.names import note_name, report_guesses, with_uris
from glassmind.operations.registry import (
    Arguments,
    Caller,
    Command,
    Page,
    Result,
    Route,
    Tool,
    arg,
    copied,
    note_paths,
    operation,
    shown,
)
from glassmind.types import pairs
from glassmind.types.ledger import Passage, Shown
from glassmind.types.pairs import Dismissed, Pair
from glassmind.types.suggestions import Suggestions

SLOW_S = 120.0
"""Seconds for suggestions: they compare every note with every other."""

OptionalName = Annotated[
    NoteName | None,
    arg("A note; without it, the whole vault.", positional="words"),
]
SuggestionLimit = Annotated[
    Limit, arg("Maximum number of suggestions (20).", short="-n")
]


class SuggestArguments(Arguments):
    name: OptionalName = None
    limit: SuggestionLimit = 20


class SuggestResult(Result, Suggestions):
    """Suggested links, best first; `note` is null for the whole vault."""

    def sources(self) -> Shown:
        """Return the lines that would be edited, and every note that is named."""
        passages, named = [], [self.note]
        for one in self.suggestions:
            named += [one.source, one.target, *one.shared_notes]
            if one.mention:
                named += one.mention.namesakes
                passages.append(Passage(one.source, one.mention.line, one.mention.line))
            if one.edit:
                passages.append(Passage(one.edit.path, one.edit.line, one.edit.line))
        return shown(passages, note_paths(named))

    def is_empty(self) -> bool:
        return not self.suggestions


@operation(
    group="Graph",
    for_people=text.suggest_for_people,
    for_models=text.suggest_for_models,
    command=Command("graph suggest", aliases=(("suggest", {}),)),
    tool=Tool(
        title="Suggest links",
        sets=("graph",),
        description=(
            "Suggest notes that should be linked, for one note or the whole vault: "
            "names in the text without a link, similar notes, links in properties "
            "without a link back; each with reason and proposed edit. Writes nothing."
        ),
        timeout_s=SLOW_S,
        page=Page("suggestions", most=100, furthest=MOST_SHOWN),
    ),
    route=Route("GET", "/graph/suggest", sets=("graph",), fails=(404, 409)),
)
def suggest(
    vault: Engine, arguments: SuggestArguments, caller: Caller
) -> SuggestResult:
    """Suggest notes that should be linked."""
    name = _optional_name(vault, arguments.name)
    found = vault.knowledge.suggest(name, limit=arguments.limit)
    report_guesses(vault, caller, name)
    return with_uris(vault, copied(SuggestResult, found))


def _optional_name(vault: Engine, name: str | None) -> str | None:
    return None if name is None else note_name(vault, name, "name")


class AddLinksArguments(Arguments):
    name: OptionalName = None
    keys: Annotated[
        list[str] | None,
        arg(
            "Add links: those with these keys, or all that would be listed.",
            flag="--apply",
            metavar="KEY",
            for_models="of suggestions; else all of them",
        ),
    ] = None
    mentions: Annotated[
        bool,
        arg(
            "With --apply, link every mention of a note.",
            flag="--all-mentions",
            for_models="link every name in a text",
        ),
    ] = False
    limit: SuggestionLimit = 20
    dry_run: DryRun = False


@change_operation(
    title="Add suggested links",
    about="Add links that glassmind_suggest lists, in one change.",
    path="/graph/suggest/apply",
    route_id="apply_suggestions",
    group="Graph",
    command=Command("graph suggest --apply", aliases=(("suggest --apply", {}),)),
)
def add_suggested_links(
    vault: Engine, arguments: AddLinksArguments, caller: Caller
) -> ChangeResult:
    """Add suggested links, all in one change."""
    name = _optional_name(vault, arguments.name)
    found = vault.knowledge.links_to_add(
        name,
        keys=arguments.keys or None,
        mentions=arguments.mentions,
        limit=arguments.limit,
    )
    done = vault.editing.repair(found, asking(vault, caller, dry_run=arguments.dry_run))
    report_guesses(vault, caller, name)
    return change_result(done)


class SimilarArguments(Arguments):
    name: OptionalName = None
    limit: Annotated[Limit, arg("Maximum number of pairs (20).", short="-n")] = 20
    least: Annotated[
        float, arg("Least cosine between two notes (0).", metavar="C", ge=0, le=1)
    ] = 0.0


class PairStatus(Struct, frozen=True):
    """How many pairs there are, and how many notes wait to be compared.

    `waiting` is null if all do; `threshold` and `most` are null if none was compared.
    """

    count: int
    waiting: int | None
    threshold: float | None
    most: int | None


def pair_status(status: pairs.PairStatus) -> PairStatus:
    """Return how many pairs there are, as every surface shows it."""
    state = status.state
    threshold, most = (state.threshold, state.most) if state else (None, None)
    return PairStatus(status.pairs, status.waiting, threshold, most)


class SimilarResult(Result):
    """Pairs, most similar first; `note` is null for the whole vault."""

    note: str | None
    pairs: list[Pair]
    total: int
    dismissed: int
    status: PairStatus
    notices: list[str]

    def sources(self) -> Shown:
        """Return the notes."""
        ends = [end for one in self.pairs for end in (one.path, one.other_path)]
        return shown(named=note_paths([self.note, *ends]))

    def is_empty(self) -> bool:
        return not self.pairs


@operation(
    group="Graph",
    for_people=text.similar_for_people,
    for_models=text.similar_for_models,
    command=Command("graph similar"),
    tool=Tool(
        title="Show similar notes",
        sets=("graph",),
        description=(
            "Show notes with similar meaning and no link between them, for one note or "
            "the whole vault, most similar first."
        ),
        page=Page("pairs", most=100, furthest=MOST_SHOWN),
    ),
    route=Route("GET", "/graph/similar", sets=("graph",), fails=(404, 409)),
)
def similar(
    vault: Engine, arguments: SimilarArguments, caller: Caller
) -> SimilarResult:
    """Show similar notes that are not linked."""
    name = _optional_name(vault, arguments.name)
    found = vault.knowledge.similar(name, limit=arguments.limit, least=arguments.least)
    report_guesses(vault, caller, name)
    status = pair_status(found.status)
    return with_uris(vault, copied(SimilarResult, found, status=status))


ON_REQUEST = "Writes a line to the vault's agent folder. Only if the user wants it."
Restore = Annotated[bool, arg("Take the dismissal back.", only=("mcp", "http"))]


class DismissPairArguments(Arguments):
    a: Annotated[NoteName, arg("A note.", positional="word")]
    b: Annotated[NoteName, arg("The other note.", positional="word")]
    restore: Restore = False


class DismissResult(Result, Dismissed):
    """The line of the list of dismissals; `changed` is false if nothing had to be."""

    def sources(self) -> Shown:
        """Return the notes that the line names."""
        return shown(named=note_paths(self.line.split('"')))


@operation(
    group="Graph",
    for_people=text.dismissed_for_people,
    for_models=text.dismissed_for_models,
    writes=True,
    command=Command("graph dismiss", aliases=(("graph restore", {"restore": True}),)),
    tool=Tool(
        title="Dismiss a suggestion",
        sets=("graph",),
        name="glassmind_dismiss",
        description=(
            "Stop suggesting two notes as similar, also in searches; with restore, "
            f"allow it again. {ON_REQUEST}"
        ),
    ),
    route=Route("POST", "/graph/dismiss", sets=("graph",), fails=(404, 409)),
)
def dismiss_pair(
    vault: Engine, arguments: DismissPairArguments, caller: Caller
) -> DismissResult:
    """Stop suggesting two notes as similar, or allow it again."""
    check_untainted(vault, caller)
    a, b = note_name(vault, arguments.a, "a"), note_name(vault, arguments.b, "b")
    knowledge = vault.knowledge
    change = knowledge.restore_pair if arguments.restore else knowledge.dismiss
    return copied(DismissResult, change(a, b))


def check_untainted(vault: Engine, caller: Caller) -> None:
    """Reject a dismissal by a client that has read text of unknown origin.

    Raises:
        PolicyForbids: a person has to approve what it writes.
    """
    if vault.tainted(caller.client):
        rule = "writes.approve_after_untrusted = true"
        raise PolicyForbids("the list of dismissals", rule)
