"""The verbs of knowledge: each finds the notes that are meant and calls one stage."""

from collections.abc import Sequence
from datetime import date

from glassmind.files.scan import LeftOutNames, left_out_names
from glassmind.graph import entities as ingesting
from glassmind.graph.connections import chains, connections, guess_of
from glassmind.graph.context import GraphContext
from glassmind.graph.dismissals import (
    dismiss_finding,
    dismiss_pair,
    restore_finding,
    restore_pair,
)
from glassmind.graph.health import (
    EXAMPLES,
    finding_now,
    key_of,
    report,
    secret_places,
)
from glassmind.graph.mentions import Commons
from glassmind.graph.ontology import SHOWN, shortened
from glassmind.graph.ranks import RankingRequest, ranking
from glassmind.graph.repairs import followed, repairs
from glassmind.graph.resolve import resolve
from glassmind.graph.similar import similar
from glassmind.graph.suggestions import SuggestionCache, suggest
from glassmind.graph.themes import only
from glassmind.graph.timeline import timeline
from glassmind.model import NotePath
from glassmind.model.graph import Chains, Connections, Metric, Ranking, Themes, Timeline
from glassmind.model.health import FindingNow, HealthReport, Repairs, SecretPlace
from glassmind.model.ontology import Ingestion, Ontology, Resolution
from glassmind.model.suggestions import Dismissals, Dismissed, Similar, Suggestions


