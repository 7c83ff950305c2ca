"""Whether a text names something the vault has, and what to do about it."""

from collections.abc import Callable, Container, Iterator, Sequence
from typing import TYPE_CHECKING

from glassmind.errors import BadLimit, NothingAsked
from glassmind.files.left_out import is_left_out
from glassmind.files.names import plain_name
from glassmind.graph.naming.matching import LIKELY, SURE, matches_of, merged
from glassmind.graph.naming.names import KnownNames
from glassmind.model.ontology import NameMatch, Resolution, Verdict

if TYPE_CHECKING:
    from glassmind.model.search import Hit

MOST = 100
"""Candidates that can be asked for; nobody reads more."""

NAME_LIMIT_CHARS = 200
"""Longer texts are no names: the rest is not looked at."""

CLEAR_LEAD = 0.08
"""A better fit by less is no reason to take one thing and not another."""

MEANING = 0.5
"""What a similarity of one is worth: by meaning alone nothing is taken for another."""

NO_MEANING = "no note was compared by meaning; glassmind status says what is missing"

LEAST_SIMILARITY = 0.3
"""Below it a note is not shown: under the default model, notes of the sample vault that
have nothing to do with a name come up to 0.28."""

LEFT_OUT = "but it is left out of the index"

_AROUND = "\"'`\u201c\u201d\u2018\u2019\u00ab\u00bb\u300c\u300d\u300e\u300f"


def resolve(
    text: str,
    names: KnownNames,
    *,
    limit: int,
    found: "Callable[[str, int], Sequence[Hit]] | None" = None,
    left_out: Callable[[], Container[str]] = frozenset,
) -> Resolution:
    """Return what a text may mean, the likeliest first, and what to do about it.

    `found` searches by meaning, and is asked only where no name is sure. `left_out`
    returns what files are called that are not in the index, and is asked only of what
    seems to be new.

    Raises:
        NothingAsked: the text holds no name.
        BadLimit: so many candidates cannot be given.
    """
    if not 1 <= limit <= MOST:
        raise BadLimit(limit, MOST)
    name = plain_text(text)
    if not name.strip("#@ "):
        raise NothingAsked
    matches = matches_of(name, names)
    notices: tuple[str, ...] = ()
    if found is not None and not (matches and matches[0].score >= SURE):
        hits = found(name, limit)
        if hits and all(hit.similarity is None for hit in hits):
            notices = (NO_MEANING,)
        matches = merged([*matches, *_by_meaning(hits, names)])
    verdict, link = verdict_on(matches)
    advice = _advice(verdict, matches)
    if verdict == "new" and is_left_out(name, left_out()):
        verdict, link = "exists", names.link_to_new(name)
        matches = [match for match in matches if match.path is None]
        advice = f"Write {link}: a file of that name is there, {LEFT_OUT}."
    return Resolution(
        name, verdict, advice, link or None, tuple(matches[:limit]), notices
    )


def plain_text(text: str) -> str:
    """Return the name that a text holds: without brackets, quotes and a leading @."""
    name = plain_name(text[: 4 * NAME_LIMIT_CHARS])[:NAME_LIMIT_CHARS]
    return name.strip().strip(_AROUND).strip().removeprefix("@")


def _by_meaning(hits: "Sequence[Hit]", names: KnownNames) -> Iterator[NameMatch]:
    for hit in hits:
        if hit.similarity is not None and hit.similarity >= LEAST_SIMILARITY:
            score = min(hit.similarity, 1.0) * MEANING
            link, reason = names.link_to(hit.path), "similar by meaning"
            yield NameMatch("note", hit.path, hit.title, link, score, reason, hit.title)


def verdict_on(matches: Sequence[NameMatch]) -> tuple[Verdict, str]:
    """Return whether the thing is there, and the link to it where one is clear."""
    if not matches or matches[0].score < LIKELY:
        return "new", ""
    top = matches[0]
    if top.kind == "ghost" and top.score >= SURE:
        return "new", top.link
    if top.score >= SURE:
        level = [match for match in matches[1:] if match.score == top.score]
        return ("ambiguous", "") if level else ("exists", top.link)
    near = [
        m for m in matches[1:] if m.score >= LIKELY and top.score - m.score < CLEAR_LEAD
    ]
    return ("ambiguous", "") if near else ("likely", top.link)


def _advice(verdict: Verdict, matches: Sequence[NameMatch]) -> str:
    """Return what to do, as one sentence."""
    if not matches or verdict == "new":
        return _advice_on_new(matches)
    top = matches[0]
    if verdict == "ambiguous":
        level = [m for m in matches if top.score - m.score < CLEAR_LEAD]
        shown = ", ".join(match.link or match.path or "" for match in level[:3])
        return f"{len(level)} things may be meant, choose one: {shown}."
    if not top.link:
        return f"It is {top.path} ({top.reason}), but no link can hold that name."
    if verdict == "exists":
        return f"Write {top.link}: {top.reason}."
    where = f", which {_links(top.links)} to though no note is there" * (
        top.kind == "ghost"
    )
    return (
        f"Most likely {top.link}{where} ({top.reason}): write that unless "
        "something else is meant."
    )


def _advice_on_new(matches: Sequence[NameMatch]) -> str:
    top = matches[0] if matches else None
    if top is not None and top.kind == "ghost" and top.score >= SURE:
        return (
            f"No note yet, but {_links(top.links)} to {top.link}: a new note of that "
            "very name answers them."
        )
    if top is not None and top.kind in {"tag", "heading"}:
        return (
            f"No note is called so ({top.reason}: {top.link}); a new one may be made."
        )
    return "Nothing in the vault is called so; a new note may be made."


def _links(count: int) -> str:
    return "1 link leads" if count == 1 else f"{count} links lead"
