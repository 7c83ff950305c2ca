"""What in the form of a question speaks for each intent: patterns with weights.

Three is a plain statement ("what links to"), two a strong hint ("who"), one a weak one
(a digit). Form is what is looked at, not subject: who, when and how many ask for facts in
any vault. German, Spanish, French, Chinese and Japanese have the plain statements.
"""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from glassmind.types.search import Intent

Rules = Sequence[tuple[float, re.Pattern[str]]]

_NOTES = (
    r"(?:notes?|pages?|files?|documents?|docs|entry|entries|journals?|dailies|posts?"
    r"|articles?|meetings?|minutes|projects?|logs?|places?|essays?|papers?|sources?|spots?)"
)
_CITING = (
    r"(?:mention(?:s|ing|ed)?|cit(?:e|es|ed|ing)|referenc(?:e|es|ed|ing)"
    r"|quot(?:e|es|ed|ing)|refer(?:s|ring|red)?\s+(?:back\s+)?to|link(?:s|ed|ing)?"
    r"|point(?:s|ing)?\s+(?:back\s+)?(?:to|at|here)|embed(?:s|ded|ding)?|transclud\w+"
    r"|depend(?:s|ing)?\s+on|rel(?:y|ies|ying)\s+on|buil(?:d|ds|ding)\s+(?:up)?on)"
)
_ODD = (
    r"(?:surpris\w*|unexpected\w*|unlikely|hidden|non-?obvious\w*|unobvious|no obvious"
    r"|unforeseen|strange\w*|odd|oddest|oddly|weird\w*|curious\w*|accidental\w*|secret(?:ly)?"
    r"|far-?fetched|lateral|remote|distant\w*|unrelated|improbable|wild\w*|quirky|offbeat"
    r"|unusual|creative\w*|forgotten|overlooked|neglected|buried|unsuspected|unconventional"
    r"|playful|crazy|bizarre|loose|faint|never)"
)
_TIES = (
    r"(?:connect\w*|links?|linked|relat\w*|parallels?|overlap\w*|bridg\w*|ties?|tied"
    r"|combin\w*|notes?|ideas?|echo\w*|pair\w*|common|analog\w*|associat\w*|neighbou?rs?"
    r"|angles?|juxtaposition\w*|resonan\w*|threads?|bedfellows|couples?|thing|things"
    r"|touch\w*|thoughts?|insights?|kinship|rhyme\w*|similarit\w*|crossover\w*|matches)"
)
_GATHERING = (
    r"(?:meeting|call|session|review|interview|talk|workshop|stand-?up|1:1|one-on-one|sync"
    r"|presentation|kick-?off|retro\w*|demo|appointment|conversation|negotiation|visit"
    r"|trip|exam|lecture|class|pitch)"
)
_ATTRIBUTE = (
    r"(?:numbers?|names?|addresses|address|dates?|prices?|fees?|passwords?|passcodes?|pin"
    r"|passphrase|codes?|e-?mails?|phones?|telephone|sizes?|versions?|ids?|urls?|birthdays?"
    r"|deadlines?|dos(?:e|es|age)|ratios?|temperatures?|amounts?|totals?|ports?|colou?rs?"
    r"|brands?|heights?|width|serial|author|scores?|recipe|settings?|specs?|iban|isbn|doi"
    r"|postcode|zip|passport|licen[cs]e|invoice|torque|dimensions?|capacity|departure|arrival|surname|handle"
    r"|percentage|percent|fingerprint|hostname|ip|warranty|expiry|expir\w*|salary|rent"
    r"|commands?|shortcuts?|syntax|timeout|voltage|wattage|quantity|quota|receipt|booking"
    r"|reservation|flight|gate|opening hours|timetable|blood type|allerg(?:y|ies)"
    r"|diagnosis|prescription|vaccin\w+|measurements?|coordinates|abbreviation|acronym"
    r"|username|login|credentials|wi-?fi|ssid|ingredients?|population|year|digits|plate"
    r"|make and model|confirmation|subtotal|mileage|branch|checksum|hash)"
)
_SOFT_ATTRIBUTE = (
    r"(?:values?|distance|limits?|speed|keys?|room|weights?|capital|due|rates?|costs?|title"
    r"|account|duration|frequency|threshold|schedule|budget|owner|contact|formula|lengths?"
    r"|model|tag|line|seat|period|level|type|target|maintainer|range|default|pressure)"
)
_IDEA = (
    r"(?:ideas?|thoughts?|thinking|views?|opinions?|beliefs?|philosoph\w*|principles?"
    r"|theor(?:y|ies)|concepts?|meaning|nature|notions?|lessons?|approach(?:es)?"
    r"|trade-?offs?|arguments?|advantages?|benefits?|drawbacks?|pros and cons|differences?"
    r"|differs?|understand\w*|perspectives?|strateg(?:y|ies)|themes?|role|importance"
    r"|tensions?|ethics|reasons?|tips|advice|techniques?|practices|criti\w+|mindset"
    r"|mental models?|frameworks?|motivation|reflections?|essence|purpose|mechanisms?"
    r"|causes?|consequences|effects? of|impact|influence|psychology|culture|methods?"
    r"|ways (?:to|of)|relationship|metaphors?|implications|intuition|explanations?|values of)"
)


