"""What a note names in its prose without a link: found by letters, no model asked.

Capital letters make a name where they stand inside a sentence, or where several words
have them. Scripts without capitals name by quotes, by an address such as `san`, and, in
Japanese, by katakana. A language that writes every noun large, such as German, shows it
by how many words do: there one word alone is no name.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import (
    Callable,
    Collection,
    Container,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from posixpath import normpath
from typing import NamedTuple

from msgspec import structs

from glassmind.errors import BadLimit, FileUnreadable
from glassmind.files.ignore import is_attachment
from glassmind.files.names import NOTE_SUFFIX, Names
from glassmind.files.read import Unreadable, VaultFiles, decode
from glassmind.files.scan import is_free, is_left_out
from glassmind.graph.mentions import COMMON_WORDS, IsCommon, Spot, mentions_in
from glassmind.graph.ontology import (
    EVERYWHERE,
    LEAST_NOTES,
    categories_of,
    is_category_key,
    kind_of,
    schema_of,
)
from glassmind.graph.resolve import matches_of, verdict_on
from glassmind.graph.vocabulary import Vocabulary
from glassmind.graph.words import (
    LOOKED_AT,
    UNSEEN,
    folded,
    in_singular,
    is_date,
    is_placeholder,
    opens,
)
from glassmind.model import NotePath, PropertyValue
from glassmind.model.notes import Note
from glassmind.model.ontology import (
    Entity,
    EntityState,
    Entry,
    Ingestion,
    NamedLine,
    NameMatch,
    ProposedNote,
)
from glassmind.obsidian.notes import read_note
from glassmind.obsidian.prose import prose
from glassmind.obsidian.secrets import without_secrets
from glassmind.obsidian.structure import line_starts
from glassmind.obsidian.text import fold

LARGE_NOUNS = 0.2
"""The share of words inside sentences that begin large from which nouns do: English
prose has about one in twelve, German one in four."""

LEAST_WORDS = 40
"""Words that a note has to have for that share to say anything."""

LEAST_TIMES = 2
"""How often one word alone has to stand there to be taken for a name."""

TERM_TIMES, TERM_WORDS = 3, (3, 2)
"""How often a term in small letters has to stand there, and of how many words it is."""

LEAST_TERM_LETTERS = 4
"""Letters of every word of a term; shorter ones hold sentences together."""

MOST_WORDS = 6
"""Words of a name; what is longer is a heading or a shout."""

WHOLE_NAME = 2
"""Words of a name that is a person's in full."""

INSIDE_NAMES = frozenset(
    [
        "of", "the", "de", "la", "le", "du", "des", "von", "van", "der", "den", "del",
        "di", "da", "dos", "zu", "af", "y", "for", "and",
    ]
)  # fmt: skip
"""Small words that a name may hold between its large ones."""

OPENERS = INSIDE_NAMES | frozenset(
    [
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
        "january", "february", "march", "april", "may", "june", "july", "august",
        "september", "october", "november", "december", "christmas", "easter",
        "monsieur", "madame", "mr", "mrs", "ms", "dr", "i", "ok", "yes", "no", "it",
        "he", "she", "we", "they", "you", "his", "her", "my", "if", "in", "on", "at",
        "as", "to", "so", "an", "a", "is", "or", "by", "up", "us", "let", "ask", "both",
        "read", "met", "saw", "call", "ring", "tell", "write", "see", "add", "buy",
        "although", "though", "however", "therefore", "nevertheless", "moreover",
        "furthermore", "meanwhile", "instead", "unless", "whether", "besides", "thus",
        "despite", "during", "either", "neither", "perhaps", "maybe", "please", "hence",
        "remember", "sometimes", "finally", "usually", "currently", "recently", "once",
        "then", "using", "try", "keep", "check", "set", "run", "open", "install",
    ]
)  # fmt: skip
"""Words that are large by rule, or because they open sentences, and name nothing."""

UNTELLING = COMMON_WORDS | OPENERS
"""Words that name nothing by themselves."""

