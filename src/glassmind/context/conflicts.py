"""Finds where notes contradict each other, or where a note has been superseded.

Four rules: a note that another one supersedes; one property with two values in notes
about the same thing; one statement with two values; and a daily note that is newer than
the note it contradicts.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import combinations
from operator import itemgetter
from typing import Literal, NamedTuple, TypeAlias

from msgspec.structs import replace

from glassmind.context.items import (
    SUPERSEDED_BY,
    SUPERSEDES,
    BundleRows,
    BundleScope,
    day_of,
    is_pattern,
    key_form,
    names_in,
    waits,
)
from glassmind.context.note_lines import HEADING, NoteLines, unmarked
from glassmind.context.values import (
    MONTHS,
    Value,
    differ,
    read_value,
    whole_value,
    word_set,
    word_table,
    words_of,
)
from glassmind.model import NotePath, Span
from glassmind.model.context import (
    Conflict,
    ConflictKind,
    ConflictSide,
    SectionLink,
    SectionNote,
)
from glassmind.obsidian.prose import without_comments
from glassmind.obsidian.receipts import receipt_of
from glassmind.obsidian.text import first_day

MOST_READ, MOST_LINES, MOST_NAMESAKES, MOST_DAYS = 100, 600, 40, 8
"""Of one bundle: the selected notes that are read, the lines of each, and beside them
notes of the same name and the newest daily notes that link to them."""

LONGEST_TEXT = 80
"""Characters of a property that is a value and not prose."""

_UNCOMPARED = word_set(
    "tags tag aliases alias day cssclass cssclasses id uid uuid title type typ kind "
    "template publish banner cover color colour icon position order rank permalink "
    "source sources generated client project up parent next prev previous related "
    "description summary image url link links author authors category categories "
    "topic topics rating lang language layout draft week month year erstellt geändert "
    "updated modified date created about subject concerning betrifft"
).union(SUPERSEDED_BY, SUPERSEDES)
"""Properties that may differ between two notes about the same thing."""

_COMMON = word_set(
    "readme index home todo note untitled inbox log draft changelog license idea moc "
    "contributing overview task journal about introduction faq plan budget checklist "
    "contact goal meeting agenda schedule summary review template resource link "
    "reference archive status people project code list next notizen ideen aufgaben"
)
"""Words of titles that do not say what a note is about, as `words_of` gives them."""

_ARCHIVES = word_set("archive archived archiv old alt backup done")
_STATUS = frozenset(("status",))
_ARTICLES = word_set("the a an our die das den dem")
_OF, _IN = word_set("of for der des für von"), word_set("in at im")

# --- what lines state ---

ClaimForm: TypeAlias = Literal["property", "entry", "sentence"]

LONGEST_LINE = 600
"""Characters of a line that is read: longer lines are rarely written by hand."""

LONGEST_SUBJECT = 12
"""Words of a subject; half as many before a colon."""

SPARE_WORDS = 4
"""Words allowed behind a value, and words of a value that is a text."""

_SAME_WORDS = word_table(
    "price cost fee kosten kostet preis gebühr;due deadline frist fällig;"
    "owner lead leader responsible verantwortlich;place venue location ort;"
    "start begin beginn beginnt;end ende endet;weight weigh wiegt gewicht heavy;"
    "length last dauer dauert duration take long;width wide breit;"
    "height high tall hoch;depth deep tief;status state stand"
)
_STOPS = word_set(
    "the a an of for in on at to and our its with by from date new current currently "
    "now der die das des dem den ein eine einer eines für im am zu zum zur von vom und"
)
"""Words that do not tell one attribute from another."""

_PRONOUNS = word_set(
    "it its they he she his her hers this that these those there we you i our your my "
    "their which who what one some each both es er sie wir ich man sein seine ihr ihre "
    "mein meine dies dieser diese today yesterday tomorrow heute gestern morgen"
)
_CLAUSE_END = re.compile(r"[.,;)!](?:\s|$)")
_ENTRY = re.compile(r"\s*(?P<key>[^:|`]{1,60}?)::?[ \t]+(?P<rest>\S.*)$")
_VERB = re.compile(
    r"(?:^|\s)(?P<verb>(?P<being>is|are|ist|sind|beträgt|remains|moved to"
    r"|verschoben auf)|(?P<having>has|have|hat)|costs?|kostet|weighs|wiegt|starts?"
    r"|begins?|beginnt|ends|endet|opens|closes|leaves|lasts|dauert|takes)\s+",
    re.IGNORECASE,
)
_VERB_STARTS = word_set(
    "is are ist sind beträgt remains moved verschoben has have hat cost costs kostet "
    "weighs wiegt start starts begin begins beginnt ends endet opens closes leaves "
    "lasts dauert takes"
)
"""First words of `_VERB`: looking them up is faster than that expression."""

_HAS_VALUE = re.compile(r"\d|\[\[")
_SENTENCE_END = re.compile(
    rf"[.!?][ \t]+(?=[^\s\da-zäöü])(?!(?i:{'|'.join(MONTHS)})\b)"
)
_CUT = re.compile(
    r"[,;\u2013\u2014]\s|\b(?:and|but|so|because|that|und|aber|weil|dass)\s"
)
_DOUBT = re.compile(
    r"\b(?:if|unless|whether|when|suppose|should|would|could|might|may|maybe|perhaps"
    r"|wenn|falls|ob|sollte|würde|könnte|vielleicht|example|beispiel|assume|imagine"
    r"|once|after|where|while|although|until|before|formerly|previously|originally"
    r"|last year|earlier|no longer|not|früher|damals|bisher|ursprünglich|nicht)\b"
    '|["\u201c\u201d\u201e\u00ab\u00bb]',
    re.IGNORECASE,
)
"""Before a value: it is a guess, past, or somebody else's words."""

