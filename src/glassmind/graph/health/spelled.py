"""Checks of words: tags, properties and categories that are written in several ways."""

from collections.abc import Iterator, Sequence

from glassmind.graph.health.sight import Sight
from glassmind.graph.ontology.categories import categories_of
from glassmind.graph.ontology.spellings import word_form
from glassmind.model import NotePath
from glassmind.model.health import Finding, finding
from glassmind.model.ontology import Entry, Spelled, SpelledWord


def inconsistent_tags(sight: Sight) -> list[Finding]:
    """Return the tags that are spelled in several ways, the most used first."""
    return _found(sight, "inconsistent_tags", ("tag",))


def inconsistent_properties(sight: Sight) -> list[Finding]:
    """Return the properties and categories that are spelled in several ways."""
    return _found(sight, "inconsistent_properties", ("property", "category"))


def _found(sight: Sight, check: str, kinds: Sequence[Spelled]) -> list[Finding]:
    spellings = [one for one in sight.grounds.spellings() if one.what in kinds]
    return [_finding(sight, check, one) for one in spellings]


def _finding(sight: Sight, check: str, one: SpelledWord) -> Finding:
    """Return a finding that stands in the first note with another spelling."""
    others = [variant.name for variant in one.variants]
    users = (
        entry.path
        for entry in sight.grounds.entries()
        if not set(others).isdisjoint(words_of(entry, one.what))
    )
    shown = ", ".join(f"{use.name} ({use.notes})" for use in one.variants)
    what = f"{one.what} {one.canonical} ({one.notes}) is also {shown}: {one.reason}"
    subject = f"{one.what} {one.form}"
    return finding(check, subject, next(users, NotePath("")), 0, what)


def spelling_now(sight: Sight, subject: str) -> str:
    """Return what a word goes by that was told of in one of its spellings."""
    what, blank, word = subject.partition(" ")
    for one in sight.grounds.spellings():
        known = {one.form, one.canonical, *(use.name for use in one.variants)}
        if one.what == what and word in known:
            return f"{what}{blank}{one.form}"
    return f"{what}{blank}{word_form(what, word)}"


def words_of(entry: Entry, what: str) -> Iterator[str]:
    """Yield the words of a kind that a note uses."""
    match what:
        case "tag":
            yield from entry.tags
        case "property":
            yield from entry.properties
        case "category":
            for _, label in categories_of(entry):
                yield label