_SAID = re.compile(
    r"i(?:['\u2019]\w+)?|.*(?:n['\u2019]t|['\u2019](?:re|ve|ll|d|m))", re.IGNORECASE
)
"""What English writes large by rule, or shortens: `I`, `I've`, `Don't`."""

JOINS = frozenset(["and", "y", "und", "et"])
"""Words between two names rather than inside one, where both sides are whole names."""

_WORD = re.compile(r"[^\W\d_](?:[\w'\u2019&]|[-.](?=\w))*")
_AT = re.compile(r"(?<![\w.@])@([^\W\d_][\w-]*(?: (?=[A-Z])[^\W\d_][\w-]*)?)")
_TITLED = re.compile("[『《]([^『』《》\n]{2,20})[』》]")
_QUOTED = re.compile("「([^「」\n]{2,10})」")
_ADDRESSED = re.compile(
    "([\u4e00-\u9fff々]{2,4}|[ァ-ヴー]{2,8})(?:さん|先生|氏|様|ちゃん|女士|老师)"
    "|([가-힣]{2,4}) ?(?:씨|님|선생님)"
)
_KATAKANA = re.compile("[ァ-ヴー]{3,}(?:・[ァ-ヴー]{2,})*")


class Phrase(NamedTuple):
    """A stretch of prose that seems to name something.

    `sure` says that no chance of letters made it one: `@name`, a title in its brackets,
    or several large words where nouns are small. `rest` is what is left without a word
    that may be large only because it opens a sentence.
    """

    text: str
    line: int
    source: str
    sure: bool = False
    rest: str = ""


class _Token(NamedTuple):
    text: str
    start: int
    end: int
    opens: bool

    @property
    def large(self) -> bool:
        return self.text[0].isupper() and not _SAID.fullmatch(self.text)


def phrases_in(note: Note) -> list[Phrase]:
    """Return every naming stretch of a note's prose, in order."""
    source = note.text.encode()
    starts = line_starts(source)
    stretches = []
    for start, end in prose(note.text, note.frontmatter.end):
        line = bisect_right(starts, start)
        before = _ahead(source, starts[line - 1], start)
        stretches.append((line, before, source[start:end].decode(errors="replace")))
    tokens = [(line, text, _tokens(before, text)) for line, before, text in stretches]
    found = [*_marked(stretches), *_capitals(tokens), *_terms(tokens)]
    order = {"name": 0, "phrase": 1, "term": 2}
    return sorted(found, key=lambda one: (one.line, order[one.source], one.text))


def _ahead(source: bytes, line: int, start: int) -> str:
    """Return what stands in a line before a stretch, as far as that is looked at."""
    cut = max(line, start - LOOKED_AT)
    before = source[cut:start].decode(errors="replace")
    return UNSEEN + before if cut > line else before


def _tokens(before: str, text: str) -> list[_Token]:
    """Return the words of a stretch, and of each whether it opens a sentence."""
    tokens = []
    for match in _WORD.finditer(text):
        cut = match.start() - LOOKED_AT
        far = before if cut <= 0 else UNSEEN
        ahead = far + text[max(0, cut) : match.start()]
        word = match[0].removesuffix("'s").removesuffix("\u2019s")
        end = match.start() + len(word)
        tokens.append(_Token(word, match.start(), end, opens(ahead)))
    return tokens


def _marked(stretches: Iterable[tuple[int, str, str]]) -> Iterator[Phrase]:
    """Yield what a mark or an address makes a name."""
    katakana: list[Phrase] = []
    for line, _, text in stretches:
        for match in _AT.finditer(text):
            yield Phrase(match[1], line, "name", sure=True)
        for match in _TITLED.finditer(text):
            if any(map(str.isalnum, match[1])):
                yield Phrase(" ".join(match[1].split()), line, "phrase", sure=True)
        for match in _QUOTED.finditer(text):
            if any(map(str.isalnum, match[1])):
                yield Phrase(" ".join(match[1].split()), line, "phrase")
        for match in _ADDRESSED.finditer(text):
            yield Phrase(match[1] or match[2], line, "name", sure=True)
        found = _KATAKANA.findall(text)
        katakana.extend(Phrase(name, line, "phrase") for name in found)
    times = Counter(phrase.text for phrase in katakana)
    yield from (one for one in katakana if times[one.text] >= LEAST_TIMES)


