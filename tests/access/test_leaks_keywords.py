"""Keyword search tells a client nothing about notes that are hidden from it.

Two vaults differ only in hidden notes. A client must get the same hits, order, reasons
and scores from both.

Tantivy divides each field length by the average over the whole index, hidden notes
included. So hidden notes here have the shape of the visible ones: as many passages,
and as many words in each field. What is left is the marker document of the index,
which counts as a passage without words. `SAME` allows for it. One test has a hidden
note of another length.
"""

import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest
from http_harness import Web, serving
from hypothesis import given, settings
from hypothesis import strategies as st
from vault_harness import VaultHarness

from glassmind.access.clients import clients_of
from glassmind.access.scopes import SETS, read_scope
from glassmind.engine import Engine
from glassmind.model.access import EVERY_AGENT, Scope
from glassmind.model.search import Hit, Mode
from glassmind.store.lexical.search import MOST_NAMESAKES

SAME = 0.015
"""Relative difference between scores that count as equal."""


class Draft(NamedTuple):
    """A note of fixed shape: two words a title, two tags, twelve words of text."""

    folder: str
    title: str
    tags: str
    heading: str
    text: str


VISIBLE = (
    Draft("Projects", "Harbour master", "port, boats", "Mooring rules",
          "the harbour master collects berth fees from boats every month of summer"),
    Draft("Projects", "Garden plan", "garden, summer", "Seed list",
          "garden seeds are sown early and watered until the first leaves appear"),
    Draft("Projects", "Tea ceremony", "tea, guests", "Serving order",
          "green tea is poured for guests before black tea and sweet cakes"),
    Draft("Projects", "Kettle repair", "tools, tea", "Broken switch",
          "the kettle switch was replaced with a spare part number 3380 today"),
    Draft("Projects", "Budget review", "money, planning", "Open points",
          "the budget of 5400 covers rent food travel and a small reserve"),
    Draft("Projects", "World map", "travel, maps", "Large print",
          "a world map hangs over the desk and shows every working harbour"),
    Draft("Projects", "Word games", "games, words", "House rules",
          "word games need words that players wrote down before the workshop began"),
    Draft("Areas", "Running diary", "sport, health", "Slow miles",
          "ran along the harbour wall running slowly because of a sore knee"),
    Draft("Areas", "Blood pressure", "health, numbers", "Morning values",
          "blood pressure readings were normal and the doctor was quite content today"),
    Draft("Areas", "Bread baking", "food, kitchen", "Sour dough",
          "bread dough rests overnight then bakes until the crust is deeply brown"),
    Draft("Areas", "Night sky", "stars, summer", "Bright planets",
          "bright planets stood over the harbour on a clear night in summer"),
    Draft("Areas", "Guest room", "house, guests", "Spare keys",
          "guests find spare keys beneath the green pot beside the garden door"),
    Draft("Areas", "Piano practice", "music, habits", "Daily scales",
          "daily scales then one reasonably slow piece with resonance in the pedal"),
    Draft("Areas", "Tokyo trip", "travel, japan", "City walk",
          "東京 散歩 京都 寺院 the trip began with a walk through town"),
    Draft("Areas", "Boat engine", "boats, tools", "Oil change",
          "engine oil was changed and the filter replaced before the long trip"),
    Draft("Areas", "Book notes", "books, habits", "Short quotes",
          "quotes from books about habits planning and the value of slow work"),
)  # fmt: skip

