"""The words by which two notes are found to speak of the same: verbs, units, statuses.

English and German, in small letters. What is missing here is not looked at: a statement
that nobody understands is no conflict.
"""

STATUSES = {
    "active": (
        "active", "in progress", "ongoing", "underway", "under way", "running",
        "started", "doing", "wip", "aktiv", "laufend", "in arbeit", "läuft",
    ),
    "paused": (
        "paused", "on hold", "parked", "blocked", "stalled", "suspended", "waiting",
        "pausiert", "ruht", "angehalten", "zurückgestellt",
    ),
    "done": (
        "done", "complete", "completed", "finished", "shipped", "launched", "released",
        "delivered", "erledigt", "fertig", "abgeschlossen", "beendet",
    ),
    "cancelled": (
        "cancelled", "canceled", "dropped", "abandoned", "called off", "scrapped",
        "abgesagt", "eingestellt", "verworfen", "gestrichen", "storniert",
    ),
    "planned": (
        "planned", "not started", "upcoming", "proposed", "todo", "to do", "backlog",
        "geplant", "nicht begonnen", "vorgesehen",
    ),
}  # fmt: skip
"""Words for how far a thing is, by what they mean."""

STATUS_OF = {word: name for name, words in STATUSES.items() for word in words}

MONTHS = {
    name: number
    for number, names in enumerate((
        "january jan januar", "february feb februar", "march mar märz", "april apr",
        "may mai", "june jun juni", "july jul juli", "august aug",
        "september sep sept", "october oct oktober okt", "november nov",
        "december dec dezember dez",
    ), 1)
    for name in names.split()
}  # fmt: skip

SCALES = {
    "mm": ("m", 0.001), "cm": ("m", 0.01), "m": ("m", 1.0), "km": ("m", 1000.0),
    "metre": ("m", 1.0), "meter": ("m", 1.0), "kilometre": ("m", 1000.0),
    "kilometer": ("m", 1000.0), "mile": ("m", 1609.344), "mg": ("g", 0.001),
    "g": ("g", 1.0), "kg": ("g", 1000.0), "gram": ("g", 1.0),
    "kilo": ("g", 1000.0), "ml": ("l", 0.001), "l": ("l", 1.0), "litre": ("l", 1.0),
    "liter": ("l", 1.0), "kb": ("b", 1e3), "mb": ("b", 1e6), "gb": ("b", 1e9),
    "tb": ("b", 1e12), "s": ("s", 1.0), "sec": ("s", 1.0), "second": ("s", 1.0),
    "sekunde": ("s", 1.0), "min": ("s", 60.0), "minute": ("s", 60.0),
    "h": ("s", 3600.0), "hour": ("s", 3600.0), "stunde": ("s", 3600.0),
    "day": ("s", 86_400.0), "tag": ("s", 86_400.0), "week": ("s", 604_800.0),
    "woche": ("s", 604_800.0), "€": ("eur", 1.0), "eur": ("eur", 1.0),
    "euro": ("eur", 1.0), "$": ("usd", 1.0), "usd": ("usd", 1.0),
    "dollar": ("usd", 1.0), "£": ("gbp", 1.0), "gbp": ("gbp", 1.0),
    "pound": ("gbp", 1.0), "chf": ("chf", 1.0), "franken": ("chf", 1.0),
    "%": ("%", 1.0), "percent": ("%", 1.0), "prozent": ("%", 1.0),
    "°c": ("°c", 1.0), "°f": ("°f", 1.0),
}  # fmt: skip
"""What a unit is counted in, and how many of them it is."""

SPELLED = {
    name: number
    for number, names in enumerate((
        "one", "two zwei", "three drei", "four vier", "five fünf", "six sechs",
        "seven sieben", "eight acht", "nine neun", "ten zehn", "eleven elf",
        "twelve zwölf",
    ), 1)
    for name in names.split()
}  # fmt: skip
"""Numbers in words; those above are mostly written in digits."""

MONEY = frozenset(("eur", "usd", "gbp", "chf"))

NO_UNITS = frozenset((
    "a", "an", "and", "as", "at", "before", "but", "by", "for", "from", "if", "in",
    "is", "of", "on", "or", "per", "since", "so", "than", "that", "the", "then", "to",
    "until", "when", "which", "with", "each", "now", "again", "because", "after",
    "und", "oder", "aber", "am", "an", "auf", "bei", "bis", "das", "der", "die", "für",
    "ist", "je", "mit", "pro", "seit", "um", "von", "vor", "zu", "im", "nach",
))  # fmt: skip
"""Words behind a number that do not say what is counted."""

