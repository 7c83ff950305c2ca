"""What would mend the findings of vault health, as far as no person has to decide."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from glassmind.graph.health.asking import look
from glassmind.graph.health.former import former_names
from glassmind.graph.health.linked import wanted_names
from glassmind.graph.health.placed import LEAST_WORDS
from glassmind.graph.health.report import settled
from glassmind.graph.health.sight import Sight
from glassmind.graph.health.table import CheckEntry, chosen
from glassmind.graph.links.former import nameable
from glassmind.graph.suggest.answers import answer_suggested, answers_about
from glassmind.graph.suggest.asking import MOST, KeptRankings, suggest
from glassmind.graph.suggest.joined import NO_EDIT, Wish, joined
from glassmind.graph.suggest.outlook import Pages
from glassmind.model import NotePath
from glassmind.model.health import Finding, Unchecked
from glassmind.model.repairs import FormerName, Repairs, TagSpelling, Unmended
from glassmind.model.suggestions import Mention, Suggestion

if TYPE_CHECKING:
    from glassmind.graph.study import Study

NO_NAME = "no text names it in two words or more, nor does it name another note so"


class _Ground(NamedTuple):
    """What a mender looks at."""

    study: "Study"
    kept: KeptRankings
    sight: Sight


class _Mended(NamedTuple):
    """What a mender makes of the findings of a check."""

    wishes: Sequence[Wish] = ()
    tags: Sequence[TagSpelling] = ()
    names: Sequence[FormerName] = ()
    left: Sequence[Unmended] = ()


def repairs(
    study: "Study",
    kept: KeptRankings,
    *,
    checks: Sequence[str] | None,
    today: date | None,
) -> Repairs:
    """Return what would mend the findings of checks, and what nothing does.

    What was dismissed is left alone.

    Raises:
        UnknownCheck: there is no check of one of these names.
    """
    ground = _Ground(study, kept, look(study, today))
    done = [_of_check(ground, entry) for entry in chosen(checks)]
    edits, undone = joined(study, [wish for one in done for wish in one.wishes])
    names = tuple(name for one in done for name in one.names)
    tied = {f"orphans:{path}" for one in names for path in (*one.sources, one.now)}
    left = [one for mended in done for one in mended.left if one.key not in tied]
    return Repairs(
        edits=tuple(edits),
        tags=tuple(tag for one in done for tag in one.tags),
        names=names,
        unmended=(*left, *undone),
        notices=tuple(study.book.now().problems),
    )


def _of_check(ground: _Ground, entry: CheckEntry) -> _Mended:
    sight = ground.sight
    found = sight.made_by(entry.find)
    if isinstance(found, Unchecked):  # nor is there a check of these that we mend
        return _Mended()
    gone = settled(sight, entry, ground.study.book.now().findings)
    findings = [one for one in found if one.subject not in gone]
    mend = _MENDERS.get(entry.name)
    if not findings or mend is not None:
        return mend(ground, findings) if findings and mend is not None else _Mended()
    are = "1 finding is" if len(findings) == 1 else f"{len(findings):,} findings are"
    said = f"{are} for a person to mend: {entry.fix}"
    return _Mended(left=[Unmended(entry.name, said)])


def _answers(ground: _Ground, findings: Sequence[Finding]) -> _Mended:
    """Return the suggestions that answer the links of properties."""
    facts, book = ground.study.facts(), ground.study.book.now()
    known: dict[str, Suggestion] = {}
    with ground.study.files() as files:
        pages = Pages(files)
        wanted = {one.subject for one in findings}
        for missing in answers_about(facts, None, book.has_pair):
            ends = facts.net.node_of(missing.target), facts.net.node_of(missing.source)
            paths = [facts.net.paths[end] for end in ends if end is not None]
            subject = f" {missing.answer}: ".join(paths)
            if subject in wanted:
                made = answer_suggested(missing, facts, pages, facts.pen)
                if made is not None:
                    known[subject] = made
    return _wished(findings, known, NO_EDIT)


def _wished(
    findings: Sequence[Finding], known: Mapping[str, Suggestion], why: str
) -> _Mended:
    wishes = [Wish(one.key, known[one.subject]) for one in findings
              if one.subject in known]  # fmt: skip
    left = [Unmended(one.key, why) for one in findings if one.subject not in known]
    return _Mended(wishes, left=left)


def _ties(ground: _Ground, findings: Sequence[Finding]) -> _Mended:
    """Return for orphans the names in texts that should be links, one for each."""
    alone = {one.path for one in findings}
    known: dict[str, Suggestion] = {}
    tied: set[NotePath] = set()
    for one in suggest(ground.study, ground.kept, None, limit=MOST).suggestions:
        ends = {one.source, one.target} & alone
        if one.kind != "mention" or not ends - tied or one.edit is None:
            continue
        if one.mention is None or not _is_sure(one.mention):
            continue
        tied |= ends
        for path in ends:
            known.setdefault(path, one)
    found = _wished(findings, known, NO_NAME)
    once: dict[int, Wish] = {}
    for wish in found.wishes:  # two orphans, of which one names the other
        once.setdefault(id(wish.suggestion), wish)
    return found._replace(wishes=list(once.values()))


def _is_sure(mention: Mention) -> bool:
    """Whether a name says which note is meant: of several words, and of one note."""
    return len(mention.text.split()) >= LEAST_WORDS and not mention.namesakes


def _spellings(ground: _Ground, findings: Sequence[Finding]) -> _Mended:
    """Return for tags how most notes spell them."""
    keys = {one.subject: one.key for one in findings}
    tags = [
        TagSpelling(keys[f"tag {one.form}"], variant.name, one.canonical)
        for one in ground.sight.grounds.spellings()
        if one.what == "tag" and f"tag {one.form}" in keys
        for variant in one.variants
    ]
    return _Mended(tags=tags)


def _names(ground: _Ground, findings: Sequence[Finding]) -> _Mended:
    """Return for names that no file has which file they mean."""
    every = wanted_names(ground.sight)
    wanted = {one.subject: every[one.subject] for one in findings}
    root = ground.study.config.vault.path
    may_tell = partial(nameable, ground.study)
    names, left = former_names(ground.sight, root, wanted, may_tell)
    return _Mended(names=names, left=left)


_MENDERS: Mapping[str, Callable[[_Ground, Sequence[Finding]], _Mended]] = {
    "missing_reciprocal": _answers,
    "ghosts": _names,
    "orphans": _ties,
    "inconsistent_tags": _spellings,
}
"""By the name of the check; the findings of others need a person."""
