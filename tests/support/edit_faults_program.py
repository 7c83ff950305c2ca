"""A verb that edits, in a process of its own that is killed or fails: a test's child.

Usage: edit_faults_program.py kill, which takes lines of JSON, with a place, a verb,
the first call, how far it is to the next, and a folder. For each line it kills one
process after the other, each at a later call that changes the disk, writes down in the
folder what the next one finds, and says in a line of JSON what went wrong, if anything.
Or: edit_faults_program.py once PLACE VERB, which says that it is ready, waits for a
line, and does it once.
"""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

from edit_faults_harness import Stage, patched
from fault_tools.drive import import_everything
from write_program import Counted, die

from glassmind.errors import GlassmindError

ENOUGH = 500
"""More calls than any verb takes."""

SURVIVED, KILLED = 0, -9


def parted(work: Callable[[], None]) -> int:
    """Do something in a process of its own, and return what it ended with."""
    child = os.fork()
    if not child:
        try:
            work()
            os._exit(0)
        except BaseException:  # noqa: BLE001 - whatever it is, a child ends here
            sys.excepthook(*sys.exc_info())
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def killed(stage: Stage, meant: int) -> None:
    """Do the verb, and die at the call that is meant, if it comes to that."""
    with stage.opened() as harness:
        for place, name, call in patched(Counted(meant, die)):
            setattr(place, name, call)
        stage.act(harness)


def written_down(stage: Stage, file: Path, ended: int) -> None:
    """Start anew, and write down what is found then."""
    found = {path: raw.decode() for path, raw in stage.restarted().items()}
    file.write_text(json.dumps({"survived": ended == SURVIVED, "files": found}))


def kill(stage: Stage, first: int, step: int, into: Path) -> str:
    """Kill until one is done before its call comes; return what went wrong."""
    verb = stage.verb.name
    for meant in range(first, ENOUGH, step):
        stage.begin()
        ended = parted(lambda: killed(stage, meant))  # noqa: B023 - done at once
        if ended not in (SURVIVED, KILLED):
            return f"{verb} ended with {ended} at call {meant}"
        file = into / f"{meant}.json"
        if parted(lambda: written_down(stage, file, ended)):  # noqa: B023
            return f"nobody can edit after {verb} was killed at call {meant}"
        if ended == SURVIVED:
            return ""
    return "a verb takes fewer calls"


def kill_as_told() -> None:
    """Kill what each line of the input names, and say for each how it went."""
    import_everything()  # once for all of them
    for line in sys.stdin:
        place, verb, first, step, into = json.loads(line)
        said = kill(Stage(Path(place), verb), first, step, Path(into))
        sys.stdout.write(f"{json.dumps(said)}\n")
        sys.stdout.flush()


def once(place: Path, verb: str) -> int:
    """Do the verb, and say what came of it by a call that no test lets fail."""
    stage = Stage(place, verb)
    import_everything()  # nobody looks on yet
    os.writev(1, [b"ready\n"])
    sys.stdin.readline()
    try:
        with stage.opened() as harness:
            done = stage.act(harness)
    except GlassmindError as error:
        os.writev(2, [f"{type(error).__name__}: {error}\n".encode()])
        return 1
    if not done.applied:  # it is to be looked at again, and says why
        said = "; ".join(done.changeset.draft.risks)
        os.writev(2, [f"{done.changeset.state}: {said}\n".encode()])
        return 1
    os.writev(1, [json.dumps([done.changeset.state, *done.notices]).encode() + b"\n"])
    return 0


if __name__ == "__main__":
    if sys.argv[1] == "once":
        sys.exit(once(Path(sys.argv[2]), sys.argv[3]))
    kill_as_told()