VERBS = {
    "is": "", "are": "", "was": "", "were": "", "will be": "", "has been": "",
    "should be": "", "must be": "", "has to be": "", "needs to be": "", "soll": "",
    "runs": "", "run": "", "uses": "", "use": "", "runs on": "", "läuft mit": "",
    "läuft unter": "", "nutzt": "", "is owned by": "owner", "is now owned by": "owner",
    "is led by": "owner", "is now led by": "owner", "was bought for": "price",
    "bought for": "price", "was sold for": "sale", "sold for": "sale",
    "is set to": "", "is set at": "", "are set at": "", "is set for": "",
    "is planned for": "", "is scheduled for": "",
    "stands at": "", "comes to": "", "amounts to": "", "equals": "", "remains": "",
    "moved to": "", "is moved to": "", "was moved to": "", "has moved to": "",
    "pushed to": "", "was pushed to": "", "postponed to": "", "is postponed to": "",
    "was postponed to": "", "rose to": "", "raised to": "", "was raised to": "",
    "went up to": "", "fell to": "", "cut to": "", "was cut to": "",
    "changed to": "", "was changed to": "", "set to": "", "was set to": "",
    "is due": "due", "are due": "due", "was due": "due", "costs": "price",
    "cost": "price", "weighs": "weight", "starts": "start", "begins": "start",
    "start": "start", "ends": "end", "leaves": "leave", "departs": "leave",
    "arrives": "arrive", "opens": "open", "closes": "close", "lasts": "length",
    "takes": "length", "has": "", "have": "", "holds": "", "seats": "seat",
    "ist": "", "sind": "", "war": "", "waren": "", "beträgt": "", "betragen": "",
    "wurde verschoben auf": "", "verschoben auf": "", "erhöht auf": "",
    "gesenkt auf": "", "steigt auf": "", "sinkt auf": "", "liegt bei": "",
    "was built": "built", "was founded": "founded", "was born": "born",
    "dates from": "built", "wurde gebaut": "built", "wurde gegründet": "founded",
    "kostet": "price", "kosten": "price", "wiegt": "weight", "beginnt": "start",
    "startet": "start", "endet": "end", "dauert": "length", "öffnet": "open",
    "schließt": "close", "hat": "", "ist fällig": "due",
    "fly": "leave", "flies": "leave", "fly out": "leave", "leave": "leave",
    "depart": "leave", "arrive": "arrive", "fliegen": "leave", "fahren": "leave",
    "return": "return", "returns": "return", "come back": "return",
    "comes back": "return", "fly back": "return", "meet": "meet", "meets": "meet",
    "treffen uns": "meet", "trifft sich": "meet", "is held": "", "are held": "",
    "takes place": "", "take place": "", "runs until": "end", "run until": "end",
    "lasts until": "end", "is valid until": "end", "is booked until": "end",
    "expires": "end", "finishes": "end", "läuft bis": "end", "gilt bis": "end",
    "is open until": "close", "every": "every", "alle": "every", "pay": "price",
    "pays": "price", "charges": "price", "charge": "price", "zahlen": "price",
    "can be reached": "phone", "is reachable": "phone", "erreichbar unter": "phone",
    "lives in": "", "live in": "", "wohnt in": "",
    "lebt in": "", "wohnen in": "", "works at": "", "works for": "",
    "is employed at": "", "is employed by": "", "arbeitet bei": "",
    "arbeitet für": "", "is based in": "", "studies at": "", "meets at": "meet",
    "meets in": "meet", "meet at": "meet", "meet in": "meet", "is held at": "",
    "is held in": "", "takes place at": "", "takes place in": "",
    "is located in": "", "is located at": "", "is stored in": "",
    "is kept in": "", "is managed by": "", "is run by": "", "is maintained by": "",
    "was born in": "born", "reports to": "", "is married to": "", "zog nach": "",
    "zahlen wir": "price", "fliegen wir": "leave", "fahren wir": "leave",
    "treffen wir uns": "meet", "take": "dose", "nehme": "dose",
    "has been moved to": "", "has been pushed to": "", "has been postponed to": "",
    "is rescheduled to": "", "was rescheduled to": "", "has been raised to": "",
    "is called": "called", "heißt": "called", "goes live": "launch",
    "launches": "launch", "ships": "launch",
    "is released": "launch", "renews": "renewal", "fliegt": "leave",
    "findet": "", "läuft auf": "", "treffen sich": "meet",
    "is assigned to": "", "belongs to": "", "gehört": "", "wird geleitet von": "",
}  # fmt: skip
"""What comes between a thing and its value, and what it says the value is of."""

