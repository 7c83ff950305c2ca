"""What of a vault somebody sees who changes it.

Links are followed in the whole vault, or a move would break those in notes that its
asker may not read. What came of it is told as far as it is seen.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from glassmind.access.files import ReadableFiles
from glassmind.access.reading import ReadPolicy
from glassmind.errors import ChangesetUnknown, EditRefused, FileGone, VaultError
from glassmind.files.scan import kind_of
from glassmind.model import NotePath
from glassmind.model.access import CALLER
from glassmind.model.edits import (
    LINKS_IN,
    MOVED,
    NO_LINKS,
    OWNERS_PLAN,
    Changeset,
    ChangeState,
    FileStep,
    Rewritten,
)
from glassmind.store.protocol import Changesets

NAMELESS = "http"
"""What changes are kept as made by, where whoever asked has said no name."""


class FileScope:
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
            return self._policy.may_name(path) and path in self._paths()
        return self._policy.may_read_text(path, raw)

    def may_name(self, folder: str) -> bool:
        return self._policy.may_name(folder)

    def sees_step(self, step: FileStep) -> bool:
        """Whether a step may be told of: as its file was, will be, and is now."""
        if step.folder:
            folders = [path for path in (step.path, step.to) if path]
            return all(self._policy.may_name(path) for path in folders)
        if kind_of(step.to) == "attachment":  # the index has it where it was, or is
            ends = {path for path in (step.path, step.to) if path}
            named = all(map(self._policy.may_name, ends))
            return named and not ends.isdisjoint(self._paths())
        return (
            self.knows(step)
            and self.sees(step.to, step.after)
            and self.sees_now(step.to)
        )

    def knows(self, step: FileStep) -> bool:
        return step.folder or self.sees(step.path or step.to, step.before)

    def opens(self, step: FileStep) -> bool:
        if self.knows(step):
            return False
        return kind_of(step.to) == "attachment" or self.sees(step.to, step.after)

    def closes(self, step: FileStep) -> bool:
        """Whether a step keeps a file from being read that may be read before it.

        Who asked for that knows the file; nothing of what it says now is told by it.
        """
        if step.folder or kind_of(step.to) == "attachment":
            old = step.path
            return old is not None and self.may_name(old) and not self.may_name(step.to)
        return self.knows(step) and not self.sees(step.to, step.after)

    def would_close(self, step: FileStep) -> bool:
        """Whether a step closes a file that may still be read: it is not made.

        Where it goes to a hidden place it is none: that is not named later, though it
        is by whoever asks for it.
        """
        ends = [path for path in (step.path, step.to) if path]
        return self.closes(step) and all(
            self.may_name(path) and self.sees_now(path) for path in ends
        )

    def as_told(
        self, changeset: Changeset, steps: Sequence[FileStep], client: str = ""
    ) -> Changeset:
        """Return a changeset, or an outline of one, without what is not seen.

        `steps` are those of the changeset with their content. Links are counted that
        were written anew in files that are seen. Where one is not, no links are told
        that lead to it now, and no risks; nor of what somebody else asked for, who may
        have been told more. A proposal that was planned for the owner shows no files
        until it is applied: its links may show hidden paths.
        """
        draft = changeset.draft
        pending = OWNERS_PLAN in draft.facts and changeset.state != "applied"
        hidden = {(s.path, s.to) for s in steps if pending or not self.sees_step(s)}
        file_steps = tuple(s for s in draft.steps if (s.path, s.to) not in hidden)
        if hidden or LINKS_IN in draft.facts:
            facts = dict(draft.facts)
            counted, rewritten = facts.pop(LINKS_IN, None), NO_LINKS
            if isinstance(counted, list):  # an older version did not keep them
                paths = {step.path or step.to for step in file_steps}
                untold = [links for path, links in counted if path not in paths]
                links, files = draft.rewritten
                rewritten = Rewritten(links - sum(untold), files - len(untold))
            draft = replace(draft, steps=file_steps, rewritten=rewritten, facts=facts)
        if hidden or not is_own(changeset, client):
            draft = replace(draft, adopted=0, risks=())
        failed = hidden and changeset.state == "failed"  # why may name any file of it
        reason = "" if failed else changeset.reason
        return replace(changeset, draft=draft, reason=reason)

    def sees_now(self, path: NotePath) -> bool:
        with suppress(VaultError), self._files() as files:
            try:
                files.read(path)
            except FileGone:
                return not files.exists(path)
        return True


class VisibleChangesets:
    """The changesets of a vault that somebody may be told of.

    One that moves, makes or deletes what is not seen is not there. One that only
    writes links anew in such notes is there for the client that asked for it; they are
    left out where it is shown. So is one that would hide what is seen, until it does.
    """

    def __init__(self, book: Changesets, sight: FileScope) -> None:
        self._book, self._sight = book, sight

    def get(self, identity: str, client: str = "") -> Changeset:
        try:
            changeset = self._book.get(identity)
        except ChangesetUnknown:
            raise ChangesetUnknown(identity) from None  # no other id is named
        if not self._is_told(changeset, client):
            raise ChangesetUnknown(identity)
        return changeset

    def listed(
        self, states: Sequence[ChangeState] = (), /, *, limit: int | None = None
    ) -> tuple[Sequence[Changeset], int]:
        outlines, _ = self._book.listed(states)
        visible = []
        for outline in outlines:
            # a damaged one is left out: nobody can say what it is about
            with suppress(EditRefused):
                whole = self._book.get(outline.id)
                if self._is_told(whole):
                    visible.append(self._sight.as_told(outline, whole.draft.steps))
        return visible[:limit], len(visible)

    def _is_told(self, changeset: Changeset, client: str = "") -> bool:
        steps = changeset.draft.steps
        moved = changeset.draft.facts.get(MOVED)
        if isinstance(moved, dict) and not all(
            self._sight.may_name(old) and self._sight.sees_now(NotePath(new))
            for old, new in moved.items()
        ):
            return False
        unseen = [step for step in steps if not self._sight.sees_step(step)]
        if not unseen:
            return True
        hidden = [step for step in unseen if not self._sight.would_close(step)]
        if any(step.path != step.to for step in hidden) or len(hidden) == len(steps):
            return False
        return is_own(changeset, client)


def is_own(changeset: Changeset, client: str = "") -> bool:
    """Whether whoever asks now had a change made; `client` where nobody is known to."""
    return changeset.client == (CALLER.get() or client or NAMELESS)
