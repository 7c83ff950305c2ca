"""`glassmind completion`: scripts for bash, zsh and fish, made from the parsers."""

from argparse import Action, Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from glassmind.operations.failures import OK
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import COMMON, LocalCommand, option
from glassmind.serve.cli.program import parsers_of
from glassmind.serve.cli.table import all_commands

ANYWHERE = tuple(each.names[0] for each in COMMON)
"""Options that may also be before the command."""


class Offer(NamedTuple):
    """One option, or with no names a positional argument.

    `value` is empty for a flag, else `folder`, `file` or `text`; with `many`, any
    number of words may be given.
    """

    names: tuple[str, ...]
    help_line: str
    value: str
    choices: tuple[str, ...] = ()
    many: bool = False


Offers: TypeAlias = Mapping[str, Sequence[Offer]]


def offers_of() -> dict[str, list[Offer]]:
    """Return what each command takes; a group takes what one of its actions takes."""
    offers = {}
    for name in all_commands():
        parsers, found = parsers_of(name), []
        if name not in parsers:
            actions = tuple(path.partition(" ")[2] for path in parsers)
            found.append(Offer((), "what to do", "text", actions))
        for parser in parsers.values():
            found += [_offer(action) for action in parser._actions]  # noqa: SLF001
            found.append(Offer((), "", "text", parser.offered))
        once: dict[object, Offer] = {}
        for offer in found:
            if offer.names or offer.many or offer.choices:
                once.setdefault(offer.names or offer.many, offer)
        offers[name] = list(once.values())
    return offers


def _offer(action: Action) -> Offer:
    choices = tuple(str(choice) for choice in action.choices or ())
    metavar = str(action.metavar)
    value = {"PATH": "folder", "VAULT": "folder", "FILE": "file"}.get(metavar, "text")
    value = "" if action.nargs == 0 else value
    names = tuple(sorted(action.option_strings, key=len, reverse=True))
    return Offer(names, action.help or "", value, choices, action.nargs == "*")


BASH = """\
# bash completion for glassmind; in ~/.bashrc: eval "$(glassmind completion bash)"
_glassmind() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local command= words= word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case $word in {names}) command=$word; break ;; esac
  done
  COMPREPLY=()
  case "$command $previous" in
    *" --vault") COMPREPLY=($(compgen -d -- "$current")); return ;;
    *" --config") COMPREPLY=($(compgen -f -- "$current")); return ;;
{values}
  esac
  case $command in
    "") words="{first}" ;;
{words}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _glassmind glassmind
"""

ZSH = """\
#compdef glassmind
# zsh completion for glassmind; in ~/.zshrc: eval "$(glassmind completion zsh)"
_glassmind() {{
  local context state line
  local -a commands
  typeset -A opt_args
  commands=(
{commands}
  )
  _arguments -C \\
{common} \\
    '1:command:->command' '*::argument:->argument'
  case $state in
    command) _describe command commands ;;
    argument)
      case $words[1] in
{arguments}
      esac ;;
  esac
}}
if [ "$funcstack[1]" = "_glassmind" ]; then _glassmind "$@"
else compdef _glassmind glassmind
fi
"""


def bash_script(offers: Offers) -> str:
    """Return a script to be evaluated by bash."""
    words, values = [], []
    for command, taken in offers.items():
        own = [choice for offer in taken if not offer.names for choice in offer.choices]
        own += [offer.names[0] for offer in taken if offer.names]
        words.append(f'    {command}) words="{" ".join(own)}" ;;')
        for offer in taken:
            if offer.value and offer.names and offer.names[0] not in ANYWHERE:
                listed = " ".join(offer.choices)
                reply = f'COMPREPLY=($(compgen -W "{listed}" -- "$current")); '
                when = "|".join(f'"{command} {name}"' for name in offer.names)
                values.append(f"    {when}) {reply if listed else ''}return ;;")
    return BASH.format(
        names="|".join(offers),
        first=" ".join([*offers, *ANYWHERE]),
        values="\n".join(values),
        words="\n".join(words),
    )


def zsh_script(offers: Offers) -> str:
    """Return a script to be evaluated by zsh, or for a file in its `fpath`."""
    commands = all_commands().items()
    any_command = next(iter(offers.values()))
    common = [o for o in any_command if o.names and o.names[0] in ANYWHERE]
    return ZSH.format(
        commands="\n".join(
            f"    {_quoted(f'{n}:{row.summary}')}" for n, row in commands
        ),
        common=" \\\n".join(f"    {_zsh_spec(o, o.names[0])}" for o in common),
        arguments="\n".join(
            f"        {command}) _arguments {' '.join(_zsh_specs(taken))} ;;"
            for command, taken in offers.items()
        ),
    )


def _zsh_specs(taken: Sequence[Offer]) -> Iterator[str]:
    place = 0
    for offer in taken:
        if not offer.names:
            place += 1
            yield _zsh_spec(offer, "*" if offer.many else str(place))
        for name in offer.names:
            yield _zsh_spec(offer, name)


def _zsh_spec(offer: Offer, name: str) -> str:
    """Return the specification of an option, or of the word at a place."""
    text = "".join(f"\\{c}" if c in "[]:\\" else c for c in offer.help_line)
    action = {"folder": "_files -/", "file": "_files"}.get(offer.value, " ")
    action = f"({' '.join(offer.choices)})" if offer.choices else action
    if not offer.names:
        return _quoted(f"{name}:{text}:{action}")
    return _quoted(f"{name}[{text}]" + (f":value:{action}" if offer.value else ""))


def fish_script(offers: Offers) -> str:
    """Return a script to be sourced by fish."""
    lines = ["# fish completion for glassmind; run: glassmind completion fish | source"]
    first = "complete -c glassmind -n __fish_use_subcommand -f"
    lines += [
        f"{first} -a {command} -d {_quoted(row.summary)}"
        for command, row in all_commands().items()
    ]
    for command, taken in offers.items():
        begin = f"complete -c glassmind -n '__fish_seen_subcommand_from {command}'"
        for offer in taken:
            if offer.names or offer.choices:
                lines.append(f"{begin} {' '.join(_fish_words(offer))}")
    return "".join(f"{line}\n" for line in lines)


def _fish_words(offer: Offer) -> Iterator[str]:
    for name in offer.names:
        yield f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"
    if offer.names and offer.value:
        yield "-r" if offer.value in {"file", "folder"} else "-x"
    if offer.choices:
        yield f"-f -a {_quoted(' '.join(offer.choices))}"
    yield f"-d {_quoted(offer.help_line)}"


def _quoted(text: str) -> str:
    """Return text in single quotes, as all three shells read it."""
    return "'" + text.replace("'", "'\\''") + "'"


SHELLS: Mapping[str, Callable[[Offers], str]] = {
    "bash": bash_script,
    "zsh": zsh_script,
    "fish": fish_script,
}


def completion(args: Namespace, output: Output) -> int:
    """Print the script of a shell."""
    script = SHELLS[args.shell](offers_of())
    if output.as_json:
        output.json({"shell": args.shell, "script": script})
    else:
        output.text(script)
    return OK


SHELL = option("shell", "the shell to complete in", choices=tuple(SHELLS))

COMMANDS = {"completion": LocalCommand(completion, (SHELL,))}
