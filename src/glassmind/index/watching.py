"""Follow a vault: bring its index up to every change, and say what was done."""

import os
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from threading import Event

from msgspec.structs import replace

from glassmind.errors import GlassmindError, MassDeletion, VaultError
from glassmind.files.scan import scan
from glassmind.files.watch import Debouncer, VaultChanges, VaultEvents, identity_of
from glassmind.index.background import Background
from glassmind.index.keeper import IndexKeeper
from glassmind.index.pipeline import folder_of
from glassmind.model.index import (
    Cause,
    ChangeRecovered,
    IndexReport,
    IndexUpdated,
    Progress,
    TellNews,
    UpdateFailed,
    WatchMode,
    WatchModeChanged,
    WatchState,
)
from glassmind.store.disk import filesystem_kind, on_network
from glassmind.store.watch_state import clear_state, write_state
from glassmind.vault import Vault

WHOLE = "/"  # stands for the whole vault among paths; no path is called so


TICK_S = 0.5  # between looks at whether to end, and the time
MANY_PATHS, MANY_FOLDERS = 500, 50  # then a look at the whole vault costs less
FIRST_RETRY_S, LONGEST_RETRY_S = 1.0, 60.0  # after a failure, less and less often
POLL_SHARE = 20  # one part in so many of the time goes into looking
MOST_FAILURES = 30  # their retries lie far beyond the longest
BEAT_S = 60.0  # how often word is left though nothing has changed: a sign of life

NEVER = float("inf")

WRITER_WAIT_S = 10.0  # then it says so and tries again later


class _Stopped(Exception):
    """We were told to end in the middle of a run."""


