"""Request counts and times, in the text format of Prometheus."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Seconds; the default buckets of Prometheus clients."""

MEDIA_TYPE = b"text/plain; version=0.0.4; charset=utf-8"

Gauges = Mapping[str, tuple[str, Mapping[str, float]]]
"""By name: the help text, and the value for each set of labels."""


class Metrics:
    """Counts requests; written by the event loop, read by any thread."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, int]] = Counter()
        self._times: dict[str, list[int]] = {}
        self._seconds: defaultdict[str, float] = defaultdict(float)

    def count(self, route: str, status: int, seconds: float) -> None:
        """Count one request."""
        self._requests[route, status] += 1
        times = self._times.setdefault(route, [0] * (len(BOUNDS) + 1))
        times[bisect_left(BOUNDS, seconds)] += 1
        self._seconds[route] += seconds

    def text(self, gauges: Gauges) -> str:
        """Return all counts so far, and gauges that were read just now."""
        return "\n".join([*self._counts(), *_gauge_lines(gauges), ""])

    def _counts(self) -> Iterator[str]:
        yield "# HELP glassmind_http_requests_total Requests answered."
        yield "# TYPE glassmind_http_requests_total counter"
        for (route, status), count in sorted(self._requests.copy().items()):
            labels = f'route="{route}",status="{status}"'
            yield f"glassmind_http_requests_total{{{labels}}} {count}"
        name = "glassmind_http_request_seconds"
        yield f"# HELP {name} Time from a request's head to the end of its answer."
        yield f"# TYPE {name} histogram"
        for route, times in sorted(self._times.copy().items()):
            total = 0
            for bound, count in zip((*BOUNDS, "+Inf"), times, strict=True):
                total += count
                yield f'{name}_bucket{{route="{route}",le="{bound}"}} {total}'
            yield f'{name}_sum{{route="{route}"}} {self._seconds[route]:.6f}'
            yield f'{name}_count{{route="{route}"}} {total}'


def _gauge_lines(gauges: Gauges) -> Iterator[str]:
    for name, (meaning, values) in gauges.items():
        yield f"# HELP {name} {meaning}"
        yield f"# TYPE {name} gauge"
        yield from (f"{name}{labels} {value:g}" for labels, value in values.items())