_MARKUP = re.compile(r"~~.*?~~|%%.*?%%|\*+|==|(?<!\w)_+|_+(?!\w)")
LINK = re.compile(
    r"!?\[\[(?:[^\]|]*/)?(?P<name>[^\]|#/]*)(?:#[^\]|]*)?(?:\|[^\]]*)?\]\]"
)
_WORD = re.compile(r"[^\W_]+")


class LineClaim(NamedTuple):
    """What a line states of a subject; `hint` is what the verb adds: `price`."""

    line: int
    subject: str
    value: Value
    form: ClaimForm
    hint: str = ""


@lru_cache(maxsize=1024)  # a note is read again only after it changed
def claims_of(digest: str, text: str, body: int) -> tuple[LineClaim, ...]:
    del digest  # compares faster than the text
    page = NoteLines(without_comments(text).split("\n"))
    return tuple(
        claim
        for number, line in enumerate(page.lines[body - 1 :], body)
        if len(line) <= LONGEST_LINE
        if "::" in line or _HAS_VALUE.search(line)
        if ":" in line or not _VERB_STARTS.isdisjoint(line.lower().split())
        if number not in page.fenced and not _is_other(line)
        for claim in claims_in_line(unmarked(line), number)
    )


def _is_other(line: str) -> bool:
    plain = line.lstrip(" \t")
    code = line.startswith(("    ", "\t")) and plain[:1] not in "-*+"
    return code or plain.startswith((">", "|")) or HEADING.match(line) is not None


def claims_in_line(line: str, number: int = 1) -> Iterator[LineClaim]:
    plain = _MARKUP.sub(lambda match: "" if match[0][0] in "*=_" else " ", line)
    if claim := _entry(plain, number):
        yield claim
        return
    start = 0
    for end in [*(match.end() for match in _SENTENCE_END.finditer(plain)), len(plain)]:
        if not plain[start:end].rstrip().endswith("?"):
            yield from _in_sentence(plain[start:end], number)
        start = end