HIDDEN = (
    Draft("Projects", "Salary talk", "money, secret", "Final offer",
          "the offer is 120000 plus 4711 shares and a boat in summer maybe"),
    Draft("Projects", "Harbour master", "port, secret", "Mooring fraud",
          "the harbour master takes bribes for berth fees from boats every summer"),
    Draft("Projects", "Garden safe", "garden, secret", "Buried box",
          "the safe code is 9x7 and garden seeds lie over it in summer"),
    Draft("Projects", "Divorce lawyer", "law, secret", "First call",
          "lawyer worried about wording of the will workload and worldwide assets tea"),
    Draft("Projects", "Budget secret", "money, planning", "Hidden points",
          "budget budget budget of 3380 covers a lawyer and a small new flat"),
    Draft("Projects", "Kettle bomb", "tools, tea", "Broken switch",
          "kettle kettle tea tea harbor gardn seads blod presure quite rare today"),
    Draft("Projects", "Zebra plan", "animals, secret", "Striped list",
          "zebra zebras zebroid worb worc word wore worf worg worh wori worj"),
    Draft("Areas", "Hiv test", "health, secret", "Lab values",
          "hiv test came back at 17 and the doctor was not content today"),
    Draft("Areas", "Blood result", "health, numbers", "Morning values",
          "blood pressure was high the cancer doctor called twice and was content"),
    Draft("Areas", "Green tea", "tea, kitchen", "Black market",
          "green tea hides the diamonds that guests bring in before black friday"),
    Draft("Areas", "Spare keys", "house, guests", "Alarm code",
          "alarm code 0815 spare keys beneath the blue pot beside the stairs"),
    Draft("Areas", "Reasonable doubt", "law, habits", "Daily notes",
          "reasonable doubt is resonable and resonably resonant guests do see it too"),
    Draft("Areas", "Tokyo affair", "travel, japan", "City night",
          "東京 秘密 京都 告白 the trip ended with a secret in town"),
    Draft("Areas", "Boat theft", "boats, secret", "Oil change",
          "engine number filed off and the boat sold before the long trip"),
    Draft("Areas", "Summer house", "house, summer", "Short visits",
          "summer summer summer summer guests guests boats boats harbour port tea tea"),
    Draft("Areas", "Book keeping", "books, money", "Double entry",
          "second set of books about black money and the value of silence"),
)  # fmt: skip

QUERIES = (
    # words in hidden notes alone: digits, short words, names, diagnoses
    "path:Projects 4711", "path:Projects 9x7", "path:Projects 120000", "4711",
    "path:Areas 0815", "path:Areas hiv", "path:Projects zebra", "17 path:Areas",
    "path:Projects lawyer", "cancer", "tag:summer diamonds", "[status:open] 4711",
    # words in both, and in visible notes alone
    "summer", "tea", "harbour boats", "green tea guests", "budget 5400", "3380",
    "kettle switch", "doctor content", "piano", "planets over the harbour", "the",
    # words of both kinds together
    "harbour 4711", "tea diamonds", "blood cancer", "garden 9x7 seeds",
    # phrases and negations
    '"harbour master"', '"green tea"', '"safe code"', '"berth fees" summer',
    "harbour -boats", "summer -4711", 'tea -"green tea"', "guests -diamonds",
    # prefixes
    "wor*", "work*", "zeb*", "har*", "path:Projects zeb*", "hi*",
    # typos, also such as a hidden note holds
    "harbor", "gardn", "presure", "resonably", "zebar", "lawyr", "kettel", "blod",
    # stems
    "running", "runs", "zebras", "guest", "resonant",
    # filters
    "path:Projects", "tag:secret", "tag:health", "path:Areas tag:health doctor",
    "file:Harbour", "[status]", "[private]", "[private:true] tea", "tag:secret tea",
    # scripts without spaces
    "東京", "秘密", "path:Areas 秘密", "密", "京", '"京都"',
    # whole names
    "Harbour master", "Salary talk", "Green tea", "Spare keys", "Zebra plan",
    "path:Projects salary talk",
)  # fmt: skip


class World(NamedTuple):
    """How notes are hidden: by a property, or by the scope of a client."""

    folder: str
    property: str
    scope: Scope


WORLDS = {
    "private": World("Harness", "private: true", EVERY_AGENT),
    "scoped": World("Home", "status: open", read_scope(["folder:Harness"])),
}


def page(draft: Draft, line: str) -> str:
    head = f"---\n{line}\ntags: [{draft.tags}]\n---\n"
    return f"{head}# {draft.heading}\n{draft.text}\n"


def files(
    drafts: tuple[Draft, ...], folder: str, line: str, mark: str = ""
) -> dict[str, str]:
    return {
        f"{folder}/{draft.folder}/{mark}{draft.title}.md": page(draft, line)
        for draft in drafts
    }


def fill(harness: VaultHarness, hidden: Mapping[str, str]) -> VaultHarness:
    """Write and index the visible notes, and these hidden ones."""
    harness.write(files(VISIBLE, "Harness", "status: open"))
    harness.write(hidden)
    harness.engine.index()
    return harness


def hidden_files(world: World, drafts: tuple[Draft, ...] = HIDDEN) -> dict[str, str]:
    # a sign in the name keeps apart what has one title, and is not a word
    return files(drafts, world.folder, world.property, "@")


def shown(hit: Hit, ordered: bool) -> tuple[Any, ...]:
    """Return all that a hit shows but scores."""
    reasons = [
        (one.channel, one.reason, one.rank if ordered else 0) for one in hit.evidence
    ]
    return (hit.path, hit.lines, hit.heading_path, hit.snippet, reasons, len(hit.more))


