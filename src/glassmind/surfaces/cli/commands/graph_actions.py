"""What `glassmind graph` can be asked: each action calls one verb and shows it."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from glassmind.engine import Engine
from glassmind.errors import WrongUsage
from glassmind.render.chains import chains_as_json
from glassmind.render.chains_text import chains_as_text
from glassmind.render.connections import connections_as_json
from glassmind.render.connections_text import connections_as_text
from glassmind.render.dismissals import dismissed_as_json, dismissed_as_text
from glassmind.render.graph_files import GRAPH_FILES
from glassmind.render.pairs import similar_as_json
from glassmind.render.pairs_text import similar_as_text
from glassmind.render.ranks import ranking_as_json
from glassmind.render.ranks_text import ranking_as_text
from glassmind.render.suggestions import suggestions_as_json
from glassmind.render.suggestions_text import suggestions_as_text
from glassmind.render.themes import themes_as_json
from glassmind.render.themes_text import themes_as_text
from glassmind.render.timeline import timeline_as_json
from glassmind.render.timeline_text import timeline_as_text
from glassmind.surfaces.asking import asking_of
from glassmind.surfaces.cli import exits
from glassmind.surfaces.cli.changing import CLIENT, show_changed
from glassmind.surfaces.cli.output import Output
from glassmind.types.pairs import Dismissed

if TYPE_CHECKING:  # help does without it
    from glassmind.knowledge.verbs import Knowledge


class Asked(NamedTuple):
    """A call that was understood: notes by name, and the options that were given."""

    engine: Engine
    names: tuple[str, ...]
    wishes: dict[str, Any]
    output: Output

    @property
    def knowledge(self) -> "Knowledge":
        """Who answers."""
        return self.engine.knowledge

    @property
    def vault(self) -> str:
        """What Obsidian calls the vault."""
        return self.engine.config.vault.name

    def show(self, as_json: Callable[[], object], as_text: Callable[[], str]) -> None:
        """Print an answer in the shape that was asked for."""
        if self.output.as_json:
            self.output.json(as_json())
        else:
            self.output.text(as_text())

    def notice(self, notices: Sequence[str]) -> None:
        """Tell a person what stands beside an answer."""
        for said in notices:
            self.output.notice(said)


class Action(NamedTuple):
    """One thing to ask: the notes it names, which options it takes, what answers.

    `names` are as help writes them, in brackets where none need be given; `limit` says
    what the limit counts.
    """

    about: str
    names: str
    takes: tuple[str, ...]
    run: Callable[[Asked], int]
    limit: str = ""

    @property
    def named(self) -> int:
        """How many notes are named."""
        return len(self.names.split())

    @property
    def alone(self) -> bool:
        """Whether it may name none."""
        return self.names.startswith("[")


def _connections(asked: Asked) -> int:
    shape = asked.wishes.pop("format", "text")
    if shape in GRAPH_FILES:
        asked.wishes["subgraph"] = True
    found = asked.knowledge.connections(*asked.names, **asked.wishes)
    if found.subgraph is not None and shape in GRAPH_FILES:
        asked.notice(found.notices)
        asked.output.verbatim(GRAPH_FILES[shape](found.subgraph))
    else:
        asked.show(
            lambda: connections_as_json(found, vault=asked.vault),
            lambda: connections_as_text(found, asked.output.style),
        )
    linked = any(ring.total for ring in found.rings)
    return exits.OK if linked else exits.NOTHING


def _path(asked: Asked) -> int:
    found = asked.knowledge.path(*asked.names, **asked.wishes)
    asked.show(
        lambda: chains_as_json(found, vault=asked.vault),
        lambda: chains_as_text(found, asked.output.style),
    )
    return exits.OK if found.chains else exits.NOTHING


def _themes(asked: Asked) -> int:
    wishes, usual = asked.wishes, asked.engine.config.graph.theme_resolution
    found = asked.knowledge.themes(**wishes)
    kept = "resolution" not in wishes or "refresh" in wishes
    asked.show(
        lambda: themes_as_json(found, vault=asked.vault),
        lambda: themes_as_text(found, asked.output.style, usual=usual, kept=kept),
    )
    return exits.OK if found.themes else exits.NOTHING


def _rank(asked: Asked) -> int:
    found = asked.knowledge.rank(**asked.wishes)
    asked.show(
        lambda: ranking_as_json(found, vault=asked.vault),
        lambda: ranking_as_text(found, asked.output.style),
    )
    return exits.OK if found.notes else exits.NOTHING


def _suggest(asked: Asked) -> int:
    wishes = asked.wishes
    keys, dry_run = wishes.pop("apply", None), wishes.pop("dry_run", False)
    if keys is not None:
        return _apply(asked, keys, dry_run=dry_run)
    if dry_run or "mentions" in wishes:
        raise WrongUsage("--dry-run and --all-mentions go with --apply", "graph")
    found = asked.knowledge.suggest(*asked.names, **asked.wishes)
    asked.notice(found.notices)
    asked.show(
        lambda: suggestions_as_json(found, vault=asked.vault),
        lambda: suggestions_as_text(found, asked.output.style),
    )
    return exits.OK if found.suggestions else exits.NOTHING


def _apply(asked: Asked, keys: Sequence[str], *, dry_run: bool) -> int:
    """Make suggested links, as far as the settings let it happen."""
    asking = asking_of(asked.engine, CLIENT, dry_run=dry_run)
    found = asked.knowledge.links_to_add(
        *asked.names, keys=keys or None, **asked.wishes
    )
    show_changed(asked.engine.editing.repair(found, asking), asked.output)
    return exits.OK


def _similar(asked: Asked) -> int:
    found = asked.knowledge.similar(*asked.names, **asked.wishes)
    asked.show(
        lambda: similar_as_json(found, vault=asked.vault),
        lambda: similar_as_text(found, asked.output.style),
    )
    return exits.OK if found.pairs else exits.NOTHING


def _timeline(asked: Asked) -> int:
    found = asked.knowledge.timeline(*asked.names, **asked.wishes)
    asked.show(
        lambda: timeline_as_json(found, vault=asked.vault),
        lambda: timeline_as_text(found, asked.output.style),
    )
    return exits.OK if found.events else exits.NOTHING


def _dismiss(asked: Asked) -> int:
    return _settled(asked, asked.knowledge.dismiss(*asked.names), back=False)


def _restore(asked: Asked) -> int:
    return _settled(asked, asked.knowledge.restore_pair(*asked.names), back=True)


def _settled(asked: Asked, done: Dismissed, *, back: bool) -> int:
    asked.show(
        lambda: dismissed_as_json(done),
        lambda: dismissed_as_text(done, asked.output.style, back=back),
    )
    return exits.OK


ACTIONS: Mapping[str, Action] = {
    "connections": Action(
        "what stands around a note",
        "NAME",
        ("depth", "limit", "ghosts", "format", "subgraph"),
        _connections,
        "most notes of each hop (50)",
    ),
    "path": Action(
        "chains of links between two",
        "FROM TO",
        ("limit", "most_hops", "common", "ghosts"),
        _path,
        "most chains (5)",
    ),
    "themes": Action(
        "groups of notes that links hold together",
        "",
        ("theme", "resolution", "ghosts", "refresh"),
        _themes,
    ),
    "rank": Action(
        "notes that matter most",
        "",
        ("metric", "limit", "theme", "about", "least_inbound", "ghosts"),
        _rank,
        "most notes (20)",
    ),
    "suggest": Action(
        "notes that should be linked",
        "[NAME]",
        ("limit", "apply", "mentions", "dry_run"),
        _suggest,
        "most suggestions (20)",
    ),
    "similar": Action(
        "notes that are alike without a link",
        "[NAME]",
        ("limit", "least"),
        _similar,
        "most pairs (20)",
    ),
    "timeline": Action(
        "how what stands around a note grew",
        "NAME",
        ("limit",),
        _timeline,
        "most events, the latest (100)",
    ),
    "dismiss": Action("never bring two up as alike", "A B", (), _dismiss),
    "restore": Action("take that back", "A B", (), _restore),
}
"""By name, in the order that help lists them."""
