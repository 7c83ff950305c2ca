"""Those who wait for the disk are there for whoever edits, and after a fork too."""

import os

import pytest

from glassmind.files.transaction import disk_threads


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_process_that_was_forked_has_its_own() -> None:
    assert disk_threads().submit(lambda: "here").result(10) == "here"

    child = os.fork()
    if not child:
        try:
            said = disk_threads().submit(lambda: "there").result(10)
            os._exit(0 if said == "there" else 1)
        finally:
            os._exit(2)

    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
