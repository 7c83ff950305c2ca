"""Markup in notes, their names, tags and titles stays text in every answer.

Nothing is a page: what a browser shows of an answer runs nothing and asks for nothing.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from http_harness import JSON, Answer, Web, answer_of, serving
from leak_harness import SAMPLES, calls_of_route
from route_table import ROUTES, Route
from vault_harness import VaultHarness

from glassmind.operations.graph import GRAPH_FILES
from glassmind.serve.http.server import EVENTS

MARKUP = (
    "<script>alert(1)<|script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    '"><script src=data:,alert(1)><|script>',
    "';alert(1)|*",
    "javascript:alert(1)",
    "<|title><body onload=alert(1)>",
    "]]><script xmlns='http:||www.w3.org|1999|xhtml'>alert(1)<|script><![CDATA[",
    "&lt;script&gt;alert(1)&lt;|script&gt;",
    "<iframe srcdoc='&lt;script&gt;'>",
    "{{constructor.constructor('alert(1)')()}}",
    "\u2028alert(1)\u2029",
)
"""What has run in pages that took text for markup; a bar stands for the slash, which
no name of a file has."""

POLICY = {
    f"{what} 'none'"
    for what in ("default-src", "frame-ancestors", "base-uri", "form-action")
}

MEDIA_TYPES = {name: form.media_type for name, form in GRAPH_FILES.items()}

GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"

KINDS = {
    kind.partition(";")[0]
    for kind in ("application/json", "text/plain", EVENTS, *MEDIA_TYPES.values())
}


def note_of(number: int, text: str) -> tuple[str, str]:
    """Return a note with markup wherever a note can hold some."""
    real, after = text.replace("|", "/"), MARKUP[(number + 1) % len(MARKUP)]
    tag = re.sub(r"[\s#,]", "-", text.replace("|", "-"))
    said = json.dumps(real)
    return f"Notes {number}/{text}.md", (
        f"---\ntitle: {said}\naliases: [{said}]\ntags: [{json.dumps(tag)}]\n"
        f"{said}: {said}\nproject: {said}\nup: {json.dumps(f'[[{after}]]')}\n---\n"
        f"# {real}\n\nTea of clay {real} [[{after}|{real}]] [[ghost {text}]]\n\n"
        f"- [ ] tea {real}\n\n{real}:: {real}\n"
    )


NOTES = dict(note_of(n, text) for n, text in enumerate(MARKUP))
NAMES = tuple(NOTES)
TEXTS = tuple(text.replace("|", "/") for text in MARKUP)

WORST = (0, 3, 7)
"""Those that every argument of every route is given."""
SOME_NAMES = tuple(NAMES[n] for n in WORST)
SOME_TEXTS = tuple(TEXTS[n] for n in WORST)

HOSTILE = {
    **SAMPLES,
    **{
        name: SOME_NAMES
        for name, values in SAMPLES.items()
        if values in (SAMPLES["name"], SAMPLES["into"]) or name == "path"
    },
    **dict.fromkeys(("query", "question", "text"), ("tea of clay", *SOME_TEXTS)),
    **dict.fromkeys(("folder", "directory"), ("", f"Notes 0{MARKUP[0]}")),
    **dict.fromkeys(("tag", "heading", "title", "key", "finding", "id"), SOME_TEXTS),
    **dict.fromkeys(("project", "property", "check"), SOME_TEXTS),
    "tags": ([TEXTS[0]],),
    "receipts": ([f"{NAMES[0]}:1-2@00000000", TEXTS[1]],),
}


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    harness = VaultHarness(Path(tmp_path_factory.mktemp("markup")))
    harness.open(writes__mode="allow")
    harness.indexed(NOTES)
    with serving(harness.engine) as served:
        yield served
    harness.close()


def check_is_no_page(answer: Answer) -> None:
    """An answer is what it says it is, and no browser takes it for a page."""
    head, body = answer.headers, answer.body
    kind = head["content-type"].partition(";")[0]
    assert set(head["content-security-policy"].split("; ")) == POLICY
    assert head["x-content-type-options"] == "nosniff"
    assert head["referrer-policy"] == "no-referrer"
    assert head["cache-control"].endswith("no-store")
    assert head["cross-origin-resource-policy"] == "same-origin"
    assert kind in KINDS
    assert "alert" not in str(head)
    if kind == "application/json":
        json.loads(body)
    elif EVENTS.startswith(kind):
        lines = body.decode().split("\n")
        assert all(re.match(r"$|event: |data: [\[{]|:", line) for line in lines)
    elif kind == MEDIA_TYPES["graphml"].partition(";")[0]:
        tags = {one.tag for one in ET.fromstring(body).iter()}  # noqa: S314 - ours
        assert all(tag.startswith(GRAPHML) for tag in tags)


@pytest.mark.parametrize(
    "route", ROUTES, ids=[f"{one.method} {one.path}" for one in ROUTES]
)
def test_markup_in_notes_is_text_in_every_answer(web: Web, route: Route) -> None:
    for given in calls_of_route(route, HOSTILE):
        check_is_no_page(answer_of(web, route, given))


@pytest.mark.parametrize("name", NAMES)
def test_markup_is_text_where_answers_are_no_json(web: Web, name: str) -> None:
    asking = next(one for one in ROUTES if EVENTS in one.other_types)
    answer = answer_of(web, asking, {"question": f"tea of {name}"}, Accept=EVENTS)

    assert answer.headers["content-type"] == EVENTS
    check_is_no_page(answer)


@pytest.mark.parametrize("text", TEXTS)
def test_markup_in_a_request_is_text_in_its_refusal(web: Web, text: str) -> None:
    word = text.replace(" ", "+").encode("ascii", "ignore").decode()
    known = web.known | JSON | {"Accept": "text/html"}
    for path in (f"/{word}", f"/search?{word}={word}", "/mcp"):
        for method in ("GET", "POST", "PUT"):
            body = json.dumps({"method": text, text: text}).encode()
            check_is_no_page(web.ask(method, path, body, known))