def _capitals(lines: list[tuple[int, str, list[_Token]]]) -> Iterator[Phrase]:
    inside = [token for _, _, tokens in lines for token in tokens if not token.opens]
    large = sum(1 for token in inside if token.large)
    nouns = len(inside) >= LEAST_WORDS and large / len(inside) > LARGE_NOUNS
    small = {token.text for token in inside if not token.large}
    rows = [
        (line, run)
        for line, text, tokens in lines
        for run in _runs(text, tokens, None if nouns else small)
    ]
    within = {_text(run) for _, run in rows if not run[0].opens}
    found = [(line, run, _text(run), _text(run[1:])) for line, run in rows]
    times = Counter(_without(text, rest, within) for _, _, text, rest in found)
    for line, run, text, rest in found:
        name = _without(text, rest, within)
        if len(run) == 1 and (nouns or name not in within or times[name] < LEAST_TIMES):
            continue
        tail = rest if run[0].opens and " " in name else ""
        sure = " " in name and not nouns and not _is_chance(run, name, within)
        yield Phrase(name, line, "phrase", sure, tail)


def _is_chance(run: Sequence[_Token], name: str, within: Collection[str]) -> bool:
    """Whether its first word may be large only since it opens a sentence.

    As in `Packed for Spain`, where a small word ties it to the rest; what stands so
    inside a sentence, too, is a name.
    """
    return run[0].opens and not run[1].large and name not in within


def _text(run: Sequence[_Token]) -> str:
    return " ".join(token.text for token in run)


def _without(text: str, rest: str, within: Collection[str]) -> str:
    """Return a name, or what is left of it without the word that opens the sentence.

    That is where the rest stands elsewhere by itself.
    """
    return rest if text not in within and rest in within else text


def _runs(
    text: str, tokens: list[_Token], small: Collection[str] | None
) -> Iterator[list[_Token]]:
    """Yield the rows of large words, small ones between them, nothing at the ends.

    `small` are words that the note writes small too; None where every word that opens
    a sentence may be one.
    """
    run: list[_Token] = []
    for token in tokens:
        joined = bool(run) and text[run[-1].end : token.start] == " "
        starts = token.large and not run
        goes_on = joined and not token.opens
        if starts or (goes_on and (token.large or token.text in INSIDE_NAMES)):
            run.append(token)
        else:
            yield from _named(run, small)
            run = [token] if token.large else []
    yield from _named(run, small)


def _named(run: list[_Token], small: Collection[str] | None) -> Iterator[list[_Token]]:
    """Yield a row without what does not belong to a name, if any is left."""
    while run and not run[-1].large:
        run = run[:-1]
    if run and run[0].opens:
        first = run[0].text.lower()
        if small is None or first in small or first in UNTELLING:
            run = run[1:]
    while run and not run[0].large:
        run = run[1:]
    for name in _apart(run):
        telling = [t for t in name if t.text.lower() not in UNTELLING]
        if telling and len(name) <= MOST_WORDS and len(name[0].text) > 1:
            yield name


def _apart(run: list[_Token]) -> Iterator[list[_Token]]:
    """Yield the names of a row: two where each side of an `and` is a whole one."""
    for at, token in enumerate(run):
        before, behind = run[:at], run[at + 1 :]
        if token.text in JOINS and min(len(before), len(behind)) >= WHOLE_NAME:
            yield before
            yield from _apart(behind)
            return
    yield run


def _terms(lines: list[tuple[int, str, list[_Token]]]) -> Iterator[Phrase]:
    """Yield terms of small words that come again and again, the longer ones first."""
    taken: list[str] = []
    for size in TERM_WORDS:
        found = [
            (line, " ".join(token.text.lower() for token in row))
            for line, text, tokens in lines
            for row in zip(*(tokens[at:] for at in range(size)), strict=False)
            if _is_term(text, row)
        ]
        times = Counter(term for _, term in found)
        often = {
            term
            for term, count in times.items()
            if count >= TERM_TIMES and not any(term in longer for longer in taken)
        }
        taken += sorted(often)
        yield from (Phrase(term, line, "term") for line, term in found if term in often)


