"""What a vault's links and names say: one method for each question or action."""

from collections.abc import Callable, Sequence

from glassmind.graph import entities
from glassmind.graph.connections import chains, connections, guess_of
from glassmind.graph.dismissals import (
    dismissals_for,
    settle_finding,
    settle_pair,
)
from glassmind.graph.health import (
    EXAMPLES,
    finding_now,
    key_of,
    report,
    secret_places,
)
from glassmind.graph.link_graph import net_rows
from glassmind.graph.ontology import SHOWN, ontology
from glassmind.graph.ranks import ranking
from glassmind.graph.repairs import followed, repairs
from glassmind.graph.resolve import resolve
from glassmind.graph.similar import similar
from glassmind.graph.suggestions import suggest
from glassmind.graph.themes import only, themed_for
from glassmind.graph.timeline import timeline
from glassmind.model import NotePath
from glassmind.model.graph import Chains, Connections, Metric, Ranking, Themes, Timeline
from glassmind.model.health import FindingNow, HealthReport, Repairs, SecretPlace
from glassmind.model.ontology import Ingestion, Ontology, Resolution
from glassmind.model.search import SearchReply
from glassmind.model.suggestions import Dismissals, Dismissed, Similar, Suggestions
from glassmind.search.notes import notes_for
from glassmind.vault import Vault


