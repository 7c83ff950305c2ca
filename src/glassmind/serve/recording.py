"""Records every answer in the access log before it is sent."""

from types import TracebackType
from typing import Self

from glassmind.engine import Engine
from glassmind.errors import AmbiguousName, GlassmindError, NoteNotFound
from glassmind.handing import hand
from glassmind.memory.provenance import GIVEN
from glassmind.operations.failures import quotes_notes
from glassmind.serve.mcp.log import log, log_fault
from glassmind.serve.shown import named_notes, shown_in
from glassmind.types.callers import CALLER
from glassmind.types.ledger import Passage, Shown, Surface
from glassmind.types.quotes import QUOTES

_TOLD: set[str] = set()
"""Vaults of this process whose operator was told that nothing goes on record."""


class Recording:
    """Puts on record what one call is about to be given.

    No answer fails for it: what cannot go on record is told to the operator, once, and
    to whoever asks for the status. A caller that is known by name is on record in the
    place of `client`.
    """

    def __init__(
        self, engine: Engine, surface: Surface, verb: str, client: str
    ) -> None:
        self._engine, self._surface, self._verb = engine, surface, verb
        self._client = CALLER.get() or client
        self._taken: list[Shown] = []
        self._quotes: dict[str, tuple[str, ...]] = {}

    def show(self, values: object) -> None:
        """Take what an answer shows, or a part of it; what was taken before is not.

        `values` are those of the answer, or what they show.
        """
        try:
            if values is None:
                return
            if not isinstance(values, Shown):
                values = shown_in(values, self._quotes)
            shown = self._new(values)
            texts = [one.path for one in shown.passages]
            hand(self._engine, [*texts, *shown.named])
            vault = str(self._engine.config.vault.path)
            GIVEN.hand(vault, self._client, texts, shown.named)
            # a server answers its first call before it loads what keeps an index
            from glassmind.wiring.access_log import access_log_for  # noqa: PLC0415

            access_log = access_log_for(self._engine.config)
            if access_log is None:
                return
            if not access_log.append(self._surface, self._verb, self._client, shown):
                self._tell()
        except Exception as error:  # noqa: BLE001 - the edge: see above
            hand(self._engine, None)  # what is not known to be another's may be of any
            log_fault("unrecorded", error)

    def _new(self, shown: Shown) -> Shown:
        """Return what was not taken yet; most calls show all they show at once."""
        if self._taken:
            given = {one for taken in self._taken for one in taken.passages}
            named = {one for taken in self._taken for one in taken.named}
            shown = Shown(
                tuple(one for one in shown.passages if one not in given),
                tuple(one for one in shown.named if one not in named),
            )
        self._taken.append(shown)
        return shown

    def _tell(self) -> None:
        vault = str(self._engine.config.vault.path)
        if vault not in _TOLD:
            _TOLD.add(vault)
            log("unrecorded", access_log="cannot be written; see glassmind doctor")

    def __enter__(self) -> Self:
        self._token = QUOTES.set(self._quotes)
        return self

    def __exit__(
        self,
        _: type[BaseException] | None,
        error: BaseException | None,
        __: TracebackType | None,
    ) -> None:
        """Take what a fault says of notes, which is an answer too."""
        QUOTES.reset(self._token)
        if isinstance(error, GlassmindError) and quotes_notes(error):
            hand(self._engine, _told_by(error))
            self.show(shown_by(error))


def shown_by(error: GlassmindError) -> Shown:
    """Return the notes that an error names, and the one whose text it quotes."""
    said = vars(error)
    listed = (*said.get("closest", ()), *said.get("candidates", ()))
    named = named_notes(str(one) for one in listed)
    about = named_notes([str(said.get("path") or "")])
    # lines that were looked for, nearly; and the headings that are there
    if about and (said.get("nearest") or said.get("there")):
        return Shown((Passage(about[0]),), named)
    return Shown((), (*about, *named))


def _told_by(error: GlassmindError) -> list[str] | None:
    """Return the files that an error may tell of; None where they may be any."""
    said = vars(error)
    listed = [
        str(one) for one in (*said.get("closest", ()), *said.get("candidates", ()))
    ]
    if listed and not isinstance(error, NoteNotFound | AmbiguousName):
        return None  # what notes say: projects, themes
    return [*listed, *([str(said["path"])] if said.get("path") else [])]