def _is_term(text: str, row: tuple[_Token, ...]) -> bool:
    if any(text[a.end : b.start] != " " for a, b in pairwise(row)):
        return False
    words = [token.text for token in row]
    if not all(word.isascii() and word.isalpha() for word in words):
        return False
    return all(
        len(word) >= LEAST_TERM_LETTERS and word.lower() not in UNTELLING
        for word in words
    )


LEAST_HABIT = 0.5
"""The share of things a property leads to that stand in one folder, to call it one."""

SHARED_BY = 0.8
"""The share of a folder's notes that have a tag or a category, to give it to a new one:
a wrong one is worse than none."""

PEOPLE = frozenset(["person", "people", "contact"])
"""What vaults call the sort of notes that a person's name begins."""

OTHER_FILES = frozenset(
    [
        "csv", "tsv", "json", "txt", "xml", "yaml", "yml", "toml", "html", "htm", "doc",
        "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "zip", "gz", "tar", "py",
        "sh", "ipynb", "epub", "weba", "opus", "aac", "heic", "tiff", "ini", "log",
        "sql", "bib", "tex", "canvas", "base", "excalidraw",
    ]
)  # fmt: skip
"""How files end that people link to besides what Obsidian shows; `Node.js` and
`Plan.v2` are notes."""

_FORBIDDEN = re.compile(r'[\\/:*?"<>|#^\[\]\x00-\x1f]+')
"""What no file name has on every system, and what no link can hold."""

_PLAIN = re.compile(r"[\w][\w /.-]*")


class Wanted(NamedTuple):
    """A thing that has no note: its name, and what is known of its sort.

    `properties` lead to it somewhere in the vault; a `person` was addressed as one.
    `targets` are the links that lead to it in vain, each with whether it is Markdown.
    """

    name: str
    properties: frozenset[str] = frozenset()
    person: bool = False
    targets: tuple[tuple[str, bool], ...] = ()


def stub_for(
    wanted: Wanted, vocabulary: Vocabulary, source: NotePath, backlink: str
) -> ProposedNote | None:
    """Return the note that could be made, with a link back to who names it.

    None where a file is there already, and where the links that want it would not lead
    there: no file has their name on every system.
    """
    pathed = next((target for target, _ in wanted.targets if "/" in target), None)
    if pathed is not None:
        path, reason = _placed(pathed, source), "the link says so"
    else:
        folder, reason = _folder(wanted, vocabulary, source)
        name = " ".join(_FORBIDDEN.sub(" ", wanted.name).split()).strip(".")
        path = _joined(folder, f"{name or 'Untitled'}{NOTE_SUFFIX}")
    if path is None or not _answers(path, wanted, vocabulary, source):
        return None
    folder = path.rpartition("/")[0]
    peers = [entry for entry in vocabulary.counted if entry.folder == folder]
    head = _head(peers) if len(peers) >= LEAST_NOTES else []
    lines = ["---", *head, "---"] if head else []
    text = "\n".join([*lines, f"Named in {backlink}.", ""])
    return ProposedNote(path, text, reason)


def is_file_name(name: str) -> bool:
    """Whether a name is that of a file which is no note: `data.csv`."""
    return is_attachment(name) or name.rpartition(".")[2].lower() in OTHER_FILES


def _placed(target: str, source: NotePath) -> NotePath | None:
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


def _answers(
    path: NotePath, wanted: Wanted, vocabulary: Vocabulary, source: NotePath
) -> bool:
    """Whether a note at a free path is what the links to it would lead to."""
    made = Names.of([path])
    return vocabulary.names.end_of(f"/{path}", NotePath("")) is None and all(
        made.resolve(target, source, markdown=markdown) == path
        for target, markdown in wanted.targets
    )


