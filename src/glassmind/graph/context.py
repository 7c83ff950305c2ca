"""What every verb of knowledge works with; adapters come through it."""

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from glassmind.config import Config
from glassmind.links.graph import LinkGraph
from glassmind.model import NotePath

if TYPE_CHECKING:
    from glassmind.files.read import VaultFiles
    from glassmind.graph.dismissals import DismissalBook
    from glassmind.graph.health_checks import HealthRows
    from glassmind.graph.mentions import WordPlaces
    from glassmind.graph.suggestions import Facts
    from glassmind.graph.text_sketches import KeptSketches
    from glassmind.graph.themes import Themed
    from glassmind.graph.vocabulary import Vocabulary
    from glassmind.model.search import SearchReply
    from glassmind.ports.knowledge import NoteRows, Pairs
    from glassmind.store.sqlite.health import MentionRows


Sentences = Callable[[Collection[tuple[int, int]]], dict[tuple[int, int], str]]
"""Returns what stands around links, by file id and place among the note's links."""


@dataclass(frozen=True, slots=True)
class GraphContext:
    """One vault, as far as knowledge looks at it.

    `faults` names the faults of everything done inside it, `still` keeps the rows as
    they are for all that is read inside it; nothing may be written there. `find`
    returns the note that a person means by a name, `sure` the one that is called so to
    the letter, if any. `found` answers a search with so many hits. `net` is the link
    graph as it is now, `sentences` what stands around some of its links, `unsettled`
    how many links no run has settled, and `themed` has the themes. `vocabulary` is what
    the vault calls things now, `troubles` what can be wrong with it, `sketches` what
    its notes say in short. `facts` and `mention_rows` are what suggestions stand on,
    `words` says where words stand, if it is known, and `files` reads notes as they are
    on disk now, as far as who asks may read them.
    """

    config: Config
    faults: Callable[[], AbstractContextManager[None]]
    still: Callable[[], AbstractContextManager[None]]
    find: Callable[[str], NotePath]
    found: "Callable[[str, int], SearchReply]"
    net: "Graphs"
    sentences: Sentences
    unsettled: Callable[[], int]
    sure: Callable[[str], NotePath | None]
    neighbours: "Callable[[], NoteRows]"
    themed: "Themed"
    vocabulary: "Callable[[], Vocabulary]"
    pairs: "Callable[[], Pairs]"
    space: Callable[[], str]
    book: "DismissalBook"
    troubles: "Callable[[], HealthRows]"
    sketches: "KeptSketches"
    facts: "Callable[[], Facts]"
    mention_rows: "Callable[[], MentionRows]"
    files: "Callable[[], VaultFiles]"
    words: "Callable[[], WordPlaces | None]"


class Graphs(Protocol):
    """Who has the link graph."""

    def __call__(self, *, ghosts: bool = False) -> LinkGraph:
        """Return the graph as the rows are now; with `ghosts`, those as nodes too."""