def numbers(hit: Hit) -> dict[str, float]:
    """Return the score of a hit, and all that it is made of."""
    fields = {
        f"{one.channel} {name}": share
        for one in hit.evidence
        for name, share in {"": one.share, **one.fields}.items()
    }
    return {"score": hit.score, "relevance": hit.relevance, **fields}


def differences(
    engines: Sequence[Engine],
    query: str,
    *,
    ordered: bool = True,
    same: float = SAME,
    **options: Any,
) -> list[str]:
    """Return what tells the answers of two vaults apart.

    Without `ordered`, hits with nearly the same score may change places. `same` is the
    relative difference that scores may have.
    """
    options = {"limit": 50, **options}
    a, b = (engine.search(query, **options) for engine in engines)
    hits, others = list(a.hits), list(b.hits)
    if not ordered:
        hits.sort(key=lambda hit: hit.path)
        others.sort(key=lambda hit: hit.path)
    texts = [[shown(h, ordered=ordered) for h in found] for found in (hits, others)]
    if texts[0] != texts[1]:
        return [f"{query}: {[h.path for h in hits]} != {[h.path for h in others]}"]
    found = [
        f"{query}: {hit.path} {name} {left} != {right}"
        for hit, again in zip(hits, others, strict=True)
        for (name, left), right in zip(
            numbers(hit).items(), numbers(again).values(), strict=True
        )
        if left != pytest.approx(right, rel=same, abs=SAME)
    ]
    if (a.degraded, a.intent, a.channels) != (b.degraded, b.intent, b.channels):
        found.append(f"{query}: notices differ")
    return found


class Pair(NamedTuple):
    """A vault without hidden notes and one with them, as one client sees them."""

    without: VaultHarness
    hiding: VaultHarness
    scope: Scope

    def engines(self) -> tuple[Engine, Engine]:
        return (
            self.without.engine.seen_by(self.scope),
            self.hiding.engine.seen_by(self.scope),
        )


@pytest.fixture(scope="module", params=WORLDS)
def pair(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Pair]:
    world = WORLDS[request.param]
    harnesses = [VaultHarness(tmp_path_factory.mktemp(name)) for name in ("a", "b")]
    hidden = hidden_files(world)
    yield Pair(fill(harnesses[0], {}), fill(harnesses[1], hidden), world.scope)
    for harness in harnesses:
        harness.close()


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VaultHarness]:
    harness = fill(VaultHarness(tmp_path_factory.mktemp("without")), {})
    yield harness
    harness.close()


@pytest.mark.parametrize("query", QUERIES)
def test_hidden_notes_change_no_keyword_search(pair: Pair, query: str) -> None:
    assert not differences(pair.engines(), query, mode="fulltext", explain=True)


@pytest.mark.parametrize("query", QUERIES)
def test_hidden_notes_change_no_hybrid_search(pair: Pair, query: str) -> None:
    assert not differences(pair.engines(), query)


@pytest.mark.parametrize("mode", ["fulltext", "hybrid"])
def test_a_client_from_whom_nothing_is_hidden_gets_what_the_owner_gets(
    without: VaultHarness, mode: Mode
) -> None:
    client = without.engine.seen_by(EVERY_AGENT)
    for query in QUERIES:
        hits = without.engine.search(query, mode=mode, explain=True).hits
        assert client.search(query, mode=mode, explain=True).hits == hits


def test_an_unknown_word_lists_what_passes_the_filters(pair: Pair) -> None:
    """The table proves something: its queries find notes, guess and prefix."""
    _, hiding = pair.engines()
    projects = [draft for draft in VISIBLE if draft.folder == "Projects"]

    listed = hiding.search("path:Projects 4711", mode="fulltext", limit=50).hits
    guessed = hiding.search("presure", mode="fulltext").hits
    begun = hiding.search("wor*", mode="fulltext").hits

    assert len(listed) == len(projects)
    assert "(for presure)" in guessed[0].evidence[0].reason
    assert {hit.title for hit in begun} >= {"World map", "Word games"}


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
def test_hidden_notes_change_no_suggested_link(world: World, tmp_path: Path) -> None:
    quay = "Our Tea ceremony is at the quay: green tea is poured before black tea.\n"
    scores = []
    for number, hidden in enumerate(({}, hidden_files(world))):
        with closing(VaultHarness(tmp_path / str(number))) as harness:
            fill(harness, {"Harness/Quay.md": quay, **hidden})
            client = harness.engine.seen_by(world.scope)
            (found,) = client.knowledge.suggest("Quay").suggestions
            assert found.target == "Harness/Projects/Tea ceremony.md"
            scores.append({sign.name: sign.share for sign in found.signs})

    assert scores[0]["mentions"] > 0
    assert scores[0] == pytest.approx(scores[1], rel=SAME)