class Knowledge:
    """Answers about the links and names of a vault, from any number of threads.

    A note is given by its path, title, alias or a clear part of them. Each method that
    takes one raises `NoteNotFound`, `AmbiguousName` or `FileUnreadable`; each that
    takes a limit or a number raises `BadLimit` or `BadWish` where it is out of range.
    """

    def __init__(self, vault: Vault, search: Callable[[str, int], SearchReply]) -> None:
        self._vault, self._search = vault, search

    def themes(
        self,
        *,
        theme: str | int | None = None,
        resolution: float | None = None,
        ghosts: bool = False,
        refresh: bool = False,
    ) -> Themes:
        """Return the themes of the vault, or with `theme` one by its id or label.

        A `resolution` is for this answer alone, unless with `refresh`, which makes and
        keeps them anew; without one, `refresh` goes back to that of the settings.

        Raises:
            UnknownTheme, AmbiguousTheme: no single theme has that name.
        """
        with self._vault.faults():
            found = themed_for(self._vault).now(
                resolution=resolution, ghosts=ghosts, refresh=refresh
            )
        return found if theme is None else only(found, str(theme))

    def renew(self, *, wait_s: float) -> None:
        """Bring the themes that are kept up to the links.

        Raises:
            IndexFault: they cannot be kept, or others wrote for longer than `wait_s`.
        """
        with self._vault.faults():
            themed_for(self._vault).renew(wait_s)

    def connections(
        self,
        name: str,
        *,
        depth: int = 1,
        limit: int = 50,
        ghosts: bool = False,
        subgraph: bool = False,
    ) -> Connections:
        """Return what is linked with a note, up to `limit` neighbours of every hop.

        With `ghosts`, unresolved links are neighbours too, and may be named. With
        `subgraph`, all that is shown and every link between, as one graph.
        """
        with self._vault.faults(), net_rows(self._vault).still():
            return connections(
                self._vault,
                name,
                depth=depth,
                limit=limit,
                ghosts=ghosts,
                subgraph=subgraph,
            )

    def guess(self, name: str, *, ghosts: bool = False) -> NotePath | None:
        """Return the note that a name is taken for; None where a note has that name.

        With `ghosts`, the very name of an unresolved link is not a guess either.
        """
        with self._vault.faults():
            return guess_of(self._vault, name, ghosts=ghosts)

    def ontology(self, *, limit: int = SHOWN) -> Ontology:
        """Return the vocabulary of the vault, up to `limit` of each kind."""
        with self._vault.faults():
            return ontology(self._vault, limit)

    def resolve(self, text: str, *, limit: int = 5) -> Resolution:
        """Return whether the vault has what a text names, and how to link to it.

        Raises:
            NothingAsked: the text holds no name.
        """
        vault = self._vault
        has_model = vault.config.embeddings.backend != "none"
        search = self._search if has_model else None
        with vault.faults():
            return resolve(vault, text, limit=limit, search=search)

    def ingest(self, name: str, *, limit: int = entities.SHOWN) -> Ingestion:
        """Return what a note names, each matched to a note or proposed as a new one.

        A proposal: nothing is written.
        """
        vault = self._vault
        with vault.faults():
            return entities.ingest(vault, notes_for(vault).find(name), limit=limit)

    def similar(
        self, name: str | None = None, *, limit: int = 20, least: float = 0.0
    ) -> Similar:
        """Return similar notes that have no link, the most similar first.

        Those of one note, or the pairs of the whole vault; `least` is a cosine.
        """
        with self._vault.faults():
            note = None if name is None else notes_for(self._vault).find(name)
            return similar(self._vault, note, limit=limit, least=least)

    def suggest(self, name: str | None = None, *, limit: int = 20) -> Suggestions:
        """Return what should be linked, best first, each with a proposed edit.

        For one note or, without a name, for the whole vault. Nothing is written.
        """
        with self._vault.faults():
            note = None if name is None else notes_for(self._vault).find(name)
            return suggest(self._vault, note, limit=limit)

    def links_to_add(
        self,
        name: str | None = None,
        *,
        keys: Sequence[str] | None = None,
        mentions: bool = False,
        limit: int = 20,
    ) -> Repairs:
        """Return the edits that follow suggestions; `Editing.repair` makes them.

        Those of `keys`, and with `mentions` every name that should be a link; without
        either what `suggest` lists. An empty list of keys is none of them.
        """
        vault = self._vault
        with vault.faults():
            note = None if name is None else notes_for(vault).find(name)
            return followed(vault, note, keys=keys, mentions=mentions, limit=limit)

    def dismiss(self, a: str, b: str) -> Dismissed:
        """Never show two notes as similar again, in a search either.

        Raises:
            WriteRefused: the settings or the disk do not let it be written.
        """
        with self._vault.faults():
            return settle_pair(self._vault, a, b, dismiss=True)

    def restore_pair(self, a: str, b: str) -> Dismissed:
        """Take the dismissal of two notes back; raises as `dismiss`."""
        with self._vault.faults():
            return settle_pair(self._vault, a, b, dismiss=False)

    def dismiss_finding(self, check: str, subject: str) -> Dismissed:
        """Never show a finding of vault health again; its key is `check:subject`.

        Raises:
            BadFindingKey, UnknownCheck: the two do not name a finding.
            FindingAbsent: that check finds no such thing now.
            WriteRefused: the settings or the disk do not let it be written.
        """
        with self._vault.faults():
            now = finding_now(self._vault, key_of(check, subject))
            return settle_finding(self._vault, now, dismiss=True)

    def restore_finding(self, check: str, subject: str) -> Dismissed:
        """Take the dismissal of a finding back, whether it still is one or not."""
        with self._vault.faults():
            now = finding_now(self._vault, key_of(check, subject))
            return settle_finding(self._vault, now, dismiss=False)

    def health(
        self,
        *,
        checks: Sequence[str] | None = None,
        limit: int | None = EXAMPLES,
    ) -> HealthReport:
        """Return what to fix, with a score; `limit` findings of each check, None all.

        Raises:
            UnknownCheck: there is no check of one of these names.
        """
        with self._vault.faults():
            return report(self._vault, checks=checks, limit=limit)

    def repairs(self, *, checks: Sequence[str] | None = None) -> Repairs:
        """Return what would fix the findings of `health`; `Editing.repair` does it.

        Raises:
            UnknownCheck: there is no check of one of these names.
        """
        with self._vault.faults():
            return repairs(self._vault, checks=checks)

    def secrets(self) -> list[SecretPlace]:
        """Return where credentials are in notes, for their owner alone."""
        with self._vault.faults():
            return secret_places(self._vault)

    def check_finding(self, key: str) -> FindingNow:
        """Return whether a finding of `health` still is one, by the check it is from.

        Raises:
            BadFindingKey, UnknownCheck: the key is not of a finding.
        """
        with self._vault.faults():
            return finding_now(self._vault, key)

    def dismissals(self) -> Dismissals:
        """Return what was dismissed, and the lines of it that cannot be read."""
        with self._vault.faults():
            return dismissals_for(self._vault).now()

    def path(  # noqa: PLR0913 - each option by its name
        self,
        source: str,
        target: str,
        *,
        limit: int = 5,
        most_hops: int = 6,
        common: bool = True,
        ghosts: bool = False,
    ) -> Chains:
        """Return the shortest chains of links between two notes, or why there is none.

        Links are followed either way. With `common`, the notes linked with both too.
        """
        with self._vault.faults(), net_rows(self._vault).still():
            return chains(
                self._vault,
                source,
                target,
                limit=limit,
                most_hops=most_hops,
                common_notes=common,
                ghosts=ghosts,
            )

    def rank(  # noqa: PLR0913 - each option by its name
        self,
        *,
        metric: Metric = "influence",
        limit: int = 20,
        theme: str | int | None = None,
        about: str | None = None,
        least_inbound: int = 0,
        ghosts: bool = False,
    ) -> Ranking:
        """Return the notes that matter most, by one measure, each with a reason.

        With `theme`, those of a theme; with `about`, the hits of a search and what is
        linked with them. Then only the links between these notes count. Notes that
        fewer than `least_inbound` others of the vault link to are left out.

        Raises:
            UnknownTheme, AmbiguousTheme: no single theme has that name.
            NothingAsked, BadDate: the query cannot be understood.
        """
        with self._vault.faults():
            return ranking(
                self._vault,
                self._search,
                metric=metric,
                limit=limit,
                theme=None if theme is None else str(theme),
                about=about,
                least_inbound=least_inbound,
                ghosts=ghosts,
            )

    def timeline(self, name: str, *, limit: int = 100) -> Timeline:
        """Return how a note's neighbourhood grew, up to the latest `limit` events.

        From properties, names and files, and from git where the vault is a repository.
        """
        with self._vault.faults():
            return timeline(self._vault, name, limit=limit)
