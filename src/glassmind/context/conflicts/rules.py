"""Where two sources do not agree, or one is no longer right.

Four rules: a note that another is in the place of (`superseded`); the same property of
two notes about the same thing with other values; the same statement with other values;
and a newer daily note that says otherwise than a note about the thing.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from glassmind.context.conflicts.claim_words import (
    ABOUT,
    MANY_VALUED,
    OF_THE_NOTE,
    SAME,
    SYSTEMS,
)
from glassmind.context.conflicts.claims import Claim, claims_of
from glassmind.context.conflicts.differing import differ
from glassmind.context.conflicts.said import Said, Source, written_at_once
from glassmind.context.conflicts.superseded import superseded
from glassmind.context.conflicts.things import (
    Subject,
    Things,
    are_siblings,
    is_dated,
    property_subject,
)
from glassmind.context.conflicts.values import (
    Value,
    ValueKind,
    product_value,
    property_value,
)
from glassmind.context.items import (
    BundleScope,
    SectionRows,
    is_pattern,
    key_form,
    pages_of,
)
from glassmind.context.note_lines import NoteLines
from glassmind.model import NotePath, Span
from glassmind.model.context import Conflict, ConflictKind, SectionNote, Side
from glassmind.obsidian.receipts import receipt_of
from glassmind.obsidian.text import first_day

NAMESAKES = 40
"""Notes beside the selected ones that are about the same, by title or property."""

MOST_CHARS = 30_000
"""Characters of the selected notes that are read, of the best first: more than a bundle
of the usual budget shows. Of the others the properties count."""

DAYS = 8
"""Daily notes that link to the selected notes and are read too, the newest."""

MOST_CLAIMS = 12
"""Claims of one thing that are compared with each other."""

LONGEST_TEXT = 80
"""Characters of a property that is one value, and no prose."""


def conflicts(rows: SectionRows, scope: BundleScope) -> list[Conflict]:
    """Return what the notes do not agree on, each with the newer source first.

    What is superseded comes first, then the latest conflicts.
    """
    replaced = superseded(rows, scope)
    gone = {one.sides[1].path for one in replaced}
    notes = {
        at: note
        for at, note in _read(rows, scope).items()
        if not is_pattern(note.path) and note.path not in gone
    }
    stated = _stated(rows, scope, notes)
    things = Things(notes.values(), rows.links(scope.note_ids))
    if not stated and _are_apart(things, notes.values()):
        return replaced
    said = _by_subject(things, notes, stated, scope.agent)
    found = [
        _conflict(subject, a, b, things, rows)
        for subject, a, b in _disagreements(said, things)
    ]
    found.sort(key=lambda one: (one.sides[0].path, one.sides[1].path, one.about))
    found.sort(key=lambda one: one.sides[0].date, reverse=True)
    return [*replaced, *found]


def _read(rows: SectionRows, scope: BundleScope) -> dict[int, SectionNote]:
    """Return the selected notes, others about the same, and days that tell of them."""
    notes = dict(rows.notes(scope.note_ids))
    links = rows.links(scope.note_ids)
    about = {link.source_id for link in links if key_form(link.property) in ABOUT}
    same = rows.titled({note.title for note in notes.values()})
    dated = {
        at: day
        for at, path in rows.dated({link.source_id for link in links} - notes.keys())
        if (day := first_day(path.rpartition("/")[2]))
    }
    days = sorted(dated, key=lambda at: (dated[at], at), reverse=True)[:DAYS]
    more = sorted({*about, *same})[:NAMESAKES]
    return notes | dict(rows.notes([*more, *days]))


def _stated(
    rows: SectionRows, scope: BundleScope, notes: Mapping[int, SectionNote]
) -> dict[int, list[tuple[Claim, str]]]:
    """Return the claims of each note that has some, with the headings they are under.

    The best notes are read, and days.
    """
    days = [at for at in notes if is_dated(notes[at])]
    asked = [at for at in scope.note_ids if at in notes]
    lines = rows.pages([*asked, *days])
    claims = {}
    for at in dict.fromkeys([*_best(lines, asked), *days]):
        if at in lines and (
            found := claims_of(notes[at].digest, lines[at], NoteLines(lines[at]).body)
        ):
            claims[at] = found
    pages = pages_of(rows, [*claims])
    return {
        at: [
            (claim, (pages[at].heading_path(claim.line) or ("",))[-1]) for claim in many
        ]
        for at, many in claims.items()
    }


def _best(lines: Mapping[int, Sequence[str]], asked: Iterable[int]) -> Iterator[int]:
    """Yield the first of some notes, as many as have `MOST_CHARS` and one more."""
    chars = 0
    for at in asked:
        if chars <= MOST_CHARS and at in lines:
            chars += sum(map(len, lines[at]))
            yield at


def _are_apart(things: Things, notes: Iterable[SectionNote]) -> bool:
    """Whether no two notes are about the same thing."""
    own = [thing for note in notes if (thing := things.own(note))]
    return len(set(own)) == len(own)


def _by_subject(
    things: Things,
    notes: Mapping[int, SectionNote],
    stated: Mapping[int, Iterable[tuple[Claim, str]]],
    agent: str,
) -> dict[tuple[Subject, ValueKind], list[Said]]:
    """Return all that is said, by what it is about and what kind of value it is."""
    found: dict[tuple[Subject, ValueKind], list[Said]] = {}
    at_once = written_at_once(notes.values())
    for at, note in notes.items():
        mine: dict[tuple[Subject, ValueKind], list[Claim]] = {}
        if not note.path.startswith(f"{agent}/"):
            _take(mine, _properties(things, note))
        _take(mine, _statements(things, note, stated.get(at, ())))
        source = Source(note, at_once, agent)
        for key, claims in mine.items():
            # what a note says twice otherwise is a history, and no claim
            if not any(differ(a.value, b.value) for a, b in combinations(claims, 2)):
                found.setdefault(key, []).append(Said(source, claims[0]))
    return found


def _take(
    found: dict[tuple[Subject, ValueKind], list[Claim]],
    claims: Iterable[tuple[Subject, Claim]],
) -> None:
    for subject, claim in claims:
        found.setdefault((subject, claim.value.kind), []).append(claim)


def _properties(things: Things, note: SectionNote) -> Iterator[tuple[Subject, Claim]]:
    for name, value in note.properties.items():
        key = key_form(name)
        if key in MANY_VALUED or isinstance(value, list | dict) or value in (None, ""):
            continue
        if things.is_about(note) and key in OF_THE_NOTE:
            continue
        if len(str(value)) > LONGEST_TEXT:
            continue
        claim = Claim(0, name, "", _property(key, str(value)), "property")
        if key == "weight" and not claim.value.unit:  # where a list has the note
            continue
        if subject := property_subject(things, note, claim):
            yield subject, claim


def _property(key: str, text: str) -> Value:
    """Return the value of a property; a status in words of one's own is one too."""
    if key in SYSTEMS and (product := product_value(text)):
        return product
    value = property_value(text)
    own = value.kind == "text" and SAME.get(key) == "status"
    return value._replace(kind="status") if own else value


