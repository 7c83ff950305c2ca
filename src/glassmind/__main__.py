"""The program `glassmind`: tells its version itself, leaves all else to the surface."""

import sys


def main() -> int:
    """Run the program with the arguments it was started with, to its end.

    Returns an exit code for `--version`, and to a Python that is too old for the rest;
    all else leaves with its own.
    """
    if sys.argv[1:] in (["--version"], ["-V"]):
        from glassmind.version import __version__  # noqa: PLC0415 - before all else

        sys.stdout.write(f"glassmind {__version__}\n")
        return 0
    # The installers look at this too; a checkout may be run by any Python.
    if sys.version_info < (3, 11):  # noqa: UP036 - what follows is no syntax to those
        sys.stderr.write(
            "glassmind: Python 3.11 or later is needed, and this is "
            f"{sys.version.split()[0]}; call it by a newer one, such as: "
            "python3.11 -m glassmind\n"
        )
        return 2
    import gc  # noqa: PLC0415 - see above

    # What is loaded stays: looking through it for litter takes a tenth of a search.
    gc.disable()
    try:
        from glassmind.serve.cli.program import leave, run_program  # noqa: PLC0415

        code = run_program(sys.argv[1:], as_program=True)
    except KeyboardInterrupt:  # before the program could say it better
        return 130
    return leave(code)


if __name__ == "__main__":
    sys.exit(main())
