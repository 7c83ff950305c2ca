"""What models do for us, whoever runs them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from glassmind.model.vectors import Embeddable, Matrix, Vector


class Embedder(Protocol):
    @property
    def space(self) -> str:
        """What the vectors depend on: model, weights, prefixes, window, pooling.

        Vectors of two spaces are never compared.
        """

    @property
    def width(self) -> int:
        pass

    def passages(self, parts: "Sequence[Embeddable]", /) -> "Iterator[Matrix]":
        """Yield one matrix for each part, in order: a unit row for each window of it.

        A vector depends on its own text alone, never on the others of the call.

        Raises:
            ModelFault: the model cannot be run, or answers what it should not.
        """

    def query(self, text: str, /) -> "Vector":
        """Return the unit vector of a question.

        Raises:
            ModelFault: the model cannot be run, or answers what it should not.
        """


class Reranker(Protocol):
    """Reads a question and a passage together and says how well they fit."""

    def scores(self, query: str, passages: Sequence[str], /) -> Iterator[float]:
        """Yield a probability for each passage, in order, each when it is asked for.

        So a caller whose time is up stops asking.

        Raises:
            ModelFault: the model cannot be run.
        """


class Cancellation:
    """Ends at once what nobody waits for any more.

    Whoever is at work says how to be ended; a thread that waits for bytes has no time
    to look.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._acts: list[Callable[[], object]] = []
        self._set = False

    def set(self) -> None:
        with self._lock:
            self._set, acts = True, list(self._acts)
        for act in acts:
            act()

    def is_set(self) -> bool:
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


class GenerationEnd(NamedTuple):
    """How a model came to its end: what it read, as far as it tells, and what of it.

    `was_cut` where its answer was longer than it may be; `lost` says in a sentence
    that it did not read all it was sent, and is empty where it did.
    """

    prompt_tokens: int | None = None
    was_cut: bool = False
    lost: str = ""


class ChatModel(Protocol):
    @property
    def model(self) -> str:
        pass

    @property
    def context_tokens(self) -> int:
        pass

    def answer(
        self, prompt: Prompt, said: Callable[[str], None], halt: Cancellation, /
    ) -> GenerationEnd:
        """Have a prompt answered; `said` is called with each piece, in this thread.

        What `said` raises ends the answer, and passes through.

        Raises:
            ModelFault: it gives no answer, or stops in the middle of one.
            CallAbandoned: it was halted.
        """
