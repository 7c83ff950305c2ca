"""Items 33 and 34, as far as answers go: what stands in notes and must not get out.

Shown here: credentials whose shape is known and notes that are private reach no model,
no answer, no event and no log; neither do keys, tokens, questions and note text reach a
log, also where a server throws all that it was sent back at us. That the index and what
is embedded have none either, and what agents are given, is shown in `test_secrets_*`.
Passwords that look like any other word are not known.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ask_harness import address, parsed
from chat_harness import ChatHarness, Voice, chat_server, speaking
from cli_harness import Done, Inside, Program
from http_harness import Started, Web, started, until
from test_markdown_secrets import JWT, KEY_LINES, drawn

pytestmark = pytest.mark.slow

AWS, AWS_SECRET = "AKIA" + "QXZJ7HARBOUR7KEY", f"wJal/{drawn(35)}"
GITHUB, PASSWORD = f"ghp_{drawn(36)[::-1]}", "Zk7-otter-Pw9"
IN_HEADING, IN_PROPERTY = "AKIA" + "HEADING7HARBOUR7", f"ghp_{drawn(36)}"
LONG_KEY = [drawn(12) + f"{n:02}" + drawn(50)[::-1] for n in range(80)]
ASKED_FOR = LONG_KEY[40]
"""A line from the middle of a key: what is found by it has no beginning and no end."""

PRIVATE = "quokkaberth"
BESIDE = {
    ".env": "HARBOUR_KEY=canaryenvquartz\n",
    "server.pem": "harbour canarypemquartz\n",
    "id_rsa": "harbour canaryrsaquartz\n",
    "x.key": "harbour canarykeyquartz\n",
}
"""Files that are no notes, each with a word of its own."""

NOTES = {
    "Keys.md": f"""# Harbour server

The harbour server signs in with the key {AWS} every night.

- The access key of the harbour crane is {AWS}
- {AWS_SECRET}

| machine | harbour token |
|---|---|
| crane | {GITHUB} |
| ferry | it has none |
""",
    "Tokens.md": f"""---
harbour_token: {IN_PROPERTY}
machine: ferry
---
# Harbour tokens

The harbour page is opened with {JWT} on Mondays. The harbour database is at
https://keeper:{PASSWORD}@db.example.org/harbour and nowhere else.

