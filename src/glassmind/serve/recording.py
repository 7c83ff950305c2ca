"""Before an answer is sent: credentials are hidden, and what it discloses is recorded.

Notes are indexed and read without credentials already. Hiding covers what is not
indexed: other files, words of a caller in a message, names of files.
"""

import json
import re
from collections.abc import Collection
from types import TracebackType
from typing import Any, Self

from glassmind.engine import Engine
from glassmind.errors import GlassmindError
from glassmind.memory.capture import GIVEN
from glassmind.model.access import CALLER, DisclosedLines, DisclosedNotes, Surface
from glassmind.obsidian.secrets import redacted
from glassmind.obsidian.text import texts_in, with_texts
from glassmind.operations.registry import note_paths, shown
from glassmind.serve.log import log, log_fault

_is_digest = re.compile(r"[0-9a-f]{32}").fullmatch


def safe_values(value: Any, texts: Collection[str] | None = None) -> Any:
    """Hide credentials in the texts of JSON; without any, return the same object."""
    if _hold_none(texts_in(value) if texts is None else texts):
        return value
    return with_texts(value, safe_text)


def safe_text(text: str) -> str:
    safe = redacted(text)
    if safe == text or not text.startswith(("{", "[")):
        return safe
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return safe
    made = safe_values(values)
    return text if made is values else json.dumps(made, ensure_ascii=False)


def _hold_none(texts: Collection[str]) -> bool:
    """Look at all texts at once; with a digest among them, that would be slow."""
    joined = "\n".join([text for text in set(texts) if not _is_digest(text)])
    return redacted(joined) == joined


_UNRECORDED: set[str] = set()
"""Vaults of this process whose log says that their access log cannot be written."""


class Recording:
    """Records what one call or its error discloses. No call fails because of it."""

    def __init__(
        self, engine: Engine, surface: Surface, verb: str, client: str
    ) -> None:
        self._engine, self._surface, self._verb = engine, surface, verb
        self._client = CALLER.get() or client
        self._recorded: set[DisclosedLines | str] = set()

    def show(self, sources: DisclosedNotes | None) -> None:
        """Record what an answer or a part of it discloses, each note once."""
        if sources is None:
            return
        try:
            self._record(
                DisclosedNotes(
                    tuple(p for p in sources.passages if p not in self._recorded),
                    tuple(n for n in sources.named if n not in self._recorded),
                )
            )
        except Exception as error:  # noqa: BLE001 - the edge: see above
            self._engine._mark_given(None)  # noqa: SLF001 - a part of the engine
            log_fault("unrecorded", error)

    def _record(self, new: DisclosedNotes) -> None:
        self._recorded.update(new.passages, new.named)
        texts = [passage.path for passage in new.passages]
        self._engine._mark_given([*texts, *new.named])  # noqa: SLF001 - a part of the engine
        vault = str(self._engine.config.vault.path)
        GIVEN.hand(vault, self._client, texts, new.named)
        access_log = self._engine.access_log
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
        if not isinstance(error, GlassmindError) or not error.quotes_notes:
            return
        disclosed = error.discloses()
        if disclosed.of_any:
            self._engine._mark_given(None)  # noqa: SLF001 - a part of the engine
        quoted = map(DisclosedLines, note_paths(disclosed.quoted))
        self.show(shown(quoted, note_paths(disclosed.named)))
