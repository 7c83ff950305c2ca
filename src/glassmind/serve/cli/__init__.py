"""The command line. Only the module of the command asked for is imported."""