PAST = frozenset(("was", "were", "war", "waren", "cost", "was due"))
"""Such as may tell of a day long gone."""

OUGHT = frozenset(("should be", "must be", "has to be", "needs to be", "soll"))
"""Such as say what a value ought to be, and not how far a thing is."""

RUNNING = frozenset((
    "runs", "run", "uses", "use", "runs on", "läuft mit", "läuft unter", "nutzt",
    "läuft auf",
))  # fmt: skip
"""Such as come before the name and the version of what a thing runs."""

PERIODS = {
    "day": "day", "daily": "day", "tag": "day", "täglich": "day", "week": "week",
    "weekly": "week", "woche": "week", "month": "month", "monthly": "month",
    "monat": "month", "monatlich": "month", "year": "year", "yearly": "year",
    "annually": "year", "jahr": "year", "jährlich": "year", "annum": "year",
    "quarter": "quarter", "quartal": "quarter", "night": "night", "nacht": "night",
    "hour": "hour", "stunde": "hour", "person": "person", "head": "person",
}  # fmt: skip
"""What an amount of money may be paid for, again and again."""

LASTING = frozenset(("month", "quarter", "year"))
"""Such as need not be said: the rent is paid every month."""

WEEKDAYS = {
    name: number
    for number, names in enumerate((
        "mondays montags", "tuesdays dienstags", "wednesdays mittwochs",
        "thursdays donnerstags", "fridays freitags", "saturdays samstags",
        "sundays sonntags",
    ), 1)
    for name in names.split()
}  # fmt: skip
"""Days that something is on in every week."""

SYSTEMS = frozenset((
    "os", "system", "software", "distro", "distribution", "betriebssystem", "runtime",
))  # fmt: skip
"""Names of a value that is the name and the version of what a thing runs."""

COUNTING = frozenset(("has", "have", "hat", "holds"))
"""Such as count what a thing has: the unit says of what the number is."""

FILLERS = (
    "now", "only", "currently", "at present", "still", "again", "already", "exactly",
    "on", "at", "in", "for", "by", "to", "from", "until", "the",
    "nun", "jetzt", "nur", "derzeit", "aktuell", "noch", "wieder", "genau",
    "am", "um", "auf", "im", "ab", "bis", "zum",
)  # fmt: skip

ROUGHLY = ("about", "around", "roughly", "approximately", "approx.", "approx", "ca.",
           "ca", "circa", "some", "nearly", "almost", "etwa", "rund", "ungefähr",
           "knapp", "gut")  # fmt: skip

BOUNDS = ("at least", "at most", "up to", "more than", "less than", "over", "under",
          "mindestens", "höchstens", "bis zu", "mehr als", "weniger als",
          "über", "unter")  # fmt: skip
"""What is said with these holds for many values."""

UNSURE = frozenset((
    "if", "unless", "whether", "when", "suppose", "should", "would", "could", "might",
    "may", "maybe", "perhaps", "wenn", "falls", "ob", "sollte", "würde", "könnte",
    "vielleicht", "example", "beispiel", "eg", "assume", "imagine", "say", "as",
    "once", "after", "where", "while", "although", "though", "nachdem", "sobald",
    "während", "obwohl", "wo", "als",
))  # fmt: skip
"""A sentence with one of these before its value says nothing for sure."""

BYGONE = (
    "until", "before", "formerly", "previously", "used to", "originally", "initially",
    "last year", "back then", "at first", "in those days", "no longer", "earlier",
    "früher", "damals", "bisher", "ursprünglich", "zuerst", "ehemals", "vorher",
    "bis 19", "bis 20",
)  # fmt: skip
"""A sentence with one of these tells of a former time."""

PRONOUNS = frozenset((
    "it", "they", "he", "she", "this", "that", "there", "we", "you", "i", "these",
    "those", "which", "who", "what", "one", "es", "sie", "er", "das", "dies", "wir",
    "ich", "man", "here", "such", "both", "each", "some", "others", "everything",
    "jeder", "beide", "hier", "her", "his", "their", "my", "your", "mine", "ihre",
    "sein", "seine", "mein", "meine", "all", "today", "yesterday", "tomorrow",
    "heute", "gestern", "morgen", "someone", "nobody", "another", "other",
))  # fmt: skip
"""A subject with one of these means something that stands elsewhere."""

