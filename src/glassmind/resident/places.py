"""Places to work in: threads that stay, so many and no more."""

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import TypeAlias

Job: TypeAlias = Callable[[], None]


class Places:
    """Lets threads work, each begun when all before it are at work.

    Threads that stay keep what they have open, and nobody has more open than there are
    places.
    """

    def __init__(self, name: str, most: int) -> None:
        self._name, self._most = name, most
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._unfinished = 0
        self._threads: list[threading.Thread] = []

    @property
    def threads(self) -> list[threading.Thread]:
        """Those that were begun and have not ended."""
        with self._lock:
            return list(self._threads)

    @property
    def unfinished(self) -> int:
        """How many jobs are under way or waiting."""
        return self._unfinished

    def put(self, job: Job) -> None:
        """Have a job done when there is a place; those before it go first."""
        with self._lock:
            self._unfinished += 1
            self._jobs.put(job)
            if min(self._unfinished, self._most) > len(self._threads):
                thread = threading.Thread(
                    target=self._work, name=f"glassmind-{self._name}", daemon=True
                )
                self._threads.append(thread)
                thread.start()

    def _work(self) -> None:
        try:
            while (job := self._jobs.get()) is not None:
                try:
                    job()
                finally:
                    with self._lock:
                        self._unfinished -= 1
        finally:
            with self._lock:
                self._threads.remove(threading.current_thread())

    def close(self) -> None:
        """Let every thread end when what is waiting is done; begin no other job."""
        for _ in self.threads:
            self._jobs.put(None)
