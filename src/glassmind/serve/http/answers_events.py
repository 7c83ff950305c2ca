"""An answer while it is made, as server-sent events."""

from typing import Any, assert_never

from glassmind.render.answers import answer_as_json, source_as_json, statement_as_json
from glassmind.serve.http.errors import Refusal, error_body
from glassmind.serve.http.replies import encoded, labelled
from glassmind.types.answers import Answer, Found, News, Spoken, Stated, Withdrawn

EVENTS = "text/event-stream; charset=utf-8"
"""As the HTML standard has it; it is always UTF-8."""

KEEP_ALIVE = b": keep-alive\n\n"
"""A comment: clients pass over it, and who stands between sees that there is life."""


def event(name: str, value: object) -> bytes:
    """Return an event with a value as JSON, which is always one line."""
    return b"event: %b\ndata: %b\n\n" % (name.encode(), encoded(value))


def news_event(news: News, *, vault: str) -> bytes:
    """Return what is told of an answer that is being made."""
    match news:
        case Found():
            sources = [source_as_json(one, vault=vault) for one in news.sources]
            value: dict[str, Any] = {"sources": sources, "confidence": news.confidence}
            return event("sources", labelled(value))
        case Spoken():
            return event("text", {"text": news.text, "support": news.support})
        case Stated():
            said = statement_as_json(news.statement)
            return event("statement", {"number": news.number, **said})
        case Withdrawn():
            return event("withdrawn", {"reason": news.reason})
        case _:
            assert_never(news)


def answer_event(answer: Answer, *, vault: str) -> bytes:
    """Return the whole answer, which is the last event."""
    return event("answer", labelled(answer_as_json(answer, vault=vault)))


def error_event(refusal: Refusal) -> bytes:
    """Return why an answer that had begun breaks off."""
    return event("error", error_body(refusal))