POINTING = frozenset((
    "it", "they", "he", "she", "this", "these", "those", "you", "we", "i", "her", "his",
    "their", "my", "your", "es", "er", "wir", "ich", "man", "what", "which", "who",
))  # fmt: skip
"""Those of them that mean it wherever they stand in a subject."""

_PRICE = frozenset(("price", "membership", "charge"))
_LENGTH = frozenset(("length",))
IMPLIED = {
    "g": frozenset(("weight", "dose")), "eur": _PRICE, "usd": _PRICE, "gbp": _PRICE,
    "chf": _PRICE, "s": _LENGTH, "month": _LENGTH, "monat": _LENGTH,
    "monate": _LENGTH, "ip": frozenset(("ip", "address")),
    "phone": frozenset(("phone", "number", "nummer")),
    "mail": frozenset(("e", "mail", "email", "address")),
}  # fmt: skip
"""What a number with a unit is of, where nothing else is said."""

TOLD = frozenset((
    "status", "state", "owner", "lead", "responsible", "venue", "place", "location",
    "address", "phone", "verantwortlich", "ort", "adresse", "telefon", "stand",
    "employer", "company", "city", "residence", "arbeitgeber", "wohnort",
))  # fmt: skip
"""Names of values that are words, behind which a few may stand."""

STOPS = frozenset((
    "the", "a", "an", "of", "for", "in", "on", "at", "to", "and", "our", "its", "with",
    "by", "from", "date", "day", "new", "current", "currently", "now", "actual",
    "der", "die", "das", "des", "dem", "den", "ein", "eine", "einer", "eines", "für",
    "im", "am", "zu", "zum", "zur", "von", "vom", "und", "unser", "unsere", "datum",
    "aktuell", "aktuelle", "neu", "neue", "go",
))  # fmt: skip
"""Words of a subject that do not tell it from another."""

GENERIC = frozenset((
    "total", "sum", "cost", "price", "budget", "average", "number", "size", "count",
    "version", "status", "start", "end", "time", "date", "page", "chapter", "meeting",
    "next", "first", "second", "third", "last", "final", "amount", "value", "rate",
    "result", "score", "rating", "length", "width", "height", "depth", "weight", "age",
    "due", "owner", "project", "note", "task", "step", "part", "section", "item",
    "list", "table", "figure", "point", "level", "limit", "default", "duration",
    "distance", "speed", "temperature", "capacity", "leave", "open", "close", "arrive",
    "year", "month", "week", "hour", "minute", "quarter", "today", "room", "name",
    "minimum", "maximum", "min", "max", "mean", "median", "overall", "question",
    "answer", "test", "trial", "batch", "run", "day", "night", "thing", "place",
    "employer", "city", "phone", "meet", "return", "every", "membership",
    "exercise", "lesson", "unit", "group", "team", "person", "people", "author",
    "gesamt", "summe", "kosten", "preis", "anzahl", "größe", "stand", "ende", "zeit",
    "seite", "kapitel", "termin", "nächste", "erste", "zweite", "letzte", "betrag",
    "wert", "dauer", "höhe", "breite", "tiefe", "gewicht", "temperatur", "jahr",
    "monat", "woche", "stunde", "projekt", "aufgabe", "schritt", "teil", "punkt",
    "other", "another", "old", "alt", "alte", "andere",
))  # fmt: skip
"""Words that every note may use of something else."""

SAME = {
    "deadline": "due", "frist": "due", "fällig": "due", "fälligkeit": "due",
    "due date": "due", "lead": "owner", "responsible": "owner",
    "verantwortlich": "owner", "besitzer": "owner", "cost": "price", "preis": "price",
    "kosten": "price", "venue": "place", "location": "place", "ort": "place",
    "adresse": "address", "telephone": "phone", "telefon": "phone", "tel": "phone",
    "beginn": "start", "begin": "start", "ende": "end", "dauer": "length",
    "duration": "length", "gewicht": "weight", "status": "status", "state": "status",
    "stand": "status", "departure": "leave", "long": "length", "lang": "length",
    "länge": "length", "wide": "width", "breit": "width", "breite": "width",
    "deep": "depth", "tief": "depth", "tiefe": "depth", "high": "height",
    "tall": "height", "hoch": "height", "höhe": "height", "heavy": "weight",
    "schwer": "weight", "old": "age", "alt": "age", "alter": "age",
    "fee": "price", "gebühr": "price", "beitrag": "price", "dues": "price",
    "due": "due", "company": "employer", "workplace": "employer",
    "arbeitgeber": "employer", "firma": "employer", "city": "home", "town": "home",
    "residence": "home", "wohnort": "home", "flight": "leave", "abflug": "leave",
    "abfahrt": "leave", "arrival": "arrive", "ankunft": "arrive",
    "meeting": "meet", "rückkehr": "return", "born": "birthday",
    "geburtstag": "birthday", "mobile": "mobile", "handy": "mobile",
    "opening": "open", "closing": "close", "expiry": "end", "leader": "owner",
    "dosis": "dose", "dosage": "dose", "seriennummer": "serial",
    "kennzeichen": "plate", "leitung": "owner", "leiter": "owner", "live": "launch",
    "release": "launch",
}  # fmt: skip
"""Words for the same, each with the one that stands for all."""

