"""Run generated calls with an earlier commit and with this tree, and compare.

    python benchmarks/compare.py REV [--vault FOLDER ...] [--calls N] [--seed N]
                                 [--text] [--model] [--keep FOLDER]

Both sides get a copy of each vault and the same calls over MCP, HTTP and the command
line, edits included. Replies must be equal JSON with equal status or exit codes, and
after each call both copies must hold equal bytes. Differences that are intended are
listed in `compare_expected.toml`; the exit code is 0 only if every difference is
listed. Also prints how long calls take, as a ratio to the earlier commit.
"""

import argparse
import os
import re
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import platformdirs
from compare_calls import (
    Facts,
    Generator,
    Operation,
    next_page,
    read_commands,
    read_routes,
    read_tools,
)
from compare_differences import (
    Difference,
    Equality,
    Report,
    VaultFiles,
    read_listed,
    read_renamed,
    read_renamed_keys,
    without_wording,
)
from compare_sides import (
    REPOSITORY,
    Call,
    Program,
    Reply,
    Side,
    install,
    remember_values,
)

EXPECTED = Path(__file__).with_name("compare_expected.toml")
SHARED = REPOSITORY.parent / "shared" / "data" / "vaults"
VAULTS = {
    REPOSITORY / "sample-vault": 0.5,
    SHARED / "kepano" / "vault": 0.25,
    SHARED / "tasks-docs" / "vault": 0.25,
}
"""The vaults of a run without --vault, with their shares of the calls."""

MODES = {"off": 0.2, "propose": 0.4, "allow": 0.4}
"""The write modes, with their shares of the calls; the servers restart in between."""

CATALOGUES = {"GET /openapi.json", "prompts/list", "resources/templates/list"}
"""What describes operations in words; the words are compared with --text only."""

LEFT_OUT = re.compile("hot|brief|apply_edit_preview")
"""Operations that are compared only where nothing is written. Some rank by what changed
lately, and files that change within the same minute count as one change there. The last
one makes a proposal now instead of failing, which changes later calls."""


