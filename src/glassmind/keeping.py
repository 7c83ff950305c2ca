"""Keeping the index up to the vault: here, or by whoever does so in our place."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from glassmind.errors import GlassmindError, IndexFault
from glassmind.model import NotePath

if TYPE_CHECKING:  # values of verbs that a search does not use, a millisecond each
    from glassmind.model.index import IndexReport
    from glassmind.ports.elsewhere import IndexWishes
    from glassmind.ports.indexing import ShowProgress
    from glassmind.vault import Vault

WAIT_S = 2.0
"""How long what was just written waits for others to get into the index: as long as
somebody looks on. Whoever writes the index next takes it in."""


def indexed(
    vault: "Vault",
    wishes: "IndexWishes",
    progress: "ShowProgress | None",
    *,
    alone: bool,
    renew: Callable[[float], None],
) -> "IndexReport":
    """Bring the index up to the vault; see `Engine.index`.

    A change that was cut short is brought to its end first. `renew` brings what a
    search by meaning asks beside the rows up to a run.
    """
    from glassmind.edit.editing import settle_vault  # noqa: PLC0415

    settled = settle_vault(vault)
    other = None if alone else vault.daemon()
    report = other.index(wishes, progress) if other else None
    if report is None:
        from glassmind.wiring.keeper import keeper_for  # noqa: PLC0415

        report = keeper_for(vault).index(progress, **wishes)
        meant = vault.config.embeddings.backend != "none"
        if meant and wishes["wait_s"] is None and _is_news(report):
            with suppress(IndexFault):  # what cannot be written now is made when asked
                renew(0.0)
    if wishes["wait_s"] is not None:
        vault.renames.add(report.renamed)
    if not settled:
        return report
    from dataclasses import replace  # noqa: PLC0415 - a search does without it

    return replace(report, warnings=(*settled, *report.warnings))


def _is_news(report: "IndexReport") -> bool:
    return bool(report.added or report.changed or report.moved or report.removed)


def taken_in(  # noqa: PLR0913 - each wish by its name
    vault: "Vault",
    index: "Callable[..., IndexReport]",
    paths: Sequence[NotePath],
    *,
    reason: str,
    narrow: bool = False,
    wait_s: float | None = None,
) -> GlassmindError | None:
    """Bring some files into the index; return why they are not in it, if so.

    With `wait_s`, others are waited for no longer than so; else as long as is usual. A
    first run is not begun: it may take minutes, and is for its owner to ask for.
    """
    try:
        with vault.faults():
            vault.head()
        index(
            paths=paths,
            reason=reason,
            embed=not narrow,
            narrow=narrow,
            wait_s=WAIT_S if wait_s is None else wait_s,
        )
    except GlassmindError as error:
        return error
    return None
