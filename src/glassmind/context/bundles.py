"""The verbs of bundles: each asks the other stages and calls one function of ours."""

from collections.abc import Sequence
from datetime import date
from typing import Literal

from glassmind.context.briefing import brief
from glassmind.context.bundle import BundleRequest, bundle_for, hot_bundle
from glassmind.context.evidence import gathered
from glassmind.context.parts import ContextParts
from glassmind.context.summaries import summarize
from glassmind.context.verifying import verify
from glassmind.model.context import Briefing, Bundle, Gathered, Summary, Verified
from glassmind.model.search import Intent, Mode


class Bundles:
    """What of a vault matters, packed for an agent; for any number of threads."""

    def __init__(self, shelf: ContextParts) -> None:
        self._shelf = shelf

    def pack(  # noqa: PLR0913 - each wish by its name
        self,
        query: str,
        *,
        budget_tokens: int | None = None,
        limit: int | None = None,
        project: str | None = None,
        mode: Mode | None = None,
        intent: Intent | Literal["auto"] | None = "auto",
        save: bool = False,
        today: date | None = None,
    ) -> Bundle:
        """Return what of the vault matters for a question, within the budget.

        `limit` is the most notes. With `save`, it is kept in the agent folder.

        Raises:
            NothingAsked, BadDate, BadLimit, BadWish: as a search does.
            ProjectUnknown: no note belongs to the project.
            BudgetTooSmall: nothing useful fits.
            WriteRefused: it is to be saved, and nothing may be written.
        """
        wish = BundleRequest(budget_tokens, limit, project, mode, intent, save, today)
        with self._shelf.faults():
            return bundle_for(self._shelf, query, wish)

    def gather(  # noqa: PLR0913 - each wish by its name
        self,
        question: str,
        *,
        limit: int,
        budget_tokens: int,
        project: str | None = None,
        mode: Mode | None = None,
        intent: Intent | Literal["auto"] | None = "auto",
        private: bool = False,
        today: date | None = None,
    ) -> Gathered:
        """Return the passages that may answer a question, numbered, best first.

        Of `limit` notes, within the budget; private ones only if that is said. With
        them comes what sentences of the notes answer.

        Raises:
            NothingAsked, BadDate, BadLimit, BadWish: as a search does.
            ProjectUnknown: no note belongs to the project.
        """
        wish = BundleRequest(budget_tokens, limit, project, mode, intent, today=today)
        with self._shelf.faults():
            return gathered(self._shelf, question, wish, private=private)

    def hot(
        self,
        *,
        budget_tokens: int | None = None,
        project: str | None = None,
        limit: int = 10,
        today: date | None = None,
    ) -> Bundle:
        """Return what is alive now, without a question.

        Raises:
            ProjectUnknown: no note belongs to the project.
            BudgetTooSmall: nothing useful fits.
        """
        wish = BundleRequest(budget_tokens, limit, project, today=today)
        with self._shelf.faults():
            return hot_bundle(self._shelf, wish)

    def verify(self, receipts: Sequence[str]) -> list[Verified]:
        """Return what became of the lines that receipts are for, in their order.

        From the files, whatever the index knows; see `verifying.verify`.

        Raises:
            NoReceipts: there are none; one that is wrong is told as "bad".
        """
        with self._shelf.faults():
            return verify(self._shelf, receipts)

    def brief(
        self,
        *,
        project: str | None = None,
        since: str | None = None,
        budget_tokens: int | None = None,
        today: date | None = None,
    ) -> Briefing:
        """Return where work stands, for who begins.

        What is warm, decided and open, in a project or in what is alive, and what
        changed since a day as a search takes it; see `briefing.brief`.

        Raises:
            BadDate: `since` is not a date.
            ProjectUnknown: no note belongs to the project.
            BudgetTooSmall: nothing useful fits.
        """
        with self._shelf.faults():
            return brief(
                self._shelf,
                project=project,
                since=since,
                budget_tokens=budget_tokens,
                today=today,
            )

    def summarize(
        self,
        project: str,
        *,
        budget_tokens: int | None = None,
        save: bool = True,
        today: date | None = None,
    ) -> Summary:
        """Return a project in sentences of its own notes, each cited.

        With `save`, it is kept in the agent folder in the place of the former summary
        of the project, which goes to the trash; see `summaries.summarize`. Agents read
        it there, so nothing private is in it.

        Raises:
            ProjectUnknown: no note belongs to the project.
            BudgetTooSmall: nothing useful fits.
            WriteRefused: it is to be saved, and nothing may be written.
        """
        shared = self._shelf.sources.shared
        if save and shared is not None:
            return shared().summarize(project, budget_tokens=budget_tokens, today=today)
        with self._shelf.faults():
            return summarize(
                self._shelf,
                project,
                budget_tokens=budget_tokens,
                save=save,
                today=today,
            )