def _folder(
    wanted: Wanted, vocabulary: Vocabulary, source: NotePath
) -> tuple[str, str]:
    """Return where it would stand, and why there."""
    for name in sorted(wanted.properties):
        folders = Counter(_led_to_by(name, vocabulary.counted))
        if folders:
            folder, count = min(folders.items(), key=lambda one: (-one[1], one[0]))
            if count / folders.total() >= LEAST_HABIT:
                return folder, f"most that {name} leads to stand in {folder or 'root'}"
    if wanted.person:
        people = _people(vocabulary.counted)
        if people is not None:
            return people, f"people stand in {people or 'root'}"
    usual = vocabulary.settings.new_notes
    if usual is None:
        return source.rpartition("/")[0], "new notes are made beside the current one"
    return usual, f"new notes are made in {usual or 'the root'}"


def _led_to_by(name: str, entries: Sequence[Entry]) -> Iterable[str]:
    paths = {
        link.path
        for entry in entries
        for link in entry.links
        if link.property == name and link.path is not None
    }
    return (path.rpartition("/")[0] for path in sorted(paths))


def _people(entries: Sequence[Entry]) -> str | None:
    """Return the folder that most people stand in, if there are any."""
    folders = Counter(
        entry.folder
        for entry in entries
        if any(in_singular(folded(sort)) in PEOPLE for sort in _sorts(entry))
    )
    if not folders:
        return None
    return min(folders, key=lambda folder: (-folders[folder], folder))


def _sorts(entry: Entry) -> Iterable[str]:
    yield from entry.tags
    yield entry.folder.rpartition("/")[2]
    yield from (label for _, label in categories_of(entry))


def _head(peers: Sequence[Entry]) -> list[str]:
    """Return the properties that most of its peers have, with what nearly all share."""
    schema = schema_of(peers)
    lines = []
    for key in schema.keys if schema else ():
        if key.name.lower() in {"tags", "tag"}:
            tags = Counter(tag.lower() for peer in peers for tag in set(peer.tags))
            shared = [t for t in sorted(tags) if tags[t] / len(peers) >= SHARED_BY]
            lines.append(f"{_quoted(key.name)}: [{', '.join(map(_quoted, shared))}]")
        elif is_category_key(key.name):
            lines.append(f"{_quoted(key.name)}: {_category(key.name, peers)}".rstrip())
        else:
            lines.append(f"{_quoted(key.name)}:")
    return lines


def _category(name: str, peers: Sequence[Entry]) -> str:
    said = Counter(
        value
        for peer in peers
        if isinstance(value := peer.properties.get(name), str) and value
    )
    if not said:
        return ""
    value = min(said, key=lambda one: (-said[one], one))
    return _quoted(value) if said[value] / len(peers) >= SHARED_BY else ""


