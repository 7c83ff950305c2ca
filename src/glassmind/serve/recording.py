"""Records every answer in the access log before it is sent."""

from types import TracebackType
from typing import Self

from glassmind.engine import Engine
from glassmind.errors import GlassmindError
from glassmind.memory.capture import GIVEN
from glassmind.model.access import CALLER, Passage, Shown, Surface
from glassmind.operations.failures import quotes_notes
from glassmind.operations.registry import note_paths, shown
from glassmind.serve.log import log, log_fault

_UNRECORDED: set[str] = set()
"""Vaults of this process whose log says that their access log cannot be written."""


class Recording:
    """Records which notes one call discloses, also by its error.

    No call fails because of it. A client that is known by its token is recorded under
    that name instead of `client`.
    """

    def __init__(
        self, engine: Engine, surface: Surface, verb: str, client: str
    ) -> None:
        self._engine, self._surface, self._verb = engine, surface, verb
        self._client = CALLER.get() or client
        self._recorded: set[Passage | str] = set()

    def show(self, sources: Shown | None) -> None:
        """Record what an answer or a part of it discloses, each note once."""
        if sources is None:
            return
        try:
            self._record(
                Shown(
                    tuple(one for one in sources.passages if one not in self._recorded),
                    tuple(one for one in sources.named if one not in self._recorded),
                )
            )
        except Exception as error:  # noqa: BLE001 - the edge: see above
            self._engine._mark_given(None)  # noqa: SLF001 - a part of the engine
            log_fault("unrecorded", error)

    def _record(self, new: Shown) -> None:
        self._recorded.update(new.passages, new.named)
        texts = [passage.path for passage in new.passages]
        self._engine._mark_given([*texts, *new.named])  # noqa: SLF001 - a part of the engine
        vault = str(self._engine.config.vault.path)
        GIVEN.hand(vault, self._client, texts, new.named)
        # a server answers its first call before it loads the store
        from glassmind.store.logs import access_log_for  # noqa: PLC0415

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
            self._engine._mark_given(None)  # noqa: SLF001 - a part of the engine
        quoted = map(Passage, note_paths(disclosed.quoted))
        self.show(shown(quoted, note_paths(disclosed.named)))
