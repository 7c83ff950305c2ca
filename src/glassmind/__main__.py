"""The program `glassmind`: prints its version, and passes the rest to the CLI."""

import sys


def main() -> int:
    """Run the program with the arguments of this process.

    Returns the exit code of `--version` and of a Python that is too old; everything
    else ends the process itself.
    """
    if sys.argv[1:] in (["--version"], ["-V"]):
        from glassmind.version import __version__  # noqa: PLC0415 - before all else

        sys.stdout.write(f"glassmind {__version__}\n")
        return 0
    # Installers check this too, but a checkout may be run by any Python.
    if sys.version_info < (3, 11):  # noqa: UP036 - older ones cannot parse the rest
        sys.stderr.write(
            "glassmind: Python 3.11 or later is needed, but this is "
            f"{sys.version.split()[0]}. Use a newer one, such as: "
            "python3.11 -m glassmind\n"
        )
        return 2
    import gc  # noqa: PLC0415 - see above

    # Modules stay loaded; collecting garbage among them takes a tenth of a search.
    gc.disable()
    try:
        from glassmind.serve.cli.program import leave, run_program  # noqa: PLC0415

        code = run_program(sys.argv[1:], as_program=True)
    except KeyboardInterrupt:  # before the program handles it
        return 130
    return leave(code)


if __name__ == "__main__":
    sys.exit(main())
