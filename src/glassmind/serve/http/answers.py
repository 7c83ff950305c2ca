"""Questions, answered from the notes."""

from glassmind.answers.asked import check_asked
from glassmind.ports.chat import Halt
from glassmind.serve.http.answers_talk import Talk
from glassmind.serve.http.asked import Asked
from glassmind.serve.http.replies import wants_events
from glassmind.types.questions import MOST_SOURCES

YES = ("1", "true")
NO = ("0", "false")


def get_answer(asked: Asked) -> Talk:
    """Take a question up; it is answered in a thread of its own.

    Raises:
        QueryError: it is none that can be answered.
    """
    wishes = dict(asked.given)
    question = wishes.pop("question").strip()
    check_asked(question, wishes["limit"] or MOST_SOURCES)
    streams = wishes.pop("stream") in YES or wants_events(asked.accept)
    wishes["use_model"] = wishes.pop("model")
    if wishes["intent"] == "balanced":
        wishes["intent"] = None
    return Talk(asked.engine, question, wishes, streams, Halt())
