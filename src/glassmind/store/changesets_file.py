"""A changeset as one file: a line of JSON that says what it does, then the content.

Content is packed, each only once, and known by its SHA-256, which is looked at whenever
it is read: what was damaged on the disk never gets into a vault.
"""

import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from glassmind.errors.editing import EditRefused
from glassmind.model import NotePath
from glassmind.model.editing import Changeset, ChangeState, Draft, Rewritten, Step

FORMAT = 1
"""What the first line says; a file of a higher number is of a version to come."""

LEVEL = 1
"""How hard content is packed: the next better level takes half as long again."""


class Damaged(EditRefused):
    """A kept changeset cannot be read, in whole or in part."""

    def __init__(self, identity: str, reason: str) -> None:
        super().__init__(f"changeset {identity} cannot be read: {reason}")
        self.identity, self.reason = identity, reason


def packed(changeset: Changeset) -> bytes:
    """Return a changeset as the bytes of a file."""
    draft = changeset.draft
    contents = [(step.before, step.after) for step in draft.steps]
    known: dict[bytes, str] = {}
    for raw in chain.from_iterable(contents):
        if raw is not None and raw not in known:
            known[raw] = hashlib.sha256(raw).hexdigest()
    blobs = {name: zlib.compress(raw, LEVEL) for raw, name in known.items()}
    header = {
        "format": FORMAT,
        "id": changeset.id,
        "created": changeset.created,
        "client": changeset.client,
        "undoes": changeset.undoes,
        "state": changeset.state,
        "reason": changeset.reason,
        "verb": draft.verb,
        "title": draft.title,
        "rewritten": list(draft.rewritten),
        "adopted": draft.adopted,
        "risks": list(draft.risks),
        "facts": dict(draft.facts),
        "steps": [_step_row(step, known) for step in draft.steps],
        "blobs": list(_blob_rows(blobs, known)),
    }
    line = json.dumps(header, separators=(",", ":"), default=str)
    return b"".join((line.encode(), b"\n", *blobs.values()))


def _step_row(step: Step, known: Mapping[bytes, str]) -> dict[str, object]:
    before = None if step.before is None else known[step.before]
    return {
        "path": step.path,
        "to": step.to,
        "before": before,
        "after": known[step.after],
        "folder": step.folder,
    }


def _blob_rows(
    blobs: Mapping[str, bytes], known: Mapping[bytes, str]
) -> Iterator[tuple[str, int, int, int]]:
    """Yield of each content its name, where it begins, its length and its size."""
    at = 0
    for (raw, name), blob in zip(known.items(), blobs.values(), strict=True):
        yield name, at, len(blob), len(raw)
        at += len(blob)


def outlined(identity: str, line: bytes, state: ChangeState, reason: str) -> Changeset:
    """Return what the first line of a file tells: all but the content.

    Raises:
        Damaged: it tells nothing.
    """
    header = _header(identity, line)
    empty = {name: b"" for name, *_ in _rows(identity, header)}
    return _changeset(identity, header, empty, state, reason)


def unpacked(identity: str, raw: bytes, state: ChangeState, reason: str) -> Changeset:
    """Return the changeset of a file, its content checked.

    Raises:
        Damaged: the file is torn, or is not what was written.
    """
    line, _, rest = raw.partition(b"\n")
    header = _header(identity, line + b"\n" if rest else raw)
    contents = {
        name: _content(identity, name, rest[at : at + length], size)
        for name, at, length, size in _rows(identity, header)
    }
    return _changeset(identity, header, contents, state, reason)


def _header(identity: str, line: bytes) -> dict[str, Any]:
    if not line.endswith(b"\n"):
        raise Damaged(identity, "its file ends too early")
    try:
        header = json.loads(line)
        number = header["format"]
    except (ValueError, KeyError, TypeError, RecursionError) as fault:
        raise Damaged(identity, "its first line is damaged") from fault
    if number != FORMAT:
        raise Damaged(identity, "another version of Glassmind kept it")
    return dict(header)


def _rows(identity: str, header: Mapping[str, Any]) -> list[tuple[str, int, int, int]]:
    try:
        return [
            (str(name), int(at), int(length), int(size))
            for name, at, length, size in header["blobs"]
        ]
    except (KeyError, TypeError, ValueError) as fault:
        raise Damaged(identity, "its first line is damaged") from fault


def _content(identity: str, name: str, blob: bytes, size: int) -> bytes:
    unpacking = zlib.decompressobj()
    try:
        raw = unpacking.decompress(blob, size + 1)
    except zlib.error as fault:
        raise Damaged(identity, "what it holds of a file is damaged") from fault
    if len(raw) != size or hashlib.sha256(raw).hexdigest() != name:
        raise Damaged(identity, "what it holds of a file is damaged")
    return raw


def _changeset(
    identity: str,
    header: Mapping[str, Any],
    contents: Mapping[str, bytes],
    state: ChangeState,
    reason: str,
) -> Changeset:
    # what it was kept for says nothing about a state that it got into later
    former = header.get("reason", "") if header.get("state") == state else ""
    try:
        draft = Draft(
            header["verb"],
            str(header["title"]),
            tuple(_step(row, contents) for row in header["steps"]),
            Rewritten(*map(int, header["rewritten"])),
            int(header["adopted"]),
            tuple(map(str, header["risks"])),
            dict(header["facts"]),
        )
        return Changeset(
            identity,
            state,
            str(header["created"]),
            str(header["client"]),
            draft,
            str(header["undoes"]),
            reason or str(former),
        )
    except (KeyError, TypeError, ValueError) as fault:
        raise Damaged(identity, "its first line is damaged") from fault


def _step(row: Mapping[str, Any], contents: Mapping[str, bytes]) -> Step:
    path, before = row["path"], row["before"]
    return Step(
        None if path is None else NotePath(path),
        NotePath(row["to"]),
        None if before is None else contents[before],
        contents[row["after"]],
        bool(row["folder"]),
    )