MEASURES = frozenset((
    "long", "wide", "deep", "high", "tall", "thick", "heavy", "old", "late", "away",
    "lang", "breit", "tief", "hoch", "schwer", "alt", "entfernt", "big", "groß",
))  # fmt: skip
"""Words behind a number that say in which way it is meant."""

MANY_VALUED = frozenset((
    "tags", "tag", "aliases", "alias", "created", "updated", "modified", "date", "day",
    "cssclass", "cssclasses", "id", "uid", "uuid", "title", "type", "typ", "kind",
    "template", "publish", "banner", "cover", "color", "colour", "icon", "position",
    "order", "rank", "permalink", "source", "sources", "generated", "client",
    "project", "up", "parent", "next", "prev", "previous", "related", "see also",
    "description", "summary", "image", "url", "link", "links", "author", "authors",
    "category", "categories", "topic", "topics", "rating", "last modified",
    "last updated", "date created", "date modified", "creation date", "geändert",
    "erstellt", "lang", "language", "layout", "draft", "about", "subject", "concerning",
    "superseded by", "supersedes", "replaced by", "replaces", "week", "month", "year",
))  # fmt: skip
"""Properties that may differ between two notes about the same, or that hold many."""

ABOUT = frozenset(("about", "subject", "concerning", "betrifft", "über", "thing"))
"""Properties by which a note says which thing it is about."""

OF_THE_NOTE = frozenset((
    "status", "state", "due", "owner", "start", "end", "time", "place", "location",
    "attendees", "participants", "priority", "done", "stand", "frist", "deadline",
))  # fmt: skip
"""Properties that a note about a thing has for itself."""

UNNAMED = frozenset((
    "readme", "index", "home", "todo", "to do", "notes", "untitled", "inbox", "log",
    "changelog", "license", "contributing", "draft", "ideas", "overview", "moc",
    "unbenannt", "start", "main", "tasks", "journal", "about", "introduction", "faq",
    "plan", "budget", "checklist", "contacts", "goals", "meeting notes", "meeting",
    "meetings", "minutes", "agenda", "schedule", "summary", "review", "template",
    "resources", "links", "references", "archive", "status", "people", "projects",
    "packing list", "shopping list", "reading list", "project plan", "next steps",
    "notizen", "ideen", "aufgaben", "ziele", "kontakte", "protokoll", "termine",
    "übersicht", "einkaufsliste", "packliste", "projektplan",
))  # fmt: skip
"""Titles that say nothing about what a note is about."""

ASIDE = frozenset((
    "archive", "archived", "archiv", "old", "alt", "backup", "copy", "done", "trash",
))  # fmt: skip
"""Folders for what was elsewhere before: they say nothing of what it is."""

KIN = {"contact": "people", "person": "people", "personen": "people",
       "kontakte": "people", "kontakt": "people", "leute": "people"}  # fmt: skip
"""Folders for the same kind of thing under another name."""

CHANGED = ("updated", "modified", "last modified", "last updated", "date modified",
           "geändert", "aktualisiert")  # fmt: skip
"""Properties that say when a note was changed last."""

WRITTEN = ("date", "created", "date created", "creation date", "datum", "erstellt")
"""Properties that say when a note was written, or of which day it is."""

ENTRY_STOPS = frozenset((
    "note", "hint", "tip", "ps", "p.s", "todo", "example", "e.g", "eg", "see", "source",
    "step", "page", "figure", "table", "chapter", "http", "https", "q", "a", "warning",
    "update", "edit", "hinweis", "beispiel", "siehe", "quelle", "schritt", "seite",
    "time", "date", "created", "updated", "today", "yesterday",
))  # fmt: skip
"""What may stand before a colon without being the name of a value."""