def make_side(
    name: str, program: Program, home: Path, vault: Path, settings: dict[str, str]
) -> Side:
    """Return a side with a fresh copy of a vault, with the same times on each side."""
    copy = home / vault.name
    shutil.copytree(vault, copy)
    today = (time.time() // 86_400 - 3) * 86_400
    for number, file in enumerate(sorted(copy.rglob("*"))):
        file.chmod(0o755 if file.is_dir() else 0o644)
        changed = today - 3_600 * (number % 2_000)
        os.utime(file, (changed, changed))
    return Side(name, program, home, copy, settings)


def toolsets(side: Side) -> str:
    """Return every toolset that `glassmind mcp --help` names, with commas."""
    text = re.sub(r"\s+", " ", side.program.run(["mcp", "--help"], side.env).stdout)
    lists = re.findall(r"[a-z]+(?:, ?[a-z]+){3,}", text)
    return max(lists, key=len, default="core").replace(" ", "")


class Comparison:
    """Runs calls with both sides on one vault, and adds to a report."""

    def __init__(self, sides: tuple[Side, Side], report: Report, *, text: bool) -> None:
        self.sides = sides
        self.report = report
        self.text = text
        self.equality = Equality(
            (str(sides[0].home), str(sides[1].home)),
            time.time(),
            read_renamed_keys(EXPECTED),
        )
        self.files = tuple(VaultFiles(side.vault) for side in sides)
        self.known: set[Difference] = set()
        self.facts = Facts()
        self.toolsets = toolsets(sides[0])

    def run(self, commands: list[Operation], calls: int, seed: int) -> None:
        """Run calls in each write mode."""
        self.facts.update(self.files[0].changes())
        self.files[1].changes()
        for mode, share in MODES.items():
            try:
                for side in self.sides:
                    side.settings["GLASSMIND_WRITES_MODE"] = mode
                    side.start(self.toolsets)
                operations = [
                    operation
                    for operation in (*self.compare_catalogues(), *commands)
                    if mode == "off" or not LEFT_OUT.search(operation.name)
                ]
                generator = Generator(operations, f"{seed} {mode}", self.facts)
                for number in range(1, int(calls * share) + 1):
                    call = generator.next_call()
                    pages = [next_page(call, each) for each in self.step(call, number)]
                    if pages[0] and pages[1]:
                        self.step(pages[0], number)
                    if number % 100 == 0:
                        count = len(self.report.groups)
                        print(f"  writes {mode}: {number} calls, {count} differences")
                        sys.stdout.flush()
            finally:
                for side in self.sides:
                    side.stop()

    def compare_catalogues(self) -> list[Operation]:
        """Compare what the servers offer; return the operations of the old side."""
        tools = Call("mcp", "tools/list", {"method": "tools/list", "params": {}})
        routes = Call("rest", "openapi", {"method": "get", "path": "/openapi.json"})
        lists = [side.run(tools).json["tools"] for side in self.sides]
        documents = [side.run(routes).json for side in self.sides]
        by_name = [{tool["name"]: tool for tool in each} for each in lists]
        for call, pair in ((tools, by_name), (routes, documents)):
            old, new = pair if self.text else map(without_wording, pair)
            for found in self.equality.differences(old, new):
                self.report.add(call, found)
        offered = [*read_tools(lists[0]), *read_routes(documents[0])]
        return [each for each in offered if each.name not in CATALOGUES]

    def step(self, call: Call, number: int) -> tuple[Reply, Reply]:
        """Run one call on both sides, compare, and return both replies."""
        if self.text and call.surface == "cli" and number % 2:
            argv = [word for word in call.request["argv"] if word != "--json"]
            call = Call(call.surface, call.operation, {"argv": argv})
        order = self.sides if number % 2 else self.sides[::-1]
        replies = {side.name: side.run(call) for side in order}
        old, new = (replies[side.name] for side in self.sides)
        if call.operation in CATALOGUES and not self.text:
            old, new = (
                replace(each, json=without_wording(each.json)) for each in (old, new)
            )
        remember_values(self.sides, (old, new))
        self.report.add_replies(call, old, new)
        for found in self.equality.replies(old, new, text=self.text):
            self.report.add(call, found, number)
        if old.failed or new.failed:
            for side in self.sides:
                side.stop()
                side.start(self.toolsets)
        changed = [files.changes() for files in self.files]
        if changed[0] or changed[1]:
            for found in self.equality.files(*(each.contents for each in self.files)):
                kind, old_file, new_file = found
                file = (kind, old_file.partition(": ")[0], new_file.partition(": ")[0])
                if file not in self.known:  # one that stays is reported once
                    self.known.add(file)
                    self.report.add(call, found, number)
            self.facts.update(changed[0])
        return old, new


def compare_commands(old: Side, new: Side, report: Report) -> list[Operation]:
    """Compare the commands and options of both sides; return those of the old one."""
    with ThreadPoolExecutor() as pool:
        found = list(pool.map(lambda side: list(read_commands(side)), (old, new)))
    named = [
        {command.name: dict.fromkeys(command.arguments, "option") for command in each}
        for each in found
    ]
    for difference in Equality(("", ""), 0).differences(named[0], named[1]):
        report.add(Call("cli", "help", {}), difference)
    return found[0]


def vault_shares(given: list[Path]) -> dict[Path, float]:
    """Return the vaults to run on with their shares; say which are absent."""
    if given:
        return {folder.resolve(): 1 / len(given) for folder in given}
    for folder in VAULTS:
        if not folder.is_dir():
            print(f"SKIPPED: there is no vault {folder}")
    return {folder: share for folder, share in VAULTS.items() if folder.is_dir()}


def compare(
    given: argparse.Namespace, settings: dict[str, str], folder: Path
) -> Report:
    """Install both sides in a folder, run all calls, and return the report."""
    report, commands = Report(), list[Operation]()
    programs = {
        "old": install(given.revision, folder / "old"),
        "new": install(None, folder / "new"),
    }
    for number, (vault, share) in enumerate(vault_shares(given.vault).items()):
        calls = int(given.calls * share)
        print(f"{vault}: {calls} calls", flush=True)
        old, new = (
            make_side(name, program, folder / name / str(number), vault, {**settings})
            for name, program in programs.items()
        )
        new.renamed = read_renamed(EXPECTED)
        commands = commands or compare_commands(old, new, report)
        comparison = Comparison((old, new), report, text=given.text)
        comparison.run(commands, calls, given.seed + number)
    return report


def main() -> int:
    """Compare, print the report, and return 1 if a difference is not listed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("revision", metavar="REV", help="the earlier commit")
    parser.add_argument("--vault", type=Path, action="append", default=[])
    parser.add_argument("--calls", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--text", action="store_true", help="compare text output too")
    parser.add_argument("--model", action="store_true", help="hybrid search too")
    parser.add_argument("--keep", type=Path, help="leave both sides' files in a folder")
    given = parser.parse_args()
    listed = read_listed(EXPECTED)
    settings = {
        "GLASSMIND_EMBEDDINGS_BACKEND": "none",
        # themes of one note: another implementation finds others, which raise hits
        "GLASSMIND_GRAPH_THEME_RESOLUTION": "100",
    }
    if given.model:
        models = platformdirs.user_data_path("glassmind") / "models"
        if not models.is_dir():
            parser.error("no model was fetched. Run: glassmind models fetch")
        settings = {"GLASSMIND_EMBEDDINGS_MODELS_FOLDER": str(models)}
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="compare-") as scratch:
        report = compare(given, settings, given.keep or Path(scratch))
    unused = report.match(listed)
    for line in (*report.time_lines(), *report.lines()):
        print(line)
    for entry in unused:
        print(f"  unused    {entry.surface} {entry.operation}: {entry.path}")
    print(
        f"{report.calls} calls with each side in {time.monotonic() - began:.0f} s: "
        f"{report.unlisted} unlisted differences, {len(report.groups)} in all"
    )
    return 1 if report.unlisted else 0


if __name__ == "__main__":
    sys.exit(main())
