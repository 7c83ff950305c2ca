"""Questions as people and agents ask them, each with what it wants: one a line.

They are what a new question is compared with. The same subjects come back under every
intent, so that what is learnt is the form of a question and not what it is about.
"""

from collections.abc import Mapping
from types import MappingProxyType

from glassmind.types.search import Intent

_FACTUAL_LOOKUP = """
what is the wifi password at the cabin
When does my passport expire?
heron battery spec
passport number
Which port does the staging server listen on?
who recommended the new dentist
how much did we pay for the roof repair
flight number lisbon
what temperature for the sourdough
hydration percentage for rye bread
Who was at the kickoff meeting on 12 March?
date of Mara's birthday
ISBN of the Kahneman book
Did Tomás confirm the Thursday appointment?
where did I put the spare key for the garage
command to restart nginx
max torque for M8 bolts
What's the phone number of the plumber?
invoice 2024-117 amount
name of the hotel in Kyoto
tax id
What is the deadline for the grant application?
"eventual consistency" definition
how many people signed up for the workshop
in which year did we move to Leeds
dosage of amoxicillin for the dog
which version of Python does the billing service need
is the boiler still under warranty?
what did Dana say her budget was
price of the second-hand kiln
who is the landlord's contact
Find the exact serial number of the Heron prototype and the date it was shipped.
Look up the IBAN for the rental deposit.
api rate limit of the weather provider
what was the name of that restaurant Ines mentioned
size of the living room rug
how long do you boil the eggs for ramen
the quote about "the map is not the territory"
how old is the cedar hedge
tyre pressure road bike winter
When was the decision to drop Postgres made, and by whom?
What is the capital of the fund as of Q3?
the address of the physiotherapist
ssh key fingerprint backup box
Has the lease been signed?
battery capacity in mAh
blood type grandma
Where is the final version of the contract stored?
which seeds did I sow in week 14
what's Priya's job title
number of open positions in the design team
Return the value of the retry timeout set for the export queue.
my frequent flyer number
who wrote the paper on tacit knowledge
what time does the train to Ghent leave
author of the essay on boredom
paint colour hallway
Which of the three vendors was the cheapest?
conference dates 2025
email of the beekeeping club
recipe for grandma's plum cake
next vaccination due
what did the doctor prescribe in January
Wann läuft mein Reisepass ab?
Telefonnummer vom Klempner
wie viel hat die Dachreparatur gekostet
¿Cuál es la contraseña del wifi?
fecha de nacimiento de Lucía
cuánto costó el horno
Quelle est la date limite du dossier ?
numéro de série de la chaudière
qui a recommandé le dentiste
护照号码是多少
房东的电话
パスポートの有効期限はいつ
会議室の予約番号
"""

_CONTEXT_LOAD = """
load context for the heron project
everything about the kitchen renovation
get me up to speed on the grant application
where did we leave off with the thesis
I'm picking up the billing migration again, what do I need to know
Brief me on Heron before the call with Dana.
continue working on the sourdough book
prep for tomorrow's meeting with the landlord
what's the current state of the Kyoto trip planning
project heron
project heron status
catch me up on the garden plan
give me the full background on the lawsuit
all my notes on the workshop series
open questions and decisions for the data warehouse
resume the novel
pull together what we have on the Leeds office move
I am about to write the chapter on attention; gather the relevant notes.
Start of session: load the state, goals, decisions and open tasks for the billing service.
You are continuing work on the Heron firmware. Collect its project note, the linked \
specs, recent decisions and anything still open.
refresh my memory about the client Northwind
working on the beekeeping course today
overview of the home server setup
summarize where things stand with the hiring
What have we decided so far about the pricing?
kitchen renovation: budget, contractor, open issues
onboard me to the recommendation engine
Before I refactor the export queue, show me its design notes and history.
bring me back into the podcast project
the whole picture of my mother's care
what was I doing on the bike trailer build
context: quarterly review
background for the board meeting
Fetch the notes around "Migration plan" so that I can go on with it.
Let's get back to the translation of the poems.
what is the latest on the insurance claim
recap of the marathon training so far
set the stage for the interview with Priya
what should I read before the kickoff
next steps on the beehive inspection plan
Gather everything related to the Lisbon offsite: people, dates, bookings, and open points.
dossier on Northwind
I need to hand over the weather provider integration, what belongs to it?
notes for the tax return 2024
give me the history of the Heron project
I have a meeting with the physiotherapist in ten minutes
tell me all I know about Dana Whitlock
Pick up where I stopped with the Rust rewrite
assemble the material for my talk on tacit knowledge
show me the Lisbon project and its neighbouring notes
what's going on with the hedge
today's work: payroll export
status update garden
who and what is involved in the Leeds move
prime yourself on the codebase notes for the ingest pipeline
Load the note Roadmap 2025 together with what it links to
I'm back from holiday, what happened with the vendor selection?
Alles zum Umbau der Küche
Stand des Projekts Reiher
Ich arbeite heute weiter an der Doktorarbeit
Bring mich auf den neuesten Stand zum Umzug
todo sobre el viaje a Kioto
ponme al día con el proyecto Garza
quiero retomar la novela
contexto para la reunión con Dana
tout ce que j'ai sur la rénovation
fais le point sur le dossier Dupont
reprendre le travail sur la thèse
加载苍鹭项目的上下文
关于厨房装修的所有笔记
继续写论文
プロジェクトの現状をまとめて
京都旅行に関するすべてのメモ
"""

