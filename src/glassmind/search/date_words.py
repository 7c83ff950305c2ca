"""The words in which people name days, in the languages we know some of."""

from collections.abc import Mapping
from types import MappingProxyType

_MONTHS = """
january jan januar jänner enero janvier
february feb februar febrero février
march mar märz marzo mars
april apr abril avril
may mai mayo
june jun juni junio juin
july jul juli julio juillet
august aug agosto août
september sep sept septiembre septembre
october oct oktober okt octubre octobre
november nov noviembre novembre
december dec dezember dez diciembre décembre
"""

MONTHS: Mapping[str, int] = MappingProxyType(
    {
        name: month
        for month, names in enumerate(_MONTHS.strip().splitlines(), 1)
        for name in names.split()
    }
)
"""Names of months with their numbers."""

_WEEKDAYS = """
monday montag lunes lundi
tuesday dienstag martes mardi
wednesday mittwoch miércoles mercredi
thursday donnerstag jueves jeudi
friday freitag viernes vendredi
saturday samstag sonnabend sábado samedi
sunday sonntag domingo dimanche
"""

WEEKDAYS: Mapping[str, int] = MappingProxyType(
    {
        name: day
        for day, names in enumerate(_WEEKDAYS.strip().splitlines())
        for name in names.split()
    }
)
"""Names of the days of a week; Monday is 0."""

_PERIODS = """
0 day: today, heute, hoy, aujourd'hui, 今天, 今日
0 day: this morning, this afternoon, esta mañana, ce matin, 今朝
1 day: yesterday, last night, gestern, ayer, d'hier, hier soir, hier matin, 昨天, 昨日
2 day: day before yesterday, vorgestern, anteayer, avant-hier, 前天, 一昨日
0 week: this week, diese woche, dieser woche, esta semana, cette semaine
0 week: 本周, 这周, 今週
1 week: last week, previous week, letzte woche, letzter woche, vorige woche
1 week: la semana pasada, la semaine dernière, la semaine passée, 上周, 先週
1 weekend: last weekend, letztes wochenende, letzten wochenende, 上周末, 先週末
1 weekend: el fin de semana pasado, le week-end dernier
0 month: this month, diesen monat, diesem monat, este mes, ce mois-ci
0 month: 这个月, 本月, 今月
1 month: last month, previous month, letzten monat, letzter monat, vorigen monat
1 month: el mes pasado, le mois dernier, 上个月, 上月, 先月
0 year: this year, dieses jahr, diesem jahr, este año, cette année, 今年
1 year: last year, previous year, letztes jahr, letzten jahr, voriges jahr
1 year: el año pasado, l'année dernière, l'an dernier, 去年, 昨年
"""

PERIODS: Mapping[str, tuple[int, str]] = MappingProxyType(
    {
        phrase: (int(ahead.split()[0]), ahead.split()[1])
        for ahead, _, phrases in (
            line.partition(": ") for line in _PERIODS.strip().splitlines()
        )
        for phrase in phrases.split(", ")
    }
)
"""Phrases for a period of the calendar: how many before the present one, of which."""

KEPT = frozenset(
    word
    for line in (
        "activity calls captures changes conversations decisions diary edits entries",
        "entry expenses journal journaling journals log logs meetings messages note",
        "notes reading tasks transcripts work writing",
    )
    for word in line.split()
)
"""What people keep by the day: "the last week of my notes" is a time, as "the last week
of August" is none."""

THINGS = frozenset(
    word
    for line in (
        "bytes calories characters days dollars euros feet files hours items kb",
        "kcal kg km letters lines meters metres miles minutes ms notes pages",
        "people pixels points px records rows seconds steps times tokens",
        "users words years",
    )
    for word in line.split()
)
"""What is counted in numbers that could be years: "in 2000 words"."""

LENGTHS: Mapping[str, int] = MappingProxyType(
    {"day": 1, "week": 7, "fortnight": 14, "month": 30, "quarter": 91, "year": 365}
)
"""How many days each unit lasts, about."""

COUNTS: Mapping[str, int] = MappingProxyType(
    {
        **dict.fromkeys(("a", "an", "one", ""), 1),
        **dict.fromkeys(("two", "couple of", "a couple of"), 2),
        **dict.fromkeys(("three", "few", "a few"), 3),
        "four": 4,
        "five": 5,
        "six": 6,
        "seven": 7,
        "eight": 8,
        "nine": 9,
        "ten": 10,
        "eleven": 11,
        "twelve": 12,
    }
)
"""Small numbers in words."""