def _rules(*rules: tuple[float, str]) -> Rules:
    return [(weight, re.compile(text, re.IGNORECASE)) for weight, text in rules]


_BACKLINK = _rules(
    (4, r"\bback-?\s?links?\b|\blinked mentions\b|\bunlinked mentions\b"),
    (3.5, r"\b(?:inbound|incoming|reverse|inward)\s+(?:links?|referenc|mentions?|citations?"
          r"|edges?|connections?)"),
    (3, r"\bwiki-?links?\s+(?:to|for|of|pointing)\b"),
    (3, rf"\b{_NOTES}\b(?:\s+(?!never\b)[\w'-]+){{0,4}}?\s+{_CITING}\b"),
    (3, rf"\b(?:what|who|which|anything|everything|nothing|something|whatever)(?:\s+(?:else|all"
        rf"|also|ever|currently|already|is|are))*\s+{_CITING}(?!\s+(?:between|with))\b"),
    (3, r"\bwhere(?:ver)?\b.{0,50}\b(?:mention(?:ed)?|referenc(?:e|ed|ing)|cit(?:e|ed)"
        r"|quot(?:e|ed)|linked|used?|appears?|comes? up|came up|shows? up|crops? up"
        r"|turns? up|referr?ing|refer|named|pops? up|occurs?|bring up|talked about|talk about|written about)\b"),
    (3, rf"\b(?:in )?(?:which|what)\s+(?:[\w'-]+\s+){{0,3}}{_NOTES}\b.{{0,50}}\b(?:comes? up"
        r"|appears?|occurs?|shows? up|is named|found in|talk(?:s|ed)? about|use|uses"
        r"|contain|contains|discuss|discusses|have a link|feature|features)\b"),
    (2.75, r"\b(?:references?|citations?|links|pointers?|usages?|occurrences?|mentions)\s+"
           r"(?:to|of|for|pointing|here|in)\b"),
    (1.75, r"\b(?:uses|instances|appearances)\s+of\b"),
    (3, r"\b(?:any|anything|anyone|any other|some|other)\s+(?:[\w'-]+\s+){0,2}"
        r"(?:link\w*|referenc\w+|mention\w*|cit(?:e|es|ing)|refer\w*|points?)\s+(?:to|the)\b"),
    (3, r"\b(?:depends?|relies|rely) on\b|\bif i (?:rename|delete|remove|move|archive|merge)"),
    (3, r"\b(?:linked|referenced|cited|mentioned|quoted|embedded)\s+(?:from|by|in)\b"
        r"|\blink target\b|\b(?:links?|points?|linking|pointing) here\b|\brefers? back\b"),
    (3, r"^(?:(?:show|list|find|get|give)\s+(?:me\s+)?)?(?:all\s+|every\s+|the\s+)?"
        r"(?:mentions?|references?|citations?|links to|linking|pages linking)\b"),
    (3, r"\blinks? to\b(?!.*\b(?:it|they) links? to)|\bpoint(?:s|ing) (?:to|at)\b"
        r"|\brefer(?:s|ring) to\b"),
    (2.75, r"^(?:in )?(?:which|what)(?: of (?:my|the))?(?: [\w'-]+){0,2} (?:notes?|pages?|files?"
           r"|documents?|entries)\b"),
    (2.75, r"\b(?:who|what|which|else|where)\b.{0,20}\b(?:talks?|speaks?|writes?|written|wrote)"
           r" (?:about|of)\b|\bwhere else\b|\b(?:in )?(?:what|which) contexts?\b"),
    (2.75, rf"\b{_NOTES}\b(?:\s+(?:that|which|to|who|all|would))*\s+(?:names?|naming|contain\w*|use[sd]?"
           r"|using|includ\w+|lead(?:s|ing)?|connect(?:s|ing|ed)?)\b(?!\s+the dots)"),
    (3, r"\bas a link\b|^what uses\b|\bleads? here\b|^[\w' -]{2,30} mentions$|\binlinks?\b|\breferring notes\b|\breferrers?\b|\bconnections (?:in)?to\b"
        r"|\bparents? of the note\b"),
    (3, r"\b(?:is|are|was|were|gets?|been)\s+(?:ever\s+)?(?:mentioned|cited|referenced|quoted"
        r"|referred to|linked)\b(?! but)"),
    (1, r"\w\.md\b"),
    (2, r"\b(?:linked|connected) to \[\["),
    (1.25, r"\[\[[^\]]+\]\]"),
    (3, r"\bverlink\w*|\bverweis\w*|\berwähn\w*|\brückverweis\w*|\bzitier\w*"
        r"|\bbezieh\w* sich\b"),
    (3, r"\benlaz\w+|\bapuntan?\b|\bmencion\w+|\benlaces\b|\bhacen referencia|\bcitan?\b"
        r"|\breferencias a\b|\bretroenlaces\b"),
    (3, r"\b(?:renvoi\w*|pointent|pointant|mentionn\w+|cit(?:ent|é|és|ée|ées|ant)|rétroliens?"
        r"|référenc\w+|font référence)\b|\bliens (?:vers|entrants)\b"),
    (3, r"链接到|反向链接|反链|引用了?|提到|提及|被引用|指向|链接了"),
    (3, r"リンク元|リンクして|リンクされ|へのリンク|バックリンク|被リンク|引用|言及|参照し|参照され"),
)  # fmt: skip

