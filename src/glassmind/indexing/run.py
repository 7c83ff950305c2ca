"""A whole run of indexing under the writer lock: rows, then sidecars, then tidying."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from glassmind.errors import IndexDamaged
from glassmind.indexing.follow import MUCH, Followed, bring_up, remake
from glassmind.indexing.pipeline import Job, apply_scan, known_stamps
from glassmind.markdown.split import SplitRules
from glassmind.ports.indexing import IndexStore, ShowProgress
from glassmind.types.files import IndexReport, Progress
from glassmind.vault.ignore import load_rules
from glassmind.vault.read import VaultFiles
from glassmind.vault.scan import scan

COMPACT_SHARE, COMPACT_CHUNKS = 0.2, 2_000
"""Deleted documents still count in a word's rarity; beyond a fifth, rankings drift."""


class WritableStore(IndexStore, Protocol):
    """The rows, with the ways out of trouble."""

    @property
    def notices(self) -> list[str]:
        """What a user should know about how the rows were opened."""

    def begin_anew(self, wrong: str, /) -> None:
        """Set the rows aside, saying what was wrong with them."""


@dataclass(frozen=True, slots=True)
class IndexRequest:
    """What a run is asked for."""

    verify: bool = False
    rebuild: bool = False
    compact: bool = False
    accept_deletions: bool = False
    reason: str = "index"


@dataclass(frozen=True, slots=True)
class Workshop:
    """Everything a run works with; `writing` opens the rows under the writer lock."""

    root: Path
    ignore_dirs: tuple[str, ...]
    include_agent_dir: bool
    max_note_bytes: int
    rules: SplitRules
    writing: Callable[..., AbstractContextManager[WritableStore]]
    words: Followed


def run_index(
    shop: Workshop, request: IndexRequest, progress: ShowProgress
) -> IndexReport:
    """Bring the whole index up to the vault, and say what was done.

    A database that turns out to be damaged on the way is set aside and made anew: the
    vault holds everything it held.

    Raises:
        MassDeletion: a large part of the vault seems gone; nothing was removed.
        VaultMissing: the vault's folder is not there; nothing was written.
        IndexBusy: another process is writing.
        IndexUnwritable: the disk does not take the index.
    """
    began = time.perf_counter()
    with shop.writing(anew=request.rebuild) as store:
        if request.rebuild:
            shop.words.discard()
        try:
            with store.faults():
                report = _bring_up(shop, store, request, progress)
        except IndexDamaged as error:
            if Path(error.file).name != "index.db":
                raise  # the word index: the rows it is made from are well
            store.begin_anew(error.reason)
            with store.faults():
                report = _bring_up(shop, store, request, progress)
        notices = tuple(store.notices)
    return replace(
        report,
        seconds=time.perf_counter() - began,
        warnings=(*notices, *report.warnings),
        rebuilt=request.rebuild,
    )


def _bring_up(
    shop: Workshop,
    store: WritableStore,
    request: IndexRequest,
    progress: ShowProgress,
) -> IndexReport:
    rules = load_rules(
        shop.root,
        ignore_dirs=shop.ignore_dirs,
        include_agent_dir=shop.include_agent_dir,
    )
    with VaultFiles(shop.root) as files:
        job = Job(
            store=store,
            read=lambda path: files.read(path, limit_bytes=shop.max_note_bytes),
            exists=files.exists,
            rules=shop.rules,
            progress=progress,
            verify=request.verify,
            accept_deletions=request.accept_deletions,
            reason="rebuild" if request.rebuild else request.reason,
        )
        known = known_stamps(job)
        progress(Progress("scan", 0, len(known)))
        found = scan(shop.root, rules, known)
        report = apply_scan(job, known, found)
    compacted = follow_words(shop.words, store, progress, compact=request.compact)
    warnings = (*rules.warnings, *report.warnings)
    return replace(report, warnings=warnings, compacted=compacted)


def follow_words(
    words: Followed,
    store: IndexStore,
    progress: ShowProgress,
    *,
    compact: bool = False,
) -> bool:
    """Bring the word index up to the rows, compacting it when that is due or asked for.

    Returns whether every document was written anew.
    """
    log, total = store.log(), store.rows().note_count()
    before = words.marker()
    anew = bring_up(log, words, total=total, progress=progress)
    if not anew and (compact or (before != log.head() and _is_due(words))):
        sidecar = words.open(total > MUCH)
        try:
            remake(log, sidecar, total=total, progress=progress)
        finally:
            sidecar.close()
        anew = True
    if before != log.head():
        with store.transaction() as step:
            step.prune_log(int(log.head().split(":")[1]))
    return anew


def _is_due(words: Followed) -> bool:
    gone, share = words.deleted()
    return share > COMPACT_SHARE and gone > COMPACT_CHUNKS
