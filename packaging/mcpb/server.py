"""Where a host starts the bundle: the program `glassmind`, with what it is given."""

# ruff: noqa: INP001 - the root of a bundle, no package

import sys

from glassmind.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
