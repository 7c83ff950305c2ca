"""Whether a text names something the vault has, how surely, and what to do about it.

The scores are an order of certainty, not a probability; `SURE` and `LIKELY` were set on
the labelled names of the sample vault so that nothing new is called existing.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from msgspec import structs

from glassmind.errors import BadLimit, NothingAsked
from glassmind.files.names import NOTE_SUFFIX, plain_name
from glassmind.files.scan import is_left_out
from glassmind.graph.link_graph import names_left_out
from glassmind.graph.names import SMALL_WORDS, KnownNames, Name, vocabulary_for
from glassmind.graph.words import folded, in_singular, slips_between
from glassmind.model import NotePath
from glassmind.model.ontology import NameMatch, Resolution, Verdict
from glassmind.model.search import Hit, SearchReply
from glassmind.obsidian.text import fold
from glassmind.vault import Vault

MOST = 100

NAME_LIMIT_CHARS = 200  # longer texts are not names: the rest is not looked at

SURE, LIKELY = 0.9, 0.6
"""At and above which a name is one of the thing, or most likely is."""

CLEAR_LEAD = 0.08
"""A better match by less is no reason to take one thing and not another."""

CERTAINTY = {"title": 0.97, "alias": 0.96, "property": 0.95, "heading": 0.85}
"""How surely a name is one, by where it is from; the case as written adds `EXACT`."""
EXACT = 0.03

DIFFERENT = 0.88  # at most this where accents or marks may make it another word
OTHER_NUMBER = 0.35  # factor where a number is another: shown, and not taken
HEADING_NAME = 0.8  # factor where the name is a heading's, which says less of a note

PLURAL, ONE_SLIP, TWO_SLIPS = 0.85, 0.82, 0.72
"""How surely a name is meant that differs so."""

KNOWN_WORDS = 0.55
"""At most this for a slip where the vault has the words as they are: other words."""

ONE_SLIP_LETTERS, TWO_SLIPS_LETTERS = 5, 9
"""How long a name is for so many slips to be believed, and a word for two of them."""

PART, WHOLE = 0.45, 0.35
"""For a name that has every word of the text, and for having nothing else: above
`LIKELY` from about half of it."""

PARTIAL = 0.9
"""Factor where words of a name are missing: enough for two of three, not one of two."""

COMMON = 500  # names that share only words of more names than this are not looked at

TAG, HEADING, LONE_HEADING = 0.5, 0.4, 0.58
"""A tag or a heading is not a note: both are shown and neither is taken. Over a wiki of
636 notes, taking headings gave eight wrong guesses more and seven right ones."""

MOST_HEADINGS = 100
"""Headings of one name that are looked at; every other note has `Notes`."""

SIMILARITY = 0.5
"""What a similarity of one is worth: by that alone nothing is taken for another."""

LEAST_SIMILARITY = 0.3
"""Unrelated notes of the sample vault come up to .28 under the default model."""

NO_SIMILARITY = "no note was compared by meaning; glassmind status says what is missing"

ALL = 0.999  # a share of one, as sums of floats come to it

_UNLINKED = re.compile(r"[#^|:\[\]]")
_QUOTES = "\"'`\u201c\u201d\u2018\u2019\u00ab\u00bb\u300c\u300d\u300e\u300f"


def resolve(
    vault: Vault,
    text: str,
    *,
    limit: int,
    search: Callable[[str, int], SearchReply] | None = None,
) -> Resolution:
    """Return what a text may mean; `search` is only called where no name is sure."""
    if not 1 <= limit <= MOST:
        raise BadLimit(limit, MOST)
    name, names = plain_text(text), vocabulary_for(vault).names
    if not name.strip("#@ "):
        raise NothingAsked
    matches, notices = matches_of(name, names), tuple[str, ...]()
    if search is not None and not (matches and matches[0].score >= SURE):
        hits = search(name, limit).hits
        if hits and all(hit.similarity is None for hit in hits):
            notices = (NO_SIMILARITY,)
        matches = _merged([*matches, *_similar(hits, names)])
    verdict, link = verdict_on(matches)
    advice = _advice(verdict, matches)
    if verdict == "new" and is_left_out(name, names_left_out(vault)):
        verdict, link = "exists", names.link_to_new(name)
        matches = [match for match in matches if match.path is None]
        advice = (
            f"Write {link}: a file of that name is there, but it is left out of the "
            "index."
        )
    shown = tuple(matches[:limit])
    return Resolution(name, verdict, advice, link or None, shown, notices)


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
    if top is not None and top.kind in {"tag", "heading"}:
        return (
            f"No note is called so ({top.reason}: {top.link}); a new one may be made."
        )
    return "Nothing in the vault is called so; a new note may be made."


def _links(count: int) -> str:
    return "1 link leads" if count == 1 else f"{count} links lead"


def matches_of(name: str, names: KnownNames) -> list[NameMatch]:
    """Return everything a name may mean, the likeliest first; ties go by path."""
    if re.fullmatch(r"#[^\s#]+", name):
        return _merged([*_tags(name[1:], names, 1.0), *_notes(name[1:], names)])
    return _merged([*_notes(name, names), *_tags(name, names, TAG)])


def _merged(matches: Sequence[NameMatch]) -> list[NameMatch]:
    best: dict[tuple[str, NotePath | str], NameMatch] = {}
    for given in matches:
        match = structs.replace(given, score=round(given.score, 4))
        kind = "note" if match.kind == "heading" else match.kind
        key = (kind, match.path or match.title.lower())
        known = best.get(key)
        if known is None or match.score > known.score:
            best[key] = match
    if any(match.kind == "note" and match.score >= SURE for match in best.values()):
        for thing, match in best.items():  # unresolved links to what has a note
            if match.kind == "ghost":
                best[thing] = structs.replace(match, score=min(match.score, DIFFERENT))
    order = {"note": 0, "ghost": 1, "heading": 2, "tag": 3}
    return sorted(
        best.values(),
        key=lambda m: (-m.score, order[m.kind], m.path or m.title),
    )


def _notes(name: str, names: KnownNames) -> Iterator[NameMatch]:
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
    yield from _by_heading(form, names)


def _by_path(name: str, names: KnownNames) -> Iterator[NameMatch]:
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


def _same(name: str, form: str, names: KnownNames) -> Iterator[NameMatch]:
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
    form: str, names: KnownNames, *, slips: bool
) -> Iterator[tuple[str, float, str]]:
    single = in_singular(form)
    for other in names.by("singular", single):
        yield other, PLURAL, "the same but for a plural"
    if slips:  # what has exactly that name was not misspelled
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
        elif f"{form}s" == other or form == f"{other}s":
            yield other, PLURAL, "the same but for a plural"
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


def _parts(single: str, names: KnownNames) -> Iterator[tuple[str, float, str]]:
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


def _by_heading(form: str, names: KnownNames) -> Iterator[NameMatch]:
    found = names.headings.get(form, [])
    alone = len({heading.path for heading in found}) == 1 and " " in form
    score = LONE_HEADING if alone else HEADING
    for path, level, text, line in found[:MOST_HEADINGS]:
        if level > 1:  # the first level is a name of its note
            plain = " ".join(_UNLINKED.sub(" ", text).split())
            link = names.link_to(path, heading=plain)
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


def _similar(hits: Sequence[Hit], names: KnownNames) -> Iterator[NameMatch]:
    for hit in hits:
        if hit.similarity is not None and hit.similarity >= LEAST_SIMILARITY:
            score = min(hit.similarity, 1.0) * SIMILARITY
            link, reason = names.link_to(hit.path), "similar by meaning"
            yield NameMatch("note", hit.path, hit.title, link, score, reason, hit.title)
