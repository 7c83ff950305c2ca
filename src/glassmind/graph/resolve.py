"""A name with the sort of the thing beside it, as in `battery chemistry decision`."""

import re
from collections.abc import Callable, Container, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import structs

from glassmind.errors import BadLimit, NothingAsked
from glassmind.files.names import NOTE_SUFFIX, plain_name
from glassmind.files.scan import is_left_out
from glassmind.graph.names import SMALL_WORDS, KnownNames, Name, bag_of, initials_of
from glassmind.graph.ontology import categories_of
from glassmind.graph.words import folded, in_singular, slips_between
from glassmind.model import NotePath
from glassmind.model.ontology import Entry, NameMatch, Resolution, Verdict
from glassmind.obsidian.text import fold

if TYPE_CHECKING:
    from glassmind.model.search import Hit


def named_with_kind(form: str, names: KnownNames) -> Iterator[Name]:
    """Yield the names whose every telling word a folded text says, beside their sort.

    What else the text says is the folder that the note stands in, or what a property
    calls it. Numbers of the name, such as `D-002`, need not be said.
    """
    wanted = dict.fromkeys(in_singular(form).split())
    said = wanted.keys() - SMALL_WORDS
    shared = dict.fromkeys(other for w in wanted for other in names.by("word", w))
    for other in shared:
        own = set(_telling(in_singular(other).split()))
        rest = said - own
        if own and rest and own < said:
            for name in names.forms[other]:
                entry = _entry(name, names)
                if entry is not None and rest <= _sorts(entry):
                    yield name


def _telling(words: list[str]) -> Iterator[str]:
    """Yield the words of a name that are no number, nor the letter in front of one."""
    for at, word in enumerate(words):
        numbered = words[at + 1 : at + 2] and words[at + 1].isdigit()
        counts = any(map(str.isdigit, word)) or (len(word) == 1 and numbered)
        if not counts and word not in SMALL_WORDS:
            yield word


def _entry(name: Name, names: KnownNames) -> Entry | None:
    if name.path is None:
        return None
    return names.paths.get(fold(name.path.removesuffix(NOTE_SUFFIX)))


def _sorts(entry: Entry) -> set[str]:
    """Return the words that say what sort of thing a note is, in the singular."""
    told = [
        entry.folder.rpartition("/")[2],
        *(said for _, said in categories_of(entry)),
    ]
    return {word for one in told for word in in_singular(folded(one)).split()}


SURE, LIKELY = 0.9, 0.6
"""At and above which a name is one of the thing, or most likely is."""

SAID_AS = {"title": 0.97, "alias": 0.96, "property": 0.95, "heading": 0.85}
"""How surely a name is one, by where it stands; the case as written adds `EXACT`."""
EXACT = 0.03

DIFFERENT = 0.88
"""What is left of it where accents or marks may make it another word."""

OTHER_NUMBER = 0.35
"""What is left of a likeness where a number is another: shown, and not taken."""

OF_A_KIND = 0.9
"""What is left of it where words of a common name are missing, as in `buns` or
`cardamom` for `Cardamom buns`: enough for two of three words, not for one of two."""

KNOWN_THING = "the"
"""Who writes it speaks of one that is known."""

LONG = 3
"""Letters up to which a word may be small in a proper name."""

INSIDE = 0.8
"""What is left of it where the name is a heading's, which says less of a note."""

WITH_KIND = 0.7
"""How surely it is meant where its sort is said beside its name: likely."""

PLURAL, ORDER, ONE_SLIP, TWO_SLIPS, INITIALS = 0.85, 0.84, 0.82, 0.72, 0.75
"""How surely a name is meant that differs so."""

KNOWN_WORDS = 0.55
"""What is left of a slip where the words are known to the vault as they are: then they
are other words."""

ONE_SLIP_LETTERS, TWO_SLIPS_LETTERS = 5, 9
"""How long a name is for so many slips to be believed, and a word for two of them."""

PART, WHOLE = 0.45, 0.35
"""What a name gets that holds every word of the text, and what for holding nothing
else: above `LIKELY` from about half of it."""

TAG, HEADING, LONE_HEADING = 0.5, 0.4, 0.58
"""A tag or a heading is no note: both are told and none is taken. Over a wiki of 636
notes, headings taken for what is meant gave eight wrong guesses more and seven right
ones."""

COMMON = 500
"""Names that hold a word up to which it tells one from another: names that share only
words more common than that are not looked at."""

ALL = 0.999
"""A share of one, as sums of floats come to it."""

_UNLINKED = re.compile(r"[#^|:\[\]]")
MOST_HEADINGS = 100
"""Headings of one name that are looked at; `Notes` stands in every other note."""