_CONCEPTUAL = """
why do habits fail
how does spaced repetition work
trade-offs of a monolith
what makes a good leader
thoughts on stoicism
attention and focus
dealing with burnout
the idea that constraints breed creativity
ways to give better feedback
difference between empathy and sympathy
How do I think about risk?
arguments for a four-day week
feeling like an outsider in a new city
what is tacit knowledge
Explain eventual consistency in plain words.
notes about grief and letting go
why sourdough tastes better than yeast bread
principles for writing clear documentation
motivation without willpower
how should a small team make decisions
is progress an illusion
What are good strategies for learning a language as an adult?
slow living
the ethics of beekeeping
reasons to prefer boring technology
how to stay calm in conflict
what does it mean to own something
pros and cons of renting
My view of remote work and how it shapes trust in a team
leadership lessons from mountaineering
productivity as avoidance
coping with uncertainty
concept of emergence
Find passages that discuss why gardens are good for the mind.
What do my notes say about the nature of expertise?
the relationship of memory and place
how trust erodes in organisations
good explanations
mental models for pricing
understanding compound interest
the role of boredom in creative work
what is the point of journaling
comparing kanban to scrum
when is it better to quit
deep work versus shallow work
how can one design for failure
philosophy of technology
why I left academia
Discuss how resilience differs from robustness in systems.
what helps against procrastination
how memory consolidation happens during sleep
nature of consciousness
tips for better sleep
patterns for handling retries in distributed systems
what I learned about negotiation
theory of constraints applied to hospitals
being a beginner again
criticism of utilitarianism
why maps are never neutral
how children learn to trust
best practices around code review
the tension between speed and quality
minimalism
what causes inflation
how bees decide where to live
warum scheitern Gewohnheiten
Gedanken über Freundschaft
wie funktioniert verteiltes Lernen
por qué fracasan los hábitos
ideas sobre la creatividad
cómo tomar mejores decisiones
pourquoi la confiance s'érode
réflexions sur le temps
comment apprendre une langue
为什么习惯会失败
关于创造力的想法
習慣はなぜ続かないのか
集中力についての考え
"""

_BACKLINK = """
what links to Heron
backlinks of [[Sourdough]]
notes mentioning Ada Lovelace
which notes cite Kahneman 2011
where is the migration plan referenced
incoming links for Tacit knowledge
pages pointing to the roadmap
where have I used the term eventual consistency
who references the Leeds office note
everything that refers to Stoicism
In which meeting notes does Northwind come up?
where does Dana appear
find uses of the note Export queue
what notes are linked to [[Kyoto trip]]
Where did I mention the beehive inspection?
list pages that embed the garden plan
which daily notes mention Priya
what would break if I rename Roadmap 2025
who links here
notes that build on "Theory of constraints"
what depends on Billing service
inbound links Heron
references to the Lisbon offsite
mentions of boredom
Give me all notes with a wikilink to Emergence.
Which files reference [[Kanban]]?
what else points at this page
show me who is citing the essay on maps
linked from
backlinks heron battery
notes citing the resilience paper
find every place where Tomás is mentioned
what cites this
reverse links for the Insurance claim note
which projects use the weather provider
is anything linking to Marathon training?
list all notes that quote Seneca
other notes referring to the hedge
How many notes link to Journaling?
what talks about [[Northwind]]
Find all documents whose text contains a link to People/Dana Whitlock.md.
where is "the map is not the territory" quoted
which pages have a link to Python
notes connected by a link to Rust rewrite
does any note reference the kiln
Return the list of notes that point to Projects/Heron.md, with the line of each link.
what is tagged with or linked to Sleep
wikilinks to spaced repetition
pages which mention Kahneman
trace back where Minimalism is cited
who mentions Ines
linking notes for Grief
where am I referring to the four-day week
usages of Retry timeout
see what refers back to the Trust note
which of my notes are referencing this book
notes with Heron as a link target
everything pointing to People/Mara
show mentions: Lease
Welche Notizen verlinken auf Reiher?
Wo wird Kahneman erwähnt?
Verweise auf den Umzug
qué notas enlazan con Garza
dónde se menciona a Lucía
enlaces entrantes de Creatividad
quelles notes renvoient à Confiance
où est cité Kahneman
liens vers la page Rénovation
哪些笔记链接到苍鹭
提到王芳的笔记
睡眠的反向链接
カーネマンを引用しているノート
「睡眠」へのリンク元
"""

