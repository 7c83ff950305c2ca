"""Fixes: the edits that follow suggestions or end findings, as one proposal."""

from collections.abc import Iterable, Iterator, Sequence
from posixpath import commonprefix
from typing import TypeAlias

from glassmind.files.ignore import is_attachment
from glassmind.files.names import NOTE_SUFFIX, LinkWriter, name_key
from glassmind.files.read import digest_of
from glassmind.graph.dismissals import dismissals_for
from glassmind.graph.health import (
    TITLE_WORDS,
    HealthContext,
    chosen,
    lost_names,
    place_of,
    undismissed_findings,
)
from glassmind.graph.link_edits import (
    LinkedPage,
    edit_for,
    page_from,
)
from glassmind.graph.names import folded, in_singular
from glassmind.graph.reciprocal import ONE_EACH
from glassmind.graph.suggestions import (
    MOST,
    Pages,
    answer_suggested,
    answers_about,
    facts_for,
    suggestions_for,
)
from glassmind.model import NotePath
from glassmind.model.graph import StoredLink
from glassmind.model.health import (
    Finding,
    FormerName,
    LinkEdit,
    Repairs,
    TagSpelling,
    UncheckedRepair,
    UnrepairedProblem,
)
from glassmind.model.suggestions import LEADS, ProposedEdit, Suggestion
from glassmind.obsidian.text import fold
from glassmind.search.notes import notes_for
from glassmind.vault import Vault

NO_EDIT = "no link to it can be written there; it has to be done by hand"
CHANGED = "its note changed while it was looked at; ask again"
TAKEN = "another link is put where it would stand"
ONLY_ONE = "its property leads to one note, and is given to another"
NO_NAME = "no text names it in two words or more, nor does it name another note so"
NO_FILE = "no file is called so or has it as an alias"
OUTSIDE = "it is outside of the vault"
NOT_SUGGESTED = "nothing of that key is suggested now"

MOST_NAMED = 3  # files that are named where a lost name may mean several


Request: TypeAlias = tuple[str, Suggestion]
"""A suggestion to be followed, and the key that it is reported under."""


def link_edits(
    vault: Vault, requests: Iterable[Request], left: list[UnrepairedProblem]
) -> list[LinkEdit]:
    """Return one edit for each note, tried on what the others leave."""
    by_note: dict[NotePath, list[Request]] = {}
    for key, suggestion in requests:
        by_note.setdefault(suggestion.source, []).append((key, suggestion))
    pen = facts_for(vault).pen
    edits: list[LinkEdit] = []
    with vault.files() as files:
        pages = Pages(files)
        for path, some in sorted(by_note.items()):
            page = pages.at(path)
            if page is None:
                left += [UnrepairedProblem(key, NO_EDIT) for key, _ in some]
                continue
            edit = _edit_of(page, some, pen, left)
            if edit is not None:
                edits.append(edit)
    return edits


def _edit_of(
    page: LinkedPage,
    requests: Sequence[Request],
    pen: LinkWriter,
    left: list[UnrepairedProblem],
) -> LinkEdit | None:
    now, keys = page, list[str]()
    done: set[str] = set()
    for key, suggestion in _in_order(page, requests, left):
        name = (suggestion.property or "").lower()
        if name in ONE_EACH and name in done:
            left.append(UnrepairedProblem(key, ONLY_ONE))
            continue
        target, mention = suggestion.target, suggestion.mention
        edit = edit_for(now, target, pen, mention=mention, name=suggestion.property)
        after = None
        if edit is not None:
            start, end = edit.bytes
            raw = now.raw[:start] + edit.after.encode() + now.raw[end:]
            after = page_from(page.note.path, raw)
        if after is None:
            left.append(UnrepairedProblem(key, NO_EDIT))
            continue
        now = after
        done.add(name)
        keys.append(key)
    return LinkEdit(tuple(keys), _difference(page, now)) if keys else None