MARK = re.compile(r"notes-[0-9a-f]{8}|/[^\" ]*/Notes\b")
"""What differs between any two answers: the mark around notes, and the vault."""
SCORE = re.compile(r"(?<![\d.])\d+\.\d+(?:e-\d+)?(?![\d.])")
SERVED = ("path:Projects 4711", "path:Areas hiv", "harbour boats", "resonably", "zeb*")
TOOLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("glassmind_search", {"mode": "fulltext", "limit": 20}),
    ("glassmind_context", {}),
    ("search", {"mode": "fulltext"}),
    ("vault_search", {}),
    ("search_files", {}),
)


def reply_of(web: Web, query: str, way: str) -> Any:
    """Return what a route or a tool answers."""
    if way == "/recall":
        return web.get(f"/recall?query={quote(query)}").json
    if way.startswith("/"):
        more = {"limit": 50, "mode": "fulltext"}
        return web.post(way, {"query": query, **more}).json
    given = {"query": query, **dict(TOOLS)[way]}
    called = {"name": way, "arguments": given}
    return web.message("tools/call", called).json["result"]


def told(web: Web, query: str, way: str) -> tuple[str, list[float]]:
    """Return what a route or a tool answers: its text, and the scores in it."""
    said = MARK.sub("", json.dumps(reply_of(web, query, way), ensure_ascii=False))
    return SCORE.sub("", said), [float(found) for found in SCORE.findall(said)]


def test_no_route_or_tool_tells_a_client_of_hidden_words(pair: Pair) -> None:
    with ExitStack() as stack:
        webs = []
        for harness in (pair.without, pair.hiding):
            clients = clients_of(harness.engine.config)
            served = serving(harness.engine, clients=clients, toolsets=SETS)
            web = stack.enter_context(served)
            if pair.scope.rules:
                web = Web(web.port, clients.add("reader", pair.scope)[1])
            webs.append(web)
        for way in ("/search", "/context", "/recall", *dict(TOOLS)):
            for query in SERVED:
                (text, scores), (other, others) = (
                    told(web, query, way) for web in webs
                )
                assert text == other, (way, query)
                assert scores == pytest.approx(others, rel=SAME, abs=SAME), (way, query)


def test_hidden_memories_change_nothing_that_is_recalled(tmp_path: Path) -> None:
    def memory(name: str, line: str, text: str) -> dict[str, str]:
        head = f"---\nkind: decision\nproject: Port\nstatus: current\n{line}\n---\n"
        return {f".agent/decisions/{name}.md": f"{head}Harbour {text}\n"}

    visible = {
        **memory("Fees", "open: true", "fees rise in summer"),
        **memory("Rents", "open: true", "rents fall in winter"),
    }
    everything = dict(visible)
    for number in range(6):
        everything |= memory(f"Bribe{number}", "private: true", "fees 4711 fees fees")
    with (
        closing(VaultHarness(tmp_path / "a")) as without,
        closing(VaultHarness(tmp_path / "b")) as hiding,
    ):
        without.indexed(visible)
        hiding.indexed(everything)
        for query in ("fees winter", "4711", "path:decisions 4711", "rise", "bribe"):
            found = [
                {one.path: one.relevance for one in recalled.memories}
                for recalled in (
                    harness.engine.seen_by(EVERY_AGENT).memory.recall(query)
                    for harness in (without, hiding)
                )
            ]
            assert list(found[0]) == list(found[1]), query
            assert found[0] == pytest.approx(found[1], rel=0.05), query


def test_words_of_a_deleted_private_note_are_unknown_to_a_client(
    tmp_path: Path,
) -> None:
    """Tantivy counts deleted passages until it merges segments."""
    hidden = hidden_files(WORLDS["private"], HIDDEN[:1])
    with (
        closing(VaultHarness(tmp_path / "a")) as without,
        closing(VaultHarness(tmp_path / "b")) as harness,
    ):
        fill(without, {})
        fill(harness, hidden)
        harness.remove(*hidden)
        harness.index()
        agents = [one.engine.seen_by(EVERY_AGENT) for one in (without, harness)]
        owner = harness.engine.search("path:Projects 4711", mode="fulltext").hits
        agent = agents[1].search("path:Projects 4711", mode="fulltext").hits

        assert not owner, "the index no longer holds what was deleted"
        assert agent
        for query in QUERIES:
            assert not differences(agents, query, same=0.1, mode="fulltext")


