"""The adapters of use: how it gets into the rows, and what it makes warm."""

import time
from collections.abc import Mapping
from datetime import date, datetime
from threading import Lock

from glassmind.errors import VaultError
from glassmind.files.read import VaultFiles
from glassmind.memory.activity import measured
from glassmind.memory.pins import FILE, pins_in
from glassmind.model.search import Warm
from glassmind.store.sqlite.pairs import PairRows
from glassmind.vault import Vault

HOLD_S = 5.0
"""Seconds for which use alone changes nothing: every search is use, and would have the
next one look at all of it again."""


class OpenHeat:
    """How warm notes are, kept for as long as nothing says otherwise."""

    def __init__(self, vault: Vault) -> None:
        self._vault, self._lock = vault, Lock()
        self._folder = vault.agent_folder
        self._kept: tuple[object, Mapping[int, Warm]] = (None, {})
        self._looked, self._use = 0.0, (0, 0)

    def __call__(self) -> Mapping[int, Warm]:
        """Return the heat of each note that is not stone cold, by its id."""
        vault, today = self._vault, datetime.now().astimezone().date()
        with self._lock, VaultFiles(vault.config.vault.path) as files:
            head = vault.reader.log().head()
            state = (head, self._use_state(), self._pins_state(files), today)
            if self._kept[0] != state:
                self._kept = (state, self._measured(files, today))
            return self._kept[1]

    def _use_state(self) -> tuple[int, int]:
        now = time.monotonic()
        if now >= self._looked + HOLD_S or not self._looked:
            self._looked, self._use = now, self._vault.use_log.state()
        return self._use

    def _pins_state(self, files: VaultFiles) -> object:
        try:
            facts = files.stat(f"{self._folder}/{FILE}")
        except VaultError:
            return None
        return (facts.st_mtime_ns, facts.st_size, facts.st_ino)

    def _measured(self, files: VaultFiles, today: date) -> Mapping[int, Warm]:
        vault = self._vault
        rows = PairRows(vault.reader.connection())
        pins = pins_in(files, self._folder, rows).paths
        made = measured(vault, pins, today)
        return {n: Warm(h, pinned=n in made.pinned) for n, h in made.heat.items()}
