"""Questions, answered from the notes."""

from glassmind.ports.chat import Halt
from glassmind.surfaces.http.accepting import wants_events
from glassmind.surfaces.http.answers_talk import Talk
from glassmind.surfaces.http.asked import Asked

YES = ("1", "true")
NO = ("0", "false")


def get_answer(asked: Asked) -> Talk:
    """Take a question up; it is answered in a thread of its own."""
    wishes = dict(asked.given)
    question = wishes.pop("question").strip()
    streams = wishes.pop("stream") in YES or wants_events(asked.accept)
    wishes["use_model"] = wishes.pop("model")
    if wishes["intent"] == "balanced":
        wishes["intent"] = None
    return Talk(asked.engine, question, wishes, streams, Halt())
