"""Operations that improve a vault: suggested links, similar notes, health."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated

from msgspec import UNSET, UnsetType

from glassmind.engine import Engine
from glassmind.errors import PolicyForbids
from glassmind.model import health as domain
from glassmind.model.access import DisclosedLines, DisclosedNotes
from glassmind.model.suggestions import Dismissed, Similar, Suggestions
from glassmind.obsidian.text import Style, counted, shortened
from glassmind.operations.edit import (
    PATIENT_S,
    ChangeResult,
    DryRun,
    asking,
    change_operation,
    change_result,
)
from glassmind.operations.find import Name
from glassmind.operations.graph import (
    FAILS,
    MOST_SHOWN,
    Limited,
    answered,
    graph_operation,
)
from glassmind.operations.model_text import fenced_lines
from glassmind.operations.names import note_name, report_guesses
from glassmind.operations.registry import (
    Arguments,
    Caller,
    Command,
    Paging,
    Result,
    Route,
    TextForm,
    Tool,
    arg,
    copied,
    note_paths,
    operation,
    shown,
)
from glassmind.search.query import SAYS

OptionalName = Annotated[
    Name | None,
    arg("A note; without it, the whole vault.", positional="words", pattern=SAYS),
]


def suggest_text(result: "SuggestResult", _: object, style: Style) -> Iterator[str]:
    if not result.suggestions:
        yield "Nothing to suggest."
    for at, link in enumerate(result.suggestions):
        yield from [""] if at else []
        ends = f"{style.strong(link.source)} -> {style.strong(link.target)}"
        ends += f" ({style.clean(link.property)})" if link.property else ""
        yield f"{ends}  {style.faint(f'{link.kind} {link.score:.2f}')}"
        yield f"   {style.clean(link.reason)}"
        if link.mention:
            yield f"   {style.faint(link.mention.sentence)}"
        shared = [f"#{tag}" for tag in link.shared_tags]
        shared += [path.removesuffix(".md") for path in link.shared_notes]
        if shared:
            yield style.faint(f"   both have {', '.join(shared)}")
        if link.edit:
            yield style.faint(f"   {link.edit.path}:{link.edit.line}")
            for sign, text in (("-", link.edit.before), ("+", link.edit.after)):
                lines = (line for line in text.splitlines() if line.strip())
                yield from (f"   {sign} {style.clean(line)}" for line in lines)


def similar_text(result: "SimilarResult", _: object, style: Style) -> Iterator[str]:
    if result.status.threshold is None:
        yield "No pairs yet: notes are compared when they are embedded."
    elif not result.pairs:
        yield "No similar notes without a link."
    for pair in result.pairs:
        first = "" if result.note else f"{style.strong(pair.path)} ~ "
        yield f"{pair.similarity:.2f}  {first}{style.strong(pair.other_path)}"
    left = result.total - len(result.pairs)
    if left:
        yield style.faint(f"and {counted(left, 'more pair')}")
    if result.dismissed:
        yield style.faint(f"{counted(result.dismissed, 'pair')} dismissed")


def dismissed_text(result: "DismissResult", _: object, style: Style) -> Iterator[str]:
    state = "Done" if result.changed else "Nothing to change"
    yield f"{state}: {style.strong(result.file)}: {style.clean(result.line.strip())}"


class SuggestArguments(Arguments):
    name: OptionalName = None
    limit: Limited = 20


class SuggestResult(Result, Suggestions):
    empty_without = ("suggestions",)

    def sources(self) -> DisclosedNotes:
        passages, named = [], [self.note]
        for link in self.suggestions:
            named += [link.source, link.target, *link.shared_notes]
            if mention := link.mention:
                named += mention.namesakes
                passages.append(DisclosedLines(link.source, mention.line, mention.line))
            if edit := link.edit:
                passages.append(DisclosedLines(edit.path, edit.line, edit.line))
        return shown(passages, note_paths(named))


@graph_operation(
    "Suggest links",
    "Suggest notes that should be linked, for one note or the whole vault: "
    "names in the text without a link, similar notes, links in properties "
    "without a link back; each with reason and proposed edit. Writes nothing.",
    suggest_text,
    command=Command("graph suggest", aliases=(("suggest", {}),)),
    timeout_s=PATIENT_S,
    page=Paging("suggestions", most=100, furthest=MOST_SHOWN),
)
def suggest(
    vault: Engine, arguments: SuggestArguments, caller: Caller
) -> SuggestResult:
    """Suggest notes that should be linked."""
    method = vault.knowledge.suggest
    return answered(method, SuggestResult, vault, arguments, caller, "name")


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
    limit: Limited = 20
    dry_run: DryRun = False


@change_operation(
    "Add suggested links",
    "Add links that glassmind_suggest lists, in one change.",
    path="/graph/suggest/apply",
    route_id="apply_suggestions",
    group="Graph",
    command=Command("graph suggest --apply", aliases=(("suggest --apply", {}),)),
)
def add_suggested_links(
    vault: Engine, arguments: AddLinksArguments, caller: Caller
) -> ChangeResult:
    """Add suggested links, all in one change."""
    name = arguments.name and note_name(vault, arguments.name, "name")
    repairs = vault.knowledge.links_to_add(
        name,
        keys=arguments.keys or None,
        mentions=arguments.mentions,
        limit=arguments.limit,
    )
    done = vault.editing.repair(
        repairs, asking(vault, caller, dry_run=arguments.dry_run)
    )
    report_guesses(vault, caller, name)
    return change_result(done)


class SimilarArguments(Arguments):
    name: OptionalName = None
    limit: Limited = 20
    least: Annotated[
        float, arg("Least cosine between two notes (0).", metavar="C", ge=0, le=1)
    ] = 0.0


class SimilarResult(Result, Similar, kw_only=True):
    empty_without = ("pairs",)

    def sources(self) -> DisclosedNotes:
        ends = [end for pair in self.pairs for end in (pair.path, pair.other_path)]
        return shown(named=note_paths([self.note, *ends]))


@graph_operation(
    "Show similar notes",
    "Show notes with similar meaning and no link between them, for one note or "
    "the whole vault, most similar first.",
    similar_text,
    page=Paging("pairs", most=100, furthest=MOST_SHOWN),
)
def similar(
    vault: Engine, arguments: SimilarArguments, caller: Caller
) -> SimilarResult:
    """Show similar notes that are not linked."""
    method = vault.knowledge.similar
    return answered(method, SimilarResult, vault, arguments, caller, "name")


ON_REQUEST = "Writes a line to the vault's agent folder. Only if the user wants it."
Restore = Annotated[bool, arg("Take the dismissal back.", only=("mcp", "http"))]


class DismissPairArguments(Arguments):
    a: Annotated[Name, arg("A note.", positional="word")]
    b: Annotated[Name, arg("The other note.", positional="word")]
    restore: Restore = False


class DismissResult(Result, Dismissed):
    """The line of the list of dismissals; `changed` is false if nothing had to be."""

    def sources(self) -> DisclosedNotes:
        return shown(named=note_paths(self.line.split('"')))


@operation(
    group="Graph",
    for_people=dismissed_text,
    writes=True,
    command=Command("graph dismiss", aliases=(("graph restore", {"restore": True}),)),
    tool=Tool(
        "Dismiss a suggestion",
        "Stop suggesting two notes as similar, also in searches; with restore, "
        f"allow it again. {ON_REQUEST}",
        name="glassmind_dismiss",
    ),
    route=Route("POST", "/graph/dismiss", sets=("graph",), fails=FAILS),
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
    if vault.tainted(caller.client):
        rule = "writes.approve_after_untrusted = true"
        raise PolicyForbids("the list of dismissals", rule)


MOST_FINDINGS = 10 * MOST_SHOWN  # problems of one check that the engine returns

Checks = Annotated[
    list[str] | None,
    arg("Only these checks, by name; may be repeated.", metavar="NAME"),
]


EXAMPLES = 3  # problems shown of each check, and credentials, unless a limit is given
REPORT_CHARS, PROBLEM_CHARS = 2_000, 120
"""Length of the Markdown report, which other systems put into prompts, and of one
problem in it."""

SECRETS_FIX = (
    "Agents never see them. Keep them in a password manager, and change those that "
    "others may have read."
)
COMMANDS: Mapping[domain.Helping, str] = {
    "suggest": "glassmind graph suggest NOTE",
    "resolve": "glassmind resolve NAME",
    "dismiss": "glassmind graph dismiss A B",
    "themes": "glassmind graph themes",
}
TOOLS: Mapping[domain.Helping, str] = {verb: f"glassmind_{verb}" for verb in COMMANDS}


def health_text(
    result: "HealthResult",
    arguments: "HealthArguments",
    style: Style,
    calls: Mapping[domain.Helping, str] = COMMANDS,
) -> Iterator[str]:
    yield f"Health: {style.strong(f'{result.score} of 100')}{_scope(result)}"
    yield f"  {_totals(result)}"
    yield from _checks(result, style, calls)
    yield ""
    yield from _rest(result)
    places = result.secrets or []
    if not places:
        return
    most = len(places) if arguments.all else arguments.limit
    notes = counted(len({place.path for place in places}), "note")
    yield ""
    yield f"{style.strong(f'credentials: {len(places):,}')} in {notes}"
    for place in places[:most]:
        yield f"  {style.clean(place.path)}:{place.line}: {place.kind}"
    if len(places) > most:
        yield f"  and {len(places) - most:,} more"
    yield f"  {style.faint(SECRETS_FIX)}"


def _scope(result: "HealthResult") -> str:
    if not result.partial:
        return ""
    return f" by {'this check' if len(result.checks) == 1 else 'these checks'} alone"


def _totals(result: "HealthResult") -> str:
    gone = f", {result.dismissed:,} dismissed" if result.dismissed else ""
    notes = f"{result.sound:,} of {counted(result.notes, 'note')} without problems"
    return f"{counted(result.findings, 'problem')}{gone}; {notes}"


def _checks(
    result: "HealthResult", style: Style, calls: Mapping[domain.Helping, str]
) -> Iterator[str]:
    lost = {part.check: part.lost for part in result.parts}
    for check in result.checks:
        if not check.count:
            continue
        gone = f", {check.dismissed:,} dismissed" if check.dismissed else ""
        head = style.strong(f"{check.title}: {check.count:,}")
        points = f"-{lost.get(check.name, 0.0):.1f}"
        yield ""
        yield f"{check.severity}  {head} ({check.name}, {points}{gone})"
        for problem in check.examples:
            yield f"  {style.clean(_place(problem) + problem.what)}"
            yield f"    {style.faint(problem.key)}"
        if len(check.examples) < check.count:
            yield f"  and {check.count - len(check.examples):,} more"
        yield f"  {style.faint(_fix(check, calls))}"


def _place(problem: domain.Finding) -> str:
    line = f":{problem.line}" if problem.line else ""
    return f"{problem.path}{line}: " if problem.path else ""


def _fix(check: domain.CheckReport, calls: Mapping[domain.Helping, str]) -> str:
    call = calls.get(check.verb) if check.verb else None
    return f"{check.fix} See {call}." if call else check.fix


def _rest(result: "HealthResult") -> Iterator[str]:
    well = [
        check.name for check in result.checks if not check.count and not check.unchecked
    ]
    if well:
        yield f"No problems: {', '.join(well)}"
    for check in result.checks:
        if check.unchecked:
            yield f"Not checked: {check.name} ({check.unchecked})"


def health_markdown(
    result: "HealthResult", arguments: "HealthArguments", _style: Style
) -> str:
    """Return a report of 2,000 characters: examples are left out first, then fixes."""
    if arguments.all:
        return _markdown(result, None)
    for examples in range(EXAMPLES, -1, -1):
        report = _markdown(result, examples)
        if len(report) < REPORT_CHARS:
            return report
    return report[: REPORT_CHARS - 1]


def _markdown(result: "HealthResult", examples: int | None) -> str:
    score = f"**{result.score} of 100**{_scope(result)}."
    lines = ["# Vault health", "", f"{score} {_totals(result)}.", ""]
    most = None if examples is None else PROBLEM_CHARS
    for check in result.checks:
        if not check.count:
            continue
        gone = f", {check.dismissed:,} dismissed" if check.dismissed else ""
        lines.append(f"- **{check.severity}** {check.title}: {check.count:,}{gone}")
        for problem in check.examples[:examples]:
            text = Style.clean(_place(problem) + problem.what)
            text = text if most is None else shortened(text, most - 3)
            escaped = (f"\\{c}" if c in "\\`*_[]<>#|" else c for c in text)
            lines.append(f"  - {''.join(escaped)}")
        if examples != 0:
            lines.append(f"  - Fix: {_fix(check, COMMANDS)}")
    return "\n".join([*lines, "", *_rest(result)]).rstrip() + "\n"


class HealthArguments(Arguments):
    check: Checks = None
    limit: Annotated[
        int, arg("Problems to show of each check.", short="-n", ge=0, le=MOST_FINDINGS)
    ] = EXAMPLES
    all: Annotated[bool, arg("Show every problem.", only=("cli",))] = False
    fail_below: Annotated[
        int | None,
        arg("Exit with code 2 if the score is lower.", only=("cli",), ge=0, le=100),
    ] = None


class HealthResult(Result, domain.HealthReport):
    """The score of a vault and what each check found, worst first.

    Only the owner at the CLI sees `secrets`.
    """

    secrets: list[domain.SecretPlace] | UnsetType = UNSET

    def sources(self) -> DisclosedNotes:
        passages = [
            _passage(problem) for check in self.checks for problem in check.examples
        ]
        secrets = [place.path for place in self.secrets or ()]
        return shown(filter(None, passages), note_paths(secrets))


def _passage(problem: domain.Finding) -> DisclosedLines | None:
    line = problem.line or 0
    return DisclosedLines(problem.path, line, line) if problem.path else None


@operation(
    group="Maintain",
    for_people=health_text,
    for_models=partial(fenced_lines, partial(health_text, calls=TOOLS)),
    command=Command(
        form=TextForm("--markdown", "Print the report as Markdown.", health_markdown),
        exit_code=lambda result, arguments: (
            2 if result.score < (arguments.fail_below or 0) else 0
        ),
    ),
    tool=Tool(
        "Vault health",
        "List problems of the vault, worst first: orphans, broken links, "
        "duplicates, conflict copies, spellings and more, with fixes and a score.",
        timeout_s=PATIENT_S,
        page=Paging("checks", most=MOST_FINDINGS, inner="examples", grows=False),
    ),
    route=Route("GET", "/graph/health", sets=("graph",), fails=(404,)),
)
def health(vault: Engine, arguments: HealthArguments, caller: Caller) -> HealthResult:
    """List vault problems, worst first, with a score."""
    checks = _check_names(arguments.check)
    limit = None if arguments.all else arguments.limit
    report = vault.knowledge.health(checks=checks, limit=limit)
    is_owner = caller.surface == "cli" and checks is None
    return health_result(report, vault.knowledge.secrets() if is_owner else ())


def health_result(
    report: domain.HealthReport, secrets: Sequence[domain.SecretPlace] = ()
) -> HealthResult:
    return copied(HealthResult, report, secrets=list(secrets) or UNSET)


def _check_names(given: list[str] | None) -> list[str] | None:
    if given is None:
        return None
    return [name for value in given for name in value.split(",")]


class DismissFindingArguments(Arguments):
    key: Annotated[
        str,
        arg(
            "Stop reporting a problem (--dismiss), or report it again (--restore).",
            flag="--dismiss",
            metavar="KEY",
            for_models="as glassmind_health shows it",
            longest=8_192,
        ),
    ]
    restore: Restore = False


@operation(
    group="Maintain",
    for_people=dismissed_text,
    writes=True,
    command=Command(
        "health --dismiss", aliases=(("health --restore", {"restore": True}),)
    ),
    tool=Tool(
        "Dismiss a problem",
        "Stop reporting a problem of glassmind_health; with restore, report it "
        f"again. {ON_REQUEST}",
    ),
    route=Route("POST", "/graph/finding/dismiss", sets=("graph",), fails=FAILS),
)
def dismiss_finding(
    vault: Engine, arguments: DismissFindingArguments, caller: Caller
) -> DismissResult:
    """Stop reporting a problem, or report it again."""
    check_untainted(vault, caller)
    check, _, subject = arguments.key.partition(":")
    knowledge = vault.knowledge
    restore = arguments.restore
    change = knowledge.restore_finding if restore else knowledge.dismiss_finding
    return copied(DismissResult, change(check, subject))


class FixArguments(Arguments):
    check: Checks = None
    dry_run: DryRun = False


@change_operation(
    "Fix problems of the vault",
    "Fix what glassmind_health lists and needs no decision, in one change.",
    path="/graph/health/fix",
    route_id="fix_vault_health",
    group="Maintain",
    command=Command("health --fix"),
)
def fix_findings(
    vault: Engine, arguments: FixArguments, caller: Caller
) -> ChangeResult:
    """Fix what needs no decision, all in one change or proposal."""
    repairs = vault.knowledge.repairs(checks=_check_names(arguments.check))
    request = asking(vault, caller, dry_run=arguments.dry_run)
    return change_result(vault.editing.repair(repairs, request))