_SERENDIPITY = _rules(
    (4, r"\bserendip\w*|\b(?:surprise|inspire|delight|amaze|astonish|provoke) (?:me|us)\b"),
    (3.5, rf"\b{_ODD}\b.{{0,40}}\b{_TIES}\b|\b{_TIES}\b.{{0,25}}\b{_ODD}\b"),
    (2.5, r"\bsurpris\w+|\bunexpected\w*|\brandom\w*|\bunlikely\b|\bstrangest?\b|\bweird\w*"
          r"|\bfar-?fetched|\blateral\b|\bforgotten\b|\bforgot\b|\badventurous\b"),
    (3, r"\b(?:connections?|parallels?|bridges?|overlaps?|common ground|links?|echoes|threads?"
        r"|analog\w+|resonan\w+|similarit\w+|crossovers?|intersections?|kinship|affinit\w+"
        r"|correspondences?|associations?)\s+(?:between|across|among|linking|of)\b"),
    (3.5, r"\bwhat (?:links|connects|unites|joins|ties|binds) .{3,60}\b(?:and|with|to)\b(?<! to)"),
    (2.75, r"\beach other\b|\bresonat\w+|\bcoincidences?\b|\bnothing to do with\b|\bshed\w* light"
           r"|\belsewhere in\b|\bweak ties\b|\bpoints? of contact\b|\bwhat would happen if\b"
           r"|\byears ago\b|\bthink differently\b|\bi could steal\b|\brelated at all\b"
           r"|\bcorners? of my\b|\banother look\b|\bunexplored\b|\bfree association|\bcousins? of\b"
           r"|\bcoming back to\b|\bbridge from\b|\bclash of\b|\bwhat ties\b|\boddly\b"),
    (2.75, r"\b(?:might|could|would)\b.{0,50}\b(?:inform|inspire|illuminate|enrich|help (?:me|us|with)"
           r"|apply to|shed)\b"),
    (2, r"^[\w-]+ (?:&|x|×|\+) [\w-]+$"),
    (2.25, r"\brelat(?:ions?|ionships?|ed)\s+between\b"),
    (3, r"\band\b.{0,60}\b(?:have in common|share|teach each other|overlap|touch|intersect"
        r"|meet|talk to each other)\b|\bin common\b"),
    (2.75, r"^(?:\w+\s+){0,2}?(?:connect|combine|bridge|mix|cross|blend|marry|fuse|juxtapose"
           r"|link|pair|weave|tie|collide|mash)\b.{1,60}\b(?:and|with|to|between|into)\b"),
    (3, r"\bcross-?\s?(?:pollinat\w+|fertili\w+|over)\b|\bjuxtapos\w+|\b(?:connect|join) the"
        r" dots\b|\brabbit hole|\boff the beaten|\bleft field\b|\b(?:outside|out of) the box\b"),
    (2, r"^[\w' -]{3,30} meets [\w' -]{3,30}$"),
    (2.5, r"\b(?:wouldn't|would not|would never|never|didn't|did not|don't|do not|haven't"
          r"|have not|hadn't|not)\s+(?:\w+\s+){0,3}?(?:think of|thought of|thought about|expect"
          r"|expected|look at|looked at|look for|consider|considered|seen|link|linked"
          r"|connect|connected|open|opened|revisit|revisited|notice|noticed|touched)\b"),
    (2.25, r"\b(?:am i|have i|might i|did i|i(?:'m| am| have| may| might)?|we)\s+(?:have\s+|be\s+"
           r"|'ve\s+)?(?:missing|miss|missed|overlook\w*|neglect\w*|forg[eo]t\w*)\b"),
    (2.75, r"\b(?:spark|tangents?|wander\w*|stumble\w*|drift|gems?|nuggets?|rediscover\w*"
           r"|resurfac\w+|brainstorm\w*|muse|whimsical|curveball|wildcard|detour|roam)\b"),
    (2.75, r"\b(?:new|fresh|different|another|novel|unusual)\s+(?:angle|perspective|light|take"
           r"|lens|direction)s?\b|\brhymes? with\b|\breminds? (?:you|me) of\b"),
    (2.75, r"\bsomething\s+(?:[\w-]+\s+){0,2}?(?:new|fresh|different|interesting|old|odd"
           r"|else entirely|intriguing|fascinating|cool|fun|inspiring)\b"),
    (2.75, r"\b(?:worth|good to) (?:re-?)?(?:visit|read|discover)\w*|\bdig up\b|\blong ago\b"
           r"|\bin (?:years|ages)\b|\bold (?:notes?|ideas?) (?:that|which|worth|deserve)\b"),
    (3, r"\b(?:another|other|different|unrelated|distant|far-?away|outside)\s+(?:[\w-]+\s+)?"
        r"(?:fields?|domains?|areas?|disciplines?|parts?|topics?|worlds?|corners?|subjects?"
        r"|folders?|projects?|context)\b"),
    (3, r"\bbelong together\b|\bthreads? (?:that )?run\w*\b|\bthread through\b|\bties together\b"
        r"|\bsecretly\b|\brecur\w* across\b|\bacross (?:my|all|unrelated|different)\b"),
    (2.5, r"^(?:how|in what ways?) (?:might|could|would) .{3,50}\b(?:inform|inspire|teach"
          r"|illuminate|help|apply|influence|shape|change|explain|improve|relate|connect"
          r"|enrich|learn)\b"),
    (3, r"\bwhat (?:could|can|might|would|does|do) .{2,50}\b(?:teach|learn from)\b"
        r"|\bwhat (?:could|might|would) .{2,50}\b(?:tell|say|notice|see)\b.{0,12}\b(?:about|in|to)\b"),
    (2.25, r"\bhow (?:does|do|is|are) .{3,50}\b(?:relat\w+|connect\w*|tied?|linked) (?:to|with)\b"),
    (2.5, r"^how (?:is|are) .{3,30} like \b|\banalog(?:y|ies)\b.{0,20}\b(?:from|for)\b"
          r"|\bmetaphors? (?:from|for)\b|\bborrow\w* from\b|\bwhat would an? \w+ (?:say|think|do)"),
    (1.5, r"\bexplore\b|\bdiscover\b|\bsuggest\w*\b|\binspir\w+|\bspeculat\w+|\bimaginative\b"),
    (3, r"\büberrasch\w*|\bunerwartet\w*|\bgemeinsam\b|\b(?:verbindung|parallele|zusammenh[aä]ng)\w*"
        r"\s+zwischen|\bvergessene\w*|\bzufällig\w*|\binspirier\w*"),
    (3, r"\binesperad\w*|\bsorpr[eé]nd\w*|\b(?:conexi[oó]n\w*|paralel\w*|relaci[oó]n\w*)\s+entre"
        r"|\ben común\b|\bolvidad\w*|\binsp[ií]ra\w*|\bal azar\b"),
    (3, r"\binattendu\w*|\bsurpren\w*|\binsolite\w*|\b(?:liens?|rapports?|parallèles?)\s+entre"
        r"|\ben commun\b|\boublié\w*|\binspire\w*|\bau hasard\b"),
    (3, r"意外|意想不到|惊喜|出乎意料|之间.{0,8}(?:联系|关联|共同|共通)|共同(?:点|之处)|随机|灵感|被遗忘|忘了的"),
    (3, r"意外|つながり|繋がり|共通点|驚|忘れていた|ランダム|ひらめき|偶然"),
)  # fmt: skip

