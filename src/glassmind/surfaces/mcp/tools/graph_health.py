"""`glassmind_health`: what is to be mended in the vault, finding by finding."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from glassmind.errors.serving import BadArgument
from glassmind.operations.model_text import fenced, labelled, named, one_line
from glassmind.render.health import finding_now_as_json, health_as_json
from glassmind.render.health_text import (
    Ways,
    by_what,
    finding_now_as_text,
    fix_in_words,
)
from glassmind.render.style import Style
from glassmind.surfaces.mcp.tool import Action, Answer, Argument, Call, Tool
from glassmind.surfaces.mcp.tools.paged import Listing, answer_of
from glassmind.surfaces.mcp.tools.shapes import (
    CURSOR,
    FORMAT,
    concise,
    is_detailed,
    shortly,
)

NAME = "glassmind_health"

MOST_FINDINGS = 10_000
"""Of each check, as the engine has it; cursors lead to all of them."""

KEPT = ("name", "severity", "count", "title", "fix", "verb")

WAYS: Ways = {
    "suggest": "glassmind_suggest",
    "resolve": "glassmind_resolve",
    "dismiss": "glassmind_dismiss",
    "themes": "glassmind_themes",
}
"""How the verbs that help are called by an agent."""

FINDING = "finding"
"""What marks a row as one finding; other rows are the heads of checks."""


def run(call: Call) -> Answer:
    """Tell what each check found, the gravest first, or look at one finding again."""
    given = call.given
    if given["finding"] is not None:
        return _again(call)
    found = call.engine.knowledge.health(checks=given["checks"], limit=given["limit"])
    values = health_as_json(found)
    checks = values["checks"]
    if not is_detailed(given):  # which checks found nothing, and what each may cost
        checks = [one for one in checks if one["count"]]
        values = {name: one for name, one in values.items() if name != "parts"}
    heads = {one["name"]: {**one, "examples": []} for one in checks}
    listing = Listing(
        [row for check in checks for row in _rows(check)],
        lambda shown: {**values, "checks": _put(shown, heads, given)},
        _brief,
        _lines,
        head="\n".join([_head(values, by_what(found)), *_unchecked(values)]),
        nothing="Nothing is to be mended.",
        notices=found.notices,
        behind=lambda shown: _fixes(shown, heads),
    )
    actions = tuple(_actions(values["checks"], given))
    return answer_of(NAME, call, listing, actions=actions)


def _again(call: Call) -> Answer:
    given = call.given
    if given["checks"] is not None or given["cursor"] is not None:
        raise BadArgument(NAME, "one 'finding' is looked at alone")
    now = call.engine.knowledge.check_finding(given["finding"])
    text = fenced(finding_now_as_text(now, Style()))
    return Answer(text, labelled(finding_now_as_json(now)))


def _rows(check: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    yield {"name": check["name"], FINDING: None, "head": {**check, "examples": []}}
    for one in check["examples"]:
        yield {"name": check["name"], FINDING: one, "head": None}


def _brief(row: Mapping[str, Any]) -> dict[str, Any]:
    one, head = row[FINDING], row["head"]
    return {
        "name": row["name"],
        FINDING: concise(one, tuple(one)) if one else None,
        "head": concise(head, KEPT) | {"examples": []} if head else None,
    }


def _put(
    shown: Sequence[Mapping[str, Any]],
    heads: Mapping[str, Mapping[str, Any]],
    given: Mapping[str, Any],
) -> list[dict[str, Any]]:
    """Return the checks of one page, each with those of its findings that are there."""
    made: dict[str, dict[str, Any]] = {}
    for row in shown:
        if row["name"] not in made:
            head = heads[row["name"]]
            whole = dict(head) if is_detailed(given) else concise(head, KEPT)
            made[row["name"]] = {**whole, "examples": []}
        if row[FINDING]:
            made[row["name"]]["examples"].append(row[FINDING])
    return list(made.values())


def _head(values: Mapping[str, Any], by: str) -> str:
    return (
        f"Score {values['score']} of 100{by}; {values['findings']:,} findings, "
        f"{values['dismissed']:,} dismissed; {values['sound']:,} of "
        f"{values['notes']:,} notes sound."
    )


def _unchecked(values: Mapping[str, Any]) -> Iterator[str]:
    for check in values["checks"]:
        if check["unchecked"]:
            yield f"Not checked: {check['name']} ({check['unchecked']})"


def _lines(_: int, row: Mapping[str, Any]) -> Iterator[str]:
    if head := row["head"]:
        if head["count"]:
            said = f"{head['count']:,} {head['title']}"
            yield f"{head['severity']}: {said} ({head['name']})"
        return
    one = row[FINDING]
    line = f":{one['line']}" if one.get("line") else ""
    place = f"{named(one['path'])}{line} " if one.get("path") else ""
    yield f"   {place}{shortly(one_line(one['what']))} [{one_line(one['key'])}]"


def _fixes(
    shown: Sequence[Mapping[str, Any]], heads: Mapping[str, Mapping[str, Any]]
) -> Iterator[str]:
    """Yield what to do about the findings of a page; none of it is from notes."""
    for name in dict.fromkeys(row["name"] for row in shown):
        check = heads[name]
        if check["count"]:
            yield f"{name}: {fix_in_words(check['fix'], check['verb'], WAYS)}"


def _actions(
    checks: Sequence[Mapping[str, Any]], given: Mapping[str, Any]
) -> Iterator[Action]:
    more = next((one for one in checks if one["count"] > given["limit"]), None)
    if more:
        alone = {
            "checks": [more["name"]],
            "limit": min(more["count"], MOST_FINDINGS),
        }
        yield Action(NAME, alone, f"see all that {more['name']} found")
    helped: set[str] = set()
    for check in checks:
        first, verb = next(iter(check["examples"]), None), check["verb"]
        if first and verb not in helped:
            yield from _help(verb, first)
            helped.add(verb)


def _help(verb: str | None, finding: Mapping[str, Any]) -> Iterator[Action]:
    if verb == "suggest" and finding["path"]:
        said = "see which links would mend the first of its kind"
        yield Action("glassmind_suggest", {"name": finding["path"]}, said)
    if verb == "resolve":
        text = finding["key"].partition(":")[2]
        said = "see what the first missing name may mean"
        yield Action("glassmind_resolve", {"text": text}, said)


TOOL = Tool(
    NAME,
    "Vault health",
    "Tell what is to be mended in the vault, the gravest first: orphans, links that "
    "lead nowhere, duplicates, conflict copies, spellings and more, with fixes and a "
    "score; by its key, whether one finding is mended.",
    (
        Argument("checks", "strings", "names of checks; else all", None),
        Argument("limit", "integer", "of each check", 3, least=0, most=MOST_FINDINGS),
        Argument("finding", "string", "its key, to look again", None, most=4096),
        FORMAT,
        CURSOR,
    ),
    run,
    timeout_s=120,
)
