"""A name with the sort of the thing beside it, as in `battery chemistry decision`."""

from collections.abc import Iterator

from glassmind.files.resolve import NOTE_SUFFIX, fold
from glassmind.graph.folding import folded, in_singular
from glassmind.graph.naming.forms import SMALL_WORDS, Name
from glassmind.graph.naming.names import KnownNames
from glassmind.graph.ontology.categories import categories_of
from glassmind.model.ontology import Entry


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