_CONTEXT_LOAD = _rules(
    (3, r"\beverything\s+(?:(?:that|else|i|we|you|i've|we've|there|is|have|has|know|knows?|wrote|written"
        r"|got|need|to|do|with|in|my|notes|vault)\s+)*(?:about|on|for|around|regarding|concerning"
        r"|related to|relevant to|connected to|to do with|know|have|need|involving)\b"),
    (3, r"\ball\s+(?:(?:of|my|the|our|relevant|related|available|existing|we|i|you)\s+)*(?:notes"
        r"|materials?|docs|documents|files|information|details|background|know|have|there is|context|stuff)"
        r"(?!\s+(?:with a|that (?:mention|quote|cite|link)))"
        r"(?:\s+\w+){0,2}?\s+(?:on|about|for|from|around|related|regarding|concerning)\b"),
    (3.25, r"\b(?:load|reload|gather|collect|pull (?:up|together|in)|assemble|compile|bundle"
           r"|fetch|bring (?:up|together)|round up|open up|prime|hydrate|restore|retrieve)\b"
           r".{0,50}\b(?:context|notes?|background|projects?|state|materials?|everything|history"
           r"|files|docs|documents|what we have|yourself|information|workspace|threads?)\b"),
    (3.5, r"\b(?:catch|get|bring|fill|bringing|catching)\s+(?:me|us|yourself|myself)\s+(?:up|in"
          r"|back|to speed)\b|\bup to (?:speed|date)\b|\bcatch(?:ing)? up\b"),
    (3.5, r"\b(?:continue|continuing|resume|resuming|pick(?:ing)?\s+(?:[\w-]+\s+){0,5}?up|carry on"
          r"|go on with|keep going|get(?:ting)? back (?:in)?to|back to work|return(?:ing)? to|back"
          r" (?:into|from|on)|where (?:was i|were we|(?:i|we) (?:was|were)|did (?:i|we) (?:leave|stop)|(?:i|we) (?:left|stopped)))\b"),
    (3, r"^all about\b|\bwhere (?:are|were|do|does) (?:we|things|it|this) ?(?:stand\b|at\b|now\b|with\b|\?|$)|\beverything together\b|\bwhere (?:is|are) (?:it|they|things) at\b"
        r"|\bhow far (?:along|are|have|did|is)\b|\blost track\b|\btake (?:me|us) back\b"
        r"|\bback to (?:the|my|our)\b|\bdiv(?:e|ing) back\b|\bshould know\b|\bthings to know\b"),
    (2.5, r"\b(?:i|we) (?:want|need|have|would like|plan|intend)(?: to)? (?:finish|write|work|complete"
          r"|edit|revise|prepare|decide|draft|plan|rework|update)\b|\bprep$|^(?:reopen|open|pull up)\b"
          r"|\bup to now\b|\bto date\b|\bwhat(?:'s| is) the plan\b|\bso (?:that )?(?:i|we) can\b"
          r"|\ball its\b|\bplanning notes\b|\bmain notes\b|\bkey (?:documents|notes)\b|\bworking set\b|\bcurrent situation\b"),
    (1.5, r"\w+, \w+,? (?:and|or) \w+|\bplans?\b|\bstuff\b|\bi plan\b"),
    (3, r"^(?:the )?(?:context|background|status|recap|overview|summary|briefing|state)\b"),
    (2.75, r"\b(?:context|briefing|brief (?:me|us)|overview|status|state of|current state|where"
           r" (?:things|we|i|it) stands?|recap|rundown|dossier|primer|digest|debrief|hand-?over"
           r"|hand-?off|hand over|take over|taking over|onboard (?:me|us|a|the|yourself|myself)|refresh my memory"
           r"|set the stage|background (?:for|on|to|info\w*|of)|full background|get started)\b"),
    (2.5, r"\bsummar(?:y|i[sz]e)\b|\bbackground\b|\bthe (?:whole|full|complete|entire|big)"
          r" (?:picture|story|history|context)\b|\bthe latest (?:on|with|from|about|for)\b"
          r"|\bprogress (?:on|of|with|so far)\b|\bso far\b|\bcurrently stand"),
    (2.5, r"\bnext (?:steps?|actions?)\b|\bopen (?:questions?|tasks?|issues?|points?|items?|loops?"
          r"|threads?|to-?dos?)\b|\bstill open\b|\bdecisions (?:for|on|about|so far)\b|\bgoals\b"),
    (2.75, r"\bwhat(?:'s| is| was| has| have)? (?:going on|happening|happened|been happening|new"
           r"|up|left|i|we) (?:with|on|in|to do|doing|working|been|decided|done|got|have)\b"),
    (2.5, rf"\b(?:prep|prepare|preparing|prepping|ready)\b.{{0,30}}\b(?:for|{_GATHERING})\b"),
    (2.5, rf"\b(?:before|for|ahead of|got|have)\s+(?:(?:the|my|our|a|an|today's"
          rf"|tomorrow's|next|this|\w+day's?|\w+ly)\s+)+(?:\w+\s+){{0,2}}?{_GATHERING}\b(?! date)"
          rf"|\bbefore (?:i|we) (?:\w+)\b"),
    (2.5, r"\b(?:i'?m|i am|we'?re|we are|you are|you're)\s+(?:about to|going to|starting|working"
          r"|writing|preparing|back|planning|taking|now|helping|assisting|drafting|reviewing"
          r"|editing|building|meeting)\b"),
    (2.5, r"^(?:working|starting|continuing|preparing|resuming|returning|back|starting)\s+(?:on|with"
          r"|to|up|for|at|work)\b|\bwork(?:ing)? on\b|\btoday'?s (?:work|session|focus|task)\b"
          r"|\b(?:start|begin\w*) (?:of )?(?:the |a |this )?session\b|\blet'?s (?:get|go|work|pick)\b"),
    (2.25, r"\bwhat (?:do|should|must) (?:i|we) (?:need to |have to )?(?:know|read|have)\b"
           r"|\bwhat (?:do|have) (?:i|we) (?:know|have|got|decided|done|written)\b"
           r"|\bneed to know\b|\bi know (?:about|of)\b"),
    (2.25, r"^(?:the )?(?:[\w-]+ ){0,2}projects?(?: [\w-]+){0,3}$|\bhistory of the\b"
           r"|\bproject (?:notes?|state|files|docs|history)\b"),
    (2.5, r"\b(?:its|neighbou?ring|surrounding|adjacent) (?:notes?|links|neighbou?rs|specs)\b"
          r"|\bwhat it links to\b|\b(?:linked|related) (?:notes|specs|docs|decisions)\b"
          r"|\bnotes around\b|\bbelongs to (?:it|this)\b|\binvolved in\b"),
    (2.25, r"^[^:?]{3,40}: [^,]+,.+|:\s*(?:\w+\s*,\s*){2,}"),
    (1.25, r"\b(?:notes|material|files|docs) (?:for|from)\b|\bproject\b|\bplanning\b|\bhistory\b"
           r"|\bteam\b|\btasks?\b|\bmeeting\b"),
    (3, r"\balles (?:zu|über|zum|zur|was|rund)\b|\bfortsetzen|\bweiter(?:machen|arbeiten|schreiben)|\bweiter an\b"
        r"|\bstand (?:von|der|des|beim|bei)\b|\bkontext\b|\bneuesten stand\b|\büberblick\b"
        r"|\bzusammenfass\w*|\bhintergr[uü]nd\w*|\balle notizen (?:zu|über)\b|\bvorbereit\w*"),
    (3, r"\btod[oa]s? (?:sobre|lo|las notas|acerca)\b|\bcontinua\w*|\bseguir con\b|\bretom\w+|\bcontexto\b"
        r"|\bal día\b|\bestado (?:del?|actual)\b|\bresum\w+|\bpanorama\b|\bprepar\w+"),
    (3, r"\btout (?:sur|ce|savoir)\b|\breprendre|\breprenons|\bcontinu(?:er|ons)\b|\bcontexte\b|\ble point\b"
        r"|\btoutes (?:les|mes) notes\b|\brésum\w+|\bétat (?:du|de la|des|d')|\boù en (?:est|suis|sommes)"
        r"|\bprépar\w+|\bmets-moi au\b"),
    (3, r"所有.{0,12}(?:笔记|内容|资料)|(?:笔记|内容|资料).{0,4}全部|加载|继续|背景|上下文|进展|概况|概述|总结|准备"),
    (3, r"すべて|全部|続き|続け|現状|状況|背景|まとめ|文脈|経緯|再開|準備"),
)  # fmt: skip

