r"""Compile the patterns in a vault's settings with RE2.

A vault is untrusted, and Python's `re` backtracks: `(a+)+$` doubles its time with each
character. RE2 searches in time linear in the path, times the size of the compiled
program, which `PROGRAM_LIMIT` bounds for each file of patterns.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

PROGRAM_LIMIT = 4_000
"""RE2 instructions in all patterns of one file. The worst patterns of this size need
0.1 s for a path of 500 characters; a usual regular expression has 10 to 100."""

SIMPLE_GLOB_SHARE = 5
"""A glob with one wildcard or none counts for a fifth. RE2 matches any number of them
with states that it computes once; a usual ignore line has about 20 instructions."""

PATTERN_LIMIT_CHARS = 1_000
"""Longer than any useful pattern; bounds the time to translate and compile one."""

PATTERNS_LIMIT = 1_000
"""Patterns used from one file; bounds the time to translate and compile all of them."""

_WILDCARDS = re.compile(r"\*+|[?\[]")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|.)", re.DOTALL)


class Rejected(NamedTuple):
    """A pattern that is not used, and why."""

    pattern: str
    reason: str


def compile_regexes(
    sources: Iterable[str],
) -> tuple[Callable[[str], bool] | None, list[Rejected]]:
    """Return a test whether any JavaScript regular expression occurs in a path.

    The test is None if no pattern can be used. The caller passes at most
    `PATTERNS_LIMIT` sources.
    """
    import re2  # noqa: PLC0415 - 6 ms, only for a vault with patterns

    program, rejected = _Program(), list[Rejected]()
    patterns = re2.Set.SearchSet(program.options)
    for source in sources:
        regex = _ESCAPE.sub(_as_re2_escape, source)
        reason = _too_long(source) or program.add(regex)
        if reason:
            rejected.append(Rejected(source, reason))
        else:
            patterns.Add(regex)
    if not program.size:
        return None, rejected
    patterns.Compile()
    return lambda path: bool(patterns.Match(_encodable(path))), rejected


def compile_globs(
    lines: Sequence[str],
) -> tuple[Callable[[str], bool | None] | None, list[Rejected]]:
    """Return what gitignore lines say of a path: ignore it, keep it, or None.

    The function is None if no line can be used.
    """
    # 40 ms, only for a vault with an ignore file
    from pathspec import GitIgnoreSpec  # noqa: PLC0415
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern  # noqa: PLC0415

    program, rejected = _Program(), list[Rejected]()
    taken: list[GitIgnoreSpecPattern] = []
    for count, line in enumerate(lines):
        reason = _too_long(line)
        if count >= PATTERNS_LIMIT:
            reason = f"only the first {PATTERNS_LIMIT:,} patterns are used"
        if not reason:
            try:
                pattern = GitIgnoreSpecPattern(line)
            except (ValueError, re.error):
                reason = "it is not a valid pattern"
            else:
                if pattern.regex is None:  # a line that matches nothing, such as "/"
                    continue
                reason = program.add(str(pattern.regex.pattern), _share(line))
                taken += [] if reason else [pattern]
        if reason:
            rejected.append(Rejected(line, reason))
    if not taken:
        return None, rejected
    spec = GitIgnoreSpec(taken, backend="re2")
    return lambda path: spec.check_file(_encodable(path)).include, rejected


class _Program:
    """The patterns of one file, which share `PROGRAM_LIMIT`."""

    def __init__(self) -> None:
        import re2  # noqa: PLC0415 - see compile_regexes

        self._re2 = re2
        self.options = re2.Options()
        self.options.log_errors = False
        self.options.never_capture = True
        self.size = 0

    def add(self, regex: str, share: int = 1) -> str:
        """Count a pattern and return an empty string, or return why it is rejected."""
        try:
            size = self._re2.compile(regex, self.options).programsize // share + 1
        except UnicodeEncodeError:
            return "it is not valid Unicode"
        except self._re2.error as error:
            # The part after the colon repeats the pattern.
            return f"RE2 reports {error.args[0].partition(b':')[0].decode()!r}"
        if self.size + size > PROGRAM_LIMIT:
            return "the patterns together are too large"
        self.size += size
        return ""


def _too_long(pattern: str) -> str:
    if len(pattern) > PATTERN_LIMIT_CHARS:
        return f"it is longer than {PATTERN_LIMIT_CHARS:,} characters"
    return ""


def _share(line: str) -> int:
    wildcards = _WILDCARDS.findall(line.removeprefix("!").removeprefix("**/"))
    return SIMPLE_GLOB_SHARE if len(wildcards) <= 1 else 1


def _as_re2_escape(escape: re.Match[str]) -> str:
    r"""Return an escape for RE2, which writes `\u00e9` as `\x{00e9}`."""
    return rf"\x{{{escape[1]}}}" if escape[1] else escape[0]


def _encodable(path: str) -> str:
    """Return a path without lone surrogates, which a caller may have passed."""
    return path if path.isascii() else path.encode(errors="replace").decode()