def _quoted(text: str) -> str:
    """Return a text as YAML takes it."""
    if _PLAIN.fullmatch(text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


SHOWN, MOST = 50, 500
"""Entities that are told unless more are asked for, and the most that can be."""

MENTIONS_SHOWN, LINE_CHARS = 3, 200
CANDIDATES_SHOWN = 3

NAME_WORDS, NAME_CHARS = 6, 60
"""Words and letters of a property's text that may be a name; more is a sentence."""

SINGLE_TIMES = 2
"""How often a word that nothing in the vault is called by has to be named: once may be
anything."""

_NO_NAME = re.compile(r"https?://|@|^[\d\W]*$|\d{4}-\d{2}")
_MARKERS = re.compile(r"^\s*(?:>\s*)*(?:(?:[-+*]|\d+[.)]|#+)\s+)?(?:\[.\]\s+)?")


class _Naming(NamedTuple):
    """One place where a note names something.

    `path` is where it leads, when it does. `firm` namings make a stub by themselves.
    `target` is that of a link that leads in vain, which is a Markdown one or not.
    """

    name: str
    source: str
    line: int
    path: NotePath | None = None
    linked: bool = False
    firm: bool = False
    property: str = ""
    person: bool = False
    target: str = ""
    markdown: bool = False


class _Desk(NamedTuple):
    """A note that is read, its lines, and what the vault calls things.

    `left_out` has the names of files that are not in the index, `matches` what the
    vault has of a name, looked up once.
    """

    root: Path
    note: Note
    lines: Sequence[str]
    vocabulary: Vocabulary
    left_out: Callable[[], Container[str]]
    matches: Callable[[str], list[NameMatch]]


def ingest(  # noqa: PLR0913 - the note, and what it is read by
    root: Path,
    path: NotePath,
    vocabulary: Vocabulary,
    is_common: IsCommon,
    *,
    limit: int,
    left_out: Callable[[], Container[str]] = frozenset,
    files: Callable[[], VaultFiles],
) -> Ingestion:
    """Return what a note names, in the order it does, and what the vault has of it.

    The note is read as it is on disk now, the vault as it is indexed; `left_out`
    returns what files are called that are not in the index, `files` reads notes.

    Raises:
        BadLimit: so many entities cannot be given.
        FileUnreadable: the note is gone, or holds no text.
    """
    if not 1 <= limit <= MOST:
        raise BadLimit(limit, MOST)
    with files() as opened:
        note = _read(opened, path)
    matches = cache(partial(matches_of, names=vocabulary.names))
    lines = note.text.split("\n")
    desk = _Desk(root, note, lines, vocabulary, cache(left_out), matches)
    groups = _grouped(_namings(note, vocabulary, is_common), desk)
    made = [_entity(group, desk) for group in groups]
    entities = [entity for entity in made if entity is not None]
    counts = {
        state: sum(1 for one in entities if one.state == state)
        for state in ("linked", "match", "unsure", "stub")
    }
    return Ingestion(
        path=path,
        title=note.title,
        entities=tuple(entities[:limit]),
        total=len(entities),
        counts=counts,
    )


def _read(files: VaultFiles, path: NotePath) -> Note:
    decoded = decode(files.read(path))
    if isinstance(decoded, Unreadable):
        raise FileUnreadable(path, decoded.reason)
    note = read_note(path, decoded.text)
    return without_secrets(note).note if files.hides_secrets else note


def _namings(
    note: Note, vocabulary: Vocabulary, is_common: IsCommon
) -> Iterator[_Naming]:
    yield from _by_links(note, vocabulary)
    yield from _by_properties(note, vocabulary)
    yield from _by_titles(note, vocabulary, is_common)
    known = vocabulary.names.forms
    for phrase in phrases_in(note):
        opened = folded(phrase.text) not in known and folded(phrase.rest) in known
        name = phrase.rest if opened else phrase.text
        person = phrase.source == "name"
        yield _Naming(name, phrase.source, phrase.line, firm=phrase.sure, person=person)
    for tag in note.tags:
        yield _Naming(tag.name.rpartition("/")[2], "tag", tag.line)


def _by_links(note: Note, vocabulary: Vocabulary) -> Iterator[_Naming]:
    notes = {entry.path for entry in vocabulary.entries}
    for link in note.links:
        markdown = link.kind == "markdown"
        end = vocabulary.names.end_of(link.target, note.path, markdown=markdown)
        if end == note.path or (end is not None and end not in notes):
            continue  # itself, or an attachment
        if end is None and (not link.target or _leads_elsewhere(link.target)):
            continue
        yield _Naming(
            link.target.rpartition("/")[2].removesuffix(".md"),
            "property" if link.property else "link",
            0 if link.property else link.line,
            path=end,
            linked=end is not None,
            firm=True,
            property=link.property or "",
            target="" if end is not None else link.target,
            markdown=markdown,
        )


def _leads_elsewhere(target: str) -> bool:
    """Whether a link that leads to no file is none to a note."""
    return "://" in target or is_file_name(target)


def _by_properties(note: Note, vocabulary: Vocabulary) -> Iterator[_Naming]:
    """Yield the texts of properties that hold links elsewhere, or are a note's name."""
    linking = {link.property for e in vocabulary.counted for link in e.links}
    for key, value in note.frontmatter.properties.items():
        if key.lower() in EVERYWHERE or is_category_key(key):
            continue
        for text in _texts(value):
            known = folded(text) in vocabulary.names.forms
            if key in linking or known:
                yield _Naming(text, "property", 0, firm=key in linking, property=key)


def _texts(value: PropertyValue) -> Iterator[str]:
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str) and kind_of(item) == "text":
            text = item.strip()
            short = len(text) <= NAME_CHARS and len(text.split()) <= NAME_WORDS
            if short and not _NO_NAME.search(text):
                yield text