def test_a_long_private_note_changes_scores_by_the_average_length_alone(
    tmp_path: Path,
) -> None:
    """All hits of this vault fit in one reply; see docs/decisions/access.md."""
    text = " ".join(["summer", "harbour", "4711"] * 400)
    hidden = {"Harness/Areas/Long.md": f"---\nprivate: true\n---\n{text}\n"}
    with (
        closing(VaultHarness(tmp_path / "a")) as without,
        closing(VaultHarness(tmp_path / "b")) as hiding,
    ):
        fill(without, {})
        fill(hiding, hidden)
        agents = [harness.engine.seen_by(EVERY_AGENT) for harness in (without, hiding)]
        for query in QUERIES:
            assert not differences(
                agents, query, same=0.5, ordered=False, mode="fulltext", explain=True
            )


def test_many_hidden_namesakes_do_not_crowd_out_a_visible_note(
    vault: VaultHarness,
) -> None:
    vault.write({f"Home/{number}/Cup.md": "Tea." for number in range(MOST_NAMESAKES)})
    vault.write({"Zoo/Cup.md": "Tea.", "Zoo/Pot.md": "See [[Zoo/Cup]] of clay.\n"})
    vault.engine.index()
    client = vault.engine.seen_by(read_scope(["folder:Zoo"]))

    found = client.search("clay links to Cup", intent="backlink", mode="hybrid").hits

    assert [hit.path for hit in found] == ["Zoo/Pot.md"]


POOL = (
    "harbour", "boats", "summer", "tea", "guests", "garden", "budget", "blood", "the",
    "4711", "17", "9x7", "hiv", "zebra", "harbor", "worship", "resonance", "ran",
    "東京",
)  # fmt: skip
WORDS = st.sampled_from(POOL)


def phrase(count: int) -> st.SearchStrategy[str]:
    return st.lists(WORDS, min_size=count, max_size=count).map(" ".join)


DRAFTS = st.lists(
    st.builds(
        Draft,
        st.sampled_from(["Projects", "Areas"]),
        phrase(2),
        phrase(2).map(lambda two: ", ".join(f"t{tag}" for tag in two.split())),
        phrase(2),
        phrase(12),
    ),
    min_size=len(VISIBLE),
    max_size=len(VISIBLE),
    unique_by=lambda draft: (draft.folder, draft.title),
).map(tuple)
ASKED = st.lists(
    st.one_of(
        WORDS,
        WORDS.map(lambda word: f"-{word}"),
        WORDS.map(lambda word: f"{word[:2]}*"),
        phrase(2).map(lambda two: f'"{two}"'),
        st.sampled_from(["path:Projects", "tag:summer", "[status]", "tag:t17"]),
    ),
    min_size=1,
    max_size=4,
).map(" ".join)


def check_any_hidden_notes(
    without: VaultHarness, drafts: tuple[Draft, ...], queries: list[str], world: World
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        hiding = VaultHarness(Path(folder))
        try:
            fill(hiding, hidden_files(world, drafts))
            engines = [
                harness.engine.seen_by(world.scope) for harness in (without, hiding)
            ]
            for query in queries:
                found = differences(engines, query, mode="fulltext", ordered=False)
                assert not found
        finally:
            hiding.close()


@settings(max_examples=10)
@given(DRAFTS, st.lists(ASKED, min_size=10, max_size=20), st.sampled_from([*WORLDS]))
def test_no_hidden_note_changes_any_keyword_search(
    without: VaultHarness, drafts: tuple[Draft, ...], queries: list[str], world: str
) -> None:
    check_any_hidden_notes(without, drafts, queries, WORLDS[world])


@pytest.mark.slow
@settings(max_examples=200)
@given(DRAFTS, st.lists(ASKED, min_size=10, max_size=30), st.sampled_from([*WORLDS]))
def test_no_hidden_note_changes_any_keyword_search_at_length(
    without: VaultHarness, drafts: tuple[Draft, ...], queries: list[str], world: str
) -> None:
    check_any_hidden_notes(without, drafts, queries, WORLDS[world])
