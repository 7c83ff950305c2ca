"""Properties that answer each other: `parent` here, `children` there.

Which do is read from the vault's own use, beside a short list of what people commonly
write. What is left unanswered is a link that is missing.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

ANSWERS: Mapping[str, tuple[str, ...]] = {
    "parent": ("children", "child", "down"),
    "parents": ("children", "child"),
    "child": ("parent", "parents", "up"),
    "children": ("parent", "parents", "up"),
    "up": ("down", "children"),
    "down": ("up", "parent"),
    "next": ("prev", "previous"),
    "prev": ("next",),
    "previous": ("next",),
    "related": ("related",),
    "sibling": ("sibling",),
    "siblings": ("siblings",),
    "broader": ("narrower",),
    "narrower": ("broader",),
}
"""What commonly answers a property, the usual first."""

ONE_EACH = frozenset(("next", "prev", "previous", "up", "parent"))
"""Properties that lead to one note: one that has such a link wants no other."""

FEWEST, LEAST = 3, 0.5
"""Answers from which on two properties are known to belong together, and the share of
a property's links that has them: most, and not by chance."""

CUSTOM, WEIGHT = 0.6, 2.0
"""How sure of a common pair we are before its use is seen, and how many links of use
that belief is worth: two children of three that name their parent make the third one
to be told (0.64), one of two does not yet (0.55)."""


class Missing(NamedTuple):
    """`source` leads by `asked` to `target`; `answer` should lead back."""

    source: int
    target: int
    asked: str
    answer: str
    sure: float


def missing_answers(links: Iterable[tuple[int, int, str]]) -> list[Missing]:
    """Return links (source, target, property) without an answer, surest first."""
    by_name: dict[str, dict[tuple[int, int], None]] = defaultdict(dict)
    for source, target, name in links:
        if source != target:
            by_name[_key(name)].setdefault((source, target))
    missings: dict[tuple[int, int, str], Missing] = {}
    for asked, answer, belief in _belonging(by_name):
        for missing in _unanswered(asked, answer, belief, by_name):
            key = (missing.source, missing.target, answer)
            if key not in missings or missings[key].sure < missing.sure:
                missings[key] = missing
    return sorted(
        missings.values(), key=lambda m: (-m.sure, m.target, m.source, m.answer)
    )


def _key(name: str) -> str:
    return name.strip().lower().replace("_", " ").replace("-", " ")


def _belonging(
    by_name: Mapping[str, Mapping[tuple[int, int], None]],
) -> list[tuple[str, str, float]]:
    leading: dict[tuple[int, int], list[str]] = defaultdict(list)
    for name, ends in by_name.items():
        for pair in ends:
            leading[pair].append(name)
    pairs = []
    for asked in sorted(by_name):
        answered = Counter(
            name for a, b in by_name[asked] for name in leading.get((b, a), ())
        )
        common = [name for name in ANSWERS.get(asked, ()) if name in by_name]
        usual = max(common, key=lambda name: answered[name], default="")
        for answer in sorted({*answered, usual} - {""}):
            share = answered[answer] / len(by_name[asked])
            if answer == usual:
                belief = _drawn(answered[answer], len(by_name[asked]), CUSTOM)
                pairs.append((asked, answer, belief))
            elif answered[answer] >= FEWEST and share >= LEAST:
                belief = _drawn(answered[answer], len(by_name[asked]), 0.0)
                pairs.append((asked, answer, belief))
    return pairs


def _drawn(given: int, asked: int, belief: float) -> float:
    return (given + belief * WEIGHT) / (asked + WEIGHT)


def _unanswered(
    asked: str,
    answer: str,
    belief: float,
    by_name: Mapping[str, Mapping[tuple[int, int], None]],
) -> list[Missing]:
    """Return what one property leaves unanswered, where most of its kind is answered.

    The other links of who asks, and of others to who is asked, are better witnesses
    than the whole vault: a list that nobody answers is one, and so is a note that
    answers nobody.
    """
    back = by_name[answer]
    askers: dict[int, list[int]] = defaultdict(list)
    asks: Counter[int] = Counter()
    heard: Counter[int] = Counter()
    for source, target in by_name[asked]:
        askers[target].append(source)
        asks[source] += 1
        heard[source] += (target, source) in back
    leading = Counter(source for source, _ in back)
    missings = []
    for target, sources in askers.items():
        if answer in ONE_EACH and leading[target]:
            continue
        given = sum((target, source) in back for source in sources)
        missing = [source for source in sources if (target, source) not in back]
        if answer in ONE_EACH and len(missing) > 1:
            continue  # which of them it is, nobody can say
        for source in missing:
            others = len(sources) - 1 + asks[source] - 1
            sure = _drawn(given + heard[source], others, belief)
            if sure >= LEAST:
                missings.append(Missing(source, target, asked, answer, sure))
    return missings


def spelling_of(name: str, links: Sequence[tuple[int, int, str]]) -> str:
    written = Counter(p for _, _, p in links if _key(p) == name)
    return min(written, key=lambda one: (-written[one], one), default=name)
