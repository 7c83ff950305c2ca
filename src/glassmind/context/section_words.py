"""The words by which notes say what counts: heads, callouts, tags, types, statuses.

All in the form that `folded` gives them: small letters, no marks. English and German,
and the heads of French and Spanish notes, since they cost nothing.
"""

import re
from functools import lru_cache

DECISION_HEADS = frozenset((
    "decision", "decisions", "decision log", "decisions log", "decided",
    "decisions made", "key decisions", "the decision", "what we decided",
    "entscheidung", "entscheidungen", "entschieden", "beschluss", "beschlüsse",
    "décision", "décisions", "decisión", "decisiones",
))  # fmt: skip
DECISION_CALLOUTS = ("decision", "decided", "entscheidung", "beschluss")
DECISION_TAGS = ("decision", "entscheidung")
DECISION_TYPES = frozenset(
    ("decision", "decisions", "decision record", "adr", "entscheidung", "beschluss")
)

QUESTION_HEADS = frozenset((
    "open question", "open questions", "question", "questions", "unanswered",
    "unanswered questions", "questions open", "open points",
    "offene frage", "offene fragen", "frage", "fragen", "offene punkte",
    "questions ouvertes", "preguntas", "preguntas abiertas",
))  # fmt: skip
QUESTION_CALLOUTS = ("question", "help", "faq", "frage")
QUESTION_TAGS = ("question", "frage")
QUESTION_TYPES = frozenset(("question", "open question", "frage"))

CLOSED = frozenset((
    "done", "answered", "closed", "resolved", "solved", "cancelled", "canceled",
    "rejected", "dropped", "superseded", "obsolete",
    "erledigt", "beantwortet", "geschlossen", "gelöst", "verworfen",
))  # fmt: skip
"""Statuses of a question or a task that nobody waits for any more."""

OVERRULED = frozenset((
    "superseded", "rejected", "deprecated", "obsolete", "withdrawn", "declined",
    "replaced", "ersetzt", "verworfen", "abgelehnt", "überholt",
))  # fmt: skip
"""Statuses of a decision that does not hold, or never did."""

SUPERSEDED_BY = frozenset((
    "superseded by", "supersededby", "replaced by", "obsoleted by", "ersetzt durch",
))  # fmt: skip
SUPERSEDES = frozenset(("supersedes", "replaces", "obsoletes", "ersetzt"))

ANSWER = re.compile(r"(?:answer(?:ed)?|antwort|beantwortet|a)\s*:|→|=>", re.IGNORECASE)
"""What the lines below a question begin with once it has an answer."""

ANSWERED_TAG = re.compile(r"(?<!\S)#(?:answered|resolved|done|beantwortet|erledigt)\b")

TEMPLATES = frozenset(("template", "templates", "_templates", "vorlage", "vorlagen"))
"""Folders whose notes are patterns of notes, and say nothing themselves."""

_LEAD = re.compile(r"^[\W\d_]+|[\W_]+$")


@lru_cache(maxsize=4096)  # the same heads stand in every daily note
def head_form(text: str) -> str:
    """Return a heading as the tables have it: no numbers before it, no marks around."""
    return " ".join(_LEAD.sub("", text).casefold().split())


@lru_cache(maxsize=1024)
def key_form(name: str) -> str:
    """Return a property's name as the tables have it: `superseded_by` by words."""
    return " ".join(re.split(r"[\s_-]+", name.strip().casefold()))
