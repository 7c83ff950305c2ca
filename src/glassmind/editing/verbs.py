"""The verbs of editing: each thinks out a change, and does with it what it may."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from glassmind.types import Digest, NotePath, PropertyValue
from glassmind.types.editing import (
    Changed,
    ChangesetList,
    ChangeState,
    Draft,
    TextEdit,
)

if TYPE_CHECKING:
    from glassmind.editing.asking import Asking
    from glassmind.editing.desk import Desk


class Editing:
    """What changes the notes of a vault, as far as its policy lets it.

    For any number of threads. Every verb takes an `Asking`: who asks, and whether it
    should only be shown. What the policy does not allow at once becomes a proposal,
    which changes nothing until a person approves it.
    """

    def __init__(self, desk: "Desk") -> None:
        self._desk = desk

    def edit(
        self,
        note: str,
        edits: Sequence[TextEdit],
        asking: "Asking",
        *,
        expected: Digest | None = None,
    ) -> Changed:
        """Edit the text of a note: every edit in order, or none.

        `expected` is the digest that the caller read, or its first 8 letters or more.

        Raises:
            NoteNotFound, AmbiguousName: no one note is called so to the letter.
            NoteChanged: it is not what the caller read; nothing was written.
            EditRefused: an edit cannot be made; its `place` says which.
        """
        ...

    def create(  # noqa: PLR0913 - each fact by its name
        self,
        title: str,
        text: str,
        asking: "Asking",
        *,
        folder: str | None = None,
        properties: Mapping[str, PropertyValue] | None = None,
        template: str = "",
    ) -> Changed:
        """Make a note; links that were written to it before lead to it from now on.

        `title` is a name, or a path from the vault's folder. Without `folder` it is
        made where Obsidian makes new notes. `template` is a note whose text goes before
        `text`, with `{{title}}`, `{{date}}` and `{{time}}` filled in.

        Raises:
            NameTaken: there is such a note.
            BadEdit, NoteNotFound: the name is none, or there is no such template.
        """
        ...

    def delete(self, note: str, asking: "Asking", *, confirm: bool) -> Changed:
        """Move a note to the trash of the vault, as Obsidian does.

        Raises:
            ConfirmFirst: that was not confirmed.
        """
        ...

    def move(self, source: str, destination: str, asking: "Asking") -> Changed:
        """Give a note, another file or a folder another name or place.

        Every link that led there leads there afterwards. A `destination` that ends in
        `/` is the folder to move into.

        Raises:
            NameTaken: something is there.
            NoteNotFound, BadEdit: there is no such file or folder, or no such name.
        """
        ...

    def rename_heading(
        self, note: str, heading: str, new: str, asking: "Asking", *, index: int | None
    ) -> Changed:
        """Give a heading other words, and the links to it too."""
        ...

    def rename_tag(self, old: str, new: str, asking: "Asking") -> Changed:
        """Give a tag and those below it another name, in texts and properties."""
        ...

    def merge(
        self, source: str, into: str, asking: "Asking", *, confirm: bool
    ) -> Changed:
        """Add a note to another, which its links lead to then; it goes to the trash."""
        ...

    def split(
        self,
        note: str,
        asking: "Asking",
        *,
        heading: str = "",
        level: int | None = None,
        folder: str | None = None,
    ) -> Changed:
        """Make notes of sections, that of one heading or all of a level."""
        ...

    def changesets(
        self, states: Sequence[ChangeState] = (), *, limit: int = 20
    ) -> ChangesetList:
        """Return what was changed, proposed or shown, the newest first."""
        ...

    def show(self, identity: str) -> Changed:
        """Return a changeset with its diffs, as it is."""
        ...

    def apply(self, identity: str, asking: "Asking") -> Changed:
        """Apply what was shown before, as far as the policy allows it at once.

        Raises:
            NeedsApproval: it does not.
            NoteChanged: a file is not what it was then.
        """
        ...

    def approve(self, identity: str, *, client: str = "cli") -> Changed:
        """Apply a proposal: a person said so.

        Where its files changed meanwhile and the change still fits, a new proposal
        takes its place, to be looked at; what is returned is that.
        """
        ...

    def reject(self, identity: str, *, client: str = "cli") -> Changed:
        """Leave a proposal; nothing is changed."""
        ...

    def undo(self, identity: str, asking: "Asking") -> Changed:
        """Take a changeset back, while its files are as it left them.

        Where they are not, what can still be taken back becomes a proposal.
        """
        ...

    def draft(self, draft: Draft, asking: "Asking") -> Changed:
        """Do what may be done with a change that another stage thought out."""
        ...

    def settle(self) -> tuple[str, ...]:
        """Finish or take back what a killed process left; say what was done."""
        ...

    def found_moved(self, moves: Mapping[NotePath, NotePath]) -> Changed | None:
        """Propose new links for files that were renamed outside; None for no links."""
        ...
