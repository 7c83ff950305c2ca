"""The curve of confidence that a vault has taught, kept beside its index."""

import hashlib
import json
import os
from collections.abc import Callable, Collection
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from glassmind.model.search import Filter, Wish
from glassmind.search.confidence import (
    FITTED,
    QUESTIONS,
    USUAL,
    Curve,
    Signals,
    asked_in_all,
    learnt,
    own_questions,
)
from glassmind.search.query import parse_query, plain
from glassmind.store.sqlite.links import ClueRows
from glassmind.vault import Vault

if TYPE_CHECKING:
    from glassmind.model import NotePath
    from glassmind.model.index import ShowProgress
    from glassmind.model.vectors import Space
    from glassmind.search.plan import SearchSources
    from glassmind.store.lexical.search import KeywordIndex

VERSION = 1
"""Raised when the same vault teaches something else than before."""

LEAST_NOTES = 50
"""Notes of a vault that is worth asking: in a smaller one nothing is typical."""

GROWTH = 1.25
"""How much a vault grows or shrinks until it is asked again."""

CLUES = 3_000
"""Links that are looked at for questions."""

WISH = Wish(facts=False, rerank="off")
"""As people ask: ten hits, of the vault alone."""


class Kept(NamedTuple):
    """What was learnt, and from how many notes and questions of theirs."""

    curve: Curve
    notes: int
    questions: int


class Paused(Exception):
    """Somebody else is to have the machine."""


def is_due(vault: Vault) -> bool:
    """Whether a vault is to be asked what its answers look like; costs next to nothing.

    A small one never is, and a larger one again when it has become another.
    """
    space = vault.reader.vectors().answering()
    if space is None:
        return False
    notes = ClueRows(vault.reader.connection()).notes()
    kept = _read(_file_of(vault.place.folder, space))
    return notes >= LEAST_NOTES and (kept is None or not _is_alike(kept.notes, notes))


def usual_curve(space: "Space") -> Curve | None:
    """Return the curve of a vault that taught none; None if the model has none."""
    return USUAL if space.name.startswith(FITTED) else None


class OpenCurve:
    """The curve of one vault, read when it is first asked for and when it changes."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._read: tuple[Path, int, Kept | None] | None = None

    def now(self, folder: Path, space: "Space") -> Curve | None:
        """Return the curve of a space; None for a model that nothing is known of.

        Where the vault taught none it is the usual one, if that was made for the model.
        """
        kept = self._kept(_file_of(folder, space))
        return usual_curve(space) if kept is None else kept.curve

    def learn(
        self,
        folder: Path,
        space: "Space",
        words: "KeywordIndex",
        progress: "ShowProgress",
        pause: Callable[[], bool],
    ) -> None:
        """Ask the vault, and keep what it teaches; a pause leaves all as it was."""
        from glassmind.wiring.search import sources_for  # noqa: PLC0415

        rows = ClueRows(self._vault.reader.connection())
        questions = own_questions(rows.clues(CLUES), QUESTIONS)
        sources, total = sources_for(self._vault, words), asked_in_all(questions)
        ask = Asking(sources, progress, pause, total)
        with suppress(Paused):
            curve = learnt(ask, questions)
            if curve is not None:
                kept = Kept(curve, rows.notes(), len(questions))
                _keep(_file_of(folder, space), kept)

    def _kept(self, file: Path) -> Kept | None:
        """Return what a file holds; None if nothing of use."""
        try:
            changed = file.stat().st_mtime_ns
        except OSError:
            return None
        if self._read is None or self._read[:2] != (file, changed):
            self._read = (file, changed, _read(file))
        return self._read[2]


class Asking:
    """Asks one question after the other, until it is told to pause."""

    def __init__(
        self,
        sources: "SearchSources",
        progress: "ShowProgress",
        pause: Callable[[], bool],
        total: int,
    ) -> None:
        self.sources, self._progress, self._pause = sources, progress, pause
        self._asked, self._total = 0, total
        self.today = date.today()  # noqa: DTZ011 - the day of whoever sits here

    def __call__(self, text: str, without: "Collection[NotePath]") -> Signals | None:
        """Return the signals of a question's answer; see `learning.Ask`.

        Raises:
            Paused: the machine is for somebody else now.
        """
        from glassmind.model.index import Progress  # noqa: PLC0415
        from glassmind.search.search import signals  # noqa: PLC0415

        if self._pause():
            raise Paused
        words = parse_query(plain(text), self.today)
        if without:
            apart = Filter("among", paths=tuple(sorted(without)), negated=True)
            words = words._replace(filters=(*words.filters, apart))
        found = signals(self.sources, words, WISH, self.today)
        self._asked += 1
        self._progress(Progress("confidence", self._asked, self._total))
        return found


def _is_alike(before: int, now: int) -> bool:
    return max(before, now) <= GROWTH * min(before, now)


def _file_of(folder: Path, space: "Space") -> Path:
    known = f"{VERSION}\n{space.name}"
    digest = hashlib.sha256(known.encode()).hexdigest()[:16]
    return folder / f"confidence-{digest}.json"


def _read(file: Path) -> Kept | None:
    try:
        curve, notes, questions = json.loads(file.read_text("utf-8"))
        far, spread, bias, weights = curve
        near, coverage, length, said = map(float, weights)
        made = Curve(
            float(far), float(spread), float(bias), (near, coverage, length, said)
        )
        return Kept(made, int(notes), int(questions)) if made.spread > 0 else None
    except (OSError, ValueError, TypeError):
        return None


def _keep(file: Path, kept: Kept) -> None:
    part = file.with_suffix(f".{os.getpid()}.part")
    with suppress(OSError):  # a folder that cannot be written: learnt again
        part.write_text(json.dumps(kept), "utf-8")
        part.replace(file)