The token of the harbour gate is `{GITHUB}`, and it is changed in May.
""",
    "Lock.md": "\n".join(
        [
            "# Harbour lock",
            "",
            "The private key of the harbour lock is this one:",
            "",
            "```",
            *KEY_LINES,
            "```",
            "",
            "The harbour lock takes it each morning.",
            "",
        ]
    ),
    "Heads.md": f"# The key {IN_HEADING}\n\nThe harbour mast was painted white.\n",
    "Pair.md": f"# Winch\n\n- The cloud knows the winch as {AWS}\n"
    f"- The other half for the harbour winch is {AWS_SECRET}\n",
    "Boom.md": "# Boom\n\nThe harbour boom opens with the longest key we have:\n\n"
    + "\n".join([KEY_LINES[0], *LONG_KEY, KEY_LINES[-1]])
    + "\n\nThe harbour boom was built in May by the masons of the old mill.\n",
    "Own.md": f"---\nprivate: true\n---\n# Berth\n\nThe secret berth of the harbour "
    f"is {PRIVATE}, says the owner of the harbour.\n",
    "Plain.md": "# Harbour\n\nThe harbour opens at six in the morning.\n",
}

QUESTIONS = (
    "Which key does the harbour server sign in with every night?",
    "What is the access key of the harbour crane?",
    "What is the harbour token of the crane?",
    "What is the token of the harbour gate?",
    "Which harbour token does the ferry have?",
    "How is the harbour page opened on Mondays?",
    "Where is the harbour database?",
    "What is the private key of the harbour lock?",
    "What colour was the harbour mast painted?",
    "What is the other half for the harbour winch?",
    "Who built the harbour boom in May?",
    "What is the secret berth of the harbour?",
)

MIDDLE = f"What colour was the harbour mast painted, {ASKED_FOR}?"

SECRETS = {
    "AWS key": AWS,
    "AWS secret": AWS_SECRET,
    "GitHub token": GITHUB,
    "JWT": JWT,
    "JWT, its end": JWT.rpartition(".")[2],
    "password": PASSWORD,
    "in a heading": IN_HEADING,
    "in a property": IN_PROPERTY,
    "private key": KEY_LINES[1][:30],
    "private key, its end": KEY_LINES[-2],
    **{f"long key, {line}": line for line in LONG_KEY if line != ASKED_FOR},
}
OTHERS = {"private note": PRIVATE} | {
    name: re.findall(r"canary\w+", text)[0] for name, text in BESIDE.items()
}

SERVER_TOKEN = "serve-" + drawn(30)
LLM_KEY = "llm-key-" + drawn(20)
HINDSIGHT_TOKEN = "hindsight-" + drawn(22)
URL_PASSWORD = "url-" + drawn(11)


def leaks(text: str, *more: dict[str, str]) -> list[str]:
    """Return what of all that must not be there stands in a text."""
    plain = text.replace("\\/", "/")
    return [
        name
        for canaries in (SECRETS, *more)
        for name, canary in canaries.items()
        if canary.casefold() in plain.casefold()
    ]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """A vault full of what must not get out, indexed."""
    made = Program(tmp_path_factory.mktemp("secrets"))
    (made.vault / ".obsidian").mkdir(parents=True)
    for path, text in (NOTES | BESIDE).items():
        (made.vault / path).write_text(text, "utf-8")
    assert Inside(made).run("index").returncode == 0
    return made


def copying(voice: Voice) -> None:
    """Answer with lines of the sources, each quoted from itself."""
    sent = voice.question["messages"][-1]["content"]
    lines = [one for one in sent.split("\n") if len(one.split()) > 3]
    said = [{"source": 1, "quote": one, "text": one} for one in lines[1:-1]]
    speaking(json.dumps({"statements": said}))(voice)


def model(harness: ChatHarness, backend: str = "ollama") -> dict[str, str]:
    """Return variables that name a model, with a key and a password."""
    host = harness.url.removeprefix("http://")
    return {
        "GLASSMIND_LLM_BACKEND": backend,
        "GLASSMIND_LLM_URL": f"http://me:{URL_PASSWORD}@{host}"
        if backend == "ollama"
        else harness.url,
        "GLASSMIND_LLM_API_KEY": LLM_KEY,
    }


def logs(program: Program) -> Iterator[tuple[Path, str]]:
    """Yield every file that is left beside the vault, but for the index itself."""
    for file in program.home.rglob("*"):
        kept = file.name.startswith("index.db") or "lexical" in file.parts
        if file.is_file() and not kept:
            yield file, file.read_text("utf-8", "replace")


def spoken(done: Done) -> str:
    return done.stdout + done.stderr


@pytest.mark.parametrize("question", [*QUESTIONS, MIDDLE])
def test_an_answer_in_the_notes_own_words_holds_no_credential(
    program: Program, question: str
) -> None:
    inside = Inside(program)

    as_json = inside.run("--json", "--verbose", "ask", question)
    as_text = inside.run("--verbose", "ask", question)

    found = json.loads(as_json.stdout)
    assert found["sources"]
    # its owner is read a private note, on the command line and without a model
    beside = {name: each for name, each in OTHERS.items() if name in BESIDE}
    assert leaks(spoken(as_json), beside) == []
    assert leaks(spoken(as_text), beside) == []


@pytest.mark.parametrize("question", [*QUESTIONS, MIDDLE])
def test_a_model_is_sent_and_tells_nothing_that_must_not_get_out(
    program: Program, question: str
) -> None:
    with chat_server(copying) as harness:
        done = Inside(program).run("--json", "-v", "ask", question, **model(harness))

    found = json.loads(done.stdout)
    assert len(harness.asked) == 1, found["degraded"]
    assert found["modelUsed"] == "llama3.2"
    assert any(one["support"] != "unsupported" for one in found["statements"])
    assert leaks(json.dumps(harness.asked, ensure_ascii=False), OTHERS) == []
    assert leaks(json.dumps(harness.heads), OTHERS) == []
    assert leaks(spoken(done), OTHERS) == []


def test_what_is_hidden_is_told_as_hidden_and_its_lines_verify(
    program: Program,
) -> None:
    inside = Inside(program)
    with chat_server(copying) as harness:
        done = inside.run("--json", "ask", QUESTIONS[0], **model(harness))

    found = json.loads(done.stdout)
    quotes = [
        one
        for said in found["statements"]
        for one in said["citations"]
        if "(hidden: AWS key)" in one["quote"]
    ]
    assert quotes
    assert inside.run("verify", *(quote["receipt"] for quote in quotes)).returncode == 0


def throwing(voice: Voice) -> None:
    """Fail, and say all that was sent: the words, and who may ask."""
    everything = json.dumps([voice.question, dict(voice.handler.headers)])
    voice.refuse(500, everything)


def late(voice: Voice) -> None:
    """Begin, and then fail with all that was sent."""
    voice.begin()
    voice.say('{"statements": [{"source": 1, ')
    voice.event({"error": json.dumps([voice.question, dict(voice.handler.headers)])})
    voice.close()


LOGGED = {
    "the token of serve": SERVER_TOKEN,
    "the key of the model": LLM_KEY,
    "the token of Hindsight": HINDSIGHT_TOKEN,
    "the password of a url": URL_PASSWORD,
    "the question": "sign in with every night",
    "the question, encoded": "sign+in",
    "note text": "harbour",
    "what is told": "hidden:",
}


@pytest.mark.parametrize(
    "backend", ["ollama", pytest.param("openai", marks=pytest.mark.slow)]
)
def test_a_server_keeps_all_to_itself_whatever_a_model_throws_back(
    program: Program, backend: str
) -> None:
    secret = {
        "GLASSMIND_SERVER_TOKEN": SERVER_TOKEN,
        "GLASSMIND_HINDSIGHT_TOKEN": HINDSIGHT_TOKEN,
    }
    bodies: list[str] = []
    with chat_server(copying, copying, throwing, throwing, late, late) as harness:
        secret["GLASSMIND_HINDSIGHT_URL"] = f"http://me:{URL_PASSWORD}@127.0.0.1:9"
        secret |= model(harness, backend)
        with started(program, "--verbose", **secret) as running:
            web = running.web(SERVER_TOKEN)
            for stream in (0, 1) * 3:
                reply = web.get(address(QUESTIONS[0], stream=stream, mode="hybrid"))
                assert reply.status == 200
                bodies.append(reply.body.decode())
            _rudely(web)
            until(lambda: len(asked_for(running)) == len(bodies) + 3)
            lines = running.told.read_text("utf-8")

    used = [_answer(body)["modelUsed"] for body in bodies]
    assert used == ["llama3.2"] * 2 + ["extractive"] * 4
    keys = {name: LOGGED[name] for name in list(LOGGED)[:4]}
    for body in bodies:
        assert leaks(body, OTHERS, keys) == []
    assert leaks(lines, OTHERS, LOGGED) == []
    for file, text in logs(program):
        assert leaks(text, OTHERS, keys) == [], file


def asked_for(running: Started) -> list[int]:
    """Return the states of what was asked for, as far as they are logged."""
    return [one["status"] for one in running.lines() if one["event"] == "request"]


def _answer(body: str) -> Any:
    return parsed(body)[-1].value if body.startswith("event:") else json.loads(body)


def _rudely(web: Web) -> None:
    """Ask in ways that are refused, with words that must not be logged either."""
    assert web.ask("GET", address(QUESTIONS[0])).status == 401
    assert web.get(address(QUESTIONS[0], mode="harbour")).status == 422
    assert web.get(address(QUESTIONS[0], project="harbour")).status == 404


@pytest.mark.parametrize("backend", ["ollama", "openai"])
def test_the_program_keeps_keys_and_notes_out_of_what_it_tells_of_a_fault(
    program: Program, backend: str
) -> None:
    with chat_server(throwing) as harness:
        done = program.run("--verbose", "ask", QUESTIONS[0], **model(harness, backend))

    assert done.returncode == 0
    assert "HTTP 500" in done.stderr
    keys = {name: LOGGED[name] for name in list(LOGGED)[1:7]}
    assert leaks(done.stderr, OTHERS, keys) == []
    assert leaks(done.stdout, OTHERS) == []
