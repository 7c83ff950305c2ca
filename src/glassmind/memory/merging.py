"""Two memos as one: what the kept one lacks is added to it, and nothing twice."""

from glassmind.markdown.yaml_write import Fact
from glassmind.memory.memo_file import with_facts
from glassmind.memory.memo_sections import with_section_facts, with_section_text
from glassmind.types.memory import Memo
from glassmind.vault.rewrite import FileText


def with_added(before: FileText, kept: Memo, memo: Memo) -> str:
    """Return the note of a kept memo with what another says, unless it says so.

    Raises:
        MemoUnreadable: the note cannot be changed without losing something.
    """
    text = before.text
    added = "\n".join(memo.text.splitlines())
    if added not in "\n".join(kept.text.splitlines()):
        if kept.kind == "task":  # as part of the list item that it is
            added = "\n".join(line and f"  {line}" for line in added.split("\n"))
        if kept.section:
            text = with_section_text(text, kept.section, added, kept.path)
        else:
            more = f"\n\n{added}\n".replace("\n", before.newline)
            text = text.rstrip("\r\n") + more
    facts = _facts(kept, memo)
    if not facts:
        return text
    if kept.section:
        return with_section_facts(text, kept.section, facts, kept.path)
    return with_facts(text, facts, kept.path)


def _facts(kept: Memo, memo: Memo) -> dict[str, Fact | None]:
    """Return the sources and tags that are more than those of the kept memo."""
    return {
        name: (*held, *(one for one in more if one not in held))
        for name, held, more in (
            ("sources", kept.sources, memo.sources),
            ("tags", kept.tags, memo.tags),
        )
        if not set(more) <= set(held)
    }
