"""Answer one query, with the keyword index updated, or repaired if damaged."""

from typing import TYPE_CHECKING

from glassmind.errors import IndexDamaged
from glassmind.model.index import OWED
from glassmind.model.search import Filter, SearchReply
from glassmind.search.hits import is_in_inbox
from glassmind.search.keyword import search_words
from glassmind.search.notes import notes_for
from glassmind.search.query import Question, is_by_words_alone, unheeded
from glassmind.vault import Vault

if TYPE_CHECKING:
    from glassmind.store.protocol import Keywords

PATIENCE_S = 2.0
"""How long a search waits for whoever writes the index, to find an edit."""


def reply_to(vault: Vault, question: Question, *, alone: bool) -> SearchReply:
    """Return the answer of the daemon, or our own by keywords alone or if `alone`."""
    by_words, wish = is_by_words_alone(question), question.wish
    if not alone and not by_words:
        search_reply = vault.daemon().search(
            question.text, wish, question.today, vault.scope
        )
        if search_reply is not None:
            return search_reply
    with vault.faults():
        notices = [*vault.notices()]
        head = vault.store.head()
        if wish.project is not None:
            paths = notes_for(vault).members(wish.project)
            words, among = question.words, Filter("among", paths=paths)
            words = words._replace(filters=(*words.filters, among))
            question = question._replace(words=words)
        index = _current_index(vault, head, notices)
        try:
            reply = _answer(vault, question, index, by_words=by_words)
        except IndexDamaged as error:
            from glassmind.index.keeper import IndexKeeper  # noqa: PLC0415 - as below

            remade = IndexKeeper(vault).remake_words(error)
            found_index = vault.store.keywords() if remade else None
            if found_index is None:
                raise
            reply = _answer(vault, question, found_index, by_words=by_words)
    folder = vault.agent_folder
    hits = [
        hit._replace(generated=True) if is_in_inbox(hit.path, folder) else hit
        for hit in reply.hits
    ]
    return reply._replace(hits=tuple(hits), degraded=(*notices, *reply.degraded))


def _answer(
    vault: Vault, question: Question, index: "Keywords", *, by_words: bool
) -> SearchReply:
    wish = question.wish
    if not by_words:
        from glassmind.search.search import search, steady_search  # noqa: PLC0415

        if wish.steady:
            return steady_search(vault, index, question)
        return search(vault, index, question, wish.limit)
    if wish.root_note is not None:  # not followed, yet no name that nobody has
        notes_for(vault).find(wish.root_note)
    successors = vault.store.successors()
    hits = search_words(question.words, wish, index, vault.rows(), successors)
    passed_by = unheeded(wish, by_meaning=False)
    return SearchReply(question.text, tuple(hits), passed_by, channels=("lexical",))


def _current_index(vault: Vault, head: str, notices: list[str]) -> "Keywords":
    index = vault.store.keywords()
    if index is not None and index.reaches(head):
        return index
    from glassmind.index.keeper import IndexKeeper  # noqa: PLC0415 - most need none

    wait_s = PATIENCE_S if vault.rows().setting(OWED) == head else 0.0
    reason = IndexKeeper(vault).catch_up(wait_s)
    index = vault.store.keywords()
    if index is None:
        raise IndexDamaged("the word index", reason or "it cannot be opened")
    if reason is not None and not index.reaches(head):
        notices.append(f"the latest changes are not searched yet: {reason}")
    return index
