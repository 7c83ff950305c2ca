"""The words by which notes say what counts: heads, callouts, tags, types, statuses.

All in the form that `folded` gives them: small letters, no marks. English and German,
and the heads of French and Spanish notes, since they cost nothing.
"""

import re
from functools import lru_cache

DECISION_HEADS = frozenset((
    "decision", "decisions", "decision log", "decisions log", "decided",
    "decisions made", "key decisions", "the decision", "what we decided",
    "decision outcome", "agreed", "what we agreed",
    "entscheidung", "entscheidungen", "entschieden", "beschluss", "beschlüsse",
    "beschlossen", "vereinbart",
    "décision", "décisions", "decisión", "decisiones",
))  # fmt: skip
DECIDED_HEADS = frozenset(("outcome", "resolution", "conclusion", "ergebnis", "fazit"))
"""Heads that hold the decision of a note that is one as a whole, and in others any
end of anything."""

BESIDE = frozenset((
    "consequences", "positive consequences", "negative consequences", "confirmation",
    "reasons", "rationale", "why", "context", "status", "options", "alternatives",
    "considered options", "pros and cons of the options", "notes", "more information",
    "folgen", "gründe", "begründung", "kontext", "alternativen",
))  # fmt: skip
"""Heads below that of a decision whose lines were not decided themselves."""

DECISION_CALLOUTS = ("decision", "decided", "entscheidung", "beschluss")
DECISION_TAGS = ("decision", "entscheidung")
DECISION_TYPES = frozenset(
    ("decision", "decisions", "decision record", "adr", "entscheidung", "beschluss")
)

DECISION_LABELS = (
    "decision", "decided", "agreed", "entscheidung", "entschieden", "beschluss",
    "beschlossen", "vereinbart",
)  # fmt: skip
"""What a line begins with, before a colon, that tells a decision."""

UNDECIDED = frozenset((
    "tbd", "tba", "todo", "none", "none yet", "none so far", "nothing", "nothing yet",
    "n/a", "pending", "open", "undecided", "not yet", "not decided",
    "not decided yet", "not yet decided", "no decision", "no decisions",
    "no decision yet", "no decisions yet", "to be decided", "to be determined",
    "offen", "noch offen", "keine", "noch keine", "ausstehend", "unentschieden",
    "proposed", "draft",
))  # fmt: skip
"""What stands in the place of a decision that there is none of."""

PROPOSED = frozenset((
    "proposed", "proposal", "draft", "pending", "open", "in review", "under discussion",
    "vorgeschlagen", "vorschlag", "entwurf", "offen",
))  # fmt: skip
"""Statuses of a decision that nobody has taken yet."""

QUESTION_HEADS = frozenset((
    "open question", "open questions", "question", "questions", "unanswered",
    "unanswered questions", "questions open", "open points",
    "offene frage", "offene fragen", "frage", "fragen", "offene punkte",
    "questions ouvertes", "preguntas", "preguntas abiertas",
))  # fmt: skip
QUESTION_CALLOUTS = ("question", "help", "faq", "frage")
QUESTION_TAGS = ("question", "frage")
QUESTION_TYPES = frozenset(("question", "open question", "frage"))

SUPERSEDED_BY = frozenset((
    "superseded by", "supersededby", "replaced by", "obsoleted by", "ersetzt durch",
))  # fmt: skip
SUPERSEDES = frozenset(("supersedes", "replaces", "obsoletes", "ersetzt"))

ANSWER = re.compile(
    r"[*_]*(?:answer(?:ed)?|antwort|beantwortet|a)[*_]*\s*:|→|=>", re.IGNORECASE
)
"""What the lines below a question begin with once it has an answer."""

ANSWERED_HERE = re.compile(
    r"[*_]*(?:closed|answered|resolved|solved|done|erledigt|beantwortet|geklärt)\b"
    r"[*_]*\s*[:.\u2013\u2014-]",
    re.IGNORECASE,
)
"""What a question begins with once it is none."""

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