def matches_of(name: str, names: KnownNames) -> list[NameMatch]:
    """Return everything a name may mean, the likeliest first; ties go by path."""
    tag = re.fullmatch(r"#[^\s#]+", name)
    if tag:
        return merged([*_tags(name[1:], names, 1.0), *_notes(name[1:], names)])
    return merged([*_notes(name, names), *_tags(name, names, TAG)])


def _notes(name: str, names: KnownNames) -> Iterator[NameMatch]:
    yield from _by_path(name, names)
    form = folded(name)
    if not form:
        return
    same = list(_same(name, form, names))
    yield from same
    sure = any(match.score >= SURE for match in same)
    for found, given, why in _near(form, names, slips=not sure):
        score, reason = given, why
        if not _numbers_agree(form, found):
            score, reason = score * OTHER_NUMBER, f"{reason}, but another number"
        for one in names.forms[found]:
            part = INSIDE if one.how == "heading" else 1.0
            yield _match(names, one, score * part, reason)
    for one in named_with_kind(form, names):
        yield _match(names, one, WITH_KIND, "its name, and what sort of thing it is")
    yield from _headings(form, names)


def _by_path(name: str, names: KnownNames) -> Iterator[NameMatch]:
    whole = fold(name).removeprefix("./").removeprefix("/")
    bare = whole.removesuffix(NOTE_SUFFIX)
    entry = names.paths.get(bare)
    # a bare word is a title, which another note may have too
    if entry is not None and ("/" in whole or whole == fold(entry.path)):
        link = names.link_to(entry.path)
        yield NameMatch(
            "note", entry.path, entry.title, link, 1.0, "that is its path", entry.path
        )
    elif entry is None and bare in names.wanted_paths:
        ghost, count, _ = names.wanted_paths[bare]
        link, reason = names.link_to_new(ghost), "links lead to that path"
        yield NameMatch("ghost", None, ghost, link, 1.0, reason, ghost, count)


def _same(name: str, form: str, names: KnownNames) -> Iterator[NameMatch]:
    """Yield what is called so, but for case, accents and marks."""
    for one in names.forms.get(form, ()):
        exact = one.text == name
        differs = "" if exact else _difference(name, one.text)
        score = SAID_AS.get(one.how, SAID_AS["title"]) + EXACT * exact
        if _may_be_another(name, differs):
            score = min(score, DIFFERENT)
        but = f", but for {differs}" if differs else ""
        said = {
            "title": "it is called so",
            "alias": "an alias of it",
            "property": "a property of it says so",
            "heading": "its first heading says so",
            "ghost": "links lead to that name",
        }[one.how]
        yield _match(names, one, score, f"{said}{but}")


def _may_be_another(name: str, differs: str) -> bool:
    """Whether accents or marks may make it another word.

    Who types no accents at all leaves them out; a short name is its marks too.
    """
    if differs == "accents":
        return not name.isascii()
    return differs == "marks" and len(folded(name)) < ONE_SLIP_LETTERS


def _difference(a: str, b: str) -> str:
    if a.lower() == b.lower():
        return "case"
    same = re.sub(r"[\W_]", "", a).lower() == re.sub(r"[\W_]", "", b).lower()
    return "marks" if same else "accents"


def _near(
    form: str, names: KnownNames, *, slips: bool
) -> Iterator[tuple[str, float, str]]:
    """Yield names that differ by more than marks, each with its score and reason."""
    single = in_singular(form)
    for other in names.by("singular", single):
        yield other, PLURAL, "the same but for a plural"
    if " " in form:
        for other in names.by("bag", bag_of(form)):
            yield other, ORDER, "the same words in another order"
    else:
        for other in names.by("initials", form):
            yield other, INITIALS, f"its words begin with {form.upper()}"
    for letters in sorted(initials_of(form)):
        if letters in names.forms:
            yield letters, INITIALS, f"the text's words begin with {letters.upper()}"
    if slips:  # who is called so to the letter was not misspelled
        yield from _slips(form, names)
    yield from _parts(single, names)


def _slips(form: str, names: KnownNames) -> Iterator[tuple[str, float, str]]:
    long = len(form) >= TWO_SLIPS_LETTERS
    most = 2 if long else int(len(form) >= ONE_SLIP_LETTERS)
    if not most:
        return
    known = all(names.by("word", in_singular(word)) for word in form.split())
    for other, count in names.slips(form, most):
        if form.replace(" ", "") == other.replace(" ", ""):
            yield other, PLURAL, "the same but for a blank"
            continue
        if f"{form}s" == other or form == f"{other}s":
            yield other, PLURAL, "the same but for a plural"
            continue
        score = ONE_SLIP if count == 1 else TWO_SLIPS
        reason = "one slip away" if count == 1 else "two slips away"
        doubtful = known or not _are_slips(form.split(), other.split())
        yield other, min(score, KNOWN_WORDS) if doubtful else score, reason