_SERENDIPITY = """
surprise me
what in my notes unexpectedly relates to beekeeping
connections between jazz and software design
something I have forgotten that bears on sourdough
what do sourdough and incident response have in common
unexpected parallels to mountaineering
show me a random old note worth reading again
what might be relevant to Heron that I would not think of
cross-pollinate gardening and management
strange bedfellows of stoicism
Is there anything from another field that could inspire the pricing work?
how might gardening inform code review
bread meets architecture
bridge the gap between grief and engineering
a thread that runs through maps, memory and cooking
analogies from biology for organisations
connect the dots around trust
hidden links in my journal
What surprising ideas sit near eventual consistency?
tell me something interesting
non-obvious relations of kanban and monastic life
link boredom with city planning
what would a beekeeper say about remote work
odd couples among my notes
Find two notes that were never linked but belong together.
serendipity: tides
what am I missing about the garden plan
ideas that rhyme with tacit knowledge
mix poetry and distributed systems
old ideas that could help with the new project
inspire me with something on sleep
anything weird that touches on lighthouses
Explore distant associations of the concept of emergence, outside its own folder.
Do my notes on bees and on voting overlap anywhere?
wander from kiln to wherever it leads
unlikely neighbours of "theory of constraints"
what could marathon training teach me about writing a thesis
patterns that recur across unrelated projects
bring up a note I haven't looked at in years
how is pottery like parenting
give me a creative spark for the talk
where do music and mathematics touch in my vault
which notes from different areas secretly talk about the same thing
something off the beaten track about rivers
Suggest notes with no obvious relation to Heron that could still give me a new angle on it.
what is the strangest link between sleep and economics
remote associations: salt
forgotten gems
juxtapose chess and negotiation
are there echoes of Seneca in my work notes
feeling adventurous, show me something
combine two of my ideas into a new one
far-fetched but fruitful relations to compost
what else does this remind you of
common ground between liturgy and user interfaces
dig up a nugget about rivers from long ago
rabbit hole starting at typography
fresh perspective on hiring from nature notes
overlap of cooking and chemistry and care
any lateral ideas for the museum exhibit
Überrasch mich mit etwas aus dem Garten
Was haben Brot und Architektur gemeinsam?
unerwartete Verbindungen zwischen Schlaf und Musik
sorpréndeme con una nota olvidada
conexiones inesperadas entre jazz y jardinería
qué tienen en común el pan y el software
liens inattendus entre le sommeil et la ville
surprends-moi
une vieille note oubliée qui pourrait m'inspirer
爵士乐和软件之间有什么意想不到的联系
给我一点惊喜
パンと建築の意外なつながり
忘れていた面白いメモを見せて
"""

_WRITTEN: Mapping[Intent, str] = MappingProxyType({
    "factual_lookup": _FACTUAL_LOOKUP,
    "context_load": _CONTEXT_LOAD,
    "conceptual": _CONCEPTUAL,
    "backlink": _BACKLINK,
    "serendipity": _SERENDIPITY,
})  # fmt: skip

PROTOTYPES: tuple[tuple[str, Intent], ...] = tuple(
    (line, intent)
    for intent, lines in _WRITTEN.items()
    for line in lines.strip().splitlines()
)
"""Every question with its intent."""
