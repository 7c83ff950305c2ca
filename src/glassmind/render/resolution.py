"""Whether a text names something, as programs read it and as people do."""

from typing import Any

from glassmind.render.address import obsidian_uri
from glassmind.render.style import Style
from glassmind.types.ontology import NameMatch, Resolution


def resolution_as_json(found: Resolution, *, vault: str) -> dict[str, Any]:
    """Return the verdict, what to do, and what may be meant.

    `vault` is the name that Obsidian knows the vault by.
    """
    return {
        "vault": vault,
        "text": found.text,
        "verdict": found.verdict,
        "advice": found.advice,
        "link": found.link or None,
        "candidates": [candidate_as_json(one, vault=vault) for one in found.candidates],
        "notices": list(found.notices),
    }


def candidate_as_json(match: NameMatch, *, vault: str) -> dict[str, Any]:
    """Return one thing that a text may mean."""
    return {
        "kind": match.kind,
        "path": match.path,
        "title": match.title,
        "link": match.link,
        "score": match.score,
        "reason": match.reason,
        "matched": match.matched,
        "links": match.links,
        "uri": obsidian_uri(vault, match.path) if match.path else None,
    }


def resolution_as_text(found: Resolution, style: Style) -> str:
    """Return the verdict with its advice, then a line for each candidate."""
    lines = [f"{style.strong(found.verdict)}  {style.clean(found.advice)}"]
    lines += [_line(match, style) for match in found.candidates]
    lines += [style.faint(notice) for notice in found.notices]
    return "".join(f"{line}\n" for line in lines)


def _line(match: NameMatch, style: Style) -> str:
    where = match.path or f"{match.kind} {match.title}"
    if match.kind == "heading":
        where = f"{match.path}#{match.title}"
    reason = style.faint(f"{match.reason}: {match.matched}")
    return f"  {match.score:.2f}  {style.clean(where)}  {reason}"
