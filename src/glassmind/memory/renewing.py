"""One current summary of each project, and one bundle of each question.

A new one takes the place of the former, which goes to the trash of the agent folder, so
that whatever a person wrote into it is kept. The new one is written first: at no moment
is there none.
"""

import re
from contextlib import suppress

from glassmind.errors import VaultError
from glassmind.files.names import NOTE_SUFFIX
from glassmind.memory.cabinet import Cabinet, check_writes
from glassmind.memory.capturing import Claim, summary_kept
from glassmind.memory.claims import project_said
from glassmind.memory.finding import memo_at
from glassmind.memory.memo_names import title_from, title_in
from glassmind.memory.moving import GONE, put_away
from glassmind.model import NotePath
from glassmind.model.memory import MEMO_FOLDERS, Memo

RENEWED = "a newer summary is kept"
"""Why a file was moved, for the record."""


def summary_renewed(cabinet: Cabinet, claim: Claim, title: str) -> NotePath:
    """Keep a summary in the place of the former of that title; return where it is.

    That is one with the heading that the new one begins with: names of files have room
    for the first words of a question alone. One that says the same is left as it is.

    Raises:
        BadMemo: it cannot be kept as it is; nothing was written.
        WriteRefused: the settings or the disk do not let it be written.
    """
    check_writes(cabinet, "no summary was kept")
    heading = claim.text.strip().partition("\n")[0].strip()
    former = [
        memo
        for memo in _former(cabinet, title, claim.project)
        if heading in map(str.strip, memo.text.splitlines())
    ]
    same = [memo for memo in former if memo.text.strip() == claim.text.strip()]
    path = same[-1].path if same else summary_kept(cabinet, claim, title).memory.path
    for memo in former:
        if memo.path != path:
            with suppress(*GONE):  # another summary of it was quicker
                put_away(cabinet, memo, client=claim.client, why=RENEWED)
    return path


def _former(cabinet: Cabinet, title: str, project: str) -> list[Memo]:
    """Return the summaries of a project under a title, numbered or not; by path."""
    folder, said = f"{cabinet.folder}/{MEMO_FOLDERS['summary']}", project_said(project)
    named = re.compile(re.escape(title_from(title, "summary")) + r"(?: \d+)?")
    with cabinet.files() as files:
        names = [name for name in files.names(folder) if name.endswith(NOTE_SUFFIX)]
    found = []
    for path in (NotePath(f"{folder}/{name}") for name in names):
        if named.fullmatch(title_in(path)):
            with suppress(VaultError):  # what cannot be read is no summary of ours
                memo = memo_at(cabinet, path)
                if memo and memo.kind == "summary" and memo.project == said:
                    found.append(memo)
    return found
