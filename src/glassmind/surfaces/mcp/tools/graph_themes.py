"""`glassmind_themes`: groups of notes that links hold together."""

from collections.abc import Iterator, Mapping
from typing import Any

from glassmind.operations.model_text import named, one_line
from glassmind.render.themes import themes_as_json
from glassmind.surfaces.mcp.tool import Action, Answer, Argument, Call, Tool
from glassmind.surfaces.mcp.tools.paged import Listing, answer_of, in_place
from glassmind.surfaces.mcp.tools.shapes import CURSOR, FORMAT, concise

NAME = "glassmind_themes"

FEW, SOME, MANY = 5, 100, 500
"""Members of a theme that are told: among others, alone, and in detail."""

KEPT = ("id", "label", "summary", "size", "standing", "hub")


def run(call: Call) -> Answer:
    """Tell the themes of the vault, or one of them with its members."""
    given, vault = call.given, call.engine.config.vault
    found = call.engine.knowledge.themes(
        theme=given["theme"], resolution=given["resolution"], ghosts=given["ghosts"]
    )
    alone = given["theme"] is not None
    detailed = given["response_format"] == "detailed"
    values = themes_as_json(
        found,
        vault=vault.name,
        members=MANY if detailed and alone else SOME if alone else FEW,
    )
    listing = Listing(
        values["themes"],
        in_place(values, "themes"),
        _brief,
        lambda _, theme: _lines(theme, alone=alone),
        head=_head(values, call.engine.config.graph.theme_resolution),
        nothing="There are no themes: few notes are linked with each other.",
    )
    return answer_of(NAME, call, listing, actions=tuple(_actions(values, alone=alone)))


def _brief(theme: Mapping[str, Any]) -> dict[str, Any]:
    members = [concise(one, ("path", "title")) for one in theme["members"]]
    tags = [one["name"] for one in theme["tags"]]
    made = concise(theme, KEPT) | {"members": members}
    return made | ({"tags": [{"name": name} for name in tags]} if tags else {})


def _head(values: Mapping[str, Any], usual: float) -> str:
    other = values["resolution"] != usual
    at = (
        f", at resolution {values['resolution']:g} (usually {usual:g})" if other else ""
    )
    said = (
        f"{values['total']:,} themes of {values['notes']:,} notes, {values['apart']:,} "
        f"in none; modularity {values['modularity']:.2f}{at}."
    )
    return f"{said}\nNotice: {values['warning']}" if values["warning"] else said


def _lines(theme: Mapping[str, Any], *, alone: bool) -> Iterator[str]:
    yield f"theme {theme['id']}: {one_line(theme['label'])} ({theme['size']:,} notes)"
    yield f"   {one_line(theme['summary'])}"
    if alone:
        yield from (f"   {named(one['path'])}" for one in theme["members"])


def _actions(values: Mapping[str, Any], *, alone: bool) -> Iterator[Action]:
    if not values["themes"]:
        return
    number = values["themes"][0]["id"]
    first: dict[str, Any] = {"theme": str(number)}
    if number < 0:  # it is one of these alone
        first |= {name: values[name] for name in ("resolution", "ghosts")}
    if not alone:
        yield Action(NAME, first, "see all notes of the largest theme")
    elif number > 0:
        yield Action("glassmind_rank", first, "see which of its notes matter most")


TOOL = Tool(
    NAME,
    "Show themes",
    "Show the themes of the vault: groups of notes that links hold together, the "
    "largest first, each with its label and key members; by number or label one theme "
    "with all of them.",
    (
        Argument("theme", "label", "number or label", None, most=1000),
        Argument(
            "resolution",
            "number",
            "above 1 more and smaller ones",
            None,
            least=0.01,
            most=100,
        ),
        Argument("ghosts", "boolean", "linked names without a note too", False),
        FORMAT,
        CURSOR,
    ),
    run,
)
