"""Words beside the names that a thing is told by: of whom, of places, and pronouns.

English and German, in small letters, as in `claim_words`.
"""

NAMING = {
    "is owned by": "owner", "is now owned by": "owner", "is led by": "owner",
    "is now led by": "owner", "is managed by": "owner", "is run by": "owner",
    "is maintained by": "owner", "is assigned to": "owner", "belongs to": "owner",
    "gehört": "owner", "wird geleitet von": "owner", "lives in": "home",
    "live in": "home", "wohnt in": "home", "lebt in": "home", "wohnen in": "home",
    "moved to": "home", "has moved to": "home", "zog nach": "home",
    "is called": "called", "heißt": "called", "was born in": "birthplace",
    "reports to": "boss", "is married to": "spouse",
    "works at": "employer",
    "works for": "employer", "is employed at": "employer",
    "is employed by": "employer", "arbeitet bei": "employer",
    "arbeitet für": "employer", "is based in": "home", "studies at": "school",
    "meets at": "place", "meets in": "place", "meet at": "place", "meet in": "place",
    "is held at": "place", "is held in": "place", "takes place at": "place",
    "takes place in": "place", "is located in": "place", "is located at": "place",
    "is stored in": "place", "is kept in": "place",
}  # fmt: skip
"""Such as come before the name of somebody or of a place, and what that name is of."""

LANDS = frozenset((
    "norway", "sweden", "denmark", "finland", "iceland", "germany", "austria",
    "switzerland", "france", "spain", "portugal", "italy", "greece", "england",
    "scotland", "wales", "ireland", "britain", "uk", "usa", "us", "america", "canada",
    "mexico", "brazil", "argentina", "chile", "australia", "japan", "china", "india",
    "poland", "hungary", "romania", "turkey", "netherlands", "holland", "belgium",
    "russia", "ukraine", "europe", "asia", "africa", "norwegen", "schweden",
    "dänemark", "deutschland", "österreich", "schweiz", "frankreich", "spanien",
    "italien", "griechenland", "polen", "niederlande", "europa",
))  # fmt: skip
"""Where somebody lives who lives in one of its towns as well."""

ROLES = frozenset((
    "owner", "lead", "leader", "treasurer", "secretary", "chair", "president",
    "captain", "coach", "trainer", "teacher", "tutor", "conductor", "doctor", "vet",
    "dentist", "landlord", "tenant", "host", "editor", "director", "principal",
    "maintainer", "supplier", "vendor", "provider", "insurer", "builder", "plumber",
    "electrician", "mechanic", "gardener", "accountant", "lawyer", "agent", "sponsor",
    "organiser", "organizer", "speaker", "supervisor", "employer", "client",
    "besitzer", "leiter", "leiterin", "trainerin", "lehrer", "lehrerin", "vermieter",
    "ärztin", "arzt", "tierarzt", "zahnarzt", "kassenwart", "vorsitzende",
    "ansprechpartner",
))  # fmt: skip
"""What somebody is for a thing: `The treasurer is Ines`."""

CODED = frozenset((
    "serial", "seriennummer", "code", "plate", "kennzeichen", "model", "modell",
    "licence", "license", "iban", "isbn", "booking", "reference", "buchungsnummer",
    "kundennummer", "account", "konto", "pin", "ssid", "number",
))  # fmt: skip
"""Names of values that are letters and digits without a meaning."""

AT_WILL = frozenset((
    "problem", "question", "idea", "answer", "issue", "alternative", "option", "reason",
    "example", "result", "one", "thing", "point", "goal", "advantage", "case", "word",
    "note", "other", "another", "solution", "way", "part", "step", "topic",
))  # fmt: skip
"""What a note may have several of, each with a name."""

PERSONS = frozenset(("it", "he", "she", "es", "er", "sie"))
"""What stands for a thing or somebody that was named before."""

OURSELVES = frozenset(("we", "i", "wir", "ich"))
"""Who writes: what they say they do is about what the note is about."""

OWNERS = frozenset((
    "its", "his", "her", "sein", "seine", "ihr", "ihre",
))  # fmt: skip
"""What stands for the thing that something is of."""

KINSHIP = frozenset((
    "husband", "wife", "partner", "brother", "sister", "son", "daughter", "mother",
    "father", "mum", "mom", "dad", "parents", "friend", "friends", "colleague", "boss",
    "cousin", "aunt", "uncle", "neighbour", "neighbor", "kid", "kids", "child",
    "children", "family", "mann", "frau", "bruder", "schwester", "sohn", "tochter",
    "mutter", "vater", "freund", "freundin", "kollege", "kollegin", "chef", "kinder",
    "familie", "eltern", "nachbar", "nachbarin",
))  # fmt: skip
"""Somebody else, whom a pronoun behind them may mean."""

DOING = frozenset((
    "leave", "arrive", "return", "meet", "price", "start", "end", "dose",
))  # fmt: skip
"""What people do about the thing of their note: on which day, for how much."""
