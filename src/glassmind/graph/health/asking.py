"""What the verbs of vault health ask for, from what a study has."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING

from msgspec import structs

from glassmind.errors import BadLimit
from glassmind.files.left_out import left_out_names, left_out_texts
from glassmind.graph.habits import habits_of
from glassmind.graph.health.report import looked_at_again, parted_key, told
from glassmind.graph.health.sight import Grounds, Sight
from glassmind.graph.links.unsettled import left_open
from glassmind.graph.pairs.implicit import alike, undismissed
from glassmind.graph.subjects import names_all
from glassmind.model.health import FindingNow, HealthReport, Unchecked
from glassmind.model.ontology import SpelledWord

if TYPE_CHECKING:
    from glassmind.graph.study import Study
    from glassmind.model import NotePath
    from glassmind.model.pairs import Pair
    from glassmind.model.themes import Theme

EXAMPLES = 3
"""Findings that are shown of each check unless more are asked for."""

MOST_SHOWN = 10_000
"""Findings of a check that one answer shows at most, unless all are asked for."""

MENTIONS = 5
"""Notes asked for that may name another: one more than itself would do."""

NO_VECTORS = "nothing is embedded yet; glassmind index makes vectors where a model is"
NO_PAIRS = "similar notes have not been looked for yet; glassmind index does it"
NO_THEMES = "there are no links that make themes"


def look(study: "Study", today: date | None) -> Sight:
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
        nearest=lambda path: next(iter(alike(study, path, limit=1)), None),
        mentions=lambda phrase: _mentions(study, phrase),
        sketches=lambda notes: study.sketches.of(rows, notes),
        themes=lambda: _themes(study),
        spellings=lambda: _spellings(study),
        entries=lambda: study.vocabulary().counted,
    )
    return Sight(grounds, today or datetime.now().astimezone().date())


def report(
    study: "Study",
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
        notices=(*book.problems, *book.lost, *left_open(study), *_behind(study)),
    )


def _behind(study: "Study") -> Iterator[str]:
    """Yield what is not known yet of similar notes, where some of it is."""
    lag = study.pairs().lag(study.space())
    if lag.state is not None and lag.notice:
        yield lag.notice


def finding_now(study: "Study", key: str, *, today: date | None) -> FindingNow:
    """Return whether a finding still is one.

    Raises:
        BadFindingKey, UnknownCheck: the key is not of a finding.
    """
    now = looked_at_again(look(study, today), key, study.book.now().findings)
    is_told = now.state == "there" or _is_told(study, parted_key(key)[0].name)
    return now if is_told else structs.replace(now, dismissed=False)


def _is_told(study: "Study", check: str) -> bool:
    """Whether who asks may hear what was dismissed, be it no finding of his.

    Not of words, for who sees a part: they may stand in notes that he does not see.
    """
    return study.book.sees_all or names_all(check)


def keys_of(study: "Study", key: str) -> list[str]:
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


def _spellings(study: "Study") -> list[SpelledWord]:
    shown = study.vocabulary().ontology.spellings.shown
    return [word for word in shown if isinstance(word, SpelledWord)]


def _mentions(study: "Study", phrase: str) -> Sequence[int]:
    words = study.words()
    return () if words is None else words.standing(phrase, MENTIONS)[1]


def _themes(study: "Study") -> "Sequence[Theme] | Unchecked":
    return study.themed.now().themes or Unchecked(NO_THEMES)


def _similar(study: "Study", least: float) -> "Sequence[Pair] | Unchecked":
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