def _statements(
    things: Things, note: SectionNote, stated: Iterable[tuple[Claim, str]]
) -> Iterator[tuple[Subject, Claim]]:
    for claim, heading in stated:
        for subject in things.subjects(claim, note, heading):
            if subject.thing or not (claim.is_past and is_dated(note)):
                yield subject, claim


def _own_words(
    said: Mapping[tuple[Subject, ValueKind], Sequence[Said]],
) -> dict[int, dict[tuple[frozenset[str], ValueKind], Value]]:
    """Return what each note says of its own thing, by the words for it."""
    found: dict[int, dict[tuple[frozenset[str], ValueKind], Value]] = {}
    for (subject, kind), many in said.items():
        for one in many if subject.thing else ():
            found.setdefault(one.note.note_id, {})[subject.what, kind] = one.value
    return found


def _disagreements(
    said: Mapping[tuple[Subject, ValueKind], list[Said]],
    things: Things,
) -> Iterator[tuple[Subject, Said, Said]]:
    """Yield the pairs that cannot both be right, one for each two values.

    What names no thing is about its note, and two notes about other things may differ.
    """
    told: set[frozenset[tuple[str, int, str]]] = set()
    own = None
    for (subject, kind), many in said.items():
        if len(many) < 2:  # noqa: PLR2004 - two of them differ
            continue
        seen: set[frozenset[str]] = set()
        for a, b in combinations(_latest(many), 2):
            if not differ(a.value, b.value) or not _compares(subject, a, b):
                continue
            if not subject.thing:
                if not things.are_related(a.note, b.note, subject.what):
                    continue
                own = own or _own_words(said)
                if _are_records(a, b, (subject.what, kind), own):
                    continue
            values = frozenset((_form(a.value), _form(b.value)))
            pair = frozenset(_place(one) for one in (a, b))
            if values not in seen and pair not in told:
                seen.add(values)
                told.add(pair)
                yield subject, a, b