def _in_order(
    page: LinkedPage, requests: Sequence[Request], left: list[UnrepairedProblem]
) -> Iterator[Request]:
    digest = digest_of(page.raw)
    named: list[tuple[int, int, Request]] = []
    added: list[Request] = []
    for key, suggestion in requests:
        edit, mention = suggestion.edit, suggestion.mention
        if edit is None or edit.digest != digest:
            left.append(UnrepairedProblem(key, NO_EDIT if edit is None else CHANGED))
        elif mention is None:
            added.append((key, suggestion))
        elif any(mention.bytes[0] < e and s < mention.bytes[1] for s, e, _ in named):
            left.append(UnrepairedProblem(key, TAKEN))
        else:
            named.append((*mention.bytes, (key, suggestion)))
    named.sort(key=lambda one: -one[0])
    yield from (request for _, _, request in named)
    yield from added


def _difference(page: LinkedPage, after: LinkedPage) -> ProposedEdit:
    was, now = page.note.text, after.note.text
    start = len(commonprefix([was, now]))
    tail = len(commonprefix([was[start:][::-1], now[start:][::-1]]))
    before, text = was[start : len(was) - tail], now[start : len(now) - tail]
    at = page.base + len(was[:start].encode())
    return ProposedEdit(
        path=page.note.path,
        digest=digest_of(page.raw),
        line=was.count("\n", 0, start) + 1,
        bytes=(at, at + len(before.encode())),
        before=before,
        after=text,
    )


def followed(
    vault: Vault,
    name: str | None = None,
    *,
    keys: Sequence[str] | None = None,
    mentions: bool = False,
    limit: int = 20,
) -> Repairs:
    """Return the edits that make suggested links; an empty list of keys is none."""
    note = None if name is None else notes_for(vault).find(name)
    suggestions = suggestions_for(
        vault, note, limit=MOST if keys or mentions else limit
    )
    known = {suggestion.key: suggestion for suggestion in suggestions.suggestions}
    sources = {key.partition(LEADS)[0] for key in keys or () if key not in known}
    for source in sorted(sources):
        around = suggestions_for(vault, NotePath(source), limit=MOST).suggestions
        known |= {suggestion.key: suggestion for suggestion in around}
    wanted = dict.fromkeys(keys or ())
    for suggestion in suggestions.suggestions if mentions or keys is None else ():
        if not mentions or (
            suggestion.mention is not None and not suggestion.mention.namesakes
        ):
            wanted[suggestion.key] = None
    problems = [
        UnrepairedProblem(key, NOT_SUGGESTED) for key in wanted if key not in known
    ]
    requests = [(key, known[key]) for key in wanted if key in known]
    edits = link_edits(vault, requests, problems)
    return Repairs(
        edits=tuple(edits), unmended=tuple(problems), notices=suggestions.notices
    )


def repairs(
    vault: Vault,
    *,
    checks: Sequence[str] | None = None,
) -> Repairs:
    """Return what would fix the findings of `health`; `Editing.repair` does it."""
    context, book = HealthContext(vault), dismissals_for(vault).now()
    requests: list[Request] = []
    tags: list[TagSpelling] = []
    names: list[FormerName] = []
    problems: list[UnrepairedProblem] = []
    for check in chosen(checks):
        every = context.found_by(check.find)
        if isinstance(every, UncheckedRepair):
            continue
        findings = undismissed_findings(check, every, book.findings)
        if not findings:
            continue
        match check.name:
            case "missing_reciprocal":
                requests += _missing_answers(vault, findings, problems)
            case "ghosts":
                names += _lost_names(context, findings, problems)
            case "orphans":
                requests += _mentions(vault, findings, problems)
            case "inconsistent_tags":
                tags += _tag_spellings(context, findings)
            case _:
                many = len(findings)
                are = "1 finding is" if many == 1 else f"{many:,} findings are"
                why = f"{are} for a person to mend: {check.fix}"
                problems.append(UnrepairedProblem(check.name, why))
    linked = {f"orphans:{path}" for name in names for path in (*name.sources, name.now)}
    problems = [problem for problem in problems if problem.key not in linked]
    edits = link_edits(vault, requests, problems)
    return Repairs(
        edits=tuple(edits),
        tags=tuple(tags),
        names=tuple(names),
        unmended=tuple(problems),
        notices=tuple(book.problems),
    )


