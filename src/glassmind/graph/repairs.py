"""Suggestions for one note as one edit: each is tried on what the others leave.

Two that add to one list would undo each other if both were made for the note as it is.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from glassmind.errors.knowledge import NoHistory
from glassmind.files.git import every_change, repository_of
from glassmind.files.ignore import is_attachment
from glassmind.files.names import NOTE_SUFFIX, LinkWriter, name_key
from glassmind.files.read import digest_of
from glassmind.graph.health import CheckEntry, chosen, look, settled
from glassmind.graph.health_checks import LEAST_WORDS, Sight, place_of, wanted_names
from glassmind.graph.link_edits import (
    Page,
    edit_for_mention,
    edit_for_property,
    edit_for_relation,
    page_from,
)
from glassmind.graph.reciprocal import ONE_EACH
from glassmind.graph.suggestions import (
    MOST,
    Pages,
    SuggestionCache,
    answer_suggested,
    answers_about,
    suggest,
)
from glassmind.graph.timeline import nameable
from glassmind.graph.words import folded, in_singular
from glassmind.model import NotePath
from glassmind.model.health import Finding, LostLink, Unchecked
from glassmind.model.history import FileChange
from glassmind.model.repairs import FormerName, LinkEdit, Repairs, TagSpelling, Unmended
from glassmind.model.suggestions import LEADS, Mention, ProposedEdit, Suggestion
from glassmind.obsidian.text import fold

if TYPE_CHECKING:
    from glassmind.graph.context import GraphContext


NO_EDIT = "no link to it can be written there; it has to be done by hand"
CHANGED = "its note changed while it was looked at; ask again"
TAKEN = "another link is put where it would stand"
ONLY_ONE = "its property leads to one note, and is given to another"


class Wish(NamedTuple):
    """A suggestion that is to be followed, and the key that it is told under."""

    key: str
    suggestion: Suggestion


def joined(
    study: "GraphContext", wishes: Iterable[Wish]
) -> tuple[list[LinkEdit], list[Unmended]]:
    """Return an edit for each note that follows its suggestions, and what is left."""
    by_note: dict[NotePath, list[Wish]] = {}
    for wish in wishes:
        by_note.setdefault(wish.suggestion.source, []).append(wish)
    facts = study.facts()
    made: list[LinkEdit] = []
    left: list[Unmended] = []
    with study.files() as files:
        pages = Pages(files)
        for path, some in sorted(by_note.items()):
            page = pages.at(path)
            if page is None:
                left += [Unmended(one.key, NO_EDIT) for one in some]
                continue
            edit = _edit_of(page, some, facts.pen, left)
            if edit is not None:
                made.append(edit)
    return made, left


def _edit_of(
    page: Page, wishes: Sequence[Wish], pen: LinkWriter, left: list[Unmended]
) -> LinkEdit | None:
    now, keys = page, []
    done: set[str] = set()
    for wish in _in_order(page, wishes, left):
        name = (wish.suggestion.property or "").lower()
        if name in ONE_EACH and name in done:
            left.append(Unmended(wish.key, ONLY_ONE))
            continue
        edit = _tried(now, wish.suggestion, pen)
        raw = None if edit is None else _with(now.raw, edit)
        after = None if raw is None else page_from(page.note.path, raw)
        if after is None:
            left.append(Unmended(wish.key, NO_EDIT))
            continue
        now = after
        done.add(name)
        keys.append(wish.key)
    return LinkEdit(tuple(keys), _between(page, now)) if keys else None


def _in_order(
    page: Page, wishes: Sequence[Wish], left: list[Unmended]
) -> Iterator[Wish]:
    """Yield what can be followed: names from the last one on, then what is added."""
    digest = digest_of(page.raw)
    named: list[tuple[int, int, Wish]] = []
    added: list[Wish] = []
    for wish in wishes:
        edit, mention = wish.suggestion.edit, wish.suggestion.mention
        if edit is None or edit.digest != digest:
            left.append(Unmended(wish.key, NO_EDIT if edit is None else CHANGED))
        elif mention is None or wish.suggestion.property:
            added.append(wish)
        elif any(
            mention.bytes[0] < end and start < mention.bytes[1]
            for start, end, _ in named
        ):
            left.append(Unmended(wish.key, TAKEN))
        else:
            named.append((*mention.bytes, wish))
    named.sort(key=lambda one: -one[0])
    yield from (wish for _, _, wish in named)
    yield from added


def _tried(page: Page, one: Suggestion, pen: LinkWriter) -> ProposedEdit | None:
    if one.property:
        many = one.property.lower() not in ONE_EACH
        return edit_for_property(page, one.property, one.target, pen, many=many)
    if one.mention is not None:
        return edit_for_mention(page, one.mention, one.target, pen)
    return edit_for_relation(page, one.target, pen)


def _with(raw: bytes, edit: ProposedEdit) -> bytes:
    start, end = edit.bytes
    return raw[:start] + edit.after.encode() + raw[end:]


def _between(page: Page, after: Page) -> ProposedEdit:
    """Return the one edit that makes a note of another, from the first difference."""
    was, now = page.note.text, after.note.text
    most = min(len(was), len(now))
    start = next((at for at in range(most) if was[at] != now[at]), most)
    same = most - start
    tail = next((at for at in range(same) if was[-1 - at] != now[-1 - at]), same)
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


NOT_SUGGESTED = "nothing of that key is suggested now"


def followed(  # noqa: PLR0913 - each wish by its name
    study: "GraphContext",
    kept: SuggestionCache,
    note: NotePath | None,
    *,
    keys: Sequence[str] | None,
    mentions: bool,
    limit: int,
) -> Repairs:
    """Return the edits that make suggested links, joined for each note.

    Those of `keys`, and with `mentions` every name in a text that should be a link;
    without either the first `limit`, as they are listed. No keys at all are none, not
    all.

    Raises:
        BadLimit: so many cannot be given.
    """
    many = MOST if keys or mentions else limit
    found = suggest(study, kept, note, limit=many)
    known = {one.key: one for one in found.suggestions}
    known |= _around(study, kept, [key for key in keys or () if key not in known])
    wanted = dict.fromkeys(keys or ())
    if mentions or keys is None:
        named = (one for one in found.suggestions if not mentions or _is_sure(one))
        wanted |= dict.fromkeys(one.key for one in named)
    left = [Unmended(key, NOT_SUGGESTED) for key in wanted if key not in known]
    wishes = [Wish(key, known[key]) for key in wanted if key in known]
    edits, undone = joined(study, wishes)
    return Repairs(edits=tuple(edits), unmended=(*left, *undone), notices=found.notices)


def _is_sure(one: Suggestion) -> bool:
    """Whether a name stands in the text, and is that of one note alone."""
    return one.mention is not None and not one.mention.namesakes


def _around(
    study: "GraphContext", kept: SuggestionCache, keys: Iterable[str]
) -> dict[str, Suggestion]:
    """Return what is suggested for the notes that keys begin with."""
    found: dict[str, Suggestion] = {}
    for source in dict.fromkeys(key.partition(LEADS)[0] for key in keys):
        around = suggest(study, kept, NotePath(source), limit=MOST)
        found |= {one.key: one for one in around.suggestions}
    return found


MOST_SECONDS = 5.0
"""How long the history may be read: what it does not tell by then is not mended."""

MOST_NAMED = 3
"""Files that are told of a name that may mean several."""

NO_FILE = "no file is called so, was called so, or has it as an alias"
OUTSIDE = "it is outside of the vault"

Nameable: TypeAlias = Callable[[Collection[str]], Collection[str]]
"""Returns those of some former paths that may be told of."""


class _Known(NamedTuple):
    """What files of a vault are called besides their names, and were called."""

    aliases: Mapping[str, Sequence[NotePath]]
    forms: Mapping[str, Sequence[NotePath]]
    former: Mapping[str, Sequence[NotePath]]


def former_names(
    sight: Sight,
    root: Path,
    wanted: Mapping[str, Sequence[LostLink]],
    nameable: Nameable,
) -> tuple[list[FormerName], list[Unmended]]:
    """Return what names that no file has mean, and those that cannot be told."""
    if not wanted:
        return [], []
    known = _known(sight, root, nameable)
    made: list[FormerName] = []
    left: list[Unmended] = []
    for subject, links in wanted.items():
        found = _meant(sight, known, subject, links)
        if isinstance(found, Unmended):
            left.append(found)
        else:
            made += found
    return made, left


def _meant(
    sight: Sight, known: _Known, subject: str, links: Sequence[LostLink]
) -> list[FormerName] | Unmended:
    """Return what a name means, once for each way in which links say it."""
    key, place = f"ghosts:{subject}", place_of(links[0])
    if place.startswith("../"):
        return Unmended(key, OUTSIDE)
    name = place.rpartition("/")[2].removesuffix(NOTE_SUFFIX)
    for files, why, shown in _ways(sight, known, subject, name):
        if len(files) > 1:
            told = ", ".join(files[:MOST_NAMED])
            more = " or others" if len(files) > MOST_NAMED else ""
            return Unmended(key, f"it may mean any of {told}{more}")
        if files:
            sources: dict[str, dict[NotePath, None]] = {}
            for link in links:
                sources.setdefault(fold(place_of(link)), {})[link.path] = None
            return [
                FormerName(key, _noted(was), files[0], tuple(notes), why, shown)
                for was, notes in sources.items()
            ]
    return Unmended(key, NO_FILE)


def _ways(
    sight: Sight, known: _Known, subject: str, name: str
) -> Iterator[tuple[Sequence[NotePath], str, bool]]:
    """Yield the files that a name may mean, the surest way of telling first."""
    were = [path for path in known.former.get(subject, ()) if _is_there(sight, path)]
    yield were, "it was called so", False
    if "/" in subject:
        called = fold(name)
        there = [
            path
            for path in sight.rows.files_called(name_key(name))
            if fold(path.rpartition("/")[2]).removesuffix(NOTE_SUFFIX) == called
        ]
        yield there, "it is called so, in another folder", False
    if not is_attachment(name):
        yield known.aliases.get(fold(name), ()), "it has that as an alias", True
        form = in_singular(folded(name))
        said = "it is called so but for marks, case or number"
        yield known.forms.get(form, ()) if form else (), said, True


def _is_there(sight: Sight, path: NotePath) -> bool:
    return path in sight.by_path or path in sight.rows.files_called(name_key(path))


def _noted(place: str) -> NotePath:
    """Return the path of the file that would stand at a place."""
    is_whole = is_attachment(place) or place.endswith(NOTE_SUFFIX)
    return NotePath(place if is_whole else f"{place}{NOTE_SUFFIX}")


def _known(sight: Sight, root: Path, nameable: Nameable) -> _Known:
    aliases: dict[str, dict[NotePath, None]] = {}
    forms: dict[str, dict[NotePath, None]] = {}
    for note in sight.written:
        name = note.path.rpartition("/")[2].removesuffix(NOTE_SUFFIX)
        for alias in note.aliases:
            aliases.setdefault(fold(alias), {})[note.path] = None
        for title in (note.title, name, *note.aliases):
            forms.setdefault(in_singular(folded(title)), {})[note.path] = None
    return _Known(_lists(aliases), _lists(forms), _lists(_former(root, nameable)))


def _lists(
    found: Mapping[str, Mapping[NotePath, None]],
) -> dict[str, Sequence[NotePath]]:
    return {name: list(paths) for name, paths in found.items()}


def _former(root: Path, nameable: Nameable) -> dict[str, dict[NotePath, None]]:
    """Return what files were called, by every end of those paths that may be told."""
    found: dict[str, dict[NotePath, None]] = {}
    try:
        repository = repository_of(root, timeout_s=MOST_SECONDS)
    except NoHistory:
        return found
    changes = every_change(repository, timeout_s=MOST_SECONDS)
    renames = list(_renames(changes))
    told = nameable({former for former, _ in renames})
    for former, now in renames:
        if former not in told:
            continue
        parts = fold(former).removesuffix(NOTE_SUFFIX).split("/")
        for size in range(1, len(parts) + 1):
            found.setdefault("/".join(parts[-size:]), {})[NotePath(now)] = None
    return found


def _renames(changes: Iterable[FileChange]) -> Iterator[tuple[str, str]]:
    """Yield each path that a file had and the one it has; the latest comes first."""
    goes: dict[str, str] = {}
    for change in changes:
        if change.kind == "renamed" and change.former:
            goes[change.former] = goes.get(change.path, change.path)
            yield change.former, goes[change.former]


NO_NAME = "no text names it in two words or more, nor does it name another note so"


class _Ground(NamedTuple):
    """What a mender looks at."""

    study: "GraphContext"
    kept: SuggestionCache
    sight: Sight


class _Mended(NamedTuple):
    """What a mender makes of the findings of a check."""

    wishes: Sequence[Wish] = ()
    tags: Sequence[TagSpelling] = ()
    names: Sequence[FormerName] = ()
    left: Sequence[Unmended] = ()


def repairs(
    study: "GraphContext",
    kept: SuggestionCache,
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
                made = answer_suggested(missing, facts, pages)
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
        if one.mention is None or not _is_sure_mending(one.mention):
            continue
        tied |= ends
        for path in ends:
            known.setdefault(path, one)
    found = _wished(findings, known, NO_NAME)
    once: dict[int, Wish] = {}
    for wish in found.wishes:  # two orphans, of which one names the other
        once.setdefault(id(wish.suggestion), wish)
    return found._replace(wishes=list(once.values()))


def _is_sure_mending(mention: Mention) -> bool:
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
