"""Run a file of conformance cases against the parser and the link resolver.

    python tests/conformance/run_vectors.py FILE

The file is `{"meta": ..., "cases": [{"id", "area", "input", "expected", ...}]}`.
Prints one line `area passed/total` for each area and a last line `total passed/total`;
each case that fails is told on stderr. Exits 0 only when every case passes.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from glassmind.markdown.parse import parse_note
from glassmind.types import NotePath
from glassmind.types.notes import Link, Note, PropertyValue
from glassmind.vault.resolve import Names

NOTE = NotePath("Note.md")


def main(arguments: list[str]) -> int:
    """Run the cases of the one file named; return the exit code."""
    if len(arguments) != 1:
        sys.stderr.write("usage: run_vectors.py FILE\n")
        return 2
    cases = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))["cases"]
    passed: dict[str, int] = {}
    total: dict[str, int] = {}
    for case in cases:
        area = case["area"]
        total[area] = total.get(area, 0) + 1
        passed.setdefault(area, 0)
        found = answer(case)
        if agrees(found, case["expected"]):
            passed[area] += 1
        else:
            name, wanted = case.get("id", area), case["expected"]
            sys.stderr.write(
                f"{name}: {case['input']!r} gave {found!r}, not {wanted!r}\n"
            )
    for area, count in total.items():
        sys.stdout.write(f"{area} {passed[area]}/{count}\n")
    sys.stdout.write(f"total {sum(passed.values())}/{sum(total.values())}\n")
    return 0 if passed == total else 1


def answer(case: Mapping[str, Any]) -> Any:
    """Return what Glassmind makes of a case's input."""
    text = case["input"]
    match case["area"]:
        case "link.parse":
            return first_link(parse_note(NOTE, text))
        case "link.resolve":
            return resolved(case)
        case "tags.inline":
            return [tag.name for tag in parse_note(NOTE, text).tags]
        case "frontmatter":
            return head(parse_note(NOTE, text))
        case area:
            return f"no such area: {area}"


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


def first_link(note: Note) -> dict[str, Any] | None:
    """Return the parts of the one link of a note; absent parts are left out."""
    if not note.links:
        return None
    link: Link = note.links[0]
    parts = {
        "path": link.target,
        "subpath": link.subpath,
        "display": link.display,
        "embed": link.embed,
    }
    return {key: part for key, part in parts.items() if part is not None}


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


def resolved(case: Mapping[str, Any]) -> str | None:
    """Return where the link of a case leads among the files of its vault."""
    source = NotePath(case["source_path"])
    note = parse_note(source, case["input"])
    if not note.links:
        return None
    link = note.links[0]
    names = Names.of(case["vault"])
    return names.resolve(link.target, source, markdown=link.kind == "markdown")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