class Knowledge:
    """What a vault's links say, ready to be asked from any number of threads."""

    def __init__(self, study: GraphContext) -> None:
        self._study = study
        self._rankings = SuggestionCache()

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
            UnknownTheme, AmbiguousTheme: no one theme is called so.
            BadWish: there are no themes of such a resolution.
        """
        with self._study.faults():
            found = self._study.themed.now(
                resolution=resolution, ghosts=ghosts, refresh=refresh
            )
        return found if theme is None else only(found, str(theme))

    def renew(self, *, wait_s: float) -> None:
        """Bring the themes that are kept up to the links, however many have changed.

        Raises:
            IndexFault: they cannot be kept, or others wrote for longer than `wait_s`.
        """
        with self._study.faults():
            self._study.themed.renew(wait_s)

    def connections(
        self,
        name: str,
        *,
        depth: int = 1,
        limit: int = 50,
        ghosts: bool = False,
        subgraph: bool = False,
    ) -> Connections:
        """Return what stands around a note, up to `limit` neighbours of every hop.

        With `ghosts`, names that no file has are neighbours too, and may be asked for.
        With `subgraph`, all that is shown and every link between, as one graph.

        Raises:
            BadWish, BadLimit: so deep, or so many, cannot be given.
            NoteNotFound, AmbiguousName, FileUnreadable: no one note is called so.
        """
        with self._study.faults(), self._study.still():
            return connections(
                self._study,
                name,
                depth=depth,
                limit=limit,
                ghosts=ghosts,
                subgraph=subgraph,
            )

    def guess(self, name: str, *, ghosts: bool = False) -> NotePath | None:
        """Return the note that a name is taken for; None where one is called so.

        With `ghosts`, the very name of a ghost is no guess either.

        Raises:
            NoteNotFound, AmbiguousName, FileUnreadable: no one note is meant.
        """
        with self._study.faults():
            return guess_of(self._study, name, ghosts=ghosts)

    def ontology(self, *, limit: int = SHOWN) -> Ontology:
        """Return the vocabulary of the vault, up to `limit` of each kind.

        Raises:
            BadLimit: so many cannot be given.
        """
        with self._study.faults():
            return shortened(self._study.vocabulary().ontology, limit)

    def resolve(self, text: str, *, limit: int = 5) -> Resolution:
        """Return whether the vault has what a text names, and how to link to it.

        Raises:
            NothingAsked: the text holds no name.
            BadLimit: so many candidates cannot be given.
        """
        study = self._study
        has_model = study.config.embeddings.backend != "none"
        with study.faults():
            return resolve(
                text,
                study.vocabulary().names,
                limit=limit,
                found=(lambda name, most: study.found(name, most).hits)
                if has_model
                else None,
                left_out=self._left_out,
            )

    def ingest(self, name: str, *, limit: int = ingesting.SHOWN) -> Ingestion:
        """Return what a note names, each matched to a note or proposed as a new one.

        A proposal: nothing is written.

        Raises:
            BadLimit: so many entities cannot be given.
            NoteNotFound, AmbiguousName, FileUnreadable: no one note is called so.
        """
        study = self._study
        with study.faults():
            root, path = study.config.vault.path, study.find(name)
            common = Commons(study.mention_rows(), study.words())
            return ingesting.ingest(
                root,
                path,
                study.vocabulary(),
                common,
                limit=limit,
                left_out=self._left_out,
                files=study.files,
            )

    def _left_out(self) -> LeftOutNames:
        """Return what files are called that are there and not in the index."""
        study = self._study
        skipped = [path for path, _ in study.troubles().skipped()]
        return left_out_names(study.config.vault.path, skipped, study.files)

    def similar(
        self, name: str | None = None, *, limit: int = 20, least: float = 0.0
    ) -> Similar:
        """Return notes that are alike and have no link, the most similar first.

        Those of one note, or the pairs of the whole vault; `least` is a cosine.

        Raises:
            BadLimit, BadWish: so many pairs, or pairs so alike, cannot be given.
            NoteNotFound, AmbiguousName: no one note is called so.
        """
        with self._study.faults():
            note = None if name is None else self._study.find(name)
            return similar(self._study, note, limit=limit, least=least)

    def suggest(self, name: str | None = None, *, limit: int = 20) -> Suggestions:
        """Return what should be linked, best first, each with a proposed edit.

        For one note or, without a name, for the whole vault. Nothing is written.

        Raises:
            BadLimit: so many cannot be given.
            NoteNotFound, AmbiguousName, FileUnreadable: no one note is called so.
        """
        with self._study.faults():
            note = None if name is None else self._study.find(name)
            return suggest(self._study, self._rankings, note, limit=limit)

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

        Raises:
            BadLimit: so many cannot be given.
            NoteNotFound, AmbiguousName, FileUnreadable: no one note is called so.
        """
        study, kept = self._study, self._rankings
        with study.faults():
            note = None if name is None else study.find(name)
            return followed(
                study, kept, note, keys=keys, mentions=mentions, limit=limit
            )

    def dismiss(self, a: str, b: str) -> Dismissed:
        """Never bring two notes up as similar again, be it in a search.

        Raises:
            NoteNotFound, AmbiguousName, BadWish: no two notes are called so.
            WriteRefused: the settings or the disk do not let it be written.
        """
        with self._study.faults():
            return dismiss_pair(self._study, a, b)

    def restore_pair(self, a: str, b: str) -> Dismissed:
        """Take the dismissal of two notes back; raises as `dismiss`."""
        with self._study.faults():
            return restore_pair(self._study, a, b)

    def dismiss_finding(self, check: str, subject: str) -> Dismissed:
        """Never bring a finding of vault health up again; its key is `check:subject`.

        Raises:
            BadFindingKey, UnknownCheck: the two do not name a finding.
            FindingAbsent: that check finds no such thing now.
            WriteRefused: the settings or the disk do not let it be written.
        """
        with self._study.faults():
            now = finding_now(self._study, key_of(check, subject), today=None)
            return dismiss_finding(self._study, now)

    def restore_finding(self, check: str, subject: str) -> Dismissed:
        """Take the dismissal of a finding back, be it one now or not.

        Raises:
            BadFindingKey, UnknownCheck: the two do not name a finding.
            WriteRefused: the settings or the disk do not let it be written.
        """
        with self._study.faults():
            now = finding_now(self._study, key_of(check, subject), today=None)
            return restore_finding(self._study, now)

    def health(
        self,
        *,
        checks: Sequence[str] | None = None,
        limit: int | None = EXAMPLES,
        today: date | None = None,
    ) -> HealthReport:
        """Return what is to be mended, with a score; `limit` findings of each check.

        Raises:
            UnknownCheck: there is no check of one of these names.
            BadLimit: so many findings cannot be shown; None shows all.
        """
        with self._study.faults():
            return report(self._study, checks=checks, limit=limit, today=today)

    def repairs(
        self, *, checks: Sequence[str] | None = None, today: date | None = None
    ) -> Repairs:
        """Return what would mend the findings of `health`; `Editing.repair` does it.

        Raises:
            UnknownCheck: there is no check of one of these names.
        """
        study = self._study
        with study.faults():
            return repairs(study, self._rankings, checks=checks, today=today)

    def secrets(self) -> list[SecretPlace]:
        """Return where credentials stand in notes, for their owner alone."""
        with self._study.faults():
            return secret_places(self._study)

    def check_finding(self, key: str, *, today: date | None = None) -> FindingNow:
        """Return whether a finding of `health` still is one, by the check it is from.

        Raises:
            BadFindingKey, UnknownCheck: the key is not of a finding.
        """
        with self._study.faults():
            return finding_now(self._study, key, today=today)

    def dismissals(self) -> Dismissals:
        """Return what was dismissed, and the lines of it that cannot be read."""
        with self._study.faults():
            return self._study.book.now()

    def path(  # noqa: PLR0913 - each wish by its name
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

        Raises:
            BadWish, BadLimit: such long chains, or so many, cannot be given.
            NoteNotFound, AmbiguousName, FileUnreadable: no one note is called so.
        """
        with self._study.faults(), self._study.still():
            return chains(
                self._study,
                source,
                target,
                limit=limit,
                most_hops=most_hops,
                common_notes=common,
                ghosts=ghosts,
            )

    def rank(  # noqa: PLR0913 - each wish by its name
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
        linked with them. Then the links between these notes alone count. Notes that
        fewer than `least_inbound` others of the vault lead to are left out.

        Raises:
            BadWish, BadLimit: there is no such measure, or not so many notes.
            UnknownTheme, AmbiguousTheme: no one theme is called so.
            NothingAsked, BadDate: the query cannot be understood.
        """
        theme = None if theme is None else str(theme)
        asked = RankingRequest(metric, limit, theme, about, least_inbound)
        with self._study.faults():
            return ranking(self._study, asked, ghosts=ghosts)

    def timeline(self, name: str, *, limit: int = 100) -> Timeline:
        """Return how a note's neighbourhood grew, up to the latest `limit` events.

        From properties, names and files, and from git where the vault is a repository.

        Raises:
            BadLimit: not so many can be given.
            NoteNotFound, AmbiguousName, FileUnreadable: no one note is called so.
        """
        with self._study.faults():
            return timeline(self._study, name, limit=limit)
