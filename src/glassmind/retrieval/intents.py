"""What kind of answer a question wants, told from its form alone.

Five intents, as vault-graphrag has them: a fact, the context of some work, an idea, what
links to a note, an unexpected connection. Each rule is a pattern with a weight; the
intent whose rules weigh most is taken, and it is *sure* when they weigh enough. Form is
what is looked at, not subject: who, when and how many ask for facts in any vault.
"""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from glassmind.types.search import Intent

SURE = 2.0
"""Weight from which an intent may change how channels count."""


class Guess(NamedTuple):
    """The intent of a question, and how strongly its form speaks for it."""

    intent: Intent
    weight: float

    @property
    def is_sure(self) -> bool:
        """Whether it is safe to act on."""
        return self.weight >= SURE


Rules = Sequence[tuple[float, re.Pattern[str]]]


def _rules(*rules: tuple[float, str]) -> Rules:
    return [(weight, re.compile(text, re.IGNORECASE)) for weight, text in rules]


RULES: Mapping[Intent, Rules] = MappingProxyType({
    "backlink": _rules(
        (3, r"\bback-?links?\b"),
        (3, r"\b(inbound|incoming)\s+(links?|references|mentions)\b"),
        (3, r"\b(what|which|who|where|everything|anything|all)\b.{0,40}"
            r"\b(links?|linking|linked|points?|pointing|refers?|referring|references"
            r"|cites?|citing)\s+(back\s+)?(to|at|from)?\b"),
        (3, r"\b(what|which|notes?|pages?|where|who|everything|anything|list|files?)\b"
            r".{0,40}\b(mentions?|mentioning|mentioned|cites?|citing|cited|references?"
            r"|referenced|referencing)\b"),
        (2, r"\b(notes?|pages?|files?)\s+that\s+(use|embed|quote|depend on|build on)\b"),
        (2, r"\bwho\s+(links|refers|points)\b"),
        (2, r"\breferences?\s+to\b"),
        (2, r"\bmentions\s+of\b"),
        (3, r"\b(verlink\w*|verweis\w*|erwähn\w*)\b"),
        (3, r"\b(enlaza\w*|apunta\w*|menciona\w*|enlaces)\b"),
        (3, r"\b(renvoient|pointent|mentionnent|citent|liens)\b"),
        (3, r"(链接到|反向链接|反链|引用了|提到|被引用|リンク)"),
    ),
    "serendipity": _rules(
        (3, r"\b(surpris\w+|unexpected\w*|serendip\w*|unlikely|hidden|non-?obvious"
            r"|unobvious|unforeseen|strange|odd|weird|curious|forgotten|accidental)\b"
            r".{0,30}\b(connect\w*|links?|relat\w*|parallels?|overlaps?|bridges?|ties"
            r"|combin\w*|notes?|ideas?|echoes|pairs?|common)\b"),
        (2.5, r"\b(surprise|inspire|provoke|delight)\s+me\b"),
        (2.5, r"\b(connections?|parallels?|bridges?|overlaps?|common ground|links?"
              r"|relations?(hip)?s?|echoes|threads?|analog\w+|resonan\w+)\s+"
              r"(between|across|linking)\b"),
        (2.5, r"\bwhat\s+(do|does|could|might|would)\b.{0,60}\band\b.{0,60}"
              r"\b(have in common|share|teach each other)\b"),
        (2, r"\b(connect|combine|bridge|mix|cross|blend|marry)\b.{0,60}\b(and|with|to)\b"),
        (2, r"\bin common\b"),
        (2, r"\brandom\b|\bwander\b|\bsomething\s+(new|fresh|different)\b"
            r"|\bserendipit\w*"),
        (2, r"\b(have|might|may)\s+(i\s+)?(missed|overlooked|not noticed)\b"),
        (2, r"\bhow\s+(might|could|does|do|is|are)\b.{0,50}\b(relate|connect|tie)\w*\b"),
        (2.5, r"\b(überrasch\w*|unerwartet\w*|verbindung\w*\s+zwischen)\b"),
        (2.5, r"\b(inesperad\w*|sorprend\w*|conexion\w*\s+entre)\b"),
        (2.5, r"\b(inattendu\w*|surpren\w*|insolite\w*|(lien|rapport)s?\s+entre)\b"),
        (2.5, r"(意外|意想不到|惊喜|之间.{0,6}(联系|关联|共同)|有什么共同)"),
    ),
    "context_load": _rules(
        (3, r"\b(everything|all)\b.{0,30}\b(about|on|for|around|regarding|i (have|know)"
            r"|we (have|know)|related to)\b"),
        (3, r"\b(load|reload|gather|collect|pull (up|together)|assemble|fetch|bring up"
            r"|open up)\b.{0,40}\b(context|notes?|background|project|state|material"
            r"|everything|history|files)\b"),
        (3, r"\b(catch|get|bring|fill)\s+(me|us)\s+(up|in|back)\b"),
        (3, r"\b(continue|resume|pick up|picking up|carry on|go on with|keep going"
            r"|get back (in)?to|back to work|where (was i|were we|did (i|we) (leave|stop"
            r"|left)))\b"),
        (2.5, r"\b(context|background|briefing|brief me|overview|status|state of play"
              r"|recap|summary|summari[sz]e|rundown|dossier)\b.{0,20}"
              r"\b(for|on|of|about|before)?\b"),
        (2, r"\b(prepare|prep|ready|get ready)\b.{0,30}\b(for|meeting|call|session)\b"),
        (2, r"\b(i'?m|i am|we'?re|we are)\s+(about to|going to|starting|working on)\b"),
        (2, r"\bwhat (do|should) (i|we) (need to )?know (about|before)\b"),
        (2.5, r"\b(alles (zu|über|zum|zur)|fortsetzen|weitermachen|stand (von|der|des)"
              r"|kontext)\b"),
        (2.5, r"\b(todo (sobre|lo)|continuar|retomar|contexto|ponme al día)\b"),
        (2.5, r"\b(tout (sur|ce)|reprendre|continuer|contexte|fais le point)\b"),
        (2.5, r"(所有.{0,12}(笔记|内容|资料)|加载|继续|背景|上下文|全部)"),
    ),
    "factual_lookup": _rules(
        (2, r"^\s*(who|when|where|which|whose|whom)\b"),
        (2, r"\bhow (many|much|long|old|far|big|tall|often|late|early|high|fast|heavy"
            r"|large|deep|wide)\b"),
        (2, r"\bwhat('s| is| was| are| were)?\s+(the|my|our|his|her|their|its)\s+"
            r"([\w'-]+\s+){0,4}(number|name|address|date|price|cost|password|code|email"
            r"|phone|size|version|model|id|url|birthday|deadline|budget|dose|ratio|rate"
            r"|temperature|time|amount|total|limit|port|key|colou?r|brand|weight|height"
            r"|serial|title|author|capital|score|formula|recipe|setting|value)\b"),
        (1.5, r"\bwhat (time|day|date|year|number|version|price|size|colou?r|brand"
              r"|model|address|name)\b"),
        (1.5, r"\b(number|phone|email|address|birthday|deadline|price|cost|password"
              r"|serial|version|date|dosage|dose|iban|postcode|zip|passport|licen[sc]e"
              r"|invoice|port|temperature|torque|dimensions?)\b"),
        (1.5, r'"[^"]+"'),
        (1, r"\d"),
        (1.5, r"\b(did (i|we|she|he|they)|was|were|is|are|has|have|does|do)\b.{0,60}\?"),
        (2, r"^\s*(wer|wann|wo|welche[rsn]?|wieviel|wie (viel|viele|lange|oft|hoch|alt"
            r"|heißt|spät))\b"),
        (2, r"^\W*(quién|cuándo|dónde|cuál(es)?|cuánt\w+|quien|cuando|donde|cual)\b"),
        (2, r"^\s*(qui|quand|où|quel(le)?s?|combien)\b"),
        (2, r"(谁|几|多少|什么时候|哪(里|儿|天|年|个)|何时|密码|电话|地址)"),
    ),
    "conceptual": _rules(
        (2, r"^\s*(why|how (do|does|did|can|could|should|to|would|is|are)|explain"
            r"|describe|define)\b"),
        (2, r"\b(ideas?|thoughts?|thinking|views?|opinions?|beliefs?|philosoph\w*"
            r"|principles?|theor(y|ies)|concepts?|meaning|nature|notion|lessons?"
            r"|approach(es)?|trade-?offs?|arguments?|advantages?|pros and cons"
            r"|difference|relationship|understanding|perspectives?|strateg(y|ies)"
            r"|themes?|role of|importance|tension)\b"),
        (1.5, r"\b(explain|understand|compare|versus|vs\.?|discuss|reflect\w*|similar"
              r"|like)\b"),
        (1, r"\bwhat (is|are|makes?|does it mean|makes)\b"),
        (1, r"\babout\b"),
        (2, r"^\s*(warum|wieso|weshalb|wie (kann|können|soll|funktioniert|entsteht))\b"),
        (2, r"\b(por qué|cómo|ideas sobre|reflexiones)\b"),
        (2, r"\b(pourquoi|comment|idées sur|réflexions)\b"),
        (2, r"(为什么|如何|怎么|怎样|想法|思考|理念|原理)"),
    ),
})  # fmt: skip
"""What speaks for each intent. Where two weigh the same the earlier one is taken: the
later a rule stands, the more questions it fits."""


def guess_intent(text: str) -> Guess:
    """Return the likeliest intent of a question; with nothing to go by, `conceptual`."""
    best = Guess("conceptual", 0.0)
    for intent, rules in RULES.items():
        weights = sorted((w for w, rule in rules if rule.search(text)), reverse=True)
        # what a second rule adds is little: rules of one intent say the same thing
        weight = weights[0] + 0.25 * len(weights[1:]) if weights else 0.0
        if weight > best.weight:
            best = Guess(intent, weight)
    return best
