"""`glassmind_search`: the passages that matter for a question, best first."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from glassmind.render.approval import GENERATED, mark_of
from glassmind.render.hits import hit_as_json, hits_as_json
from glassmind.retrieval.wishes import MOST_HITS as FURTHEST
from glassmind.surfaces.mcp.cursors import Cursor, read_cursor, trace_of, write_cursor
from glassmind.surfaces.mcp.fence import fenced, labelled, named, one_line
from glassmind.surfaces.mcp.pages import MOST_TOKENS, USUAL_TOKENS, fitting
from glassmind.surfaces.mcp.tool import Action, Answer, Argument, Call, Tool
from glassmind.surfaces.mcp.tools.shapes import CURSOR, FORMAT, concise, is_detailed
from glassmind.types.search import Hit, Intent, SearchReply

NAME = "glassmind_search"
READ = "glassmind_read"

MOST_HITS = 50

KEPT = (
    "path",
    "title",
    "heading_path",
    "lines",
    "relevance",
    "match_reason",
    "snippet",
    "modified",
    "uri",
)
"""What a concise answer keeps of a hit."""

CHANGED = (
    "what was found changed since the cursor was given: hits may come twice or be "
    "missing; to be sure, search again without it"
)

REASON_CHARS = 200
"""Of a reason in text; the whole of it stands in the structured answer."""

QUERY_CHARS = 500
"""Of a query that is said again: who asked knows the rest of it."""


def run(call: Call) -> Answer:
    """Search, and show as many hits as fit."""
    given, settings = call.given, call.engine.config
    cursor = read_cursor(NAME, given)
    limit = given["limit"] or min(settings.search.limit, MOST_HITS)
    reply = call.engine.search(
        given["query"],
        limit=min(cursor.offset + limit + 1, FURTHEST),
        mode=given["mode"],
        intent=None if given["intent"] == "balanced" else given["intent"],
        root_note=given["root_note"],
        threshold=given["threshold"],
        explain=is_detailed(given),
        steady=True,
    )
    page = _Page(reply, cursor, limit, given, settings.vault.name)
    bare = reply._replace(hits=(), query=_cut(reply.query, QUERY_CHARS))
    vault = settings.vault
    shown = hits_as_json(bare, vault=vault.name, root=str(vault.path))
    shown |= {
        "hits": page.shown,
        "degraded": [*shown["degraded"], *page.notices()],
        "truncated": page.truncated,
        "next_cursor": page.next_cursor,
    }
    links = tuple(dict.fromkeys(str(hit.path) for hit in page.notes))
    return Answer(page.text(), labelled(shown), tuple(page.actions()), links)


class _Page:
    """The hits of one answer out of those that were found."""

    def __init__(
        self,
        reply: SearchReply,
        cursor: Cursor,
        limit: int,
        given: Mapping[str, Any],
        vault: str,
    ) -> None:
        self.reply, self.cursor, self.given = reply, cursor, given
        self.detailed = is_detailed(given)
        behind = reply.hits[cursor.offset :]
        budget = MOST_TOKENS if self.detailed else USUAL_TOKENS
        whole = [hit_as_json(hit, vault=vault) for hit in behind[:limit]]
        made = whole if self.detailed else [_brief(one) for one in whole]
        self.shown = fitting(made, lambda one: one, budget)
        self.hits = behind[: len(self.shown)]
        self.truncated = len(self.hits) < min(limit, len(behind))
        self.end = cursor.offset + len(self.hits)
        self.has_more = len(behind) > len(self.hits)

    @property
    def notes(self) -> list[Hit]:
        """The hits that can be read: facts of Hindsight say all they say."""
        return [hit for hit in self.hits if hit.is_note]

    @property
    def next_cursor(self) -> str | None:
        if not self.has_more:
            return None
        trace = _trace(self.reply.hits[: self.end])
        return write_cursor(NAME, self.given, Cursor(self.end, trace))

    def notices(self) -> list[str]:
        before = self.reply.hits[: self.cursor.offset]
        if self.cursor.offset and _trace(before) != self.cursor.trace:
            return [CHANGED]
        return []

    def text(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        reply = self.reply
        for said in (*reply.degraded, *self.notices()):
            yield f"Notice: {one_line(said)}"
        if not self.hits:
            over = "no more hits" if self.cursor.offset else "nothing found"
            yield f"{over}; try other words, or fewer of them".capitalize()
            return
        first = self.cursor.offset + 1
        intent = f", {reply.intent}" if reply.intent else ""
        yield f"Hits {first} to {self.end}, best first ({reply.mode}{intent})."
        if reply.is_doubtful:
            yield "Nothing good was found; these are the nearest misses."
        parts = [
            "\n".join(self._hit(number, hit, shown))
            for number, (hit, shown) in enumerate(
                zip(self.hits, self.shown, strict=True), first
            )
        ]
        yield fenced("\n".join(parts))
        if self.truncated:
            yield "Truncated to fit."
        if self.next_cursor:
            yield f"More: the same call with cursor={self.next_cursor}"

    def _hit(self, number: int, hit: Hit, shown: Mapping[str, Any]) -> Iterator[str]:
        lines = f":{hit.span.start}-{hit.span.end}" if hit.is_note else ""
        where = f"{named(hit.path)}{lines}"
        mark = f"; {GENERATED}" if hit.generated else ""
        yield f"{number}. {where} (relevance {hit.relevance:.2f}{mark})"
        if hit.heading_path:
            yield f"   under: {' > '.join(one_line(h) for h in hit.heading_path)}"
        yield f"   > {one_line(hit.snippet.text)}"
        for passage in hit.more:
            at = f"{passage.span.start}-{passage.span.end}"
            yield f"   also :{at} > {one_line(passage.snippet.text)}"
        yield f"   why: {_cut(one_line(hit.match_reason), REASON_CHARS)}"
        if self.detailed:
            votes = (f"{e.channel} {e.share:.3f}" for e in hit.evidence)
            added = (f"{a.name} {a.share:+.3f}" for a in hit.adjustments)
            yield f"   score {hit.score:.3f}: {', '.join((*votes, *added))}"
        if hit.is_note:
            yield f"   modified {shown['modified']} {shown['uri']}"

    def actions(self) -> Iterator[Action]:
        if self.notes and not self.cursor.offset:
            best = self.notes[0]
            # a heading may stand several times in a note; its lines do not
            lines = f"{best.span.start}-{best.span.end}"
            yield Action(
                READ,
                {"name": best.path, "lines": lines},
                "read the whole passage of the best hit; without lines, its note",
            )
        if self.next_cursor:
            again = {k: v for k, v in self.given.items() if v is not None}
            more = again | {"cursor": self.next_cursor}
            yield Action(NAME, more, "see more hits")
        elif not self.hits:
            yield Action("glassmind_list", {"newest": True}, "see what notes there are")


def _brief(shown: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a concise answer keeps of a hit, and what marks it."""
    return concise(shown, KEPT) | mark_of(generated="generated" in shown)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


def _trace(hits: Sequence[Hit]) -> str:
    return trace_of(*((hit.path, hit.chunk_index) for hit in hits))


TOOL = Tool(
    NAME,
    "Search the vault",
    "Find passages of the user's notes by words, meaning and links. Use it first for a "
    "single fact or a place, then read the best hits; for a task or question, "
    "glassmind_context. The query may filter: tag:name "
    'path:folder file:name [property:value] before:2026-03 after:7d "phrase" -word.',
    (
        Argument("query", "string", "question or words, with filters if wanted"),
        Argument("limit", "integer", "hits; usually 10", None, least=1, most=MOST_HITS),
        Argument("mode", "string", "", None, ("hybrid", "semantic", "fulltext")),
        Argument(
            "intent", "string", "", "auto", ("auto", "balanced", *get_args(Intent))
        ),
        Argument("root_note", "string", "note that links are followed from", None),
        Argument("threshold", "number", "least relevance", 0.0, least=0, most=1),
        FORMAT,
        CURSOR,
    ),
    run,
)
