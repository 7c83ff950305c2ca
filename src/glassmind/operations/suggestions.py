"""Operations on suggested links and similar notes: list, apply, dismiss."""

from typing import Annotated

from msgspec import Meta, Struct

from glassmind.engine import Engine
from glassmind.errors.editing import PolicyForbids
from glassmind.errors.serving import BadArgument
from glassmind.operations import suggestions_text as text
from glassmind.operations.edit import ChangeResult, DryRun, asking, change_result
from glassmind.operations.edit_text import changed_for_models, changed_for_people
from glassmind.operations.graph import MOST_SHOWN, Limit, NoteName, note_uri_of
from glassmind.operations.names import note_name, report_guesses
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
from glassmind.types.suggestions import Suggestion, SuggestionKind, key_of

SLOW_S = 120.0
"""Seconds for suggestions: they compare every note with every other."""

Cosine = Annotated[float, Meta(ge=0, le=1)]
OptionalName = Annotated[
    NoteName | None,
    arg(
        "Path, title or alias of a note; without it, the whole vault.",
        positional="words",
        for_models="a note; else the whole vault",
    ),
]


class SuggestArguments(Arguments, frozen=True, kw_only=True):
    name: OptionalName = None
    limit: Annotated[
        Limit, arg("Maximum number of suggestions (20).", short="-n", for_models="")
    ] = 20


class Signal(Struct, frozen=True):
    """One reason for a link; the shares of all add up to the score."""

    name: str
    strength: float
    share: float
    reason: str


class Mention(Struct, frozen=True):
    """The name of a note in the text of another, without a link."""

    text: str
    line: int
    sentence: str
    namesakes: list[str]


class ProposedEdit(Struct, frozen=True):
    """The edit that would add the link; `bytes` is its half-open range in the file."""

    path: str
    digest: str
    line: int
    bytes: list[int]
    before: str
    after: str


class SuggestedLink(Struct, frozen=True, kw_only=True):
    """Two notes that should be linked; `source` is the one to edit."""

    key: str
    kind: SuggestionKind
    source: str
    source_title: str
    source_uri: str
    target: str
    target_title: str
    target_uri: str
    score: float
    reason: str
    signs: list[Signal]
    mention: Mention | None
    property: str | None
    similarity: float | None
    shared_notes: list[str]
    shared_tags: list[str]
    edit: ProposedEdit | None


class SuggestResult(Result, frozen=True, kw_only=True):
    """Suggested links, best first; `note` is null for the whole vault."""

    note: str | None
    suggestions: list[SuggestedLink]
    notices: list[str]

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
    return SuggestResult(
        note=found.note,
        suggestions=[_suggested(vault, one) for one in found.suggestions],
        notices=list(found.notices),
    )


def _optional_name(vault: Engine, name: str | None) -> str | None:
    return None if name is None else note_name(vault, name, "name")


def _suggested(vault: Engine, one: Suggestion) -> SuggestedLink:
    edit = one.edit
    return copied(
        SuggestedLink,
        one,
        key=key_of(one),
        source_uri=note_uri_of(vault, one.source),
        target_uri=note_uri_of(vault, one.target),
        signs=[copied(Signal, sign) for sign in one.signs],
        mention=copied(Mention, one.mention) if one.mention else None,
        property=one.property or None,
        edit=copied(ProposedEdit, edit, bytes=[edit.start, edit.end]) if edit else None,
    )


class AddLinksArguments(Arguments, frozen=True, kw_only=True):
    name: OptionalName = None
    keys: Annotated[
        list[str] | None,
        arg(
            "Add links: those with these keys, or all that would be listed.",
            flag="--apply",
            metavar="KEY",
        ),
    ] = None
    mentions: Annotated[
        bool,
        arg("With --apply, link every mention of a note.", flag="--all-mentions"),
    ] = False
    limit: Annotated[
        Limit, arg("Maximum number of suggestions (20).", short="-n", for_models="")
    ] = 20
    dry_run: DryRun = False


