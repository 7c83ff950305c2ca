"""The operations that change notes: plan a change, and do what the policy allows."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from glassmind.edit.applying import decided, refreshed, settle, to_refresh
from glassmind.edit.diffs import changed, changesets_of, edit_as_shown, paths_of
from glassmind.edit.names import named, named_text
from glassmind.edit.permissions import (
    as_seen,
    is_visible_changeset,
    nothing_hidden_named,
    visible_changeset,
)
from glassmind.edit.planning import link_to, plan_create, plan_delete, plan_move
from glassmind.edit.proposals import (
    apply_shown,
    approve,
    moves_by_others,
    propose_links,
    reject,
    undo,
)
from glassmind.edit.repairing import UNMENDED, plan_repair
from glassmind.edit.restructuring import (
    plan_merge,
    plan_rename_heading,
    plan_rename_tag,
    plan_split,
)
from glassmind.edit.text_edits import KINDS, edited
from glassmind.edit.vault import (
    Disclosed,
    EditRequest,
    EditVault,
    Refresh,
    changer,
    lock_file,
    no_refresh,
    not_disclosed,
)
from glassmind.errors import (
    ConfirmFirst,
    GlassmindError,
    NoteChanged,
    NowhereToKeep,
    PolicyForbids,
    WriteFailed,
)
from glassmind.files.transaction import EditLock
from glassmind.model import Digest, NotePath, PropertyValue
from glassmind.model.edits import (
    Changed,
    ChangesetList,
    ChangeState,
    Draft,
    FileStep,
    TextEdit,
)
from glassmind.model.health import Repairs
from glassmind.vault import Vault

TRIES = 5
LEFT_OUT = "It is not shown: the note is left out of the index.\n"


def plan_edit(
    vault: EditVault, note: str, edits: Sequence[TextEdit], *, expected: Digest | None
) -> Draft:
    path, raw = named_text(vault, note, expected)
    vault.disclosed([path])  # even a refusal tells of the text

    write_link = partial(link_to, vault)
    if vault.sight is None:
        done = edited(path, raw, edits, write_link)
    else:
        done = edit_as_shown(raw, lambda text: edited(path, text, edits, write_link))
    title = f"{len(edits)} edits of {path}"
    if len(edits) == 1:
        title = f"{KINDS[type(edits[0])]}: {path}"
    step = FileStep(path, path, raw, done.raw)
    return Draft("edit", title, (step,), risks=done.risks, facts=done.facts)


class Editing:
    """What changes the notes of a vault, as far as its policy lets it.

    For any number of threads. What the policy does not allow at once becomes a
    proposal, which changes nothing until a person approves it.
    """

    def __init__(
        self,
        vault: Vault,
        refresh: Refresh = no_refresh,
        disclosed: Disclosed = not_disclosed,
    ) -> None:
        self._vault = EditVault(vault, refresh, disclosed)

    def path_of(self, note: str) -> NotePath:
        """Return the note that is called so to the letter; folders are none."""
        return named(self._vault, note)

    def edit(
        self,
        note: str,
        edits: Sequence[TextEdit],
        request: EditRequest,
        *,
        expected: Digest | None = None,
    ) -> Changed:
        return self._made(plan_edit, request, note, edits, expected=expected)

    def create(  # noqa: PLR0913 - each fact by its name
        self,
        title: str,
        text: str,
        request: EditRequest,
        *,
        folder: str | None = None,
        properties: Mapping[str, PropertyValue] | None = None,
        template: str = "",
        titled: bool = False,
    ) -> Changed:
        """Make a note; links that were written to it before lead to it from now on."""
        return self._made(
            plan_create,
            request,
            title,
            text,
            folder=folder,
            properties=properties,
            template=template,
            titled=titled,
        )

    def delete(
        self,
        note: str,
        request: EditRequest,
        *,
        confirm: bool,
        expected: Digest | None = None,
    ) -> Changed:
        self._confirmed(f"{note} would go to the trash", request, confirm=confirm)
        return self._made(plan_delete, request, note, expected=expected)

    def move(
        self,
        source: str,
        destination: str,
        request: EditRequest,
        *,
        expected: Digest | None = None,
    ) -> Changed:
        return self._made(plan_move, request, source, destination, expected=expected)

    def rename_heading(  # noqa: PLR0913 - each fact by its name
        self,
        note: str,
        heading: str,
        new: str,
        request: EditRequest,
        *,
        index: int | None,
        expected: Digest | None = None,
    ) -> Changed:
        names = note, heading, new, index
        return self._made(plan_rename_heading, request, *names, expected=expected)

    def rename_tag(self, old: str, new: str, request: EditRequest) -> Changed:
        return self._made(plan_rename_tag, request, old, new)

    def merge(
        self,
        source: str,
        into: str,
        request: EditRequest,
        *,
        confirm: bool,
        expected: Digest | None = None,
    ) -> Changed:
        self._confirmed(f"{source} would go to the trash", request, confirm=confirm)
        return self._made(plan_merge, request, source, into, expected=expected)

    def split(  # noqa: PLR0913 - each fact by its name
        self,
        note: str,
        request: EditRequest,
        *,
        heading: str = "",
        level: int | None = None,
        folder: str | None = None,
        index: int | None = None,
        expected: Digest | None = None,
    ) -> Changed:
        parts = note, heading, level, folder
        return self._made(plan_split, request, *parts, index=index, expected=expected)

    def repair(self, repairs: Repairs, request: EditRequest) -> Changed:
        """Fix what can be fixed, as one change; notices say what is left, and why."""
        done = self._made(plan_repair, request, repairs)
        left = done.changeset.draft.facts.get(UNMENDED)
        reasons = map(str, left) if isinstance(left, list) else ()
        return replace(done, notices=(*done.notices, *repairs.notices, *reasons))

    def changesets(
        self, states: Sequence[ChangeState] = (), *, limit: int = 20
    ) -> ChangesetList:
        changeset_list = changesets_of(self._vault, states, limit=limit)
        steps = (
            step for each in changeset_list.changesets for step in each.draft.steps
        )
        self._vault.disclosed(paths_of(steps))
        return changeset_list

    def show(self, identity: str) -> Changed:
        done = changed(visible_changeset(self._vault, identity))
        rules = self._vault.rules()
        files = [
            replace(file, diff=LEFT_OUT)
            if file.path and file.diff and rules.left_out(file.path) is not None
            else file
            for file in done.files
        ]
        return self._shown(replace(done, files=tuple(files)))

    def apply(
        self,
        identity: str,
        request: EditRequest,
        *,
        confirm: bool = False,
        or_propose: bool = True,
    ) -> Changed:
        """Apply what was shown before; where a person has to approve it, propose it."""
        self._refuse_off()
        with nothing_hidden_named(self._vault):
            return self._followed(
                lambda: apply_shown(
                    self._vault,
                    identity,
                    request,
                    confirm=confirm,
                    or_propose=or_propose,
                )
            )

    def approve(self, identity: str, *, client: str = "cli") -> Changed:
        """Apply a proposal, or what was only shown: a person said so."""
        return self._followed(lambda: approve(self._vault, identity, client=client))

    def reject(self, identity: str, *, client: str = "cli") -> Changed:
        return reject(self._vault, identity, client=client)

    def undo(self, identity: str, request: EditRequest) -> Changed:
        """Take a changeset back; where files were edited since, propose that."""
        self._refuse_off()
        with nothing_hidden_named(self._vault):
            return self._followed(lambda: undo(self._vault, identity, request))

    def settle(self) -> tuple[str, ...]:
        return settle(self._vault)

    def propose_for_renamed(self, moves: Mapping[NotePath, NotePath]) -> str:
        try:
            with self._vault.faults():
                found = propose_links(self._vault, moves)
        except GlassmindError as error:
            return f"links to renamed notes could not be looked at: {error}"
        if found is None or not is_visible_changeset(self._vault, found.changeset):
            return ""
        identity, title = found.changeset.id, found.changeset.draft.title
        return f"{title}, can be written anew: glassmind proposals show {identity}"

    def _made(
        self,
        plan: Callable[..., Draft],
        request: EditRequest,
        *arguments: object,
        **options: object,
    ) -> Changed:
        """Plan a change and do with it what may be done.

        It is planned again if a file was edited meanwhile, unless the caller gave the
        digest that it expects.
        """
        vault = self._vault

        self._refuse_off()
        with nothing_hidden_named(vault), self._renames_proposed():
            for left in reversed(range(TRIES)):
                try:
                    with vault.files.turn():
                        settled = settle(vault)
                        with vault.faults():
                            draft = plan(vault, *arguments, **options)
                        done = decided(vault, draft, request)
                    break
                except NoteChanged:
                    if not left or options.get("expected") is not None:
                        raise
            return self._indexed(replace(done, notices=(*settled, *done.notices)))

    def _followed(self, change: Callable[[], Changed]) -> Changed:
        with self._renames_proposed():
            return self._indexed(change())

    @contextmanager
    def _renames_proposed(self) -> Iterator[None]:
        try:
            yield
        except GlassmindError:
            self._propose_for_outside(())
            raise

    def _indexed(self, done: Changed) -> Changed:
        """Update the index, and propose links for notes renamed outside."""
        steps = done.changeset.draft.steps
        if done.index != "fresh":
            done = refreshed(done, self._vault.refresh(to_refresh(steps)))
        notice = self._propose_for_outside(steps if done.applied else ())
        if notice:
            done = replace(done, notices=(*done.notices, notice))
        return self._shown(done, done.changeset.client)

    def _propose_for_outside(self, steps: Sequence[FileStep]) -> str:
        renamed = self._vault.take_renames()
        if not renamed:
            return ""
        return self.propose_for_renamed(moves_by_others(renamed, steps))

    def _shown(self, done: Changed, client: str = "") -> Changed:
        """Return what came of a change, as it is seen; its diffs hold text of notes."""
        done = as_seen(self._vault, done, client)
        self._vault.disclosed([file.path or file.to for file in done.files])
        return done

    def _refuse_off(self) -> None:
        if self._vault.config.writes.mode == "off":
            raise PolicyForbids("the vault", 'writes.mode = "off"')

    def _confirmed(self, what: str, request: EditRequest, *, confirm: bool) -> None:
        if not confirm and not request.dry_run:
            raise ConfirmFirst(what)


def finish_interrupted(vault: Vault) -> tuple[str, ...]:
    """Finish a change that was cut short; return messages about what was done."""
    lock = EditLock(lock_file(vault), wait_s=0.0)
    if lock.held:
        return ()
    try:
        with lock.turn():
            changer(vault).sweep()
            return settle(EditVault(vault))
    except (NowhereToKeep, WriteFailed):
        return ()
