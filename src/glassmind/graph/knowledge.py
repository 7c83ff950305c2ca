"""What a vault's links and names say: one method for each question or action."""

from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from glassmind.graph.connections import chains, connections, guess_of
from glassmind.graph.dismissals import dismissals_for, settle_finding, settle_pair
from glassmind.graph.entities import ingest, resolve
from glassmind.graph.health import finding_now, key_of, report, secret_places
from glassmind.graph.ontology import ontology
from glassmind.graph.ranks import ranking
from glassmind.graph.repairs import followed, repairs
from glassmind.graph.similar import similar
from glassmind.graph.suggestions import suggest
from glassmind.graph.themes import themed_for, themes
from glassmind.graph.timeline import timeline
from glassmind.model.graph import Metric, RankedNotes
from glassmind.model.search import SearchReply
from glassmind.model.suggestions import Dismissals, Dismissed
from glassmind.vault import Vault

P = ParamSpec("P")
R = TypeVar("R")


def _of_vault(
    function: Callable[Concatenate[Vault, P], R], *, still: bool = False
) -> "Callable[Concatenate[Knowledge, P], R]":
    """With `still`, all that the method reads is of one state of the rows."""

    @wraps(function)
    def method(self: "Knowledge", /, *args: P.args, **kwargs: P.kwargs) -> R:
        vault = self._vault
        with vault.faults(), vault.rows().still() if still else nullcontext():
            return function(vault, *args, **kwargs)

    return method


class Knowledge:
    """Answers about the links and names of a vault, from any number of threads.

    A note is given by its path, title, alias or a clear part of them. Each method that
    takes one raises `NoteNotFound`, `AmbiguousName` or `FileUnreadable`; each that
    takes a limit or a number raises `BadLimit` or `BadWish` where it is out of range.
    """

    def __init__(self, vault: Vault, search: Callable[[str, int], SearchReply]) -> None:
        self._vault, self._search = vault, search

    themes = _of_vault(themes)
    connections = _of_vault(connections, still=True)
    path = _of_vault(chains, still=True)
    guess = _of_vault(guess_of)
    ontology = _of_vault(ontology)
    timeline = _of_vault(timeline)
    health = _of_vault(report)
    repairs = _of_vault(repairs)
    secrets = _of_vault(secret_places)
    check_finding = _of_vault(finding_now)

    resolve = _of_vault(resolve)
    ingest = _of_vault(ingest)
    similar = _of_vault(similar)
    suggest = _of_vault(suggest)
    links_to_add = _of_vault(followed)

    def renew(self, *, wait_s: float) -> None:
        """Bring the themes that are kept up to the links.

        Raises:
            IndexFault: they cannot be kept, or others wrote for longer than `wait_s`.
        """
        with self._vault.faults():
            themed_for(self._vault).renew(wait_s)

    def dismiss(self, a: str, b: str) -> Dismissed:
        """Never show two notes as similar again, in a search either."""
        with self._vault.faults():
            return settle_pair(self._vault, a, b, dismiss=True)

    def restore_pair(self, a: str, b: str) -> Dismissed:
        with self._vault.faults():
            return settle_pair(self._vault, a, b, dismiss=False)

    def dismiss_finding(self, check: str, subject: str) -> Dismissed:
        """Never show a finding of vault health again; its key is `check:subject`."""
        now = self.check_finding(key_of(check, subject))
        with self._vault.faults():
            return settle_finding(self._vault, now, dismiss=True)

    def restore_finding(self, check: str, subject: str) -> Dismissed:
        now = self.check_finding(key_of(check, subject))
        with self._vault.faults():
            return settle_finding(self._vault, now, dismiss=False)

    def dismissals(self) -> Dismissals:
        with self._vault.faults():
            return dismissals_for(self._vault).now()

    def rank(  # noqa: PLR0913 - each option by its name
        self,
        *,
        metric: Metric = "influence",
        limit: int = 20,
        theme: str | int | None = None,
        about: str | None = None,
        least_inbound: int = 0,
        ghosts: bool = False,
    ) -> RankedNotes:
        """Return the notes that matter most, by one measure, each with a reason.

        With `theme`, those of a theme; with `about`, the hits of a search and what is
        linked with them. Then only the links between these notes count. Notes that
        fewer than `least_inbound` others of the vault link to are left out.
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
