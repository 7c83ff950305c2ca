"""The exit codes; docs/cli.md has the same table."""

OK = 0
NOTHING = 1
"""Nothing was found."""

USAGE = 2
"""The call or the configuration cannot be used; also a doctor's failed check."""

VAULT = 3
INDEX = 4
MODEL = 5
"""A model is absent, damaged or gives no answer."""

CONFLICT = 6
"""A note is not what was read, so nothing was written."""

BUG = 70
"""EX_SOFTWARE of sysexits.h: a fault that is ours."""

INTERRUPTED = 130
"""What shells report of a program that Ctrl-C ended."""