_FACTUAL_LOOKUP = _rules(
    (2.25, r"^\W*(?:and |so |ok |hey )?(?:who|whose|whom|which|where)\b"
           r"|^\W*when (?:is|was|does|did|do|will|are|were|can|must|should i|has|have)\b"),
    (1, r"\b(?:who|when|which|where)\b"),
    (2.5, r"\bhow (?:many|much|long|old|far|big|tall|often|late|early|high|fast|heavy|large|deep"
          r"|wide|hot|cold|thick)\b"),
    (2.5, rf"\bwhat(?:'?s| is| was| are| were)?\s+(?:the|my|our|his|her|their|its|\w+'s)\s+"
          rf"(?:[\w'-]+\s+){{0,3}}?(?:{_ATTRIBUTE}|{_SOFT_ATTRIBUTE})\b"),
    (2, rf"\b{_ATTRIBUTE}\b"),
    (1.25, rf"\b{_SOFT_ATTRIBUTE}\b"),
    (2.25, rf"\b{_ATTRIBUTE} (?:of|for|to|from)\b"
           rf"|^(?:[\w'-]+\s+){{1,3}}(?:{_ATTRIBUTE}|{_SOFT_ATTRIBUTE})$"),
    (1.75, r"^the (?:[\w-]+ ){1,2}(?:we|i|he|she|they|(?-i:[A-Z]\w+)) (?:[\w']+ )*\w+$"),
    (2.25, r"\bwhat (?:time|day|date|year|month|number|version|price|size|colou?r|brand|model"
           r"|address|name|kind of|type of|percentage)\b"),
    (2.25, r"\b(?:in|at|on|by|to|from|with|of) (?:which|what|whom)\b(?!.{0,30}\bnotes?\b)"),
    (1.5, r"\"[^\"]+\"|“[^”]+”|\u0060[^\u0060]+\u0060"),
    (1, r"\d"),
    (1.25, r"\b\d+(?:[.,]\d+)?\s?(?:mg|kg|g|ml|l|km|cm|mm|v|w|kw|mah|gb|mb|%|°|€|\$|eur|usd)\b"
           r"|\b[A-Z]{2,}-?\d+\b"),
    (1.75, r"^(?:did|was|were|is|are|has|have|had|does|do|will|can)\b.{0,90}\?$"),
    (1.25, r"^(?:did|was|has|have|had|does)\b"),
    (2.25, r"^what did (?!(?:i|we) (?:learn|think|conclude|believe|feel|realis))|^what was (?!i )|^what were "),
    (1.25, r"^what(?:'s| is) (?:the|my|our|\w+'s)\b"),
    (2.25, r"^(?:look up|tell me the|give me the (?!full|whole|history|background)|return the"
           r" (?!list)|find the (?!notes|passages)|what exactly)\b|\bexact\w*\b"),
    (1.25, r"\bthe (?:quote|wording|line|sentence)\b|\bdefinition\b|\bstored\b|\bprescrib\w+"
           r"|\bborn\b|\blives?\b|\bworks? (?:at|for)\b|\bcheapest\b|\blatest version\b"
           r"|\blast (?:time|visit)\b|\bnext (?!step|action)\w+\b"),
    (2.25, r"^\W*(?:wer|wann|wo|woher|wem|welche[rsnm]?|wieviele?|wie (?:viele?|lange|oft|hoch|alt|heißt"
           r"|spät|groß|teuer)|was kostet\w*)\b|\b\w*(?:nummer|adresse|passwort|datum|geburtstag|preis)\b"),
    (2.25, r"^\W*(?:a |en |de |con )?(?:quién(?:es)?|cuándo|dónde|cuál(?:es)?|cuánt\w+|qué (?:día|hora|año))\b"
           r"|\b(?:número|contraseña|fecha|dirección|teléfono|precio|nombre|correo)\b"),
    (2.25, r"^\W*(?:à |de |en )?(?:qui|quand|où|quel(?:le)?s?|combien)\b|\b(?:numéro|mot de passe|date"
           r"|adresse|téléphone|prix|nom d)\b"),
    (2.25, r"谁|几|多少|什么时候|哪(?:里|儿|天|年|个|些)|何时|密码|电话|地址|号码|日期|价格|生日"),
    (2.25, r"誰|いつ|どこ|いくら|何(?:時|日|年|人|個|番|月)|番号|住所|電話|期限|パスワード|値段|日付|誕生日"),
)  # fmt: skip

