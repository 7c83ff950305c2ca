"""Whether a sentence is understood without those around it.

Told by its words alone: how it ends, how it begins, and what stands right behind it.
"""

import re

NO_END = (":", ",", ";", "?", "\uff1f", "\u061f")
"""How a text ends that goes on, or that asks itself and answers nothing."""

CLOSERS = "*_~\"')]}\u201d\u2019\u00bb "
"""What may stand behind the last sign of a sentence."""

_ITSELF = (
    r"(?:note|page|vault|project|folder|document|file|list|guide|article|section|wiki"
    r"|year|month|week|day|morning|evening|time)s?\b"
)
"""What `this` may be without a sentence before: where it stands, and when."""

_POINTS = re.compile(
    rf"""\W*(?:
    he | she | they | him | them | his | hers? | its | their | theirs | which | whose
    | it (?! (?:['\u2019]s|\s+(?:is|was|seems|takes|took)) \s+ [\w-]+ \s+ (?:to|that)\b)
    | (?:this|these|those) (?! \s+ {_ITSELF})
    | that (?! \s+ (?:an?|the|{_ITSELF})\b)
    | the \s+ (?:former|latter|above|same)
    | er | sie | ihn | ihm | ihre?[mnrs]? | seine?[mnrs]? | dies (?:e[mnrs]?)?
    | es (?! \s+ gibt\b) | das \s+ (?:ist|sind|war|waren|hat|wird)
    | da(?:bei|durch|f\u00fcr|her|mit|nach|rum|von|zu) | des(?:halb|wegen)
    | il (?! \s+ (?:faut|y)\b) | elles? | ils | \u00e7a | cela | c['\u2019]est
    | eso | esto | ellos | ellas
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""How a sentence begins whose subject is in another, in English and German, and by the
most frequent words of French and Spanish."""

_POINTS_SOON = re.compile(
    rf"""\W*(?:[\w'\u2019-]+\s+){{0,3}}
    (?:after|at|before|behind|besides?|by|for|from|in|like|of|on|to|under|with|without)
    \s+ (?:it|him|her|them|(?:this|that|these|those)(?!\s+{_ITSELF}))\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""The same within its first words, before it can have named anything else."""

_FIELD = re.compile(r"[\s>\[(]*[\w -]+::")
_ASIDE = re.compile(r"\(.*\)\W*$|[\u2013\u2014]\s")
"""A sentence in brackets, or the rest of one behind a dash."""

_ONCE = re.compile(
    r"\W*(?:I|we)\s+(?:had\s+)?(?:said|told|thought|believed|assumed|guessed|claimed"
    r"|supposed|was\s+sure|were\s+sure)\b",
    re.IGNORECASE,
)
"""What somebody once said or thought: it seldom stands unless what follows says so."""

_TAKES_BACK = re.compile(
    r"\W*(?:actually|correction|wrong|in\s+fact|no\s+longer|not\s+any\s?more"
    r"|(?:I|we)\s+(?:was|were)\s+wrong|(?:I|we)\s+did(?:\s+not|n['\u2019]t)\s+know"
    r"|(?:it|that|this|which)\s+(?:is|was|turned\s+out)\s+"
    r"(?:to\s+be\s+)?(?:not\b|wrong|false|untrue|a\s+mistake))",
    re.IGNORECASE,
)
"""How a sentence begins that says that the one before it does not hold."""


def stands_alone(text: str, behind: str = "") -> bool:
    """Whether a sentence says something by itself.

    `behind` is the next one of its paragraph, which may take it back.
    """
    if text.rstrip(CLOSERS).endswith(NO_END) or _FIELD.match(text):
        return False
    if any(sign.match(text) for sign in (_ASIDE, _POINTS, _POINTS_SOON, _TAKES_BACK)):
        return False
    return not (behind and (_ONCE.match(text) or _TAKES_BACK.match(behind)))
