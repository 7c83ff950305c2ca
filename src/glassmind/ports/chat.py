"""What a model that writes does for us, and how it is told to stop."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Any, NamedTuple, Protocol


class Halt:
    """Ends at once what nobody waits for any more.

    Whoever is at work says how to be ended; a thread that waits for bytes has no time
    to look.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._acts: list[Callable[[], object]] = []
        self._set = False

    def set(self) -> None:
        """End what is under way, and what would begin later."""
        with self._lock:
            self._set, acts = True, list(self._acts)
        for act in acts:
            act()

    def is_set(self) -> bool:
        """Whether it is over."""
        return self._set

    @contextmanager
    def ending(self, act: Callable[[], object]) -> Iterator[None]:
        """Have `act` called when it is over, by whoever says so; or at once."""
        with self._lock:
            self._acts.append(act)
            over = self._set
        try:
            if over:
                act()
            yield
        finally:
            with self._lock:
                self._acts.remove(act)


class Turn(NamedTuple):
    """What is said in a talk with a model: by "system" or by "user"."""

    role: str
    content: str


class Prompt(NamedTuple):
    """What a model is asked: the turns, the shape of its answer, and its length.

    `schema` is a JSON schema that the answer has to follow; models write the
    properties of an object in the order in which it names them. `tokens` is how long
    we think that the turns are, so that it can be told when not all was read.
    """

    turns: Sequence[Turn]
    schema: Mapping[str, Any]
    tokens: int
    most_tokens: int


class Ended(NamedTuple):
    """How a model came to its end: what it read, as far as it tells, and what of it.

    `was_cut` where its answer was longer than it may be; `lost` says in a sentence
    that it did not read all it was sent, and is empty where it did.
    """

    prompt_tokens: int | None = None
    was_cut: bool = False
    lost: str = ""


class Chat(Protocol):
    """A model that writes."""

    @property
    def model(self) -> str:
        """What it is called."""

    @property
    def context_tokens(self) -> int:
        """How much it reads and writes in all."""

    def answer(
        self, prompt: Prompt, said: Callable[[str], None], halt: Halt, /
    ) -> Ended:
        """Have a prompt answered; `said` is called with each piece, in this thread.

        What `said` raises ends the answer, and passes through.

        Raises:
            ModelFault: it gives no answer, or stops in the middle of one.
            CallAbandoned: it was halted.
        """
