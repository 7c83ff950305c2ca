"""Every check: how grave its findings are, what it looks for, how to mend them."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from glassmind.errors.knowledge import UnknownCheck
from glassmind.graph.health import copies, files, grouped, linked, placed, spelled
from glassmind.graph.health.sight import Check, Sight
from glassmind.model.health import Finding, Helping, Severity


def _unchanged(_: Sight, subject: str) -> str:
    return subject


def _nothing(_: Sight, __: str) -> None:
    return None


class CheckEntry(NamedTuple):
    """One check; `of_notes` where each finding is one of a single note.

    `verb` names the verb of knowledge that helps to mend a finding, if one does. `now`
    returns what the subject of a finding goes by now, where it can have got another
    name. `alone` looks at a finding that may be there though another stands for it.
    """

    name: str
    severity: Severity
    title: str
    find: Check
    fix: str
    of_notes: bool = True
    verb: Helping | None = None
    now: Callable[[Sight, str], str] = _unchanged
    alone: Callable[[Sight, str], Finding | None] = _nothing


CHECKS: Sequence[CheckEntry] = (
    CheckEntry(
        "invalid_yaml", "high", "properties that cannot be read",
        files.invalid_yaml,
        "Open the note at that line and mend the YAML; quote values with a colon.",
    ),
    CheckEntry(
        "conflict_copies", "high", "conflict copies of a sync tool",
        copies.conflict_copies,
        "Compare the copy with its note, take over what is missing, delete the copy.",
    ),
    CheckEntry(
        "missing_reciprocal", "high", "property links that are not answered",
        linked.missing_reciprocal,
        "Add the link back to the property.",
        verb="suggest",
    ),
    CheckEntry(
        "broken_links", "medium", "links to a heading or block that is not there",
        linked.broken_links,
        "Correct the part behind the #, or link to the note alone.",
    ),
    CheckEntry(
        "ghosts", "medium", "names that links lead to and no file has",
        linked.ghosts,
        "Write the note, or bring the file back, or correct the link.",
        of_notes=False,
        verb="resolve",
        now=linked.ghost_now,
    ),
    CheckEntry(
        "orphans", "medium", "notes without any link",
        placed.orphans,
        "Link it with its like.",
        verb="suggest",
    ),
    CheckEntry(
        "near_duplicates", "medium", "notes that say the same as another",
        copies.near_duplicates,
        "Merge the two and let one link to the other.",
        alone=copies.duplicate,
    ),
    CheckEntry(
        "weakly_tied", "medium", "similar notes that nothing ties together",
        placed.weakly_tied,
        "Link the two, or say that they do not belong together.",
        verb="dismiss",
        alone=placed.tied_weakly,
    ),
    CheckEntry(
        "category_mismatch", "medium", "categories that disagree with the theme",
        grouped.category_mismatch,
        "Change the category, or link the note with those of its own category.",
    ),
    CheckEntry(
        "inconsistent_tags", "low", "tags in several spellings",
        spelled.inconsistent_tags,
        "Choose one spelling and rename the others in Obsidian's tag pane.",
        of_notes=False,
        now=spelled.spelling_now,
    ),
    CheckEntry(
        "inconsistent_properties", "low", "properties in several spellings",
        spelled.inconsistent_properties,
        "Choose one spelling and rename the others in Obsidian's properties view.",
        of_notes=False,
        now=spelled.spelling_now,
    ),
    CheckEntry(
        "god_nodes", "low", "notes that too much leads to",
        placed.god_nodes,
        "Split it by subject, so that a link to it says something again.",
    ),
    CheckEntry(
        "stale_themes", "low", "themes that nobody tends any more",
        grouped.stale_themes,
        "Look through its notes and renew or archive them.",
        of_notes=False,
        verb="themes",
        now=grouped.theme_now,
    ),
    CheckEntry(
        "one_source", "low", "themes that rest on one source",
        grouped.one_source,
        "Look for a second opinion, and note where it is from.",
        of_notes=False,
        now=grouped.theme_now,
    ),
    CheckEntry(
        "oversized", "low", "notes too long to be read at once",
        files.oversized,
        "Split it at its headings and link the parts.",
    ),
    CheckEntry(
        "unlinked_attachments", "low", "attachments that no note shows",
        files.unlinked_attachments,
        "Show it in a note, or move it out of the vault.",
        of_notes=False,
    ),
)  # fmt: skip
"""By severity, and there by how much is lost while nothing is done."""

OTHER_NAMES: Mapping[str, str] = {
    "missing_backlinks": "missing_reciprocal",
    "weak_clusters": "weakly_tied",
    "cluster_freshness": "stale_themes",
    "source_concentration": "one_source",
}
"""What the plugin that compat KL-12 tells of calls some of them."""


def chosen(names: Sequence[str] | None) -> list[CheckEntry]:
    """Return the checks of these names in the order of the table; all without any.

    Raises:
        UnknownCheck: there is no check of a name.
    """
    if names is None:
        return list(CHECKS)
    wanted = {entry_of(name).name for name in names}
    return [entry for entry in CHECKS if entry.name in wanted]


def entry_of(name: str) -> CheckEntry:
    """Return one check; blanks and hyphens in its name are as good as `_`.

    Raises:
        UnknownCheck: there is none of that name.
    """
    plain = name.strip().lower().replace("-", "_").replace(" ", "_")
    plain = OTHER_NAMES.get(plain, plain)
    for entry in CHECKS:
        if entry.name == plain:
            return entry
    raise UnknownCheck(name, tuple(entry.name for entry in CHECKS))
