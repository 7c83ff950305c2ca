"""What is to be mended in a vault, what to do about it, and how well it is in all."""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from glassmind.errors import BadLimit, VaultError
from glassmind.errors.knowledge import BadFindingKey, UnknownCheck
from glassmind.files.names import NOTE_SUFFIX, name_key
from glassmind.files.read import Unreadable, decode
from glassmind.files.scan import left_out_names, left_out_texts
from glassmind.graph import health_checks
from glassmind.graph.context import GraphContext
from glassmind.graph.dismissals import SHAPES, names_all, paths_in
from glassmind.graph.health_checks import Check, Grounds, Sight, words_of
from glassmind.graph.ontology import word_form
from glassmind.graph.similar import similar_to, undismissed
from glassmind.graph.words import habits_of
from glassmind.model import NotePath
from glassmind.model.health import (
    SEVERITIES,
    CheckReport,
    Finding,
    FindingNow,
    HealthReport,
    Helping,
    ScorePart,
    SecretPlace,
    Severity,
    Unchecked,
)
from glassmind.model.ontology import SpelledWord
from glassmind.obsidian.notes import read_note
from glassmind.obsidian.secrets import secret_locations
from glassmind.obsidian.text import fold

if TYPE_CHECKING:
    from glassmind.graph.context import GraphContext
    from glassmind.model import NotePath
    from glassmind.model.pairs import Pair
    from glassmind.model.themes import Theme


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
        health_checks.invalid_yaml,
        "Open the note at that line and mend the YAML; quote values with a colon.",
    ),
    CheckEntry(
        "conflict_copies", "high", "conflict copies of a sync tool",
        health_checks.conflict_copies,
        "Compare the copy with its note, take over what is missing, delete the copy.",
    ),
    CheckEntry(
        "missing_reciprocal", "high", "property links that are not answered",
        health_checks.missing_reciprocal,
        "Add the link back to the property.",
        verb="suggest",
    ),
    CheckEntry(
        "broken_links", "medium", "links to a heading or block that is not there",
        health_checks.broken_links,
        "Correct the part behind the #, or link to the note alone.",
    ),
    CheckEntry(
        "ghosts", "medium", "names that links lead to and no file has",
        health_checks.ghosts,
        "Write the note, or bring the file back, or correct the link.",
        of_notes=False,
        verb="resolve",
        now=health_checks.ghost_now,
    ),
    CheckEntry(
        "orphans", "medium", "notes without any link",
        health_checks.orphans,
        "Link it with its like.",
        verb="suggest",
    ),
    CheckEntry(
        "near_duplicates", "medium", "notes that say the same as another",
        health_checks.near_duplicates,
        "Merge the two and let one link to the other.",
        alone=health_checks.duplicate,
    ),
    CheckEntry(
        "weakly_tied", "medium", "similar notes that nothing ties together",
        health_checks.weakly_tied,
        "Link the two, or say that they do not belong together.",
        verb="dismiss",
        alone=health_checks.tied_weakly,
    ),
    CheckEntry(
        "category_mismatch", "medium", "categories that disagree with the theme",
        health_checks.category_mismatch,
        "Change the category, or link the note with those of its own category.",
    ),
    CheckEntry(
        "inconsistent_tags", "low", "tags in several spellings",
        health_checks.inconsistent_tags,
        "Choose one spelling and rename the others in Obsidian's tag pane.",
        of_notes=False,
        now=health_checks.spelling_now,
    ),
    CheckEntry(
        "inconsistent_properties", "low", "properties in several spellings",
        health_checks.inconsistent_properties,
        "Choose one spelling and rename the others in Obsidian's properties view.",
        of_notes=False,
        now=health_checks.spelling_now,
    ),
    CheckEntry(
        "god_nodes", "low", "notes that too much leads to",
        health_checks.god_nodes,
        "Split it by subject, so that a link to it says something again.",
    ),
    CheckEntry(
        "stale_themes", "low", "themes that nobody tends any more",
        health_checks.stale_themes,
        "Look through its notes and renew or archive them.",
        of_notes=False,
        verb="themes",
        now=health_checks.theme_now,
    ),
    CheckEntry(
        "one_source", "low", "themes that rest on one source",
        health_checks.one_source,
        "Look for a second opinion, and note where it is from.",
        of_notes=False,
        now=health_checks.theme_now,
    ),
    CheckEntry(
        "oversized", "low", "notes too long to be read at once",
        health_checks.oversized,
        "Split it at its headings and link the parts.",
    ),
    CheckEntry(
        "unlinked_attachments", "low", "attachments that no note shows",
        health_checks.unlinked_attachments,
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


WEIGHTS: Mapping[Severity, float] = {"high": 4.0, "medium": 2.0, "low": 0.8}
"""What a finding in every note weighs. A judgement: something lost or about to be lost
counts as much as five things that are merely untidy, and a vault of orphans, in which
all else is well, has a third of the points."""


class Counted(NamedTuple):
    """What one check found: so many things, and the notes they were found in.

    `notes` are None for a check that is not about single notes.
    """

    check: str
    severity: Severity
    found: int
    notes: frozenset[str] | None = None


def sound_notes(notes: int, counted: Iterable[Counted]) -> int:
    """Return how many notes nothing was found in."""
    marked: set[str] = set()
    for one in counted:
        marked |= one.notes or frozenset()
    return max(0, notes - len(marked))


def scored(counted: Iterable[Counted], notes: int) -> tuple[int, tuple[ScorePart, ...]]:
    """Return the score, rounded down, and the part of each check in the order given.

    A hundred means that nothing was found.
    """
    checks = list(counted)
    many = max(1, notes)
    weights = [_weight(one, one.found, many) for one in checks]
    whole = 1 + math.fsum(weights)
    parts = tuple(
        ScorePart(
            one.check,
            round(_alone(_weight(one, many, many)), 2),
            round(100 * weight / whole, 2),
        )
        for one, weight in zip(checks, weights, strict=True)
    )
    return math.floor(100 / whole), parts


def _weight(one: Counted, found: int, notes: int) -> float:
    share = found / (found + notes) if one.notes is None else found / notes
    return WEIGHTS[one.severity] * share


def _alone(weight: float) -> float:
    """Return the points that a weight costs where nothing else was found."""
    return 100 * weight / (1 + weight)


def is_known(sight: Sight, check: str, subject: str) -> bool:
    """Whether a check could find such a thing: files, a name or a word of the vault."""
    if check in SHAPES:
        paths = paths_in(check, subject)
        return bool(paths) and all(_is_there(sight, path) for path in paths)
    if check == "ghosts":
        return _is_name(sight, subject)
    what, _, word = subject.partition(" ")
    form = word_form(what, word)
    return any(
        word_form(what, said) == form
        for entry in sight.grounds.entries()
        for said in words_of(entry, what)
    )


def _is_there(sight: Sight, path: NotePath) -> bool:
    """Whether a file has that path, be it left out of the index."""
    if path in sight.by_path or path in sight.rows.files_called(name_key(path)):
        return True
    return any(path == left_out for left_out, _ in sight.rows.skipped())


def _is_name(sight: Sight, name: str) -> bool:
    """Whether a link to that name would find a file."""
    wanted = f"/{fold(name).removesuffix(NOTE_SUFFIX)}"
    return any(
        f"/{fold(path)}".removesuffix(NOTE_SUFFIX).endswith(wanted)
        for path in sight.rows.files_called(name_key(name))
    )


NO_NOTES = "there are no notes, so the score says nothing"


def told(
    sight: Sight,
    *,
    checks: Sequence[str] | None,
    limit: int | None,
    dismissed: Collection[tuple[str, str]],
    notices: Sequence[str] = (),
) -> HealthReport:
    """Return what the checks of these names find, all of them where none is named.

    Of each the first `limit` findings are shown. `dismissed` are checks and subjects.

    Raises:
        UnknownCheck: there is no check of a name.
    """
    reports: list[CheckReport] = []
    counted: list[Counted] = []
    for entry in chosen(checks):
        found = sight.made_by(entry.find)
        if isinstance(found, Unchecked):
            reports.append(_report(entry, (), 0, limit, unchecked=found.reason))
            continue
        gone = settled(sight, entry, dismissed)
        open_ones = [one for one in found if one.subject not in gone]
        reports.append(_report(entry, open_ones, len(found) - len(open_ones), limit))
        counted.append(_counted(entry, open_ones, sight))
    score, parts = scored(counted, len(sight.notes))
    reports.sort(key=lambda one: (SEVERITIES.index(one.severity), -one.count))
    return HealthReport(
        score=score,
        parts=parts,
        checks=tuple(reports),
        notes=len(sight.notes),
        sound=sound_notes(len(sight.notes), counted),
        findings=sum(report.count for report in reports),
        dismissed=sum(report.dismissed for report in reports),
        notices=(*(() if sight.notes else (NO_NOTES,)), *notices),
        partial=checks is not None,
    )


def _report(
    entry: CheckEntry,
    found: Sequence[Finding],
    dismissed: int,
    limit: int | None,
    *,
    unchecked: str | None = None,
) -> CheckReport:
    return CheckReport(
        name=entry.name,
        title=entry.title,
        severity=entry.severity,
        count=len(found),
        dismissed=dismissed,
        examples=tuple(found[:limit]),
        fix=entry.fix,
        unchecked=unchecked,
        verb=entry.verb,
    )


def _counted(entry: CheckEntry, found: Sequence[Finding], sight: Sight) -> Counted:
    notes = None
    if entry.of_notes:
        notes = frozenset(one.path for one in found) & sight.by_path.keys()
    return Counted(entry.name, entry.severity, len(found), notes)


def settled(
    sight: Sight, entry: CheckEntry, dismissed: Collection[tuple[str, str]]
) -> set[str]:
    """Return the subjects of a check that were dismissed, as they are called now."""
    return {entry.now(sight, told) for check, told in dismissed if check == entry.name}


def parted_key(key: str) -> tuple[CheckEntry, str]:
    """Return the check and the subject that the name of a finding says.

    Raises:
        BadFindingKey: it is no name of a finding.
        UnknownCheck: there is no such check.
    """
    check, _, subject = (part.strip() for part in key.partition(":"))
    if not check or not subject:
        raise BadFindingKey(key)
    return entry_of(check), subject


def key_of(check: str, subject: str) -> str:
    """Return the name of a finding, its check called as the table does.

    Raises:
        BadFindingKey, UnknownCheck: as `parted_key`.
    """
    entry, plain = parted_key(f"{check}:{subject}" if subject.strip() else check)
    return f"{entry.name}:{plain}"


def looked_at_again(
    sight: Sight, key: str, dismissed: Collection[tuple[str, str]]
) -> FindingNow:
    """Return whether a finding still is one, by the very check that finds it.

    What the vault holds nothing of is `gone` rather than `mended`: it may never have
    been there.

    Raises:
        BadFindingKey, UnknownCheck: as `parted_key`.
    """
    entry, subject = parted_key(key)
    found = sight.made_by(entry.find)
    subject = entry.now(sight, subject)
    told = subject in settled(sight, entry, dismissed)
    name = f"{entry.name}:{subject}"
    if isinstance(found, Unchecked):
        return FindingNow(name, "unchecked", told, reason=found.reason)
    for one in found:
        if one.subject == subject:
            return FindingNow(name, "there", told, one)
    alone = entry.alone(sight, subject)
    if alone is not None:
        return FindingNow(name, "there", told, alone)
    known = is_known(sight, entry.name, subject)
    return FindingNow(name, "mended" if known else "gone", told)


def secret_places(study: GraphContext) -> list[SecretPlace]:
    """Return every credential in the notes, by path and line, as they are on disk now.

    Whoever is not shown them is not told of them either.
    """
    found: list[SecretPlace] = []
    with study.files() as files:
        if files.hides_secrets:
            return found
        for path in study.troubles().secret_notes():
            try:
                decoded = decode(files.read(path))
            except VaultError:
                continue  # gone, or not to be read: there is no line to name
            if not isinstance(decoded, Unreadable):
                text = read_note(path, decoded.text).text
                found += [SecretPlace(path, *one) for one in secret_locations(text)]
    return found


EXAMPLES = 3
"""Findings that are shown of each check unless more are asked for."""

MOST_SHOWN = 10_000
"""Findings of a check that one answer shows at most, unless all are asked for."""

MENTIONS = 5
"""Notes asked for that may name another: one more than itself would do."""

NO_VECTORS = "nothing is embedded yet; glassmind index makes vectors where a model is"
NO_PAIRS = "similar notes have not been looked for yet; glassmind index does it"
NO_THEMES = "there are no links that make themes"


def look(study: "GraphContext", today: date | None) -> Sight:
    """Return one look at the vault of a study."""
    root, rows = study.config.vault.path, study.troubles()

    def skipped() -> "list[NotePath]":
        return [path for path, _ in rows.skipped()]

    grounds = Grounds(
        rows=rows,
        net=study.net,
        habits=lambda: habits_of(root),
        left_out=lambda: left_out_names(root, skipped(), study.files),
        unseen=lambda: left_out_texts(root, skipped(), study.files),
        agent=study.config.writes.agent_dir,
        similar=lambda least: _similar(study, least),
        nearest=lambda path: next(iter(similar_to(study, path, limit=1)), None),
        mentions=lambda phrase: _mentions(study, phrase),
        sketches=lambda notes: study.sketches.of(rows, notes),
        themes=lambda: _themes(study),
        spellings=lambda: _spellings(study),
        entries=lambda: study.vocabulary().counted,
    )
    return Sight(grounds, today or datetime.now().astimezone().date())


def report(
    study: "GraphContext",
    *,
    checks: Sequence[str] | None,
    limit: int | None,
    today: date | None,
) -> HealthReport:
    """Return the state of a vault.

    Raises:
        UnknownCheck: there is no check of one of these names.
        BadLimit: so many findings cannot be shown.
    """
    if limit is not None and not 0 <= limit <= MOST_SHOWN:
        raise BadLimit(limit, MOST_SHOWN)
    book = study.book.now()
    return told(
        look(study, today),
        checks=checks,
        limit=limit,
        dismissed=book.findings,
        notices=(*book.problems, *book.lost, *_behind(study)),
    )


def _behind(study: "GraphContext") -> Iterator[str]:
    """Yield what is not known yet of similar notes, where some of it is."""
    lag = study.pairs().lag(study.space())
    if lag.state is not None and lag.notice:
        yield lag.notice


def finding_now(study: "GraphContext", key: str, *, today: date | None) -> FindingNow:
    """Return whether a finding still is one.

    Raises:
        BadFindingKey, UnknownCheck: the key is not of a finding.
    """
    now = looked_at_again(look(study, today), key, study.book.now().findings)
    is_told = now.state == "there" or _is_told(study, parted_key(key)[0].name)
    return now if is_told else structs.replace(now, dismissed=False)


def _is_told(study: "GraphContext", check: str) -> bool:
    """Whether who asks may hear what was dismissed, be it no finding of his.

    Not of words, for who sees a part: they may stand in notes that he does not see.
    """
    return study.book.sees_all or names_all(check)


def keys_of(study: "GraphContext", key: str) -> list[str]:
    """Return the key of a finding and those by which it was dismissed, if by others.

    None where who asks may not hear of that.

    Raises:
        BadFindingKey, UnknownCheck: the key is not of a finding.
    """
    sight, (entry, subject) = look(study, None), parted_key(key)
    is_told = _is_told(study, entry.name)
    if not is_told and looked_at_again(sight, key, ()).state != "there":
        return []
    now = entry.now(sight, subject)
    others = sorted(
        told
        for check, told in study.book.now().findings
        if check == entry.name and entry.now(sight, told) == now
    )
    return [f"{entry.name}:{told}" for told in dict.fromkeys([subject, *others])]


def _spellings(study: "GraphContext") -> list[SpelledWord]:
    shown = study.vocabulary().ontology.spellings.shown
    return [word for word in shown if isinstance(word, SpelledWord)]


def _mentions(study: "GraphContext", phrase: str) -> Sequence[int]:
    words = study.words()
    return () if words is None else words.standing(phrase, MENTIONS)[1]


def _themes(study: "GraphContext") -> "Sequence[Theme] | Unchecked":
    return study.themed.now().themes or Unchecked(NO_THEMES)


def _similar(study: "GraphContext", least: float) -> "Sequence[Pair] | Unchecked":
    space = study.space()
    if not space:
        return Unchecked(NO_VECTORS)
    rows = study.pairs()
    state = rows.lag(space).state
    if state is None:
        return Unchecked(NO_PAIRS)
    # As far above the vault's own threshold as `least` is above the usual one.
    reach = (1 - least) / (1 - state.level) if state.level < 1 else 1.0
    found = rows.pairs(least=1 - (1 - state.threshold) * min(1.0, reach))
    return undismissed(found, study.book.now())
