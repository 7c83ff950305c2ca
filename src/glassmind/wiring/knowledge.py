"""The adapters of knowledge: the graph, its rows, and who finds names.

A part of `wiring` that a search does not need.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from glassmind.files.scan import is_left_out, left_out_names
from glassmind.files.settings import obsidian_settings
from glassmind.graph import themes
from glassmind.graph.context import GraphContext, Graphs
from glassmind.graph.dismissals import DismissalBook
from glassmind.graph.knowledge import Knowledge
from glassmind.graph.suggestions import Facts, KeptFacts, Sorts
from glassmind.graph.text_sketches import KeptSketches
from glassmind.graph.vocabulary import KeptVocabulary, Vocabulary
from glassmind.graph.words import habits_in
from glassmind.links.updates import KeptGraph
from glassmind.store.sqlite.health import HealthRows, MentionRows, OntologyRows
from glassmind.store.sqlite.links import NeighbourRows, NetRows
from glassmind.wiring.grounds import Grounds

if TYPE_CHECKING:
    from glassmind.files.read import VaultFiles
    from glassmind.model.search import SearchReply
    from glassmind.model.themes import KeptTheme, ThemeState
    from glassmind.search.notes import NoteReader
    from glassmind.store.lexical.search import FollowingIndex
    from glassmind.store.sqlite.writer import SqliteWriter


class Adapters(Grounds, Protocol):
    """What `wiring` has for us; the place may become another while we write."""

    def notes(self) -> "NoteReader":
        """Return what reads single notes and lists."""

    def words(self) -> "FollowingIndex | None":
        """Return the word index; None when there is none that can be opened."""

    def files(self) -> "VaultFiles":
        """Return what reads notes as they are on disk now."""

    @property
    def link_graph(self) -> Graphs:
        """The link graph of the notes that these adapters show."""

    @property
    def themed(self) -> themes.Themed:
        """The themes of these notes."""

    @property
    def dismissals(self) -> DismissalBook:
        """What a person wants to hear no more of."""

    @property
    def writing(self) -> "Callable[..., AbstractContextManager[SqliteWriter]]":
        """What holds the writer lock and the rows open for writing."""


def knowledge_for(
    adapters: Adapters, found: "Callable[[str, int], SearchReply]"
) -> Knowledge:
    """Return the verbs of knowledge over the vault of these adapters."""
    rows = partial(_net_rows, adapters)
    net = adapters.link_graph
    book = adapters.dismissals
    return Knowledge(
        GraphContext(
            config=adapters.config,
            faults=adapters.reader.faults,
            still=lambda: rows().still(),
            find=lambda name: adapters.notes().find(name),
            found=found,
            net=net,
            sentences=lambda keys: rows().sentences(keys),
            unsettled=lambda: rows().unsettled(),
            sure=lambda name: adapters.notes().sure(name),
            neighbours=lambda: NeighbourRows(adapters.reader.connection()),
            themed=adapters.themed,
            pairs=lambda: adapters.reader.pairs(),  # noqa: PLW0108 - may be another
            space=lambda: _space(adapters),
            book=book,
            troubles=lambda: HealthRows(adapters.reader.connection()),
            sketches=KeptSketches(),
            vocabulary=_vocabulary(adapters),
            facts=_facts(adapters, net),
            mention_rows=lambda: MentionRows(adapters.reader.connection()),
            words=lambda: _words(adapters),
            files=adapters.files,
        )
    )


def graph_for(adapters: Adapters) -> Graphs:
    """Return what has the link graph of the notes that the adapters show."""
    return KeptGraph(partial(_net_rows, adapters), lambda: _left_out(adapters)).now


def _net_rows(adapters: Adapters) -> NetRows:
    reader = adapters.reader
    return NetRows(reader.connection(), reader.graph_links)


def _left_out(adapters: Adapters) -> Callable[[str], bool]:
    """Return what tells whether a link means a file that is not in the index."""
    skipped = [path for path, *_ in adapters.reader.rows().skipped()]
    names = left_out_names(adapters.config.vault.path, skipped, adapters.files)
    return lambda target: is_left_out(target, names)


def _vocabulary(adapters: Adapters) -> "Callable[[], Vocabulary]":
    return KeptVocabulary(
        rows=lambda: OntologyRows(adapters.reader.connection()),
        settings=lambda: obsidian_settings(adapters.config.vault.path),
        agent=adapters.config.writes.agent_dir,
    ).now


def _facts(adapters: Adapters, net: Graphs) -> "Callable[[], Facts]":
    agents = f"{adapters.config.writes.agent_dir}/"

    def sorts() -> Sorts:
        settings = obsidian_settings(adapters.config.vault.path)
        habits = habits_in(settings)
        return Sorts(
            lambda path: path.startswith(agents) or habits.is_template(path),
            habits.is_day,
            settings.link_format,
        )

    return KeptFacts(
        net=net,
        rows=lambda: MentionRows(adapters.reader.connection()),
        head=lambda: adapters.reader.log().head(),
        sorts=sorts,
    ).now


def _words(adapters: Adapters) -> "FollowingIndex | None":
    """Return the word index as it is now; it may be a little behind the rows."""
    words = adapters.words()
    if words is not None:
        words.reaches(adapters.reader.log().head())  # takes up what was written since
    return words


def _space(adapters: Adapters) -> str:
    """Return the name of the vectors that answer; empty where none do."""
    space = adapters.reader.vectors().answering()
    return space.name if space else ""


def themed_for(
    adapters: Adapters, divide: themes.Divide | None = None
) -> themes.Themed:
    """Return what has the themes of the notes that the adapters show."""

    def keep(
        made: "Sequence[KeptTheme]",
        state: "ThemeState",
        *,
        head: str,
        before: "ThemeState | None",
        wait_s: float,
    ) -> None:
        with (
            adapters.writing(wait_s, here=True) as writer,
            writer.faults(),
            writer.theme_step() as step,
        ):
            step.replace(made, state, head=head, before=before)

    sources = themes.ThemeSources(
        net=adapters.link_graph,
        rows=lambda: adapters.reader.themes(),  # noqa: PLW0108 - may be another
        keep=keep,
        usual=adapters.config.graph.theme_resolution,
    )
    return themes.Themed(replace(sources, divide=divide) if divide else sources)
