"""The adapters of knowledge: the graph, its rows, and who finds names.

A part of `wiring` that a search does not need.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from glassmind.files.scan import is_left_out, left_out_names
from glassmind.files.settings import obsidian_settings
from glassmind.graph import themes
from glassmind.graph.context import GraphContext, Graphs, KeptGraph
from glassmind.graph.duplicates import KeptSketches
from glassmind.graph.knowledge import Knowledge
from glassmind.graph.names import KeptVocabulary, Vocabulary
from glassmind.graph.suggestions import Facts, KeptFacts, PathRules
from glassmind.graph.words import habits_in
from glassmind.search.notes import notes_for
from glassmind.store.sqlite.health import HealthRows, MentionRows, OntologyRows
from glassmind.store.sqlite.links import NeighbourRows, NetRows
from glassmind.vault import Vault
from glassmind.wiring.pairs import dismissals_for

if TYPE_CHECKING:
    from glassmind.graph.mentions import WordPlaces
    from glassmind.graph.themes import Parts
    from glassmind.links.graph import LinkGraph
    from glassmind.model.graph import KeptTheme, ThemeState
    from glassmind.model.search import SearchReply


def knowledge_for(
    vault: Vault, found: "Callable[[str, int], SearchReply]"
) -> Knowledge:
    """Return the verbs of knowledge over a vault."""
    rows = partial(_net_rows, vault)
    net = link_graph_for(vault)
    book = dismissals_for(vault)
    return Knowledge(
        GraphContext(
            config=vault.config,
            faults=vault.reader.faults,
            still=lambda: rows().still(),
            find=lambda name: notes_for(vault).find(name),
            search=found,
            net=net,
            sentences=lambda keys: rows().sentences(keys),
            sure=lambda name: notes_for(vault).sure(name),
            neighbours=lambda: NeighbourRows(vault.reader.connection()),
            themed=themed_for(vault),
            pairs=lambda: vault.reader.pairs(),  # noqa: PLW0108 - may be another
            space=lambda: _space(vault),
            book=book,
            troubles=lambda: HealthRows(vault.reader.connection()),
            sketches=KeptSketches(),
            vocabulary=_vocabulary(vault),
            facts=_facts(vault, net),
            mention_rows=lambda: MentionRows(vault.reader.connection()),
            words=lambda: _words(vault),
            files=vault.files,
        )
    )


def link_graph_for(vault: Vault) -> Graphs:
    """Return the link graph of the visible notes."""
    return vault.part(_link_graph)


def _link_graph(vault: Vault) -> Graphs:
    return KeptGraph(partial(_net_rows, vault), lambda: _left_out(vault)).now


def _net_rows(vault: Vault) -> NetRows:
    reader = vault.reader
    return NetRows(reader.connection(), reader.graph_links)


def _left_out(vault: Vault) -> Callable[[str], bool]:
    """Return what tells whether a link means a file that is not in the index."""
    skipped = [path for path, *_ in vault.reader.rows().skipped()]
    names = left_out_names(vault.config.vault.path, skipped, vault.files)
    return lambda target: is_left_out(target, names)


def _vocabulary(vault: Vault) -> "Callable[[], Vocabulary]":
    return KeptVocabulary(
        rows=lambda: OntologyRows(vault.reader.connection()),
        settings=lambda: obsidian_settings(vault.config.vault.path),
        agent_dir=vault.config.writes.agent_dir,
    ).now


def _facts(vault: Vault, net: Graphs) -> "Callable[[], Facts]":
    agents = f"{vault.config.writes.agent_dir}/"

    def rules() -> PathRules:
        settings = obsidian_settings(vault.config.vault.path)
        habits = habits_in(settings)
        return PathRules(
            lambda path: path.startswith(agents) or habits.is_template(path),
            habits.is_day,
            settings.link_format,
        )

    return KeptFacts(
        net=net,
        rows=lambda: MentionRows(vault.reader.connection()),
        head=lambda: vault.reader.log().head(),
        rules=rules,
    ).now


def _words(vault: Vault) -> "WordPlaces | None":
    """Return the word index as it is now; it may be a little behind the rows."""
    words = vault.words()
    if words is not None:
        words.reaches(vault.reader.log().head())  # takes up what was written since
    return words


def _space(vault: Vault) -> str:
    """Return the name of the vectors that answer; empty where none do."""
    space = vault.reader.vectors().answering()
    return space.name if space else ""


def themed_for(vault: Vault) -> themes.Themed:
    """Return the themes of the visible notes."""
    return vault.part(_themed if vault.scope is None else _visible_themed)


def _visible_themed(vault: Vault) -> themes.Themed:
    from glassmind.graph.themes import parted  # noqa: PLC0415

    def divide(net: "LinkGraph", fingerprint: str, resolution: float) -> "Parts":
        key = ("themes", fingerprint, resolution)
        return vault.scope_results.get(key, lambda: parted(net, resolution))

    return _themed(vault, divide)


def _themed(vault: Vault, divide: themes.Divide | None = None) -> themes.Themed:

    def keep(
        made: "Sequence[KeptTheme]",
        state: "ThemeState",
        *,
        head: str,
        before: "ThemeState | None",
        wait_s: float,
    ) -> None:
        with (
            vault.writing(wait_s, here=True) as writer,
            writer.faults(),
            writer.theme_step() as step,
        ):
            step.replace(made, state, head=head, before=before)

    return themes.Themed(
        graph=link_graph_for(vault),
        rows=lambda: vault.reader.themes(),  # noqa: PLW0108 - may be another
        keep=keep,
        usual=vault.config.graph.theme_resolution,
        divide=divide,
    )
