"""Run a file of conformance cases against the parser and the link resolver.

    python tests/conformance/run_vectors.py FILE

The file is `{"meta": ..., "cases": [{"id", "area", "input", "expected", ...}]}`.
Prints one line `area passed/total` for each area and a last line `total passed/total`;
each case that fails, or that cannot be run, is told on stderr. Exits 0 only when every
case passes, 1 when some fail, 2 when the file cannot be used.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from glassmind.files.names import Names
from glassmind.model import NotePath, PropertyValue
from glassmind.model.notes import Link, Note
from glassmind.obsidian.notes import parse_note

NOTE = NotePath("Note.md")

SHOWN_CHARS = 500
"""How much of a value is told; an input may be a whole note."""


def main(arguments: list[str]) -> int:
    """Run the cases of the one file named; return the exit code."""
    if len(arguments) != 1:
        sys.stderr.write("usage: run_vectors.py FILE\n")
        return 2
    try:
        cases = cases_in(Path(arguments[0]))
    except (OSError, ValueError, RecursionError) as error:
        sys.stderr.write(f"{arguments[0]} holds no cases: {error}\n")
        return 2
    passed: dict[str, int] = {}
    total: dict[str, int] = {}
    for number, case in enumerate(cases, 1):
        area, fault = outcome(case)
        total[area] = total.get(area, 0) + 1
        passed[area] = passed.get(area, 0) + (fault is None)
        if fault is not None:
            name = case.get("id", area) if isinstance(case, dict) else area
            sys.stderr.write(f"{name} (case {number}): {fault}\n")
    for area, count in total.items():
        sys.stdout.write(f"{area} {passed[area]}/{count}\n")
    sys.stdout.write(f"total {sum(passed.values())}/{sum(total.values())}\n")
    return 0 if passed == total else 1


def cases_in(file: Path) -> list[Any]:
    """Return the cases of a file.

    Raises:
        OSError, ValueError, RecursionError: there are none to be had.
    """
    held = json.loads(file.read_text(encoding="utf-8"))
    cases = held.get("cases") if isinstance(held, dict) else None
    if not isinstance(cases, list):
        raise ValueError('it has no list "cases"')  # noqa: TRY004 - a wrong file
    return cases


def outcome(case: Any) -> tuple[str, str | None]:
    """Return the area of a case, and why it fails; None when it passes."""
    if not isinstance(case, dict) or not isinstance(case.get("area"), str):
        return "odd", f"{shown(case)} is no case: it has no area"
    try:
        answers, expected = answers_to(case), case["expected"]
    except Exception as error:  # noqa: BLE001 - one odd case must not end the run
        return case["area"], f"cannot be run: {type(error).__name__}: {error}"
    if any(agrees(found, expected) for found in answers):
        return case["area"], None
    gave = " or ".join(shown(found) for found in answers)
    return case["area"], f"{shown(case['input'])} gave {gave}, not {shown(expected)}"


def shown(value: Any) -> str:
    """Return a value on one line of bearable length."""
    text = ascii(value)
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}..."


def answers_to(case: Mapping[str, Any]) -> list[Any]:
    """Return what Glassmind makes of a case's input: one answer, or one a link."""
    text = case["input"]
    match case["area"]:
        case "link.parse":
            return parsed_links(parse_note(NOTE, text)) or [None]
        case "link.resolve":
            return resolved_links(case) or [None]
        case "tags.inline":
            return [[tag.name for tag in parse_note(NOTE, text).tags]]
        case "frontmatter":
            return [head(parse_note(NOTE, text))]
        case _:
            return ["nothing: there is no such area"]


def agrees(found: Any, expected: Any) -> bool:
    """Return whether an answer has what is expected.

    Of an object only the keys given count; null, false and the empty list all mean that
    nothing is there. A sentence says whether there is frontmatter, or that it is
    invalid.
    """
    if isinstance(found, dict) and isinstance(expected, str):
        if expected.startswith("invalid"):
            return found.get("error") is not None
        return found.get("frontmatter") is not expected.startswith("no ")
    if isinstance(found, dict) and isinstance(expected, dict):
        given = {**found.get("properties", {}), **found}
        return all(agrees(given.get(key), value) for key, value in expected.items())
    if expected is None or expected is False or expected == []:
        return found is None or found is False or found == []
    return bool(found == expected)


def parsed_links(note: Note) -> list[Any]:
    """Return the parts of each link of a note; absent parts are left out."""
    return [
        {key: part for key, part in parts_of(link).items() if part is not None}
        for link in note.links
    ]


def parts_of(link: Link) -> dict[str, Any]:
    """Return the parts of a link by the names that cases have for them."""
    return {
        "path": link.target,
        "subpath": link.subpath,
        "display": link.display,
        "embed": link.embed,
    }


def head(note: Note) -> dict[str, Any]:
    """Return what the frontmatter gives: its tags, aliases and properties."""
    return {
        "frontmatter": note.frontmatter.end > 0,
        "tags": [tag.name for tag in note.tags if tag.in_properties],
        "aliases": list(note.aliases),
        "cssclasses": listed(note.frontmatter.properties.get("cssclasses")),
        "error": note.frontmatter.error,
        "properties": dict(note.frontmatter.properties),
    }


def listed(value: PropertyValue) -> list[PropertyValue]:
    """Return a list property; anything but a list counts as none."""
    return value if isinstance(value, list) else []


def resolved_links(case: Mapping[str, Any]) -> list[str | None]:
    """Return where each link of a case leads among the files of its vault."""
    source = NotePath(case["source_path"])
    names = Names.of(case["vault"])
    return [
        names.resolve(link.target, source, markdown=link.kind == "markdown")
        for link in parse_note(source, case["input"]).links
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
