"""What must hold between settings, whichever places they came from."""

from collections.abc import Iterator, Mapping
from typing import cast

from glassmind.config.guards import host_of, is_loopback
from glassmind.config.layers import Choice
from glassmind.config.sections import KEYS
from glassmind.errors import BadSetting


def check_together(choices: Mapping[str, Choice]) -> Iterator[str]:
    """Yield warnings about settings that do not go together.

    Raises:
        BadSetting: they cannot go together at all.
    """
    _check_chunks(choices)
    _check_weights(choices)
    yield from _remote_without_consent(choices)


def _check_chunks(choices: Mapping[str, Choice]) -> None:
    target = choices["index.chunk_target_tokens"]
    overlap = choices["index.chunk_overlap_tokens"]
    if cast("int", overlap.value) < cast("int", target.value):
        return
    # The stronger of the two was set last in the user's mind: blame that one.
    if overlap.rank >= target.rank:
        problem = f"must be below index.chunk_target_tokens ({target.value})"
        raise BadSetting("index.chunk_overlap_tokens", overlap.origin, problem)
    problem = f"must be above index.chunk_overlap_tokens ({overlap.value})"
    raise BadSetting("index.chunk_target_tokens", target.origin, problem)


def _check_weights(choices: Mapping[str, Choice]) -> None:
    weights = [path for path in KEYS if path.endswith("_weight")]
    if any(choices[path].value for path in weights):
        return
    last = max(weights, key=lambda path: choices[path].rank)
    problem = "leaves every weight of [search] at 0; at least one must be above"
    raise BadSetting(last, choices[last].origin, problem)


def _remote_without_consent(choices: Mapping[str, Choice]) -> Iterator[str]:
    url, allowed = choices["embeddings.url"], choices["embeddings.allow_remote"]
    # The default is known to be this machine: a plain start does not take urls apart.
    if url.entry is None or allowed.value or is_loopback(host_of(str(url.value))):
        return
    yield (
        f"embeddings.url (from {url.origin}) is not this machine; it is not used "
        "unless embeddings.allow_remote = true"
    )
