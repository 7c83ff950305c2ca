"""Changes as text: for people on a terminal, and for models."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from glassmind.markdown.style import Style, counted, on_one_line
from glassmind.operations.model_text import fenced, listed, named, one_line
from glassmind.operations.registry import Arguments, View

if TYPE_CHECKING:
    from glassmind.operations.edit import (
        ChangeResult,
        ChangesResult,
        FileMove,
        ListedChange,
    )
    from glassmind.types.editing import FileDiff

SHOWN_FILES, MODEL_FILES = 20, 50
"""Files of a change that are shown; JSON has them all."""

LISTED_FILES = 3
"""Files of each changeset in a list."""

MODEL_DIFF_CHARS = 6_000
"""Characters of all diffs that a model sees, about 2,000 tokens."""

SENTENCES = {
    "previewed": "nothing was changed: this is what would be done",
    "proposed": "nothing was changed; this proposal waits for you",
    "applying": "it is being applied",
    "applied": "done",
    "undone": "it was undone",
    "rejected": "it was rejected; nothing was changed",
    "failed": "it failed; nothing was changed",
}
NO_CHANGE = "Nothing to change: every file is already as it should be."
PROPOSED = (
    "Nothing was changed. Only the user can approve this proposal: {approve}. Tell the "
    "user, and do not try another way."
)
WOULD_WAIT = (
    "It cannot be applied at once: the same call without a dry run makes a proposal, "
    "which waits for the user."
)
CLOSED = "After it you can no longer read what it writes, and only the user can undo it"


def changed_for_people(
    result: "ChangeResult", _arguments: Arguments, style: Style, *, whole: bool = False
) -> str:
    title = style.clean(on_one_line(result.title))
    if result.changes_nothing and result.state in ("previewed", "applied"):
        return f"{title}\n{NO_CHANGE}\n"
    name = f"{style.strong(result.id)}  " if result.id else ""
    why = f": {on_one_line(result.reason)}" if result.reason else ""
    colour = {"applied": "ok", "failed": "fail"}.get(result.state, "warn")
    state = f"{result.state}: {SENTENCES[result.state]}{why}"
    lines = [f"{name}{title}", style.state(colour, state)]
    if result.undoes:
        lines.append(style.faint(f"undoes {result.undoes}"))
    if whole or not result.applied:
        for file in result.files:
            lines += _diff_lines(file, style)
    else:
        lines += [_file_line(file, style) for file in result.files[:SHOWN_FILES]]
        left = len(result.files) - SHOWN_FILES
        if left > 0:
            lines.append(style.faint(f"  and {counted(left, 'more file')}"))
    lines += [*_effects(result), *_next_step(result, style)]
    return "".join(f"{line}\n" for line in lines)


def change_for_people(
    result: "ChangeResult", arguments: Arguments, style: Style
) -> str:
    return changed_for_people(result, arguments, style, whole=True)


def changed_for_models(result: "ChangeResult", _view: View) -> str:
    return f"{state_for_models(result)}\n{fenced(chr(10).join(_rows(result)))}"


def state_for_models(result: "ChangeResult") -> str:
    if result.changes_nothing and result.state in ("previewed", "applied"):
        return NO_CHANGE
    if result.state == "proposed":
        return PROPOSED.format(approve=result.approve)
    name = f" ({result.id})" if result.id else ""
    text = f"{SENTENCES[result.state].capitalize()}{name}."
    if result.closed and result.state in ("applied", "previewed"):
        undo = f": glassmind changeset undo {result.id}" if result.applied else ""
        text += f" {CLOSED}{undo}."
    waits = result.state == "previewed" and result.reason
    return f"{text} {WOULD_WAIT}" if waits else text


def _rows(result: "ChangeResult") -> Iterator[str]:
    yield one_line(result.title)
    if result.reason:
        yield f"because: {one_line(result.reason)}"
    room, cut = MODEL_DIFF_CHARS, len(result.files) > MODEL_FILES
    for file in result.files[:MODEL_FILES]:
        digest = f", digest {(file.after or '')[:16]}" if result.applied else ""
        yield f"{_moved(file, named)} (+{file.added} -{file.removed}{digest})"
        diff = file.diff[:room]
        cut = cut or len(diff) < len(file.diff)
        room -= len(diff)
        if diff:
            yield diff.rstrip("\n")
    if cut:
        yield f"... cut; {len(result.files):,} files in all"
    yield from _effects(result)
    yield from (f"notice: {one_line(notice)}" for notice in result.notices)


def _effects(result: "ChangeResult") -> Iterator[str]:
    links = result.links_rewritten
    if links.occurrences:
        where = counted(links.files, "file")
        yield f"{counted(links.occurrences, 'link')} in {where} rewritten"
    if result.adopted:
        adopted = counted(result.adopted, "unresolved link")
        yield f"{adopted} now lead{'s' if result.adopted == 1 else ''} to it"
    yield from (f"warning: {one_line(risk)}" for risk in result.risks)
    if result.applied and result.index == "pending":
        yield "search will find it shortly"


def _file_line(file: "FileDiff", style: Style) -> str:
    counts = style.faint(f"+{file.added} -{file.removed}")
    return f"  {style.strong(_moved(file))}  {counts}"


def _diff_lines(file: "FileDiff", style: Style) -> Iterator[str]:
    yield _file_line(file, style).lstrip()
    # only line feeds end a line: other line separators are part of the text
    lines = file.diff.rstrip("\n").split("\n") if file.diff else []
    if [line[:4] for line in lines[:2]] == ["--- ", "+++ "]:
        lines = lines[2:]  # the line above names the file
    for line in lines:
        text = line.removesuffix("\r")
        if text.startswith("@@"):
            yield style.faint(text)
        elif text.startswith(("+", "-")):
            yield style.state("ok" if text[0] == "+" else "fail", text)
        else:
            yield style.clean(text)


def _next_step(result: "ChangeResult", style: Style) -> Iterator[str]:
    if result.approve:
        yield f"to apply it: {result.approve}"
    elif result.state == "previewed":
        verb = "propose" if result.reason else "apply"
        # without an id the preview is not stored, and the undo is repeated instead
        how = f"apply {result.id}" if result.id else f"undo {result.undoes}"
        yield style.faint(f"to {verb} it: glassmind changeset {how}")
    elif result.applied:
        yield style.faint(f"to undo it: glassmind changeset undo {result.id}")


def changes_for_people(
    result: "ChangesResult", _arguments: Arguments, style: Style
) -> str:
    lines = [line for one in result.changesets for line in _listed_lines(one, style)]
    left = result.total - len(result.changesets)
    if not lines:
        lines.append("No changesets.")
    elif left > 0:
        lines.append(style.faint(f"and {counted(left, 'more changeset')}"))
    return "".join(f"{line}\n" for line in lines)


def _listed_lines(one: "ListedChange", style: Style) -> Iterator[str]:
    who = f" ({on_one_line(one.client)})" if one.client else ""
    title = style.clean(f"{one.state}{who}  {on_one_line(one.title)}")
    yield f"{style.strong(one.id or '')}  {style.clean(one.created[:16])}  {title}"
    names = [style.clean(_moved(file)) for file in one.files]
    if names:
        yield f"  {_some(names)}"
    if one.reason:
        yield style.faint(f"  {on_one_line(one.reason)}")


def changes_for_models(result: "ChangesResult", view: View) -> str:
    rows = []
    for one in result.changesets:
        who = f" by {one_line(one.client)}" if one.client else ""
        files = _some([named(file.to) for file in one.files])
        rows.append(f"{one.id} {one.state}{who}: {one_line(one.title)}\n   {files}")
    head = [f"{result.total:,} changesets, newest first."] if rows else []
    return listed(head, rows, view, result.notices, nothing="" if rows else "None.")


def _some(names: list[str]) -> str:
    left = len(names) - LISTED_FILES
    more = [f"and {left:,} more"] if left > 0 else []
    return ", ".join(names[:LISTED_FILES] + more)


def _moved(
    file: "FileDiff | FileMove", name: Callable[[str], str] = on_one_line
) -> str:
    if file.path is None:
        return f"{name(file.to)} (new)"
    if file.path == file.to:
        return name(file.path)
    return f"{name(file.path)} -> {name(file.to)}"
