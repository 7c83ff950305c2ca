"""What was changed, proposed or only shown, as people read it."""

from collections.abc import Iterator

from glassmind.render.changes import approving
from glassmind.render.style import Style, counted, on_one_line
from glassmind.types.editing import (
    Changed,
    Changeset,
    ChangesetList,
    ChangeState,
    FileDiff,
    Step,
)

SHOWN_FILES = 20
"""Files that are named of a change that is made: a screen; JSON has them all."""

NAMED_FILES = 3
"""Files that are named of each changeset in a list."""

SAID: dict[ChangeState, str] = {
    "previewed": "nothing was changed; this is what would be",
    "proposed": "nothing was changed; this waits for you",
    "applying": "it is being applied",
    "applied": "done",
    "undone": "it was taken back",
    "rejected": "it was rejected; nothing was changed",
    "failed": "it failed; nothing was changed",
}
"""What a state means for whoever reads it."""

EMPTY = "nothing is to be changed: all is so already"


def changed_as_text(done: Changed, style: Style, *, whole: bool = False) -> str:
    """Return what came of a change; its diffs where it was not made, or `whole`."""
    one = done.changeset
    if done.is_empty and one.state in ("previewed", "applied"):
        return f"{style.clean(on_one_line(one.draft.title))}\n{EMPTY}\n"
    lines = [*_head(one, style)]
    if whole or not done.applied:
        for file in done.files:
            lines += _diff(file, style)
    else:
        lines += _files(done, style)
    lines += _around(done, style)
    return "".join(f"{line}\n" for line in lines)


def changesets_as_text(found: ChangesetList, style: Style) -> str:
    """Return a line for each changeset, the newest first, and what files it is of."""
    lines: list[str] = []
    for one in found.changesets:
        lines += [*_listed(one, style)]
    if not lines:
        lines.append("there are none")
    left = found.total - len(found.changesets)
    if left > 0:
        lines.append(style.faint(f"and {counted(left, 'more changeset')}"))
    return "".join(f"{line}\n" for line in lines)


def _head(one: Changeset, style: Style) -> Iterator[str]:
    name = f"{style.strong(one.id)}  " if one.id else ""
    yield f"{name}{style.clean(on_one_line(one.draft.title))}"
    said = SAID[one.state]
    state = {"applied": "ok", "failed": "fail"}.get(one.state, "warn")
    why = f": {on_one_line(one.reason)}" if one.reason else ""
    yield style.state(state, f"{one.state}: {said}{why}")
    if one.undoes:
        yield style.faint(f"it takes back {one.undoes}")


def _files(done: Changed, style: Style) -> Iterator[str]:
    for file in done.files[:SHOWN_FILES]:
        counts = style.faint(f"+{file.added} -{file.removed}")
        yield f"  {_where(file.path, file.to, style)}  {counts}"
    left = len(done.files) - SHOWN_FILES
    if left > 0:
        yield style.faint(f"  and {counted(left, 'more file')}")


def _diff(file: FileDiff, style: Style) -> Iterator[str]:
    counts = style.faint(f"+{file.added} -{file.removed}")
    yield f"{_where(file.path, file.to, style)}  {counts}"
    # by line feeds alone: a letter that ends a line elsewhere is a part of one here
    lines = file.diff.rstrip("\n").split("\n") if file.diff else []
    if [line[:4] for line in lines[:2]] == ["--- ", "+++ "]:
        lines = lines[2:]  # the line above says which file it is
    yield from (_dressed(line.removesuffix("\r"), style) for line in lines)


def _dressed(line: str, style: Style) -> str:
    if line.startswith("@@"):
        return style.faint(line)
    if line.startswith(("+", "-")):
        return style.state("ok" if line[0] == "+" else "fail", line)
    return style.clean(line)


def _around(done: Changed, style: Style) -> Iterator[str]:
    one = done.changeset
    rewritten = one.draft.rewritten
    if rewritten.links:
        links, files = (
            counted(rewritten.links, "link"),
            counted(rewritten.files, "file"),
        )
        yield f"{links} in {files} rewritten"
    if one.draft.adopted:
        yield f"{counted(one.draft.adopted, 'link')} led nowhere and lead to it now"
    yield from (
        style.state("warn", f"mind: {on_one_line(said)}") for said in one.draft.risks
    )
    if command := approving(one):
        yield f"to apply it: {command}"
    elif one.state == "previewed":
        wish = "propose" if one.reason else "apply"  # it says why it would wait
        # without an id it is kept nowhere, and has to be asked for again
        how = f"apply {one.id}" if one.id else f"undo {one.undoes}"
        yield style.faint(f"to {wish} it: glassmind changeset {how}")
    elif done.applied:
        yield style.faint(f"to take it back: glassmind changeset undo {one.id}")
        if done.index == "pending":
            yield style.faint("searches find it a little later")


def _listed(one: Changeset, style: Style) -> Iterator[str]:
    who = f" ({on_one_line(one.client)})" if one.client else ""
    said = style.clean(f"{one.state}{who}  {on_one_line(one.draft.title)}")
    yield f"{style.strong(one.id)}  {style.clean(one.created[:16])}  {said}"
    steps = one.draft.steps
    named = [_step(step, style) for step in steps[:NAMED_FILES]]
    if len(steps) > NAMED_FILES:
        named.append(f"and {len(steps) - NAMED_FILES:,} more")
    if named:
        yield f"  {', '.join(named)}"
    if one.reason:
        yield style.faint(f"  {on_one_line(one.reason)}")


def _step(step: Step, style: Style) -> str:
    return style.clean(_moved(step.path, step.to))


def _where(path: str | None, to: str, style: Style) -> str:
    return style.strong(_moved(path, to))


def _moved(path: str | None, to: str) -> str:
    if path is None:
        return f"{on_one_line(to)} (new)"
    return (
        on_one_line(path) if path == to else f"{on_one_line(path)} -> {on_one_line(to)}"
    )
