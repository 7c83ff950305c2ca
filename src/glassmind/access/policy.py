"""What may be done with a file of the vault, as the settings say.

The whole vault has a verdict, `writes.user_notes`. The rule of the innermost folder
takes its place; a rule about a tag can only make it stricter, and so can the need for
approval once a client was given text that nobody vouches for. Beside them stand what no
setting changes: folders of other programs are left alone, and of the agent folder that
what waits for approval, and the records.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, cast

from glassmind.access.meant import folded, is_in
from glassmind.config import Config
from glassmind.files.steps import CLOSED, TRASH
from glassmind.model import NotePath
from glassmind.model.context import STRICTNESS, May
from glassmind.model.edits import Verdict

NOT_EDITED = (*CLOSED, TRASH)
"""Of the agent folder: what a person approves, records, what can be made again, and
what memory has set aside."""


SETTINGS = "glassmind.toml"
"""The settings of the vault itself, in its folder or in that of agents."""


class PolicyRule(NamedTuple):
    name: str
    verdict: Verdict


def strictest(verdicts: Iterable[Verdict]) -> Verdict:
    return min(verdicts, key=lambda verdict: STRICTNESS.index(verdict.may))


class WritePolicy:
    def __init__(self, config: Config) -> None:
        writes = config.writes
        self._writes = writes
        self._agent = folded(writes.agent_dir.strip("/"))
        self._folders = [_rule("folders", rule) for rule in writes.folders]
        self._tags = [_rule("tags", rule) for rule in writes.tags]

    @property
    def tags(self) -> Sequence[str]:
        return [rule.name for rule in self._tags]

    def judge(
        self,
        path: NotePath,
        *,
        tags: Iterable[str] = (),
        tainted: bool = False,
        folder: bool = False,
        sure: bool = True,
    ) -> Verdict:
        """Return what may be done with a file, or a whole `folder`, and by which rule.

        `tags` are those of the note before and after the change; where they are not
        `sure`, since properties cannot be read, the strictest rule about a tag counts.
        `tainted` says that whoever asks was given text that nobody vouches for.
        """
        if self._writes.mode == "off":
            return Verdict("off", 'writes.mode = "off"')
        verdicts = [self._of_place(folded(path), folder=folder)]
        names = {folded(tag.lstrip("#")) for tag in tags} if self._tags else ()
        verdicts += [
            rule.verdict
            for rule in self._tags
            if any(is_in(tag, rule.name) for tag in names)
        ]
        if self._tags and not sure:
            may, rule_text = strictest(rule.verdict for rule in self._tags)
            because = f"{rule_text}, as its properties cannot be read,"
            verdicts.append(Verdict(may, because))
        decided = strictest(verdicts)
        if tainted and self._writes.approve_after_untrusted and decided.may == "allow":
            return Verdict("propose", "writes.approve_after_untrusted = true")
        return decided

    def _of_place(self, path: str, *, folder: bool) -> Verdict:
        parts = path.split("/")
        if is_in(path, self._agent):
            return self._of_agent_folder(path, folder=folder)
        if any(part.startswith(".") for part in parts):
            return Verdict("off", "its place, in a folder of another program,")
        if path == SETTINGS:
            return Verdict("off", "its being the settings of the vault")
        writes = self._writes
        rule = f'writes.user_notes = "{writes.user_notes}"'
        is_agent_only = writes.user_notes == "off" and writes.mode == "agent-only"
        if is_agent_only or writes.mode == writes.user_notes:
            rule = f'writes.mode = "{writes.mode}"'
        return self._ruled(path, Verdict(writes.user_notes, rule), folder=folder)

    def _of_agent_folder(self, path: str, *, folder: bool) -> Verdict:
        inside = path[len(self._agent) + 1 :].split("/")
        if not self._writes.agent_dir_writable:
            return Verdict("off", "writes.agent_dir = false")
        if inside == [""]:
            return Verdict("off", "its being the agent folder itself")
        if inside == [SETTINGS]:
            return Verdict("off", "its being the settings of the vault")
        if inside[0] in NOT_EDITED or any(part.startswith(".") for part in inside):
            return Verdict("off", f"its place, in {self._writes.agent_dir}/{inside[0]}")
        allowed = Verdict("allow", f'writes.agent_dir = "{self._writes.agent_dir}"')
        return strictest([self._ruled(path, allowed, folder=folder), allowed])

    def _ruled(self, path: str, otherwise: Verdict, *, folder: bool) -> Verdict:
        """Return what the innermost folder says; a whole folder has those below it."""
        around = [rule for rule in self._folders if is_in(path, rule.name)]
        inner = max(around, key=lambda rule: len(rule.name), default=None)
        verdict = inner.verdict if inner else otherwise
        below = [rule for rule in self._folders if folder and is_in(rule.name, path)]
        return strictest([verdict, *(rule.verdict for rule in below)])


def _rule(key: str, written: str) -> PolicyRule:
    name, _, may = written.rpartition("=")
    verdict = Verdict(cast("May", may), f'"{written}" in writes.{key}')
    return PolicyRule(folded(name.lstrip("#")), verdict)
