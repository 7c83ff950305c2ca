"""Keep the index of a vault current, with what packages above `index` add to a run."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec.structs import replace

from glassmind.errors import GlassmindError, IndexFault
from glassmind.model import NotePath
from glassmind.store.place import is_edit_interrupted
from glassmind.vault import Hooks, Vault

if TYPE_CHECKING:  # a search needs none of them
    from glassmind.model.index import IndexOptions, IndexReport, ShowProgress
    from glassmind.model.search import ActivityLevel
    from glassmind.model.suggestions import Dismissals, ScopePairs
    from glassmind.store.protocol import Rows

WAIT_S = 2.0
"""How long what was just written waits for another writer. Later, the next run indexes
it."""


class DomainHooks(Hooks):
    """What memory, graph, search and edit do for the packages below them."""

    def similar(
        self, vault: Vault, rows: "Rows", hidden: frozenset[int]
    ) -> "ScopePairs":
        """Return the similar notes of a scope, made again when stored ones change."""
        from glassmind.graph.similar import pairs_among  # noqa: PLC0415 - numpy
        from glassmind.model.suggestions import ScopePairs  # noqa: PLC0415

        level = vault.config.graph.similarity
        with rows.still():
            state = rows.pair_state()
            return vault.scope_results.get(
                ("pairs", hidden, rows.setting("epoch"), state),
                lambda: ScopePairs(
                    *pairs_among(rows, level, hidden), state.link_seq if state else 0
                ),
            )

    def dismissals(self, vault: Vault) -> "Dismissals":
        from glassmind.graph.dismissals import dismissals_for  # noqa: PLC0415

        return dismissals_for(vault).now()

    def activity(self, vault: Vault) -> "Mapping[int, ActivityLevel]":
        from glassmind.memory.activity import CachedHeat  # noqa: PLC0415

        return vault.part(CachedHeat)()

    def after_run(self, vault: Vault) -> tuple[Sequence[NotePath], Sequence[str]]:
        from glassmind.memory.ticked import accept_ticked  # noqa: PLC0415

        return accept_ticked(vault)

    def after_renames(
        self, vault: Vault, renamed: Sequence[tuple[NotePath, NotePath]]
    ) -> Sequence[str]:
        vault.renames.add(renamed)
        moves = vault.renames.take()
        if not moves or vault.config.writes.user_notes == "off":
            return ()
        from glassmind.edit.editing import Editing  # noqa: PLC0415

        notice = Editing(vault).propose_for_renamed(moves)
        return (notice,) if notice else ()

    def after_embedding(
        self,
        vault: Vault,
        progress: "ShowProgress",
        pause: Callable[[], bool],
    ) -> None:
        from glassmind.graph.pairing import pair_notes  # noqa: PLC0415
        from glassmind.search.semantic import semantic_for  # noqa: PLC0415

        semantic_for(vault).learn(progress, pause)
        pair_notes(vault, progress, pause)


def indexed(
    vault: Vault,
    wishes: "IndexOptions",
    progress: "ShowProgress | None",
    *,
    alone: bool,
    renew: Callable[[float], None],
) -> "IndexReport":
    """Bring the index up to the vault; see `Engine.index`.

    A change that was cut short is brought to its end first. `renew` updates what is
    made from links.
    """
    settled, before = settle_vault(vault), dict[NotePath, str]()
    if vault.scope is not None:
        from glassmind.index.keeper import (  # noqa: PLC0415
            visible_digests,
            visible_report,
        )

        before.update(visible_digests(vault))
    report = None if alone else vault.daemon().index(wishes, progress)
    if report is None:
        from glassmind.index.keeper import IndexKeeper  # noqa: PLC0415

        report = IndexKeeper(vault).index(progress, **wishes)
        has_model = vault.config.embeddings.backend != "none"
        is_news = report.added or report.changed or report.moved or report.removed
        if has_model and wishes["wait_s"] is None and is_news:
            with suppress(IndexFault):  # what cannot be written now is made when asked
                renew(0.0)
    if wishes["wait_s"] is not None:
        vault.renames.add(report.renamed)
    if vault.scope is not None:
        report = visible_report(vault, report, before)
    if not settled:
        return report
    return replace(report, warnings=(*settled, *report.warnings))


def settle_vault(vault: Vault) -> tuple[str, ...]:
    """Finish a change of notes that was cut short; return messages about it."""
    if vault.scope is not None:  # a scoped caller is not told whose change it was
        settle_vault(vault.whole)
        return ()
    home = vault.data_folder if vault.config.writes.mode != "off" else None
    if home is None or not is_edit_interrupted(home):
        return ()
    from glassmind.edit.editing import finish_interrupted  # noqa: PLC0415

    return finish_interrupted(vault)


def taken_in(  # noqa: PLR0913 - each wish by its name
    vault: Vault,
    paths: Sequence[NotePath],
    *,
    reason: str,
    alone: bool,
    narrow: bool = False,
    wait_s: float = WAIT_S,
) -> GlassmindError | None:
    """Bring some files into the index; return why they are not in it, if so.

    Other writers are waited for no longer than `wait_s`. A first run is not begun: it
    may take minutes, and is for its owner to ask for.
    """
    wishes: IndexOptions = {
        "reason": reason,
        "paths": tuple(paths),
        "embed": not narrow,
        "narrow": narrow,
        "verify": False,
        "rebuild": False,
        "compact": False,
        "accept_deletions": False,
        "wait_s": wait_s,
    }
    try:
        with vault.faults():
            vault.store.head()
        report = None if alone else vault.daemon().index(wishes, None)
        if report is None:
            from glassmind.index.keeper import IndexKeeper, run_index  # noqa: PLC0415
            from glassmind.index.pipeline import IndexRequest  # noqa: PLC0415

            if narrow:
                request = IndexRequest(reason=reason, paths=tuple(paths), narrow=True)
                report = run_index(vault.whole, request, lambda _: None, wait_s)
            else:
                report = IndexKeeper(vault).index(**wishes)
        vault.renames.add(report.renamed)
    except GlassmindError as error:
        return error
    return None