_CONCEPTUAL = _rules(
    (2.5, r"^\W*(?:why|explain|describe|discuss|define|how come)\b|\bwhy\b"),
    (2.25, r"^\W*how (?:do|does|did|can|could|should|to|would|is|are|might)\b"),
    (1.75, r"^\W*how \w+"),
    (2.25, rf"\b{_IDEA}\b"),
    (2.25, r"\bwhat (?:makes?|causes?|helps?|drives?|matters?|does it (?:mean|take)|do (?:i|we|my"
           r" notes) (?:think|believe|say|feel)|(?:i|we)(?:'ve| have)? learn\w*|did (?:i|we) (?:learn|conclude|think|realise|realize))\b"
           r"|^when (?:should|is it|to)\b|\bthe (?:point|value|problem|limits) (?:of|with)\b"),
    (2, r"\b(?:better|best|good|great|healthy|effective|worth it)\b(?!.*\bwhich\b)"),
    (2.25, r"\b(?:versus|vs\.?|compar\w+|as opposed to|rather than|difference between"
           r"|without|instead of)\b"),
    (1.5, r"\b(?:similar|passages|discuss\w*|reflect\w*|learn(?:ing|ed)?|deal\w* with|cop(?:e|ing)"
          r"|feel\w*|being|become|becoming)\b"),
    (1.5, r"^(?!working|starting|continuing|preparing|resuming|picking|linking|opening|booking"
          r"|meeting)[a-z]{3,}ing\b"),
    (1.25, r"^what (?:is|are)(?! the\b| my\b| our\b)|\bwhat is (?:an?|the point)\b"),
    (1, r"^(?:my )?notes? (?:on|about)\b|\babout\b|^the \w+ (?:of|that|in)\b|^an? \w+ \w+"),
    (2.25, r"\b(?:warum|wieso|weshalb|gedanken|ideen|bedeut\w+|unterschied\w*|theorie|sinn)\b"
           r"|^\W*(?:wie (?:kann|können|soll|funktioniert|entsteh\w+|wirkt|man)|was (?:ist|sind|bedeutet|macht))\b"),
    (2.25, r"\b(?:por qué|cómo|ideas|reflexiones|diferencias?|significa|sentido|teoría)\b|^\W*qué (?:es|son|hace)\b"),
    (2.25, r"\b(?:pourquoi|comment|idées|réflexions|différences?|signifie|sens|théorie)\b|^\W*qu'est-ce qu"),
    (2.25, r"为什么|如何|怎么|怎样|想法|思考|理念|原理|区别|意义|本质|什么是|看法"),
    (2.25, r"なぜ|どうして|どのように|どうすれば|とは|考え|意味|違い|理由|について"),
)  # fmt: skip

RULES: Mapping[Intent, Rules] = MappingProxyType({
    "backlink": _BACKLINK,
    "serendipity": _SERENDIPITY,
    "context_load": _CONTEXT_LOAD,
    "factual_lookup": _FACTUAL_LOOKUP,
    "conceptual": _CONCEPTUAL,
})  # fmt: skip
"""What speaks for each intent. Where two weigh the same the earlier one is taken: the
later one stands, the more questions it fits."""
