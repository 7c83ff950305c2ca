"""The properties at the head of a note, read as YAML or refused with a reason.

What cannot be read costs the properties only, never the body.
"""

import re
from typing import NamedTuple

import yaml

from glassmind.model import PropertyValue
from glassmind.model.notes import Frontmatter, all_of
from glassmind.obsidian.yaml_text import YamlScalar, load

MAX_BYTES = 64 * 1024
"""A larger block is refused: properties are metadata, and YAML is slow to read."""

_OPENING = re.compile(r"---[ \t]*\r?\n")
_CLOSING = re.compile(r"^---[ \t]*\r?(?:\n|\Z)", re.MULTILINE)


class Property(NamedTuple):
    leaf: YamlScalar
    start: int
    end: int

    @property
    def name(self) -> str:
        """The property that holds it; nested names are joined by dots."""
        return ".".join(step for step in self.leaf.path if isinstance(step, str))


class Head(NamedTuple):
    """What stands before the body; `length` is the block's size in characters."""

    frontmatter: Frontmatter
    properties: tuple[Property, ...] = ()
    length: int = 0


def read_head(text: str) -> Head:
    """Return the frontmatter of a note; an unclosed block is no frontmatter."""
    opening = _OPENING.match(text)
    closing = _CLOSING.search(text, opening.end()) if opening else None
    if opening is None or closing is None:
        return Head(Frontmatter())
    block = text[opening.end() : closing.start()]
    head, length = text[: closing.end()], closing.end()
    end = length if head.isascii() else len(head.encode())
    lines = head.count("\n") + (not head.endswith("\n"))
    error: str | None = None
    leaves: tuple[YamlScalar, ...] = ()
    repeated: tuple[str, ...] = ()
    value: PropertyValue = {}
    if end > MAX_BYTES:
        error = (
            f"The frontmatter is larger than {MAX_BYTES // 1024} KB and was not read."
        )
    else:
        if block.lstrip().startswith("{"):
            # JSON may be indented with tabs, YAML may not; one for one, places stay.
            block = block.replace("\t", " ")
        try:
            value, leaves, repeated = load(block)
        except yaml.YAMLError as reason:
            error = _sentence(reason, block)
    value = {} if value is None else value
    if not isinstance(value, dict):
        error = "The frontmatter does not hold properties (line 2)."
    if error is not None or not isinstance(value, dict):
        return Head(Frontmatter(end=end, lines=lines, error=error), length=length)
    warnings = tuple(
        f"The property {key} is given twice; the first value counts."
        for key in repeated
    )
    frontmatter = Frontmatter(value, end, lines, None, warnings)
    return Head(frontmatter, _placed(head, opening.end(), leaves), length)


def _placed(
    text: str, base: int, leaves: tuple[YamlScalar, ...]
) -> tuple[Property, ...]:
    """Return the leaves with byte offsets, counting bytes once from the front."""
    if text.isascii():
        places = [(leaf, base + leaf.start, base + leaf.end) for leaf in leaves]
        return tuple(all_of(Property, places))
    placed: list[Property] = []
    chars = size = 0
    for leaf in leaves:
        first, last = base + leaf.start, base + leaf.end
        if first < chars:
            chars = size = 0
        start = size + len(text[chars:first].encode())
        end = start + len(text[first:last].encode())
        placed.append(Property(leaf, start, end))
        chars, size = last, end
    return tuple(placed)


def _sentence(reason: yaml.YAMLError, block: str) -> str:
    if isinstance(reason, yaml.MarkedYAMLError) and reason.problem_mark is not None:
        line = reason.problem_mark.line + 2
        problem = " ".join((reason.problem or reason.context or "").split())
        return f"The frontmatter is not valid YAML: {problem} (line {line})."
    position = min(getattr(reason, "position", None) or 0, len(block))
    line = block.count("\n", 0, position) + 2
    problem = str(getattr(reason, "reason", "it cannot be read"))
    return f"The frontmatter is not valid YAML: {problem} (line {line})."