def _entry(line: str, number: int) -> LineClaim | None:
    match = _ENTRY.match(line)
    if match is None or match["rest"].rstrip().endswith("?"):
        return None
    key, rest = match["key"].strip(), match["rest"]
    if not _is_subject(key, LONGEST_SUBJECT // 2) or _DOUBT.search(rest):
        return None
    value = read_value(rest)
    if value is None:
        short = len(rest.split()) <= SPARE_WORDS and not any(map(str.isdigit, rest))
        return LineClaim(number, key, whole_value(rest), "entry") if short else None
    fits = len(_tail(rest, value[1]).split()) <= SPARE_WORDS
    return LineClaim(number, key, value[0], "entry") if fits else None


def _in_sentence(sentence: str, number: int) -> Iterator[LineClaim]:
    for match in _VERB.finditer(sentence):
        # `Opens at 6:00` is about the note
        before = sentence[: match.start()] or match["verb"]
        if _DOUBT.search(before):
            return
        subject, rest = _CUT.split(before)[-1].strip(), sentence[match.end() :]
        value = read_value(rest)
        if value is None or not _is_subject(subject, LONGEST_SUBJECT):
            continue
        is_status = value[0].kind == "text"
        tail = "" if is_status else _tail(rest, value[1])
        hint = "" if match["being"] else match["verb"]
        if match["having"]:  # counts something: `has 120 seats`
            hint = value[0].unit
        if (hint or match["being"]) and len(tail.split()) <= SPARE_WORDS:
            yield LineClaim(number, subject, value[0], "sentence", f"{hint} {tail}")


def _tail(text: str, at: int) -> str:
    return _CLAUSE_END.split(text[at:], maxsplit=1)[0].strip(" .!")


def _is_subject(text: str, longest: int) -> bool:
    words = _WORD.findall(text.casefold())
    known = 0 < len(words) <= longest and _PRONOUNS.isdisjoint(words)
    return known and not _DOUBT.search(text)


@lru_cache(maxsize=2048)
def attribute_of(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(_SAME_WORDS.get(word, word) for word in words) - _STOPS


# --- what two notes state ---

_Subject: TypeAlias = tuple[int, frozenset[str]]
"""A thing and an attribute of it."""


class _Said(NamedTuple):
    """A claim with the note it is in, and the day of that where it is known."""

    note: SectionNote
    claim: LineClaim
    day: str
    approved: bool

    @property
    def is_dated(self) -> bool:
        return self.approved and bool(_name_day(self.note.path))


def conflicts(rows: BundleRows, scope: BundleScope) -> list[Conflict]:
    """Return the contradictions between notes, the newer side of each first.

    Superseded notes come first, then the newest conflicts.
    """
    replaced = superseded(rows, scope)
    paths = {conflict.sides[1].path for conflict in replaced}
    notes = {
        note_id: note
        for note_id, note in _notes(rows, scope).items()
        if not is_pattern(note.path) and note.path not in paths
    }
    things = _Things(notes.values())
    found = [
        _conflict(things.titles[thing], a, b, rows)
        for (thing, _), claims in _claims_by_subject(rows, scope, notes, things).items()
        if len(claims) > 1
        for a, b in _contradictions(claims)
    ]
    found.sort(key=lambda one: (one.sides[0].path, one.sides[1].path, one.about))
    found.sort(key=lambda one: one.sides[0].date, reverse=True)
    return [*replaced, *found]


def _notes(rows: BundleRows, scope: BundleScope) -> dict[int, SectionNote]:
    notes = dict(rows.section_notes(scope.note_ids))
    links = rows.section_links(scope.note_ids)
    same = rows.store.note_ids(titles={note.title for note in notes.values()})
    others = rows.names({link.source_id for link in links} - notes.keys())
    dated = [(_name_day(path), note_id) for note_id, (path, _) in others.items()]
    newest = sorted(filter(itemgetter(0), dated))[-MOST_DAYS:]
    more = sorted(same)[:MOST_NAMESAKES]
    return notes | dict(
        rows.section_notes([*more, *(note_id for _, note_id in newest)])
    )


class _Things:
    """What notes are about: notes with a name in common may be about one thing."""

    def __init__(self, notes: Iterable[SectionNote]) -> None:
        self.titles: dict[int, str] = {}
        self._holders: dict[tuple[str, ...], list[SectionNote]] = {}
        self._own: dict[int, int] = {}
        known = sorted(notes, key=lambda note: note.path)
        for note in known:
            names = _names(note)
            section_notes = (
                section_note
                for name in names
                for section_note in self._holders.get(name, ())
            )
            same = (
                self._own[section_note.note_id]
                for section_note in section_notes
                if _are_same(note, section_note)
            )
            thing = self._own[note.note_id] = next(same, note.note_id)
            self.titles.setdefault(thing, note.title)
            for name in names:
                self._holders.setdefault(name, []).append(note)

    def _find(self, name: tuple[str, ...], own: int = 0) -> int:
        things = {self._own[note.note_id] for note in self._holders.get(name, ())}
        if len(things) > 1:
            return own if own in things else 0
        return next(iter(things), 0)

    def own(self, note: SectionNote) -> int:
        return 0 if _name_day(note.path) else self._own[note.note_id]

    def of_property(self, name: str, note: SectionNote) -> _Subject | None:
        thing, attribute = self.own(note), attribute_of(words_of(name))
        known = thing and attribute and key_form(name) not in _UNCOMPARED
        return (thing, attribute) if known else None

    def of_claim(
        self, claim: LineClaim, note: SectionNote, heading: str
    ) -> list[_Subject]:
        """Return what a claim may be about.

        It is the thing of its link, else of a name in it, or else of the heading or the
        note. Words that name another note may yet be an attribute of the note's own.
        """
        own, links = self.own(note), LINK.findall(claim.subject)
        words = words_of(LINK.sub("", claim.subject))
        if len(links) > 1 or key_form(claim.subject) in _UNCOMPARED:
            return []
        if links:
            named, rest = self._find(words_of(links[0]), own), words
            readings = [(named, rest)]
        else:
            named, rest = self._in_words(words, own)
            readings = [(named, rest)] if named else []
            if named != own:
                readings.append((self._find(words_of(heading)) or own, words))
        hint = words_of(claim.hint)
        found = [(thing, attribute_of((*rest, *hint))) for thing, rest in readings]
        if claim.form == "sentence" and claim.value.kind == "text":
            # a status is that of a whole thing that is named
            found = [(named, _STATUS)] if attribute_of(rest) <= _STATUS else []
        return [(thing, attribute) for thing, attribute in found if thing and attribute]

    def _in_words(
        self, words: tuple[str, ...], own: int
    ) -> tuple[int, tuple[str, ...]]:
        """Return the thing that a subject names, and its other words.

        A name counts at the beginning of a subject and behind a word such as `of`.
        """
        for start in range(len(words)):
            for end in range(len(words), start, -1):
                name, before = words[start:end], words[:start]
                if name in self._holders and _may_name(before):
                    return self._find(name, own), before + words[end:]
        return 0, words


def _name_day(path: str) -> str:
    return first_day(path.rpartition("/")[2]) or ""


def _names(note: SectionNote) -> list[tuple[str, ...]]:
    names = () if _name_day(note.path) else (note.title, *note.aliases)
    return [form for name in names if not _COMMON.issuperset(form := words_of(name))]


def _are_same(a: SectionNote, b: SectionNote) -> bool:
    """Return whether two notes with a name in common are about the same thing.

    An alias is enough. With only the title in common it takes the same type, or folders
    of which one contains the other: Paris may be a city or a person.
    """
    shared = {*_names(a)} & {*_names(b)}
    if shared != {words_of(a.title)} or shared != {words_of(b.title)}:
        return True
    nested = all(x == y for x, y in zip(_folders(a), _folders(b), strict=False))
    kind = names_in(a.properties.get("type"))
    return nested or (kind != [] and kind == names_in(b.properties.get("type")))


def _folders(note: SectionNote) -> list[str]:
    folders = note.path.casefold().split("/")[:-1]
    return [folder for folder in folders if folder not in _ARCHIVES]


def _may_name(before: tuple[str, ...]) -> bool:
    if before and before[-1] in _ARTICLES:
        before = before[:-1]
    return not before or before[-1] in _OF or (len(before) == 1 and before[0] in _IN)


def _claims_by_subject(
    rows: BundleRows,
    scope: BundleScope,
    notes: Mapping[int, SectionNote],
    things: _Things,
) -> dict[_Subject, list[_Said]]:
    stated = _stated(rows, scope, notes)
    pages = rows.pages([*stated])
    saids: dict[_Subject, list[_Said]] = {}
    for note_id, note in notes.items():
        own: dict[_Subject, list[LineClaim]] = {}
        for claim in _properties(note, scope.agent):
            if subject := things.of_property(claim.subject, note):
                own.setdefault(subject, []).append(claim)
        for claim in stated.get(note_id, ()):
            heading = (pages[note_id].heading_path(claim.line) or ("",))[-1]
            for about in things.of_claim(claim, note, heading):
                own.setdefault(about, []).append(claim)
        approved = not waits(note, scope.agent)
        day = _day(note) if approved else ""
        for subject, claims in own.items():
            # a note that gives two values tells a history
            if not any(differ(a.value, b.value) for a, b in combinations(claims, 2)):
                said = _Said(note, claims[0], day, approved)
                saids.setdefault(subject, []).append(said)
    return saids


def _properties(note: SectionNote, agent: str) -> Iterator[LineClaim]:
    for name, value in note.properties.items():
        text = "" if isinstance(value, list | dict) or value is None else str(value)
        if 0 < len(text) <= LONGEST_TEXT and not note.path.startswith(f"{agent}/"):
            yield LineClaim(0, name, whole_value(text), "property")


def _stated(
    rows: BundleRows, scope: BundleScope, notes: Mapping[int, SectionNote]
) -> dict[int, tuple[LineClaim, ...]]:
    selected = [note_id for note_id in scope.note_ids if note_id in notes]
    days = [note_id for note_id in notes if _name_day(notes[note_id].path)]
    line_claims = {}
    for note_id, lines in rows.note_lines([*selected[:MOST_READ], *days]).items():
        body = NoteLines(lines).body
        text = "\n".join(lines[: body + MOST_LINES])
        line_claims[note_id] = claims_of(notes[note_id].digest, text, body)
    return {note_id: claims for note_id, claims in line_claims.items() if claims}


def _day(note: SectionNote) -> str:
    """Return the day in a note's name, else that of its last change, if known."""
    changed = first_day(str(note.properties.get("updated", "")))
    return _name_day(note.path) or changed or day_of(note)


def _contradictions(said: list[_Said]) -> Iterator[tuple[_Said, _Said]]:
    """Yield the claims that cannot both be right, one pair for each two values.

    Of daily notes only the newest counts.
    """
    said.sort(key=lambda one: one.note.path)
    said.sort(key=lambda one: one.day, reverse=True)
    older = [one for one in said if one.is_dated][1:]
    reported: set[frozenset[str]] = set()
    for a, b in combinations([one for one in said if one not in older], 2):
        values = frozenset((a.claim.value.text, b.claim.value.text))
        is_new = values not in reported and _are_comparable(a, b)
        if is_new and differ(a.claim.value, b.claim.value):
            reported.add(values)
            yield a, b


def _are_comparable(a: _Said, b: _Said) -> bool:
    """Return whether two claims are about the same time, and of comparable forms.

    A daily note says nothing about what came after it, and texts are compared only with
    a property. A note without a known day may be of any time.
    """
    is_text = a.claim.value.kind == "text" and not a.claim.value.unit
    if is_text and "property" not in (a.claim.form, b.claim.form):
        return False
    day, other = (a, b) if a.is_dated else (b, a)
    return not day.is_dated or not other.day or day.day > other.day


def _conflict(title: str, a: _Said, b: _Said, rows: BundleRows) -> Conflict:
    if (a.day, b.note.path) < (b.day, a.note.path):
        a, b = b, a
    kind: ConflictKind = "statement"
    if a.claim.form == b.claim.form == "property":
        kind = "property"
    elif (a.is_dated or b.is_dated) and b.day:
        kind = "newer"
    claim = b.claim if b.claim.form == "property" else a.claim
    about = " ".join(claim.subject.replace("[[", "").replace("]]", "").split())
    if title.casefold() not in about.casefold():
        about = f"{title}: {about}"
    sides = [
        replace(
            _side(rows, said.note, _line(rows, said), said.claim.value.text),
            date=said.day,
            approved=said.approved,
        )
        for said in (a, b)
    ]
    return Conflict(kind, about, (sides[0], sides[1]))


def _line(rows: BundleRows, said: _Said) -> int:
    name, lines = said.claim.subject.lower(), rows.note_lines([said.note.note_id])
    keys = [
        text.partition(":")[0].strip("\"' ").lower()
        for text in lines.get(said.note.note_id, ())
    ]
    at = keys.index(name) + 1 if name in keys else 1
    return said.claim.line or at


def _side(rows: BundleRows, note: SectionNote, line: int, value: str) -> ConflictSide:
    page = rows.pages([note.note_id]).get(note.note_id, NoteLines(()))
    span = page.first_block(page.body) or Span(1, 1)
    if 0 < line <= len(page.lines):
        span = Span(line, line)
    heading = (page.heading_path(span.start) or ("",))[-1]
    receipt = receipt_of(note.path, heading, span, page.raw(span))
    return ConflictSide(NotePath(note.path), note.title, value, day_of(note), receipt)


def superseded(rows: BundleRows, scope: BundleScope) -> list[Conflict]:
    """Return the selected notes that another approved note supersedes, by path."""
    section_links: dict[tuple[int, int], SectionLink] = {}
    for link in (*_named(rows, scope), *rows.section_links(scope.note_ids)):
        if key_form(link.property) in SUPERSEDED_BY:
            section_links[link.source_id, link.target_id] = link
        elif key_form(link.property) in SUPERSEDES:
            section_links[link.target_id, link.source_id] = link
    links = {
        pair: link for pair, link in section_links.items() if pair[0] in scope.note_ids
    }
    notes = rows.section_notes(sorted({note_id for pair in links for note_id in pair}))
    made = []
    for (old_id, new_id), link in links.items():
        old, new = notes.get(old_id), notes.get(new_id)
        if old and new and old is not new and not waits(new, scope.agent):
            first, second = (
                _side(rows, note, link.line * (note.note_id == link.source_id), text)
                for note, text in (
                    (new, f"in the place of {old.title}"),
                    (old, f"superseded by {new.title}"),
                )
            )
            made.append(Conflict("superseded", old.title, (first, second)))
    return sorted(
        made, key=lambda conflict: (conflict.sides[1].path, conflict.sides[0].path)
    )


def _named(rows: BundleRows, scope: BundleScope) -> list[SectionLink]:
    """Return what properties of selected notes say by a path or a title."""
    said = [
        (note.note_id, key, name.casefold())
        for note in rows.section_notes(scope.note_ids).values()
        for key, value in note.properties.items()
        if key_form(key) in SUPERSEDED_BY | SUPERSEDES
        for name in names_in(value)
    ]
    known = rows.store.ids_called({name for _, _, name in said}) if said else {}
    return [
        SectionLink(source, 1, known[name], key)
        for source, key, name in said
        if name in known
    ]