def _place(said: Said) -> tuple[str, int, str]:
    """Return where a value stands; a line, and all properties, may hold several."""
    return said.note.path, said.claim.line, said.value.text


def _latest(many: Collection[Said]) -> list[Said]:
    """Return claims, properties first; of daily notes the newest alone."""
    days = [one for one in many if one.is_dated and one.claim.form != "property"]
    newest = max(days, key=lambda one: (one.day, one.note.path), default=None)
    kept = [one for one in many if one not in days or one is newest]
    kept.sort(key=lambda one: one.note.path)
    kept.sort(key=lambda one: one.day, reverse=True)
    kept.sort(key=lambda one: one.claim.form != "property")
    return kept[:MOST_CLAIMS]


def _compares(subject: Subject, a: Said, b: Said) -> bool:
    """Whether two claims are of the same time: a day says nothing of what came after.

    Two days differ as days do. Where nobody knows of when a note is, it may be.
    """
    if a.note.note_id == b.note.note_id or (a.is_dated and b.is_dated):
        return False
    if _is_another_year(a.claim, b.claim):
        return False
    if a.is_dated or b.is_dated:
        day, other = (a, b) if a.is_dated else (b, a)
        return not other.day or day.day > other.day
    return bool(subject.thing) or not (a.claim.is_past or b.claim.is_past)


def _is_another_year(a: Claim, b: Claim) -> bool:
    """Whether one tells of the day that something was on in another year."""
    if a.is_past == b.is_past or not a.value.kind == b.value.kind == "date":
        return False
    one, other = a.value.parts[0], b.value.parts[0]
    return bool(one and other) and one != other


def _are_records(
    a: Said,
    b: Said,
    key: tuple[frozenset[str], ValueKind],
    own: Mapping[int, Mapping[tuple[frozenset[str], ValueKind], Value]],
) -> bool:
    """Whether two notes say several like things, each of a thing of its own.

    Two stations have a water level and a battery each: neither contradicts the other.
    """
    if are_siblings(a.note, b.note):
        return True
    one, other = (own.get(said.note.note_id, {}) for said in (a, b))
    shared = (one.keys() & other.keys()) - {key}
    return any(differ(one[at], other[at]) for at in shared)


def _conflict(
    subject: Subject, a: Said, b: Said, things: Things, rows: SectionRows
) -> Conflict:
    newer, older = (a, b) if (a.day, b.note.path) >= (b.day, a.note.path) else (b, a)
    kind: ConflictKind = "statement"
    if a.claim.form == b.claim.form == "property":
        kind = "property"
    elif (a.is_dated or b.is_dated) and older.day:
        kind = "newer"
    about = older.claim if older.claim.form == "property" else newer.claim
    title = things.title(subject.thing)
    said = " ".join(about.subject.replace("[[", "").replace("]]", "").split())
    if about.points or about.value.kind == "text":  # a verb says it, and no word
        said = said if about.form == "property" else about.hint or said
    named = title and title.casefold() not in said.casefold()
    sides = (_side(newer, rows), _side(older, rows))
    return Conflict(kind, f"{title}: {said}" if named else said, sides)


def _side(said: Said, rows: SectionRows) -> Side:
    note, claim = said.note, said.claim
    page = pages_of(rows, [note.note_id]).get(note.note_id, NoteLines(()))
    line = claim.line or _property_line(page, claim.subject)
    path = page.heading_path(line)
    heading = path[-1] if path else ""
    span = Span(line, line)
    receipt = receipt_of(note.path, heading, span, page.raw(span))
    return Side(
        NotePath(note.path),
        note.title,
        claim.value.text,
        said.day,
        receipt,
        approved=not said.source.waits,
    )


def _property_line(page: NoteLines, name: str) -> int:
    """Return the line of the frontmatter that a property begins on."""
    for number, line in enumerate(page.lines[: page.body - 1], 1):
        if line.partition(":")[0].strip("\"' ").casefold() == name.casefold():
            return number
    return 1


def _form(value: Value) -> str:
    low, high = f"{value.low:g}", f"{value.high:g}"
    return f"{value.name} {value.unit} {low} {high} {value.parts}"