def _by_titles(
    note: Note, vocabulary: Vocabulary, is_common: IsCommon
) -> Iterator[_Naming]:
    entries = {entry.id: entry for entry in vocabulary.counted}
    for note_id, spot in mentions_in(note, vocabulary.table, is_common).items():
        path = entries[note_id].path
        alone = len(spot.notes) == 1 and spot.exact
        if path != note.path and alone and _is_as_written(spot, entries[note_id]):
            yield _Naming(spot.text, "title", spot.line, path=path)


def _is_as_written(spot: Spot, entry: Entry) -> bool:
    """Whether a single word is written like the name: `home` is not the note Home."""
    one = len(spot.name) == 1
    return not one or spot.text in {entry.title, *entry.aliases}


def _grouped(namings: Iterable[_Naming], desk: _Desk) -> list[list[_Naming]]:
    """Return the namings of each thing together, in the order they first come."""
    groups: dict[str, list[_Naming]] = {}
    meant: dict[str, tuple[NotePath | None, bool]] = {}
    known = [naming for naming in namings if folded(naming.name)]
    keys = _keys(known)
    for naming in known:
        form = folded(naming.name)
        path = naming.path
        if path is None and form not in meant:
            meant[form] = _meant(desk.matches(naming.name))
        if path is None and (naming.source != "tag" or meant[form][1]):
            path = meant[form][0]
        if path != desk.note.path:
            key = path or _key(naming, keys)
            groups.setdefault(key, []).append(naming._replace(path=path))
    return sorted(groups.values(), key=_first)


def _keys(namings: Sequence[_Naming]) -> dict[str, str]:
    """Return what stands for each folded name: a link to it, or its first number.

    `Next Actions` is what `Next Action` is, unless links lead to both.
    """
    linked = [naming for naming in namings if naming.target]
    linked.sort(key=lambda naming: "/" not in naming.target)
    keys: dict[str, str] = {}
    for naming in linked:
        keys.setdefault(folded(naming.name), _wanted(naming))
    for naming in namings:
        form = folded(naming.name)
        single = in_singular(form)
        keys.setdefault(form, keys.get(single, form))
        keys.setdefault(single, keys[form])
    return keys


def _wanted(naming: _Naming) -> str:
    return fold(naming.target).removesuffix(NOTE_SUFFIX)


def _key(naming: _Naming, keys: Mapping[str, str]) -> str:
    """Return what a naming without a note goes by; a link only by what answers it."""
    key = keys[folded(naming.name)]
    same = not naming.target or f"/{key}".endswith(f"/{_wanted(naming)}")
    return f"\0{key if same else _wanted(naming)}"


def _first(group: Sequence[_Naming]) -> tuple[int, str]:
    return min(naming.line for naming in group), folded(group[0].name)


def _meant(matches: list[NameMatch]) -> tuple[NotePath | None, bool]:
    """Return the note that a name most likely means, if any, and whether surely."""
    verdict, _ = verdict_on(matches)
    if verdict not in {"exists", "likely"} or matches[0].kind != "note":
        return None, False
    return matches[0].path, verdict == "exists"


