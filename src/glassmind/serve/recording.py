"""Checks every answer, and records it in the access log, before it is sent.

The engine of a caller does not have the notes that are hidden from it. In case that
fails, an answer is checked again by the notes that it discloses.
"""

from collections.abc import Sequence
from types import TracebackType
from typing import Self

from glassmind.engine import Engine
from glassmind.errors import GlassmindError
from glassmind.handing import hand, hides_any
from glassmind.memory.provenance import GIVEN
from glassmind.operations.failures import quotes_notes
from glassmind.operations.registry import note_paths, shown
from glassmind.serve.log import log, log_fault
from glassmind.types.callers import CALLER
from glassmind.types.ledger import Passage, Shown, Surface

_UNRECORDED: set[str] = set()
"""Vaults of this process whose log says that their access log cannot be written."""


class HiddenNote(Exception):
    """An answer has a note that its caller may not read: a bug, so it is not sent."""


class Recording:
    """Records which notes one call discloses, also by its error.

    `engine` is the caller's own. No call fails because the log cannot be written. A
    client that is known by its token is recorded under that name instead of `client`.
    What an operation that `writes` and an error only name is not checked: it may be
    what the caller said or wrote, and to refuse it would tell that the note exists.
    """

    def __init__(
        self,
        engine: Engine,
        surface: Surface,
        verb: str,
        client: str,
        *,
        writes: bool = False,
    ) -> None:
        self._engine, self._surface, self._verb = engine, surface, verb
        self._writes = writes
        self._client = CALLER.get() or client
        self._recorded: set[Passage | str] = set()

    def show(self, sources: Shown) -> None:
        """Record what an answer or a part of it discloses, each note once.

        Raises:
            HiddenNote: the answer must not be sent.
        """
        self._send(sources, () if self._writes else sources.named)

    def _send(self, sources: Shown, checked_names: Sequence[str]) -> None:
        paths = {*(passage.path for passage in sources.passages), *checked_names}
        if paths and hides_any(self._engine, paths):
            raise HiddenNote
        try:
            self._record(
                Shown(
                    tuple(one for one in sources.passages if one not in self._recorded),
                    tuple(one for one in sources.named if one not in self._recorded),
                )
            )
        except Exception as error:  # noqa: BLE001 - the edge: see above
            hand(self._engine, None)  # it may have been text of any note
            log_fault("unrecorded", error)

    def _record(self, new: Shown) -> None:
        self._recorded.update(new.passages, new.named)
        texts = [passage.path for passage in new.passages]
        hand(self._engine, [*texts, *new.named])
        vault = str(self._engine.config.vault.path)
        GIVEN.hand(vault, self._client, texts, new.named)
        # a server answers its first call before it loads the store
        from glassmind.wiring.access_log import access_log_for  # noqa: PLC0415

        access_log = access_log_for(self._engine.config)
        if access_log is None:
            return
        recorded = access_log.append(self._surface, self._verb, self._client, new)
        if not recorded and vault not in _UNRECORDED:
            _UNRECORDED.add(vault)
            log("unrecorded", access_log="cannot be written; see glassmind doctor")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _: type[BaseException] | None,
        error: BaseException | None,
        __: TracebackType | None,
    ) -> None:
        """Record what an error discloses: the notes it names, and the one it quotes."""
        if not isinstance(error, GlassmindError) or not quotes_notes(error):
            return
        disclosed = error.discloses()
        if disclosed.of_any:
            hand(self._engine, None)
        quoted = map(Passage, note_paths(disclosed.quoted))
        self._send(shown(quoted, note_paths(disclosed.named)), ())