def _are_slips(said: Sequence[str], meant: Sequence[str]) -> bool:
    """Whether no word is changed as a whole: `kubernetes pods` are no slip of `jobs`.

    Where a blank was lost or added, words cannot be held against each other.
    """
    if len(said) != len(meant):
        return True
    return all(
        max(len(a), len(b)) >= TWO_SLIPS_LETTERS or slips_between(a, b, 1) is not None
        for a, b in zip(said, meant, strict=True)
    )


def _parts(single: str, names: KnownNames) -> Iterator[tuple[str, float, str]]:
    """Yield names that share the text's telling words."""
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
    known = KNOWN_THING in single.split()
    for other, weight in shared.items():
        own = dict.fromkeys(in_singular(other).split())
        # numbers and dates that the text has none of tell no name from another
        rest = [w for w in own if w not in SMALL_WORDS and (dated or not _has_digit(w))]
        whole = sum(names.weight(word) for word in rest)
        held = min(weight / whole, 1.0) if whole else 0.0
        score = (weight / total) ** 2 * (PART + WHOLE * held)
        if held < ALL and not known and not _is_proper(names.forms[other][0].text):
            score *= OF_A_KIND
        yield other, score, _shared_reason(weight / total, held)


def _is_proper(text: str) -> bool:
    """Whether each word is a name of its own, as those of a person are."""
    return all(not word[0].islower() for word in text.split() if len(word) > LONG)


def _shared_reason(said: float, held: float) -> str:
    if said < ALL:
        return "its name shares words"
    if held < ALL:
        return "its name holds these words"
    return "the same but for small words, numbers or dates"


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))


def _numbers_agree(a: str, b: str) -> bool:
    """Whether no number of one name stands against another number of the other."""
    mine, others = ({w for w in form.split() if _has_digit(w)} for form in (a, b))
    return mine <= others or others <= mine


def _headings(form: str, names: KnownNames) -> Iterator[NameMatch]:
    found = names.headings.get(form, [])
    alone = len({heading.path for heading in found}) == 1 and " " in form
    for path, level, text, line in found[:MOST_HEADINGS]:
        if level == 1:
            continue  # it is a name of its note
        plain = " ".join(_UNLINKED.sub(" ", text).split())
        link = names.link_to(path, heading=plain)
        score = LONE_HEADING if alone else HEADING
        reason = f"a heading in line {line}"
        yield NameMatch("heading", path, text, link, score, reason, text)


def _tags(name: str, names: KnownNames, best: float) -> Iterator[NameMatch]:
    form = folded(name)
    for tag in names.tags.get(in_singular(form), ()):
        same = folded(tag.text) == form
        score = best if same else min(best, TAG) - 0.1
        reason = "a tag of that name" if same else "a tag that is much the same"
        yield NameMatch(
            "tag", None, tag.title, tag.title, score, reason, tag.text, tag.uses
        )


def _match(names: KnownNames, name: Name, score: float, reason: str) -> NameMatch:
    if name.path is None:
        link = names.link_to_new(name.title)
        return NameMatch(
            "ghost", None, name.title, link, score, reason, name.text, name.uses
        )
    shown = name.text if name.how == "alias" and score >= SURE else ""
    link = names.link_to(name.path, shown)
    return NameMatch("note", name.path, name.title, link, score, reason, name.text)


def merged(matches: Sequence[NameMatch]) -> list[NameMatch]:
    """Return each thing once, as it fits best, the best first."""
    best: dict[tuple[str, NotePath | str], NameMatch] = {}
    for given in matches:
        match = structs.replace(given, score=round(given.score, 4))
        thing = match.path or match.title.lower()
        key = ("note" if match.kind == "heading" else match.kind, thing)
        known = best.get(key)
        if known is None or match.score > known.score:
            best[key] = match
    if any(one.kind == "note" and one.score >= SURE for one in best.values()):
        # links lead in vain to what has a note
        best = {
            thing: structs.replace(one, score=min(one.score, DIFFERENT))
            if one.kind == "ghost"
            else one
            for thing, one in best.items()
        }
    order = {"note": 0, "ghost": 1, "heading": 2, "tag": 3}
    return sorted(
        best.values(),
        key=lambda m: (-m.score, order[m.kind], m.path or m.title),
    )


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
