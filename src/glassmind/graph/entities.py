"""What a text, or all that a note says, names: a note of the vault or a new one.

A proposal: nothing is written. Scores are an order of certainty, not a probability;
`SURE` and `LIKELY` were set on the labelled names of the sample vault so that nothing
new is called existing.

Names in a note come from links, properties, tags and prose. In prose, capital letters
make a name where they are inside a sentence, or where several words have them; not in a
language that writes every noun large, such as German, which shows by how many words do.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from posixpath import normpath
from typing import NamedTuple

from msgspec import structs

from glassmind.errors import BadLimit, FileUnreadable, NothingAsked
from glassmind.files.ignore import is_attachment
from glassmind.files.names import NOTE_SUFFIX, Names, plain_name
from glassmind.files.read import Unreadable, decode
from glassmind.files.scan import is_free, is_left_out
from glassmind.graph.link_graph import names_left_out
from glassmind.graph.names import (
    COMMON_WORDS,
    SMALL_WORDS,
    Name,
    NameLists,
    folded,
    in_singular,
    is_date,
    is_placeholder,
    mentions_in,
    opens,
    slips_between,
    vocabulary_for,
)
from glassmind.graph.ontology import EVERYWHERE, is_category_key, kind_of
from glassmind.model import NotePath, PropertyValue
from glassmind.model.notes import Note
from glassmind.model.ontology import (
    Entity,
    EntityState,
    Ingestion,
    NamedLine,
    NameMatch,
    ProposedNote,
    Resolution,
    Verdict,
)
from glassmind.obsidian.notes import read_note, read_safe_note
from glassmind.obsidian.prose import prose
from glassmind.obsidian.structure import line_starts
from glassmind.obsidian.text import fold
from glassmind.search.notes import notes_for
from glassmind.vault import Vault

MOST_CANDIDATES = 100

NAME_LIMIT_CHARS = 200  # longer texts are not names: the rest is not looked at
SURE, LIKELY = 0.9, 0.6  # from which a name is one of the thing, or most likely is
CLEAR_LEAD = 0.08  # a better match by less is no reason to take it

CERTAINTY = {"title": 0.97, "alias": 0.96, "property": 0.95, "heading": 0.85}
"""How surely a name is one, by where it is from; the case as written adds `EXACT`."""
EXACT = 0.03

DIFFERENT = 0.88  # at most this where accents or marks may make it another word
OTHER_NUMBER = 0.35  # factor where a number is another: shown, and not taken
HEADING_NAME = 0.8  # factor where the name is a heading's, which says less of a note

PLURAL, ONE_SLIP, TWO_SLIPS = 0.85, 0.82, 0.72
"""How surely a name is meant that differs so."""

KNOWN_WORDS = 0.55  # at most, for a slip where the vault has the words: other words

ONE_SLIP_LETTERS, TWO_SLIPS_LETTERS = 5, 9
"""How long a name is for so many slips to be believed, and a word for two of them."""

PART, WHOLE = 0.45, 0.35
"""For a name that has every word of the text, and for having nothing else: above
`LIKELY` from about half of it."""

PARTIAL = 0.9  # factor for missing words: enough for two of three
COMMON = 500  # names that share only words of more names than this are not looked at

ALL = 0.999  # a share of one, as sums of floats come to it

_QUOTES = "\"'`\u201c\u201d\u2018\u2019\u00ab\u00bb\u300c\u300d\u300e\u300f"


def resolve(vault: Vault, text: str, *, limit: int = 5) -> Resolution:
    """Return whether the vault has what a text names, and how to link to it."""
    if not 1 <= limit <= MOST_CANDIDATES:
        raise BadLimit(limit, MOST_CANDIDATES)
    name, names = plain_text(text), vocabulary_for(vault).names
    if not name.strip("#@ "):
        raise NothingAsked
    matches = matches_of(name, names)
    verdict, link = verdict_on(matches)
    advice = _advice(verdict, matches)
    if verdict == "new" and is_left_out(name, names_left_out(vault)):
        verdict, link = "exists", names.link_to_new(name)
        matches = [match for match in matches if match.path is None]
        advice = (
            f"Write {link}: a file of that name is there, but it is left out of the "
            "index."
        )
    name_matches = tuple(matches[:limit])
    return Resolution(name, verdict, advice, link or None, name_matches)


def plain_text(text: str) -> str:
    name = plain_name(text[: 4 * NAME_LIMIT_CHARS])[:NAME_LIMIT_CHARS]
    return name.strip().strip(_QUOTES).strip().removeprefix("@")


def verdict_on(matches: Sequence[NameMatch]) -> tuple[Verdict, str]:
    if not matches or matches[0].score < LIKELY:
        return "new", ""
    top = matches[0]
    if top.kind == "ghost" and top.score >= SURE:
        return "new", top.link
    if top.score >= SURE:
        equal = [match for match in matches[1:] if match.score == top.score]
        return ("ambiguous", "") if equal else ("exists", top.link)
    near = [
        m for m in matches[1:] if m.score >= LIKELY and top.score - m.score < CLEAR_LEAD
    ]
    return ("ambiguous", "") if near else ("likely", top.link)


def _advice(verdict: Verdict, matches: Sequence[NameMatch]) -> str:
    top = matches[0] if matches else None
    if top is None or verdict == "new":
        return _advice_on_new(top)
    if verdict == "ambiguous":
        near = [m for m in matches if top.score - m.score < CLEAR_LEAD]
        shown = ", ".join(match.link or match.path or "" for match in near[:3])
        return f"{len(near)} things may be meant, choose one: {shown}."
    if not top.link:
        return f"It is {top.path} ({top.reason}), but no link can hold that name."
    if verdict == "exists":
        return f"Write {top.link}: {top.reason}."
    ghost = top.kind == "ghost"
    where = f", which {_links(top.links)} to though no note is there" if ghost else ""
    return (
        f"Most likely {top.link}{where} ({top.reason}): write that unless "
        "something else is meant."
    )


def _advice_on_new(top: NameMatch | None) -> str:
    if top is not None and top.kind == "ghost" and top.score >= SURE:
        return (
            f"No note yet, but {_links(top.links)} to {top.link}: a new note of that "
            "very name answers them."
        )
    return "Nothing in the vault is called so; a new note may be made."


def _links(count: int) -> str:
    return "1 link leads" if count == 1 else f"{count} links lead"


def matches_of(name: str, names: NameLists) -> list[NameMatch]:
    """Return everything a name may mean, the likeliest first; ties go by path."""
    return _merged(list(_notes(name.removeprefix("#"), names)))


def _merged(matches: Sequence[NameMatch]) -> list[NameMatch]:
    best: dict[tuple[str, NotePath | str], NameMatch] = {}
    for name_match in matches:
        match = structs.replace(name_match, score=round(name_match.score, 4))
        key = (match.kind, match.path or match.title.lower())
        known = best.get(key)
        if known is None or match.score > known.score:
            best[key] = match
    if any(match.kind == "note" and match.score >= SURE for match in best.values()):
        for thing, match in best.items():  # unresolved links to what has a note
            if match.kind == "ghost":
                best[thing] = structs.replace(match, score=min(match.score, DIFFERENT))
    return sorted(
        best.values(),
        key=lambda m: (-m.score, m.kind != "note", m.path or m.title),
    )


def _notes(name: str, names: NameLists) -> Iterator[NameMatch]:
    yield from _by_path(name, names)
    form = folded(name)
    if not form:
        return
    same = list(_same(name, form, names))
    yield from same
    sure = any(match.score >= SURE for match in same)
    for other, certainty, why in _near(form, names, slips=not sure):
        score, reason = certainty, why
        if not _numbers_agree(form, other):
            score, reason = score * OTHER_NUMBER, f"{reason}, but another number"
        for known in names.forms[other]:
            factor = HEADING_NAME if known.how == "heading" else 1.0
            yield _match(names, known, score * factor, reason)


def _by_path(name: str, names: NameLists) -> Iterator[NameMatch]:
    whole = fold(name).removeprefix("./").removeprefix("/")
    bare = whole.removesuffix(NOTE_SUFFIX)
    entry = names.paths.get(bare)
    # a bare word is a title, which another note may have too
    if entry is not None and ("/" in whole or whole == fold(entry.path)):
        link, path = names.link_to(entry.path), entry.path
        reason = "that is its path"
        yield NameMatch("note", path, entry.title, link, 1.0, reason, path)
    elif entry is None and bare in names.wanted_paths:
        ghost, count, _ = names.wanted_paths[bare]
        link, reason = names.link_to_new(ghost), "links lead to that path"
        yield NameMatch("ghost", None, ghost, link, 1.0, reason, ghost, count)


def _same(name: str, form: str, names: NameLists) -> Iterator[NameMatch]:
    for known in names.forms.get(form, ()):
        exact = known.text == name
        differs = "" if exact else _difference(name, known.text)
        score = CERTAINTY.get(known.how, CERTAINTY["title"]) + EXACT * exact
        # who types no accents at all leaves them out; a short name is its marks too
        short = differs == "marks" and len(form) < ONE_SLIP_LETTERS
        if short or (differs == "accents" and not name.isascii()):
            score = min(score, DIFFERENT)
        reason = {
            "title": "it is called so",
            "alias": "an alias of it",
            "property": "a property of it says so",
            "heading": "its first heading says so",
            "ghost": "links lead to that name",
        }[known.how]
        but = f", but for {differs}" if differs else ""
        yield _match(names, known, score, f"{reason}{but}")


def _difference(a: str, b: str) -> str:
    if a.lower() == b.lower():
        return "case"
    same = re.sub(r"[\W_]", "", a).lower() == re.sub(r"[\W_]", "", b).lower()
    return "marks" if same else "accents"


def _near(
    form: str, names: NameLists, *, slips: bool
) -> Iterator[tuple[str, float, str]]:
    single = in_singular(form)
    for other in names.by("singular", single):
        yield other, PLURAL, "the same but for a plural"
    if slips:  # what has exactly that name was not misspelled
        yield from _slips(form, names)
    yield from _parts(single, names)


def _slips(form: str, names: NameLists) -> Iterator[tuple[str, float, str]]:
    long = len(form) >= TWO_SLIPS_LETTERS
    most = 2 if long else int(len(form) >= ONE_SLIP_LETTERS)
    if not most:
        return
    known = all(names.by("word", in_singular(word)) for word in form.split())
    for other, count in names.slips(form, most):
        if form.replace(" ", "") == other.replace(" ", ""):
            yield other, PLURAL, "the same but for a blank"
        else:
            score = ONE_SLIP if count == 1 else TWO_SLIPS
            if known or not _are_slips(form.split(), other.split()):
                score = min(score, KNOWN_WORDS)
            yield other, score, "one slip away" if count == 1 else "two slips away"


def _are_slips(given: Sequence[str], meant: Sequence[str]) -> bool:
    """Return whether no word is changed as a whole: `kubernetes pods` and `jobs`."""
    if len(given) != len(meant):
        return True  # a blank was lost or added
    return all(
        max(len(a), len(b)) >= TWO_SLIPS_LETTERS or slips_between(a, b, 1) is not None
        for a, b in zip(given, meant, strict=True)
    )


def _parts(single: str, names: NameLists) -> Iterator[tuple[str, float, str]]:
    wanted = [w for w in dict.fromkeys(single.split()) if w not in SMALL_WORDS]
    weights = {word: names.weight(word) for word in wanted}
    total = sum(weights.values())
    shared: dict[str, float] = {}
    for word in wanted:
        holders = names.by("word", word)
        if len(holders) <= COMMON:
            shared.update(dict.fromkeys(holders, 0.0))
    for word in wanted:
        for other in shared.keys() & set(names.by("word", word)):
            shared[other] += weights[word]
    dated = any(_has_digit(word) for word in wanted)
    for other, weight in shared.items():
        own = dict.fromkeys(in_singular(other).split())
        # numbers and dates that the text has none of tell no name from another
        rest = [w for w in own if w not in SMALL_WORDS and (dated or not _has_digit(w))]
        whole = sum(names.weight(word) for word in rest)
        held, given = min(weight / whole, 1.0) if whole else 0.0, weight / total
        score = given**2 * (PART + WHOLE * held)
        if held < ALL and not _is_proper(names.forms[other][0].text):
            score *= PARTIAL
        if given < ALL:
            reason = "its name shares words"
        elif held < ALL:
            reason = "its name holds these words"
        else:
            reason = "the same but for small words, numbers or dates"
        yield other, score, reason


def _is_proper(text: str) -> bool:
    return all(not word[0].islower() for word in text.split() if len(word) > len("von"))


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))


def _numbers_agree(a: str, b: str) -> bool:
    mine, others = ({w for w in form.split() if _has_digit(w)} for form in (a, b))
    return mine <= others or others <= mine


def _match(names: NameLists, name: Name, score: float, reason: str) -> NameMatch:
    if name.path is None:
        link = names.link_to_new(name.title)
        return NameMatch(
            "ghost", None, name.title, link, score, reason, name.text, name.uses
        )
    shown = name.text if name.how == "alias" and score >= SURE else ""
    link = names.link_to(name.path, shown)
    return NameMatch("note", name.path, name.title, link, score, reason, name.text)


SHOWN, MOST = 50, 500  # entities shown by default, and the most that can be

STATES: tuple[EntityState, ...] = ("linked", "match", "unsure", "stub")

MENTIONS_SHOWN, CANDIDATES_SHOWN, LINE_CHARS = 3, 3, 200

NAME_WORDS, NAME_CHARS = 6, 60  # of a name; more is a sentence
LEAST_TIMES = 2  # how often a single word has to be named to be taken for a name

LARGE_NOUNS, LEAST_WORDS = 0.25, 20
"""The share of words behind small ones that begin large from which nouns do, in notes
with at least so many: in a language such as German no name can be told."""

INSIDE_NAMES = frozenset(
    [
        "of", "the", "de", "la", "le", "du", "des", "von", "van", "der", "den", "del",
        "di", "da", "dos", "zu", "af", "y", "for", "and",
    ]
)  # fmt: skip
"""Small words that a name may have between its large ones."""

NAMELESS = COMMON_WORDS | INSIDE_NAMES | frozenset(
    word
    for line in (
        "monday tuesday wednesday thursday friday saturday sunday january february",
        "march april may june july august september october november december",
        "christmas easter monsieur madame mr mrs ms dr i ok yes no it he she we they",
        "you his her my if in on at as to so an a is or by up us let ask both read met",
        "saw call ring tell write see add buy although though however therefore",
        "meanwhile instead unless whether besides thus despite during either neither",
        "hence perhaps maybe please remember sometimes finally usually currently",
        "recently once then using try keep check set run open install",
    )
    for word in line.split()
)  # fmt: skip
"""Words that are large by rule, or because they open sentences, and name nothing."""

LEAST_HABIT = 0.5  # share of what a property leads to that is in one folder

OTHER_FILES = frozenset(
    word
    for line in (
        "csv tsv json txt xml yaml yml toml html htm doc docx xls xlsx ppt pptx odt",
        "ods zip gz tar py sh ipynb epub weba opus aac heic tiff ini log sql bib tex",
        "canvas base excalidraw",
    )
    for word in line.split()
)
"""Suffixes of files that people link to besides what Obsidian shows; `Node.js` and
`Plan.v2` are notes."""

_NO_NAME = re.compile(r"https?://|@|^[\d\W]*$|\d{4}-\d{2}")
_MARKERS = re.compile(r"^\s*(?:>\s*)*(?:(?:[-+*]|\d+[.)]|#+)\s+)?(?:\[.\]\s+)?")
_LARGE = (
    r"[A-Z\u00c0-\u00d6\u00d8-\u00de\u0391-\u03a9\u0410-\u042f]"
    r"(?:[\w&]|[-.](?=\w)|['\u2019](?!(?:s|t|m|d|re|ve|ll)\b)(?=\w))*"
)
_RUN = re.compile(rf"(?<!\w){_LARGE}(?: (?:(?:{'|'.join(INSIDE_NAMES)}) )*{_LARGE})*")
_BEHIND_SMALL = re.compile(r"(?<!\w)[^\W\dA-Z_]\w* (?=([^\W\d_]))")
"""The first letter of a word behind one in small letters, so inside a sentence."""
_AT = re.compile(r"(?<![\w.@])@([^\W\d_][\w-]*(?: (?=[A-Z])[^\W\d_][\w-]*)?)")
_FORBIDDEN = re.compile(r'[\\/:*?"<>|#^\[\]\x00-\x1f]+')
"""What no file name has on every system, and what no link can hold."""


class Phrase(NamedTuple):
    """A stretch of prose that seems to name something; `sure` if marked so."""

    text: str
    line: int
    source: str
    sure: bool = False


class _Run(NamedTuple):
    """A row of large words with small ones between; `opens` a sentence, or not."""

    line: int
    words: list[str]
    opens: bool


class _Naming(NamedTuple):
    """A place that names something; `firm` ones make a stub, `target` is unresolved."""

    name: str
    source: str
    line: int
    path: NotePath | None = None
    linked: bool = False
    firm: bool = False
    property: str = ""
    target: str = ""
    markdown: bool = False


def ingest(vault: Vault, name: str, *, limit: int = SHOWN) -> Ingestion:
    """Return what a note, as it is on disk now, names, and what the vault has of it."""
    if not 1 <= limit <= MOST:
        raise BadLimit(limit, MOST)
    path = notes_for(vault).find(name)
    note = _read(vault, path)
    entities = _Reading(vault, note).entities()
    states = Counter(entity.state for entity in entities)
    return Ingestion(
        path=path,
        title=note.title,
        entities=tuple(entities[:limit]),
        total=len(entities),
        counts={state: states[state] for state in STATES},
    )


def _read(vault: Vault, path: NotePath) -> Note:
    with vault.files() as files:
        decoded = decode(files.read(path))
        if isinstance(decoded, Unreadable):
            raise FileUnreadable(path, decoded.reason)
        hides, text = files.hides_secrets, decoded.text
        return read_safe_note(path, text).note if hides else read_note(path, text)


class _Reading:
    """A note, and what the vault calls things; each name is matched once."""

    def __init__(self, vault: Vault, note: Note) -> None:
        self.vault, self.note = vault, note
        self.vocabulary = vocabulary_for(vault)
        self.names = self.vocabulary.names
        self.matches = cache(lambda name: matches_of(name, self.names))

    def entities(self) -> list[Entity]:
        """Return what the note names, in the order of the text."""
        groups: dict[str, list[_Naming]] = {}
        linked: dict[str, str] = {}  # keys of unresolved links, by their singular
        for naming in self._namings():
            form, path = in_singular(folded(naming.name)), naming.path
            if not form:
                continue
            path = path or self._meant(naming)
            key = path or linked.get(form, f"\0{form}")
            if path is None and naming.target:  # each of these links gets an answer
                key = f"\0\0{fold(naming.name)}"
                linked.setdefault(form, key)
            if path != self.note.path:
                groups.setdefault(key, []).append(naming._replace(path=path))
        ordered = sorted(
            groups.values(),
            key=lambda group: (min(n.line for n in group), folded(group[0].name)),
        )
        entities = (self._entity(group) for group in ordered)
        return [entity for entity in entities if entity is not None]

    def _namings(self) -> Iterator[_Naming]:
        note, vocabulary = self.note, self.vocabulary
        yield from self._in_links()
        yield from self._in_properties()
        entries = {entry.id: entry for entry in vocabulary.counted}
        for note_id, spot in mentions_in(note, vocabulary.table).items():
            entry = entries[note_id]
            # `home` is not the note Home
            as_given = len(spot.name) > 1 or spot.text in {entry.title, *entry.aliases}
            is_clear = len(spot.notes) == 1 and spot.exact
            if entry.path != note.path and is_clear and as_given:
                yield _Naming(spot.text, "title", spot.line, path=entry.path)
        for phrase in phrases_in(note):
            yield _Naming(phrase.text, phrase.source, phrase.line, firm=phrase.sure)
        for tag in note.tags:
            yield _Naming(tag.name.rpartition("/")[2], "tag", tag.line)

    def _in_links(self) -> Iterator[_Naming]:
        note = self.note
        notes = {entry.path for entry in self.vocabulary.entries}
        for link in note.links:
            markdown = link.kind == "markdown"
            end = self.names.end_of(link.target, note.path, markdown=markdown)
            if end == note.path or (end is not None and end not in notes):
                continue  # itself, or an attachment
            is_file = "://" in link.target or is_file_name(link.target)
            if end is None and (not link.target or is_file):
                continue
            yield _Naming(
                link.target.rpartition("/")[2].removesuffix(NOTE_SUFFIX),
                "property" if link.property else "link",
                0 if link.property else link.line,
                path=end,
                linked=end is not None,
                firm=True,
                property=link.property or "",
                target="" if end is not None else link.target,
                markdown=markdown,
            )

    def _in_properties(self) -> Iterator[_Naming]:
        linking = {link.property for e in self.vocabulary.counted for link in e.links}
        for key, value in self.note.frontmatter.properties.items():
            if key.lower() in EVERYWHERE or is_category_key(key):
                continue
            for text in _texts(value):
                if key in linking or folded(text) in self.names.forms:
                    firm = key in linking
                    yield _Naming(text, "property", 0, firm=firm, property=key)

    def _meant(self, naming: _Naming) -> NotePath | None:
        matches = self.matches(naming.name)
        verdict, _ = verdict_on(matches)
        if verdict not in {"exists", "likely"} or matches[0].kind != "note":
            return None
        is_enough = naming.source != "tag" or verdict == "exists"
        return matches[0].path if is_enough else None

    def _entity(self, group: Sequence[_Naming]) -> Entity | None:
        """Return what is named here; None when it may be anything."""
        first = group[0]
        sources = tuple(dict.fromkeys(naming.source for naming in group))
        mentions = _mentions(group, self.note.text.split("\n"))
        entity = Entity(
            name=first.name,
            state="unsure",
            sources=sources,
            mentions=tuple(mentions[:MENTIONS_SHOWN]),
            mentions_total=len(mentions),
        )
        if any(naming.linked for naming in group) and first.path is not None:
            link = self.names.link_to(first.path)
            return structs.replace(entity, state="linked", link=link, path=first.path)
        matches = self.matches(first.name)
        name_matches = tuple(match for match in matches if match.path != self.note.path)
        entity = structs.replace(entity, candidates=name_matches[:CANDIDATES_SHOWN])
        verdict, link = verdict_on(matches)
        if first.path is not None:
            state = _state_of_known(first.name, sources, sure=verdict == "exists")
            link = link or self.names.link_to(first.path)
            return structs.replace(entity, state=state, link=link, path=first.path)
        is_tag = set(sources) == {"tag"}
        if verdict == "ambiguous" and not is_tag:
            return entity
        if is_tag or not _is_worth_a_note(group):
            return None
        target = next((naming for naming in group if naming.target), None)
        name = target.target if target else first.name
        if is_left_out(name, names_left_out(self.vault)):
            state = "linked" if target else "unsure"
            link = self.names.link_to_new(name)
            return structs.replace(entity, state=state, link=link)
        return self._with_stub(entity, target, self._folder(first.name, group))

    def _with_stub(
        self, entity: Entity, link: _Naming | None, folder: tuple[str, str]
    ) -> Entity:
        """Propose a note that answers the links to it; as it is where none can."""
        name, source, names = entity.name, self.note.path, self.names
        target, markdown = (link.target, link.markdown) if link else ("", False)
        ghost = next((m for m in entity.candidates if m.kind == "ghost"), None)
        if ghost is not None and folded(ghost.matched) == folded(name):
            name = ghost.matched  # as the links to it are written
            target = target or ghost.title
        if "/" in target:
            path, reason = _linked_path(target, source), "the link says so"
        else:
            plain = " ".join(_FORBIDDEN.sub(" ", name).split()).strip(".")
            path, reason = _joined(folder[0], f"{plain or 'Untitled'}.md"), folder[1]
        is_taken = (
            path is None
            or names.end_of(f"/{path}", NotePath("")) is not None
            or not is_free(self.vault.config.vault.path, path)
        )
        if path is None or is_taken:
            return self._without_stub(entity, name, ghost)
        made = Names.of([path])
        if target and made.resolve(target, source, markdown=markdown) != path:
            return self._without_stub(entity, name, ghost)
        stub = ProposedNote(
            path, f"Named in {names.link_to(source) or self.note.title}.\n", reason
        )
        bare = path.removesuffix(NOTE_SUFFIX)
        end = bare if "/" in target else bare.rpartition("/")[2]
        to_new = names.link_to_new(end)
        return structs.replace(entity, name=name, state="stub", link=to_new, stub=stub)

    def _without_stub(
        self, entity: Entity, name: str, ghost: NameMatch | None
    ) -> Entity:
        matches = tuple(match for match in entity.candidates if match is not ghost)
        return structs.replace(entity, name=name, candidates=matches)

    def _folder(self, name: str, group: Sequence[_Naming]) -> tuple[str, str]:
        """Return where most notes are that the same property leads to, and why."""
        links = [link for e in self.vocabulary.counted for link in e.links]
        form = folded(name)
        keys = {naming.property for naming in group if naming.property}
        keys |= {
            link.property
            for link in links
            if link.path is None and folded(link.target) == form
        }
        for key in sorted(keys):
            ends = {link.path for link in links if link.property == key and link.path}
            folders = Counter(sorted(path.rpartition("/")[0] for path in ends))
            for folder, count in folders.most_common(1):
                if count >= LEAST_HABIT * len(ends):
                    where = folder or "root"
                    return folder, f"most that {key} leads to stand in {where}"
        usual = self.vocabulary.settings.new_notes
        if usual is None:
            folder = self.note.path.rpartition("/")[0]
            return folder, "new notes are made beside the current one"
        return usual, f"new notes are made in {usual or 'the root'}"


def _texts(value: PropertyValue) -> Iterator[str]:
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str) and kind_of(item) == "text":
            text = item.strip()
            short = len(text) <= NAME_CHARS and len(text.split()) <= NAME_WORDS
            if short and not _NO_NAME.search(text):
                yield text


def _state_of_known(name: str, sources: Collection[str], *, sure: bool) -> EntityState:
    small = " " not in folded(name) and name.islower() and name.isalpha()
    if small and set(sources) <= {"title", "phrase"}:
        return "unsure"
    return "match" if sure or "title" in sources else "unsure"


def _is_worth_a_note(group: Sequence[_Naming]) -> bool:
    name = group[0].name
    often = any(naming.firm for naming in group) or len(group) >= LEAST_TIMES
    return often and not (is_date(name) or is_placeholder(name) or is_file_name(name))


def _mentions(group: Sequence[_Naming], lines: Sequence[str]) -> list[NamedLine]:
    found = set()
    for naming in group:
        if naming.line:
            line = lines[min(naming.line, len(lines)) - 1]
            text = " ".join(_MARKERS.sub("", line).split())
        else:
            text = f"{naming.property}: {naming.name}"
        found.add((naming.line, _around(text, naming.name)))
    return [NamedLine(line or None, text) for line, text in sorted(found)]


def _around(text: str, name: str) -> str:
    if len(text) <= LINE_CHARS:
        return text
    at = max(text.lower().find(name.lower()), 0)
    start = max(0, min(at - LINE_CHARS // 2, len(text) - LINE_CHARS))
    end = start + LINE_CHARS
    before, after = "..." * bool(start), "..." * (end < len(text))
    return f"{before}{text[start:end]}{after}"


def is_file_name(name: str) -> bool:
    """Return whether a name is that of a file that is not a note: `data.csv`."""
    return is_attachment(name) or name.rpartition(".")[2].lower() in OTHER_FILES


def _linked_path(target: str, source: NotePath) -> NotePath | None:
    """Return the path that a link with folders names; None where no note can be."""
    near = target.startswith(("./", "../"))
    folder = source.rpartition("/")[0] if near else ""
    path = normpath(_joined(folder, target)) if near else target.removeprefix("/")
    for part in path.split("/"):
        if not part.strip() or part[0] == "." or _FORBIDDEN.search(part):
            return None
    return NotePath(path.removesuffix(NOTE_SUFFIX) + NOTE_SUFFIX)


def _joined(folder: str, rest: str) -> NotePath:
    return NotePath(f"{folder}/{rest}" if folder else rest)


def phrases_in(note: Note) -> list[Phrase]:
    source = note.text.encode()
    starts = line_starts(source)
    phrases, runs = list[Phrase](), list[_Run]()
    inside = large = 0
    for start, end in prose(note.text, note.frontmatter.end):
        line = bisect_right(starts, start)
        text = source[start:end].decode(errors="replace")
        ahead = source[starts[line - 1] : start].decode(errors="replace")
        phrases += [Phrase(at[1], line, "name", sure=True) for at in _AT.finditer(text)]
        runs += _runs(line, text, ahead)
        letters = _BEHIND_SMALL.findall(text)
        inside, large = inside + len(letters), large + sum(map(str.isupper, letters))
    if inside < LEAST_WORDS or large <= LARGE_NOUNS * inside:
        phrases += _names_among(runs)
    return sorted(phrases, key=lambda p: (p.line, p.source, p.text))


def _runs(line: int, text: str, ahead: str) -> Iterator[_Run]:
    for match in _RUN.finditer(text):
        words = match[0].split(" ")
        is_opening = opens(ahead + text[: match.start()])
        # `Packed for Spain`: a small word ties the first one to the rest
        is_tied = is_opening and len(words) > 1 and words[1][0].islower()
        if is_opening and (is_tied or words[0].lower() in NAMELESS):
            words, is_opening = words[1:], False
        while words and words[0][0].islower():
            del words[0]
        while words and words[-1].lower() in NAMELESS:
            del words[-1]
        if words and len(words) <= NAME_WORDS and len(words[0]) > 1:
            yield _Run(line, words, is_opening)


def _names_among(runs: Sequence[_Run]) -> Iterator[Phrase]:
    times = Counter(" ".join(run.words) for run in runs)
    inside = {" ".join(run.words) for run in runs if not run.opens}
    for line, words, is_opening in runs:
        name, rest = " ".join(words), " ".join(words[1:])
        if is_opening and name not in inside and rest in inside:
            name = rest  # it is a name elsewhere: the first word opens the sentence
        if " " in name or (times[name] >= LEAST_TIMES and name in inside):
            yield Phrase(name, line, "phrase", sure=" " in name)
