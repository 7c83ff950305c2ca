"""Guessing a token over HTTP is slowed and logged; a valid token never is."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cli_harness import with_index
from http_harness import Answer, Web, serving, started
from vault_harness import VaultHarness

from glassmind.serve.http.guard import FREE, TokenThrottle

WRONG = "not-the-token-of-this-vault"


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def guess(web: Web, path: str = "/stats", token: str = WRONG) -> Answer:
    return web.ask("GET", path, headers={"Authorization": f"Bearer {token}"})


def log_lines(text: str) -> list[dict[str, object]]:
    lines = (json.loads(line) for line in text.splitlines() if line.startswith("{"))
    return [line for line in lines if line["event"] == "wrong_tokens"]


def test_guesses_are_answered_429_after_a_few_and_then_for_longer(
    vault: VaultHarness, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = Clock()
    vault.indexed({"Tea.md": "x"})
    with serving(vault.engine, throttle=TokenThrottle(clock)) as web:
        first = [guess(web).status for _ in range(FREE)]
        blocked = guess(web)
        valid = [web.get("/stats").status for _ in range(10)]
        waits = []
        for _ in range(8):
            wait = int(guess(web).headers["retry-after"])
            waits.append(wait)
            clock.now += wait
            assert guess(web).status == 401  # one more guess, and a longer wait

    assert first == [401] * FREE
    assert (blocked.status, blocked.code) == (429, "too_many_wrong_tokens")
    assert valid == [200] * 10
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60]
    lines = log_lines(capsys.readouterr().err)
    assert len(lines) == 9  # one for each back-off step
    assert {line["level"] for line in lines} == {"WARNING"}
    assert lines[0]["count"] == FREE
    assert WRONG not in json.dumps(lines)


def test_during_the_back_off_anybody_may_ask_whether_the_server_is_up(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Tea.md": "x"})
    with serving(vault.engine, throttle=TokenThrottle(Clock())) as web:
        guesses = [guess(web, "/health").status for _ in range(FREE + 1)]
        health = web.ask("GET", "/health")
        no_token = web.ask("GET", "/stats")
        friend = web.get("/health")

    assert guesses == [200] * FREE + [429]
    assert (health.status, no_token.status, friend.status) == (200, 429, 200)
    assert "note_count" in friend.json


def test_requests_without_a_token_are_no_guesses(vault: VaultHarness) -> None:
    vault.indexed({"Tea.md": "x"})
    with serving(vault.engine, throttle=TokenThrottle(Clock())) as web:
        assert {web.ask("GET", "/stats").status for _ in range(3 * FREE)} == {401}


def test_a_few_wrong_tokens_now_and_then_are_forgotten() -> None:
    clock = Clock()
    throttle = TokenThrottle(clock)
    for _ in range(3 * FREE):
        throttle.check(guessed=True)
        clock.now += 60


@pytest.mark.slow
def test_a_real_server_slows_200_wrong_tokens_and_answers_the_right_one(
    tmp_path: Path,
) -> None:
    with started(with_index(tmp_path)) as server:
        web = server.web()
        statuses = [guess(web, token=f"{WRONG}-{n}").status for n in range(20)]
        with ThreadPoolExecutor(64) as pool:
            more = pool.map(lambda n: guess(web, token=f"{WRONG}-{n}"), range(180))
            statuses += [answer.status for answer in more]
        right = web.get("/stats")
        lines = [line for line in server.lines() if line["event"] == "wrong_tokens"]
        told = server.told.read_text("utf-8")

    assert statuses[:FREE] == [401] * FREE
    # Each back-off step allows one more guess, so at most a few in the time this takes.
    assert statuses.count(429) >= 200 - FREE - 8
    assert right.status == 200
    assert 1 <= len(lines) <= 9
    assert WRONG not in told