class Watching:
    """Follows one vault; `run` may be called once."""

    def __init__(self, vault: Vault, relinked: Callable[[], None]) -> None:
        self._vault, self._relinked = vault, relinked
        self._keeper = IndexKeeper(vault, wait_s=WRITER_WAIT_S)
        self._root_path = vault.config.vault.path
        self._settings = settings = vault.config.watch
        self._graph_quiet_s = settings.community_debounce_ms / 1000
        self._changes = Debouncer(
            quiet_s=settings.debounce_ms / 1000,
            longest_s=settings.longest_wait_ms / 1000,
        )
        self._events = VaultEvents(
            self._root_path,
            vault.place.database_folder,
            vault.ignore_rules,
            self._hear,
        )
        self._state = WatchState(pid=os.getpid())
        self._word: tuple[WatchState, float] | None = None
        self._whole_at = 0.0
        self._cause: Cause = "start"
        self._failures = 0
        self._poll_at = self._embed_at = self._graph_at = NEVER
        self._silent = ""  # why the system gives no events
        if on_network(self._root_path):
            kind = filesystem_kind(self._root_path)
            self._silent = f"{kind} tells nobody of changes that another machine makes"
        self._root: tuple[int, int] | None = None
        self._warned: Sequence[str] = ()
        self._held, self._held_at, self._held_said = 0, "", ""
        self._unrelinked = ""
        self._background = Background(vault.store.close)

    def run(
        self, stop: Event, told: TellNews | None = None, settled: Sequence[str] = ()
    ) -> None:
        """Follow the vault; what goes wrong is told once and tried again."""
        self._stop, self._told = stop, told or (lambda _: None)
        try:
            for sentence in settled:
                self._told(ChangeRecovered(sentence))
            self._listen()
            while not stop.is_set():
                self._turn()
                next_s = min(self._whole_at, self._poll_at, self._embed_at)
                ahead_s = next_s - time.monotonic()
                now_s = time.monotonic()
                due_s = (self._changes.next_s() or now_s + TICK_S) - now_s
                self._changes.wait(max(0.0, min(TICK_S, ahead_s, due_s)))
        except _Stopped:
            pass
        finally:
            self._events.close()
            self._background.close()
            if self._word is not None:
                clear_state(self._vault.place.folder, self._state.pid)
            self._vault.store.close()

    def _turn(self) -> None:
        self._check_root()
        if self._held and self._head() != self._held_at:
            self._held_at = self._head()
            self._look_soon("rescan")
        paths = self._changes.due(time.monotonic())
        if WHOLE in paths or self._is_much(paths):
            self._look_soon("events")
        elif paths:
            self._bring("events", paths)
        if time.monotonic() >= self._whole_at:
            self._look()
        elif time.monotonic() >= self._poll_at:
            self._poll()
        if time.monotonic() >= self._embed_at:
            self._embed()
        if time.monotonic() >= self._graph_at:
            self._relink()
        self._leave_word()

    def _hear(self, heard: VaultChanges) -> None:
        now_s = time.monotonic()
        for path in heard.changed:
            self._changes.hear(path, now_s)
        for path in heard.gone:
            self._changes.hear(path, now_s, gone=True)
        if heard.whole:
            self._changes.hear(WHOLE, now_s, gone=True)  # waits for all the others

    def _look_soon(self, cause: Cause) -> None:
        self._whole_at = time.monotonic()
        self._cause = cause

    def _check_root(self) -> None:
        try:
            found = identity_of(self._root_path)
        except VaultError:
            found = None
        ended = self._state.mode == "watching" and self._events.failure
        if found != self._root or (ended and not self._failures):
            self._root = found
            self._look_soon("rescan")

    def _head(self) -> str:
        try:
            with self._vault.faults():
                return self._vault.store.head()
        except GlassmindError:
            return ""

    def _is_much(self, paths: Sequence[str]) -> bool:
        """Whether a look at everything is called for, rather than one at each path."""
        if not paths:
            return False
        if len(paths) > MANY_PATHS:
            return True
        if len({folder_of(path) for path in paths}) > MANY_FOLDERS:
            return True
        try:
            with self._vault.faults():
                known = self._vault.store.rows()
                files = [path for path in paths if not path.endswith("/")]
                return any(known.files(folder=path, limit=1) for path in files)
        except GlassmindError:
            return True

    def _listen(self) -> None:
        refused = self._silent
        try:
            self._root = identity_of(self._root_path)
            refused = refused or self._events.listen()
        except VaultError:
            return  # the look at the vault that follows says so
        mode: WatchMode = "polling" if refused else "watching"
        if refused:
            self._events.close()
        if (mode, refused) != (self._state.mode, self._state.reason):
            self._state = replace(self._state, mode=mode, reason=refused, since=_now())
            self._told(WatchModeChanged(mode, refused))

    def _look(self) -> None:
        cause = self._cause
        self._listen()  # folders that came are heard of before they are looked at
        self._changes.clear()
        report = self._bring(cause)
        if report is None:
            return
        self._state = replace(self._state, reconciled=_now())
        self._cause = "rescan"
        if not self._held:
            self._whole_at = time.monotonic() + self._settings.rescan_s
        polling = self._state.mode == "polling"
        self._poll_at = time.monotonic() + self._settings.poll_s if polling else NEVER

    def _poll(self) -> None:
        began = time.monotonic()
        try:
            with self._vault.faults():
                known = self._vault.store.rows().stamps()
            found = scan(self._root_path, self._vault.ignore_rules(), known)
            # what is held back stays missing, and is looked at again in its own time
            drifted = bool(found.changed or (found.missing and not self._held))
        except GlassmindError:
            drifted = True
        if drifted and self._bring("poll") is None:
            return
        took_s = time.monotonic() - began
        pause_s = max(self._settings.poll_s, POLL_SHARE * took_s)
        self._poll_at = time.monotonic() + pause_s

    def _bring(self, cause: Cause, paths: Sequence[str] = ()) -> IndexReport | None:
        """Bring the index up to the vault; None when that could not be done."""
        try:
            report = self._keeper.index(
                self._show,
                reason="watch",
                paths=tuple(paths),
                embed=False,
                hold_deletions=True,
            )
        except (GlassmindError, OSError) as error:
            self._held = 0
            self._hinder(str(error))
            return None
        if report.held:
            if self._held != report.held:
                self._held_said = str(MassDeletion(report.held, report.notes))
            self._held = report.held
            self._hinder(self._held_said)
        elif not paths:  # some folders alone do not make good what failed before
            self._failures = self._held = 0
            self._state = replace(self._state, error="")
        if self._held:
            self._held_at = self._head()
        changes = _changes(report)
        if changes or cause == "start":
            self._tell(cause, report, paths)
        self._embed_at = time.monotonic()
        if changes or cause == "start":
            self._graph_at = time.monotonic() + self._graph_quiet_s
        return report

    def _hinder(self, sentence: str) -> None:
        again_s = min(FIRST_RETRY_S * 2**self._failures, LONGEST_RETRY_S)
        self._failures = min(self._failures + 1, MOST_FAILURES)
        self._whole_at, self._poll_at = time.monotonic() + again_s, NEVER
        if sentence != self._state.error:
            self._state = replace(self._state, error=sentence)
            self._told(UpdateFailed(sentence, again_s))

    def _embed(self) -> None:
        self._embed_at = NEVER
        try:
            report = self._background.run(
                lambda: self._keeper.embed(self._show, pause=self._is_due)
            )
        except (GlassmindError, OSError) as error:
            self._hinder(str(error))
            return
        if self._is_due():
            self._embed_at = time.monotonic()
        if report.embedded or report.warnings:
            self._tell("vectors", report)

    def _relink(self) -> None:
        """Let what is made from links follow; the vault is taken in, come what may."""
        self._graph_at = NEVER
        try:
            self._background.run(self._relinked)
        except (GlassmindError, OSError) as error:
            again_s = max(self._graph_quiet_s, FIRST_RETRY_S)
            self._graph_at = time.monotonic() + again_s
            if str(error) != self._unrelinked:
                self._told(UpdateFailed(str(error), again_s))
            self._unrelinked = str(error)
        else:
            self._unrelinked = ""

    def _is_due(self) -> bool:
        now = time.monotonic()
        late = now >= self._whole_at or now >= self._poll_at
        return late or self._stop.is_set() or (self._changes.next_s() or NEVER) <= now

    def _tell(
        self, cause: Cause, report: IndexReport, paths: Sequence[str] = ()
    ) -> None:
        """Tell what was done; a warning that was told before is not told again."""
        fresh = tuple(said for said in report.warnings if said not in self._warned)
        if cause == "vectors":
            self._warned = report.warnings
            if not fresh and not report.embedded:
                return
            report = replace(report, warnings=fresh)
        self._told(IndexUpdated(cause, report, tuple(paths)))

    def _show(self, _: Progress) -> None:
        """Leave a run when we are to end; what it has written is kept."""
        self._leave_word()
        if self._stop.is_set():
            raise _Stopped

    def _leave_word(self) -> None:
        now = time.monotonic()
        state = replace(self._state, pending=len(self._changes) + self._held)
        if self._word is not None:
            known, at = self._word
            if now - at < (BEAT_S if state == known else TICK_S):
                return
        self._word = (state, now)
        write_state(self._vault.place.folder, state)


def _changes(report: IndexReport) -> int:
    return report.added + report.changed + report.moved + report.removed


def _now() -> str:
    return datetime.now().astimezone().isoformat(timespec="seconds")
