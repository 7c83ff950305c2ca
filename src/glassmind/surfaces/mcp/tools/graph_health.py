"""`glassmind_health`: what is to be mended in the vault."""

from collections.abc import Iterator, Mapping
from typing import Any

from glassmind.render.health import health_as_json
from glassmind.surfaces.mcp.fence import named, one_line
from glassmind.surfaces.mcp.tool import Action, Answer, Argument, Call, Tool
from glassmind.surfaces.mcp.tools.paged import Listing, answer_of, in_place
from glassmind.surfaces.mcp.tools.shapes import (
    CURSOR,
    FORMAT,
    concise,
    is_detailed,
    shortly,
)

NAME = "glassmind_health"

MOST_FINDINGS = 100

KEPT = ("name", "severity", "count", "title", "fix")


def run(call: Call) -> Answer:
    """Tell what each check found, the gravest first."""
    given = call.given
    found = call.engine.knowledge.health(checks=given["checks"], limit=given["limit"])
    values = health_as_json(found)
    checks = values["checks"]
    if not is_detailed(given):  # which checks found nothing, and what each may cost
        checks = [one for one in checks if one["count"]]
        values = {name: one for name, one in values.items() if name != "parts"}
    listing = Listing(
        checks,
        in_place(values, "checks"),
        _brief,
        _lines,
        head="\n".join([_head(values), *_unchecked(values)]),
        nothing="Nothing is to be mended.",
        notices=found.notices,
    )
    return answer_of(NAME, call, listing, actions=tuple(_actions(values, given)))


def _brief(check: Mapping[str, Any]) -> dict[str, Any]:
    examples = [concise(one, tuple(one)) for one in check["examples"]]
    return concise(check, KEPT) | {"examples": examples}


def _head(values: Mapping[str, Any]) -> str:
    return (
        f"Score {values['score']} of 100; {values['findings']:,} findings, "
        f"{values['dismissed']:,} dismissed; {values['sound']:,} of "
        f"{values['notes']:,} notes sound."
    )


def _unchecked(values: Mapping[str, Any]) -> Iterator[str]:
    for check in values["checks"]:
        if check["unchecked"]:
            yield f"Not checked: {check['name']} ({check['unchecked']})"


def _lines(_: int, check: Mapping[str, Any]) -> Iterator[str]:
    if not check["count"]:
        return
    head = f"{check['severity']}: {check['count']:,} {check['title']}"
    yield f"{head} ({check['name']}). {check['fix']}"
    for one in check["examples"]:
        line = f":{one['line']}" if one.get("line") else ""
        place = f"{named(one['path'])}{line} " if one.get("path") else ""
        yield f"   {place}{shortly(one_line(one['what']))} [{one_line(one['key'])}]"


def _actions(values: Mapping[str, Any], given: Mapping[str, Any]) -> Iterator[Action]:
    worst = next(
        (one for one in values["checks"] if one["count"] > given["limit"]), None
    )
    if worst and given["checks"] is None:
        alone = {"checks": [worst["name"]], "limit": MOST_FINDINGS}
        yield Action(NAME, alone, f"see all that {worst['name']} found")


TOOL = Tool(
    NAME,
    "Vault health",
    "Tell what is to be mended in the vault, the gravest first: orphans, links that "
    "lead nowhere, duplicates, conflict copies, spellings and more, each with examples "
    "and a fix, and a score.",
    (
        Argument("checks", "strings", "names of checks; else all", None),
        Argument("limit", "integer", "of each check", 3, least=0, most=MOST_FINDINGS),
        FORMAT,
        CURSOR,
    ),
    run,
    timeout_s=120,
)