@operation(
    group="Graph",
    for_people=changed_for_people,
    for_models=changed_for_models,
    writes=True,
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


class SimilarArguments(Arguments, frozen=True, kw_only=True):
    name: OptionalName = None
    limit: Annotated[
        Limit, arg("Maximum number of pairs (20).", short="-n", for_models="")
    ] = 20
    least: Annotated[
        Cosine,
        arg(
            "Least cosine between two notes (0).",
            metavar="C",
            for_models="least cosine",
        ),
    ] = 0.0


class SimilarPair(Struct, frozen=True, kw_only=True):
    """Two similar notes without a link."""

    path: str
    title: str
    uri: str
    other_path: str
    other_title: str
    other_uri: str
    similarity: float


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


class SimilarResult(Result, frozen=True, kw_only=True):
    """Pairs, most similar first; `note` is null for the whole vault."""

    note: str | None
    pairs: list[SimilarPair]
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
    return copied(
        SimilarResult,
        found,
        pairs=[
            copied(
                SimilarPair,
                pair,
                uri=note_uri_of(vault, pair.path),
                other_uri=note_uri_of(vault, pair.other_path),
            )
            for pair in found.pairs
        ],
        status=pair_status(found.status),
    )


Restore = Annotated[
    bool,
    arg("Take the dismissal back.", only=("mcp", "http"), for_models="take it back"),
]


class DismissPairArguments(Arguments, frozen=True, kw_only=True):
    a: Annotated[NoteName, arg("A note.", positional="word")]
    b: Annotated[NoteName, arg("The other note.", positional="word")]
    restore: Restore = False


class DismissResult(Result, frozen=True, kw_only=True):
    """The line of the list of dismissals; `changed` is false if nothing had to be."""

    file: str
    line: str
    changed: bool

    def sources(self) -> Shown:
        """Return the notes that the line names."""
        return shown(named=note_paths(self.line.split('"')))


@operation(
    group="Graph",
    for_people=text.dismissed_for_people,
    for_models=text.dismissed_for_models,
    writes=True,
    command=Command("graph dismiss", aliases=(("graph restore", {"restore": True}),)),
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
    return dismissed(change(a, b))


class DismissArguments(Arguments, frozen=True, kw_only=True):
    """What `dismiss` takes: two notes, or a problem of the vault."""

    a: Annotated[NoteName | None, arg("A note.", for_models="a note")] = None
    b: Annotated[NoteName | None, arg("The other.", for_models="the other")] = None
    finding: Annotated[NoteName | None, arg("Its key.", for_models="its key")] = None
    restore: Restore = False


@operation(
    group="Graph",
    for_people=text.dismissed_for_people,
    for_models=text.dismissed_for_models,
    writes=True,
    tool=Tool(
        title="Dismiss a suggestion",
        sets=("graph",),
        description=(
            "Stop suggesting two notes as similar, also in searches, or stop reporting "
            "a problem of glassmind_health; with restore, allow it again. Writes a "
            "line to the vault's agent folder. Only if the user wants it."
        ),
    ),
)
def dismiss(
    vault: Engine, arguments: DismissArguments, caller: Caller
) -> DismissResult:
    """Stop suggesting two notes as similar, or stop reporting a problem."""
    a, b, finding = arguments.a, arguments.b, arguments.finding
    if a is not None and b is not None and finding is None:
        pair = DismissPairArguments(a=a, b=b, restore=arguments.restore)
        return dismiss_pair(vault, pair, caller)
    if a is not None or b is not None or finding is None:
        wanted = "give two notes, 'a' and 'b', or a 'finding' of glassmind_health"
        raise BadArgument("glassmind_dismiss", wanted)
    check_untainted(vault, caller)
    return dismiss_by_key(vault, finding, restore=arguments.restore)


def dismiss_by_key(vault: Engine, key: str, *, restore: bool) -> DismissResult:
    """Dismiss a problem of the vault by its key, or take that back."""
    check, _, subject = key.partition(":")
    knowledge = vault.knowledge
    change = knowledge.restore_finding if restore else knowledge.dismiss_finding
    return dismissed(change(check, subject))


def check_untainted(vault: Engine, caller: Caller) -> None:
    """Reject a dismissal by a client that has read text of unknown origin.

    Raises:
        PolicyForbids: a person has to approve what it writes.
    """
    if vault.tainted(caller.client):
        rule = "writes.approve_after_untrusted = true"
        raise PolicyForbids("the list of dismissals", rule)


def dismissed(done: pairs.Dismissed) -> DismissResult:
    """Return the typed result of a dismissal."""
    return copied(DismissResult, done)
