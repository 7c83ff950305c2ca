"""What of a vault somebody sees who changes it.

Links are followed in the whole vault, or a move would break those in notes that its
asker may not read. What came of it is told as far as it is seen.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from glassmind.access.files import ReadableFiles
from glassmind.access.reading import ReadPolicy
from glassmind.errors import FileGone, VaultError
from glassmind.errors.editing import ChangesetUnknown, EditRefused
from glassmind.ports.editing import ChangesetBook
from glassmind.types import NotePath
from glassmind.types.editing import Changeset, ChangeState, Draft, Step
from glassmind.vault.scan import kind_of


class Sight:
    """What somebody with a policy sees of the files of a vault.

    `files` reads those that may be read, and `paths` returns what the index has of
    them, those that are shown in them included.
    """

    def __init__(
        self,
        policy: ReadPolicy,
        files: Callable[[], ReadableFiles],
        paths: Callable[[], Sequence[NotePath]],
    ) -> None:
        self._policy, self._files, self._paths = policy, files, paths

    def paths(self) -> Sequence[NotePath]:
        """Return what of the index is seen; a file that a note shows, by its place."""
        return [
            path
            for path in self._paths()
            if kind_of(path) != "attachment" or self._policy.may_name(path)
        ]

    def sees(self, path: NotePath, raw: bytes | None) -> bool:
        """Whether a file may be read that says this; one that is not there may."""
        if raw is None:
            return True
        if kind_of(path) == "attachment":
            return path in set(self.paths())
        return self._policy.may_read_text(path, raw)

    def sees_step(self, step: Step) -> bool:
        """Whether a step may be told of: as its file was, will be, and is now."""
        if step.folder:
            folders = [path for path in (step.path, step.to) if path]
            return all(self._policy.may_name(path) for path in folders)
        if not self.sees(step.path or step.to, step.before):
            return False
        return self.sees(step.to, step.after) and self._sees_now(step.to)

    def _sees_now(self, path: NotePath) -> bool:
        with suppress(VaultError), self._files() as files:
            try:
                files.read(path)
            except FileGone:
                return not files.exists(path)
        return True


class SeenBook:
    """The changesets of a vault that somebody may be told of.

    One that moves, makes or deletes what is not seen is not there. One that only
    writes links anew in such notes is; they are left out where it is shown.
    """

    def __init__(self, book: ChangesetBook, sight: Sight) -> None:
        self._book, self._sight = book, sight

    def made(
        self,
        draft: Draft,
        state: ChangeState,
        *,
        client: str,
        undoes: str = "",
        reason: str = "",
    ) -> Changeset:
        """Return a change under an id that no other has; nothing is kept yet."""
        return self._book.made(
            draft, state, client=client, undoes=undoes, reason=reason
        )

    def keep(self, changeset: Changeset, /) -> None:
        """Keep a changeset, on the disk when this returns."""
        self._book.keep(changeset)

    def get(self, identity: str, /) -> Changeset:
        """Return a changeset, content and all.

        Raises:
            ChangesetUnknown: there is none, or none that may be told of.
        """
        try:
            found = self._book.get(identity)
        except ChangesetUnknown:
            raise ChangesetUnknown(identity) from None  # no other id is named
        if not self._is_told(found):
            raise ChangesetUnknown(identity)
        return found

    def listed(
        self, states: Sequence[ChangeState] = (), /, *, limit: int | None = None
    ) -> tuple[Sequence[Changeset], int]:
        """Return changesets without their content, newest first, and how many."""
        outlines, _ = self._book.listed(states)
        told = [self._outline(one) for one in outlines]
        found = [one for one in told if one is not None]
        return found[:limit], len(found)

    def shift(
        self, identity: str, state: ChangeState, /, *, reason: str = ""
    ) -> Changeset:
        """Let a changeset be in another state from now on."""
        return self._book.shift(identity, state, reason=reason)

    def unfinished(self) -> Sequence[str]:
        """Return the ids of those that were being applied."""
        return self._book.unfinished()

    def _outline(self, outline: Changeset) -> Changeset | None:
        try:
            whole = self._book.get(outline.id)
        except EditRefused:  # damaged, or gone: nobody can say what it is about
            return None
        if not self._is_told(whole):
            return None
        seen = {(s.path, s.to) for s in whole.draft.steps if self._sight.sees_step(s)}
        steps = tuple(s for s in outline.draft.steps if (s.path, s.to) in seen)
        return replace(outline, draft=replace(outline.draft, steps=steps))

    def _is_told(self, changeset: Changeset) -> bool:
        steps = changeset.draft.steps
        hidden = [step for step in steps if not self._sight.sees_step(step)]
        return not any(step.path != step.to for step in hidden) and (
            not hidden or len(hidden) < len(steps)
        )
