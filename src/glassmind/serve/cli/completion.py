"""`glassmind completion`: scripts for bash, zsh and fish, made from the parsers."""

from argparse import Action, Namespace
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from glassmind.operations.failures import OK
from glassmind.operations.registry import joined
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import COMMON, LocalCommand, option
from glassmind.serve.cli.program import all_commands, command_named, parsers_of

ANYWHERE = tuple(each.names[0] for each in COMMON)
"""Options that may also be before the command."""


class Offer(NamedTuple):
    words: list[str]
    options: dict[str, Action]


def offers_of() -> dict[str, Offer]:
    """Return what each command and each action of a group takes.

    A group takes the name of an action, or the options of its usual one.
    """
    offers: dict[str, Offer] = {}
    for name in all_commands():
        parsers = parsers_of(name)
        for path, parser in parsers.items():
            offers[path] = offer = Offer([], {})
            for action in parser._actions:  # noqa: SLF001 - argparse does not list them
                if action.option_strings:
                    offer.options[max(action.option_strings, key=len)] = action
                else:
                    offer.words.extend(action.choices or ())
        if name not in parsers:
            usual = offers.get(f"{name} {getattr(command_named(name), 'usual', '')}")
            actions = [path.partition(" ")[2] for path in parsers]
            offers[name] = Offer(actions, usual.options if usual else {})
    offers["help"].words.extend(all_commands())
    return offers


BASH = """\
# in ~/.{shell}rc: eval "$(glassmind completion {shell})"
_glassmind() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local command= offered= word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case ${{command:+$command }}$word in {names}) command+=${{command:+ }}$word ;; esac
  done
  COMPREPLY=()
  case "$command $previous" in
    *" --vault") COMPREPLY=($(compgen -d -- "$current")); return ;;
    *" --config") COMPREPLY=($(compgen -f -- "$current")); return ;;
{values}
  esac
  case $command in
    "") offered="{first}" ;;
{words}
  esac
  COMPREPLY=($(compgen -W "$offered" -- "$current"))
}}
complete -o default -F _glassmind glassmind
"""


def bash_script(shell: str = "bash") -> str:
    offers, words, values = offers_of(), [], []
    for command, offer in offers.items():
        listed = " ".join([*offer.words, *offer.options])
        words.append(f'    "{command}") offered="{listed}" ;;')
        for longest, action in offer.options.items():
            if action.nargs != 0 and longest not in ANYWHERE:
                listed = " ".join(action.choices or ())
                reply = f'COMPREPLY=($(compgen -W "{listed}" -- "$current")); '
                when = "|".join(f'"{command} {n}"' for n in action.option_strings)
                values.append(f"    {when}) {reply if listed else ''}return ;;")
    return BASH.format(
        shell=shell,
        names="|".join(f'"{path}"' for path in offers),
        first=" ".join([*all_commands(), *ANYWHERE]),
        values="\n".join(values),
        words="\n".join(words),
    )


def fish_lines() -> Iterator[str]:
    yield "# fish completion for glassmind; run: glassmind completion fish | source"
    rows = all_commands()
    offers = offers_of()
    for path, offer in offers.items():
        command, _, own = path.partition(" ")
        actions = [p.partition(" ")[2] for p in offers if p.startswith(f"{command} ")]
        when = f"__fish_seen_subcommand_from {command}"
        if not own:
            about = _quoted(rows[command].summary)
            first = "complete -c glassmind -n __fish_use_subcommand -f"
            yield f"{first} -a {command} -d {about}"
            groups = [p.partition(" ")[0] for p in offers if p.endswith(f" {path}")]
            if groups:  # their action of this name has options of its own
                when += f"; and not __fish_seen_subcommand_from {' '.join(groups)}"
        if actions:
            seen = f"__fish_seen_subcommand_from {own or ' '.join(actions)}"
            when += f"; and {seen}" if own else f"; and not {seen}"
        begin = f"complete -c glassmind -n '{when}'"
        if offer.words:
            yield f"{begin} -f -a {_quoted(' '.join(offer.words))}"
        for action in offer.options.values():
            words = [
                f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"
                for name in action.option_strings
            ]
            if action.choices:
                words.append(f"-x -a {_quoted(' '.join(action.choices))}")
            elif action.nargs != 0:
                words.append("-r")
            yield f"{begin} {' '.join(words)} -d {_quoted(action.help or '')}"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


SHELLS: Mapping[str, Callable[[], str]] = {
    "bash": bash_script,
    # zsh can read the script of bash
    "zsh": lambda: "autoload -U +X bashcompinit && bashcompinit\n" + bash_script("zsh"),
    "fish": lambda: joined(fish_lines()),
}


def completion(args: Namespace, output: Output) -> int:
    """Print shell completions."""
    script = SHELLS[args.shell]()
    output.result({"shell": args.shell, "script": script}, script)
    return OK


SHELL = option("shell", "the shell to complete in", choices=tuple(SHELLS))

COMMANDS = {"completion": LocalCommand(completion, "Maintain", (SHELL,), expert=True)}