def _entity(group: Sequence[_Naming], desk: _Desk) -> Entity | None:
    """Return what is named here; None when it may be anything."""
    first, names = group[0], desk.vocabulary.names
    sources = tuple(dict.fromkeys(naming.source for naming in group))
    mentions = _mentions(group, desk.lines)
    made = Entity(
        name=first.name,
        state="unsure",
        sources=sources,
        mentions=tuple(mentions[:MENTIONS_SHOWN]),
        mentions_total=len(mentions),
    )
    if any(naming.linked for naming in group) and first.path is not None:
        link = names.link_to(first.path)
        return structs.replace(made, state="linked", link=link, path=first.path)
    matches = desk.matches(first.name)
    shown = tuple(m for m in matches if m.path != desk.note.path)[:CANDIDATES_SHOWN]
    made = structs.replace(made, candidates=shown)
    verdict, link = verdict_on(matches)
    if first.path is not None:
        state = _state_of_known(group, sure=verdict == "exists")
        told = link or names.link_to(first.path)
        return structs.replace(made, state=state, link=told, path=first.path)
    if verdict == "ambiguous" and set(sources) != {"tag"}:
        return made
    if set(sources) <= {"tag"} or not _is_worth_a_note(group):
        return None
    if is_left_out(first.target or first.name, desk.left_out()):
        there: EntityState = "linked" if first.target else "unsure"
        link = names.link_to_new(first.target or first.name)
        return structs.replace(made, state=there, link=link)
    return _stub(group, made, desk)


def _state_of_known(group: Sequence[_Naming], *, sure: bool) -> EntityState:
    """Return whether a note is meant: a small word alone may be just a word."""
    in_prose = {"title", "term", "phrase"}
    if {one.source for one in group} <= in_prose and _is_small_word(group[0].name):
        return "unsure"
    return "match" if sure or any(n.source == "title" for n in group) else "unsure"


def _is_small_word(name: str) -> bool:
    """Whether a name is one word in small letters, such as `pass` or `click`."""
    return " " not in folded(name) and name.islower() and name.isalpha()


def _is_worth_a_note(group: Sequence[_Naming]) -> bool:
    """Whether it is named firmly or often, and is no day or word to be filled in."""
    name = group[0].name
    often = any(naming.firm for naming in group) or len(group) >= SINGLE_TIMES
    no_name = is_date(name) or is_placeholder(name) or is_file_name(name)
    return often and not no_name


def _stub(group: Sequence[_Naming], entity: Entity, desk: _Desk) -> Entity:
    """Return an entity with the note that could be made, or unsure without one."""
    name, vocabulary = entity.name, desk.vocabulary
    targets = tuple((one.target, one.markdown) for one in group if one.target)
    ghost = next((one for one in entity.candidates if one.kind == "ghost"), None)
    if ghost is not None and folded(ghost.matched) == folded(name):
        name = ghost.matched  # as the links to it are written
        targets = targets or ((ghost.title, False),)
    form = folded(name)
    properties = {naming.property for naming in group if naming.property}
    properties |= {
        link.property
        for entry in vocabulary.counted
        for link in entry.links
        if link.path is None and folded(link.target) == form
    }
    person = any(naming.person for naming in group)
    wanted = Wanted(name, frozenset(properties), person, targets)
    backlink = vocabulary.names.link_to(desk.note.path) or desk.note.title
    stub = stub_for(wanted, vocabulary, desk.note.path, backlink)
    if stub is None or not is_free(desk.root, stub.path):
        others = tuple(one for one in entity.candidates if one is not ghost)
        return structs.replace(entity, name=name, candidates=others)
    bare = stub.path.removesuffix(NOTE_SUFFIX)
    end = bare if targets and "/" in targets[0][0] else bare.rpartition("/")[2]
    link = vocabulary.names.link_to_new(end)
    return structs.replace(entity, name=name, state="stub", link=link, stub=stub)


def _mentions(group: Sequence[_Naming], lines: Sequence[str]) -> list[NamedLine]:
    said = []
    for naming in group:
        if naming.line:
            line = lines[min(naming.line, len(lines)) - 1]
            text = " ".join(_MARKERS.sub("", line).split())
        else:
            text = f"{naming.property}: {naming.name}"
        said.append((naming.line, _around(text, naming.name)))
    return [NamedLine(line or None, text) for line, text in sorted(set(said))]


def _around(text: str, name: str) -> str:
    """Return a line, or of a long one what stands around a name."""
    if len(text) <= LINE_CHARS:
        return text
    at = max(text.lower().find(name.lower()), 0)
    start = max(0, min(at - LINE_CHARS // 2, len(text) - LINE_CHARS))
    end = start + LINE_CHARS
    before, after = "..." * bool(start), "..." * (end < len(text))
    return f"{before}{text[start:end]}{after}"
