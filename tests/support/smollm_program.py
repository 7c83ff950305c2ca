"""A real model that writes, over OpenAI's API: a server for tests, in its own process.

    python tests/support/smollm_program.py WEIGHTS

tells its address in one line, and ends when its input does.
"""

import sys

import xllamacpp

NAME = "smollm2-135m-instruct"
"""What the server calls the model."""

CONTEXT_TOKENS = 8_192
"""All that the model was made for."""

THREADS = 1
"""Two wait for each other at every step, which costs all on a machine that is busy."""


def main(weights: str) -> None:
    params = xllamacpp.CommonParams()
    params.model.path = weights
    params.model_alias = {NAME}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1  # one answer at a time: the next shows that one was ended
    params.cpuparams.n_threads = THREADS
    params.cpuparams_batch.n_threads = THREADS
    params.endpoint_slots = True
    params.ui = False
    params.offline = True
    params.warmup = False
    params.verbosity = 0
    server = xllamacpp.Server(params)
    sys.stdout.write(f"Listening on {server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])