def _missing_answers(
    vault: Vault, findings: Sequence[Finding], left: list[UnrepairedProblem]
) -> Iterator[Request]:
    facts, book = facts_for(vault), dismissals_for(vault).now()
    wanted = {finding.subject: finding.key for finding in findings}
    with vault.files() as files:
        pages = Pages(files)
        for missing in answers_about(facts, None, book.has_pair):
            suggestion = answer_suggested(missing, facts, pages)
            subject = (
                suggestion
                and f"{suggestion.source} {missing.answer}: {suggestion.target}"
            )
            if suggestion is not None and subject in wanted:
                yield wanted.pop(subject), suggestion
    left += [UnrepairedProblem(key, NO_EDIT) for key in wanted.values()]


def _mentions(
    vault: Vault, findings: Sequence[Finding], left: list[UnrepairedProblem]
) -> Iterator[Request]:
    """Yield one name for each orphan: of several words, and of one note."""
    alone = {finding.path: finding.key for finding in findings}
    for suggestion in suggestions_for(vault, None, limit=MOST).suggestions:
        ends = [
            path for path in (suggestion.source, suggestion.target) if path in alone
        ]
        mention = suggestion.mention
        if not ends or suggestion.edit is None or mention is None or mention.namesakes:
            continue
        if len(mention.text.split()) >= TITLE_WORDS:
            yield alone[ends[0]], suggestion
            for path in ends:
                del alone[path]
    left += [UnrepairedProblem(key, NO_NAME) for key in alone.values()]


def _tag_spellings(
    context: HealthContext, findings: Sequence[Finding]
) -> list[TagSpelling]:
    keys = {finding.subject: finding.key for finding in findings}
    return [
        TagSpelling(keys[f"tag {word.form}"], variant.name, word.canonical)
        for word in context.spellings
        if word.what == "tag" and f"tag {word.form}" in keys
        for variant in word.variants
    ]


def _lost_names(
    context: HealthContext, findings: Sequence[Finding], left: list[UnrepairedProblem]
) -> Iterator[FormerName]:
    lost = lost_names(context)
    for finding in findings:
        meant = _meant(context, finding, lost[finding.subject])
        if isinstance(meant, UnrepairedProblem):
            left.append(meant)
        else:
            yield from meant


def _meant(
    context: HealthContext,
    lost: Finding,
    links: Sequence[StoredLink],
) -> list[FormerName] | UnrepairedProblem:
    """The first way that a file answers to decides, if no second file does."""
    place = place_of(links[0])
    if place.startswith("../"):
        return UnrepairedProblem(lost.key, OUTSIDE)
    for files, why, is_shown in _ways(context, lost.subject, place):
        if len(files) > 1:
            some = ", ".join(files[:MOST_NAMED])
            more = " or others" if len(files) > MOST_NAMED else ""
            return UnrepairedProblem(lost.key, f"it may mean any of {some}{more}")
        if files:
            sources: dict[str, dict[NotePath, None]] = {}
            for link in links:
                sources.setdefault(fold(place_of(link)), {})[link.path] = None
            return [
                FormerName(lost.key, _path(was), files[0], tuple(notes), why, is_shown)
                for was, notes in sources.items()
            ]
    return UnrepairedProblem(lost.key, NO_FILE)


def _ways(
    context: HealthContext,
    subject: str,
    place: str,
) -> Iterator[tuple[Sequence[NotePath], str, bool]]:
    name = place.rpartition("/")[2].removesuffix(NOTE_SUFFIX)
    if "/" in subject:
        there = [
            file.path
            for file in context.rows.files(name_key=name_key(name))
            if fold(file.path.rpartition("/")[2]).removesuffix(NOTE_SUFFIX)
            == fold(name)
        ]
        yield there, "it is called so, in another folder", False
    if not is_attachment(name):
        known = context.known_names
        yield known.get(fold(name), ()), "it has that as an alias", True
        form = in_singular(folded(name))
        said = "it is called so but for marks, case or number"
        yield known.get(form, ()) if form else (), said, True


def _path(place: str) -> NotePath:
    is_whole = is_attachment(place) or place.endswith(NOTE_SUFFIX)
    return NotePath(place if is_whole else f"{place}{NOTE_SUFFIX}")
